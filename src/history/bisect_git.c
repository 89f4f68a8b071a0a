/*
 * bisect_git.c - see bisect_git.h
 */
#include "history/bisect_git.h"

#include "base/file.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAX_OUTPUT = 64 << 20, MAX_WORDS = 128, CANNOT_START = 127 };

/* ---- processes ---- */

static void unset_git_variables(void)
{
	static const char *const drop[] = { "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX",
		"GIT_OBJECT_DIRECTORY", "GIT_COMMON_DIR" };

	for (size_t i = 0; i < HD_COUNT(drop); i++)
		unsetenv(drop[i]);
}

static int wait_for(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* In the child: execute argv with standard input from /dev/null and the given outputs. */
static _Noreturn void exec_command(char *const *argv, int out, int err)
{
	int null = open("/dev/null", O_RDONLY);

	if (null < 0 || dup2(null, 0) < 0 || dup2(out, 1) < 0 || dup2(err, 2) < 0)
		_exit(CANNOT_START);
	signal(SIGPIPE, SIG_DFL);
	execvp(argv[0], argv);
	_exit(CANNOT_START);
}

/*
 * Run `git -C repo WORDS...`, with stdout to `out` and stderr to `messages`; both may be NULL.  Returns its exit
 * status, or < 0 on error.
 */
static int git(const char *repo, const char *const *words, struct hd_buf *out, struct hd_buf *messages,
	struct hd_err *err)
{
	char *argv[MAX_WORDS] = { "git", "-C", (char *)repo, "--no-pager", "-c", "core.hooksPath=/dev/null", "-c",
		"core.fsmonitor=false", "-c", "advice.detachedHead=false" };
	int o = hd_file_temporary("git", err), e = o < 0 ? o : hd_file_temporary("git", err), rc = e < 0 ? e : 0;
	size_t n = 10;
	pid_t pid;

	for (; *words && n < HD_COUNT(argv) - 1; words++)
		argv[n++] = (char *)*words;
	if (rc >= 0) {
		pid = fork();
		if (pid == 0) {
			unset_git_variables();
			setenv("LC_ALL", "C", 1);
			setenv("GIT_TERMINAL_PROMPT", "0", 1);
			exec_command(argv, o, e);
		}
		rc = pid < 0 ? hd_fail_errno(err, HD_EIO, errno, "cannot start git") : wait_for(pid);
	}
	if (rc == CANNOT_START)
		rc = hd_fail(err, HD_EIO, "git cannot be started; is it installed?");
	if (o >= 0)
		lseek(o, 0, SEEK_SET);		/* go back to the start: git has moved the shared file offset */
	if (e >= 0)
		lseek(e, 0, SEEK_SET);
	if (rc >= 0 && out)
		rc = hd_file_slurp(o, "git", MAX_OUTPUT, out, err) < 0 ? HD_EIO : rc;
	if (rc >= 0 && messages)
		rc = hd_file_slurp(e, "git", MAX_OUTPUT, messages, err) < 0 ? HD_EIO : rc;
	if (o >= 0)
		close(o);
	if (e >= 0)
		close(e);
	return rc;
}

#define GIT(repo, out, messages, err, ...) git(repo, (const char *const[]){ __VA_ARGS__, NULL }, out, messages, err)

/* Fail if the exit status rc is not 0, with the first line of the messages of git. */
static int need(int rc, struct hd_buf *messages, const char *what, struct hd_err *err)
{
	if (rc > 0)
		rc = hd_fail(err, HD_EIO, "git %s failed: %.*s", what, (int)strcspn(hd_buf_str(messages), "\n"),
			hd_buf_str(messages));
	hd_buf_release(messages);
	return rc;
}

/* Return a copy of the first line of `out`, and release `out`.  The caller frees the copy. */
static char *line_of(struct hd_buf *out)
{
	char *s = hd_strndup(hd_buf_str(out), strcspn(hd_buf_str(out), "\n"));

	hd_buf_release(out);
	return s;
}

int hd_bisect_git_run(const struct hd_bisect_git *g, char *const *argv, const char *const *env, struct hd_err *err)
{
	pid_t pid = fork();

	if (pid < 0)
		return hd_fail_errno(err, HD_EIO, errno, "cannot start a process");
	if (pid == 0) {
		unset_git_variables();
		for (; *env; env++)
			putenv((char *)*env);
		if (chdir(g->tree) < 0)
			_exit(CANNOT_START);
		exec_command(argv, 2, 2);
	}
	return wait_for(pid);
}

/* ---- the repository ---- */

static int take_lock(struct hd_bisect_git *g, struct hd_err *err)
{
	struct hd_buf path = { 0 };

	hd_buf_addf(&path, "%s/lock", g->place);
	if (mkdir(g->place, 0777) < 0 && errno != EEXIST)
		hd_fail_errno(err, HD_EIO, errno, "%s: cannot be made", g->place);
	else if ((g->lock = open(path.data, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666)) < 0)
		hd_fail_errno(err, HD_EIO, errno, "%s: cannot be opened", path.data);
	else if (flock(g->lock, LOCK_EX | LOCK_NB) < 0)
		hd_fail(err, HD_EIO, "%s: another bisection runs in this repository", path.data);
	else {
		hd_buf_release(&path);
		return 0;
	}
	hd_buf_release(&path);
	if (g->lock >= 0)
		close(g->lock);
	g->lock = -1;
	return HD_EIO;
}

int hd_bisect_git_open(struct hd_bisect_git *g, const char *repo, struct hd_err *err)
{
	struct hd_buf out = { 0 }, path = { 0 };
	int rc;

	*g = (struct hd_bisect_git){ .repo = hd_strdup(repo), .lock = -1 };
	rc = GIT(repo, &out, NULL, err, "rev-parse", "--path-format=absolute", "--git-common-dir");
	if (rc > 0)
		rc = hd_fail(err, HD_EIO, "%s: is in no git checkout; --repo names one", repo);
	if (rc >= 0) {
		char *dir = line_of(&out);

		hd_buf_addf(&path, "%s/hotdrift-bisect", dir);
		free(dir);
		g->place = hd_buf_take(&path);
		hd_buf_addf(&path, "%s/tree", g->place);
		g->tree = hd_buf_take(&path);
		rc = take_lock(g, err);
	}
	hd_buf_release(&out);
	if (rc < 0)
		hd_bisect_git_close(g);
	return rc;
}

void hd_bisect_git_close(struct hd_bisect_git *g)
{
	struct hd_buf path = { 0 };
	struct stat st;

	if (g->lock >= 0) {
		if (stat(g->tree, &st) == 0)
			GIT(g->repo, NULL, NULL, NULL, "worktree", "remove", "--force", "--force", g->tree);
		GIT(g->repo, NULL, NULL, NULL, "worktree", "prune");
		hd_buf_addf(&path, "%s/lock", g->place);
		unlink(path.data);
		rmdir(g->place);
		close(g->lock);
	}
	hd_buf_release(&path);
	free(g->repo);
	free(g->place);
	free(g->tree);
	*g = (struct hd_bisect_git){ .lock = -1 };
}

int hd_bisect_git_commit(const struct hd_bisect_git *g, char **sha, const char *rev, struct hd_err *err)
{
	struct hd_buf out = { 0 }, spec = { 0 };
	int rc;

	hd_buf_addf(&spec, "%s^{commit}", rev);
	rc = GIT(g->repo, &out, NULL, err, "rev-parse", "--verify", "--quiet", "--end-of-options", spec.data);
	if (rc > 0)
		rc = hd_fail(err, HD_EFORMAT, "%s: git knows no commit '%s'", g->repo, rev);
	if (rc >= 0)
		*sha = line_of(&out);
	hd_buf_release(&spec);
	hd_buf_release(&out);
	return rc;
}

int hd_bisect_git_is_ancestor(const struct hd_bisect_git *g, const char *old, const char *young, struct hd_err *err)
{
	int rc = GIT(g->repo, NULL, NULL, err, "merge-base", "--is-ancestor", old, young);

	return rc < 0 ? rc : rc == 0;
}

char *hd_bisect_git_subject(const struct hd_bisect_git *g, const char *sha)
{
	struct hd_buf out = { 0 };

	if (GIT(g->repo, &out, NULL, NULL, "show", "-s", "--no-show-signature", "--format=%s", sha) != 0)
		hd_buf_reset(&out);
	return line_of(&out);
}

/* ---- lists ---- */

void hd_shas_add(struct hd_shas *s, const char *sha)
{
	HD_GROW(s->items, s->n + 1, s->cap);
	s->items[s->n++] = hd_strdup(sha);
}

bool hd_shas_have(const struct hd_shas *s, const char *sha)
{
	for (size_t i = 0; i < s->n; i++)
		if (!strcmp(s->items[i], sha))
			return true;
	return false;
}

void hd_shas_release(struct hd_shas *s)
{
	for (size_t i = 0; i < s->n; i++)
		free(s->items[i]);
	free(s->items);
	*s = (struct hd_shas){ 0 };
}

int hd_bisect_git_candidates(const struct hd_bisect_git *g, struct hd_shas *out, const char *bad,
	const struct hd_shas *good, struct hd_err *err)
{
	const char **words = hd_new_array(const char *, good->n + 5);
	struct hd_buf text = { 0 }, messages = { 0 };
	size_t n = 0;
	int rc;

	words[n++] = "rev-list";
	words[n++] = "--bisect-all";
	words[n++] = bad;
	words[n++] = "--not";
	/*
	 * Pass at most the last 100 good commits, because git() takes at most MAX_WORDS words.  A bisection has fewer,
	 * because each of them about halves the range.
	 */
	for (size_t i = good->n > 100 ? good->n - 100 : 0; i < good->n; i++)
		words[n++] = good->items[i];
	words[n] = NULL;
	rc = need(git(g->repo, words, &text, &messages, err), &messages, "rev-list", err);
	free(words);
	for (char *line = text.data; rc >= 0 && line && *line;) {
		size_t len = strspn(line, "0123456789abcdef");
		char *end = strchr(line, '\n');

		line[len] = '\0';
		if (len)
			hd_shas_add(out, line);
		line = end ? end + 1 : NULL;
	}
	hd_buf_release(&text);
	return rc;
}

int hd_bisect_git_checkout(struct hd_bisect_git *g, const char *sha, bool clean, struct hd_err *err)
{
	struct hd_buf messages = { 0 };
	struct stat st;
	int rc;

	if (stat(g->tree, &st) == 0 &&
		GIT(g->tree, NULL, NULL, NULL, "rev-parse", "--verify", "--quiet", "HEAD") == 0) {
		rc = need(GIT(g->tree, NULL, &messages, err, "checkout", "--force", "--detach", sha), &messages,
			"checkout", err);
		if (rc >= 0 && clean)
			rc = need(GIT(g->tree, NULL, &messages, err, "clean", "-ffdxq"), &messages, "clean", err);
		return rc;
	}
	GIT(g->repo, NULL, NULL, NULL, "worktree", "prune");
	return need(GIT(g->repo, NULL, &messages, err, "worktree", "add", "--force", "--detach", g->tree, sha),
		&messages, "worktree add", err);
}
