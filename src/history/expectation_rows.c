/*
 * expectation_rows.c - see expectation_rows.h
 */
#include "history/expectation_rows.h"

#include "base/mem.h"
#include "base/utc.h"
#include "db/row_reader.h"
#include "trust/journal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int insert(struct hd_db *db, int64_t id, const char *target, const struct hd_expectation_row *r, const char *now,
	struct hd_err *err)
{
	return hd_db_do(db, err,
		"INSERT INTO expectation (id, target, event, symbol, measure, at_least, at_most, reason, created_utc) "
		"VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
		"ittttddtt", id, target, r->event, r->symbol, r->total ? "total_pct" : "self_pct", r->at_least,
		r->at_most, r->reason, now);
}

int hd_expectation_rows_replace(struct hd_db *db, const char *target, const struct hd_expectation_row *rows, size_t n,
	struct hd_err *err)
{
	char now[HD_UTC_TEXT];
	int64_t id;
	int rc;

	hd_utc_text(hd_utc_now(), now);
	rc = hd_journal_begin(db, err);
	if (rc >= 0)
		rc = hd_db_do(db, err,
			"DELETE FROM expectation WHERE target = $1 AND measure IN ('self_pct', 'total_pct')", "t",
			target);
	if (rc >= 0)
		rc = hd_db_query_int(db, &id, 0, err, "SELECT MAX(id) FROM expectation", "");
	for (size_t i = 0; i < n && rc >= 0; i++)
		rc = insert(db, ++id, target, &rows[i], now, err);
	if (rc >= 0)
		rc = hd_journal_note(db, HD_JOURNAL_EXPECTATION, target, 0, err);
	if (rc >= 0)
		rc = hd_db_commit(db, err);
	if (rc < 0)
		hd_db_rollback(db);
	return rc;
}

static double bound(const struct hd_db_rows *r, int column)
{
	return hd_col_kind(r, column) == HD_COL_NULL ? NAN : hd_col_double(r, column);
}

int hd_expectation_rows_load(struct hd_expectation_rows *out, struct hd_db *db, const char *target, size_t most,
	struct hd_err *err)
{
	char now[HD_UTC_TEXT];
	struct hd_db_rows r;
	int rc;

	*out = (struct hd_expectation_rows){ 0 };
	hd_utc_text(hd_utc_now(), now);
	rc = hd_db_query(&r, db, err,
		"SELECT symbol, measure, at_least, at_most, event FROM expectation WHERE (target = $1 OR target IS "
		"NULL) AND symbol IS NOT NULL AND measure IN ('self_pct', 'total_pct') AND (expires_utc IS NULL OR "
		"expires_utc > $2) ORDER BY id",
		"tt", target, now);
	while (rc >= 0 && (rc = hd_db_next(&r, err)) > 0 && out->n < most) {
		const char *measure = hd_row_text(&out->arena, &r, 1);

		HD_GROW(out->items, out->n + 1, out->cap);
		out->items[out->n++] = (struct hd_expectation_row){ .symbol = hd_row_text(&out->arena, &r, 0),
			.event = hd_row_text(&out->arena, &r, 4),
			.total = measure && !strcmp(measure, "total_pct"),
			.at_least = bound(&r, 2),
			.at_most = bound(&r, 3) };
	}
	hd_db_end(&r);
	if (rc < 0)
		hd_expectation_rows_release(out);
	return rc < 0 ? rc : 0;
}

void hd_expectation_rows_release(struct hd_expectation_rows *rows)
{
	free(rows->items);
	hd_arena_release(&rows->arena);
	*rows = (struct hd_expectation_rows){ 0 };
}
