/*
 * walk_rules.c - find the caller of a frame by all rules of its CFI: see walk.h
 *
 * Handles expressions, a CFA from any register, registers saved in registers, and signal frames.  The few registers
 * that walk_rows.c tracks are enough for most such frames: PLT stubs, signal trampolines and realigned stacks are
 * relative to sp or fp.
 */
#include "unwind/walk.h"

/* A walk with all registers. */
struct full {
	struct hd_walk *w;
	struct hd_cfi_regs regs;
	struct hd_cfi *cfi;		/* CFI of the current frame */
	bool missed;			/* memory outside the copy was needed, last at missed_at */
	uint64_t missed_at;
};

static bool read_memory(void *ctx, uint64_t addr, unsigned bytes, uint64_t *v)
{
	struct full *f = ctx;
	const struct hd_walk *w = f->w;
	uint64_t off = (addr - w->start) & w->m->mask, size = w->limit + w->m->word;
	uint8_t b[8] = { 0 };

	if (bytes > sizeof(b) || off > size || bytes > size - off) {
		f->missed = true;
		f->missed_at = addr;
		return false;
	}
	memcpy(b, w->in->stack + off, bytes);
	hd_walk_mark(w, off, bytes);
	*v = 0;
	for (unsigned i = 0; i < bytes; i++) {
		unsigned k = w->in->swap == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__) ? i : bytes - 1 - i;

		*v = *v << 8 | b[k];
	}
	return true;
}

enum value { KNOWN, UNKNOWN, UNDEFINED };

static bool eval(struct full *f, const struct hd_cfi_rule *rule, const uint64_t *initial, uint64_t *v)
{
	const struct hd_cfi_memory_reader memory = { read_memory, f };

	return hd_cfi_eval(f->cfi, rule->expr, rule->expr_len, &f->regs, &memory, initial, v);
}

static enum value reg_value(const struct full *f, unsigned reg, uint64_t *v)
{
	if (reg >= HD_CFI_REGS || !(f->regs.known >> reg & 1))
		return UNKNOWN;
	*v = f->regs.v[reg];
	return KNOWN;
}

/* Compute the caller's value of a register. */
static enum value rule_value(struct full *f, const struct hd_cfi_rule *rule, unsigned reg, uint64_t cfa, uint64_t *v)
{
	uint64_t addr;

	switch ((enum hd_cfi_rule_kind)rule->kind) {
	case HD_RULE_SAME:
		return reg_value(f, reg, v);
	case HD_RULE_UNDEFINED:
		return UNDEFINED;
	case HD_RULE_OFFSET:
		addr = (cfa + (uint64_t)rule->off) & f->w->m->mask;
		if (read_memory(f, addr, f->w->m->word, v))
			return KNOWN;
		return hd_walk_slot_is_popped(f->w->exact, f->w->sp, addr) && f->w->m->kept >> reg & 1
			? reg_value(f, reg, v)
			: UNKNOWN;
	case HD_RULE_VAL_OFFSET:
		*v = cfa + (uint64_t)rule->off;
		return KNOWN;
	case HD_RULE_REGISTER:
		return reg_value(f, rule->reg, v);
	case HD_RULE_EXPR:
		return eval(f, rule, &cfa, &addr) && read_memory(f, addr, f->w->m->word, v) ? KNOWN : UNKNOWN;
	case HD_RULE_VAL_EXPR:
		return eval(f, rule, &cfa, v) ? KNOWN : UNKNOWN;
	}
	return UNKNOWN;
}

static bool cfa_value(struct full *f, const struct hd_cfi_rule *rule, uint64_t *cfa)
{
	if (rule->kind == HD_RULE_VAL_EXPR)
		return eval(f, rule, NULL, cfa);
	if (rule->kind != HD_RULE_REGISTER || reg_value(f, rule->reg, cfa) != KNOWN)
		return false;
	*cfa += (uint64_t)rule->off;
	return true;
}

