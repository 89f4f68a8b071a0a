/*
 * sample_queue.c - see sample_queue.h
 */
#include "pipeline/sample_queue.h"

#include "base/mem.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH_SAMPLES = 512, THREADS_MAX = 64 };

enum state { IDLE, FILLING, WAITING, RUNNING, DONE };

/* The samples of one window of the file, and the frames that unwinding found for them. */
struct batch {
	enum state state;		/* guarded by the lock of the queue */
	/*
	 * the window of the file that contains the samples (hd_perf_hold()); held until the thread that adds samples
	 * reuses the batch
	 */
	struct hd_window *window;
	char **sentences;		/* copies of `why` of the items */
	size_t nsentences, sentences_cap;
	struct hd_queued_sample *items;
	size_t n, cap, taken;
	uint64_t *ip, *cfa;
	uint8_t *flags;
	size_t nframes, ip_cap, cfa_cap, flags_cap;
	/* which bytes of the stack copies unwinding reads, as in bundle/stack_bytes_used.h */
	struct hd_buf marks;
};

/* A thread that unwinds, with the memory that it needs. */
struct worker {
	struct hd_sample_queue *q;
	pthread_t thread;
	struct hd_unwinder *unwinder;
	struct hd_unwind_result out;
	uint8_t *marks;			/* one per byte of a stack copy; NULL: not requested */
};

/*
 * A ring of batches.  `used` batches are in use, and the oldest of them is ring[first].  Only the newest can be in
 * state FILLING.  The lock protects `first`, `used` and the states of the batches.
 */
struct hd_sample_queue {
	struct hd_perf *pf;
	const struct hd_perf_attr *attrs;
	struct hd_sample_queue_opts opts;
	struct batch *ring;
	size_t size, first, used;
	struct batch *filling;		/* only the adding thread uses it */
	/*
	 * unwinding state of each thread.  The thread that takes samples uses workers[0].  If another thread adds
	 * samples, it uses workers[1].
	 */
	struct worker *workers;
	size_t nworkers;
	unsigned threads;
	pthread_mutex_t lock;
	pthread_cond_t changed;		/* signals any change of a state */
	bool beside, ended, stop;
};

static void unwind_one(struct worker *w, struct batch *b, struct hd_queued_sample *item)
{
	const struct hd_sample_queue *q = w->q;
	struct hd_unwind_input in = {
		.at = &item->at, .machine = q->opts.machine, .swap = q->opts.swap, .abi = item->s.regs_user_abi,
		.regs_mask = q->attrs[item->s.attr].regs_user, .regs = item->s.regs_user,
		.stack = item->s.stack_user, .stack_bytes = item->s.stack_user_bytes, .marks = w->marks,
	};

	if (q->opts.stack_limit && in.stack_bytes > q->opts.stack_limit)
		in.stack_bytes = q->opts.stack_limit;
	hd_unwinder_run(w->unwinder, &in, &w->out);
	item->first = (uint32_t)b->nframes;
	item->n = w->out.n;
	item->end = w->out.end;
	item->object = w->out.object;
	item->guessed = w->out.guessed;
	if (!item->n)		/* a sample without frames: the arrays may be NULL, and NULL + 0 is undefined */
		return;
	HD_GROW(b->ip, b->nframes + item->n, b->ip_cap);
	HD_GROW(b->cfa, b->nframes + item->n, b->cfa_cap);
	HD_GROW(b->flags, b->nframes + item->n, b->flags_cap);
	memcpy(b->ip + b->nframes, w->out.ip, item->n * sizeof(*b->ip));
	memcpy(b->cfa + b->nframes, w->out.cfa, item->n * sizeof(*b->cfa));
	memcpy(b->flags + b->nframes, w->out.flags, item->n * sizeof(*b->flags));
	b->nframes += item->n;
}

/*
 * Unwind a batch of samples, and mark the bytes of each stack copy that unwinding reads.  A bundle keeps only these
 * bytes.
 */
static void unwind_and_mark(struct worker *w, struct batch *b)
{
	hd_buf_reset(&b->marks);
	for (size_t i = 0; i < b->n; i++) {
		struct hd_queued_sample *item = &b->items[i];

		if (!item->drop)
			memset(w->marks, 0, item->s.stack_user_bytes);
		if (item->unwind)
			unwind_one(w, b, item);
		if (!item->drop)
			hd_stack_bytes_used_note(&b->marks, &item->rec, &item->s, w->marks);
	}
}

