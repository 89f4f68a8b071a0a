/*
 * special_functions.c - see special_functions.h
 */
#include "stats/special_functions.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

/* Return ln of the gamma function.  lgammal() would store the sign in a global variable; lgammal_r() does not. */
static long double log_gamma(long double x)
{
	int sign;

	return lgammal_r(x, &sign);
}

/* Increase the argument to 20 or more by the recurrence (DLMF 5.5.2), then use the asymptotic series (DLMF 5.11.2). */
double hd_digamma(double x)
{
	long double y = x, sum = 0, r;

	if (!(x > 0))
		return NAN;
	for (; y < 20; y++)
		sum -= 1 / y;
	r = 1 / (y * y);
	return (double)(sum + logl(y) - 0.5L / y -
		r * (1.0L / 12 - r * (1.0L / 120 - r * (1.0L / 252 - r * (1.0L / 240 - r * (1.0L / 132))))));
}

double hd_trigamma(double x)
{
	long double y = x, sum = 0, r;

	if (!(x > 0))
		return NAN;
	for (; y < 20; y++)
		sum += 1 / (y * y);
	r = 1 / (y * y);
	return (double)(sum + 1 / y + 0.5L * r +
			r / y * (1.0L / 6 - r * (1.0L / 30 - r * (1.0L / 42 - r * (1.0L / 30 - r * (5.0L / 66))))));
}

/* Bisect the logarithm of the result, because hd_trigamma() falls from infinity to 0. */
double hd_trigamma_inverse(double y)
{
	double lo = -40, hi = 40;

	if (!(y > 0))
		return NAN;
	for (int i = 0; i < 80; i++) {
		double mid = (lo + hi) / 2;

		if (hd_trigamma(exp(mid)) > y)
			lo = mid;
		else
			hi = mid;
	}
	return exp((lo + hi) / 2);
}

/* Return the error of Stirling's formula, ln(gamma(x)) - ((x - 1/2) ln x - x + ln(2 pi)/2), for x >= 20. */
static long double stirling_rest(long double x)
{
	long double r = 1 / x, r2 = r * r;

	return r *
		(1.0L / 12 -
			r2 *
				(1.0L / 360 -
					r2 *
						(1.0L / 1260 -
							r2 *
								(1.0L / 1680 -
									r2 * (1.0L / 1188 - r2 * (691.0L / 360360))))));
}

/*
 * Return ln of x^a y^b / (a B(a, b)).  For large arguments, a difference of log_gamma values loses digits.  So the main
 * terms of Stirling's formula are combined analytically, and only its small remainders are subtracted.
 */
static long double log_front(long double a, long double b, long double x, long double y)
{
	long double n = a + b;

	if (a < 20 || b < 20)
		return a * logl(x) + b * logl(y) + log_gamma(n) - log_gamma(a + 1) - log_gamma(b);
	/* The two terms -a ln(a / (n x)) and -b ln(b / (n y)) are near 0 where precision matters. */
	return -a * log1pl((a - n * x) / (n * x)) - b * log1pl((b - n * y) / (n * y)) +
	       0.5L * logl(b / (2 * 3.14159265358979323846264338327950288L * a * n)) +
	       stirling_rest(n) - stirling_rest(a) - stirling_rest(b);
}

/*
 * Return the continued fraction of the incomplete beta function.  For x below (a+1)/(a+b+2) it converges within a few
 * times sqrt(max(a, b)) steps.
 */
static long double beta_fraction(long double a, long double b, long double x)
{
	const long double tiny = LDBL_MIN / LDBL_EPSILON;
	long double c = 1, d = 1 - (a + b) * x / (a + 1), f;

	d = 1 / (fabsl(d) < tiny ? tiny : d);
	f = d;
	for (long double m = 1; m < 200000; m++) {
		long double step, num = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));

		d = 1 + num * d;
		c = 1 + num / c;
		d = 1 / (fabsl(d) < tiny ? tiny : d);
		c = fabsl(c) < tiny ? tiny : c;
		f *= d * c;
		num = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
		d = 1 + num * d;
		c = 1 + num / c;
		d = 1 / (fabsl(d) < tiny ? tiny : d);
		c = fabsl(c) < tiny ? tiny : c;
		step = d * c;
		f *= step;
		if (fabsl(step - 1) < 4 * LDBL_EPSILON)
			break;
	}
	return f;
}