/*
 * Handle a required value that is unknown: ask for all registers, or end the walk if memory outside of the copy was
 * needed.
 */
static enum hd_walk_result unknown(struct full *f, uint32_t n)
{
	if (!f->missed)
		return HD_WALK_NEEDS_ALL_REGISTERS;
	if (hd_walk_missing(f->w, f->missed_at) == HD_UNWIND_END_BAD)
		return hd_walk_bad(f->w, n);
	return hd_walk_end(f->w, HD_UNWIND_END_CUT);
}

/* Compute the caller's registers by the rules; those that were not preserved become unknown. */
static void restore(struct full *f, const struct hd_cfi_rules *rules, uint64_t cfa, struct hd_cfi_regs *to)
{
	const struct hd_unwind_arch *m = f->w->m;
	unsigned n = hd_cfi_abi(m->cfi)->nregs;
	bool signal = rules->flags & HD_CFI_SIGNAL;

	*to = (struct hd_cfi_regs){ 0 };
	for (unsigned i = 0; i < n && i < HD_CFI_REGS; i++) {
		const struct hd_cfi_rule *rule = &rules->reg[i];

		if (rule->kind == HD_RULE_SAME && !signal && !(m->kept >> i & 1))
			continue;
		if (i == m->dwarf_sp && (rule->kind == HD_RULE_SAME || rule->kind == HD_RULE_UNDEFINED)) {
			to->v[i] = cfa;
			to->known |= 1ull << i;
		} else if (rule_value(f, rule, i, cfa, &to->v[i]) == KNOWN) {
			to->v[i] &= m->mask;
			to->known |= 1ull << i;
		}
	}
	/* If the caller was not interrupted by a signal, its call has overwritten its link register. */
	if (m->dwarf_lr != HD_NO_REG && !signal)
		to->known &= ~(1ull << m->dwarf_lr);
}

/* Set the registers that walk_rows.c tracks. */
static void follow(struct full *f)
{
	const struct hd_unwind_arch *m = f->w->m;

	f->w->sp = f->w->fp = f->w->lr = 0;
	reg_value(f, m->dwarf_sp, &f->w->sp);
	reg_value(f, m->dwarf_fp, &f->w->fp);
	f->w->has_lr = m->dwarf_lr != HD_NO_REG && reg_value(f, m->dwarf_lr, &f->w->lr) == KNOWN;
}

static enum hd_walk_result step(struct full *f, uint32_t object, uint32_t n)
{
	struct hd_walk *w = f->w;
	const struct hd_unwind_arch *m = w->m;
	struct hd_step_cache_mapping map = hd_step_cache_mapping_at(w->steps, w->space, hd_walk_at(w));
	const struct hd_object_cfi *text;
	struct hd_cfi_rules rules;
	struct hd_cfi_regs to;
	uint64_t vaddr, cfa, pc = 0;
	enum value known;
	bool signal;

