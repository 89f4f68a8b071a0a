/*
 * series_values.c - see series_values.h
 */
#include "history/series_values.h"

#include "base/arena.h"
#include "db/row_reader.h"

#include <stdlib.h>

#define VALUES \
	"SELECT s.kind, s.name, s.name_raw, s.unit, x.stat, x.value, s.method FROM series s JOIN series_summary x " \
	"ON x.run_id = s.run_id AND x.series = s.series WHERE s.run_id = $1 AND "
#define IN_ORDER " ORDER BY s.series, x.ordinal"

/* Older databases store the peak of resident memory as max. */
#define GATED \
	"s.kind IN ('latency', 'memory', 'power') AND x.stat IN ('p50', 'p95', 'p99', 'peak_rss', 'max', 'joules')"

/* Each kind has three figures.  A kind with fewer repeats one of them. */
#define OF_MEMORY(peak_rss, other) \
	"WHEN 'memory' THEN CASE s.name WHEN 'peak_rss_bytes' THEN " peak_rss " ELSE " other " END "
#define SHOWN \
	"x.stat IN (" \
	"CASE s.kind WHEN 'latency' THEN 'p50' WHEN 'power' THEN 'joules' " \
	OF_MEMORY("'peak_rss'", "'mean'") "ELSE 'mean' END, " \
	"CASE s.kind WHEN 'latency' THEN 'p95' " OF_MEMORY("'mean_rss'", "'mean'") "ELSE 'mean' END, " \
	"CASE s.kind WHEN 'latency' THEN 'p99' WHEN 'power' THEN 'peak' " \
	OF_MEMORY("'peak_rss'", "'max'") "ELSE 'mean' END)"

int hd_series_values_each(struct hd_db *db, int64_t run, enum hd_series_selection which,
	void (*take)(void *context, const struct hd_series_value *value), void *context, struct hd_err *err)
{
	struct hd_db_rows r;
	int rc;

	if (which == HD_SERIES_GATED)
		rc = hd_db_query(&r, db, err, VALUES GATED IN_ORDER, "i", run);
	else
		rc = hd_db_query(&r, db, err, VALUES SHOWN IN_ORDER, "i", run);
	while (rc >= 0 && (rc = hd_db_next(&r, err)) > 0) {
		struct hd_arena a = { 0 };
		struct hd_series_value v = { hd_or_empty(hd_row_text(&a, &r, 0)), hd_or_empty(hd_row_name(&a, &r, 1)),
			hd_or_empty(hd_row_text(&a, &r, 3)), hd_or_empty(hd_row_text(&a, &r, 4)),
			hd_row_text(&a, &r, 6), hd_col_double(&r, 5) };

		take(context, &v);
		hd_arena_release(&a);
	}
	hd_db_end(&r);
	return rc < 0 ? rc : 0;
}
