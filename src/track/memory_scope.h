/*
 * memory_scope.h - what was allocated inside of named scopes, summed by name; and the state of the part
 *
 * hotdrift.h has hd_memory_scope_start() and _stop().  The totals are for reports of the library.
 *
 * Two methods.  If libhotdrift-heap.so is preloaded and counts every allocation (HOTDRIFT_HEAP_INTERVAL=1), its totals
 * are exact, for the thread and for the process, in requested bytes.  Otherwise mallinfo2() of the C library returns
 * the bytes in use, of the process: their growth is an allocation, their shrinkage a free, and both at once cancel out.
 * It counts whole blocks, and nothing of another allocator.
 *
 * A scope that ends in another thread than it began has no bytes of a thread.  A scope that was started before fork()
 * cannot be stopped in the child.
 */
#ifndef HD_TRACK_MEMORY_SCOPE_H
#define HD_TRACK_MEMORY_SCOPE_H

#include "track/row_log.h"

struct hd_memory_scope_total {
	char name[HD_NAME_BYTES];
	enum hd_memory_method method;		/* of the last one */
	uint64_t count;
	uint64_t thread_allocated_bytes, thread_freed_bytes, allocated_bytes, freed_bytes;	/* sums */
	uint64_t largest_bytes;			/* largest allocated_bytes of one scope */
	int64_t rss_delta_bytes;		/* sum */
};

/* The state of HD_PART_MEMORY. */
struct hd_memory_state {
	struct hd_row_log snapshots;		/* struct hd_memory_snapshot */
	struct hd_row_log scopes;		/* struct hd_memory_scope_total, each name once */
	size_t names_max;
	/*
	 * the largest VmHWM so far (it can fall a little, because the kernel sums inexactly), and
	 * the process that it belongs to
	 */
	uint64_t peak_rss_bytes;
	int peak_of;
};

/*
 * Set *out to an array of all names by allocated bytes, then by name, which the caller frees.  Returns their number, or
 * HD_TRACK_NOMEM.
 */
int64_t hd_memory_scope_totals(struct hd_profiler *p, struct hd_memory_scope_total **out);

#endif
