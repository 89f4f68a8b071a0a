/*
 * program.c - convert the instructions of an FDE to compact rows
 */
#include "cfi_test.h"

/* Open a section with one function [0x1000, 0x1100) of x86-64 that has these instructions. */
static void one(struct opened *o, const uint8_t *insns, size_t n)
{
	struct image im = { .vaddr = 0x8000 };

	x86_cie(&im);
	fde(&im, 0x1000, 0x100, insns, n);
	open_over(o, &im);
	EXPECT_INT(o->rc, 1);
}

static void expect_row(struct opened *o, uint64_t vaddr, enum hd_cfi_base cfa, int32_t off)
{
	const struct hd_cfi_row *row = row_at(o, vaddr);

	EXPECT(row != NULL);
	EXPECT_INT(row->cfa, cfa);
	EXPECT_INT(row->cfa_off, off);
}

static void expect_rows(struct opened *o, uint32_t n)
{
	EXPECT_INT(hd_cfi_function(o->c, 0x1000)->nrows, n);
}

TEST(a_function_without_instructions_has_the_row_of_its_cie)
{
	const struct hd_cfi_row *row;
	struct opened o;

	one(&o, NOTHING);
	row = row_at(&o, 0x1000);
	EXPECT_INT(hd_cfi_function(o.c, 0x1000)->lo, 0x1000);
	EXPECT_INT(hd_cfi_function(o.c, 0x10ff)->hi, 0x1100);
	EXPECT(row_at(&o, 0x10ff) == row);
	EXPECT(row->cfa == HD_CFI_SP && row->cfa_off == 8);
	EXPECT(row->ra == HD_CFI_AT_CFA && row->ra_off == -8);
	EXPECT(row->fp == HD_CFI_SAME && row->flags == 0);
	expect_rows(&o, 1);
	release(&o);
}

TEST(each_advance_that_changes_something_starts_a_row)
{
	struct opened o;

	one(&o, BYTES(0x41,  0x0e, 16,					/* advance 1; def_cfa_offset 16 */
		      0x02, 2,  0x0e, 24,				/* advance_loc1 2 */
		      0x03, 3, 0,  0x0e, 32,				/* advance_loc2 3 */
		      0x04, 4, 0, 0, 0,  0x0e, 40,			/* advance_loc4 4 */
		      0x1d, 5, 0, 0, 0, 0, 0, 0, 0,  0x0e, 48,		/* MIPS_advance_loc8 5 */
		      0x01, 0x80, 0x10, 0, 0, 0, 0, 0, 0,  0x0e, 56));	/* set_loc 0x1080 */
	expect_row(&o, 0x1000, HD_CFI_SP, 8);
	expect_row(&o, 0x1001, HD_CFI_SP, 16);
	expect_row(&o, 0x1002, HD_CFI_SP, 16);
	expect_row(&o, 0x1003, HD_CFI_SP, 24);
	expect_row(&o, 0x1006, HD_CFI_SP, 32);
	expect_row(&o, 0x100a, HD_CFI_SP, 40);
	expect_row(&o, 0x100f, HD_CFI_SP, 48);
	expect_row(&o, 0x107f, HD_CFI_SP, 48);
	expect_row(&o, 0x1080, HD_CFI_SP, 56);
	expect_row(&o, 0x10ff, HD_CFI_SP, 56);
	expect_rows(&o, 7);
	release(&o);
}

TEST(the_frame_pointer_is_followed_in_and_out)
{
	const struct hd_cfi_row *row;
	struct opened o;

	one(&o, BYTES(0x41,  0x0e, 16,  0x86, 2,	/* push rbp: def_cfa_offset 16; offset rbp cfa-16 */
		      0x43,  0x0d, 6,			/* mov rbp, rsp: def_cfa_register rbp */
		      0x50,  0x0c, 7, 8));		/* leave: def_cfa rsp+8; rbp keeps its rule */
	row = row_at(&o, 0x1001);
	EXPECT(row->cfa == HD_CFI_SP && row->cfa_off == 16 && row->fp == HD_CFI_AT_CFA && row->fp_off == -16);
	row = row_at(&o, 0x1004);
	EXPECT(row->cfa == HD_CFI_FP && row->cfa_off == 16 && row->fp == HD_CFI_AT_CFA && row->fp_off == -16);
	row = row_at(&o, 0x1014);
	EXPECT(row->cfa == HD_CFI_SP && row->cfa_off == 8);
	expect_rows(&o, 4);
	release(&o);
}

