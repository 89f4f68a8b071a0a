/* x86.c - unwind stacks of x86-64, which the tests write as tables: rules, ends of stacks, and files */
#include "synthetic_elf.h"

static struct hd_unwind_result out;

/* The CIE of compilers: the CFA is rsp + 8, the return address is below it. */
#define USUAL BYTES(0x0c, 7, 8, 0x90, 1)

/*
 * Functions of 0x100 bytes: BARE has only its return address on the stack, FRAMED uses rbp for its CFA, PUSHED has 24
 * more bytes on the stack, ENDS has no caller, NONE has no rules.
 */
enum { BARE = 0x100, FRAMED = 0x200, PUSHED = 0x300, ENDS = 0x400, NONE = 0x800 };
#define AT(f) (CODE + (f) + 0x10)

static struct made *usual(void)
{
	struct made *o = made_new(MADE_X86_64);

	made_cie(o, 16, USUAL);
	made_fde(o, BARE, 0x100, NOTHING);
	/* push rbp: CFA = rsp + 16, rbp at cfa-16; mov: CFA = rbp + 16 */
	made_fde(o, FRAMED, 0x100, BYTES(0x0e, 16, 0x86, 2, 0x0d, 6));
	made_fde(o, PUSHED, 0x100, BYTES(0x0e, 32));
	/* rip is undefined */
	made_fde(o, ENDS, 0x100, BYTES(0x07, 16));
	return o;
}

/* ---- rules ---- */

TEST(a_frame_costs_its_rule_and_its_slots)
{
	const uint64_t stack[] = {
		AT(PUSHED),					/* the return address of BARE */
		/* the frame of PUSHED: 24 bytes and its return address */
		1, 2, 3, AT(FRAMED),
		7, 7, STACK + 96, AT(BARE),			/* rbp points to the slot with the caller's rbp */
		AT(ENDS), 0, 0,
	};
	struct made_sample s = made_x86(AT(BARE), STACK + 56, stack, 12);

	usual();
	made_open();
	made_run(&s, &out);
	EXPECT_INT(out.end, HD_UNWIND_END_ROOT);
	EXPECT_INT(out.n, 5);
	EXPECT(out.ip[0] == AT(BARE) && out.cfa[0] == STACK + 8 && out.flags[0] == HD_UNWIND_EXACT);
	EXPECT(out.ip[1] == AT(PUSHED) && out.cfa[1] == STACK + 40 && out.flags[1] == 0);
	EXPECT(out.ip[2] == AT(FRAMED) && out.cfa[2] == STACK + 72);
	EXPECT(out.ip[3] == AT(BARE) && out.cfa[3] == STACK + 80);
	EXPECT(out.ip[4] == AT(ENDS) && out.cfa[4] == STACK + 88);
	EXPECT(!out.guessed && out.object == 0);
	EXPECT_INT(hd_unwind_failure(made_unwind, 1), HD_UNWIND_FAILURE_NONE);
	made_close();
}

TEST(a_call_that_ends_its_function_belongs_to_it)
{
	/* The return address is the first byte after BARE, where FRAMED begins. */
	const uint64_t stack[] = { CODE + FRAMED, AT(ENDS), 0 };
	struct made_sample s = made_x86(AT(BARE), 0, stack, 3);

	usual();
	made_open();
	made_run(&s, &out);
	EXPECT_INT(out.end, HD_UNWIND_END_ROOT);
	EXPECT_INT(out.n, 3);
	EXPECT(out.cfa[1] == STACK + 16);
	made_close();
}

TEST(but_the_innermost_address_belongs_to_what_begins_there)
{
	const uint64_t stack[] = { 0, 0, STACK + 64, AT(ENDS), 0 };
	struct made_sample s = made_x86(CODE + FRAMED, STACK + 16, stack, 5);

	usual();
	made_open();
	made_run(&s, &out);
	EXPECT_INT(out.end, HD_UNWIND_END_ROOT);
	EXPECT_INT(out.n, 2);
	EXPECT(out.cfa[0] == STACK + 32);
	made_close();
}

