/*
 * exact.c - count every allocation; a trailer at the end of each block has the id of its stack
 *
 *     [ requested bytes ... unused bytes ... trailer (8 bytes) ]      malloc_usable_size() bytes
 *
 *     bits   0 - 23  node of the stack
 *           24 - 43  slack (usable size less requested size); all ones: the requested size is in the 8 bytes before
 *                    the trailer
 *           44 - 63  a check value, mixed from the address of the block and hd_recorder.secret
 *
 * The check fails for a block without a trailer: one from before the recording, from the parent process, or from a
 * signal handler that interrupted the recorder.  Such a block is freed without being counted.
 *
 * The program gets a usable size without the trailer.  A program that writes beyond a block damages the trailer, which
 * makes the check fail.
 */
#include "preload/counted_blocks.h"
#include "preload/counters.h"
#include "preload/real_allocator.h"
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

/*
 * Return the usable size of a block: the size of its chunk, which glibc stores before the block, less 8.  Returns 0 if
 * the usable size cannot be read there.
 */
static inline __attribute__((always_inline)) size_t plain_size(const char *p)
{
	size_t size;

	if (UNLIKELY(!hd_recorder.plain_sizes))
		return 0;
	memcpy(&size, p - sizeof(size), sizeof(size));
	/* Flag 2 (IS_MMAPPED): glibc mapped the chunk separately, and its usable size is computed differently. */
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

/* Set b->node and b->size from the trailer; the caller has set b->usable.  Returns false if the trailer is invalid. */
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

/*
 * Return true for a block that the fast path can count: its size is stored before the block, there is room for the
 * trailer, the slack fits into the trailer, and the process has only one thread.  *usable is then its usable size.
 */
static inline __attribute__((always_inline)) bool is_usual(const char *p, size_t n, size_t *usable)
{
	return !UNLIKELY(!p) && !UNLIKELY(!__libc_single_threaded) &&
		!UNLIKELY((*usable = plain_size(p)) < n + TRAILER) && !UNLIKELY(*usable - n >= SLACK_MASK);
}

/*
 * Count the block if the fast path can do that; otherwise change nothing and return false.  No function is called in
 * the usual case, so that the compiler need not save registers on the stack.
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

/* Count the block p of n bytes.  tried: count_at_once() was called for it and has returned false. */
static COLD void count(struct hd_thread *t, void *p, size_t n, const struct hd_regs *from, bool tried)
{
	struct hd_heap_counter *c;
	size_t usable;

	if (!p)
		return;
	/* For a usual block, count_at_once() has searched the cache already. */
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

	/* Let the allocator fail if the size is invalid. */
	if (n > PTRDIFF_MAX - 64 || !(t = hd_enter()))
		return plain(n, align, zero);
	p = plain(n + TRAILER, align, zero);
	count(t, p, n, from, false);
	hd_leave();
	return p;
}

/*
 * The slow path of the macro ALLOC, which is the body of the allocation functions.  It is for an invalid size, or for a
 * thread for which hd_may_enter() is false; hd_enter() then creates the state of the thread, or returns NULL.  The
 * registers of the program are passed by value: a pointer to a variable on the stack of the fast path would make the
 * compiler add a stack protector to the fast path.
 */
static COLD void *alloc_slowly(size_t n, bool zero, uint64_t pc, uint64_t sp, uint64_t fp)
{
	return hd_exact_alloc(n, 0, zero, &(struct hd_regs){ .pc = pc, .sp = sp, .fp = fp });
}

static COLD void count_slowly(struct hd_thread *t, void *p, size_t n, uint64_t pc, uint64_t sp, uint64_t fp)
{
	count(t, p, n, &(struct hd_regs){ .pc = pc, .sp = sp, .fp = fp }, true);
}

/*
 * ALLOC is a macro, because HD_HERE(), which reads the caller's registers, must run in the frame of the function that
 * the program called.
 */
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

/* malloc_hooks.c has checked that the product fits. */
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
	/*
	 * realloc(p, 0) is passed to the allocator without room for a trailer, because its meaning depends on the
	 * allocator; glibc frees the block.
	 */
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
	/* If the requested size is stored before the trailer, the bytes that hold it are not usable either. */
	return b.usable - (b.usable - b.size >= SLACK_MASK ? 2 : 1) * TRAILER;
}
