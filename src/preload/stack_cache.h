/*
 * stack_cache.h - find the counter of a stack that the thread has seen before
 *
 * Programs allocate from the same places again and again.  Two stacks that end at the same pc with the same sp are
 * equal if all stack slots that the unwinder read for the first one still hold the same values.  So the lookup compares
 * these slots for every frame, at a cost of five instructions per frame.
 */
#ifndef HD_PRELOAD_STACK_CACHE_H
#define HD_PRELOAD_STACK_CACHE_H

#include "preload/thread_state.h"

#pragma GCC visibility push(hidden)
/*
 * Add the stack in t->frames, whose innermost registers are *r, to the cache.  Its outermost `kept` frames equal those
 * of the previous stack.
 */
void hd_stack_cache_add(struct hd_thread *t, const struct hd_regs *r, uint32_t kept, struct hd_heap_counter *counter);
bool hd_stack_cache_linked_holds(const struct hd_thread *t, const struct hd_cached_stack *k);

/* ---- unwind.c, for stacks that are not in the cache ---- */

/*
 * Return the counter of the stack whose innermost registers are `from`.  NULL: no room; the allocation is counted as
 * lost.
 */
struct hd_heap_counter *hd_unwind_stack(struct hd_thread *t, const struct hd_regs *from);
/* Drop all cached stacks of the thread, and its last stack. */
void hd_unwind_stack_forget(struct hd_thread *t);

#pragma GCC visibility pop

static inline struct hd_leaf *hd_leaf_slot(struct hd_thread *t, uint64_t pc)
{
	return &t->leaves[pc % (1 << HD_LEAF_BITS)];
}

/*
 * Hash the innermost frame and, if the offset of its return address is known, its caller.  A program can reach one pc
 * with the same sp by a hundred different stacks, and most of these differ in the caller.
 */
static inline __attribute__((always_inline)) uint64_t hd_stack_cache_hash(struct hd_thread *t, const struct hd_regs *r)
{
	const struct hd_leaf *l = hd_leaf_slot(t, r->pc);
	uint64_t h = r->pc ^ (r->sp << 32 | r->sp >> 32), at = r->sp + l->off;

	if (LIKELY(l->pc == r->pc) && LIKELY(at - t->stack_lo <= t->stack_span))
		h += *(const uint64_t *)at << 20;
	return h * 0x9e3779b97f4a7c15u;
}

static inline struct hd_stack_cache_tag *hd_stack_cache_set(struct hd_thread *t, uint64_t hash)
{
	return &t->tags[(hash >> (64 - HD_STACK_CACHE_TAG_BITS)) * HD_STACK_CACHE_TAG_WAYS];
}

/*
 * Return true if n checks hold.  `end` is the element hd_check_end before the first check.  The loop starts at the last
 * check, the one of the innermost frame.  If a slot differs, the outer ones may belong to another stack and are not
 * read.
 */
static inline __attribute__((always_inline)) bool hd_checks_hold(const struct hd_check *end, uint32_t n)
{
	const struct hd_check *c = end + n;

	while (*(volatile const uint64_t *)c->slot == c->value)
		c--;
	return c == end;
}

/*
 * Return true if the stack slots still have the values that a record lists (its checks).  The outer checks of a record
 * may be in earlier records that it is linked to.
 */
static inline __attribute__((always_inline)) bool hd_stack_cache_holds(const struct hd_thread *t,
	const struct hd_cached_stack *k)
{
	return LIKELY(!k->outer) ? hd_checks_hold(k->checks, k->n) : hd_stack_cache_linked_holds(t, k);
}

static inline __attribute__((always_inline)) struct hd_heap_counter *hd_stack_cache_find(struct hd_thread *t,
	const struct hd_regs *r)
{
	uint64_t hash = hd_stack_cache_hash(t, r);

	for (struct hd_stack_cache_tag *tag = hd_stack_cache_set(t, hash), *end = tag + HD_STACK_CACHE_TAG_WAYS;
		tag < end; tag++) {
		const struct hd_cached_stack *k = (const struct hd_cached_stack *)&t->ring[tag->at % HD_RING];

		if (tag->hash != hash || UNLIKELY(t->ring_end - tag->at > HD_RING) ||
			UNLIKELY(k->pc != r->pc || k->sp != r->sp) || UNLIKELY(k->needs_fp && k->fp != r->fp))
			continue;
		/* Prefetch the counter, so that it is in the cache when all slots have been compared. */
		__builtin_prefetch(k->counter, 1);
		__builtin_prefetch((char *)k->counter + 64, 1);
		if (hd_stack_cache_holds(t, k))
			return k->counter;
	}
	return NULL;
}

/* Return the counter of the stack whose innermost registers are `from`; NULL if the stack is not cached. */
static inline __attribute__((always_inline)) struct hd_heap_counter *hd_stack_cache_lookup(struct hd_thread *t,
	const struct hd_regs *from)
{
	if (UNLIKELY(t->map_epoch != atomic_load_explicit(&hd_recorder.map_epoch, memory_order_relaxed)))
		return NULL;
	return hd_stack_cache_find(t, from);
}

/*
 * Return the counter of the stack whose innermost registers are `from`.  NULL: no room; the allocation is counted as
 * lost.
 */
static inline __attribute__((always_inline)) struct hd_heap_counter *hd_stack_counter(struct hd_thread *t,
	const struct hd_regs *from)
{
	struct hd_heap_counter *c = hd_stack_cache_lookup(t, from);

	return LIKELY(c != NULL) ? c : hd_unwind_stack(t, from);
}

#endif
