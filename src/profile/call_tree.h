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
 * The label of a frame is the text of hd_profile_frame_name() with two flags: kernel, and pseudo-name.  Therefore the
 * pseudo-name `[unknown]` and a function with this name are different nodes.  A thread name has a flag of its own.
 *
 * Owns:      the nodes.  Names are borrowed from the profile, which must outlive the tree.
 * Invariant: node[i].parent < i.  The subtree of node i is [i, node[i].end).  Children are in byte order of their
 *            names, except with in_order.
 *            The sum of self = the total of node 0 = the sum of the weights of the event's rows, except the rows that
 *            `below` drops.  The order of the rows does not matter, except with in_order.
 */
#ifndef HD_PROFILE_CALL_TREE_H
#define HD_PROFILE_CALL_TREE_H

#include "base/string_list.h"
#include "profile/call_tree_layout.h"
#include "profile/heavy_paths.h"
#include "profile/profile.h"

#include <stdbool.h>
#include <stdint.h>

struct hd_call_tree_opts {
	uint32_t event;
	bool by_comm;			/* the first level is the thread name, as in folded text */
	bool places;			/* fill hd_call_tree.places */
	bool reverse;			/* the root's children are the innermost frames; thread names are leaves */
	/*
	 * The nodes are in the order of the samples (hd_profile.timed); without hd_profile.timed, in the order of the
	 * rows.  Equal frames become one node only in adjacent samples, so children are not sorted and names may
	 * repeat.
	 */
	bool in_order;
	/*
	 * Names of functions.  In each stack, the outermost frame with one of these names becomes the first one: its
	 * callers are dropped, and so is the thread name of by_comm.  Stacks without such a frame are dropped.  NULL:
	 * keep all stacks as they are.
	 */
	const struct hd_string_list *below;
	/*
	 * The caller does not need the callees of light nodes (hd_call_tree.least).  They are omitted if that is cheap:
	 * if no two frames of the profile have the same label, as in folded text, and in_order, reverse and below are
	 * not set.  NULL: the tree is complete.
	 */
	hd_heavy_paths_least *least;
	const void *least_context;
};

/* Build the tree of opts->event from the sample rows of `p`.  The caller frees it with hd_call_tree_free(). */
struct hd_call_tree *hd_call_tree_new(const struct hd_profile *p, const struct hd_call_tree_opts *opts);

/* Return the flags UNKNOWN, KERNEL, INLINED, JIT and GPU of one frame. */
uint32_t hd_call_tree_frame_flags(const struct hd_profile *p, hd_frame_id id);

#endif
