/* energy.c - compute joules by the trapezoidal rule */
#include "test.h"

#include "track/energy.h"
#include "stats/random.h"

#include <math.h>
#include <string.h>

static const struct hd_energy_span all = { NAN, NAN };

TEST(constant_power_is_watts_times_seconds)
{
	struct hd_energy_sample p[] = { { 0, 50, false }, { 1, 50, false }, { 4, 50, false } };
	struct hd_energy e;

	EXPECT_INT(hd_energy(&e, p, 3, all), 0);
	EXPECT(e.enough && e.total_joules == 200 && e.duration_s == 4 && e.mean_watts == 50 && e.peak_watts == 50 &&
	       e.n_samples == 3);
}

TEST(a_ramp_is_the_area_under_it)
{
	struct hd_energy_sample p[] = { { 10, 0, false }, { 12, 100, false }, { 13, 0, false } };
	struct hd_energy e;

	EXPECT_INT(hd_energy(&e, p, 3, all), 0);
	EXPECT(e.total_joules == 150 && e.peak_watts == 100 && fabs(e.mean_watts - 100.0 / 3) < 1e-12);
}

TEST(the_order_of_the_samples_does_not_matter)
{
	struct hd_energy_sample sorted[257], shuffled[257];
	struct hd_random r = hd_random_from(2);
	struct hd_energy a, b;

	for (size_t i = 0; i < 257; i++)
		shuffled[i] = sorted[i] = (struct hd_energy_sample){ (double)i, (double)(i * i % 97), false };
	for (size_t i = 257; i-- > 1; ) {
		size_t j = hd_random_below(&r, i + 1);
		struct hd_energy_sample t = shuffled[i];

		shuffled[i] = shuffled[j];
		shuffled[j] = t;
	}
	EXPECT_INT(hd_energy(&a, sorted, 257, all), 0);
	EXPECT_INT(hd_energy(&b, shuffled, 257, all), 0);
	EXPECT(a.backwards == 0 && b.backwards > 0);
	EXPECT(a.total_joules == b.total_joules && a.duration_s == b.duration_s &&
		!memcmp(sorted, shuffled, sizeof(sorted)));
}

TEST(samples_of_one_moment_are_a_step)
{
	struct hd_energy_sample p[] = { { 0, 10, false }, { 1, 10, false }, { 1, 90, false }, { 2, 90, false } };
	struct hd_energy e;

	EXPECT_INT(hd_energy(&e, p, 4, all), 0);
	EXPECT(e.total_joules == 100 && e.same_time == 1);
}

TEST(fewer_than_two_moments_are_no_energy)
{
	struct hd_energy_sample p[] = { { 3, 70, false }, { 3, 80, false } };
	struct hd_energy e;

	EXPECT_INT(hd_energy(&e, p, 0, all), 0);
	EXPECT(!e.enough && e.total_joules == 0 && e.duration_s == 0 && e.n_samples == 0);
	EXPECT_INT(hd_energy(&e, p, 1, all), 0);
	EXPECT(!e.enough && e.total_joules == 0 && e.duration_s == 0 && e.mean_watts == 70 && e.peak_watts == 70);
	EXPECT_INT(hd_energy(&e, p, 2, all), 0);
	EXPECT(!e.enough && e.total_joules == 0 && e.duration_s == 0 && e.mean_watts == 75);
}

TEST(a_gap_is_counted_with_what_it_guesses)
{
	struct hd_energy_sample p[] = {
		{ 0, 10, false }, { 1, 10, false }, { 2, 10, false }, { 3, 10, false }, { 33, 20, false }
	};
	struct hd_energy e;

	EXPECT_INT(hd_energy(&e, p, 5, all), 0);
	EXPECT(e.median_dt_s == 1 && e.gaps == 1 && e.longest_gap_s == 30 && e.gap_joules == 450 &&
		e.total_joules == 480);
}

TEST(a_repeated_value_passes_time_but_is_no_sample)
{
	struct hd_energy_sample p[] = { { 0, 10, false }, { 1, 10, true }, { 2, 40, false } };
	struct hd_energy e;

	EXPECT_INT(hd_energy(&e, p, 3, all), 0);
	EXPECT(e.n_samples == 2 && e.repeated == 1 && e.mean_watts == 25 && e.total_joules == 35 && e.duration_s == 2);
}

/* ---- a span within the samples ---- */

