/*
 * trie.c - see trie.h
 */
#include "base/trie.h"

#include "base/mem.h"

#include <assert.h>
#include <stdlib.h>

enum { FEW = 8 };

static uint64_t key(uint32_t parent, uint32_t label)
{
	return (uint64_t)parent << 32 | label;
}

static uint32_t find(const struct hd_trie *t, uint32_t parent, uint32_t label)
{
	if (t->nodes[parent].children > FEW)
		return hd_map_get(&t->many, key(parent, label));
	for (uint32_t c = t->nodes[parent].child; c; c = t->nodes[c].next)
		if (t->nodes[c].label == label)
			return c;
	return HD_MAP_NONE;
}

uint32_t hd_trie_add(struct hd_trie *t, uint32_t parent, uint32_t label)
{
	struct hd_trie_node *up;
	uint32_t id;

	if (!t->n) {
		HD_GROW(t->nodes, 1, t->cap);
		t->nodes[t->n++] = (struct hd_trie_node){ 0 };
	}
	assert(parent < t->n && t->n < HD_MAP_NONE);
	id = find(t, parent, label);
	if (id != HD_MAP_NONE)
		return id;
	HD_GROW(t->nodes, t->n + 1, t->cap);
	id = (uint32_t)t->n++;
	up = &t->nodes[parent];
	t->nodes[id] = (struct hd_trie_node){ .parent = parent, .label = label, .next = up->child };
	up->child = id;
	if (++up->children == FEW + 1)
		for (uint32_t c = id; c; c = t->nodes[c].next)
			hd_map_put(&t->many, key(parent, t->nodes[c].label), c);
	else if (up->children > FEW)
		hd_map_put(&t->many, key(parent, label), id);
	return id;
}

void hd_trie_release(struct hd_trie *t)
{
	free(t->nodes);
	hd_map_release(&t->many);
	*t = (struct hd_trie){ 0 };
}
