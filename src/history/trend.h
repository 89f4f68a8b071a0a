/*
 * trend.h - one symbol, or one figure of a series, over the commits of a target
 *
 * Like is compared only with like: a run says which others may stand beside it, those that a gate would
 * compare with it (comparability.h: target, mode, event, sampling, arguments, configuration, machine, ...), of the
 * same side of a comparison (or none), and status ok.  Runs of one commit are one point; runs of a modified tree are a point
 * apart from those of the commit itself, and a run without a commit is one by itself.
 * Points stand by the time of their commit, where git told it, else of their first run.
 *
 *     runs      r1 r2 | r3 | r4 r5 r6          struct hd_trend, by _open
 *     points      p0    p1      p2
 *     values    12.1 %  -     12.4 %           struct hd_trend_values, by _symbol, _series
 *     marks             ^ moved, limits        struct hd_trend_marks, by _mark
 *
 * A point's value is the mean over its runs.  A symbol that a run has no row of is 0 there:
 * below 0.01 % only the sum of all such symbols is kept.  A series that a run lacks is no value.
 *
 * Marks are pure functions of the values: change points by E-divisive
 * (stats/changepoint.h, p 0.01 of a whole history, at least 2 %), what one new value may be
 * (stats/twosample.h) after the last points since the last change, and which rises still
 * stand (stats/rise.h) between the levels that the changes part.
 *
 *     rc = hd_trend_open(&t, db, &(struct hd_trend_scope){ .like = run }, err);
 *     rc = hd_trend_symbol(&v, &t, db, ids, n, err);
 *     hd_trend_limit_after(&limit, &v, 0.05);
 *     if (limit.n && share > limit.hi)
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
	HD_TREND_LIMIT_POINTS = 30,	/* a limit looks back no further, */
	HD_TREND_LIMIT_LEAST = 5,	/* and with fewer points says nothing */
};

struct hd_trend_scope {
	int64_t like;			/* run.id */
	const char *event;		/* raw name; NULL: the first of `like` with samples */
	bool before;			/* only points before that of `like` */
	size_t limit;			/* the newest points; 0: all */
};

struct hd_trend_run {
	int64_t id;			/* run.id */
	const char *name, *recorded;
	int64_t event;			/* its number in the run */
	int64_t weight, samples; /* of the event; with varying periods the effective ones, where they are known */
	size_t point;
	double work;			/* units of work; NaN: not known */
};

struct hd_trend_point {
	const char *commit;		/* NULL: none */
	bool dirty;
	const char *time;		/* of the commit, else of its first run */
	const char *subject;		/* raw bytes, or NULL */
	size_t first, runs;		/* trend.runs[first], ... */
};

struct hd_trend {
	struct hd_arena arena;
	/* What they have in common; raw bytes, NULL when not known. */
	const char *target, *mode, *inline_mode, *machine, *config, *event, *unit;
	struct hd_trend_run *runs;	/* by point, then by time */
	size_t nruns;
	struct hd_trend_point *points;	/* oldest first */
	size_t npoints;
	int64_t first_id, last_id;	/* of the runs' ids, the smallest and the largest */
	struct hd_map by_id;		/* run.id -> index in runs */
	bool per_work;			/* all runs know their work: costs are those of a unit of it */
	size_t unlike;			/* other ok runs of the target that may not stand beside these */
};

/* HD_EFORMAT when `like` has not that event.  Of a series alone, say event "": runs without samples count, too. */
int hd_trend_open(struct hd_trend *t, struct hd_db *db, const struct hd_trend_scope *s, struct hd_err *err);
void hd_trend_release(struct hd_trend *t);	/* of a zeroed one is fine */
/* The newest ok run of a target, NULL: of any.  *run 0: there is none. */
int hd_trend_newest(struct hd_db *db, const char *target, int64_t *run, struct hd_err *err);

struct hd_trend_value {
	double value;			/* NaN: none */
	double lo,
		hi; /* 95 %: by the spread of runs within points, of all points; of one run at least that of counting; else NaN */
	double total;			/* of a symbol: with callees; else NaN */
	int64_t rank;			/* the best; 0: no row */
	size_t runs;			/* with a value */
	double cost; /* of a symbol: mean self cost of a run in the event's unit, or of a unit of work; else NaN */
};

struct hd_trend_values {
	struct hd_trend_value *of;	/* a point each */
	size_t n;			/* points */
	size_t have;			/* of them with a value; of a symbol: with a row */
};

/* Shares in per cent of self; the ids are one function (see stored_function.h). */
int hd_trend_symbol(struct hd_trend_values *v, const struct hd_trend *t, struct hd_db *db, const int64_t *ids, size_t n,
		    struct hd_err *err);
/* kind NULL: any; name: raw bytes; stat as series_summary has it.  In the series' unit. */
int hd_trend_series(struct hd_trend_values *v, const struct hd_trend *t, struct hd_db *db, const char *kind,
	const char *name, const char *stat, struct hd_err *err);
void hd_trend_values_release(struct hd_trend_values *v);

/* The same of each run, into v (nruns of them): NaN where there is none. */
int hd_trend_symbol_runs(double *v, const struct hd_trend *t, struct hd_db *db, const int64_t *ids, size_t n,
	struct hd_err *err);
int hd_trend_series_runs(double *v, const struct hd_trend *t, struct hd_db *db, const char *kind, const char *name,
	const char *stat, struct hd_err *err);
/* Samples that the shares of a run were counted from; of folded text, a line of which stands for many, its counts. */
double hd_trend_counted(const struct hd_trend *t, const struct hd_trend_run *run);

/* What one new value may be. */
struct hd_trend_limit {
	size_t n;			/* points it is made of; 0: too few to say */
	double mean, sd, lo, hi;	/* one-sided each, at alpha */
};

/* After all of v, of which NaN do not count.  HD_STATS_NOMEM. */
int hd_trend_limit_after(struct hd_trend_limit *limit, const struct hd_trend_values *v, double alpha);
/* The same of plain numbers, oldest first. */
int hd_trend_limit_of(struct hd_trend_limit *limit, const double *v, size_t n, double alpha);
/* Of numbers among which there is no change any more. */
void hd_trend_limit_since(struct hd_trend_limit *limit, const double *v, size_t n, double alpha);

struct hd_trend_mark {
	bool change;			/* a change point: the first value behind it */
	double before, after, p;	/* means of the stretches around it */
	bool above, below;		/* beyond what the points before it allowed */
	struct hd_trend_limit limit;	/* before this point */
};

struct hd_trend_marks {
	struct hd_trend_mark *of;	/* a point each */
	size_t n, changes;
	struct hd_trend_limit next;	/* after the last */
	struct hd_rise *rises;		/* that stand: their indices are points; a change by less than 2 % is none */
	size_t nrises;
	double best;			/* the lowest level; NaN: no values */
};

int hd_trend_mark(struct hd_trend_marks *m, const struct hd_trend_values *v, double alpha);
void hd_trend_marks_release(struct hd_trend_marks *m);

#endif