TEST(a_register_saved_below_the_stack_pointer_was_taken_back)
{
	/*
	 * The row of FRAMED after `pop rbp`: the CFA is rsp + 8 again, but rbp is still marked as
	 * saved in its slot.
	 */
	const uint64_t stack[] = { AT(FRAMED), 5, STACK + 80, AT(ENDS), 0 };
	struct made_sample s = made_x86(CODE + 0x510, STACK + 16, stack, 5);
	struct made *o = usual();

	made_fde(o, 0x500, 0x100, BYTES(0x0e, 16, 0x86, 2, 0x0d, 6, 0x48, 0x0c, 7, 8));
	made_open();
	made_run(&s, &out);
	EXPECT_INT(out.end, HD_UNWIND_END_ROOT);
	EXPECT_INT(out.n, 3);
	EXPECT(out.ip[1] == AT(FRAMED) && out.cfa[1] == STACK + 32);
	EXPECT(out.ip[2] == AT(ENDS));
	made_close();
}

TEST(a_rule_that_needs_another_register_is_followed_from_the_innermost_frame_on)
{
	/* The function at 0x500 saves rbx and has the CFA rbx + 16.  Its callee at 0x600 has saved the caller's rbx. */
	const uint64_t stack[] = { STACK + 40, AT(0x500), 9, 9, 9, 77, AT(BARE), AT(ENDS), 0 };
	struct made_sample s = made_x86(AT(0x600), 0, stack, 9);
	struct made *o = usual();

	made_fde(o, 0x500, 0x100, BYTES(0x0c, 3, 16, 0x83, 2));
	made_fde(o, 0x600, 0x100, BYTES(0x0e, 16, 0x83, 2));
	made_open();
	s.regs[1] = 0x1234;	/* the current rbx differs from the saved one */
	made_run(&s, &out);
	EXPECT_INT(out.end, HD_UNWIND_END_ROOT);
	EXPECT_INT(out.n, 4);
	EXPECT(out.ip[1] == AT(0x500) && out.cfa[1] == STACK + 56);
	EXPECT(out.ip[2] == AT(BARE) && out.cfa[2] == STACK + 64);
	EXPECT(out.ip[3] == AT(ENDS));
	EXPECT_INT(out.flags[0], HD_UNWIND_EXACT);
	made_close();
}

TEST(a_rule_that_needs_a_lost_register_fails)
{
	/* r11 is not preserved over calls, so it cannot give the CFA of a caller. */
	const uint64_t stack[] = { AT(0x500), 9, 9, 9, 9 };
	struct made_sample s = made_x86(AT(BARE), 0, stack, 5);
	struct made *o = usual();

	made_fde(o, 0x500, 0x100, BYTES(0x0c, 11, 16));
	made_open();
	s.regs[19] = STACK + 16;
	made_run(&s, &out);
	EXPECT_INT(out.end, HD_UNWIND_END_BAD);
	EXPECT_INT(out.n, 2);
	EXPECT(out.cfa[1] == 0);
	made_close();
}

TEST(an_expression_finds_the_cfa_through_memory)
{
	/* DW_CFA_def_cfa_expression: breg6 -8; deref, as in realigned frames.  rbp is saved in its slot. */
	const uint64_t stack[] = { 0, STACK + 48, STACK + 200, AT(BARE), 0, AT(BARE), AT(ENDS), 0 };
	struct made_sample s = made_x86(AT(0x500), STACK + 16, stack, 8);
	struct made *o = usual();

	made_fde(o, 0x500, 0x100, BYTES(0x0f, 3, 0x76, 0x78, 0x06));
	made_open();
	made_run(&s, &out);
	EXPECT_INT(out.end, HD_UNWIND_END_ROOT);
	EXPECT_INT(out.n, 3);
	EXPECT(out.cfa[0] == STACK + 48);
	EXPECT(out.ip[1] == AT(BARE) && out.ip[2] == AT(ENDS));
	made_close();
}

