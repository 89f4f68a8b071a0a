/*
 * trend_top.h - the costliest functions of each point of a history, and how their places moved
 *
 * A function is (object, normalised name), an address nobody names is one by itself.  Its share
 * is the mean over the runs of the point, each loaded down to rank HD_TREND_TOP_DEPTH; below that
 * it counts as nothing.  What is compared is the point before.  It is what was measured, and
 * small moves are often noise: `drift` judges.
 */
#ifndef HD_HISTORY_TREND_TOP_H
#define HD_HISTORY_TREND_TOP_H

#include "history/trend.h"

enum { HD_TREND_TOP_DEPTH = 50 };

enum hd_trend_move { HD_TREND_SAME, HD_TREND_FIRST, HD_TREND_UP, HD_TREND_DOWN, HD_TREND_ENTERED, HD_TREND_LEFT };

struct hd_trend_top_row {
	const char *name, *object;	/* raw bytes; name of an address nobody names: 0x...; object NULL: none */
	bool unknown;			/* not even an address: name is `[unknown]` */
	double share, was_share;	/* per cent of self; was: of the point before, 0 in the first */
	size_t rank, was_rank;		/* from 1; 0: not among those loaded */
	enum hd_trend_move move;	/* FIRST: there is no point before */
};

struct hd_trend_top {
	struct hd_trend_top_row *rows;	/* the first by rank, then those that left */
	size_t n, cap;
};

struct hd_trend_tops {
	struct hd_arena arena;
	struct hd_trend_top *of;	/* a point each */
	size_t n;
};

int hd_trend_tops(struct hd_trend_tops *tops, const struct hd_trend *t, struct hd_db *db, size_t top,
	struct hd_err *err);
void hd_trend_tops_release(struct hd_trend_tops *tops);

#endif
