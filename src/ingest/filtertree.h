/*
 * filtertree.h - a parsed filter: what filterparse.c makes and filter.c asks, and nobody else includes
 *
 * The tree is an array of nodes: a list node (and, or, not) has its parts as a
 * chain from `first` on, so that long lists are loops and only parentheses and
 * negations nest.
 */
#ifndef HD_INGEST_FILTERTREE_H
#define HD_INGEST_FILTERTREE_H

#include "ingest/filter.h"

enum hd_cmp { HD_CMP_EQ, HD_CMP_NE, HD_CMP_LE, HD_CMP_LT, HD_CMP_GE, HD_CMP_GT, HD_CMP_BITS, HD_CMP_GLOB };
enum hd_node_kind { HD_NODE_COMPARE, HD_NODE_ALL, HD_NODE_ANY, HD_NODE_NOT };

/* A number with its sign, so that all of both kinds compare. */
struct hd_whole {
	bool below;			/* 0 */
	uint64_t magnitude;
};

struct hd_filter_node {
	enum hd_node_kind kind;
	uint32_t first, next;		/* + 1; 0: none */
	/* HD_NODE_COMPARE */
	enum hd_cmp op;
	char *field;
	char *text;
	size_t len;
	bool quoted, is_number, is_time;
	struct hd_whole number;
	uint64_t time_ns;
	const struct hd_field *at;
};

struct hd_filter {
	struct hd_filter_node *nodes;
	size_t n, cap;
	uint32_t root;			/* + 1 */
	struct hd_buf scratch;
};

#endif