TEST(a_return_address_in_a_register_needs_no_stack)
{
	/* DW_CFA_register rip, rdi; CFA = rsp + 0: vfork(), which removes its return address from the stack. */
	const uint64_t stack[] = { AT(ENDS), 0 };
	struct made_sample s = made_x86(AT(0x500), 0, stack, 2);
	struct made *o = usual();

	made_fde(o, 0x500, 0x100, BYTES(0x0e, 0, 0x09, 16, 5));
	made_open();
	s.regs[5] = AT(BARE);
	made_run(&s, &out);
	EXPECT_INT(out.end, HD_UNWIND_END_ROOT);
	EXPECT_INT(out.n, 3);
	EXPECT(out.ip[1] == AT(BARE) && out.cfa[0] == STACK && out.cfa[1] == STACK + 8);
	made_close();
}

/* ---- ends ---- */

TEST(a_return_address_of_zero_is_the_root)
{
	const uint64_t stack[] = { AT(BARE), 0, 0 };
	struct made_sample s = made_x86(AT(BARE), 0, stack, 3);

	usual();
	made_open();
	made_run(&s, &out);
	EXPECT_INT(out.end, HD_UNWIND_END_ROOT);
	EXPECT_INT(out.n, 2);
	EXPECT(out.cfa[1] == STACK + 16);
	made_close();
}

TEST(an_address_outside_of_executable_memory_is_no_return_address)
{
	/*
	 * Invalid return addresses: in no mapping; in mapped data of the file; at addresses that no process can have.
	 */
	const uint64_t no[] = { 0x30000000, CODE + TEXT_SIZE + 0x10, 1ull << 60, UINT64_MAX, 1 };
	uint64_t stack[] = { AT(BARE), 0, 0 };
	struct made_sample s = made_x86(AT(BARE), 0, stack, 3);

	usual();
	made_open();
	for (size_t i = 0; i < HD_COUNT(no); i++) {
		stack[1] = no[i];
		made_run(&s, &out);
		EXPECT_INT(out.end, HD_UNWIND_END_BAD);
		EXPECT_INT(out.n, 2);
		EXPECT_INT(out.object, 1);	/* the object whose rule gave this address */
	}
	made_close();
}

TEST(a_stack_that_does_not_grow_outwards_is_bad)
{
	/* rbp leads back to the current frame. */
	const uint64_t stack[] = { 0, 0, STACK + 16, AT(FRAMED), 0, 0, 0, 0 };
	struct made_sample s = made_x86(AT(FRAMED), STACK + 16, stack, 8);

	usual();
	made_open();
	made_run(&s, &out);
	EXPECT_INT(out.end, HD_UNWIND_END_BAD);
	EXPECT_INT(out.n, 2);
	EXPECT_INT(out.object, 1);
	made_close();
}

TEST(a_slot_after_the_copy_is_a_cut_and_one_before_it_is_bad)
{
	const uint64_t stack[] = { 0, 0 };
	struct made_sample s = made_x86(AT(FRAMED), STACK + 4096, stack, 2);

	usual();
	made_open();
	made_run(&s, &out);
	EXPECT_INT(out.end, HD_UNWIND_END_CUT);
	EXPECT_INT(out.n, 1);
	EXPECT(out.cfa[0] == STACK + 4112);
	s.regs[6] = STACK - 4096;
	made_run(&s, &out);
	EXPECT_INT(out.end, HD_UNWIND_END_BAD);
	/* rbp is so far above rsp that it cannot be a frame pointer. */
	s.regs[6] = STACK + (1ull << 40);
	made_run(&s, &out);
	EXPECT_INT(out.end, HD_UNWIND_END_BAD);
	made_close();
}

