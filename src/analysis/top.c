/*
 * top.c - see top.h
 */
#include "analysis/top.h"

#include "base/map.h"
#include "base/encode.h"
#include "base/mem.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct order {
	const struct hd_profile *p;
	bool by_total;
};

static int by_cost(const void *va, const void *vb, void *vorder)
{
	const struct hd_top_row *a = va, *b = vb;
	const struct order *o = vorder;
	const struct hd_symbol *sa = &o->p->symbols[a->symbol], *sb = &o->p->symbols[b->symbol];
	uint64_t wa = o->by_total ? a->total : a->self, wb = o->by_total ? b->total : b->self;
	char ta[24], tb[24];
	int c;

	if (wa != wb)
		return wa > wb ? -1 : 1;
	if (a->self != b->self)
		return a->self > b->self ? -1 : 1;
	c = strcmp(hd_symbol_text(o->p, a->symbol, false, ta, sizeof(ta)), hd_symbol_text(o->p, b->symbol, false, tb, sizeof(tb)));
	if (!c)
		c = strcmp(hd_profile_str(o->p, o->p->objects[sa->object].name), hd_profile_str(o->p, o->p->objects[sb->object].name));
	if (c)
		return c;
	if (sa->start != sb->start)
		return sa->start < sb->start ? -1 : 1;
	/* Of names only (folded text), the kernel's and ours may be called the same. */
	if (sa->kernel != sb->kernel)
		return sa->kernel ? 1 : -1;
	return a->samples < b->samples ? 1 : a->samples > b->samples ? -1 : 0;
}

/*
 * The symbols of one event.  A recording may have ten thousand events of a few
 * samples each, so that what is done for an event follows its own rows: an array
 * over all symbols is made only for one that has about as many rows.
 */
struct symbols {
	const struct hd_functions *fn;	/* NULL: inlined frames are no rows */
	struct hd_top_row *rows;
	uint32_t *seen;		/* by row: the last sample row that counted it */
	size_t n, cap, seen_cap;
	uint32_t *dense;	/* by symbol: its row + 1; or else */
	struct hd_map sparse;
};

static struct hd_top_row *new_row(struct symbols *sy, uint32_t symbol)
{
	HD_GROW(sy->rows, sy->n + 1, sy->cap);
	HD_GROW(sy->seen, sy->n + 1, sy->seen_cap);
	sy->rows[sy->n] = (struct hd_top_row){ .symbol = symbol };
	sy->seen[sy->n] = 0;
	if (sy->dense)
		sy->dense[symbol] = (uint32_t)sy->n + 1;
	else
		hd_map_put(&sy->sparse, symbol, (uint32_t)sy->n);
	return &sy->rows[sy->n++];
}

/* The row of a symbol when the sample row `at` is the first to ask for it, else NULL. */
static inline struct hd_top_row *first_in(struct symbols *sy, uint32_t symbol, uint32_t at)
{
	uint32_t id = sy->fn ? sy->fn->of[symbol] : symbol;
	uint32_t i = sy->dense ? sy->dense[id] - 1 : hd_map_get(&sy->sparse, id);
	struct hd_top_row *row = i == HD_MAP_NONE ? new_row(sy, id) : &sy->rows[i];

	if (sy->seen[row - sy->rows] == at)
		return NULL;
	sy->seen[row - sy->rows] = at;
	return row;
}

static void sum_rows(struct symbols *sy, struct hd_top *top, const struct hd_profile *p)
{
	const struct hd_sample_row *row;

	for (uint32_t at = p->events[top->event].first_row; at; at = row->next) {
		struct hd_top_row *r;

		row = &p->rows.items[at - 1];
		top->weight += row->weight;
		top->samples += row->count;
		r = first_in(sy, p->frames[hd_functions_self(p, row, sy->fn != NULL).v].symbol, at);
		r->self += row->weight;
		r->samples += row->count;
		r->total += row->weight;
		for (hd_stack_id s = row->stack; s.v; s = hd_stacks_caller(p->stacks, s)) {
			const struct hd_frame *f = &p->frames[hd_stacks_frame(p->stacks, s).v];

			if (f->inlined && !sy->fn)
				continue;
			r = first_in(sy, f->symbol, at);
			if (r)
				r->total += row->weight;
		}
	}
}

void hd_top_build(struct hd_top *top, const struct hd_profile *p, uint32_t event, bool by_total)
{
	hd_top_build_inlined(top, p, event, by_total, NULL);
}

void hd_top_build_inlined(struct hd_top *top, const struct hd_profile *p, uint32_t event, bool by_total,
			  const struct hd_functions *fn)
{
	struct symbols sy = { .fn = fn };
	struct order order = { p, by_total };

	*top = (struct hd_top){ .event = event };
	if (event >= p->nevents)
		return;
	if (p->nsymbols / 8 <= p->events[event].nrows)
		sy.dense = hd_new_array(uint32_t, p->nsymbols);
	sum_rows(&sy, top, p);
	for (size_t i = 0; i < sy.n; i++)
		if (sy.rows[i].samples || (by_total && sy.rows[i].total))
			sy.rows[top->n++] = sy.rows[i];
	if (top->n)
		qsort_r(sy.rows, top->n, sizeof(*sy.rows), by_cost, &order);
	for (size_t i = 0; i < top->n; i++)
		sy.rows[i].rank = (uint32_t)i + 1;
	top->rows = sy.rows;
	free(sy.seen);
	free(sy.dense);
	hd_map_release(&sy.sparse);
}

void hd_top_release(struct hd_top *top)
{
	free(top->rows);
	*top = (struct hd_top){ 0 };
}

double hd_share_pct(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0.0;
}

const char *hd_symbol_text(const struct hd_profile *p, uint32_t symbol, bool full, char *buf, size_t n)
{
	const struct hd_symbol *s = &p->symbols[symbol];

	if (!s->unresolved)
		return hd_profile_str(p, full ? s->full : s->name);
	if (s->no_address)
		return HD_UNKNOWN;
	snprintf(buf, n, "0x%016" PRIx64, s->start);
	return buf;
}
