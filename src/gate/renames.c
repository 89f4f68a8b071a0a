/*
 * renames.c - see renames.h
 */
#include "gate/renames.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ROOT UINT32_MAX			/* the "caller" of outermost frames */
/*
 * Maximum number of vanished names of a caller, and of its new names, that are compared with each other; the costliest
 * are kept.
 */
enum { PAIRED_MAX = 1000 };

/* A name that occurs on one side only. */
struct lone {
	uint32_t name, caller;		/* caller: the caller with the largest part of the name's weight */
	double share;
};

struct finding {
	struct hd_renames *out;
	const struct hd_stored_stacks *stacks;
	size_t nbase;
	struct lone *lone[2];		/* sorted by caller, then the costliest first */
	size_t n[2];
	uint32_t (*queue)[2];		/* matched callers: base, head */
	size_t queued, queue_cap;
};

static bool only_on(const struct finding *f, uint32_t name, int side)
{
	return f->out->share[side][name] > 0 && !(f->out->share[!side][name] > 0);
}

static void find_shares(struct finding *f)
{
	const struct hd_stored_stacks *s = f->stacks;
	double all[2] = { 0, 0 };

	for (size_t i = 0; i < s->nlines; i++) {
		const struct hd_stored_stacks_line *l = &s->lines[i];
		int side = l->run >= f->nbase;

		all[side] += l->weight;
		for (uint32_t k = 0; k < l->n; k++)
			if (!k || s->frames[l->first + k - 1] != s->frames[l->first + k])
				f->out->share[side][s->frames[l->first + k]] += l->weight;
	}
	for (size_t i = 0; i < f->out->n; i++)
		for (int side = 0; side < 2; side++)
			f->out->share[side][i] /= all[side] > 0 ? all[side] : 1;
}

/* The weight of each pair of a name that occurs on one side only, and its caller. */
struct edges {
	struct hd_map at;
	struct lone *items;
	size_t n, cap;
};

static void add_edge(struct edges *e, uint32_t name, uint32_t caller, double weight)
{
	uint64_t key = (uint64_t)name << 32 | caller;
	uint32_t at = hd_map_get(&e->at, key);

	if (at == HD_MAP_NONE) {
		at = (uint32_t)e->n;
		HD_GROW(e->items, e->n + 1, e->cap);
		e->items[e->n++] = (struct lone){ name, caller, 0 };
		hd_map_put(&e->at, key, at);
	}
	e->items[at].share += weight;
}

static void find_edges(struct finding *f, struct edges *e)
{
	const struct hd_stored_stacks *s = f->stacks;

	for (size_t i = 0; i < s->nlines; i++) {
		const struct hd_stored_stacks_line *l = &s->lines[i];
		int side = l->run >= f->nbase;

		for (uint32_t k = 0; k < l->n; k++) {
			uint32_t name = s->frames[l->first + k], caller = k ? s->frames[l->first + k - 1] : ROOT;

			if (name != caller && only_on(f, name, side))
				add_edge(e, name, caller, l->weight);
		}
	}
}

static int by_caller(const void *a, const void *b)
{
	const struct lone *x = a, *y = b;

	if (x->caller != y->caller)
		return x->caller < y->caller ? -1 : 1;
	if (x->share != y->share)
		return x->share > y->share ? -1 : 1;
	return (x->name > y->name) - (x->name < y->name);
}

/* Collect the names that occur only in base or only in head, each with the caller from which most of its weight is. */
static void find_lone(struct finding *f)
{
	struct edges e = { 0 };
	uint32_t *best = hd_new_array(uint32_t, f->out->n + 1);

	find_edges(f, &e);
	memset(best, 0xff, f->out->n * sizeof(*best));
	for (size_t i = 0; i < e.n; i++) {
		uint32_t *b = &best[e.items[i].name];

		if (*b == UINT32_MAX || e.items[i].share > e.items[*b].share)
			*b = (uint32_t)i;
	}
	for (int side = 0; side < 2; side++) {
		f->lone[side] = hd_new_array(struct lone, f->out->n + 1);
		for (uint32_t name = 0; name < f->out->n; name++)
			if (best[name] != UINT32_MAX && only_on(f, name, side))
				f->lone[side][f->n[side]++] = (struct lone){ name, e.items[best[name]].caller,
					f->out->share[side][name] };
		qsort(f->lone[side], f->n[side], sizeof(*f->lone[side]), by_caller);
	}
	hd_map_release(&e.at);
	free(e.items);
	free(best);
}

/* ---- pairs ---- */

