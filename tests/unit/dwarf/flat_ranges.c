/* flat_ranges.c - convert overlapping ranges to disjoint ones, and compare lookups with a search of all ranges */
#include "test.h"

#include "base/mem.h"
#include "dwarf/flat_ranges.h"

#include <stdlib.h>
#include <string.h>

/* Find the ID of the innermost range at an address by checking all ranges. */
static uint32_t plain(const struct hd_nested_range *v, size_t n, uint64_t at)
{
	const struct hd_nested_range *best = NULL;

	for (size_t i = 0; i < n; i++)
		if (v[i].start <= at && at < v[i].end &&
		    (!best || v[i].depth > best->depth || (v[i].depth == best->depth && v[i].id < best->id)))
			best = &v[i];
	return best ? best->id : HD_FLAT_RANGE_NONE;
}

static void expect_flat(const struct hd_nested_range *spans, size_t n, uint64_t end)
{
	struct hd_nested_range *copy = hd_alloc((n + 1) * sizeof(*copy));
	struct hd_flat_ranges s = { 0 };
	size_t got;

	if (n)
		memcpy(copy, spans, n * sizeof(*copy));
	got = hd_flat_ranges_add(&s, copy, n);
	EXPECT(got <= 2 * n && got == s.n);
	for (uint64_t at = 0; at <= end; at++)
		EXPECT_INT(hd_flat_ranges_find(s.v, s.n, at), plain(spans, n, at));
	for (size_t i = 1; i < s.n; i++)
		EXPECT(s.v[i - 1].start < s.v[i].start && s.v[i - 1].id != s.v[i].id);
	free(s.v);
	free(copy);
}

TEST(the_innermost_of_nested_ranges_is_found)
{
	static const struct hd_nested_range f_g_h[] = { { 10, 50, 0, 0 }, { 20, 40, 1, 1 }, { 20, 30, 2, 2 } };
	struct hd_nested_range copy[HD_COUNT(f_g_h)];
	struct hd_flat_ranges s = { 0 };

	memcpy(copy, f_g_h, sizeof(copy));
	EXPECT_INT(hd_flat_ranges_add(&s, copy, HD_COUNT(copy)), 5);
	EXPECT_INT(hd_flat_ranges_find(s.v, s.n, 9), HD_FLAT_RANGE_NONE);
	EXPECT_INT(hd_flat_ranges_find(s.v, s.n, 10), 0);
	EXPECT_INT(hd_flat_ranges_find(s.v, s.n, 20), 2);
	EXPECT_INT(hd_flat_ranges_find(s.v, s.n, 30), 1);
	EXPECT_INT(hd_flat_ranges_find(s.v, s.n, 49), 0);
	EXPECT_INT(hd_flat_ranges_find(s.v, s.n, 50), HD_FLAT_RANGE_NONE);
	free(s.v);
}

TEST(no_ranges_have_no_segments)
{
	expect_flat(NULL, 0, 5);
}

TEST(of_equally_deep_ranges_the_first_wins)
{
	static const struct hd_nested_range same[] = { { 5, 9, 7, 1 }, { 5, 9, 3, 1 }, { 6, 12, 1, 1 } };

	expect_flat(same, HD_COUNT(same), 15);
}

TEST(ranges_that_overlap_in_any_way_are_laid_flat)
{
	srand(1);
	for (int round = 0; round < 2000; round++) {
		struct hd_nested_range spans[12];
		size_t n = (size_t)rand() % (HD_COUNT(spans) + 1);

		for (size_t i = 0; i < n; i++) {
			uint64_t start = (uint64_t)rand() % 40;

			spans[i] = (struct hd_nested_range){ start, start + 1 + (uint64_t)rand() % 20, (uint32_t)i,
				(uint32_t)rand() % 4 };
		}
		expect_flat(spans, n, 64);
	}
}

TEST(several_lists_can_share_one_array)
{
	struct hd_nested_range a[] = { { 10, 20, 1, 0 } }, b[] = { { 5, 15, 2, 0 } };
	struct hd_flat_ranges s = { 0 };
	size_t na = hd_flat_ranges_add(&s, a, 1), nb = hd_flat_ranges_add(&s, b, 1);

	EXPECT_INT(hd_flat_ranges_find(s.v, na, 12), 1);
	EXPECT_INT(hd_flat_ranges_find(s.v + na, nb, 12), 2);
	EXPECT_INT(hd_flat_ranges_find(s.v + na, nb, 17), HD_FLAT_RANGE_NONE);
	free(s.v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		RUN(the_innermost_of_nested_ranges_is_found),
		RUN(no_ranges_have_no_segments),
		RUN(of_equally_deep_ranges_the_first_wins),
		RUN(ranges_that_overlap_in_any_way_are_laid_flat),
		RUN(several_lists_can_share_one_array),
	};

	return cmocka_run_group_tests_name(__FILE__, tests, NULL, NULL);
}
