/*
 * expect_store.c - see expect_store.h
 */
#include "gate/expect_store.h"

#include "base/encode.h"
#include "base/mem.h"
#include "base/utc.h"
#include "db/row_reader.h"
#include "trust/journal.h"

#include <math.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

/* A name that would be read as a pattern stands in quotes. */
static char *written(const struct hd_expect_item *item)
{
	struct hd_buf b = { 0 };
	bool quote = !item->glob && !item->others && (strpbrk(item->name, "*?") || !strcmp(item->name, "others"));

	hd_buf_addf(&b, quote ? "\"%s\"" : "%s", item->name);
	return hd_buf_take(&b);
}

static int insert(struct hd_db *db, const struct hd_expect *e, const struct hd_expect_item *item, int64_t id,
	const char *target, const char *source, const char *now, struct hd_err *err)
{
	bool low = !isinf(item->range.lo), high = !isinf(item->range.hi);
	double lo = low ? fmax(0, item->range.lo - e->tolerance) : 0, hi = high ? item->range.hi + e->tolerance : 0;
	char *name = written(item), *symbol = hd_enc_visible_new(name), *event = hd_enc_visible_new(e->event);
	const char *measure = item->total ? "total_pct" : "self_pct";
	struct hd_buf reason = { 0 };
	int rc;

	if (item->range.above_lo && item->range.lo >= e->tolerance)
		lo = nextafter(lo, INFINITY);
	if (item->range.below_hi)
		hi = nextafter(hi, -INFINITY);
	hd_buf_addf(&reason, "%s, line %u%s%s", source, item->line, item->tier ? ", " : "",
		item->tier ? hd_tier_name(item->tier) : "");
	char *why = hd_enc_visible_new(reason.data);

#define INSERT "INSERT INTO expectation (id, target, event, symbol, measure, at_least, at_most, reason, created_utc) VALUES "
	if (low && high)
		rc = hd_db_do(db, err, INSERT "($1, $2, $3, $4, $5, $6, $7, $8, $9)", "ittttddtt", id, target, event,
			symbol, measure, lo, hi, why, now);
	else if (low)
		rc = hd_db_do(db, err, INSERT "($1, $2, $3, $4, $5, $6, NULL, $7, $8)", "ittttdtt", id, target, event,
			symbol, measure, lo, why, now);
	else
		rc = hd_db_do(db, err, INSERT "($1, $2, $3, $4, $5, NULL, $6, $7, $8)", "ittttdtt", id, target, event,
			symbol, measure, hi, why, now);
	hd_buf_release(&reason);
	free(name);
	free(symbol);
	free(event);
	free(why);
	return rc;
}

int hd_expect_store(struct hd_db *db, const struct hd_expect *e, const char *target, const char *source,
	struct hd_err *err)
{
	char now[HD_UTC_TEXT], *v = hd_enc_visible_new(target);
	int64_t id;
	int rc;

	hd_utc_text(hd_utc_now(), now);
	rc = hd_db_begin(db, err);
	if (rc >= 0)
		rc = hd_db_do(db, err,
			"DELETE FROM expectation WHERE target = $1 AND measure IN ('self_pct', 'total_pct')", "t", v);
	if (rc >= 0)
		rc = hd_db_query_int(db, &id, 0, err, "SELECT MAX(id) FROM expectation", "");
	for (size_t i = 0; i < e->n && rc >= 0; i++)
		rc = insert(db, e, &e->items[i], ++id, v, source, now, err);
	if (rc >= 0)
		rc = hd_journal_note(db, HD_JOURNAL_EXPECTATION, v, 0, err);
	if (rc >= 0)
		rc = hd_db_commit(db, err);
	if (rc < 0)
		hd_db_rollback(db);
	free(v);
	return rc;
}

/*
 * The table has closed ends only: `< 5` is stored as the largest number below 5, `> 5` as the smallest one above it.  Return
 * true if *end is such a number, and set it to its neighbour: the one of the two that 15 digits can write.
 */
static bool open_end(double *end, double towards)
{
	char text[32];
	double neighbour = nextafter(*end, towards);

	if (isinf(*end))
		return false;
	snprintf(text, sizeof(text), "%.15g", *end);
	if (strtod(text, NULL) == *end && *end != nextafter(0, 1))
		return false;
	snprintf(text, sizeof(text), "%.15g", neighbour);
	if (strtod(text, NULL) != neighbour)
		return false;
	*end = neighbour;
	return true;
}

int hd_expect_load(struct hd_expect *e, struct hd_db *db, const char *target, struct hd_err *err)
{
	char now[HD_UTC_TEXT], *v = hd_enc_visible_new(target);
	struct hd_db_rows r;
	int rc;

	*e = (struct hd_expect){ 0 };
	hd_utc_text(hd_utc_now(), now);
	rc = hd_db_query(&r, db, err,
		"SELECT symbol, measure, at_least, at_most, event FROM expectation WHERE (target = $1 OR target IS "
		"NULL) AND symbol IS NOT NULL AND measure IN ('self_pct', 'total_pct') AND (expires_utc IS NULL OR "
		"expires_utc > $2) ORDER BY id",
		"tt", v, now);
	while (rc >= 0 && (rc = hd_db_next(&r, err)) > 0 && e->n < HD_EXPECT_ITEMS) {
		struct hd_expect_item item = { .name = hd_row_text(&e->arena, &r, 0) };
		const char *measure = hd_row_text(&e->arena, &r, 1), *event = hd_row_text(&e->arena, &r, 4);
		size_t n = strlen(item.name);

		item.total = measure && !strcmp(measure, "total_pct");
		item.range.lo = hd_col_kind(&r, 2) == HD_COL_NULL ? -INFINITY : hd_col_double(&r, 2);
		item.range.hi = hd_col_kind(&r, 3) == HD_COL_NULL ? INFINITY : hd_col_double(&r, 3);
		item.range.above_lo = open_end(&item.range.lo, -INFINITY);
		item.range.below_hi = open_end(&item.range.hi, INFINITY);
		if (n >= 2 && item.name[0] == '"' && item.name[n - 1] == '"')
			item.name = hd_arena_strndup(&e->arena, item.name + 1, n - 2);
		else if (!strcmp(item.name, "others"))
			item.others = true;
		else
			item.glob = !item.total && strpbrk(item.name, "*?");
		if (!e->event)
			e->event = event;
		HD_GROW(e->items, e->n + 1, e->cap);
		e->items[e->n++] = item;
	}
	hd_db_end(&r);
	if (rc >= 0 && !e->n)
		rc = hd_fail(err, HD_ENOBASE,
			"%s: no expectations of target '%s'; 'hotdrift expect --help' tells how to store those of a "
			"file",
			hd_db_name(db), target);
	free(v);
	if (rc < 0)
		hd_expect_release(e);
	return rc < 0 ? rc : 0;
}
