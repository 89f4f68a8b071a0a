/*
 * oracle.c - compute which goals can be reached, by simulating judges that know more than the runs show
 *
 * Two judges apply the rules of stats/verdict.h and stats/total.h.  The generator is that of make.c: 60 symbols of
 * share 1/i, 30,000 samples a run, and a noise per symbol whose median is 2 % (lognormal with a sigma of 0.5).  Both
 * judges know the size of every run and all counting variances.  One also knows the noise of each symbol.  The other
 * knows the distribution of the noise over symbols, and estimates that of a symbol from its runs.  hotdrift estimates
 * all of this, so it cannot reach higher rates.
 */
#include "bench.h"

#include "stats/noise.h"
#include "stats/order.h"
#include "stats/special_functions.h"

#include <math.h>

#define SAMPLES 30000.0
#define CV 0.02
#define CV_SPREAD 0.5
#define SIZE_CV 0.02
#define PASS_P 0.05
/* The same values as in verdict.c. */
#define LEVEL_QUIET 1.0
#define LEVEL_SURE 2.0

struct judge {
	bool knows_noise;
	struct hd_noise exact;		/* the true distribution of the noise */
	size_t runs;			/* number of runs of each side */
};

/* One symbol: its limit (ln), the observed change, and what the judge knows about its variance. */
struct seen {
	double limit, d, v, var, s2;
	bool gated, material;
};

struct reached {
	double pass, above, guarded, readings;
};

static double spread(const struct judge *g)
{
	return sqrt(2 / (double)g->runs);
}

/* Return the probability that noise alone makes a difference of more than x. */
static double tail(const struct judge *g, const struct seen *s, double x)
{
	if (g->knows_noise)
		return hd_normal_upper(x / spread(g) / sqrt(s->var));
	return hd_noise_of(&g->exact, s->v, s->v, s->s2, 2 * (double)g->runs - 2, fmax(x, 0) / spread(g)).tail;
}

static void draw(struct seen *out, const struct judge *g, double factor, struct hd_random *r)
{
	double all = 0;

	for (size_t i = 0; i < LEAVES; i++)
		all += 1 / (double)(i + 1);
	for (size_t i = 0; i < LEAVES; i++) {
		double share = 1 / (double)(i + 1) / all, truth = i == PLANTED ? factor : 1;
		double cv = CV * exp(CV_SPREAD * bench_normal(r)), x2 = 0;
		struct seen *s = &out[i];

		s->v = (1 + 1 / truth) / 2 / (SAMPLES * share);
		s->var = cv * cv + s->v;
		for (size_t k = 0; k < 2 * g->runs - 2; k++)
			x2 += pow(bench_normal(r), 2);
		s->s2 = s->var * x2 / (2 * (double)g->runs - 2);
		s->d = log(truth) + sqrt(s->var) * spread(g) * bench_normal(r);
		s->limit = log1p(fmax(hd_verdict_defaults.limit, hd_verdict_defaults.floor / share));
		s->gated = share >= hd_verdict_defaults.floor / 2;
		s->material = share >= hd_verdict_defaults.floor;
	}
}

/* Return the p that a symbol must reach, by the guard of stats/verdict.h. */
static double guard_of(const struct judge *g, const struct seen *s)
{
	double chance[LEAVES], below = 0;
	size_t n = 0;

	for (size_t i = 0; i < LEAVES; i++)
		if (s[i].gated)
			chance[n++] = tail(g, &s[i], s[i].limit);
	hd_order_sort(chance, n);
	for (size_t i = 0; i < n; i++) {
		double p = (hd_verdict_defaults.alpha - below) / (double)(n - i);

		if (p <= chance[i])
			return p;
		below += chance[i];
	}
	return 1;
}

static struct reached measure(const struct judge *g, double factor, size_t cases, uint64_t seed)
{
	struct hd_random r = hd_random_from(seed);
	struct seen s[LEAVES], *p = &s[PLANTED];
	struct reached out = { 0 };

