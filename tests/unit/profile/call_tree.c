/* call_tree.c - build one tree from stacks, which are added in any order */
#include "test.h"

#include "profile/call_tree.h"
#include "base/buf.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

/*
 * Return the frame of a name of n bytes.  `name_[k]` is a kernel frame; `?` has the pseudo-name of unknown functions.
 */
static hd_frame_id frame(struct hd_profile *p, const char *name, size_t n)
{
	char text[64];
	bool kernel = n > 4 && !memcmp(name + n - 4, "_[k]", 4);
	struct hd_frame f = { 0 };

	snprintf(text, sizeof(text), "%.*s", (int)(kernel ? n - 4 : n), name);
	if (strcmp(text, "?"))
		f.symbol = hd_profile_add_named_symbol(p, 0, text, kernel);
	return hd_profile_add_frame(p, &f);
}

/* Add one sample of this weight with the stack `comm;a;b;c`. */
static void add(struct hd_profile *p, const char *line, uint64_t weight)
{
	const char *at = line + strcspn(line, ";");
	char comm[32];
	struct hd_sample_row row = { .weight = weight, .count = 1, .event = hd_profile_add_event(p, "e", "events") };

	snprintf(comm, sizeof(comm), "%.*s", (int)(at - line), line);
	row.comm = hd_profile_name(p, comm);
	while (*at == ';') {
		size_t n = strcspn(++at, ";");

		row.stack = hd_stacks_add(p->stacks, row.stack, frame(p, at, n));
		at += n;
	}
	hd_profile_add_sample(p, &row);
}

/* Return the tree as text, which the caller frees: one node per line, indented, `name self/total`. */
static char *text_of(const struct hd_call_tree *t)
{
	struct hd_buf b = { 0 };

	for (size_t i = 0; i < t->n; i++) {
		const struct hd_call_tree_node *n = &t->nodes[i];

		hd_buf_addf(&b, "%*s%s%s%s %llu/%llu\n", (int)n->depth, "", n->flags & HD_CALL_NODE_UNKNOWN ? "?" : "",
			n->name, n->flags & HD_CALL_NODE_KERNEL ? "_[k]" : "", (unsigned long long)n->self,
			(unsigned long long)n->total);
	}
	return hd_buf_take(&b);
}

static void expect_tree(const struct hd_profile *p, bool by_comm, const char *want)
{
	struct hd_call_tree_opts opts = { .by_comm = by_comm };
	struct hd_call_tree *t = hd_call_tree_new(p, &opts);
	char *got = text_of(t);

	EXPECT_STR(got, want);
	free(got);
	hd_call_tree_free(t);
}

/* Check the invariants in call_tree.h. */
static void expect_laws(const struct hd_profile *p, const struct hd_call_tree *t)
{
	uint64_t self = 0, samples = 0;

	EXPECT(t->nodes[0].total == p->events[t->event].weight);
	EXPECT(t->nodes[0].total_samples == p->events[t->event].samples);
	EXPECT(t->nodes[0].end == t->n);
	for (size_t i = 0; i < t->n; i++) {
		const struct hd_call_tree_node *n = &t->nodes[i], *up = &t->nodes[n->parent];
		uint64_t below = 0;
		const struct hd_call_tree_node *left = NULL;

		self += n->self;
		samples += n->self_samples;
		EXPECT(i == 0 || n->parent < i);
		EXPECT(i == 0 || (n->depth == up->depth + 1 && n->end <= up->end && n->end > i));
		EXPECT(n->depth <= t->max_depth);
		for (size_t k = i + 1; k < n->end; k = t->nodes[k].end) {
			below += t->nodes[k].total;
			EXPECT(t->nodes[k].parent == i);
			EXPECT(!left || strcmp(left->name, t->nodes[k].name) <= 0);
			left = &t->nodes[k];
		}
		EXPECT(n->total == n->self + below);
	}
	EXPECT(self == p->events[t->event].weight);
	EXPECT(samples == p->events[t->event].samples);
}

TEST(an_empty_profile_is_a_root_that_costs_nothing)
{
	struct hd_profile *p = hd_profile_new();

	hd_profile_add_event(p, "e", "events");
	expect_tree(p, false, "all 0/0\n");
	hd_profile_free(p);
}