TEST(both_edges_of_a_span_are_interpolated)
{
	struct hd_energy_sample p[] = { { 0, 0, false }, { 10, 100, false }, { 20, 100, false } };
	struct hd_energy e;

	EXPECT_INT(hd_energy(&e, p, 3, (struct hd_energy_span){ 5, 15 }), 0);
	EXPECT(e.total_joules == 875 && e.duration_s == 10 && e.enough && e.n_samples == 1 && e.mean_watts == 100);
	EXPECT_INT(hd_energy(&e, p, 3, (struct hd_energy_span){ 2, 4 }), 0);	/* between two samples */
	EXPECT(e.total_joules == 60 && e.duration_s == 2 && e.n_samples == 0 && e.mean_watts == 30 &&
		e.peak_watts == 30);
}

TEST(what_the_samples_do_not_cover_is_not_extrapolated)
{
	struct hd_energy_sample p[] = { { 10, 50, false }, { 20, 50, false } };
	struct hd_energy e;

	EXPECT_INT(hd_energy(&e, p, 2, (struct hd_energy_span){ 0, 100 }), 0);
	EXPECT(e.total_joules == 500 && e.duration_s == 10);
	EXPECT_INT(hd_energy(&e, p, 2, (struct hd_energy_span){ 30, 40 }), 0);
	EXPECT(!e.enough && e.total_joules == 0 && e.duration_s == 0 && e.n_samples == 0);
	EXPECT_INT(hd_energy(&e, p, 2, (struct hd_energy_span){ 15, 15 }), 0);
	EXPECT(!e.enough && e.total_joules == 0);
}

TEST(parts_add_up_to_the_whole)
{
	struct hd_random r = hd_random_from(8);
	struct hd_energy_sample p[400];
	struct hd_energy whole, a, b;

	for (unsigned round = 0; round < 100; round++) {
		bool counter = round % 2;
		double t = 0, v = 0, cut;

		for (size_t i = 0; i < 400; i++) {
			t += hd_random_below(&r, 8) ? hd_random_unit(&r) : 0;
			v = hd_random_below(&r, 3) ? (counter ? v : 0) + 100 * hd_random_unit(&r) : v;
			p[i] = (struct hd_energy_sample){ t, v, i && p[i - 1].value == v };
		}
		cut = t * hd_random_unit(&r);
		EXPECT_INT((counter ? hd_energy_counter : hd_energy)(&whole, p, 400, all), 0);
		EXPECT_INT((counter ? hd_energy_counter : hd_energy)(&a, p, 400, (struct hd_energy_span){ NAN, cut }),
			0);
		EXPECT_INT((counter ? hd_energy_counter : hd_energy)(&b, p, 400, (struct hd_energy_span){ cut, NAN }),
			0);
		EXPECT(fabs(a.total_joules + b.total_joules - whole.total_joules) < 1e-9 * whole.total_joules);
		EXPECT(a.n_samples + b.n_samples == whole.n_samples &&
			fabs(a.duration_s + b.duration_s - whole.duration_s) < 1e-9);
	}
}

/* ---- sensors that are slower than the reader ---- */

/* Make n readings every 0.1 s of a sensor that is updated every 0.5 s; value(k) is the value of update k. */
static size_t slow(struct hd_energy_sample *p, size_t n, double (*value)(unsigned k))
{
	for (size_t i = 0; i < n; i++) {
		double v = value((unsigned)i / 5);

		p[i] = (struct hd_energy_sample){ (double)i / 10, v, i && p[i - 1].value == v };
	}
	return n;
}

static double ramp(unsigned k)
{
	return 10 * k;
}

static double flat_then_ramp(unsigned k)
{
	return k < 8 ? 5 : 10 * k;
}

TEST(a_slow_sensor_is_a_line_from_new_value_to_new_value_and_no_staircase)
{
	struct hd_energy_sample p[51];
	struct hd_energy e;

	EXPECT_INT(hd_energy(&e, p, slow(p, 51, ramp), all), 0);
	/* a ramp of 20 W per second for 5 s */
	EXPECT(fabs(e.total_joules - 250) < 1e-9 && fabs(e.update_period_s - 0.5) < 1e-9 && e.n_samples == 11 &&
	       e.repeated == 40);
}

