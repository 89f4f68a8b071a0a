/*
 * main.c [-q] [-c] [-o] [-t TABLE] [-r SEED] [-s STACKS] [-d DIR] - measure rates of verdicts, and compare with goals
 *
 *     -q         run a tenth of the cases (must precede -o)
 *     -c         print only the tables of cells.h
 *     -t TABLE   print only one table of cells.h, 1 to 5
 *     -o         print only the rates that can be reached at all (oracle.c)
 *     -r SEED    use other random cases of the same kinds (must precede -o)
 *     -s STACKS  folded text of a recording, for the cases with real stacks
 *     -d DIR     the folder of reference data, for the cases with real nights (aa_nights/)
 */
#include "bench.h"
#include "cells.h"

#include "stats/special_functions.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- claims: the cases of one kind, and the tally of their verdicts ---- */

enum source { MADE, NIGHTS, ONE_NIGHT, STACKS };

struct claim {
	const char *what;
	enum source source;
	struct recipe recipe;
	size_t cases;
	struct bench_asks asks;
	struct tally tally;
};

enum {
	AA5,
	AA3,
	AA5_BAD,
	AA5_CV5,
	UP15,
	UP20,
	UP15_3,
	UP5,
	SHIFTS,
	INLINES,
	RENAMES,
	TIES,
	TIES3,
	SLOW,
	SEVERAL,
	TOP,
	NIGHT_AA,
	NIGHT_SAME,
	NIGHT_15,
	STACK_AA,
	STACK_25,
	CLAIMS
};

static struct claim claims[CLAIMS] = {
	[AA5] = { "nothing changed, cv 2 %, R=5", MADE, { NOTHING, 5, 5, 30000, 0.02, 1, false }, 10000,
		{ false, true }, { 0 } },
	[AA3] = { "nothing changed, cv 2 %, R=3", MADE, { NOTHING, 3, 3, 30000, 0.02, 1, false }, 10000,
		{ false, true }, { 0 } },
	[AA5_BAD] = { "the same, R=5, 5 % of runs contaminated", MADE, { NOTHING, 5, 5, 30000, 0.02, 1, true }, 8000,
		{ false, true }, { 0 } },
	[AA5_CV5] = { "nothing changed, cv 5 %, R=5", MADE, { NOTHING, 5, 5, 30000, 0.05, 1, false }, 4000,
		{ false, true }, { 0 } },
	[UP15] = { "7 % symbol +15 %, R=5", MADE, { GROW, 5, 5, 30000, 0.02, 1.15, false }, 6000, { false, true },
		{ 0 } },
	[UP20] = { "7 % symbol +20 %, R=5", MADE, { GROW, 5, 5, 30000, 0.02, 1.20, false }, 10000, { false, true },
		{ 0 } },
	[UP15_3] = { "7 % symbol +15 %, R=3", MADE, { GROW, 3, 3, 30000, 0.02, 1.15, false }, 6000, { false, true },
		{ 0 } },
	[UP5] = { "7 % symbol +5 %, 50 k, cv 0.5 %, R=10", MADE, { GROW, 10, 10, 50000, 0.005, 1.05, false }, 2000,
		{ false, true }, { 0 } },
	[SHIFTS] = { "70 % moved to a sibling, cv 1 %, R=5", MADE, { SHIFT, 5, 5, 30000, 0.01, 1, false }, 2000,
		{ false, true }, { 0 } },
	[INLINES] = { "inlined into the caller, cv 1 %, R=5", MADE, { INLINED, 5, 5, 30000, 0.01, 1, false }, 2000,
		{ false, true }, { 0 } },
	[RENAMES] = { "renamed by the compiler, cv 1 %, R=5", MADE, { RENAMED, 5, 5, 30000, 0.01, 1, false }, 2000,
		{ false, true }, { 0 } },
	[TIES] = { "5th and 6th tied, cv 2 %, R=5", MADE, { NEAR_TIE, 5, 5, 30000, 0.02, 1, false }, 2000,
		{ true, true }, { 0 } },
	[TIES3] = { "5th and 6th tied, cv 2 %, R=3", MADE, { NEAR_TIE, 3, 3, 30000, 0.02, 1, false }, 2000,
		{ false, true }, { 0 } },
	[SLOW] = { "all +8 %, cv 1 %, R=5", MADE, { SLOWER, 5, 5, 30000, 0.01, 1.08, false }, 2000, { false, true },
		{ 0 } },
	[SEVERAL] = { "three +20 %, three -17 %, R=5", MADE, { MANY, 5, 5, 30000, 0.02, 1.20, false }, 4000,
		{ false, true }, { 0 } },
	[TOP] = { "nothing changed, R=5: the first five", MADE, { NOTHING, 5, 5, 30000, 0.02, 1, false }, 2000,
		{ true, true }, { 0 } },
	[NIGHT_AA] = { "two nights of one commit, R=5", NIGHTS, { NOTHING, 5, 5, 30000, 0, 1, false }, 4000,
		{ false, true }, { 0 } },
	[NIGHT_SAME] = { "one night, two halves, R=5", ONE_NIGHT, { NOTHING, 5, 5, 30000, 0, 1, false }, 4000,
		{ false, true }, { 0 } },
	[NIGHT_15] = { "two nights, 10 % symbol +15 %, R=5", NIGHTS, { GROW, 5, 5, 30000, 0, 1.15, false }, 4000,
		{ false, true }, { 0 } },
	[STACK_AA] = { "stacks of a recording, cv 2 %, R=5", STACKS, { NOTHING, 5, 5, 30000, 0.02, 1, false }, 4000,
		{ false, true }, { 0 } },
	[STACK_25] = { "the same, a symbol of 3.6 % (limit 14 %) +25 %, R=5", STACKS,
		{ GROW, 5, 5, 30000, 0.02, 1.25, false }, 4000, { false, true }, { 0 } },
};

