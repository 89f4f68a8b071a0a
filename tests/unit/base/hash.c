/* hash.c - an input cannot make many of its strings collide in a hash table */
#include "test.h"

#include "base/hash.h"
#include "base/mem.h"

#include <stdlib.h>

static int ascending(const void *va, const void *vb)
{
	const uint64_t *a = va, *b = vb;

	return *a < *b ? -1 : *a > *b;
}

enum { N = 4096 };

/* Return how many slots of a table with 4 N slots the N hashes in `h` use.  Overwrites h with the sorted slots. */
static size_t slots(uint64_t *h)
{
	size_t n = 1;

	for (size_t i = 0; i < N; i++)
		h[i] &= 4 * N - 1;
	qsort(h, N, sizeof(*h), ascending);
	for (size_t i = 1; i < N; i++)
		n += h[i] != h[i - 1];
	return n;
}

TEST(one_word_that_an_input_repeats_does_not_gather_all_others_in_one_place)
{
	/* 0, other extremes, and the constants of this hash function and of its earlier versions. */
	static const uint64_t words[] = {
		0, 1, UINT64_MAX, 0x8000000000000000u, 0xffffffff00000000u,
		0x9fb21c651e98df25u, 0xd1b54a32d192ed03u, 0x9e3779b97f4a7c15u,
	};
	uint64_t *left = hd_new_array(uint64_t, N), *right = hd_new_array(uint64_t, N);

	for (size_t w = 0; w < HD_COUNT(words); w++) {
		for (uint64_t i = 0; i < N; i++) {
			left[i] = hd_mix(i, words[w]);
			right[i] = hd_mix(words[w], i);
		}
		/* N random hashes use 0.88 N of the 4 N slots. */
		EXPECT(slots(left) > N / 2);
		EXPECT(slots(right) > N / 2);
	}
	free(left);
	free(right);
}

TEST(equal_bytes_hash_equally_and_the_length_counts)
{
	static const char zeros[16] = "";

	EXPECT(hd_hash_bytes("parse", 5) == hd_hash_bytes("parser" , 5));
	EXPECT(hd_hash_bytes("parse", 5) != hd_hash_bytes("parse", 4));
	for (size_t i = 1; i < 16; i++)
		EXPECT(hd_hash_bytes(zeros, i) != hd_hash_bytes(zeros, i - 1));
}

TEST(bytes_are_read_where_they_lie_aligned_or_not)
{
	char room[40];

	for (size_t shift = 0; shift < 8; shift++) {
		memcpy(room + shift, "a name of 23 characters", 23);
		EXPECT(hd_hash_bytes(room + shift, 23) == hd_hash_bytes("a name of 23 characters", 23));
	}
}

TEST_MAIN(RUN(one_word_that_an_input_repeats_does_not_gather_all_others_in_one_place),
	  RUN(equal_bytes_hash_equally_and_the_length_counts),
	  RUN(bytes_are_read_where_they_lie_aligned_or_not))
