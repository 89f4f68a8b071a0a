/*
 * fit.c - see fit.h
 */
#include "stats/fit.h"

#include "stats/order.h"

#include <math.h>

int hd_fit_line(struct hd_fit *out, const double *x, const double *y, size_t n)
{
	long double mx, my, sxx = 0, sxy = 0, syy = 0;

	*out = (struct hd_fit){ .n = n, .r2 = NAN };
	if (n < 2)
		return HD_STATS_NONE;
	mx = hd_sum(x, n) / (long double)n;
	my = hd_sum(y, n) / (long double)n;
	for (size_t i = 0; i < n; i++) {
		long double dx = x[i] - mx, dy = y[i] - my;

		sxx += dx * dx;
		sxy += dx * dy;
		syy += dy * dy;
	}
	if (!(sxx > 0))
		return HD_STATS_NONE;
	out->slope = (double)(sxy / sxx);
	out->intercept = (double)(my - sxy / sxx * mx);
	if (syy > 0)
		out->r2 = (double)(sxy / sxx * (sxy / syy));
	return HD_STATS_OK;
}