static void measure(struct claim *c, uint64_t seed, const struct nights *n, const struct stacks *s)
{
	static struct profile p;
	struct hd_random r = hd_random_from(seed);

	if ((!n && (c->source == NIGHTS || c->source == ONE_NIGHT)) || (!s && c->source == STACKS))
		return;
	for (size_t i = 0; i < c->cases; i++) {
		switch (c->source) {
		case MADE:
			bench_make(&p, &c->recipe, &r);
			break;
		case NIGHTS: case ONE_NIGHT:
			bench_nights_make(&p, n, c->recipe.base, c->source == ONE_NIGHT, c->recipe.samples,
				c->recipe.factor, &r);
			break;
		case STACKS:
			bench_stacks_make(&p, s, c->recipe.base, c->recipe.samples, c->recipe.cv, c->recipe.factor, &r);
			break;
		}
		bench_judge(&c->tally, &p, c->asks);
	}
}

/* ---- goals: the range in which a rate of a claim must be ---- */

enum figure { FAILED, PASSED, UNSURE, NAMED, CHANGED, WARNED, MATERIAL, ABOVE, COVERED, COVERED_ALL, FALSE_PART };

struct goal {
	unsigned claim;
	const char *figure;
	enum figure of;
	double least, most;		/* limits of the rate; NaN: the rate is only printed */
	const char *simulated;		/* the result of the simulation in the specification */
};

#define NONE NAN, NAN
#define UPTO(x) 0, x
#define FROM(x) x, 1

