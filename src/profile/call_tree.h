/*
 * call_tree.h - the call tree of one event: who called whom, and what it cost
 *
 * The rows of a profile, added up along their stacks.  Frames of one label
 * under one parent are one node, whatever their address, line or object:
 *
 *     main;parse;read  3        0 all          total 8
 *     main;parse       1   ->   1   main       total 8
 *     main;close       4        2     close    total 4  self 4
 *                               3     parse    total 4  self 1
 *                               4       read   total 3  self 3
 *
 * A label is the name as hd_profile_frame_name says it, whether it is a
 * kernel name and whether it is a name at all: the pseudo-name `[unknown]`
 * and a function so called stay apart.
 *
 * Owns:  the nodes.  Names are borrowed from the profile, which must live on.
 * Feeds: render/ (flamegraph), and whoever sums along a tree.
 * Holds: node[i].parent < i and every subtree is one run of the array, so
 *        node i's subtree is [i, node[i].end).  Children stand in byte order
 *        of their names.  Sum of self = sum of the event's row weights =
 *        total of node 0.  The order of the rows does not matter.
 */
#ifndef HD_PROFILE_CALL_TREE_H
#define HD_PROFILE_CALL_TREE_H

#include "profile/profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum hd_call_tree_node_flags {
	HD_CALL_NODE_ROOT = 1 << 0,		/* node 0, "all" */
	HD_CALL_NODE_COMM = 1 << 1,		/* a thread name, when asked for */
	HD_CALL_NODE_UNKNOWN = 1 << 2,	/* the name is a pseudo-name of ours, not a name */
	HD_CALL_NODE_KERNEL = 1 << 3,
	HD_CALL_NODE_INLINED = 1 << 4,	/* every frame of it was inlined into its parent */
	HD_CALL_NODE_JIT = 1 << 5,		/* every frame of it is code made at run time */
	HD_CALL_NODE_GPU = 1 << 6,		/* every frame of it is an operation of a GPU */
};

struct hd_call_tree_node {
	const char *name;		/* raw bytes: sinks encode */
	uint32_t parent;		/* of node 0: 0 */
	uint32_t end;			/* index behind the subtree */
	uint32_t depth;			/* of node 0: 0 */
	uint32_t flags;
	uint64_t self, total;		/* weight; a sum above UINT64_MAX stays there */
	uint64_t self_samples, total_samples;
};

struct hd_call_tree {
	struct hd_call_tree_node *nodes;	/* at least the root */
	size_t n;
	uint32_t event;
	uint32_t max_depth;
};

struct hd_call_tree_opts {
	uint32_t event;
	bool by_comm;			/* a first level per thread name, as folded text has it */
};

struct hd_call_tree *hd_call_tree_new(const struct hd_profile *p, const struct hd_call_tree_opts *opts);
void hd_call_tree_free(struct hd_call_tree *t);	/* NULL is fine */

#endif
