/*
 * rise.h - find the rises of a series that were never undone
 *
 * The input is a sequence of levels (the means between change points) of a quantity that should be low.  A rise
 * stands if no later level is as low as the level before it:
 *
 *     2       ....                   2       ....
 *     1   ....    ....  undone       1.1         ....  stands, as a rise from 1 to 1.1
 *                                    1   ....
 *
 * The search goes from the newest level backwards.  If the reference level (at first the newest) exceeds an earlier
 * level by more than `threshold` times that earlier level's absolute value, there is a rise after the earlier level,
 * which becomes the reference.  So small steps add up to a rise.
 *
 * Levels of fewer than `least` values are ignored, except the newest one: a dip of one value is neither a recovery
 * nor a better past.
 */
#ifndef HD_STATS_RISE_H
#define HD_STATS_RISE_H

#include <stddef.h>

struct hd_level {
	size_t from, to;		/* values [from, to) */
	double value;
};

struct hd_rise {
	size_t last;			/* index of the last value before the rise */
	size_t first;			/* index of the first value after the rise */
	double before, after;		/* after: the reference level */
};

/*
 * Find the rises, oldest first, and return their number.  `out` has room for n.  *best becomes the lowest level that
 * was not ignored (the newest one never is), or NaN if n is 0.
 */
size_t hd_rises(struct hd_rise *out, const struct hd_level *levels, size_t n, double threshold, size_t least,
	double *best);

#endif
