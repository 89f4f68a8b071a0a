/*
 * symbol_matrix.c - see symbol_matrix.h
 */
#include "history/symbol_matrix.h"

#include "base/encode.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/strtab.h"
#include "history/builds.h"
#include "db/row_reader.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FEW = 32 };		/* up to this many unknown symbols are queried one by one */

struct loading {
	struct hd_db *db;
	struct hd_symbol_matrix *m;
	const struct hd_run_set_member *const *runs;
	size_t base;
	struct hd_map row_of;		/* symbol.id -> row */
	struct hd_map by_key;		/* (object, name) -> row */
	struct hd_strtab *names;
	double *heaviest;		/* indexed by row: the cost of the row's costliest symbol */
	uint32_t rest;			/* row, or HD_MAP_NONE */
	size_t cap;
	struct hd_builds builds;
	/* Hotspots of the current run. */
	struct hotspot { int64_t symbol, object; double self; } *spots;
	size_t nspots, spots_cap;
};

/* ---- symbols to rows ---- */

static uint32_t add_row(struct loading *l, struct hd_symbol_matrix_row row)
{
	struct hd_symbol_matrix *m = l->m;

	if (m->n == l->cap) {
		size_t cap = l->cap ? 2 * l->cap : 256;

		m->rows = hd_realloc(m->rows, cap, sizeof(*m->rows));
		m->y = hd_realloc(m->y, cap * m->runs, sizeof(*m->y));
		l->heaviest = hd_realloc(l->heaviest, cap, sizeof(*l->heaviest));
		l->cap = cap;
	}
	m->rows[m->n] = row;
	memset(m->y + m->n * m->runs, 0, m->runs * sizeof(*m->y));
	l->heaviest[m->n] = 0;
	return (uint32_t)m->n++;
}

struct symbol_row {
	int64_t id;
	const char *object, *shown, *name;
	const char *linkage;		/* NULL: a pseudo-symbol or an unknown one */
};
static const struct hd_row_field symbol_fields[] = {
	HD_ROW(struct symbol_row, id, "s.id", INT),
	HD_ROW(struct symbol_row, object, "s.object", NAME),
	HD_ROW(struct symbol_row, linkage, "s.linkage", NAME),
	HD_ROW(struct symbol_row, shown, "s.name", NAME),
	HD_ROW(struct symbol_row, name, "s.normal", NAME),
};
static const struct hd_row_query symbols_of_run = HD_ROW_QUERY(struct symbol_row, symbol_fields,
	"FROM symbol s WHERE s.id IN (SELECT h.symbol_id FROM hotspot h WHERE h.run_id = $1 AND h.event = $2)");
static const struct hd_row_query one_symbol = HD_ROW_QUERY(struct symbol_row, symbol_fields,
	"FROM symbol s WHERE s.id = $1");

static void take_symbol(struct loading *l, const struct symbol_row *s)
{
	const char *name = s->name ? s->name : s->shown;
	uint32_t row;
	uint64_t key;

	if (hd_map_has(&l->row_of, (uint64_t)s->id))
		return;
	if (!s->linkage && !s->object && name && !strcmp(name, "[rest]")) {
		if (l->rest == HD_MAP_NONE)
			l->rest = add_row(l, (struct hd_symbol_matrix_row){ .name = name, .symbol = s->id });
		hd_map_put(&l->row_of, (uint64_t)s->id, l->rest);
		return;
	}
	if (!s->linkage)
		name = NULL;
	/* Add 1 to string ids, so that the key of a missing object or name (0) differs from that of an empty one. */
	key = (uint64_t)(s->object ? hd_strtab_add(l->names, s->object) + 1 : 0) << 32 |
		(name ? hd_strtab_add(l->names, name) + 1 : 0);
	row = hd_map_get(&l->by_key, key);
	if (row == HD_MAP_NONE) {
		row = add_row(l, (struct hd_symbol_matrix_row){ s->object, name, s->id, s->linkage });
		hd_map_put(&l->by_key, key, row);
	}
	hd_map_put(&l->row_of, (uint64_t)s->id, row);
}

