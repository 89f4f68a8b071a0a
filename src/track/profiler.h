/*
 * profiler.h - the parts of a profiler of libhotdrift
 *
 * A profiler consists of independent parts: operations, allocations, a timeline, and so on.  Each part has its own
 * state, its own lock and one struct hd_part_type.  Its public functions begin with
 *
 *     struct hd_ops_state *ops = hd_profiler_part(p, HD_PART_OPS);
 *     if (!ops)
 *             return HD_TRACK_NOMEM;
 *
 * Ownership: the profiler owns the states.  Parts do not use each other's state, only public functions.
 * fork():    the child has a copy of everything that was recorded.  fork() takes the lock of each part of the global
 *            profiler first, so that the child can go on recording.  If the child uses another profiler, no other
 *            thread may use that profiler during fork().
 */
#ifndef HD_TRACK_PROFILER_H
#define HD_TRACK_PROFILER_H

#include "track/status.h"

#include <pthread.h>

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
	/*
	 * Create the state of the part.  In p->config, zeros of timeline_events and names_max are already replaced by
	 * the defaults.  Returns HD_TRACK_OK or NOMEM.
	 */
	int (*create)(void **state, const struct hd_profiler *p);
	void (*reset)(void *state);		/* drop what was recorded; thread-safe */
	void (*release)(void *state);		/* free it; no other thread uses it any more */
	void (*lock)(void *state, bool on);	/* take or release the lock of the part, around fork() */
};

extern const struct hd_part_type hd_part_ops, hd_part_allocs, hd_part_timeline, hd_part_spans, hd_part_memory,
	hd_part_latency, hd_part_power, hd_part_gpu;

struct hd_profiler {
	struct hd_profiler_config config;
	uint64_t begin_ns;			/* CLOCK_MONOTONIC */
	uint64_t begin_us;			/* the time of begin_ns in microseconds since 1970 */
	uint64_t serial;			/* number of the profiler in this process, from 1 */
	void *state[HD_PARTS];
};

/* Take a lock (on is true) or release it: for the `lock` functions of parts, which are called around fork(). */
void hd_part_lock(pthread_mutex_t *lock, bool on);
/* Copy the first `cap` of n rows to the caller's array `out`, free `rows`, and return n. */
int64_t hd_profiler_give_rows(void *out, size_t cap, void *rows, size_t n, size_t row_bytes);
/* Return p; for HD_GLOBAL, return the profiler of the process, or NULL if there is no memory.  Thread-safe. */
struct hd_profiler *hd_profiler_resolve(struct hd_profiler *p);
/* Return the state of a part; NULL if p is HD_GLOBAL and there is no memory to create that profiler. */
void *hd_profiler_part(struct hd_profiler *p, enum hd_part part);

#endif
