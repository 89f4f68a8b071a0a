/*
 * counters.c - counters of allocated and live bytes, and the peak of the live bytes
 *
 * Each thread has its own counters, one per stack.  They are a part of the recording.
 *
 * The peak needs no copy of the counters.  Each new peak gets a number (header.epoch).  A counter that is about to
 * change and has not seen this number yet first saves its live bytes (copy on write).  A counter that has not changed
 * since the peak still holds the value of the peak.
 *
 * The peak of the live bytes is exact as long as there is one thread.  With several threads, each one adds its changes
 * to the common sum in steps: after its live bytes changed by more than D, or after it allocated more than 16 * D
 * bytes.  D is 1/1024 of the peak, but at least 4 KiB and at most 1 MiB.  So the recorded peak may be wrong by D per
 * thread.
 */
#include "preload/counters.h"

enum { COUNTERS = 64, LEAST_DELTA = 4096, MOST_DELTA = 1 << 20 };

static void raise_peak(struct hd_heap_header *h, int64_t live)
{
	uint64_t peak = __atomic_load_n(&h->peak, __ATOMIC_RELAXED);

	while (live > (int64_t)peak) {
		if (!__atomic_compare_exchange_n(&h->peak, &peak, (uint64_t)live, false, __ATOMIC_RELAXED,
			    __ATOMIC_RELAXED))
			continue;
		__atomic_fetch_add(&h->epoch, 1, __ATOMIC_RELAXED);
		__atomic_store_n(&h->peak_clock, __atomic_load_n(&h->clock, __ATOMIC_RELAXED), __ATOMIC_RELAXED);
		break;
	}
}

void hd_counter_settle(struct hd_thread *t)
{
	struct hd_heap_header *h = hd_recorder.header;
	int64_t delta = t->delta;
	uint64_t clock = t->clock;

	t->delta = 0;
	t->clock = 0;
	__atomic_fetch_add(&h->clock, clock, __ATOMIC_RELAXED);
	raise_peak(h, __atomic_add_fetch(&h->live, delta, __ATOMIC_RELAXED));
}

void hd_counter_moved_slow(struct hd_thread *t, int64_t by, uint64_t clock)
{
	const struct hd_heap_header *h = hd_recorder.header;
	int64_t most = (int64_t)(__atomic_load_n(&h->peak, __ATOMIC_RELAXED) >> 10);

	most = most < LEAST_DELTA ? LEAST_DELTA : most > MOST_DELTA ? MOST_DELTA : most;
	t->delta += by;
	t->clock += clock;
	if (t->delta > most || t->delta < -most || t->clock > (uint64_t)most * 16)
		hd_counter_settle(t);
}

/*
 * Count a block in a sampled recording, where two halves of the samples are counted separately (format.h).  This is
 * done for each half that contains the block.  If the other half had a new peak since the counter last changed, first
 * save the live values of this half for that peak (hd_heap_half_epoch()).  Then add the block.  Look for new peaks only
 * after that, so that both halves include the block at a peak.
 */
COLD void hd_counter_add_halves(struct hd_heap_counter *c, const struct hd_block_weight *w, int sign)
{
	struct hd_heap_sampled *s = (struct hd_heap_sampled *)c;
	struct hd_heap_header *h = hd_recorder.header;
	uint32_t epoch[2] = { __atomic_load_n(&h->half_epoch[0], __ATOMIC_RELAXED),
		__atomic_load_n(&h->half_epoch[1], __ATOMIC_RELAXED) };

	for (int i = 0; i < 2; i++) {
		struct hd_heap_half *half = &s->half[i];

		if (!(w->halves >> i & 1))
			continue;
		if (half->epoch != hd_heap_half_epoch(epoch, i)) {
			half->held_n = half->n;
			half->held_bytes = half->bytes;
			half->held_seen = half->seen;
			half->held_var_n = half->var_n;
			half->held_var_bytes = half->var_bytes;
			half->epoch = hd_heap_half_epoch(epoch, i);
		}
		half->n += sign * (int64_t)w->half_n;
		half->bytes += sign * (int64_t)w->half_bytes;
		half->seen += sign * (int64_t)w->seen;
		half->var_n += sign * w->half_var_n;
		half->var_bytes += sign * w->half_var_bytes;
	}
	for (int i = 0; i < 2; i++) {
		uint64_t peak = __atomic_load_n(&h->half_peak[i], __ATOMIC_RELAXED);
		int64_t live;

		if (!(w->halves >> i & 1))
			continue;
		live = __atomic_add_fetch(&h->half_live[i], sign * (int64_t)w->half_bytes, __ATOMIC_RELAXED);
		while (live > (int64_t)peak) {
			if (!__atomic_compare_exchange_n(&h->half_peak[i], &peak, (uint64_t)live, false,
				    __ATOMIC_RELAXED, __ATOMIC_RELAXED))
				continue;
			__atomic_fetch_add(&h->half_epoch[i], 1, __ATOMIC_RELAXED);
			break;
		}
	}
}

COLD struct hd_heap_counter *hd_counter_new(struct hd_thread *t, uint32_t node)
{
	struct hd_heap_counter ***dir = &t->dir[node / HD_DIR];
	uint32_t bytes = hd_recorder.header->counter_bytes;
	struct hd_heap_counter *c = NULL;

	hd_recorder_lock();
	if (!*dir)
		*dir = hd_recorder_mem_take(HD_DIR * sizeof(**dir));
	if (*dir && !t->room) {
		/* Align the first counter to a cache line.  A counter of an exact recording (96 bytes) touches two. */
		hd_recording_file_align();
		t->counters = hd_recording_file_block(HD_HEAP_COUNTERS_BLOCK, COUNTERS * bytes, 0);
		t->room = t->counters ? COUNTERS : 0;
	}
	if (*dir && t->room) {
		c = (struct hd_heap_counter *)t->counters;
		t->counters += bytes;
		t->room--;
		c->node = node;
		hd_recording_file_mark_dirty(c, bytes);
		(*dir)[node % HD_DIR] = c;
	} else {
		hd_recorder.header->lost++;
	}
	hd_recorder_unlock();
	return c;
}
