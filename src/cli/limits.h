/*
 * limits.h - how much a target may grow, as hotdrift.ini and the command line say it
 *
 *     limits = symbols 10, total 6, latency 5 %, memory 10, energy 15, floor 0.5
 *
 * Per cent: of a symbol's cost, of the sum of all symbols, of p50, p95 and p99, of the peak of memory, of joules; floor is the
 * share of the total below which a symbol's change does not count.  Commas, line ends
 * and blanks part them.
 */
#ifndef HD_CLI_LIMITS_H
#define HD_CLI_LIMITS_H

#include "base/err.h"

struct hd_limits {
	double symbols, total, floor, latency, memory, energy;	/* fractions; below 0: not said */
};
extern const struct hd_limits hd_limits_unset;

/* where: what the message names, "hotdrift.ini: limits of target serve".  HD_EFORMAT. */
int hd_limits_parse(struct hd_limits *l, const char *text, const char *where, struct hd_err *err);

/* "10", "7.5 %" -> 0.1, 0.075; from 0 to 1000 per cent.  Returns 0 or -1. */
int hd_limits_number(const char *text, double *fraction);

#endif
