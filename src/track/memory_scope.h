/*
 * memory_scope.h - sum by name what was allocated inside of named scopes; the state of memory snapshots
 *
 * hotdrift.h has hd_memory_scope_start() and _stop().  The totals are for reports of libhotdrift.
 *
 * There are two methods of counting.  If libhotdrift-heap.so is preloaded and counts every allocation
 * (HOTDRIFT_HEAP_INTERVAL=1), its totals are exact, for the thread and for the process, in requested bytes.  Otherwise
 * mallinfo2() of the C library returns the bytes that the process has in use.  Their growth counts as an allocation and
 * their shrinkage as a free, so an allocation and a free within one scope cancel out.  mallinfo2() counts whole blocks,
 * and does not see other allocators.
 *
 * If a scope ends in another thread than it began, or mallinfo2() is used, its bytes per thread are unknown and count
 * as 0.  A scope that was started before fork() cannot be stopped in the child.
 */
#ifndef HD_TRACK_MEMORY_SCOPE_H
#define HD_TRACK_MEMORY_SCOPE_H

#include "track/row_log.h"

struct hd_memory_scope_total {
	char name[HD_NAME_BYTES];
	enum hd_memory_method method;		/* method of counting of the last scope */
	uint64_t count;
	/* sums over all scopes of the name */
	uint64_t thread_allocated_bytes, thread_freed_bytes, allocated_bytes, freed_bytes;
	uint64_t largest_bytes;			/* largest allocated_bytes of one scope */
	int64_t rss_delta_bytes;		/* sum over all scopes: how much the resident memory grew */
};

/* The state of HD_PART_MEMORY. */
struct hd_memory_state {
	struct hd_row_log snapshots;		/* rows: struct hd_memory_snapshot */
	struct hd_row_log scopes;		/* rows: struct hd_memory_scope_total, one per name */
	size_t names_max;
	/*
	 * peak_rss_bytes: largest VmHWM (peak of the resident memory) so far of the process peak_of.  It is stored,
	 * because the kernel's VmHWM is inexact and can fall a little.
	 */
	uint64_t peak_rss_bytes;
	int peak_of;
};

/*
 * Set *out to an array of all names, most allocated bytes first, then by name.  The caller frees the array.  Returns
 * the number of names, or HD_TRACK_NOMEM.
 */
int64_t hd_memory_scope_totals(struct hd_profiler *p, struct hd_memory_scope_total **out);

#endif
