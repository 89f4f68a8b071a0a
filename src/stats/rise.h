/*
 * rise.h - which rises of a history were never undone
 *
 * A history in levels (between change points), of something that should be low.  A rise
 * stands when nothing behind it is as low again as what was before it:
 *
 *     2       ....                   2       ....
 *     1   ....    ....  undone       1.1         ....  stands, as a rise from 1 to 1.1
 *                                    1   ....
 *
 * Looked at from the newest level back: a level that the one now looked from exceeds by more
 * than `threshold` of it has a rise behind it, and is looked from next.  So steps that are too
 * small one by one stand together.
 * Levels of fewer than `least` values are passed over, unless they are the newest: a dip of
 * one value is no recovery, and no better past.
 */
#ifndef HD_STATS_RISE_H
#define HD_STATS_RISE_H

#include <stddef.h>

struct hd_level {
	size_t from, to;		/* values [from, to) */
	double value;
};

struct hd_rise {
	size_t last, first;		/* the last value before it, the first behind it */
	double before, after;		/* after: the level that it was looked at from */
};

/*
 * Into out (room for n), oldest first; how many.  best: the lowest level, of those that were not passed over;
 * no more than that when nothing stands.
 */
size_t hd_rises(struct hd_rise *out, const struct hd_level *levels, size_t n, double threshold, size_t least,
	double *best);

#endif
