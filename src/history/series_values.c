/*
 * series_values.c - see series_values.h
 */
#include "history/series_values.h"

#include "base/arena.h"
#include "db/row_reader.h"

#include <stdlib.h>

struct value_row {
	int64_t run;
	struct hd_series_value v;
};
static const struct hd_row_field value_fields[] = {
	HD_ROW(struct value_row, run, "s.run_id", INT),
	HD_ROW(struct value_row, v.kind, "s.kind", TEXT_OR_EMPTY),
	HD_ROW(struct value_row, v.name, "s.name", NAME_OR_EMPTY),
	HD_ROW(struct value_row, v.unit, "s.unit", TEXT_OR_EMPTY),
	HD_ROW(struct value_row, v.stat, "x.stat", TEXT_OR_EMPTY),
	HD_ROW(struct value_row, v.method, "s.method", TEXT),
	HD_ROW(struct value_row, v.value, "x.value", REAL_OR_0),
};
#define VALUES(selection) HD_ROW_QUERY(struct value_row, value_fields,						\
	"FROM series s JOIN series_summary x ON x.run_id = s.run_id AND x.series = s.series "			\
	"WHERE s.run_id IN [$1] AND " selection " ORDER BY s.run_id, s.series, x.ordinal")

/* The statistics that `gate` compares.  Older databases store the peak of resident memory as the statistic max. */
#define GATED \
	"s.kind IN ('latency', 'memory', 'power') AND x.stat IN ('p50', 'p95', 'p99', 'peak_rss', 'max', 'joules')"

/* A branch of CASE s.kind: one statistic for peak_rss_bytes, another one for the other columns of a memory CSV. */
#define OF_MEMORY(peak_rss, other) \
	"WHEN 'memory' THEN CASE s.name WHEN 'peak_rss_bytes' THEN " peak_rss " ELSE " other " END "
/*
 * The three statistics that the history shows for each kind of series.  For a kind with fewer statistics, one of them
 * is repeated.
 */
#define SHOWN \
	"x.stat IN (" \
	"CASE s.kind WHEN 'latency' THEN 'p50' WHEN 'power' THEN 'joules' " \
	OF_MEMORY("'peak_rss'", "'mean'") "ELSE 'mean' END, " \
	"CASE s.kind WHEN 'latency' THEN 'p95' " OF_MEMORY("'mean_rss'", "'mean'") "ELSE 'mean' END, " \
	"CASE s.kind WHEN 'latency' THEN 'p99' WHEN 'power' THEN 'peak' " \
	OF_MEMORY("'peak_rss'", "'max'") "ELSE 'mean' END)"

static const struct hd_row_query queries[] = {
	[HD_SERIES_GATED] = VALUES(GATED),
	[HD_SERIES_SHOWN] = VALUES(SHOWN),
};

int hd_series_values_each(struct hd_db *db, const int64_t *runs, size_t n, enum hd_series_selection which,
	void (*take)(void *context, size_t i, const struct hd_series_value *value), void *context, struct hd_err *err)
{
	const struct hd_row_query *q = &queries[which];
	struct hd_row_list list = { 0 };
	struct hd_arena a = { 0 };
	int rc = hd_row_load(&list, q, db, &a, err, "l", runs, n);
	const struct value_row *rows = list.items;

	for (size_t i = 0; i < n && rc >= 0; i++)
		for (size_t k = hd_row_list_find(&list, q, runs[i]); k < list.n && rows[k].run == runs[i]; k++)
			take(context, i, &rows[k].v);
	free(list.items);
	hd_arena_release(&a);
	return rc < 0 ? rc : 0;
}
