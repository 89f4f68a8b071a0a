/*
 * run_report.h - print stored runs, for `log` and `show`
 *
 * hd_run_report_top5() writes text for commit messages and notes: it has no clock time and no colour, the same run
 * gives the same bytes, and no line is wider than 72 columns.  A name that does not fit is cut and ends in `~` and 8
 * digits of the SHA-256 of the whole name, so different names stay different.
 */
#ifndef HD_RENDER_RUN_REPORT_H
#define HD_RENDER_RUN_REPORT_H

#include "base/buf.h"
#include "base/jsonw.h"
#include "gate/run_pair.h"

void hd_run_report_top5(struct hd_buf *out, const struct hd_stored_run *p, size_t event);
/* Append the changes from one run to another.  wide: with costs and intervals, and lines of any width. */
void hd_run_report_changes(struct hd_buf *out, const struct hd_run_pair *pair, bool wide);

/* Append a change of cost: "+98.1%", with ~ in front if it is within noise; "-" if it is unknown. */
void hd_run_report_cost_change(struct hd_buf *out, const struct hd_cost_change *c, bool within_noise);
/* Append the interval of a change of cost: "-4 .. +5%"; nothing if it is unknown. */
void hd_run_report_cost_interval(struct hd_buf *out, const struct hd_cost_change *c);

/* Append a table of the run's series; nothing if it has none. */
void hd_run_report_series(struct hd_buf *out, const struct hd_stored_run *p);

/* Append members to an open JSON object: the data of a run, the rows of an event, the series, or a comparison. */
void hd_run_report_json(struct hd_jsonw *w, const struct hd_stored_run *p);
void hd_run_report_json_symbols(struct hd_jsonw *w, const struct hd_stored_event *e);
void hd_run_report_json_series(struct hd_jsonw *w, const struct hd_stored_run *p);
void hd_run_report_json_changes(struct hd_jsonw *w, const struct hd_run_pair *pair);

/*
 * Append `symbol (object)`, or the address instead of an unknown symbol, at most `columns` wide; 0: any width.  For the
 * sum of the smallest functions, append `(all others together)`.
 */
void hd_run_report_symbol(struct hd_buf *out, const struct hd_stored_hotspot *h, size_t columns);
/* Append the short commit `ab12cd34ef56`, and `mark` if files were modified.  Without a commit, append `none`. */
void hd_run_report_commit(struct hd_buf *out, const struct hd_stored_run *p, const char *mark);

#endif