TEST(stacks_share_their_callers_and_children_stand_by_name)
{
	struct hd_profile *p = hd_profile_new();

	add(p, "app;main;parse;read", 3);
	add(p, "app;main;parse", 1);
	add(p, "app;main;close", 4);
	expect_tree(p, false, "all 0/8\n main 0/8\n  close 4/4\n  parse 1/4\n   read 3/3\n");
	hd_profile_free(p);
}

TEST(a_first_level_with_thread_names_is_added_on_request)
{
	struct hd_profile *p = hd_profile_new();

	add(p, "b;main", 1);
	add(p, "a;main", 2);
	add(p, "b;main;f", 4);
	expect_tree(p, false, "all 0/7\n main 3/7\n  f 4/4\n");
	expect_tree(p, true, "all 0/7\n a 0/2\n  main 2/2\n b 0/5\n  main 1/5\n   f 4/4\n");
	hd_profile_free(p);
}

TEST(a_sample_without_a_stack_costs_the_root_or_its_thread)
{
	struct hd_profile *p = hd_profile_new();

	add(p, "a", 5);
	add(p, "a;f", 1);
	expect_tree(p, false, "all 5/6\n f 1/1\n");
	expect_tree(p, true, "all 0/6\n a 5/6\n  f 1/1\n");
	hd_profile_free(p);
}

TEST(recursion_is_a_node_per_level)
{
	struct hd_profile *p = hd_profile_new();

	add(p, "a;f;f;f", 2);
	add(p, "a;f;f", 1);
	expect_tree(p, false, "all 0/3\n f 0/3\n  f 1/3\n   f 2/2\n");
	hd_profile_free(p);
}

TEST(kernel_and_user_frames_of_one_name_stay_apart)
{
	struct hd_profile *p = hd_profile_new();

	add(p, "a;main;read_[k]", 1);
	add(p, "a;main;read", 2);
	expect_tree(p, false, "all 0/3\n main 0/3\n  read 2/2\n  read_[k] 1/1\n");
	hd_profile_free(p);
}

TEST(a_function_called_like_the_pseudo_name_is_not_unknown)
{
	struct hd_profile *p = hd_profile_new();

	add(p, "a;?", 1);
	add(p, "a;[unknown]", 2);
	expect_tree(p, false, "all 0/3\n [unknown] 2/2\n ?[unknown] 1/1\n");
	hd_profile_free(p);
}

TEST(addresses_lines_and_objects_of_one_name_merge)
{
	struct hd_profile *p = hd_profile_new();
	uint32_t event = hd_profile_add_event(p, "e", "events");

	for (uint32_t i = 0; i < 6; i++) {
		char object[16];
		struct hd_profile_symbol s = { .start = 0x1000, .size = 64, .name = hd_profile_name(p, "f") };
		struct hd_frame f = { .vaddr = 0x1000 + i, .line = i };
		struct hd_sample_row row = { .event = event, .weight = 1, .count = 2 };

		snprintf(object, sizeof(object), "lib%u.so", i % 2);
		s.object = hd_profile_add_object(p, object, "", false);
		f.symbol = hd_profile_add_symbol(p, &s);
		row.stack = hd_stacks_add(p->stacks, (hd_stack_id){ 0 }, hd_profile_add_frame(p, &f));
		hd_profile_add_sample(p, &row);
	}
	expect_tree(p, false, "all 0/6\n f 6/6\n");
	hd_profile_free(p);
}

/* Some frames of a node have an unknown line; the other ones determine its lines, in every order. */
TEST(the_lines_of_a_node_do_not_depend_on_the_order_of_its_samples)
{
	static const uint32_t lines[][3] = { { 0, 9, 7 }, { 9, 0, 7 }, { 7, 9, 0 }, { 0, 7, 9 }, { 9, 7, 0 } };

	for (size_t k = 0; k < HD_COUNT(lines); k++) {
		struct hd_profile *p = hd_profile_new();
		struct hd_call_tree_opts opts = { .places = true };
		uint32_t file = hd_profile_name(p, "a.c"), event = hd_profile_add_event(p, "e", "events");
		struct hd_call_tree *t;

		for (size_t i = 0; i < 3; i++) {
			struct hd_frame f = { .file = file, .line = lines[k][i] };
			struct hd_sample_row row = { .event = event, .weight = 1, .count = 1 };

			f.symbol = hd_profile_add_named_symbol(p, 0, "f", false);
			row.stack = hd_stacks_add(p->stacks, (hd_stack_id){ 0 }, hd_profile_add_frame(p, &f));
			hd_profile_add_sample(p, &row);
		}
		t = hd_call_tree_new(p, &opts);
		EXPECT_INT(t->n, 2);
		EXPECT_INT(t->places[1].first_line, 7);
		EXPECT_INT(t->places[1].last_line, 9);
		hd_call_tree_free(t);
		hd_profile_free(p);
	}
}

