/* ranking.c - compare overlaps and correlations of rankings with published numbers */
#include "test.h"

#include "stats/ranking.h"

#include <math.h>
#include <stdbool.h>

static bool close_to(double got, double want, double error)
{
	return fabs(got - want) <= error;
}

static struct hd_ranking letters(const char *s, uint32_t *room)
{
	struct hd_ranking r = { room, NULL, 0 };

	for (; s[r.n]; r.n++)
		room[r.n] = (unsigned char)s[r.n];
	return r;
}

static struct hd_rbo rbo(const char *a, const char *b, double p)
{
	uint32_t x[64], y[64];
	struct hd_rbo r;

	EXPECT_INT(hd_rbo(&r, letters(a, x), letters(b, y), p, HD_TIES_A), 0);
	return r;
}

/* The values are in figure 5 of Webber, Moffat and Zobel 2010. */
TEST(average_overlap_is_that_of_the_paper)
{
	uint32_t x[8], y[8];
	struct hd_ranking a = letters("abcdefg", x), b = letters("zcavwxy", y);
	const double want[] = { 0, 0, 0.222, 0.292, 0.313, 0.317, 0.312 };

	for (size_t d = 1; d <= 7; d++)
		EXPECT(close_to(hd_average_overlap(a, b, d), want[d - 1], 5.1e-4));
}

TEST(a_ranking_overlaps_with_itself_fully_and_with_a_disjoint_one_not_at_all)
{
	struct hd_rbo same = rbo("abcde", "abcde", 0.8), other = rbo("abcde", "vwxyz", 0.8);

	EXPECT(close_to(same.ext, 1, 1e-12) && close_to(same.max, 1, 1e-12) && same.min < 1 &&
		close_to(same.res, same.max - same.min, 1e-15));
	EXPECT(other.ext == 0 && other.min == 0 && other.max > 0);
	EXPECT(close_to(rbo("", "", 0.8).ext, 1, 0) && rbo("abc", "", 0.8).ext == 0);
}

/* The parameter p = 0.8 puts 86 % of the weight on the first five ranks, by equation 21 of the same paper. */
TEST(four_fifths_put_86_percent_on_the_top_5)
{
	double weight = 1 - pow(0.8, 4) + 0.2 / 0.8 * 5 * (-log1p(-0.8) - (0.8 + 0.32 + 0.512 / 3 + 0.4096 / 4));

	EXPECT(close_to(weight, 0.86, 0.005));
}

TEST(a_swap_at_the_top_weighs_more_than_one_below)
{
	EXPECT(rbo("abcdefgh", "bacdefgh", 0.8).ext < rbo("abcdefgh", "abcdefhg", 0.8).ext);
	EXPECT(rbo("abcdefgh", "abcdefhg", 0.8).ext < 1);
}

/*
 * A tie means that the order is unknown.  A tied pair agrees better with either order than the two orders agree with
 * each other.
 */
TEST(a_tie_lies_between_the_orders_that_it_allows)
{
	const uint32_t ab[] = { 1, 2, 3 }, ba[] = { 2, 1, 3 }, tied[] = { 0, 0, 1 };
	struct hd_ranking x = { ab, NULL, 3 }, y = { ba, NULL, 3 }, t = { ab, tied, 3 };
	struct hd_rbo far, near, self;

	EXPECT_INT(hd_rbo(&far, x, y, 0.8, HD_TIES_A), 0);
	EXPECT_INT(hd_rbo(&near, x, t, 0.8, HD_TIES_A), 0);
	EXPECT(far.ext < near.ext && near.ext < 1);
	EXPECT_INT(hd_rbo(&self, t, t, 0.8, HD_TIES_A), 0);
	EXPECT(self.ext < 1);
	EXPECT_INT(hd_rbo(&self, t, t, 0.8, HD_TIES_B), 0);
	EXPECT(close_to(self.ext, 1, 1e-12));
	EXPECT_INT(hd_rbo(&self, t, t, 0.8, HD_TIES_W), 0);
	EXPECT(close_to(self.ext, 1, 1e-12));
}

TEST(long_rankings_are_cut_where_nothing_weighs_any_more)
{
	static uint32_t item[100000];
	struct hd_ranking x = { item, NULL, 100000 };
	struct hd_rbo r;

	for (uint32_t i = 0; i < 100000; i++)
		item[i] = i;
	EXPECT_INT(hd_rbo(&r, x, x, 0.8, HD_TIES_A), 0);
	EXPECT(close_to(r.ext, 1, 1e-12) && close_to(r.min, 1, 1e-12));
}

/* The values are in SciPy's documentation of kendalltau and weightedtau. */
TEST(tau_is_that_of_scipys_documentation)
{
	const double x[] = { 12, 2, 1, 12, 2 }, y[] = { 1, 4, 7, 1, 0 }, same[] = { 3, 3, 3, 3, 3 };
	size_t room[10];

	EXPECT(close_to(hd_tau_b(x, y, 5), -0.47140452079103173, 1e-15));
	EXPECT(close_to(hd_tau_weighted(x, y, 5, room), -0.56694968153682723, 1e-12));
	EXPECT(isnan(hd_tau_b(x, same, 5)));
}

/* Fagin, Kumar and Sivakumar 2003: disjoint lists have the largest distance, and equal lists have the distance 0. */
TEST(top_lists_are_between_equal_and_disjoint)
{
	uint32_t x[8], y[8];
	struct hd_topk t;

	letters("abcde", x);
	letters("fghij", y);
	t = hd_topk(x, y, 5, 0.5);
	EXPECT(t.kendall == 35 && t.kendall_max == 35 && t.footrule == 30 && t.footrule_max == 30 && t.jaccard == 0);
	t = hd_topk(x, x, 5, 0.5);
	EXPECT(t.kendall == 0 && t.footrule == 0 && t.jaccard == 1);
	letters("edcba", y);
	EXPECT(hd_topk(x, y, 5, 0.5).kendall == 10);
}

TEST_MAIN(
	RUN(average_overlap_is_that_of_the_paper),
	RUN(a_ranking_overlaps_with_itself_fully_and_with_a_disjoint_one_not_at_all),
	RUN(four_fifths_put_86_percent_on_the_top_5),
	RUN(a_swap_at_the_top_weighs_more_than_one_below),
	RUN(a_tie_lies_between_the_orders_that_it_allows),
	RUN(long_rankings_are_cut_where_nothing_weighs_any_more),
	RUN(tau_is_that_of_scipys_documentation),
	RUN(top_lists_are_between_equal_and_disjoint),
)