TEST(other_saved_registers_make_no_row_of_their_own)
{
	struct opened o;

	one(&o, BYTES(0x41,  0x83, 4,	/* offset rbx cfa-32 */
		      0x41,  0x8c, 3,	/* offset r12 cfa-24 */
		      0x41,  0xc3));	/* restore rbx */
	expect_rows(&o, 1);
	expect_row(&o, 0x1003, HD_CFI_SP, 8);
	release(&o);
}

TEST(equal_neighbours_are_one_row_and_empty_ranges_none)
{
	struct opened o;

	one(&o, BYTES(0x41,  0x0e, 16,
		      0x42,  0x0e, 16,			/* repeats the present rule */
		      0x41,  0x0e, 24,  0x02, 0,	/* advance by 0: this row is empty */
		      0x0e, 32));
	expect_rows(&o, 3);
	expect_row(&o, 0x1003, HD_CFI_SP, 16);
	expect_row(&o, 0x1004, HD_CFI_SP, 32);
	release(&o);
}

TEST(rules_after_the_end_of_the_function_are_dropped)
{
	struct opened o;

	one(&o, BYTES(0x41,  0x0e, 16,  0x03, 0xff, 0,  0x0e, 24));	/* from 0x1100 on */
	expect_rows(&o, 2);
	EXPECT(!hd_cfi_function(o.c, 0x1000)->damaged);
	EXPECT(!hd_cfi_function(o.c, 0x1100));
	release(&o);
	one(&o, BYTES(0x41,  0x0e, 16,  0x1d, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,  0x0e, 24));
	expect_rows(&o, 2);
	EXPECT(!hd_cfi_function(o.c, 0x1000)->damaged);
	release(&o);
}

TEST(a_restored_state_has_its_cfa)
{
	struct opened o;

	one(&o, BYTES(0x41,  0x0e, 16,  0x86, 2,
		      0x41,  0x0a,  0x0e, 8,  0xc6,	/* remember_state; def_cfa_offset 8; restore rbp */
		      0x41,  0x0b));			/* restore_state */
	expect_row(&o, 0x1002, HD_CFI_SP, 8);
	EXPECT_INT(row_at(&o, 0x1002)->fp, HD_CFI_SAME);
	expect_row(&o, 0x1003, HD_CFI_SP, 16);
	EXPECT_INT(row_at(&o, 0x1003)->fp, HD_CFI_AT_CFA);
	release(&o);
}

TEST(remember_and_restore_can_be_nested)
{
	struct opened o;

	one(&o, BYTES(0x0a,  0x41,  0x0e, 16,  0x0a,  0x41,  0x0e, 24,  0x41,  0x0b,  0x41,  0x0b));
	expect_row(&o, 0x1002, HD_CFI_SP, 24);
	expect_row(&o, 0x1003, HD_CFI_SP, 16);
	expect_row(&o, 0x1004, HD_CFI_SP, 8);
	release(&o);
}

TEST(restore_goes_back_to_the_rule_of_the_cie)
{
	struct image im = { .vaddr = 0x8000 };
	struct opened o;

	cie(&im, "", 16, BYTES(0x0c, 7, 8,  0x90, 1,  0x86, 2));	/* ...; offset rbp cfa-16 */
	fde(&im, 0x1000, 0x100, BYTES(0x41,  0x08, 6,		/* same_value rbp */
				      0x41,  0xc6,		/* restore rbp */
				      0x41,  0x07, 6,		/* undefined rbp */
				      0x41,  0x06, 6));		/* restore_extended rbp */
	open_over(&o, &im);
	EXPECT_INT(row_at(&o, 0x1000)->fp_off, -16);
	EXPECT_INT(row_at(&o, 0x1001)->fp, HD_CFI_SAME);
	EXPECT_INT(row_at(&o, 0x1002)->fp_off, -16);
	EXPECT_INT(row_at(&o, 0x1003)->fp, HD_CFI_UNDEFINED);
	EXPECT_INT(row_at(&o, 0x1004)->fp_off, -16);
	release(&o);
}

TEST(an_undefined_return_address_ends_the_stack)
{
	struct opened o;

	one(&o, BYTES(0x07, 16));		/* _start: undefined rip */
	EXPECT_INT(row_at(&o, 0x1000)->cfa, HD_CFI_SP);
	EXPECT_INT(row_at(&o, 0x1000)->ra, HD_CFI_UNDEFINED);
	release(&o);
}