/* Return the incomplete beta function I_x(a, b).  The caller also passes y = 1 - x, so that neither loses digits. */
static long double beta_inc(long double a, long double b, long double x, long double y)
{
	if (!(a > 0 && b > 0) || !(x >= 0 && y >= 0))
		return NAN;
	if (isinf(a) || isinf(b))
		return NAN;
	if (x == 0 || y == 0)
		return x == 0 ? 0 : 1;
	if (x < (a + 1) / (a + b + 2))
		return expl(log_front(a, b, x, y)) * beta_fraction(a, b, x);
	return 1 - expl(log_front(b, a, y, x)) * beta_fraction(b, a, y);
}

double hd_beta_inc(double a, double b, double x)
{
	return (double)beta_inc(a, b, x, 1 - (long double)x);
}

double hd_normal_upper(double z)
{
	return (double)(0.5L * erfcl(z / sqrtl(2)));
}

double hd_t_upper(double t, double df)
{
	long double t2 = (long double)t * t, tail;

	if (isnan(t) || isnan(df) || df <= 0)
		return NAN;
	if (isinf(df))
		return hd_normal_upper(t);
	if (isinf(t))
		return t > 0 ? 0 : 1;
	tail = 0.5L * beta_inc(df / 2.0L, 0.5L, df / (df + t2), t2 / (df + t2));
	return (double)(t > 0 ? tail : 1 - tail);
}

/*
 * Return the z >= 0 whose upper tail probability is `tail` (<= 1/2), in the normal distribution or in Student's t.
 * Bisect until no double lies between the bounds.
 */
static double upper_quantile(double tail, double df, bool normal)
{
	double lo = 0, hi = 1;

	while (hi < DBL_MAX / 4 && (normal ? hd_normal_upper(hi) : hd_t_upper(hi, df)) > tail)
		hi *= 2;
	for (;;) {
		double mid = lo + (hi - lo) / 2;

		if (mid <= lo || mid >= hi)
			return mid;
		if ((normal ? hd_normal_upper(mid) : hd_t_upper(mid, df)) > tail)
			lo = mid;
		else
			hi = mid;
	}
}

static double quantile(double p, double df, bool normal)
{
	if (!(p >= 0 && p <= 1))
		return NAN;
	if (p == 0 || p == 1)
		return p == 0 ? -INFINITY : INFINITY;
	if (p == 0.5)
		return 0;
	return p < 0.5 ? -upper_quantile(p, df, normal) : upper_quantile(1 - p, df, normal);
}

double hd_normal_quantile(double p)
{
	return quantile(p, 0, true);
}

double hd_t_quantile(double p, double df)
{
	if (!(df > 0))
		return NAN;
	return quantile(p, df, isinf(df));
}

/*
 * For df >= 4, use the Cornish-Fisher expansion of the t quantile.  Its error is at most 0.001 for |x| <= 1.96; for
 * x = 2.4 and df = 4 it is 0.005.
 */
double hd_t_of_normal(double x, double df)
{
	double x2 = x * x;

	if (df < 4)
		return hd_t_quantile(1 - hd_normal_upper(x), df);
	return x * (1 + ((x2 + 1) / 4 + (((5 * x2 + 16) * x2 + 3) / 96 + ((((3 * x2 + 19) * x2 + 17) * x2 - 15) / 384 +
		((((79 * x2 + 776) * x2 + 1482) * x2 - 1920) * x2 - 945) / 92160 / df) / df) / df) / df);
}

double hd_binomial_upper(size_t k, size_t n, double p)
{
	if (!k)
		return 1;
	if (k > n)
		return 0;
	return (double)beta_inc((long double)k, (long double)(n - k) + 1, p, 1 - (long double)p);
}

double hd_chi2_median(double df)
{
	return pow(1 - 2 / (9 * df), 3);
}
