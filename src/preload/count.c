/*
 * count.c - counters, what is live, and the peak
 *
 * A thread counts in counters of its own, in the mapped recording.  The peak
 * needs no copy of them: each new peak has a number, and a counter that is about
 * to change and does not know that number yet keeps what was live in it
 * (copy on write).  A counter that never changed after the peak still holds it.
 *
 * While there is one thread the peak is exact.  Several tell the common sum
 * when theirs has moved by 1/1024 of the peak, so that it may be less by that,
 * times their number.
 */
#include "preload/inner.h"

#include <sys/single_threaded.h>

enum { COUNTERS = 64, LEAST_DELTA = 4096, MOST_DELTA = 1 << 20 };

static void took(struct hd_heap_header *h, int64_t live)
{
	uint64_t peak = __atomic_load_n(&h->peak, __ATOMIC_RELAXED);

	while (live > (int64_t)peak) {
		if (!__atomic_compare_exchange_n(&h->peak, &peak, (uint64_t)live, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
			continue;
		__atomic_fetch_add(&h->epoch, 1, __ATOMIC_RELAXED);
		__atomic_store_n(&h->peak_clock, __atomic_load_n(&h->clock, __ATOMIC_RELAXED), __ATOMIC_RELAXED);
		break;
	}
}

void hd_count_settle(struct hd_thread *t)
{
	struct hd_heap_header *h = hd_process.header;
	int64_t delta = t->delta;
	uint64_t clock = t->clock;

	t->delta = 0;
	t->clock = 0;
	__atomic_fetch_add(&h->clock, clock, __ATOMIC_RELAXED);
	took(h, __atomic_add_fetch(&h->live, delta, __ATOMIC_RELAXED));
}

static void move_slowly(struct hd_thread *t, struct hd_heap_header *h, int64_t by, uint64_t clock)
{
	int64_t most = (int64_t)(__atomic_load_n(&h->peak, __ATOMIC_RELAXED) >> 10);

	most = most < LEAST_DELTA ? LEAST_DELTA : most > MOST_DELTA ? MOST_DELTA : most;
	t->delta += by;
	t->clock += clock;
	if (t->delta > most || t->delta < -most || t->clock > (uint64_t)most * 16)
		hd_count_settle(t);
}

static inline void moved(struct hd_thread *t, int64_t by, uint64_t clock)
{
	struct hd_heap_header *h = hd_process.header;

	if (!__libc_single_threaded) {
		move_slowly(t, h, by, clock);
		return;
	}
	h->clock += clock;
	h->live += by;
	if (h->live > (int64_t)h->peak) {
		h->peak = (uint64_t)h->live;
		h->epoch++;
		h->peak_clock = h->clock;
	}
}

static COLD struct hd_heap_counter *new_counter(struct hd_thread *t, uint32_t node, struct hd_heap_counter ***dir)
{
	uint32_t bytes = hd_process.header->counter_bytes;
	struct hd_heap_counter *c = NULL;

	hd_lock();
	if (!*dir)
		*dir = hd_mem_take(HD_DIR * sizeof(**dir));
	if (*dir && !t->room) {
		t->counters = hd_file_block(HD_HEAP_COUNTERS_BLOCK, COUNTERS * bytes, 0);
		t->room = t->counters ? COUNTERS : 0;
	}
	if (*dir && t->room) {
		c = (struct hd_heap_counter *)t->counters;
		t->counters += bytes;
		t->room--;
		c->node = node;
		(*dir)[node % HD_DIR] = c;
	} else {
		hd_process.header->lost++;
	}
	hd_unlock();
	return c;
}

static inline struct hd_heap_counter *counter(struct hd_thread *t, uint32_t node)
{
	struct hd_heap_counter ***dir = &t->dir[node / HD_DIR % HD_DIRS], *c;

	if (LIKELY(*dir && (c = (*dir)[node % HD_DIR])))
		return c;
	return new_counter(t, node, dir);
}

static inline bool is_sampled(void)
{
	return hd_process.mode == HD_MODE_SAMPLED;
}

static inline void keep_peak(struct hd_heap_counter *c)
{
	uint32_t epoch = __atomic_load_n(&hd_process.header->epoch, __ATOMIC_RELAXED);

	if (c->epoch == epoch)
		return;
	c->peak_n = (int64_t)(c->n - c->freed_n);
	c->peak_bytes = (int64_t)(c->bytes - c->freed_bytes);
	if (is_sampled()) {
		struct hd_heap_sampled *s = (struct hd_heap_sampled *)c;

		s->seen_peak = (int64_t)(s->seen - s->seen_freed);
	}
	c->epoch = epoch;
}

static inline uint64_t clock_of(const struct hd_thread *t)
{
	return __atomic_load_n(&hd_process.header->clock, __ATOMIC_RELAXED) + t->clock;
}

void hd_count_alloc(struct hd_thread *t, uint32_t node, struct hd_weight w)
{
	struct hd_heap_counter *c = counter(t, node);

	if (UNLIKELY(!c))
		return;
	keep_peak(c);
	c->n += w.n;
	c->bytes += w.bytes;
	if (is_sampled())
		((struct hd_heap_sampled *)c)->seen += w.seen;
	else
		c->life -= clock_of(t);
	moved(t, (int64_t)w.bytes, w.bytes);
}

void hd_count_free(struct hd_thread *t, uint32_t node, struct hd_weight w, bool temporary)
{
	struct hd_heap_counter *c = counter(t, node);

	if (UNLIKELY(!c))
		return;
	keep_peak(c);
	c->freed_n += w.n;
	c->freed_bytes += w.bytes;
	if (temporary) {
		c->temp_n += w.n;
		c->temp_bytes += w.bytes;
	}
	if (is_sampled()) {
		struct hd_heap_sampled *s = (struct hd_heap_sampled *)c;

		s->seen_freed += w.seen;
		if (temporary)
			s->seen_temp += w.seen;
	} else {
		c->life += clock_of(t);
	}
	moved(t, -(int64_t)w.bytes, 0);
}
