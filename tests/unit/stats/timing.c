/* timing.c - evaluate synthetic times of repeated runs with known results */
#include "stats/timing.h"
#include "test.h"

#include "stats/random.h"
#include "stats/special_functions.h"

#include <math.h>

enum { N = 10 };

static double noise(struct hd_random *r)
{
	return hd_normal_quantile(hd_random_unit(r));
}

static void make(double *v, size_t n, double mean, double cv, uint64_t seed)
{
	struct hd_random r = hd_random_from(seed);

	for (size_t i = 0; i < n; i++)
		v[i] = mean * (1 + cv * noise(&r));
}

TEST(the_mean_the_spread_and_the_outlier_of_known_times)
{
	const double v[] = { 10, 11, 9, 10, 12, 8, 10, 10, 10, 40 };
	struct hd_timing t;

	EXPECT(hd_timing_make(&t, v, N) == 0);
	EXPECT(fabs(t.sum.mean - 13) < 1e-12 && t.sum.p50 == 10 && t.sum.max == 40);
	EXPECT(fabs(t.sd - sqrt(820.0 / 9)) < 1e-12 && fabs(t.cv - t.sd / 13) < 1e-12);
	EXPECT(t.sum.outliers >= 1 && t.far_out == 1);
	EXPECT(v[4] == 12);		/* the values are not reordered */
}

TEST(no_value_one_value_and_equal_values_are_no_trouble)
{
	const double same[] = { 5, 5, 5, 5 };
	struct hd_timing t;

	EXPECT(hd_timing_make(&t, same, 0) == 0 && t.sum.n == 0 && isnan(t.cv));
	EXPECT(hd_timing_make(&t, same, 1) == 0 && t.sum.n == 1 && isnan(t.cv) && !t.drifting);
	EXPECT(hd_timing_make(&t, same, 4) == 0 && t.cv == 0 && !t.has_trend && !t.drifting && t.far_out == 0);
}

TEST(a_session_that_warms_up_drifts_and_noise_does_not)
{
	double v[N];
	struct hd_timing t;
	unsigned drifting = 0;

	for (int i = 0; i < N; i++)
		v[i] = 100 - 2 * i + i % 2;
	EXPECT(hd_timing_make(&t, v, N) == 0);
	EXPECT(t.drifting && t.trend.slope < 0 && t.trend.r2 > 0.9);
	for (int i = 0; i < N; i++)		/* an equally significant change, but a tiny one */
		v[i] = 100 - 0.01 * i;
	EXPECT(hd_timing_make(&t, v, N) == 0);
	EXPECT(!t.drifting && t.trend.r2 > 0.99);
	for (uint64_t seed = 1; seed <= 400; seed++) {
		make(v, N, 100, 0.03, seed);
		EXPECT(hd_timing_make(&t, v, N) == 0);
		drifting += t.drifting;
	}
	EXPECT(drifting <= 12);		/* about 4 false positives are expected */
}

TEST(twice_as_fast_passes_as_twice_and_fails_as_three_times)
{
	double base[N], head[N];
	struct hd_speedup s;

	make(base, N, 200, 0.01, 1);
	make(head, N, 95, 0.01, 2);
	EXPECT(hd_speedup_make(&s, base, N, head, N) == 0);
	EXPECT(s.known && fabs(s.ratio - 200.0 / 95) < 0.03 && s.ci.lo < s.ratio && s.ratio < s.ci.hi && s.p < 0.001);
	EXPECT(fabs(s.median_ratio - s.ratio) < 0.05 && s.median_ci.lo <= s.median_ratio &&
		s.median_ratio <= s.median_ci.hi);
	EXPECT(hd_speedup_judge(&s, 2).verdict == HD_PASS);
	EXPECT(hd_speedup_judge(&s, 3).verdict == HD_FAIL);
}

TEST(near_the_required_speed_more_runs_are_recommended_and_then_decide)
{
	double base[100], head[100];
	struct hd_speedup s;
	struct hd_speedup_judged j;
	unsigned decided = 0, tried = 0;

	for (uint64_t seed = 1; seed <= 100; seed++) {
		make(base, 100, 206, 0.04, 2 * seed);
		make(head, 100, 100, 0.04, 2 * seed + 1);
		EXPECT(hd_speedup_make(&s, base, 5, head, 5) == 0);
		j = hd_speedup_judge(&s, 2);
		if (j.verdict != HD_INCONCLUSIVE || j.runs_needed > HD_RUNS_NEEDED_MAX)
			continue;
		EXPECT(j.runs_needed > 1);
		tried++;
		EXPECT(hd_speedup_make(&s, base, j.runs_needed, head, j.runs_needed) == 0);
		decided += hd_speedup_judge(&s, 2).verdict != HD_INCONCLUSIVE;
	}
	EXPECT(tried > 30 && decided * 2 > tried);
}

