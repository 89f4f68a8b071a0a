/*
 * history_overview_shares.c - see history_overview.h: the top 5 of each run, and the columns of shares
 */
#include "history/history_overview_load.h"

#include "base/mem.h"
#include "db/row_reader.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- symbols ---- */

int hd_overview_symbol(struct hd_overview *c, struct hd_db *db, int64_t row, uint32_t *at, struct hd_err *err)
{
	struct hd_overview_symbol *s;
	struct hd_db_rows r;
	int rc;

	*at = hd_map_get(&c->symbol_of_row, (uint64_t)row);
	if (*at != HD_MAP_NONE)
		return 0;
	*at = (uint32_t)c->nsymbols;
	HD_GROW(c->symbols, c->nsymbols + 1, c->symbols_cap);
	s = &c->symbols[c->nsymbols++];
	*s = (struct hd_overview_symbol){ .row = row };
	hd_map_put(&c->symbol_of_row, (uint64_t)row, *at);
	rc = hd_db_query(&r, db, err,
		"SELECT object, object_raw, name, name_raw, linkage, linkage_raw FROM symbol WHERE id = $1", "i", row);
	if (rc >= 0 && (rc = hd_db_next(&r, err)) > 0) {
		s->object = hd_row_name(&c->arena, &r, 0);
		s->name = hd_row_name(&c->arena, &r, 2);
		if (!s->name)
			s->name = hd_row_name(&c->arena, &r, 4);
	}
	hd_db_end(&r);
	return rc < 0 ? rc : 0;
}

/* ---- the top 5 ---- */

static double share(int64_t part, int64_t whole)
{
	return whole > 0 && part > 0 ? 100.0 * (double)part / (double)whole : 0;
}

static int load_top(struct hd_overview *c, struct hd_db *db, struct hd_overview_slot *s, struct hd_err *err)
{
	int64_t row[HD_OVERVIEW_TOP];
	struct hd_db_rows r;
	size_t n = 0;
	int rc;

	for (size_t i = 0; i < HD_OVERVIEW_TOP; i++)
		s->top[i].symbol = UINT32_MAX;
	rc = hd_db_query(&r, db, err,
		"SELECT symbol_id, self FROM hotspot WHERE run_id = $1 AND event = $2 AND rank <= $3 AND samples > 0 "
		"ORDER BY rank",
		"iii", c->runs[s->run].row, s->event, (int64_t)HD_OVERVIEW_TOP);
	while (rc >= 0 && (rc = hd_db_next(&r, err)) > 0 && n < HD_OVERVIEW_TOP) {
		row[n] = hd_col_int(&r, 0);
		s->top[n++].pct = share(hd_col_int(&r, 1), s->weight);
	}
	hd_db_end(&r);
	for (size_t i = 0; i < n && rc >= 0; i++)
		rc = hd_overview_symbol(c, db, row[i], &s->top[i].symbol, err);
	return rc;
}

/* ---- the selection of symbols ---- */

struct candidate {
	const struct hd_overview_symbol *s;
	uint32_t symbol;
	double sum;
	bool newest;
};

static int by_name(const struct hd_overview_symbol *a, const struct hd_overview_symbol *b)
{
	int d = strcmp(a->name ? a->name : "", b->name ? b->name : "");

	if (!d)
		d = strcmp(a->object ? a->object : "", b->object ? b->object : "");
	return d ? d : a->row < b->row ? -1 : a->row > b->row;
}

static int by_weight(const void *pa, const void *pb)
{
	const struct candidate *a = pa, *b = pb;

	if (a->newest != b->newest)
		return a->newest ? -1 : 1;
	if (a->sum != b->sum)
		return a->sum > b->sum ? -1 : 1;
	return by_name(a->s, b->s);
}

static struct candidate *candidates_of(const struct hd_overview *c, const struct hd_overview_lane *l, size_t *n)
{
	struct candidate *all = hd_new_array(struct candidate, c->nsymbols ? c->nsymbols : 1);
	size_t k = 0;

