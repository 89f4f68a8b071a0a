/*
 * slow_unwind.c - frames that have no compact row: by all their rules, or by the frame pointer
 *
 *     fp  -> the caller's fp           as all compilers have it that keep frame pointers, also those that
 *            return address            make code at run time
 *            the caller's stack
 */
#include "preload/recorder.h"

struct leaving { const struct hd_frame_rule *s; struct hd_regs *r; uint64_t top; struct hd_reads *reads; bool done; };

static void leave_slowly(void *arg)
{
	struct leaving *l = arg;

	l->done = hd_frame_rule_apply_full(l->s, l->r, l->top, l->reads);
}

struct asking { uint64_t pc; bool is_code; };

static void ask_for_code(void *arg)
{
	struct asking *a = arg;

	a->is_code = hd_frame_rule_is_code(a->pc);
}

/* One that is a frame's address already was asked about. */
static bool is_code(const struct hd_thread *t, uint64_t pc)
{
	struct asking a = { .pc = pc };

	if (hd_frame_rule_was_met(t, pc))
		return true;
	hd_recorder_lock();
	hd_on_stack(ask_for_code, &a);
	hd_recorder_unlock();
	return a.is_code;
}

/*
 * By the frame pointer: where it points to are the caller's and the return address.  What does not point
 * outwards, into the stack, or leads to no code, is none.
 */
static bool leave_by_guess(const struct hd_thread *t, struct hd_reads *reads, struct hd_regs *r, uint64_t top)
{
	const uint64_t *slot = (const uint64_t *)r->fp;
	uint64_t pc;

	if (r->fp & 7 || r->fp < r->sp || r->fp >= top || top - r->fp < 16)
		return false;
	pc = HD_MACHINE == HD_CFI_AARCH64 ? hd_unsigned(slot[1]) : slot[1];
	if (!pc || !is_code(t, pc))
		return false;
	*reads = (struct hd_reads){ 2, { { slot, slot[0] }, { slot + 1, slot[1] } } };
	*r = (struct hd_regs){ .pc = pc, .sp = r->fp + 16, .fp = slot[0] };
	return true;
}

COLD bool hd_slow_unwind_frame(const struct hd_thread *t, struct hd_reads *reads, const struct hd_frame_rule *s,
	struct hd_regs *r, uint64_t top)
{
	struct leaving l = { s, r, top, reads, false };
	uint64_t sp = r->sp;

	if (s->op == HD_FRAME_RULE_GUESS && leave_by_guess(t, reads, r, top))
		return true;
	if (s->op != HD_FRAME_RULE_FULL) {
		if (s->op == HD_FRAME_RULE_GUESS)
			__atomic_fetch_add(&hd_recorder.header->no_cfi, 1, __ATOMIC_RELAXED);
		return false;
	}
	hd_recorder_lock();
	hd_on_stack(leave_slowly, &l);
	hd_recorder_unlock();
	/* A signal's frame may lead to another stack; there is no way to know how far that one may be read. */
	return l.done && r->pc && r->sp > sp && r->sp <= top;
}
