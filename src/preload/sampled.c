/*
 * sampled.c - count one allocation in many
 *
 * The distances between samples are exponentially distributed numbers of bytes.  Each block counts one byte more than
 * its size, so that blocks of size 0 are sampled, too.  A block of s bytes is a sample with probability
 * q = 1 - exp(-(s + 1) / interval), independent of other blocks, and counts as 1 / q blocks.  So the estimates are
 * unbiased.
 *
 * In adaptive recordings, the interval begins at 1, with which every block is a sample.  It is raised when the samples
 * of a thread come faster than the budget allows.  The interval that was valid when a distance was drawn also
 * determines the weight of the sample at its end.  It depends on the past only, so the estimates remain unbiased.
 *
 * free() looks a block up in a filter of small counters first, and then in the table of samples.
 */
#include "preload/counted_blocks.h"
#include "preload/counters.h"
#include "preload/real_allocator.h"
#include "preload/stack_cache.h"

#include <string.h>
#include <time.h>

uint8_t hd_sampled_filter[1 << HD_SAMPLED_FILTER_BITS];

struct entry {
	/*
	 * address of the sampled block; NULL: the slot was never used; GONE: its entry was removed, so a search
	 * continues at the next slot
	 */
	_Atomic(void *) p;
	size_t n;
	uint64_t interval;		/* sampling interval when the distance to this sample was drawn */
	uint32_t node;
	uint32_t halves;		/* bit mask of the halves of the samples that contain this sample */
};
#define GONE ((void *)1)

struct table { size_t mask, used, live; struct entry e[]; };

static _Atomic(struct table *) current;

void hd_sampled_begin(void)
{
	atomic_store(&current, NULL);
	memset(hd_sampled_filter, 0, sizeof(hd_sampled_filter));
	hd_boot_mark();
}

/* ---- exp and log, because the program may not have loaded libm ---- */

/* Return 1 - exp(-x), for x >= 0. */
static double chance(double x)
{
	double y = x, e;
	int halved = 0;

	if (x > 40)
		return 1;
	for (; y > 0.01; halved++)
		y /= 2;
	/*
	 * Compute e = 1 - exp(-y) for a small y by its series.  Then double y as often as it was halved:
	 * 1 - exp(-2 y) = e (2 - e).
	 */
	e = y * (1 - y / 2 * (1 - y / 3 * (1 - y / 4 * (1 - y / 5 * (1 - y / 6)))));
	while (halved--)
		e *= 2 - e;
	return e;
}

/* Return -ln(v), for v in (0, 1]. */
static double minus_ln(double v)
{
	double z, z2, sum = 0;
	int exponent = 0;

	for (; v < 0.70710678; exponent++)
		v *= 2;
	z = (v - 1) / (v + 1);
	z2 = z * z;
	for (int k = 21; k >= 1; k -= 2)
		sum = sum * z2 + 1.0 / k;
	return exponent * 0.693147180559945309 - 2 * z * sum;
}

/* Return a random number in (0, 1). */
static double uniform(struct hd_thread *t)
{
	uint64_t x = t->random += 0x9e3779b97f4a7c15u;

	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
	x ^= x >> 31;
	return ((double)(x >> 11) + 0.5) * 0x1p-53;
}

static uint64_t next(struct hd_thread *t)
{
	t->interval = atomic_load_explicit(&hd_recorder.interval, memory_order_relaxed);
	return t->interval == 1 ? 0 : (uint64_t)(minus_ln(uniform(t)) * (double)t->interval);
}

/*
 * The samples are divided at random into two halves, which overlap (struct hd_heap_half).  Return the probability with
 * which a block is in a given half.  Each half samples independently, at twice the interval.
 */
static double half_chance(size_t n, uint64_t interval)
{
	return interval == 1 ? 1 : chance(((double)n + 1) / (double)interval / 2);
}

/*
 * Decide at random in which of the two halves (struct hd_heap_half) a sample is, and return them as a bit mask.  The
 * sample is in both halves with probability p * p / q.  Here p is the probability that a block is in a given half, and
 * q = 1 - (1 - p)^2 that it is a sample.
 */
