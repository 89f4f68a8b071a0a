/*
 * trie.h - paths of labels with shared starts: (parent, label) -> id
 *
 *     main;parse;read     3 = (2, read)
 *     main;parse;close    4 = (2, close)        main;parse is stored once
 *
 * Most nodes have one child or two: those are found along a list.  What has
 * many is looked up in a map, so that no input makes the lists long.
 *
 * Owns:  nodes and map.  Zero-initialise; node 0, the root, comes with the
 *        first hd_trie_add.
 * Holds: parent(id) < id; ids are dense.  Nobody else writes to the nodes.
 */
#ifndef HD_BASE_TRIE_H
#define HD_BASE_TRIE_H

#include "base/map.h"

#include <stddef.h>
#include <stdint.h>

struct hd_trie_node {
	uint32_t parent, label;
	uint32_t child, next;	/* the newest child, the sibling before; 0: none */
	uint32_t children;
};

struct hd_trie {
	struct hd_trie_node *nodes;
	size_t n, cap;
	struct hd_map many;	/* the children of those with many: parent << 32 | label */
};

/* The id of `parent` extended by `label`, added on first sight: then it is n - 1. */
uint32_t hd_trie_add(struct hd_trie *t, uint32_t parent, uint32_t label);
void hd_trie_release(struct hd_trie *t);

#endif
