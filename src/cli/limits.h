/*
 * limits.h - the limits of growth of a target, from hotdrift.ini and the command line
 *
 *     limits = symbols 10, total 6, latency 5 %, memory 10, energy 15, floor 0.5
 *
 * Each limit is a growth in per cent: `gate` fails if a figure grew significantly and by at least this much.  symbols
 * limits the cost of each symbol, total the sum of all symbols, latency p50, p95 and p99, memory the peak, and energy
 * the joules.  floor is a share of the base's total: a symbol fails only if its cost also grew by at least this much.
 * Commas, line ends, blanks and `=` separate the limits.
 */
#ifndef HD_CLI_LIMITS_H
#define HD_CLI_LIMITS_H

#include "base/err.h"

struct hd_limits {
	double symbols, total, floor, latency, memory, energy;	/* fractions; negative: not given */
};
extern const struct hd_limits hd_limits_unset;

/*
 * Parse `text` into *l, as fractions.  Members that it does not name are unchanged, so the caller initialises *l with
 * hd_limits_unset.  where: prefix of error messages, for example "hotdrift.ini: limits of target serve".  Returns 0, or
 * HD_EFORMAT.
 */
int hd_limits_parse(struct hd_limits *l, const char *text, const char *where, struct hd_err *err);

/* Parse "10" or "7.5 %" into 0.1 or 0.075; from 0 to 1000 per cent.  Returns 0 or -1. */
int hd_limits_number(const char *text, double *fraction);

#endif
