/* function_graph.c - find the callers and callees of the functions of a call tree, in which recursion counts once */
#include "test.h"

#include "profile/function_graph.h"
#include "base/buf.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

struct graph {
	struct hd_profile *p;
	struct hd_call_tree *t;
	struct hd_function_graph *g;
};

/* Add the stack `a;b;c` with this weight, as one sample. */
static void add(struct hd_profile *p, const char *stack, uint64_t weight)
{
	struct hd_sample_row row = { .weight = weight, .count = 1, .event = hd_profile_add_event(p, "e", "events") };

	for (const char *at = stack; *at; at += strcspn(at, ";"), at += *at == ';') {
		char name[64];
		struct hd_frame f = { 0 };

		snprintf(name, sizeof(name), "%.*s", (int)strcspn(at, ";"), at);
		f.symbol = hd_profile_add_named_symbol(p, 0, name, false);
		row.stack = hd_stacks_add(p->stacks, row.stack, hd_profile_add_frame(p, &f));
	}
	hd_profile_add_sample(p, &row);
}

static void build(struct graph *x)
{
	struct hd_call_tree_opts opts = { 0 };

	x->t = hd_call_tree_new(x->p, &opts);
	x->g = hd_function_graph_new(x->t);
}

static void release(struct graph *x)
{
	hd_function_graph_free(x->g);
	hd_call_tree_free(x->t);
	hd_profile_free(x->p);
}

/* Return the graph of the example in function_graph.h. */
static struct graph recursive(void)
{
	struct graph x = { .p = hd_profile_new() };

	add(x.p, "main;f;g", 3);
	add(x.p, "main;f;g;f", 4);
	build(&x);
	return x;
}

static uint32_t function(const struct hd_function_graph *g, const char *name)
{
	for (uint32_t i = 0; i < g->n; i++)
		if (!strcmp(g->functions[i].name, name))
			return i;
	fail_msg("no function %s", name);
	return 0;
}

/* Check a tree, written as `name total (child total (...) child total)`, and free it. */
static void expect_tree(struct hd_call_tree *t, const char *want)
{
	struct hd_buf b = { 0 };

	for (size_t i = 0; i < t->n; i++) {
		const struct hd_call_tree_node *n = &t->nodes[i];

		if (i)
			hd_buf_adds(&b, n->depth > t->nodes[i - 1].depth ? " (" : " ");
		hd_buf_addf(&b, "%s %llu", n->name, (unsigned long long)n->total);
		for (uint32_t down = i + 1 < t->n ? t->nodes[i + 1].depth : 0; down < n->depth; down++)
			hd_buf_addc(&b, ')');
	}
	EXPECT_STR(hd_buf_str(&b), want);
	hd_buf_release(&b);
	hd_call_tree_free(t);
}

static void expect_edges(const struct hd_function_graph *g, const struct hd_function_graph_edge *e, size_t n,
	const char *want)
{
	struct hd_buf b = { 0 };

	for (size_t i = 0; i < n; i++)
		hd_buf_addf(&b, "%s%s %llu", i ? ", " : "", g->functions[e[i].function].name,
			(unsigned long long)e[i].weight);
	EXPECT_STR(hd_buf_str(&b), want);
	hd_buf_release(&b);
}

static void expect_neighbours(const struct graph *x, const char *name, const char *callers, const char *callees)
{
	struct hd_function_graph_neighbours nb;

	hd_function_graph_neighbours(&nb, x->g, function(x->g, name));
	expect_edges(x->g, nb.callers, nb.ncallers, callers);
	expect_edges(x->g, nb.callees, nb.ncallees, callees);
	hd_function_graph_neighbours_release(&nb);
}

