/*
 * density.h - estimate the density of a distribution from values, for drawing it
 *
 * Gaussian kernel; the bandwidth is Silverman's 0.9 min(sd, IQR / 1.34) n^(-1/5) (Silverman 1986, 3.31).  An IQR of 0
 * is ignored.  Without variation, or with one value, the bandwidth is 1/50 of the drawn range.
 */
#ifndef HD_STATS_DENSITY_H
#define HD_STATS_DENSITY_H

#include <stddef.h>

/* Return the bandwidth for n finite values; 0 if they do not vary.  v is reordered. */
double hd_density_bandwidth(double *v, size_t n);
/*
 * Set out[i] to the density at the i-th of `points` evenly spaced points from lo to hi.  points > 1, lo < hi, bandwidth
 * >= 0.
 */
void hd_density_make(double *out, size_t points, double lo, double hi, const double *v, size_t n, double bandwidth);

#endif
