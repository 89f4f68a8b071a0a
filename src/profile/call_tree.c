/*
 * call_tree.c - see call_tree.h
 *
 * hd_call_tree_new() adds the path of each (comm, stack) pair to a trie once, in order of first occurrence.  Then
 * call_tree_layout.c lays the paths out.
 */
#include "profile/call_tree.h"

#include "base/mem.h"
#include "profile/gpu.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct step {			/* one frame of a row's path, in the order of the tree */
	uint32_t label, flags, frame;	/* frame: id in the profile; 0: the step is a thread name */
};

struct builder {
	const struct hd_profile *p;
	struct hd_call_tree_paths paths;
	struct memo {
		uint32_t comm;		/* id of the thread name, plus 1; 0: `path` is not computed yet */
		uint32_t path;
	} *stacks;			/* indexed by stack: its cached path below the thread name `comm` */
	struct frame_info {
		uint32_t label;		/* label of the frame, plus 1; 0: not computed yet */
		uint32_t flags;		/* bits of HD_CALL_NODE_FRAMES: inlined, JIT, GPU */
	} *frames;			/* indexed by frame id of the profile */
	uint32_t *trail;		/* stack ids from a stack up to the nearest cached path */
	size_t trail_cap;
	struct step *steps;
	size_t steps_cap;
	bool with_places;
};

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

uint32_t hd_call_tree_frame_flags(const struct hd_profile *p, hd_frame_id id)
{
	const struct hd_frame *f = &p->frames[id.v];
	const struct hd_profile_symbol *s = &p->symbols[f->symbol];
	const struct hd_object *object = &p->objects[s->object];
	const char *name = hd_profile_str(p, object->name);

	return (s->unresolved ? HD_CALL_NODE_UNKNOWN : 0) | (s->kernel || object->kernel ? HD_CALL_NODE_KERNEL : 0) |
	       (f->inlined ? HD_CALL_NODE_INLINED : 0) | (is_jit_object(name) ? HD_CALL_NODE_JIT : 0) |
	       (!strcmp(name, HD_GPU_OBJECT) ? HD_CALL_NODE_GPU : 0);
}

static const struct frame_info *info_of(struct builder *b, hd_frame_id id)
{
	static const uint32_t of_label = HD_CALL_NODE_UNKNOWN | HD_CALL_NODE_KERNEL;
	struct frame_info *info = &b->frames[id.v];

	if (!info->label) {
		uint32_t flags = hd_call_tree_frame_flags(b->p, id);
		bool unknown;

		info->label = 1 + hd_call_tree_paths_label(&b->paths, hd_profile_frame_name(b->p, id, &unknown),
			flags & of_label);
		info->flags = flags & ~of_label;
	}
	return info;
}

static struct hd_call_tree_place place_of(const struct hd_profile *p, uint32_t frame)
{
	const struct hd_frame *f = &p->frames[frame];

	return (struct hd_call_tree_place){ p->symbols[f->symbol].object, f->file, f->line, f->line };
}

/* Return the path `parent` extended by a label.  frame: id in the profile; 0 for a thread name. */
static uint32_t add_path(struct builder *b, uint32_t parent, uint32_t label, uint32_t flags, uint32_t frame)
{
	size_t had = b->paths.n;
	uint32_t id = hd_call_tree_paths_add(&b->paths, parent, label, flags);

	if (b->with_places) {
		struct hd_call_tree_place at = place_of(b->p, frame);

		hd_call_tree_paths_place(&b->paths, id, &at, b->paths.n > had);
	}
	return id;
}

/*
 * Return the path of a stack below the path `top`, that of the thread name.  Go up to the nearest caller whose path is
 * cached, then add the missing paths.
 */
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
		uint32_t frame = nodes[b->trail[--n]].frame;
		const struct frame_info *f = info_of(b, (hd_frame_id){ frame });

		at = add_path(b, at, f->label - 1, f->flags, frame);
		b->stacks[b->trail[n]] = (struct memo){ comm + 1, at };
	}
	return at;
}

static bool is_below(const struct builder *b, const struct step *s, const struct hd_string_list *below)
{
	return s->frame && hd_string_list_has(below, b->paths.labels[s->label].name);
}

/*
 * Store the path of a row in b->steps, in the order of the tree.  Returns the number of steps, or -1 if opts->below
 * drops the row.
 */
static ptrdiff_t steps_of(struct builder *b, const struct hd_sample_row *r, const struct hd_call_tree_opts *opts)
{
	const struct hd_stack_node *nodes = hd_stacks_nodes(b->p->stacks);
	size_t n = 0, cut = 0;

	for (hd_stack_id s = r->stack; s.v; s.v = nodes[s.v].caller) {	/* innermost frame first */
		const struct frame_info *f = info_of(b, (hd_frame_id){ nodes[s.v].frame });

		HD_GROW(b->steps, n + 2, b->steps_cap);
		b->steps[n++] = (struct step){ f->label - 1, f->flags, nodes[s.v].frame };
	}
	if (opts->below) {
		for (size_t i = 0; i < n; i++)
			cut = is_below(b, &b->steps[i], opts->below) ? i + 1 : cut;
		if (!cut)
			return -1;
		n = cut;
	} else if (opts->by_comm) {
		HD_GROW(b->steps, n + 1, b->steps_cap);
		b->steps[n++] = (struct step){
			hd_call_tree_paths_label(&b->paths, hd_profile_str(b->p, r->comm), HD_CALL_NODE_COMM), 0, 0 };
	}
	for (size_t i = 0; i < n / 2 && !opts->reverse; i++) {
		struct step x = b->steps[i];

		b->steps[i] = b->steps[n - 1 - i];
		b->steps[n - 1 - i] = x;
	}
	return (ptrdiff_t)n;
}

