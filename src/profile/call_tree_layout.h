/*
 * call_tree_layout.h - the nodes of a call tree, and its layout from paths of labels that are added in any order
 *
 *     struct hd_call_tree_paths b;
 *     hd_call_tree_paths_init(&b, "all", HD_CALL_NODE_ROOT);          path 0 is the root
 *     main = hd_call_tree_paths_label(&b, "main", 0);
 *     at = hd_call_tree_paths_add(&b, 0, main, flags);                 the root extended by main
 *     hd_call_tree_paths_cost(&b, at, weight, samples);
 *     tree = hd_call_tree_paths_finish(&b, event);                     releases b
 *
 * Users: hd_call_tree_new(), and function_graph.c for the trees of callers and callees.  call_tree.h lists the
 * properties of a finished tree.
 *
 * Owns:      the paths and the labels.  The texts of names are borrowed and must outlive the tree.
 * Invariant: the result depends on the set of paths only, not on the order in which they were added.
 */
#ifndef HD_PROFILE_CALL_TREE_LAYOUT_H
#define HD_PROFILE_CALL_TREE_LAYOUT_H

#include "base/map.h"
#include "base/strtab.h"
#include "base/trie.h"

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
	HD_CALL_NODE_LABEL = HD_CALL_NODE_ROOT | HD_CALL_NODE_COMM | HD_CALL_NODE_UNKNOWN | HD_CALL_NODE_KERNEL,
	HD_CALL_NODE_FRAMES = HD_CALL_NODE_INLINED | HD_CALL_NODE_JIT | HD_CALL_NODE_GPU,
};

struct hd_call_tree_node {
	const char *name;		/* raw bytes, not encoded */
	uint32_t parent;		/* 0 for node 0 */
	uint32_t end;			/* index of the first node after the subtree */
	uint32_t depth;			/* 0 for node 0 */
	uint32_t flags;
	uint32_t omitted;		/* number of nodes omitted from the subtree; see hd_call_tree.least */
	uint64_t self, total;		/* weight without and with the callees; sums saturate at UINT64_MAX */
	uint64_t self_samples, total_samples;
};

/*
 * Where the code of a node is.  object: an index in hd_profile.objects; file: a string id of the profile.  Each is 0
 * if it is unknown, or not the same for all frames of the node.
 */
struct hd_call_tree_place {
	uint32_t object, file;
	uint32_t first_line;		/* lowest source line of the node's frames in `file`; 0: unknown */
	uint32_t last_line;		/* highest source line of the node's frames; 0: unknown */
};

struct hd_call_tree {
	struct hd_call_tree_node *nodes;	/* at least the root */
	/* indexed by node; NULL without hd_call_tree_opts.places; may also be NULL if the tree has only the root */
	struct hd_call_tree_place *places;
	/* indexed by node: weight of all samples before the node; NULL without hd_call_tree_opts.in_order */
	uint64_t *starts;
	size_t n;
	uint32_t event;
	uint32_t max_depth;		/* including omitted nodes */
	/*
	 * Nodes whose total is below this weight have no children: the children are omitted, and their cost counts as
	 * self cost of the node.  0: the tree is complete.
	 */
	uint64_t least;
};

struct hd_call_tree_label {
	const char *name;
	uint32_t flags;		/* bits of HD_CALL_NODE_LABEL; labels with equal names differ in their flags */
	uint32_t rank;		/* position among all labels, sorted by name (byte order), then flags */
};

struct hd_call_tree_path {	/* one per node of the trie, in order of first occurrence */
	uint32_t flags;		/* those flags in the mask HD_CALL_NODE_FRAMES that all frames of the node have */
	uint32_t omitted;	/* number of paths that extend this one and were not added */
	uint64_t self, samples;
};

struct hd_call_tree_paths {
	struct hd_trie trie;		/* the paths: (parent path, label) -> path */
	struct hd_call_tree_path *items;
	size_t n, cap;
	struct hd_call_tree_label *labels;
	size_t nlabels, labels_cap;
	struct hd_strtab *names;	/* text of a label's name -> name id */
	struct hd_map label_ix;		/* (name id, flags) -> label */
	struct hd_call_tree_place *places;	/* indexed by path; NULL without hd_call_tree_paths_place() */
	size_t places_cap;
};

/* Make an empty tree.  Label 0 is `name` with `flags`; it is the label of the root, path 0. */
void hd_call_tree_paths_init(struct hd_call_tree_paths *b, const char *name, uint32_t flags);
/* Return the id of a label; add it if it is new.  Key: the text of the name, and the flags of HD_CALL_NODE_LABEL. */
uint32_t hd_call_tree_paths_label(struct hd_call_tree_paths *b, const char *name, uint32_t flags);
/* Return the path `parent` extended by a label.  frames: the HD_CALL_NODE_FRAMES flags of this frame. */
uint32_t hd_call_tree_paths_add(struct hd_call_tree_paths *b, uint32_t parent, uint32_t label, uint32_t frames);
/*
 * Store where the code of a frame is (object, source file, lines) for the path of the frame.  If several frames have
 * the same path, their object is kept if it is equal for all of them, and so is their file; of their lines, the lowest
 * and the highest are kept.  is_new: this is the first frame of the path.  Call this right after each
 * hd_call_tree_paths_add(), or never.
 */
void hd_call_tree_paths_place(struct hd_call_tree_paths *b, uint32_t path, const struct hd_call_tree_place *at,
	bool is_new);
/* Add self cost to a path.  Sums saturate. */
void hd_call_tree_paths_cost(struct hd_call_tree_paths *b, uint32_t path, uint64_t weight, uint64_t samples);
/*
 * Lay the paths out as a tree, add up the totals, and release b.  The caller frees the tree with hd_call_tree_free().
 */
struct hd_call_tree *hd_call_tree_paths_finish(struct hd_call_tree_paths *b, uint32_t event);
void hd_call_tree_free(struct hd_call_tree *t);	/* accepts NULL */

/* Return a + b, at most UINT64_MAX. */
uint64_t hd_call_tree_add(uint64_t a, uint64_t b);

#endif