static const struct goal goals[] = {
	{ AA5, "FAIL", FAILED, UPTO(0.005), "0.3" },
	{ AA3, "FAIL", FAILED, UPTO(0.01), "0.8" },
	{ AA5_BAD, "FAIL", FAILED, UPTO(0.01), "1.0" },
	{ AA5, "PASS", PASSED, FROM(0.97), "97" },
	{ AA3, "PASS", PASSED, NONE, "" },
	{ AA5_BAD, "PASS", PASSED, NONE, "" },
	{ UP15, "FAIL, and named", NAMED, FROM(0.95), "97" },
	{ UP20, "FAIL, and named", NAMED, FROM(0.995), "100" },
	{ UP15_3, "FAIL, and named", NAMED, FROM(0.90), "93" },
	{ UP5, "called changed", CHANGED, FROM(0.95), "99.5" },
	{ SHIFTS, "FAIL", FAILED, UPTO(0), "" },
	{ SHIFTS, "PASS", PASSED, NONE, "" },
	{ INLINES, "FAIL", FAILED, UPTO(0), "" },
	{ INLINES, "PASS", PASSED, NONE, "" },
	{ RENAMES, "FAIL", FAILED, UPTO(0), "" },
	{ TIES, "FAIL", FAILED, UPTO(0), "" },
	{ TIES3, "FAIL", FAILED, NONE, "" },
	{ SLOW, "warned of", WARNED, FROM(1), "" },
	{ SLOW, "FAIL", FAILED, NONE, "" },
	{ AA5, "warned of, falsely", WARNED, NONE, "" },
	{ NIGHT_AA, "FAIL", FAILED, UPTO(0.01), "0 of 66" },
	{ NIGHT_SAME, "FAIL", FAILED, NONE, "" },
	{ NIGHT_15, "FAIL, and named", NAMED, FROM(0.95), "95.6" },
	{ STACK_AA, "FAIL", FAILED, NONE, "" },
	{ STACK_25, "FAIL, and named", NAMED, NONE, "" },
	{ AA5, "interval holds the truth, gated rows", COVERED_ALL, 0.93, 0.97, "" },
	{ AA3, "interval holds the truth, gated rows", COVERED_ALL, 0.93, 0.97, "" },
	{ UP15, "interval of the planted symbol", COVERED, 0.93, 0.97, "" },
	{ UP15_3, "interval of the planted symbol", COVERED, 0.93, 0.97, "" },
	{ UP15, "false part of the changed", FALSE_PART, UPTO(0.05), "" },
	{ SEVERAL, "false part of the changed", FALSE_PART, UPTO(0.05), "" },
	{ AA5, "false part of the changed", FALSE_PART, UPTO(0.05), "" },
	{ AA5_CV5, "INCONCLUSIVE", UNSURE, NONE, "64" },
	{ AA5_CV5, "FAIL", FAILED, NONE, "2.4" },
	{ TOP, "score above its limit", ABOVE, UPTO(0.05), "" },
	{ TOP, "material change", MATERIAL, UPTO(0.006), "0.6" },
	{ TIES, "score above its limit", ABOVE, UPTO(0.05), "" },
	{ TIES, "material change", MATERIAL, UPTO(0.006), "0.6" },
};

struct interval bench_binomial(size_t k, size_t n)
{
	struct interval out = { 0, 1 };

	for (unsigned side = 0; side < 2; side++) {
		double lo = 0, hi = 1;

		/*
		 * Bisect: P(X >= k) is 0.025 at the lower end of the interval, and P(X <= k) is 0.025 at the upper one.
		 */
		for (unsigned i = 0; i < 50; i++) {
			double p = (lo + hi) / 2,
			       tail = side ? 1 - hd_binomial_upper(k + 1, n, p) : hd_binomial_upper(k, n, p);

			if ((tail > 0.025) == (side == 1))
				lo = p;
			else
				hi = p;
		}
		if (side && k < n)
			out.hi = hi;
		if (!side && k)
			out.lo = lo;
	}
	return out;
}

/*
 * Return the rate of a figure, and its interval in *ci.  The rows of one case vary together, so the interval is
 * computed over cases, not over rows.
 */
static double figure_of(const struct tally *t, enum figure f, struct interval *ci)
{
	double n = (double)t->n, rate = 0, of = n;

	switch (f) {
	case FAILED: rate = (double)t->verdict[HD_FAIL]; break;
	case PASSED: rate = (double)t->verdict[HD_PASS]; break;
	case UNSURE: rate = (double)t->verdict[HD_INCONCLUSIVE]; break;
	case NAMED: rate = (double)t->named; break;
	case CHANGED: rate = (double)t->changed; break;
	case WARNED: rate = (double)t->warned; break;
	case MATERIAL: rate = (double)t->material; break;
	case ABOVE: rate = (double)t->above; break;
	case COVERED: rate = (double)t->covered_planted; break;
	case COVERED_ALL: rate = (double)t->covered; of = (double)t->asked; break;
	case FALSE_PART: rate = t->false_part; break;
	}
	*ci = bench_binomial((size_t)round(rate / of * n), t->n);
	return rate / of;
}

static const char *verdict_of(const struct goal *g, double rate, struct interval ci)
{
	bool reached = rate >= g->least && rate <= g->most;

	if (isnan(g->least))
		return "";
	if (reached)
		return ci.lo >= g->least - 1e-12 && ci.hi <= g->most + 1e-12 ? "reached"
									     : "reached, the interval touches the goal";
	return ci.hi < g->least || ci.lo > g->most ? "missed" : "missed, within the error";
}

