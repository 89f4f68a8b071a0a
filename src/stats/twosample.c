/*
 * twosample.c - see twosample.h
 */
#include "stats/twosample.h"

#include "stats/order.h"
#include "stats/random.h"
#include "stats/special_functions.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void hd_mean_sd(const double *v, size_t n, double *mean, double *sd)
{
	long double m = n ? hd_sum(v, n) / (long double)n : NAN, squares = 0;

	for (size_t i = 0; i < n; i++)
		squares += (v[i] - m) * (v[i] - m);
	*mean = (double)m;
	*sd = n > 1 ? (double)sqrtl(squares / (long double)(n - 1)) : NAN;
}

struct hd_welch hd_welch(const double *x, size_t nx, const double *y, size_t ny)
{
	double mx, sx, my, sy, vx, vy;
	struct hd_welch w;

	hd_mean_sd(x, nx, &mx, &sx);
	hd_mean_sd(y, ny, &my, &sy);
	vx = sx * sx / (double)nx;
	vy = sy * sy / (double)ny;
	w.diff = my - mx;
	w.se = sqrt(vx + vy);
	w.t = w.diff / w.se;
	w.df = (vx + vy) * (vx + vy) / (vx * vx / (double)(nx - 1) + vy * vy / (double)(ny - 1));
	w.p = 2 * hd_t_upper(fabs(w.t), w.df);
	return w;
}

struct hd_interval hd_mean_ci(const double *v, size_t n, double confidence)
{
	double mean, sd, half;

	hd_mean_sd(v, n, &mean, &sd);
	half = hd_t_quantile((1 + confidence) / 2, (double)n - 1) * sd / sqrt((double)n);
	return (struct hd_interval){ mean - half, mean + half };
}

struct hd_interval hd_quantile_ci(const double *sorted, size_t n, double p, double confidence, double *miss)
{
	double half = (1 - confidence) / 2;
	struct hd_interval ci = { -INFINITY, INFINITY };
	size_t lo = 0, hi = 0;

	/*
	 * Find the largest lo such that fewer than lo values are below the quantile with a probability of at most
	 * `half`.  hi is the same for the values above the quantile.
	 */
	while (lo < n && 1 - hd_binomial_upper(lo + 1, n, p) <= half + 1e-12)
		lo++;
	while (hi < n && 1 - hd_binomial_upper(hi + 1, n, 1 - p) <= half + 1e-12)
		hi++;
	if (lo)
		ci.lo = sorted[lo - 1];
	if (hi)
		ci.hi = sorted[n - hi];
	*miss = (lo ? 1 - hd_binomial_upper(lo, n, p) : 0) + (hi ? 1 - hd_binomial_upper(hi, n, 1 - p) : 0);
	return ci;
}

double hd_prediction_limit(const double *v, size_t n, double alpha)
{
	double mean, sd;

	hd_mean_sd(v, n, &mean, &sd);
	return mean + hd_t_quantile(1 - alpha, (double)n - 1) * sd * sqrt(1 + 1 / (double)n);
}

static double mean_distance(const double *x, size_t nx, const double *y, size_t ny)
{
	long double sum = 0;

	for (size_t i = 0; i < nx; i++)
		for (size_t k = 0; k < ny; k++)
			sum += fabs(x[i] - y[k]);
	return (double)(sum / ((long double)nx * (long double)ny));
}

struct hd_energy_distance hd_energy_distance(const double *x, size_t nx, const double *y, size_t ny)
{
	double between = mean_distance(x, nx, y, ny);
	double e = 2 * between - mean_distance(x, nx, x, nx) - mean_distance(y, ny, y, ny);

	return (struct hd_energy_distance){ e, e * (double)nx * (double)ny / (double)(nx + ny),
		between > 0 ? e / (2 * between) : 0 };
}

static double drawn_median(double *room, const double *v, size_t n, struct hd_random *r)
{
	for (size_t i = 0; i < n; i++)
		room[i] = v[hd_random_below(r, n)];
	hd_order_sort(room, n);
	return hd_order_median(room, n);
}

int hd_ratio_draws(double *ratio, unsigned draws, const double *x, size_t nx, const double *y, size_t ny, uint64_t seed)
{
	double *room = malloc((nx + ny + 1) * sizeof(*room));
	struct hd_random r = hd_random_from(seed);

	if (!room)
		return HD_STATS_NOMEM;
	for (unsigned i = 0; i < draws; i++) {
		double base = drawn_median(room, x, nx, &r);

		ratio[i] = drawn_median(room + nx, y, ny, &r) / base;
	}
	hd_order_sort(ratio, draws);
	free(room);
	return HD_STATS_OK;
}