	for (size_t i = 0; i < l->nslots; i++)
		for (size_t t = 0; t < HD_OVERVIEW_TOP; t++) {
			const struct hd_overview_hotspot *s = &l->slots[i].top[t];

			if (s->symbol == UINT32_MAX)
				continue;
			all[s->symbol].s = &c->symbols[s->symbol];
			all[s->symbol].symbol = s->symbol;
			all[s->symbol].sum += s->pct;
			all[s->symbol].newest |= i + 1 == l->nslots;
		}
	for (size_t i = 0; i < c->nsymbols; i++)
		if (all[i].s)
			all[k++] = all[i];
	qsort(all, k, sizeof(*all), by_weight);
	*n = k;
	return all;
}

/* ---- columns ---- */

/* The key of a slot in the map by run and event. */
static uint64_t slot_key(int64_t row, int64_t event)
{
	return (uint64_t)row * 1024 + (uint64_t)event;
}

static int load_share(struct hd_overview_column *col, const struct hd_overview *c, struct hd_db *db,
	const struct hd_overview_lane *l, const struct hd_map *slots, struct hd_err *err)
{
	struct hd_db_rows r;
	int rc;

	rc = hd_db_query(&r, db, err,
		"SELECT h.run_id, h.event, h.self FROM (SELECT DISTINCT id / 32 AS era FROM run) t CROSS JOIN hotspot "
		"h WHERE h.run_id / 32 = t.era AND h.symbol_id = $1",
		"i", c->symbols[col->symbol].row);
	while (rc >= 0 && (rc = hd_db_next(&r, err)) > 0) {
		int64_t row = hd_col_int(&r, 0), event = hd_col_int(&r, 1);
		uint32_t at = hd_map_get(slots, slot_key(row, event));

		if (at != HD_MAP_NONE && l->slots[at].event == event && c->runs[l->slots[at].run].row == row)
			col->v[at] += share(hd_col_int(&r, 2), l->slots[at].weight);
	}
	hd_db_end(&r);
	return rc < 0 ? rc : 0;
}

static double mean(const struct hd_overview_column *col, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += col->v[i];
	return n ? sum / (double)n : 0;
}

static void largest_first(const struct hd_overview *c, struct hd_overview_lane *l)
{
	for (size_t i = 1; i < l->ncolumns; i++)
		for (size_t k = i; k > 0; k--) {
			struct hd_overview_column *a = &l->columns[k - 1], *b = &l->columns[k], swap;
			double ma = mean(a, l->nslots), mb = mean(b, l->nslots);

			if (ma > mb || (ma == mb && by_name(&c->symbols[a->symbol], &c->symbols[b->symbol]) < 0))
				break;
			swap = *a;
			*a = *b;
			*b = swap;
		}
}

int hd_overview_shares(struct hd_overview *c, struct hd_db *db, struct hd_overview_lane *l, unsigned most,
	struct hd_err *err)
{
	struct hd_map slots = { 0 };
	struct candidate *all;
	size_t n = 0;
	int rc = 0;

	for (size_t i = 0; i < l->nslots && rc >= 0; i++) {
		hd_map_put(&slots, slot_key(c->runs[l->slots[i].run].row, l->slots[i].event), (uint32_t)i);
		rc = load_top(c, db, &l->slots[i], err);
	}
	all = candidates_of(c, l, &n);
	if (n > most) {
		c->symbols_left_out += n - most;
		n = most;
	}
	l->columns = hd_new_array(struct hd_overview_column, n + HD_OVERVIEW_COLUMNS);
	for (size_t i = 0; i < n && rc >= 0; i++) {
		struct hd_overview_column *col = &l->columns[l->ncolumns++];

		col->symbol = all[i].symbol;
		col->v = hd_new_array(double, l->nslots ? l->nslots : 1);
		rc = load_share(col, c, db, l, &slots, err);
	}
	l->nshares = l->ncolumns;
	if (rc >= 0)
		largest_first(c, l);
	free(all);
	hd_map_release(&slots);
	return rc;
}
