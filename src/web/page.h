/*
 * page.h - the shell of every HTML page: a self-contained file whose policy lets only its scripts run
 *
 *     struct hd_page page;
 *     hd_page_init(&page, title);
 *     hd_page_body(&page, "session.html", pieces, n);
 *     hd_asset_add(&page.css, "session.css");
 *     hd_page_script(&page, &script);
 *     hd_page_write(&page, out);
 *
 * Each kind of page has a module (history_page.c, session_page.c, ...) that adds the parts in any order; shell.html
 * defines where the parts are in the page.  The page fetches nothing: its Content-Security-Policy forbids all loads and
 * names the SHA-256 of each script.
 *
 * shell.html and the body templates are files of src/web/html/.  A line that consists of @NAME@ is replaced by the
 * piece of that name; if there is no such piece or it is empty, the line is dropped.
 */
#ifndef HD_WEB_PAGE_H
#define HD_WEB_PAGE_H

#include "base/buf.h"
#include "base/file.h"

struct hd_page_piece {
	const char *name, *before;	/* `before` and `after` are written only if the text is not empty */
	const struct hd_buf *text;
	const char *after;
};

struct hd_page {
	struct hd_buf title;		/* encoded for HTML */
	struct hd_buf css;
	struct hd_buf data;		/* JSON that the scripts read, encoded for a script block */
	struct hd_buf scripts, policy;	/* filled by hd_page_script() */
	struct hd_outfile body;		/* the body, in memory; filled by hd_page_body() */
};

/* `title` is raw text. */
void hd_page_init(struct hd_page *p, const char *title);
/* Append the body template `asset`, with each @NAME@ replaced by the piece of that name. */
void hd_page_body(struct hd_page *p, const char *asset, const struct hd_page_piece *pieces, size_t n);
/* Append a script block and add its hash to the policy.  An empty script is ignored. */
void hd_page_script(struct hd_page *p, const struct hd_buf *script);
/* Write the page and release `p`.  hd_outfile_commit() reports failed writes. */
void hd_page_write(struct hd_page *p, struct hd_outfile *out);

#endif
