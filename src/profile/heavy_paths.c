/*
 * heavy_paths.c - see heavy_paths.h
 *
 * The rows are sorted by thread name, so one array of path indexes, indexed by stack, is enough.  A path index in this
 * array that is below the first path of the current thread name is from an earlier thread name.  The stack then has no
 * path with the current thread name yet.
 */
#include "profile/heavy_paths.h"

#include "base/mem.h"
#include "profile/call_tree_layout.h"

#include <stdlib.h>

struct path {
	uint32_t stack;			/* stack id; 0: the path is a thread name or the root */
	uint32_t parent;
};

struct finder {
	const struct hd_stack_node *nodes;
	struct path *paths;
	size_t n, cap;
	uint32_t *of_stack;		/* path of each stack; a value below `first`: none */
	uint32_t first;			/* first path of the current thread name */
	uint32_t *trail;		/* stacks whose paths are to be added, innermost first */
	size_t trail_cap;
	uint32_t *comms;		/* thread names, in the order of their paths */
	size_t ncomms, comms_cap;
};

static uint32_t add(struct finder *f, uint32_t stack, uint32_t parent)
{
	HD_GROW(f->paths, f->n + 1, f->cap);
	f->paths[f->n] = (struct path){ stack, parent };
	return (uint32_t)f->n++;
}

/* Return the path of a stack below the path `top`.  Add the paths of the stack and its callers that are new. */
static uint32_t path_of(struct finder *f, uint32_t stack, uint32_t top)
{
	size_t n = 0;
	uint32_t at;

	HD_GROW(f->trail, f->nodes[stack].depth, f->trail_cap);
	for (; stack && f->of_stack[stack] < f->first; stack = f->nodes[stack].caller)
		f->trail[n++] = stack;
	at = stack ? f->of_stack[stack] : top;
	while (n-- > 0)
		at = f->of_stack[f->trail[n]] = add(f, f->trail[n], at);
	return at;
}

/* Set h->rows to the rows of an event; sort them by thread name if by_comm is set. */
static void sort_rows(struct hd_heavy_paths *h, const struct hd_profile *p, uint32_t event, bool by_comm)
{
	size_t *next = hd_new_array(size_t, (size_t)hd_strtab_count(p->names) + 1);

	for (size_t i = 0; i < p->rows.n; i++)
		if (p->rows.items[i].event == event) {
			next[by_comm ? p->rows.items[i].comm + 1 : 1]++;
			h->nrows++;
		}
	for (uint32_t c = 0; c < hd_strtab_count(p->names); c++)
		next[c + 1] += next[c];
	h->rows = hd_new_array(struct hd_heavy_row, h->nrows);
	for (size_t i = 0; i < p->rows.n; i++)
		if (p->rows.items[i].event == event)
			h->rows[next[by_comm ? p->rows.items[i].comm : 0]++].row = (uint32_t)i;
	free(next);
}

/* Find the paths of all rows. */
static void find_paths(struct finder *f, struct hd_heavy_paths *h, const struct hd_profile *p, bool by_comm)
{
	uint32_t top = add(f, 0, 0), comm = 0;

	f->first = 1;
	for (size_t i = 0; i < h->nrows; i++) {
		const struct hd_sample_row *r = &p->rows.items[h->rows[i].row];
		uint32_t depth = f->nodes[r->stack.v].depth + by_comm;

		if (by_comm && (!i || r->comm != comm)) {
			comm = r->comm;
			f->first = top = add(f, 0, 0);
			HD_GROW(f->comms, f->ncomms + 1, f->comms_cap);
			f->comms[f->ncomms++] = comm;
		}
		h->rows[i].path = path_of(f, r->stack.v, top);
		if (depth > h->max_depth)
			h->max_depth = depth;
	}
}

static uint64_t *add_up(const struct finder *f, const struct hd_heavy_paths *h, const struct hd_profile *p)
{
	uint64_t *total = hd_new_array(uint64_t, f->n);

	for (size_t i = 0; i < h->nrows; i++) {
		uint64_t *to = &total[h->rows[i].path];

		*to = hd_call_tree_add(*to, p->rows.items[h->rows[i].row].weight);
	}
	for (size_t i = f->n - 1; i > 0; i--)
		total[f->paths[i].parent] = hd_call_tree_add(total[f->paths[i].parent], total[i]);
	return total;
}

/*
 * Copy the paths whose parents are heavy to h->items.  place[i] becomes the item of path i, or of its nearest caller
 * that has one.
 */
static void keep_heavy(const struct finder *f, struct hd_heavy_paths *h, const uint64_t *total, uint32_t *place)
{
	size_t comm = 0;

	for (size_t i = 0; i < f->n; i++) {
		uint32_t parent = f->paths[i].parent, at = place[parent];
		bool is_comm = i && !f->paths[i].stack;

		comm += is_comm;
		if (i && total[parent] < h->least) {
			place[i] = at;
			h->items[at].omitted++;
			continue;
		}
		HD_GROW(h->items, h->n + 1, h->cap);
		place[i] = (uint32_t)h->n;
		h->items[h->n++] = (struct hd_heavy_path){ .stack = f->paths[i].stack, .parent = at,
			.comm = is_comm ? f->comms[comm - 1] : 0 };
	}
}

void hd_heavy_paths_init(struct hd_heavy_paths *h, const struct hd_profile *p, uint32_t event, bool by_comm,
	hd_heavy_paths_least *least, const void *context)
{
	struct finder f = { .nodes = hd_stacks_nodes(p->stacks) };
	uint64_t *total;
	uint32_t *place;

	*h = (struct hd_heavy_paths){ 0 };
	f.of_stack = hd_new_array(uint32_t, hd_stacks_count(p->stacks));
	sort_rows(h, p, event, by_comm);
	find_paths(&f, h, p, by_comm);
	free(f.of_stack);
	free(f.trail);
	total = add_up(&f, h, p);
	h->least = least(context, total, f.n);
	place = hd_new_array(uint32_t, f.n);
	keep_heavy(&f, h, total, place);
	for (size_t i = 0; i < h->nrows; i++)
		h->rows[i].path = place[h->rows[i].path];
	free(total);
	free(place);
	free(f.paths);
	free(f.comms);
}

void hd_heavy_paths_release(struct hd_heavy_paths *h)
{
	free(h->items);
	free(h->rows);
	*h = (struct hd_heavy_paths){ 0 };
}
