/* machines.c - unwind stacks of i386, AArch64 and 32-bit ARM, which the tests write as tables */
#include "synthetic_elf.h"

#include <sys/resource.h>

static struct hd_unwind_result out;

enum { BARE = 0x100, FRAMED = 0x200, ENDS = 0x400 };
#define AT(f) (CODE + (f) + 0x10)

/* ---- i386: slots of 4 bytes ---- */

static void make_i386(void)
{
	struct made *o = made_new(MADE_I386);

	made_cie(o, 8, BYTES(0x0c, 4, 4, 0x88, 1));
	made_fde(o, BARE, 0x100, NOTHING);
	/* esp + 8; ebp at cfa-8; CFA from ebp */
	made_fde(o, FRAMED, 0x100, BYTES(0x0e, 8, 0x85, 2, 0x0d, 5));
	made_fde(o, ENDS, 0x100, BYTES(0x07, 8));
}

static struct made_sample i386(uint64_t eip, uint64_t ebp, const uint32_t *stack, size_t words)
{
	struct made_sample s = {
		.machine = HD_UNWIND_X86, .abi = 1, .mask = 0xff01ff, .stack = stack, .stack_bytes = 4 * words,
	};

	s.regs[6] = ebp;
	s.regs[7] = STACK;
	s.regs[8] = eip;
	return s;
}

TEST(i386_has_slots_of_four_bytes)
{
	const uint32_t stack[] = { AT(FRAMED), 0, 0, STACK + 40, AT(BARE), AT(ENDS), 0 };
	struct made_sample s = i386(AT(BARE), STACK + 12, stack, 7);

	make_i386();
	made_open();
	made_run(&s, &out);
	EXPECT_INT(out.end, HD_UNWIND_END_ROOT);
	EXPECT_INT(out.n, 4);
	EXPECT(out.ip[1] == AT(FRAMED) && out.cfa[0] == STACK + 4);
	EXPECT(out.ip[2] == AT(BARE) && out.cfa[1] == STACK + 20);
	EXPECT(out.ip[3] == AT(ENDS) && out.cfa[2] == STACK + 24);
	/* The upper half of a register must be ignored for a 32-bit task. */
	s.regs[7] |= 0xffffffff00000000;
	s.regs[8] |= 0xffffffff00000000;
	made_run(&s, &out);
	EXPECT_INT(out.n, 4);
	EXPECT(out.ip[0] == AT(BARE));
	made_close();
}

TEST(i386_code_without_cfi_has_frame_pointers_of_four_bytes)
{
	const uint32_t stack[] = { 0, STACK + 40, AT(BARE), AT(ENDS), 0 };
	struct made_sample s = i386(AT(0x800), STACK + 4, stack, 5);

	make_i386();
	made_open();
	made_run(&s, &out);
	EXPECT_INT(out.end, HD_UNWIND_END_ROOT);
	EXPECT_INT(out.n, 3);
	EXPECT(out.guessed && out.ip[1] == AT(BARE) && out.ip[2] == AT(ENDS));
	made_close();
}

TEST(a_recording_of_x86_64_and_i386_uses_the_machine_of_each_object)
{
	const uint32_t narrow[] = { AT(ENDS), 0 };
	const uint64_t wide[] = { AT(ENDS), 0 };
	struct made_sample a = i386(AT(BARE), 0, narrow, 2), b = made_x86(AT(BARE), 0, wide, 2);

	make_i386();
	made_open();
	for (int i = 0; i < 3; i++) {
		made_run(&a, &out);
		EXPECT_INT(out.end, HD_UNWIND_END_ROOT);
		EXPECT_INT(out.n, 2);
		/* The task is a 64-bit one, so the CFI of the mapped file is for another architecture. */
		made_run(&b, &out);
		EXPECT_INT(out.end, HD_UNWIND_END_NO_CFI);
		EXPECT_INT(out.n, 1);
	}
	made_close();
}

/* ---- aarch64: a link register ---- */

enum { LEAF = 0x500, SIGNED_LEAF = 0x600, SIGNED = 0x700, CALLS_WITHOUT_SAVING = 0x800 };

static struct made *make_aarch64(void)
{
	struct made *o = made_new(MADE_AARCH64);

	made_cie(o, 30, BYTES(0x0c, 31, 0));
	/* CFA = sp + 16; x29 at cfa-16, x30 at cfa-8 */
	made_fde(o, BARE, 0x100, BYTES(0x0e, 16, 0x80 | 29, 2, 0x80 | 30, 1));
	/* the same places, but the CFA is x29 + 16 */
	made_fde(o, FRAMED, 0x100, BYTES(0x0c, 29, 16, 0x80 | 29, 2, 0x80 | 30, 1));
	made_fde(o, ENDS, 0x100, BYTES(0x07, 30));
	made_fde(o, LEAF, 0x100, NOTHING);
	made_fde(o, SIGNED_LEAF, 0x100, BYTES(0x2d));
	made_fde(o, SIGNED, 0x100, BYTES(0x2d, 0x0e, 16, 0x80 | 29, 2, 0x80 | 30, 1));
	return o;
}

