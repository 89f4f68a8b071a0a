/* chains.c - intern call chains: equal chains get equal nodes, and no address is lost */
#include "synthetic_locations.h"

#include "base/strtab.h"

#include <string.h>

static struct places places;
static unsigned noted;

enum { KERNEL = 1, USER = 2, GUEST_KERNEL = 4 };

static struct hd_sample sample(int32_t tid, uint8_t cpumode, uint64_t ip, const uint64_t *chain, uint32_t n)
{
	return (struct hd_sample){ .tid = tid,
		.cpumode = cpumode,
		.ip = ip,
		.chain = (const uint8_t *)chain,
		.nchain = n };
}

/* Write the path to a node, outermost address first, without the root. */
static void write_path(struct hd_buf *b, const struct hd_chains *c, uint32_t node)
{
	const struct hd_chain_node *nodes = hd_chains_nodes(c);
	uint32_t path[600];
	size_t n = 0;

	for (; !hd_chain_is_root(&nodes[node]); node = nodes[node].outer) {
		EXPECT(nodes[node].outer < node);
		EXPECT(n < HD_COUNT(path));
		path[n++] = node;
	}
	while (n-- > 0) {
		if (b->len)
			hd_buf_addc(b, ' ');
		places_write(&places, b, nodes[path[n]].location);
	}
}

static void expect_location(uint32_t location, const char *want)
{
	struct hd_buf b = { 0 };

	places_write(&places, &b, location);
	EXPECT_STR(hd_buf_str(&b), want);
	hd_buf_release(&b);
}

static void expect_path(const struct hd_chains *c, uint32_t node, const char *want)
{
	struct hd_buf b = { 0 };

	write_path(&b, c, node);
	EXPECT_STR(hd_buf_str(&b), want);
	hd_buf_release(&b);
}

/*
 * Add one chain of thread 1 to an empty store.  Expect this path to its leaf, this location of the sample itself, and
 * this number of invalid words.
 */
static void expect_chain(uint8_t cpumode, uint64_t ip, const uint64_t *chain, uint32_t n, const char *leaf,
	const char *self, uint64_t invalid)
{
	struct hd_chains *c = places_chains(&places);
	struct hd_process_context at = { .space = 1 };
	struct hd_sample s = sample(1, cpumode, ip, chain, n);
	uint32_t self_location, node = hd_chains_add(c, &at, &s, &self_location);

	expect_path(c, node, leaf);
	expect_location(self_location, self);
	EXPECT((hd_chains_nodes(c)[node].location == self_location) ==
		!strcmp(strrchr(leaf, ' ') ? strrchr(leaf, ' ') + 1 : leaf, self));
	EXPECT_INT(hd_chains_invalid(c), invalid);
	hd_chains_free(c);
	places_release(&places);
}

#define CHAIN(...) (uint64_t[]){ __VA_ARGS__ }, sizeof((uint64_t[]){ __VA_ARGS__ }) / 8

TEST(a_chain_becomes_a_path_from_the_outermost_call_to_the_sampled_address)
{
	expect_chain(USER, 0x30, CHAIN(HD_CONTEXT_USER, 0x30, 0x20, 0x10), "u10 u20 u30!", "u30!", 0);
}

TEST(the_users_callers_lie_outside_of_the_kernels)
{
	expect_chain(KERNEL, 0xf2, CHAIN(HD_CONTEXT_KERNEL, 0xf2, 0xf1, HD_CONTEXT_USER, 0x20, 0x10),
		     "u10 u20! kf1 kf2!", "kf2!", 0);
}

TEST(a_guest_has_sides_of_its_own)
{
	expect_chain(GUEST_KERNEL, 0xf1, CHAIN(HD_CONTEXT_GUEST_KERNEL, 0xf1, HD_CONTEXT_GUEST_USER, 0x10),
		     "U10! Gf1!", "Gf1!", 0);
	expect_chain(GUEST_KERNEL, 0xf1, CHAIN(HD_CONTEXT_GUEST, 0xf1), "Gf1!", "Gf1!", 0);
}

