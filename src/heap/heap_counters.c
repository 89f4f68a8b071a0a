/*
 * heap_counters.c - see heap_counters.h
 */
#include "heap/heap_counters.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

/* ---- counters ---- */

/* Clamp a hostile number to 0..most. */
static uint64_t within(int64_t v, uint64_t most)
{
	return v <= 0 ? 0 : (uint64_t)v < most ? (uint64_t)v : most;
}

static void add_sum(struct hd_heap_sum *to, const struct hd_heap_sum *from)
{
	to->bytes += from->bytes;
	to->blocks += from->blocks;
	to->seen += from->seen;
	to->var_bytes += from->var_bytes;
	to->var_blocks += from->var_blocks;
}

/* Return v if it can be a variance (finite, not negative), else 0. */
static double variance(double v)
{
	return v >= 0 && v < 1e300 ? v : 0;
}

/*
 * Estimate the peak of a sampled recording.  Such a recording divides its samples into two halves (preload/format.h).
 * The estimate is the mean of two values: what the first half had live when the second was at its peak, and what the
 * second half had live when the first was at its peak.  peak_seen is the sum of the samples of both.
 */
static void read_halves(const struct hd_heap_reader *r, struct hd_heap_counted *v, const struct hd_heap_half half[2])
{
	uint64_t n = 0, bytes = 0, seen = 0;

	for (int i = 0; i < 2; i++) {
		bool held = half[i].epoch == hd_heap_half_epoch(r->head.half_epoch, i);

		n += (uint64_t)(held ? half[i].held_n : half[i].n);
		bytes += (uint64_t)(held ? half[i].held_bytes : half[i].bytes);
		seen += (uint64_t)(held ? half[i].held_seen : half[i].seen);
		v->peak_var_bytes += variance(held ? half[i].held_var_bytes : half[i].var_bytes) / 4;
		v->peak_var_blocks += variance(held ? half[i].held_var_n : half[i].var_n) / 4;
	}
	v->peak_blocks = (int64_t)n / 2;
	v->peak_bytes = (int64_t)bytes / 2;
	v->peak_seen = (int64_t)seen;
}

static struct hd_heap_counted counted_of(const struct hd_heap_reader *r, const uint8_t *at)
{
	struct hd_heap_sampled s = { 0 };
	const struct hd_heap_counter *c = &s.c;
	struct hd_heap_counted v;

	memcpy(&s.c, at, r->counter);
	if (!r->h->exact)
		memcpy(&s.seen, at + r->counter, r->sampled);
	if (r->h->exact) {
		s.seen = c->n;
		s.seen_freed = c->freed_n;
		s.seen_peak = c->peak_n;
		s.seen_temp = c->temp_n;
	}
	v = (struct hd_heap_counted){
		.node = c->node, .life = c->life,
		.allocated = { .bytes = c->bytes, .blocks = c->n, .seen = s.seen },
		.freed = { .bytes = c->freed_bytes, .blocks = c->freed_n, .seen = s.seen_freed },
		.temporary = { .bytes = c->temp_bytes, .blocks = c->temp_n, .seen = s.seen_temp },
		.peak_bytes = c->peak_bytes, .peak_blocks = c->peak_n, .peak_seen = s.seen_peak,
		.uncounted = (int64_t)(c->bytes - c->freed_bytes - (uint64_t)c->counted), .tick = c->tick,
	};
	if (c->epoch != r->head.epoch) {
		v.peak_bytes = (int64_t)(c->bytes - c->freed_bytes);
		v.peak_blocks = (int64_t)(c->n - c->freed_n);
		v.peak_seen = (int64_t)(s.seen - s.seen_freed);
	}
	if (r->sampled > offsetof(struct hd_heap_sampled, var_n) - offsetof(struct hd_heap_sampled, seen)) {
		v.allocated.var_blocks = variance(s.var_n);
		v.allocated.var_bytes = variance(s.var_bytes);
		v.freed.var_blocks = variance(s.freed_var_n);
		v.freed.var_bytes = variance(s.freed_var_bytes);
		read_halves(r, &v, s.half);
	}
	return v;
}

static int by_node(const void *va, const void *vb)
{
	const struct hd_heap_counted *a = va, *b = vb;

	return a->node < b->node ? -1 : a->node > b->node;
}

static uint64_t blocks(const struct hd_heap_reader *r, uint64_t n)
{
	return r->h->exact ? n : (n >> HD_HEAP_SHIFT) + (n >> (HD_HEAP_SHIFT - 1) & 1);
}

/*
 * Return the limit for a peak, given the number of all bytes or blocks that were allocated.  An exact peak cannot
 * exceed it.  The peak of a sampled recording is an estimate from half of the samples (docs/heap-format.md, "Halves")
 * and can exceed it by chance, so four times the number is accepted.
 */
static uint64_t most_at_peak(const struct hd_heap_reader *r, uint64_t allocated)
{
	return r->h->exact ? allocated : allocated < INT64_MAX / 4 ? 4 * allocated : INT64_MAX;
}

static struct hd_heap_stack_counter finished(const struct hd_heap_reader *r, const struct hd_heap_counted *c)
{
	uint64_t live_bytes = within((int64_t)(c->allocated.bytes - c->freed.bytes), c->allocated.bytes);
	uint64_t live_blocks = within((int64_t)(c->allocated.blocks - c->freed.blocks), c->allocated.blocks);
	uint64_t live_seen = within((int64_t)(c->allocated.seen - c->freed.seen), c->allocated.seen);
	/* Assume that each sampled block of a stack adds the same amount to the variance of its sums. */
	double temporary = c->allocated.seen
		? (double)within((int64_t)c->temporary.seen, c->allocated.seen) / (double)c->allocated.seen
		: 0;

