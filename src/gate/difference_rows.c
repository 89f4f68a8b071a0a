/*
 * difference_rows.c - see difference_rows.h
 */
#include "gate/difference_rows.h"

#include "profile/call_tree.h"
#include "base/mem.h"
#include "stats/multiple.h"
#include "stats/shares.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SIGNIFICANT 0.05

static uint64_t add_sat(uint64_t a, uint64_t b)
{
	uint64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

/* ---- the figures of a row ---- */

static void judge(struct hd_difference_row *r, const struct hd_difference *d)
{
	bool known = d->samples[HD_BASE] > 0 && d->samples[HD_HEAD] > 0;
	double all[2] = { d->samples[HD_BASE], d->samples[HD_HEAD] / d->scale };
	struct hd_shares s;

	for (unsigned side = 0; side < 2; side++) {
		double weight = (double)d->weight[side];

		r->share[side] = weight > 0 ? 100 * (double)r->self[side] / weight : 0;
		r->total_share[side] = weight > 0 ? 100 * (double)r->total[side] / weight : 0;
		r->hits[side] = known ? r->share[side] / 100 * d->samples[side] : NAN;
		r->cost[side] = (double)r->self[side] / d->divisor[side];
	}
	r->points = r->share[HD_HEAD] - r->share[HD_BASE];
	r->relative = r->share[HD_BASE] > 0 ? 100 * r->points / r->share[HD_BASE] : r->points > 0 ? INFINITY : 0;
	r->cost_points = r->share[HD_HEAD] * d->scale - r->share[HD_BASE];
	r->change = r->share[HD_BASE] > 0 ? 100 * r->cost_points / r->share[HD_BASE]
		: r->share[HD_HEAD] > 0   ? INFINITY
					  : 0;
	r->lo = r->hi = NAN;
	r->p = r->q = NAN;
	if (!known || r->hits[HD_BASE] + r->hits[HD_HEAD] < HD_SHARES_FEW)
		return;
	/*
	 * The totals are sample counts on a common scale: a function that costs the same on both sides has the same
	 * share of both totals.  A binomial count of a much larger total is a Poisson count.
	 */
	for (unsigned side = 0; side < 2; side++)
		all[side] = fmin(d->as_they_are ? all[side] * 1e6 : fmax(all[side], r->hits[side]), 1e18);
	s = hd_shares_compare((uint64_t)llround(r->hits[HD_BASE]), (uint64_t)llround(all[HD_BASE]),
		(uint64_t)llround(r->hits[HD_HEAD]), (uint64_t)llround(all[HD_HEAD]));
	r->p = r->hits[HD_BASE] < HD_SHARES_FEW || r->hits[HD_HEAD] < HD_SHARES_FEW ? s.p_two : s.p_z;
}

struct hd_difference_row hd_difference_at(const struct hd_difference *d, uint32_t node)
{
	const struct hd_difference_node *n = &d->nodes[node];
	struct hd_difference_row r = { .name = n->name, .node = node };

	for (unsigned side = 0; side < 2; side++)
		r.self[side] = r.total[side] = n->total[side];
	judge(&r, d);
	r.significant = r.p <= SIGNIFICANT;
	return r;
}

/* Set q and `significant` of each row, by adjusting the p-values for the number of rows. */
static void adjust(struct hd_difference_row *rows, size_t n)
{
	double *p = hd_new_array(double, n + 1), *q = hd_new_array(double, n + 1);

	for (size_t i = 0; i < n; i++)
		p[i] = rows[i].p;
	if (hd_multiple_adjust(HD_MULTIPLE_BH, q, p, n) < 0)
		hd_out_of_memory("p-values");
	for (size_t i = 0; i < n; i++) {
		rows[i].q = q[i];
		rows[i].significant = q[i] <= SIGNIFICANT;
	}
	free(p);
	free(q);
}

/* ---- order ---- */

static int by_points(const struct hd_difference_row *x, const struct hd_difference_row *y)
{
	double a = fabs(x->points), b = fabs(y->points);

	return a < b ? 1 : a > b ? -1 : 0;
}

/*
 * A row and its rank, by which ties are broken: for a symbol, the rank of its name; for a stack, the position of its
 * node in the depth-first walk of the tree.  It is stored here because the comparison function of qsort() has no extra
 * argument.
 */
struct ranked {
	struct hd_difference_row row;
	uint32_t rank;
};

static int by_points_and_rank(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;
	int c = by_points(&x->row, &y->row);

	return c ? c : (x->rank > y->rank) - (x->rank < y->rank);
}

struct named {
	const char *key;
	uint32_t flags, id;
};

static int by_key(const void *a, const void *b)
{
	const struct named *x = a, *y = b;
	int c = strcmp(x->key, y->key);

	return c ? c : (x->flags > y->flags) - (x->flags < y->flags);
}

/* Return the rank of each name in byte order. */
static uint32_t *rank_names(const struct hd_difference *d)
{
	struct named *named = hd_new_array(struct named, d->nnames + 1);
	uint32_t *rank = hd_new_array(uint32_t, d->nnames + 1);

	for (uint32_t i = 0; i < d->nnames; i++)
		named[i] = (struct named){ d->names[i].key, d->names[i].flags, i };
	if (d->nnames)
		qsort(named, d->nnames, sizeof(*named), by_key);
	for (uint32_t i = 0; i < d->nnames; i++)
		rank[named[i].id] = i;
	free(named);
	return rank;
}

static void sort_rows(struct hd_difference_row *rows, size_t n, const uint32_t *rank, bool stacks)
{
	struct ranked *r = hd_new_array(struct ranked, n + 1);

	for (size_t i = 0; i < n; i++)
		r[i] = (struct ranked){ rows[i], stacks ? rank[rows[i].node] : rank[rows[i].name] };
	if (n)
		qsort(r, n, sizeof(*r), by_points_and_rank);
	for (size_t i = 0; i < n; i++)
		rows[i] = r[i].row;
	free(r);
}

/* ---- walking ---- */

/*
 * Walk the tree depth first, children in the order of their names.  Return the position of each node in this order; the
 * caller frees it.  The totals of names are added to `symbols`; a recursive function counts once.
 */
static uint32_t *walk(const struct hd_difference *d, const uint32_t *rank, struct hd_difference_row *symbols)
{
	size_t n = d->nnodes;
	uint32_t *order = hd_new_array(uint32_t, n), *start = hd_new_array(uint32_t, n + 1),
		 *kids = hd_new_array(uint32_t, n);
	uint32_t *by_rank = hd_new_array(uint32_t, d->nnames + 2), *sorted = hd_new_array(uint32_t, n),
		 *open = hd_new_array(uint32_t, d->nnames + 1);
	uint32_t *next = hd_new_array(uint32_t, n), at = 0, seen = 0;

	/*
	 * Counting sort of all nodes by the rank of their name, then by parent; it is stable, so children are in
	 * order of names.
	 */
	for (size_t i = 1; i < n; i++)
		by_rank[rank[d->nodes[i].name] + 1]++;
	for (size_t i = 0; i < d->nnames; i++)
		by_rank[i + 1] += by_rank[i];
	for (uint32_t i = 1; i < n; i++)
		sorted[by_rank[rank[d->nodes[i].name]]++] = i;
	for (size_t i = 1; i < n; i++)
		start[d->nodes[i].parent + 1]++;
	for (size_t i = 0; i < n; i++)
		start[i + 1] += start[i];
	memcpy(next, start, n * sizeof(*next));
	for (size_t i = 0; i + 1 < n; i++)
		kids[next[d->nodes[sorted[i]].parent]++] = sorted[i];
	memcpy(next, start, n * sizeof(*next));
	for (;;) {
		if (next[at] < start[at + 1]) {
			const struct hd_difference_node *to;

			at = kids[next[at]++];
			to = &d->nodes[at];
			order[at] = ++seen;
			if (open[to->name]++ == 0)
				for (unsigned side = 0; side < 2; side++)
					symbols[to->name].total[side] = add_sat(symbols[to->name].total[side],
						to->total[side]);
			continue;
		}
		if (!at)
			break;
		open[d->nodes[at].name]--;
		at = d->nodes[at].parent;
	}
	free(start);
	free(kids);
	free(by_rank);
	free(sorted);
	free(open);
	free(next);
	return order;
}

void hd_difference_rows(struct hd_difference *d)
{
	uint32_t *rank = rank_names(d), *order;
	size_t n = 0;

	d->symbols = hd_new_array(struct hd_difference_row, d->nnames + 1);
	d->stacks = hd_new_array(struct hd_difference_row, d->nnodes + 1);
	for (uint32_t i = 0; i < d->nnames; i++)
		d->symbols[i].name = i;
	order = walk(d, rank, d->symbols);
	for (uint32_t i = 1; i < d->nnodes; i++) {
		const struct hd_difference_node *x = &d->nodes[i];
		struct hd_difference_row *row;

		if (!x->self[HD_BASE] && !x->self[HD_HEAD])
			continue;
		row = &d->stacks[d->nstacks++];
		row->node = i;
		row->name = x->name;
		for (unsigned side = 0; side < 2; side++)
			row->self[side] = row->total[side] = x->self[side];
		judge(row, d);
	}
	for (size_t i = 0; i < d->nnames; i++) {
		for (unsigned side = 0; side < 2; side++) {
			d->symbols[i].self[side] = d->names[i].self[side];
			/* a function without a place in the stacks, such as an unnamed address */
			if (d->symbols[i].total[side] < d->symbols[i].self[side])
				d->symbols[i].total[side] = d->symbols[i].self[side];
		}
		if (d->names[i].flags & HD_CALL_NODE_COMM && !d->symbols[i].self[HD_BASE] &&
			!d->symbols[i].self[HD_HEAD])
			continue;		/* a comm is listed only if samples have no other frame */
		d->symbols[n] = d->symbols[i];
		judge(&d->symbols[n], d);
		d->moved += fabs(d->symbols[n++].points) / 2;
	}
	d->nsymbols = n;
	adjust(d->symbols, d->nsymbols);
	adjust(d->stacks, d->nstacks);
	sort_rows(d->symbols, d->nsymbols, rank, false);
	sort_rows(d->stacks, d->nstacks, order, true);
	free(rank);
	free(order);
}
