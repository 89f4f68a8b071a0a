/*
 * child.c - see child.h
 */
#include "series/child.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const int held[] = { SIGCHLD, SIGINT, SIGTERM, SIGHUP, SIGQUIT };
/* Signals whose dispositions this program changes; the child restores them before exec(). */
static const int changed[] = { SIGCHLD, SIGPIPE, SIGXFSZ };

int hd_child_hold(struct hd_child *c, struct hd_err *err)
{
	struct sigaction plain = { .sa_handler = SIG_DFL };
	sigset_t set;

	*c = (struct hd_child){ .exit_status = -1, .signal = -1, .signals = -1, .pidfd = -1 };
	sigemptyset(&set);
	for (size_t i = 0; i < HD_COUNT(held); i++)
		sigaddset(&set, held[i]);
	c->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (c->signals < 0)
		return hd_fail_errno(err, HD_EIO, errno, "cannot watch for signals");
	sigaction(SIGCHLD, &plain, &c->child_before);
	sigprocmask(SIG_BLOCK, &set, &c->mask_before);
	return 0;
}

/* ---- the command.  Between fork and exec, the child calls only async-signal-safe functions ---- */

/*
 * A message from the child to its parent.  The first one has the time just before exec().  If exec() fails, a second
 * one has the error.
 */
struct report {
	int errnum;
	uint64_t now_ns;
};

static _Noreturn void become(const struct hd_child *c, char *const *argv, const sigset_t *ignored, int to)
{
	struct report r = { 0, hd_monotonic_ns() };

	for (size_t i = 0; i < HD_COUNT(changed); i++)
		signal(changed[i], sigismember(ignored, changed[i]) ? SIG_IGN : SIG_DFL);
	sigprocmask(SIG_SETMASK, &c->mask_before, NULL);
	if (hd_file_write_all(to, &r, sizeof(r)) < 0)
		_exit(errno);
	execvp(argv[0], argv);
	r.errnum = errno;
	hd_file_write_all(to, &r, sizeof(r));
	_exit(127);
}

/*
 * Read the messages of the child.  A successful exec() closes the pipe, so the end of the messages means that the
 * command runs.
 */
static int hear(struct hd_child *c, int from, const char *name, struct hd_err *err)
{
	struct report r[2] = { { 0 }, { 0 } };
	size_t have = 0;
	ssize_t n = 0;

	while (have < sizeof(r) &&
	       ((n = read(from, (char *)r + have, sizeof(r) - have)) > 0 || (n < 0 && errno == EINTR)))
		have += n > 0 ? (size_t)n : 0;
	if (have < sizeof(r) && n < 0)
		return hd_fail_errno(err, HD_EIO, errno, "cannot determine whether '%.200s' has started", name);
	/* If the child could not write its message to the pipe, its exit status is the errno of write(). */
	if (have < sizeof(*r)) {
		int rc = hd_child_reap(c, err);

		return rc < 0 ? rc
			      : hd_fail_errno(err, HD_EIO, c->exit_status > 0 ? c->exit_status : EINTR,
					      "cannot start '%.200s'", name);
	}
	if (have == sizeof(r))
		return hd_fail_errno(err, HD_EIO, r[1].errnum, "cannot start '%.200s'", name);
	c->start_ns = r[0].now_ns;
	return 0;
}

int hd_child_start(struct hd_child *c, char *const *argv, const sigset_t *ignored, struct hd_err *err)
{
	int ends[2], rc;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return hd_fail_errno(err, HD_EIO, errno, "cannot start '%.200s'", argv[0]);
	c->pid = fork();
	if (c->pid == 0)
		become(c, argv, ignored, ends[1]);
	rc = c->pid < 0 ? hd_fail_errno(err, HD_EIO, errno, "cannot start '%.200s'", argv[0]) : 0;
	c->pid = rc < 0 ? 0 : c->pid;
	close(ends[1]);
	if (rc >= 0)
		rc = hear(c, ends[0], argv[0], err);
	close(ends[0]);
	if (rc < 0)
		hd_child_reap(c, NULL);
	return rc;
}

int hd_child_attach(struct hd_child *c, pid_t pid, struct hd_err *err)
{
	c->pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (c->pidfd < 0 && errno == ESRCH)
		return hd_fail(err, HD_EIO, "there is no process %d", (int)pid);
	if (c->pidfd < 0)
		return hd_fail_errno(err, HD_EIO, errno, "cannot watch process %d (pidfd_open, Linux 5.3)", (int)pid);
	c->pid = pid;
	c->attached = true;
	c->start_ns = hd_monotonic_ns();
	return 0;
}

/* ---- waiting ---- */

static void take_signals(struct hd_child *c)
{
	struct signalfd_siginfo si;

	while (read(c->signals, &si, sizeof(si)) == (ssize_t)sizeof(si)) {
		if (si.ssi_signo == SIGCHLD)
			continue;
		if (!c->stopped_by)
			c->stopped_by = (int)si.ssi_signo;
		if (c->pid && !c->attached && si.ssi_code != SI_KERNEL)
			kill(c->pid, (int)si.ssi_signo);
	}
}

static bool has_ended(struct hd_child *c)
{
	siginfo_t si = { 0 };
	struct pollfd p = { .fd = c->pidfd, .events = POLLIN };

	if (c->attached)
		return c->stopped_by || poll(&p, 1, 0) > 0;
	return waitid(P_PID, (id_t)c->pid, &si, WEXITED | WNOHANG | WNOWAIT) < 0 || si.si_pid == c->pid;
}

bool hd_child_wait(struct hd_child *c, uint64_t deadline_ns)
{
	for (;;) {
		/* poll() ignores a negative descriptor. */
		struct pollfd p[] = { { c->signals, POLLIN, 0 }, { c->pidfd, POLLIN, 0 } };
		uint64_t now = hd_monotonic_ns(), left = deadline_ns > now ? deadline_ns - now : 0;
		struct timespec t = { (time_t)(left / 1000000000u), (long)(left % 1000000000u) };

		if (c->ended)
			return true;
		ppoll(p, HD_COUNT(p), &t, NULL);
		take_signals(c);
		if (has_ended(c)) {
			c->end_ns = hd_monotonic_ns();
			c->ended = true;
			return true;
		}
		if (hd_monotonic_ns() >= deadline_ns)
			return false;
	}
}

/* ---- the end ---- */

static double seconds(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

int hd_child_reap(struct hd_child *c, struct hd_err *err)
{
	struct rusage u;
	int status;
	pid_t got;

	if (!c->pid || c->attached)
		return 0;
	do
		got = wait4(c->pid, &status, 0, &u);
	while (got < 0 && errno == EINTR);
	c->pid = 0;
	if (got < 0)
		return hd_fail_errno(err, HD_EIO, errno, "cannot determine how the command ended");
	if (WIFEXITED(status))
		c->exit_status = WEXITSTATUS(status);
	else
		c->signal = WTERMSIG(status);
	c->cpu_s = seconds(u.ru_utime) + seconds(u.ru_stime);
	c->peak_rss_bytes = (uint64_t)u.ru_maxrss * 1024;
	return 0;
}

void hd_child_release(struct hd_child *c)
{
	if (c->pidfd >= 0)
		close(c->pidfd);
	if (c->signals >= 0) {
		close(c->signals);
		sigaction(SIGCHLD, &c->child_before, NULL);
		sigprocmask(SIG_SETMASK, &c->mask_before, NULL);
	}
	c->signals = c->pidfd = -1;
}
