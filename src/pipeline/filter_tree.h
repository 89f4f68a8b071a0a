/*
 * filter_tree.h - the syntax tree of a filter; private to filter.c and filter_parser.c
 *
 * The tree is an array of nodes.  A node for and, or, not has its operands as a list that starts at `first`, so the
 * depth of the recursion grows with parentheses and negations, not with the number of operands.
 */
#ifndef HD_PIPELINE_FILTER_TREE_H
#define HD_PIPELINE_FILTER_TREE_H

#include "pipeline/field_table.h"

enum hd_filter_op {
	HD_FILTER_OP_EQ,
	HD_FILTER_OP_NE,
	HD_FILTER_OP_LE,
	HD_FILTER_OP_LT,
	HD_FILTER_OP_GE,
	HD_FILTER_OP_GT,
	HD_FILTER_OP_BITS,
	HD_FILTER_OP_GLOB
};
enum hd_filter_node_kind { HD_FILTER_NODE_COMPARE, HD_FILTER_NODE_ALL, HD_FILTER_NODE_ANY, HD_FILTER_NODE_NOT };

/* A signed or unsigned 64-bit number, so that both kinds can be compared. */
struct hd_signed_magnitude {
	bool below;			/* negative */
	uint64_t magnitude;
};

struct hd_filter_node {
	enum hd_filter_node_kind kind;
	uint32_t first, next;		/* index + 1; 0: none */
	/* The following fields belong to HD_FILTER_NODE_COMPARE. */
	enum hd_filter_op op;
	char *field;
	char *text;
	size_t len;
	bool quoted, is_number, is_time;
	struct hd_signed_magnitude number;
	uint64_t time_ns;
	const struct hd_sample_field *at;
};

struct hd_filter {
	struct hd_filter_node *nodes;
	size_t n, cap;
	uint32_t root;			/* index + 1 */
	struct hd_buf scratch;
};

#endif