TEST(the_example_of_the_header)
{
	struct graph x = recursive();
	uint32_t f = function(x.g, "f");

	EXPECT_INT(x.g->functions[f].total, 7);
	EXPECT_INT(x.g->functions[f].self, 4);
	EXPECT_INT(x.g->functions[f].total_samples, 2);
	expect_neighbours(&x, "f", "main 7, g 4", "g 7");
	expect_tree(hd_function_graph_callees(x.g, f), "f 7 (g 7 (f 4))");
	expect_tree(hd_function_graph_callers(x.g, f, false), "f 7 (main 7)");
	expect_tree(hd_function_graph_callers(x.g, f, true), "f 4 (g 4 (f 4 (main 4)))");
	expect_tree(hd_function_graph_paths(x.g, f), "all 4 (main 4 (f 4 (g 4 (f 4))))");
	release(&x);
}

TEST(a_function_that_calls_itself_is_no_caller_of_itself)
{
	struct graph x = { .p = hd_profile_new() };

	add(x.p, "main;fib;fib;fib", 2);
	add(x.p, "main;fib;fib;add", 3);
	build(&x);
	expect_neighbours(&x, "fib", "main 5", "add 3");
	expect_tree(hd_function_graph_callees(x.g, function(x.g, "fib")), "fib 5 (fib 5 (add 3 fib 2))");
	release(&x);
}

TEST(callees_of_all_occurrences_are_one_tree)
{
	struct graph x = { .p = hd_profile_new() };

	add(x.p, "main;a;log;write", 1);
	add(x.p, "main;b;log;write;copy", 2);
	add(x.p, "main;b;log", 4);
	build(&x);
	expect_tree(hd_function_graph_callees(x.g, function(x.g, "log")), "log 7 (write 3 (copy 2))");
	expect_tree(hd_function_graph_callers(x.g, function(x.g, "log"), false), "log 7 (a 1 (main 1) b 6 (main 6))");
	expect_neighbours(&x, "log", "b 6, a 1", "write 3");
	release(&x);
}

TEST(an_edge_inside_the_same_edge_counts_once_whatever_is_between_them)
{
	struct graph x = { .p = hd_profile_new() };

	/* f calls c twice on one path, and once on another, which comes first in the tree */
	add(x.p, "f;b;f;c", 1);
	add(x.p, "f;c;f;c", 2);
	add(x.p, "f;d;f;c;f;c", 4);
	build(&x);
	expect_neighbours(&x, "f", "c 6, d 4, b 1", "c 7, d 4, b 1");
	release(&x);
}

TEST(a_function_without_a_caller_has_none)
{
	struct graph x = { .p = hd_profile_new() };

	add(x.p, "main", 5);
	build(&x);
	expect_neighbours(&x, "main", "", "");
	expect_tree(hd_function_graph_callers(x.g, function(x.g, "main"), false), "main 5");
	expect_tree(hd_function_graph_callees(x.g, function(x.g, "main")), "main 5");
	release(&x);
}

TEST(lists_are_in_descending_order_and_ties_are_broken_by_name)
{
	struct graph x = { .p = hd_profile_new() };
	uint32_t *order;

	add(x.p, "m;z", 2);
	add(x.p, "m;y", 2);
	add(x.p, "m;x", 3);
	build(&x);
	expect_neighbours(&x, "m", "", "x 3, y 2, z 2");
	order = hd_function_graph_order(x.g, false);
	EXPECT_STR(x.g->functions[order[0]].name, "m");
	EXPECT_STR(x.g->functions[order[3]].name, "z");
	free(order);
	order = hd_function_graph_order(x.g, true);
	EXPECT_STR(x.g->functions[order[0]].name, "x");
	EXPECT_STR(x.g->functions[order[3]].name, "m");
	free(order);
	release(&x);
}

TEST(an_empty_tree_has_no_functions)
{
	struct graph x = { .p = hd_profile_new() };

	hd_profile_add_event(x.p, "e", "events");
	build(&x);
	EXPECT_INT(x.g->n, 0);
	free(hd_function_graph_order(x.g, false));
	release(&x);
}

/* ---- invariants over many stacks ---- */

static uint32_t next_random(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*state >> 33);
}

