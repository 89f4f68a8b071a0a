/*
 * sample_queue.c - see sample_queue.h
 */
#include "pipeline/sample_queue.h"

#include "base/mem.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/*
 * OWN_SAMPLES, OWN_BYTES: size of a batch that the adding thread unwinds itself.  It is small, so that the batches and
 * the window stay in the cache of the core.  OWN_BYTES is at least the size of the largest record.
 */
enum { BATCH_SAMPLES = 512, THREADS_MAX = 64, OWN_SAMPLES = 128, OWN_BYTES = 1 << 17 };
/*
 * A second thread must have at least LEAST_PERCENT of the work.  Measured: with a third of the work, it saves no
 * time, because waking threads and moving samples from core to core costs time, too.  LEAST_LEFT_NS: with less work
 * left, starting a thread takes as long as it saves.
 */
enum { LEAST_PERCENT = 40, LEAST_LEFT_NS = 20000000 };

/* Return true if p points into the body of the record. */
static bool is_inside(const struct hd_record *rec, const uint8_t *p)
{
	return (uintptr_t)p - (uintptr_t)rec->data < rec->size - 8u;
}

size_t hd_queued_sample_bytes(const struct hd_queued_sample *q)
{
	return is_inside(&q->rec, q->s.stack_user) ? (size_t)(q->s.stack_user - q->rec.data) : q->rec.size - 8u;
}

void hd_queued_sample_detach(struct hd_queued_sample *q, uint8_t *to)
{
	struct hd_sample *s = &q->s;
	const uint8_t **views[] = { &s->read, &s->read_times, &s->chain, &s->raw, &s->branches, &s->regs_user };
	size_t n = hd_queued_sample_bytes(q);

	memcpy(to, q->rec.data, n);
	for (size_t i = 0; i < HD_COUNT(views); i++)
		if (is_inside(&q->rec, *views[i]))
			*views[i] = to + (*views[i] - q->rec.data);
	s->regs_intr = s->stack_user = NULL;
	q->rec.data = to;
	q->rec.size = (uint32_t)n + 8;
}

enum state { IDLE, FILLING, WAITING, RUNNING, DONE };

/* A batch of samples, and the frames that unwinding found for them. */
struct batch {
	enum state state;		/* guarded by the lock of the queue */
	/*
	 * the window of the file that contains the samples (hd_perf_hold()); held until the thread that adds samples
	 * reuses the batch; NULL: `bytes` has copies of the records without their stack copies
	 */
	struct hd_window *window;
	uint8_t *bytes;			/* OWN_BYTES, of which nbytes are used */
	size_t nbytes;
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
	 * samples, it uses workers[1].  If unwinds_own(), only the adding thread unwinds, and uses workers[0].
	 */
	struct worker *workers;
	size_t nworkers;
	unsigned threads;
	pthread_mutex_t lock;
	/* signalled when a batch can be unwound, taken or filled again, and when `ended` or `stop` is set */
	pthread_cond_t changed;
	bool alone, beside, ended, stop;
};

/*
 * Return true if the thread that adds samples unwinds them, too, each one at once: its core has the stack copies in its
 * cache.  No window is held then, so the reader fills the same window again and again.
 */
static bool unwinds_own(const struct hd_sample_queue *q)
{
	return q->threads <= 2 || q->alone;
}

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
 * Unwind a sample, and mark the bytes of its stack copy that unwinding reads.  A bundle keeps only these bytes.
 */
static void unwind_and_mark(struct worker *w, struct batch *b, struct hd_queued_sample *item)
{
	bool mark = w->marks && !item->drop;

	if (mark)
		memset(w->marks, 0, item->s.stack_user_bytes);
	if (item->unwind)
		unwind_one(w, b, item);
	if (mark)
		hd_stack_bytes_used_note(&b->marks, &item->rec, &item->s, w->marks);
}

