/*
 * strata.c - see strata.h
 */
#include "stats/strata.h"

#include "stats/order.h"
#include "stats/random.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

enum { SEED = 17 };

double hd_strata_sum(const double *v, const struct hd_stratum *strata, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += strata[i].weight * (double)hd_sum(v + strata[i].first, strata[i].n) / (double)strata[i].n;
	return sum;
}

static bool all_equal(const double *v, const struct hd_stratum *s)
{
	for (size_t i = 1; i < s->n; i++)
		if (v[s->first + i] != v[s->first])
			return false;
	return true;
}

static double draw(const double *v, const struct hd_stratum *s, struct hd_random *r)
{
	double sum = 0;

	if (all_equal(v, s))
		return s->weight * v[s->first];
	for (size_t i = 1; i < s->n; i++)
		sum += v[s->first + hd_random_below(r, s->n)];
	return s->weight * sum / (double)(s->n - 1);
}

int hd_strata_interval(struct hd_interval *out, const double *v, const struct hd_stratum *strata, size_t n)
{
	struct hd_random r = hd_random_from(SEED);
	double *sums;

	*out = (struct hd_interval){ NAN, NAN };
	for (size_t i = 0; i < n; i++)
		if (strata[i].n == 1 && strata[i].weight != 0 && v[strata[i].first] != 0)
			return HD_STATS_NONE;
	sums = malloc(HD_STRATA_DRAWS * sizeof(*sums));
	if (!sums)
		return HD_STATS_NOMEM;
	for (size_t d = 0; d < HD_STRATA_DRAWS; d++) {
		sums[d] = 0;
		for (size_t i = 0; i < n; i++)
			sums[d] += draw(v, &strata[i], &r);
	}
	hd_order_sort(sums, HD_STRATA_DRAWS);
	*out = (struct hd_interval){ hd_order_type7(sums, HD_STRATA_DRAWS, 0.025),
		hd_order_type7(sums, HD_STRATA_DRAWS, 0.975) };
	free(sums);
	return HD_STATS_OK;
}
