/*
 * exact.c - every allocation: a trailer at the end of the block says where it is from
 *
 *     [ what was asked for ... slack ... trailer 8 ]      all of malloc_usable_size
 *
 *     bits   0 - 23  node of the stack
 *           24 - 43  usable size less what was asked for; all ones: that size is in the 8 bytes before
 *           44 - 63  a check, mixed from the block's address and this process's secret
 *
 * A block that has none (from before us, from a parent, from a handler that
 * interrupted us) fails the check and is freed uncounted.  The program is told a
 * usable size without the trailer.  One that writes behind what it was given
 * damages the trailer, never us.
 */
#include "preload/counters.h"
#include "preload/stack_cache.h"

#include <string.h>

enum { TRAILER = 8, NODE_BITS = 24, SLACK_BITS = 20, CHECK_SHIFT = NODE_BITS + SLACK_BITS };

#define NODE_MASK	((1ull << NODE_BITS) - 1)
#define SLACK_MASK	((1ull << SLACK_BITS) - 1)

struct block { uint32_t node; size_t size, usable; };

static inline uint64_t check(const void *p)
{
	return (((uint64_t)(uintptr_t)p ^ hd_recorder.secret) * 0x9e3779b97f4a7c15u) >> CHECK_SHIFT;
}

/* By the size before it; 0: that does not tell it. */
static inline __attribute__((always_inline)) size_t plain_size(const char *p)
{
	size_t size;

	if (UNLIKELY(!hd_recorder.plain_sizes))
		return 0;
	memcpy(&size, p - sizeof(size), sizeof(size));
	/* 2: mapped by itself */
	return LIKELY(!(size & 2)) ? (size & ~(size_t)7) - 8 : 0;
}

static inline size_t usable_size(char *p)
{
	size_t size = plain_size(p);

	return LIKELY(size) ? size : hd_real_allocator.usable(p);
}

static inline __attribute__((always_inline)) void write_trailer(char *p, size_t n, size_t usable, uint32_t node)
{
	uint64_t slack = usable - n, trailer;

	if (UNLIKELY(usable < n + TRAILER))
		return;
	if (UNLIKELY(slack >= SLACK_MASK)) {
		memcpy(p + usable - 2 * TRAILER, &n, 8);
		slack = SLACK_MASK;
	}
	trailer = check(p) << CHECK_SHIFT | slack << NODE_BITS | node;
	memcpy(p + usable - TRAILER, &trailer, 8);
}

/* False: it has no trailer of ours. */
static inline __attribute__((always_inline)) bool read_trailer(char *p, struct block *b)
{
	uint64_t trailer, slack;

	if (UNLIKELY(b->usable < TRAILER))
		return false;
	memcpy(&trailer, p + b->usable - TRAILER, 8);
	if (UNLIKELY(trailer >> CHECK_SHIFT != check(p)))
		return false;
	b->node = (uint32_t)(trailer & NODE_MASK);
	slack = trailer >> NODE_BITS & SLACK_MASK;
	if (UNLIKELY(slack == SLACK_MASK)) {
		if (b->usable < 2 * TRAILER)
			return false;
		memcpy(&b->size, p + b->usable - 2 * TRAILER, 8);
	} else {
		b->size = b->usable - slack;
	}
	return b->node && b->size <= b->usable;
}

static inline void clear_trailer(char *p, const struct block *b)
{
	memset(p + b->usable - TRAILER, 0, TRAILER);
}

static inline void *plain(size_t n, size_t align, bool zero)
{
	if (align)
		return hd_real_allocator.memalign(align, n);
	return zero ? hd_real_allocator.calloc(1, n) : hd_real_allocator.malloc(n);
}

/* Its size stands before it, and this is the only thread. */
static inline __attribute__((always_inline)) bool is_usual(const char *p, size_t n, size_t *usable)
{
	return !UNLIKELY(!p) && !UNLIKELY(!__libc_single_threaded) &&
		!UNLIKELY((*usable = plain_size(p)) < n + TRAILER) && !UNLIKELY(*usable - n >= SLACK_MASK);
}

/*
 * The usual case, all or nothing of it: no function is called, so that nothing is kept on the stack for one.
 */
static inline __attribute__((always_inline)) bool count_at_once(struct hd_thread *t, char *p, size_t n,
	const struct hd_regs *from)
{
	struct hd_heap_counter *c;
	size_t usable;

	if (UNLIKELY(!is_usual(p, n, &usable)) || UNLIKELY((c = hd_stack_cache_lookup(t, from)) == NULL))
		return false;
	hd_counter_alloc(t, c, (struct hd_block_weight){ .n = 1, .bytes = n, .seen = 1 }, false, true);
	write_trailer(p, n, usable, c->node);
	t->last = p;
	return true;
}

/* `tried`: at once, before. */
static COLD void count(struct hd_thread *t, void *p, size_t n, const struct hd_regs *from, bool tried)
{
	struct hd_heap_counter *c;
	size_t usable;

	if (!p)
		return;
	/* A stack that was looked for is not looked for again. */
	c = tried && is_usual(p, n, &usable) ? hd_unwind_stack(t, from) : hd_stack_counter(t, from);
	if (!c)
		return;
	hd_counter_alloc(t, c, (struct hd_block_weight){ .n = 1, .bytes = n, .seen = 1 }, false,
		__libc_single_threaded);
	write_trailer(p, n, usable_size(p), c->node);
	t->last = p;
}

