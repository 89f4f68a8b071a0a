/*
 * program.c - run the instructions of an FDE
 *
 *     CIE:  def_cfa rsp+8; offset rip cfa-8
 *     FDE:  advance 1; def_cfa_offset 16; offset rbp cfa-16; advance 3; def_cfa_register rbp; ...
 *
 *           [lo, lo+1)    CFA = rsp+8,   rip at CFA-8
 *           [lo+1, lo+4)  CFA = rsp+16,  rip at CFA-8, rbp at CFA-16
 *           [lo+4, ...    CFA = rbp+16,  ...
 *
 * The CIE's instructions set the initial rules, to which `restore` returns.  A rule contains at most one number: an
 * expression is stored as its offset in the section.
 */
#include "cfi/index.h"

enum op {
	/* two bits of opcode, six of operand */
	OP_ADVANCE = 1, OP_OFFSET = 2, OP_RESTORE = 3,
	/* eight bits of opcode */
	OP_NOP = 0x00, OP_SET_LOC = 0x01, OP_ADVANCE1 = 0x02, OP_ADVANCE2 = 0x03, OP_ADVANCE4 = 0x04,
	OP_OFFSET_EXTENDED = 0x05, OP_RESTORE_EXTENDED = 0x06, OP_UNDEFINED = 0x07, OP_SAME_VALUE = 0x08,
	OP_REGISTER = 0x09,
	OP_REMEMBER_STATE = 0x0a, OP_RESTORE_STATE = 0x0b,
	OP_DEF_CFA = 0x0c, OP_DEF_CFA_REGISTER = 0x0d, OP_DEF_CFA_OFFSET = 0x0e, OP_DEF_CFA_EXPRESSION = 0x0f,
	OP_EXPRESSION = 0x10, OP_OFFSET_EXTENDED_SF = 0x11, OP_DEF_CFA_SF = 0x12, OP_DEF_CFA_OFFSET_SF = 0x13,
	OP_VAL_OFFSET = 0x14, OP_VAL_OFFSET_SF = 0x15, OP_VAL_EXPRESSION = 0x16,
	OP_MIPS_ADVANCE8 = 0x1d,
	OP_AARCH64_SET_RA_STATE = 0x2b, OP_AARCH64_NEGATE_RA_STATE_WITH_PC = 0x2c,
	OP_AARCH64_NEGATE_RA_STATE = 0x2d,	/* the same number is DW_CFA_GNU_window_save on SPARC */
	OP_GNU_ARGS_SIZE = 0x2e, OP_GNU_NEGATIVE_OFFSET_EXTENDED = 0x2f,
};

static hd_cfi_packed_rule pack(enum hd_cfi_rule_kind kind, int64_t operand)
{
	return (uint64_t)operand << HD_CFI_KIND_BITS | kind;
}

/* Set the rule of a register; registers that are not tracked are ignored. */
static void set(struct hd_cfi_interpreter *run, uint64_t reg, hd_cfi_packed_rule rule)
{
	if (reg < run->c->abi->nregs)
		run->now.reg[reg] = rule;
}

/* Return factor * data_align.  If that does not fit into a packed rule, the read fails (r.bad). */
static int64_t factored(struct hd_cfi_interpreter *run, int64_t factor)
{
	int64_t off;

	if (__builtin_mul_overflow(factor, run->fde->cie.data_align, &off) ||
	    off >= INT64_MAX >> HD_CFI_KIND_BITS || off <= INT64_MIN >> HD_CFI_KIND_BITS) {
		run->r.bad = true;
		return 0;
	}
	return off;
}

/* Read an unsigned operand that is used as a signed one. */
static int64_t plain(struct hd_cfi_interpreter *run)
{
	uint64_t v = hd_cfi_uleb(&run->r);

	if (v > INT64_MAX >> HD_CFI_KIND_BITS)
		run->r.bad = true;
	return run->r.bad ? 0 : (int64_t)v;
}

/* Skip an expression.  Returns the offset in the section at which its length is stored. */
static uint32_t place(struct hd_cfi_interpreter *run)
{
	uint32_t at = (uint32_t)(run->r.p - run->part->sec.bytes);

	hd_cfi_skip(&run->r, hd_cfi_uleb(&run->r));
	return at;
}

static void def_cfa(struct hd_cfi_interpreter *run, uint64_t reg)
{
	if (reg >= run->c->abi->nregs)
		run->r.bad = true;
	run->now.cfa_reg = (uint8_t)reg;
	run->now.cfa_expr = 0;
}