static void run(struct worker *w, struct batch *b)
{
	b->nframes = 0;
	if (w->marks) {
		unwind_and_mark(w, b);
		return;
	}
	for (size_t i = 0; i < b->n; i++)
		if (b->items[i].unwind)
			unwind_one(w, b, &b->items[i]);
}

/* Return the oldest batch of samples that waits to be unwound, or NULL.  The caller holds the lock. */
static struct batch *waiting(struct hd_sample_queue *q)
{
	for (size_t i = 0; i < q->used; i++) {
		struct batch *b = &q->ring[(q->first + i) % q->size];

		if (b->state == WAITING)
			return b;
	}
	return NULL;
}

/*
 * Unwind the oldest batch of samples in state WAITING; return false if there is none.  The caller holds the lock, which
 * is released while unwinding.
 */
static bool help(struct hd_sample_queue *q, struct worker *w)
{
	struct batch *b = waiting(q);

	if (!b)
		return false;
	b->state = RUNNING;
	pthread_mutex_unlock(&q->lock);
	run(w, b);
	pthread_mutex_lock(&q->lock);
	b->state = DONE;
	pthread_cond_broadcast(&q->changed);
	return true;
}

static void *work(void *arg)
{
	struct worker *w = arg;
	struct hd_sample_queue *q = w->q;

	pthread_mutex_lock(&q->lock);
	while (!q->stop)
		if (!help(q, w))
			pthread_cond_wait(&q->changed, &q->lock);
	pthread_mutex_unlock(&q->lock);
	return NULL;
}

/*
 * Create the queue.  The thread that takes samples uses worker 0, and the thread that adds them may use worker 1.  So
 * threads are created for the other workers only.
 */
struct hd_sample_queue *hd_sample_queue_new(struct hd_perf *pf, struct hd_unwind *uw,
	const struct hd_sample_queue_opts *opts)
{
	struct hd_sample_queue *q = hd_new(struct hd_sample_queue);
	unsigned threads = opts->threads > THREADS_MAX ? THREADS_MAX : opts->threads ? opts->threads : 1;

	q->pf = pf;
	q->attrs = hd_perf_attrs(pf, &(size_t){ 0 });
	q->opts = *opts;
	q->threads = threads;
	q->size = threads == 1 ? 1 : 2 * threads + 2;
	q->ring = hd_new_array(struct batch, q->size);
	pthread_mutex_init(&q->lock, NULL);
	pthread_cond_init(&q->changed, NULL);
	q->workers = hd_new_array(struct worker, threads);
	for (unsigned i = 0; i < threads; i++) {
		struct worker *w = &q->workers[i];

		w->q = q;
		w->unwinder = hd_unwinder_new(uw);
		w->marks = opts->marks ? hd_zalloc(1, HD_STACK_BYTES_USED_MAX) : NULL;
		q->nworkers++;
		if (i > 1 && pthread_create(&w->thread, NULL, work, w)) {
			hd_unwinder_free(w->unwinder);
			free(w->marks);
			q->nworkers--;
			break;
		}
	}
	return q;
}

static void forget_sentences(struct batch *b)
{
	while (b->nsentences)
		free(b->sentences[--b->nsentences]);
}

void hd_sample_queue_free(struct hd_sample_queue *q)
{
	if (!q)
		return;
	pthread_mutex_lock(&q->lock);
	q->stop = true;
	pthread_cond_broadcast(&q->changed);
	pthread_mutex_unlock(&q->lock);
	for (size_t i = 0; i < q->nworkers; i++) {
		if (i > 1)
			pthread_join(q->workers[i].thread, NULL);
		hd_unwinder_free(q->workers[i].unwinder);
		free(q->workers[i].marks);
	}
	for (size_t i = 0; i < q->size; i++) {
		struct batch *b = &q->ring[i];

		hd_perf_drop(b->window);
		forget_sentences(b);
		free(b->sentences);
		free(b->items);
		free(b->ip);
		free(b->cfa);
		free(b->flags);
		hd_buf_release(&b->marks);
	}
	pthread_cond_destroy(&q->changed);
	pthread_mutex_destroy(&q->lock);
	free(q->workers);
	free(q->ring);
	free(q);
}

unsigned hd_sample_queue_threads(const struct hd_sample_queue *q)
{
	return q->threads;
}

