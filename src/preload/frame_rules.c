/*
 * frame_rules.c - see frame_rules.h
 *
 * For nearly all code, the CFI row (the rule how to find the caller) is so simple that hd_unwind_stack() applies it
 * without this file.  For other code, this file evaluates the CFI.  It restores only the pc, the stack pointer and the
 * frame pointer, which suffices for realigned stacks and signal frames.
 *
 * Code without CFI was mostly made at run time, by compilers that keep frame pointers:
 *
 *     fp  -> the caller's fp
 *            return address
 *            the caller's stack
 *
 * So the unwinder follows the frame pointer there, and marks the frame as a guess.
 */
#include "preload/frame_rules.h"
#include "preload/recorder_memory.h"

#include <string.h>

void hd_frame_rule_find(struct hd_frame_rule *s, uint64_t pc, bool exact)
{
	uint64_t at = exact ? pc : pc - 1;
	const struct hd_cfi_fn *fn;
	const struct hd_cfi_row *row;
	struct hd_cfi *cfi;

	*s = (struct hd_frame_rule){ .key = pc << 1 | exact, .op = HD_FRAME_RULE_GUESS };
	s->module = hd_module_at(at, &cfi) | (exact ? HD_HEAP_PC : 0);
	fn = cfi ? hd_cfi_function(cfi, at) : NULL;
	row = fn ? hd_cfi_row(fn, at) : NULL;
	if (!row) {
		s->module |= HD_HEAP_GUESS;
		return;
	}
	s->flags = row->flags;
	s->op = row->cfa == HD_CFI_FULL ? HD_FRAME_RULE_FULL
		: row->cfa == HD_CFI_SP ? HD_FRAME_RULE_SP
					: HD_FRAME_RULE_FP;
	if (s->op == HD_FRAME_RULE_FULL)
		return;
	if (row->ra != HD_CFI_AT_CFA) {
		s->op = HD_FRAME_RULE_END;
		return;
	}
	s->fp = row->fp;
	s->cfa_off = row->cfa_off;
	s->fp_off = row->fp_off;
	s->ra_off = row->ra_off;
}

static bool is_in_code(uint64_t pc)
{
	struct hd_cfi *cfi;

	return (hd_module_at(pc - 1, &cfi) && cfi && hd_cfi_function(cfi, pc - 1)) || hd_region_is_code(pc - 1);
}

struct stack { uint64_t lo, hi; struct hd_reads *reads; };

static bool read_stack(void *ctx, uint64_t addr, unsigned bytes, uint64_t *value)
{
	const struct stack *st = ctx;
	struct hd_reads *reads = st->reads;

	*value = 0;
	if (bytes > 8 || addr < st->lo || addr >= st->hi || st->hi - addr < bytes)
		return false;
	memcpy(value, (const void *)(uintptr_t)addr, bytes);
	if (bytes == 8 && reads->n < HD_READS) {
		reads->check[reads->n++] = (struct hd_check){ (const uint64_t *)(uintptr_t)addr, *value };
	} else {
		reads->n = HD_READS + 1;
	}
	return true;
}

struct recovery {
	const struct hd_cfi *cfi;
	struct hd_cfi_regs regs;
	struct hd_cfi_memory_reader memory;
	uint64_t cfa;
};

/* Set *v to the value that a register had in the caller.  Returns false if it is unknown. */
static bool recover(const struct recovery *r, const struct hd_cfi_rule *rule, unsigned int reg, uint64_t *v)
{
	uint64_t at;

	switch (rule->kind) {
	case HD_RULE_SAME:
		*v = r->regs.v[reg];
		return r->regs.known >> reg & 1;
	case HD_RULE_OFFSET:
		return r->memory.read(r->memory.ctx, r->cfa + (uint64_t)rule->off, 8, v);
	case HD_RULE_VAL_OFFSET:
		*v = r->cfa + (uint64_t)rule->off;
		return true;
	case HD_RULE_REGISTER:
		*v = r->regs.v[rule->reg];
		return r->regs.known >> rule->reg & 1;
	case HD_RULE_EXPR:
		return hd_cfi_eval(r->cfi, rule->expr, rule->expr_len, &r->regs, &r->memory, &r->cfa, &at) &&
		       r->memory.read(r->memory.ctx, at, 8, v);
	case HD_RULE_VAL_EXPR:
		return hd_cfi_eval(r->cfi, rule->expr, rule->expr_len, &r->regs, &r->memory, &r->cfa, v);
	default:
		return false;
	}
}

