/*
 * stack.c - tests of call stacks, which are a tree of shared prefixes
 */
#include "test.h"

#include "profile/stack.h"

#include <stdlib.h>

/* Return the stack of frames given as letters: "mpr" is m;p;r. */
static hd_stack_id stack_of(struct hd_stacks *st, const char *letters)
{
	hd_stack_id id = { 0 };

	for (; *letters; letters++)
		id = hd_stacks_add(st, id, (hd_frame_id){ (uint32_t)*letters });
	return id;
}

TEST(the_empty_stack_is_there_from_the_beginning)
{
	struct hd_stacks *st = hd_stacks_new();
	hd_stack_id none = { 0 };

	EXPECT_INT(hd_stacks_count(st), 1);
	EXPECT_INT(hd_stacks_depth(st, none), 0);
	EXPECT_INT(hd_stacks_caller(st, none).v, 0);
	hd_stacks_free(st);
}

TEST(equal_stacks_get_equal_ids_and_share_their_callers)
{
	struct hd_stacks *st = hd_stacks_new();
	hd_stack_id read = stack_of(st, "mpr"), close = stack_of(st, "mpc");

	EXPECT(read.v == stack_of(st, "mpr").v);
	EXPECT(read.v != close.v);
	EXPECT(hd_stacks_caller(st, read).v == hd_stacks_caller(st, close).v);
	EXPECT_INT(hd_stacks_count(st), 5);	/* empty, m, mp, mpr, mpc */
	EXPECT_INT(hd_stacks_depth(st, read), 3);
	EXPECT_INT(hd_stacks_frame(st, read).v, 'r');
	hd_stacks_free(st);
}

TEST(one_frame_at_two_depths_is_two_stacks)
{
	struct hd_stacks *st = hd_stacks_new();

	EXPECT(stack_of(st, "f").v != stack_of(st, "ff").v);
	EXPECT(stack_of(st, "fg").v != stack_of(st, "gf").v);
	EXPECT_INT(hd_stacks_depth(st, stack_of(st, "ffff")), 4);
	hd_stacks_free(st);
}

TEST(a_caller_has_a_smaller_id_than_what_it_calls)
{
	struct hd_stacks *st = hd_stacks_new();
	unsigned seed = 1;

	for (int i = 0; i < 20000; i++) {
		char letters[24];
		size_t n = (size_t)(rand_r(&seed) % 23);

		for (size_t k = 0; k < n; k++)
			letters[k] = (char)('a' + rand_r(&seed) % 3);
		letters[n] = '\0';
		EXPECT_INT(hd_stacks_depth(st, stack_of(st, letters)), n);
	}
	EXPECT(hd_stacks_count(st) > 10000);
	for (uint32_t id = 1; id < hd_stacks_count(st); id++) {
		hd_stack_id s = { id }, caller = hd_stacks_caller(st, s);

		EXPECT(caller.v < id);
		EXPECT(hd_stacks_depth(st, s) == hd_stacks_depth(st, caller) + 1);
		EXPECT(hd_stacks_add(st, caller, hd_stacks_frame(st, s)).v == id);
	}
	hd_stacks_free(st);
}

TEST(a_stack_of_a_hundred_thousand_frames_needs_no_recursion)
{
	struct hd_stacks *st = hd_stacks_new();
	hd_stack_id id = { 0 };

	for (uint32_t i = 0; i < 100000; i++)
		id = hd_stacks_add(st, id, (hd_frame_id){ i % 7 });
	EXPECT_INT(hd_stacks_depth(st, id), 100000);
	hd_stacks_free(st);
}

TEST_MAIN(RUN(the_empty_stack_is_there_from_the_beginning),
	  RUN(equal_stacks_get_equal_ids_and_share_their_callers),
	  RUN(one_frame_at_two_depths_is_two_stacks),
	  RUN(a_caller_has_a_smaller_id_than_what_it_calls),
	  RUN(a_stack_of_a_hundred_thousand_frames_needs_no_recursion))
