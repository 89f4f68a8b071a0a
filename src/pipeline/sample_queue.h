/*
 * sample_queue.h - selected samples between the reader and their aggregation, unwound in batches
 *
 *     reading thread      parses, selects, looks up the address space     hd_sample_queue_add()
 *     any thread          unwinds the copied stacks
 *     calling thread      interns, stitches and sums in file order        hd_sample_queue_next(), _take()
 *
 * Unwinding is the expensive part, and samples are unwound independently.  The samples of one window of the file are a
 * batch, and any free thread unwinds it.  Batches are taken in file order, so the result does not depend on the
 * number of threads.
 *
 * One thread may add and take, or, after hd_sample_queue_walk_beside(), one thread adds while another takes.  A
 * thread that would have to wait unwinds a batch instead.
 *
 * Memory: a few batches per thread, each with its window of the file.
 */
#ifndef HD_PIPELINE_SAMPLE_QUEUE_H
#define HD_PIPELINE_SAMPLE_QUEUE_H

#include "bundle/stack_bytes_used.h"
#include "perfdata/perfdata.h"
#include "unwind/unwind.h"

/* `drop` of a queued CALLCHAIN_DEFERRED record, which is not a sample (deferred_chains.h). */
#define HD_QUEUED_USER_CHAIN "user call chain"

/* A parsed sample.  Its views are valid until the next one is taken. */
struct hd_queued_sample {
	struct hd_sample s;
	struct hd_record rec;
	struct hd_process_context at;
	const char *drop;		/* why it is not counted, a constant word; NULL: it is counted */
	const char *why;		/* the warning for it, or NULL */
	bool unwind;			/* its stack copy must be unwound */
	/* Result of unwinding: n frames from number `first` of the batch. */
	uint32_t first, n;
	enum hd_unwind_end end;
	uint32_t object;
	bool guessed;
	/* Fields of a sample that waits for its user chain (deferred_chains.h). */
	uint32_t tuple;
	uint64_t field_weight;
};

struct hd_unwound_frames {
	const uint64_t *ip, *cfa;
	const uint8_t *flags;
};

struct hd_sample_queue_opts {
	enum hd_unwind_machine machine;
	bool swap;
	unsigned threads;		/* 1: no further threads */
	uint32_t stack_limit;		/* maximum number of bytes used of each copy; 0: all */
	struct hd_stack_bytes_used *marks;	/* collects the bytes that unwinding reads; or NULL */
};

struct hd_sample_queue;

/* All pointers are borrowed.  The attrs of pf must be complete.  Fewer threads than requested are not an error. */
struct hd_sample_queue *hd_sample_queue_new(struct hd_perf *pf, struct hd_unwind *uw,
	const struct hd_sample_queue_opts *opts);
void hd_sample_queue_free(struct hd_sample_queue *q);			/* accepts NULL */

/* Return opts->threads, raised to 1 or lowered to the internal maximum. */
unsigned hd_sample_queue_threads(const struct hd_sample_queue *q);

/* With `on`, one thread adds and another takes, until hd_sample_queue_end(). */
void hd_sample_queue_walk_beside(struct hd_sample_queue *q, bool on);
void hd_sample_queue_end(struct hd_sample_queue *q);			/* no more samples are added */

/*
 * Copy the sample of the last record with the data of its views.  Return false without any effect if a batch must be
 * taken first.  With hd_sample_queue_walk_beside() it waits instead and returns true.
 */
bool hd_sample_queue_add(struct hd_sample_queue *q, const struct hd_queued_sample *item);
/*
 * Unwind or wait until the oldest batch is unwound.  Return false if there is no batch; with
 * hd_sample_queue_walk_beside(), if none will follow.
 */
bool hd_sample_queue_next(struct hd_sample_queue *q);
/* Return the next sample of that batch in file order.  Return NULL at its end, and release the batch. */
const struct hd_queued_sample *hd_sample_queue_take(struct hd_sample_queue *q, struct hd_unwound_frames *frames);

#endif
