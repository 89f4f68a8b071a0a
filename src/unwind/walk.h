/*
 * walk.h - the state of unwinding one stack
 *
 *     walk_rows.c           the loop over all frames.  It tracks only pc, sp, fp and lr, and handles frames whose CFI
 *                           needs no more than these.  For other frames it calls the two files below.
 *     walk_rules.c          one frame by all rules of its CFI; or a whole stack with all registers
 *     walk_frame_pointer.c  one frame by the frame pointer, without CFI
 *
 * A walk contains the registers of frame n, which is in `out` already.  A step replaces them by the caller's.
 *
 * Private to unwind/.
 */
#ifndef HD_UNWIND_WALK_H
#define HD_UNWIND_WALK_H

#include "unwind/step_cache.h"

#include <string.h>

/* A stack slot that is more than this many bytes above the start of the copy is not on the same stack. */
#define HD_WALK_FRAME_MAX (1ull << 30)

struct hd_walk {
	struct hd_step_cache *steps;
	const struct hd_unwind_arch *m;
	const struct hd_unwind_input *in;
	struct hd_unwind_result *out;
	uint32_t space;
	uint64_t start;			/* address of the copied stack */
	uint64_t limit;			/* the last offset in the copy at which a slot fits */

	uint64_t pc, sp, fp, lr;
	bool has_lr;			/* lr is the caller's address, not a value left by a call */
	bool exact;			/* pc is where code was interrupted, and not a return address */
	bool jumped;			/* a signal frame was passed: this may be another stack */
};

enum hd_walk_result {
	HD_WALK_CALLER,			/* stepped to the caller; its pc is not checked yet */
	HD_WALK_ENDED,			/* out->end is the reason */
	HD_WALK_NEEDS_ALL_REGISTERS,		/* a register that is not tracked is needed */
};

static inline uint64_t hd_walk_at(const struct hd_walk *w)
{
	return w->exact ? w->pc : w->pc - 1;
}

/* Load the stack slot at an address.  Returns false if the slot is not in the copy of the stack. */
static inline bool hd_walk_slot(const struct hd_walk *w, uint64_t addr, uint64_t *v)
{
	uint64_t off = (addr - w->start) & w->m->mask;
	uint32_t v4;

	if (off > w->limit)
		return false;
	if (w->m->word == 8) {
		memcpy(v, w->in->stack + off, 8);
		if (w->in->swap)
			*v = __builtin_bswap64(*v);
	} else {
		memcpy(&v4, w->in->stack + off, 4);
		*v = w->in->swap ? __builtin_bswap32(v4) : v4;
	}
	return true;
}

/* Mark bytes of the copy that the result depends on. */
static inline void hd_walk_mark(const struct hd_walk *w, uint64_t off, size_t n)
{
	if (w->in->marks)
		memset(w->in->marks + off, 1, n);
}

/* Load a stack slot and mark its bytes as used.  The loop of walk_rows.c calls this only if marks were requested. */
static inline bool hd_walk_marked_slot(const struct hd_walk *w, uint64_t addr, uint64_t *v)
{
	if (!hd_walk_slot(w, addr, v))
		return false;
	hd_walk_mark(w, (addr - w->start) & w->m->mask, w->m->word);
	return true;
}

/*
 * Return true if `cfa` can be the CFA of the current frame, which becomes the caller's stack pointer: it must be above
 * sp.  It may be equal to sp only if the function was interrupted before it used the stack; the return address is then
 * in a register.
 */
static inline bool hd_walk_is_outward(const struct hd_walk *w, uint64_t cfa)
{
	return cfa > w->sp || (cfa == w->sp && w->exact);
}

/*
 * Return true if an interrupted function has popped a saved register already, because the register's slot is below the
 * stack pointer.  The register then has the caller's value.  The CFI of epilogues is often imprecise in this way: LLVM
 * updates the CFA but not the rule of the frame pointer.
 */
static inline bool hd_walk_slot_is_popped(bool exact, uint64_t sp, uint64_t addr)
{
	return exact && addr < sp;
}

/* Called if a stack slot is needed and is not in the copy.  Return how the unwinding ends: CUT or BAD. */
static inline enum hd_unwind_end hd_walk_missing(const struct hd_walk *w, uint64_t addr)
{
	uint64_t off = (addr - w->start) & w->m->mask;

	/* The slot is beyond the copy, or on the stack that a signal interrupted. */
	if ((off <= HD_WALK_FRAME_MAX && off > w->limit) || w->jumped)
		return HD_UNWIND_END_CUT;
	return HD_UNWIND_END_BAD;
}

enum hd_walk_result hd_walk_end(struct hd_walk *w, enum hd_unwind_end end);
/* End the walk with HD_UNWIND_END_BAD, because the rules of frame n give no valid return address. */
enum hd_walk_result hd_walk_bad(struct hd_walk *w, uint32_t n);

/* Find the caller of frame n by a cached step that the fast path does not handle, and set the CFA in `out`. */
enum hd_walk_result hd_walk_special_step(struct hd_walk *w, const struct hd_unwind_step *s, uint32_t n);

/* Find the caller of frame n by its CFI rules, if they need only pc, sp, fp and lr. */
enum hd_walk_result hd_walk_rules_step(struct hd_walk *w, uint32_t object, uint32_t n);
/* Unwind the whole stack again with all registers. */
void hd_walk_rules(struct hd_walk *w);

/*
 * Find the caller of frame n by the frame pointer, without CFI, and mark the walk as guessed.  The caller of a
 * trampoline of python -X perf is found in another way, without that mark.
 */
enum hd_walk_result hd_walk_frame_pointer_step(struct hd_walk *w, uint32_t object, uint32_t n);

/* Unwind the whole stack.  All registers are tracked only if a rule needs more than pc, sp, fp and lr. */
void hd_walk_rows(struct hd_walk *w);

#endif
