/*
 * expr.c - evaluate DWARF expressions
 *
 * Registers: 3 is 0x1000, 7 is 0x7ff0, 33 is 5; the others are unknown.  A read from the memory from 0x7000 to 0x7fff
 * returns the low bytes of the address that is read, as many as the read is wide.  Other memory cannot be read.
 */
#include "cfi_test.h"

static bool read_memory(void *ctx, uint64_t addr, unsigned int bytes, uint64_t *value)
{
	(void)ctx;
	if (addr < 0x7000 || addr >= 0x8000)
		return false;
	*value = bytes == 8 ? addr : addr & ((UINT64_C(1) << 8 * bytes) - 1);
	return true;
}

static bool eval_as(enum hd_cfi_machine machine, bool big, const uint8_t *expr, size_t len, const uint64_t *initial,
	uint64_t *value)
{
	struct image im = { .vaddr = 0x8000, .machine = machine, .big = big };
	struct hd_cfi_regs regs = { .known = 1 << 3 | 1 << 7 | UINT64_C(1) << 33,
		.v = { [3] = 0x1000, [7] = 0x7ff0, [33] = 5 } };
	struct hd_cfi_memory_reader memory = { read_memory, NULL };
	uint8_t *copy = malloc(len ? len : 1);
	struct opened o;
	bool ok;

	cie(&im, "", hd_cfi_abi(machine)->ra, BYTES(0x0c, 4, 4));
	fde(&im, 0x1000, 0x10, NOTHING);
	open_over(&o, &im);
	EXPECT_INT(o.rc, 1);
	memcpy(copy, expr, len);
	ok = hd_cfi_eval(o.c, copy, len, &regs, &memory, initial, value);
	free(copy);
	release(&o);
	return ok;
}

static void gives(uint64_t expected, const uint8_t *expr, size_t len)
{
	uint64_t value = 0;

	EXPECT(eval_as(HD_CFI_X86_64, false, expr, len, NULL, &value));
	EXPECT(value == expected);
}

static void fails(const uint8_t *expr, size_t len)
{
	uint64_t value;

	EXPECT(!eval_as(HD_CFI_X86_64, false, expr, len, NULL, &value));
}

#define M1	UINT64_MAX	/* minus one */

TEST(constants_are_pushed)
{
	gives(0, BYTES(0x30));
	gives(31, BYTES(0x4f));
	gives(0xff, BYTES(0x08, 0xff));
	gives(M1, BYTES(0x09, 0xff));
	gives(0xfffe, BYTES(0x0a, 0xfe, 0xff));
	gives(M1 - 1, BYTES(0x0b, 0xfe, 0xff));
	gives(0xfffffffe, BYTES(0x0c, 0xfe, 0xff, 0xff, 0xff));
	gives(M1 - 1, BYTES(0x0d, 0xfe, 0xff, 0xff, 0xff));
	gives(0x0807060504030201, BYTES(0x0e, 1, 2, 3, 4, 5, 6, 7, 8));
	gives(0x0807060504030201, BYTES(0x0f, 1, 2, 3, 4, 5, 6, 7, 8));
	gives(0x0807060504030201, BYTES(0x03, 1, 2, 3, 4, 5, 6, 7, 8));		/* addr */
	gives(300, BYTES(0x10, 0xac, 0x02));
	gives(M1 - 1, BYTES(0x11, 0x7e));
}

TEST(registers_are_read_when_they_are_known)
{
	gives(0x7ff8, BYTES(0x77, 8));
	gives(0x7fe0, BYTES(0x77, 0x70));
	gives(0x1001, BYTES(0x92, 3, 1));		/* bregx */
	fails(BYTES(0x70, 0));				/* rax is not known */
	fails(BYTES(0x92, 33, 0));			/* register 33 has a value, but x86-64 has no such register */
	fails(BYTES(0x92, 0xff, 0x7f, 0));
}

TEST(memory_is_read_in_each_width)
{
	gives(0x7ff8, BYTES(0x77, 8,  0x06));
	gives(0xf8, BYTES(0x77, 8,  0x94, 1));
	gives(0x7ff8, BYTES(0x77, 8,  0x94, 2));
	gives(0x7ff8, BYTES(0x77, 8,  0x94, 8));
	fails(BYTES(0x73, 0,  0x06));			/* nothing is at 0x1000 */
	fails(BYTES(0x77, 8,  0x94, 3));
	fails(BYTES(0x77, 8,  0x94, 0));
	fails(BYTES(0x77, 8,  0x94, 16));
}

