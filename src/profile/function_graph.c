/*
 * function_graph.c - see function_graph.h
 *
 * The nodes of a call tree are in preorder, so a subtree is a range [node, end).  A recursive occurrence of a function
 * is inside the range of an earlier occurrence.  One ascending loop finds the outermost occurrences: it stores for each
 * function the end of its last outermost one.
 */
#include "profile/function_graph.h"

#include "base/hash.h"
#include "base/hash_index.h"
#include "base/map.h"
#include "base/mem.h"
#include "profile/call_tree_layout.h"

#include <stdlib.h>
#include <string.h>

/* ---- functions ---- */

struct function_index {
	struct hd_function_graph *g;
	struct hd_index ix;
	size_t cap;
	uint32_t *last;			/* indexed by function: the last node of the function so far */
	uint32_t *end;			/* indexed by function: hd_call_tree_node.end of its last outermost node */
	size_t last_cap, end_cap;
};

/*
 * Return the function of a node; add it if it is new.  Nodes of one label usually have the same name pointer, so equal
 * pointers are tested first.  Callers may pass trees in which equal names have different pointers.
 */
static uint32_t function_of(struct function_index *x, const struct hd_call_tree_node *node, uint32_t at)
{
	uint32_t label = node->flags & HD_CALL_NODE_LABEL;
	uint64_t hash = hd_hash_bytes(node->name, strlen(node->name)) + label;
	struct hd_function_graph *g = x->g;
	size_t slot;

	for (uint32_t id = hd_index_first(&x->ix, hash, &slot); id != HD_INDEX_NONE;
		id = hd_index_next(&x->ix, hash, &slot))
		if ((g->functions[id].flags & HD_CALL_NODE_LABEL) == label &&
			(g->functions[id].name == node->name || !strcmp(g->functions[id].name, node->name)))
			return id;
	HD_GROW(g->functions, g->n + 1, x->cap);
	HD_GROW(x->last, g->n + 1, x->last_cap);
	HD_GROW(x->end, g->n + 1, x->end_cap);
	g->functions[g->n] =
		(struct hd_function_graph_function){ .name = node->name, .flags = node->flags, .first = at };
	x->last[g->n] = HD_FUNCTION_GRAPH_NONE;
	x->end[g->n] = 0;
	hd_index_add(&x->ix, hash, (uint32_t)g->n);
	return (uint32_t)g->n++;
}

static void add_node(struct function_index *x, uint32_t at)
{
	const struct hd_call_tree_node *node = &x->g->tree->nodes[at];
	uint32_t id = function_of(x, node, at);
	struct hd_function_graph_function *f = &x->g->functions[id];

	x->g->of[at] = id;
	x->g->next[at] = HD_FUNCTION_GRAPH_NONE;
	if (x->last[id] != HD_FUNCTION_GRAPH_NONE)
		x->g->next[x->last[id]] = at;
	x->last[id] = at;
	f->flags &= node->flags;
	f->self = hd_call_tree_add(f->self, node->self);
	f->self_samples = hd_call_tree_add(f->self_samples, node->self_samples);
	if (at < x->end[id])		/* inside another occurrence */
		return;
	x->end[id] = node->end;
	f->total = hd_call_tree_add(f->total, node->total);
	f->total_samples = hd_call_tree_add(f->total_samples, node->total_samples);
}

struct hd_function_graph *hd_function_graph_new(const struct hd_call_tree *tree)
{
	struct hd_function_graph *g = hd_new(struct hd_function_graph);
	struct function_index x = { .g = g };

	g->tree = tree;
	g->of = hd_new_array(uint32_t, tree->n);
	g->next = hd_new_array(uint32_t, tree->n);
	g->of[0] = g->next[0] = HD_FUNCTION_GRAPH_NONE;
	for (uint32_t i = 1; i < tree->n; i++)
		add_node(&x, i);
	hd_index_release(&x.ix);
	free(x.last);
	free(x.end);
	return g;
}

void hd_function_graph_free(struct hd_function_graph *g)
{
	if (!g)
		return;
	free(g->functions);
	free(g->of);
	free(g->next);
	free(g);
}

/* ---- sorted lists ---- */

struct order {
	const struct hd_function_graph *g;
	bool by_self;
};

static int by_label(const struct hd_function_graph *g, uint32_t a, uint32_t b)
{
	const struct hd_function_graph_function *x = &g->functions[a], *y = &g->functions[b];
	int c = strcmp(x->name, y->name);

	return c ? c : (x->flags > y->flags) - (x->flags < y->flags);
}

