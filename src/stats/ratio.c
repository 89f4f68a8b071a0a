/*
 * ratio.c - see ratio.h
 */
#include "stats/ratio.h"

#include "stats/order.h"
#include "stats/random.h"

#include <math.h>
#include <stdlib.h>

enum { DRAWS_LEAST = 200 };

static double draw(double *room, enum hd_ratio_statistic statistic, const double *v, size_t n, struct hd_random *r)
{
	size_t rank;

	for (size_t i = 0; i < n; i++)
		room[i] = v[hd_random_below(r, n)];
	if (statistic == HD_RATIO_MEAN)
		return (double)(hd_sum(room, n) / (long double)n);
	rank = hd_order_nearest(n, 95);
	hd_order_select(room, n, &rank, 1);
	return room[rank];
}

int hd_ratio_interval(struct hd_interval *out, enum hd_ratio_statistic statistic, const double *x, size_t nx,
	const double *y, size_t ny, double confidence)
{
	struct hd_random r = hd_random_from(0x67726964);
	size_t draws = HD_RATIO_WORK / (nx + ny + 1), room = nx > ny ? nx : ny;
	double *values;
	int rc = HD_STATS_OK;

	if (nx < HD_SUMMARY_LEAST || ny < HD_SUMMARY_LEAST)
		return HD_STATS_NONE;
	draws = draws > HD_SUMMARY_DRAWS ? HD_SUMMARY_DRAWS : draws < DRAWS_LEAST ? DRAWS_LEAST : draws;
	values = room <= SIZE_MAX / sizeof(*values) - draws ? malloc((draws + room) * sizeof(*values)) : NULL;
	if (!values)
		return HD_STATS_NOMEM;
	for (size_t i = 0; i < draws && rc == HD_STATS_OK; i++) {
		double base = draw(values + draws, statistic, x, nx, &r);

		values[i] = draw(values + draws, statistic, y, ny, &r) / base;
		if (!isfinite(values[i]))
			rc = HD_STATS_NONE;
	}
	if (rc == HD_STATS_OK) {
		hd_order_sort(values, draws);
		*out = (struct hd_interval){ hd_order_type7(values, draws, (1 - confidence) / 2),
			hd_order_type7(values, draws, (1 + confidence) / 2) };
	}
	free(values);
	return rc;
}
