/*
 * rss.h - compute the resident memory of the processes of a target from kmem:rss_stat records
 *
 *     rss_stat: mm_id=7 curr=1 member=1 size=8192      address space 7 now has 8192 bytes of anonymous memory
 *
 * A record has the absolute size of one part: 0 file pages, 1 anonymous, 2 swapped out, 3 shared memory.  Parts 0, 1
 * and 3 are resident.  curr is 0 if the task changed the address space of another task: a fork fills the child's, an
 * exec the new one, and a task can take memory from an unrelated process.
 *
 * An address space counts from its first record with curr 1.  Memory that a child has from a fork belongs to the
 * parent, too, and is not counted twice while the parent has memory.  When a process ends, its memory is set to 0.
 *
 * Result:  steps of the sum over all processes.
 * Memory:  a small multiple of the size of the recording.
 */
#ifndef HD_PIPELINE_RSS_H
#define HD_PIPELINE_RSS_H

#include "base/err.h"
#include "base/log.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hd_rss_step { uint64_t time_ns, bytes; };	/* resident from time_ns to the next step */

struct hd_rss {
	struct hd_rss_step *steps;	/* in ascending order of time */
	size_t n, cap;
	uint64_t end_ns;		/* time of the last record */
};

/* One record.  Public for the tests, which call hd_rss_sum(). */
struct hd_rss_record {
	uint64_t time_ns, seq;		/* seq: hd_record.seq, breaks ties of time */
	int32_t pid;			/* process of the task that made the change; with `end`, the ended process */
	uint32_t mm;			/* number of the address space */
	int64_t bytes;			/* new size of the part `member` */
	uint8_t member;
	bool own;			/* curr was 1 */
	/* true: the record is the end of the process, and only time_ns, seq and pid are set */
	bool end;
};

/* Compute the steps from n records.  Sorts the records in place.  The caller releases *out. */
void hd_rss_sum(struct hd_rss *out, struct hd_rss_record *records, size_t n);

/*
 * Read a recording made with `perf record -k CLOCK_MONOTONIC -e kmem:rss_stat -c 1`.  Times are CLOCK_MONOTONIC in ns.
 * The caller releases *out, also after an error.  HD_EFORMAT if the recording lacks the event or one of its fields, or
 * has another clock.  Warnings: lost.rss (records that perf lost), and those of damage.
 */
int hd_rss_read(struct hd_rss *out, const char *path, struct hd_log *log, struct hd_err *err);
void hd_rss_release(struct hd_rss *r);

#endif