static int by_function_cost(const void *va, const void *vb, void *vorder)
{
	uint32_t a = *(const uint32_t *)va, b = *(const uint32_t *)vb;
	const struct order *o = vorder;
	const struct hd_function_graph_function *x = &o->g->functions[a], *y = &o->g->functions[b];

	if (o->by_self && x->self != y->self)
		return x->self < y->self ? 1 : -1;
	if (x->total != y->total)
		return x->total < y->total ? 1 : -1;
	if (x->self != y->self)
		return x->self < y->self ? 1 : -1;
	return by_label(o->g, a, b);
}

uint32_t *hd_function_graph_order(const struct hd_function_graph *g, bool by_self)
{
	uint32_t *list = hd_new_array(uint32_t, g->n + 1);
	struct order o = { g, by_self };

	for (size_t i = 0; i < g->n; i++)
		list[i] = (uint32_t)i;
	qsort_r(list, g->n, sizeof(*list), by_function_cost, &o);
	return list;
}

static int by_edge_weight(const void *va, const void *vb, void *vg)
{
	const struct hd_function_graph_edge *a = va, *b = vb;

	if (a->weight != b->weight)
		return a->weight < b->weight ? 1 : -1;
	return by_label(vg, a->function, b->function);
}

/* ---- edges ---- */

/* The callers or the callees of one function: edges of the call tree, summed by caller or by callee. */
struct edges {
	struct hd_function_graph_edge *items;
	/* indexed as `items`, the distinct edges: end of the subtree below the last counted occurrence of the edge */
	uint32_t *end;
	size_t n, cap, end_cap;
	struct hd_map ix;		/* the other function of an edge -> index in `items` */
};

/*
 * Add the edge from the parent of node `inner` to `inner`.  It is not counted if it is inside the subtree of a counted
 * edge between the same two functions, so that a sample counts once per edge.
 */
static void add_edge(struct edges *e, const struct hd_call_tree *t, uint32_t function, uint32_t inner)
{
	uint32_t i = hd_map_get(&e->ix, function);

	if (i == HD_MAP_NONE) {
		i = (uint32_t)e->n++;
		HD_GROW(e->items, e->n, e->cap);
		HD_GROW(e->end, e->n, e->end_cap);
		e->items[i] = (struct hd_function_graph_edge){ .function = function };
		e->end[i] = 0;
		hd_map_put(&e->ix, function, i);
	}
	if (inner < e->end[i])
		return;
	e->end[i] = t->nodes[inner].end;
	e->items[i].weight = hd_call_tree_add(e->items[i].weight, t->nodes[inner].total);
	e->items[i].samples = hd_call_tree_add(e->items[i].samples, t->nodes[inner].total_samples);
}

static struct hd_function_graph_edge *sorted_edges(struct edges *e, const struct hd_function_graph *g, size_t *n)
{
	if (e->n)
		qsort_r(e->items, e->n, sizeof(*e->items), by_edge_weight, (void *)g);
	*n = e->n;
	free(e->end);
	hd_map_release(&e->ix);
	return e->items;
}

static int by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* Return the children of all nodes of `function`, ascending, except children that are nodes of `function`, too. */
static uint32_t *children_of(const struct hd_function_graph *g, uint32_t function, size_t *n)
{
	const struct hd_call_tree_node *nodes = g->tree->nodes;
	uint32_t *list = NULL;
	size_t cap = 0;

	*n = 0;
	for (uint32_t i = g->functions[function].first; i != HD_FUNCTION_GRAPH_NONE; i = g->next[i])
		for (uint32_t k = i + 1; k < nodes[i].end; k = nodes[k].end) {
			if (g->of[k] == function)
				continue;
			HD_GROW(list, *n + 1, cap);
			list[(*n)++] = k;
		}
	if (*n)
		qsort(list, *n, sizeof(*list), by_number);
	return list;
}

void hd_function_graph_neighbours(struct hd_function_graph_neighbours *out, const struct hd_function_graph *g,
	uint32_t function)
{
	const struct hd_call_tree_node *nodes = g->tree->nodes;
	struct edges callers = { 0 }, callees = { 0 };
	size_t n;
	uint32_t *children = children_of(g, function, &n);

	for (uint32_t i = g->functions[function].first; i != HD_FUNCTION_GRAPH_NONE; i = g->next[i])
		if (nodes[i].parent && g->of[nodes[i].parent] != function)
			add_edge(&callers, g->tree, g->of[nodes[i].parent], i);
	for (size_t i = 0; i < n; i++)
		add_edge(&callees, g->tree, g->of[children[i]], children[i]);
	free(children);
	out->callers = sorted_edges(&callers, g, &out->ncallers);
	out->callees = sorted_edges(&callees, g, &out->ncallees);
}

