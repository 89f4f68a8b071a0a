/*
 * deferred_chains.h - samples whose user call chain comes later, in a record of its own
 *
 *     sample     kernel frames, PERF_CONTEXT_USER_DEFERRED, cookie
 *     ...
 *     CALLCHAIN_DEFERRED    thread, cookie, user frames
 *
 * The kernel (Linux 6.19, attr.defer_callchain) unwinds a thread's user stack
 * once, when it is about to return to user space, for all samples since it
 * entered the kernel.  Such a sample waits here until the record comes.  It is
 * known by thread and cookie; the cookie alone where threads are not recorded.
 *
 * Buffers are per CPU and the file has them one behind the other, so the record
 * may stand before a sample of another CPU that it is for: records are kept for
 * a while, too, whether somebody waited for them or not.  What waits or is kept
 * longest goes first when there is no more room; a sample that goes is counted
 * with its kernel frames, and as lost.deferred-chain.  All of it in file order,
 * by the thread that counts, so that the number of threads cannot be seen.
 *
 *     hd_deferred_chains_hold or _came, then _take until there is none; at the end _end, then _take again
 *
 * Owns: copies of the samples and records.  At most HD_DEFERRED_CHAINS_MAX of each, and HD_DEFERRED_CHAINS_BYTES.
 */
#ifndef HD_PIPELINE_DEFERRED_CHAINS_H
#define HD_PIPELINE_DEFERRED_CHAINS_H

#include "pipeline/sample_queue.h"

enum { HD_DEFERRED_CHAINS_MAX = 1 << 14, HD_DEFERRED_CHAINS_BYTES = 32 << 20 };

struct hd_deferred_chains;

/* most: how many may wait, and be kept; 0: HD_DEFERRED_CHAINS_MAX. */
struct hd_deferred_chains *hd_deferred_chains_new(uint32_t most);
void hd_deferred_chains_free(struct hd_deferred_chains *d);		/* NULL is fine */

/* Does its chain end in a cookie? */
static inline bool hd_deferred_chains_awaits(const struct hd_sample *s)
{
	return s->nchain >= 2 && hd_sample_chain_ip(s, s->nchain - 2) == HD_CONTEXT_DEFERRED;
}

/* Copy a sample that awaits its user chain, with what its views show. */
void hd_deferred_chains_hold(struct hd_deferred_chains *d, const struct hd_queued_sample *q);
/* The record: s has its thread, the cookie as id, and the addresses as chain. */
void hd_deferred_chains_arrive(struct hd_deferred_chains *d, const struct hd_sample *s);
/* No more will come. */
void hd_deferred_chains_end(struct hd_deferred_chains *d);
/* A sample that is complete, or has waited too long; valid until the next call of any of these.  NULL: all others wait. */
const struct hd_queued_sample *hd_deferred_chains_take(struct hd_deferred_chains *d);
/* How many were given up. */
uint64_t hd_deferred_chains_lost(const struct hd_deferred_chains *d);

#endif
