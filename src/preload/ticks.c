/*
 * ticks.c - the live bytes through time, as moves
 *
 *     tick 120   node 7  + 65536        changes of the live bytes in this tick, by node
 *                node 9  - 4096
 *     tick 130   ...
 *
 * No list of counters is walked at a tick.  A counter that is about to change, and changed last in an earlier tick,
 * records its move in that one.  (counters.c treats peaks in the same way.)  A counter that does not change has no
 * move, nor has one whose blocks were all freed again within the tick.
 *
 * A thread reads the clock every HD_LOOK_AFTER bytes or few blocks.  Allocations between two such looks may be
 * recorded in the tick before.  A tick lasts 10 ms at first.  Each time the moves have taken LEVEL more bytes, the
 * length of a tick doubles, so the moves never take more than LEVELS times LEVEL bytes, however long the program runs.
 */
#include "preload/recording.h"
#include "preload/thread_state.h"

#include <time.h>

enum { MOVES = 64, FIRST_STRIDE = 10, LEVEL = 128 * 1024, LEVELS = 24 };

static uint64_t loaded_ns;
static uint64_t origin_ns;	/* time 0 of the ticks */
static uint32_t taken;		/* bytes of all moves */

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec t = { 0 };

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Note the time when the library is loaded: a program may run for a long time before its first allocation. */
__attribute__((constructor)) static void at_load(void)
{
	loaded_ns = clock_ns(CLOCK_MONOTONIC);
}

void hd_tick_begin(bool child)
{
	struct hd_heap_header *h = hd_recorder.header;
	struct timespec coarse;

	h->begin_monotonic_ns = clock_ns(CLOCK_MONOTONIC);
	h->loaded_monotonic_ns = child ? 0 : loaded_ns;
	h->stride = FIRST_STRIDE;
	/*
	 * The coarse clock is late by half its resolution on average, and rounding to ms is late by half a
	 * millisecond.
	 */
	if (clock_getres(CLOCK_MONOTONIC_COARSE, &coarse) == 0)
		origin_ns = h->begin_monotonic_ns - (uint64_t)coarse.tv_nsec / 2 - 500000;
	else
		origin_ns = h->begin_monotonic_ns;
	taken = 0;
}

COLD void hd_tick_look(struct hd_thread *t)
{
	struct hd_heap_header *h = hd_recorder.header;
	uint64_t now = clock_ns(CLOCK_MONOTONIC_COARSE);
	/* it wraps after 49 days, and no tick begins any more */
	uint32_t ms = now > origin_ns ? (uint32_t)((now - origin_ns) / 1000000) : 0;
	uint32_t tick = __atomic_load_n(&h->tick, __ATOMIC_RELAXED);

	t->unlooked = 0;
	if (ms > tick && ms - tick >= __atomic_load_n(&h->stride, __ATOMIC_RELAXED))
		__atomic_compare_exchange_n(&h->tick, &tick, ms, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
	if (++t->looks >= HD_RECORDING_FILE_POLLS) {
		hd_recording_file_poll(t->looks);
		t->looks = 0;
	}
}

bool hd_tick_advance(void)
{
	struct hd_heap_header *h = hd_recorder.header;
	uint64_t now = clock_ns(CLOCK_MONOTONIC_COARSE);
	uint32_t ms = now > origin_ns ? (uint32_t)((now - origin_ns) / 1000000) : 0,
		 tick = __atomic_load_n(&h->tick, __ATOMIC_RELAXED);

	return ms > tick && ms - tick >= __atomic_load_n(&h->stride, __ATOMIC_RELAXED) &&
	       __atomic_compare_exchange_n(&h->tick, &tick, ms, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
}

static bool has_room(struct hd_thread *t)
{
	const uint32_t bytes = MOVES * sizeof(struct hd_heap_move);
	struct hd_heap_header *h = hd_recorder.header;

	if (t->move_room)
		return true;
	if (h->flags & HD_HEAP_UNTIMED)
		return false;
	hd_recorder_lock();
	if (taken / LEVEL < LEVELS) {
		t->moves = hd_recording_file_block(HD_HEAP_MOVES_BLOCK, bytes, 0);
		t->move_room = t->moves ? MOVES : 0;
		taken += bytes;
		__atomic_store_n(&h->stride, (uint32_t)FIRST_STRIDE << (taken / LEVEL), __ATOMIC_RELAXED);
	} else {
		h->flags |= HD_HEAP_UNTIMED;
	}
	hd_recorder_unlock();
	return t->move_room;
}

COLD void hd_tick_record(struct hd_thread *t, struct hd_heap_counter *c, uint32_t tick)
{
	int64_t live = (int64_t)(c->bytes - c->freed_bytes);

	hd_recording_file_mark_dirty(c, hd_recorder.header->counter_bytes);
	/* Without room the change stays in the counter and becomes part of its last move. */
	if (live != c->told && has_room(t)) {
		struct hd_heap_move *m = t->moves++;

		t->move_room--;
		m->tick = c->tick;
		m->bytes = live - c->told;
		__atomic_store_n(&m->node, c->node, __ATOMIC_RELEASE);
		hd_recording_file_mark_dirty(m, sizeof(*m));
		c->told = live;
	}
	c->tick = tick;
}