TEST(a_stack_has_no_more_frames_than_the_limit)
{
	enum { WORDS = HD_UNWIND_MAX + 10 };
	uint64_t stack[WORDS] = { 0 };
	struct made_sample s = made_x86(AT(BARE), 0, stack, WORDS);

	usual();
	made_open();
	for (int i = 0; i < WORDS; i++)
		stack[i] = AT(BARE);
	made_run(&s, &out);
	EXPECT_INT(out.end, HD_UNWIND_END_LIMIT);
	EXPECT_INT(out.n, HD_UNWIND_MAX);
	EXPECT(out.cfa[HD_UNWIND_MAX - 1] == STACK + 8 * HD_UNWIND_MAX);
	/* A stack with exactly the maximum of frames is complete. */
	stack[HD_UNWIND_MAX - 1] = 0;
	made_run(&s, &out);
	EXPECT_INT(out.end, HD_UNWIND_END_ROOT);
	EXPECT_INT(out.n, HD_UNWIND_MAX);
	made_close();
}

TEST(the_code_at_the_entry_point_has_no_caller)
{
	const uint64_t stack[] = { AT(NONE), 3, 4 };
	struct made_sample s = made_x86(AT(BARE), 0, stack, 3);
	struct made *o = usual();

	o->entry = TEXT + NONE;
	made_open();
	made_run(&s, &out);
	EXPECT_INT(out.end, HD_UNWIND_END_ROOT);
	EXPECT_INT(out.n, 2);
	EXPECT(!out.guessed);
	made_close();
	/* The header of a library may also have an entry point, which has no meaning. */
	o = usual();
	o->entry = TEXT + NONE;
	o->needs = true;
	made_open();
	made_run(&s, &out);
	EXPECT_INT(out.end, HD_UNWIND_END_NO_CFI);
	made_close();
}

TEST(code_whose_cfa_counts_from_the_stack_pointer_hides_its_caller_from_a_chain_by_frame_pointers)
{
	const struct hd_record_time when = { 0, 100 };
	struct hd_process_context at;

	usual();
	made_open();
	hd_process_at(made_proc, 1, 1, when, &at);
	EXPECT(hd_unwinder_hides_caller(made_unwinder, HD_UNWIND_X86, 2, at.space, AT(BARE)));
	EXPECT(hd_unwinder_hides_caller(made_unwinder, HD_UNWIND_X86, 2, at.space, AT(PUSHED)));
	EXPECT(!hd_unwinder_hides_caller(made_unwinder, HD_UNWIND_X86, 2, at.space, AT(FRAMED)));
	EXPECT(!hd_unwinder_hides_caller(made_unwinder, HD_UNWIND_X86, 2, at.space, AT(ENDS)));
	EXPECT(!hd_unwinder_hides_caller(made_unwinder, HD_UNWIND_X86, 2, at.space, AT(NONE)));
	EXPECT(!hd_unwinder_hides_caller(made_unwinder, HD_UNWIND_X86, 2, at.space, 0x30000000));
	EXPECT(!hd_unwinder_hides_caller(made_unwinder, HD_UNWIND_NONE, 2, at.space, AT(BARE)));
	made_close();
}

/* ---- without CFI ---- */

TEST(code_without_cfi_is_left_by_its_frame_pointer_and_called_a_guess)
{
	const uint64_t stack[] = {
		AT(NONE),
		9, 9, STACK + 80, AT(FRAMED),		/* rbp points to the third of these words */
		9, 9, 9, 9, 9, STACK + 120, AT(BARE),
		AT(ENDS), 0, 0, 0,
	};
	struct made_sample s = made_x86(AT(BARE), STACK + 24, stack, 16);

	usual();
	made_open();
	made_run(&s, &out);
	EXPECT_INT(out.end, HD_UNWIND_END_ROOT);
	EXPECT_INT(out.n, 5);
	EXPECT(out.guessed);
	EXPECT_INT(out.object, 1);
	EXPECT_INT(out.flags[0], HD_UNWIND_EXACT);
	EXPECT_INT(out.flags[1], 0);
	EXPECT(out.ip[2] == AT(FRAMED) && out.cfa[1] == STACK + 40);
	/* The callers are found by CFI, but they still depend on the guess. */
	EXPECT(out.ip[3] == AT(BARE) && out.cfa[2] == STACK + 96);
	for (uint32_t i = 2; i < out.n; i++)
		EXPECT_INT(out.flags[i], HD_UNWIND_GUESSED);
	made_close();
}

