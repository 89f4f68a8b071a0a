/*
 * top_change.h - find changes of the list of the hottest symbols, and measure the drift of the profile as a whole
 *
 * A change of the first `top` (5) symbols is material if a pair of symbols swapped its order between base and head, and
 * at least one of the two is in the top list of base or head.  In addition, in both base and head the order must be
 * significant at `p` (0.05), and the shares at least `gap` (0.5 percentage points) apart.  So swaps of near-ties are
 * not material.
 *
 *     score   1 - RBO^a(p = 0.8) of the two rankings (ranking.h)
 *     limit   95th percentile of the score if nothing changed: HD_TOP_CHANGE_DRAWS simulated pairs of rankings, whose
 *             sides vary around their common means as the variance model predicts; seeded
 *     moved   half the sum of |change of share|, minus its median if nothing changed; at least 0
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
	bool set_changed, order_changed;	/* as observed, significant or not */
	bool material;
	/* if `material`: indexes in rows[] of a pair that swapped its order; in head, `above` is hotter */
	size_t above, below;
	double score, score_limit, moved;
};

/*
 * Compare the rankings of the symbols in base and head.  Returns HD_STATS_OK, HD_STATS_NOMEM, or HD_STATS_NONE if there
 * are no symbols.
 */
int hd_top_change_find(struct hd_top_change *out, const struct hd_symbol_verdict *rows, size_t n,
	const struct hd_variance_model *m, const struct hd_top_change_opts *o);

#endif
