/*
 * edivisive.h - one division tested; what changepoint.c takes from edivisive.c
 */
#ifndef HD_STATS_EDIVISIVE_H
#define HD_STATS_EDIVISIVE_H

#include "stats/changepoint.h"

/* The pooled t-test of [from, t) against [t, to), with means and magnitude. */
struct hd_changepoint hd_edivisive_test(const double *v, size_t from, size_t t, size_t to, bool ddof_0);

#endif
