/*
 * trend_functions.c - see trend_functions.h
 */
#include "history/trend_functions.h"

#include "base/encode.h"
#include "base/mem.h"
#include "profile/mode.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { RUNS_AT_ONCE = 256 };		/* runs whose costliest symbols are read with one query */

struct top_row {
	int64_t run, event, self;
	const char *object, *normal, *vaddr, *linkage;
};
static const struct hd_row_field top_fields[] = {
	HD_ROW(struct top_row, run, "h.run_id", INT),
	HD_ROW(struct top_row, event, "h.event", INT),
	HD_ROW(struct top_row, self, "h.self", INT_OR_0),
	HD_ROW(struct top_row, object, "s.object", NAME),
	HD_ROW(struct top_row, normal, "s.normal", NAME),
	HD_ROW(struct top_row, vaddr, "h.vaddr", TEXT),
	HD_ROW(struct top_row, linkage, "s.linkage", TEXT),
};
static const struct hd_row_query top_rows = HD_ROW_QUERY(struct top_row, top_fields,
	"FROM hotspot h JOIN symbol s ON s.id = h.symbol_id WHERE h.run_id IN [$1] AND h.rank <= $2 "
	"AND h.samples > 0 ORDER BY h.run_id, h.event, h.rank");

void hd_trend_loader_init(struct hd_trend_loader *l, const struct hd_trend *t, struct hd_db *db, const bool *some)
{
	*l = (struct hd_trend_loader){ .t = t, .db = db, .some = some, .keys = hd_strtab_new() };
}

void hd_trend_loader_release(struct hd_trend_loader *l)
{
	free(l->rows.items);
	hd_strtab_free(l->keys);
	hd_arena_release(&l->arena);
}

/* Load the next RUNS_AT_ONCE runs; if the needed ones are known, all of them. */
static int load(struct hd_trend_loader *l, struct hd_err *err)
{
	size_t n = 0;
	int64_t *ids = hd_new_array(int64_t, l->t->nruns + 1);
	int rc;

	for (; l->loaded < l->t->nruns && (l->some || n < RUNS_AT_ONCE); l->loaded++)
		if (!l->some || l->some[l->loaded])
			ids[n++] = l->t->runs[l->loaded].id;
	free(l->rows.items);
	l->rows = (struct hd_row_list){ 0 };
	rc = hd_row_load(&l->rows, &top_rows, l->db, &l->arena, err, "li", ids, n, (int64_t)HD_TREND_DEPTH);
	free(ids);
	return rc;
}

struct hd_trend_function *hd_trend_functions_find(const struct hd_trend_functions *f, uint32_t key)
{
	for (size_t i = 0; i < f->n; i++)
		if (f->items[i].key == key)
			return &f->items[i];
	return NULL;
}

const struct hd_trend_function *hd_trend_functions_named(const struct hd_trend_functions *f, const char *name,
	const char *object)
{
	for (size_t i = 0; i < f->n; i++)
		if (!f->items[i].unknown && !strcmp(f->items[i].name, name) &&
			!strcmp(hd_or_empty(f->items[i].object), hd_or_empty(object)))
			return &f->items[i];
	return NULL;
}

static void add_symbol(struct hd_trend_functions *f, struct hd_strtab *keys, const struct hd_trend_run *run,
	const struct top_row *row, double work, size_t column)
{
	bool unknown = !row->normal && !row->vaddr;
	const char *name = unknown ? HD_UNKNOWN : row->normal ? row->normal : row->vaddr;
	struct hd_trend_function *x;
	struct hd_buf key = { 0 };
	uint32_t id;

	if (row->normal && !row->linkage)
		return;		/* skip the row that is the sum of all small symbols */
	hd_buf_addf(&key, "%d%s\n%s", unknown, hd_or_empty(row->object), name);
	id = hd_strtab_addn(keys, key.data, key.len);
	hd_buf_release(&key);
	x = hd_trend_functions_find(f, id);
	if (!x) {
		HD_GROW(f->items, f->n + 1, f->cap);
		x = &f->items[f->n++];
		*x = (struct hd_trend_function){ .key = id, .name = name, .object = row->object, .unknown = unknown };
	}
	x->share += run->weight > 0 ? 100 * (double)row->self / (double)run->weight : 0;
	x->cost += (double)row->self / work;
	if (column < HD_COST_CHANGE_RUNS)
		x->self[column] += (double)row->self;
}