/*
 * Return true if the stack has the frame `outer` (if inner is NULL), or the edge outer;inner.
 */
static bool stack_has(const char *stack, const char *outer, const char *inner)
{
	char text[16], line[160];

	snprintf(text, sizeof(text), inner ? ";%s;%s;" : ";%s;", outer, inner);
	snprintf(line, sizeof(line), ";%s;", stack);
	return strstr(line, text) != NULL;
}

TEST(costs_are_those_of_the_stacks_that_contain_the_function_or_the_edge)
{
	enum { STACKS = 200, NAMES = 4 };
	static char stacks[STACKS][128];
	uint64_t seed = 7, weights[STACKS];
	struct graph x = { .p = hd_profile_new() };

	for (int i = 0; i < STACKS; i++) {
		size_t len = (size_t)snprintf(stacks[i], sizeof(stacks[i]), "f%u", next_random(&seed) % NAMES);

		for (uint32_t depth = next_random(&seed) % 9; depth > 0; depth--)
			len += (size_t)snprintf(stacks[i] + len, sizeof(stacks[i]) - len, ";f%u",
				next_random(&seed) % NAMES);
		weights[i] = 1 + next_random(&seed) % 100;
		add(x.p, stacks[i], weights[i]);
	}
	build(&x);
	for (uint32_t a = 0; a < x.g->n; a++) {
		const struct hd_function_graph_function *f = &x.g->functions[a];
		struct hd_call_tree *callees = hd_function_graph_callees(x.g, a),
			*all = hd_function_graph_callers(x.g, a, false);
		struct hd_call_tree *self = hd_function_graph_callers(x.g, a, true),
			*paths = hd_function_graph_paths(x.g, a);
		struct hd_function_graph_neighbours nb;
		uint64_t total = 0, edges = 0;

		for (int i = 0; i < STACKS; i++)
			total += stack_has(stacks[i], f->name, NULL) ? weights[i] : 0;
		EXPECT_INT(f->total, total);
		EXPECT_INT(callees->nodes[0].total, total);
		EXPECT_INT(all->nodes[0].total, total);
		EXPECT_INT(self->nodes[0].total, f->self);
		EXPECT_INT(paths->nodes[0].total, f->self);
		hd_function_graph_neighbours(&nb, x.g, a);
		for (size_t k = 0; k < nb.ncallees; k++) {
			const char *callee = x.g->functions[nb.callees[k].function].name;
			uint64_t want = 0;

			for (int i = 0; i < STACKS; i++)
				want += stack_has(stacks[i], f->name, callee) ? weights[i] : 0;
			EXPECT_INT(nb.callees[k].weight, want);
			edges++;
		}
		for (size_t k = 0; k < nb.ncallers; k++) {
			const char *caller = x.g->functions[nb.callers[k].function].name;
			uint64_t want = 0;

			for (int i = 0; i < STACKS; i++)
				want += stack_has(stacks[i], caller, f->name) ? weights[i] : 0;
			EXPECT_INT(nb.callers[k].weight, want);
		}
		EXPECT_INT(edges, NAMES - 1);
		hd_function_graph_neighbours_release(&nb);
		hd_call_tree_free(callees);
		hd_call_tree_free(all);
		hd_call_tree_free(self);
		hd_call_tree_free(paths);
	}
	release(&x);
}

TEST_MAIN(RUN(the_example_of_the_header),
	  RUN(a_function_that_calls_itself_is_no_caller_of_itself),
	  RUN(callees_of_all_occurrences_are_one_tree),
	  RUN(an_edge_inside_the_same_edge_counts_once_whatever_is_between_them),
	  RUN(a_function_without_a_caller_has_none),
	  RUN(lists_are_in_descending_order_and_ties_are_broken_by_name),
	  RUN(an_empty_tree_has_no_functions),
	  RUN(costs_are_those_of_the_stacks_that_contain_the_function_or_the_edge))
