/*
 * child.h - run a command as if it were started without us, or attach to a process, while the caller samples
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
 * The command has our standard input, output and error, our process group and every descriptor that we inherited.  Its
 * signal mask and its ignored signals are those that this process began with.  It keeps running if we end.
 *
 * SIGINT, SIGTERM, SIGHUP and SIGQUIT to us do not end us.  The kernel sends a key like Ctrl-C to the command, too, so
 * only a signal that a process sent to us is passed on.  The caller waits for the command in any case; a process that
 * was attached gets no signal, and the wait ends at once.
 *
 * Times are of CLOCK_MONOTONIC in ns.  start_ns is read in the child just before exec(), end_ns as soon as the end is
 * reported.
 */
#ifndef HD_SERIES_CHILD_H
#define HD_SERIES_CHILD_H

#include "base/err.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct hd_child {
	pid_t pid;			/* 0: none */
	bool attached;
	uint64_t start_ns, end_ns;
	int stopped_by;			/* the first signal that requested the end, or 0 */
	/* after hd_child_reap(), of a command that was started */
	int exit_status, signal;	/* one of them is -1 */
	double cpu_s;			/* CPU time of the command and of the children that it waited for */
	uint64_t peak_rss_bytes;	/* of the largest of them */
	/* private */
	int signals, pidfd;
	bool ended;
	sigset_t mask_before;
	struct sigaction child_before;
};

/* Block signals until hd_child_release(). */
int hd_child_hold(struct hd_child *c, struct hd_err *err);
/*
 * argv ends with NULL and is found in PATH.  `ignored`: which of SIGCHLD, SIGPIPE and SIGXFSZ the command ignores.
 * HD_EIO if it cannot be started.
 */
int hd_child_start(struct hd_child *c, char *const *argv, const sigset_t *ignored, struct hd_err *err);
/* HD_EIO if there is no such process, or the kernel is older than 5.3. */
int hd_child_attach(struct hd_child *c, pid_t pid, struct hd_err *err);
/* Wait until the deadline, or until the end; returns true at the end. */
bool hd_child_wait(struct hd_child *c, uint64_t deadline_ns);
/* Wait for the command and fill in how it ended.  Does nothing if no command was started. */
int hd_child_reap(struct hd_child *c, struct hd_err *err);
/* Restore the signals.  A signal that is pending takes effect now. */
void hd_child_release(struct hd_child *c);

uint64_t hd_monotonic_ns(void);		/* CLOCK_MONOTONIC */

/* Return the first deadline + k * every_ns after `now`, so that a late wake-up does not move later deadlines. */
static inline uint64_t hd_deadline_after(uint64_t deadline, uint64_t every_ns, uint64_t now)
{
	return now < deadline ? deadline : deadline + ((now - deadline) / every_ns + 1) * every_ns;
}

#endif
