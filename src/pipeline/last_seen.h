/*
 * last_seen.h - store the time of the newest sample of each process and each thread
 *
 * A side-band record is late if it is older than a sample of its process or thread that was read already.
 *
 * Owns: the table.  Zero-initialise.
 */
#ifndef HD_PIPELINE_LAST_SEEN_H
#define HD_PIPELINE_LAST_SEEN_H

#include "base/map.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hd_last_seen {
	struct hd_map index;
	/* newest time of each process and each thread; `index` maps a pid or tid to the index in this array */
	uint64_t *times;
	size_t n, cap;
	uint64_t all;			/* newest time of all processes */
	/* The last sample; it is not in the table yet, because consecutive samples are often of the same thread. */
	int32_t pid, tid;
	uint64_t time_ns;
};

/* Slow path of hd_last_seen_add(). */
void hd_last_seen_change(struct hd_last_seen *nw, int32_t pid, int32_t tid);
/* Return true if a record of this time is older than a sample of pid or tid; pid < 0: of any process. */
bool hd_last_seen_is_late(struct hd_last_seen *nw, int32_t pid, int32_t tid, uint64_t time_ns);
void hd_last_seen_release(struct hd_last_seen *nw);

static inline void hd_last_seen_add(struct hd_last_seen *nw, int32_t pid, int32_t tid, uint64_t time_ns)
{
	if (pid != nw->pid || tid != nw->tid)
		hd_last_seen_change(nw, pid, tid);
	if (time_ns > nw->time_ns)
		nw->time_ns = time_ns;
}

#endif
