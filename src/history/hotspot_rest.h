/*
 * hotspot_rest.h - the symbols of an event that share one row
 *
 * A profile of 2,000 symbols has some hundred that matter, and all of it is in the folded
 * stacks that the run keeps.  So a symbol below
 *
 *     0.01 % of the event by self and by inline_self, and 1 % by total
 *
 * has no row of hotspot, and one row stands for all of them: with the sums of their self cost,
 * samples and inline_self, so that the rows of an event still add up to its weight.  What they
 * called is not known of the sum: its total is its self.
 *
 * The five costliest are never among them, and no event has a rest of one symbol.  Without
 * folded stacks there is no rest: each symbol has its row.
 *
 * Feeds: run_add.c.  Readers know the row by its symbol: a name without a linkage name (intern.h).
 */
#ifndef HD_HISTORY_HOTSPOT_REST_H
#define HD_HISTORY_HOTSPOT_REST_H

#include "history/run.h"

enum { HD_HOTSPOT_REST_TOP_RANKS = 5 };	/* ranks that are not for it: those of v_top5 */

#define HD_HOTSPOT_REST_NAME "[rest]"

struct hd_hotspot_rest {
	size_t n;			/* symbols that share the row; 0: there is none */
	size_t symbols;			/* of the event that samples were taken in, with and without a row */
	struct hd_run_hotspot sum;
};

struct hd_hotspot_rest hd_hotspot_rest_of(const struct hd_run_event *e);
/* Of an event with a rest: is hotspot i of it? */
bool hd_hotspot_rest_has(const struct hd_run_event *e, size_t i);

#endif