TEST(what_stands_before_any_marker_is_the_users)
{
	expect_chain(USER, 0x20, CHAIN(0x20, 0x10), "u10 u20!", "u20!", 0);
}

TEST(without_a_chain_the_address_itself_is_the_leaf)
{
	expect_chain(KERNEL, 0xf0, NULL, 0, "kf0!", "kf0!", 0);
	expect_chain(0, 0x99, NULL, 0, "?99!", "?99!", 0);
	expect_chain(USER, 0x10, CHAIN(HD_CONTEXT_USER), "u10!", "u10!", 0);
	expect_chain(USER, 0x10, CHAIN(HD_CONTEXT_KERNEL, HD_CONTEXT_USER), "u10!", "u10!", 0);
}

TEST(a_chain_that_begins_elsewhere_keeps_the_sampled_address_apart)
{
	/* The sample is in the kernel, but only user callers were recorded. */
	expect_chain(KERNEL, 0xf0, CHAIN(HD_CONTEXT_USER, 0x20, 0x10), "u10 u20!", "kf0!", 0);
	/* Because of skid, the chain begins at another user address than that of the sample. */
	expect_chain(USER, 0x21, CHAIN(HD_CONTEXT_USER, 0x20, 0x10), "u10 u20!", "u21!", 0);
}

TEST(a_value_that_is_neither_address_nor_marker_ends_the_chain_and_the_inner_part_stays)
{
	expect_chain(USER, 0x30, CHAIN(HD_CONTEXT_USER, 0x30, 0x20, (uint64_t)-7, 0x10), "u20 u30!", "u30!", 1);
	expect_chain(USER, 0x30, CHAIN(HD_CONTEXT_USER, 0x30, HD_CONTEXT_MAX), "u30!", "u30!", 1);
	expect_chain(USER, 0x30, CHAIN(HD_CONTEXT_USER, 0x30, HD_CONTEXT_MAX - 1), "ufffffffffffff000 u30!", "u30!", 0);
	expect_chain(KERNEL, 0xf1,
		CHAIN(HD_CONTEXT_KERNEL, 0xf1, HD_CONTEXT_USER, 0x20, UINT64_MAX, HD_CONTEXT_USER, 0x10), "u20! kf1!",
		"kf1!", 1);
	expect_chain(USER, 0x30, CHAIN((uint64_t)-1), "u30!", "u30!", 1);
}

TEST(behind_a_deferred_marker_stands_a_cookie_and_no_address)
{
	expect_chain(KERNEL, 0xf1, CHAIN(HD_CONTEXT_KERNEL, 0xf1, HD_CONTEXT_DEFERRED, 0x1234), "kf1!", "kf1!", 0);
}

TEST(more_parts_than_a_chain_can_have_are_cut_and_counted)
{
	uint64_t chain[2 * 9];

	for (size_t i = 0; i < 9; i++) {
		chain[2 * i] = i % 2 ? HD_CONTEXT_USER : HD_CONTEXT_KERNEL;
		chain[2 * i + 1] = 0x10 + i;
	}
	expect_chain(KERNEL, 0x10, chain, 16, "u17! k16! u15! k14! u13! k12! u11! k10!", "k10!", 0);
	expect_chain(KERNEL, 0x10, chain, 18, "u17! k16! u15! k14! u13! k12! u11! k10!", "k10!", 1);
}

TEST(a_chain_is_read_unaligned_and_in_either_byte_order)
{
	uint8_t bytes[3 + 3 * 8];
	const uint64_t chain[] = { HD_CONTEXT_USER, 0x20, 0x10 };
	struct hd_chains *c = places_chains(&places);
	struct hd_process_context at = { .space = 1 };
	uint32_t self;
	struct hd_sample s = sample(1, USER, 0x20, NULL, 3);

	memcpy(bytes + 3, chain, sizeof(chain));
	s.chain = bytes + 3;
	expect_path(c, hd_chains_add(c, &at, &s, &self), "u10 u20!");
	for (size_t i = 0; i < 3; i++) {
		uint64_t v = __builtin_bswap64(chain[i]);

		memcpy(bytes + 3 + 8 * i, &v, 8);
	}
	s.chain_swap = true;
	expect_path(c, hd_chains_add(c, &at, &s, &self), "u10 u20!");
	EXPECT_INT(hd_chains_count(c), 4);	/* node 0, the root, and two addresses */
	hd_chains_free(c);
	places_release(&places);
}