/* The addresses of the copies of python's trampoline; the return address in copy i of 11 bytes. */
#define TRAMPOLINES	(CODE + MADE_STEP)
#define IN_COPY(i)	(TRAMPOLINES + 11 * (i) + 6)

TEST(pythons_trampolines_are_left_by_their_form_and_are_no_guess)
{
	const uint64_t stack[] = {
		IN_COPY(0),			/* the return address of BARE */
		7, AT(BARE),			/* the 8 bytes of sub $8, and the caller of the trampoline */
		IN_COPY(5), 7, AT(BARE),
		AT(ENDS), 0, 0,
	};
	struct made_sample s = made_x86(AT(BARE), STACK + 8, stack, 9);

	usual();
	made_new(MADE_X86_64)->jit = true;
	made_open();
	s.regs[6] = 0x30000000;			/* the interpreter uses rbp for something else */
	made_run(&s, &out);
	EXPECT_INT(out.end, HD_UNWIND_END_ROOT);
	EXPECT_INT(out.n, 6);
	EXPECT(out.ip[1] == IN_COPY(0) && out.cfa[1] == STACK + 24);
	EXPECT(out.ip[2] == AT(BARE) && out.cfa[2] == STACK + 32);
	EXPECT(out.ip[3] == IN_COPY(5) && out.cfa[3] == STACK + 48);
	EXPECT(!out.guessed);
	made_close();
}

TEST(other_code_made_at_run_time_is_not_taken_for_a_trampoline)
{
	/*
	 * These are no trampolines: the address does not follow the call in a copy, or the return address of the copy
	 * is in no function.
	 */
	const uint64_t stacks[][8] = {
		{ IN_COPY(0) + 1, 7, AT(BARE), AT(ENDS), 0, 0, 0, 0 },
		{ IN_COPY(0), 7, TRAMPOLINES + 0x800, AT(ENDS), 0, 0, 0, 0 },
		{ IN_COPY(0), 7, 0x30000000, AT(ENDS), 0, 0, 0, 0 },
	};

	for (size_t i = 0; i < HD_COUNT(stacks); i++) {
		struct made_sample s = made_x86(AT(BARE), 0, stacks[i], 8);

		usual();
		made_new(MADE_X86_64)->jit = true;
		made_open();
		made_run(&s, &out);
		EXPECT_INT(out.end, HD_UNWIND_END_NO_CFI);
		EXPECT_INT(out.n, 2);
		made_close();
	}
}

TEST(a_frame_pointer_that_leads_nowhere_is_the_end)
{
	const uint64_t stack[] = { AT(NONE), 0, STACK + 40, AT(FRAMED), 0, 0x30000000, 0x30000000 };
	/*
	 * Invalid frame pointers: outside of the copied stack, unaligned, below the frame, or with an invalid return
	 * address.
	 */
	const uint64_t bad[] = { 0, STACK + 4096, STACK + 17, STACK - 8, STACK, STACK + 40 };
	struct made_sample s = made_x86(AT(BARE), 0, stack, 7);

	usual();
	made_open();
	for (size_t i = 0; i < HD_COUNT(bad); i++) {
		s.regs[6] = bad[i];
		made_run(&s, &out);
		EXPECT_INT(out.end, HD_UNWIND_END_NO_CFI);
		EXPECT_INT(out.n, 2);
		EXPECT_INT(out.object, 1);
		EXPECT(!out.guessed && out.cfa[1] == 0);
	}
	made_close();
}

