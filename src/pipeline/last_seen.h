/*
 * last_seen.h - the newest sample of each process and of each thread, so far
 *
 * A record that tells of a process is too late when it is older than one of
 * its samples that was counted.
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
	uint64_t *times;		/* by process or thread */
	size_t n, cap;
	uint64_t all;			/* of any */
	/* The last sample's, not in the table yet: neighbours are of one thread. */
	int32_t pid, tid;
	uint64_t time_ns;
};

void hd_last_seen_change(struct hd_last_seen *nw, int32_t pid, int32_t tid);
/* Is a record of that time about pid and tid older than a sample?  pid < 0: about all. */
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