TEST(stack_operations_reorder_the_stack)
{
	gives(10, BYTES(0x35,  0x12,  0x22));				/* 5 dup plus */
	gives(5, BYTES(0x35,  0x36,  0x13));				/* 5 6 drop */
	gives(5, BYTES(0x35,  0x36,  0x14));				/* 5 6 over */
	gives(5, BYTES(0x35,  0x36,  0x37,  0x15, 2));			/* 5 6 7 pick 2 */
	gives(1, BYTES(0x35,  0x36,  0x16,  0x1c));			/* 5 6 swap minus */
	gives(3, BYTES(0x31,  0x32,  0x33,  0x17,  0x13,  0x13));	/* 1 2 3 rot: 3 1 2 */
	gives(1, BYTES(0x31,  0x32,  0x33,  0x17,  0x13));
	gives(2, BYTES(0x31,  0x32,  0x33,  0x17));
	fails(BYTES(0x12));
	fails(BYTES(0x13));
	fails(BYTES(0x35,  0x14));
	fails(BYTES(0x35,  0x15, 1));
	fails(BYTES(0x35,  0x16));
	fails(BYTES(0x35,  0x36,  0x17));
}

TEST(arithmetic_operations_are_computed)
{
	gives(3, BYTES(0x09, 0xfd,  0x19));				/* abs -3 */
	gives(4, BYTES(0x36,  0x3c,  0x1a));				/* 6 & 12 */
	gives(M1 - 1, BYTES(0x09, 0xfb,  0x32,  0x1b));			/* -5 / 2, towards zero */
	gives(M1 - 2, BYTES(0x32,  0x35,  0x1c));			/* 2 - 5 */
	gives(15, BYTES(0x09, 0xff,  0x40,  0x1d));			/* 2^64-1 mod 16: unsigned */
	gives(42, BYTES(0x36,  0x37,  0x1e));				/* 6 * 7 */
	gives(M1, BYTES(0x31,  0x1f));					/* neg */
	gives(M1 - 1, BYTES(0x31,  0x20));				/* not */
	gives(14, BYTES(0x36,  0x3c,  0x21));				/* or */
	gives(0x80, BYTES(0x30,  0x23, 0x80, 0x01));			/* plus_uconst */
	gives(48, BYTES(0x36,  0x33,  0x24));				/* shl */
	gives(UINT64_MAX >> 4, BYTES(0x09, 0xff,  0x34,  0x25));	/* shr */
	gives(M1, BYTES(0x09, 0xff,  0x34,  0x26));			/* shra */
	gives(10, BYTES(0x36,  0x3c,  0x27));				/* xor */
}

TEST(no_arithmetic_operation_has_undefined_behaviour)
{
	fails(BYTES(0x35,  0x30,  0x1b));				/* division by zero */
	fails(BYTES(0x35,  0x30,  0x1d));
	gives(UINT64_C(1) << 63, BYTES(0x0e, 0, 0, 0, 0, 0, 0, 0, 0x80,  0x09, 0xff,  0x1b));	/* INT64_MIN / -1 */
	gives(UINT64_C(1) << 63, BYTES(0x0e, 0, 0, 0, 0, 0, 0, 0, 0x80,  0x19));		/* abs(INT64_MIN) */
	gives(0, BYTES(0x31,  0x08, 64,  0x24));			/* shifts past the width */
	gives(0, BYTES(0x31,  0x09, 0xff,  0x25));
	gives(M1, BYTES(0x09, 0xfe,  0x08, 200,  0x26));
	gives(0, BYTES(0x0a, 0, 0x40,  0x08, 200,  0x26));
}

TEST(comparisons_are_signed)
{
	static const struct { uint8_t op, less, equal, greater; } ops[] = {
		{ 0x29, 0, 1, 0 }, { 0x2a, 0, 1, 1 }, { 0x2b, 0, 0, 1 }, { 0x2c, 1, 1, 0 }, { 0x2d, 1, 0, 0 },
		{ 0x2e, 1, 0, 1 },
	};

	for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]); i++) {
		gives(ops[i].less, BYTES(0x09, 0xff,  0x31,  ops[i].op));	/* -1, 1 */
		gives(ops[i].equal, BYTES(0x09, 0xff,  0x09, 0xff,  ops[i].op));
		gives(ops[i].greater, BYTES(0x31,  0x09, 0xff,  ops[i].op));
	}
}

TEST(jumps_go_both_ways_within_the_expression)
{
	gives(7, BYTES(0x37,  0x2f, 1, 0,  0x13));			/* `skip` jumps over the `drop` */
	gives(5, BYTES(0x35,  0x31,  0x28, 1, 0,  0x13));		/* `bra` jumps */
	gives(4, BYTES(0x34,  0x35,  0x30,  0x28, 1, 0,  0x13));	/* `bra` does not jump */
	/* lit3; again: lit1; minus; dup; bra again: counts down to 0 */
	gives(0, BYTES(0x33,  0x31,  0x1c,  0x12,  0x28, 0xfa, 0xff));
	fails(BYTES(0x37,  0x2f, 1, 0));				/* past the end */
	fails(BYTES(0x37,  0x2f, 0xfb, 0xff));				/* before the start */
	fails(BYTES(0x37,  0x2f, 0));					/* cut off */
	gives(7, BYTES(0x37,  0x2f, 0, 0));
}

