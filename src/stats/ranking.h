/*
 * ranking.h - measure the similarity of two rankings
 *
 * A ranking is a list of items (small integers), hottest first, with a group number for each item: tied items share a
 * group, and group numbers ascend from 0.
 *
 *     rbo        rank-biased overlap (Webber, Moffat and Zobel 2010): extrapolated (ext) and bounded (min, max; res
 *                is their difference).  p = 0.8 puts 86 % of the weight on the first five.  Ties (Corsi and Urbano
 *                2024):
 *                  a  the order within a tie is unknown: expected overlap
 *                  b  the same, normalised so that a ranking agrees fully with itself
 *                  w  tied items share a rank (Webber's rule)
 *     overlap    average overlap down to a depth: mean of |common items of the first d| / d; ties are ignored; 1 if the
 *                depth is 0
 *     kendall    K^(p) of top-k lists (Fagin, Kumar and Sivakumar 2003): discordant pairs; a pair whose items are both
 *                in one list and both missing in the other counts p, usually 1/2
 *     footrule   F^(k+1) of the same paper: missing items are at rank k+1
 *     tau_b      Kendall 1945, for scores with ties
 *     weighted   tau with hyperbolic weights (Vigna 2015): pairs of hot items count more; the mean of
 *                two results, with weights by the ranks in x and in y
 */
#ifndef HD_STATS_RANKING_H
#define HD_STATS_RANKING_H

#include "stats/status.h"

#include <stddef.h>
#include <stdint.h>

struct hd_ranking {
	const uint32_t *item;
	const uint32_t *group;		/* NULL: no ties */
	size_t n;
};

enum hd_ties { HD_TIES_A, HD_TIES_B, HD_TIES_W };

struct hd_rbo {
	double ext, min, max, res;
};
/*
 * Compute the rank-biased overlap of two rankings.  p is in (0, 1).  Two empty lists overlap fully.  Returns
 * HD_STATS_OK or HD_STATS_NOMEM.
 */
int hd_rbo(struct hd_rbo *out, struct hd_ranking x, struct hd_ranking y, double p, enum hd_ties ties);

double hd_average_overlap(struct hd_ranking x, struct hd_ranking y, size_t depth);

struct hd_topk {
	double kendall, kendall_max, footrule, footrule_max, jaccard;
};
/*
 * Compare x and y, the top k items of two rankings without ties.  penalty: the parameter p of Kendall's distance
 * K^(p), which the comment at the top of this file describes.
 */
struct hd_topk hd_topk(const uint32_t *x, const uint32_t *y, size_t k, double penalty);

/*
 * Return the rank correlation of two lists of scores for the same n items; a larger score is hotter.  NaN if all scores
 * of one list are equal.
 */
double hd_tau_b(const double *x, const double *y, size_t n);
/* Like hd_tau_b(), but with hyperbolic weights.  room: scratch space for n numbers. */
double hd_tau_weighted(const double *x, const double *y, size_t n, size_t *room);

#endif
