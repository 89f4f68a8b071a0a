/*
 * gitinfo.c - see gitinfo.h
 */
#include "store/gitinfo.h"

#include "base/buf.h"
#include "base/mem.h"
#include "base/utc.h"
#include "store/gitask.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* ---- what git says ---- */

/* Why there is no answer, when that is worth a word. */
static void warn(const struct hd_gitask *a, const char *dir, struct hd_log *log)
{
	const char *said = hd_buf_str(&a->err);
	size_t line = strcspn(said, "\n");

	if (a->status == HD_GITASK_NO_GIT || strstr(said, "not a git repository") || strstr(said, "does not have any commits") ||
	    strstr(said, "unknown revision") || strstr(said, "bad revision") || strstr(said, "bad object"))
		return;
	if (strstr(said, "dubious ownership") || strstr(said, "unsafe repository"))
		hd_warn(log, "git.refused", "git config --global --add safe.directory FOLDER, or name the commit with --commit",
			"git does not trust the owner of the checkout at %s, so the run has no commit", dir);
	else if (a->status < 0)
		hd_warn(log, "git.failed", "", "git did not answer within %d s", HD_GITASK_LIMIT_MS / 1000);
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
	struct hd_gitask a;

	*g = (struct hd_gitinfo){ .dirty = -1 };
	if (rev && !is_commit_name(rev))
		return hd_fail(err, HD_EUSAGE, "'%s' is no commit: 4 to 64 hexadecimal digits are wanted", rev);
	hd_buf_addf(&name, "%s^{commit}", rev ? rev : "HEAD");
	hd_gitask(&a, dir, (const char *const[]){ "log", "-1", "--format=%H%x00%P%x00%ct%x00%s%x00", name.data, "--", NULL });
	hd_buf_release(&name);
	if (a.status == 0 && a.out.len)
		read_commit(g, &a.out);
	else
		warn(&a, dir, log);
	hd_gitask_release(&a);
	if (rev) {
		if (!g->sha)
			g->sha = hd_strdup(rev);
		return 0;
	}
	if (!g->sha)
		return 0;
	hd_gitask(&a, dir, (const char *const[]){ "symbolic-ref", "--quiet", "--short", "HEAD", NULL });
	if (a.status == 0)
		g->branch = take_line(&a.out);
	hd_gitask_release(&a);
	hd_gitask(&a, dir, (const char *const[]){ "status", "--porcelain", "--untracked-files=no", NULL });
	if (a.status == 0)
		g->dirty = a.out.len > 0;
	else
		warn(&a, dir, log);
	hd_gitask_release(&a);
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
