/*
 * counters.h - update the counter of a stack; the functions that every counted allocation calls
 *
 * counters.c explains the peak.  The argument `sampled` is a constant in exact.c and sampled.c, so the compiler
 * specialises the inline functions there.
 */
#ifndef HD_PRELOAD_COUNTERS_H
#define HD_PRELOAD_COUNTERS_H

#include "preload/recording.h"
#include "preload/thread_state.h"

#include <sys/single_threaded.h>

#pragma GCC visibility push(hidden)

struct hd_heap_counter *hd_counter_new(struct hd_thread *t, uint32_t node);
struct hd_block_weight;
/*
 * For sampled recordings only: add a block to (sign 1) or remove it from (-1) the halves that contain it; see
 * counters.c.
 */
void hd_counter_add_halves(struct hd_heap_counter *c, const struct hd_block_weight *w, int sign);
void hd_counter_settle(struct hd_thread *t);	/* add the pending changes of thread `t` to the sums in the header */
void hd_counter_moved_slow(struct hd_thread *t, int64_t by, uint64_t clock);

#pragma GCC visibility pop

/* Return this thread's counter for the node of the stack tree, or NULL if it has none. */
static inline __attribute__((always_inline)) struct hd_heap_counter *hd_counter_get(const struct hd_thread *t,
	uint32_t node)
{
	struct hd_heap_counter **dir = t->dir[node / HD_DIR];

	return LIKELY(dir != NULL) ? dir[node % HD_DIR] : NULL;
}

/*
 * Return this thread's counter for a node of the stack tree; take the lock and add one if it is missing.  Returns NULL
 * if there is no room; hd_heap_header.lost is then incremented, also if the caller counts a free.
 */
static inline __attribute__((always_inline)) struct hd_heap_counter *hd_counter(struct hd_thread *t, uint32_t node)
{
	struct hd_heap_counter *c = hd_counter_get(t, node);

	return LIKELY(c != NULL) ? c : hd_counter_new(t, node);
}

/*
 * Called before a counter changes.  If there was a new peak since the counter last changed, its present live bytes are
 * also those at the peak: save them.
 */
static inline __attribute__((always_inline)) void hd_counter_keep_peak(struct hd_heap_counter *c,
	const struct hd_heap_header *h, bool sampled)
{
	uint32_t epoch = __atomic_load_n(&h->epoch, __ATOMIC_RELAXED);

	if (sampled || c->epoch == epoch)	/* in sampled recordings, hd_counter_add_halves() saves the peak */
		return;
	c->peak_n = (int64_t)(c->n - c->freed_n);
	c->peak_bytes = (int64_t)(c->bytes - c->freed_bytes);
	c->epoch = epoch;
}

/*
 * Called before a counter changes.  If a new tick (a period of some ms) has begun since the counter last changed,
 * record the change of its live bytes in the tick of that last change.
 */
static inline __attribute__((always_inline)) void hd_counter_keep_tick(struct hd_thread *t, struct hd_heap_counter *c,
	const struct hd_heap_header *h, uint64_t bytes)
{
	uint32_t tick;

	t->unlooked += bytes + HD_LOOK_BLOCK;
	if (UNLIKELY(t->unlooked >= HD_LOOK_AFTER))
		hd_tick_look(t);
	tick = __atomic_load_n(&h->tick, __ATOMIC_RELAXED);
	if (UNLIKELY(c->tick != tick))
		hd_tick_record(t, c, tick);
}

/*
 * Add `by` to the live bytes of the process and `clock` to its allocated bytes.  If the live bytes exceed the peak,
 * they become the new peak.  alone: this process has one thread; otherwise the thread may postpone this (counters.c).
 */
static inline __attribute__((always_inline)) void hd_counter_moved(struct hd_thread *t, struct hd_heap_header *h,
	int64_t by, uint64_t clock, bool alone)
{
	int64_t live;

	if (UNLIKELY(!alone)) {
		hd_counter_moved_slow(t, by, clock);
		return;
	}
	h->clock += clock;
	live = h->live += by;
	if (live > (int64_t)h->peak) {
		h->peak = (uint64_t)live;
		h->epoch++;
		h->peak_clock = h->clock;
	}
}

static inline __attribute__((always_inline)) uint64_t hd_counter_clock(const struct hd_thread *t,
	const struct hd_heap_header *h)
{
	return __atomic_load_n(&h->clock, __ATOMIC_RELAXED) + t->clock;
}

/*
 * The amounts that a block adds to the sums of its counter: blocks, bytes and sampled blocks (`seen`), and the
 * variances of the first two.  In sampled recordings, n and half_n are in units of 1 / 65536 blocks (HD_HEAP_SHIFT).
 * There, `halves` has a bit for each half of the samples that contains the block; half_n and half_bytes are the amounts
 * for each of these halves.
 */
struct hd_block_weight {
	uint64_t n, bytes, seen, half_n, half_bytes;
	double var_n, var_bytes, half_var_n, half_var_bytes;
	unsigned halves;
};

static inline __attribute__((always_inline)) void hd_counter_alloc(struct hd_thread *t, struct hd_heap_counter *c,
	struct hd_block_weight w, bool sampled, bool alone)
{
	struct hd_heap_header *h = hd_recorder.header;

	hd_counter_keep_peak(c, h, sampled);
	hd_counter_keep_tick(t, c, h, w.bytes);
	c->n += w.n;
	c->bytes += w.bytes;
	__atomic_store_n(&t->allocated, t->allocated + w.bytes, __ATOMIC_RELAXED);
	if (sampled) {
		struct hd_heap_sampled *s = (struct hd_heap_sampled *)c;

		s->seen += w.seen;
		s->var_n += w.var_n;
		s->var_bytes += w.var_bytes;
		hd_counter_add_halves(c, &w, 1);
	} else {
		c->life -= hd_counter_clock(t, h);
	}
	hd_counter_moved(t, h, (int64_t)w.bytes, w.bytes, alone);
}

static inline __attribute__((always_inline)) void hd_counter_free(struct hd_thread *t, struct hd_heap_counter *c,
	struct hd_block_weight w, bool temporary, bool sampled, bool alone)
{
	struct hd_heap_header *h = hd_recorder.header;

	hd_counter_keep_peak(c, h, sampled);
	hd_counter_keep_tick(t, c, h, w.bytes);
	c->freed_n += w.n;
	c->freed_bytes += w.bytes;
	__atomic_store_n(&t->freed, t->freed + w.bytes, __ATOMIC_RELAXED);
	if (temporary) {
		c->temp_n += w.n;
		c->temp_bytes += w.bytes;
	}
	if (sampled) {
		struct hd_heap_sampled *s = (struct hd_heap_sampled *)c;

		s->freed_var_n += w.var_n;
		s->freed_var_bytes += w.var_bytes;
		hd_counter_add_halves(c, &w, -1);
		s->seen_freed += w.seen;
		if (temporary)
			s->seen_temp += w.seen;
	} else {
		c->life += hd_counter_clock(t, h);
	}
	hd_counter_moved(t, h, -(int64_t)w.bytes, 0, alone);
}

#endif