TEST(a_root_tells_how_the_stacks_under_it_ended)
{
	struct hd_chains *c = places_chains(&places);
	uint32_t recorded = hd_chains_root(c, HD_CHAIN_RECORDED, 0), complete = hd_chains_root(c, HD_CHAIN_COMPLETE, 0);
	uint32_t lost3 = hd_chains_root(c, HD_CHAIN_ENDED, 3), lost4 = hd_chains_root(c, HD_CHAIN_ENDED, 4);

	EXPECT(recorded != complete && complete != lost3 && lost3 != lost4);
	EXPECT_INT(hd_chains_root(c, HD_CHAIN_COMPLETE, 0), complete);
	EXPECT_INT(hd_chains_root(c, HD_CHAIN_ENDED, 3), lost3);
	EXPECT_INT(hd_chains_root(c, HD_CHAIN_RECORDED, 0), recorded);
	EXPECT_INT(hd_chains_root_of(c, lost4)->object, 4);
	EXPECT_INT(hd_chains_root_of(c, lost4)->end, HD_CHAIN_ENDED);
	hd_chains_free(c);
	places_release(&places);
}

TEST(an_open_root_is_one_of_its_own_until_it_is_grafted)
{
	struct hd_chains *c = places_chains(&places);
	uint32_t one = hd_chains_open(c), two = hd_chains_open(c), caller;

	EXPECT(one != two);
	EXPECT_INT(hd_chains_root_of(c, one)->end, HD_CHAIN_OPEN);
	caller = hd_chains_child(c, hd_chains_root(c, HD_CHAIN_COMPLETE, 0), 1);
	hd_chains_graft(c, one, caller);
	EXPECT_INT(hd_chains_root_of(c, one)->graft, caller);
	EXPECT_INT(hd_chains_root_of(c, two)->graft, 0);
	hd_chains_free(c);
	places_release(&places);
}

TEST(the_kernels_part_of_a_chain_lies_inside_of_an_unwound_stack)
{
	struct hd_chains *c = places_chains(&places);
	struct hd_process_context a = { .space = 1 };
	const uint64_t chain[] = { HD_CONTEXT_KERNEL, 0xf2, 0xf1, HD_CONTEXT_USER, 0x99 };
	struct hd_sample in_kernel = sample(1, KERNEL, 0xf2, chain, 5), in_user = sample(1, USER, 0x30, chain + 3, 2);
	uint32_t root = hd_chains_root(c, HD_CHAIN_COMPLETE, 0), self, leaf;
	uint32_t caller = hd_chains_child(c, root, hd_chains_locate(c, &a, USER, 0x20));
	uint32_t user = hd_chains_child(c, caller, hd_chains_locate(c, &a, USER | HD_TAG_PC, 0x30));

	leaf = hd_chains_add_non_user(c, &a, user, 0x30, &in_kernel, &self);
	/* The unwound stack replaces the user part of the recorded chain. */
	expect_path(c, leaf, "u20 u30! kf1 kf2!");
	expect_location(self, "kf2!");
	leaf = hd_chains_add_non_user(c, &a, user, 0x30, &in_user, &self);
	EXPECT_INT(leaf, user);
	expect_location(self, "u30!");
	/* the sampled address differs from the one in the registers */
	in_user.ip = 0x31;
	leaf = hd_chains_add_non_user(c, &a, user, 0x30, &in_user, &self);
	EXPECT_INT(leaf, user);
	expect_location(self, "u31!");
	hd_chains_free(c);
	places_release(&places);
}

