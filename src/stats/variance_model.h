/*
 * variance_model.h - estimate how much the cost of symbols varies between runs
 *
 * The unit of replication is the run.  The logarithmic cost of a symbol with y samples in run r is
 *
 *     z = ln(y + 1/2) - s_r
 *
 * s_r is the size of the run: ln of its work units if known, else estimated (run_sizes.h).  s2 is the sample variance
 * of z within the two sides, with df = R0 + R1 - 2 degrees of freedom for R0 base runs and R1 head runs.  Counting
 * alone explains v = 1/(ybar + 1/2), where ybar is the mean of y; it is computed per side, because a symbol may be rare
 * on one side only.  On a side with R runs and fewer than HD_VARIANCE_MODEL_COUNTED samples per run, ln(ybar + 1/(2R))
 * minus the mean of s_r replaces the mean of z, and v is 1/(ybar + 1/(2R)).  Such a side adds no degrees of freedom.
 *
 * With three to ten runs per side, the sample variance s2 of a single symbol is unreliable.  Two estimators borrow
 * strength from the other symbols:
 *
 *   noise    Model the variance of symbol i as v_i + c_i^2 (noise.h).  The t statistic, p-value and interval of a row
 *            use this estimate, so a noisy symbol is not reported as slower because of its noise.
 *
 *            Correction: the symbol contributes to the sizes that are subtracted from it, which makes s2 and the
 *            uncertainty of d too small by the same share.  Both are scaled up accordingly.
 *
 *   pooled   Moderate the variances as limma does for genes (Smyth 2004; Phipson et al. 2016).  The upper bound that
 *            lets a row pass uses this estimate:
 *              c2       typical variance beyond counting: the median of s2/m - v, at least 0, with m = (1 - 2/(9 df))^3
 *              d0, s02  scaled F distribution fitted to ln(s2 / (v + c2)), winsorised (lowest 5 %, highest 10 %)
 *              s~2      max(v, (d0 s02 (v + c2) + df s2) / (d0 + df)), with min(d0 + df, symbols * df) degrees of
 *                       freedom
 *
 * docs/statistics.md explains why there are two, and the weakness of each.
 *
 * If each side is one session (session_variance.h), the unit of replication is the session: both estimators are then
 * the noise between earlier sessions.  Its tails are those of a t distribution with 24 degrees of freedom instead of
 * normal ones.
 */
#ifndef HD_STATS_VARIANCE_MODEL_H
#define HD_STATS_VARIANCE_MODEL_H

#include "stats/noise.h"
#include "stats/run_sizes.h"
#include "stats/session_variance.h"
#include "stats/summary.h"

#include <stdbool.h>

/*
 * Least samples per run with which a symbol is used to estimate the noise.  With fewer, its counting error is too
 * large.
 */
enum { HD_VARIANCE_MODEL_COUNTED = 10 };
#define HD_VARIANCE_MODEL_SUM SIZE_MAX		/* the "row" of a sum over several rows */

/* A difference between the means of head and base, with its uncertainty. */
struct hd_movement {
	double d, se, df;		/* ln of the ratio of costs, its standard error and degrees of freedom */
	double s2;			/* sample variance of one run (or session); 0: unknown */
	double df_s2;			/* degrees of freedom of s2; 0: unknown */
	double spread;			/* standard error of d / standard deviation of one run (or session) */
	double lo, hi;			/* 95 % interval of d */
	double p_greater, p_two;	/* 1 if nothing is known */
};

struct hd_variance_model {
	size_t base, head;		/* runs of each side */
	double df, c2, d0, s02, df_t;	/* see "pooled" above; df_t: degrees of freedom of s~2 */
	struct hd_noise noise;
	const struct hd_session_variance *sessions;	/* borrowed from hd_run_counts; NULL: the unit is the run */
	struct hd_noise session_noise;
	double information;		/* see struct hd_run_sizes */
	double *size;			/* s_r of each run */
	/* ln of the factor by which the cost of most symbols changed; 0 if the work is known */
	double level;
	struct hd_movement level_test;	/* test whether the variance of run sizes explains the level */
};

/*
 * Fit the model.  in->sessions must stay valid as long as the model.  Returns HD_STATS_OK, HD_STATS_NOMEM, or
 * HD_STATS_NONE if a side has no runs.  After HD_STATS_OK the caller releases the model.
 */
int hd_variance_model_fit(struct hd_variance_model *out, const struct hd_run_counts *in);
void hd_variance_model_release(struct hd_variance_model *m);

struct hd_moderated {
	double mean_base, mean_head;	/* means of z, the logarithmic cost in a run, over the runs of each side */
	double d;			/* their difference: ln of the ratio of costs */
	double v;			/* the part of s2 that is due to counting */
	double v_mean;			/* counting variance of one run: average over base and head, weighted as in d */
	double s2;			/* sample variance of the row's runs */
	double df_own;			/* degrees of freedom of s2; a side with few samples per run adds none */
	double s;			/* standard deviation of one run by the noise model */
	double s_pooled;		/* standard deviation of one run, pooled over symbols */
	double se, t, df, df_pooled;
	double p_greater, p_two;	/* 1 if df is 0 */
	size_t row;
};
/*
 * Test one row.  y: the row's samples in each run, base runs first.  row: its index in hd_run_counts, or
 * HD_VARIANCE_MODEL_SUM.
 */
struct hd_moderated hd_variance_model_test(const struct hd_variance_model *m, const double *y, size_t row);
/* Return the probability that noise alone makes a difference of at least d > 0; 1 if df is 0. */
double hd_variance_model_tail(const struct hd_variance_model *m, const struct hd_moderated *t, double d);
/* Return the one-sided 95 % upper bound of d, with the pooled variance; infinite if df is 0. */
double hd_variance_model_upper(const struct hd_variance_model *m, const struct hd_moderated *t);

/*
 * Test whether a quantity with one value per run differs between the sides.  ln: logarithms of the values, base runs
 * first; v: their counting variance.  If each side is one session, s2_session is the variance of one session, and
 * df_session its degrees of freedom.  Otherwise s2_session is NaN, and the variance is estimated from these values
 * alone.  Returns HD_STATS_OK or HD_STATS_NOMEM.
 */
int hd_movement_test(struct hd_movement *out, const double *ln, size_t base, size_t head, double v, double s2_session,
	double df_session);

#endif
