/*
 * totals.c - report to a recorded program how many bytes it has allocated and freed so far
 *
 * libhotdrift (track/memory_scope.c), which is linked to the program, finds the function hd_heap_totals_1() by
 * dlsym(RTLD_DEFAULT).  The number in its name is its version: a function with another meaning gets another name.
 */
#include "preload/thread_state.h"

EXPORT int hd_heap_totals_1(uint64_t out[4]);

/*
 * Set out[0] and out[1] to the bytes that the calling thread allocated and freed, out[2] and out[3] to those of all
 * threads.  The bytes are as requested.
 *
 * The sums of the process begin at 0, also in a forked process.  The sums of a thread begin at any number, so only
 * their differences have a meaning.  Returns 1, or 0 if not every allocation of this process is counted; `out` is then
 * not valid.  Thread-safe: takes the lock of the recorder.  Does not call malloc().
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