static unsigned draw_halves(struct hd_thread *t, size_t n, uint64_t interval)
{
	double p = half_chance(n, interval), u;

	if (interval == 1)
		return 3;
	u = uniform(t) * (2 - p);
	return u < p ? 3 : u < 1 ? 1 : 2;
}

static struct hd_block_weight weight(const struct entry *of)
{
	double q = of->interval == 1 ? 1 : chance(((double)of->n + 1) / (double)of->interval),
	       p = half_chance(of->n, of->interval);

	return (struct hd_block_weight){
		.n = (uint64_t)((double)(1u << HD_HEAP_SHIFT) / q + 0.5),
		.bytes = (uint64_t)((double)of->n / q + 0.5),
		.seen = 1,
		.half_n = (uint64_t)((double)(1u << HD_HEAP_SHIFT) / p + 0.5),
		.half_bytes = (uint64_t)((double)of->n / p + 0.5),
		.halves = of->halves,
		.var_n = (1 - q) / q / q,
		.var_bytes = (1 - q) / q / q * (double)of->n * (double)of->n,
		.half_var_n = (1 - p) / p / p,
		.half_var_bytes = (1 - p) / p / p * (double)of->n * (double)of->n,
	};
}

/* ---- adaptive interval ---- */

enum { BATCH = 256, FIRST_INTERVAL = 64 };

