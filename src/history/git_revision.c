/*
 * git_revision.c - see git_revision.h
 */
#include "history/git_revision.h"

#include "base/mem.h"
#include "history/git_command.h"

#include <stdio.h>
#include <string.h>

/* Copy a line that is a sha; return its length, or 0 if it is not a sha. */
static size_t take_sha(const char *line, char sha[HD_GIT_REVISION_SHA])
{
	size_t n = strspn(line, "0123456789abcdef");

	if (n < 40 || n >= HD_GIT_REVISION_SHA || (line[n] && line[n] != '\n'))
		return 0;
	memcpy(sha, line, n);
	sha[n] = '\0';
	return n;
}

static bool read_sha(const char *dir, const char *const *words, char sha[HD_GIT_REVISION_SHA])
{
	struct hd_git_command a;
	bool found;

	hd_git_command(&a, dir, words, NULL);
	found = a.status == 0 && take_sha(hd_buf_str(&a.out), sha);
	hd_git_command_release(&a);
	return found;
}

bool hd_git_revision_resolve(const char *dir, const char *name, char sha[HD_GIT_REVISION_SHA])
{
	struct hd_buf of = { 0 };
	bool found;

	if (!*name || *name == '-')	/* a name that begins with '-' would be an option of git */
		return false;
	hd_buf_addf(&of, "%s^{commit}", name);
	found = read_sha(dir, (const char *const[]){ "rev-parse", "--verify", "--quiet", of.data, NULL }, sha);
	hd_buf_release(&of);
	return found;
}

bool hd_git_revision_merge_base(const char *dir, const char *a, const char *b, char sha[HD_GIT_REVISION_SHA])
{
	return *a && *b && *a != '-' && *b != '-' &&
		read_sha(dir, (const char *const[]){ "merge-base", a, b, NULL }, sha);
}

/*
 * The log of `git bisect` has a line "# good: [SHA] subject" for each good commit.  `git bisect terms` may replace the
 * word "good".
 */
bool hd_git_revision_bisect_good(const char *dir, char sha[HD_GIT_REVISION_SHA])
{
	struct hd_git_command terms, log;
	struct hd_buf mark = { 0 };
	const char *at;
	bool found = false;

	hd_git_command(&terms, dir, (const char *const[]){ "bisect", "terms", "--term-good", NULL }, NULL);
	hd_git_command(&log, dir, (const char *const[]){ "bisect", "log", NULL }, NULL);
	hd_buf_addf(&mark, "# %.*s: [", (int)strcspn(hd_buf_str(&terms.out), "\n"), hd_buf_str(&terms.out));
	at = log.status == 0 && terms.status == 0 ? strstr(hd_buf_str(&log.out), mark.data) : NULL;
	if (at) {
		size_t n = strspn(at + mark.len, "0123456789abcdef");

		found = n >= 40 && n < HD_GIT_REVISION_SHA && at[mark.len + n] == ']';
		if (found)
			snprintf(sha, HD_GIT_REVISION_SHA, "%.*s", (int)n, at + mark.len);
	}
	hd_buf_release(&mark);
	hd_git_command_release(&terms);
	hd_git_command_release(&log);
	return found;
}

size_t hd_git_revision_first_parents(const char *dir, const char *sha, char (*list)[HD_GIT_REVISION_SHA], size_t n)
{
	struct hd_git_command a;
	const char *at;
	char most[32];
	size_t got = 0, len;

	if (!*sha || *sha == '-')
		return 0;
	snprintf(most, sizeof(most), "--max-count=%zu", n);
	hd_git_command(&a, dir, (const char *const[]){ "rev-list", "--first-parent", most, sha, "--", NULL }, NULL);
	at = a.status == 0 ? hd_buf_str(&a.out) : "";
	while (got < n && (len = take_sha(at, list[got])) > 0) {
		got++;
		at += len + (at[len] == '\n');
	}
	hd_git_command_release(&a);
	return got;
}
