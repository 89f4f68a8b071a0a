/*
 * variance_model.h - how much symbols vary from run to run
 *
 * The unit of replication is a run.  A symbol with y samples in run r has the
 * logarithmic cost
 *
 *     z = ln(y + 1/2) - s_r
 *
 * s_r is the size of the run: ln of its work units if they are known, else the estimate of
 * run_sizes.h.  The sample variance s2 of z is that within the two sides together, with
 * df = R0 + R1 - 2 degrees of freedom.  Counting alone explains v = 1/(ybar + 1/2), taken for
 * each side by itself because a symbol may be rare on one side only.  On a side with fewer
 * than HD_VARIANCE_MODEL_COUNTED samples a run, ln of the mean count stands for the mean of z.
 *
 * With three to ten runs per side, the s2 of a single symbol is unreliable.  Two estimators borrow
 * strength from the other symbols:
 *
 *   noise    models the variance of symbol i as v_i + c_i^2 (noise.h).  t, p and the interval of a row use it, so a
 *            noisy symbol is not reported as slower because of its noise.  The symbol contributes to the sizes that are
 *            subtracted from it, which makes s2 too small and d too certain; both are scaled up accordingly.
 *   pooled   moderates variances as limma does for genes (Smyth 2004; Phipson et al. 2016).  The bound that lets a row
 *            pass uses it:
 *              c2       what symbols in general vary beyond counting: the median of s2/m - v, at least 0, m = (1 - 2/(9 df))^3
 *              d0, s02  a scaled F distribution fitted to ln(s2 / (v + c2)), winsorised at 5 and 10 %
 *              s~2      max(v, (d0 s02 (v + c2) + df s2) / (d0 + df)), with min(d0 + df, symbols * df) degrees of freedom
 *
 * docs/statistics.md explains why there are two, and what either does alone.
 *
 * If each side is one session (session_variance.h), the session is the unit of replication: the noise comes from earlier
 * sessions, and both estimators are that noise.
 */
#ifndef HD_STATS_VARIANCE_MODEL_H
#define HD_STATS_VARIANCE_MODEL_H

#include "stats/noise.h"
#include "stats/session_variance.h"
#include "stats/summary.h"

#include <stdbool.h>

struct hd_run_counts {
	size_t symbols, base, head;	/* rows, and runs of each side */
	const double *y;		/* symbols x (base + head) samples; with varying periods (sum w)^2 / sum w^2 */
	const double *work;		/* units of each run, or NULL */
	const struct hd_session_variance *sessions;	/* each side is one session, and these were before; or NULL */
};

enum { HD_VARIANCE_MODEL_COUNTED = 10 }; /* fewer samples a run on average say nothing about a symbol's own noise */
#define HD_VARIANCE_MODEL_SUM SIZE_MAX		/* the "row" of a sum over several rows */

/* A difference of the sides' means, with its uncertainty. */
struct hd_movement {
	double d, se, df;		/* ln of the ratio of costs; its standard error */
	double s2, df_s2; /* sample variance of one run (or session), and its degrees of freedom; 0: unknown */
	double spread;			/* standard error of d, in standard deviations of one run (or session) */
	double lo, hi;			/* 95 % interval of d */
	double p_greater, p_two;	/* 1 where nothing can be said */
};

struct hd_variance_model {
	size_t base, head;
	double df, c2, d0, s02, df_t;
	struct hd_noise noise;
	const struct hd_session_variance *sessions;	/* borrowed from hd_run_counts; NULL: runs are the unit */
	struct hd_noise session_noise;
	double information; /* of all symbols about the size of one run: sum of 1/variance; 0 if work is known */
	double *size;			/* s_r of each run */
	double level; /* if work is not known: by how much most symbols moved from base to head, in ln */
	struct hd_movement level_test;	/* the same, against what sizes vary from run to run */
};

/* in->y and in->sessions must outlive the model.  HD_TRACK_NOMEM; HD_TRACK_NONE without runs on both sides. */
int hd_variance_model_fit(struct hd_variance_model *out, const struct hd_run_counts *in);
void hd_variance_model_release(struct hd_variance_model *m);

struct hd_moderated {
	double mean_base, mean_head;	/* of z */
	double d;			/* their difference: ln of the ratio of costs */
	double v, v_mean;		/* counting variance of a run: as s2 contains it; as the means contain it */
	double s2, df_own; /* sample variance of the row's runs; its degrees of freedom: 0 with few samples */
	double s, s_pooled;		/* the standard deviation of one run, by noise and by pooling */
	double se, t, df, df_pooled;
	double p_greater, p_two;	/* 1 where df is 0: nothing can be said */
	size_t row;
};
/* y: one row of samples, base runs first; row: its index in hd_run_counts, or HD_VARIANCE_MODEL_SUM. */
struct hd_moderated hd_variance_model_test(const struct hd_variance_model *m, const double *y, size_t row);
/* The probability that noise alone makes a difference of at least d > 0; 1 where df is 0. */
double hd_variance_model_tail(const struct hd_variance_model *m, const struct hd_moderated *t, double d);
/* The one-sided 95 % upper bound of d, by the pooled variance; infinite where df is 0. */
double hd_variance_model_upper(const struct hd_variance_model *m, const struct hd_moderated *t);

/*
 * Test whether values of runs (ln) differ between the sides, each with a counting variance v, where only these values tell
 * how much they vary.  s2_session: variance between sessions if each side is one session; NaN otherwise.
 */
int hd_movement_test(struct hd_movement *out, const double *ln, size_t base, size_t head, double v, double s2_session,
	double df_session);

#endif
