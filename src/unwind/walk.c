/* walk.c - find the caller of frames that walk_rows.c does not handle, such as signal frames: see walk.h */
#include "unwind/walk.h"

enum hd_walk_result hd_walk_end(struct hd_walk *w, enum hd_unwind_end end)
{
	w->out->end = end;
	return HD_WALK_ENDED;
}

enum hd_walk_result hd_walk_bad(struct hd_walk *w, uint32_t n)
{
	struct hd_unwind_result *out = w->out;
	uint64_t at = out->flags[n] & HD_UNWIND_EXACT ? out->ip[n] : out->ip[n] - 1;

	if (!out->guessed)
		out->object = hd_step_cache_mapping_at(w->steps, w->space, at).object;
	out->cfa[n] = 0;	/* the rules of this frame were wrong, so its CFA is unknown as well */
	return hd_walk_end(w, HD_UNWIND_END_BAD);
}

static enum hd_walk_result at_root(struct hd_walk *w, const struct hd_unwind_step *s, uint32_t n)
{
	if (s->flags & HD_UNWIND_STEP_ROOT_CFA)
		w->out->cfa[n] = ((s->flags & HD_UNWIND_STEP_ROOT_FP ? w->fp : w->sp) + (uint64_t)(int64_t)s->cfa_off) &
			w->m->mask;
	return hd_walk_end(w, HD_UNWIND_END_ROOT);
}

/*
 * aarch64's signal frame, relative to the stack pointer (the kernel's struct rt_sigframe; asm/sigcontext.h,
 * asm-generic/ucontext.h):
 *
 *     OFFSET  SIZE  MEANING
 *     0       128   siginfo
 *     128     176   ucontext, up to and including the padding before the registers
 *     304     8     fault address
 *     312     248   x0..x30
 *     560     8     sp
 *     568     8     pc
 */
enum { SIGNAL_REGS = 312, SIGNAL_SP = 560, SIGNAL_PC = 568 };

static enum hd_walk_result leave_signal(struct hd_walk *w, uint32_t n)
{
	uint64_t fp, lr, sp, pc;

	w->jumped = true;
	if (!hd_walk_marked_slot(w, w->sp + SIGNAL_REGS + 8 * w->m->dwarf_fp, &fp) ||
		!hd_walk_marked_slot(w, w->sp + SIGNAL_REGS + 8 * w->m->dwarf_lr, &lr) ||
		!hd_walk_marked_slot(w, w->sp + SIGNAL_SP, &sp) || !hd_walk_marked_slot(w, w->sp + SIGNAL_PC, &pc))
		return hd_walk_end(w, HD_UNWIND_END_CUT);
	w->out->cfa[n] = sp;
	w->pc = pc;
	w->sp = sp;
	w->fp = fp;
	w->lr = lr;
	w->has_lr = true;
	w->exact = true;
	return HD_WALK_CALLER;
}

/*
 * Find the caller of a Go function that changes stacks.  If the function was interrupted, it has usually not changed
 * stacks yet, so its CFI is applied.  If it has called another function, the frame pointer is that of its caller or
 * its own.  It is followed if it leads into the copied stack; otherwise the stack ends here.
 */
static enum hd_walk_result leave_go_stack(struct hd_walk *w, uint32_t object, uint32_t n)
{
	uint64_t v;

	if (w->exact)
		return hd_walk_rules_step(w, object, n);
	if (w->fp < w->sp || !hd_walk_slot(w, w->fp, &v))
		return hd_walk_end(w, HD_UNWIND_END_ROOT);
	return hd_walk_frame_pointer_step(w, object, n);
}

enum hd_walk_result hd_walk_special_step(struct hd_walk *w, const struct hd_unwind_step *s, uint32_t n)
{
	switch ((enum hd_unwind_step_op)s->op) {
	case HD_UNWIND_OP_SP:
	case HD_UNWIND_OP_FP:
	case HD_UNWIND_OP_LINK:
	case HD_UNWIND_OP_FULL:
		return hd_walk_rules_step(w, s->object, n);
	case HD_UNWIND_OP_ROOT:
		return at_root(w, s, n);
	case HD_UNWIND_OP_SIGNAL:
		return leave_signal(w, n);
	case HD_UNWIND_OP_GO_STACK:
		return leave_go_stack(w, s->object, n);
	case HD_UNWIND_OP_NO_CFI:
	case HD_UNWIND_OP_NOT_CODE:		/* code was executing there nevertheless */
		break;
	}
	return hd_walk_frame_pointer_step(w, s->object, n);
}
