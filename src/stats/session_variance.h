/*
 * session_variance.h - estimate how much symbols vary between recording sessions, from earlier sessions
 *
 * Runs of one session share a boot, a build folder and the state of the machine.  If all runs of the base are from one
 * session and all runs of the head from another, the variance within the sessions says nothing about the difference
 * between them.  Earlier sessions of the same target do.
 *
 * The runs of a session are summed.  For each symbol, the differences of ln(cost) between successive sessions, minus
 * the weighted median of these differences over all symbols, have twice the variance of one session.  If the work is
 * known, the difference of ln(work) is subtracted instead of the median, as the compared costs are per unit of work.
 * A difference beyond 4 robust standard deviations is taken for a change of the program and is excluded.  Successive
 * differences are used because slow trends hardly affect them.
 *
 * Part of this variance is noise between the runs of a session, divided by their number.  The compared sessions can
 * have fewer or noisier runs than the earlier ones, so this part is estimated, too (variance_model.c adds what is
 * missing).  If all earlier sessions have one run, all of the variance beyond counting is taken for such noise.
 */
#ifndef HD_STATS_SESSION_VARIANCE_H
#define HD_STATS_SESSION_VARIANCE_H

#include "stats/status.h"

#include <stddef.h>
#include <stdint.h>

enum { HD_SESSION_VARIANCE_LEAST = 5 };		/* earlier sessions that an estimate needs */

struct hd_session_variance {
	size_t symbols, n;		/* number of symbols, of sessions */
	double runs;			/* runs per session, on average */
	double df;			/* degrees of freedom of s2 */
	double *s2;			/* for each symbol: variance of ln(cost) of one session */
	double *v;			/* for each symbol: the part of s2 that counting explains */
	double *run;			/* for each symbol: the part of s2 that other noise between runs explains */
	/* variance of a session's level: ln of the cost of a run (or unit of work), as most symbols share it */
	double level_s2;
};

/*
 * Fit n sessions.  y: sample counts, symbols x runs.  session[r]: session of run r, 0 .. n-1 in chronological order.
 * work: work units of each run; NULL: unknown, so each run counts as one unit.
 *
 * Returns HD_STATS_OK, HD_STATS_NOMEM, or HD_STATS_NONE if there are fewer than HD_SESSION_VARIANCE_LEAST sessions or
 * no symbols.  After HD_STATS_OK the caller releases `out`.
 */
int hd_session_variance_fit(struct hd_session_variance *out, const double *y, size_t symbols, size_t runs,
	const uint32_t *session, size_t n, const double *work);
void hd_session_variance_release(struct hd_session_variance *s);

/* The variance of one figure, such as ln(latency), between earlier sessions and between the runs of a session. */
struct hd_session_figure {
	double s2;			/* variance of the mean of a session */
	double run;			/* variance between the runs of a session; 0: each session has one run */
	double per_run;			/* mean of 1 / runs of a session */
	double df;			/* degrees of freedom of s2 */
};

/*
 * Fit the figure v of `runs` runs; NaN: unknown.  session: as for hd_session_variance_fit(); n: number of sessions.
 * Returns HD_STATS_OK, HD_STATS_NOMEM, or HD_STATS_NONE if fewer than HD_SESSION_VARIANCE_LEAST sessions know it.
 */
int hd_session_figure_fit(struct hd_session_figure *out, const double *v, const uint32_t *session, size_t runs,
	size_t n);
/* Return the standard error of the difference between the means of two sessions with `a` and `b` runs. */
double hd_session_figure_se(const struct hd_session_figure *f, size_t a, size_t b);

#endif
