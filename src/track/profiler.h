/*
 * profiler.h - the parts of a profiler of libhotdrift
 *
 * A profiler is a row of independent parts: operations, allocations, a timeline, and so on.  Each part is one file,
 * which defines its state, its lock and one struct hd_part_type.  Its public functions begin with
 *
 *     struct hd_ops_state *ops = hd_profiler_part(p, HD_PART_OPS);
 *     if (!ops)
 *             return HD_TRACK_NOMEM;
 *
 * Ownership: the profiler owns the states.  Parts do not use each other's state, only public functions.
 * fork():    the child has a copy of everything that was recorded.  fork() takes the lock of each part of the global
 *            profiler first, so that the child can go on recording.  Other profilers must not be used by another
 *            thread during fork(), if the child uses them.
 */
#ifndef HD_TRACK_PROFILER_H
#define HD_TRACK_PROFILER_H

#include "track/status.h"

enum hd_part {
	HD_PART_OPS,
	HD_PART_ALLOCS,
	HD_PART_TIMELINE,
	HD_PART_SPANS,
	HD_PART_MEMORY,
	HD_PART_LATENCY,
	HD_PART_POWER,
	HD_PART_GPU,
	HD_PARTS
};

struct hd_part_type {
	/* Create the state from p->config, which has no zeros any more.  HD_TRACK_OK or NOMEM. */
	int (*create)(void **state, const struct hd_profiler *p);
	void (*reset)(void *state);		/* forget what was recorded; thread-safe */
	void (*release)(void *state);		/* free it; no other thread uses it any more */
	void (*lock)(void *state, bool on);	/* take or release the lock of the part, around fork() */
};

extern const struct hd_part_type hd_part_ops, hd_part_allocs, hd_part_timeline, hd_part_spans, hd_part_memory,
	hd_part_latency, hd_part_power, hd_part_gpu;

struct hd_profiler {
	struct hd_profiler_config config;
	uint64_t begin_ns;			/* CLOCK_MONOTONIC */
	uint64_t begin_us;			/* since 1970, at the same moment */
	uint64_t serial;			/* unique in this process, from 1 */
	void *state[HD_PARTS];
};

/* Return p, or the profiler of the process for HD_GLOBAL; NULL without memory.  Thread-safe. */
struct hd_profiler *hd_profiler_resolve(struct hd_profiler *p);
/* Return the state of a part; NULL without memory. */
void *hd_profiler_part(struct hd_profiler *p, enum hd_part part);

#endif
