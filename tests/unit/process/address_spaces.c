/* address_spaces.c - find mappings in versions of address spaces, which do not change after they were made */
#include "process/address_spaces.h"
#include "base/mem.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

/* A pseudo-random number that is the same in every run (splitmix64). */
static uint64_t mix(uint64_t x)
{
	x += 0x9e3779b97f4a7c15u;
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

/* Return the mapping that is found at ip, and its extent, such as "7@1000-3000". */
static const char *at(const struct hd_address_spaces *sp, uint32_t space, uint64_t ip)
{
	static char text[64];
	struct hd_address_space_hit hit;

	if (!hd_address_spaces_find(sp, space, ip, &hit))
		return "nothing";
	snprintf(text, sizeof(text), "%u@%llx-%llx", hit.what, (unsigned long long)hit.start,
		(unsigned long long)hit.end);
	return text;
}

TEST(the_empty_space_holds_nothing)
{
	struct hd_address_spaces sp = { 0 };

	EXPECT_STR(at(&sp, 0, 0x1000), "nothing");
	hd_address_spaces_map(&sp, 0, 0x1000, 0x2000, 7);
	EXPECT_STR(at(&sp, 0, 0x1000), "nothing");
	hd_address_spaces_release(&sp);
}

TEST(a_mapping_is_found_from_its_start_up_to_but_not_at_its_end)
{
	struct hd_address_spaces sp = { 0 };
	uint32_t s = hd_address_spaces_map(&sp, 0, 0x1000, 0x2000, 7);

	EXPECT_STR(at(&sp, s, 0xfff), "nothing");
	EXPECT_STR(at(&sp, s, 0x1000), "7@1000-2000");
	EXPECT_STR(at(&sp, s, 0x1fff), "7@1000-2000");
	EXPECT_STR(at(&sp, s, 0x2000), "nothing");
	hd_address_spaces_release(&sp);
}

/*
 * Add `steps` mappings above all others.  With many of them the chain of mappings becomes a tree, so the tests make
 * the same lookups in both.
 */
static uint32_t far_above(struct hd_address_spaces *sp, uint32_t s, int steps)
{
	for (int i = 0; i < steps; i++)
		s = hd_address_spaces_map(sp, s, 0x100000 + 0x1000 * (uint64_t)i, 0x101000 + 0x1000 * (uint64_t)i, 99);
	return s;
}

TEST(a_new_mapping_cuts_the_older_ones_that_it_overlaps)
{
	for (int steps = 0; steps < 4 * HD_ADDRESS_SPACES_CHAIN; steps += 7) {
		struct hd_address_spaces sp = { 0 };
		uint32_t s;

		s = hd_address_spaces_map(&sp, 0, 0x1000, 0x9000, 7);
		s = hd_address_spaces_map(&sp, s, 0x3000, 0x4000, 8);		/* inside 7: two pieces are left */
		s = hd_address_spaces_map(&sp, s, 0x8000, 0xa000, 9);		/* overlaps the end */
		s = hd_address_spaces_map(&sp, s, 0x0800, 0x1800, 10);		/* overlaps the start */
		s = far_above(&sp, s, steps);
		EXPECT_STR(at(&sp, s, 0x0fff), "10@800-1800");
		EXPECT_STR(at(&sp, s, 0x2000), "7@1800-3000");
		EXPECT_STR(at(&sp, s, 0x3800), "8@3000-4000");
		EXPECT_STR(at(&sp, s, 0x4000), "7@4000-8000");
		EXPECT_STR(at(&sp, s, 0x8000), "9@8000-a000");
		s = hd_address_spaces_map(&sp, s, 0x0900, 0x9900, 11);		/* covers all mappings */
		s = far_above(&sp, s, steps);
		EXPECT_STR(at(&sp, s, 0x0800), "10@800-900");
		EXPECT_STR(at(&sp, s, 0x3800), "11@900-9900");
		EXPECT_STR(at(&sp, s, 0x9900), "9@9900-a000");
		hd_address_spaces_release(&sp);
	}
}

TEST(a_hole_takes_away_what_lay_below_it)
{
	for (int steps = 0; steps < 3 * HD_ADDRESS_SPACES_CHAIN; steps += 7) {
		struct hd_address_spaces sp = { 0 };
		uint32_t s = hd_address_spaces_map(&sp, 0, 0x1000, 0x4000, 7);

		s = far_above(&sp, s, steps);
		s = hd_address_spaces_map(&sp, s, 0x2000, 0x3000, 0);
		s = far_above(&sp, s, steps);
		EXPECT_STR(at(&sp, s, 0x1800), "7@1000-2000");
		EXPECT_STR(at(&sp, s, 0x2800), "nothing");
		EXPECT_STR(at(&sp, s, 0x3800), "7@3000-4000");
		hd_address_spaces_release(&sp);
	}
}

TEST(two_spaces_go_on_from_one_without_seeing_each_other)
{
	struct hd_address_spaces sp = { 0 };
	uint32_t parent = hd_address_spaces_map(&sp, 0, 0x1000, 0x2000, 7);
	uint32_t a = hd_address_spaces_map(&sp, parent, 0x1000, 0x2000, 8);
	uint32_t b = hd_address_spaces_map(&sp, parent, 0x5000, 0x6000, 9);

	EXPECT_STR(at(&sp, parent, 0x1000), "7@1000-2000");
	EXPECT_STR(at(&sp, parent, 0x5000), "nothing");
	EXPECT_STR(at(&sp, a, 0x1000), "8@1000-2000");
	EXPECT_STR(at(&sp, a, 0x5000), "nothing");
	EXPECT_STR(at(&sp, b, 0x1000), "7@1000-2000");
	EXPECT_STR(at(&sp, b, 0x5000), "9@5000-6000");
	hd_address_spaces_release(&sp);
}

/* ---- compared with a simple model that has one cell per address */

enum { CELLS = 96, VERSIONS = 3000 };

static void random_versions(uint64_t seed, bool branching)
{
	static uint16_t model[VERSIONS + 1][CELLS];
	static uint32_t space[VERSIONS + 1];
	struct hd_address_spaces sp = { 0 };
	uint64_t r = seed;
	size_t wrong = 0;

	memset(model, 0, sizeof(model));
	space[0] = 0;
	for (uint32_t v = 1; v <= VERSIONS; v++) {
		uint32_t from = v - 1, lo, hi, what;

		r = mix(r + v);
		if (branching && r % 8 == 0)
			from = (uint32_t)(r >> 8) % v;
		lo = (uint32_t)(r >> 16) % CELLS;
		hi = lo + 1 + (uint32_t)(r >> 24) % (r % 3 ? 8 : CELLS);
		hi = hi < CELLS ? hi : CELLS;
		what = r % 11 ? v : 0;
		memcpy(model[v], model[from], sizeof(model[v]));
		for (uint32_t c = lo; c < hi; c++)
			model[v][c] = (uint16_t)what;
		space[v] = hd_address_spaces_map(&sp, space[from], lo, hi, what);
	}
	/* After all versions were made, each must still be as it was made. */
	for (uint32_t v = 0; v <= VERSIONS; v++) {
		for (uint32_t c = 0; c < CELLS; c++) {
			struct hd_address_space_hit hit = { 0 };
			bool found = hd_address_spaces_find(&sp, space[v], c, &hit);

			wrong += (found ? hit.what : 0) != model[v][c];
			if (!found)
				continue;
			for (uint64_t i = hit.start; i < hit.end; i++)
				/* extents must not be too long or too short */
				wrong += model[v][i] != hit.what;
			wrong += hit.start > 0 && model[v][hit.start - 1] == hit.what;
			wrong += hit.end < CELLS && model[v][hit.end] == hit.what;
		}
	}
	EXPECT_INT(wrong, 0);
	hd_address_spaces_release(&sp);
}

TEST(random_mappings_and_holes_answer_as_an_array_of_cells_does)
{
	for (uint64_t seed = 1; seed <= 4; seed++)
		random_versions(seed, false);
}

TEST(random_forks_leave_every_older_space_as_it_was)
{
	for (uint64_t seed = 5; seed <= 8; seed++)
		random_versions(seed, true);
}

/* ---- cost, counted in nodes and not in seconds */

enum { MANY = 200000 };

/* Return the height of a tree; checks that its nodes are in order and balanced. */
static uint32_t check_tree(const struct hd_range_tree *t, uint32_t x, uint64_t lo, uint64_t hi, size_t *wrong)
{
	const struct hd_range_tree_node *n = &t->nodes[x];
	uint32_t l, r;

	if (!x)
		return 0;
	*wrong += n->start < lo || n->end > hi || n->start >= n->end;
	l = check_tree(t, n->left, lo, n->start, wrong);
	r = check_tree(t, n->right, n->end, hi, wrong);
	*wrong += l > r + 1 || r > l + 1 || n->height != 1 + (l > r ? l : r);
	return 1 + (l > r ? l : r);
}

static uint64_t scattered(uint64_t i) { return mix(i) << 12 >> 1; }
static uint64_t ascending(uint64_t i) { return i << 12; }
static uint64_t descending(uint64_t i) { return (MANY - i) << 12; }
static uint64_t alternating(uint64_t i) { return (i % 2 ? i : 2 * (uint64_t)MANY - i) << 12; }

/*
 * Add 200,000 mappings of one page; return the number of nodes per mapping.  *found receives how many of the mappings
 * are found in the version that added them.
 */
static double nodes_per_mapping(uint64_t (*addr)(uint64_t), size_t *found)
{
	struct hd_address_spaces sp = { 0 };
	uint32_t *space = hd_new_array(uint32_t, MANY + 1);
	size_t wrong = 0, checked = 0;
	double nodes;

	for (uint64_t i = 0; i < MANY; i++)
		space[i + 1] = hd_address_spaces_map(&sp, space[i], addr(i), addr(i) + 0x1000, (uint32_t)i + 1);
	*found = 0;
	for (uint64_t i = 0; i < MANY; i++) {
		struct hd_address_space_hit hit;

		if (hd_address_spaces_find(&sp, space[i + 1], addr(i), &hit) && hit.what == i + 1)
			(*found)++;
	}
	for (uint64_t i = MANY; i >= MANY - HD_ADDRESS_SPACES_CHAIN; i--) {
		if (sp.items[space[i]].chain)
			continue;
		EXPECT(check_tree(&sp.tree, sp.items[space[i]].root, 0, UINT64_MAX, &wrong) <= 26);
		checked++;
	}
	EXPECT(checked > 0);
	EXPECT_INT(wrong, 0);
	nodes = (double)sp.tree.n / MANY;
	free(space);
	hd_address_spaces_release(&sp);
	return nodes;
}

TEST(two_hundred_thousand_mappings_of_one_process_make_log_n_nodes_each)
{
	size_t found;

	EXPECT(nodes_per_mapping(scattered, &found) < 14);	/* log2(200000) is 17.6 */
	EXPECT_INT(found, MANY);
}

TEST(no_order_of_addresses_makes_it_dearer)
{
	size_t found;

	EXPECT(nodes_per_mapping(ascending, &found) < 4);	/* adjacent mappings share their path */
	EXPECT_INT(found, MANY);
	EXPECT(nodes_per_mapping(descending, &found) < 4);
	EXPECT_INT(found, MANY);
	EXPECT(nodes_per_mapping(alternating, &found) < 4);
	EXPECT_INT(found, MANY);
}

static uint32_t value_at(const struct hd_range_tree *t, uint32_t root, uint64_t ip)
{
	uint64_t lo = 0, hi = UINT64_MAX;

	return hd_range_tree_probe(t, root, ip, &lo, &hi)->what;
}

TEST(a_mapping_over_a_hundred_thousand_costs_no_more_than_one_over_few)
{
	struct hd_range_tree t = { 0 };
	uint32_t root = 0, cut;
	size_t before;

	for (uint64_t i = 0; i < 100000; i++)
		root = hd_range_tree_cover(&t, root, i << 12, (i << 12) + 0x1000, (uint32_t)i + 1);
	for (uint64_t i = 1; i < 50000; i += 997) {
		hd_range_tree_freeze(&t);
		before = t.n;
		cut = hd_range_tree_cover(&t, root, (i << 12) + 8, ((99999 - i) << 12) + 8, 7);
		EXPECT(t.n - before < 200);
		EXPECT(value_at(&t, cut, (i << 12) + 7) == i + 1);
		EXPECT(value_at(&t, cut, (i << 12) + 8) == 7);
		EXPECT(value_at(&t, cut, ((99999 - i) << 12) + 8) == 99999 - i + 1);
		EXPECT(value_at(&t, root, (i << 12) + 8) == i + 1);
	}
	hd_range_tree_release(&t);
}

TEST(forks_that_map_once_do_not_pay_for_a_tree_each)
{
	struct hd_address_spaces sp = { 0 };
	uint32_t parent = 0;

	for (int deep = 1; deep < 2 * HD_ADDRESS_SPACES_CHAIN; deep++) {
		parent = hd_address_spaces_map(&sp, parent, (uint64_t)deep << 12, (uint64_t)(deep + 1) << 12, 1);
		for (int i = 0; i < 1000; i++) {
			uint32_t child = hd_address_spaces_map(&sp, parent, 0x10000000, 0x10001000, 2);

			hd_address_spaces_map(&sp, child, 0x20000000, 0x20001000, 3);
		}
	}
	EXPECT(sp.n > 126000);
	EXPECT(sp.tree.n < sp.n / 10);
	hd_address_spaces_release(&sp);
}

TEST_MAIN(RUN(the_empty_space_holds_nothing),
	  RUN(a_mapping_is_found_from_its_start_up_to_but_not_at_its_end),
	  RUN(a_new_mapping_cuts_the_older_ones_that_it_overlaps),
	  RUN(a_hole_takes_away_what_lay_below_it),
	  RUN(two_spaces_go_on_from_one_without_seeing_each_other),
	  RUN(random_mappings_and_holes_answer_as_an_array_of_cells_does),
	  RUN(random_forks_leave_every_older_space_as_it_was),
	  RUN(two_hundred_thousand_mappings_of_one_process_make_log_n_nodes_each),
	  RUN(no_order_of_addresses_makes_it_dearer),
	  RUN(a_mapping_over_a_hundred_thousand_costs_no_more_than_one_over_few),
	  RUN(forks_that_map_once_do_not_pay_for_a_tree_each))
