/* ddmin.c - delta debugging of sets whose failing items are known */
#include "bench/ddmin.h"
#include "test.h"

#include <stdbool.h>

enum { N = 1000 };

/* The state of has_all(), a test that fails (returns 1) if the set contains all n items. */
struct wanted {
	size_t items[4], n;
	unsigned tests;
	int rc;				/* the fifth test returns this, unless it is 0 */
};

static int has_all(void *context, const size_t *items, size_t n, struct hd_err *err)
{
	struct wanted *w = context;
	size_t found = 0;

	(void)err;
	w->tests++;
	if (w->rc && w->tests == 5)
		return w->rc;
	for (size_t i = 0; i < n; i++) {
		EXPECT(!i || items[i] > items[i - 1]);		/* hd_ddmin() keeps the items in ascending order */
		for (size_t k = 0; k < w->n; k++)
			found += items[i] == w->items[k];
	}
	return found == w->n;
}

static size_t reduce(struct wanted *w, size_t *items, size_t n, unsigned budget, int *rc)
{
	struct hd_err err;

	for (size_t i = 0; i < n; i++)
		items[i] = i;
	*rc = hd_ddmin(items, &n, has_all, w, &budget, &err);
	return n;
}

TEST(one_item_of_a_thousand_is_found_with_few_tests)
{
	struct wanted w = { { 617 }, 1, 0, 0 };
	size_t items[N];
	int rc;

	EXPECT_INT(reduce(&w, items, N, 100000, &rc), 1);
	EXPECT(rc == 0 && items[0] == 617 && w.tests < 60);
}

TEST(items_that_only_fail_together_are_the_result)
{
	struct wanted w = { { 3, 500, 501, 999 }, 4, 0, 0 };
	size_t items[N];
	int rc;

	EXPECT_INT(reduce(&w, items, N, 100000, &rc), 4);
	for (size_t i = 0; i < 4; i++)
		EXPECT_INT(items[i], w.items[i]);
}

TEST(every_set_of_two_in_a_small_range_is_found)
{
	size_t items[9];
	int rc;

	for (size_t n = 1; n <= 9; n++)
		for (size_t a = 0; a < n; a++)
			for (size_t b = a; b < n; b++) {
				struct wanted w = { { a, b }, a == b ? 1 : 2, 0, 0 };

				EXPECT_INT(reduce(&w, items, n, 100000, &rc), w.n);
				EXPECT(items[0] == a && (a == b || items[1] == b));
			}
}

TEST(a_budget_ends_the_search_with_a_set_that_fails)
{
	struct wanted w = { { 3, 999 }, 2, 0, 0 };
	size_t items[N], n;
	int rc;

	n = reduce(&w, items, N, 10, &rc);
	EXPECT(rc == 0 && n > 2 && w.tests == 10);
	EXPECT(has_all(&w, items, n, NULL) == 1);
}

TEST(an_error_of_the_test_ends_the_search)
{
	struct wanted w = { { 3, 999 }, 2, 0, HD_EIO };
	size_t items[N];
	int rc;

	reduce(&w, items, N, 100, &rc);
	EXPECT(rc == HD_EIO && w.tests == 5);
}

TEST_MAIN(RUN(one_item_of_a_thousand_is_found_with_few_tests), RUN(items_that_only_fail_together_are_the_result),
	  RUN(every_set_of_two_in_a_small_range_is_found), RUN(a_budget_ends_the_search_with_a_set_that_fails),
	  RUN(an_error_of_the_test_ends_the_search))
