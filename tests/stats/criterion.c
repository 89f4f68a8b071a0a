/*
 * criterion.c DIR - compare our estimates for three series with Criterion's, in robust/criterion_estimates.tsv
 *
 * Values are in ns per iteration.  Criterion's intervals are percentile bootstraps.  This program computes the interval
 * of the median in the same way; its ends must be within 10 % of the half width of Criterion's.  hotdrift's interval of
 * the mean is a bootstrap-t: it must enclose Criterion's and be at most twice as wide.
 */
#include "answers.h"

#include "stats/outliers.h"
#include "stats/twosample.h"
#include "stats/order.h"
#include "stats/random.h"
#include "stats/summary.h"

#define SEVERE 3.0	/* factor of Tukey's outer fences; summary.h has the inner ones */

static double v_[LIST_MAX], its[LIST_MAX], total[LIST_MAX], room[LIST_MAX];

static void judge_end(struct verdict *v, size_t row, const char *what, double ours, double lo, double hi, double theirs)
{
	if (!(fabs(ours - theirs) <= 0.1 * (hi - lo) / 2))
		differ(v, "row %zu: %s is %.9g, expected %.9g within %.3g", row + 1, what, ours, theirs,
			0.1 * (hi - lo) / 2);
}

/* Return the 95 % percentile bootstrap interval of the (type 7) median, from 100,000 draws as in Criterion. */
static struct hd_interval median_interval(size_t n)
{
	enum { DRAWS = 100000 };
	static double medians[DRAWS];
	struct hd_random r = hd_random_from(1);

	for (size_t d = 0; d < DRAWS; d++) {
		for (size_t i = 0; i < n; i++)
			room[i] = v_[hd_random_below(&r, n)];
		hd_order_sort(room, n);
		medians[d] = hd_order_median(room, n);
	}
	hd_order_sort(medians, DRAWS);
	return (struct hd_interval){ hd_order_type7(medians, DRAWS, 0.025), hd_order_type7(medians, DRAWS, 0.975) };
}

static size_t beyond(size_t n, double lo, double hi)
{
	size_t k = 0;

	for (size_t i = 0; i < n; i++)
		k += v_[i] >= lo && v_[i] < hi;
	return k;
}

static void judge_series(struct verdict *v, const struct table *t, size_t i, size_t n)
{
	struct hd_summary s;
	struct hd_interval median;
	double mean, sd, lo, hi, xy = 0, xx = 0, fence[6];

	for (size_t k = 0; k < n; k++) {
		v_[k] = total[k] / its[k];
		xy += total[k] * its[k];
		xx += its[k] * its[k];
		room[k] = v_[k];
	}
	judge(v, i, "n", (double)n, number(t, i, "n"));
	hd_mean_sd(v_, n, &mean, &sd);
	hd_summarize(&s, room, n);
	judge(v, i, "mean", mean, number(t, i, "mean"));
	judge(v, i, "sd", sd, number(t, i, "stddev"));
	judge(v, i, "median", hd_median(v_, n, room), number(t, i, "median"));
	judge(v, i, "MAD", hd_mad(v_, n, room) * HD_MAD_TO_SD, number(t, i, "mad_times_1.4826"));
	judge(v, i, "slope through 0", xy / xx, number(t, i, "slope_through_origin"));
	lo = number(t, i, "mean_lo95");
	hi = number(t, i, "mean_hi95");
	judge_end(v, i, "mean, lower", fmax(s.ci_mean.lo, lo), lo, hi, lo);
	judge_end(v, i, "mean, upper", fmin(s.ci_mean.hi, hi), lo, hi, hi);
	if (s.ci_mean.hi - s.ci_mean.lo > 2 * (hi - lo))
		differ(v, "row %zu: the interval of the mean is more than twice as wide", i + 1);
	lo = number(t, i, "median_lo95");
	hi = number(t, i, "median_hi95");
	median = median_interval(n);
	judge_end(v, i, "median, lower", median.lo, lo, hi, lo);
	judge_end(v, i, "median, upper", median.hi, lo, hi, hi);
	fence[0] = -INFINITY;
	fence[1] = s.q1 - SEVERE * (s.q3 - s.q1);
	fence[2] = s.fence_lo;
	fence[3] = s.fence_hi;
	fence[4] = s.q3 + SEVERE * (s.q3 - s.q1);
	fence[5] = INFINITY;
	judge(v, i, "severe fence, low", fence[1], number(t, i, "fence_low_severe"));
	judge(v, i, "fence, low", fence[2], number(t, i, "fence_low_mild"));
	judge(v, i, "fence, high", fence[3], number(t, i, "fence_high_mild"));
	judge(v, i, "severe fence, high", fence[4], number(t, i, "fence_high_severe"));
	judge(v, i, "severe outliers, low", (double)beyond(n, fence[0], fence[1]), number(t, i, "outliers_low_severe"));
	judge(v, i, "outliers, low", (double)beyond(n, fence[1], fence[2]), number(t, i, "low_mild"));
	judge(v, i, "outliers, high", (double)beyond(n, fence[3], fence[4]), number(t, i, "high_mild"));
	judge(v, i, "severe outliers, high", (double)beyond(n, fence[4], fence[5]), number(t, i, "high_severe"));
	judge(v, i, "all outliers", (double)s.outliers,
		(double)(beyond(n, fence[0], fence[2]) + beyond(n, fence[3], fence[5])));
}

int main(int argc, char **argv)
{
	struct verdict v = { .file = "robust/criterion_estimates.tsv",
		.tolerance = 1e-4,
		.note = "ends of intervals within 10 % of the half width" };
	struct table t, raw;

	if (argc != 2)
		return 2;
	if (!answers_open(&t, argv[1], v.file))
		return 0;
	for (size_t i = 0; i < t.rows; i++) {
		char file[256];

		snprintf(file, sizeof(file), "robust/criterion/%s.csv", cell(&t, i, "series"));
		if (!answers_open_by(&raw, argv[1], file, ',')) {
			differ(&v, "row %zu: there is no %s", i + 1, file);
			continue;
		}
		for (size_t k = 0; k < raw.rows && k < LIST_MAX; k++) {
			total[k] = number(&raw, k, "total_ns");
			its[k] = number(&raw, k, "iterations");
		}
		judge_series(&v, &t, i, raw.rows);
		answers_close(&raw);
		v.rows++;
	}
	verdict_end(&v);
	answers_close(&t);
	return 0;
}