static void print_goal(const struct goal *g)
{
	const struct claim *c = &claims[g->claim];
	struct interval ci;
	double rate = figure_of(&c->tally, g->of, &ci);
	char goal[32] = "-", measured[64];
	bool power = g->of == NAMED || g->of == CHANGED;
	const size_t *naive = power ? c->tally.found : c->tally.any;

	if (!c->tally.n) {
		printf("| %s: %s | not measured: the data are not here |\n", c->what, g->figure);
		return;
	}
	if (g->least > 0 && g->most < 1)
		snprintf(goal, sizeof(goal), "%g..%g", 100 * g->least, 100 * g->most);
	else if (!isnan(g->least))
		snprintf(goal, sizeof(goal), "%s %g",
			g->least > 0 ? ">=" : "<=", 100 * (g->least > 0 ? g->least : g->most));
	snprintf(measured, sizeof(measured), "%.2f (%.2f..%.2f)", 100 * rate, 100 * ci.lo, 100 * ci.hi);
	printf("| %s: %s | %zu | %s | %s | %s | %s |", c->what, g->figure, c->tally.n, goal, g->simulated, measured,
		verdict_of(g, rate, ci));
	for (enum rule r = 0; r < RULES; r++)
		if (g->of == FAILED || g->of == PASSED || power || g->of == MATERIAL)
			printf(" %.1f |",
				100.0 * (double)(g->of == PASSED ? c->tally.n - naive[r] : naive[r]) /
					(double)c->tally.n);
		else
			printf(" |");
	printf("\n");
}

int main(int argc, char **argv)
{
	const char *dir = NULL, *file = NULL;
	uint64_t seed = 0;
	size_t part = 1, missed = 0, judged = 0;
	struct nights *nights;
	struct stacks *stacks;
	bool only_cells = false;
	unsigned table = 0;
	int opt;

	while ((opt = getopt(argc, argv, "coqr:s:d:t:")) != -1)
		switch (opt) {
		case 'c': only_cells = true; break;
		case 't': only_cells = true; table = (unsigned)atoi(optarg); break;
		case 'o': bench_oracle(8000 / part, 1000 * seed); return 0;
		case 'q': part = 10; break;
		case 'r': seed = strtoull(optarg, NULL, 10); break;
		case 's': file = optarg; break;
		case 'd': dir = optarg; break;
		default: return 2;
		}
	if (only_cells) {
		missed = bench_cells(2000 / part, seed, table, &judged);
		printf("\nbench-drift: %zu goals, %zu missed\n", judged, missed);
		return 0;
	}
	nights = dir ? bench_nights_open(dir) : NULL;
	stacks = file ? bench_stacks_open(file) : NULL;
	printf("All rates in %%; in brackets 95 %% of Clopper and Pearson.  On the right what naive rules say of the "
		"same cases: the set of the first\n"
	       "five changed; a share 10 %% larger; Welch p <= 0.05 and larger; Mann-Whitney p <= 0.05 and larger.\n"
	       "\n"
	       "| cases: figure | cases | goal | simulated | measured | | set | 10 %% | Welch | M-W |\n"
	       "|---|--:|--:|--:|--:|---|--:|--:|--:|--:|\n");
	for (size_t i = 0; i < CLAIMS; i++) {
		claims[i].cases /= part;
		measure(&claims[i], 1000 * seed + 100 + i, nights, stacks);
	}
	for (size_t i = 0; i < sizeof(goals) / sizeof(goals[0]); i++) {
		const struct goal *g = &goals[i];
		struct interval ci;

		print_goal(g);
		if (isnan(g->least) || !claims[g->claim].tally.n)
			continue;
		judged++;
		missed += !strncmp(verdict_of(g, figure_of(&claims[g->claim].tally, g->of, &ci), ci), "missed", 6);
	}
	bench_history(5000 / part, 1000 * seed);
	bench_oracle(8000 / part, 1000 * seed);
	missed += bench_cells(2000 / part, seed, table, &judged);
	printf("\nbench-drift: %zu goals, %zu missed\n", judged, missed);
	bench_nights_free(nights);
	bench_stacks_free(stacks);
	return 0;
}
