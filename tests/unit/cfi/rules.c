/*
 * rules.c - compute the rules of all registers for one address
 */
#include "cfi_test.h"

static void one(struct opened *o, const uint8_t *insns, size_t n)
{
	struct image im = { .vaddr = 0x8000 };

	x86_cie(&im);
	fde(&im, 0x1000, 0x100, insns, n);
	open_over(o, &im);
	EXPECT_INT(o->rc, 1);
}

static struct hd_cfi_rules rules_at(struct opened *o, uint64_t vaddr)
{
	struct hd_cfi_rules r;

	memset(&r, 0xa5, sizeof(r));
	EXPECT(hd_cfi_rules(o->c, vaddr, &r));
	return r;
}

static void expect_rule(const struct hd_cfi_rule *rule, enum hd_cfi_rule_kind kind, int64_t off)
{
	EXPECT_INT(rule->kind, kind);
	EXPECT(rule->off == off);
}

TEST(registers_that_no_one_mentions_are_as_in_the_callee_and_sp_is_the_cfa)
{
	struct hd_cfi_rules r;
	struct opened o;

	one(&o, NOTHING);
	r = rules_at(&o, 0x1000);
	EXPECT(r.cfa.kind == HD_RULE_REGISTER && r.cfa.reg == 7 && r.cfa.off == 8);
	EXPECT_INT(r.ra, 16);
	for (unsigned int reg = 0; reg < HD_CFI_REGS; reg++)
		if (reg == 7)
			expect_rule(&r.reg[reg], HD_RULE_VAL_OFFSET, 0);
		else if (reg == 16)
			expect_rule(&r.reg[reg], HD_RULE_OFFSET, -8);
		else
			expect_rule(&r.reg[reg], HD_RULE_SAME, 0);
	release(&o);
}

TEST(each_instruction_makes_its_rule)
{
	struct hd_cfi_rules r;
	struct opened o;

	one(&o, BYTES(0x80, 2,			/* offset rax cfa-16 */
		      0x05, 1, 3,		/* offset_extended rdx cfa-24 */
		      0x11, 2, 0x7c,		/* offset_extended_sf rcx, -4: cfa+32 */
		      0x2f, 3, 5,		/* GNU_negative_offset_extended rbx: cfa+40 */
		      0x14, 4, 6,		/* val_offset rsi cfa-48 */
		      0x15, 5, 0x79,		/* val_offset_sf rdi, -7: cfa+56 */
		      0x09, 8, 9,		/* register r8, in r9 */
		      0x07, 10,			/* undefined r10 */
		      0x07, 11,  0x08, 11,	/* undefined, then same_value r11 */
		      0x10, 12, 2, 0x77, 8,	/* expression r12: breg7 8 */
		      0x16, 13, 1, 0x33));	/* val_expression r13: lit3 */
	r = rules_at(&o, 0x10ff);
	expect_rule(&r.reg[0], HD_RULE_OFFSET, -16);
	expect_rule(&r.reg[1], HD_RULE_OFFSET, -24);
	expect_rule(&r.reg[2], HD_RULE_OFFSET, 32);
	expect_rule(&r.reg[3], HD_RULE_OFFSET, 40);
	expect_rule(&r.reg[4], HD_RULE_VAL_OFFSET, -48);
	expect_rule(&r.reg[5], HD_RULE_VAL_OFFSET, 56);
	expect_rule(&r.reg[8], HD_RULE_REGISTER, 0);
	EXPECT_INT(r.reg[8].reg, 9);
	expect_rule(&r.reg[10], HD_RULE_UNDEFINED, 0);
	expect_rule(&r.reg[11], HD_RULE_SAME, 0);
	expect_rule(&r.reg[12], HD_RULE_EXPR, 0);
	EXPECT_INT(r.reg[12].expr_len, 2);
	EXPECT_MEM(r.reg[12].expr, "\x77\x08", 2);
	expect_rule(&r.reg[13], HD_RULE_VAL_EXPR, 0);
	EXPECT_INT(r.reg[13].expr_len, 1);
	EXPECT_MEM(r.reg[13].expr, "\x33", 1);
	release(&o);
}