	return (struct hd_heap_stack_counter){
		.node = c->node,
		.allocated = { c->allocated.bytes, blocks(r, c->allocated.blocks), c->allocated.seen,
			c->allocated.var_bytes, c->allocated.var_blocks },
		.leaked = { live_bytes, blocks(r, live_blocks), live_seen,
			variance(c->allocated.var_bytes - c->freed.var_bytes),
			variance(c->allocated.var_blocks - c->freed.var_blocks) },
		.peak = { within(c->peak_bytes, most_at_peak(r, c->allocated.bytes)),
			blocks(r, within(c->peak_blocks, most_at_peak(r, c->allocated.blocks))),
			within(c->peak_seen, 2 * c->allocated.seen), c->peak_var_bytes, c->peak_var_blocks },
		.temporary = { within((int64_t)c->temporary.bytes, c->allocated.bytes),
			blocks(r, within((int64_t)c->temporary.blocks, c->allocated.blocks)),
			within((int64_t)c->temporary.seen, c->allocated.seen), c->allocated.var_bytes * temporary,
			c->allocated.var_blocks * temporary },
		.life = r->h->exact ? c->life + live_blocks * r->h->clock : 0,
	};
}

void hd_heap_counters_merge(struct hd_heap_reader *r, struct hd_heap_counted *all, size_t n)
{
	struct hd_heap *h = r->h;

	if (n)
		qsort(all, n, sizeof(*all), by_node);
	h->counters = hd_new_array(struct hd_heap_stack_counter, n);
	for (size_t i = 0; i < n; ) {
		struct hd_heap_counted sum = { .node = all[i].node };

		for (; i < n && all[i].node == sum.node; i++) {
			add_sum(&sum.allocated, &all[i].allocated);
			add_sum(&sum.freed, &all[i].freed);
			add_sum(&sum.temporary, &all[i].temporary);
			sum.peak_bytes = (int64_t)((uint64_t)sum.peak_bytes + (uint64_t)all[i].peak_bytes);
			sum.peak_blocks = (int64_t)((uint64_t)sum.peak_blocks + (uint64_t)all[i].peak_blocks);
			sum.peak_seen = (int64_t)((uint64_t)sum.peak_seen + (uint64_t)all[i].peak_seen);
			sum.peak_var_bytes += all[i].peak_var_bytes;
			sum.peak_var_blocks += all[i].peak_var_blocks;
			sum.life += all[i].life;
		}
		h->counters[h->ncounters++] = finished(r, &sum);
	}
}

/* ---- moves ---- */

static void add_move(struct hd_heap *h, const struct hd_heap_move *m)
{
	if (!m->bytes)
		return;
	HD_GROW(h->moves, h->nmoves + 1, h->moves_cap);
	h->moves[h->nmoves++] = (struct hd_heap_move_at){ .ms = m->tick, .node = m->node, .bytes = m->bytes };
}

void hd_heap_counters_read(struct hd_heap_reader *r, struct hd_heap_counted *all, size_t *n,
	const struct hd_heap_block_view *b)
{
	for (size_t i = 0; i < b->n / r->head.counter_bytes; i++) {
		struct hd_heap_counted c = counted_of(r, b->payload + i * r->head.counter_bytes);

		if (!c.node)
			continue;
		if (c.node >= r->h->nnodes || !r->depth[c.node]) {
			hd_warn_n(r->log, "lost.heap-node", c.allocated.seen ? c.allocated.seen : 1, "",
				"%s: at 0x%zx the heap recording has allocations of stack %u, which it does not "
				"contain; they were skipped",
				r->path, r->base + b->off, c.node);
			continue;
		}
		all[(*n)++] = c;
		if (r->h->monotonic_ns)
			add_move(r->h,
				&(struct hd_heap_move){ .node = c.node, .tick = c.tick, .bytes = c.uncounted });
	}
}

void hd_heap_moves_read(struct hd_heap_reader *r, const struct hd_heap_block_view *b)
{
	for (size_t i = 0; r->h->monotonic_ns && i < b->n / sizeof(struct hd_heap_move); i++) {
		struct hd_heap_move m;

		memcpy(&m, b->payload + i * sizeof(m), sizeof(m));
		if (!m.node)
			continue;
		if (m.node >= r->h->nnodes || !r->depth[m.node])
			hd_warn(r->log, "lost.heap-move", "",
				"%s: at 0x%zx the heap recording has moves of stack %u, which it does not contain; "
				"they were skipped",
				r->path, r->base + b->off, m.node);
		else
			add_move(r->h, &m);
	}
}

static int by_time(const void *va, const void *vb)
{
	const struct hd_heap_move_at *a = va, *b = vb;

	if (a->ms != b->ms)
		return a->ms < b->ms ? -1 : 1;
	return a->node < b->node ? -1 : a->node > b->node;
}

void hd_heap_moves_sort(struct hd_heap *h)
{
	size_t n = 0;

	if (h->nmoves)
		qsort(h->moves, h->nmoves, sizeof(*h->moves), by_time);
	for (size_t i = 0; i < h->nmoves; i++) {
		const struct hd_heap_move_at m = h->moves[i];

		if (n && h->moves[n - 1].ms == m.ms && h->moves[n - 1].node == m.node)
			h->moves[n - 1].bytes = (int64_t)((uint64_t)h->moves[n - 1].bytes +
				(uint64_t)m.bytes);	/* unsigned: damaged input may overflow */
		else
			h->moves[n++] = m;
	}
	h->nmoves = n;
}
