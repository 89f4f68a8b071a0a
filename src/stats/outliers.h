/*
 * outliers.h - which of a few values do not belong
 *
 *     mad       median absolute deviation, not scaled; 1.4826 times it estimates sd
 *     modified  |x - median| / MAD > 14.826, which is 10 sd of a normal sample; a MAD of 0 becomes machine epsilon
 *     gesd      generalized extreme studentized deviate, Rosner 1983: up to `most` outliers at level alpha; n >= 25
 *
 * Tukey's fences are in stats/summary.h; HD_TUKEY_SEVERE is the outer one.
 */
#ifndef HD_STATS_OUTLIERS_H
#define HD_STATS_OUTLIERS_H

#include <stddef.h>

#define HD_MAD_TO_SD 1.4826
#define HD_MODIFIED_Z 14.826
#define HD_TUKEY_MILD 1.5
#define HD_TUKEY_SEVERE 3.0

/* The median of |v - center|, center the median of v; both return NaN of none.  room: n doubles. */
double hd_median(const double *v, size_t n, double *room);
double hd_mad(const double *v, size_t n, double *room);

/* How many are outliers; is_outlier may be NULL. */
size_t hd_modified_z(const double *v, size_t n, double *room, unsigned char *is_outlier);

struct hd_gesd_step {
	size_t index;		/* of the most deviant value among those left */
	double r, lambda;
};
/* steps: `most` of them.  Returns the number of outliers: the largest i with R_i > lambda_i.  room: 2n doubles. */
size_t hd_gesd(struct hd_gesd_step *steps, const double *v, size_t n, size_t most, double alpha, double *room);

#endif
