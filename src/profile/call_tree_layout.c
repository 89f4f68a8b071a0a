/*
 * call_tree_layout.c - see call_tree_layout.h
 *
 * lay_out() copies the paths to their final positions without recursion.  A counting sort by name orders the children
 * of all parents at once.  The position of a node follows from the subtree sizes.  Then the totals are added to the
 * parents, in descending order of nodes.
 */
#include "profile/call_tree_layout.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

uint64_t hd_call_tree_add(uint64_t a, uint64_t b)
{
	uint64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

void hd_call_tree_paths_init(struct hd_call_tree_paths *b, const char *name, uint32_t flags)
{
	*b = (struct hd_call_tree_paths){ .names = hd_strtab_new() };
	hd_call_tree_paths_label(b, name, flags);
	/* hd_trie_add() creates the root of the trie implicitly and without a label, so its path is added here. */
	HD_GROW(b->items, 1, b->cap);
	b->items[b->n++] = (struct hd_call_tree_path){ .flags = flags & HD_CALL_NODE_FRAMES };
}

uint32_t hd_call_tree_paths_label(struct hd_call_tree_paths *b, const char *name, uint32_t flags)
{
	uint64_t key = (uint64_t)hd_strtab_add(b->names, name) << 32 | (flags & HD_CALL_NODE_LABEL);
	uint32_t id = hd_map_get(&b->label_ix, key);

	if (id != HD_MAP_NONE)
		return id;
	HD_GROW(b->labels, b->nlabels + 1, b->labels_cap);
	b->labels[b->nlabels] = (struct hd_call_tree_label){ .name = name, .flags = flags & HD_CALL_NODE_LABEL };
	hd_map_put(&b->label_ix, key, (uint32_t)b->nlabels);
	return (uint32_t)b->nlabels++;
}

uint32_t hd_call_tree_paths_add(struct hd_call_tree_paths *b, uint32_t parent, uint32_t label, uint32_t frames)
{
	uint32_t id = hd_trie_add(&b->trie, parent, label);

	if (id < b->n) {
		b->items[id].flags &= frames;
		return id;
	}
	HD_GROW(b->items, b->n + 1, b->cap);
	b->items[b->n++] = (struct hd_call_tree_path){ .flags = frames };
	return id;
}

void hd_call_tree_paths_place(struct hd_call_tree_paths *b, uint32_t path, const struct hd_call_tree_place *at,
	bool is_new)
{
	struct hd_call_tree_place *to;

	if (!b->places) {
		HD_GROW(b->places, 1, b->places_cap);
		b->places[0] = (struct hd_call_tree_place){ 0 };
	}
	HD_GROW(b->places, (size_t)path + 1, b->places_cap);
	to = &b->places[path];
	if (is_new) {
		*to = *at;
		return;
	}
	if (to->object != at->object)
		to->object = 0;
	if (to->file != at->file || !at->file)
		to->file = to->first_line = to->last_line = 0;
	if (!to->file || !at->first_line)
		return;
	if (!to->first_line || at->first_line < to->first_line)
		to->first_line = at->first_line;
	if (at->last_line > to->last_line)
		to->last_line = at->last_line;
}

void hd_call_tree_paths_cost(struct hd_call_tree_paths *b, uint32_t path, uint64_t weight, uint64_t samples)
{
	b->items[path].self = hd_call_tree_add(b->items[path].self, weight);
	b->items[path].samples = hd_call_tree_add(b->items[path].samples, samples);
}

static int by_name(const void *a, const void *b)
{
	const struct hd_call_tree_label *x = *(const struct hd_call_tree_label *const *)a;
	const struct hd_call_tree_label *y = *(const struct hd_call_tree_label *const *)b;
	int c = strcmp(x->name, y->name);

	return c ? c : (x->flags > y->flags) - (x->flags < y->flags);
}

static void rank_labels(struct hd_call_tree_paths *b)
{
	struct hd_call_tree_label **order = hd_new_array(struct hd_call_tree_label *, b->nlabels);

	for (size_t i = 0; i < b->nlabels; i++)
		order[i] = &b->labels[i];
	qsort(order, b->nlabels, sizeof(*order), by_name);
	for (size_t i = 0; i < b->nlabels; i++)
		order[i]->rank = (uint32_t)i;
	free(order);
}

/*
 * Return all nodes except the root, sorted by parent and then by name: a counting sort by rank, followed by a stable
 * counting sort by parent.  The children of node i are at first[i] .. first[i + 1] - 1.  The caller frees the array.
 */
static uint32_t *sort_children(const struct hd_call_tree_paths *b, uint32_t *first)
{
	uint32_t *start = hd_new_array(uint32_t, b->nlabels + 1);
	uint32_t *ranked = hd_new_array(uint32_t, b->n), *children = hd_new_array(uint32_t, b->n);

	for (size_t i = 1; i < b->n; i++) {
		start[b->labels[b->trie.nodes[i].label].rank + 1]++;
		first[b->trie.nodes[i].parent + 1]++;
	}
	for (size_t i = 0; i < b->nlabels; i++)
		start[i + 1] += start[i];
	for (size_t i = 0; i < b->n; i++)
		first[i + 1] += first[i];
	for (size_t i = 1; i < b->n; i++)
		ranked[start[b->labels[b->trie.nodes[i].label].rank]++] = (uint32_t)i;
	for (size_t i = 0; i + 1 < b->n; i++)
		children[first[b->trie.nodes[ranked[i]].parent]++] = ranked[i];
	for (size_t i = b->n; i > 0; i--)	/* undo the loop above, which advanced first[i] to first[i + 1] */
		first[i] = first[i - 1];
	first[0] = 0;
	free(start);
	free(ranked);
	return children;
}

static void lay_out(const struct hd_call_tree_paths *b, struct hd_call_tree *t)
{
	uint32_t *first = hd_new_array(uint32_t, b->n + 1), *children = sort_children(b, first);
	uint32_t *size = hd_new_array(uint32_t, b->n), *place = hd_new_array(uint32_t, b->n);

	for (size_t i = b->n; i-- > 0;) {
		size[i]++;
		if (i)
			size[b->trie.nodes[i].parent] += size[i];
	}
	t->nodes = hd_new_array(struct hd_call_tree_node, b->n);
	t->places = b->places ? hd_new_array(struct hd_call_tree_place, b->n) : NULL;
	t->n = b->n;
	for (size_t i = 0; i < b->n; i++) {	/* callers have smaller indexes, so place[i] is set already */
		const struct hd_call_tree_path *from = &b->items[i];
		const struct hd_call_tree_label *label = &b->labels[i ? b->trie.nodes[i].label : 0];
		struct hd_call_tree_node *to = &t->nodes[place[i]];
		uint32_t next = place[i] + 1;

		to->name = label->name;
		to->parent = i ? place[b->trie.nodes[i].parent] : 0;
		to->end = place[i] + size[i];
		to->depth = i ? t->nodes[to->parent].depth + 1 : 0;
		to->flags = label->flags | from->flags;
		to->omitted = from->omitted;
		to->self = to->total = from->self;
		to->self_samples = to->total_samples = from->samples;
		if (t->places)
			t->places[place[i]] = b->places[i];
		if (to->depth > t->max_depth)
			t->max_depth = to->depth;
		for (uint32_t k = first[i]; k < first[i + 1]; k++) {
			place[children[k]] = next;
			next += size[children[k]];
		}
	}
	free(first);
	free(children);
	free(size);
	free(place);
}

struct hd_call_tree *hd_call_tree_paths_finish(struct hd_call_tree_paths *b, uint32_t event)
{
	struct hd_call_tree *t = hd_new(struct hd_call_tree);

	t->event = event;
	rank_labels(b);
	lay_out(b, t);
	free(b->items);
	free(b->places);
	hd_trie_release(&b->trie);
	for (size_t i = t->n - 1; i > 0; i--) {
		struct hd_call_tree_node *up = &t->nodes[t->nodes[i].parent];

		up->total = hd_call_tree_add(up->total, t->nodes[i].total);
		up->total_samples = hd_call_tree_add(up->total_samples, t->nodes[i].total_samples);
		up->omitted += t->nodes[i].omitted;
	}
	hd_strtab_free(b->names);
	hd_map_release(&b->label_ix);
	free(b->labels);
	*b = (struct hd_call_tree_paths){ 0 };
	return t;
}

void hd_call_tree_free(struct hd_call_tree *t)
{
	if (!t)
		return;
	free(t->nodes);
	free(t->places);
	free(t->starts);
	free(t);
}
