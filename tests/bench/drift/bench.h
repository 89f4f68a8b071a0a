/*
 * bench.h - measure how often the verdicts are right, on generated cases with a known truth
 *
 *     make.c      generates profiles as planted/README.txt in the reference data (../shared/stats, or -d DIR)
 *                 describes: 60 leaf functions of share 1/i under 15 callers.
 *                 The size of a run is exp(0.02 z).  The noise of a function is cv exp(0.5 z), drawn once per case.
 *                 Counts are Poisson, and each z is a new normal variate.
 *     real.c      makes cases from real runs: the nights of aa_nights, and stacks of a recording
 *     judge.c     judges a case by hotdrift's model, and by naive rules
 *     history.c   measures the checks of histories with one value per commit
 *     oracle.c    computes the rates of judges that know more than the runs show
 *     cells.c     makes cases for the code that `gate` runs (cells.h); table.c prints the results
 *     main.c      checks the claims, and prints the table
 *
 * Each claim has its own seed, so that its line does not change when other claims are added or removed.
 */
#ifndef HD_BENCH_DRIFT_H
#define HD_BENCH_DRIFT_H

#include "stats/top_change.h"
#include "stats/verdict.h"
#include "stats/random.h"

#include <stdbool.h>
#include <stdio.h>

/* PLANTED: index of the function that may change; its share is 7.1 % */
enum { LEAVES = 60, CALLERS = 15, ROWS_MAX = 160, RUNS_MAX = 24, PLANTED = 2 };

enum kind { NOTHING, GROW, SHIFT, INLINED, RENAMED, NEAR_TIE, SLOWER, MANY };

struct recipe {
	enum kind kind;
	size_t base, head;
	double samples, cv, factor;
	/* with probability 1/20, the cost of one random function of a run is 1.6 times as high */
	bool contaminated;
};

struct profile {
	size_t rows, base, head;
	double y[ROWS_MAX * RUNS_MAX];
	/* factor by which the cost of a row was multiplied; NaN: the row is not checked */
	double truth[ROWS_MAX];
	size_t planted;
	size_t of[ROWS_MAX][HD_DOMAINS_PER_ROW], domains;
	double domain_y[CALLERS * RUNS_MAX];
};

double bench_normal(struct hd_random *r);
double bench_poisson(struct hd_random *r, double mean);
void bench_make(struct profile *p, const struct recipe *rc, struct hd_random *r);

/*
 * Naive rules that people use.  They compare the shares of the runs.  RULE_SET compares the sets of the five hottest
 * symbols.  The other rules apply to each symbol with at least 0.5 % of the base or of the head.
 */
enum rule { RULE_SET, RULE_TENTH, RULE_WELCH, RULE_RANKSUM, RULES };

/* Sums over cases. */
struct tally {
	size_t n, verdict[5], named, changed, warned, material, above;
	/*
	 * Numbers of intervals: asked, of all gated rows; covered, those of them that contain the true change;
	 * covered_planted, those of the planted row that contain it.
	 */
	size_t covered_planted, covered, asked;
	/* sum over the cases of the part of the reported changes that is false */
	double false_part;
	/* cases in which a rule flags any symbol, and in which it flags the planted one */
	size_t any[RULES], found[RULES];
};

struct bench_asks {
	bool top, naive;
};
void bench_judge(struct tally *t, const struct profile *p, struct bench_asks asks);

/* ---- real runs ---- */

struct nights;
struct nights *bench_nights_open(const char *dir);	/* Returns NULL if the folder does not exist. */
void bench_nights_free(struct nights *n);
/* Make a case from runs of two different nights, or of one.  The benchmarks get the shares 1/i in a random order. */
void bench_nights_make(struct profile *p, const struct nights *n, size_t runs, bool same_night, double samples,
	double factor, struct hd_random *r);
/* Functions and their shares, from the leaves of the stacks in a folded file.  Samples are drawn from them. */
struct stacks;
struct stacks *bench_stacks_open(const char *file);	/* Returns NULL if the file cannot be read or has no stack. */
void bench_stacks_free(struct stacks *s);
void bench_stacks_make(struct profile *p, const struct stacks *s, size_t runs, double samples, double cv, double factor,
	struct hd_random *r);

/* ---- table ---- */

struct interval {
	double lo, hi;
};
struct interval bench_binomial(size_t k, size_t n);	/* the 95 % interval of Clopper and Pearson */

void bench_history(size_t series, uint64_t seed);
/* Print the rates that judges with more knowledge reach (oracle.c).  Each line is computed from `cases` drawn cases. */
void bench_oracle(size_t cases, uint64_t seed);

#endif