TEST(equal_addresses_in_two_address_spaces_are_looked_up_in_each)
{
	struct hd_chains *c = places_chains(&places);
	struct hd_process_context a = { .space = 1 }, b = { .space = 2 };
	const uint64_t chain[] = { HD_CONTEXT_USER, 0x20, 0x10 };
	struct hd_sample s = sample(1, USER, 0x20, chain, 3);
	uint32_t self, na = hd_chains_add(c, &a, &s, &self), nb = hd_chains_add(c, &b, &s, &self);

	EXPECT(na != nb);
	EXPECT_INT(hd_chains_add(c, &a, &s, &self), na);
	EXPECT_INT(hd_chains_add(c, &b, &s, &self), nb);
	hd_chains_free(c);
	places_release(&places);
}

TEST(one_address_as_caller_and_as_sampled_is_two_nodes)
{
	struct hd_chains *c = places_chains(&places);
	struct hd_process_context at = { .space = 1 };
	const uint64_t inner[] = { 0x20, 0x10 }, outer[] = { 0x10 };
	uint32_t self;
	struct hd_sample s = sample(1, USER, 0x20, inner, 2), t = sample(1, USER, 0x10, outer, 1);

	expect_path(c, hd_chains_add(c, &at, &s, &self), "u10 u20!");
	expect_path(c, hd_chains_add(c, &at, &t, &self), "u10!");
	EXPECT_INT(hd_chains_count(c), 5);
	hd_chains_free(c);
	places_release(&places);
}

/* ---- the cached last path of each thread changes no result ---- */

TEST(chains_deeper_than_the_cache_are_whole_and_shared)
{
	enum { DEEP = 300 };
	struct hd_chains *c = places_chains(&places);
	struct hd_process_context at = { .space = 1 };
	uint64_t chain[DEEP];
	uint32_t self, first, again, other, before;
	struct hd_sample s = sample(1, USER, 1, chain, DEEP);

	for (uint64_t i = 0; i < DEEP; i++)
		chain[i] = i + 1;
	first = hd_chains_add(c, &at, &s, &self);
	EXPECT_INT(hd_chains_count(c), DEEP + 2);
	EXPECT_INT(hd_chains_add(c, &at, &s, &self), first);
	chain[0] = s.ip = 0x1000;	/* another leaf with the same 299 callers */
	before = hd_chains_count(c);
	other = hd_chains_add(c, &at, &s, &self);
	EXPECT_INT(hd_chains_count(c), before + 1);
	EXPECT(other != first);
	EXPECT_INT(hd_chains_nodes(c)[other].outer, hd_chains_nodes(c)[first].outer);
	chain[DEEP - 1] = 0x2000;	/* another outermost caller: all nodes are new */
	hd_chains_add(c, &at, &s, &self);
	EXPECT_INT(hd_chains_count(c), before + 1 + DEEP);
	chain[DEEP - 1] = DEEP;
	chain[0] = s.ip = 1;
	again = hd_chains_add(c, &at, &s, &self);
	EXPECT_INT(again, first);
	hd_chains_free(c);
	places_release(&places);
}

TEST(a_shorter_chain_after_a_longer_one_is_not_continued_from_memory)
{
	struct hd_chains *c = places_chains(&places);
	struct hd_process_context at = { .space = 1 };
	const uint64_t longer[] = { 0x40, 0x30, 0x20, 0x10 }, shorter[] = { 0x20, 0x10 };
	uint32_t self;
	struct hd_sample a = sample(1, USER, 0x40, longer, 4), b = sample(1, USER, 0x20, shorter, 2);

	for (int i = 0; i < 2; i++) {
		expect_path(c, hd_chains_add(c, &at, &a, &self), "u10 u20 u30 u40!");
		expect_path(c, hd_chains_add(c, &at, &b, &self), "u10 u20!");
	}
	hd_chains_free(c);
	places_release(&places);
}

TEST(a_cleared_store_forgets_everything_but_what_was_invalid)
{
	struct hd_chains *c = places_chains(&places);
	struct hd_process_context at = { .space = 7 };
	const uint64_t chain[] = { 0x30, 0x20, (uint64_t)-1, 0x10 };
	struct hd_sample s = sample(1, USER, 0x30, chain, 4);
	uint32_t self, node = hd_chains_add(c, &at, &s, &self);

	hd_chains_clear(c);
	EXPECT_INT(hd_chains_count(c), 1);
	EXPECT_INT(hd_chains_invalid(c), 1);
	EXPECT_INT(hd_chains_add(c, &at, &s, &self), node);
	expect_path(c, node, "u20 u30!");
	EXPECT_INT(hd_chains_invalid(c), 2);
	hd_chains_free(c);
	places_release(&places);
}

