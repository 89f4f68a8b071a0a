/* chain_sums.c - sum the weights of samples by leaf and other keys; none is lost, even if many keys have one leaf */
#include "test.h"

#include "base/mem.h"
#include "pipeline/chain_sums.h"

#include <stdlib.h>

static const struct hd_chain_sum key = {
	.leaf = 9, .self = 9, .event = 1, .comm = 2, .pid = 100, .tid = 101, .cpu = 3, .weight = 10, .count = 1,
};

TEST(samples_of_one_key_add_up)
{
	struct hd_chain_sums s = { 0 };

	for (int i = 0; i < 3; i++)
		hd_chain_sums_add(&s, &key);
	EXPECT_INT(s.n, 1);
	EXPECT_INT(s.items[0].weight, 30);
	EXPECT_INT(s.items[0].count, 3);
	hd_chain_sums_release(&s);
}

TEST(a_difference_in_any_field_keeps_them_apart)
{
	struct hd_chain_sum other[7] = { key, key, key, key, key, key, key };
	struct hd_chain_sums s = { 0 };

	other[0].leaf = 1000000;
	other[1].self++;
	other[2].event++;
	other[3].comm++;
	other[4].pid++;
	other[5].tid = -1;
	other[6].cpu = UINT32_MAX;
	hd_chain_sums_add(&s, &key);
	for (int round = 0; round < 2; round++)
		for (int i = 0; i < 7; i++)
			hd_chain_sums_add(&s, &other[i]);
	EXPECT_INT(s.n, 8);
	EXPECT_INT(s.items[0].weight, 10);
	for (int i = 1; i < 8; i++)
		EXPECT_INT(s.items[i].weight, 20);
	hd_chain_sums_release(&s);
}

TEST(a_leaf_of_a_hundred_thousand_threads_loses_none_and_is_not_searched_for_ever)
{
	enum { THREADS = 100000, ROUNDS = 3 };
	uint64_t *weight = hd_new_array(uint64_t, THREADS), *count = hd_new_array(uint64_t, THREADS);
	struct hd_chain_sums s = { 0 };
	struct hd_chain_sum k = key;

	/* All elements have one leaf.  Comparing them one by one would take too long. */
	for (int round = 0; round < ROUNDS; round++)
		for (k.tid = 0; k.tid < THREADS; k.tid++) {
			k.weight = (uint64_t)k.tid + 1;
			hd_chain_sums_add(&s, &k);
		}
	EXPECT(s.n > THREADS);		/* if the search is too long, a second element with the same key is added */
	for (size_t i = 0; i < s.n; i++) {
		weight[s.items[i].tid] += s.items[i].weight;
		count[s.items[i].tid] += s.items[i].count;
	}
	for (uint64_t i = 0; i < THREADS; i++) {
		EXPECT_INT(weight[i], ROUNDS * (i + 1));
		EXPECT_INT(count[i], ROUNDS);
	}
	free(weight);
	free(count);
	hd_chain_sums_release(&s);
}

TEST(a_few_threads_that_take_turns_on_one_leaf_have_one_sum_each)
{
	struct hd_chain_sums s = { 0 };
	struct hd_chain_sum k = key;

	for (int round = 0; round < 100; round++)
		for (k.tid = 0; k.tid < 64; k.tid++)
			hd_chain_sums_add(&s, &k);
	EXPECT_INT(s.n, 64);
	hd_chain_sums_release(&s);
}

TEST(cleared_sums_are_empty_and_can_be_filled_again)
{
	struct hd_chain_sums s = { 0 };

	hd_chain_sums_clear(&s);
	hd_chain_sums_add(&s, &key);
	hd_chain_sums_clear(&s);
	EXPECT_INT(s.n, 0);
	hd_chain_sums_add(&s, &key);
	EXPECT_INT(s.n, 1);
	EXPECT_INT(s.items[0].weight, 10);
	hd_chain_sums_release(&s);
	EXPECT(!s.items && !s.heads);
}

TEST_MAIN(RUN(samples_of_one_key_add_up),
	  RUN(a_difference_in_any_field_keeps_them_apart),
	  RUN(a_leaf_of_a_hundred_thousand_threads_loses_none_and_is_not_searched_for_ever),
	  RUN(a_few_threads_that_take_turns_on_one_leaf_have_one_sum_each),
	  RUN(cleared_sums_are_empty_and_can_be_filled_again))
