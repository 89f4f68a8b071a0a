/*
 * probe_row.c - the table of probes, and the child process that runs a probe
 */
#include "doctor/probe_row.h"

#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define REQUIRED	false
#define OPTIONAL	true
#define TEST(test)	.run = hd_probe_run_##test
#define TEST_OF(test, what)	.run = hd_probe_run_##test, .arg = (what)
#define TEST_ELSEWHERE	.run = NULL
#define EVENT(...)	.run = hd_probe_run_event, .event = { __VA_ARGS__ }
#define PERIOD		.period = 100000
#define CYCLES		.type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_CPU_CYCLES, PERIOD
#define CLOCK		SOFTWARE(CPU_CLOCK), PERIOD
#define SOFTWARE(what)	.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_##what
#define TRACEPOINT(what)	.type = PERF_TYPE_TRACEPOINT, .tracepoint = (what), .kernel = true

const struct hd_probe_row hd_probe_rows[HD_PROBES] = {
#define ROW(id, called, shown, needed, paranoid, test, explanation)                                                   \
	[HD_PROBE_##id] = { .name = (called), .label = (shown), .optional = (needed), .most_paranoid = (paranoid),    \
		test, .explain = hd_probe_explain_##explanation },
	HD_PROBE_TABLE(ROW)
#undef ROW
};

void hd_probe_works(struct hd_probe *p, const char *text)
{
	*p = (struct hd_probe){ .tried = true, .works = true };
	snprintf(p->text, sizeof(p->text), "%.299s", text);
}

void hd_probe_fails(struct hd_probe *p, enum hd_probe_stage stage, int errnum, const char *text)
{
	*p = (struct hd_probe){ .tried = true, .stage = stage, .errnum = errnum };
	snprintf(p->text, sizeof(p->text), "%.299s", text);
}

void hd_probe_run(const struct hd_probe_env *env)
{
	for (int id = 0; id < HD_PROBES; id++)
		if (hd_probe_rows[id].run)
			hd_probe_rows[id].run(&env->probes[id], env, &hd_probe_rows[id]);
}

/* ---- a probe in a child process ---- */

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
	/* The result is smaller than PIPE_BUF, so the write to the pipe is atomic. */
	_exit(hd_file_write_all(answer, &p, sizeof(p)) < 0 ? 127 : 0);
}

/* Read the result that the child wrote; *p is unchanged if it ended without one.  Returns false on timeout. */
static bool read_answer(int fd, struct hd_probe *p)
{
	long long deadline = now_ms() + HD_PROBE_MS, left;
	struct pollfd pfd = { fd, POLLIN, 0 };
	struct hd_probe answer;
	ssize_t n;

	while ((left = deadline - now_ms()) > 0)
		if (poll(&pfd, 1, (int)left) > 0)
			break;
	if (left <= 0)
		return false;
	do
		n = read(fd, &answer, sizeof(answer));
	while (n < 0 && errno == EINTR);
	if (n == (ssize_t)sizeof(answer))
		*p = answer;
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
	/* If SIGCHLD is ignored, a child leaves no exit status. */
	sigaction(SIGCHLD, &plain, &before);
	pid = fork();
	if (pid == 0)
		be_child(ends[1], parent, fn, arg);
	close(ends[1]);
	if (pid < 0) {
		p->errnum = errno;
	} else {
		setpgid(pid, pid);		/* parent and child both call setpgid(), because either may run first */
		in_time = read_answer(ends[0], p);
		if (!in_time)
			kill(pid, SIGKILL);
		/*
		 * Wait for the end of the child, but do not reap it yet, so that its pid still names its process group.
		 * Then kill the processes that it started.
		 */
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
