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
#include "history/hotspot_changes.h"

/* What a symbol cost: of a run, or of a unit of work. */
struct hd_run_pair_cost {
	double base, head;
	double change, lo,
		hi; /* per cent, by gate's estimator with its 95 % interval; NaN: not known; change infinite: new */
	double q;			/* that it changed, by gate: a false-discovery rate; NaN: not known */
	bool within_noise;		/* counting and the noise of runs explain the change */
};

/* What a comparison needs, both loaded; base.id is NULL when there is no earlier run to compare with. */
struct hd_run_pair {
	struct hd_stored_run base;
	size_t base_event;
	struct hd_hotspot_changes changes;
	struct hd_run_pair_cost *costs;	/* of each of changes.items */
	bool per_work;			/* costs are those of a unit of work */
	double level_pct;		/* what the cost of most functions did, which the changes do not contain */
	bool set_noise, order_noise;	/* a changed set, or order, is within noise */
	char unlike[200];		/* why gate would not compare the runs, or "" */
};

/* The event of p that the user named, the first with samples without a name. */
int hd_run_pair_event(const struct hd_stored_run *p, const char *name, size_t *event, struct hd_err *err);

/* Compare with `against`: a run's name, or "last" for the last comparable ok run of the target. */
int hd_run_pair_load(struct hd_run_pair *pair, struct hd_db *db, const struct hd_stored_run *head, size_t event,
	const char *against, struct hd_err *err);
void hd_run_pair_release(struct hd_run_pair *pair);

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
