/*
 * page_stacks.c - see page_stacks.h
 */
#include "web/page_stacks.h"

#include "base/encode.h"
#include "base/mem.h"
#include "base/trie.h"
#include "profile/call_tree.h"

#include <stdlib.h>
#include <string.h>

struct builder {
	const struct hd_profile *p;
	struct hd_page_stacks *out;
	struct hd_trie trie;		/* the nodes: (caller node, function) -> node */
	double *share;			/* indexed by node of the trie: its largest share in any event */
	/* indexed by node of the trie: true if at least one of its frames was not inlined */
	bool *outlined;
	/* indexed by node of the trie: the node itself if it is kept, else its nearest kept caller */
	uint32_t *kept;
};

/* ---- functions ---- */

struct candidate {
	struct hd_page_function f;
	uint32_t symbol;
};

static int compare_functions(const struct hd_page_function *a, const struct hd_page_function *b)
{
	int c = strcmp(a->name, b->name);

	c = c ? c : strcmp(a->object, b->object);
	return c ? c : (a->flags > b->flags) - (a->flags < b->flags);
}

static int by_function(const void *a, const void *b)
{
	return compare_functions(&((const struct candidate *)a)->f, &((const struct candidate *)b)->f);
}

static void add_functions(struct builder *b)
{
	const struct hd_profile *p = b->p;
	struct candidate *c = hd_new_array(struct candidate, p->nframes);
	bool *seen = hd_new_array(bool, p->nsymbols);
	struct hd_page_stacks *s = b->out;
	size_t n = 0;

	for (uint32_t i = 1; i < p->nframes; i++) {
		const struct hd_profile_symbol *symbol = &p->symbols[p->frames[i].symbol];
		bool unknown;

		if (seen[p->frames[i].symbol])
			continue;
		seen[p->frames[i].symbol] = true;
		c[n].symbol = p->frames[i].symbol;
		c[n].f.name = hd_profile_frame_name(p, (hd_frame_id){ i }, &unknown);
		c[n].f.object = hd_profile_str(p, p->objects[symbol->object].name);
		c[n++].f.flags = hd_call_tree_frame_flags(p, (hd_frame_id){ i }) & ~(uint32_t)HD_CALL_NODE_INLINED;
	}
	qsort(c, n, sizeof(*c), by_function);
	s->functions = hd_new_array(struct hd_page_function, n + HD_PAGE_FUNCTIONS);
	s->function_of = hd_new_array(uint32_t, p->nsymbols);
	s->functions[HD_PAGE_ALL] = (struct hd_page_function){ "all", "", HD_CALL_NODE_ROOT };
	s->functions[HD_PAGE_CUT] = (struct hd_page_function){ "[smaller callees]", "", HD_CALL_NODE_UNKNOWN };
	s->nfunctions = HD_PAGE_FUNCTIONS;
	for (size_t i = 0; i < n; i++) {
		if (!i || compare_functions(&c[i - 1].f, &c[i].f))
			s->functions[s->nfunctions++] = c[i].f;
		s->function_of[c[i].symbol] = (uint32_t)s->nfunctions - 1;
	}
	free(seen);
	free(c);
}

/* ---- nodes ---- */

static void add_nodes(struct builder *b)
{
	const struct hd_profile *p = b->p;
	const struct hd_stack_node *stacks = hd_stacks_nodes(p->stacks);
	uint32_t n = hd_stacks_count(p->stacks), *node_of = b->out->node_of = hd_new_array(uint32_t, n);
	bool *used = hd_new_array(bool, n);
	size_t cap = 0;

	for (size_t i = 0; i < p->rows.n; i++)
		used[p->rows.items[i].stack.v] = true;
	for (uint32_t i = n; i-- > 1;)
		if (used[i])
			used[stacks[i].caller] = true;
	for (uint32_t i = 1; i < n; i++) {
		const struct hd_frame *f = &p->frames[stacks[i].frame];

		if (!used[i])
			continue;
		node_of[i] = hd_trie_add(&b->trie, node_of[stacks[i].caller], b->out->function_of[f->symbol]);
		while (cap < b->trie.n) {
			size_t old = cap;

			HD_GROW(b->outlined, b->trie.n, cap);
			memset(b->outlined + old, 0, (cap - old) * sizeof(*b->outlined));
		}
		b->outlined[node_of[i]] |= !f->inlined;
	}
	free(used);
}

static void add_shares(struct builder *b)
{
	const struct hd_profile *p = b->p;
	size_t n = b->trie.n;
	double *of_event = hd_new_array(double, n);

	b->share = hd_new_array(double, n);
	for (size_t e = 0; e < p->nevents; e++) {
		double whole = p->events[e].weight ? (double)p->events[e].weight : 1;

		memset(of_event, 0, n * sizeof(*of_event));
		for (uint32_t i = p->events[e].first_row; i; i = p->rows.items[i - 1].next)
			of_event[b->out->node_of[p->rows.items[i - 1].stack.v]] +=
				(double)p->rows.items[i - 1].weight / whole;
		for (size_t i = n; i-- > 0;) {
			if (i)
				of_event[b->trie.nodes[i].parent] += of_event[i];
			if (of_event[i] > b->share[i])
				b->share[i] = of_event[i];
		}
	}
	free(of_event);
}