	for (size_t k = 0; k < cases; k++) {
		double fall = bench_normal(&r), guard, rise;
		double weight = fmin(1, fmax(0, (fall - LEVEL_QUIET) / (LEVEL_SURE - LEVEL_QUIET)));
		bool pass = true, above;

		draw(s, g, factor, &r);
		for (size_t i = 0; i < LEAVES; i++)
			pass &= !s[i].material || (s[i].d < s[i].limit && tail(g, &s[i], s[i].limit - s[i].d) < PASS_P);
		guard = guard_of(g, s);
		above = p->d >= p->limit;
		rise = p->d - weight * fall * SIZE_CV * spread(g);
		out.pass += pass;
		out.above += above;
		out.guarded += above && tail(g, p, p->d) <= guard;
		out.readings += rise >= p->limit &&
			tail(g, p, rise / hypot(1, weight * SIZE_CV / sqrt(p->var))) <= guard;
	}
	out.pass *= 100 / (double)cases;
	out.above *= 100 / (double)cases;
	out.guarded *= 100 / (double)cases;
	out.readings *= 100 / (double)cases;
	return out;
}

static void print(const char *what, size_t runs, double known, double distribution)
{
	printf("| %s | %zu | %.1f | %.1f |\n", what, runs, known, distribution);
}

static void symbols(struct judge *g, size_t cases, uint64_t seed)
{
	static const struct { size_t runs; double factor; } lines[] = {
		{ 3, 1.15 }, { 5, 1.15 }, { 5, 1.2 }, { 3, 1 }, { 5, 1 }, { 10, 1 },
	};

	printf("\n| symbols | runs | noise of each known | its distribution known |\n|---|--:|--:|--:|\n");
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		struct reached of[2];
		char what[96];

		g->runs = lines[i].runs;
		for (unsigned k = 0; k < 2; k++) {
			g->knows_noise = !k;
			of[k] = measure(g, lines[i].factor, cases, seed + i);
		}
		if (!(lines[i].factor > 1)) {
			print("nothing changed: each symbol passes its 95 % bound", g->runs, of[0].pass, of[1].pass);
			continue;
		}
		snprintf(what, sizeof(what), "7 %% symbol +%.0f %%: above its limit", 100 * (lines[i].factor - 1));
		print(what, g->runs, of[0].above, of[1].above);
		print("and its p below the guard", g->runs, of[0].guarded, of[1].guarded);
		print("and under both readings: FAIL", g->runs, of[0].readings, of[1].readings);
	}
}

/* Simulate the total of five runs per side whose noise is known. */
static void total(double var)
{
	double limit = log1p(hd_verdict_defaults.total.limit), se = sqrt(2 * var / 5);
	double fail = fmax(limit, -hd_normal_quantile(hd_verdict_defaults.total.p) * se);
	double bound = limit - hd_normal_quantile(0.96) * se, rare = log(1.08) + hd_normal_quantile(1 / 20000.0) * se;

	printf("\n| the total, five runs a side, noise of a run %.1f %%, known | %% |\n|---|--:|\n", 100 * sqrt(var));
	printf("| +10 %% is FAIL | %.1f |\n", 100 * hd_normal_upper((fail - log(1.1)) / se));
	printf("| nothing changed, PASS by the 96 %% bound | %.1f |\n", 100 * hd_normal_upper(-bound / se));
	printf("| +8 %%, PASS by the same bound | %.2f |\n", 100 * hd_normal_upper((log(1.08) - bound) / se));
	printf("| nothing changed, PASS by the bound that lets +8 %% pass in one of 20,000 | %.1f |\n",
	       100 * hd_normal_upper(-rare / se));
}

void bench_oracle(size_t cases, uint64_t seed)
{
	struct judge g = { 0 };
	double all = 0, squares = 0, sum = 0;

	for (size_t k = 0; k < HD_NOISE_GRID; k++) {
		double ln = log(0.0003) + (double)k * log(2 / 0.0003) / (HD_NOISE_GRID - 1);

		g.exact.c2[k] = exp(2 * ln);
		all += g.exact.prior[k] = exp(-pow((ln - log(CV)) / CV_SPREAD, 2) / 2);
	}
	for (size_t k = 0; k < HD_NOISE_GRID; k++)
		g.exact.prior[k] /= all;
	symbols(&g, cases, seed);
	for (size_t i = 0; i < LEAVES; i++)
		sum += 1 / (double)(i + 1);
	for (size_t i = 0; i < LEAVES; i++)
		squares += pow(1 / (double)(i + 1) / sum, 2);
	/*
	 * The parameters of the broad changes in table.c: 3 % for a run's size and for each
	 * function, 15,000 samples; then 2 % and 30,000.
	 */
	total(0.03 * 0.03 * (1 + squares * exp(2 * CV_SPREAD * CV_SPREAD)) + 1 / 15000.0);
	total(0.02 * 0.02 * (1 + squares * exp(2 * CV_SPREAD * CV_SPREAD)) + 1 / 30000.0);
}
