/*
 * trend.h - load the share of one symbol, or one statistic of a series (run.h), over the commits of a target
 *
 * A trend consists of a given run and the other runs of its target that a gate would compare with it (comparability.h).
 * They have status ok, and all have the same side (`add --side`) or none.  Runs of one commit form one point.  Runs
 * of a modified tree form another point than those of the commit itself, and a run without a commit is a point of its
 * own.  Points are sorted by the time of their commit if known, else of their first run.
 *
 *     runs      r1 r2 | r3 | r4 r5 r6          struct hd_trend, by hd_trend_open()
 *     points      p0    p1      p2
 *     values    12.1 % 12.4 % -                struct hd_trend_values, by hd_trend_symbol() or hd_trend_series()
 *     marks             ^ change, limits       struct hd_trend_marks, by hd_trend_mark()
 *
 * The value of a point is the mean over its runs.  A symbol without a row in a run counts as 0: symbols below 0.01 %
 * are stored as one sum.  A run without the series has no value.
 *
 * hd_trend_mark() computes marks from the values alone: change points (stats/changepoint.h, p 0.01 per history, at
 * least 2 %), the prediction limits for a new value from the last points since the last change (stats/twosample.h), and
 * the rises that were never undone (stats/rise.h).  hd_trend_mark_costs() checks changes and rises of a symbol by cost.
 *
 *     rc = hd_trend_open(&t, db, &(struct hd_trend_scope){ .like = run }, err);
 *     rc = hd_trend_symbol(&v, &t, db, ids, n, err);
 *     rc = hd_trend_mark(&m, &v, 0.05);
 *     if (m.next.n && share > m.next.hi)
 *             ...
 */
#ifndef HD_HISTORY_TREND_H
#define HD_HISTORY_TREND_H

#include "base/arena.h"
#include "base/map.h"
#include "stats/changepoint.h"
#include "stats/cost_change.h"
#include "stats/rise.h"
#include "db/db.h"

enum {
	HD_TREND_LIMIT_POINTS = 30,	/* points that a limit uses at most, the last ones */
	HD_TREND_LIMIT_LEAST = 5,	/* points that a limit needs */
};

struct hd_trend_scope {
	int64_t like;			/* run.id of the run that selects the others */
	/* raw name; NULL: the first event of `like` that has samples; "": none, because the trend is about a series */
	const char *event;
	bool before;			/* only points before that of `like` */
	size_t limit;			/* use at most this many points, the newest ones; 0: all */
};

struct hd_trend_run {
	int64_t id;			/* run.id */
	const char *name, *recorded;
	int64_t event;			/* number of the event in the run */
	int64_t weight;			/* weight of the event */
	/* sample count of the event; if sampling periods vary, the effective sample count, if known */
	int64_t samples;
	size_t point;
	double work;			/* units of work; NaN: unknown */
	const char *session;		/* NULL: not named */
};

struct hd_trend_point {
	const char *commit;		/* NULL: none */
	const char *parents;		/* of the commit, separated by blanks; NULL: unknown */
	bool dirty;
	const char *time;		/* time of the commit if known, else of the first run */
	const char *subject;		/* raw bytes, or NULL */
	size_t first, runs;		/* the runs of the point are trend.runs[first .. first + runs - 1] */
};

struct hd_trend {
	struct hd_arena arena;
	/* Strings (raw bytes) that are equal for all runs of the trend.  A string is NULL if it is unknown. */
	const char *target, *mode, *inline_mode, *machine, *config, *event, *unit;
	struct hd_trend_run *runs;	/* by point, then by time */
	size_t nruns;
	struct hd_trend_point *points;	/* oldest first */
	size_t npoints;
	int64_t first_id, last_id;	/* the smallest and the largest id of the runs */
	struct hd_map by_id;		/* run.id -> index in runs */
	bool per_work;			/* the work of all runs is known, so costs are per unit of work */
	/* number of ok runs of the target that are not comparable with the given run or have no weight for the event */
	size_t unlike;
};

/*
 * Select the runs and points.  If the event is "", the trend is about series, and runs without samples are included.
 * HD_EFORMAT if `like` lacks the event; HD_EIO if there is no such run.  The caller releases `t`, except on failure.
 */
int hd_trend_open(struct hd_trend *t, struct hd_db *db, const struct hd_trend_scope *s, struct hd_err *err);
void hd_trend_release(struct hd_trend *t);	/* accepts a zeroed struct */
/* Set *run to the newest run of a target (NULL: of any) with status ok, or to 0 if there is none. */
int hd_trend_newest(struct hd_db *db, const char *target, int64_t *run, struct hd_err *err);

