/*
 * ranksum.c - the exact distribution of U; see twosample.h
 */
#include "stats/twosample.h"

#include "stats/order.h"
#include "stats/special_functions.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Twice the mid-ranks, so that they are whole, of x before those of y. */
static void double_ranks(size_t *rank, const double *x, size_t nx, const double *y, size_t ny)
{
	for (size_t i = 0; i < nx + ny; i++) {
		double v = i < nx ? x[i] : y[i - nx];
		size_t less = 0, equal = 0;

		for (size_t k = 0; k < nx + ny; k++) {
			double w = k < nx ? x[k] : y[k - nx];

			less += w < v;
			equal += w == v;
		}
		rank[i] = 2 * less + equal + 1;
	}
}

/* ways[k][s]: how many k of the ranks have sum s. */
static double *count_ways(const size_t *rank, size_t n, size_t take, size_t sums)
{
	double *ways = calloc((take + 1) * sums, sizeof(*ways));

	if (!ways)
		return NULL;
	ways[0] = 1;
	for (size_t i = 0; i < n; i++)
		for (size_t k = (i + 1 < take ? i + 1 : take); k > 0; k--)
			for (size_t s = sums; s-- > rank[i]; )
				ways[k * sums + s] += ways[(k - 1) * sums + s - rank[i]];
	return ways;
}

/* sum and mean are of doubled ranks. */
static void exact_tails(struct hd_ranksum *out, const double *ways, size_t sums, size_t sum, double mean)
{
	double all = 0, less = 0, greater = 0, far = 0, distance = fabs((double)sum - mean);

	for (size_t s = 0; s < sums; s++) {
		all += ways[s];
		less += s <= sum ? ways[s] : 0;
		greater += s >= sum ? ways[s] : 0;
		far += fabs((double)s - mean) >= distance - 1e-9 ? ways[s] : 0;
	}
	out->p_less = less / all;
	out->p_greater = greater / all;
	out->p_two = fmin(1, far / all);
}

static void normal_tails(struct hd_ranksum *out, const size_t *rank, size_t nx, size_t ny)
{
	double n = (double)(nx + ny), mean = (double)nx * (double)ny / 2, squares = 0, sd, d = out->u - mean;

	for (size_t i = 0; i < nx + ny; i++) {
		double r = (double)rank[i] / 2 - (n + 1) / 2;

		squares += r * r;
	}
	sd = sqrt((double)nx * (double)ny * squares / (n * (n - 1)));
	if (!(sd > 0)) {
		out->p_two = out->p_less = out->p_greater = 1;
		return;
	}
	out->p_greater = hd_normal_upper((d - 0.5) / sd);
	out->p_less = hd_normal_upper((-d - 0.5) / sd);
	out->p_two = fmin(1, 2 * hd_normal_upper((fabs(d) - 0.5) / sd));
}

int hd_ranksum(struct hd_ranksum *out, const double *x, size_t nx, const double *y, size_t ny)
{
	size_t n = nx + ny, sum = 0, sums = n * (n + 1) + 1;
	size_t *rank = malloc((n ? n : 1) * sizeof(*rank));
	double *ways = NULL;
	int rc = HD_TRACK_OK;

	*out = (struct hd_ranksum){ .p_two = 1, .p_greater = 1, .p_less = 1 };
	if (!rank)
		return HD_TRACK_NOMEM;
	if (!nx || !ny) {
		free(rank);
		return HD_TRACK_NONE;
	}
	double_ranks(rank, x, nx, y, ny);
	for (size_t i = 0; i < nx; i++)
		sum += rank[i];
	out->u = (double)sum / 2 - (double)nx * (double)(nx + 1) / 2;
	if (n > HD_RANKSUM_EXACT) {
		normal_tails(out, rank, nx, ny);
	} else {
		ways = count_ways(rank, n, nx, sums);
		if (ways)
			exact_tails(out, ways + nx * sums, sums, sum, (double)nx * (double)(n + 1));
		else
			rc = HD_TRACK_NOMEM;
	}
	free(ways);
	free(rank);
	return rc;
}