static int load_symbols_of_run(struct loading *l, const struct hd_run_set_member *run, struct hd_err *err)
{
	struct symbol_row s = { 0 };
	struct hd_db_rows r;
	int rc = hd_row_query(&r, &symbols_of_run, l->db, err, "ii", run->row, run->event);

	while (rc >= 0 && (rc = hd_row_next(&r, &symbols_of_run, &l->m->arena, &s, err)) > 0)
		take_symbol(l, &s);
	hd_db_end(&r);
	return rc;
}

static int load_symbol(struct loading *l, int64_t id, struct hd_err *err)
{
	struct symbol_row s = { 0 };
	int rc = hd_row_get(&s, &one_symbol, l->db, &l->m->arena, err, "i", id);

	if (rc > 0)
		take_symbol(l, &s);
	return rc < 0 ? rc : 0;
}

static int load_new_symbols(struct loading *l, const struct hd_run_set_member *run, struct hd_err *err)
{
	size_t unknown = 0;
	int rc = 0;

	for (size_t i = 0; i < l->nspots; i++)
		unknown += !hd_map_has(&l->row_of, (uint64_t)l->spots[i].symbol);
	if (unknown > FEW)
		return load_symbols_of_run(l, run, err);
	for (size_t i = 0; i < l->nspots && rc >= 0 && unknown; i++)
		if (!hd_map_has(&l->row_of, (uint64_t)l->spots[i].symbol))
			rc = load_symbol(l, l->spots[i].symbol, err);
	return rc;
}

/* ---- runs ---- */

static const struct hd_row_field spot_fields[] = {
	HD_ROW(struct hotspot, symbol, "symbol_id", INT),
	HD_ROW(struct hotspot, object, "object_id", INT),
	HD_ROW(struct hotspot, self, "self", REAL),
};
static const struct hd_row_query spots_of_run = HD_ROW_QUERY(struct hotspot, spot_fields,
	"FROM hotspot WHERE run_id = $1 AND event = $2 AND self > 0 ORDER BY rank");

static int read_spots(struct loading *l, const struct hd_run_set_member *run, struct hd_err *err)
{
	struct hd_db_rows r;
	struct hotspot one;
	int rc = hd_row_query(&r, &spots_of_run, l->db, err, "ii", run->row, run->event);

	l->nspots = 0;
	while (rc >= 0 && (rc = hd_row_next(&r, &spots_of_run, NULL, &one, err)) > 0) {
		HD_GROW(l->spots, l->nspots + 1, l->spots_cap);
		l->spots[l->nspots++] = one;
	}
	hd_db_end(&r);
	return rc;
}

static int load_run(struct loading *l, size_t i, struct hd_err *err)
{
	int rc = read_spots(l, l->runs[i], err);

	if (rc >= 0)
		rc = load_new_symbols(l, l->runs[i], err);
	for (size_t k = 0; k < l->nspots && rc >= 0; k++) {
		const struct hotspot *s = &l->spots[k];
		uint32_t row = hd_map_get(&l->row_of, (uint64_t)s->symbol);

		rc = hd_builds_add(&l->builds, l->db, s->object, i, s->self, err);
		if (rc < 0)
			break;
		if (row == HD_MAP_NONE)		/* a damaged file: a hotspot without a symbol */
			continue;
		l->m->y[row * l->m->runs + i] += s->self;
		if (s->self > l->heaviest[row]) {
			l->heaviest[row] = s->self;
			l->m->rows[row].symbol = s->symbol;
		}
	}
	return rc;
}

