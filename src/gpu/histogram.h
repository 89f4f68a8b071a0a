/*
 * histogram.h - a histogram of durations, in memory of fixed size
 *
 * Each power of two is divided into 64 equal steps, so that a percentile is exact to 1.6 %.  Durations below 64 ns are
 * exact.  The caller zero-initialises the struct; hd_gpu_histogram_release() frees the counters.
 */
#ifndef HD_GPU_HISTOGRAM_H
#define HD_GPU_HISTOGRAM_H

#include <stdint.h>

struct hd_gpu_histogram {
	uint64_t *counts;		/* NULL before the first _add */
	uint64_t n, max_ns;
	double sum_ns;
};

void hd_gpu_histogram_add(struct hd_gpu_histogram *h, uint64_t ns);
/*
 * Return the p-th percentile in ns: at least p % of the durations are at most this long.  0 if there are no durations.
 */
uint64_t hd_gpu_histogram_percentile(const struct hd_gpu_histogram *h, double p);
void hd_gpu_histogram_release(struct hd_gpu_histogram *h);

#endif
