/*
 * timing.h - evaluate times of repeated runs: the variation of one build, and the speed-up of another
 *
 * One side, with its values in the order of measurement:
 *
 *     cv         standard deviation (n-1) over the absolute mean; times count as steady if cv is below a limit of the
 *                caller (5 %)
 *     outliers   values beyond Tukey's fences (summary.h); far_out: outliers by the modified z-score (outliers.h)
 *     trend      regression of the value on its position.  It counts as drift if p of the slope is below
 *                HD_TIMING_TREND_P and the line changes by more than HD_TIMING_TREND_PART of the mean from the first to
 *                the last run.  A falling line suggests that the warm-up was too short, a rising one that the machine
 *                got slower
 *     intervals  95 % confidence intervals (summary.h)
 *
 * Two sides, positive values; the speed-up is base / head, so 2 means twice as fast:
 *
 *     ratio      ratio of the geometric means, with its 95 % interval: Welch's t of the logarithms
 *     median     ratio of the medians, with its bootstrap interval, and p of the Mann-Whitney test
 *     verdict    PASS if the interval lies at or above the wanted speed-up, FAIL if it lies below, else INCONCLUSIVE
 *                with the number of runs per side that decides with a probability of 0.8
 *     change     the ratio and its interval against a noise threshold, as in Criterion.rs: faster and slower if the
 *                whole interval lies beyond the threshold, within noise if the ratio lies inside it, else unclear
 *
 * With fewer than two values on a side, or a value that is not positive, there is no interval, and the verdict is
 * INCONCLUSIVE.
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
	struct hd_summary sum;		/* n is 0 if there is no value */
	double sd, cv;			/* NaN with fewer than two values; cv is 0 if sd is 0 */
	size_t far_out;
	bool has_trend;
	struct hd_fit trend;
	double trend_p;
	bool drifting;
};
/* Describe n finite values.  Returns HD_STATS_OK or HD_STATS_NOMEM. */
int hd_timing_make(struct hd_timing *out, const double *v, size_t n);

enum { HD_SPEEDUP_DRAWS = 4000 };

struct hd_speedup {
	bool known;			/* true if all values are positive and each side has at least two values */
	double ratio;			/* the speed-up; NaN if a side is empty or has a value that is not positive */
	struct hd_interval ci;
	double median_ratio;
	struct hd_interval median_ci;
	double p;
	double sd_log;			/* pooled standard deviation of the logarithms */
};
/* Compare the times of two sides.  Returns HD_STATS_OK or HD_STATS_NOMEM. */
int hd_speedup_make(struct hd_speedup *out, const double *base, size_t nbase, const double *head, size_t nhead);

struct hd_speedup_judged {
	enum hd_verdict verdict;	/* HD_PASS, HD_FAIL, HD_INCONCLUSIVE */
	/*
	 * If the verdict is INCONCLUSIVE: the number of runs per side that is needed for a verdict.  0: unknown.
	 * HD_RUNS_NEEDED_MAX + 1: more than HD_RUNS_NEEDED_MAX.
	 */
	unsigned runs_needed;
};
struct hd_speedup_judged hd_speedup_judge(const struct hd_speedup *s, double wanted);

enum hd_change { HD_CHANGE_UNKNOWN, HD_CHANGE_NOISE, HD_CHANGE_FASTER, HD_CHANGE_SLOWER, HD_CHANGE_UNCLEAR };

/*
 * Compare a speed-up with a noise threshold.  noise: a fraction of 0 or more.  A ratio from 1 / (1 + noise) to 1 +
 * noise is inside the threshold.
 */
enum hd_change hd_speedup_change(const struct hd_speedup *s, double noise);
/* Return the words for a change, such as "within noise". */
const char *hd_change_name(enum hd_change change);

#endif