/* ---- compared with a model that stores whole paths as text ---- */

static uint64_t next_random(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return *state >> 33;
}

/* Make a random chain of up to four parts with few addresses, sometimes with invalid words.  Returns its length. */
static uint32_t random_chain(uint64_t *state, uint64_t *chain, uint32_t max)
{
	static const uint64_t markers[] = { HD_CONTEXT_KERNEL, HD_CONTEXT_USER, HD_CONTEXT_GUEST_USER, HD_CONTEXT_HV };
	uint32_t n = 0, deep = next_random(state) % 20 == 0 ? 400 : 12;
	uint64_t parts = next_random(state) % 4;

	for (uint64_t p = 0; p <= parts; p++) {
		uint64_t left = next_random(state) % deep;

		if (p || next_random(state) % 4)
			chain[n++] = markers[next_random(state) % 4];
		for (; left && n + 2 < max; left--)
			chain[n++] = 0x1000 + next_random(state) % 3 + (left > 8 ? left * 16 : 0);
		if (next_random(state) % 50 == 0)
			chain[n++] = (uint64_t)-5;
	}
	return n;
}

/* Compute the path of a sample, in the form of write_path(), simply: one address at a time, from the inside. */
static void model_path(struct hd_buf *leaf, struct hd_buf *self, const struct hd_sample *s, const uint64_t *chain)
{
	struct { uint64_t ip; char mode; bool exact; } path[600];
	size_t n = 0;
	char mode = 'u';
	bool exact = true;

	for (uint32_t i = 0; i < s->nchain; i++) {
		if (chain[i] >= HD_CONTEXT_MAX) {
			if (chain[i] == (uint64_t)-5)
				break;
			mode = chain[i] == HD_CONTEXT_KERNEL ? 'k' : chain[i] == HD_CONTEXT_USER ? 'u' :
			       chain[i] == HD_CONTEXT_HV ? 'h' : 'U';
			exact = true;
			continue;
		}
		path[n].ip = chain[i];
		path[n].mode = mode;
		path[n++].exact = exact;
		exact = false;
	}
	hd_buf_addf(self, "%c%llx!", s->cpumode == KERNEL ? 'k' : 'u', (unsigned long long)s->ip);
	for (size_t i = n; i-- > 0; )
		hd_buf_addf(leaf, "%s%c%llx%s", leaf->len ? " " : "", path[i].mode, (unsigned long long)path[i].ip,
			    path[i].exact ? "!" : "");
	if (!n)
		hd_buf_adds(leaf, self->data);
}

/* Equal texts must have equal nodes: node_of[text] is the node. */
static void expect_same_node(struct hd_strtab *texts, uint32_t **node_of, size_t *cap, size_t *n, const char *text,
	uint32_t node)
{
	uint32_t id = hd_strtab_add(texts, text);

	if (id >= *n) {
		*node_of = hd_grow(*node_of, (size_t)id + 1, cap, sizeof(**node_of));
		(*node_of)[id] = node;
		*n = (size_t)id + 1;
	}
	EXPECT_INT((*node_of)[id], node);
}

