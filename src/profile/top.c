/*
 * top.c - see top.h
 */
#include "profile/top.h"

#include "base/map.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

struct order {
	const struct hd_profile *p;
	bool by_total;
};

static int by_string(const struct hd_profile *p, uint32_t a, uint32_t b)
{
	return a == b ? 0 : strcmp(hd_profile_str(p, a), hd_profile_str(p, b));
}

static int by_cost(const void *va, const void *vb, void *vorder)
{
	const struct hd_top_row *a = va, *b = vb;
	const struct order *o = vorder;
	const struct hd_profile *p = o->p;
	const struct hd_profile_symbol *sa = &p->symbols[a->symbol], *sb = &p->symbols[b->symbol];
	uint64_t wa = o->by_total ? a->total : a->self, wb = o->by_total ? b->total : b->self;
	int c;

	if (wa != wb)
		return wa > wb ? -1 : 1;
	if (a->self != b->self)
		return a->self > b->self ? -1 : 1;
	c = hd_symbol_order(p, a->symbol, b->symbol);
	if (!c)
		c = by_string(p, p->objects[sa->object].name, p->objects[sb->object].name);
	if (c)
		return c;
	if (sa->start != sb->start)
		return sa->start < sb->start ? -1 : 1;
	/* In folded text there are no addresses, and a kernel function and a user function can have equal names. */
	if (sa->kernel != sb->kernel)
		return sa->kernel ? 1 : -1;
	if (a->samples != b->samples)
		return a->samples < b->samples ? 1 : -1;
	/*
	 * The texts of different rows can be equal: two versions of an object, or two linkage names with one displayed
	 * name.  Compare further members, so that the order is the same in each run.
	 */
	c = by_string(p, p->objects[sa->object].build_id, p->objects[sb->object].build_id);
	return c ? c : by_string(p, sa->linkage, sb->linkage);
}

/*
 * The symbols of one event.  A recording can have ten thousand events with a few samples each, so the work per event
 * must be proportional to its number of rows.  An array over all symbols (`dense`) is therefore allocated only for
 * events with many rows (many_rows()).
 */
