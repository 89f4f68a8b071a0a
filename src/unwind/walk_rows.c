/*
 * walk_rows.c - unwind a stack with pc, sp, fp and lr only: see walk.h
 *
 * Nearly every frame of compiled code needs no other register, so no other is read or restored.  If a frame needs one
 * (HD_WALK_NEEDS_ALL_REGISTERS), walk_rules.c unwinds the stack again.
 *
 * The loop is compiled four times.  In the copies for x86-64 and for AArch64 the width and byte order of a slot are
 * constants, so they cost nothing.  The third copy is generic.  The fourth is generic, too, and also marks which bytes
 * of the stack copy were used.
 */
#include "unwind/walk.h"

#define ALWAYS_INLINE static inline __attribute__((always_inline))

/* The properties by which the copies of the loop differ; in each copy, they are constants. */
struct form { bool wide, link, mark; };

/* The part of a walk that the loop uses.  It is a separate struct so that the compiler keeps it in registers. */
struct now {
	uint64_t pc, sp, fp, lr;
	bool has_lr, exact;
	uint64_t start, limit;
	const uint8_t *stack;
};

ALWAYS_INLINE struct now taken(const struct hd_walk *w)
{
	return (struct now){ w->pc, w->sp, w->fp, w->lr, w->has_lr, w->exact, w->start, w->limit, w->in->stack };
}

ALWAYS_INLINE void give_back(struct hd_walk *w, const struct now *x)
{
	w->pc = x->pc;
	w->sp = x->sp;
	w->fp = x->fp;
	w->has_lr = x->has_lr;
	w->exact = x->exact;
}

ALWAYS_INLINE bool slot(const struct hd_walk *w, struct form f, const struct now *x, uint64_t addr, uint64_t *v)
{
	uint64_t off = addr - x->start;

	if (f.mark)
		return hd_walk_marked_slot(w, addr, v);
	if (!f.wide)
		return hd_walk_slot(w, addr, v);
	if (__builtin_expect(off > x->limit, 0))
		return false;
	memcpy(v, x->stack + off, 8);
	return true;
}

/* leave() failed for frame n: end the walk with HD_UNWIND_END_CUT or _BAD. */
static enum hd_walk_result lost(struct hd_walk *w, const struct hd_unwind_step *s, uint32_t n)
{
	uint64_t cfa = w->out->cfa[n];

	if (s->op == HD_UNWIND_OP_LINK || !hd_walk_is_outward(w, cfa) ||
		hd_walk_missing(w, cfa + (uint64_t)(int64_t)s->ra_off) == HD_UNWIND_END_BAD)
		return hd_walk_bad(w, n);
	return hd_walk_end(w, HD_UNWIND_END_CUT);
}

/* Replace the frame in *x by its caller, with a fast step.  Returns false if the step leads to no valid frame. */
ALWAYS_INLINE bool leave(const struct hd_walk *w, struct form f, const struct hd_unwind_step *s, struct now *x,
	uint64_t *cfa_out)
{
	uint64_t cfa = (s->op == HD_UNWIND_OP_FP ? x->fp : x->sp) + (uint64_t)(int64_t)s->cfa_off, ra;

	if (!f.wide)
		cfa &= w->m->mask;
	*cfa_out = cfa;
	if (__builtin_expect(cfa <= x->sp, 0) && !(cfa == x->sp && x->exact))
		return false;
	if (f.link && s->op == HD_UNWIND_OP_LINK) {
		if (!x->has_lr)
			return false;
		ra = x->lr;
	} else if (!slot(w, f, x, cfa + (uint64_t)(int64_t)s->ra_off, &ra)) {
		return false;
	}
	if (s->flags & HD_UNWIND_STEP_SAVES_FP) {
		uint64_t at = cfa + (uint64_t)(int64_t)s->fp_off, fp;

		if (slot(w, f, x, at, &fp))
			x->fp = fp;
		else if (!hd_walk_slot_is_popped(x->exact, x->sp, at))
			x->fp = 0;
	} else if (__builtin_expect(s->flags & HD_UNWIND_STEP_LOSES_FP, 0)) {
		x->fp = 0;
	}
	if (f.link)
		ra &= s->flags & HD_UNWIND_STEP_SIGNED ? w->m->signed_mask : w->m->code_mask;
	x->pc = ra;
	x->sp = cfa;
	x->has_lr = false;
	x->exact = false;
	return true;
}

