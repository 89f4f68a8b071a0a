/*
 * energy.c - joules by the trapezoid
 */
#include "test.h"

#include "track/energy.h"
#include "track/random.h"

#include <math.h>
#include <string.h>

TEST(constant_power_is_watts_times_seconds)
{
	struct hd_power p[] = { { 0, 50, false }, { 1, 50, false }, { 4, 50, false } };
	struct hd_energy e;

	EXPECT_INT(hd_energy(&e, p, 3), 0);
	EXPECT(e.enough && e.total_joules == 200 && e.duration_s == 4 && e.mean_watts == 50 && e.peak_watts == 50 && e.n_samples == 3);
}

TEST(a_ramp_is_the_area_under_it)
{
	struct hd_power p[] = { { 10, 0, false }, { 12, 100, false }, { 13, 0, false } };
	struct hd_energy e;

	EXPECT_INT(hd_energy(&e, p, 3), 0);
	EXPECT(e.total_joules == 150 && e.peak_watts == 100 && fabs(e.mean_watts - 100.0 / 3) < 1e-12);
}

TEST(the_order_of_the_samples_does_not_matter)
{
	struct hd_power sorted[257], shuffled[257];
	struct hd_random r = hd_random_from(2);
	struct hd_energy a, b;

	for (size_t i = 0; i < 257; i++)
		shuffled[i] = sorted[i] = (struct hd_power){ (double)i, (double)(i * i % 97), false };
	for (size_t i = 257; i-- > 1; ) {
		size_t j = hd_random_below(&r, i + 1);
		struct hd_power t = shuffled[i];

		shuffled[i] = shuffled[j];
		shuffled[j] = t;
	}
	EXPECT_INT(hd_energy(&a, sorted, 257), 0);
	EXPECT_INT(hd_energy(&b, shuffled, 257), 0);
	EXPECT(a.backwards == 0 && b.backwards > 0);
	EXPECT(a.total_joules == b.total_joules && a.duration_s == b.duration_s && !memcmp(sorted, shuffled, sizeof(sorted)));
}

TEST(samples_of_one_moment_are_a_step)
{
	struct hd_power p[] = { { 0, 10, false }, { 1, 10, false }, { 1, 90, false }, { 2, 90, false } };
	struct hd_energy e;

	EXPECT_INT(hd_energy(&e, p, 4), 0);
	EXPECT(e.total_joules == 100 && e.same_time == 1);
}

TEST(fewer_than_two_moments_are_no_energy)
{
	struct hd_power p[] = { { 3, 70, false }, { 3, 80, false } };
	struct hd_energy e;

	EXPECT_INT(hd_energy(&e, p, 0), 0);
	EXPECT(!e.enough && e.total_joules == 0 && e.duration_s == 0 && e.n_samples == 0);
	EXPECT_INT(hd_energy(&e, p, 1), 0);
	EXPECT(!e.enough && e.total_joules == 0 && e.duration_s == 0 && e.mean_watts == 70 && e.peak_watts == 70);
	EXPECT_INT(hd_energy(&e, p, 2), 0);
	EXPECT(!e.enough && e.total_joules == 0 && e.duration_s == 0 && e.mean_watts == 75);
}

TEST(a_gap_is_counted_with_what_it_guesses)
{
	struct hd_power p[] = { { 0, 10, false }, { 1, 10, false }, { 2, 10, false }, { 3, 10, false }, { 33, 20, false } };
	struct hd_energy e;

	EXPECT_INT(hd_energy(&e, p, 5), 0);
	EXPECT(e.median_dt_s == 1 && e.gaps == 1 && e.longest_gap_s == 30 && e.gap_joules == 450 && e.total_joules == 480);
}

TEST(a_repeated_value_passes_time_but_is_no_sample)
{
	struct hd_power p[] = { { 0, 10, false }, { 1, 10, true }, { 2, 40, false } };
	struct hd_energy e;

	EXPECT_INT(hd_energy(&e, p, 3), 0);
	EXPECT(e.n_samples == 2 && e.repeated == 1 && e.mean_watts == 25 && e.total_joules == 35 && e.duration_s == 2);
}

TEST_MAIN(
	RUN(constant_power_is_watts_times_seconds),
	RUN(a_ramp_is_the_area_under_it),
	RUN(the_order_of_the_samples_does_not_matter),
	RUN(samples_of_one_moment_are_a_step),
	RUN(fewer_than_two_moments_are_no_energy),
	RUN(a_gap_is_counted_with_what_it_guesses),
	RUN(a_repeated_value_passes_time_but_is_no_sample),
)
