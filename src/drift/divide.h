/*
 * divide.h - one division tested; what changepoint.c takes from divide.c
 */
#ifndef HD_DRIFT_DIVIDE_H
#define HD_DRIFT_DIVIDE_H

#include "drift/changepoint.h"

/* The pooled t-test of [from, t) against [t, to), with means and magnitude. */
struct hd_changepoint hd_divide_test(const double *v, size_t from, size_t t, size_t to, bool ddof_0);

#endif
