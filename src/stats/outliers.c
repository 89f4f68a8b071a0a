/*
 * outliers.c - see outliers.h
 */
#include "stats/outliers.h"

#include "stats/twosample.h"
#include "stats/order.h"
#include "stats/special_functions.h"

#include <float.h>
#include <math.h>
#include <string.h>

double hd_median(const double *v, size_t n, double *room)
{
	if (!n)
		return NAN;
	memcpy(room, v, n * sizeof(*v));
	hd_order_sort(room, n);
	return hd_order_median(room, n);
}

double hd_mad(const double *v, size_t n, double *room)
{
	double center = hd_median(v, n, room);

	for (size_t i = 0; i < n; i++)
		room[i] = fabs(v[i] - center);
	if (!n)
		return NAN;
	hd_order_sort(room, n);
	return hd_order_median(room, n);
}

size_t hd_modified_z(const double *v, size_t n, double *room, unsigned char *is_outlier)
{
	double center = hd_median(v, n, room), mad = fmax(hd_mad(v, n, room), DBL_EPSILON);
	size_t count = 0;

	for (size_t i = 0; i < n; i++) {
		unsigned char out = fabs(v[i] - center) / mad > HD_MODIFIED_Z;

		if (is_outlier)
			is_outlier[i] = out;
		count += out;
	}
	return count;
}

size_t hd_gesd(struct hd_gesd_step *steps, const double *v, size_t n, size_t most, double alpha, double *room)
{
	double *left = room, *index = room + n;
	size_t outliers = 0;

	for (size_t i = 0; i < n; i++) {
		left[i] = v[i];
		index[i] = (double)i;
	}
	for (size_t i = 1; i <= most && n > i + 1; i++) {
		size_t m = n - i + 1, worst = 0;
		double mean, sd, t, rest = (double)(n - i);

		hd_mean_sd(left, m, &mean, &sd);
		for (size_t k = 1; k < m; k++)
			if (fabs(left[k] - mean) > fabs(left[worst] - mean))
				worst = k;
		t = hd_t_quantile(1 - alpha / (2 * (rest + 1)), rest - 1);
		steps[i - 1] = (struct hd_gesd_step){ (size_t)index[worst], sd > 0 ? fabs(left[worst] - mean) / sd : 0,
						      rest * t / sqrt((rest - 1 + t * t) * (rest + 1)) };
		if (steps[i - 1].r > steps[i - 1].lambda)
			outliers = i;
		memmove(&left[worst], &left[worst + 1], (m - worst - 1) * sizeof(*left));
		memmove(&index[worst], &index[worst + 1], (m - worst - 1) * sizeof(*index));
	}
	return outliers;
}
