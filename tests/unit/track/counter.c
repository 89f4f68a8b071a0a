/*
 * counter.c - count the increase of counters that wrap
 */
#include "test.h"

#include "track/counter.h"
#include "stats/random.h"

static struct hd_counter of_range(uint64_t range)
{
	return (struct hd_counter){ .range = range, .limit_per_s = 100 };
}

TEST(a_step_is_the_difference)
{
	struct hd_counter c = of_range(1000);
	bool hidden;

	EXPECT_INT(hd_counter_add(&c, 990, 0, &hidden), HD_COUNTER_FIRST);
	EXPECT_INT(hd_counter_add(&c, 995, 1, &hidden), HD_COUNTER_ROSE);
	EXPECT_INT(hd_counter_add(&c, 995, 2, &hidden), HD_COUNTER_SAME);
	EXPECT(c.sum == 5 && !hidden);
}

TEST(a_wrap_adds_the_range)
{
	struct hd_counter c = of_range(1000);
	bool hidden;

	hd_counter_add(&c, 990, 0, &hidden);
	EXPECT_INT(hd_counter_add(&c, 20, 1, &hidden), HD_COUNTER_WRAPPED);
	EXPECT(c.sum == 30 && !hidden);
}

TEST(the_largest_range_does_not_overflow)
{
	struct hd_counter c = of_range(UINT64_MAX);
	bool hidden;

	hd_counter_add(&c, UINT64_MAX - 1, 0, &hidden);
	EXPECT_INT(hd_counter_add(&c, 3, 1, &hidden), HD_COUNTER_WRAPPED);
	EXPECT(c.sum == 4);
}

TEST(a_gap_that_can_hide_another_wrap_is_reported)
{
	struct hd_counter c = of_range(1000);
	bool hidden;

	hd_counter_add(&c, 0, 0, &hidden);
	hd_counter_add(&c, 500, 14.9, &hidden);
	EXPECT(!hidden);
	/*
	 * The counter rose by 500, or by 1500 if it wrapped once more.  1500 in 15.05 s is below 100 per second, so it
	 * is possible.
	 */
	hd_counter_add(&c, 0, 29.95, &hidden);
	EXPECT(hidden);
}

TEST(a_counter_without_a_range_that_falls_was_reset)
{
	struct hd_counter c = of_range(0);
	bool hidden;

	hd_counter_add(&c, 700, 0, &hidden);
	EXPECT_INT(hd_counter_add(&c, 100, 1, &hidden), HD_COUNTER_RESET);
	EXPECT_INT(hd_counter_add(&c, 150, 1000, &hidden), HD_COUNTER_ROSE);
	EXPECT(c.sum == 50 && !hidden);
}

TEST(a_value_above_the_range_is_not_used)
{
	struct hd_counter c = of_range(1000);
	bool hidden;

	hd_counter_add(&c, 990, 0, &hidden);
	EXPECT_INT(hd_counter_add(&c, 1001, 1, &hidden), HD_COUNTER_INVALID);
	EXPECT_INT(hd_counter_add(&c, 995, 2, &hidden), HD_COUNTER_ROSE);
	EXPECT(c.sum == 5);
}

TEST(any_steps_below_the_range_are_summed_exactly)
{
	struct hd_random r = hd_random_from(3);

	for (unsigned round = 0; round < 200; round++) {
		uint64_t range = 1 + hd_random_below(&r, round % 2 ? 1000 : SIZE_MAX / 2),
			 value = hd_random_below(&r, range), want = 0;
		struct hd_counter c = of_range(range);
		bool hidden;

		hd_counter_add(&c, value, 0, &hidden);
		for (unsigned i = 1; i < 100; i++) {
			uint64_t step = hd_random_below(&r, range);

			value = step < range - value ? value + step : value - (range - step);
			want += step;
			hd_counter_add(&c, value, i, &hidden);
		}
		EXPECT(c.sum == want);
	}
}

TEST_MAIN(
	RUN(a_step_is_the_difference),
	RUN(a_wrap_adds_the_range),
	RUN(the_largest_range_does_not_overflow),
	RUN(a_gap_that_can_hide_another_wrap_is_reported),
	RUN(a_counter_without_a_range_that_falls_was_reset),
	RUN(a_value_above_the_range_is_not_used),
	RUN(any_steps_below_the_range_are_summed_exactly),
)