/* Add one sample in a function of `object`, inlined or not; return the flags of its node. */
static uint32_t flags_after(struct hd_profile *p, const char *object, bool inlined)
{
	struct hd_call_tree_opts opts = { 0 };
	struct hd_frame f = { .inlined = inlined };
	struct hd_sample_row row = { .weight = 1, .count = 1, .event = hd_profile_add_event(p, "e", "events") };
	struct hd_call_tree *t;
	uint32_t flags;

	f.symbol = hd_profile_add_named_symbol(p, hd_profile_add_object(p, object, "", false), "f", false);
	row.stack = hd_stacks_add(p->stacks, (hd_stack_id){ 0 }, hd_profile_add_frame(p, &f));
	hd_profile_add_sample(p, &row);
	t = hd_call_tree_new(p, &opts);
	EXPECT_INT(t->n, 2);
	flags = t->nodes[1].flags;
	hd_call_tree_free(t);
	return flags;
}

TEST(a_node_is_inlined_or_jitted_only_when_all_its_frames_are)
{
	struct hd_profile *p = hd_profile_new();

	EXPECT_INT(flags_after(p, "/tmp/perf-12.map", true), HD_CALL_NODE_INLINED | HD_CALL_NODE_JIT);
	EXPECT_INT(flags_after(p, "/tmp/jitted-12-3.so", true), HD_CALL_NODE_INLINED | HD_CALL_NODE_JIT);
	EXPECT_INT(flags_after(p, "//anon", true), HD_CALL_NODE_INLINED | HD_CALL_NODE_JIT);
	EXPECT_INT(flags_after(p, "/tmp/perf-12.map", false), HD_CALL_NODE_JIT);
	EXPECT_INT(flags_after(p, "/bin/app", true), 0);
	EXPECT_INT(flags_after(p, "/tmp/perf-12.map", true), 0);
	hd_profile_free(p);
}

TEST(only_the_chosen_event_counts)
{
	struct hd_profile *p = hd_profile_new();
	struct hd_call_tree_opts opts = { .event = 1 };
	struct hd_sample_row row = { .weight = 9, .count = 1 };
	struct hd_call_tree *t;

	add(p, "a;f", 1);
	row.event = hd_profile_add_event(p, "other", "ns");
	row.stack = hd_stacks_add(p->stacks, (hd_stack_id){ 0 }, frame(p, "g", 1));
	hd_profile_add_sample(p, &row);
	t = hd_call_tree_new(p, &opts);
	expect_laws(p, t);
	EXPECT_INT(t->n, 2);
	EXPECT_STR(t->nodes[1].name, "g");
	hd_call_tree_free(t);
	hd_profile_free(p);
}

TEST(sums_beyond_64_bits_stay_at_the_end)
{
	struct hd_profile *p = hd_profile_new();

	add(p, "a;f", UINT64_MAX - 1);
	add(p, "a;g", 3);
	expect_tree(p, false, "all 0/18446744073709551615\n f 18446744073709551614/18446744073709551614\n g 3/3\n");
	hd_profile_free(p);
}

/* ---- invariants over many stacks ---- */

static uint32_t next_random(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*state >> 33);
}

/* Return a profile of `n` random stacks, added from the first to the last or backwards. */
static struct hd_profile *random_profile(uint64_t seed, size_t n, bool backwards)
{
	struct hd_profile *p = hd_profile_new();
	char (*lines)[128] = hd_zalloc(n, sizeof(*lines));

	for (size_t i = 0; i < n; i++) {
		size_t len = (size_t)snprintf(lines[i], sizeof(lines[i]), "t%u", next_random(&seed) % 3);

		for (uint32_t depth = next_random(&seed) % 12; depth > 0; depth--)
			len += (size_t)snprintf(lines[i] + len, sizeof(lines[i]) - len, ";f%u%s",
				next_random(&seed) % 4, next_random(&seed) % 5 ? "" : "_[k]");
	}
	for (size_t i = 0; i < n; i++)
		add(p, lines[backwards ? n - 1 - i : i], 1 + strlen(lines[backwards ? n - 1 - i : i]));
	free(lines);
	return p;
}

