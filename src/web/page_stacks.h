/*
 * page_stacks.h - the functions and the call tree of a report page, with a limited number of nodes
 *
 *     functions   [0] all  [1] the rest of cut stacks  [2] ... in the order of name, object and flags
 *     nodes       [0] all; parents first, each subtree is contiguous; callees are in the order of their functions
 *
 * A function is identified by name, object and flags (struct hd_page_function).  It stands for all symbols of the
 * object with this displayed name.  All addresses of an object without a symbol are one function.  One tree has the
 * stacks of all events, so a stack has the same node number in every event.
 *
 * If there are more than `most` nodes, those with the smallest shares are dropped, so that at most `most` remain.  A
 * node whose callees were dropped has one more callee, function HD_PAGE_CUT, which stands for them and does not count
 * for this limit.  The share of a node is the largest that it has in any event.
 *
 * Ownership: the caller releases struct hd_page_stacks.  Names are borrowed from the profile.
 * Invariant: the same profile gives the same numbers, whatever the order of its rows.
 */
#ifndef HD_WEB_PAGE_STACKS_H
#define HD_WEB_PAGE_STACKS_H

#include "profile/profile.h"

enum { HD_PAGE_ALL, HD_PAGE_CUT, HD_PAGE_FUNCTIONS };	/* functions 0 and 1; number of the first real function */

struct hd_page_function {
	const char *name, *object;	/* raw bytes */
	uint32_t flags;			/* bits of enum hd_call_tree_node_flags, never HD_CALL_NODE_INLINED */
};

struct hd_page_node {
	uint32_t depth, function;
	bool inlined;			/* all frames of this node were inlined into the caller */
};

struct hd_page_stacks {
	struct hd_page_function *functions;
	struct hd_page_node *nodes;
	size_t nfunctions, nnodes;
	uint32_t *function_of;		/* indexed by symbol of the profile: its function */
	/* indexed by stack of the profile: its node or, if that was dropped, the node HD_PAGE_CUT that stands for it */
	uint32_t *node_of;
	uint64_t cut;			/* number of dropped nodes */
};

void hd_page_stacks_build(struct hd_page_stacks *s, const struct hd_profile *p, size_t most);
void hd_page_stacks_release(struct hd_page_stacks *s);

#endif