/*
 * Keep at most `most` nodes, those with the largest shares.  A caller's share is at least that of its callees, so the
 * callers of a kept node are kept, too.
 */
static void cut(struct builder *b, size_t most)
{
	size_t n = b->trie.n, kept = n;
	double least = 0;

	for (double next = 1e-9; kept > most && next < 1; next *= 1.25) {
		least = next;
		kept = 0;
		for (size_t i = 0; i < n; i++)
			kept += b->share[i] >= least;
	}
	b->kept = hd_new_array(uint32_t, n);
	for (uint32_t i = 1; i < n; i++) {
		b->kept[i] = b->share[i] >= least ? i : b->kept[b->trie.nodes[i].parent];
		b->out->cut += b->kept[i] != i;
	}
}

struct child {
	uint64_t order;		/* parent, function */
	uint32_t id;		/* a node of the trie, or (number of nodes + i) for the callee HD_PAGE_CUT of node i */
};

static int by_order(const void *a, const void *b)
{
	const struct child *x = a, *y = b;

	return (x->order > y->order) - (x->order < y->order);
}

/*
 * List all nodes of the page except the root, sorted by parent and function: the kept nodes of the trie, and one
 * HD_PAGE_CUT node below each node with dropped callees.
 */
static struct child *list_children(const struct builder *b, size_t *count)
{
	size_t n = b->trie.n, k = 0;
	struct child *c = hd_new_array(struct child, 2 * n);
	bool *rest = hd_new_array(bool, n);

	for (uint32_t i = 1; i < n; i++)
		if (b->kept[i] == i)
			c[k++] = (struct child){ (uint64_t)b->trie.nodes[i].parent << 32 | b->trie.nodes[i].label, i };
		else
			rest[b->kept[i]] = true;
	for (uint32_t i = 0; i < n; i++)
		if (rest[i])
			c[k++] = (struct child){ (uint64_t)i << 32 | HD_PAGE_CUT, (uint32_t)n + i };
	free(rest);
	qsort(c, k, sizeof(*c), by_order);
	*count = k;
	return c;
}

static void lay_out(struct builder *b)
{
	size_t n = b->trie.n, count, at = 0;
	struct child *c = list_children(b, &count);
	uint32_t *size = hd_new_array(uint32_t, n), *place = hd_new_array(uint32_t, 2 * n);
	struct hd_page_stacks *s = b->out;

	/* compute the size of each subtree: first count the HD_PAGE_CUT nodes, then all other nodes */
	for (size_t i = count; i-- > 0;)
		if (c[i].id >= n)
			size[c[i].order >> 32]++;
	for (size_t i = n; i-- > 1;)
		if (b->kept[i] == i)
			size[b->trie.nodes[i].parent] += 1 + size[i];
	s->nnodes = count + 1;
	s->nodes = hd_new_array(struct hd_page_node, s->nnodes);
	for (uint32_t i = 0; i < n && at < count; i++) {
		uint32_t next = place[i] + 1, depth = s->nodes[place[i]].depth + 1;

		for (; at < count && c[at].order >> 32 == i; at++) {
			bool node = c[at].id < n;

			place[c[at].id] = next;
			s->nodes[next] = (struct hd_page_node){ depth, (uint32_t)c[at].order,
								node && !b->outlined[c[at].id] };
			next += 1 + (node ? size[c[at].id] : 0);
		}
	}
	for (uint32_t i = 0; i < hd_stacks_count(b->p->stacks); i++) {
		uint32_t node = s->node_of[i], kept = b->kept[node];

		s->node_of[i] = kept == node ? place[node] : place[n + kept];
	}
	free(size);
	free(place);
	free(c);
}

void hd_page_stacks_build(struct hd_page_stacks *s, const struct hd_profile *p, size_t most)
{
	struct builder b = { .p = p, .out = s };

	*s = (struct hd_page_stacks){ 0 };
	add_functions(&b);
	add_nodes(&b);
	if (b.trie.n) {
		add_shares(&b);
		cut(&b, most);
		lay_out(&b);
	} else {
		s->nodes = hd_new(struct hd_page_node);
		s->nnodes = 1;
	}
	hd_trie_release(&b.trie);
	free(b.share);
	free(b.outlined);
	free(b.kept);
}

void hd_page_stacks_release(struct hd_page_stacks *s)
{
	free(s->functions);
	free(s->nodes);
	free(s->function_of);
	free(s->node_of);
	*s = (struct hd_page_stacks){ 0 };
}
