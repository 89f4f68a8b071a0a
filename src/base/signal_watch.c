/* signal_watch.c - catch SIGINT, SIGTERM and SIGHUP while a command runs other processes: see subprocess.h */
#include "base/subprocess.h"

#include <errno.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

static sigset_t watched(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	return set;
}

int hd_signal_watch_begin(struct hd_signal_watch *w, struct hd_err *err)
{
	sigset_t set = watched();
	struct sigaction plain = { .sa_handler = SIG_DFL };

	*w = (struct hd_signal_watch){ .fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK) };
	if (w->fd < 0)
		return hd_fail_errno(err, HD_EIO, errno, "cannot watch for signals");
	/* Set the default action: if SIGCHLD were ignored, children would leave no exit status. */
	sigaction(SIGCHLD, &plain, &w->child_before);
	sigprocmask(SIG_BLOCK, &set, &w->before);
	return 0;
}

bool hd_signal_watch_stopped(struct hd_signal_watch *w)
{
	struct signalfd_siginfo si;

	while (read(w->fd, &si, sizeof(si)) == (ssize_t)sizeof(si))
		if (si.ssi_signo != SIGCHLD && !w->stopped_by)
			w->stopped_by = (int)si.ssi_signo;
	return w->stopped_by != 0;
}

void hd_signal_watch_end(struct hd_signal_watch *w)
{
	if (w->fd < 0)
		return;
	hd_signal_watch_stopped(w);
	close(w->fd);
	w->fd = -1;
	sigaction(SIGCHLD, &w->child_before, NULL);
	sigprocmask(SIG_SETMASK, &w->before, NULL);
}
