/*
 * call_tree.c - see call_tree.h
 *
 * hd_call_tree_new() makes three passes without recursion:
 *   1. add_rows() interns the path of each (comm, stack) pair once, in order of first occurrence.
 *   2. lay_out() copies the paths to their final positions.  A counting sort by name orders the children of all
 *      parents at once.  The position of a node follows from the subtree sizes.
 *   3. The totals are added to the parents, in descending order of nodes.
 */
#include "profile/call_tree.h"

#include "base/mem.h"
#include "base/trie.h"
#include "profile/gpu.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct label {
	const char *name;
	uint32_t flags;		/* ROOT, KERNEL, UNKNOWN, COMM: labels with equal names differ in these */
	uint32_t rank;		/* index in byte order of the names */
};

struct path {			/* one path per node of the trie, in order of first occurrence */
	uint32_t flags;		/* INLINED, JIT and GPU: set if all frames of the node have the flag */
	uint64_t self, samples;
};

struct builder {
	const struct hd_profile *p;
	struct hd_trie trie;		/* over labels */
	struct path *paths;
	size_t n, cap;
	struct label *labels;
	size_t nlabels, labels_cap;
	uint32_t root_label;
	struct hd_strtab *names;	/* label names to dense ids */
	struct hd_map label_ix;		/* (name id, flags) -> label */
	struct memo {
		uint32_t comm;		/* + 1; 0: not computed yet */
		uint32_t path;
	} *stacks;			/* indexed by stack of the profile: cached path, valid for this comm only */
	struct frame_info {
		uint32_t label;		/* + 1; 0: not computed yet */
		uint32_t flags;		/* INLINED, JIT, GPU */
	} *frames;			/* by frame of the profile */
	uint32_t *trail;		/* stack ids from a stack up to the nearest cached path */
	size_t trail_cap;
};