struct symbols {
	const struct hd_functions *fn;	/* NULL: inlined frames are no rows */
	struct hd_top_row *rows;
	uint32_t *seen;		/* indexed as `rows`: number of the last sample row that was added to this row */
	size_t n, cap, seen_cap;
	uint32_t *dense;	/* indexed by symbol: its row + 1; NULL: `sparse` is used */
	struct hd_map sparse;	/* symbol -> index in `rows`; used without `dense` */
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

/*
 * Return the row of a symbol; NULL if an earlier call returned it for the same sample row, `at`.  So a recursive
 * function counts once per sample row.
 */
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
		r->var += row->var;
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

/* Return true if the event has enough rows to justify an array over all symbols. */
static bool many_rows(const struct hd_profile *p, uint32_t event)
{
	return p->nsymbols / 8 <= p->events[event].nrows;
}

static void set_ranks(struct hd_top *top)
{
	for (size_t i = 0; i < top->n; i++)
		top->rows[i].rank = (uint32_t)i + 1;
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
	if (many_rows(p, event))
		sy.dense = hd_new_array(uint32_t, p->nsymbols);
	sum_rows(&sy, top, p);
	for (size_t i = 0; i < sy.n; i++)
		if (sy.rows[i].samples || (by_total && sy.rows[i].total))
			sy.rows[top->n++] = sy.rows[i];
	if (top->n)
		qsort_r(sy.rows, top->n, sizeof(*sy.rows), by_cost, &order);
	top->rows = sy.rows;
	top->symbols = top->n;
	set_ranks(top);
	free(sy.seen);
	free(sy.dense);
	hd_map_release(&sy.sparse);
}

/*
 * hd_top_first() computes only the first rows.  It sums self cost by symbol, chooses the rows, and only then computes
 * their totals.  One 64-bit mask per stack has a bit for each chosen row that the stack contains.  An ascending loop,
 * callers first, computes the masks of all stacks.
 */
enum { MASK_BITS = 64 };

struct costs {
	uint64_t self, samples;
	double var;
};

static uint32_t symbol_of(const struct hd_profile *p, const struct hd_sample_row *row, const struct hd_functions *fn)
{
	uint32_t symbol = p->frames[hd_functions_self(p, row, fn != NULL).v].symbol;

	return fn ? fn->of[symbol] : symbol;
}

/*
 * Restore the order of the binary heap below index i.  The root of this heap is the chosen row with the least cost; a
 * row with more cost replaces it.
 */
static void sift_down(struct hd_top_row *heap, size_t n, size_t i, struct order *order)
{
	for (size_t child; (child = 2 * i + 1) < n; i = child) {
		struct hd_top_row row = heap[i];

		if (child + 1 < n && by_cost(&heap[child], &heap[child + 1], order) < 0)
			child++;
		if (by_cost(&row, &heap[child], order) >= 0)
			break;
		heap[i] = heap[child];
		heap[child] = row;
	}
}

static void choose(struct hd_top *top, const struct hd_profile *p, const struct costs *costs, size_t limit)
{
	struct order order = { p, false };

	top->rows = hd_new_array(struct hd_top_row, limit);
	for (uint32_t i = 0; i < p->nsymbols; i++) {
		struct hd_top_row row = { .symbol = i,
			.self = costs[i].self,
			.samples = costs[i].samples,
			.var = costs[i].var };

		if (!row.samples)
			continue;
		top->symbols++;
		if (top->n < limit) {
			top->rows[top->n++] = row;
			for (size_t k = limit / 2; top->n == limit && k-- > 0;)
				sift_down(top->rows, limit, k, &order);
		} else if (row.self >= top->rows[0].self && by_cost(&row, &top->rows[0], &order) < 0) {
			top->rows[0] = row;
			sift_down(top->rows, limit, 0, &order);
		}
	}
	qsort_r(top->rows, top->n, sizeof(*top->rows), by_cost, &order);
}

/* Return a mask for each stack id: bit i is set if a frame of the stack belongs to row i.  The caller frees it. */
static uint64_t *mark_stacks(const struct hd_profile *p, const uint8_t *row_of, const uint64_t *bits,
	const struct hd_functions *fn)
{
	const struct hd_stack_node *nodes = hd_stacks_nodes(p->stacks);
	uint32_t n = hd_stacks_count(p->stacks);
	uint8_t *of_frame = hd_new_array(uint8_t, p->nframes);
	uint64_t *marks = hd_new_array(uint64_t, n);

	for (size_t i = 0; i < p->nframes; i++) {
		const struct hd_frame *f = &p->frames[i];

		if (fn || !f->inlined)
			of_frame[i] = row_of[fn ? fn->of[f->symbol] : f->symbol];
	}
	for (uint32_t i = 1; i < n; i++)
		marks[i] = marks[nodes[i].caller] | bits[of_frame[nodes[i].frame]];
	free(of_frame);
	return marks;
}

static void add_totals(struct hd_top *top, const struct hd_profile *p, const struct hd_functions *fn)
{
	/* indexed by symbol: index of its row in `top`, plus 1; 0: none */
	uint8_t *row_of = hd_new_array(uint8_t, p->nsymbols);
	uint64_t bits[MASK_BITS + 1] = { 0 }, *marks;

	for (size_t i = 0; i < top->n; i++) {
		row_of[top->rows[i].symbol] = (uint8_t)(i + 1);
		bits[i + 1] = UINT64_C(1) << i;
	}
	marks = mark_stacks(p, row_of, bits, fn);
	for (uint32_t at = p->events[top->event].first_row; at; at = p->rows.items[at - 1].next) {
		const struct hd_sample_row *row = &p->rows.items[at - 1];
		uint64_t in = marks[row->stack.v] | bits[row_of[symbol_of(p, row, fn)]];

		for (; in; in &= in - 1)
			top->rows[__builtin_ctzll(in)].total += row->weight;
	}
	free(marks);
	free(row_of);
}

void hd_top_first(struct hd_top *top, const struct hd_profile *p, uint32_t event, size_t limit,
	const struct hd_functions *fn)
{
	struct costs *costs;

	/* The code after this `if` visits all stacks of the profile, which is too slow if the event has few rows. */
	if (!limit || limit > MASK_BITS || event >= p->nevents || !many_rows(p, event) ||
		p->rows.n / 16 > p->events[event].nrows) {
		hd_top_build_inlined(top, p, event, false, fn);
		if (limit && top->n > limit)
			top->n = limit;
		return;
	}
	*top = (struct hd_top){ .event = event };
	costs = hd_new_array(struct costs, p->nsymbols);
	for (uint32_t at = p->events[event].first_row; at; at = p->rows.items[at - 1].next) {
		const struct hd_sample_row *row = &p->rows.items[at - 1];
		struct costs *c = &costs[symbol_of(p, row, fn)];

		c->self += row->weight;
		c->samples += row->count;
		c->var += row->var;
		top->weight += row->weight;
		top->samples += row->count;
	}
	choose(top, p, costs, limit);
	free(costs);
	add_totals(top, p, fn);
	set_ranks(top);
}

/* Return the innermost frame of the row's stack that is not inlined. */
static hd_frame_id taken_in(const struct hd_profile *p, const struct hd_sample_row *row)
{
	hd_stack_id s = row->stack;

	while (p->frames[hd_stacks_frame(p->stacks, s).v].inlined && hd_stacks_caller(p->stacks, s).v)
		s = hd_stacks_caller(p->stacks, s);
	return hd_stacks_frame(p->stacks, s);
}

void hd_top_skipped(struct hd_top *top, const struct hd_profile *p, uint32_t event, size_t limit)
{
	struct symbols sy = { 0 };
	struct order order = { p, false };

	*top = (struct hd_top){ .event = event };
	for (uint32_t at = p->events[event].first_row; at; at = p->rows.items[at - 1].next) {
		const struct hd_sample_row *row = &p->rows.items[at - 1];
		struct hd_top_row *r;

		if (!row->inner.v)
			continue;
		r = first_in(&sy, p->frames[taken_in(p, row).v].symbol, at);
		r->self += row->weight;
		r->samples += row->count;
		r->var += row->var;
		top->weight += row->weight;
		top->samples += row->count;
	}
	top->rows = sy.rows;
	top->n = top->symbols = sy.n;
	if (top->n)
		qsort_r(top->rows, top->n, sizeof(*top->rows), by_cost, &order);
	if (limit && top->n > limit)
		top->n = limit;
	set_ranks(top);
	free(sy.seen);
	hd_map_release(&sy.sparse);
}

void hd_top_release(struct hd_top *top)
{
	free(top->rows);
	*top = (struct hd_top){ 0 };
}

void hd_tops_build(struct hd_tops *tops, const struct hd_profile *p, size_t limit, bool inlined)
{
	struct hd_functions fn = { 0 };

	*tops = (struct hd_tops){ hd_new_array(struct hd_top, p->nevents), p->nevents };
	if (inlined)
		hd_functions_init(&fn, p);
	for (uint32_t e = 0; e < p->nevents; e++)
		if (p->events[e].samples)
			hd_top_first(&tops->of[e], p, e, limit, inlined ? &fn : NULL);
	hd_functions_release(&fn);
}

void hd_tops_release(struct hd_tops *tops)
{
	for (size_t i = 0; i < tops->n; i++)
		hd_top_release(&tops->of[i]);
	free(tops->of);
	*tops = (struct hd_tops){ 0 };
}

double hd_share_pct(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0.0;
}
