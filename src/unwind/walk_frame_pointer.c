/*
 * walk_frame_pointer.c - find the caller of a frame without CFI by the frame pointer
 *
 *     fp  -> the caller's fp
 *            return address
 *            the caller's stack
 *
 * Code without CFI is mostly JIT code of compilers that keep frame pointers.  Other code may use the register for
 * anything, so the result is validated and marked as a guess.  A function that is interrupted before it pushes the
 * frame pointer hides its caller: two stack slots could contain the return address, with no evidence for either, so
 * none is used.
 *
 * 32-bit ARM has no standard frame layout, so it is not tried there.
 */
#include "unwind/walk.h"

static enum hd_walk_result nowhere(struct hd_walk *w, uint32_t object)
{
	if (!w->out->guessed)
		w->out->object = object;
	return hd_walk_end(w, HD_UNWIND_END_NO_CFI);
}

static uint32_t object_at(struct hd_walk *w, uint64_t at)
{
	return hd_step_cache_mapping_at(w->steps, w->space, at).object;
}

/*
 * python -X perf calls its interpreter through trampolines: copies of a fixed piece of code, one after another from the
 * start of a mapping, which a perf map names.  Its forms:
 *
 *     sub $8, %rsp			push %rbp; mov %rsp, %rbp
 *     call *%rcx			call *%rcx
 *     add $8, %rsp; ret		pop %rbp; ret
 *
 * Both may begin with endbr64 (4 bytes).  A copy takes 11 bytes (15 with endbr64), in newer versions 16.
 */
static bool is_python_call(uint64_t offset)
{
	return offset % 11 == 6 || offset % 15 == 10 || offset % 16 == 6 || offset % 16 == 10;
}

/*
 * If frame n is a trampoline of python -X perf, find its caller; otherwise change nothing and return false.  The return
 * address of the trampoline is 8 bytes above the stack pointer.  The caller of the trampoline is in the same object as
 * the function that it calls.
 */
static bool leave_python_trampoline(struct hd_walk *w, uint32_t object, uint32_t n)
{
	const struct hd_unwind_result *out = w->out;
	uint64_t ra, fp = w->fp;
	const struct hd_unwind_step *caller;
	uint32_t callee;

	if (w->m->cfi != HD_CFI_X86_64 || w->exact || !n ||
		!is_python_call(w->pc - hd_step_cache_mapping_at(w->steps, w->space, w->pc - 1).start) ||
		hd_object_cfis_get(w->steps->texts, object)->kind != HD_OBJ_PERFMAP ||
		!hd_walk_slot(w, w->sp + 8, &ra) || !ra)
		return false;
	callee = object_at(w, out->flags[n - 1] & HD_UNWIND_EXACT ? out->ip[n - 1] : out->ip[n - 1] - 1);
	caller = hd_step_cache_find(w->steps, w->m, w->space, ra - 1);
	if (caller->op >= HD_UNWIND_OP_SLOW && caller->op != HD_UNWIND_OP_FULL)
		return false;
	if (!callee || callee == object || caller->object != callee)
		return false;
	if (w->fp == w->sp && !hd_walk_marked_slot(w, w->sp, &fp))
		return false;
	hd_walk_marked_slot(w, w->sp + 8, &ra);
	w->out->cfa[n] = w->sp + 16;
	w->pc = ra;
	w->sp += 16;
	w->fp = fp;
	w->has_lr = false;
	return true;
}

enum hd_walk_result hd_walk_frame_pointer_step(struct hd_walk *w, uint32_t object, uint32_t n)
{
	const struct hd_unwind_arch *m = w->m;
	uint64_t fp = w->fp, caller, ra;

	if (object && leave_python_trampoline(w, object, n))
		return HD_WALK_CALLER;
	if (m->cfi == HD_CFI_ARM || fp % m->word || fp < w->sp || !hd_walk_marked_slot(w, fp, &caller) ||
	    !hd_walk_marked_slot(w, fp + m->word, &ra))
		return nowhere(w, object);
	ra &= m->signed_mask;		/* remove a pointer authentication code, which code without CFI can have, too */
	if (ra && hd_step_cache_find(w->steps, m, w->space, ra - 1)->op == HD_UNWIND_OP_NOT_CODE)
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
	return HD_WALK_CALLER;
}