/* Count a sample.  If the last BATCH samples came too fast, raise the interval for all threads. */
static void adapt(struct hd_thread *t)
{
	uint64_t least = BATCH * hd_recorder.budget, was = t->interval, now, took, wanted;
	struct timespec ts;

	if (t->batch++ % BATCH)
		return;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	now = (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
	took = now - t->batch_began;
	t->batch_began = now;
	if (t->batch == 1 || took >= least)
		return;
	wanted = was == 1 ? FIRST_INTERVAL : was * (took < least / 4 ? 4 : 2);
	/* The exchange fails if another thread has raised the interval already. */
	if (wanted <= 1ull << 32 && atomic_compare_exchange_strong(&hd_recorder.interval, &was, wanted))
		__atomic_store_n(&hd_recorder.header->interval, wanted, __ATOMIC_RELAXED);
}

/* ---- the table; writers hold the lock ---- */

static size_t slot_of(const struct table *t, const void *p)
{
	return (((uint64_t)(uintptr_t)p >> 4) * 0xd6e8feb86659fd93u) >> 20 & t->mask;
}

static struct entry *find(struct table *t, const void *p)
{
	for (size_t i = slot_of(t, p); ; i = (i + 1) & t->mask) {
		void *there = atomic_load_explicit(&t->e[i].p, memory_order_acquire);

		if (there == p)
			return &t->e[i];
		if (!there)
			return NULL;
	}
}

static void insert(struct table *t, void *p, const struct entry *of)
{
	size_t i = slot_of(t, p);

	while (atomic_load(&t->e[i].p))
		i = (i + 1) & t->mask;
	t->e[i].n = of->n;
	t->e[i].interval = of->interval;
	t->e[i].node = of->node;
	t->e[i].halves = of->halves;
	atomic_store_explicit(&t->e[i].p, p, memory_order_release);
	t->used++;
	t->live++;
}

static struct table *with_room(void)
{
	struct table *t = atomic_load(&current), *more;
	size_t slots = 1024;

	if (t && 2 * (t->used + 1) <= t->mask)
		return t;
	while (t && slots < 4 * (t->live + 1))
		slots *= 2;
	more = hd_recorder_mem_take(sizeof(*more) + slots * sizeof(more->e[0]));
	if (!more)
		return NULL;
	more->mask = slots - 1;
	for (size_t i = 0; t && i <= t->mask; i++) {
		void *p = atomic_load(&t->e[i].p);

		if (p && p != GONE)
			insert(more, p, &t->e[i]);
	}
	atomic_store_explicit(&current, more, memory_order_release);
	return more;
}

static bool add_sample(void *p, const struct entry *of)
{
	uint8_t *f = &hd_sampled_filter[hd_sampled_filter_slot(p)];
	struct table *t;

	hd_recorder_lock();
	t = with_room();
	if (t) {
		insert(t, p, of);
		if (*f != UINT8_MAX)
			__atomic_store_n(f, *f + 1, __ATOMIC_RELAXED);
	}
	hd_recorder_unlock();
	return t != NULL;
}

static bool remove_sample(void *p, struct entry *was)
{
	uint8_t *f = &hd_sampled_filter[hd_sampled_filter_slot(p)];
	struct table *t;
	struct entry *e;

	hd_recorder_lock();
	t = atomic_load(&current);
	e = t ? find(t, p) : NULL;
	if (e) {
		was->n = e->n;
		was->interval = e->interval;
		was->node = e->node;
		was->halves = e->halves;
		atomic_store(&e->p, GONE);
		t->live--;
		if (*f != UINT8_MAX)
			__atomic_store_n(f, *f - 1, __ATOMIC_RELAXED);
	}
	hd_recorder_unlock();
	return e != NULL;
}

/* ---- bytes between samples ---- */

void hd_sampled_settle(struct hd_thread *t)
{
	__atomic_fetch_add(&hd_recorder.header->passed, t->left_at_update - hd_tls.left, __ATOMIC_RELAXED);
	t->left_at_update = hd_tls.left;
}

static void draw(struct hd_thread *t)
{
	t->left_at_update = hd_tls.left = next(t);
}

/* ---- calls from malloc_hooks.c ---- */

void hd_sampled_alloc(void *p, size_t n, const struct hd_regs *from)
{
	struct hd_thread *t = hd_enter();
	struct hd_heap_counter *c;
	struct entry of;

	if (!t) {
		/*
		 * If the process is not recorded, set the countdown to 1 TiB, so that the slow path is rarely taken.
		 * If the thread is busy in the recorder, do not change it; the next allocation comes here again.
		 */
		if (hd_tls.gen != HD_BUSY)
			hd_tls.left = 1ull << 40;
		return;
	}
	/* If no distance to the first sample of this thread was drawn yet, draw it now. */
	if (!hd_tls.drawn) {
		hd_tls.drawn = true;
		draw(t);
		if (n < hd_tls.left) {
			hd_tls.left -= n + 1;
			goto out;
		}
	}
	if (p)
		hd_tls.left -= (uint64_t)n + 1;		/* count this block; the number wraps for a moment */
	hd_sampled_settle(t);
	of = (struct entry){ .n = n, .interval = t->interval, .halves = draw_halves(t, n, t->interval) };
	draw(t);
	if (!p)
		goto out;
	c = hd_stack_counter(t, from);
	if (!c)
		goto out;
	of.node = c->node;
	if (add_sample(p, &of)) {
		hd_counter_alloc(t, c, weight(&of), true, __libc_single_threaded);
		t->last = p;
		t->left_then = hd_tls.left;
	} else {
		__atomic_fetch_add(&hd_recorder.header->lost, 1, __ATOMIC_RELAXED);
	}
	if (hd_recorder.budget)
		adapt(t);
out:
	hd_leave();
}

void hd_sampled_free(void *p, bool may_be_temporary)
{
	struct hd_thread *t;
	struct table *table = atomic_load_explicit(&current, memory_order_acquire);
	struct hd_heap_counter *c;
	struct entry was;

	/* Most blocks that pass the filter are not in the table. */
	if (!table || !find(table, p))
		return;
	t = hd_enter();
	if (!t)
		return;
	if (remove_sample(p, &was) && (c = hd_counter(t, was.node)) != NULL)
		hd_counter_free(t, c, weight(&was),
			may_be_temporary && t->last == p && t->left_then == hd_tls.left, true,
			__libc_single_threaded);
	if (t->last == p)
		t->last = NULL;
	hd_leave();
}
