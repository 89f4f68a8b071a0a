/*
 * shares.c - compare two shares, and adjust p-values of many tests; the results are compared with published numbers
 */
#include "test.h"

#include "stats/multiple.h"
#include "stats/shares.h"

#include <math.h>
#include <stdbool.h>

/* The data are from the Physicians' Health Study in Agresti, Categorical Data Analysis. */
TEST(aspirin_and_myocardial_infarction_are_agrestis_numbers)
{
	struct hd_shares s = hd_shares_compare(104, 11037, 189, 11034);

	EXPECT(fabs(s.x2 - 25.01) < 0.005 && fabs(exp(s.log_ratio) - 1.82) < 0.005);
	EXPECT(fabs(s.p_z - s.p_x2) < 1e-15 && s.p_greater < s.p_two);
}

TEST(equal_shares_are_no_difference)
{
	struct hd_shares s = hd_shares_compare(50, 1000, 100, 2000);

	EXPECT(s.z == 0 && s.p_z == 1 && fabs(s.g) < 1e-12 && s.p_two == 1);
}

/* 0 of 10 against 5 of 10: the conditional test is binomial, and its one-sided p-value is 1/2^5. */
TEST(few_hits_are_counted_exactly)
{
	struct hd_shares s = hd_shares_compare(0, 10, 5, 10);

	EXPECT(fabs(s.p_greater - 1.0 / 32) < 1e-15 && fabs(s.p_two - 1.0 / 16) < 1e-15);
}

TEST(runs_that_agree_better_than_chance_are_not_believed_to)
{
	const double y[] = { 100, 100, 100 }, n[] = { 1000, 1000, 1000 };
	struct hd_shares_quasi q = hd_shares_quasi(y, n, 3, y, n, 3);

	EXPECT(q.phi == 0 && q.df == 4 && q.se > 0 && q.t == 0 && q.p == 1);
}

/*
 * Benjamini and Hochberg 1995, section 4: at the level 0.05 their method rejects four hypotheses, and Bonferroni's
 * rejects three.
 */
TEST(fifteen_p_values_of_1995_reject_four_and_bonferroni_three)
{
	const double p[] = { 0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240, 0.4262,
		0.5719, 0.6528, 0.7590, 1.0 };
	double q[15];
	int rejected = 0;

	EXPECT_INT(hd_multiple_adjust(HD_MULTIPLE_BH, q, p, 15), 0);
	for (int i = 0; i < 15; i++)
		rejected += q[i] <= 0.05;
	EXPECT_INT(rejected, 4);
	EXPECT(fabs(q[3] - 0.035625) < 1e-12);
	EXPECT_INT(hd_multiple_adjust(HD_MULTIPLE_BONFERRONI, q, p, 15), 0);
	rejected = 0;
	for (int i = 0; i < 15; i++)
		rejected += q[i] <= 0.05;
	EXPECT_INT(rejected, 3);
}

TEST(rows_that_were_not_tested_do_not_count)
{
	const double p[] = { 0.03, NAN, 0.01, NAN };
	double q[4];

	EXPECT_INT(hd_multiple_adjust(HD_MULTIPLE_BH, q, p, 4), 0);
	EXPECT(q[0] == 0.03 && isnan(q[1]) && q[2] == 0.02 && isnan(q[3]));
	EXPECT_INT(hd_multiple_adjust(HD_MULTIPLE_HOLM, q, p, 4), 0);
	EXPECT(q[0] == 0.03 && q[2] == 0.02);
	EXPECT_INT(hd_multiple_adjust(HD_MULTIPLE_BH, q, p, 0), 0);
}

TEST_MAIN(
	RUN(aspirin_and_myocardial_infarction_are_agrestis_numbers),
	RUN(equal_shares_are_no_difference),
	RUN(few_hits_are_counted_exactly),
	RUN(runs_that_agree_better_than_chance_are_not_believed_to),
	RUN(fifteen_p_values_of_1995_reject_four_and_bonferroni_three),
	RUN(rows_that_were_not_tested_do_not_count),
)
