/*
 * child.h - run a command, or attach to a process, while the caller samples; the command runs as if started directly
 *
 *     rc = hd_child_hold(&c, err);                     signals are blocked from here on
 *     ... first reading ...
 *     rc = hd_child_start(&c, argv, &ignored, err);    or hd_child_attach(&c, pid, err)
 *     while (!hd_child_wait(&c, deadline_ns))
 *             ... one reading ...
 *     rc = hd_child_reap(&c, err);
 *     ... work that must not be interrupted, such as the renaming of files ...
 *     hd_child_release(&c);
 *
 * The command inherits standard input, output and error, the process group and every descriptor that this process has
 * inherited.  Its signal mask and its ignored signals are those that this process began with.  It keeps running if this
 * process ends.
 *
 * SIGINT, SIGTERM, SIGHUP and SIGQUIT do not end this process.  For a key like Ctrl-C, the terminal sends the signal to
 * the command as well.  So only a signal that a process sent to this one is passed on to the command, and the caller
 * still waits for the end of the command.  If this process is attached to another one, no signal is passed on, and the
 * wait ends at once.
 *
 * Times are of CLOCK_MONOTONIC in ns.  start_ns is read in the child just before exec(), or by hd_child_attach().
 * end_ns is read when hd_child_wait() returns true.
 */
#ifndef HD_SERIES_CHILD_H
#define HD_SERIES_CHILD_H

#include "base/err.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct hd_child {
	pid_t pid;			/* the command or the attached process; 0: none */
	bool attached;
	uint64_t start_ns, end_ns;
	int stopped_by;			/* the first signal that requested the end, or 0 */
	/* set by hd_child_reap() for a command that was started */
	int exit_status, signal;	/* exit_status: -1 if a signal ended the command; signal: -1 if none did */
	double cpu_s;			/* CPU time of the command and of those of its children that it waited for */
	uint64_t peak_rss_bytes;	/* peak resident memory of the largest of these processes */
	/* private */
	int signals, pidfd;
	bool ended;
	sigset_t mask_before;
	struct sigaction child_before;
};

/*
 * Block SIGCHLD, SIGINT, SIGTERM, SIGHUP and SIGQUIT, and set SIGCHLD to its default action, until hd_child_release().
 * HD_EIO if signalfd() fails.
 */
int hd_child_hold(struct hd_child *c, struct hd_err *err);
/*
 * Start a command.  argv ends with NULL; argv[0] is searched in PATH.  ignored: which of SIGCHLD, SIGPIPE and SIGXFSZ
 * the command shall ignore.  HD_EIO if the command cannot be started; its child process is then reaped.
 */
int hd_child_start(struct hd_child *c, char *const *argv, const sigset_t *ignored, struct hd_err *err);
/*
 * Watch a process that is already running.  HD_EIO: there is no such process, or pidfd_open() fails (before Linux 5.3).
 */
int hd_child_attach(struct hd_child *c, pid_t pid, struct hd_err *err);
/*
 * Wait until the process ends or the deadline passes.  Returns true if it ended or, if it was attached to, also if a
 * signal requested the end (stopped_by).
 */
bool hd_child_wait(struct hd_child *c, uint64_t deadline_ns);
/*
 * Wait for the command and fill in how it ended.  HD_EIO if wait4() fails.  Does nothing if no command was started, as
 * after hd_child_attach(), or if it was reaped before.
 */
int hd_child_reap(struct hd_child *c, struct hd_err *err);
/* Restore the signal mask and the action of SIGCHLD.  A signal that is pending takes effect now. */
void hd_child_release(struct hd_child *c);

/*
 * Return the first time deadline + k * every_ns that is after `now`.  So a late wake-up does not move later deadlines.
 */
static inline uint64_t hd_deadline_after(uint64_t deadline, uint64_t every_ns, uint64_t now)
{
	return now < deadline ? deadline : deadline + ((now - deadline) / every_ns + 1) * every_ns;
}

#endif
