/*
 * difference_costs.c - see difference_rows.h: convert shares in base and head to costs, and compare the costs
 *
 * The share of a function falls when another function grows, so changes are computed from costs.  The runs of the head
 * can be larger as a whole (a longer run, a slower machine).  If the work is unknown, this factor is estimated from all
 * functions by the model of gate, and changes are computed without it.  Bytes and allocations do not depend on the
 * machine, so they are compared as they are.
 */
#include "gate/difference_rows.h"

#include "profile/call_tree.h"
#include "profile/mode.h"
#include "base/mem.h"
#include "stats/variance_model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The assumed number of samples of a profile without a sample count; only ratios matter. */
#define AS_SAMPLES 10000.0
/* Two shares are equal if they differ by at most SAME_POINTS percentage points plus SAME_PART of the larger share. */
#define SAME_POINTS 0.02
#define SAME_PART 0.01

static bool samples_are_known(const struct hd_difference *d)
{
	return d->samples[HD_BASE] > 0 && d->samples[HD_HEAD] > 0;
}

/*
 * Return the sample counts of all functions that have samples, in two columns, base and head.  *n is set to the number
 * of these functions, and *common to the number of functions that have samples on both sides.  The caller frees the
 * result.
 */
static double *counts_of(const struct hd_difference *d, size_t *n, size_t *common)
{
	double *y = hd_new_array(double, 2 * d->nnames + 1), per_weight[2];

	for (unsigned side = 0; side < 2; side++)
		per_weight[side] = (samples_are_known(d) ? d->samples[side] : AS_SAMPLES) / (double)d->weight[side];
	for (size_t i = 0; i < d->nnames; i++)
		for (unsigned side = 0; side < 2; side++)
			y[2 * i + side] = (double)d->names[i].self[side] * per_weight[side];
	*n = *common = 0;
	for (size_t i = 0; i < d->nnames; i++) {
		if (!(y[2 * i] > 0) && !(y[2 * i + 1] > 0))
			continue;
		*common += y[2 * i] > 0 && y[2 * i + 1] > 0;
		y[2 * *n] = y[2 * i];
		y[2 * (*n)++ + 1] = y[2 * i + 1];
	}
	return y;
}

/*
 * Return ln of the factor by which head has more samples of the unchanged functions (the model of gate,
 * stats/variance_model.h).  If fewer than three functions have samples on both sides, there is no majority of unchanged
 * functions.  The factor is then the ratio of all samples (1 if unknown), so that changes are changes of shares.
 */
static double level_of(const struct hd_difference *d)
{
	size_t common;
	struct hd_run_counts in = { .base = 1, .head = 1 };
	struct hd_variance_model m;
	double level, *y = counts_of(d, &in.symbols, &common);

	in.y = y;
	if (common < 3) {
		free(y);
		return samples_are_known(d) ? log(d->samples[HD_HEAD] / d->samples[HD_BASE]) : 0;
	}
	if (hd_variance_model_fit(&m, &in) == HD_STATS_NOMEM)
		hd_out_of_memory("diff");
	level = m.size[1] - m.size[0];
	hd_variance_model_release(&m);
	free(y);
	return level;
}

void hd_difference_costs(struct hd_difference *d, const struct hd_difference_side *base,
	const struct hd_difference_side *head, const struct hd_difference_opts *o)
{
	const struct hd_difference_side *of[2] = { base, head };
	double grew;			/* ln of the ratio of the total costs */

	d->per_work = base->work > 0 && head->work > 0;
	for (unsigned side = 0; side < 2; side++)
		d->divisor[side] = d->per_work ? of[side]->work : of[side]->runs > 0 ? of[side]->runs : 1;
	d->scale = 1;
	if (!d->weight[HD_BASE] || !d->weight[HD_HEAD])
		return;
	grew = log((double)d->weight[HD_HEAD] / d->divisor[HD_HEAD]) -
		log((double)d->weight[HD_BASE] / d->divisor[HD_BASE]);
	d->as_they_are = o->as_they_are || d->per_work ||
		hd_profile_mode_counts_memory(hd_profile_str(base->p, base->p->events[base->event].unit));
	if (!d->as_they_are && o->size)
		d->size = *o->size;
	else if (!d->as_they_are)
		d->size = grew - (samples_are_known(d) ? log(d->samples[HD_HEAD] / d->samples[HD_BASE]) : 0) +
			level_of(d);
	d->scale = exp(grew - d->size);
}

static bool mean_the_same(double a, double b)
{
	return fabs(a - b) <= SAME_POINTS + SAME_PART * fmax(a, b);
}

bool hd_difference_take(struct hd_difference *d, const char *symbol, const double share[2], double change, double lo,
	double hi)
{
	for (size_t i = 0; i < d->nsymbols; i++) {
		struct hd_difference_row *r = &d->symbols[i];

		if (d->names[r->name].flags & HD_CALL_NODE_COMM || strcmp(d->names[r->name].key, symbol))
			continue;
		if (!mean_the_same(r->share[HD_BASE], share[HD_BASE]) ||
			!mean_the_same(r->share[HD_HEAD], share[HD_HEAD]))
			return false;
		r->change = change;
		r->lo = lo;
		r->hi = hi;
		return true;
	}
	return false;
}
