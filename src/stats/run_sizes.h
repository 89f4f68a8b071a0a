/*
 * run_sizes.h - estimate how large each run was, when its work is not known
 *
 * A run's size s_r is the logarithm of a factor that all symbols of the run share: a slower
 * machine, or more work.  It is estimated in two steps, on ln(y + 1/2):
 *
 *     within a side    s_r is where the symbols' deviations from their means over the side agree
 *     between sides    the level is where the differences of the symbols' means agree
 *
 * A symbol that changed is an outlier only in the second step, so it does not bend the sizes
 * within a side.  "Agree" is Tukey's biweight, which starts at a weighted median; each symbol
 * has the scale of its own noise, drawn towards the scale of all symbols.
 *
 * A symbol counts within a side if it is in each run of that side, and between the sides if it
 * is in each run of both.  If the symbols that are in all runs are less than a tenth of the
 * profile (a rename of everything), the level is the change of the runs' totals instead.
 */
#ifndef HD_STATS_RUN_SIZES_H
#define HD_STATS_RUN_SIZES_H

#include "stats/variance_model.h"

/* Set m->size, m->information and m->level; m->base, head and df are set.  HD_TRACK_NOMEM. */
int hd_run_sizes_find(struct hd_variance_model *m, const struct hd_run_counts *in);

struct hd_weighted {
	double x, weight, scale;	/* scale: for the biweight */
};
/* The value with half of the weight on each side; sorts w.  0 for n = 0. */
double hd_weighted_median(struct hd_weighted *w, size_t n);

/* The median of chi-squared by its df (Wilson and Hilferty). */
double hd_chi2_median(double df);

#endif