TEST(a_hundred_thousand_random_chains_of_forty_threads_agree_with_a_naive_model)
{
	struct hd_chains *c = places_chains(&places);
	struct hd_strtab *texts = hd_strtab_new();
	uint64_t seed = 20240817, chain[512];
	uint32_t *node_of = NULL;
	size_t cap = 0, n = 1;
	struct hd_buf leaf = { 0 }, self = { 0 }, got = { 0 };

	for (int i = 0; i < 100000; i++) {
		struct hd_sample s = sample((int32_t)(next_random(&seed) % 40), next_random(&seed) % 2 ? USER : KERNEL,
			0x1000 + next_random(&seed) % 3, chain, random_chain(&seed, chain, HD_COUNT(chain) - 16));
		struct hd_process_context at = { .space = (uint32_t)(next_random(&seed) % 2) };
		uint32_t self_location, node = hd_chains_add(c, &at, &s, &self_location);

		hd_buf_reset(&leaf);
		hd_buf_reset(&self);
		model_path(&leaf, &self, &s, chain);
		hd_buf_reset(&got);
		write_path(&got, c, node);
		if (strcmp(got.data, leaf.data))
			fail_msg("chain %d is %s, not %s", i, got.data, leaf.data);
		hd_buf_reset(&got);
		places_write(&places, &got, self_location);
		EXPECT_STR(got.data, self.data);
		hd_buf_addf(&leaf, " in %u", at.space);
		expect_same_node(texts, &node_of, &cap, &n, leaf.data, node);
		if (i == 60000) {	/* clear the store once, as the pipeline does between two flushes */
			hd_chains_clear(c);
			hd_strtab_free(texts);
			texts = hd_strtab_new();
			n = 1;
		}
	}
	EXPECT(n > 5000);
	hd_buf_release(&leaf);
	hd_buf_release(&self);
	hd_buf_release(&got);
	free(node_of);
	hd_strtab_free(texts);
	hd_chains_free(c);
	places_release(&places);
}

static void note(void *ctx)
{
	(void)ctx;
	noted++;
}

TEST(words_that_differ_from_the_threads_last_chain_are_limited_and_words_that_are_alike_are_free)
{
	struct hd_chains *c = hd_chains_new(&(struct hd_chains_source){ places_locate, note, &places });
	uint64_t chain[] = { 0x10, 0x20, 0x30, 0x40 };
	const struct hd_process_context at = { 0 };
	uint32_t self;

	noted = 0;
	hd_chains_limit(c, 200);
	for (int i = 0; i < 100; i++) {
		struct hd_sample s = sample(1, USER, 0x10, chain, 4);

		hd_chains_add(c, &at, &s, &self);
	}
	EXPECT_INT(noted, 0);
	for (int i = 0; i < 100; i++) {
		struct hd_sample s = sample(1, USER, 0x10, chain, 4);

		chain[3] = 0x40 + 0x10 * (i & 1);
		hd_chains_add(c, &at, &s, &self);
	}
	EXPECT_INT(noted, 1);
	hd_chains_free(c);
	places_release(&places);
}

TEST_MAIN(RUN(words_that_differ_from_the_threads_last_chain_are_limited_and_words_that_are_alike_are_free),
	  RUN(a_chain_becomes_a_path_from_the_outermost_call_to_the_sampled_address),
	  RUN(the_users_callers_lie_outside_of_the_kernels),
	  RUN(a_guest_has_sides_of_its_own),
	  RUN(what_stands_before_any_marker_is_the_users),
	  RUN(without_a_chain_the_address_itself_is_the_leaf),
	  RUN(a_chain_that_begins_elsewhere_keeps_the_sampled_address_apart),
	  RUN(a_value_that_is_neither_address_nor_marker_ends_the_chain_and_the_inner_part_stays),
	  RUN(behind_a_deferred_marker_stands_a_cookie_and_no_address),
	  RUN(more_parts_than_a_chain_can_have_are_cut_and_counted),
	  RUN(a_chain_is_read_unaligned_and_in_either_byte_order),
	  RUN(a_root_tells_how_the_stacks_under_it_ended),
	  RUN(an_open_root_is_one_of_its_own_until_it_is_grafted),
	  RUN(the_kernels_part_of_a_chain_lies_inside_of_an_unwound_stack),
	  RUN(equal_addresses_in_two_address_spaces_are_looked_up_in_each),
	  RUN(one_address_as_caller_and_as_sampled_is_two_nodes),
	  RUN(chains_deeper_than_the_cache_are_whole_and_shared),
	  RUN(a_shorter_chain_after_a_longer_one_is_not_continued_from_memory),
	  RUN(a_cleared_store_forgets_everything_but_what_was_invalid),
	  RUN(a_hundred_thousand_random_chains_of_forty_threads_agree_with_a_naive_model))
