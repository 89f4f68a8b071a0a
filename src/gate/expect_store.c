/*
 * expect_store.c - see expect_store.h
 */
#include "gate/expect_store.h"

#include "base/buf.h"
#include "base/encode.h"
#include "base/mem.h"
#include "history/expectation_rows.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *keep(struct hd_arena *a, struct hd_buf *text)
{
	char *v = hd_enc_visible_new(hd_buf_str(text));
	const char *kept = hd_arena_strndup(a, v, strlen(v));

	hd_buf_release(text);
	free(v);
	return kept;
}

static struct hd_expectation_row row_of(struct hd_arena *a, const struct hd_expect *e,
	const struct hd_expect_item *item, const char *event, const char *source)
{
	const struct hd_expect_range *range = &item->range;
	bool quote = !item->glob && !item->others && (strpbrk(item->name, "*?") || !strcmp(item->name, "others"));
	struct hd_expectation_row r = { .event = event, .total = item->total, .at_least = NAN, .at_most = NAN };
	struct hd_buf name = { 0 }, reason = { 0 };

	hd_buf_addf(&name, quote ? "\"%s\"" : "%s", item->name);
	r.symbol = keep(a, &name);
	hd_buf_addf(&reason, "%s, line %u%s%s", source, item->line, item->tier ? ", " : "",
		item->tier ? hd_tier_name(item->tier) : "");
	r.reason = keep(a, &reason);
	if (!isinf(range->lo)) {
		r.at_least = fmax(0, range->lo - e->tolerance);
		if (range->above_lo && range->lo >= e->tolerance)
			r.at_least = nextafter(r.at_least, INFINITY);
	}
	if (!isinf(range->hi)) {
		r.at_most = range->hi + e->tolerance;
		if (range->below_hi)
			r.at_most = nextafter(r.at_most, -INFINITY);
	}
	return r;
}

int hd_expect_store(struct hd_db *db, const struct hd_expect *e, const char *target, const char *source,
	struct hd_err *err)
{
	struct hd_expectation_row *rows = hd_new_array(struct hd_expectation_row, e->n + 1);
	char *v = hd_enc_visible_new(target), *event = hd_enc_visible_new(e->event);
	struct hd_arena texts = { 0 };
	int rc;

	for (size_t i = 0; i < e->n; i++)
		rows[i] = row_of(&texts, e, &e->items[i], event, source);
	rc = hd_expectation_rows_replace(db, v, rows, e->n, err);
	hd_arena_release(&texts);
	free(rows);
	free(event);
	free(v);
	return rc;
}

/*
 * Find out if the stored bound *end is exclusive.  For an exclusive bound, the database has the floating-point
 * neighbour (nextafter()) of the number that the user wrote.  The user's number is exact with 15 decimal digits; its
 * neighbour is not, except the neighbour of 0.  If *end is such a neighbour, set *end to the user's number and return
 * true.  towards: the direction from the neighbour to that number.
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

/* Return the raw bytes of a stored text, which is in visible form. */
static const char *raw_of(struct hd_arena *a, const char *visible)
{
	struct hd_buf raw = { 0 };
	const char *kept;

	hd_decode_folded(&raw, visible, strlen(visible));
	kept = hd_arena_strndup(a, hd_buf_str(&raw), raw.len);
	hd_buf_release(&raw);
	return kept;
}

static struct hd_expect_item item_of(struct hd_arena *a, const struct hd_expectation_row *row)
{
	const char *name = raw_of(a, row->symbol);
	size_t n = strlen(name);
	struct hd_expect_item item = { .total = row->total,
		.range = { .lo = isnan(row->at_least) ? -INFINITY : row->at_least,
			.hi = isnan(row->at_most) ? INFINITY : row->at_most } };

	item.range.above_lo = open_end(&item.range.lo, -INFINITY);
	item.range.below_hi = open_end(&item.range.hi, INFINITY);
	item.name = name;
	if (n >= 2 && name[0] == '"' && name[n - 1] == '"')
		item.name = hd_arena_strndup(a, name + 1, n - 2);
	else if (!strcmp(name, "others"))
		item.others = true;
	else
		item.glob = !item.total && strpbrk(name, "*?");
	return item;
}

int hd_expect_load(struct hd_expect *e, struct hd_db *db, const char *target, struct hd_err *err)
{
	char *v = hd_enc_visible_new(target);
	struct hd_expectation_rows rows;
	int rc = hd_expectation_rows_load(&rows, db, v, HD_EXPECT_ITEMS, err);

	free(v);
	*e = (struct hd_expect){ 0 };
	if (rc < 0)
		return rc;
	for (size_t i = 0; i < rows.n; i++) {
		const char *event = rows.items[i].event;

		if (!e->event && event)
			e->event = raw_of(&e->arena, event);
		HD_GROW(e->items, e->n + 1, e->cap);
		e->items[e->n++] = item_of(&e->arena, &rows.items[i]);
	}
	hd_expectation_rows_release(&rows);
	if (!e->n)
		rc = hd_fail(err, HD_ENOBASE,
			"%s: no expectations of target '%s'; see 'hotdrift expect --help' for how to store those of a "
			"file",
			hd_db_name(db), target);
	if (rc < 0)
		hd_expect_release(e);
	return rc < 0 ? rc : 0;
}