int hd_ratio_ci(struct hd_interval *out, const double *x, size_t nx, const double *y, size_t ny, double confidence,
	unsigned draws, uint64_t seed)
{
	double *ratio = malloc((draws + 1) * sizeof(*ratio));
	int rc = ratio ? hd_ratio_draws(ratio, draws, x, nx, y, ny, seed) : HD_STATS_NOMEM;

	if (rc >= 0) {
		out->lo = hd_order_type7(ratio, draws, (1 - confidence) / 2);
		out->hi = hd_order_type7(ratio, draws, (1 + confidence) / 2);
	}
	free(ratio);
	return rc;
}

/* ---- rank sums ---- */

/*
 * Set rank[] to twice the mid-ranks of the pooled values, those of x before those of y.  Doubled mid-ranks are whole
 * numbers.
 */
static void double_ranks(size_t *rank, const double *x, size_t nx, const double *y, size_t ny)
{
	for (size_t i = 0; i < nx + ny; i++) {
		double v = i < nx ? x[i] : y[i - nx];
		size_t less = 0, equal = 0;

		for (size_t k = 0; k < nx + ny; k++) {
			double w = k < nx ? x[k] : y[k - nx];

			less += w < v;
			equal += w == v;
		}
		rank[i] = 2 * less + equal + 1;
	}
}

/*
 * Return a table: ways[k * sums + s] is the number of ways to choose k of the n ranks so that their sum is s.  k is at
 * most `take`, and s below `sums`.  NULL: out of memory.
 */
static double *count_ways(const size_t *rank, size_t n, size_t take, size_t sums)
{
	double *ways = calloc((take + 1) * sums, sizeof(*ways));

	if (!ways)
		return NULL;
	ways[0] = 1;
	for (size_t i = 0; i < n; i++)
		for (size_t k = (i + 1 < take ? i + 1 : take); k > 0; k--)
			for (size_t s = sums; s-- > rank[i]; )
				ways[k * sums + s] += ways[(k - 1) * sums + s - rank[i]];
	return ways;
}

/*
 * Set the p-values from the numbers of ways (count_ways()).  sum: the observed sum of doubled ranks; mean: the expected
 * one.
 */
static void exact_tails(struct hd_ranksum *out, const double *ways, size_t sums, size_t sum, double mean)
{
	double all = 0, less = 0, greater = 0, far = 0, distance = fabs((double)sum - mean);

	for (size_t s = 0; s < sums; s++) {
		all += ways[s];
		less += s <= sum ? ways[s] : 0;
		greater += s >= sum ? ways[s] : 0;
		far += fabs((double)s - mean) >= distance - 1e-9 ? ways[s] : 0;
	}
	out->p_less = less / all;
	out->p_greater = greater / all;
	out->p_two = fmin(1, far / all);
}

static void normal_tails(struct hd_ranksum *out, const size_t *rank, size_t nx, size_t ny)
{
	double n = (double)(nx + ny), mean = (double)nx * (double)ny / 2, squares = 0, sd, d = out->u - mean;

	for (size_t i = 0; i < nx + ny; i++) {
		double r = (double)rank[i] / 2 - (n + 1) / 2;

		squares += r * r;
	}
	sd = sqrt((double)nx * (double)ny * squares / (n * (n - 1)));
	if (!(sd > 0)) {
		out->p_two = out->p_less = out->p_greater = 1;
		return;
	}
	out->p_greater = hd_normal_upper((d - 0.5) / sd);
	out->p_less = hd_normal_upper((-d - 0.5) / sd);
	out->p_two = fmin(1, 2 * hd_normal_upper((fabs(d) - 0.5) / sd));
}

int hd_ranksum(struct hd_ranksum *out, const double *x, size_t nx, const double *y, size_t ny)
{
	size_t n = nx + ny, sum = 0, sums = n * (n + 1) + 1;
	size_t *rank = malloc((n ? n : 1) * sizeof(*rank));
	double *ways = NULL;
	int rc = HD_STATS_OK;

	*out = (struct hd_ranksum){ .p_two = 1, .p_greater = 1, .p_less = 1 };
	if (!rank)
		return HD_STATS_NOMEM;
	if (!nx || !ny) {
		free(rank);
		return HD_STATS_NONE;
	}
	double_ranks(rank, x, nx, y, ny);
	for (size_t i = 0; i < nx; i++)
		sum += rank[i];
	out->u = (double)sum / 2 - (double)nx * (double)(nx + 1) / 2;
	if (n > HD_RANKSUM_EXACT) {
		normal_tails(out, rank, nx, ny);
	} else {
		ways = count_ways(rank, n, nx, sums);
		if (ways)
			exact_tails(out, ways + nx * sums, sums, sum, (double)nx * (double)(n + 1));
		else
			rc = HD_STATS_NOMEM;
	}
	free(ways);
	free(rank);
	return rc;
}
