/*
 * difference_rows.h - the two steps that follow the tree of a difference
 */
#ifndef HD_GATE_DIFFERENCE_ROWS_H
#define HD_GATE_DIFFERENCE_ROWS_H

#include "gate/difference.h"

/* Step 1: set per_work, size, divisor and scale from the nodes. */
void hd_difference_costs(struct hd_difference *d, const struct hd_difference_side *base,
	const struct hd_difference_side *head);

/* Step 2: make the rows of symbols and stacks. */
void hd_difference_rows(struct hd_difference *d);

#endif
