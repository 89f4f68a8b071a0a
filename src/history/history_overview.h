/*
 * history_overview.h - many runs at once, as the page of `html` shows them
 *
 * Runs that can be compared make a lane: one target, mode, event, unit, call graph (a run that does not know its own
 * fits any), meaning of self cost, selection, machine and configuration.  What a lane knows is columns as long as the lane:
 *
 *     lane serve, cycles          slot   0      1      2      3
 *       run                              #0     #1     #4     #5      recorded order
 *       top five of a run                parse 12.1 %, lex 8.0 %, ...
 *       column: share of parse           12.1   12.0   15.3   15.2
 *               change at slot 2: 12.1 -> 15.3
 *       column: p95 of wall_time_us      41.2   41.0   46.9   46.8
 *
 * Symbols: those that were ever among the five costliest of a run, the ones with
 * the largest mean share first, and at most so many as are asked for; those of
 * the newest run's five come before all others.  Symbols of one name in one object are
 * one.  A run that lacks a symbol has 0 there; a run without a measurement of a series has NAN.
 *
 * A change of a share is one only if the cost changed, too (history_overview_costs.c): what grew makes all other shares fall.
 * Changes are of runs with status ok alone (stats/changepoint.h), for a slot they say
 * the first one behind the change.  What the next run may be is told by the runs since the last
 * change, too, one by one: `history` has it of commits.  What was found by `gate` and `drift` is read, not made.
 *
 * Nothing here grows with the symbols of a run: 10,000 runs of 2,000 symbols read 50,000 rows
 * and the columns.
 */
#ifndef HD_HISTORY_HISTORY_OVERVIEW_H
#define HD_HISTORY_HISTORY_OVERVIEW_H

#include "base/arena.h"
#include "base/map.h"
#include "history/trend.h"
#include "stats/changepoint.h"
#include "db/db.h"

enum {
	HD_OVERVIEW_TOP = 5,
	HD_OVERVIEW_RUNS = 10000,	/* the newest, when not told otherwise */
	HD_OVERVIEW_LANES = 64,
	HD_OVERVIEW_SLOTS = 100000,	/* of all lanes, the newest */
	HD_OVERVIEW_COLUMNS = 48,	/* of series, in one lane */
	HD_OVERVIEW_VERDICTS = 20000,	/* and gates */
};

struct hd_overview_opts {
	const char *target;		/* NULL: all */
	const char *branch;
	const char *since, *until;	/* 2026-11-20 or 2026-11-20T14:01:02Z, both included */
	unsigned symbols;		/* columns of a lane */
	unsigned runs;			/* the newest so many; 0: HD_OVERVIEW_RUNS */
};

/* Raw bytes, NULL when not known. */
struct hd_overview_run {
	int64_t row;			/* run.id */
	const char *id, *recorded, *target, *mode, *status, *inline_mode, *commit, *committed, *subject, *branch,
		*config, *selection;
	const char *machine, *cpu_model;
	int64_t dirty;			/* -1: not known */
	double work;			/* units of work; NaN: not known */
};

struct hd_overview_symbol {
	int64_t row;			/* symbol.id */
	const char *object, *name;	/* name NULL: addresses nobody names */
};

struct hd_overview_hotspot {
	uint32_t symbol;		/* in symbols[]; UINT32_MAX: there is none */
	double pct;			/* self share of the table row, in per cent */
};

/* The change of a function's cost, per cent, with its 95 % interval; NaN: not known. */
struct hd_overview_cost {
	double change, lo, hi;
};

struct hd_overview_column {
	uint32_t symbol;		/* of a share; UINT32_MAX: a series */
	const char *kind, *name, *unit, *stat;	/* of a series */
	double *v;			/* one per slot */
	struct hd_changepoint *changes;	/* index is a slot */
	size_t nchanges;
	struct hd_overview_cost *costs;	/* of each change of a share; NULL: a series */
	struct hd_trend_limit next;	/* what one more run may be; n 0: too few since the last change */
	size_t next_from;		/* the first slot of those that say so */
};

struct hd_overview_slot {
	uint32_t run;			/* in runs[] */
	int64_t event, weight, samples;
	const char *stacks;		/* key of db/blob.h, or NULL */
	struct hd_overview_hotspot top[HD_OVERVIEW_TOP];
};

struct hd_overview_verdict {
	uint32_t head, base;		/* in runs[]; base UINT32_MAX: not among them */
	int64_t event;
	uint32_t symbol;		/* or UINT32_MAX: the run as a whole */
	const char *kind, *verdict;
	const char *series;		/* `p99 wall_time_us`: the numbers are in its unit; NULL: shares */
	double base_pct, head_pct, change_pct, lo, hi, q;	/* NAN: not known */
};

/* What a gate said of a run; event: its name, "" for any. */
struct hd_overview_gate {
	uint32_t head;
	const char *event, *verdict, *base, *reason;
};

struct hd_overview_lane {
	const char *event, *unit;
	const char *call_graph;		/* how stacks were recorded (profile/rate.h); NULL: no run of it knows */
	uint32_t first;			/* a run of it: it has target, mode, inline_mode, selection, machine, config */
	struct hd_overview_slot *slots;
	size_t nslots, slots_cap;
	struct hd_overview_column *columns;	/* shares first, the largest first; then series by kind, name, stat */
	size_t ncolumns, nshares;
};

struct hd_overview {
	struct hd_arena arena;
	struct hd_overview_run *runs;		/* oldest first */
	size_t nruns, nslots;			/* nslots: of all lanes */
	uint64_t runs_left_out, lanes_left_out, verdicts_left_out, series_left_out, symbols_left_out;
	struct hd_overview_symbol *symbols;
	size_t nsymbols, symbols_cap;
	struct hd_map symbol_of_row;		/* while loading */
	struct hd_overview_lane *lanes;	/* that with the newest run first */
	size_t nlanes;
	struct hd_overview_gate *gates;	/* the newest first */
	size_t ngates;
	struct hd_overview_verdict *verdicts;	/* the newest first */
	size_t nverdicts;
};

/* A day or a time as it may be given: HD_EUSAGE. */
int hd_overview_time(const char *text, const char *option, struct hd_err *err);
int hd_overview_load(struct hd_overview *c, struct hd_db *db, const struct hd_overview_opts *o, struct hd_err *err);
void hd_overview_release(struct hd_overview *c);

#endif
