/*
 * model.h - how much symbols vary from run to run
 *
 * The unit of replication is a run.  A symbol with y samples in run r has the
 * logarithmic cost
 *
 *     z = ln(y + 1/2) - s_r
 *
 * s_r the size of the run: ln of its work units when they are known, else sizes.h
 * finds it.  Its variance s2 is that within the two sides together, with
 * df = R0 + R1 - 2.  Counting alone gives v = 1/(ybar + 1/2).
 *
 * A handful of runs is too few to believe each symbol's own s2.  Two ways to learn
 * from the others:
 *
 *   noise    each symbol has a c of its own, v + c^2 (noise.h): a variance and degrees of freedom for each row.  Of it are
 *            t, p and the interval: a symbol that is noisier than others is not called slower for it.  s2 is too small by
 *            the part that the row has in the sizes of runs, and d is as much more uncertain.
 *   pooled   as limma does for genes (Smyth 2004; Phipson et al. 2016); the bound that lets a row pass is made of it:
 *              c2       what symbols in general vary beyond counting: the median of s2/m - v, no less than 0, m = (1 - 2/(9 df))^3
 *              d0, s02  a scaled F distribution fitted to ln(s2 / (v + c2)), winsorised at 5 and 10 %
 *              s~2      max(v, (d0 s02 (v + c2) + df s2) / (d0 + df)), with min(d0 + df, symbols * df) degrees of freedom
 *
 * Why both: docs/statistics.md, with what either does alone.
 */
#ifndef HD_DRIFT_MODEL_H
#define HD_DRIFT_MODEL_H

#include "drift/noise.h"
#include "track/summary.h"

#include <stdbool.h>

struct hd_runs {
	size_t symbols, base, head;	/* rows, and runs of each side */
	const double *y;		/* symbols x (base + head) samples; with varying periods (sum w)^2 / sum w^2 */
	const double *work;		/* units of each run, or NULL */
};

enum { HD_MODEL_COUNTED = 10 };		/* samples a run that a symbol has on average, to be believed about variances */

struct hd_model {
	size_t base, head;
	double df, c2, d0, s02, df_t;
	struct hd_noise noise;
	double information;		/* of all symbols about the size of one run: sum of 1/variance; 0 when work is known */
	double *size;			/* s_r of each run */
	/* Where work is not known: did all symbols together become slower?  Then it is the machine, or the work. */
	double shift, shift_p;		/* mean s_r of head less that of base; two-sided */
};

/* HD_TRACK_NOMEM; HD_TRACK_NONE without runs on both sides. */
int hd_model_fit(struct hd_model *out, const struct hd_runs *in);
void hd_model_release(struct hd_model *m);

struct hd_moderated {
	double mean_base, mean_head;	/* of z */
	double d;			/* their difference: ln of the ratio of costs */
	double v, s2, s, s_pooled;	/* s, s_pooled: the standard deviation of one run, by noise and by pooling */
	double se, t, df;
	double p_greater, p_two;	/* 1 where df is 0: nothing can be said */
};
/* y: one row of samples, base runs first.  A row may also be a sum over several symbols. */
struct hd_moderated hd_model_test(const struct hd_model *m, const double *y);
/* The one-sided 95 % upper bound of d, by the pooled variance; infinite where df is 0. */
double hd_model_upper(const struct hd_model *m, const struct hd_moderated *t);

#endif