static struct made_sample aarch64(uint64_t pc, uint64_t lr, uint64_t fp, const uint64_t *stack, size_t words)
{
	struct made_sample s = {
		.machine = HD_UNWIND_ARM, .abi = 2, .mask = 0x1ffffffff, .stack = stack, .stack_bytes = 8 * words,
	};

	s.regs[29] = fp;
	s.regs[30] = lr;
	s.regs[31] = STACK;
	s.regs[32] = pc;
	return s;
}

TEST(aarch64_leaves_a_leaf_through_its_link_register)
{
	const uint64_t stack[] = { STACK + 16, AT(FRAMED), STACK + 32, AT(BARE), 0, AT(ENDS), 0 };
	struct made_sample s = aarch64(AT(LEAF), AT(BARE), STACK + 16, stack, 7);

	make_aarch64();
	made_open();
	made_run(&s, &out);
	EXPECT_INT(out.end, HD_UNWIND_END_ROOT);
	EXPECT_INT(out.n, 5);
	EXPECT(out.ip[1] == AT(BARE) && out.cfa[0] == STACK);
	EXPECT(out.ip[2] == AT(FRAMED) && out.cfa[1] == STACK + 16);
	EXPECT(out.ip[3] == AT(BARE) && out.cfa[2] == STACK + 32);
	EXPECT(out.ip[4] == AT(ENDS) && out.cfa[3] == STACK + 48);
	made_close();
}

TEST(aarch64_has_a_link_register_in_the_innermost_frame_only)
{
	/*
	 * By its row, the caller did not save x30.  But the call has overwritten x30, so the caller's return address
	 * is lost.
	 */
	const uint64_t stack[] = { STACK + 16, AT(LEAF), 0, 0 };
	struct made_sample s = aarch64(AT(BARE), AT(BARE), STACK, stack, 4);

	make_aarch64();
	made_open();
	made_run(&s, &out);
	EXPECT_INT(out.end, HD_UNWIND_END_BAD);
	EXPECT_INT(out.n, 2);
	made_close();
}

TEST(aarch64_takes_the_signature_off_a_return_address)
{
	const uint64_t pac = 0x002a000000000000;
	const uint64_t stack[] = { STACK + 16, pac | AT(BARE), 0, AT(ENDS), 0 };
	struct made_sample s = aarch64(AT(SIGNED_LEAF), pac | AT(SIGNED), STACK, stack, 5);

	make_aarch64();
	made_open();
	made_run(&s, &out);
	EXPECT_INT(out.end, HD_UNWIND_END_ROOT);
	EXPECT_INT(out.n, 4);
	EXPECT(out.ip[1] == AT(SIGNED) && out.ip[2] == AT(BARE) && out.ip[3] == AT(ENDS));
	made_close();
}

TEST(aarch64_leaves_the_kernels_trampoline_by_the_registers_it_saved)
{
	/* Indexes of stack words: FRAME is where the kernel's signal frame begins, SAVED has the saved x0. */
	enum { FRAME = 2, SAVED = FRAME + 39 };
	uint64_t stack[128] = { 0 };
	struct made_sample s = aarch64(MADE_STEP + AT(BARE), 0, 0, stack, 128);

	/* Object 1 is the vdso, without CFI for the trampoline; 2 is the program. */
	make_aarch64()->vdso = true;
	make_aarch64();
	made_open();
	stack[1] = CODE + 0x900;			/* the handler, BARE, returns to the trampoline */
	stack[SAVED + 29] = STACK + 102 * 8;
	/* interrupted in a leaf function: its link register is used */
	stack[SAVED + 30] = MADE_STEP + AT(FRAMED);
	stack[SAVED + 31] = STACK + 100 * 8;		/* sp */
	stack[SAVED + 32] = MADE_STEP + AT(LEAF);	/* pc */
	stack[103] = MADE_STEP + AT(ENDS);		/* x29 points to the frame record of FRAMED */
	made_run(&s, &out);
	EXPECT_INT(out.n, 5);
	EXPECT_INT(out.end, HD_UNWIND_END_ROOT);
	EXPECT(out.ip[1] == CODE + 0x900);
	EXPECT(out.ip[2] == MADE_STEP + AT(LEAF));
	EXPECT_INT(out.flags[2], HD_UNWIND_EXACT);
	EXPECT(out.ip[3] == MADE_STEP + AT(FRAMED));
	EXPECT_INT(out.flags[3], 0);
	EXPECT(out.ip[4] == MADE_STEP + AT(ENDS));
	/* The copy ends within the kernel's frame. */
	s.stack_bytes = 8 * 60;
	made_run(&s, &out);
	EXPECT_INT(out.n, 2);
	EXPECT_INT(out.end, HD_UNWIND_END_CUT);
	made_close();
}

/* ---- 32-bit ARM ---- */

