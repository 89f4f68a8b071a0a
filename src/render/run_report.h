/*
 * run_report.h - stored runs on paper, shared by log and show
 *
 * The text of hd_run_report_top5 is made for commit messages and notes: no clock, no colour,
 * the same run gives the same bytes, and no line is wider than 72 columns.  A name
 * that does not fit is cut at a `~` that is followed by 8 digits of the SHA-256 of the
 * whole name, so that different names stay different.
 */
#ifndef HD_RENDER_RUN_REPORT_H
#define HD_RENDER_RUN_REPORT_H

#include "base/buf.h"
#include "base/jsonw.h"
#include "gate/run_pair.h"

void hd_run_report_top5(struct hd_buf *out, const struct hd_stored_run *p, size_t event);
/* wide: with costs and intervals, in lines of any width. */
void hd_run_report_changes(struct hd_buf *out, const struct hd_run_pair *pair, bool wide);

void hd_run_report_series(struct hd_buf *out, const struct hd_stored_run *p);	/* a table; nothing without series */

/* Members of an object that is open: of a run in a list; the rows of an event; a comparison. */
void hd_run_report_json(struct hd_jsonw *w, const struct hd_stored_run *p);
void hd_run_report_json_symbols(struct hd_jsonw *w, const struct hd_stored_event *e);
void hd_run_report_json_series(struct hd_jsonw *w, const struct hd_stored_run *p);
void hd_run_report_json_changes(struct hd_jsonw *w, const struct hd_run_pair *pair);

/* `symbol (object)`, or an address; at most `columns` wide, 0: any. */
void hd_run_report_symbol(struct hd_buf *out, const struct hd_stored_hotspot *h, size_t columns);
/* ab12cd34ef56 and the mark when files were modified; `none` without a commit. */
void hd_run_report_commit(struct hd_buf *out, const struct hd_stored_run *p, const char *mark);

#endif
