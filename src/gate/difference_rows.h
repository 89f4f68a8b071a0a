/*
 * difference_rows.h - compute the costs and rows of a difference, after its call trees were merged
 */
#ifndef HD_GATE_DIFFERENCE_ROWS_H
#define HD_GATE_DIFFERENCE_ROWS_H

#include "gate/difference.h"

/* Step 1: compute d->per_work, d->size, d->divisor and d->scale from the nodes. */
void hd_difference_costs(struct hd_difference *d, const struct hd_difference_side *base,
	const struct hd_difference_side *head, const struct hd_difference_opts *o);

/* Step 2: make the rows of symbols and stacks. */
void hd_difference_rows(struct hd_difference *d);

#endif
