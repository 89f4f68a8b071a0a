/*
 * history_overview.h - load many runs at once, for the page of `html`
 *
 * Comparable runs form a lane: the same target, mode, event, unit, call graph (a run without this information fits
 * any), inline mode, selection, machine and configuration.  A slot is the position of a run in its lane; slot 0 is the
 * oldest run.  The data of a lane are columns with one value per slot:
 *
 *     lane serve, cycles          slot   0      1      2      3
 *       run                              #0     #1     #4     #5      recorded order
 *       top 5 of a run                   parse 12.1 %, lex 8.0 %, ...
 *       column: share of parse           12.1   12.0   15.3   15.2
 *               change at slot 2: 12.1 -> 15.3
 *       column: p95 of wall_time_us      41.2   41.0   46.9   46.8
 *
 * A series is a measured quantity of a run other than its profile, such as a latency, memory or power (run.h).
 *
 * Symbols: a lane has a column for each symbol that was among the top 5 of any run, but at most for opts.symbols of
 * them.  The top 5 symbols of the lane's newest run are chosen first, then the symbols with the largest sum of shares
 * over the runs in whose top 5 they are.  Symbols of the same linkage name in objects of the same file name are one
 * symbol.  A run that lacks a symbol has 0 there; a run without a value of a series has NAN.
 *
 * Changes: change points over the runs with status ok (stats/changepoint.h).  A change of a share is dropped if the
 * cost is known not to have changed, because a symbol that grows makes all other shares fall.  The limits for the next
 * run are computed from the runs since the last change point of the values, also if that change was dropped.  Findings
 * of `gate` and `drift` are read from the database.
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
#include "stats/cost_change.h"
#include "db/db.h"

enum {
	HD_OVERVIEW_TOP = 5,		/* number of costliest symbols that are loaded for each run */
	HD_OVERVIEW_RUNS = 10000,	/* limit for runs unless opts.runs is set; the newest runs are loaded */
	HD_OVERVIEW_LANES = 64,		/* limit for lanes; those of the newest runs are kept */
	HD_OVERVIEW_SLOTS = 100000,	/* limit for the slots (places of runs) of all lanes; newest runs are kept */
	HD_OVERVIEW_COLUMNS = 48,	/* limit for the columns of series in one lane */
	HD_OVERVIEW_VERDICTS = 20000,	/* limit for verdicts[], and also for gates[] */
};

struct hd_overview_opts {
	const char *target;		/* NULL: all */
	const char *branch;
	const char *since, *until;	/* 2026-11-20 or 2026-11-20T14:01:02Z, inclusive */
	unsigned symbols;		/* limit for the columns of shares in one lane */
	unsigned runs;			/* number of newest runs to load; 0: HD_OVERVIEW_RUNS */
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

struct hd_overview_column {
	/* index of the symbol whose share is in this column; UINT32_MAX: the column is a series */
	uint32_t symbol;
	const char *kind, *name, *unit, *stat;	/* if the column is a series */
	double *v;			/* one per slot */
	struct hd_changepoint *changes;	/* their index is a slot */
	size_t nchanges;
	/* for a share: the change of cost at each change point; NULL: the column is a series */
	struct hd_cost_change *costs;
	/* prediction limits for the next run; n is 0 if there were too few runs to compute them */
	struct hd_trend_limit next;
	size_t next_from;		/* index of the first slot from which `next` is computed */
};

struct hd_overview_slot {
	uint32_t run;			/* index in runs[] */
	int64_t event, weight;
	int64_t samples;		/* the effective number if the weights of the samples vary and it is known */
	const char *stacks;		/* key of the folded stacks (db/blob.h), or NULL */
	struct hd_overview_hotspot top[HD_OVERVIEW_TOP];
};

struct hd_overview_verdict {
	uint32_t head, base;		/* indexes in runs[]; base UINT32_MAX: not loaded */
	int64_t event;
	uint32_t symbol;		/* UINT32_MAX: the run as a whole */
	const char *kind, *verdict;
	/*
	 * NULL: the numbers are shares; else the name of a series, such as `p99 wall_time_us`, and the numbers are in
	 * its unit
	 */
	const char *series;
	/* as stored: NAN for NULL; earlier versions stored 0 for numbers that `gate` did not compute */
	double base_pct, head_pct, change_pct, lo, hi, q;
};

/* The result of a gate for a run.  event: the name of the event that the result concerns; "": all events. */
struct hd_overview_gate {
	uint32_t head;
	const char *event, *verdict, *base, *reason;
};

struct hd_overview_lane {
	const char *event, *unit;
	const char *call_graph;		/* how stacks were recorded (profile/rate.h); NULL: unknown */
	/* index of any run of the lane; it has the target, mode, machine, ... that all runs of the lane share */
	uint32_t first;
	struct hd_overview_slot *slots;
	size_t nslots, slots_cap;
	/* shares first, with the largest mean first; then series, ordered by kind, name, unit and stat */
	struct hd_overview_column *columns;
	size_t ncolumns, nshares;
};

struct hd_overview {
	struct hd_arena arena;
	struct hd_overview_run *runs;		/* oldest first */
	size_t nruns, nslots;			/* nslots: of all lanes together */
	/*
	 * Numbers of items that exceeded a limit: runs; events of runs (lanes_left_out); findings and gates
	 * (verdicts_left_out); values of series (series_left_out); columns of shares (symbols_left_out)
	 */
	uint64_t runs_left_out, lanes_left_out, verdicts_left_out, series_left_out, symbols_left_out;
	struct hd_overview_symbol *symbols;
	size_t nsymbols, symbols_cap;
	struct hd_map symbol_of_row;		/* used while loading */
	struct hd_overview_lane *lanes;	/* first the lanes of the newest run */
	size_t nlanes;
	struct hd_overview_gate *gates;	/* the newest first */
	size_t ngates;
	struct hd_overview_verdict *verdicts;	/* the newest first */
	size_t nverdicts;
};

/* Check a day or a time that the user gave for `option`.  Returns 0 or HD_EUSAGE. */
int hd_overview_time(const char *text, const char *option, struct hd_err *err);
/* Load the runs that `o` selects.  The caller releases `c`, except on failure. */
int hd_overview_load(struct hd_overview *c, struct hd_db *db, const struct hd_overview_opts *o, struct hd_err *err);
void hd_overview_release(struct hd_overview *c);

#endif