static void add_rows(struct builder *b, const struct hd_call_tree_opts *opts)
{
	const struct hd_sample_rows *rows = &b->p->rows;

	for (size_t i = 0; i < rows->n; i++) {
		const struct hd_sample_row *r = &rows->items[i];
		uint32_t comm = opts->by_comm ? r->comm : 0, at = 0;

		if (r->event != opts->event)
			continue;
		if (opts->reverse || opts->below) {
			ptrdiff_t n = steps_of(b, r, opts);

			if (n < 0)
				continue;
			for (ptrdiff_t k = 0; k < n; k++)
				at = add_path(b, at, b->steps[k].label, b->steps[k].flags, b->steps[k].frame);
		} else {
			if (opts->by_comm)
				at = add_path(b, 0, hd_call_tree_paths_label(&b->paths, hd_profile_str(b->p, comm),
					HD_CALL_NODE_COMM), 0, 0);
			at = path_of(b, comm, at, r->stack);
		}
		hd_call_tree_paths_cost(&b->paths, at, r->weight, r->count);
	}
}

/* ---- without light nodes ---- */

/* A label ends at the first NUL, so a name with a NUL can have the label of another name. */
static bool has_nul(const struct hd_profile *p, uint32_t name)
{
	return memchr(hd_profile_str(p, name), '\0', hd_strtab_len(p->names, name)) != NULL;
}

/*
 * Return true if all frames have different labels, and all thread names do.  Names with a NUL count as equal to others.
 * Equal names have equal ids, so no text is compared.
 */
static bool has_distinct_labels(const struct hd_profile *p)
{
	/* indexed by name id: one bit for each combination of unresolved and kernel */
	unsigned char *seen = hd_new_array(unsigned char, hd_strtab_count(p->names));
	bool distinct = true;

	for (uint32_t i = 1; i < p->nframes && distinct; i++) {
		const struct hd_profile_symbol *s = &p->symbols[p->frames[i].symbol];
		uint32_t name = s->unresolved ? p->objects[0].name : s->name;	/* the name of object 0 is HD_UNKNOWN */
		bool kernel = s->kernel || p->objects[s->object].kernel;
		unsigned char bit = (unsigned char)(1 << (2 * s->unresolved + kernel));

		distinct = !(seen[name] & bit) && !has_nul(p, name);
		seen[name] |= bit;
	}
	free(seen);
	for (size_t i = 0; i < p->rows.n && distinct; i++)
		if (!i || p->rows.items[i].comm != p->rows.items[i - 1].comm)
			distinct = !has_nul(p, p->rows.items[i].comm);
	return distinct;
}

/* Add the rows as add_rows() does, but without the callees of light nodes (hd_call_tree_opts.least). */
static void add_heavy_rows(struct builder *b, struct hd_heavy_paths *h, const struct hd_call_tree_opts *opts)
{
	const struct hd_stack_node *nodes = hd_stacks_nodes(b->p->stacks);
	uint32_t *path;

	hd_heavy_paths_init(h, b->p, opts->event, opts->by_comm, opts->least, opts->least_context);
	path = hd_new_array(uint32_t, h->n);
	for (size_t i = 1; i < h->n; i++) {
		const struct hd_heavy_path *from = &h->items[i];
		uint32_t frame = nodes[from->stack].frame;
		const struct frame_info *f = info_of(b, (hd_frame_id){ frame });

		path[i] = from->stack ? add_path(b, path[from->parent], f->label - 1, f->flags, frame)
			: add_path(b, 0, hd_call_tree_paths_label(&b->paths, hd_profile_str(b->p, from->comm),
				HD_CALL_NODE_COMM), 0, 0);
		b->paths.items[path[i]].omitted = from->omitted;
	}
	b->paths.items[0].omitted = h->items[0].omitted;
	for (size_t i = 0; i < h->nrows; i++) {
		const struct hd_sample_row *r = &b->p->rows.items[h->rows[i].row];

		hd_call_tree_paths_cost(&b->paths, path[h->rows[i].path], r->weight, r->count);
	}
	free(path);
}

/* ---- in the order of the rows ---- */

/*
 * Append the samples in order of time; without hd_profile.timed, append the rows in their order.  A sample continues
 * the outer frames that it shares with the previous sample.  Its other frames become new nodes.
 */