TEST(where_nothing_is_mapped_the_innermost_frame_stays)
{
	const uint64_t stack[] = { 0, 0, 0 };
	struct made_sample s = made_x86(0x30000000, 0, stack, 3);

	usual();
	made_open();
	made_run(&s, &out);
	EXPECT_INT(out.end, HD_UNWIND_END_NO_CFI);
	EXPECT_INT(out.n, 1);
	EXPECT(out.ip[0] == 0x30000000);
	EXPECT_INT(out.object, 0);
	made_close();
}

/* ---- files ---- */

static enum hd_unwind_failure lack_of(void)
{
	const uint64_t stack[] = { 0, 0, 0 };
	struct made_sample s = made_x86(AT(BARE), 0, stack, 3);

	made_open();
	EXPECT_INT(hd_unwind_failure(made_unwind, 1), HD_UNWIND_FAILURE_NONE);	/* the object was not opened yet */
	made_run(&s, &out);
	EXPECT_INT(out.n, 1);
	return hd_unwind_failure(made_unwind, 1);
}

TEST(the_reason_why_an_object_cannot_be_unwound_is_reported)
{
	struct made *o = usual();

	EXPECT_INT(lack_of(), HD_UNWIND_FAILURE_NONE);
	EXPECT_INT(out.end, HD_UNWIND_END_ROOT);
	made_close();
	usual()->absent = true;
	EXPECT_INT(lack_of(), HD_UNWIND_FAILURE_FILE);
	EXPECT_INT(out.end, HD_UNWIND_END_NO_CFI);
	EXPECT_INT(out.object, 1);
	made_close();
	usual()->garbage = true;
	EXPECT_INT(lack_of(), HD_UNWIND_FAILURE_DAMAGED);
	EXPECT_INT(out.end, HD_UNWIND_END_NO_CFI);
	made_close();
	usual()->no_cfi = true;
	EXPECT_INT(lack_of(), HD_UNWIND_FAILURE_CFI);
	made_close();
	o = usual();
	o->machine = EM_S390;
	EXPECT_INT(lack_of(), HD_UNWIND_FAILURE_MACHINE);
	made_close();
	usual()->jit = true;
	EXPECT_INT(lack_of(), HD_UNWIND_FAILURE_JIT);
	EXPECT_INT(made_opened, 0);
	made_close();
	o = usual();
	o->cfi[8] = 99;		/* the version of the CIE */
	EXPECT_INT(lack_of(), HD_UNWIND_FAILURE_DAMAGED);
	made_close();
}

TEST(an_object_is_opened_once)
{
	const uint64_t stack[] = { AT(BARE), AT(NONE), 0 };
	struct made_sample s = made_x86(AT(BARE), 0, stack, 3);

	usual();
	made_open();
	for (int i = 0; i < 10; i++)
		made_run(&s, &out);
	EXPECT_INT(made_opened, 1);
	made_close();
	usual()->absent = true;
	made_open();
	for (int i = 0; i < 10; i++)
		made_run(&s, &out);
	EXPECT_INT(made_opened, 1);
	made_close();
}

static void expect_two_frames(void)
{
	const uint64_t stack[] = { 5, AT(0x200), 0 };
	struct made_sample s = made_x86(AT(0x100), 0, stack, 3);

	made_open();
	made_run(&s, &out);
	EXPECT_INT(out.end, HD_UNWIND_END_ROOT);
	EXPECT_INT(out.n, 2);
	EXPECT(out.ip[1] == AT(0x200) && out.cfa[0] == STACK + 16);
	made_close();
}

static void two_functions(struct made *o)
{
	made_cie(o, 16, USUAL);
	made_fde(o, 0x100, 0x100, BYTES(0x0e, 16));
	made_fde(o, 0x200, 0x100, NOTHING);
}

TEST(cfi_is_found_without_section_headers)
{
	struct made *o = made_new(MADE_X86_64);

	o->stripped = true;
	two_functions(o);
	expect_two_frames();
}

