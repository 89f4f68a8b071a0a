/*
 * subprocess.h - one fresh process, run to its end and measured
 *
 *     struct hd_signal_watch watch;
 *     rc = hd_signal_watch_begin(&watch, err);
 *     rc = hd_subprocess_run(&end, &what, &watch, err);     as often as wanted
 *     hd_signal_watch_end(&watch);
 *
 * The program is started without a shell, in a process group of its own, with
 * /dev/null or a file as its input.  Its output never reaches ours: it goes to
 * /dev/null, or through a pipe into a sum and, as far as `keep_bytes` go, into
 * memory; of its errors the last bytes are kept.  Every descriptor of ours is
 * closed in it, and signals are as they are by default.
 *
 * Wall time is that of the monotonic clock from just before exec() to the moment
 * its end is told.  CPU times and peak RSS are those of wait4(): of the process and of
 * those descendants that it waited for; the peak is that of the largest of them.
 * A process that is forked begins with what of ours was copied for it, so that
 * no peak can be smaller than hd_subprocess_rss_floor().
 *
 * A limit of time, SIGINT, SIGTERM and SIGHUP end the group of the process, and
 * nothing else: SIGTERM, after HD_SUBPROCESS_GRACE_MS SIGKILL.  What left the group on
 * its own, and what still runs when the process has ended, is left alone.
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

/* The signals that end a session are held back and read between two events, from _begin to _end. */
struct hd_signal_watch {
	int fd;
	int stopped_by;			/* 0, or the signal that asks for the end */
	sigset_t before;
	struct sigaction child_before;
};
int hd_signal_watch_begin(struct hd_signal_watch *w, struct hd_err *err);
/* Has a signal asked for the end?  Reads what came meanwhile. */
bool hd_signal_watch_stopped(struct hd_signal_watch *w);
void hd_signal_watch_end(struct hd_signal_watch *w);

struct hd_subprocess {
	char *const *argv;		/* ends with NULL; found in PATH */
	const char *dir;		/* to run in, or NULL: here */
	const char *input;		/* a file, or NULL: /dev/null */
	bool sum_output;		/* else it is thrown away */
	size_t keep_bytes;		/* of the output */
	uint64_t limit_ms;		/* 0: none */
};

enum hd_subprocess_outcome {
	HD_SUBPROCESS_EXITED,		/* status: of exit() */
	HD_SUBPROCESS_SIGNALED,		/* status: the signal */
	HD_SUBPROCESS_TIMED_OUT,
	HD_SUBPROCESS_STOPPED,		/* a signal to us ended it */
	HD_SUBPROCESS_NOT_STARTED,		/* status: errno of exec() or of what comes before it */
};

struct hd_subprocess_result {
	enum hd_subprocess_outcome how;
	int status;
	uint64_t wall_ns, user_ns, system_ns;
	uint64_t peak_rss_bytes;
	uint64_t minor_faults, major_faults;
	uint64_t waited, set_aside;	/* context switches: it waited; another was given the CPU */
	bool left_others;		/* of its group some still run */
	/* with sum_output */
	uint64_t output_bytes;
	uint8_t output_sum[HD_SHA256_BYTES];
	struct hd_buf output;		/* the first keep_bytes */
	struct hd_buf errors;		/* the last HD_SUBPROCESS_STDERR bytes */
};

/* Returns < 0 only when no process could be made or measured; `end` is then empty, else release it. */
int hd_subprocess_run(struct hd_subprocess_result *end, const struct hd_subprocess *what, struct hd_signal_watch *w,
	struct hd_err *err);
void hd_subprocess_result_release(struct hd_subprocess_result *end);

/* "exited with status 3", "was killed by signal 11 (Segmentation fault)"; nothing for status 0. */
void hd_subprocess_describe(struct hd_buf *out, const struct hd_subprocess_result *end);

/* The peak RSS of a process that does nothing at all; 0: not known. */
uint64_t hd_subprocess_rss_floor(void);

#endif
