/*
 * proportion.c - compute Wilson's interval of a proportion
 */
#include "test.h"

#include "stats/proportion.h"

#include <math.h>

#define CLOSE(a, b) EXPECT(fabs((a) - (b)) < 5e-7)

/* The values were computed with Python from the formula as Wilson wrote it, and statistics.NormalDist. */
TEST(the_ends_agree_with_another_program)
{
	static const struct { size_t k, n; double lo, hi; } want[] = {
		{ 0, 1, 0, 0.7934506856227626 },
		{ 1, 1, 0.2065493143772375, 1 },
		{ 1, 2, 0.09453120573423074, 0.9054687942657692 },
		{ 3, 5, 0.230724281276013, 0.882379225767352 },
		{ 9, 10, 0.5958499732047615, 0.9821237869049271 },
		{ 50, 100, 0.4038315303659957, 0.5961684696340043 },
		{ 1000, 1000, 0.9961732415144449, 1 },
	};

	for (size_t i = 0; i < sizeof(want) / sizeof(*want); i++) {
		struct hd_interval ci = hd_proportion_interval(want[i].k, want[i].n);

		CLOSE(ci.lo, want[i].lo);
		CLOSE(ci.hi, want[i].hi);
	}
}

/* An end p of the interval is a proportion from which k / n differs by 1.96 standard errors of p itself. */
TEST(each_end_solves_the_equation_that_defines_it)
{
	const double z = 1.959963984540054;

	for (size_t n = 1; n < 60; n++) {
		for (size_t k = 1; k < n; k++) {
			struct hd_interval ci = hd_proportion_interval(k, n);
			double p = (double)k / (double)n;

			CLOSE((p - ci.lo) * (p - ci.lo), z * z * ci.lo * (1 - ci.lo) / (double)n);
			CLOSE((p - ci.hi) * (p - ci.hi), z * z * ci.hi * (1 - ci.hi) / (double)n);
		}
	}
}

TEST(no_trials_give_no_interval)
{
	struct hd_interval ci = hd_proportion_interval(0, 0);

	EXPECT(isnan(ci.lo) && isnan(ci.hi));
}

TEST(all_and_none_are_exact_ends)
{
	for (size_t n = 1; n < 3000; n++) {
		EXPECT(hd_proportion_interval(0, n).lo == 0);
		EXPECT(hd_proportion_interval(n, n).hi == 1);
	}
}

TEST_MAIN(
	RUN(the_ends_agree_with_another_program),
	RUN(each_end_solves_the_equation_that_defines_it),
	RUN(no_trials_give_no_interval),
	RUN(all_and_none_are_exact_ends),
)
