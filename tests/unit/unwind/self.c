/* self.c - unwind this program's own stacks, and compare them with the return addresses that it recorded */
#include "self.h"

#include <signal.h>
#include <stdalign.h>

static struct hd_unwind_result out, again;
static struct shot shot;

static int set_up(void **state)
{
	(void)state;
	if (OWN_MACHINE != HD_UNWIND_NONE)
		own_open();
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	shot_release(&shot);
	if (OWN_MACHINE != HD_UNWIND_NONE)
		own_close();
	return 0;
}

/* ---- plain calls ---- */

TEST(a_stack_is_the_one_that_the_compilers_unwinder_finds)
{
	NEEDS_A_MACHINE;
	own_record(&shot);
	own_run(&shot, &out);
	expect_whole(&shot, &out);
}

TEST(the_innermost_frame_is_exact_and_the_others_are_return_addresses)
{
	NEEDS_A_MACHINE;
	own_record(&shot);
	own_run(&shot, &out);
	EXPECT(out.ip[0] == shot.regs[OWN_PC]);
	EXPECT_INT(out.flags[0], HD_UNWIND_EXACT);
	for (uint32_t i = 1; i < out.n; i++)
		EXPECT_INT(out.flags[i], 0);
}

TEST(frames_are_identified_by_addresses_that_grow_outwards)
{
	NEEDS_A_MACHINE;
	own_record(&shot);
	own_run(&shot, &out);
	EXPECT(out.cfa[0] > shot.regs[OWN_SP]);
	for (uint32_t i = 1; i + 1 < out.n; i++)
		EXPECT(out.cfa[i] > out.cfa[i - 1]);
}

static void *return_addresses[512];

static NOINLINE int recurse(int depth)
{
	return_addresses[depth] = __builtin_return_address(0);
	if (depth == 0)
		own_record(&shot);
	else
		recurse(depth - 1);
	NOT_A_TAIL_CALL;
	return depth;
}

TEST(recursion_of_a_known_depth_has_that_many_frames)
{
	NEEDS_A_MACHINE;
	recurse(400);
	own_run(&shot, &out);
	expect_whole(&shot, &out);
	/* Frame 0 is in own_record(), frame 1 in recurse(0), whose return address is in frame 2, and so on. */
	for (uint32_t i = 0; i <= 400; i++)
		EXPECT(out.ip[2 + i] == (uint64_t)(uintptr_t)return_addresses[i]);
}

/* ---- frames of other forms ---- */

static NOINLINE int with_alloca(int n)
{
	volatile char *p = __builtin_alloca((size_t)n);

	p[n - 1] = (char)n;
	return_addresses[0] = __builtin_return_address(0);
	if (n < 2000)
		with_alloca(n * 2);
	else
		own_record(&shot);
	NOT_A_TAIL_CALL;
	return p[n - 1];
}

TEST(frames_whose_size_is_known_at_run_time_only_are_left)
{
	NEEDS_A_MACHINE;
	with_alloca(10);
	own_run(&shot, &out);
	expect_whole(&shot, &out);
}

static NOINLINE int realigned(int depth, int *p)
{
	alignas(128) volatile char here[128];

	/* alloca() makes the size of the frame unknown, so that the compiler stores the CFA in a slot. */
	here[depth] = *(volatile char *)memset(__builtin_alloca((size_t)depth + 1), depth, 1);
	return_addresses[depth] = __builtin_return_address(0);
	if (depth)
		realigned(depth - 1, &depth);
	else
		own_record(&shot);
	NOT_A_TAIL_CALL;
	return here[depth] + *p;
}

TEST(realigned_frames_are_left_by_the_expression_that_finds_their_cfa)
{
	int zero = 0;

	NEEDS_A_MACHINE;
	realigned(5, &zero);
	own_run(&shot, &out);
	expect_whole(&shot, &out);
	for (uint32_t i = 0; i <= 5; i++)
		EXPECT(out.ip[2 + i] == (uint64_t)(uintptr_t)return_addresses[i]);
}

static int compared;

static int compare(const void *a, const void *b)
{
	if (!compared++)
		own_record(&shot);
	return *(const int *)a - *(const int *)b;
}