static void lay_out_in_order(struct builder *b, struct hd_call_tree *t, const struct hd_call_tree_opts *opts)
{
	const struct hd_timed_samples *timed = b->p->timed;
	size_t nrows = timed ? timed->n : b->p->rows.n, cap = 0, labels_cap = 0, open_cap = 0, starts_cap = 0,
		depth = 0;
	size_t places_cap = 0;
	uint32_t *open = NULL, *labels = NULL;	/* open: node of each depth */
	uint64_t sum = 0;

	HD_GROW(open, 1, open_cap);
	HD_GROW(labels, 1, labels_cap);
	HD_GROW(t->nodes, 1, cap);
	HD_GROW(t->starts, 1, starts_cap);
	t->starts[0] = 0;
	if (b->with_places) {
		HD_GROW(t->places, 1, places_cap);
		t->places[0] = (struct hd_call_tree_place){ 0 };
	}
	t->nodes[t->n++] = (struct hd_call_tree_node){ .name = "all", .flags = HD_CALL_NODE_ROOT };
	open[0] = 0;
	for (size_t i = 0; i < nrows; i++) {
		const struct hd_sample_row *r = &b->p->rows.items[timed ? timed->items[i].row : i];
		ptrdiff_t n = r->event == opts->event ? steps_of(b, r, opts) : -1;
		size_t common = 0;
		uint64_t weight;

		if (n < 0)
			continue;
		while (common < depth && common < (size_t)n && labels[open[common + 1]] == b->steps[common].label)
			common++;
		for (size_t d = depth; d > common; d--)
			t->nodes[open[d]].end = (uint32_t)t->n;
		for (depth = common; depth < (size_t)n; depth++) {
			const struct step *s = &b->steps[depth];
			const struct hd_call_tree_label *label = &b->paths.labels[s->label];

			HD_GROW(open, depth + 2, open_cap);
			HD_GROW(labels, t->n + 1, labels_cap);
			HD_GROW(t->nodes, t->n + 1, cap);
			HD_GROW(t->starts, t->n + 1, starts_cap);
			labels[t->n] = s->label;
			t->starts[t->n] = sum;
			t->nodes[t->n] = (struct hd_call_tree_node){ .name = label->name, .parent = open[depth],
				.depth = (uint32_t)depth + 1, .flags = label->flags | s->flags };
			if (depth + 1 > t->max_depth)
				t->max_depth = (uint32_t)depth + 1;
			if (b->with_places) {
				HD_GROW(t->places, t->n + 1, places_cap);
				t->places[t->n] = place_of(b->p, s->frame);
			}
			open[depth + 1] = (uint32_t)t->n++;
		}
		weight = timed ? timed->items[i].weight : r->weight;
		sum = hd_call_tree_add(sum, weight);
		t->nodes[open[n]].self = hd_call_tree_add(t->nodes[open[n]].self, weight);
		t->nodes[open[n]].self_samples = hd_call_tree_add(t->nodes[open[n]].self_samples, timed ? 1 : r->count);
	}
	for (size_t d = 0; d <= depth; d++)
		t->nodes[open[d]].end = (uint32_t)t->n;
	for (size_t i = 0; i < t->n; i++) {
		t->nodes[i].total = t->nodes[i].self;
		t->nodes[i].total_samples = t->nodes[i].self_samples;
	}
	for (size_t i = t->n - 1; i > 0; i--) {
		struct hd_call_tree_node *up = &t->nodes[t->nodes[i].parent];

		up->total = hd_call_tree_add(up->total, t->nodes[i].total);
		up->total_samples = hd_call_tree_add(up->total_samples, t->nodes[i].total_samples);
	}
	free(open);
	free(labels);
}

static void release(struct builder *b)
{
	free(b->stacks);
	free(b->trail);
	free(b->steps);
	free(b->frames);
}

/* Lay out all paths of the builder and release it. */
static struct hd_call_tree *finish(struct builder *b, const struct hd_call_tree_opts *opts)
{
	/* Free these arrays before hd_call_tree_paths_finish() allocates similar ones, to lower the peak of memory. */
	release(b);
	return hd_call_tree_paths_finish(&b->paths, opts->event);
}

struct hd_call_tree *hd_call_tree_new(const struct hd_profile *p, const struct hd_call_tree_opts *opts)
{
	struct builder b = { .p = p, .with_places = opts->places };
	struct hd_heavy_paths heavy = { 0 };
	struct hd_call_tree *t;

	hd_call_tree_paths_init(&b.paths, "all", HD_CALL_NODE_ROOT);
	b.frames = hd_new_array(struct frame_info, p->nframes);
	if (opts->in_order) {
		t = hd_new(struct hd_call_tree);
		t->event = opts->event;
		lay_out_in_order(&b, t, opts);
		hd_call_tree_free(finish(&b, opts));	/* only its labels were used */
		return t;
	}
	if (opts->least && !opts->reverse && !opts->below && has_distinct_labels(p)) {
		add_heavy_rows(&b, &heavy, opts);
		t = finish(&b, opts);
		t->least = heavy.least;
		t->max_depth = heavy.max_depth;
		hd_heavy_paths_release(&heavy);
		return t;
	}
	b.stacks = hd_new_array(struct memo, hd_stacks_count(p->stacks));
	add_rows(&b, opts);
	return finish(&b, opts);
}