ALWAYS_INLINE enum hd_walk_result run(struct hd_walk *w, struct form f)
{
	struct hd_unwind_result *out = w->out;
	const struct hd_unwind_step *const items = w->steps->items,
					   *s = hd_step_cache_find(w->steps, w->m, w->space, hd_walk_at(w));
	const uint64_t machine = hd_step_cache_key(w->m, 0);
	const uint32_t space = w->space;
	struct now x = taken(w);
	uint8_t guessed = 0;
	enum hd_walk_result walked;
	uint64_t at;

	for (uint32_t n = 0; ; ) {
		out->ip[n] = x.pc;
		out->flags[n] = (uint8_t)((x.exact ? HD_UNWIND_EXACT : 0) | guessed);
		if (__builtin_expect(s->op < HD_UNWIND_OP_SLOW, 1)) {
			if (__builtin_expect(!leave(w, f, s, &x, &out->cfa[n]), 0)) {
				give_back(w, &x);
				out->n = n + 1;
				return lost(w, s, n);
			}
		} else {
			give_back(w, &x);
			out->n = n + 1;
			out->cfa[n] = 0;
			walked = hd_walk_special_step(w, s, n);
			if (walked != HD_WALK_CALLER)
				return walked;
			x = taken(w);
			guessed = out->guessed ? HD_UNWIND_GUESSED : 0;
		}
		if (__builtin_expect(!x.pc, 0) && !x.exact) {
			out->n = n + 1;
			return hd_walk_end(w, HD_UNWIND_END_ROOT);
		}
		at = x.exact ? x.pc : x.pc - 1;
		s = __builtin_expect(at <= HD_STEP_CACHE_ADDRESS_MAX, 1)
			? hd_step_cache_peek(items, machine | at, space)
			: NULL;
		if (__builtin_expect(!s, 0))
			s = hd_step_cache_compute(w->steps, w->m, space, at);
		if (__builtin_expect(s->op == HD_UNWIND_OP_NOT_CODE, 0) && !x.exact) {
			out->n = n + 1;
			return hd_walk_bad(w, n);
		}
		if (__builtin_expect(++n == HD_UNWIND_MAX, 0)) {
			out->n = n;
			return hd_walk_end(w, HD_UNWIND_END_LIMIT);
		}
	}
}

static enum hd_walk_result run_x86_64(struct hd_walk *w)
{
	return run(w, (struct form){ .wide = true, .link = false });
}

static enum hd_walk_result run_aarch64(struct hd_walk *w)
{
	return run(w, (struct form){ .wide = true, .link = true });
}

static enum hd_walk_result run_any(struct hd_walk *w)
{
	return run(w, (struct form){ .wide = false, .link = true });
}

static enum hd_walk_result run_marking(struct hd_walk *w)
{
	return run(w, (struct form){ .wide = false, .link = true, .mark = true });
}

void hd_walk_rows(struct hd_walk *w)
{
	struct hd_walk again = *w;
	enum hd_walk_result walked;

	if (__builtin_expect(w->in->marks != NULL, 0))
		walked = run_marking(w);
	else if (w->m->word != 8 || w->in->swap)
		walked = run_any(w);
	else if (w->m->cfi == HD_CFI_X86_64)
		walked = run_x86_64(w);
	else
		walked = run_aarch64(w);
	if (walked == HD_WALK_NEEDS_ALL_REGISTERS)
		hd_walk_rules(&again);
}
