/*
 * gitask.c - see gitask.h
 */
#include "store/gitask.h"

#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MAX_OUTPUT = 64 << 10 };		/* a subject line of more is cut */

void hd_gitask_release(struct hd_gitask *a)
{
	hd_buf_release(&a->out);
	hd_buf_release(&a->err);
}

/* In the child: from here only calls that are safe between fork and exec. */
static _Noreturn void become_git(char *const *argv, char *const *env, const int *out, const int *err)
{
	int null = open("/dev/null", O_RDONLY);

	if (null < 0 || dup2(null, 0) < 0 || dup2(out[1], 1) < 0 || dup2(err[1], 2) < 0)
		_exit(HD_GITASK_NO_GIT);
	signal(SIGPIPE, SIG_DFL);
	execvpe("git", argv, env);
	_exit(HD_GITASK_NO_GIT);
}

static int left_ms(const struct timespec *deadline)
{
	struct timespec now;
	long long ms;

	clock_gettime(CLOCK_MONOTONIC, &now);
	ms = (deadline->tv_sec - now.tv_sec) * 1000LL + (deadline->tv_nsec - now.tv_nsec) / 1000000;
	return ms > 0 ? (int)ms : 0;
}

/* Take what is there; false at the end of the file.  More than MAX_OUTPUT is read and forgotten. */
static bool drain(int fd, struct hd_buf *b)
{
	char chunk[4096];
	ssize_t n = read(fd, chunk, sizeof(chunk));

	if (n < 0)
		return errno == EINTR || errno == EAGAIN;
	if (b->len < MAX_OUTPUT)
		hd_buf_add(b, chunk, (size_t)n);
	return n > 0;
}

/* True when both ended in time. */
static bool collect(int out, int err, struct hd_gitask *a)
{
	struct pollfd p[2] = { { out, POLLIN, 0 }, { err, POLLIN, 0 } };
	struct hd_buf *to[2] = { &a->out, &a->err };
	struct timespec deadline;

	clock_gettime(CLOCK_MONOTONIC, &deadline);
	deadline.tv_sec += HD_GITASK_LIMIT_MS / 1000;
	while (p[0].fd >= 0 || p[1].fd >= 0) {
		int n = poll(p, 2, left_ms(&deadline));

		if (n == 0 || (n < 0 && errno != EINTR))
			return false;
		for (int i = 0; i < 2 && n > 0; i++)
			if (p[i].fd >= 0 && p[i].revents && !drain(p[i].fd, to[i]))
				p[i].fd = -1;
	}
	return true;
}

/* Our environment without what would send git elsewhere, and with what keeps it quiet. */
static char **make_env(void)
{
	static const char *const drop[] = { "GIT_DIR=", "GIT_WORK_TREE=", "GIT_INDEX_FILE=", "GIT_PAGER=", "LC_ALL=", "GIT_TRACE",
					    "GIT_OPTIONAL_LOCKS=", "GIT_TERMINAL_PROMPT=", "GIT_EXTERNAL_DIFF=", "LANGUAGE=" };
	static char *const set[] = { "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "LC_ALL=C", "GIT_NO_LAZY_FETCH=1" };
	size_t n = 0, cap = 0;
	char **env = NULL;

	for (char **e = environ; *e; e++) {
		bool keep = true;

		for (size_t i = 0; i < HD_COUNT(drop); i++)
			keep = keep && strncmp(*e, drop[i], strlen(drop[i])) != 0;
		HD_GROW(env, n + 2 + HD_COUNT(set), cap);
		if (keep)
			env[n++] = *e;
	}
	HD_GROW(env, n + 1 + HD_COUNT(set), cap);
	for (size_t i = 0; i < HD_COUNT(set); i++)
		env[n++] = set[i];
	env[n] = NULL;
	return env;
}

void hd_gitask(struct hd_gitask *a, const char *dir, const char *const *words)
{
	char *argv[32] = { "git", "-C", (char *)dir, "--no-pager", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null",
			   "-c", "log.showSignature=false" };
	size_t n = 10;
	int out[2], err[2];
	char **env;
	pid_t pid;

	*a = (struct hd_gitask){ .status = -1 };
	for (; *words && n < HD_COUNT(argv) - 1; words++)
		argv[n++] = (char *)*words;
	if (pipe2(out, O_CLOEXEC) < 0)
		return;
	if (pipe2(err, O_CLOEXEC) < 0) {
		close(out[0]);
		close(out[1]);
		return;
	}
	env = make_env();
	pid = fork();
	if (pid == 0)
		become_git(argv, env, out, err);
	free(env);
	close(out[1]);
	close(err[1]);
	if (pid > 0) {
		int status = 0;
		pid_t ended;

		if (!collect(out[0], err[0], a))
			kill(pid, SIGKILL);
		do
			ended = waitpid(pid, &status, 0);
		while (ended < 0 && errno == EINTR);
		a->status = ended == pid && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
	}
	close(out[0]);
	close(err[0]);
}