TEST(a_callback_is_left_through_the_frames_of_the_c_library)
{
	int v[100];

	NEEDS_A_MACHINE;
	for (int i = 0; i < 100; i++)
		v[i] = 100 - i;
	qsort(v, 100, sizeof(*v), compare);
	EXPECT_INT(v[0], 1);
	own_run(&shot, &out);
	expect_whole(&shot, &out);
}

static void *thread(void *unused)
{
	(void)unused;
	recurse(3);
	return NULL;
}

TEST(a_threads_stack_ends_where_it_was_started)
{
	pthread_t t;

	NEEDS_A_MACHINE;
	EXPECT_INT(pthread_create(&t, NULL, thread, NULL), 0);
	pthread_join(t, NULL);
	own_run(&shot, &out);
	expect_trace(&shot, &out);
	EXPECT_INT(out.end, HD_UNWIND_END_ROOT);
	for (uint32_t i = 0; i <= 3; i++)
		EXPECT(out.ip[2 + i] == (uint64_t)(uintptr_t)return_addresses[i]);
}

/* ---- signals ---- */

/*
 * glibc declares that kill() calls nothing in this file, but a handler runs; the pointer prevents
 * this optimisation.
 */
static int (*volatile send_signal)(pid_t, int) = kill;

static void on_signal(int sig)
{
	(void)sig;
	own_record(&shot);
	NOT_A_TAIL_CALL;
}

static volatile sig_atomic_t interrupted_here;
static uint64_t interrupted_pc;

static void on_trap(int sig, siginfo_t *info, void *context)
{
	const ucontext_t *uc = context;
	struct shot at_trap = { .ntrace = 0 };

	(void)sig;
	(void)info;
	own_regs(&at_trap, uc);
	interrupted_pc = at_trap.regs[OWN_PC];
	interrupted_here = 1;
	own_record(&shot);
	NOT_A_TAIL_CALL;
}

static NOINLINE int trap(int depth)
{
	return_addresses[depth] = __builtin_return_address(0);
	if (depth)
		trap(depth - 1);
	else
		send_signal(getpid(), SIGTRAP);
	NOT_A_TAIL_CALL;
	return depth;
}

static uint32_t exact_frame(const struct hd_unwind_result *o)
{
	for (uint32_t i = 1; i < o->n; i++)
		if (o->flags[i] & HD_UNWIND_EXACT)
			return i;
	return 0;
}

TEST(a_signal_handler_is_left_to_the_instruction_that_was_interrupted)
{
	struct sigaction sa = { .sa_sigaction = on_trap, .sa_flags = SA_SIGINFO }, old;
	uint32_t i;

	NEEDS_A_MACHINE;
	sigaction(SIGTRAP, &sa, &old);
	interrupted_here = 0;
	trap(4);
	sigaction(SIGTRAP, &old, NULL);
	EXPECT(interrupted_here);
	own_run(&shot, &out);
	expect_whole(&shot, &out);
	i = exact_frame(&out);
	EXPECT(i >= 3);
	EXPECT(out.ip[i] == interrupted_pc);
	for (uint32_t k = i + 1; k < out.n; k++)
		EXPECT_INT(out.flags[k], 0);
	/* kill() is called by trap(0), which returns to trap(1). */
	for (uint32_t k = 0; k <= 4; k++)
		EXPECT(out.ip[i + 2 + k] == (uint64_t)(uintptr_t)return_addresses[k]);
}

static char other_stack[256 * 1024];

static NOINLINE void signal_on_another_stack(void)
{
	stack_t ss = { .ss_sp = other_stack, .ss_size = sizeof(other_stack) }, old_ss;
	struct sigaction sa = { .sa_handler = on_signal, .sa_flags = SA_ONSTACK }, old;

	EXPECT_INT(sigaltstack(&ss, &old_ss), 0);
	sigaction(SIGUSR1, &sa, &old);
	own_end_override = (uint64_t)(uintptr_t)(other_stack + sizeof(other_stack));
	send_signal(getpid(), SIGUSR1);
	own_end_override = 0;
	sigaction(SIGUSR1, &old, NULL);
	sigaltstack(&old_ss, NULL);
}

