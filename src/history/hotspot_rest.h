/*
 * hotspot_rest.h - sum up the small symbols of an event, which share one row
 *
 * About a hundred of the 2,000 symbols of a typical profile matter, and the folded stacks of the run contain all of
 * them.  inline_self is the self cost of a function with all code of it that was inlined elsewhere.  A symbol below
 *
 *     0.01 % of the event by self and by inline_self, and 1 % by total
 *
 * has no row of its own in table hotspot.  One row, the rest, represents all such symbols.  It has the sums of their
 * self cost, samples and inline_self, so the rows of an event still add up to its weight.  The cost of their callees
 * is unknown, so the total of the rest equals its self cost.
 *
 * The five costliest symbols are never part of the rest, and a rest has at least two symbols.  Without folded
 * stacks there is no rest: every symbol has a row.
 *
 * Readers recognise the row by its symbol, which has a name but no linkage name (intern.h).
 */
#ifndef HD_HISTORY_HOTSPOT_REST_H
#define HD_HISTORY_HOTSPOT_REST_H

#include "history/run.h"

/* number of costliest hotspots that always have a row of their own, because view v_top5 shows them */
enum { HD_HOTSPOT_REST_TOP_RANKS = 5 };

#define HD_HOTSPOT_REST_NAME "[rest]"

struct hd_hotspot_rest {
	size_t n;			/* symbols that share the row; 0: there is no rest */
	size_t symbols;			/* all symbols of the event that have samples */
	struct hd_run_hotspot sum;
};

/* Compute the rest of an event: the sums of its small symbols. */
struct hd_hotspot_rest hd_hotspot_rest_of(const struct hd_run_event *e);
/* Return true if hotspot i is part of the rest, the one row for all small symbols.  The event must have such a row. */
bool hd_hotspot_rest_has(const struct hd_run_event *e, size_t i);

#endif