static bool apply_full_rule(const struct hd_frame_rule *s, struct hd_regs *regs, uint64_t top, struct hd_reads *reads)
{
	const struct hd_cfi_abi *abi = hd_cfi_abi(HD_MACHINE);
	uint64_t at = regs->exact ? regs->pc : regs->pc - 1, sp, fp, pc;
	struct stack st = { regs->sp, top, reads };
	struct hd_cfi_rules rules;
	struct recovery r = { .memory = { read_stack, &st } };
	struct hd_cfi *cfi;

	reads->n = 0;
	if (!hd_module_at(at, &cfi) || !cfi || !hd_cfi_rules(cfi, at, &rules))
		return false;
	r.cfi = cfi;
	r.regs.v[abi->sp] = regs->sp;
	r.regs.v[abi->fp] = regs->fp;
	r.regs.v[abi->ra] = regs->pc;
	r.regs.known = 1ull << abi->sp | 1ull << abi->fp | 1ull << abi->ra;
	if (rules.cfa.kind == HD_RULE_REGISTER) {
		if (!(r.regs.known >> rules.cfa.reg & 1))
			return false;
		r.cfa = r.regs.v[rules.cfa.reg] + (uint64_t)rules.cfa.off;
	} else if (!hd_cfi_eval(cfi, rules.cfa.expr, rules.cfa.expr_len, &r.regs, &r.memory, NULL, &r.cfa)) {
		return false;
	}
	if (!recover(&r, &rules.reg[rules.ra], rules.ra, &pc) || !recover(&r, &rules.reg[abi->sp], abi->sp, &sp))
		return false;
	if (!recover(&r, &rules.reg[abi->fp], abi->fp, &fp))
		fp = 0;
	if (s->flags & HD_CFI_SIGNED)
		pc = hd_unsigned(pc);
	*regs = (struct hd_regs){ .pc = pc, .sp = sp, .fp = fp, .exact = s->flags & HD_CFI_SIGNAL };
	return true;
}

/* ---- frames without a simple rule ---- */

struct leaving { const struct hd_frame_rule *s; struct hd_regs *r; uint64_t top; struct hd_reads *reads; bool done; };

static void apply_on_stack(void *arg)
{
	struct leaving *l = arg;

	l->done = apply_full_rule(l->s, l->r, l->top, l->reads);
}

struct code_query { uint64_t pc; bool is_code; };

static void query_code(void *arg)
{
	struct code_query *a = arg;

	a->is_code = is_in_code(a->pc);
}

/*
 * Return true if an address is in code.  An address that has a frame rule is in code, because rules are made only for
 * code.
 */
static bool is_code(const struct hd_thread *t, uint64_t pc)
{
	struct code_query a = { .pc = pc };

	if (hd_frame_rule_was_met(t, pc))
		return true;
	hd_recorder_lock();
	hd_on_stack(query_code, &a);
	hd_recorder_unlock();
	return a.is_code;
}

/*
 * Replace the registers of a frame by those of its caller, by means of the frame pointer: it points to the saved frame
 * pointer of the caller, which is followed by the return address.  Returns false if the frame pointer does not point
 * outwards into the stack, or if the return address is not in code.
 */
static bool follow_frame_pointer(const struct hd_thread *t, struct hd_reads *reads, struct hd_regs *r, uint64_t top)
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

	if (s->op == HD_FRAME_RULE_GUESS && follow_frame_pointer(t, reads, r, top))
		return true;
	if (s->op != HD_FRAME_RULE_FULL) {
		if (s->op == HD_FRAME_RULE_GUESS)
			__atomic_fetch_add(&hd_recorder.header->no_cfi, 1, __ATOMIC_RELAXED);
		return false;
	}
	hd_recorder_lock();
	hd_on_stack(apply_on_stack, &l);
	hd_recorder_unlock();
	/*
	 * The caller of a signal frame may be on another stack.  The readable part of that stack is unknown, so end
	 * here.
	 */
	return l.done && r->pc && r->sp > sp && r->sp <= top;
}