static void make_arm(void)
{
	struct made *o = made_new(MADE_ARM);

	o->debug_frame = true;
	made_cie(o, 14, BYTES(0x0c, 13, 0));
	/* CFA = r13 + 8; r11 at cfa-8, r14 at cfa-4 */
	made_fde(o, BARE, 0x100, BYTES(0x0e, 8, 0x80 | 11, 2, 0x80 | 14, 1));
	made_fde(o, LEAF, 0x100, NOTHING);
	made_fde(o, ENDS, 0x100, BYTES(0x07, 14));
}

TEST(arm_has_a_link_register_and_a_bit_for_thumb)
{
	const uint32_t stack[] = { 0, AT(BARE) | 1, 0, AT(ENDS) | 1, 0 };
	struct made_sample s = {
		.machine = HD_UNWIND_ARM, .abi = 1, .mask = 0xffff, .stack = stack, .stack_bytes = sizeof(stack),
	};

	s.regs[13] = STACK;
	s.regs[14] = AT(BARE) | 1;
	s.regs[15] = AT(LEAF);
	make_arm();
	made_open();
	made_run(&s, &out);
	EXPECT_INT(out.end, HD_UNWIND_END_ROOT);
	EXPECT_INT(out.n, 4);
	EXPECT(out.ip[1] == AT(BARE) && out.cfa[0] == STACK);
	EXPECT(out.ip[2] == AT(BARE) && out.cfa[1] == STACK + 8);
	EXPECT(out.ip[3] == AT(ENDS) && out.cfa[2] == STACK + 16);
	/* A 64-bit kernel records more registers; the 32-bit ones come first. */
	s.mask = 0x1ffffffff;
	made_run(&s, &out);
	EXPECT_INT(out.n, 4);
	made_close();
}

TEST(arm_frames_without_cfi_are_not_guessed)
{
	const uint32_t stack[] = { 0, STACK + 12, AT(BARE), 0, AT(ENDS), 0 };
	struct made_sample s = {
		.machine = HD_UNWIND_ARM, .abi = 1, .mask = 0xffff, .stack = stack, .stack_bytes = sizeof(stack),
	};

	s.regs[11] = STACK + 4;
	s.regs[13] = STACK;
	s.regs[15] = AT(0x900);
	make_arm();
	made_open();
	made_run(&s, &out);
	EXPECT_INT(out.end, HD_UNWIND_END_NO_CFI);
	EXPECT_INT(out.n, 1);
	made_close();
}

TEST(a_machine_that_is_not_known_has_no_frames)
{
	const uint64_t stack[] = { 0, 0 };
	struct made_sample s = made_x86(AT(BARE), 0, stack, 2);

	make_i386();
	made_open();
	s.machine = HD_UNWIND_NONE;
	made_run(&s, &out);
	EXPECT_INT(out.n, 0);
	s.machine = HD_UNWIND_X86;
	s.abi = 0;	/* the kernel records "no registers" for this task */
	made_run(&s, &out);
	EXPECT_INT(out.n, 0);
	s.abi = 3;
	made_run(&s, &out);
	EXPECT_INT(out.n, 0);
	made_close();
}

TEST(a_child_that_cannot_be_started_is_counted_once_for_each_stack)
{
	const uint64_t stack[] = { 0 };
	struct made_sample s = { .machine = HD_UNWIND_RISCV, .abi = 2, .mask = 1, .stack = stack, .stack_bytes = 8 };
	const struct hd_unwind_child_losses *lost;
	struct rlimit old, none;

	made_new(MADE_AARCH64)->no_cfi = true;
	made_open();
	EXPECT(getrlimit(RLIMIT_NOFILE, &old) == 0);
	none = (struct rlimit){ 0, old.rlim_max };
	EXPECT(setrlimit(RLIMIT_NOFILE, &none) == 0);	/* no pipe can be made */
	made_run(&s, &out);
	EXPECT(setrlimit(RLIMIT_NOFILE, &old) == 0);
	EXPECT_INT(out.n, 0);
	lost = hd_unwind_child_losses(made_unwind);
	EXPECT(lost->stacks == 1 && lost->ended == 1 && lost->signal == 0);
	made_run(&s, &out);				/* the next stack gets a child */
	EXPECT_INT(lost->ended, 1);
	made_close();
}

TEST_MAIN(
	RUN(i386_has_slots_of_four_bytes),
	RUN(i386_code_without_cfi_has_frame_pointers_of_four_bytes),
	RUN(a_recording_of_x86_64_and_i386_uses_the_machine_of_each_object),
	RUN(aarch64_leaves_a_leaf_through_its_link_register),
	RUN(aarch64_has_a_link_register_in_the_innermost_frame_only),
	RUN(aarch64_takes_the_signature_off_a_return_address),
	RUN(aarch64_leaves_the_kernels_trampoline_by_the_registers_it_saved),
	RUN(arm_has_a_link_register_and_a_bit_for_thumb),
	RUN(arm_frames_without_cfi_are_not_guessed),
	RUN(a_machine_that_is_not_known_has_no_frames),
	RUN(a_child_that_cannot_be_started_is_counted_once_for_each_stack))
