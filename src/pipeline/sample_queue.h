/*
 * sample_queue.h - samples on their way from the file to their chains
 *
 *     walking thread      parse, select, ask who and where        hd_sample_queue_add
 *     any thread          unwind the copied stack
 *     walking thread      intern, stitch, count, in file order    hd_sample_queue_next, _take
 *
 * Unwinding is what costs, and one sample's does not depend on another's: the
 * samples of one window of the file are a batch, and a batch is unwound by
 * whichever thread is free, the walking one included.  Batches come back in
 * the order in which they went in, which is the file's, so the number of threads
 * cannot be seen in the answer.
 *
 * With hd_sample_queue_walk_beside, the walk is a thread of its own, which adds, and
 * the one that takes is another: so reading, unwinding and interning go on at
 * once.  Whoever has to wait unwinds meanwhile.
 *
 * Memory: a few batches per thread, each with the window it lies in.
 */
#ifndef HD_PIPELINE_SAMPLE_QUEUE_H
#define HD_PIPELINE_SAMPLE_QUEUE_H

#include "bundle/stack_bytes_used.h"
#include "perfdata/perfdata.h"
#include "unwind/unwind.h"

/* `drop` of what is no sample: a user call chain that samples wait for (deferred_chains.h). */
#define HD_QUEUED_USER_CHAIN "user call chain"

/* A sample that was parsed and is wanted; its views last until it is taken. */
struct hd_queued_sample {
	struct hd_sample s;
	struct hd_record rec;
	struct hd_process_context at;
	const char *drop,
		*why; /* not to be counted: the reason and, or NULL, the sentence; here for the order and its counters */
	bool unwind;			/* it has a stack copy that is to be unwound */
	/* The answer: frames of the batch, see hd_sample_queue_frames. */
	uint32_t first, n;
	enum hd_unwind_end end;
	uint32_t object;
	bool guessed;
	/* Of one that waits for its user chain (deferred_chains.h): what was asked of its fields. */
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
	unsigned threads;		/* 1: the walking thread alone */
	uint32_t stack_limit;		/* unwind as if no more than this was copied; 0: all */
	struct hd_stack_bytes_used
		*marks; /* what unwinding reads of the copies is noted there, in file order; NULL: no */
};

struct hd_sample_queue;

/* pf's attrs must be complete; all are borrowed.  Fewer threads than asked for is no error. */
struct hd_sample_queue *hd_sample_queue_new(struct hd_perf *pf, struct hd_unwind *uw,
	const struct hd_sample_queue_opts *opts);
void hd_sample_queue_free(struct hd_sample_queue *q);			/* NULL is fine */

unsigned hd_sample_queue_threads(const struct hd_sample_queue *q);

/* Adding and taking are two threads, until hd_sample_queue_end; or one. */
void hd_sample_queue_walk_beside(struct hd_sample_queue *q, bool on);
void hd_sample_queue_end(struct hd_sample_queue *q);			/* nothing more is added */

/*
 * Copy the last record's sample in, views and all.  false, and nothing is done, when a batch must be
 * taken first; never with the walk beside, which waits.
 */
bool hd_sample_queue_add(struct hd_sample_queue *q, const struct hd_queued_sample *item);
/* Wait or work until the oldest batch is unwound; false when there is none (with the walk beside: and none will come). */
bool hd_sample_queue_next(struct hd_sample_queue *q);
/* The samples of that batch in file order, then NULL, with which the batch is gone. */
const struct hd_queued_sample *hd_sample_queue_take(struct hd_sample_queue *q, struct hd_unwound_frames *frames);

#endif