/* The seeds are fixed, so the result never changes; bench-drift counts such cases by the thousand. */
enum { HELD_CASES = 600, EQUAL_CASES = 200 };

TEST(the_interval_holds_the_truth_in_95_of_100_cases)
{
	double base[N], head[N];
	struct hd_speedup s;
	unsigned held = 0;

	for (uint64_t seed = 1; seed <= HELD_CASES; seed++) {
		make(base, N, 150, 0.03, 2 * seed);
		make(head, N, 100, 0.05, 2 * seed + 1);
		EXPECT(hd_speedup_make(&s, base, N, head, N) == 0);
		held += s.ci.lo <= 1.5 && 1.5 <= s.ci.hi;
	}
	EXPECT(held > HELD_CASES * 0.93 && held < HELD_CASES * 0.97);
}

TEST(equal_builds_are_seldom_called_faster_than_the_other)
{
	double base[N], head[N];
	struct hd_speedup s;
	unsigned wrong = 0;

	for (uint64_t seed = 1; seed <= EQUAL_CASES; seed++) {
		make(base, N, 100, 0.03, 2 * seed);
		make(head, N, 100, 0.03, 2 * seed + 1);
		EXPECT(hd_speedup_make(&s, base, N, head, N) == 0);
		wrong += hd_speedup_judge(&s, 1.0).verdict == HD_PASS;
	}
	EXPECT(wrong < 14);		/* about 5 false positives are expected: one side of a 5 % test */
}

TEST(constant_sides_have_a_ratio_without_doubt)
{
	const double base[] = { 4, 4, 4 }, head[] = { 2, 2, 2 };
	struct hd_speedup s;

	EXPECT(hd_speedup_make(&s, base, 3, head, 3) == 0);
	EXPECT(s.known && fabs(s.ratio - 2) < 1e-12 && fabs(s.ci.lo - 2) < 1e-12 && fabs(s.ci.hi - 2) < 1e-12);
}

TEST(one_run_a_side_and_times_of_zero_decide_nothing)
{
	const double one[] = { 2 }, two[] = { 1 }, zero[] = { 0, 1 };
	struct hd_speedup s;

	EXPECT(hd_speedup_make(&s, one, 1, two, 1) == 0);
	EXPECT(!s.known && fabs(s.ratio - 2) < 1e-12);
	EXPECT(hd_speedup_judge(&s, 1.5).verdict == HD_INCONCLUSIVE && hd_speedup_judge(&s, 1.5).runs_needed == 0);
	EXPECT(hd_speedup_make(&s, zero, 2, zero, 2) == 0);
	EXPECT(!s.known && isnan(s.ratio));
	EXPECT(hd_speedup_make(&s, one, 0, two, 0) == 0 && !s.known);
}

TEST(a_change_is_held_against_the_noise_threshold)
{
	struct hd_speedup s = { .known = true, .ratio = 1.5, .ci = { 1.4, 1.6 } };

	EXPECT_INT(hd_speedup_change(&s, 0.02), HD_CHANGE_FASTER);
	EXPECT_INT(hd_speedup_change(&s, 0.5), HD_CHANGE_NOISE);
	EXPECT_INT(hd_speedup_change(&s, 0.45), HD_CHANGE_UNCLEAR);
	s = (struct hd_speedup){ .known = true, .ratio = 0.9, .ci = { 0.88, 0.92 } };
	EXPECT_INT(hd_speedup_change(&s, 0.02), HD_CHANGE_SLOWER);
	s = (struct hd_speedup){ .known = true, .ratio = 1.01, .ci = { 0.9, 1.1 } };
	EXPECT_INT(hd_speedup_change(&s, 0.02), HD_CHANGE_NOISE);
	s.known = false;
	EXPECT_INT(hd_speedup_change(&s, 0.02), HD_CHANGE_UNKNOWN);
	EXPECT_STR(hd_change_name(HD_CHANGE_NOISE), "within noise");
}

TEST_MAIN(RUN(a_change_is_held_against_the_noise_threshold),
	  RUN(the_mean_the_spread_and_the_outlier_of_known_times),
	RUN(no_value_one_value_and_equal_values_are_no_trouble), RUN(a_session_that_warms_up_drifts_and_noise_does_not),
	RUN(twice_as_fast_passes_as_twice_and_fails_as_three_times),
	RUN(near_the_required_speed_more_runs_are_recommended_and_then_decide),
	RUN(the_interval_holds_the_truth_in_95_of_100_cases), RUN(equal_builds_are_seldom_called_faster_than_the_other),
	RUN(constant_sides_have_a_ratio_without_doubt), RUN(one_run_a_side_and_times_of_zero_decide_nothing))