TEST(a_value_that_stays_is_held_until_an_update_before_the_next_one)
{
	struct hd_energy_sample p[101];
	struct hd_energy e;

	EXPECT_INT(hd_energy(&e, p, slow(p, 101, flat_then_ramp), all), 0);
	/* 5 W until 3.5 s, a straight line to 80 W at 4 s, then 20 W more per second until 10 s */
	EXPECT(fabs(e.total_joules - (17.5 + 21.25 + 840)) < 1e-9);
}

TEST(with_few_new_values_the_period_is_unknown_and_values_are_held)
{
	struct hd_energy_sample p[16];
	struct hd_energy e;

	EXPECT_INT(hd_energy(&e, p, slow(p, 16, ramp), all), 0);
	/* 0, 10 and 20 W are held for 0.4 s each, then a line of 0.1 s leads to the next value; 30 W at the end */
	EXPECT(fabs(e.total_joules - (0.5 + 5.5 + 10.5)) < 1e-9);
}

/* ---- counters ---- */

TEST(a_counter_is_its_increase_and_a_fall_is_lost)
{
	struct hd_energy_sample p[] = { { 0, 100, false }, { 1, 130, false }, { 2, 2, false }, { 4, 12, false } };
	struct hd_energy e;

	EXPECT_INT(hd_energy_counter(&e, p, 4, all), 0);
	EXPECT(e.total_joules == 40 && e.falls == 1 && e.duration_s == 4 && e.mean_watts == 10 && e.peak_watts == 30);
	EXPECT_INT(hd_energy_counter(&e, p, 4, (struct hd_energy_span){ 0.5, 3 }), 0);
	EXPECT(e.total_joules == 20 && e.duration_s == 2.5 && e.peak_watts == 30);
	EXPECT_INT(hd_energy_counter(&e, p, 4, (struct hd_energy_span){ 2, 4 }), 0);
	EXPECT(e.total_joules == 10 && e.peak_watts == 5);	/* the rise to 130 J is outside of the span */
}

TEST(a_gap_of_a_counter_is_no_guess)
{
	struct hd_energy_sample p[] = {
		{ 0, 0, false }, { 1, 10, false }, { 2, 20, false }, { 3, 30, false }, { 33, 330, false }
	};
	struct hd_energy e;

	EXPECT_INT(hd_energy_counter(&e, p, 5, all), 0);
	EXPECT(e.total_joules == 330 && e.gaps == 1 && e.gap_joules == 0);
}

TEST(steps_of_a_slow_counter_are_cut_by_the_span)
{
	struct hd_energy_sample p[61];
	struct hd_energy e;

	/*
	 * 10 J at each update are 20 W.  The counter's step at 0.5 s is the energy since 0 s, and the energy after the
	 * last step appears only in the next step.
	 */
	EXPECT_INT(hd_energy_counter(&e, p, slow(p, 61, ramp), (struct hd_energy_span){ 0.25, 5.85 }), 0);
	EXPECT(fabs(e.total_joules - 20 * 5.6) < 1e-9 && fabs(e.peak_watts - 20) < 1e-9);
	EXPECT_INT(hd_energy_counter(&e, p, slow(p, 59, ramp), all), 0);	/* ends 0.3 s after a step */
	EXPECT(fabs(e.total_joules - 20 * 5.8) < 1e-9);
}

TEST_MAIN(
	RUN(constant_power_is_watts_times_seconds),
	RUN(a_ramp_is_the_area_under_it),
	RUN(the_order_of_the_samples_does_not_matter),
	RUN(samples_of_one_moment_are_a_step),
	RUN(fewer_than_two_moments_are_no_energy),
	RUN(a_gap_is_counted_with_what_it_guesses),
	RUN(a_repeated_value_passes_time_but_is_no_sample),
	RUN(both_edges_of_a_span_are_interpolated),
	RUN(what_the_samples_do_not_cover_is_not_extrapolated),
	RUN(parts_add_up_to_the_whole),
	RUN(a_slow_sensor_is_a_line_from_new_value_to_new_value_and_no_staircase),
	RUN(a_value_that_stays_is_held_until_an_update_before_the_next_one),
	RUN(with_few_new_values_the_period_is_unknown_and_values_are_held),
	RUN(a_counter_is_its_increase_and_a_fall_is_lost),
	RUN(a_gap_of_a_counter_is_no_guess),
	RUN(steps_of_a_slow_counter_are_cut_by_the_span),
)