TEST(rules_that_no_compact_row_can_express_are_full_rows)
{
	static const struct { uint8_t n, insns[8]; } what[] = {
		{ 3, { 0x0c, 10, 0 } },			/* def_cfa r10+0 */
		{ 4, { 0x0f, 2, 0x77, 8 } },		/* def_cfa_expression breg7 8 */
		{ 5, { 0x10, 6, 2, 0x76, 8 } },		/* expression rbp */
		{ 5, { 0x16, 16, 2, 0x76, 8 } },	/* val_expression rip */
		{ 3, { 0x09, 16, 2 } },			/* register rip, in rcx */
		{ 3, { 0x14, 6, 1 } },			/* val_offset rbp */
		{ 2, { 0x08, 16 } },			/* same_value rip: a call pushes it */
		{ 2, { 0x87, 5 } },			/* offset rsp: saved, not the CFA */
		{ 4, { 0x86, 0x81, 0x20 } },		/* offset rbp cfa-32776: the offset does not fit into 16 bits */
		{ 7, { 0x0e, 0x80, 0x80, 0x80, 0x80, 0x08 } },	/* def_cfa_offset 2^31 */
	};

	for (size_t i = 0; i < sizeof(what) / sizeof(what[0]); i++) {
		struct opened o;

		one(&o, what[i].insns, what[i].n);
		EXPECT_INT(row_at(&o, 0x1000)->cfa, HD_CFI_FULL);
		EXPECT_INT(row_at(&o, 0x1000)->cfa_off, 0);
		EXPECT(!hd_cfi_function(o.c, 0x1000)->damaged);
		expect_rows(&o, 1);
		release(&o);
	}
}

TEST(the_greatest_numbers_of_a_compact_row_fit)
{
	struct opened o;

	one(&o, BYTES(0x86, 0x80, 0x20,				/* offset rbp cfa-32768 */
		      0x0e, 0xff, 0xff, 0xff, 0xff, 0x07));	/* def_cfa_offset 2^31-1 */
	expect_row(&o, 0x1000, HD_CFI_SP, INT32_MAX);
	EXPECT_INT(row_at(&o, 0x1000)->fp_off, INT16_MIN);
	release(&o);
}

TEST(a_signal_frame_is_flagged)
{
	struct image im = { .vaddr = 0x8000 };
	struct opened o;

	cie(&im, "zS", 16, BYTES(0x0f, 3, 0x77, 0xa0, 0x01,	/* similar to __restore_rt: the CFA is rsp+160 */
				 0x10, 16, 3, 0x77, 0xa8, 0x01));	/* and rip is saved at rsp+168 */
	fde_of(&im, im.cie, true, 0x1000, 0x10, NOTHING);
	open_over(&o, &im);
	EXPECT_INT(row_at(&o, 0x1000)->cfa, HD_CFI_FULL);
	EXPECT_INT(row_at(&o, 0x1000)->flags, HD_CFI_SIGNAL);
	release(&o);
}

TEST(instructions_without_effect_on_the_rules_are_skipped)
{
	struct opened o;

	one(&o, BYTES(0x00,  0x2e, 0x80, 0x01,		/* nop; GNU_args_size 128 */
		      0x91, 5,				/* offset xmm0: this register is not tracked */
		      0x10, 60, 1, 0x30,		/* expression r60 */
		      0x41,  0x0e, 16,  0x00, 0x00));
	expect_row(&o, 0x1001, HD_CFI_SP, 16);
	expect_rows(&o, 2);
	release(&o);
}

TEST(a_link_register_holds_the_address_until_it_is_saved)
{
	struct image im = { .vaddr = 0x8000, .machine = HD_CFI_AARCH64 };
	const struct hd_cfi_row *row;
	struct opened o;

	cie(&im, "", 30, BYTES(0x0c, 31, 0));				/* def_cfa sp+0 */
	fde(&im, 0x1000, 0x20,
		BYTES(0x41, 0x0e, 32, 0x9d, 4, 0x9e, 3, /* advance 1 of 4 bytes; x29 cfa-32, x30 cfa-24 */
			0x43, 0xde, 0xdd, 0x0e, 0)); /* advance 3; restore both */
	open_over(&o, &im);
	row = row_at(&o, 0x1003);
	EXPECT(row->cfa == HD_CFI_SP && row->cfa_off == 0 && row->ra == HD_CFI_SAME);
	row = row_at(&o, 0x1004);
	EXPECT(row->cfa_off == 32 && row->ra == HD_CFI_AT_CFA && row->ra_off == -24 && row->fp_off == -32);
	row = row_at(&o, 0x1010);
	EXPECT(row->cfa_off == 0 && row->ra == HD_CFI_SAME && row->fp == HD_CFI_SAME);
	release(&o);
}

