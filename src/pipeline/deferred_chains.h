/*
 * deferred_chains.h - hold samples whose user call chain is recorded later, in a separate record
 *
 *     sample                kernel frames, PERF_CONTEXT_USER_DEFERRED, cookie
 *     ...
 *     CALLCHAIN_DEFERRED    thread, cookie, user frames
 *
 * With attr.defer_callchain (Linux 6.19) the kernel unwinds the user stack of a thread once, when the thread returns to
 * user space, for all samples since it entered the kernel.  Such a sample is held until the record with its thread and
 * cookie is read, or with its cookie alone if threads are not recorded.
 *
 * Buffers are per CPU and are written to the file one after the other, so a record can precede samples of other CPUs
 * that need it.  Therefore records are kept for a while, too.  When there is no room for a record, the oldest one is
 * dropped.  When there is no room for a sample, the oldest one is counted with its kernel frames only, and reported as
 * lost.deferred-chain.
 *
 * Call hd_deferred_chains_hold() or _arrive(), then _take() until it returns NULL.  At the end of the file call _end(),
 * then _take() again.  Only the aggregating thread calls them, in file order, so the result does not depend on the
 * number of threads.
 *
 * Owns: copies of the samples and of the records, each limited to HD_DEFERRED_CHAINS_MAX copies and about
 *       HD_DEFERRED_CHAINS_BYTES.
 */
#ifndef HD_PIPELINE_DEFERRED_CHAINS_H
#define HD_PIPELINE_DEFERRED_CHAINS_H

#include "pipeline/sample_queue.h"

enum { HD_DEFERRED_CHAINS_MAX = 1 << 14, HD_DEFERRED_CHAINS_BYTES = 32 << 20 };

struct hd_deferred_chains;

/* `most` is the limit for the waiting samples, and also for the kept records; 0: HD_DEFERRED_CHAINS_MAX. */
struct hd_deferred_chains *hd_deferred_chains_new(uint32_t most);
void hd_deferred_chains_free(struct hd_deferred_chains *d);		/* accepts NULL */

/* Return true if the chain of s ends in a cookie. */
static inline bool hd_deferred_chains_awaits(const struct hd_sample *s)
{
	return s->nchain >= 2 && hd_sample_chain_ip(s, s->nchain - 2) == HD_CONTEXT_DEFERRED;
}

/*
 * Copy a sample that awaits its user chain, together with the bytes of the record to which it points, except its stack
 * copy.
 */
void hd_deferred_chains_hold(struct hd_deferred_chains *d, const struct hd_queued_sample *q);
/*
 * Add a CALLCHAIN_DEFERRED record.  `s` is the parsed record: its thread, the cookie as `id` and the addresses as
 * `chain`.
 */
void hd_deferred_chains_arrive(struct hd_deferred_chains *d, const struct hd_sample *s);
/* No more records follow: hd_deferred_chains_take() then returns all waiting samples. */
void hd_deferred_chains_end(struct hd_deferred_chains *d);
/*
 * Return a sample whose chain is complete, or which will not get its user chain; NULL: there is none.  It is valid
 * until the next call of any of these functions.
 */
const struct hd_queued_sample *hd_deferred_chains_take(struct hd_deferred_chains *d);
/* Return the number of samples that hd_deferred_chains_take() has returned without their user chain. */
uint64_t hd_deferred_chains_lost(const struct hd_deferred_chains *d);

#endif
