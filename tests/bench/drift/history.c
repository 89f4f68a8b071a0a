/*
 * history.c - measure how often the checks of a history find a step, and how often they warn without one; see bench.h
 *
 * A history has one value per commit, 60 commits and a noise of 2 % per value.  One table is about the newest value,
 * which is compared with a limit; one about the change points in the whole series.  In a series with outliers one value
 * in twenty is 10 % higher.  A third table has series with AR(1) noise of the same size, some of 300 commits.
 */
#include "bench.h"

#include "stats/changepoint.h"
#include "stats/twosample.h"

#include <math.h>
#include <stdlib.h>

enum { COMMITS = 60, LONG = 300, BACK = 30, STEP_AT = 40, NEAR = 3 };

struct story {
	const char *what;
	/*
	 * relative size of the step: of the newest value in the first table, of all values from STEP_AT on in the
	 * second
	 */
	double step;
	bool outliers;
};

struct counts {
	size_t limit, tenth, previous, sigma;	/* number of newest values that each rule flags */
	size_t points, anywhere_tenth;
};

static void make(double *v, double cv, bool outliers, struct hd_random *r)
{
	for (size_t i = 0; i < COMMITS; i++)
		v[i] = 100 * exp(cv * bench_normal(r)) * (outliers && hd_random_unit(r) < 0.05 ? 1.1 : 1);
}

static void ask_newest(struct counts *c, const double *v)
{
	const double *back = v + COMMITS - 1 - BACK, now = v[COMMITS - 1];
	double mean, sd;

	hd_mean_sd(back, BACK, &mean, &sd);
	c->limit += now > hd_prediction_limit(back, BACK, 0.05);
	c->tenth += now > 1.1 * mean;
	c->previous += now > 1.05 * v[COMMITS - 2];
	c->sigma += now > mean + 3 * sd;
}

static const struct hd_changepoint_opts how = { .window = 50, .max_p = 0.01, .min_magnitude = 0.02 };

/* Return true if the series has a change point; if a step was planted, only a change point near STEP_AT counts. */
static bool has_point(const double *v, size_t n, bool step)
{
	struct hd_changepoint points[LONG];
	long got = hd_changepoints(points, v, n, &how);
	bool found = false;

	for (long i = 0; i < got; i++)
		found |= !step || labs((long)points[i].index - STEP_AT) <= NEAR;
	return found;
}

static void ask_points(struct counts *c, const double *v, bool step)
{
	bool jump = false;

	for (size_t i = step ? STEP_AT - NEAR : 1; i < (step ? STEP_AT + NEAR + 1 : COMMITS); i++)
		jump |= fabs(v[i] / v[i - 1] - 1) > 0.05;
	c->points += has_point(v, COMMITS, step);
	c->anywhere_tenth += jump;
}

static void make_ar1(double *v, size_t n, double rho, double step, struct hd_random *r)
{
	double e = bench_normal(r);

	for (size_t i = 0; i < n; i++, e = rho * e + sqrt(1 - rho * rho) * bench_normal(r))
		v[i] = 100 * exp(0.02 * e) * (i >= STEP_AT ? 1 + step : 1);
}

static void show(size_t k, size_t n)
{
	struct interval i = bench_binomial(k, n);

	printf(" %6.1f %% (%.1f..%.1f)", 100.0 * (double)k / (double)n, 100 * i.lo, 100 * i.hi);
}

static void autocorrelated(size_t series, uint64_t seed)
{
	static const double rho[] = { 0, 0.3, 0.6, 0.9 };
	static const struct {
		const char *what;
		size_t n;
		double step;
	} rows[] = {
		{ "60 values, nothing changed", COMMITS, 0 }, { "300 values, nothing changed", LONG, 0 },
		{ "60 values, +5 %", COMMITS, 0.05 }, { "60 values, +10 %", COMMITS, 0.10 },
		{ "60 values, +25 %", COMMITS, 0.25 },
	};

	printf("%-28s  %-25s %-25s %-25s %s\n", "a point, AR(1) noise of 2 %", "rho 0", "rho 0.3", "rho 0.6",
		"rho 0.9");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		printf("%-28s", rows[i].what);
		for (size_t k = 0; k < sizeof(rho) / sizeof(rho[0]); k++) {
			struct hd_random r = hd_random_from(seed + 980 + 10 * i + k);
			double v[LONG];
			size_t hits = 0;

			for (size_t q = 0; q < series; q++) {
				make_ar1(v, rows[i].n, rho[k], rows[i].step, &r);
				hits += has_point(v, rows[i].n, rows[i].step > 0);
			}
			show(hits, series);
		}
		printf("\n");
	}
}

void bench_history(size_t series, uint64_t seed)
{
	static const struct story stories[] = {
		{ "nothing changed", 0, false }, { "nothing changed, outliers", 0, true },
		{ "+3 %", 0.03, false }, { "+5 %", 0.05, false }, { "+10 %", 0.10, false },
		{ "+5 %, outliers", 0.05, true },
	};

	printf("\nHistories of one run a commit: 60 commits, noise 2 %% a value, %zu series a line\n", series);
	printf("%-28s  %-25s %-25s %-25s %s\n", "the newest value", "prediction limit (30)", "> 10 % over their mean",
		"> 5 % over the last", "> mean + 3 sd");
	for (size_t s = 0; s < sizeof(stories) / sizeof(stories[0]); s++) {
		struct hd_random r = hd_random_from(seed + 900 + s);
		struct counts c = { 0 };
		double v[COMMITS];

		for (size_t i = 0; i < series; i++) {
			make(v, 0.02, stories[s].outliers, &r);
			v[COMMITS - 1] *= 1 + stories[s].step;
			ask_newest(&c, v);
		}
		printf("%-28s", stories[s].what);
		show(c.limit, series);
		show(c.tenth, series);
		show(c.previous, series);
		show(c.sigma, series);
		printf("\n");
	}
	printf("%-28s  %-25s %s\n", "a step 20 commits ago", "change points p 0.01, 2 %",
		"a value > 5 % off the one before");
	for (size_t s = 0; s < sizeof(stories) / sizeof(stories[0]); s++) {
		struct hd_random r = hd_random_from(seed + 950 + s);
		struct counts c = { 0 };
		double v[COMMITS];

		for (size_t i = 0; i < series; i++) {
			make(v, 0.02, stories[s].outliers, &r);
			for (size_t k = STEP_AT; k < COMMITS; k++)
				v[k] *= 1 + stories[s].step;
			ask_points(&c, v, stories[s].step > 0);
		}
		printf("%-28s", stories[s].what);
		show(c.points, series);
		show(c.anywhere_tenth, series);
		printf("\n");
	}
	autocorrelated(series, seed);
}
