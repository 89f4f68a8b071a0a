/*
 * git_commit.c - see git_commit.h
 */
#include "history/git_commit.h"

#include "base/buf.h"
#include "base/encode.h"
#include "base/mem.h"
#include "base/utc.h"
#include "history/checkout.h"
#include "history/git_command.h"

#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* ---- the output of git ---- */

static void warn_of_owner(const char *dir, struct hd_log *log)
{
	struct hd_buf fix = { 0 }, root = { 0 };
	char path[PATH_MAX];

	if (realpath(dir, path)) {
		path[hd_checkout_root(path)] = '\0';
		hd_enc_shell(&root, *path ? path : "/");
	}
	hd_buf_addf(&fix, "git config --global --add safe.directory %s, or: export HOTDRIFT_TRUST=%s",
		hd_buf_str(&root), hd_buf_str(&root));
	hd_warn(log, "git.refused", fix.data,
		"git does not trust the owner of the checkout at %s, so the run has no commit", dir);
	hd_buf_release(&fix);
	hd_buf_release(&root);
}

/* Warn that git failed, unless there is no git, no checkout or no such commit. */
static void warn(const struct hd_git_command *a, const char *dir, struct hd_log *log)
{
	const char *message = hd_buf_str(&a->err);
	size_t line = strcspn(message, "\n");

	if (a->status == HD_GIT_COMMAND_NOT_INSTALLED || strstr(message, "not a git repository") ||
		strstr(message, "does not have any commits") || strstr(message, "unknown revision") ||
		strstr(message, "bad revision") || strstr(message, "bad object"))
		return;
	if (strstr(message, "dubious ownership") || strstr(message, "unsafe repository"))
		warn_of_owner(dir, log);
	else if (a->status < 0)
		hd_warn(log, "git.failed", "", "git did not answer within %d s", HD_GIT_COMMAND_LIMIT_MS / 1000);
	else
		hd_warn(log, "git.failed", "", "git: %.*s", (int)(line < 200 ? line : 200), message);
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

/* Parse sha, parents, commit time and subject, each terminated by NUL. */
static void read_commit(struct hd_git_commit *g, struct hd_buf *out)
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

/* ---- modified files ---- */

/*
 * Filter drivers (filter.NAME.clean, .smudge, .process) are programs that `git status` starts for files whose
 * index entry is out of date.  This list disables every driver of the configuration.
 */
struct overrides {
	const char **pair;	/* key, value, key, value, ...; keys are owned */
	size_t n, cap;
};

static void override_driver(struct overrides *o, const char *driver, size_t n)
{
	static const char *const keys[][2] = { { "clean", "" }, { "smudge", "" }, { "process", "" },
		{ "required", "false" } };

	for (size_t i = 0; i < HD_COUNT(keys); i++) {
		struct hd_buf key = { 0 };

		hd_buf_add(&key, driver, n);
		hd_buf_addf(&key, ".%s", keys[i][0]);
		HD_GROW(o->pair, 2 * o->n + 2, o->cap);
		o->pair[2 * o->n] = hd_buf_take(&key);
		o->pair[2 * o->n++ + 1] = keys[i][1];
	}
}

/* Disable all drivers that git lists.  Returns false if git fails or lists too many. */
static bool override_drivers(struct overrides *o, const char *dir)
{
	static const char *const words[] = { "config", "-z", "--name-only", "--get-regexp", "^filter\\.", NULL };
	struct hd_git_command a;
	bool ok;

	hd_git_command(&a, dir, words, NULL);
	ok = (a.status == 0 || a.status == 1) && !a.cut;	/* 1: there is no such key */
	for (const char *at = a.out.data, *end = at + a.out.len, *nul; ok && at < end; at = nul + 1) {
		const char *dot;

		nul = memchr(at, '\0', (size_t)(end - at));
		if (!nul)
			break;
		dot = memrchr(at, '.', (size_t)(nul - at));
		if (dot && dot > at + strlen("filter"))
			override_driver(o, at, (size_t)(dot - at));
	}
	hd_git_command_release(&a);
	return ok;
}

static bool is_overridden(const struct overrides *o, const char *driver)
{
	struct hd_buf key = { 0 };
	bool is = false;

	hd_buf_addf(&key, "filter.%s.clean", driver);
	for (size_t i = 0; i < o->n && !is; i++)
		is = !strcmp(o->pair[2 * i], key.data);
	hd_buf_release(&key);
	return is;
}

/* Return how many of the paths (each terminated by NUL) have no filter driver of the configuration; -1: unknown. */
static int count_unfiltered(const char *dir, const struct hd_buf *paths, const struct overrides *o)
{
	static const char *const words[] = { "check-attr", "-z", "--stdin", "filter", NULL };
	struct hd_git_command a;
	int n = 0;

	hd_git_command(&a, dir, words, &(struct hd_git_command_opts){ .input = paths });
	if (a.status != 0 || a.cut)
		n = -1;
	/* path NUL "filter" NUL value NUL */
	for (const char *at = a.out.data, *end = at + a.out.len; n >= 0 && at < end;) {
		const char *value = NULL;

		for (int i = 0; i < 3; i++) {
			const char *nul = memchr(at, '\0', (size_t)(end - at));

			if (!nul) {
				hd_git_command_release(&a);
				return -1;
			}
			value = at;
			at = nul + 1;
		}
		n += !is_overridden(o, value);
	}
	hd_git_command_release(&a);
	return n;
}

/* Return true if an entry of `git status --porcelain -z` is a change regardless of the content of the file. */
static bool is_certain(const char *entry)
{
	return entry[0] != ' ' || entry[1] != 'M';	/* staged, deleted, or of another type */
}

/* Evaluate the output of `git status`.  Returns 1: modified; 0: unmodified; -1: unknown. */
static int judge_changes(const char *dir, const struct hd_git_command *a, const struct overrides *o, struct hd_log *log)
{
	struct hd_buf paths = { 0 };
	char root[PATH_MAX] = "";
	const char *first = NULL;
	int n = 0, unfiltered;

	for (const char *at = a->out.data, *end = at + a->out.len, *nul; at < end; at = nul + 1) {
		nul = memchr(at, '\0', (size_t)(end - at));
		if (!nul || nul - at < 4)
			break;
		if (is_certain(at)) {
			hd_buf_release(&paths);
			return 1;
		}
		first = first ? first : at + 3;
		hd_buf_add(&paths, at + 3, (size_t)(nul - at - 3) + 1);
		n++;
	}
	if (!n)
		return a->cut ? -1 : 0;
	/* `git status` prints paths from the root of the checkout. */
	if (realpath(dir, root))
		root[hd_checkout_root(root)] = '\0';
	unfiltered = count_unfiltered(*root ? root : "/", &paths, o);
	hd_buf_release(&paths);
	if (unfiltered > 0)
		return 1;
	hd_warn(log, "git.not-checked", "run 'git status', which checks them with their filters and stores the result",
		"%d files with a filter were not checked for changes, the first is '%s': hotdrift runs no filters",
		n, first);
	return -1;
}

static int read_changes(const char *dir, struct hd_log *log)
{
	/*
	 * git does not enter submodules, because it would obey the configuration of each; only their commits are
	 * compared.
	 */
	static const char *const words[] = { "status", "--porcelain", "-z", "--untracked-files=no", "--no-renames",
					     "--ignore-submodules=dirty", NULL };
	struct overrides o = { 0 };
	struct hd_git_command a;
	int dirty = -1;

	if (override_drivers(&o, dir)) {
		hd_git_command(&a, dir, words, &(struct hd_git_command_opts){ .config = o.pair, .nconfig = o.n });
		if (a.status == 0)
			dirty = judge_changes(dir, &a, &o, log);
		else
			warn(&a, dir, log);
		hd_git_command_release(&a);
	} else {
		hd_warn(log, "git.failed", "",
			"git cannot list the filter drivers of the checkout at %s, so changes are not checked", dir);
	}
	for (size_t i = 0; i < o.n; i++)
		free((char *)o.pair[2 * i]);
	free(o.pair);
	return dirty;
}

int hd_git_commit_read(struct hd_git_commit *g, const char *dir, const char *rev, struct hd_log *log,
	struct hd_err *err)
{
	struct hd_buf name = { 0 };
	struct hd_git_command a;

	*g = (struct hd_git_commit){ .dirty = -1 };
	if (rev && !is_commit_name(rev))
		return hd_fail(err, HD_EUSAGE, "'%s' is not a commit: expected 4 to 64 hexadecimal digits", rev);
	hd_buf_addf(&name, "%s^{commit}", rev ? rev : "HEAD");
	hd_git_command(&a, dir,
		(const char *const[]){ "log", "-1", "--format=%H%x00%P%x00%ct%x00%s%x00", name.data, "--", NULL },
		NULL);
	hd_buf_release(&name);
	if (a.status == 0 && a.out.len)
		read_commit(g, &a.out);
	else
		warn(&a, dir, log);
	hd_git_command_release(&a);
	if (rev) {
		if (!g->sha)
			g->sha = hd_strdup(rev);
		return 0;
	}
	if (!g->sha)
		return 0;
	hd_git_command(&a, dir, (const char *const[]){ "symbolic-ref", "--quiet", "--short", "HEAD", NULL }, NULL);
	if (a.status == 0)
		g->branch = take_line(&a.out);
	hd_git_command_release(&a);
	g->dirty = read_changes(dir, log);
	return 0;
}

void hd_git_commit_release(struct hd_git_commit *g)
{
	free(g->sha);
	free(g->parents);
	free(g->committed_utc);
	free(g->subject);
	free(g->branch);
	*g = (struct hd_git_commit){ .dirty = -1 };
}