TEST(cfi_is_found_in_debug_frame_and_in_a_packed_one)
{
	struct made *o = made_new(MADE_X86_64);

	o->debug_frame = true;
	two_functions(o);
	expect_two_frames();
	o = made_new(MADE_X86_64);
	o->debug_frame = true;
	o->packed = true;
	two_functions(o);
	expect_two_frames();
}

/* ---- mappings that change over time ---- */

TEST(an_address_means_what_was_mapped_there_at_the_time)
{
	const uint64_t stack[] = { 5, AT(BARE), 0 };
	struct made_sample s = made_x86(AT(BARE), 0, stack, 3);
	struct made *second;

	usual();
	second = made_new(MADE_X86_64);
	made_cie(second, 16, USUAL);
	made_fde(second, BARE, 0x100, BYTES(0x0e, 16));
	made_begin();
	made_map(CODE, TEXT_SIZE, TEXT_OFF, "/bin1", 1);
	made_map(CODE, TEXT_SIZE, TEXT_OFF, "/bin2", 10);
	made_map(CODE + MADE_STEP, TEXT_SIZE, TEXT_OFF, "/bin1", 20);
	made_built();
	for (int round = 0; round < 3; round++) {
		s.seq = 5;	/* the frame of BARE has 8 bytes: its return address is 5, which is invalid */
		made_run(&s, &out);
		EXPECT_INT(out.end, HD_UNWIND_END_BAD);
		EXPECT_INT(out.n, 1);
		s.seq = 15;	/* another file is mapped, in which the frame of BARE has 16 bytes */
		made_run(&s, &out);
		EXPECT_INT(out.n, 2);
		EXPECT(out.ip[1] == AT(BARE) && out.cfa[0] == STACK + 16);
		s.seq = 25;	/* a mapping was added elsewhere: the rule is the same */
		made_run(&s, &out);
		EXPECT_INT(out.n, 2);
		EXPECT(out.ip[1] == AT(BARE) && out.cfa[0] == STACK + 16);
	}
	EXPECT_INT(made_opened, 2);
	made_close();
}

TEST_MAIN(
	RUN(a_frame_costs_its_rule_and_its_slots),
	RUN(a_call_that_ends_its_function_belongs_to_it),
	RUN(but_the_innermost_address_belongs_to_what_begins_there),
	RUN(a_register_saved_below_the_stack_pointer_was_taken_back),
	RUN(a_rule_that_needs_another_register_is_followed_from_the_innermost_frame_on),
	RUN(a_rule_that_needs_a_lost_register_fails),
	RUN(an_expression_finds_the_cfa_through_memory),
	RUN(a_return_address_in_a_register_needs_no_stack),
	RUN(a_return_address_of_zero_is_the_root),
	RUN(an_address_outside_of_executable_memory_is_no_return_address),
	RUN(a_stack_that_does_not_grow_outwards_is_bad),
	RUN(a_slot_after_the_copy_is_a_cut_and_one_before_it_is_bad),
	RUN(a_stack_has_no_more_frames_than_the_limit),
	RUN(the_code_at_the_entry_point_has_no_caller),
	RUN(code_whose_cfa_counts_from_the_stack_pointer_hides_its_caller_from_a_chain_by_frame_pointers),
	RUN(code_without_cfi_is_left_by_its_frame_pointer_and_called_a_guess),
	RUN(pythons_trampolines_are_left_by_their_form_and_are_no_guess),
	RUN(other_code_made_at_run_time_is_not_taken_for_a_trampoline),
	RUN(a_frame_pointer_that_leads_nowhere_is_the_end),
	RUN(where_nothing_is_mapped_the_innermost_frame_stays),
	RUN(the_reason_why_an_object_cannot_be_unwound_is_reported),
	RUN(an_object_is_opened_once),
	RUN(cfi_is_found_without_section_headers),
	RUN(cfi_is_found_in_debug_frame_and_in_a_packed_one),
	RUN(an_address_means_what_was_mapped_there_at_the_time))
