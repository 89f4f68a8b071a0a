/*
 * outliers.h - find outliers among a few values
 *
 *     mad       median absolute deviation, not scaled; 1.4826 times it estimates the standard deviation
 *     modified  |x - median| / MAD > 14.826, which is 10 standard deviations of a normal sample; a MAD below machine
 *               epsilon (DBL_EPSILON) counts as machine epsilon
 *     gesd      generalized extreme studentized deviate (Rosner 1983): up to `most` outliers at level alpha.  Its
 *               critical values are accurate for n >= 25, which is not checked
 */
#ifndef HD_STATS_OUTLIERS_H
#define HD_STATS_OUTLIERS_H

#include <stddef.h>

#define HD_MAD_TO_SD 1.4826
#define HD_MODIFIED_Z 14.826

/*
 * hd_median() returns the median of v, hd_mad() the median of the absolute deviations from that median.  Both return
 * NaN if n is 0.  room: scratch space for n doubles.
 */
double hd_median(const double *v, size_t n, double *room);
double hd_mad(const double *v, size_t n, double *room);

/*
 * Return the number of outliers by the modified z-score.  is_outlier: receives a flag per value; may be NULL.  room:
 * scratch space for n doubles.
 */
size_t hd_modified_z(const double *v, size_t n, double *room, unsigned char *is_outlier);

struct hd_gesd_step {
	size_t index;		/* index of the value that deviates most among those that remain in this step */
	double r;		/* test statistic of that value, R_i */
	double lambda;		/* critical value of R_i, lambda_i */
};
/*
 * Do `most` steps of GESD, or only n - 2 if that is less, and fill in one struct per step.  Returns the number of
 * outliers, which is the number of the last step (counted from 1) whose statistic exceeds its critical value; 0 if
 * there is no such step.  room: scratch space for 2n doubles.
 */
size_t hd_gesd(struct hd_gesd_step *steps, const double *v, size_t n, size_t most, double alpha, double *room);

#endif
