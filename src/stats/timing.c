/*
 * timing.c - see timing.h
 */
#include "stats/timing.h"

#include "stats/outliers.h"
#include "stats/twosample.h"
#include "stats/order.h"
#include "stats/special_functions.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * Fit the trend, and compute the two-sided p-value of its slope by Student's t.  t = r sqrt((n - 2) / (1 - r2)), where
 * r is the correlation of the value with its position, and r2 its square.
 */
static void fit_trend(struct hd_timing *out, const double *v, size_t n, double *order)
{
	double df = (double)n - 2, r2;

	for (size_t i = 0; i < n; i++)
		order[i] = (double)i;
	if (n < 3 || hd_fit_line(&out->trend, order, v, n) < 0 || isnan(out->trend.r2))
		return;
	out->has_trend = true;
	r2 = out->trend.r2;
	out->trend_p = r2 < 1 ? 2 * hd_t_upper(sqrt(r2 * df / (1 - r2)), df) : 0;
	out->drifting = out->trend_p < HD_TIMING_TREND_P &&
			fabs(out->trend.slope) * ((double)n - 1) > HD_TIMING_TREND_PART * fabs(out->sum.mean);
}

int hd_timing_make(struct hd_timing *out, const double *v, size_t n)
{
	double *room, mean;
	int rc;

	*out = (struct hd_timing){ .sd = NAN, .cv = NAN, .trend_p = NAN };
	if (!n)
		return 0;
	room = malloc(n * sizeof(*room));
	if (!room)
		return HD_STATS_NOMEM;
	memcpy(room, v, n * sizeof(*room));
	rc = hd_summarize(&out->sum, room, n);
	if (rc >= 0 && n > 1) {
		hd_mean_sd(v, n, &mean, &out->sd);
		out->cv = out->sd > 0 ? out->sd / fabs(mean) : 0;
		out->far_out = n > 2 ? hd_modified_z(v, n, room, NULL) : 0;
		fit_trend(out, v, n, room);
	}
	free(room);
	return rc;
}

/* ---- two sides ---- */

static bool all_positive(const double *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!(v[i] > 0))
			return false;
	return n > 0;
}

/* Set the ratio base / head and its interval, from the logarithms lb of the base and lh of the head. */
static void by_logs(struct hd_speedup *out, const double *lb, size_t nb, const double *lh, size_t nh)
{
	double mb, sb, mh, sh, vb, vh, df, half;

	hd_mean_sd(lb, nb, &mb, &sb);
	hd_mean_sd(lh, nh, &mh, &sh);
	out->ratio = exp(mb - mh);
	if (nb < 2 || nh < 2)
		return;
	out->known = true;
	out->sd_log = sqrt((sb * sb * ((double)nb - 1) + sh * sh * ((double)nh - 1)) / (double)(nb + nh - 2));
	vb = sb * sb / (double)nb;
	vh = sh * sh / (double)nh;
	if (vb + vh > 0) {
		df = (vb + vh) * (vb + vh) / (vb * vb / ((double)nb - 1) + vh * vh / ((double)nh - 1));
		half = hd_t_quantile(0.975, df) * sqrt(vb + vh);
	} else {
		half = 0;		/* within each side, all values are equal */
	}
	out->ci = (struct hd_interval){ exp(mb - mh - half), exp(mb - mh + half) };
}

static double median_of(const double *v, size_t n, double *room)
{
	memcpy(room, v, n * sizeof(*room));
	hd_order_sort(room, n);
	return hd_order_median(room, n);
}

int hd_speedup_make(struct hd_speedup *out, const double *base, size_t nbase, const double *head, size_t nhead)
{
	struct hd_ranksum u;
	double *logs;
	int rc = 0;

	*out = (struct hd_speedup){ .ratio = NAN,
		.ci = { 0, INFINITY },
		.median_ratio = NAN,
		.median_ci = { 0, INFINITY },
		.p = NAN,
		.sd_log = NAN };
	if (!all_positive(base, nbase) || !all_positive(head, nhead))
		return 0;
	logs = malloc((nbase + nhead) * sizeof(*logs));
	if (!logs)
		return HD_STATS_NOMEM;
	out->median_ratio = median_of(base, nbase, logs) / median_of(head, nhead, logs);
	for (size_t i = 0; i < nbase; i++)
		logs[i] = log(base[i]);
	for (size_t i = 0; i < nhead; i++)
		logs[nbase + i] = log(head[i]);
	by_logs(out, logs, nbase, logs + nbase, nhead);
	free(logs);
	if (out->known) {
		/* hd_ratio_ci() divides the median of its second group by that of its first, here base by head. */
		rc = hd_ratio_ci(&out->median_ci, head, nhead, base, nbase, 0.95, HD_SPEEDUP_DRAWS, 1);
		if (rc >= 0)
			rc = hd_ranksum(&u, base, nbase, head, nhead);
		if (rc >= 0)
			out->p = u.p_two;
	}
	return rc;
}

/*
 * Return the number of runs per side that is needed for a verdict: if the true ratio is the estimated one, the interval
 * then excludes `wanted` with a probability of 0.8.
 */
static unsigned runs_needed(const struct hd_speedup *s, double wanted)
{
	double away = fabs(log(s->ratio) - log(wanted));

	for (unsigned n = 2; n <= HD_RUNS_NEEDED_MAX; n++) {
		double df = 2.0 * n - 2, t = hd_t_quantile(0.975, df) + hd_t_quantile(0.8, df);

		if (t * s->sd_log * sqrt(2.0 / n) <= away)
			return n;
	}
	return HD_RUNS_NEEDED_MAX + 1;
}

struct hd_speedup_judged hd_speedup_judge(const struct hd_speedup *s, double wanted)
{
	struct hd_speedup_judged j = { HD_INCONCLUSIVE, 0 };

	if (!s->known)
		return j;
	if (s->ci.lo >= wanted)
		j.verdict = HD_PASS;
	else if (s->ci.hi < wanted)
		j.verdict = HD_FAIL;
	else
		j.runs_needed = runs_needed(s, wanted);
	return j;
}

enum hd_change hd_speedup_change(const struct hd_speedup *s, double noise)
{
	double hi = 1 + noise, lo = 1 / hi;

	if (!s->known)
		return HD_CHANGE_UNKNOWN;
	if (s->ci.lo > hi)
		return HD_CHANGE_FASTER;
	if (s->ci.hi < lo)
		return HD_CHANGE_SLOWER;
	return s->ratio >= lo && s->ratio <= hi ? HD_CHANGE_NOISE : HD_CHANGE_UNCLEAR;
}

const char *hd_change_name(enum hd_change change)
{
	static const char *const names[] = { "unknown", "within noise", "faster", "slower", "unclear" };

	return names[change];
}
