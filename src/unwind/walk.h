/*
 * walk.h - one stack being unwound
 *
 *     walk_rows.c          all frames, by pc, sp, fp and lr alone; asks the others for what is not a plain row
 *     walk_rules.c          one frame, by all its rules; and a whole stack with all registers
 *     walk_frame_pointer.c  one frame, by its frame pointer
 *
 * A walk holds the registers of frame n, which is entered in `out` already;
 * a step replaces them by the caller's.
 *
 * Private to unwind/.
 */
#ifndef HD_UNWIND_WALK_H
#define HD_UNWIND_WALK_H

#include "unwind/step_cache.h"

#include <string.h>

/* No frame is larger: a slot so far out means that the CFA is no stack address at all. */
#define HD_WALK_FRAME_MAX (1ull << 30)

struct hd_walk {
	struct hd_step_cache *steps;
	const struct hd_unwind_arch *m;
	const struct hd_unwind_input *in;
	struct hd_unwind_result *out;
	uint32_t space;
	uint64_t start;			/* address of the copied stack */
	uint64_t limit;			/* the last offset in it that a slot can have */

	uint64_t pc, sp, fp, lr;
	bool has_lr;			/* lr is the caller's address, not what a call left there */
	bool exact;			/* pc is where it was interrupted */
	bool jumped;			/* a signal frame was passed: the stack may be another */
};

enum hd_walk_result {
	HD_WALK_CALLER,			/* to the caller; pc may still be no return address */
	HD_WALK_ENDED,			/* out->end says why */
	HD_WALK_NEEDS_ALL_REGISTERS,		/* a register that is not followed is needed */
};

static inline uint64_t hd_walk_at(const struct hd_walk *w)
{
	return w->exact ? w->pc : w->pc - 1;
}

/* The slot at an address; false: it is not in the copy. */
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

/* The answer depends on these bytes of the copy. */
static inline void hd_walk_mark(const struct hd_walk *w, uint64_t off, size_t n)
{
	if (w->in->marks)
		memset(w->in->marks + off, 1, n);
}

/* The same, marked: for whoever is not the loop of walk_rows.c. */
static inline bool hd_walk_marked_slot(const struct hd_walk *w, uint64_t addr, uint64_t *v)
{
	if (!hd_walk_slot(w, addr, v))
		return false;
	hd_walk_mark(w, (addr - w->start) & w->m->mask, w->m->word);
	return true;
}

/*
 * Callers' frames lie above.  Only what was interrupted may have taken nothing
 * of the stack: its return address is in a register.
 */
static inline bool hd_walk_is_outward(const struct hd_walk *w, uint64_t cfa)
{
	return cfa > w->sp || (cfa == w->sp && w->exact);
}

/*
 * A register saved below the stack pointer has been taken back from there: what
 * compilers say of the last instructions of a function is seldom precise (LLVM
 * names the CFA but not that the frame pointer is the caller's again).
 */
static inline bool hd_walk_slot_is_popped(bool exact, uint64_t sp, uint64_t addr)
{
	return exact && addr < sp;
}

/* Why a slot that has to be there is not in the copy. */
static inline enum hd_unwind_end hd_walk_missing(const struct hd_walk *w, uint64_t addr)
{
	uint64_t off = (addr - w->start) & w->m->mask;

	/* Behind the copy; or on the stack that a signal came from, or left to. */
	if ((off <= HD_WALK_FRAME_MAX && off > w->limit) || w->jumped)
		return HD_UNWIND_END_CUT;
	return HD_UNWIND_END_BAD;
}

enum hd_walk_result hd_walk_end(struct hd_walk *w, enum hd_unwind_end end);
/* Frame n's rules led to no return address. */
enum hd_walk_result hd_walk_bad(struct hd_walk *w, uint32_t n);

/*
 * Leave frame n, at the address whose step is given, which is not a fast one.
 * Enters its CFA in `out`.
 */
enum hd_walk_result hd_walk_special_step(struct hd_walk *w, const struct hd_unwind_step *s, uint32_t n);

/* By all rules of the frame, as far as they need pc, sp, fp and lr. */
enum hd_walk_result hd_walk_rules_step(struct hd_walk *w, uint32_t object, uint32_t n);
/* The whole stack again, following all registers. */
void hd_walk_rules(struct hd_walk *w);

/* By the frame pointer.  Marks the walk as guessed. */
enum hd_walk_result hd_walk_frame_pointer_step(struct hd_walk *w, uint32_t object, uint32_t n);

/* The whole stack; all registers only when that turns out to be necessary. */
void hd_walk_rows(struct hd_walk *w);

#endif
