/*
 * sizes.h - how large each run was, when its work is not known
 *
 * Most symbols did not change.  Within a side the size of a run is where the symbols'
 * ln (y + 1/2), less their means over the side, agree; and the sides lie apart by what
 * the differences of those means agree on.  So a symbol that changed is far out in the
 * second, where its error is small, and does not bend the first at all.
 *
 * To agree: Tukey's biweight, each symbol with the scale of its own noise, drawn
 * towards that of all.  What is not in every run has no say.
 */
#ifndef HD_DRIFT_SIZES_H
#define HD_DRIFT_SIZES_H

#include "drift/model.h"

/* m->size and m->information; m->base, head and df are set.  HD_TRACK_NOMEM. */
int hd_sizes_find(struct hd_model *m, const struct hd_runs *in);

/* The median of chi-squared by its df (Wilson and Hilferty). */
double hd_chi2_median(double df);

#endif
