/*
 * call_tree.h - the call tree of one event: callers, callees and their cost
 *
 * hd_call_tree_new() adds up the rows of a profile along their stacks.  Frames with equal labels under one parent are
 * one node, even if their addresses, lines or objects differ:
 *
 *     main;parse;read  3        0 all          total 8
 *     main;parse       1   ->   1   main       total 8
 *     main;close       4        2     close    total 4  self 4
 *                               3     parse    total 4  self 1
 *                               4       read   total 3  self 3
 *
 * A label is the text of hd_profile_frame_name() with two flags: kernel, and pseudo-name.  Therefore the pseudo-name
 * `[unknown]` and a function with this name are different nodes.
 *
 * Owns:      the nodes.  Names are borrowed from the profile, which must outlive the tree.
 * Invariant: node[i].parent < i.  The subtree of node i is [i, node[i].end).  Children are in byte order of their
 * names.
 *            The sum of self = the sum of the event's row weights = the total of node 0.  The order of the rows does
 *            not matter.
 */
#ifndef HD_PROFILE_CALL_TREE_H
#define HD_PROFILE_CALL_TREE_H

#include "profile/profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum hd_call_tree_node_flags {
	HD_CALL_NODE_ROOT = 1 << 0,		/* node 0, "all" */
	HD_CALL_NODE_COMM = 1 << 1,		/* a thread name, with by_comm */
	HD_CALL_NODE_UNKNOWN = 1 << 2,	/* the name is a pseudo-name such as [unknown] */
	HD_CALL_NODE_KERNEL = 1 << 3,
	HD_CALL_NODE_INLINED = 1 << 4,	/* all its frames were inlined into the parent */
	HD_CALL_NODE_JIT = 1 << 5,		/* all its frames are code generated at run time */
	HD_CALL_NODE_GPU = 1 << 6,		/* all its frames are GPU operations */
};

struct hd_call_tree_node {
	const char *name;		/* raw bytes, not encoded */
	uint32_t parent;		/* 0 for node 0 */
	uint32_t end;			/* index after the subtree */
	uint32_t depth;			/* 0 for node 0 */
	uint32_t flags;
	uint64_t self, total;		/* weight; sums saturate at UINT64_MAX */
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
	bool by_comm;			/* the first level is the thread name, as in folded text */
};

/* Build the tree of opts->event from the sample rows of `p`.  The caller frees it. */
struct hd_call_tree *hd_call_tree_new(const struct hd_profile *p, const struct hd_call_tree_opts *opts);
void hd_call_tree_free(struct hd_call_tree *t);	/* accepts NULL */

#endif