TEST(signed_return_addresses_are_flagged_on_aarch64)
{
	struct image im = { .vaddr = 0x8000, .machine = HD_CFI_AARCH64 };
	struct opened o;

	cie(&im, "zB", 30, BYTES(0x0c, 31, 0));
	fde_of(&im, im.cie, true, 0x1000, 0x40,
	       BYTES(0x41,  0x2d,			/* negate_ra_state */
		     0x41,  0x0a,  0x2d,		/* remember_state; negate_ra_state */
		     0x41,  0x0b,			/* restore_state */
		     0x41,  0x2c,			/* negate_ra_state_with_pc */
		     0x41,  0x2b, 1, 0,			/* set_ra_state 1 */
		     0x41,  0x2b, 0, 0));		/* set_ra_state 0 */
	open_over(&o, &im);
	for (unsigned int i = 0; i < 7; i++)	/* the state changes at each advance */
		EXPECT_INT(row_at(&o, 0x1000 + 4 * i)->flags, i & 1 ? HD_CFI_SIGNED : 0);
	EXPECT(!hd_cfi_function(o.c, 0x1000)->damaged);
	release(&o);
}

TEST(a_return_address_in_another_register_is_full)
{
	struct image im = { .vaddr = 0x8000, .machine = HD_CFI_AARCH64 };
	struct hd_cfi_rules rules;
	struct opened o;

	cie(&im, "", 15, BYTES(0x0c, 31, 0));		/* the return address is in x15, as in glibc's rawmemchr */
	fde(&im, 0x1000, 0x20, NOTHING);
	open_over(&o, &im);
	EXPECT_INT(row_at(&o, 0x1000)->cfa, HD_CFI_FULL);
	EXPECT(hd_cfi_rules(o.c, 0x1000, &rules));
	EXPECT_INT(rules.ra, 15);
	EXPECT_INT(rules.reg[15].kind, HD_RULE_SAME);
	release(&o);
}

TEST(a_machine_of_32_bits_has_its_own_registers)
{
	struct image im = { .vaddr = 0x8000, .machine = HD_CFI_I386 };
	const struct hd_cfi_row *row;
	struct opened o;

	cie(&im, "", 8, BYTES(0x0c, 4, 4,  0x88, 1));			/* def_cfa esp+4; offset eip cfa-4 */
	fde(&im, 0x1000, 0x20, BYTES(0x41,  0x0e, 8,  0x85, 2,  0x42,  0x0d, 5));
	open_over(&o, &im);
	row = row_at(&o, 0x1000);
	EXPECT(row->cfa == HD_CFI_SP && row->cfa_off == 4 && row->ra_off == -4);
	row = row_at(&o, 0x1003);
	EXPECT(row->cfa == HD_CFI_FP && row->cfa_off == 8 && row->fp_off == -8);
	release(&o);
}

TEST(an_unknown_instruction_ends_the_rows)
{
	const struct hd_cfi_fn *fn;
	struct hd_cfi_rules rules;
	struct opened o;

	one(&o, BYTES(0x41,  0x0e, 16,  0x42,  0x1c,  0x42,  0x0e, 24));
	fn = hd_cfi_function(o.c, 0x1050);
	EXPECT(fn && fn->damaged);
	EXPECT_INT(fn->nrows, 2);
	EXPECT_INT(fn->end, 3);
	EXPECT_INT(hd_cfi_row(fn, 0x1002)->cfa_off, 16);
	EXPECT(!hd_cfi_row(fn, 0x1003));
	EXPECT(hd_cfi_rules(o.c, 0x1002, &rules));
	EXPECT(!hd_cfi_rules(o.c, 0x1003, &rules));
	release(&o);
}

