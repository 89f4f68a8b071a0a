/*
 * unwind.c - the stack of an allocation, as a node
 *
 * A frame is (pc, sp, fp).  What is outside of it follows from these and from the
 * slots of the stack that its callers' registers were saved in.  So when an
 * allocation meets a frame of the last stack of its thread again, and all slots
 * further out still hold what they held, the rest of the stack is the same:
 *
 *     last    main  run  parse  add  alloc
 *     now     ...................... grow    add is met again, with pc, sp and fp; four slots are read and
 *                                            compared; only grow is looked up
 *
 * No frame is taken over on trust.
 */
#include "preload/inner.h"

#include <string.h>

struct finding { struct hd_step *s; uint64_t pc; bool exact; };

static void find_step(void *arg)
{
	struct finding *f = arg;

	hd_step_find(f->s, f->pc, f->exact);
}

static COLD void look_up(struct hd_step *s, uint64_t pc, bool exact)
{
	struct finding f = { s, pc, exact };

	hd_lock();
	hd_on_stack(find_step, &f);
	hd_unlock();
}

static inline const struct hd_step *step_at(struct hd_thread *t, uint64_t pc, bool exact)
{
	uint64_t key = pc << 1 | exact;
	struct hd_step *s = &t->steps[(key * 0x9e3779b97f4a7c15u) >> 32 & (HD_STEPS - 1)];

	if (UNLIKELY(s->key != key))
		look_up(s, pc, exact);
	return s;
}

struct leaving { const struct hd_step *s; struct hd_regs *r; uint64_t top; bool done; };

static void leave_slowly(void *arg)
{
	struct leaving *l = arg;

	l->done = hd_step_full(l->s, l->r, l->top);
}

/* From f to its caller's registers.  False: the stack ends here. */
static inline bool leave(struct hd_frame *f, const struct hd_step *s, struct hd_regs *r, uint64_t top)
{
	uint64_t cfa, ra_at;

	*r = f->r;
	f->ra_slot = f->fp_slot = 0;
	f->odd = false;
	if (LIKELY(s->op == HD_STEP_SP || s->op == HD_STEP_FP)) {
		cfa = (s->op == HD_STEP_SP ? r->sp : r->fp) + (uint64_t)(int64_t)s->cfa_off;
		ra_at = cfa + (uint64_t)(int64_t)s->ra_off;
		if (UNLIKELY(cfa <= r->sp || cfa > top || ra_at < r->sp || ra_at > top - 8 || (cfa & 7)))
			return false;
		if (s->fp == HD_CFI_AT_CFA) {
			uint64_t fp_at = cfa + (uint64_t)(int64_t)s->fp_off;

			if (UNLIKELY(fp_at < r->sp || fp_at > top - 8))
				return false;
			r->fp = *(uint64_t *)fp_at;
			f->fp_slot = fp_at;
		} else if (s->fp == HD_CFI_UNDEFINED) {
			r->fp = 0;
		}
		r->pc = *(uint64_t *)ra_at;
		f->ra_slot = ra_at;
		r->sp = cfa;
		r->exact = s->signal;
		return r->pc != 0;
	}
	if (s->op == HD_STEP_FULL) {
		struct leaving l = { s, r, top, false };

		f->odd = true;
		hd_lock();
		hd_on_stack(leave_slowly, &l);
		hd_unlock();
		/* A signal's frame may lead to another stack; there is no way to know how far that one may be read. */
		return l.done && r->pc && r->sp > f->r.sp && r->sp <= top;
	}
	if (s->op == HD_STEP_NONE)
		__atomic_fetch_add(&hd_process.header->no_cfi, 1, __ATOMIC_RELAXED);
	return false;
}

/* Is all that is outside of frames[at] as it was?  Its own slots included. */
static inline bool still_so(const struct hd_thread *t, uint32_t at)
{
	for (const struct hd_frame *f = &t->frames[at]; f > t->frames; f--) {
		const struct hd_regs *caller = &f[-1].r;

		if (UNLIKELY(f->odd) || *(volatile uint64_t *)f->ra_slot != caller->pc)
			return false;
		if (f->fp_slot && *(volatile uint64_t *)f->fp_slot != caller->fp)
			return false;
	}
	return true;
}

static inline bool is_same(const struct hd_regs *a, const struct hd_regs *b)
{
	return a->sp == b->sp && a->pc == b->pc && a->fp == b->fp && a->exact == b->exact;
}

static void forget(struct hd_thread *t)
{
	memset(t->steps, 0, sizeof(t->steps));
	t->nlast = 0;
}

uint32_t hd_unwind(struct hd_thread *t, const struct hd_regs *from)
{
	uint32_t epoch = atomic_load_explicit(&hd_process.map_epoch, memory_order_relaxed);
	struct hd_regs r = *from;
	uint32_t n = 0, kept = 0, at, node;
	bool cut = false;
	uintptr_t top;

	if (UNLIKELY(t->map_epoch != epoch)) {
		forget(t);
		t->map_epoch = epoch;
	}
	hd_thread_bounds(t, r.sp, &top);
	at = t->nlast;
again:
	for (;;) {
		const struct hd_step *s;
		struct hd_frame *f;

		while (at && t->frames[at - 1].r.sp < r.sp)
			at--;
		if (at && is_same(&t->frames[at - 1].r, &r) && still_so(t, at - 1)) {
			kept = at;
			break;
		}
		if (UNLIKELY(n == HD_DEPTH)) {
			cut = true;
			break;
		}
		f = &t->now[n++];
		f->r = r;
		s = step_at(t, r.pc, r.exact);
		f->node = s->module;		/* until it has one */
		if (!leave(f, s, &r, top))
			break;
	}
	/* Deeper than what is kept: the innermost frames are, and those are counted from the innermost one. */
	if (UNLIKELY(kept + n > HD_DEPTH)) {
		r = *from;
		kept = n = at = 0;
		goto again;
	}
	if (UNLIKELY(cut))
		__atomic_fetch_add(&hd_process.header->deep, 1, __ATOMIC_RELAXED);
	node = kept ? t->frames[kept - 1].node : 0;
	for (uint32_t i = n; i-- > 0; ) {
		struct hd_frame *f = &t->frames[kept + (n - 1 - i)];

		*f = t->now[i];
		node = hd_trie_child(node, f->node, f->r.pc);
		if (UNLIKELY(!node)) {
			t->nlast = 0;
			return 0;
		}
		f->node = node;
	}
	t->nlast = cut ? 0 : kept + n;
	return node;
}
