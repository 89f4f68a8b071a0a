/*
 * filter_tree.h - a parsed filter: what filter_parser.c makes and filter.c asks, and nobody else includes
 *
 * The tree is an array of nodes: a list node (and, or, not) has its parts as a
 * chain from `first` on, so that long lists are loops and only parentheses and
 * negations nest.
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

/* A number with its sign, so that all of both kinds compare. */
struct hd_signed_magnitude {
	bool below;			/* 0 */
	uint64_t magnitude;
};

struct hd_filter_node {
	enum hd_filter_node_kind kind;
	uint32_t first, next;		/* + 1; 0: none */
	/* HD_FILTER_NODE_COMPARE */
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
	uint32_t root;			/* + 1 */
	struct hd_buf scratch;
};

#endif
