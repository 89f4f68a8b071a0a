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

/* Return the index of the symbol with symbol.id = row.  If it is new, add it without names and set *is_new. */
static uint32_t symbol_of(struct hd_overview *c, int64_t row, bool *is_new)
{
	uint32_t at = hd_map_get(&c->symbol_of_row, (uint64_t)row);

	*is_new = at == HD_MAP_NONE;
	if (!*is_new)
		return at;
	at = (uint32_t)c->nsymbols;
	HD_GROW(c->symbols, c->nsymbols + 1, c->symbols_cap);
	c->symbols[c->nsymbols++] = (struct hd_overview_symbol){ .row = row };
	hd_map_put(&c->symbol_of_row, (uint64_t)row, at);
	return at;
}

struct symbol_row {
	const char *object, *name, *linkage;
};
static const struct hd_row_field symbol_fields[] = {
	HD_ROW(struct symbol_row, object, "object", NAME),
	HD_ROW(struct symbol_row, name, "name", NAME),
	HD_ROW(struct symbol_row, linkage, "linkage", NAME),
};
static const struct hd_row_query one_symbol = HD_ROW_QUERY(struct symbol_row, symbol_fields,
	"FROM symbol WHERE id = $1");

int hd_overview_symbol(struct hd_overview *c, struct hd_db *db, int64_t row, uint32_t *at, struct hd_err *err)
{
	struct symbol_row names = { 0 };
	bool is_new;
	int rc;

	*at = symbol_of(c, row, &is_new);
	if (!is_new)
		return 0;
	rc = hd_row_get(&names, &one_symbol, db, &c->arena, err, "i", row);
	c->symbols[*at].object = names.object;
	c->symbols[*at].name = names.name ? names.name : names.linkage;
	return rc < 0 ? rc : 0;
}

/* ---- the top 5 ---- */

static double share(int64_t part, int64_t whole)
{
	return whole > 0 && part > 0 ? 100.0 * (double)part / (double)whole : 0;
}

struct top_row {
	int64_t run, event, symbol, self;
	const char *object, *name, *linkage;
};
static const struct hd_row_field top_fields[] = {
	HD_ROW(struct top_row, run, "h.run_id", INT),
	HD_ROW(struct top_row, event, "h.event", INT),
	HD_ROW(struct top_row, symbol, "h.symbol_id", INT),
	HD_ROW(struct top_row, self, "h.self", INT_OR_0),
	HD_ROW(struct top_row, object, "s.object", NAME),
	HD_ROW(struct top_row, name, "s.name", NAME),
	HD_ROW(struct top_row, linkage, "s.linkage", NAME),
};
static const struct hd_row_query top_rows = HD_ROW_QUERY(struct top_row, top_fields,
	"FROM hotspot h JOIN symbol s ON s.id = h.symbol_id WHERE h.run_id IN [$1] AND h.rank <= $2 AND h.samples > 0 "
	"ORDER BY h.run_id, h.event, h.rank");

static const char *copy(struct hd_arena *a, const char *s)
{
	return s ? hd_arena_text(a, s, strlen(s)) : NULL;
}

static void add_top(struct hd_overview *c, struct hd_overview_slot *s, const struct hd_row_list *list)
{
	const struct top_row *rows = list->items;
	int64_t run = c->runs[s->run].row;
	size_t n = 0;

	for (size_t i = 0; i < HD_OVERVIEW_TOP; i++)
		s->top[i].symbol = UINT32_MAX;
	for (size_t i = hd_row_list_find(list, &top_rows, run);
		i < list->n && rows[i].run == run && n < HD_OVERVIEW_TOP; i++) {
		bool is_new;

		if (rows[i].event != s->event)
			continue;
		s->top[n].pct = share(rows[i].self, s->weight);
		s->top[n].symbol = symbol_of(c, rows[i].symbol, &is_new);
		if (is_new) {
			c->symbols[s->top[n].symbol].object = copy(&c->arena, rows[i].object);
			c->symbols[s->top[n].symbol].name =
				copy(&c->arena, rows[i].name ? rows[i].name : rows[i].linkage);
		}
		n++;
	}
}