/* ---- the adding thread ---- */

void hd_sample_queue_walk_beside(struct hd_sample_queue *q, bool on)
{
	q->beside = on;
	q->ended = false;
}

/*
 * Return true if the thread that adds samples unwinds them, too: there are two threads.  Its core has the stack copies
 * in its cache.
 */
static bool unwinds_own(const struct hd_sample_queue *q)
{
	return q->beside && q->threads == 2;
}

/*
 * End the batch of samples that is being filled: unwind it, or make it available for unwinding.  A thread that waits
 * for batches is woken when half of the ring is unwound, because waking it takes as long as unwinding a few samples.
 */
static void close_batch(struct hd_sample_queue *q)
{
	bool own = unwinds_own(q);

	if (!q->filling)
		return;
	if (own)
		run(&q->workers[1], q->filling);
	pthread_mutex_lock(&q->lock);
	q->filling->state = own ? DONE : WAITING;
	q->filling = NULL;
	if (!own || q->used >= q->size / 2)
		pthread_cond_broadcast(&q->changed);
	pthread_mutex_unlock(&q->lock);
}

void hd_sample_queue_end(struct hd_sample_queue *q)
{
	close_batch(q);
	pthread_mutex_lock(&q->lock);
	q->ended = true;
	pthread_cond_broadcast(&q->changed);
	pthread_mutex_unlock(&q->lock);
}

/*
 * Start a new batch of samples.  Return false if the ring of batches is full and no other thread takes samples from it.
 */
static bool open_batch(struct hd_sample_queue *q)
{
	struct batch *b;

	pthread_mutex_lock(&q->lock);
	while (q->used == q->size && q->beside)
		if (!help(q, &q->workers[1]))
			pthread_cond_wait(&q->changed, &q->lock);
	if (q->used == q->size) {
		pthread_mutex_unlock(&q->lock);
		return false;
	}
	b = &q->ring[(q->first + q->used++) % q->size];
	b->state = FILLING;
	pthread_mutex_unlock(&q->lock);
	hd_perf_drop(b->window);
	b->window = hd_perf_hold(q->pf);
	b->n = b->taken = 0;
	forget_sentences(b);
	q->filling = b;
	return true;
}

bool hd_sample_queue_add(struct hd_sample_queue *q, const struct hd_queued_sample *item)
{
	struct batch *b = q->filling;
	struct hd_queued_sample *copy;

	if (b && (b->window != hd_perf_window(q->pf) || b->n == BATCH_SAMPLES))
		close_batch(q);
	if (!q->filling && !open_batch(q))
		return false;
	b = q->filling;
	HD_GROW(b->items, b->n + 1, b->cap);
	copy = &b->items[b->n++];
	*copy = *item;
	if (item->why) {
		HD_GROW(b->sentences, b->nsentences + 1, b->sentences_cap);
		copy->why = b->sentences[b->nsentences++] = hd_strdup(item->why);
	}
	return true;
}

/* ---- the taking thread ---- */

bool hd_sample_queue_next(struct hd_sample_queue *q)
{
	bool there;

	if (!q->beside)
		close_batch(q);
	pthread_mutex_lock(&q->lock);
	while (q->used ? q->ring[q->first].state != DONE : q->beside && !q->ended)
		if (!help(q, &q->workers[0]))
			pthread_cond_wait(&q->changed, &q->lock);
	there = q->used;
	pthread_mutex_unlock(&q->lock);
	return there;
}

const struct hd_queued_sample *hd_sample_queue_take(struct hd_sample_queue *q, struct hd_unwound_frames *frames)
{
	struct batch *b = &q->ring[q->first];
	const struct hd_queued_sample *item;

	if (b->taken == b->n) {
		if (q->opts.marks)
			hd_stack_bytes_used_add(q->opts.marks, &b->marks);
		pthread_mutex_lock(&q->lock);
		b->state = IDLE;
		q->first = (q->first + 1) % q->size;
		q->used--;
		if (!unwinds_own(q) || q->used <= q->size / 2)
			pthread_cond_broadcast(&q->changed);
		pthread_mutex_unlock(&q->lock);
		return NULL;
	}
	item = &b->items[b->taken++];
	*frames = (struct hd_unwound_frames){ 0 };
	if (item->n)
		*frames = (struct hd_unwound_frames){ b->ip + item->first, b->cfa + item->first,
			b->flags + item->first };
	return item;
}
