/*
 * hash_index.c - tests of the hash table, which stores indexes of the caller's array
 */
#include "test.h"

#include "base/hash.h"
#include "base/mem.h"
#include "base/hash_index.h"

#include <stdlib.h>

/*
 * Return the index of `key` in keys[], whose elements were added to `t` under the hash `hash`; HD_INDEX_NONE if it is
 * absent.
 */
static uint32_t find(const struct hd_index *t, const uint64_t *keys, uint64_t hash, uint64_t key)
{
	size_t at;

	for (uint32_t id = hd_index_first(t, hash, &at); id != HD_INDEX_NONE; id = hd_index_next(t, hash, &at))
		if (keys[id] == key)
			return id;
	return HD_INDEX_NONE;
}

TEST(an_empty_table_has_no_element)
{
	struct hd_index t = { 0 };
	size_t at;

	EXPECT(hd_index_first(&t, 5, &at) == HD_INDEX_NONE);
	hd_index_add(&t, 5, 0);
	EXPECT(hd_index_first(&t, 6, &at) == HD_INDEX_NONE);
	EXPECT_INT(hd_index_first(&t, 5, &at), 0);
	EXPECT(hd_index_next(&t, 5, &at) == HD_INDEX_NONE);
	hd_index_release(&t);
}

TEST(elements_of_one_hash_are_all_returned)
{
	const uint64_t keys[] = { 10, 20, 30 };
	struct hd_index t = { 0 };

	for (uint32_t i = 0; i < 3; i++)
		hd_index_add(&t, 7, i);
	for (uint32_t i = 0; i < 3; i++)
		EXPECT_INT(find(&t, keys, 7, keys[i]), i);
	EXPECT(find(&t, keys, 7, 40) == HD_INDEX_NONE);
	hd_index_release(&t);
}

TEST(elements_are_found_after_the_table_has_grown)
{
	enum { N = 10000 };
	uint64_t *keys = hd_new_array(uint64_t, N);
	struct hd_index t = { 0 };

	for (uint32_t i = 0; i < N; i++) {
		keys[i] = (uint64_t)i * i + 1;
		EXPECT(find(&t, keys, hd_mix(keys[i], 0), keys[i]) == HD_INDEX_NONE);
		hd_index_add(&t, hd_mix(keys[i], 0), i);
	}
	for (uint32_t i = 0; i < N; i++)
		EXPECT_INT(find(&t, keys, hd_mix(keys[i], 0), keys[i]), i);
	EXPECT(3 * t.n <= 2 * t.cap);
	free(keys);
	hd_index_release(&t);
}

TEST(a_cleared_table_is_empty_and_keeps_its_slots)
{
	struct hd_index t = { 0 };
	size_t at, cap;

	hd_index_add(&t, 1, 0);
	cap = t.cap;
	hd_index_clear(&t);
	EXPECT(hd_index_first(&t, 1, &at) == HD_INDEX_NONE);
	EXPECT_INT(t.cap, cap);
	hd_index_add(&t, 1, 9);
	EXPECT_INT(hd_index_first(&t, 1, &at), 9);
	hd_index_release(&t);
}

TEST_MAIN(RUN(an_empty_table_has_no_element),
	  RUN(elements_of_one_hash_are_all_returned),
	  RUN(elements_are_found_after_the_table_has_grown),
	  RUN(a_cleared_table_is_empty_and_keeps_its_slots))