static uint64_t add_sat(uint64_t a, uint64_t b)
{
	uint64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

static uint32_t add_label(struct builder *b, const char *name, uint32_t flags)
{
	uint64_t key = (uint64_t)hd_strtab_add(b->names, name) << 32 | flags;
	uint32_t id = hd_map_get(&b->label_ix, key);

	if (id != HD_MAP_NONE)
		return id;
	HD_GROW(b->labels, b->nlabels + 1, b->labels_cap);
	b->labels[b->nlabels] = (struct label){ .name = name, .flags = flags };
	hd_map_put(&b->label_ix, key, (uint32_t)b->nlabels);
	return (uint32_t)b->nlabels++;
}

/*
 * Return true if an object contains code generated at run time: a perf map, a jitdump, the jitted-PID-N.so of
 * `perf inject`, or anonymous memory.  Inputs that only mark code as JIT use the object name [jit].
 */
static bool is_jit_object(const char *path)
{
	const char *base = strrchr(path, '/');
	size_t n;

	if (!strncmp(path, "//anon", 6) || !strncmp(path, "[anon", 5) || !strcmp(path, "[jit]"))
		return true;
	base = base ? base + 1 : path;
	n = strlen(base);
	return (!strncmp(base, "perf-", 5) && n > 9 && !strcmp(base + n - 4, ".map")) ||
	       (!strncmp(base, "jit-", 4) && n > 9 && !strcmp(base + n - 5, ".dump")) ||
	       (!strncmp(base, "jitted-", 7) && n > 10 && !strcmp(base + n - 3, ".so"));
}

static const struct frame_info *info_of(struct builder *b, hd_frame_id id)
{
	struct frame_info *info = &b->frames[id.v];

	if (!info->label) {
		const struct hd_profile *p = b->p;
		const struct hd_frame *f = &p->frames[id.v];
		const struct hd_object *object = &p->objects[p->symbols[f->symbol].object];
		bool unknown, kernel = p->symbols[f->symbol].kernel || object->kernel;
		const char *name = hd_profile_frame_name(p, id, &unknown);

		info->label = 1 +
			add_label(b, name, (unknown ? HD_CALL_NODE_UNKNOWN : 0) | (kernel ? HD_CALL_NODE_KERNEL : 0));
		info->flags = (f->inlined ? HD_CALL_NODE_INLINED : 0) |
			      (is_jit_object(hd_profile_str(p, object->name)) ? HD_CALL_NODE_JIT : 0) |
			      (!strcmp(hd_profile_str(p, object->name), HD_GPU_OBJECT) ? HD_CALL_NODE_GPU : 0);
	}
	return info;
}

static uint32_t add_path(struct builder *b, uint32_t parent, uint32_t label, uint32_t flags)
{
	uint32_t id = hd_trie_add(&b->trie, parent, label);

	if (id < b->n) {
		b->paths[id].flags &= flags;
		return id;
	}
	HD_GROW(b->paths, b->n + 1, b->cap);
	b->paths[b->n++] = (struct path){ .flags = flags };
	return id;
}

/* Return the path of a stack.  Walk up to the nearest caller with a cached path, then add the missing nodes. */
static uint32_t path_of(struct builder *b, uint32_t comm, uint32_t top, hd_stack_id stack)
{
	const struct hd_stack_node *nodes = hd_stacks_nodes(b->p->stacks);
	uint32_t at = top;
	size_t n = 0;

	for (; stack.v; stack.v = nodes[stack.v].caller) {
		if (b->stacks[stack.v].comm == comm + 1) {
			at = b->stacks[stack.v].path;
			break;
		}
		HD_GROW(b->trail, n + 1, b->trail_cap);
		b->trail[n++] = stack.v;
	}
	while (n > 0) {
		const struct frame_info *f = info_of(b, (hd_frame_id){ nodes[b->trail[--n]].frame });

		at = add_path(b, at, f->label - 1, f->flags);
		b->stacks[b->trail[n]] = (struct memo){ comm + 1, at };
	}
	return at;
}

static void add_rows(struct builder *b, const struct hd_call_tree_opts *opts)
{
	const struct hd_sample_rows *rows = &b->p->rows;

	/* hd_trie_add() creates the root of the trie implicitly and without a label, so its path is added here. */
	b->root_label = add_label(b, "all", HD_CALL_NODE_ROOT);
	HD_GROW(b->paths, 1, b->cap);
	b->paths[b->n++] = (struct path){ 0 };
	for (size_t i = 0; i < rows->n; i++) {
		const struct hd_sample_row *r = &rows->items[i];
		uint32_t comm = opts->by_comm ? r->comm : 0, at = 0;

		if (r->event != opts->event)
			continue;
		if (opts->by_comm)
			at = add_path(b, 0, add_label(b, hd_profile_str(b->p, comm), HD_CALL_NODE_COMM), 0);
		at = path_of(b, comm, at, r->stack);
		b->paths[at].self = add_sat(b->paths[at].self, r->weight);
		b->paths[at].samples = add_sat(b->paths[at].samples, r->count);
	}
}

static int by_name(const void *a, const void *b)
{
	const struct label *x = *(const struct label *const *)a, *y = *(const struct label *const *)b;
	int c = strcmp(x->name, y->name);

	return c ? c : (x->flags > y->flags) - (x->flags < y->flags);
}

static void rank_labels(struct builder *b)
{
	struct label **order = hd_new_array(struct label *, b->nlabels);

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
static uint32_t *sort_children(const struct builder *b, uint32_t *first)
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

static void lay_out(const struct builder *b, struct hd_call_tree *t)
{
	uint32_t *first = hd_new_array(uint32_t, b->n + 1), *children = sort_children(b, first);
	uint32_t *size = hd_new_array(uint32_t, b->n), *place = hd_new_array(uint32_t, b->n);

	for (size_t i = b->n; i-- > 0;) {
		size[i]++;
		if (i)
			size[b->trie.nodes[i].parent] += size[i];
	}
	t->nodes = hd_new_array(struct hd_call_tree_node, b->n);
	t->n = b->n;
	for (size_t i = 0; i < b->n; i++) {	/* callers have smaller indexes, so place[i] is set already */
		const struct path *from = &b->paths[i];
		const struct label *label = &b->labels[i ? b->trie.nodes[i].label : b->root_label];
		struct hd_call_tree_node *to = &t->nodes[place[i]];
		uint32_t next = place[i] + 1;

		to->name = label->name;
		to->parent = i ? place[b->trie.nodes[i].parent] : 0;
		to->end = place[i] + size[i];
		to->depth = i ? t->nodes[to->parent].depth + 1 : 0;
		to->flags = label->flags | from->flags;
		to->self = to->total = from->self;
		to->self_samples = to->total_samples = from->samples;
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

struct hd_call_tree *hd_call_tree_new(const struct hd_profile *p, const struct hd_call_tree_opts *opts)
{
	struct hd_call_tree *t = hd_new(struct hd_call_tree);
	struct builder b = { .p = p };

	t->event = opts->event;
	b.names = hd_strtab_new();
	b.frames = hd_new_array(struct frame_info, p->nframes);
	b.stacks = hd_new_array(struct memo, hd_stacks_count(p->stacks));
	add_rows(&b, opts);
	free(b.stacks);			/* freed before lay_out() allocates arrays of a similar size */
	free(b.trail);
	rank_labels(&b);
	lay_out(&b, t);
	free(b.paths);
	hd_trie_release(&b.trie);
	for (size_t i = t->n - 1; i > 0; i--) {
		struct hd_call_tree_node *up = &t->nodes[t->nodes[i].parent];

		up->total = add_sat(up->total, t->nodes[i].total);
		up->total_samples = add_sat(up->total_samples, t->nodes[i].total_samples);
	}
	hd_strtab_free(b.names);
	hd_map_release(&b.label_ix);
	free(b.labels);
	free(b.frames);
	return t;
}

void hd_call_tree_free(struct hd_call_tree *t)
{
	if (!t)
		return;
	free(t->nodes);
	free(t);
}