/*
 * Return the similarity of two names: the length of the common prefix and suffix divided by the length of the longer
 * name.  ns1::f resembles ns2::f, and f resembles f_v2.
 */
static double name_similarity(const char *a, const char *b)
{
	size_t na = strlen(a), nb = strlen(b), least = na < nb ? na : nb, most = na < nb ? nb : na, head = 0, tail = 0;

	while (head < least && a[head] == b[head])
		head++;
	while (tail < least - head && a[na - 1 - tail] == b[nb - 1 - tail])
		tail++;
	return most ? (double)(head + tail) / (double)most : 0;
}

struct pair {
	double score;
	uint32_t base, head;		/* indices in finding.lone[0] and finding.lone[1] */
};

static int best_first(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;

	if (x->score != y->score)
		return x->score > y->score ? -1 : 1;
	return x->base != y->base ? (x->base > y->base ? 1 : -1) : (x->head > y->head) - (x->head < y->head);
}

/*
 * Find the names of f->lone[side] with this `caller`.  Sets *from to the index of the first one.  Returns their number,
 * at most PAIRED_MAX.
 */
static size_t under(const struct finding *f, int side, uint32_t caller, size_t *from)
{
	size_t lo = 0, hi = f->n[side], n = 0;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (f->lone[side][mid].caller < caller)
			lo = mid + 1;
		else
			hi = mid;
	}
	*from = lo;
	while (lo + n < f->n[side] && f->lone[side][lo + n].caller == caller && n < PAIRED_MAX)
		n++;
	return n;
}

static void push(struct finding *f, uint32_t base, uint32_t head)
{
	if (f->queued == f->queue_cap) {
		f->queue_cap = f->queue_cap ? 2 * f->queue_cap : 256;
		f->queue = hd_realloc(f->queue, f->queue_cap, sizeof(*f->queue));
	}
	f->queue[f->queued][0] = base;
	f->queue[f->queued++][1] = head;
}

static void pair_under(struct finding *f, uint32_t caller_base, uint32_t caller_head)
{
	size_t from[2], nb = under(f, 0, caller_base, &from[0]), nh = under(f, 1, caller_head, &from[1]), n = 0;
	struct pair *pairs;

	if (!nb || !nh)
		return;
	pairs = hd_new_array(struct pair, nb * nh);
	for (size_t b = from[0]; b < from[0] + nb; b++)
		for (size_t h = from[1]; h < from[1] + nh; h++) {
			const struct lone *x = &f->lone[0][b], *y = &f->lone[1][h];
			double cost = fabs(log(y->share / x->share));

			pairs[n++] = (struct pair){ name_similarity(hd_strtab_get(f->stacks->names, x->name),
							    hd_strtab_get(f->stacks->names, y->name)) +
					1 / (1 + 3 * cost),
				(uint32_t)b, (uint32_t)h };
		}
	qsort(pairs, n, sizeof(*pairs), best_first);
	for (size_t i = 0; i < n; i++) {
		uint32_t b = f->lone[0][pairs[i].base].name, h = f->lone[1][pairs[i].head].name;

		if (f->out->partner[b] != UINT32_MAX || f->out->partner[h] != UINT32_MAX)
			continue;
		f->out->partner[b] = h;
		f->out->partner[h] = b;
		push(f, b, h);
	}
	free(pairs);
}

void hd_renames_find(struct hd_renames *out, const struct hd_stored_stacks *stacks, size_t nbase)
{
	struct finding f = { .out = out, .stacks = stacks, .nbase = nbase };

	*out = (struct hd_renames){ .n = hd_strtab_count(stacks->names) };
	out->partner = hd_new_array(uint32_t, out->n + 1);
	memset(out->partner, 0xff, out->n * sizeof(*out->partner));
	for (int side = 0; side < 2; side++)
		out->share[side] = hd_zalloc(out->n + 1, sizeof(**out->share));
	find_shares(&f);
	find_lone(&f);
	push(&f, ROOT, ROOT);
	for (uint32_t name = 0; name < out->n; name++)
		if (out->share[0][name] > 0 && out->share[1][name] > 0)
			push(&f, name, name);
	for (size_t i = 0; i < f.queued; i++)
		pair_under(&f, f.queue[i][0], f.queue[i][1]);
	free(f.lone[0]);
	free(f.lone[1]);
	free(f.queue);
}

void hd_renames_release(struct hd_renames *r)
{
	free(r->partner);
	free(r->share[0]);
	free(r->share[1]);
	*r = (struct hd_renames){ 0 };
}
