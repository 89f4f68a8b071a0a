/*
 * probe.c - a child that tries something; see probe.h
 */
#include "doctor/probe.h"

#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static long long now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (long long)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static _Noreturn void be_child(int answer, pid_t parent, void (*fn)(struct hd_probe *, const void *), const void *arg)
{
	struct hd_probe p = { .tried = true };
	sigset_t none;

	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(127);
	for (int s = 1; s < 32; s++)
		signal(s, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	fn(&p, arg);
	/* Shorter than what a pipe takes in one piece. */
	_exit(hd_file_write_all(answer, &p, sizeof(p)) < 0 ? 127 : 0);
}

/* Its answer; false when there is none in time. */
static bool hear(int fd, struct hd_probe *p)
{
	long long deadline = now_ms() + HD_PROBE_MS, left;
	struct pollfd pfd = { fd, POLLIN, 0 };
	struct hd_probe said;
	ssize_t n;

	while ((left = deadline - now_ms()) > 0)
		if (poll(&pfd, 1, (int)left) > 0)
			break;
	if (left <= 0)
		return false;
	do
		n = read(fd, &said, sizeof(said));
	while (n < 0 && errno == EINTR);
	if (n == (ssize_t)sizeof(said))
		*p = said;
	return true;
}

void hd_probe_in_child(struct hd_probe *p, void (*fn)(struct hd_probe *p, const void *arg), const void *arg)
{
	struct sigaction plain = { .sa_handler = SIG_DFL }, before;
	pid_t parent = getpid(), pid, got;
	int ends[2], status = 0;
	bool in_time;

	*p = (struct hd_probe){ .tried = true, .stage = HD_AT_CHILD };
	if (pipe2(ends, O_CLOEXEC) < 0) {
		p->errnum = errno;
		return;
	}
	/* Where it is ignored, children leave no status behind. */
	sigaction(SIGCHLD, &plain, &before);
	pid = fork();
	if (pid == 0)
		be_child(ends[1], parent, fn, arg);
	close(ends[1]);
	if (pid < 0) {
		p->errnum = errno;
	} else {
		setpgid(pid, pid);		/* whoever of us is first */
		in_time = hear(ends[0], p);
		if (!in_time)
			kill(pid, SIGKILL);
		/* Not reaped yet, its number is its own: what it started goes with it. */
		siginfo_t si;

		while (waitid(P_PID, (id_t)pid, &si, WEXITED | WNOWAIT) < 0 && errno == EINTR)
			;
		kill(-pid, SIGKILL);
		do
			got = waitpid(pid, &status, 0);
		while (got < 0 && errno == EINTR);
		if (in_time && p->stage == HD_AT_CHILD && got == pid && WIFSIGNALED(status))
			p->signal = WTERMSIG(status);
	}
	close(ends[0]);
	sigaction(SIGCHLD, &before, NULL);
}
