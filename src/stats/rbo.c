/*
 * rbo.c - see ranking.h: compute the rank-biased overlap of rankings with ties
 *
 * At depth d, an item of a tie group at ranks from..to counts c(d): 0 before the group, 1 from its end on, and within
 * it the probability that a random order of the group has it among the first d, (d - from + 1) / size.  Under variant
 * w it counts 1 from the start of the group.  With X = sum c_x c_y over common items, the agreement is
 *
 *     a  X / d        b  X / sqrt(sum c_x^2 sum c_y^2)        w  2 X / (sum c_x + sum c_y)
 *
 * The shorter list has length s, the longer one l.  From s+1 to l, the d - s unseen items of the shorter list are
 * assumed to be
 *
 *     ext  common with a probability equal to the agreement at s; then they count as much as the average item that only
 *          the longer list has so far
 *     min  never common
 *     max  the items that only the longer list has, in its order
 *
 * Beyond l: ext keeps its agreement, min keeps the number of common items, max adds two common items per rank until all
 * items are common.
 */
#include "stats/ranking.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

struct place {
	size_t from, to;	/* ranks of its group, from 1 */
	size_t in_short;	/* for an item of the longer list: its index in the shorter one, or SIZE_MAX */
};

struct lists {
	struct place *small, *large;
	size_t s, l, depth;	/* depth: deeper ranks have no weight */
	double p;
	enum hd_ties ties;
};

struct sums {
	double x;
	/*
	 * Sums over the items down to depth d that only the longer list has.  c is the count that the comment at the
	 * top of this file defines.
	 */
	double own;			/* sum of c */
	double own_begun;		/* number of these items */
	double own_first;		/* sum of c over the first d - s of these items */
	double c_small, c_large;		/* terms of the denominator */
};

static void set_places(struct place *at, struct hd_ranking r)
{
	for (size_t i = 0, end; i < r.n; i = end) {
		end = i + 1;
		while (r.group && end < r.n && r.group[end] == r.group[i])
			end++;
		for (size_t k = i; k < end; k++)
			at[k] = (struct place){ i + 1, end, SIZE_MAX };
	}
}

static void find_common(struct lists *ls, struct hd_ranking small, struct hd_ranking large)
{
	for (size_t j = 0; j < ls->l && ls->large[j].from <= ls->depth; j++)
		for (size_t i = 0; i < ls->s && ls->small[i].from <= ls->depth; i++)
			if (small.item[i] == large.item[j]) {
				ls->large[j].in_short = i;
				break;
			}
}

static double counts(const struct place *at, size_t d, enum hd_ties ties)
{
	if (d < at->from)
		return 0;
	if (d >= at->to || ties == HD_TIES_W)
		return 1;
	return (double)(d - at->from + 1) / (double)(at->to - at->from + 1);
}

static struct sums sums_at(const struct lists *ls, size_t d)
{
	size_t unseen = d > ls->s ? d - ls->s : 0, taken = 0;
	struct sums sum = { .c_small = (double)unseen };

	for (size_t i = 0; i < ls->s && ls->small[i].from <= d; i++) {
		double c = counts(&ls->small[i], d, ls->ties);

		sum.c_small += ls->ties == HD_TIES_B ? c * c : c;
	}
	for (size_t j = 0; j < ls->l && ls->large[j].from <= d; j++) {
		double c = counts(&ls->large[j], d, ls->ties);

		sum.c_large += ls->ties == HD_TIES_B ? c * c : c;
		if (ls->large[j].in_short != SIZE_MAX) {
			sum.x += c * counts(&ls->small[ls->large[j].in_short], d, ls->ties);
			continue;
		}
		sum.own += c;
		sum.own_begun++;
		sum.own_first += taken++ < unseen ? c : 0;
	}
	return sum;
}

static double agreement(const struct lists *ls, const struct sums *sum, size_t d, double x)
{
	double below = ls->ties == HD_TIES_A ? (double)d
		: ls->ties == HD_TIES_B      ? sqrt(sum->c_small * sum->c_large)
					     : (sum->c_small + sum->c_large) / 2;

	return below > 0 ? x / below : 0;
}

/*
 * Return the part of the bound `max` that comes from depths greater than `from`: the sum over d > from of p^d times the
 * largest possible agreement at depth d.  x_max is the number of common items at depth `from`.  Each further rank can
 * add two common items, but at depth d there are at most d.
 */
static double tail_of_max(double x_max, size_t from, double p)
{
	double sum = 0, weight = pow(p, (double)from);
	size_t d = from;

	while (x_max + 2 * (double)(d - from) < (double)d && weight > 1e-18) {
		d++;
		weight *= p;
		sum += weight * fmin(1, (x_max + 2 * (double)(d - from)) / (double)d);
	}
	return sum + weight * p / (1 - p);
}

static void add_up(struct hd_rbo *out, const struct lists *ls)
{
	double weight = 1, agree_s = 0, ext = 0, min = 0, max = 0, p = ls->p, harmonic = 0, kept = 0;
	size_t to = ls->l < ls->depth ? ls->l : ls->depth;
	struct sums sum = { 0 };

	for (size_t d = 1; d <= to; d++) {
		double seen, unseen = d > ls->s ? (double)(d - ls->s) : 0;

		weight *= p;
		sum = sums_at(ls, d);
		seen = agreement(ls, &sum, d, sum.x);
		harmonic += weight / (double)d;
		if (d <= ls->s)
			agree_s = seen;
		kept = sum.x + (sum.own_begun > 0 ? unseen * agree_s * sum.own / sum.own_begun : 0);
		ext += weight * agreement(ls, &sum, d, kept);
		min += weight * seen;
		max += weight * agreement(ls, &sum, d, sum.x + sum.own_first);
	}
	if (to == ls->l) {	/* all tie groups have ended, so the variants agree */
		double unseen = (double)(ls->l - ls->s);

		ext += weight * (sum.x + unseen * agree_s) / (double)ls->l * p / (1 - p);
		min += sum.x * (-log1p(-p) - harmonic);
		max += tail_of_max(sum.x + unseen, ls->l, p);
	}
	out->ext = ext * (1 - p) / p;
	out->min = min * (1 - p) / p;
	out->max = max * (1 - p) / p;
	out->res = out->max - out->min;
}

int hd_rbo(struct hd_rbo *out, struct hd_ranking x, struct hd_ranking y, double p, enum hd_ties ties)
{
	struct hd_ranking small = x.n <= y.n ? x : y, large = x.n <= y.n ? y : x;
	struct lists ls = { .s = small.n, .l = large.n, .p = p, .ties = ties };

	*out = (struct hd_rbo){ 1, 1, 1, 0 };
	if (!large.n)
		return HD_STATS_OK;
	ls.depth = (size_t)ceil(log(1e-18) / log(p));
	ls.small = malloc((ls.s + ls.l) * sizeof(*ls.small));
	if (!ls.small)
		return HD_STATS_NOMEM;
	ls.large = ls.small + ls.s;
	set_places(ls.small, small);
	set_places(ls.large, large);
	find_common(&ls, small, large);
	add_up(out, &ls);
	free(ls.small);
	return HD_STATS_OK;
}