COLD void *hd_exact_alloc(size_t n, size_t align, bool zero, const struct hd_regs *from)
{
	struct hd_thread *t;
	void *p;

	/* One that must fail, fails as it would. */
	if (n > PTRDIFF_MAX - 64 || !(t = hd_enter()))
		return plain(n, align, zero);
	p = plain(n + TRAILER, align, zero);
	count(t, p, n, from, false);
	hd_leave();
	return p;
}

/*
 * The two rare cases of ALLOC.  They get the registers by value: the usual case then has no variable on the stack whose
 * address is taken, and the compiler puts no stack protector into it.
 */
static COLD void *alloc_slowly(size_t n, bool zero, uint64_t pc, uint64_t sp, uint64_t fp)
{
	return hd_exact_alloc(n, 0, zero, &(struct hd_regs){ .pc = pc, .sp = sp, .fp = fp });
}

static COLD void count_slowly(struct hd_thread *t, void *p, size_t n, uint64_t pc, uint64_t sp, uint64_t fp)
{
	count(t, p, n, &(struct hd_regs){ .pc = pc, .sp = sp, .fp = fp }, true);
}

/* In the caller's frame: HD_HERE is where the program stands. */
#define ALLOC(n, zero) ({							\
	struct hd_thread *t_;							\
	void *p_;								\
										\
	if (UNLIKELY((n) > PTRDIFF_MAX - 64) || UNLIKELY(!hd_may_enter())) {	\
		p_ = alloc_slowly(n, zero, HD_HERE().pc, HD_HERE().sp, HD_HERE().fp);	\
	} else {								\
		t_ = hd_enter_at_once();					\
		p_ = plain((n) + TRAILER, 0, zero);				\
		if (UNLIKELY(!count_at_once(t_, p_, n, &HD_HERE())))		\
			count_slowly(t_, p_, n, HD_HERE().pc, HD_HERE().sp, HD_HERE().fp);	\
		hd_leave();							\
	}									\
	p_; })

void *hd_exact_malloc(size_t n)
{
	return ALLOC(n, false);
}

/* malloc_hooks.c has seen that the product fits. */
void *hd_exact_calloc(size_t n, size_t size)
{
	n *= size;
	return ALLOC(n, true);
}

static COLD void free_slowly(void *p)
{
	struct hd_thread *t = hd_enter();
	struct hd_heap_counter *c;
	struct block b;

	if (t) {
		b.usable = usable_size(p);
		if (LIKELY(read_trailer(p, &b))) {
			c = hd_counter(t, b.node);
			if (LIKELY(c != NULL))
				hd_counter_free(t, c, (struct hd_block_weight){ .n = 1, .bytes = b.size, .seen = 1 },
					t->last == p, false, __libc_single_threaded);
			clear_trailer(p, &b);
		} else {
			__atomic_fetch_add(&hd_recorder.header->strange, 1, __ATOMIC_RELAXED);
		}
		if (t->last == p)
			t->last = NULL;
		hd_leave();
	}
	hd_real_allocator.free(p);
}

void hd_exact_free(void *p)
{
	struct hd_heap_counter *c;
	struct hd_thread *t;
	struct block b;

	if (LIKELY(__libc_single_threaded) && LIKELY(hd_may_enter()) && LIKELY((b.usable = plain_size(p)) != 0) &&
		LIKELY(read_trailer(p, &b)) && LIKELY((c = hd_counter_get(hd_tls.thread, b.node)) != NULL)) {
		t = hd_enter_at_once();
		hd_counter_free(t, c, (struct hd_block_weight){ .n = 1, .bytes = b.size, .seen = 1 }, t->last == p,
			false, true);
		clear_trailer(p, &b);
		if (t->last == p)
			t->last = NULL;
		hd_leave();
		hd_real_allocator.free(p);
	} else {
		free_slowly(p);
	}
}

void *hd_exact_realloc(void *p, size_t n, const struct hd_regs *from)
{
	struct hd_heap_counter *c;
	struct hd_thread *t;
	struct block b;
	bool had;
	void *q;

	if (UNLIKELY(n > PTRDIFF_MAX - 64) || !(t = hd_enter()))
		return hd_real_allocator.realloc(p, n);
	b.usable = usable_size(p);
	had = read_trailer(p, &b);
	if (had)
		clear_trailer(p, &b);
	/* realloc(p, 0) is what the allocator makes of it: glibc frees. */
	q = hd_real_allocator.realloc(p, n ? n + TRAILER : 0);
	if (q || !n) {
		if (had && (c = hd_counter(t, b.node)) != NULL)
			hd_counter_free(t, c, (struct hd_block_weight){ .n = 1, .bytes = b.size, .seen = 1 }, false,
				false, __libc_single_threaded);
		if (t->last == p)
			t->last = NULL;
		if (q && n)
			count(t, q, n, from, false);
	} else if (had) {
		write_trailer(p, b.size, b.usable, b.node);
	}
	hd_leave();
	return q;
}

size_t hd_exact_usable(void *p)
{
	struct block b = { .usable = usable_size(p) };

	if (!read_trailer(p, &b))
		return b.usable;
	/* A size kept in front of the trailer is not the program's either. */
	return b.usable - (b.usable - b.size >= SLACK_MASK ? 2 : 1) * TRAILER;
}
