/*
 * git_command.c - see git_command.h
 */
#include "history/git_command.h"

#include "base/file.h"
#include "base/mem.h"
#include "history/checkout.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MAX_OUTPUT = 64 << 10 };		/* bytes of each of stdout and stderr */

void hd_git_command_release(struct hd_git_command *a)
{
	hd_buf_release(&a->out);
	hd_buf_release(&a->err);
}

/* Execute git.  This runs in the child, where only functions that are safe between fork() and exec() may be called. */
static _Noreturn void become_git(char *const *argv, char *const *env, int in, const int *out, const int *err)
{
	if (in < 0)
		in = open("/dev/null", O_RDONLY);
	if (in < 0 || dup2(in, 0) < 0 || dup2(out[1], 1) < 0 || dup2(err[1], 2) < 0)
		_exit(HD_GIT_COMMAND_NOT_INSTALLED);
	signal(SIGPIPE, SIG_DFL);
	execvpe("git", argv, env);
	_exit(HD_GIT_COMMAND_NOT_INSTALLED);
}

static int left_ms(const struct timespec *deadline)
{
	struct timespec now;
	long long ms;

	clock_gettime(CLOCK_MONOTONIC, &now);
	ms = (deadline->tv_sec - now.tv_sec) * 1000LL + (deadline->tv_nsec - now.tv_nsec) / 1000000;
	return ms > 0 ? (int)ms : 0;
}

/*
 * Append a part of the output of git to `b`.  Output after MAX_OUTPUT bytes is dropped, and *cut is set.  Returns false
 * at the end of the output, and if it cannot be read.
 */
static bool drain(int fd, struct hd_buf *b, bool *cut)
{
	char chunk[4096];
	ssize_t n = read(fd, chunk, sizeof(chunk));

	if (n < 0)
		return errno == EINTR || errno == EAGAIN;
	if (b->len < MAX_OUTPUT)
		hd_buf_add(b, chunk, (size_t)n);
	else
		*cut |= n > 0;
	return n > 0;
}

/* Read both pipes to their ends; return false if that takes longer than HD_GIT_COMMAND_LIMIT_MS. */
static bool collect(int out, int err, struct hd_git_command *a)
{
	struct pollfd p[2] = { { out, POLLIN, 0 }, { err, POLLIN, 0 } };
	struct hd_buf *to[2] = { &a->out, &a->err };
	struct timespec deadline;

	clock_gettime(CLOCK_MONOTONIC, &deadline);
	deadline.tv_sec += HD_GIT_COMMAND_LIMIT_MS / 1000;
	while (p[0].fd >= 0 || p[1].fd >= 0) {
		int n = poll(p, 2, left_ms(&deadline));

		if (n == 0 || (n < 0 && errno != EINTR))
			return false;
		for (int i = 0; i < 2 && n > 0; i++)
			if (p[i].fd >= 0 && p[i].revents && !drain(p[i].fd, to[i], &a->cut))
				p[i].fd = -1;
	}
	return true;
}

/*
 * Settings that keep git from starting other programs.  git gets the environment of this process without the variables
 * that redirect git, and with these settings.  GIT_ALLOW_PROTOCOL names no transport, so that a partial clone cannot
 * start a remote helper to fetch an object.
 */
static char *const settings[] = { "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "LC_ALL=C", "GIT_NO_LAZY_FETCH=1",
				  "GIT_ALLOW_PROTOCOL=none" };

static bool is_dropped(const char *variable)
{
	static const char *const drop[] = { "GIT_DIR=", "GIT_WORK_TREE=", "GIT_INDEX_FILE=", "GIT_PAGER=", "LC_ALL=",
		"GIT_TRACE", "GIT_OPTIONAL_LOCKS=", "GIT_TERMINAL_PROMPT=", "GIT_EXTERNAL_DIFF=", "LANGUAGE=",
		"GIT_NO_LAZY_FETCH=", "GIT_ALLOW_PROTOCOL=", "GIT_CONFIG_COUNT=" };

	for (size_t i = 0; i < HD_COUNT(drop); i++)
		if (!strncmp(variable, drop[i], strlen(drop[i])))
			return true;
	return false;
}

/* Environment and configuration of one call of git.  `lines` owns its strings; `env` borrows them. */
struct call {
	char **lines;
	size_t nlines, caplines;
	char **env;
	size_t n, cap;
	unsigned long config;	/* number of GIT_CONFIG_KEY_n pairs */
};

