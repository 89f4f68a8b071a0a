/*
 * flame_data.h - the stacks of a flamegraph, embedded in its file
 *
 * The element `metadata.hd-data` has the call tree as text, compressed with gzip and written in base64.  The script
 * reads it to show frames that are too narrow for the picture; pipeline/flame_input.h reads it as an input.  Format, in
 * lines:
 *
 *     hotdrift.flame 1            format and version
 *     reversed 0                  1: the stacks begin with their innermost frame
 *     comm 1                      1: the first frame of a stack is a thread name
 *     labels N                    followed by N lines `CLASS NAME`: class of palette.h, or its letter and #rrggbb;
 *                                 name as in folded text
 *     texts N                     followed by N lines: names of objects and source files, in visible form
 *     nodes N                     followed by N lines, in preorder:
 *                                 `UP LABEL SELF [SAMPLES [OBJECT [FILE FIRST LAST]]]`
 *
 * UP is 0 if the node is a child of the node in the line before it; otherwise it is the number of levels from that node
 * up to the parent.  LABEL counts from 0.  SELF is the weight.  SAMPLES is equal to SELF if it is absent.  OBJECT and
 * FILE count from 1 in texts, 0 is unknown.  The first node is the root.
 *
 * If the tree has too many nodes, or its base64 text is longer than HD_FLAME_DATA_BYTES, subtrees lighter than a limit
 * are dropped.  The dropped subtrees of a node are replaced by one child with the pseudo-name HD_FLAME_DATA_REST and
 * the sum of their weights.
 */
#ifndef HD_RENDER_FLAME_DATA_H
#define HD_RENDER_FLAME_DATA_H

#include "base/buf.h"
#include "profile/call_tree.h"

#define HD_FLAME_DATA_MAGIC	"hotdrift.flame 1\n"
#define HD_FLAME_DATA_REST	"[narrower frames]"
enum { HD_FLAME_DATA_BYTES = 500000 };	/* limit for the base64 text */

struct hd_flame_data_opts {
	bool reversed, comm;
	/* store the CLASS of a node (see the format above) in `out`, which has room for 12 bytes */
	void (*class_of)(void *context, char out[12], uint32_t node);
	void *context;
};

/*
 * Return the limit of weight below which nodes are dropped from the data; 0: none is dropped.  `totals` are the total
 * weights of all n nodes of the tree, the root first.  A tree that is built for the data needs no callees of nodes
 * below this limit (hd_call_tree_opts.least).
 */
uint64_t hd_flame_data_least(const uint64_t *totals, size_t n);
/* Append the element `metadata.hd-data`. */
void hd_flame_data_add(struct hd_buf *out, const struct hd_profile *p, const struct hd_call_tree *t,
	const struct hd_flame_data_opts *o);

#endif
