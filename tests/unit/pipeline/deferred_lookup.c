/* deferred_lookup.c - if leaves of chains are looked up some samples later, the sums are those of immediate lookups */
#include "synthetic_locations.h"

#include "pipeline/deferred_lookup.h"

enum { SAMPLES = 1000, CHAIN = 4 };

/* Make the chain of sample i.  The chains have few functions, so leaves repeat, but some leaves are new. */
static void chain_of(unsigned i, uint64_t chain[CHAIN])
{
	chain[0] = HD_CONTEXT_USER;
	for (unsigned k = 1; k < CHAIN; k++)
		chain[k] = 0x10 * (1 + (i * 2654435761u >> (8 * k)) % 6);
}

static struct hd_sample sample_of(unsigned i, const uint64_t chain[CHAIN])
{
	return (struct hd_sample){ .tid = (int32_t)(i % 3),
		.cpumode = HD_MODE_USER,
		.ip = chain[1],
		.chain = (const uint8_t *)chain,
		.nchain = CHAIN };
}

static struct hd_chain_sum sum_of(unsigned i, uint32_t self)
{
	return (struct hd_chain_sum){ .self = self, .comm = i % 2, .weight = i, .count = 1 };
}

/* Append the path from the leaf of a sum outwards, then its command, weight and count. */
static void write_sum(struct hd_buf *b, const struct places *places, const struct hd_chains *c,
	const struct hd_chain_sum *sum)
{
	const struct hd_chain_node *nodes = hd_chains_nodes(c);

	for (uint32_t node = sum->leaf; !hd_chain_is_root(&nodes[node]); node = nodes[node].outer)
		places_write(places, b, nodes[node].location);
	hd_buf_addf(b, " comm %u: %llu in %llu\n", sum->comm, (unsigned long long)sum->weight,
		(unsigned long long)sum->count);
}

static void write_sums(struct hd_buf *b, const struct places *places, const struct hd_chains *c,
	const struct hd_chain_sums *sums)
{
	for (size_t i = 0; i < sums->n; i++)
		write_sum(b, places, c, &sums->items[i]);
}

/*
 * Expect the same sums with deferred lookups as without.  The sums are compared after drain_at samples; 0: after all
 * of them.
 */
static void expect_as_at_once(unsigned drain_at)
{
	struct places places = { 0 };
	struct hd_chains *now = places_chains(&places), *later = places_chains(&places);
	struct hd_chain_sums sums = { 0 }, late = { 0 };
	struct hd_deferred_lookup tail = { .chains = later, .sums = &late };
	struct hd_process_context at = { .space = 1 };
	struct hd_buf want = { 0 }, have = { 0 };

	for (unsigned i = 0; i < SAMPLES; i++) {
		uint64_t chain[CHAIN];
		struct hd_sample s;
		struct hd_chain_sum sum;
		uint32_t self, leaf;

		chain_of(i, chain);
		s = sample_of(i, chain);
		leaf = hd_chains_add(now, &at, &s, &self);
		sum = sum_of(i, self);
		sum.leaf = leaf;
		hd_chain_sums_add(&sums, &sum);

		hd_deferred_lookup_next(&tail)->tip = hd_chains_add_callers(later, &at, &s, &self);
		hd_deferred_lookup_next(&tail)->sum = sum_of(i, self);
		if (i % 7 == 0) {	/* a leaf that is known already, as for an unwound stack */
			hd_deferred_lookup_next(&tail)->sum.leaf = hd_chains_child(later,
				hd_deferred_lookup_next(&tail)->tip.outer,
				hd_deferred_lookup_next(&tail)->tip.location);
			hd_deferred_lookup_next(&tail)->tip = (struct hd_chain_tip){ 0 };
		}
		hd_deferred_lookup_add(&tail);
		if (drain_at && i + 1 == drain_at) {
			hd_deferred_lookup_drain(&tail);
			break;
		}
	}
	hd_deferred_lookup_drain(&tail);
	write_sums(&want, &places, now, &sums);
	write_sums(&have, &places, later, &late);
	EXPECT(sums.n > 1 || drain_at == 1);
	EXPECT_STR(hd_buf_str(&have), hd_buf_str(&want));
	hd_buf_release(&want);
	hd_buf_release(&have);
	hd_chain_sums_release(&sums);
	hd_chain_sums_release(&late);
	hd_chains_free(now);
	hd_chains_free(later);
	places_release(&places);
}

TEST(the_sums_and_their_order_are_those_of_samples_added_at_once)
{
	expect_as_at_once(0);
}

TEST(drained_after_any_number_of_samples_none_is_missing)
{
	for (unsigned n = 1; n < 3 * HD_DEFERRED_LOOKUP_RING; n++)
		expect_as_at_once(n);
}

TEST(what_was_filled_and_not_added_counts_nothing)
{
	struct hd_chain_sums sums = { 0 };
	struct hd_deferred_lookup tail = { .sums = &sums };

	hd_deferred_lookup_next(&tail)->sum = (struct hd_chain_sum){ .leaf = 1, .weight = 5, .count = 1 };
	hd_deferred_lookup_drain(&tail);
	EXPECT_INT(sums.n, 0);
	hd_chain_sums_release(&sums);
}

TEST_MAIN(RUN(the_sums_and_their_order_are_those_of_samples_added_at_once),
	  RUN(drained_after_any_number_of_samples_none_is_missing),
	  RUN(what_was_filled_and_not_added_counts_nothing))
