/*
 * self_x86.c - unwind this program's own stack through functions that no C compiler generates
 *
 * The functions are written in assembler, with or without call frame information.  f(callback) calls the callback,
 * which records the stack.
 */
#include "self.h"

#include <sys/mman.h>

#if defined(__x86_64__)

__asm__(
"	.text\n"
/* The CFA is relative to rbx, so a callee's rules for rbx matter. */
"	.type by_rbx, @function\n"
"by_rbx: .cfi_startproc\n"
"	push %rbx\n"
"	.cfi_def_cfa_offset 16\n"
"	.cfi_offset %rbx, -16\n"
"	mov %rsp, %rbx\n"
"	.cfi_def_cfa_register %rbx\n"
"	sub $1000, %rsp\n"
"	and $-64, %rsp\n"
"	call *%rdi\n"
"	mov %rbx, %rsp\n"
"	.cfi_def_cfa_register %rsp\n"
"	pop %rbx\n"
"	.cfi_def_cfa_offset 8\n"
"	ret\n"
"	.cfi_endproc\n"
"	.size by_rbx, . - by_rbx\n"
/* This function saves rbx at a place that only an expression describes, and overwrites rbx. */
"	.type spoils_rbx, @function\n"
"spoils_rbx: .cfi_startproc\n"
"	sub $24, %rsp\n"
"	.cfi_def_cfa_offset 32\n"
"	mov %rbx, 8(%rsp)\n"
"	.cfi_escape 0x10, 3, 2, 0x77, 8\n"	/* rbx is saved at rsp + 8 */
"	xor %ebx, %ebx\n"
"	mov %rsi, %rax\n"
"	mov %rdi, %rsi\n"
"	mov %rax, %rdi\n"
"	call *%rsi\n"
"	mov 8(%rsp), %rbx\n"
"	add $24, %rsp\n"
"	.cfi_def_cfa_offset 8\n"
"	ret\n"
"	.cfi_endproc\n"
"	.size spoils_rbx, . - spoils_rbx\n"
/* This function leaves nothing on the stack, so its callee returns to its own caller. */
"	.type tail_calls, @function\n"
"tail_calls: .cfi_startproc\n"
"	jmp *%rdi\n"
"	.cfi_endproc\n"
"	.size tail_calls, . - tail_calls\n"
/* This function has a frame pointer, but no call frame information. */
"	.type keeps_fp, @function\n"
"keeps_fp:\n"
"	push %rbp\n"
"	mov %rsp, %rbp\n"
"	sub $64, %rsp\n"
"	call *%rdi\n"
"	leave\n"
"	ret\n"
"	.size keeps_fp, . - keeps_fp\n"
/* This function has neither call frame information nor a frame pointer. */
"	.type keeps_nothing, @function\n"
"keeps_nothing:\n"
"	push %rbp\n"
"	mov $1, %ebp\n"
"	call *%rdi\n"
"	pop %rbp\n"
"	ret\n"
"	.size keeps_nothing, . - keeps_nothing\n");

typedef int callback(void);
int by_rbx(callback *f), spoils_rbx(callback *f), tail_calls(callback *f), keeps_fp(callback *f),
	keeps_nothing(callback *f);

static struct hd_unwind_result out;
static struct shot shot;
static void *home;		/* the address to which the test's call returns */

static int record(void)
{
	own_record(&shot);
	NOT_A_TAIL_CALL;
	return 0;
}

static int spoil_then_record(void)
{
	int rc = spoils_rbx(record);

	NOT_A_TAIL_CALL;
	return rc;
}

static NOINLINE int call(int (*f)(callback *), callback *g)
{
	int rc;

	home = __builtin_return_address(0);
	rc = f(g);
	NOT_A_TAIL_CALL;
	return rc;
}

static bool met(const void *ip)
{
	for (uint32_t i = 0; i < out.n; i++)
		if (out.ip[i] == (uint64_t)(uintptr_t)ip)
			return true;
	return false;
}

