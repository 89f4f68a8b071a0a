/*
 * cost_change.h - estimate by how much the cost of symbols changed between two groups of runs, as gate does
 *
 * When one function grows, the shares of all others fall.  So a change of a share is a change of the function only if
 * its cost changed, too.  The estimate and its interval are those of verdict.h.  A command that reports a change of a
 * share checks it with hd_cost_change_is_none(), or, if the interval is unknown, with hd_cost_change_is_noise().
 */
#ifndef HD_STATS_COST_CHANGE_H
#define HD_STATS_COST_CHANGE_H

#include "stats/run_sizes.h"

#include <stdbool.h>

enum { HD_COST_CHANGE_RUNS = 30 };	/* recommended limit for the runs of each side; use the nearest ones */

/*
 * Variance of a run besides its counting error, as assumed by hd_cost_change_is_noise(): a relative standard deviation
 * of 3 %.
 */
#define HD_COST_CHANGE_NOISE 0.03

/* A change of cost in per cent, with its 95 % interval.  NaN: unknown; `pct` is infinite if the symbol is new. */
struct hd_cost_change {
	double pct, lo, hi;
	double q;			/* adjusted p-value of a change in either direction; NaN: unknown */
};

extern const struct hd_cost_change hd_cost_change_unknown;	/* all members are NaN */

/*
 * Set out[i] to the change of symbol i.  The last `rest` rows of `in` are sums of other symbols.  in_turns: the runs of
 * both sides were recorded in turns, so a change that most symbols share is one of the program, not of the machine; if
 * there is one, the changes are those of the runs as they are.  Otherwise the changes are unknown if fewer than three
 * rows have samples on both sides, because it is then unclear which ones are unchanged.  Returns HD_STATS_OK or
 * HD_STATS_NOMEM.
 */
int hd_cost_changes(struct hd_cost_change *out, const struct hd_run_counts *in, size_t rest, bool in_turns);

/* Return true if the interval is known and contains 0. */
bool hd_cost_change_is_none(const struct hd_cost_change *c);

/* A share in per cent, of a side with this number of samples. */
struct hd_counted_share {
	double pct, samples;
};

/*
 * Return true if noise can explain the change.  If q is known, it decides; otherwise counting error and a variance
 * between runs of 3 % are assumed.
 */
bool hd_cost_change_is_noise(const struct hd_cost_change *c, struct hd_counted_share base,
	struct hd_counted_share head);
/* Return true if two shares differ by more than `quantile` standard deviations, with the same assumptions. */
bool hd_counted_shares_differ(struct hd_counted_share a, struct hd_counted_share b, double quantile);

#endif
