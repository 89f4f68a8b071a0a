/*
 * ticks.c - the live bytes through time, as moves
 *
 *     tick 120   node 7  + 65536        changes of the live bytes in this tick, by node
 *                node 9  - 4096
 *     tick 130   ...
 *
 * The live bytes of a counter are not read when a tick ends.  Instead, a counter is read just before it changes for the
 * first time in a tick.  The sum of its changes in its previous tick is then recorded, as a move of that tick.
 * (counters.c saves the values at a peak in the same way.)  So there is no move for a counter that does not change, or
 * whose new blocks were all freed in the same tick.
 *
 * A thread reads the clock after it has allocated and freed HD_LOOK_AFTER bytes; each block counts HD_LOOK_BLOCK bytes
 * more than its size.  Allocations between two readings may be recorded in the previous tick.  A tick lasts 10 ms at
 * first.  Each time the moves have taken LEVEL more bytes, the length of a tick doubles.  After LEVELS doublings no
 * more moves are recorded, so they never take more than LEVELS times LEVEL bytes.
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

/* Store the time when this library is loaded: a program may run for a long time before its first allocation. */
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
	 * The coarse clock reads half its resolution too early on average, and rounding down to ms subtracts another
	 * half millisecond.  So move the origin of the ticks back by both.
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
	/* The 32-bit number of milliseconds wraps after 49 days.  From then on, no tick begins any more. */
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
	/*
	 * If there is no room for a new move, the change stays in the counter.  The reader adds it as a move in the
	 * tick of the counter's last change.
	 */
	if (live != c->counted && has_room(t)) {
		struct hd_heap_move *m = t->moves++;

		t->move_room--;
		m->tick = c->tick;
		m->bytes = live - c->counted;
		__atomic_store_n(&m->node, c->node, __ATOMIC_RELEASE);
		hd_recording_file_mark_dirty(m, sizeof(*m));
		c->counted = live;
	}
	c->tick = tick;
}