int hd_trend_functions_add(struct hd_trend_functions *f, struct hd_trend_loader *l, size_t i, struct hd_err *err)
{
	const struct hd_trend_run *run = &l->t->runs[i];
	double work = l->t->per_work ? run->work : 1;
	const struct top_row *rows;
	int rc = i < l->loaded ? 0 : load(l, err);

	if (rc < 0)
		return rc;
	rows = l->rows.items;
	for (size_t k = hd_row_list_find(&l->rows, &top_rows, run->id); k < l->rows.n && rows[k].run == run->id; k++)
		if (rows[k].event == run->event)
			add_symbol(f, l->keys, run, &rows[k], work, f->runs);
	f->per_work = l->t->per_work;
	f->memory = hd_profile_mode_counts_memory(l->t->unit);
	if (f->runs == HD_COST_CHANGE_RUNS)
		return 0;
	f->weight[f->runs] = (double)run->weight;
	f->samples[f->runs] = hd_trend_counted(l->t, run);
	f->turn[f->runs] = (struct hd_turn){ run->session, run->recorded };
	f->work[f->runs++] = work;
	return 0;
}

/* ---- comparing ---- */

/* Samples of functions in the runs of both groups, and the rest of each run. */
struct table {
	const struct hd_trend_functions *side[2];
	double per_weight;		/* the factor from weight to samples, equal for all runs */
	double *y, *rest;
	size_t runs, rows;
};

static void add_row(struct table *t, const struct hd_trend_function *base, const struct hd_trend_function *head)
{
	const struct hd_trend_function *of[2] = { base, head };
	size_t r = 0;

	for (size_t side = 0; side < 2; side++)
		for (size_t i = 0; i < t->side[side]->runs; i++, r++) {
			double y = of[side] ? of[side]->self[i] * t->per_weight : 0;

			t->y[t->rows * t->runs + r] = y;
			t->rest[r] -= y;
		}
	t->rows++;
}

static bool is_in_all(const struct hd_trend_function *x, size_t runs)
{
	for (size_t i = 0; x && i < runs; i++)
		if (!(x->self[i] > 0))
			return false;
	return x != NULL;
}

static bool is_paired(const struct hd_trend_pair *pairs, size_t n, uint32_t key)
{
	for (size_t i = 0; i < n; i++)
		if ((pairs[i].base && pairs[i].base->key == key) || (pairs[i].head && pairs[i].head->key == key))
			return true;
	return false;
}

void hd_trend_functions_compare(struct hd_cost_change *out, const struct hd_trend_pair *pairs, size_t n,
	const struct hd_trend_functions *base, const struct hd_trend_functions *head)
{
	struct table t = { .side = { base, head }, .runs = base->runs + head->runs };
	struct hd_run_counts in = { .base = base->runs, .head = head->runs };
	double work[2 * HD_COST_CHANGE_RUNS], rest[2 * HD_COST_CHANGE_RUNS], weight = 0, samples = 0;
	struct hd_turn turns[2 * HD_COST_CHANGE_RUNS];
	struct hd_cost_change *all = hd_new_array(struct hd_cost_change, n + head->n + 1);
	size_t r = 0;

	t.rest = rest;
	t.y = hd_zalloc((n + head->n + 1) * t.runs + 1, sizeof(*t.y));
	for (size_t side = 0; side < 2; side++)
		for (size_t i = 0; i < t.side[side]->runs; i++, r++) {
			rest[r] = t.side[side]->weight[i];
			work[r] = t.side[side]->work[i];
			turns[r] = t.side[side]->turn[i];
			weight += t.side[side]->weight[i];
			samples += t.side[side]->samples[i];
		}
	t.per_weight = weight > 0 ? samples / weight : 1;
	for (r = 0; r < t.runs; r++)
		rest[r] *= t.per_weight;
	for (size_t i = 0; i < n; i++)
		add_row(&t, pairs[i].base, pairs[i].head);
	for (size_t i = 0; i < head->n; i++) {
		const struct hd_trend_function *x = &head->items[i], *was = hd_trend_functions_find(base, x->key);

		if (is_in_all(x, head->runs) && is_in_all(was, base->runs) && !is_paired(pairs, n, x->key))
			add_row(&t, was, x);
	}
	for (r = 0; r < t.runs; r++)
		t.y[t.rows * t.runs + r] = fmax(rest[r], 0);
	in.symbols = t.rows + 1;
	in.y = t.y;
	in.work = base->per_work || base->memory ? work : NULL;
	if (hd_cost_changes(all, &in, 1, hd_turns(turns, base->runs, head->runs)) < 0)
		hd_out_of_memory("changes");
	memcpy(out, all, n * sizeof(*out));
	free(all);
	free(t.y);
}
