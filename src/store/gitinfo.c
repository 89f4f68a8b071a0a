/*
 * gitinfo.c - see gitinfo.h
 */
#include "store/gitinfo.h"

#include "base/buf.h"
#include "base/mem.h"
#include "base/utc.h"

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

enum {
	MAX_OUTPUT = 64 << 10,		/* a subject line of more is cut */
	LIMIT_MS = 20000,
	NO_GIT = 127,
};

struct answer {
	int status;			/* of git; -1: it did not end by itself */
	struct hd_buf out, err;
};

static void release(struct answer *a)
{
	hd_buf_release(&a->out);
	hd_buf_release(&a->err);
}

/* In the child: from here only calls that are safe between fork and exec. */
static _Noreturn void become_git(char *const *argv, char *const *env, const int *out, const int *err)
{
	int null = open("/dev/null", O_RDONLY);

	if (null < 0 || dup2(null, 0) < 0 || dup2(out[1], 1) < 0 || dup2(err[1], 2) < 0)
		_exit(NO_GIT);
	signal(SIGPIPE, SIG_DFL);
	execvpe("git", argv, env);
	_exit(NO_GIT);
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
static bool collect(int out, int err, struct answer *a)
{
	struct pollfd p[2] = { { out, POLLIN, 0 }, { err, POLLIN, 0 } };
	struct hd_buf *to[2] = { &a->out, &a->err };
	struct timespec deadline;

	clock_gettime(CLOCK_MONOTONIC, &deadline);
	deadline.tv_sec += LIMIT_MS / 1000;
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

/* git -C dir WORDS...; words end with NULL. */
static void ask(struct answer *a, const char *dir, const char *const *words)
{
	char *argv[32] = { "git", "-C", (char *)dir, "--no-pager", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null",
			   "-c", "log.showSignature=false" };
	size_t n = 10;
	int out[2], err[2];
	char **env;
	pid_t pid;

	*a = (struct answer){ .status = -1 };
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

/* ---- what git says ---- */

/* Why there is no answer, when that is worth a word. */
static void warn(const struct answer *a, const char *dir, struct hd_log *log)
{
	const char *said = hd_buf_str(&a->err);
	size_t line = strcspn(said, "\n");

	if (a->status == NO_GIT || strstr(said, "not a git repository") || strstr(said, "does not have any commits") ||
	    strstr(said, "unknown revision") || strstr(said, "bad revision") || strstr(said, "bad object"))
		return;
	if (strstr(said, "dubious ownership") || strstr(said, "unsafe repository"))
		hd_warn(log, "git.refused", "git config --global --add safe.directory FOLDER, or name the commit with --commit",
			"git does not trust the owner of the checkout at %s, so the run has no commit", dir);
	else if (a->status < 0)
		hd_warn(log, "git.failed", "", "git did not answer within %d s", LIMIT_MS / 1000);
	else
		hd_warn(log, "git.failed", "", "git: %.*s", (int)(line < 200 ? line : 200), said);
}

static char *take_line(struct hd_buf *b)
{
	char *line = hd_strndup(hd_buf_str(b), strcspn(hd_buf_str(b), "\n"));

	if (*line)
		return line;
	free(line);
	return NULL;
}

static bool is_commit_name(const char *s)
{
	size_t n = strspn(s, "0123456789abcdefABCDEF");

	return n >= 4 && n <= 64 && !s[n];
}

/* sha, parents, commit time and subject, each ended by a NUL. */
static void read_commit(struct hd_gitinfo *g, struct hd_buf *out)
{
	char *part[4], *at = out->data;
	char *end = at + out->len;
	char utc[HD_UTC_TEXT];

	for (int i = 0; i < 4; i++) {
		char *nul = memchr(at, '\0', (size_t)(end - at));

		if (!nul)
			return;
		part[i] = at;
		at = nul + 1;
	}
	if (!is_commit_name(part[0]) || part[1][strspn(part[1], "0123456789abcdef ")])
		return;
	hd_utc_text(strtoll(part[2], NULL, 10), utc);
	free(g->sha);
	g->sha = hd_strdup(part[0]);
	g->parents = hd_strdup(part[1]);
	g->committed_utc = hd_strdup(utc);
	g->subject = hd_strdup(part[3]);
}

int hd_gitinfo_read(struct hd_gitinfo *g, const char *dir, const char *rev, struct hd_log *log, struct hd_err *err)
{
	struct hd_buf name = { 0 };
	struct answer a;

	*g = (struct hd_gitinfo){ .dirty = -1 };
	if (rev && !is_commit_name(rev))
		return hd_fail(err, HD_EUSAGE, "'%s' is no commit: 4 to 64 hexadecimal digits are wanted", rev);
	hd_buf_addf(&name, "%s^{commit}", rev ? rev : "HEAD");
	ask(&a, dir, (const char *const[]){ "log", "-1", "--format=%H%x00%P%x00%ct%x00%s%x00", name.data, "--", NULL });
	hd_buf_release(&name);
	if (a.status == 0 && a.out.len)
		read_commit(g, &a.out);
	else
		warn(&a, dir, log);
	release(&a);
	if (rev) {
		if (!g->sha)
			g->sha = hd_strdup(rev);
		return 0;
	}
	if (!g->sha)
		return 0;
	ask(&a, dir, (const char *const[]){ "symbolic-ref", "--quiet", "--short", "HEAD", NULL });
	if (a.status == 0)
		g->branch = take_line(&a.out);
	release(&a);
	ask(&a, dir, (const char *const[]){ "status", "--porcelain", "--untracked-files=no", NULL });
	if (a.status == 0)
		g->dirty = a.out.len > 0;
	else
		warn(&a, dir, log);
	release(&a);
	return 0;
}

void hd_gitinfo_release(struct hd_gitinfo *g)
{
	free(g->sha);
	free(g->parents);
	free(g->committed_utc);
	free(g->subject);
	free(g->branch);
	*g = (struct hd_gitinfo){ .dirty = -1 };
}
