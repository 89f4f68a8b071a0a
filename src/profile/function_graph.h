/*
 * function_graph.h - the functions of a call tree: their callers, their callees and the paths to them
 *
 * A function is a label of the call tree: a name with the flags of HD_CALL_NODE_LABEL.  All nodes with this label are
 * its occurrences.  Recursion counts once: the cost of a function is that of its outermost occurrences.
 *
 *     main;f;g 3        f: total 7, self 4             callers  main 7, g 4
 *     main;f;g;f 4                                     callees  g 7
 *                       hd_function_graph_callees()        f 7 (g 7 (f 4))
 *                       hd_function_graph_callers()        f 7 (main 7)
 *                       hd_function_graph_paths()          all 4 (main 4 (f 4 (g 4 (f 4))))
 *
 * hd_function_graph_neighbours() lists the edges as `go tool pprof -peek` counts them: a sample counts once per edge,
 * also if the edge is below another occurrence of the function, and the edge of a function to itself is not listed.  So
 * the sum of the callers may exceed the total: in the example it is 11.  The trees of callers and callees start at the
 * outermost occurrences, as `perf report --children -g caller` counts, so their sums are exact.
 *
 * Owns:      the functions and two arrays over the nodes.  The call tree is borrowed.
 * Order:     functions are numbered by their first node.  Lists of functions are sorted by descending self or total
 *            cost, then by the other of these two, name and flags; lists of edges by descending weight, name and flags.
 * Threads:   all functions only read the graph, so threads may share it.
 */
#ifndef HD_PROFILE_FUNCTION_GRAPH_H
#define HD_PROFILE_FUNCTION_GRAPH_H

#include "profile/call_tree.h"

#define HD_FUNCTION_GRAPH_NONE UINT32_MAX

struct hd_function_graph_function {
	const char *name;		/* raw bytes, borrowed from the tree */
	/* bits of HD_CALL_NODE_LABEL, and those bits of HD_CALL_NODE_FRAMES that all its nodes have */
	uint32_t flags;
	uint32_t first;			/* first node of the function in the tree; `next` of the graph has the others */
	uint64_t self, total;		/* weight; total counts recursion once */
	uint64_t self_samples, total_samples;
};

struct hd_function_graph {
	const struct hd_call_tree *tree;
	struct hd_function_graph_function *functions;
	size_t n;
	uint32_t *of;			/* indexed by node: its function; HD_FUNCTION_GRAPH_NONE for the root */
	uint32_t *next;			/* indexed by node: next node of the same function, or HD_FUNCTION_GRAPH_NONE */
};

struct hd_function_graph *hd_function_graph_new(const struct hd_call_tree *tree);
void hd_function_graph_free(struct hd_function_graph *g);	/* accepts NULL */

/* Return the indexes of all functions, by descending total cost or, with by_self, self cost.  The caller frees it. */
uint32_t *hd_function_graph_order(const struct hd_function_graph *g, bool by_self);

/*
 * Return a tree for one function; the caller frees it with hd_call_tree_free().  Names are borrowed from the profile.
 *
 * callees: the root is the function; below it are the functions that it called.  The root has the function's total.
 * callers: the root is the function; below it are its callers, up to the outermost one.  The self cost of a node is the
 *          cost of the stacks whose outermost caller it is.  self_only: count only samples taken in the function.
 * paths:   the part of the call tree that leads to the function, with its self cost only.
 */
struct hd_call_tree *hd_function_graph_callees(const struct hd_function_graph *g, uint32_t function);
struct hd_call_tree *hd_function_graph_callers(const struct hd_function_graph *g, uint32_t function, bool self_only);
struct hd_call_tree *hd_function_graph_paths(const struct hd_function_graph *g, uint32_t function);

struct hd_function_graph_edge {
	uint32_t function;		/* the caller or the callee */
	uint64_t weight, samples;
};

struct hd_function_graph_neighbours {
	struct hd_function_graph_edge *callers, *callees;
	size_t ncallers, ncallees;
};

void hd_function_graph_neighbours(struct hd_function_graph_neighbours *out, const struct hd_function_graph *g,
	uint32_t function);
void hd_function_graph_neighbours_release(struct hd_function_graph_neighbours *nb);

#endif
