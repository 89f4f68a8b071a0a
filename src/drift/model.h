/*
 * model.h - how much symbols vary from run to run
 *
 * The unit of replication is a run.  A symbol with y samples in run r has the
 * logarithmic cost
 *
 *     z = ln(y + 1/2) - s_r
 *
 * s_r the size of the run: ln of its work units when they are known, else the median
 * over symbols of ln y less its mean over runs (weighted by sqrt of the mean count,
 * so that rare symbols do not decide).  Its variance s2 is that within the two sides
 * together, with df = R0 + R1 - 2.  Counting alone gives v = 1/(ybar + 1/2).
 *
 * A handful of runs is too few to believe each symbol's own s2.  So, as limma does
 * for genes (Smyth 2004; Phipson et al. 2016):
 *
 *     c2   what symbols in general vary beyond counting: the median of s2/m - v, no less than 0,
 *          m = (1 - 2/(9 df))^3, the median of chi-squared by its df (Wilson and Hilferty)
 *     d0, s02   the prior: a scaled F distribution fitted to ln(s2 / (v + c2)), winsorised at 5 and 10 %
 *     s~2  = max(v, (d0 s02 (v + c2) + df s2) / (d0 + df))      the moderated variance
 *     t    = d / (s~ sqrt(1/R0 + 1/R1)),  df_t = min(d0 + df, symbols * df)
 */
#ifndef HD_DRIFT_MODEL_H
#define HD_DRIFT_MODEL_H

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
	double v, s2, s;		/* s: the moderated standard deviation of one run */
	double se, t, df;
	double p_greater, p_two;	/* 1 where df is 0: nothing can be said */
};
/* y: one row of samples, base runs first.  A row may also be a sum over several symbols. */
struct hd_moderated hd_model_test(const struct hd_model *m, const double *y);

#endif
