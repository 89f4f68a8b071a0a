/* history_cells.h - texts and JSON members for both outputs of history.h: one symbol or series, or costliest symbols */
#ifndef HD_RENDER_HISTORY_CELLS_H
#define HD_RENDER_HISTORY_CELLS_H

#include "base/jsonw.h"
#include "history/trend.h"
#include "render/table.h"

/* Append the short commit of a point, and + if files were modified.  Without a commit, append the first run's name. */
void hd_history_commit(struct hd_buf *out, const struct hd_trend *t, const struct hd_trend_point *p);
/*
 * Append what all points of the history have in common: target, event, inline mode, configuration.  If other runs of
 * the target are not in the history because they are not comparable, append a line with their number.
 */
void hd_history_scope(struct hd_buf *out, const struct hd_trend *t, bool markdown);
/* Append date and time of day in UTC. */
void hd_history_time(struct hd_buf *out, const struct hd_trend_point *p);
/* Return true if the subject of any commit is known; otherwise the table has no column for subjects. */
bool hd_history_subjects(const struct hd_trend *t);
/* Return the commit's subject, or NULL if it is unknown. */
const char *hd_history_subject(const struct hd_trend_point *p);
/* Start the JSON document with the members that all points have in common.  The caller closes it. */
struct hd_jsonw hd_history_json(struct hd_buf *out, const struct hd_trend *t);
void hd_history_point_json(struct hd_jsonw *w, const struct hd_trend *t, const struct hd_trend_point *p);
void hd_history_point_csv(struct hd_buf *out, const struct hd_trend_point *p);	/* commit,dirty,time,runs */
/* Return the index of the first point to print if only the newest `show` of n points are printed; show 0: all. */
size_t hd_history_first(size_t n, size_t show);

/*
 * Append a line of block characters in eight heights, at most `columns` long.  If there are more values, neighbours are
 * averaged.  NaN is a blank.
 */
void hd_history_spark(struct hd_buf *out, const double *v, size_t n, size_t columns);

#endif
