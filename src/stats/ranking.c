/*
 * ranking.c - see ranking.h: compare top-k lists, and compute correlations; rbo.c has rank-biased overlap
 */
#include "stats/ranking.h"

#include <math.h>
#include <stdbool.h>

/* Return the index of an item in a list of k items; k if it is missing. */
static size_t place(const uint32_t *list, size_t k, uint32_t item)
{
	size_t i = 0;

	while (i < k && list[i] != item)
		i++;
	return i;
}

double hd_average_overlap(struct hd_ranking x, struct hd_ranking y, size_t depth)
{
	double sum = 0;
	size_t common = 0;

	for (size_t d = 0; d < depth; d++) {
		if (d < x.n)
			common += place(y.item, y.n < d ? y.n : d, x.item[d]) < (y.n < d ? y.n : d);
		if (d < y.n)
			common += place(x.item, x.n < d + 1 ? x.n : d + 1, y.item[d]) < (x.n < d + 1 ? x.n : d + 1);
		sum += (double)common / (double)(d + 1);
	}
	return depth ? sum / (double)depth : 1;
}

/* Count the pairs of items that are in both lists, but in a different order. */
static double swapped(const uint32_t *x, const uint32_t *y, size_t k)
{
	double n = 0;

	for (size_t i = 0; i < k; i++)
		for (size_t j = i + 1; j < k; j++) {
			size_t a = place(y, k, x[i]), b = place(y, k, x[j]);

			n += a < k && b < k && a > b;
		}
	return n;
}

/*
 * Compare two lists of k items, of which z are in both.  Their Kendall distance K^(p), where p is the penalty and ranks
 * count from 1, is computed by this closed form:
 *
 *     (k-z)((2+p)k - pz + 1 - p) + swapped pairs - (sum of the ranks of items that only x has)
 *                                                - (sum of the ranks of items that only y has)
 */
struct hd_topk hd_topk(const uint32_t *x, const uint32_t *y, size_t k, double penalty)
{
	double common = 0, own = 0, footrule = 0, kk = (double)k, z;

	for (size_t i = 0; i < k; i++) {
		size_t in_y = place(y, k, x[i]), in_x = place(x, k, y[i]);

		common += in_y < k;
		own += in_y < k ? 0 : (double)(i + 1);
		own += in_x < k ? 0 : (double)(i + 1);
		footrule += fabs((double)i - (double)in_y);
		footrule += in_x < k ? 0 : (double)(k - i);
	}
	z = common;
	return (struct hd_topk){
		.kendall = (kk - z) * ((2 + penalty) * kk - penalty * z + 1 - penalty) + swapped(x, y, k) - own,
		.kendall_max = kk * ((2 + penalty) * kk + 1 - penalty) - kk * (kk + 1),
		.footrule = footrule,
		.footrule_max = kk * (kk + 1),
		.jaccard = k ? z / (2 * kk - z) : 1,
	};
}

static int sign(double d)
{
	return (d > 0) - (d < 0);
}

double hd_tau_b(const double *x, const double *y, size_t n)
{
	double agree = 0, in_x = 0, in_y = 0;

	for (size_t i = 0; i < n; i++)
		for (size_t j = i + 1; j < n; j++) {
			int dx = sign(x[i] - x[j]), dy = sign(y[i] - y[j]);

			agree += dx * dy;
			in_x += dx != 0;
			in_y += dy != 0;
		}
	return in_x > 0 && in_y > 0 ? agree / sqrt(in_x * in_y) : NAN;
}

/*
 * Set rank[i] to the number of items before item i, if items are sorted by `first`, and ties by `second`, largest
 * first.
 */
static void ranks_by(size_t *rank, const double *first, const double *second, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		rank[i] = 0;
		for (size_t k = 0; k < n; k++) {
			bool before = first[k] != first[i] ? first[k] > first[i]
				: second[k] != second[i]   ? second[k] > second[i]
							   : k < i;

			rank[i] += before;
		}
	}
}

static double weighted_by(const double *x, const double *y, size_t n, const size_t *rank)
{
	double agree = 0, in_x = 0, in_y = 0;

	for (size_t i = 0; i < n; i++)
		for (size_t j = i + 1; j < n; j++) {
			int dx = sign(x[i] - x[j]), dy = sign(y[i] - y[j]);
			double w = 1 / (double)(rank[i] + 1) + 1 / (double)(rank[j] + 1);

			agree += w * dx * dy;
			in_x += dx ? w : 0;
			in_y += dy ? w : 0;
		}
	return in_x > 0 && in_y > 0 ? agree / sqrt(in_x * in_y) : NAN;
}

double hd_tau_weighted(const double *x, const double *y, size_t n, size_t *room)
{
	double by_x;

	ranks_by(room, x, y, n);
	by_x = weighted_by(x, y, n, room);
	ranks_by(room, y, x, n);
	return (by_x + weighted_by(x, y, n, room)) / 2;
}
