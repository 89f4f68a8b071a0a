/*
 * verdicts.c [PROFILES] - how often the gate is right, on profiles made as planted/README.txt describes
 *
 * Not a test of a table: prints one line for each claim about the verdicts, with the rate that was measured.  60 leaf
 * functions of share 1/i, 30,000 samples a run, a run's size exp(0.02 z), a symbol's noise cv exp(0.5 z) drawn once.
 */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "drift/top.h"
#include "drift/verdict.h"
#include "track/random.h"

enum { SYMBOLS = 60, RUNS_MAX = 20 };

static double normal(struct hd_random *r)
{
	return sqrt(-2 * log(hd_random_unit(r))) * cos(2 * M_PI * hd_random_unit(r));
}

static double poisson(struct hd_random *r, double mean)
{
	double product = 1, k = -1;

	if (mean > 60)
		return fmax(0, round(mean + sqrt(mean) * normal(r)));
	do {
		product *= hd_random_unit(r);
		k++;
	} while (product > exp(-mean));
	return k;
}

struct claim {
	const char *what;
	size_t runs;
	double samples, cv;
	double factor;			/* of the symbol with 7 % */
	bool contaminated;		/* 5 % of runs have one function multiplied */
};

static void measure(const struct claim *c, size_t profiles)
{
	static double y[SYMBOLS * RUNS_MAX];
	static struct hd_symbol rows[SYMBOLS];
	struct hd_random r = hd_random_from(42);
	size_t verdict[5] = { 0 }, changed = 0, named = 0, material = 0, above = 0, covered = 0, false_changed = 0, any_changed = 0, other = 0;
	size_t planted = 2;		/* 1/3 of the sum: 7.1 % */
	double all = 0;

	for (size_t i = 0; i < SYMBOLS; i++)
		all += 1 / (double)(i + 1);
	for (size_t p = 0; p < profiles; p++) {
		struct hd_runs in = { SYMBOLS, c->runs, c->runs, y, NULL };
		struct hd_model m;
		struct hd_judged j;
		struct hd_top_change top;
		double cv[SYMBOLS];

		for (size_t i = 0; i < SYMBOLS; i++)
			cv[i] = c->cv * exp(0.5 * normal(&r));
		for (size_t k = 0; k < 2 * c->runs; k++) {
			double size = exp(0.02 * normal(&r));
			size_t bad = c->contaminated && hd_random_unit(&r) < 0.05 ? hd_random_below(&r, SYMBOLS) : SYMBOLS;

			for (size_t i = 0; i < SYMBOLS; i++)
				y[i * 2 * c->runs + k] = poisson(&r, c->samples / (double)(i + 1) / all * size * exp(cv[i] * normal(&r)) *
								 (i == planted && k >= c->runs ? c->factor : 1) * (i == bad ? 1.6 : 1));
		}
		if (hd_model_fit(&m, &in) < 0 || hd_verdicts(&j, rows, &in, &m, NULL, &hd_verdict_defaults, true) < 0 ||
		    hd_top_compare(&top, rows, SYMBOLS, &m, &hd_top_defaults) < 0)
			exit(1);
		verdict[j.verdict]++;
		named += rows[planted].verdict == HD_FAIL;
		changed += rows[planted].q_changed <= 0.05;
		covered += rows[planted].lo <= c->factor - 1 && rows[planted].hi >= c->factor - 1;
		material += top.material;
		above += top.score > top.score_limit;
		for (size_t i = 0, all_changed = 0, wrong = 0; i < SYMBOLS; i++) {
			all_changed += rows[i].q_changed <= 0.05;
			wrong += i != planted && rows[i].q_changed <= 0.05;
			other += i != planted && rows[i].verdict == HD_FAIL;
			if (i + 1 == SYMBOLS && all_changed) {
				any_changed += all_changed;
				false_changed += wrong;
			}
		}
		hd_model_release(&m);
	}
	printf("%-34s FAIL %5.2f %%  PASS %5.1f %%  INCONCLUSIVE %5.1f %%  named %5.1f %%  others %5.2f %%  changed %5.1f %%  FDR %4.1f %%  covered %5.1f %%  top 5 %5.2f %%  score %4.1f %%\n",
	       c->what, 100.0 * (double)verdict[HD_FAIL] / (double)profiles, 100.0 * (double)verdict[HD_PASS] / (double)profiles,
	       100.0 * (double)verdict[HD_INCONCLUSIVE] / (double)profiles, 100.0 * (double)named / (double)profiles,
	       100.0 * (double)other / (double)profiles, 100.0 * (double)changed / (double)profiles,
	       any_changed ? 100.0 * (double)false_changed / (double)any_changed : 0, 100.0 * (double)covered / (double)profiles,
	       100.0 * (double)material / (double)profiles, 100.0 * (double)above / (double)profiles);
}

int main(int argc, char **argv)
{
	static const struct claim claims[] = {
		{ "A/A, cv 2 %, R=5", 5, 30000, 0.02, 1, false },
		{ "A/A, cv 2 %, R=3", 3, 30000, 0.02, 1, false },
		{ "A/A, cv 1 %, R=5", 5, 30000, 0.01, 1, false },
		{ "A/A, cv 2 %, R=5, 5 % bad runs", 5, 30000, 0.02, 1, true },
		{ "A/A, cv 5 %, R=5", 5, 30000, 0.05, 1, false },
		{ "+10 %, cv 2 %, R=5", 5, 30000, 0.02, 1.10, false },
		{ "+15 %, cv 2 %, R=5", 5, 30000, 0.02, 1.15, false },
		{ "+20 %, cv 2 %, R=5", 5, 30000, 0.02, 1.20, false },
		{ "+15 %, cv 2 %, R=3", 3, 30000, 0.02, 1.15, false },
		{ "+5 %, cv 0.5 %, R=10, 50 k", 10, 50000, 0.005, 1.05, false },
	};
	size_t profiles = argc > 1 ? strtoul(argv[1], NULL, 10) : 200;

	for (size_t i = 0; i < sizeof(claims) / sizeof(claims[0]); i++)
		measure(&claims[i], profiles);
	return 0;
}
