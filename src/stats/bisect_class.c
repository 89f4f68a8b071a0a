/*
 * bisect_class.c - see bisect_class.h
 */
#include "stats/bisect_class.h"

#include "stats/twosample.h"
#include "stats/special_functions.h"

#include <math.h>

static const char *const names[] = { "good", "bad", "unsure" };

const char *hd_bisect_class_name(enum hd_bisect_class s)
{
	return names[s];
}

void hd_bisect_class_add(struct hd_bisect_class_spread *s, const double *v, size_t n)
{
	double mean, sd;

	if (n < 2)
		return;
	hd_mean_sd(v, n, &mean, &sd);
	s->sum += (double)(n - 1) * sd * sd;
	s->df += (double)(n - 1);
}

static double mean_of(const double *v, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += v[i];
	return n ? sum / (double)n : NAN;
}

struct hd_bisect_class_ends hd_bisect_class_between(const double *good, size_t n_good, const double *bad, size_t n_bad,
	double limit)
{
	struct hd_bisect_class_ends e = { mean_of(good, n_good), mean_of(bad, n_bad), 0, n_good, n_bad };

	e.threshold = limit > 0 ? e.good + (e.bad >= e.good ? 1 : -1) * fabs(e.good) * limit / 100
				: (e.good + e.bad) / 2;
	return e;
}

/*
 * Return the standard deviation of a run, and its degrees of freedom in *df.  They are infinite if the standard
 * deviation is only the counting error, or unknown (0).
 */
static double deviation(const struct hd_bisect_class_spread *s, double *df)
{
	double sd = s->df > 0 ? sqrt(s->sum / s->df) : 0;

	*df = s->df > 0 && sd >= s->counting ? s->df : INFINITY;
	return fmax(sd, s->counting);
}

static bool is_known(const struct hd_bisect_class_spread *s)
{
	return s->df > 0 || s->counting > 0;
}

/*
 * Return the half width of the confidence interval of a mean; alpha is the error probability.  The variance of the mean
 * is `parts` times that of a run.
 */
static double margin(const struct hd_bisect_class_spread *s, double parts, double alpha)
{
	double df, sd = deviation(s, &df);

	return (isinf(df) ? -hd_normal_quantile(alpha / 2) : hd_t_quantile(1 - alpha / 2, df)) * sd * sqrt(parts);
}

static double parts_of_threshold(const struct hd_bisect_class_ends *e)
{
	return 0.25 / (double)e->n_good + 0.25 / (double)e->n_bad;
}

enum hd_bisect_class hd_bisect_class_of(const struct hd_bisect_class_ends *e, const struct hd_bisect_class_spread *s,
	const double *v, size_t n)
{
	double d = mean_of(v, n) - e->threshold,
	       m = margin(s, 1 / (double)n + parts_of_threshold(e), HD_BISECT_CLASS_ALPHA);

	if (fabs(d) < m)
		return HD_BISECT_CLASS_UNSURE;
	return (d > 0) == (e->bad > e->good) && d != 0 ? HD_BISECT_CLASS_BAD : HD_BISECT_CLASS_GOOD;
}

bool hd_bisect_class_moved(const struct hd_bisect_class_ends *e, const struct hd_bisect_class_spread *s)
{
	double least = margin(s, 1 / (double)e->n_good + 1 / (double)e->n_bad, HD_BISECT_CLASS_ALPHA);
	bool up = e->bad > e->good;

	return e->bad != e->good && fabs(e->bad - e->good) >= least &&
		(up ? e->bad > e->threshold : e->bad < e->threshold);
}

double hd_bisect_class_p(const struct hd_bisect_class_ends *e, const struct hd_bisect_class_spread *s, const double *v,
	size_t n)
{
	double df, se = deviation(s, &df) * sqrt(1 / (double)n + parts_of_threshold(e)),
		   d = fabs(mean_of(v, n) - e->threshold);

	if (!is_known(s))
		return NAN;
	if (!(se > 0))
		return d > 0 ? 0 : 0.5;
	return isinf(df) ? hd_normal_upper(d / se) : hd_t_upper(d / se, df);
}

struct hd_interval hd_bisect_class_change(const struct hd_bisect_class_ends *e, const struct hd_bisect_class_spread *s)
{
	double half = margin(s, 1 / (double)e->n_good + 1 / (double)e->n_bad, 0.05), d = e->bad - e->good,
	       of = fabs(e->good) / 100;

	if (!is_known(s) || !(of > 0))
		return (struct hd_interval){ NAN, NAN };
	return (struct hd_interval){ (d - half) / of, (d + half) / of };
}

bool hd_bisect_class_unmoved(const struct hd_bisect_class_ends *e, const struct hd_bisect_class_spread *s, double limit)
{
	struct hd_interval ci = hd_bisect_class_change(e, s);

	if (!(limit > 0))
		limit = HD_BISECT_CLASS_SMALL_PCT;
	return ci.lo > -limit && ci.hi < limit;
}