/* Scale all counts from weight to effective samples by one factor. */
static void scale(struct loading *l)
{
	struct hd_symbol_matrix *m = l->m;
	double samples = 0, weight = 0, k;
	bool worked = true;

	for (size_t i = 0; i < m->runs; i++) {
		samples += l->runs[i]->effective;
		weight += l->runs[i]->weight;
		worked = worked && l->runs[i]->work > 0;
	}
	k = weight > 0 ? samples / weight : 1;
	for (size_t i = 0; i < m->n * m->runs; i++)
		m->y[i] *= k;
	m->per_weight = k;
	m->samples = hd_new_array(double, m->runs);
	for (size_t i = 0; i < m->runs; i++)
		m->samples[i] = l->runs[i]->weight * k;
	if (worked) {
		m->work = hd_new_array(double, m->runs);
		for (size_t i = 0; i < m->runs; i++)
			m->work[i] = l->runs[i]->work;
	}
}

/* ---- the order of rows ---- */

struct place {
	double sum;
	struct hd_symbol_matrix_row row;
	size_t at;
	bool rest;
};

static int text_order(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) : (a != NULL) - (b != NULL);
}

static int costliest_first(const void *a, const void *b)
{
	const struct place *x = a, *y = b;
	int d;

	if (x->rest != y->rest)
		return x->rest - y->rest;
	if (x->sum != y->sum)
		return x->sum > y->sum ? -1 : 1;
	d = text_order(x->row.name, y->row.name);
	return d ? d : text_order(x->row.object, y->row.object);
}

static void sort_rows(struct loading *l)
{
	struct hd_symbol_matrix *m = l->m;
	struct place *p = hd_new_array(struct place, m->n + 1);
	double *y = hd_zalloc(m->n * m->runs + 1, sizeof(*y));

	for (size_t i = 0; i < m->n; i++) {
		p[i] = (struct place){ 0, m->rows[i], i, i == l->rest };
		for (size_t r = 0; r < m->runs; r++)
			p[i].sum += m->y[i * m->runs + r];
	}
	qsort(p, m->n, sizeof(*p), costliest_first);
	for (size_t i = 0; i < m->n; i++) {
		m->rows[i] = p[i].row;
		memcpy(y + i * m->runs, m->y + p[i].at * m->runs, m->runs * sizeof(*y));
	}
	m->rest = l->rest != HD_MAP_NONE;
	free(m->y);
	m->y = y;
	free(p);
}

int hd_symbol_matrix_load(struct hd_symbol_matrix *m, struct hd_db *db, const struct hd_run_set_member *const *runs,
	size_t nruns, size_t base, struct hd_err *err)
{
	struct loading l = { .db = db,
		.m = m,
		.runs = runs,
		.base = base,
		.rest = HD_MAP_NONE,
		.names = hd_strtab_new(),
		.builds.nruns = nruns };
	struct hd_buf build = { 0 };
	int rc = 0;

	*m = (struct hd_symbol_matrix){ .runs = nruns };
	for (size_t i = 0; i < nruns && rc >= 0; i++) {
		assert(runs[i]->event >= 0);
		rc = load_run(&l, i, err);
	}
	if (rc >= 0) {
		scale(&l);
		m->same_builds = hd_builds_same(&l.builds, runs, base, &build);
		if (build.len)
			m->build = hd_arena_strndup(&m->arena, build.data, build.len);
		sort_rows(&l);
	}
	hd_builds_release(&l.builds);
	hd_buf_release(&build);
	free(l.spots);
	free(l.heaviest);
	hd_map_release(&l.row_of);
	hd_map_release(&l.by_key);
	hd_strtab_free(l.names);
	if (rc < 0)
		hd_symbol_matrix_release(m);
	return rc < 0 ? rc : 0;
}

void hd_symbol_matrix_release(struct hd_symbol_matrix *m)
{
	free(m->rows);
	free(m->y);
	free(m->work);
	free(m->samples);
	hd_arena_release(&m->arena);
	*m = (struct hd_symbol_matrix){ 0 };
}

void hd_symbol_matrix_name(struct hd_buf *out, const struct hd_symbol_matrix_row *row)
{
	if (row->name)
		hd_buf_adds(out, row->name);
	else if (row->object)
		hd_buf_addf(out, "%s in %s", HD_UNKNOWN, row->object);
	else
		hd_buf_adds(out, HD_UNKNOWN);
}
