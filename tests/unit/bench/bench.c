/* The order of runs. */
#include "bench/bench.h"
#include "test.h"

#include <string.h>

/* The session as letters: a base, b head, warm-up in capitals. */
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

TEST_MAIN(RUN(two_sides_alternate_base_head_head_base), RUN(warm_up_runs_come_first_and_the_others_begin_with_the_base),
	  RUN(one_side_is_run_again_and_again), RUN(each_run_is_made_once_and_numbered_by_side),
	  RUN(what_changes_steadily_falls_on_both_alike))
