/*
 * bench.h - how often the verdicts are right: cases that are made, their truth, and what each rule says
 *
 *     make.c      profiles as planted/README.txt describes: 60 leaf functions of share 1/i under 15 callers, a run's size
 *                 exp(0.02 z), a function's noise cv exp(0.5 z) drawn once per case, Poisson counts; z are fresh normals
 *     real.c      the same questions on real runs: the nights of aa_nights, and stacks of a recording
 *     judge.c     one case through the model, and through the naive rules
 *     history.c   histories of one value a commit
 *     oracle.c    what judges could reach that know more than the runs tell
 *     main.c      the claims, and the table
 *
 * Each claim has its own seed, so that a line stays the same when others come or go.
 */
#ifndef HD_BENCH_DRIFT_H
#define HD_BENCH_DRIFT_H

#include "stats/top_change.h"
#include "stats/verdict.h"
#include "stats/random.h"

#include <stdbool.h>
#include <stdio.h>

enum { LEAVES = 60, CALLERS = 15, ROWS_MAX = 160, RUNS_MAX = 24, PLANTED = 2 };	/* the third: 7.1 % */

enum kind { NOTHING, GROW, SHIFT, INLINED, RENAMED, NEAR_TIE, SLOWER, MANY };

struct recipe {
	enum kind kind;
	size_t base, head;
	double samples, cv, factor;
	bool contaminated;		/* every twentieth run has one function multiplied by 1.6 */
};

struct profile {
	size_t rows, base, head;
	double y[ROWS_MAX * RUNS_MAX];
	double truth[ROWS_MAX];		/* what the cost of a row was multiplied by; NaN: not to be asked */
	size_t planted;
	size_t of[ROWS_MAX][HD_DOMAINS_PER_ROW], domains;
	double domain_y[CALLERS * RUNS_MAX];
};

double bench_normal(struct hd_random *r);
double bench_poisson(struct hd_random *r, double mean);
void bench_make(struct profile *p, const struct recipe *rc, struct hd_random *r);

/* Rules that people use; of a symbol: at least 0.5 % of a side, shares of runs. */
enum rule { RULE_SET, RULE_TENTH, RULE_WELCH, RULE_RANKSUM, RULES };

/* Sums over cases. */
struct tally {
	size_t n, verdict[5], named, changed, warned, material, above;
	size_t covered_planted, covered, asked;		/* intervals: of the planted row, of all gated ones */
	double false_part;				/* sum over cases of the false part of what is called changed */
	size_t any[RULES], found[RULES];		/* a rule flags any symbol; the planted one */
};

struct bench_asks {
	bool top, naive;
};
void bench_judge(struct tally *t, const struct profile *p, struct bench_asks asks);

/* ---- real runs ---- */

struct nights;
struct nights *bench_nights_open(const char *dir);	/* NULL when it is not there */
void bench_nights_free(struct nights *n);
/* Runs of two different nights, or of one; the benchmarks get the shares 1/i in a random order. */
void bench_nights_make(struct profile *p, const struct nights *n, size_t runs, bool same_night, double samples,
	double factor, struct hd_random *r);
/* Stacks in folded form; leaves are functions.  Samples are drawn from them. */
struct stacks;
struct stacks *bench_stacks_open(const char *file);
void bench_stacks_free(struct stacks *s);
void bench_stacks_make(struct profile *p, const struct stacks *s, size_t runs, double samples, double cv, double factor,
	struct hd_random *r);

/* ---- table ---- */

struct interval {
	double lo, hi;
};
struct interval bench_binomial(size_t k, size_t n);	/* 95 %, Clopper and Pearson */

void bench_history(size_t series, uint64_t seed);
/* Print how far the goals can be reached, by `cases` draws a line. */
void bench_oracle(size_t cases, uint64_t seed);

#endif
