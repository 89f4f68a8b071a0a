/*
 * run_sizes.h - estimate the size of each run if its amount of work is unknown
 *
 * The size s_r of run r is the logarithm of a factor common to all symbols of the run, caused by a slower machine or by
 * more work.  There are two sides: the runs of the base and the runs of the head.  The size is estimated from
 * ln(y + 1/2), where y is the number of samples of a symbol in a run, in two steps:
 *
 *     within a side    s_r is the location of the symbols' deviations from their means over the side
 *     between sides    the level is the location of the differences of the symbols' means
 *
 * A symbol whose cost changed is an outlier in the second step only, so it does not bias the sizes within a side.  The
 * location estimate is Tukey's biweight, started at a weighted median.  Each symbol is scaled by its own noise, shrunk
 * towards the noise of all symbols.
 *
 * A symbol is used within a side if it occurs in each run of that side, and between the sides if it occurs in each
 * run of both.  If the symbols that occur in all runs are less than a tenth of the profile (everything was renamed),
 * the level is the change of the runs' totals instead.
 */
#ifndef HD_STATS_RUN_SIZES_H
#define HD_STATS_RUN_SIZES_H

#include "stats/status.h"

#include <stddef.h>

struct hd_session_variance;

/* Samples of each symbol in the runs of two sides. */
struct hd_run_counts {
	size_t symbols;			/* number of symbols */
	size_t base, head;		/* number of runs of each side */
	/*
	 * number of samples of each symbol in each run: symbols x (base + head) values.  If the sample weights w vary,
	 * a run counts for its effective number of samples, (sum w)^2 / sum w^2
	 */
	const double *y;
	const double *work;		/* work units of each run, or NULL */
	const struct hd_session_variance *sessions;	/* earlier sessions, if each side is one session; or NULL */
};

struct hd_run_sizes {
	/*
	 * size s_r of each run; the caller allocates base + head values and sets them to 0.  Unless the work is known,
	 * half of the level is subtracted from the sizes of the base and added to those of the head
	 */
	double *size;
	/*
	 * Fisher information of the symbols about the size of one run: sum of 1 / variance; 0 if work is known.  The
	 * caller sets it to 0 before the call, because hd_run_sizes_find() adds to it
	 */
	double information;
	double level;			/* ln of the factor by which most symbols changed; 0 if work is known */
};

/*
 * Estimate the sizes of the runs.  If the work of each run is known, its size is the logarithm of its work.  Returns
 * HD_STATS_OK or HD_STATS_NOMEM.
 */
int hd_run_sizes_find(struct hd_run_sizes *out, const struct hd_run_counts *in);

#endif
