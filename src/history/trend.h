/*
 * trend.h - one symbol, or one figure of a series, over the commits of a target
 *
 * A run selects the others: those that a gate would compare with it (comparability.h), of the same side of a
 * comparison (or none), and with status ok.  Runs of one commit form one point.  Runs of a modified tree form another
 * point than those of the commit itself, and a run without a commit is a point of its own.  Points are sorted by the
 * time of their commit if known, else of their first run.
 *
 *     runs      r1 r2 | r3 | r4 r5 r6          struct hd_trend, by hd_trend_open()
 *     points      p0    p1      p2
 *     values    12.1 %  -     12.4 %           struct hd_trend_values, by hd_trend_symbol() or hd_trend_series()
 *     marks             ^ change, limits       struct hd_trend_marks, by hd_trend_mark()
 *
 * The value of a point is the mean over its runs.  A symbol without a row in a run counts as 0: symbols below 0.01 %
 * are stored as one sum.  A run without the series has no value.
 *
 * Marks are computed from the values alone: change points (stats/changepoint.h, p 0.01 per history, at least 2 %), the
 * prediction limits for a new value from the last points since the last change (stats/twosample.h), and the rises that
 * were never undone (stats/rise.h).
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
#include "stats/rise.h"
#include "db/db.h"

enum {
	HD_TREND_LIMIT_POINTS = 30,	/* points that a limit uses at most, the last ones */
	HD_TREND_LIMIT_LEAST = 5,	/* points that a limit needs */
};

struct hd_trend_scope {
	int64_t like;			/* run.id of the run that selects the others */
	const char *event;		/* raw name; NULL: the first of `like` with samples */
	bool before;			/* only points before that of `like` */
	size_t limit;			/* at most so many of the newest points; 0: all */
};

struct hd_trend_run {
	int64_t id;			/* run.id */
	const char *name, *recorded;
	int64_t event;			/* its number in the run */
	int64_t weight, samples;	/* of the event; for varying periods effective samples, if known */
	size_t point;
	double work;			/* units of work; NaN: unknown */
};

struct hd_trend_point {
	const char *commit;		/* NULL: none */
	bool dirty;
	const char *time;		/* time of the commit if known, else of the first run */
	const char *subject;		/* raw bytes, or NULL */
	size_t first, runs;		/* trend.runs[first], ... */
};

struct hd_trend {
	struct hd_arena arena;
	/* The fields that all runs of the trend share; raw bytes, NULL if unknown. */
	const char *target, *mode, *inline_mode, *machine, *config, *event, *unit;
	struct hd_trend_run *runs;	/* by point, then by time */
	size_t nruns;
	struct hd_trend_point *points;	/* oldest first */
	size_t npoints;
	int64_t first_id, last_id;	/* the smallest and the largest id of the runs */
	struct hd_map by_id;		/* run.id -> index in runs */
	bool per_work;			/* the work of all runs is known: costs are per unit of work */
	size_t unlike;			/* number of ok runs of the target that are not comparable */
};

/*
 * Select the runs and points.  event "": for series; runs without samples count too.  HD_EFORMAT if `like` lacks the
 * event.  On failure `t` is released.
 */
int hd_trend_open(struct hd_trend *t, struct hd_db *db, const struct hd_trend_scope *s, struct hd_err *err);
void hd_trend_release(struct hd_trend *t);	/* accepts a zeroed struct */
/* Set *run to the newest ok run of a target (NULL: of any), or to 0 if there is none. */
int hd_trend_newest(struct hd_db *db, const char *target, int64_t *run, struct hd_err *err);

struct hd_trend_value {
	double value;			/* NaN: none */
	double lo, hi;			/* 95 % interval, at least as wide as that of counting noise; NaN: unknown */
	double total;			/* for a symbol, the share with callees; else NaN */
	/* for a symbol, its best rank in the runs of the point; 0: no run has a row */
	int64_t rank;
	size_t runs;			/* number of runs with a value */
	double cost;			/* for a symbol, the mean self cost per run or per unit of work; else NaN */
};

struct hd_trend_values {
	struct hd_trend_value *of;	/* one per point */
	size_t n;			/* number of points */
	size_t have;			/* number of points with a value; for a symbol, with a row */
};

/* Load the self shares, per cent, of a function; ids: its symbols (stored_function.h). */
int hd_trend_symbol(struct hd_trend_values *v, const struct hd_trend *t, struct hd_db *db, const int64_t *ids, size_t n,
		    struct hd_err *err);
/* Load a figure in the unit of the series.  kind NULL: any; name: raw bytes; stat: as in table series_summary. */
int hd_trend_series(struct hd_trend_values *v, const struct hd_trend *t, struct hd_db *db, const char *kind,
	const char *name, const char *stat, struct hd_err *err);
void hd_trend_values_release(struct hd_trend_values *v);

/* Load the self share of a function in each run: sets v[0 .. nruns - 1], NaN without a value. */
int hd_trend_symbol_runs(double *v, const struct hd_trend *t, struct hd_db *db, const int64_t *ids, size_t n,
	struct hd_err *err);
int hd_trend_series_runs(double *v, const struct hd_trend *t, struct hd_db *db, const char *kind, const char *name,
	const char *stat, struct hd_err *err);
/* Return the number of samples from which the shares of a run were counted (for folded text, the sum of counts). */
double hd_trend_counted(const struct hd_trend *t, const struct hd_trend_run *run);

/* Prediction limits for one new value. */
struct hd_trend_limit {
	size_t n;			/* points used; 0: too few */
	double mean, sd, lo, hi;	/* lo, hi: each one-sided at alpha */
};

/* Compute the limits from values without a change point, oldest first. */
void hd_trend_limit_since(struct hd_trend_limit *limit, const double *v, size_t n, double alpha);

struct hd_trend_mark {
	bool change;			/* this is the first value after a change point */
	double before, after, p;	/* means of the stretches around the change point */
	bool above, below;		/* beyond `limit` */
	struct hd_trend_limit limit;	/* from the points before this one */
};

struct hd_trend_marks {
	struct hd_trend_mark *of;	/* one per point */
	size_t n, changes;
	struct hd_trend_limit next;	/* limits for the next point */
	struct hd_rise *rises;		/* rises of at least 2 % that were never undone; their indexes are points */
	size_t nrises;
	double best;			/* lowest level; NaN: no values */
};

/* Compute the marks; NaN values are skipped.  Returns HD_STATS_OK or HD_STATS_NOMEM; then `m` is released. */
int hd_trend_mark(struct hd_trend_marks *m, const struct hd_trend_values *v, double alpha);
void hd_trend_marks_release(struct hd_trend_marks *m);

#endif
