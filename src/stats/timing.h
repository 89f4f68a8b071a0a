/*
 * timing.h - times of repeated runs: how steady one build is, how much faster another
 *
 * One side, its values in the order in which they were measured:
 *
 *     cv         standard deviation (n-1) over the mean; steady below a limit (5 %)
 *     outliers   beyond Tukey's fences (summary.h); far_out: modified z (outliers.h)
 *     trend      a line of value on order.  R2 is the share of the variance that it explains; it is a drift in
 *                the session when p of its slope is below HD_TIMING_TREND_P and it comes to HD_TIMING_TREND_PART
 *                of the mean from the first to the last run: falling, the warm-up was too short; rising, the
 *                machine got slower
 *     intervals  bootstraps of 95 %, summary.h
 *
 * Two sides, positive values: speed-up = base / head, so that 2 is twice as fast.
 *
 *     ratio      of the geometric means, with its 95 % interval: Welch's t of the logarithms
 *     median     of the medians, with its bootstrap interval; p of Mann and Whitney's test
 *     verdict    PASS when the interval lies at or above the wanted speed-up, FAIL when it lies below, else
 *                INCONCLUSIVE, and as many runs a side would decide, four times in five
 *
 * With fewer than two values a side there is no interval: INCONCLUSIVE.
 */
#ifndef HD_STATS_TIMING_H
#define HD_STATS_TIMING_H

#include "stats/verdict.h"
#include "stats/fit.h"
#include "stats/summary.h"

#include <stdbool.h>

#define HD_TIMING_TREND_P 0.01
#define HD_TIMING_TREND_PART 0.01

struct hd_timing {
	struct hd_summary sum;		/* n is 0 when there is no value */
	double sd, cv;			/* NaN with fewer than two values; cv of a mean of 0 is 0 */
	size_t far_out;
	bool has_trend;
	struct hd_fit trend;
	double trend_p;
	bool drifting;
};
/* v: n finite values.  0 or HD_TRACK_NOMEM. */
int hd_timing_make(struct hd_timing *out, const double *v, size_t n);

enum { HD_SPEEDUP_DRAWS = 4000 };

struct hd_speedup {
	bool known;			/* all values are positive, at least two a side */
	double ratio;			/* NaN when it is not to be had at all */
	struct hd_interval ci;
	double median_ratio;
	struct hd_interval median_ci;
	double p;
	double sd_log;			/* pooled */
};
int hd_speedup_make(struct hd_speedup *out, const double *base, size_t nbase, const double *head, size_t nhead);

struct hd_speedup_judged {
	enum hd_verdict verdict;	/* HD_PASS, HD_FAIL, HD_INCONCLUSIVE */
	unsigned runs_needed; /* a side, of INCONCLUSIVE; HD_RUNS_NEEDED_MAX + 1: more than that; 0: not known */
};
struct hd_speedup_judged hd_speedup_judge(const struct hd_speedup *s, double wanted);

#endif