__attribute__((format(printf, 2, 3))) static void add_variable(struct call *c, const char *fmt, ...)
{
	struct hd_buf text = { 0 };
	va_list ap;

	va_start(ap, fmt);
	hd_buf_vaddf(&text, fmt, ap);
	va_end(ap);
	HD_GROW(c->lines, c->nlines + 1, c->caplines);
	c->lines[c->nlines++] = hd_buf_take(&text);
}

/* Override one key of the git configuration; unlike `git -c KEY=VALUE`, this allows `=` in the key. */
static void add_config(struct call *c, const char *key, const char *value)
{
	add_variable(c, "GIT_CONFIG_KEY_%lu=%s", c->config, key);
	add_variable(c, "GIT_CONFIG_VALUE_%lu=%s", c->config++, value);
}

/* If $HOTDRIFT_TRUST lists the checkout that contains `dir`, let git accept it although another user owns it. */
static void add_trust(struct call *c, const char *dir)
{
	char root[PATH_MAX];

	if (!getenv("HOTDRIFT_TRUST") || !realpath(dir, root))
		return;
	root[hd_checkout_root(root)] = '\0';
	if (hd_checkout_trusted(*root ? root : "/"))
		add_config(c, "safe.directory", *root ? root : "/");
}

static void make_env(struct call *c, const char *dir, const struct hd_git_command_opts *o)
{
	const char *count = getenv("GIT_CONFIG_COUNT");

	c->config = count ? strtoul(count, NULL, 10) : 0;
	add_trust(c, dir);
	for (size_t i = 0; i < o->nconfig; i++)
		add_config(c, o->config[2 * i], o->config[2 * i + 1]);
	add_variable(c, "GIT_CONFIG_COUNT=%lu", c->config);
	if (o->no_repository)
		add_variable(c, "GIT_DIR=/dev/null");
	for (char **e = environ; *e; e++) {
		HD_GROW(c->env, c->n + 1, c->cap);
		if (!is_dropped(*e))
			c->env[c->n++] = *e;
	}
	HD_GROW(c->env, c->n + c->nlines + HD_COUNT(settings) + 1, c->cap);
	/* Put our variables first: if two have the same name, getenv() in git finds the first one. */
	memmove(c->env + c->nlines, c->env, c->n * sizeof(*c->env));
	for (size_t i = 0; i < c->nlines; i++)
		c->env[i] = c->lines[i];
	c->n += c->nlines;
	for (size_t i = 0; i < HD_COUNT(settings); i++)
		c->env[c->n++] = settings[i];
	c->env[c->n] = NULL;
}

static void release_call(struct call *c)
{
	for (size_t i = 0; i < c->nlines; i++)
		free(c->lines[i]);
	free(c->lines);
	free(c->env);
}

/* Return a descriptor of a temporary file that contains `input`, positioned at its start; -1: none. */
static int make_input(const struct hd_buf *input)
{
	int fd = input ? hd_file_temporary("git", NULL) : -1;

	if (fd >= 0 && (hd_file_write_all(fd, hd_buf_str(input), input->len) < 0 || lseek(fd, 0, SEEK_SET) < 0)) {
		close(fd);
		return -1;
	}
	return fd;
}

void hd_git_command(struct hd_git_command *a, const char *dir, const char *const *words,
	const struct hd_git_command_opts *opts)
{
	static const struct hd_git_command_opts none = { 0 };
	char *argv[32] = { "git", "-C", (char *)dir, "--no-pager", "-c", "core.fsmonitor=false", "-c",
		"core.hooksPath=/dev/null", "-c", "log.showSignature=false" };
	int out[2], err[2], in;
	struct call call = { 0 };
	size_t n = 10;
	pid_t pid;

	*a = (struct hd_git_command){ .status = -1 };
	opts = opts ? opts : &none;
	for (; *words && n < HD_COUNT(argv) - 1; words++)
		argv[n++] = (char *)*words;
	if (pipe2(out, O_CLOEXEC) < 0)
		return;
	if (pipe2(err, O_CLOEXEC) < 0) {
		close(out[0]);
		close(out[1]);
		return;
	}
	make_env(&call, dir, opts);
	in = make_input(opts->input);
	pid = fork();
	if (pid == 0)
		become_git(argv, call.env, in, out, err);
	release_call(&call);
	if (in >= 0)
		close(in);
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
