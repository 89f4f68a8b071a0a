/*
 * map.c - tests of the hash map from 64-bit keys to 32-bit values
 */
#include "test.h"

#include "base/map.h"

TEST(a_key_that_was_never_put_is_absent)
{
	struct hd_map m = { 0 };

	EXPECT(!hd_map_has(&m, 0));
	EXPECT(hd_map_get(&m, 0) == HD_MAP_NONE);
	hd_map_put(&m, 7, 1);
	EXPECT(!hd_map_has(&m, 0));
	hd_map_release(&m);
}

TEST(every_key_is_possible_0_and_the_largest_too)
{
	struct hd_map m = { 0 };

	hd_map_put(&m, 0, 10);
	hd_map_put(&m, UINT64_MAX, 20);
	EXPECT_INT(hd_map_get(&m, 0), 10);
	EXPECT_INT(hd_map_get(&m, UINT64_MAX), 20);
	hd_map_release(&m);
}

TEST(putting_again_replaces_the_value_and_adds_no_key)
{
	struct hd_map m = { 0 };

	hd_map_put(&m, 7, 1);
	hd_map_put(&m, 7, 0);
	EXPECT_INT(hd_map_get(&m, 7), 0);
	EXPECT_INT(m.n, 1);
	hd_map_release(&m);
}

TEST(ten_thousand_keys_of_every_pattern_keep_their_values)
{
	struct hd_map m = { 0 };

	for (uint64_t i = 0; i < 10000; i++) {
		hd_map_put(&m, i, (uint32_t)i);			/* consecutive keys */
		hd_map_put(&m, (i + 1) << 32, (uint32_t)i);	/* keys that differ in their high bits only */
		hd_map_put(&m, ~i, (uint32_t)i);
	}
	EXPECT_INT(m.n, 30000);
	EXPECT(4 * m.n <= 3 * m.cap);
	for (uint64_t i = 0; i < 10000; i++) {
		EXPECT_INT(hd_map_get(&m, i), i);
		EXPECT_INT(hd_map_get(&m, (i + 1) << 32), i);
		EXPECT_INT(hd_map_get(&m, ~i), i);
	}
	EXPECT(!hd_map_has(&m, 10000));
	hd_map_release(&m);
}

TEST(a_cleared_map_is_empty_and_can_be_filled_again)
{
	struct hd_map m = { 0 };
	size_t cap;

	hd_map_clear(&m);
	for (uint64_t i = 0; i < 100; i++)
		hd_map_put(&m, i, 1);
	cap = m.cap;
	hd_map_clear(&m);
	EXPECT_INT(m.n, 0);
	EXPECT_INT(m.cap, cap);
	for (uint64_t i = 0; i < 100; i++)
		EXPECT(!hd_map_has(&m, i));
	hd_map_put(&m, 5, 2);
	EXPECT_INT(hd_map_get(&m, 5), 2);
	hd_map_release(&m);
}

TEST_MAIN(RUN(a_key_that_was_never_put_is_absent),
	  RUN(every_key_is_possible_0_and_the_largest_too),
	  RUN(putting_again_replaces_the_value_and_adds_no_key),
	  RUN(ten_thousand_keys_of_every_pattern_keep_their_values),
	  RUN(a_cleared_map_is_empty_and_can_be_filled_again))
