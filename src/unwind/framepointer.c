/*
 * framepointer.c - a frame that no CFI describes, by its frame pointer
 *
 *     fp  -> the caller's fp
 *            return address
 *            the caller's stack
 *
 * Code without CFI is mostly made at run time, by compilers that keep frame
 * pointers; other code may use the register for anything, so what it leads to
 * is looked at twice and called a guess.  A function that was interrupted before it
 * pushed the frame pointer hides its caller: two stack slots and no evidence
 * which is the right one, so nothing is made up.
 *
 * 32-bit ARM has no one form of frame, so there it is not tried.
 */
#include "unwind/walk.h"

static enum hd_walked nowhere(struct hd_walk *w, uint32_t object)
{
	if (!w->out->guessed)
		w->out->object = object;
	return hd_walk_end(w, HD_END_NO_CFI);
}

enum hd_walked hd_framepointer_step(struct hd_walk *w, uint32_t object, uint32_t n)
{
	const struct hd_cpu *m = w->m;
	uint64_t fp = w->fp, caller, ra;

	if (m->cfi == HD_CFI_ARM || fp % m->word || fp < w->sp || !hd_walk_marked_slot(w, fp, &caller) ||
	    !hd_walk_marked_slot(w, fp + m->word, &ra))
		return nowhere(w, object);
	ra &= m->signed_mask;		/* a compiler may sign without saying so */
	if (ra && hd_steps_find(w->steps, m, w->space, ra - 1)->op == HD_OP_NOT_CODE)
		return nowhere(w, object);
	if (!w->out->guessed)
		w->out->object = object;
	w->out->guessed = true;
	w->out->cfa[n] = fp + 2u * m->word;
	w->pc = ra;
	w->sp = fp + 2u * m->word;
	w->fp = caller;
	w->has_lr = false;
	w->exact = false;
	return HD_WALKED_ON;
}
