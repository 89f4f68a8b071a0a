/* bisect.c - binary search finds the first element of a sorted array that is not below a key, or that is above it */
#include "test.h"

#include "base/bisect.h"

struct item {
	uint32_t other;
	uint64_t key;
};

TEST(the_first_element_from_or_above_a_key_is_that_of_a_linear_search)
{
	struct item v[9];

	for (size_t i = 0; i < 9; i++)
		v[i] = (struct item){ 0, i < 8 ? i / 2 * 2 : UINT64_MAX };	/* 0 0 2 2 4 4 6 6 UINT64_MAX */
	for (size_t n = 0; n <= 9; n++) {
		for (uint64_t key = UINT64_MAX; key != 10; key++) {
			size_t from = 0, above = 0;

			while (from < n && v[from].key < key)
				from++;
			while (above < n && v[above].key <= key)
				above++;
			EXPECT_INT(HD_FIRST_FROM(v, n, key, key), from);
			EXPECT_INT(HD_FIRST_ABOVE(v, n, key, key), above);
		}
	}
	EXPECT_INT(HD_FIRST_FROM((struct item *)NULL, 0, key, 1), 0);
}

TEST_MAIN(RUN(the_first_element_from_or_above_a_key_is_that_of_a_linear_search))
