/*
 * subprocess.h - run one process to its end and measure it
 *
 *     struct hd_signal_watch watch;
 *     rc = hd_signal_watch_begin(&watch, err);
 *     rc = hd_subprocess_run(&end, &what, &watch, err);     any number of times
 *     hd_signal_watch_end(&watch);
 *
 * The program is started without a shell, in its own process group, with /dev/null or a file as stdin.  Its
 * stdout goes to /dev/null, or through a pipe into a hash, and the first `keep_bytes` into memory.  The last
 * bytes of its stderr are kept.  The descriptors that hotdrift opened are closed (O_CLOEXEC), the signals 1
 * to 31 have their default action, and the signal mask is the one before hd_signal_watch_begin().
 *
 * Wall time is measured with the monotonic clock, from just before exec() until the end is noticed.  CPU
 * times and peak RSS are those of wait4(): of the process and its descendants that were waited for; the peak
 * is that of the largest of them.  A forked process starts with memory copied from hotdrift, so no peak can
 * be below hd_subprocess_rss_floor().
 *
 * At the time limit, and on SIGINT, SIGTERM or SIGHUP, the process group is ended: it gets SIGTERM, and SIGKILL
 * as soon as the process has ended, at the latest after HD_SUBPROCESS_GRACE_MS.  Processes that left the group
 * are not touched.  If the process ends by itself, the other processes of its group are not touched either.
 * If the thread that called hd_subprocess_run() ends first, the kernel kills the process (PR_SET_PDEATHSIG).
 */
#ifndef HD_BASE_SUBPROCESS_H
#define HD_BASE_SUBPROCESS_H

#include "base/buf.h"
#include "base/err.h"
#include "base/sha256.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

enum { HD_SUBPROCESS_GRACE_MS = 2000, HD_SUBPROCESS_STDERR = 4096 };

/*
 * From hd_signal_watch_begin() to _end(), SIGINT, SIGTERM, SIGHUP and SIGCHLD are blocked in the calling thread and
 * read from a descriptor.  The first three request the end of the command.
 */
struct hd_signal_watch {
	int fd;
	int stopped_by;			/* 0, or the signal that requested the end */
	sigset_t before;
	struct sigaction child_before;
};
int hd_signal_watch_begin(struct hd_signal_watch *w, struct hd_err *err);
/* Read pending signals.  Return true if SIGINT, SIGTERM or SIGHUP has arrived since hd_signal_watch_begin(). */
bool hd_signal_watch_stopped(struct hd_signal_watch *w);
void hd_signal_watch_end(struct hd_signal_watch *w);

struct hd_subprocess {
	char *const *argv;		/* ends with NULL; looked up in PATH */
	const char *dir;		/* working directory, or NULL: the current one */
	const char *input;		/* file for stdin, or NULL: /dev/null */
	bool sum_output;		/* hash stdout; else it is discarded */
	size_t keep_bytes;		/* number of bytes of stdout to keep; needs sum_output */
	uint64_t limit_ms;		/* 0: none */
};

enum hd_subprocess_outcome {
	HD_SUBPROCESS_EXITED,		/* status: the exit status */
	HD_SUBPROCESS_SIGNALED,		/* status: the signal */
	HD_SUBPROCESS_TIMED_OUT,
	HD_SUBPROCESS_STOPPED,		/* a signal to hotdrift ended it, or arrived before it was started */
	HD_SUBPROCESS_NOT_STARTED,		/* status: errno of exec() or of the preparations */
};

struct hd_subprocess_result {
	enum hd_subprocess_outcome how;
	int status;
	uint64_t wall_ns, user_ns, system_ns;
	uint64_t peak_rss_bytes;
	uint64_t minor_faults, major_faults;
	uint64_t waited, set_aside;	/* context switches: voluntary, and by preemption */
	bool left_others;		/* other processes of its group still run */
	/* set if sum_output is true, else 0 and empty */
	uint64_t output_bytes;
	uint8_t output_sum[HD_SHA256_BYTES];
	struct hd_buf output;		/* the first keep_bytes of stdout */
	/* always set */
	struct hd_buf errors;		/* the last HD_SUBPROCESS_STDERR bytes of stderr */
};

/*
 * Run the process.  Returns HD_EIO if it could not be created or measured, or if its output could not be read; *end
 * then owns no memory.  Otherwise returns 0, also if the program could not be executed (HD_SUBPROCESS_NOT_STARTED), and
 * the caller releases *end.  Nothing is started if a signal has arrived before (HD_SUBPROCESS_STOPPED).
 */
int hd_subprocess_run(struct hd_subprocess_result *end, const struct hd_subprocess *what, struct hd_signal_watch *w,
	struct hd_err *err);
void hd_subprocess_result_release(struct hd_subprocess_result *end);

/* Append how the process ended, for example "exited with status 3"; append nothing if it exited with status 0. */
void hd_subprocess_describe(struct hd_buf *out, const struct hd_subprocess_result *end);

/* Return the peak RSS, in bytes, of a forked process that does nothing; 0 if unknown. */
uint64_t hd_subprocess_rss_floor(void);

#endif
