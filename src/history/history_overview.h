/*
 * history_overview.h - load many runs at once, for the page of `html`
 *
 * Comparable runs form a lane: the same target, mode, event, unit, call graph (a run without this information fits
 * any), inline mode, selection, machine and configuration.  The data of a lane are columns with one value per slot
 * (run):
 *
 *     lane serve, cycles          slot   0      1      2      3
 *       run                              #0     #1     #4     #5      recorded order
 *       top 5 of a run                   parse 12.1 %, lex 8.0 %, ...
 *       column: share of parse           12.1   12.0   15.3   15.2
 *               change at slot 2: 12.1 -> 15.3
 *       column: p95 of wall_time_us      41.2   41.0   46.9   46.8
 *
 * Symbols: those that were among the top 5 of any run, at most opts.symbols of them.  The top 5 of the newest run
 * come first, then those with the largest mean share.  Symbols of the same name in the same object are one.  A run
 * that lacks a symbol has 0 there; a run without a value of a series has NAN.
 *
 * Changes: change points over the runs with status ok (stats/changepoint.h).  A change of a share counts only if the
 * cost changed as well, because a symbol that grows makes all other shares fall.  The limits for the next run are
 * computed from the runs since the last change.  Findings of `gate` and `drift` are read from the database.
 *
 * Memory and time do not grow with the number of symbols of a run: for 10,000 runs of 2,000 symbols, 50,000 rows and
 * the columns are read.
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
	HD_OVERVIEW_RUNS = 10000,	/* the newest ones, by default */
	HD_OVERVIEW_LANES = 64,
	HD_OVERVIEW_SLOTS = 100000,	/* of all lanes together, the newest ones */
	HD_OVERVIEW_COLUMNS = 48,	/* of series, per lane */
	HD_OVERVIEW_VERDICTS = 20000,	/* and as many gates */
};

struct hd_overview_opts {
	const char *target;		/* NULL: all */
	const char *branch;
	const char *since, *until;	/* 2026-11-20 or 2026-11-20T14:01:02Z, inclusive */
	unsigned symbols;		/* columns of a lane */
	unsigned runs;			/* only the newest ones; 0: HD_OVERVIEW_RUNS */
};

/* Strings are raw bytes; NULL: unknown. */
struct hd_overview_run {
	int64_t row;			/* run.id */
	const char *id, *recorded, *target, *mode, *status, *inline_mode, *commit, *committed, *subject, *branch,
		*config, *selection;
	const char *machine, *cpu_model;
	int64_t dirty;			/* -1: unknown */
	double work;			/* units of work; NaN: unknown */
};

struct hd_overview_symbol {
	int64_t row;			/* symbol.id */
	const char *object, *name;	/* name NULL: unnamed addresses */
};

struct hd_overview_hotspot {
	uint32_t symbol;		/* index in symbols[]; UINT32_MAX: none */
	double pct;			/* self share, per cent */
};

/* The change of a function's cost, per cent, with its 95 % interval; NaN: unknown. */
struct hd_overview_cost {
	double change, lo, hi;
};

struct hd_overview_column {
	uint32_t symbol;		/* index of the symbol of a share; UINT32_MAX: the column is a series */
	const char *kind, *name, *unit, *stat;	/* of a series */
	double *v;			/* one per slot */
	struct hd_changepoint *changes;	/* index is a slot */
	size_t nchanges;
	/* for a share: the cost change of each change point; NULL: the column is a series */
	struct hd_overview_cost *costs;
	struct hd_trend_limit next;	/* limits for the next run; n is 0 after too few runs */
	size_t next_from;		/* the first slot that `next` is computed from */
};

struct hd_overview_slot {
	uint32_t run;			/* index in runs[] */
	int64_t event, weight, samples;
	const char *stacks;		/* key of the folded stacks (db/blob.h), or NULL */
	struct hd_overview_hotspot top[HD_OVERVIEW_TOP];
};

struct hd_overview_verdict {
	uint32_t head, base;		/* indexes in runs[]; base UINT32_MAX: not loaded */
	int64_t event;
	uint32_t symbol;		/* UINT32_MAX: the run as a whole */
	const char *kind, *verdict;
	/* NULL: the numbers are shares; else a series such as `p99 wall_time_us`, and they are in its unit */
	const char *series;
	double base_pct, head_pct, change_pct, lo, hi, q;	/* NAN: unknown */
};

/* The result of a gate for a run.  event: its name, "" for any. */
struct hd_overview_gate {
	uint32_t head;
	const char *event, *verdict, *base, *reason;
};

struct hd_overview_lane {
	const char *event, *unit;
	const char *call_graph;		/* how stacks were recorded (profile/rate.h); NULL: unknown */
	uint32_t first;			/* index of a run of the lane, which has the common target, mode, ... */
	struct hd_overview_slot *slots;
	size_t nslots, slots_cap;
	struct hd_overview_column *columns;	/* shares first, the largest first; then series by kind, name, stat */
	size_t ncolumns, nshares;
};

struct hd_overview {
	struct hd_arena arena;
	struct hd_overview_run *runs;		/* oldest first */
	size_t nruns, nslots;			/* nslots: of all lanes together */
	uint64_t runs_left_out, lanes_left_out, verdicts_left_out, series_left_out, symbols_left_out;
	struct hd_overview_symbol *symbols;
	size_t nsymbols, symbols_cap;
	struct hd_map symbol_of_row;		/* used while loading */
	struct hd_overview_lane *lanes;	/* the lane of the newest run first */
	size_t nlanes;
	struct hd_overview_gate *gates;	/* the newest first */
	size_t ngates;
	struct hd_overview_verdict *verdicts;	/* the newest first */
	size_t nverdicts;
};

/* Check a day or a time that the user gave for `option`.  Returns 0 or HD_EUSAGE. */
int hd_overview_time(const char *text, const char *option, struct hd_err *err);
/* Load the runs that `o` selects.  On failure `c` is released. */
int hd_overview_load(struct hd_overview *c, struct hd_db *db, const struct hd_overview_opts *o, struct hd_err *err);
void hd_overview_release(struct hd_overview *c);

#endif
