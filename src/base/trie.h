/*
 * trie.h - paths of labels with shared prefixes: (parent, label) -> id
 *
 *     main;parse;read     3 = (2, read)
 *     main;parse;close    4 = (2, close)        main;parse is stored once
 *
 * Most nodes have one or two children, which are searched in a list.  If a node has many children, they are
 * looked up in a map, so that no input can make the search slow.
 *
 * Ownership: hd_trie owns the nodes and the map.  Zero-initialise; the first hd_trie_add() creates node 0, the root.
 * Invariant: parent(id) < id, except for the root; ids are dense.  Callers may read the nodes but not change them.
 */
#ifndef HD_BASE_TRIE_H
#define HD_BASE_TRIE_H

#include "base/map.h"

#include <stddef.h>
#include <stdint.h>

struct hd_trie_node {
	uint32_t parent, label;
	uint32_t child, next;	/* first child, next sibling; newest first; 0: none */
	uint32_t children;	/* number of children */
};

struct hd_trie {
	struct hd_trie_node *nodes;
	size_t n, cap;
	struct hd_map many;	/* children of nodes with many children: parent << 32 | label -> id */
};

/* Return the id of `parent` extended by `label`; add it if it is new (its id is then n - 1). */
uint32_t hd_trie_add(struct hd_trie *t, uint32_t parent, uint32_t label);
void hd_trie_release(struct hd_trie *t);

#endif