int hd_overview_tops(struct hd_overview *c, struct hd_db *db, struct hd_err *err)
{
	struct hd_arena names = { 0 };
	struct hd_row_list list = { 0 };
	int64_t *rows = hd_overview_rows(c);
	int rc = hd_row_load(&list, &top_rows, db, &names, err, "li", rows, c->nruns, (int64_t)HD_OVERVIEW_TOP);

	for (size_t i = 0; i < c->nlanes && rc >= 0; i++)
		for (size_t k = 0; k < c->lanes[i].nslots; k++)
			add_top(c, &c->lanes[i].slots[k], &list);
	free(list.items);
	free(rows);
	hd_arena_release(&names);
	return rc < 0 ? rc : 0;
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

/* Return the key of an event of a run in the map of slots (positions of runs in their lanes).  row: run.id. */
static uint64_t slot_key(int64_t row, int64_t event)
{
	return (uint64_t)row * 1024 + (uint64_t)event;
}

/* Return the key of a symbol in a lane (group of comparable runs) in the map of columns.  symbol: symbol.id. */
static uint64_t column_key(size_t lane, int64_t symbol)
{
	return (uint64_t)symbol * HD_OVERVIEW_LANES + lane;
}

/* Assigns the rows of table hotspot to slots and columns of the lanes. */
struct places {
	struct hd_map slots;		/* slot_key() -> index in at */
	struct { uint32_t lane, slot; } *at;
	struct hd_map columns;		/* column_key() -> index of the column in its lane */
	int64_t *symbols;		/* symbol.id of all columns, without duplicates */
	size_t nsymbols;
};

static struct places places_of(const struct hd_overview *c)
{
	struct places p = { 0 };
	struct hd_map seen = { 0 };
	uint32_t n = 0;

	p.at = hd_zalloc(c->nslots + 1, sizeof(*p.at));
	p.symbols = hd_new_array(int64_t, c->nsymbols + 1);
	for (uint32_t i = 0; i < c->nlanes; i++) {
		const struct hd_overview_lane *l = &c->lanes[i];

		for (uint32_t k = 0; k < l->nslots; k++) {
			hd_map_put(&p.slots, slot_key(c->runs[l->slots[k].run].row, l->slots[k].event), n);
			p.at[n].lane = i;
			p.at[n++].slot = k;
		}
		for (uint32_t k = 0; k < l->ncolumns; k++) {
			uint32_t symbol = l->columns[k].symbol;

			hd_map_put(&p.columns, column_key(i, c->symbols[symbol].row), k);
			if (hd_map_get(&seen, symbol) == HD_MAP_NONE)
				p.symbols[p.nsymbols++] = c->symbols[symbol].row;
			hd_map_put(&seen, symbol, 1);
		}
	}
	hd_map_release(&seen);
	return p;
}

static void places_release(struct places *p)
{
	hd_map_release(&p->slots);
	hd_map_release(&p->columns);
	free(p->at);
	free(p->symbols);
}

struct share_row { int64_t run, event, self, symbol; };
static const struct hd_row_field share_fields[] = {
	HD_ROW(struct share_row, run, "h.run_id", INT),
	HD_ROW(struct share_row, event, "h.event", INT),
	HD_ROW(struct share_row, self, "h.self", INT_OR_0),
	HD_ROW(struct share_row, symbol, "h.symbol_id", INT),
};
/*
 * An era is 32 runs with consecutive ids; an index of table hotspot begins with it (run_id / 32).  The limits of
 * run_id keep a server from reading the rows of all runs: it expects more eras than there are.
 */
static const struct hd_row_query share_rows = HD_ROW_QUERY(struct share_row, share_fields,
	"FROM (SELECT DISTINCT id / 32 AS era FROM run WHERE id IN [$2]) t CROSS JOIN hotspot h "
	"WHERE h.run_id / 32 = t.era AND h.symbol_id IN [$1] AND h.run_id >= $3 AND h.run_id <= $4");

static void add_share(struct hd_overview *c, const struct places *p, const struct share_row *row)
{
	uint32_t n = hd_map_get(&p->slots, slot_key(row->run, row->event)), column;
	const struct hd_overview_slot *s;
	struct hd_overview_lane *l;

	if (n == HD_MAP_NONE)
		return;
	l = &c->lanes[p->at[n].lane];
	s = &l->slots[p->at[n].slot];
	column = hd_map_get(&p->columns, column_key(p->at[n].lane, row->symbol));
	/* In a hostile database, different runs and events can have the same slot_key(). */
	if (column != HD_MAP_NONE && s->event == row->event && c->runs[s->run].row == row->run)
		l->columns[column].v[p->at[n].slot] += share(row->self, s->weight);
}

/* Load the values of all columns with one statement. */
static int load_shares(struct hd_overview *c, struct hd_db *db, struct hd_err *err)
{
	struct places p = places_of(c);
	struct share_row row;
	struct hd_db_rows r;
	int64_t *runs = hd_overview_rows(c), first = INT64_MAX, last = INT64_MIN;
	int rc;

	for (size_t i = 0; i < c->nruns; i++) {
		first = runs[i] < first ? runs[i] : first;
		last = runs[i] > last ? runs[i] : last;
	}
	rc = hd_row_query(&r, &share_rows, db, err, "llii", p.symbols, p.nsymbols, runs, c->nruns, first, last);
	while (rc >= 0 && (rc = hd_row_next(&r, &share_rows, NULL, &row, err)) > 0)
		add_share(c, &p, &row);
	hd_db_end(&r);
	free(runs);
	places_release(&p);
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

/* Choose the columns of a lane, at most `most`. */
static void choose_columns(struct hd_overview *c, struct hd_overview_lane *l, unsigned most)
{
	size_t n;
	struct candidate *all = candidates_of(c, l, &n);

	if (n > most) {
		c->symbols_left_out += n - most;
		n = most;
	}
	l->columns = hd_new_array(struct hd_overview_column, n + HD_OVERVIEW_COLUMNS);
	for (size_t i = 0; i < n; i++) {
		struct hd_overview_column *col = &l->columns[l->ncolumns++];

		col->symbol = all[i].symbol;
		col->v = hd_new_array(double, l->nslots ? l->nslots : 1);
	}
	l->nshares = l->ncolumns;
	free(all);
}

int hd_overview_shares(struct hd_overview *c, struct hd_db *db, unsigned most, struct hd_err *err)
{
	int rc;

	for (size_t i = 0; i < c->nlanes; i++)
		choose_columns(c, &c->lanes[i], most);
	rc = load_shares(c, db, err);
	for (size_t i = 0; i < c->nlanes && rc >= 0; i++)
		largest_first(c, &c->lanes[i]);
	return rc;
}
