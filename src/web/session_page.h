/*
 * session_page.h - write the runs of one session, one per mode, as one self-contained page
 *
 *     struct hd_session_page *s = hd_session_page_new("parser");
 *     hd_session_page_fact(s, "commit", "e5518c0");
 *     hd_session_page_mode(s, "cpu", "ok", NULL);              the following calls add to this mode
 *     hd_session_page_figure(s, "samples", "538");
 *     hd_session_page_table(s, "Top 5 of cycles", &table);
 *     hd_session_page_picture(s, "cycles", profile, tree, err);
 *     hd_session_page_link(s, "perf.data", "../20261122T072408Z-42a397f/perf.data");
 *     hd_session_page_write(s, out);
 *
 * The page (src/web/html/session.*) has one card per mode, which is a tab, and one panel per card.  Without scripts,
 * all panels are visible, one below the other, and have no flamegraphs: a flamegraph is stored in a <template> until
 * the reader opens it, and flame.js then draws it.  The page fetches nothing, and only its scripts run (page.h).
 * All texts are passed as raw bytes; these functions encode them.
 */
#ifndef HD_WEB_SESSION_PAGE_H
#define HD_WEB_SESSION_PAGE_H

#include "profile/call_tree.h"
#include "base/err.h"
#include "base/file.h"
#include "render/table.h"

/* limit of frames per flamegraph: the narrowest are dropped, and the picture prints how many */
enum { HD_SESSION_PAGE_FRAMES = 12000 };

struct hd_session_page;
struct hd_session_page *hd_session_page_new(const char *title);
void hd_session_page_free(struct hd_session_page *s);	/* accepts NULL */

/* Add a fact about the whole session. */
void hd_session_page_fact(struct hd_session_page *s, const char *label, const char *value);

/* Begin a mode.  status: ok, failed, absent (it has no run), or any other word; reason: NULL if there is none. */
void hd_session_page_mode(struct hd_session_page *s, const char *mode, const char *status, const char *reason);
/* Add one more reason to the current mode. */
void hd_session_page_trouble(struct hd_session_page *s, const char *why);
/* Add a labelled number to the current mode.  The first one is also shown on the card. */
void hd_session_page_figure(struct hd_session_page *s, const char *label, const char *value);
/* Add a sentence about the numbers of the current mode; it is shown above them. */
void hd_session_page_finding(struct hd_session_page *s, const char *text);
void hd_session_page_note(struct hd_session_page *s, const char *text);
void hd_session_page_table(struct hd_session_page *s, const char *title, const struct hd_table *t);
int hd_session_page_picture(struct hd_session_page *s, const char *name, const struct hd_profile *p,
	const struct hd_call_tree *t, struct hd_err *err);
/* Draw what each GPU did over time (render/gpu_timeline.h).  Does nothing if the profile is not from a GPU capture. */
void hd_session_page_timeline(struct hd_session_page *s, const struct hd_profile *p);
/* href: a relative path, raw bytes. */
void hd_session_page_link(struct hd_session_page *s, const char *name, const char *href);

void hd_session_page_write(struct hd_session_page *s, struct hd_outfile *out);

#endif
