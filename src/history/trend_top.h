/*
 * trend_top.h - load the costliest functions of each point of a history, and find the changes of their ranks
 *
 * trend_functions.h describes what a function is.  Its share and cost are the means over the runs of the point.  Each
 * point is compared with the point before it.  The change of cost and the test for noise are those of `show --against`
 * (stats/cost_change.h), but with the runs of these two points only.
 */
#ifndef HD_HISTORY_TREND_TOP_H
#define HD_HISTORY_TREND_TOP_H

#include "history/trend_functions.h"

enum hd_trend_move { HD_TREND_SAME, HD_TREND_FIRST, HD_TREND_UP, HD_TREND_DOWN, HD_TREND_ENTERED, HD_TREND_LEFT };

struct hd_trend_top_row {
	const char *name;		/* raw bytes; 0x... for an address without a symbol */
	const char *object;		/* raw bytes; NULL if unknown */
	bool unknown;			/* without an address: name is `[unknown]` */
	double share;			/* self share at this point, per cent */
	double was_share;		/* self share at the previous point, per cent; 0: none */
	double cost, was_cost;		/* the same of self cost, per run or per unit of work (trend.per_work) */
	struct hd_cost_change change;	/* of cost; unknown at the first point, and if a rank is 0 */
	bool within_noise;		/* counting error and variation between runs can explain the change */
	/* ranks, from 1, at this point and at the previous one; 0: below HD_TREND_DEPTH in all runs */
	size_t rank, was_rank;
	enum hd_trend_move move;	/* FIRST: there is no previous point */
};

struct hd_trend_top {
	struct hd_trend_top_row *rows;	/* the top functions of this point by rank, then those that left the top */
	size_t n, cap;
};

struct hd_trend_tops {
	struct hd_arena arena;
	struct hd_trend_top *of;	/* one per point */
	size_t n;
};

/* Load the `top` costliest functions of each point.  On failure `tops` is released. */
int hd_trend_tops(struct hd_trend_tops *tops, const struct hd_trend *t, struct hd_db *db, size_t top,
	struct hd_err *err);
void hd_trend_tops_release(struct hd_trend_tops *tops);

#endif