void hd_function_graph_neighbours_release(struct hd_function_graph_neighbours *nb)
{
	free(nb->callers);
	free(nb->callees);
	*nb = (struct hd_function_graph_neighbours){ 0 };
}

/* ---- trees ---- */

struct tree_builder {
	const struct hd_function_graph *g;
	struct hd_call_tree_paths paths;
	struct hd_map labels;		/* function -> label of `paths` */
};

static void begin_tree(struct tree_builder *b, const struct hd_function_graph *g, const char *name, uint32_t flags)
{
	*b = (struct tree_builder){ .g = g };
	hd_call_tree_paths_init(&b->paths, name, flags);
}

static struct hd_call_tree *end_tree(struct tree_builder *b)
{
	hd_map_release(&b->labels);
	return hd_call_tree_paths_finish(&b->paths, b->g->tree->event);
}

/* Add the path `at` extended by the function of a node, and return it. */
static uint32_t extend(struct tree_builder *b, uint32_t at, uint32_t node)
{
	const struct hd_call_tree_node *from = &b->g->tree->nodes[node];
	uint32_t function = b->g->of[node], label = hd_map_get(&b->labels, function);

	if (label == HD_MAP_NONE) {
		label = hd_call_tree_paths_label(&b->paths, from->name, from->flags);
		hd_map_put(&b->labels, function, label);
	}
	return hd_call_tree_paths_add(&b->paths, at, label, from->flags & HD_CALL_NODE_FRAMES);
}

struct hd_call_tree *hd_function_graph_callees(const struct hd_function_graph *g, uint32_t function)
{
	const struct hd_function_graph_function *f = &g->functions[function];
	const struct hd_call_tree_node *nodes = g->tree->nodes;
	uint32_t *path = hd_new_array(uint32_t, g->tree->n);	/* by node of g->tree: its path in the new tree */
	struct tree_builder b;
	uint32_t end = 0;

	begin_tree(&b, g, f->name, f->flags);
	for (uint32_t i = f->first; i != HD_FUNCTION_GRAPH_NONE; i = g->next[i]) {
		if (i < end)
			continue;
		end = nodes[i].end;
		hd_call_tree_paths_cost(&b.paths, 0, nodes[i].self, nodes[i].self_samples);
		for (uint32_t k = i + 1; k < end; k++) {
			path[k] = extend(&b, path[nodes[k].parent], k);
			hd_call_tree_paths_cost(&b.paths, path[k], nodes[k].self, nodes[k].self_samples);
		}
	}
	free(path);
	return end_tree(&b);
}

struct hd_call_tree *hd_function_graph_callers(const struct hd_function_graph *g, uint32_t function, bool self_only)
{
	const struct hd_function_graph_function *f = &g->functions[function];
	const struct hd_call_tree_node *nodes = g->tree->nodes;
	struct tree_builder b;
	uint32_t end = 0;

	begin_tree(&b, g, f->name, f->flags);
	for (uint32_t i = f->first; i != HD_FUNCTION_GRAPH_NONE; i = g->next[i]) {
		uint32_t at = 0;

		if (self_only ? !nodes[i].self_samples && !nodes[i].self : i < end)
			continue;
		end = nodes[i].end;
		for (uint32_t up = nodes[i].parent; up; up = nodes[up].parent)
			at = extend(&b, at, up);
		hd_call_tree_paths_cost(&b.paths, at, self_only ? nodes[i].self : nodes[i].total,
			self_only ? nodes[i].self_samples : nodes[i].total_samples);
	}
	return end_tree(&b);
}

struct hd_call_tree *hd_function_graph_paths(const struct hd_function_graph *g, uint32_t function)
{
	const struct hd_call_tree_node *nodes = g->tree->nodes;
	struct tree_builder b;
	uint32_t *trail = NULL;
	size_t cap = 0;

	begin_tree(&b, g, nodes[0].name, nodes[0].flags);
	for (uint32_t i = g->functions[function].first; i != HD_FUNCTION_GRAPH_NONE; i = g->next[i]) {
		uint32_t at = 0;
		size_t n = 0;

		if (!nodes[i].self_samples && !nodes[i].self)
			continue;
		for (uint32_t up = i; up; up = nodes[up].parent) {
			HD_GROW(trail, n + 1, cap);
			trail[n++] = up;
		}
		while (n > 0)
			at = extend(&b, at, trail[--n]);
		hd_call_tree_paths_cost(&b.paths, at, nodes[i].self, nodes[i].self_samples);
	}
	free(trail);
	return end_tree(&b);
}