TEST(a_value_in_a_register_that_is_not_followed_is_lost)
{
	struct hd_cfi_rules r;
	struct opened o;

	one(&o, BYTES(0x09, 3, 17));	/* register rbx, in xmm0 */
	r = rules_at(&o, 0x1000);
	expect_rule(&r.reg[3], HD_RULE_UNDEFINED, 0);
	release(&o);
}

TEST(the_cfa_is_a_register_and_an_offset_or_an_expression)
{
	struct hd_cfi_rules r;
	struct opened o;

	one(&o, BYTES(0x12, 10, 0x7f,				/* def_cfa_sf r10, -1: r10+8 */
		      0x41,  0x13, 0x7e,			/* def_cfa_offset_sf -2: r10+16 */
		      0x41,  0x0d, 6,				/* def_cfa_register rbp */
		      0x41,  0x0f, 3, 0x76, 0x78, 0x06,		/* def_cfa_expression breg6 -8; deref */
		      0x41,  0x0c, 7, 24));			/* def_cfa rsp+24 */
	r = rules_at(&o, 0x1000);
	EXPECT(r.cfa.kind == HD_RULE_REGISTER && r.cfa.reg == 10 && r.cfa.off == 8);
	r = rules_at(&o, 0x1001);
	EXPECT(r.cfa.kind == HD_RULE_REGISTER && r.cfa.reg == 10 && r.cfa.off == 16);
	r = rules_at(&o, 0x1002);
	EXPECT(r.cfa.kind == HD_RULE_REGISTER && r.cfa.reg == 6 && r.cfa.off == 16);
	r = rules_at(&o, 0x1003);
	EXPECT(r.cfa.kind == HD_RULE_VAL_EXPR && r.cfa.expr_len == 3);
	EXPECT_MEM(r.cfa.expr, "\x76\x78\x06", 3);
	r = rules_at(&o, 0x1004);
	EXPECT(r.cfa.kind == HD_RULE_REGISTER && r.cfa.reg == 7 && r.cfa.off == 24);
	release(&o);
}

TEST(rules_are_those_of_the_address)
{
	struct hd_cfi_rules r;
	struct opened o;

	one(&o, BYTES(0x41,  0x83, 2,  0x0a,  0x42,  0xc3,  0x43,  0x0b));
	r = rules_at(&o, 0x1000);
	expect_rule(&r.reg[3], HD_RULE_SAME, 0);
	r = rules_at(&o, 0x1001);
	expect_rule(&r.reg[3], HD_RULE_OFFSET, -16);
	r = rules_at(&o, 0x1002);
	expect_rule(&r.reg[3], HD_RULE_OFFSET, -16);
	r = rules_at(&o, 0x1003);
	expect_rule(&r.reg[3], HD_RULE_SAME, 0);
	r = rules_at(&o, 0x1006);
	expect_rule(&r.reg[3], HD_RULE_OFFSET, -16);
	EXPECT(!hd_cfi_rules(o.c, 0xfff, &r));
	EXPECT(!hd_cfi_rules(o.c, 0x1100, &r));
	release(&o);
}

TEST(the_rules_of_a_signal_frame_have_its_flag)
{
	struct image im = { .vaddr = 0x8000, .machine = HD_CFI_AARCH64 };
	struct hd_cfi_rules r;
	struct opened o;

	cie(&im, "zS", 30, BYTES(0x0c, 31, 0));
	fde_of(&im, im.cie, true, 0x1000, 0x10, BYTES(0x2d));
	open_over(&o, &im);
	r = rules_at(&o, 0x1000);
	EXPECT_INT(r.flags, HD_CFI_SIGNAL | HD_CFI_SIGNED);
	release(&o);
}

TEST_MAIN(RUN(registers_that_no_one_mentions_are_as_in_the_callee_and_sp_is_the_cfa),
	RUN(each_instruction_makes_its_rule), RUN(a_value_in_a_register_that_is_not_followed_is_lost),
	RUN(the_cfa_is_a_register_and_an_offset_or_an_expression), RUN(rules_are_those_of_the_address),
	RUN(the_rules_of_a_signal_frame_have_its_flag))
