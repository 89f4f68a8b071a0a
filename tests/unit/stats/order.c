/*
 * order.c - selection puts each selected value at its place in sorted order
 */
#include "test.h"

#include "stats/order.h"
#include "stats/random.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 3000 };

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/*
 * Fill v with n values of the shape 0 to 5: random, few distinct, ascending, descending, ascending then descending,
 * all equal.
 */
static void fill(double *v, size_t n, int shape, struct hd_random *r)
{
	for (size_t i = 0; i < n; i++)
		v[i] = shape == 0    ? hd_random_unit(r)
			: shape == 1 ? (double)hd_random_below(r, 4)
			: shape == 2 ? (double)i
			: shape == 3 ? -(double)i
			: shape == 4 ? (double)(i < n / 2 ? i : n - i)
				     : 7;
}

TEST(selected_ranks_hold_what_a_sort_puts_there)
{
	static double v[MOST], sorted[MOST];
	struct hd_random r = hd_random_from(1);

	for (size_t n = 1; n < MOST; n = n * 3 / 2 + 1) {
		for (int shape = 0; shape < 6; shape++) {
			size_t ranks[] = { 0, n / 4, n / 2, n - 1 }, m = n > 4 ? 4 : 1;

			fill(v, n, shape, &r);
			memcpy(sorted, v, n * sizeof(*v));
			qsort(sorted, n, sizeof(*v), compare);
			hd_order_select(v, n, ranks, m);
			for (size_t i = 0; i < m; i++)
				EXPECT(v[ranks[i]] == sorted[ranks[i]]);
			for (size_t i = 0; m == 4 && i < n; i++)
				EXPECT(i < n / 2 ? v[i] <= v[n / 2] : v[i] >= v[n / 2]);
			hd_order_sort(v, n);
			EXPECT_MEM(v, sorted, n * sizeof(*v));
		}
	}
}

TEST(the_nearest_rank_is_the_ceiling_of_percent_times_n)
{
	EXPECT_INT(hd_order_nearest(1, 99), 0);
	EXPECT_INT(hd_order_nearest(20, 95), 18);
	EXPECT_INT(hd_order_nearest(21, 95), 19);
	EXPECT_INT(hd_order_nearest(100, 99), 98);
	EXPECT_INT(hd_order_nearest(101, 99), 99);
	EXPECT_INT(hd_order_nearest(5, 50), 2);
	EXPECT_INT(hd_order_nearest(4, 50), 1);
	EXPECT_INT(hd_order_nearest(4, 0), 0);
	EXPECT_INT(hd_order_nearest(4, 100), 3);
	EXPECT(hd_order_nearest(SIZE_MAX, 99) < SIZE_MAX);
}

TEST(type_7_lies_between_two_values)
{
	const double v[] = { 1, 2, 3, 4 }, large[] = { -1.5e308, 1.5e308 };

	EXPECT(hd_order_type7(v, 4, 0.25) == 1.75 && hd_order_type7(v, 4, 0.75) == 3.25 &&
		hd_order_type7(v, 4, 0.5) == 2.5);
	EXPECT(hd_order_type7(v, 1, 0.25) == 1 && hd_order_type7(v, 4, 1) == 4 && hd_order_type7(v, 4, 0) == 1);
	EXPECT(hd_order_type7(large, 2, 0.5) == 0);
	EXPECT(hd_order_median(v, 4) == 2.5 && hd_order_median(v, 3) == 2 && hd_order_median(large, 2) == 0);
}

TEST_MAIN(
	RUN(selected_ranks_hold_what_a_sort_puts_there),
	RUN(the_nearest_rank_is_the_ceiling_of_percent_times_n),
	RUN(type_7_lies_between_two_values),
)
