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
#include "preload/count.h"

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

void hd_count_slowly(struct hd_thread *t, int64_t by, uint64_t clock)
{
	const struct hd_heap_header *h = hd_process.header;
	int64_t most = (int64_t)(__atomic_load_n(&h->peak, __ATOMIC_RELAXED) >> 10);

	most = most < LEAST_DELTA ? LEAST_DELTA : most > MOST_DELTA ? MOST_DELTA : most;
	t->delta += by;
	t->clock += clock;
	if (t->delta > most || t->delta < -most || t->clock > (uint64_t)most * 16)
		hd_count_settle(t);
}

COLD struct hd_heap_counter *hd_count_new(struct hd_thread *t, uint32_t node)
{
	struct hd_heap_counter ***dir = &t->dir[node / HD_DIR];
	uint32_t bytes = hd_process.header->counter_bytes;
	struct hd_heap_counter *c = NULL;

	hd_lock();
	if (!*dir)
		*dir = hd_mem_take(HD_DIR * sizeof(**dir));
	if (*dir && !t->room) {
		/* Of 96 bytes, each is in two lines then, and not in three. */
		hd_file_align();
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
