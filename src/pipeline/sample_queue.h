/*
 * sample_queue.h - queue the selected samples between reading and aggregation, and unwind them in batches
 *
 *     reading thread      parses, selects, looks up the address space     hd_sample_queue_add()
 *     any thread          unwinds the copied stacks; with one or two threads, the reading thread
 *     calling thread      interns, stitches and sums in file order        hd_sample_queue_next(), _take()
 *
 * Samples are unwound independently.  A batch has up to 512 samples, or up to 128 if the adding thread unwinds them.
 * Batches are taken in file order, so the result does not depend on the number of threads.
 *
 * One thread may add and take, or, after hd_sample_queue_walk_beside(), one thread adds while another takes.
 *
 * With one or two threads, the thread that adds a sample also unwinds it at once, because its core has the stack copy
 * in its cache: another thread would take up to three times as long.  The batch has copies of the records without
 * their stack copies.
 *
 * With more threads, any free thread unwinds a batch, and a thread that would have to wait unwinds a batch instead.
 * The samples of a batch are in one window of the file, which the batch holds.
 *
 * Memory: a few batches per thread; with more than two threads, each with its window of the file.
 */
#ifndef HD_PIPELINE_SAMPLE_QUEUE_H
#define HD_PIPELINE_SAMPLE_QUEUE_H

#include "bundle/stack_bytes_used.h"
#include "perfdata/perfdata.h"
#include "unwind/unwind.h"

/*
 * CALLCHAIN_DEFERRED records are queued like samples (deferred_chains.h).  Their hd_queued_sample.drop is
 * HD_QUEUED_USER_CHAIN.
 */
#define HD_QUEUED_USER_CHAIN "user call chain"

/*
 * A parsed sample.  Its pointers into the record are valid until the next record is read or the next sample is taken.
 */
struct hd_queued_sample {
	struct hd_sample s;
	struct hd_record rec;
	struct hd_process_context at;
	const char *drop;		/* constant string: why the sample is dropped; NULL: it is counted */
	const char *why;		/* text of a warning that explains `drop`, or NULL */
	bool unwind;			/* its stack copy must be unwound */
	/* Result of unwinding: n frames.  `first` is the index of the first one in the frames of the batch. */
	uint32_t first, n;
	enum hd_unwind_end end;
	uint32_t object;
	bool guessed;
	/* Fields of a sample that waits for its user chain (deferred_chains.h). */
	uint32_t tuple;
	uint64_t field_weight;
};

/*
 * hd_queued_sample_detach() copies the body of the record without the stack copy to `to`, and makes the sample point to
 * it; hd_queued_sample_bytes() returns the size of the copy.  Views that do not point into the record stay, because
 * their data stays valid as long as the reader.  For example, a hiperf recording stores its chains in a table, and a
 * sample refers to one by number.  The copy ends before the stack copy, so stack_user and regs_intr become NULL.
 */
size_t hd_queued_sample_bytes(const struct hd_queued_sample *q);
void hd_queued_sample_detach(struct hd_queued_sample *q, uint8_t *to);

struct hd_unwound_frames {
	const uint64_t *ip, *cfa;
	const uint8_t *flags;
};

struct hd_sample_queue_opts {
	enum hd_unwind_machine machine;
	bool swap;			/* the recording has the other byte order */
	unsigned threads;		/* including those that add and take; 1 or 2: create no threads */
	uint32_t stack_limit;		/* maximum number of bytes used of each copy; 0: all */
	struct hd_stack_bytes_used *marks;	/* collects the bytes that unwinding reads; or NULL */
};

struct hd_sample_queue;

/*
 * All pointers are borrowed.  The attrs of pf must be complete.  If fewer threads than requested can be created, that
 * is no error.
 */
struct hd_sample_queue *hd_sample_queue_new(struct hd_perf *pf, struct hd_unwind *uw,
	const struct hd_sample_queue_opts *opts);
void hd_sample_queue_free(struct hd_sample_queue *q);			/* accepts NULL */

/* Return opts->threads, raised to 1 or lowered to the internal maximum. */
unsigned hd_sample_queue_threads(const struct hd_sample_queue *q);

/* If `on` is set, one thread adds, unwinds and takes, as if the queue had one thread.  Otherwise that ends. */
void hd_sample_queue_walk_alone(struct hd_sample_queue *q, bool on);

/* The time of one thread for a part of the file, divided into reading and unwinding (add) and aggregating (take). */
struct hd_sample_queue_trial {
	uint64_t add_ns, take_ns;
	uint64_t bytes;			/* size of the part */
	uint64_t bytes_left;		/* size of the rest of the file */
};

/*
 * Return true if `threads` threads, of which one adds and another one takes, can be expected to read the rest faster
 * than one thread.
 */
bool hd_sample_queue_gains(const struct hd_sample_queue_trial *t, unsigned threads);

/* If `on` is set, one thread adds samples while another takes them, until hd_sample_queue_end(). */
void hd_sample_queue_walk_beside(struct hd_sample_queue *q, bool on);
void hd_sample_queue_end(struct hd_sample_queue *q);			/* no more samples are added */

/*
 * Copy *item, the sample of the last record, and the text item->why into the queue.  The bytes to which the sample
 * points are copied except for its stack copy, or the batch holds the window that contains them.  If the queue is full,
 * return false without adding: the caller must take a batch first.  If the adding thread unwinds the samples and no
 * other thread takes them, one complete batch fills the queue.  With hd_sample_queue_walk_beside(), the function waits
 * until another thread has taken a batch, and returns true.
 */
bool hd_sample_queue_add(struct hd_sample_queue *q, const struct hd_queued_sample *item);
/*
 * Unwind the oldest batch of samples, or wait until another thread has unwound it.  Return false if there is no batch;
 * after hd_sample_queue_walk_beside(), only if none will follow either.
 */
bool hd_sample_queue_next(struct hd_sample_queue *q);
/*
 * Return the next sample of the oldest batch of samples, in file order, and set *frames to its unwound frames; their
 * arrays are NULL if it has none.  At the end of the batch, release it and return NULL.  Call this only after
 * hd_sample_queue_next() returned true.
 */
const struct hd_queued_sample *hd_sample_queue_take(struct hd_sample_queue *q, struct hd_unwound_frames *frames);

#endif