TEST(the_plt_expression_of_ld_depends_on_the_place_in_the_entry)
{
	/* breg7 8; breg3 10 or 11 (ld has breg16 0: rip); lit15; and; lit11; ge; lit3; shl; plus */
	gives(0x7ff8, BYTES(0x77, 8,  0x73, 0x0a,  0x3f,  0x1a,  0x3b,  0x2a,  0x33,  0x24,  0x22));
	gives(0x8000, BYTES(0x77, 8,  0x73, 0x0b,  0x3f,  0x1a,  0x3b,  0x2a,  0x33,  0x24,  0x22));
}

TEST(operations_that_cfi_does_not_allow_fail)
{
	static const uint8_t ops[] = {
		0x00, /* reserved */
		0x18, /* xderef */
		0x50, /* reg0 */
		0x90, /* regx */
		0x91, /* fbreg */
		0x93, /* piece */
		0x95, /* xderef_size */
		0x97, /* push_object_address */
		0x98, /* call2 */
		0x99, /* call4 */
		0x9a, /* call_ref */
		0x9b, /* form_tls_address */
		0x9c, /* call_frame_cfa */
		0x9d,
		0x9e,
		0xa0,
		0xa1,
		0xa3,
		0xa4,
		0xa8,
		0xe0,
		0xf3,
	};

	for (size_t i = 0; i < sizeof(ops); i++)
		fails(BYTES(0x35, ops[i], 0, 0));
	gives(5, BYTES(0x35,  0x96,  0x96));			/* nop */
	gives(5, BYTES(0x35,  0x9f));				/* stack_value: the answer is on top */
	fails(NOTHING);						/* an expression without a result */
}

TEST(the_initial_value_is_pushed_first)
{
	const uint64_t cfa = 0x4000;
	uint64_t value;

	EXPECT(eval_as(HD_CFI_X86_64, false, BYTES(0x23, 8), &cfa, &value));
	EXPECT(value == 0x4008);
	EXPECT(eval_as(HD_CFI_X86_64, false, NOTHING, &cfa, &value));
	EXPECT(value == 0x4000);
}

TEST(a_32_bit_machine_computes_with_32_bits)
{
	uint64_t value;

	EXPECT(eval_as(HD_CFI_I386, false, BYTES(0x09, 0xff), NULL, &value));
	EXPECT(value == 0xffffffff);
	EXPECT(eval_as(HD_CFI_I386, false, BYTES(0x09, 0xff,  0x31,  0x22), NULL, &value));	/* -1 + 1 */
	EXPECT(value == 0);
	EXPECT(eval_as(HD_CFI_I386, false, BYTES(0x09, 0xff,  0x31,  0x2d), NULL, &value));	/* -1 < 1 */
	EXPECT(value == 1);
	EXPECT(eval_as(HD_CFI_I386, false, BYTES(0x03, 0xf8, 0x7f, 0, 0,  0x06), NULL, &value));
	EXPECT(value == 0x7ff8);
	EXPECT(!eval_as(HD_CFI_I386, false, BYTES(0x77, 0,  0x94, 8), NULL, &value));
	EXPECT(eval_as(HD_CFI_I386, false, BYTES(0x09, 0xff,  0x08, 40,  0x26), NULL, &value));
	EXPECT(value == 0xffffffff);
}

TEST(operands_are_in_the_byte_order_of_the_file)
{
	uint64_t value;

	EXPECT(eval_as(HD_CFI_AARCH64, true, BYTES(0x0a, 0x12, 0x34), NULL, &value));
	EXPECT(value == 0x1234);
	EXPECT(eval_as(HD_CFI_AARCH64, true, BYTES(0x37,  0x2f, 0, 1,  0x13), NULL, &value));
	EXPECT(value == 7);
	EXPECT(eval_as(HD_CFI_AARCH64, true, BYTES(0x92, 33, 1), NULL, &value));
	EXPECT(value == 6);
}

TEST(an_expression_that_does_not_end_is_ended)
{
	uint8_t pushes[65];

	fails(BYTES(0x2f, 0xfd, 0xff));			/* skip to itself */
	memset(pushes, 0x31, sizeof(pushes));
	gives(1, pushes, 64);
	fails(pushes, 65);
}

TEST_MAIN(RUN(constants_are_pushed), RUN(registers_are_read_when_they_are_known), RUN(memory_is_read_in_each_width),
	  RUN(stack_operations_reorder_the_stack),
	  RUN(arithmetic_operations_are_computed),
	  RUN(no_arithmetic_operation_has_undefined_behaviour),
	  RUN(comparisons_are_signed),
	  RUN(jumps_go_both_ways_within_the_expression),
	  RUN(the_plt_expression_of_ld_depends_on_the_place_in_the_entry),
	  RUN(operations_that_cfi_does_not_allow_fail), RUN(the_initial_value_is_pushed_first),
	  RUN(a_32_bit_machine_computes_with_32_bits),
	  RUN(operands_are_in_the_byte_order_of_the_file), RUN(an_expression_that_does_not_end_is_ended))