TEST(a_stack_of_a_handler_on_another_stack_is_cut_after_the_interrupted_function)
{
	uint32_t i;

	NEEDS_A_MACHINE;
	signal_on_another_stack();
	own_run(&shot, &out);
	EXPECT_INT(out.end, HD_UNWIND_END_CUT);
	i = exact_frame(&out);
	EXPECT(i >= 2);
	/*
	 * The interrupted frame is found by the registers that the kernel saved.  Its callers are on another stack,
	 * which was not copied.
	 */
	EXPECT_INT(out.n, i + 1);
	for (uint32_t k = 1; k <= i; k++)
		EXPECT(out.ip[k] == (uint64_t)(uintptr_t)shot.trace[k]);
	EXPECT(!out.guessed);
}

/* ---- copies of other sizes ---- */

TEST(a_smaller_copy_gives_the_inner_frames_that_it_holds)
{
	struct shot cut;
	size_t whole;
	uint32_t before = 0;

	NEEDS_A_MACHINE;
	recurse(20);
	own_run(&shot, &out);
	EXPECT_INT(out.end, HD_UNWIND_END_ROOT);
	cut = shot;
	whole = shot.stack_bytes;
	for (size_t size = 8; size < whole + 344; size += size < 4096 ? 8 : 344) {
		cut.stack_bytes = size < whole ? size : whole;
		own_run(&cut, &again);
		EXPECT(again.n >= before && again.n <= out.n);
		EXPECT(again.end == HD_UNWIND_END_CUT || (again.end == HD_UNWIND_END_ROOT && again.n == out.n));
		EXPECT_MEM(again.ip, out.ip, again.n * sizeof(*out.ip));
		EXPECT_MEM(again.cfa, out.cfa, again.n * sizeof(*out.cfa));
		/*
		 * If the copy was too small, the return address of the last frame, just below its CFA, must be outside
		 * of it.
		 */
		if (again.end == HD_UNWIND_END_CUT)
			EXPECT(again.cfa[again.n - 1] > shot.regs[OWN_SP] + cut.stack_bytes - 8);
		before = again.n;
	}
	EXPECT_INT(before, out.n);
}

TEST(without_a_copy_there_is_the_innermost_frame_alone)
{
	NEEDS_A_MACHINE;
	own_record(&shot);
	shot.stack_bytes = 0;
	own_run(&shot, &out);
	EXPECT_INT(out.end, HD_UNWIND_END_NO_STACK);
	EXPECT_INT(out.n, 1);
	EXPECT(out.ip[0] == shot.regs[OWN_PC]);
}

TEST(a_recording_of_the_other_byte_order_gives_the_same)
{
	struct hd_process_context at;
	uint64_t regs[OWN_REGS], mask, word;
	struct hd_unwind_input in;

	NEEDS_A_MACHINE;
	recurse(10);
	own_run(&shot, &out);
	at = own_at();
	mask = own_packed(&shot, regs);
	for (int i = 0; i < OWN_REGS; i++)
		regs[i] = __builtin_bswap64(regs[i]);
	for (size_t i = 0; i + 8 <= shot.stack_bytes; i += 8) {
		memcpy(&word, shot.stack + i, 8);
		word = __builtin_bswap64(word);
		memcpy(shot.stack + i, &word, 8);
	}
	in = (struct hd_unwind_input){
		.at = &at, .machine = OWN_MACHINE, .abi = 2, .regs_mask = mask, .regs = (uint8_t *)regs,
		.stack = shot.stack, .stack_bytes = shot.stack_bytes, .swap = true,
	};
	hd_unwinder_run(own_unwinder, &in, &again);
	EXPECT_INT(again.end, out.end);
	EXPECT_INT(again.n, out.n);
	EXPECT_MEM(again.ip, out.ip, out.n * sizeof(*out.ip));
	EXPECT_MEM(again.cfa, out.cfa, out.n * sizeof(*out.cfa));
}