TEST(a_cfa_in_a_register_that_callees_save_is_followed)
{
	own_open();
	call(by_rbx, record);
	own_run(&shot, &out);
	expect_whole(&shot, &out);
	EXPECT(met(home));
	call(by_rbx, spoil_then_record);
	own_run(&shot, &out);
	expect_whole(&shot, &out);
	EXPECT(met(home));
	own_close();
}

TEST(a_function_that_was_left_by_a_tail_call_has_no_frame)
{
	uint32_t n;

	own_open();
	call(spoils_rbx, record);
	own_run(&shot, &out);
	n = out.n;
	call(tail_calls, record);
	own_run(&shot, &out);
	expect_whole(&shot, &out);
	EXPECT_INT(out.n, n - 1);
	EXPECT(met(home));
	own_close();
}

static uint32_t first_guess(void)
{
	for (uint32_t i = 0; i < out.n; i++)
		if (out.flags[i] & HD_UNWIND_GUESSED)
			return i;
	return 0;
}

static void expect_guessed_to_the_root(void)
{
	EXPECT_INT(out.end, HD_UNWIND_END_ROOT);
	EXPECT(out.guessed && met(home));
	for (uint32_t i = first_guess(); i < out.n; i++)
		EXPECT_INT(out.flags[i], HD_UNWIND_GUESSED);
	/* own_record, record, the function without information; the caller of that is the first guess. */
	EXPECT_INT(first_guess(), 3);
	EXPECT(out.ip[4] == (uint64_t)(uintptr_t)home);
}

TEST(a_function_without_information_is_passed_by_its_frame_pointer)
{
	own_open();
	call(keeps_fp, record);
	own_run(&shot, &out);
	expect_guessed_to_the_root();
	EXPECT(out.object != 0);
	own_close();
}

TEST(a_function_without_either_ends_the_stack)
{
	own_open();
	call(keeps_nothing, record);
	own_run(&shot, &out);
	EXPECT_INT(out.end, HD_UNWIND_END_NO_CFI);
	EXPECT_INT(out.n, 3);
	EXPECT(!out.guessed && out.object != 0);
	EXPECT_INT(hd_unwind_failure(own_unwind, out.object), HD_UNWIND_FAILURE_NONE);
	own_close();
}

TEST(code_made_at_run_time_is_passed_by_its_frame_pointer)
{
	/* push rbp; mov rsp, rbp; sub $32, rsp; call *rdi; leave; ret */
	static const uint8_t code[] = { 0x55, 0x48, 0x89, 0xe5, 0x48, 0x83, 0xec, 0x20, 0xff, 0xd7, 0xc9, 0xc3 };
	int (*jit)(callback *);
	void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	EXPECT(page != MAP_FAILED);
	memcpy(page, code, sizeof(code));
	if (mprotect(page, 4096, PROT_READ | PROT_EXEC) < 0)
		SKIP("memory cannot be made executable here");
	memcpy(&jit, &page, sizeof(jit));
	own_open();
	call(jit, record);
	own_run(&shot, &out);
	expect_guessed_to_the_root();
	EXPECT(out.ip[2] == (uint64_t)(uintptr_t)page + 10);
	EXPECT_INT(hd_unwind_failure(own_unwind, out.object), HD_UNWIND_FAILURE_JIT);
	own_close();
	munmap(page, 4096);
}

static int tear_down(void **state)
{
	(void)state;
	shot_release(&shot);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		RUN(a_cfa_in_a_register_that_callees_save_is_followed),
		RUN(a_function_that_was_left_by_a_tail_call_has_no_frame),
		RUN(a_function_without_information_is_passed_by_its_frame_pointer),
		RUN(a_function_without_either_ends_the_stack),
		RUN(code_made_at_run_time_is_passed_by_its_frame_pointer),
	};

	return cmocka_run_group_tests_name(__FILE__, tests, NULL, tear_down);
}

#else

TEST(functions_in_assembler_are_unwound)
{
	SKIP("they are written for x86-64");
}

TEST_MAIN(RUN(functions_in_assembler_are_unwound))

#endif
