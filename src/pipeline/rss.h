/*
 * rss.h - kmem:rss_stat records -> the resident memory of a target's processes
 *
 *     rss_stat: mm_id=7 curr=1 member=1 size=8192      of the address space 7 the anonymous part is now 8192 bytes
 *
 * A record tells an absolute value of one part (0 file pages, 1 anonymous, 2 swapped out, 3 shared
 * memory); resident are the first, second and fourth.  curr is 0 where a task changed an address space that is not
 * its own: the parent's at a fork, fills the child's; the new one of an exec; a stranger's, from which it took memory.
 *
 * An address space counts from its first record with curr 1.  What a child had by then from a fork is its
 * parent's, too, and is not counted twice while the parent has anything.  At a process's end it has nothing.
 *
 * Feeds: steps of a sum.  Holds: memory is a small multiple of the input.
 */
#ifndef HD_PIPELINE_RSS_H
#define HD_PIPELINE_RSS_H

#include "base/err.h"
#include "base/log.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hd_rss_step { uint64_t time_ns, bytes; };	/* from then on */

struct hd_rss {
	struct hd_rss_step *steps;	/* by rising time */
	size_t n, cap;
	uint64_t end_ns;		/* of the last record */
};

/* What a record says; for the tests, which feed them one by one. */
struct hd_rss_record {
	uint64_t time_ns, seq;
	int32_t pid;			/* of the task that did it */
	uint32_t mm;
	int64_t bytes;
	uint8_t member;
	bool own;			/* curr */
	bool end;			/* the process has ended; nothing else is told */
};

/* Sorts the records. */
void hd_rss_sum(struct hd_rss *out, struct hd_rss_record *records, size_t n);

/* A recording made with `perf record -k CLOCK_MONOTONIC -e kmem:rss_stat -c 1`. */
int hd_rss_read(struct hd_rss *out, const char *path, struct hd_log *log, struct hd_err *err);
void hd_rss_release(struct hd_rss *r);

#endif