TEST(self_adds_up_to_the_weight_and_total_to_self_and_children)
{
	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct hd_profile *p = random_profile(seed, 300, false);

		for (int by_comm = 0; by_comm < 2; by_comm++) {
			struct hd_call_tree_opts opts = { .by_comm = by_comm };
			struct hd_call_tree *t = hd_call_tree_new(p, &opts);

			expect_laws(p, t);
			hd_call_tree_free(t);
		}
		hd_profile_free(p);
	}
}

TEST(samples_in_another_order_give_the_same_tree)
{
	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct hd_profile *a = random_profile(seed, 300, false), *b = random_profile(seed, 300, true);

		for (int by_comm = 0; by_comm < 2; by_comm++) {
			struct hd_call_tree_opts opts = { .by_comm = by_comm };
			struct hd_call_tree *t = hd_call_tree_new(a, &opts);
			char *want = text_of(t);

			expect_tree(b, by_comm, want);
			free(want);
			hd_call_tree_free(t);
		}
		hd_profile_free(a);
		hd_profile_free(b);
	}
}

TEST(a_very_deep_stack_needs_no_recursion)
{
	struct hd_profile *p = hd_profile_new();
	struct hd_call_tree_opts opts = { 0 };
	struct hd_sample_row row = { .weight = 1, .count = 1, .event = hd_profile_add_event(p, "e", "events") };
	struct hd_call_tree *t;

	for (int i = 0; i < 300000; i++)
		row.stack = hd_stacks_add(p->stacks, row.stack, frame(p, "f", 1));
	hd_profile_add_sample(p, &row);
	t = hd_call_tree_new(p, &opts);
	EXPECT_INT(t->max_depth, 300000);
	EXPECT(t->nodes[1].total == 1 && t->nodes[300000].self == 1);
	hd_call_tree_free(t);
	hd_profile_free(p);
}

static uint64_t five(const void *context, const uint64_t *totals, size_t n)
{
	EXPECT(!context && totals[0] == 20);
	EXPECT_INT(n, 10);		/* the root, two thread names and seven paths */
	return 5;
}

TEST(callees_of_light_nodes_are_omitted_and_counted)
{
	struct hd_profile *p = hd_profile_new();
	struct hd_call_tree_opts opts = { .by_comm = true, .least = five };
	struct hd_call_tree *t;
	char *got;

	add(p, "x;main;a;b;c", 3);
	add(p, "y;main;a", 1);
	add(p, "x;main;z", 6);
	add(p, "x;main;a", 1);
	add(p, "y;main", 9);
	t = hd_call_tree_new(p, &opts);
	got = text_of(t);
	EXPECT_STR(got, "all 0/20\n x 0/10\n  main 0/10\n   a 4/4\n   z 6/6\n y 0/10\n  main 9/10\n   a 1/1\n");
	free(got);
	EXPECT(t->least == 5);
	EXPECT_INT(t->max_depth, 5);
	EXPECT_INT(t->nodes[0].omitted, 2);	/* b and c */
	EXPECT_INT(t->nodes[3].omitted, 2);
	EXPECT_INT(t->nodes[5].omitted, 0);
	expect_laws(p, t);
	hd_call_tree_free(t);
	hd_profile_free(p);
}

TEST_MAIN(RUN(an_empty_profile_is_a_root_that_costs_nothing),
	  RUN(stacks_share_their_callers_and_children_stand_by_name),
	  RUN(a_first_level_with_thread_names_is_added_on_request),
	  RUN(a_sample_without_a_stack_costs_the_root_or_its_thread),
	  RUN(recursion_is_a_node_per_level),
	  RUN(kernel_and_user_frames_of_one_name_stay_apart),
	  RUN(a_function_called_like_the_pseudo_name_is_not_unknown),
	  RUN(addresses_lines_and_objects_of_one_name_merge),
	  RUN(the_lines_of_a_node_do_not_depend_on_the_order_of_its_samples),
	  RUN(a_node_is_inlined_or_jitted_only_when_all_its_frames_are),
	  RUN(only_the_chosen_event_counts),
	  RUN(sums_beyond_64_bits_stay_at_the_end),
	  RUN(self_adds_up_to_the_weight_and_total_to_self_and_children),
	  RUN(samples_in_another_order_give_the_same_tree),
	  RUN(a_very_deep_stack_needs_no_recursion),
	  RUN(callees_of_light_nodes_are_omitted_and_counted))
