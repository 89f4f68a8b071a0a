/*
 * session_page.h - the runs of one session, one per mode, as one page that needs nothing else
 *
 *     struct hd_session_page *s = hd_session_page_new("parser");
 *     hd_session_page_fact(s, "commit", "e5518c0");
 *     hd_session_page_mode(s, "cpu", "ok", NULL);              what follows is of this mode
 *     hd_session_page_figure(s, "samples", "538");
 *     hd_session_page_table(s, "Top 5 of cycles", &table);
 *     hd_session_page_picture(s, "cycles", profile, tree, err);
 *     hd_session_page_link(s, "perf.data", "../20261122T072408Z-42a397f/perf.data");
 *     hd_session_page_write(s, out);
 *
 * The page is src/web/html/session.*: cards that are tabs, a panel behind each.  Without scripts all panels
 * stand below each other, without their pictures: a flamegraph lies in a <template> until it is
 * looked at, and is then what flame.js makes of it.  Nothing is fetched, and only the scripts of the page run.
 * All texts are raw bytes; this writes them in their visible form.
 */
#ifndef HD_WEB_SESSION_PAGE_H
#define HD_WEB_SESSION_PAGE_H

#include "profile/call_tree.h"
#include "base/err.h"
#include "base/file.h"
#include "render/table.h"

enum { HD_SESSION_PAGE_FRAMES = 12000 };	/* of one picture: beyond, the narrowest go, and the picture says so */

struct hd_session_page;
struct hd_session_page *hd_session_page_new(const char *title);
void hd_session_page_free(struct hd_session_page *s);	/* NULL is fine */

/* Of the session as a whole. */
void hd_session_page_fact(struct hd_session_page *s, const char *label, const char *value);

/* status: ok, failed, absent (there is no run of it), or any other word; reason: why, or NULL. */
void hd_session_page_mode(struct hd_session_page *s, const char *mode, const char *status, const char *reason);
/* One more reason, which was found meanwhile. */
void hd_session_page_trouble(struct hd_session_page *s, const char *why);
/* The first figure of a mode stands on its card, too. */
void hd_session_page_figure(struct hd_session_page *s, const char *label, const char *value);
/* What the figures mean, above them. */
void hd_session_page_finding(struct hd_session_page *s, const char *text);
void hd_session_page_note(struct hd_session_page *s, const char *text);
void hd_session_page_table(struct hd_session_page *s, const char *title, const struct hd_table *t);
int hd_session_page_picture(struct hd_session_page *s, const char *name, const struct hd_profile *p,
	const struct hd_call_tree *t, struct hd_err *err);
/* Draw what each GPU did over time (render/gpu_timeline.h), if the profile is of a GPU capture. */
void hd_session_page_timeline(struct hd_session_page *s, const struct hd_profile *p);
/* href: a relative path, raw bytes. */
void hd_session_page_link(struct hd_session_page *s, const char *name, const char *href);

void hd_session_page_write(struct hd_session_page *s, struct hd_outfile *out);

#endif