static void advance(struct hd_cfi_interpreter *run, uint64_t by)
{
	if (__builtin_mul_overflow(by, run->fde->cie.code_align, &by) || by > run->fde->hi - run->from)
		run->to = run->fde->hi;
	else
		run->to = run->from + by;
}

/*
 * Execute DW_CFA_set_loc: advance to an address.  Returns false if the address is before the current location, or
 * cannot be determined.
 */
static bool set_loc(struct hd_cfi_interpreter *run)
{
	const struct hd_cfi_pointer_bases bases = {
		.sec = &run->part->sec, .text = run->c->in.text_vaddr, .data = run->c->in.got_vaddr,
		.func = run->fde->lo, .word = run->fde->cie.word,
	};

	if (!hd_cfi_encoded(&run->r, run->fde->cie.enc, &bases, &run->to) || run->to < run->from)
		return false;
	if (run->to > run->fde->hi)
		run->to = run->fde->hi;
	return true;
}

/*
 * Execute an instruction that states whether the return address is signed.  Returns false on any architecture but
 * aarch64, which alone has such instructions.
 */
static bool signing(struct hd_cfi_interpreter *run, uint8_t op)
{
	if (run->c->in.machine != HD_CFI_AARCH64)
		return false;
	if (op == OP_AARCH64_SET_RA_STATE) {
		bool is = hd_cfi_uleb(&run->r) != 0;

		hd_cfi_sleb(&run->r);	/* the address of the signing instruction */
		run->now.flags = (uint8_t)((run->now.flags & ~HD_CFI_SIGNED) | (is ? HD_CFI_SIGNED : 0));
	} else {
		run->now.flags ^= HD_CFI_SIGNED;
	}
	return true;
}

/* Run one instruction.  Returns false if the instruction is unknown or invalid. */
static bool step(struct hd_cfi_interpreter *run)
{
	struct hd_cfi_reader *r = &run->r;
	struct hd_cfi_state *now = &run->now;
	uint8_t op = hd_cfi_u8(r);
	uint64_t reg = op & 0x3f;

	switch (op >> 6) {
	case OP_ADVANCE:
		advance(run, reg);
		return true;
	case OP_OFFSET:
		set(run, reg, pack(HD_RULE_OFFSET, factored(run, plain(run))));
		return !r->bad;
	case OP_RESTORE:
		set(run, reg, reg < HD_CFI_REGS ? run->initial.reg[reg] : 0);
		return true;
	}
	switch (op) {
	case OP_NOP:
		break;
	case OP_SET_LOC:
		if (!set_loc(run))
			return false;
		break;
	case OP_ADVANCE1:
		advance(run, hd_cfi_fixed(r, 1));
		break;
	case OP_ADVANCE2:
		advance(run, hd_cfi_fixed(r, 2));
		break;
	case OP_ADVANCE4:
		advance(run, hd_cfi_fixed(r, 4));
		break;
	case OP_MIPS_ADVANCE8:
		advance(run, hd_cfi_fixed(r, 8));
		break;
	case OP_OFFSET_EXTENDED:
		reg = hd_cfi_uleb(r);
		set(run, reg, pack(HD_RULE_OFFSET, factored(run, plain(run))));
		break;
	case OP_OFFSET_EXTENDED_SF:
		reg = hd_cfi_uleb(r);
		set(run, reg, pack(HD_RULE_OFFSET, factored(run, hd_cfi_sleb(r))));
		break;
	case OP_GNU_NEGATIVE_OFFSET_EXTENDED:
		reg = hd_cfi_uleb(r);
		set(run, reg, pack(HD_RULE_OFFSET, -factored(run, plain(run))));
		break;
	case OP_VAL_OFFSET:
		reg = hd_cfi_uleb(r);
		set(run, reg, pack(HD_RULE_VAL_OFFSET, factored(run, plain(run))));
		break;
	case OP_VAL_OFFSET_SF:
		reg = hd_cfi_uleb(r);
		set(run, reg, pack(HD_RULE_VAL_OFFSET, factored(run, hd_cfi_sleb(r))));
		break;
	case OP_RESTORE_EXTENDED:
		reg = hd_cfi_uleb(r);
		set(run, reg, reg < HD_CFI_REGS ? run->initial.reg[reg] : 0);
		break;
	case OP_UNDEFINED:
		set(run, hd_cfi_uleb(r), HD_RULE_UNDEFINED);
		break;
	case OP_SAME_VALUE:
		set(run, hd_cfi_uleb(r), HD_RULE_SAME);
		break;
	case OP_REGISTER:
		reg = hd_cfi_uleb(r);
		set(run, reg, pack(HD_RULE_REGISTER, plain(run)));
		break;
	case OP_EXPRESSION:
		reg = hd_cfi_uleb(r);
		set(run, reg, pack(HD_RULE_EXPR, place(run)));
		break;
	case OP_VAL_EXPRESSION:
		reg = hd_cfi_uleb(r);
		set(run, reg, pack(HD_RULE_VAL_EXPR, place(run)));
		break;
	case OP_REMEMBER_STATE:
		if (run->depth == HD_CFI_STATE_STACK_MAX)
			return false;
		run->saved[run->depth++] = *now;
		break;
	case OP_RESTORE_STATE:
		if (!run->depth)
			return false;
		*now = run->saved[--run->depth];
		break;
	case OP_DEF_CFA:
		def_cfa(run, hd_cfi_uleb(r));
		now->cfa_off = plain(run);
		break;
	case OP_DEF_CFA_SF:
		def_cfa(run, hd_cfi_uleb(r));
		now->cfa_off = factored(run, hd_cfi_sleb(r));
		break;
	case OP_DEF_CFA_REGISTER:
		def_cfa(run, hd_cfi_uleb(r));
		break;
	case OP_DEF_CFA_OFFSET:
		now->cfa_off = plain(run);
		break;
	case OP_DEF_CFA_OFFSET_SF:
		now->cfa_off = factored(run, hd_cfi_sleb(r));
		break;
	case OP_DEF_CFA_EXPRESSION:
		now->cfa_expr = place(run);
		break;
	case OP_GNU_ARGS_SIZE:		/* only relevant to exception landing pads */
		hd_cfi_uleb(r);
		break;
	case OP_AARCH64_SET_RA_STATE: case OP_AARCH64_NEGATE_RA_STATE_WITH_PC: case OP_AARCH64_NEGATE_RA_STATE:
		if (!signing(run, op))
			return false;
		break;
	default:
		return false;
	}
	return !r->bad;
}