static void run(struct worker *w, struct batch *b)
{
	for (size_t i = 0; i < b->n; i++)
		unwind_and_mark(w, b, &b->items[i]);
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
	unsigned threads = opts->threads > THREADS_MAX ? THREADS_MAX : opts->threads ? opts->threads : 1, nworkers;

	q->pf = pf;
	q->attrs = hd_perf_attrs(pf, &(size_t){ 0 });
	q->opts = *opts;
	q->threads = threads;
	q->size = threads == 1 ? 1 : 2 * threads + 2;
	q->ring = hd_new_array(struct batch, q->size);
	pthread_mutex_init(&q->lock, NULL);
	pthread_cond_init(&q->changed, NULL);
	nworkers = unwinds_own(q) ? 1 : threads;
	q->workers = hd_new_array(struct worker, nworkers);
	for (unsigned i = 0; i < nworkers; i++) {
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
		free(b->bytes);
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

bool hd_sample_queue_gains(const struct hd_sample_queue_trial *t, unsigned threads)
{
	uint64_t less = t->take_ns < t->add_ns ? t->take_ns : t->add_ns, all = t->take_ns + t->add_ns;
	double left_ns = t->bytes ? (double)all * ((double)t->bytes_left / (double)t->bytes) : 0;

	/* With more than two threads, several of them unwind, so the shares of one thread's time do not matter. */
	return left_ns >= LEAST_LEFT_NS && (threads > 2 || less * 100 >= all * LEAST_PERCENT);
}

/* ---- the adding thread ---- */

void hd_sample_queue_walk_alone(struct hd_sample_queue *q, bool on)
{
	q->alone = on;
}

void hd_sample_queue_walk_beside(struct hd_sample_queue *q, bool on)
{
	q->beside = on;
	q->ended = false;
}

/*
 * End the batch of samples that is being filled.  If the adding thread unwinds the samples itself, a thread that waits
 * for batches is woken only when half of the ring is used, because waking it takes as long as unwinding a few samples.
 */
static void close_batch(struct hd_sample_queue *q)
{
	bool own = unwinds_own(q);

	if (!q->filling)
		return;
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
 * Start a new batch of samples.  If another thread takes samples, wait until a batch of the ring is free.  Otherwise
 * return false if no batch is free, or, if this thread unwinds each sample at once, if any batch is in use.
 */
static bool open_batch(struct hd_sample_queue *q)
{
	struct batch *b;

	pthread_mutex_lock(&q->lock);
	while (q->used == q->size && q->beside)
		if (!help(q, &q->workers[1]))
			pthread_cond_wait(&q->changed, &q->lock);
	if (q->used == q->size || (q->used && unwinds_own(q) && !q->beside)) {
		pthread_mutex_unlock(&q->lock);
		return false;
	}
	b = &q->ring[(q->first + q->used++) % q->size];
	b->state = FILLING;
	pthread_mutex_unlock(&q->lock);
	hd_perf_drop(b->window);
	b->window = unwinds_own(q) ? NULL : hd_perf_hold(q->pf);
	b->n = b->taken = b->nframes = b->nbytes = 0;
	hd_buf_reset(&b->marks);
	forget_sentences(b);
	q->filling = b;
	return true;
}

/* Return true if the batch that is being filled cannot hold the sample. */
static bool is_full(const struct hd_sample_queue *q, const struct hd_queued_sample *item)
{
	const struct batch *b = q->filling;

	if (unwinds_own(q))
		return b->n == OWN_SAMPLES || b->nbytes + hd_queued_sample_bytes(item) > OWN_BYTES;
	return b->n == BATCH_SAMPLES || b->window != hd_perf_window(q->pf);
}

bool hd_sample_queue_add(struct hd_sample_queue *q, const struct hd_queued_sample *item)
{
	struct batch *b = q->filling;
	struct hd_queued_sample *copy;

	if (b && is_full(q, item))
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
	if (unwinds_own(q)) {
		unwind_and_mark(&q->workers[0], b, copy);
		if (!b->bytes)
			b->bytes = hd_alloc(OWN_BYTES);
		hd_queued_sample_detach(copy, b->bytes + b->nbytes);
		b->nbytes += copy->rec.size - 8u;
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
