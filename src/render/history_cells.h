/*
 * history_cells.h - what a history of one symbol and one of the costliest have in common
 */
#ifndef HD_RENDER_HISTORY_CELLS_H
#define HD_RENDER_HISTORY_CELLS_H

#include "base/jsonw.h"
#include "history/trend.h"
#include "render/table.h"

void hd_history_name(struct hd_buf *out, const char *s, bool markdown);
/* A point's commit, short and with a + when files were modified; without one its first run. */
void hd_history_commit(struct hd_buf *out, const struct hd_trend *t, const struct hd_trend_point *p);
/* What all points have in common. */
void hd_history_scope(struct hd_buf *out, const struct hd_trend *t, bool markdown);
/* Append date and time of day in UTC. */
void hd_history_time(struct hd_buf *out, const struct hd_trend_point *p);
/* Is any subject known?  Else the table has no column for them. */
bool hd_history_subjects(const struct hd_trend *t);
/* The commit's subject, or NULL if it is not known. */
const char *hd_history_subject(const struct hd_trend_point *p);
void hd_history_scope_json(struct hd_jsonw *w, const struct hd_trend *t);
void hd_history_point_json(struct hd_jsonw *w, const struct hd_trend *t, const struct hd_trend_point *p);
void hd_history_point_csv(struct hd_buf *out, const struct hd_trend_point *p);	/* commit,dirty,time,runs */
/* Of n points the first one of the last `show`; 0 shows all. */
size_t hd_history_first(size_t n, size_t show);

/* Eight heights of block characters, a value each, at most `columns` (neighbours are averaged); NaN is a blank. */
void hd_history_spark(struct hd_buf *out, const double *v, size_t n, size_t columns);

#endif