void hd_cfi_interpreter_start(struct hd_cfi_interpreter *run, const struct hd_cfi *c,
	const struct hd_cfi_indexed_section *part, const struct hd_cfi_fde *fde)
{
	const struct hd_cfi_cie *cie = &fde->cie;
	bool fine = true;

	run->c = c;
	run->part = part;
	run->fde = fde;
	run->from = run->to = fde->lo;
	run->depth = 0;
	run->now = (struct hd_cfi_state){ .cfa_reg = HD_CFI_NO_REG, .flags = cie->signal ? HD_CFI_SIGNAL : 0 };
	/* In the ABIs of all supported architectures, the caller's stack pointer is the CFA. */
	run->now.reg[c->abi->sp] = pack(HD_RULE_VAL_OFFSET, 0);
	run->initial = run->now;
	run->r = (struct hd_cfi_reader){ .p = cie->insns, .end = cie->end, .swap = c->in.swap };
	while (fine && run->r.p < run->r.end)
		fine = step(run);
	run->initial = run->now;
	run->to = fde->lo;	/* the instructions of the CIE do not advance; the first range starts at the function */
	run->r = (struct hd_cfi_reader){ .p = fde->insns, .end = fde->end, .swap = c->in.swap, .bad = !fine };
	run->cut = hd_cfi_left(&run->r) > HD_CFI_PROGRAM_MAX;
	if (run->cut)
		run->r.end = run->r.p + HD_CFI_PROGRAM_MAX;
}

int hd_cfi_interpreter_next(struct hd_cfi_interpreter *run)
{
	const struct hd_cfi_state *now = &run->now;

	run->from = run->to;
	if (run->from >= run->fde->hi)
		return 0;
	if (run->r.bad)
		return -1;
	while (run->to == run->from && run->r.p < run->r.end)
		if (!step(run))
			goto fault;
	if (now->cfa_reg == HD_CFI_NO_REG && !now->cfa_expr)
		goto fault;
	/* If there are no more instructions, the last rules are valid up to the end of the function. */
	if (run->to == run->from) {
		if (run->cut)
			goto fault;
		run->to = run->fde->hi;
	}
	return 1;
fault:
	run->to = run->from;
	return -1;
}