TEST(invalid_instructions_end_the_rows)
{
	static const struct { uint8_t n, insns[13];
	} what[] = {
		{ 1, { 0x0b } }, /* restore_state without a state that remember_state saved */
		{ 1, { 0x0e } }, /* def_cfa_offset, cut off */
		{ 4, { 0x0f, 9, 0x77, 8 } }, /* an expression past the end */
		{ 12,
			{ 0x0e, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
				0x00 } }, /* a number of 11 bytes */
		{ 11,
			{ 0x0e, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
				0x01 } }, /* def_cfa_offset 2^64-1 */
		{ 12,
			{ 0x11, 6, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
				0x00 } }, /* times -8: past 64 bits */
		{ 2, { 0x0d, 17 } }, /* def_cfa_register xmm0 */
		{ 9, { 0x01, 0x00, 0x08, 0, 0, 0, 0, 0, 0 } }, /* set_loc 0x800: backwards */
		{ 1, { 0x2d } }, /* a register window of SPARC, or a signed return address on aarch64 */
		{ 1, { 0x3f } }, /* hi_user */
	};

	for (size_t i = 0; i < sizeof(what) / sizeof(what[0]); i++) {
		const struct hd_cfi_fn *fn;
		struct hd_cfi_rules rules;
		struct opened o;

		one(&o, what[i].insns, what[i].n);
		fn = hd_cfi_function(o.c, 0x1000);
		EXPECT(fn && fn->damaged && fn->nrows == 1 && fn->end == 0);
		EXPECT(!hd_cfi_row(fn, 0x1000));
		EXPECT(!hd_cfi_rules(o.c, 0x1000, &rules));
		release(&o);
	}
}

TEST(states_are_remembered_16_deep_and_no_deeper)
{
	uint8_t insns[19];
	struct opened o;

	memset(insns, 0x0a, sizeof(insns));
	insns[16] = 0x41;
	insns[17] = 0x0b;
	one(&o, insns, 18);
	EXPECT(!hd_cfi_function(o.c, 0x1000)->damaged);
	release(&o);
	insns[16] = 0x0a;
	one(&o, insns, 18);
	EXPECT(hd_cfi_function(o.c, 0x1000)->damaged);
	release(&o);
}

TEST(a_cie_without_a_cfa_rule_gives_no_rows)
{
	struct image im = { .vaddr = 0x8000 };
	struct opened o;

	cie(&im, "", 16, BYTES(0x90, 1));
	fde(&im, 0x1000, 0x20, BYTES(0x41));
	fde(&im, 0x2000, 0x20, BYTES(0x0c, 7, 8));	/* the FDE itself may define the CFA */
	open_over(&o, &im);
	EXPECT(hd_cfi_function(o.c, 0x1000)->damaged);
	EXPECT(!hd_cfi_row(hd_cfi_function(o.c, 0x1000), 0x1000));
	EXPECT_INT(row_at(&o, 0x2000)->cfa_off, 8);
	release(&o);
}

TEST(a_function_may_have_many_rows)
{
	uint8_t insns[3 * 200];
	struct image im = { .vaddr = 0x8000 };
	struct opened o;

	for (unsigned int i = 0; i < 200; i++) {
		insns[3 * i] = 0x41;
		insns[3 * i + 1] = 0x0e;
		insns[3 * i + 2] = (uint8_t)(i & 1 ? 16 : 24);
	}
	x86_cie(&im);
	fde(&im, 0x1000, 0x100, insns, sizeof(insns));
	open_over(&o, &im);
	expect_rows(&o, 201);
	for (uint64_t i = 1; i <= 200; i++)
		expect_row(&o, 0x1000 + i, HD_CFI_SP, i & 1 ? 24 : 16);
	release(&o);
}

TEST_MAIN(RUN(a_function_without_instructions_has_the_row_of_its_cie),
	RUN(each_advance_that_changes_something_starts_a_row), RUN(the_frame_pointer_is_followed_in_and_out),
	RUN(other_saved_registers_make_no_row_of_their_own), RUN(equal_neighbours_are_one_row_and_empty_ranges_none),
	RUN(rules_after_the_end_of_the_function_are_dropped), RUN(a_restored_state_has_its_cfa),
	RUN(remember_and_restore_can_be_nested), RUN(restore_goes_back_to_the_rule_of_the_cie),
	RUN(an_undefined_return_address_ends_the_stack), RUN(rules_that_no_compact_row_can_express_are_full_rows),
	RUN(the_greatest_numbers_of_a_compact_row_fit), RUN(a_signal_frame_is_flagged),
	RUN(instructions_without_effect_on_the_rules_are_skipped),
	RUN(a_link_register_holds_the_address_until_it_is_saved),
	RUN(signed_return_addresses_are_flagged_on_aarch64), RUN(a_return_address_in_another_register_is_full),
	RUN(a_machine_of_32_bits_has_its_own_registers), RUN(an_unknown_instruction_ends_the_rows),
	RUN(invalid_instructions_end_the_rows), RUN(states_are_remembered_16_deep_and_no_deeper),
	RUN(a_cie_without_a_cfa_rule_gives_no_rows), RUN(a_function_may_have_many_rows))
