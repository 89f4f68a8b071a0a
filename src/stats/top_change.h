/*
 * top_change.h - did the list of the hottest symbols change, and how far did the profile drift?
 *
 * A change of the first `top` (5) is material when some pair of symbols, one of which
 * is among them on a side, stands one way round in base and the other way in head,
 * and both orders are significant at `p` (0.05) for themselves with shares at least
 * `gap` (0.5 percentage points) apart on both sides.  Near-ties that swap are not.
 *
 *     score   1 - RBO^a(p = 0.8) of the two rankings
 *     limit   its 95th percentile when nothing changed: rankings of two sides that vary around their common means
 *             as the model says runs do, HD_TOP_CHANGE_DRAWS times, with a seed
 *     moved   half the sum of |change of share|, less its median when nothing changed; no less than 0
 */
#ifndef HD_STATS_TOP_CHANGE_H
#define HD_STATS_TOP_CHANGE_H

#include "stats/verdict.h"

enum { HD_TOP_CHANGE_DRAWS = 400 };

struct hd_top_change_opts {
	unsigned top;
	double p, gap, rbo_p;
	uint64_t seed;
};
extern const struct hd_top_change_opts hd_top_change_defaults;

struct hd_top_change {
	bool set_changed, order_changed;	/* as observed, by chance or not */
	bool material;
	size_t above, below;			/* a pair of symbols that makes it so: in head `above` leads */
	double score, score_limit, moved;
};

int hd_top_change_find(struct hd_top_change *out, const struct hd_symbol_verdict *rows, size_t n,
	const struct hd_variance_model *m, const struct hd_top_change_opts *o);

#endif
