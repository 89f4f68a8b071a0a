/*
 * totals.c - the bytes that were allocated and freed so far, for a program that is recorded
 *
 * libhotdrift (track/memory.c) finds the function by dlsym(RTLD_DEFAULT, "hd_heap_totals_1").  The number in its name
 * is its version: another meaning gets another name.
 */
#include "preload/thread_state.h"

EXPORT int hd_heap_totals_1(uint64_t out[4]);

/*
 * Set out[0] and out[1] to the bytes that the calling thread allocated and freed, out[2] and out[3] to those of all
 * threads.  The bytes are as requested.  They begin at 0 in each process, also in a forked one.  Those of a thread
 * begin at any number, so only differences have a meaning.
 *
 * Returns 1, or 0 if not every allocation of this process is counted.  Thread-safe; allocates nothing.
 */
int hd_heap_totals_1(uint64_t out[4])
{
	struct hd_thread *t = hd_enter();
	bool exact;

	if (!t)
		return 0;
	exact = hd_recorder.mode == HD_HEAP_MODE_EXACT || hd_recorder.in_table;
	out[0] = t->allocated;
	out[1] = t->freed;
	hd_recorder_lock();
	hd_thread_sums(&out[2], &out[3]);
	hd_recorder_unlock();
	hd_leave();
	return exact;
}
