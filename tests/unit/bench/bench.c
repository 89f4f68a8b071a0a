/* bench.c - tests of the order in which the runs of base and head are made */
#include "bench/bench.h"
#include "test.h"

#include <string.h>

/*
 * Return the runs of a session as letters: a for the first side (the base), b for the second one (the head); warm-up
 * runs in capitals.  The text is valid until the next call.
 */
static const char *order(unsigned sides, unsigned warmup, unsigned runs)
{
	static char out[64];
	struct hd_schedule s = hd_schedule_init(sides, warmup, runs);
	struct hd_schedule_step step;
	size_t n = 0;

	while (hd_schedule_next(&s, &step) && n < sizeof(out) - 1)
		out[n++] = (char)((step.warmup ? 'A' : 'a') + (int)step.side);
	out[n] = '\0';
	return out;
}

TEST(two_sides_alternate_base_head_head_base)
{
	EXPECT_STR(order(2, 0, 4), "abbaabba");
	EXPECT_STR(order(2, 0, 3), "abbaab");
	EXPECT_STR(order(2, 0, 1), "ab");
}

TEST(warm_up_runs_come_first_and_the_others_begin_with_the_base)
{
	EXPECT_STR(order(2, 1, 2), "ABabba");
	EXPECT_STR(order(2, 2, 2), "ABBAabba");
}

TEST(one_side_is_run_again_and_again)
{
	EXPECT_STR(order(1, 2, 3), "AAaaa");
}

TEST(each_run_is_made_once_and_numbered_by_side)
{
	struct hd_schedule s = hd_schedule_init(2, 0, 5);
	struct hd_schedule_step step;
	unsigned seen[2][5] = { { 0 } };

	while (hd_schedule_next(&s, &step))
		seen[step.side][step.number]++;
	for (int i = 0; i < 2; i++)
		for (int k = 0; k < 5; k++)
			EXPECT_INT(seen[i][k], 1);
	EXPECT(!hd_schedule_next(&s, &step));
}

TEST(what_changes_steadily_falls_on_both_alike)
{
	struct hd_schedule s = hd_schedule_init(2, 0, 10);
	struct hd_schedule_step step;
	long sum[2] = { 0 };

	for (long at = 0; hd_schedule_next(&s, &step); at++)
		sum[step.side] += at;
	EXPECT_INT(sum[0], sum[1]);
}

/* Return the runs of a session in which each run takes `run_ns`, as letters like those of order(). */
static const char *order_by_time(unsigned sides, unsigned warmup, uint64_t warmup_ns, unsigned runs, uint64_t time_ns,
	uint64_t run_ns)
{
	static char out[64];
	struct hd_schedule s = hd_schedule_init(sides, warmup, runs);
	struct hd_schedule_step step;
	size_t n = 0;

	s.warmup_ns = warmup_ns;
	s.time_ns = time_ns;
	s.now_ns = 1000000;
	for (; hd_schedule_next(&s, &step) && n < sizeof(out) - 1; s.now_ns += run_ns)
		out[n++] = (char)((step.warmup ? 'A' : 'a') + (int)step.side);
	out[n] = '\0';
	return out;
}

TEST(a_budget_is_used_up_by_whole_rounds_and_is_for_each_side)
{
	EXPECT_STR(order_by_time(1, 1, 0, 2, 50, 10), "Aaaaaa");
	EXPECT_STR(order_by_time(1, 1, 0, 2, 45, 10), "Aaaaaa");
	EXPECT_STR(order_by_time(2, 1, 0, 2, 30, 10), "ABabbaab");
	EXPECT_STR(order_by_time(1, 1, 25, 2, 0, 10), "AAAaa");
}

TEST(a_budget_that_is_too_small_leaves_the_least_number_of_runs)
{
	EXPECT_STR(order_by_time(1, 1, 5, 5, 5, 10), "Aaaaaa");
	EXPECT_STR(order_by_time(1, 0, 5, 3, 5, 10), "Aaaa");
}

TEST_MAIN(RUN(two_sides_alternate_base_head_head_base), RUN(warm_up_runs_come_first_and_the_others_begin_with_the_base),
	  RUN(one_side_is_run_again_and_again), RUN(each_run_is_made_once_and_numbered_by_side),
	  RUN(what_changes_steadily_falls_on_both_alike),
	  RUN(a_budget_is_used_up_by_whole_rounds_and_is_for_each_side),
	  RUN(a_budget_that_is_too_small_leaves_the_least_number_of_runs))
