/*
 * difference_costs.h - how shares of the two sides of a difference compare as costs; of difference.c
 */
#ifndef HD_GATE_DIFFERENCE_COSTS_H
#define HD_GATE_DIFFERENCE_COSTS_H

#include "gate/difference.h"

/* Set per_work, size, divisor and scale.  The nodes are complete, the rows are not made yet. */
void hd_difference_costs(struct hd_difference *d, const struct hd_difference_side *base,
	const struct hd_difference_side *head);

#endif