	f->missed = false;
	text = hd_object_cfis_get(w->steps->texts, object);
	if (!hd_object_cfi_find(w->steps->texts, text, hd_walk_at(w) + map.delta, &f->cfi, &vaddr) || !f->cfi ||
	    text->machine != m->cfi || !hd_cfi_rules(f->cfi, vaddr, &rules))
		return hd_walk_frame_pointer_step(w, object, n);
	signal = rules.flags & HD_CFI_SIGNAL;
	if (m->dwarf_pc != HD_NO_REG) {
		f->regs.v[m->dwarf_pc] = w->pc;
		f->regs.known |= 1ull << m->dwarf_pc;
	}
	if (!cfa_value(f, &rules.cfa, &cfa)) {
		/* There is no caller, so the CFA is not needed. */
		if (rules.ra < HD_CFI_REGS && rules.reg[rules.ra].kind == HD_RULE_UNDEFINED)
			return hd_walk_end(w, HD_UNWIND_END_ROOT);
		return unknown(f, n);
	}
	cfa &= m->mask;
	w->out->cfa[n] = cfa;
	if (rules.ra >= HD_CFI_REGS)
		return hd_walk_bad(w, n);
	known = rule_value(f, &rules.reg[rules.ra], rules.ra, cfa, &pc);
	if (known == UNDEFINED)
		return hd_walk_end(w, HD_UNWIND_END_ROOT);
	if (!signal && !hd_walk_is_outward(w, cfa))
		return hd_walk_bad(w, n);
	if (known != KNOWN)
		return unknown(f, n);
	/* A rule by which the caller's pc equals this pc is invalid: the walk would not end. */
	if (rules.reg[rules.ra].kind == HD_RULE_SAME && rules.ra == m->dwarf_pc)
		return hd_walk_bad(w, n);
	restore(f, &rules, cfa, &to);
	f->missed = false;
	/*
	 * If the frame pointer is unknown only because its rule needs a register that is not tracked, unwind again with
	 * all registers.
	 */
	if (!(to.known >> m->dwarf_fp & 1) &&
		rule_value(f, &rules.reg[m->dwarf_fp], m->dwarf_fp, cfa, &vaddr) == UNKNOWN && !f->missed)
		return HD_WALK_NEEDS_ALL_REGISTERS;
	f->regs = to;
	follow(f);
	w->pc = pc & m->mask & (rules.flags & HD_CFI_SIGNED ? m->signed_mask : m->code_mask);
	w->exact = signal;
	w->jumped |= signal;
	return HD_WALK_CALLER;
}

static void know(struct hd_cfi_regs *r, uint8_t reg, uint64_t v)
{
	r->v[reg] = v;
	r->known |= 1ull << reg;
}

static void know_followed(struct full *f)
{
	const struct hd_walk *w = f->w;

	f->regs.known = 0;
	know(&f->regs, w->m->dwarf_sp, w->sp);
	know(&f->regs, w->m->dwarf_fp, w->fp);
	if (w->has_lr)
		know(&f->regs, w->m->dwarf_lr, w->lr);
}

enum hd_walk_result hd_walk_rules_step(struct hd_walk *w, uint32_t object, uint32_t n)
{
	struct full f = { .w = w };

	know_followed(&f);
	return step(&f, object, n);
}

void hd_walk_rules(struct hd_walk *w)
{
	struct hd_unwind_result *out = w->out;
	struct full f = { .w = w };
	const struct hd_unwind_step *s = hd_step_cache_find(w->steps, w->m, w->space, hd_walk_at(w));
	enum hd_walk_result walked;

	hd_unwind_arch_load_registers(w->m, w->in, &f.regs);
	out->guessed = false;
	out->object = 0;
	for (uint32_t n = 0; ; n++) {
		uint32_t object = s->object;

		if (n == HD_UNWIND_MAX) {
			hd_walk_end(w, HD_UNWIND_END_LIMIT);
			return;
		}
		out->ip[n] = w->pc;
		out->cfa[n] = 0;
		out->flags[n] = (w->exact ? HD_UNWIND_EXACT : 0) | (out->guessed ? HD_UNWIND_GUESSED : 0);
		out->n = n + 1;
		if (s->op < HD_UNWIND_OP_SLOW || s->op == HD_UNWIND_OP_FULL) {
			walked = step(&f, object, n);
		} else {
			walked = hd_walk_special_step(w, s, n);
			know_followed(&f);
		}
		if (walked == HD_WALK_NEEDS_ALL_REGISTERS)
			hd_walk_bad(w, n);
		if (walked != HD_WALK_CALLER)
			return;
		if (!w->pc && !w->exact) {
			hd_walk_end(w, HD_UNWIND_END_ROOT);
			return;
		}
		s = hd_step_cache_find(w->steps, w->m, w->space, hd_walk_at(w));
		if (s->op == HD_UNWIND_OP_NOT_CODE && !w->exact) {
			hd_walk_bad(w, n);
			return;
		}
	}
}
