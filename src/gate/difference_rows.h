/*
 * difference_rows.h - the rows of a difference from its nodes; what difference.c takes from difference_rows.c
 */
#ifndef HD_GATE_DIFFERENCE_ROWS_H
#define HD_GATE_DIFFERENCE_ROWS_H

#include "gate/difference.h"

void hd_difference_rows(struct hd_difference *d);

#endif