TEST(registers_that_were_not_recorded_are_not_made_up)
{
	struct hd_process_context at;
	uint64_t pc;
	struct hd_unwind_input in;

	NEEDS_A_MACHINE;
	own_record(&shot);
	at = own_at();
	pc = shot.regs[OWN_PC];
	in = (struct hd_unwind_input){
		.at = &at, .machine = OWN_MACHINE, .abi = 2, .regs_mask = 1ull << OWN_PC,
		.regs = (uint8_t *)&pc, .stack = shot.stack, .stack_bytes = shot.stack_bytes,
	};
	hd_unwinder_run(own_unwinder, &in, &out);
	EXPECT_INT(out.n, 1);
	EXPECT_INT(out.end, HD_UNWIND_END_NO_STACK);
	in.regs_mask = 1;
	hd_unwinder_run(own_unwinder, &in, &out);
	EXPECT_INT(out.n, 0);
}

/* ---- several threads at once ---- */

enum { SHOTS = 8, THREADS = 4 };
static struct shot shots[SHOTS];
static struct hd_unwind_result expected[SHOTS];

static void *unwind_all(void *failures)
{
	struct hd_unwinder *wk = hd_unwinder_new(own_unwind);
	struct hd_unwind_result *mine = hd_new(struct hd_unwind_result);

	for (int round = 0; round < 20; round++) {
		for (int i = 0; i < SHOTS; i++) {
			own_run_with(wk, &shots[i], mine);
			if (mine->n != expected[i].n || mine->end != expected[i].end ||
			    memcmp(mine->ip, expected[i].ip, mine->n * sizeof(*mine->ip)) ||
			    memcmp(mine->cfa, expected[i].cfa, mine->n * sizeof(*mine->cfa)))
				++*(int *)failures;
		}
	}
	free(mine);
	hd_unwinder_free(wk);
	return NULL;
}

TEST(unwinders_of_several_threads_answer_alike)
{
	pthread_t t[THREADS];
	int failures[THREADS] = { 0 };

	NEEDS_A_MACHINE;
	for (int i = 0; i < SHOTS; i++) {
		recurse(i * 7);
		shots[i] = shot;
		shot.stack = NULL;
		own_run(&shots[i], &expected[i]);
		EXPECT_INT(expected[i].end, HD_UNWIND_END_ROOT);
	}
	/*
	 * Open everything again, so that all threads open the objects at the same time.  The address space is looked
	 * up before the threads start.
	 */
	own_close();
	own_open();
	own_at();
	for (int i = 0; i < THREADS; i++)
		EXPECT_INT(pthread_create(&t[i], NULL, unwind_all, &failures[i]), 0);
	for (int i = 0; i < THREADS; i++) {
		pthread_join(t[i], NULL);
		EXPECT_INT(failures[i], 0);
	}
	for (int i = 0; i < SHOTS; i++)
		shot_release(&shots[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		RUN(a_stack_is_the_one_that_the_compilers_unwinder_finds),
		RUN(the_innermost_frame_is_exact_and_the_others_are_return_addresses),
		RUN(frames_are_identified_by_addresses_that_grow_outwards),
		RUN(recursion_of_a_known_depth_has_that_many_frames),
		RUN(frames_whose_size_is_known_at_run_time_only_are_left),
		RUN(realigned_frames_are_left_by_the_expression_that_finds_their_cfa),
		RUN(a_callback_is_left_through_the_frames_of_the_c_library),
		RUN(a_threads_stack_ends_where_it_was_started),
		RUN(a_signal_handler_is_left_to_the_instruction_that_was_interrupted),
		RUN(a_stack_of_a_handler_on_another_stack_is_cut_after_the_interrupted_function),
		RUN(a_smaller_copy_gives_the_inner_frames_that_it_holds),
		RUN(without_a_copy_there_is_the_innermost_frame_alone),
		RUN(a_recording_of_the_other_byte_order_gives_the_same),
		RUN(registers_that_were_not_recorded_are_not_made_up),
		RUN(unwinders_of_several_threads_answer_alike),
	};

	return cmocka_run_group_tests_name(__FILE__, tests, set_up, tear_down);
}
