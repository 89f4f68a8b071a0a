/*
 * shares.c - see shares.h
 */
#include "stats/shares.h"

#include "stats/special_functions.h"

#include <math.h>

/* Return the probability that a chi-squared variable with one degree of freedom exceeds x. */
static double chi2_upper(double x)
{
	return 2 * hd_normal_upper(sqrt(fmax(x, 0)));
}

static double term(double seen, double expected)
{
	return seen > 0 ? seen * log(seen / expected) : 0;
}

struct hd_shares hd_shares_compare(uint64_t hits_a, uint64_t n_a, uint64_t hits_b, uint64_t n_b)
{
	double a = (double)hits_a, na = (double)n_a, b = (double)hits_b, nb = (double)n_b, p = (a + b) / (na + nb), d;
	struct hd_shares s = { .share_a = a / na, .share_b = b / nb };
	double less;

	d = s.share_b - s.share_a;
	s.log_ratio = log(s.share_b / s.share_a);
	s.se_log_ratio = sqrt(1 / a - 1 / na + 1 / b - 1 / nb);
	s.z = p > 0 && p < 1 ? d / sqrt(p * (1 - p) * (1 / na + 1 / nb)) : 0;
	s.p_z = 2 * hd_normal_upper(fabs(s.z));
	s.x2 = s.z * s.z;
	s.p_x2 = chi2_upper(s.x2);
	s.g = 2 * (term(a, na * p) + term(na - a, na * (1 - p)) + term(b, nb * p) + term(nb - b, nb * (1 - p)));
	s.p_g = chi2_upper(s.g);
	s.p_greater = hd_binomial_upper(hits_b, hits_a + hits_b, nb / (na + nb));
	less = hd_binomial_upper(hits_a, hits_a + hits_b, na / (na + nb));
	s.p_two = fmin(1, 2 * fmin(s.p_greater, less));
	return s;
}

static double pearson(const double *hits, const double *n, size_t runs, double share)
{
	double x2 = 0;

	for (size_t i = 0; i < runs; i++) {
		double d = hits[i] - n[i] * share;

		x2 += d * d / (n[i] * share * (1 - share));
	}
	return x2;
}

static double sum(const double *v, size_t n)
{
	double s = 0;

	for (size_t i = 0; i < n; i++)
		s += v[i];
	return s;
}

struct hd_shares_quasi hd_shares_quasi(const double *hits_a, const double *n_a, size_t runs_a, const double *hits_b,
	const double *n_b, size_t runs_b)
{
	double ya = sum(hits_a, runs_a), na = sum(n_a, runs_a), yb = sum(hits_b, runs_b), nb = sum(n_b, runs_b);
	double pa = ya / na, pb = yb / nb;
	struct hd_shares_quasi q = { .df = (double)(runs_a + runs_b) - 2 };

	q.phi = (pearson(hits_a, n_a, runs_a, pa) + pearson(hits_b, n_b, runs_b, pb)) / q.df;
	q.log_ratio = log(pb / pa);
	q.se = sqrt(fmax(q.phi, 1) * ((1 - pa) / ya + (1 - pb) / yb));
	q.t = q.log_ratio / q.se;
	q.p = 2 * hd_t_upper(fabs(q.t), q.df);
	return q;
}