struct hd_trend_value {
	double value;			/* NaN: none */
	/* 95 % interval; for a symbol at a point of one run, it at least covers the counting noise; NaN: unknown */
	double lo, hi;
	double total;			/* for a symbol, its share including callees, per cent; else NaN */
	/* for a symbol, its best rank in the runs of the point; 0: no run has a row of the symbol */
	int64_t rank;
	size_t runs;			/* number of runs with a value */
	double cost;			/* for a symbol, the mean self cost per run or per unit of work; else NaN */
};

struct hd_trend_values {
	struct hd_trend_value *of;	/* one per point */
	size_t n;			/* number of points */
	size_t have;			/* points that have a value; for a symbol: points in whose runs it occurs */
	double *run;			/* for a symbol, its share in each run, per cent; else NULL */
};

/*
 * Load the self shares, per cent, of a function; ids: its symbols (stored_function.h).  The caller releases *v, except
 * on failure.
 */
int hd_trend_symbol(struct hd_trend_values *v, const struct hd_trend *t, struct hd_db *db, const int64_t *ids, size_t n,
		    struct hd_err *err);
/*
 * Load a statistic of a series, in the unit of the series.  kind: NULL for any; name: raw bytes; stat: as in table
 * series_summary.  The caller releases *v, except on failure.
 */
int hd_trend_series(struct hd_trend_values *v, const struct hd_trend *t, struct hd_db *db, const char *kind,
	const char *name, const char *stat, struct hd_err *err);
void hd_trend_values_release(struct hd_trend_values *v);

/*
 * Set v[0 .. nruns - 1] to the value of each run.  hd_trend_symbol_runs(): the self share of a function, in per cent; 0
 * for a run that has no row of it.  hd_trend_series_runs(): a statistic of a series; NaN for a run that lacks it.
 */
int hd_trend_symbol_runs(double *v, const struct hd_trend *t, struct hd_db *db, const int64_t *ids, size_t n,
	struct hd_err *err);
int hd_trend_series_runs(double *v, const struct hd_trend *t, struct hd_db *db, const char *kind, const char *name,
	const char *stat, struct hd_err *err);
/*
 * Return the number of samples on which the shares of a run are based.  If the unit of the event is "samples", as in
 * folded text, this is the weight of the event.  Otherwise it is run->samples, which can be an effective sample count.
 */
double hd_trend_counted(const struct hd_trend *t, const struct hd_trend_run *run);

/* Prediction limits for one new value. */
struct hd_trend_limit {
	size_t n;			/* points used; 0: too few, and the other members are invalid */
	double mean, sd, lo, hi;	/* lo, hi: each one-sided at alpha */
};

/*
 * Compute the prediction limits for the next value.  v: the values since the last change point, oldest first; the last
 * HD_TREND_LIMIT_POINTS of them are used.
 */
void hd_trend_limit_since(struct hd_trend_limit *limit, const double *v, size_t n, double alpha);

struct hd_trend_mark {
	bool change;			/* this is the first value after a change point */
	double before, after, p;	/* means of the stretches around the change point */
	bool above, below;		/* beyond `limit` */
	struct hd_trend_limit limit;	/* from the points before this one */
	/* for a change of a symbol: the change of its cost; set by hd_trend_mark_costs(), else unknown */
	struct hd_cost_change cost;
	bool share_only;		/* the cost is known not to have changed */
};

struct hd_trend_marks {
	struct hd_trend_mark *of;	/* one per point */
	size_t n, changes;
	struct hd_trend_limit next;	/* limits for the next point */
	/* standing rises of more than 2 % (stats/rise.h); their indexes are indexes of points */
	struct hd_rise *rises;
	struct hd_cost_change *rise_costs;	/* one per rise, as hd_trend_mark.cost */
	size_t nrises;
	double best;			/* the lowest level (see hd_rises()); NaN: no values */
};

/*
 * Find the change points and rises of a trend, and the values beyond their prediction limits.  NaN values are skipped.
 * Returns HD_STATS_OK, or HD_STATS_NOMEM after releasing `m`.
 */
int hd_trend_mark(struct hd_trend_marks *m, const struct hd_trend_values *v, double alpha);
/*
 * Check the changes and rises of a symbol, because its share also changes if the cost of another symbol does.  A change
 * is judged as on the page of `html`: the runs since the change before it are one side, and those up to the next change
 * the other (stats/cost_change.h).  Changes without a change of cost are marked as share_only.  The rises are replaced
 * by those of the cost.  v: the values of hd_trend_symbol() for the function `symbol` of `object`.  On failure `m` is
 * released.
 */
int hd_trend_mark_costs(struct hd_trend_marks *m, const struct hd_trend_values *v, const struct hd_trend *t,
	struct hd_db *db, const char *symbol, const char *object, struct hd_err *err);
void hd_trend_marks_release(struct hd_trend_marks *m);

#endif
