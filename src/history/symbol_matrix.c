/*
 * symbol_matrix.c - see symbol_matrix.h
 */
#include "history/symbol_matrix.h"

#include "base/encode.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/strtab.h"
#include "history/builds.h"
#include "profile/mode.h"
#include "db/row_reader.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { RUNS_AT_ONCE = 64 };	/* runs whose hotspots are in memory at the same time */

struct loading {
	struct hd_db *db;
	struct hd_symbol_matrix *m;
	const struct hd_run_set_member *const *runs;
	size_t base;
	struct hd_map row_of;		/* symbol.id -> row */
	struct hd_map by_key;		/* (object, name) -> row */
	struct hd_strtab *names;
	double *heaviest;		/* indexed by row: the cost of the row's costliest symbol */
	uint32_t rest;			/* row of the sum [rest]; HD_MAP_NONE if there is none */
	size_t cap;
	struct hd_builds builds;
	/* the data of the runs that are being added: */
	struct hd_row_list spots;	/* hotspots with self cost, by run and rank */
	struct hd_row_list symbols;	/* symbols of these hotspots that are not in row_of yet, by id */
	struct hd_map first_spot;	/* run.id -> index in spots */
};

struct hotspot {
	int64_t run, symbol, object;
	double self;
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
static const struct hd_row_query some_symbols = HD_ROW_QUERY(struct symbol_row, symbol_fields,
	"FROM symbol s WHERE s.id IN [$1] ORDER BY s.id");

static void take_symbol(struct loading *l, const struct symbol_row *s)
{
	const char *name = s->name ? s->name : s->shown;
	uint32_t row;
	uint64_t key;

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

/* ---- runs ---- */

static const struct hd_row_field spot_fields[] = {
	HD_ROW(struct hotspot, run, "run_id", INT),
	HD_ROW(struct hotspot, symbol, "symbol_id", INT),
	HD_ROW(struct hotspot, object, "object_id", INT),
	HD_ROW(struct hotspot, self, "self", REAL),
};
static const struct hd_row_query spots_of_runs = HD_ROW_QUERY(struct hotspot, spot_fields,
	"FROM hotspot WHERE run_id IN [$1] AND event = $2 AND self > 0 ORDER BY run_id, rank");

/*
 * Load the hotspots of the compared events of the runs from .. to - 1.  One query loads all runs whose compared event
 * has the same number.
 */
static int load_spots(struct loading *l, size_t from, size_t to, struct hd_err *err)
{
	const struct hotspot *spots;
	int64_t ids[RUNS_AT_ONCE];
	int rc = 0;

	free(l->spots.items);
	l->spots = (struct hd_row_list){ 0 };
	for (size_t i = from; i < to && rc >= 0; i++) {
		size_t n = 0, k = from;

		while (l->runs[k]->event != l->runs[i]->event)
			k++;
		if (k < i)
			continue;	/* loaded with an earlier run */
		for (; k < to; k++)
			if (l->runs[k]->event == l->runs[i]->event)
				ids[n++] = l->runs[k]->row;
		rc = hd_row_load(&l->spots, &spots_of_runs, l->db, NULL, err, "li", ids, n, l->runs[i]->event);
	}
	hd_map_release(&l->first_spot);
	spots = l->spots.items;
	for (size_t i = l->spots.n; i-- > 0;)
		hd_map_put(&l->first_spot, (uint64_t)spots[i].run, (uint32_t)i);
	return rc;
}

/* Set *n to the number of hotspots of a run and return the first one. */
static const struct hotspot *spots_of(const struct loading *l, const struct hd_run_set_member *run, size_t *n)
{
	const struct hotspot *all = l->spots.items;
	uint32_t first = hd_map_get(&l->first_spot, (uint64_t)run->row);

	*n = 0;
	if (first == HD_MAP_NONE)
		return NULL;
	while (first + *n < l->spots.n && all[first + *n].run == run->row)
		++*n;
	return all + first;
}

/* Load the symbols and objects of the loaded hotspots that are not loaded yet. */
static int load_names(struct loading *l, size_t from, size_t to, struct hd_err *err)
{
	int64_t *symbols = hd_new_array(int64_t, l->spots.n + 1), *objects = hd_new_array(int64_t, l->spots.n + 1);
	struct hd_map seen_symbols = { 0 }, seen_objects = { 0 };
	size_t nsymbols = 0, nobjects = 0, n;
	int rc = 0;

	for (size_t i = from; i < to; i++) {
		const struct hotspot *s = spots_of(l, l->runs[i], &n);

		for (size_t k = 0; k < n; k++) {
			if (!hd_map_has(&l->row_of, (uint64_t)s[k].symbol) &&
				!hd_map_has(&seen_symbols, (uint64_t)s[k].symbol)) {
				hd_map_put(&seen_symbols, (uint64_t)s[k].symbol, 0);
				symbols[nsymbols++] = s[k].symbol;
			}
			if (!hd_map_has(&seen_objects, (uint64_t)s[k].object)) {
				hd_map_put(&seen_objects, (uint64_t)s[k].object, 0);
				objects[nobjects++] = s[k].object;
			}
		}
	}
	free(l->symbols.items);
	l->symbols = (struct hd_row_list){ 0 };
	if (nsymbols)
		rc = hd_row_load(&l->symbols, &some_symbols, l->db, &l->m->arena, err, "l", symbols, nsymbols);
	if (rc >= 0)
		rc = hd_builds_load(&l->builds, l->db, objects, nobjects, err);
	hd_map_release(&seen_symbols);
	hd_map_release(&seen_objects);
	free(symbols);
	free(objects);
	return rc;
}

/* Return the row of a symbol, which is added if it is new.  HD_MAP_NONE: the symbol does not exist (a damaged file). */
static uint32_t row_of(struct loading *l, int64_t symbol)
{
	const struct symbol_row *rows = l->symbols.items;
	size_t at;

	if (!hd_map_has(&l->row_of, (uint64_t)symbol)) {
		at = hd_row_list_find(&l->symbols, &some_symbols, symbol);
		if (at < l->symbols.n && rows[at].id == symbol)
			take_symbol(l, &rows[at]);
	}
	return hd_map_get(&l->row_of, (uint64_t)symbol);
}

static void add_run(struct loading *l, size_t i)
{
	size_t n;
	const struct hotspot *spots = spots_of(l, l->runs[i], &n);

	for (size_t k = 0; k < n; k++) {
		const struct hotspot *s = &spots[k];
		uint32_t row = row_of(l, s->symbol);

		hd_builds_add(&l->builds, s->object, i, s->self);
		if (row == HD_MAP_NONE)
			continue;
		l->m->y[row * l->m->runs + i] += s->self;
		if (s->self > l->heaviest[row]) {
			l->heaviest[row] = s->self;
			l->m->rows[row].symbol = s->symbol;
		}
	}
}

/*
 * Load the runs in portions, so that memory is bounded and a server is queried less often.  From a file, the runs are
 * loaded one by one, because a query costs no round trip.
 */
static int load_runs(struct loading *l, struct hd_err *err)
{
	size_t most = hd_db_portion(l->db, RUNS_AT_ONCE);
	int rc = 0;

	for (size_t from = 0; from < l->m->runs && rc >= 0; from += most) {
		size_t to = from + most < l->m->runs ? from + most : l->m->runs;

		rc = load_spots(l, from, to, err);
		if (rc >= 0)
			rc = load_names(l, from, to, err);
		for (size_t i = from; i < to && rc >= 0; i++)
			add_run(l, i);
	}
	return rc;
}

/* Convert all weights to effective sample counts, by the same factor for all runs. */
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
	m->per_work = worked;
	if (worked || hd_profile_mode_counts_memory(l->runs[0]->like[HD_RUN_FIELD_UNIT])) {
		m->work = hd_new_array(double, m->runs);
		for (size_t i = 0; i < m->runs; i++)
			m->work[i] = worked ? l->runs[i]->work : 1;
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
	int rc;

	*m = (struct hd_symbol_matrix){ .runs = nruns };
	for (size_t i = 0; i < nruns; i++)
		assert(runs[i]->event >= 0);
	rc = load_runs(&l, err);
	if (rc >= 0) {
		scale(&l);
		m->same_builds = hd_builds_same(&l.builds, runs, base, &build);
		if (build.len)
			m->build = hd_arena_strndup(&m->arena, build.data, build.len);
		sort_rows(&l);
	}
	hd_builds_release(&l.builds);
	hd_buf_release(&build);
	free(l.spots.items);
	free(l.symbols.items);
	hd_map_release(&l.first_spot);
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
