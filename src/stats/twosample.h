/*
 * twosample.h - compare two groups of runs, or one group with a new run
 *
 *     ranksum     Mann and Whitney 1947, exact: the distribution of U over all divisions of the pooled mid-ranks, by
 *                 dynamic programming.  Two-sided: all U at least as far from the mean.  Beyond HD_RANKSUM_EXACT
 *                 values in total, the normal limit with the corrections for ties and for continuity
 *     welch       difference of means, unequal variances, Welch-Satterthwaite df
 *     quantile_ci order statistics: exact for any distribution; a 95 % interval of the median needs n >= 6
 *     prediction  upper limit for one new run, given n: mean + t(1-alpha, n-1) sd sqrt(1 + 1/n); sd with n-1
 *     energy      distance of two samples (Szekely and Rizzo 2013): e, t = e nm/(n+m), h = e / (2 E|X-Y|)
 *     ratio_ci    percentile bootstrap of median(y) / median(x)
 *
 * `confidence`, `alpha` and `p` are fractions: a confidence of 0.95 means 95 %.
 */
#ifndef HD_STATS_TWOSAMPLE_H
#define HD_STATS_TWOSAMPLE_H

#include "stats/summary.h"

enum { HD_RANKSUM_EXACT = 60 };

struct hd_ranksum {
	double u;		/* pairs in which x is larger, plus half of the ties */
	double p_two, p_greater, p_less;	/* greater: x tends to be larger */
};
/*
 * Compare two groups by the rank-sum test.  Returns HD_STATS_OK, HD_STATS_NOMEM, or HD_STATS_NONE if a group is empty.
 */
int hd_ranksum(struct hd_ranksum *out, const double *x, size_t nx, const double *y, size_t ny);

struct hd_welch {
	double t, df, p;	/* t > 0: y is larger; p is two-sided */
	double diff, se;
};
struct hd_welch hd_welch(const double *x, size_t nx, const double *y, size_t ny);

/* Compute the mean (NaN if n is 0) and the standard deviation with the divisor n-1 (NaN if n is below 2). */
void hd_mean_sd(const double *v, size_t n, double *mean, double *sd);
struct hd_interval hd_mean_ci(const double *v, size_t n, double confidence);

/*
 * Return a distribution-free confidence interval of the p-quantile.  Its ends are two of the n sorted values, or
 * infinite if n is too small.  *miss becomes the probability that the interval does not contain the quantile.
 */
struct hd_interval hd_quantile_ci(const double *sorted, size_t n, double p, double confidence, double *miss);

double hd_prediction_limit(const double *v, size_t n, double alpha);	/* n >= 2 */

struct hd_energy_distance {
	double e, t, h;
};
struct hd_energy_distance hd_energy_distance(const double *x, size_t nx, const double *y, size_t ny);

/*
 * Bootstrap: resample x and y `draws` times, with random numbers from the seed.  Store median(y) / median(x) of each
 * pair of resamples in `ratio`, which is sorted ascending at the end.  Returns HD_STATS_OK or HD_STATS_NOMEM.
 */
int hd_ratio_draws(double *ratio, unsigned draws, const double *x, size_t nx, const double *y, size_t ny,
	uint64_t seed);
int hd_ratio_ci(struct hd_interval *out, const double *x, size_t nx, const double *y, size_t ny, double confidence,
	unsigned draws, uint64_t seed);

#endif
