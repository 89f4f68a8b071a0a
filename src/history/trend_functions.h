/*
 * trend_functions.h - load the costliest functions of some runs of a history, and compare two such groups of runs
 *
 * A function is identified by its object and normalised name; an unnamed address is a function of its own.  Runs are
 * loaded down to rank HD_TREND_DEPTH; below that, a function counts as 0.
 *
 *     hd_trend_loader_init(&l, t, db, NULL);
 *     for each run i of one side:           rc = hd_trend_functions_add(&base, &l, i, err);
 *     for each run i of the other side:     rc = hd_trend_functions_add(&head, &l, i, err);
 *     hd_trend_functions_compare(changes, pairs, n, &base, &head);
 */
#ifndef HD_HISTORY_TREND_FUNCTIONS_H
#define HD_HISTORY_TREND_FUNCTIONS_H

#include "base/arena.h"
#include "base/strtab.h"
#include "db/row_reader.h"
#include "history/trend.h"
#include "history/turns.h"

enum { HD_TREND_DEPTH = 50 };

struct hd_trend_function {
	uint32_t key;			/* equal keys of one loader mean the same function */
	const char *name, *object;	/* raw bytes; object NULL: unknown */
	bool unknown;			/* without an address: name is `[unknown]` */
	double share, cost;		/* sums over all runs: self share, per cent; self cost (of a unit of work) */
	double self[HD_COST_CHANGE_RUNS];	/* weight in each of the first HD_COST_CHANGE_RUNS runs */
	size_t rank;			/* for use by the caller */
};

/* The functions of a group of runs.  Zero-initialise; free `items`. */
struct hd_trend_functions {
	struct hd_trend_function *items;
	size_t n, cap;
	size_t runs;			/* number of runs that were added, but at most HD_COST_CHANGE_RUNS */
	/* of each run; work is 1 if it is unknown for any run of the trend */
	double weight[HD_COST_CHANGE_RUNS], samples[HD_COST_CHANGE_RUNS], work[HD_COST_CHANGE_RUNS];
	struct hd_turn turn[HD_COST_CHANGE_RUNS];
	bool per_work;
	bool memory;			/* the costs are bytes or allocations */
};

struct hd_trend_loader {
	const struct hd_trend *t;
	struct hd_db *db;
	const bool *some;		/* some[i]: run i of the trend is needed; NULL: all, in their order */
	struct hd_arena arena;		/* the names of the functions */
	struct hd_strtab *keys;
	struct hd_row_list rows;	/* of the runs that were loaded together, by run, event and rank */
	size_t loaded;			/* runs of the trend before this one are, or were, in `rows` */
};

/* `t` and `some` are borrowed.  If `some` is set, its runs are loaded together and may be added in any order. */
void hd_trend_loader_init(struct hd_trend_loader *l, const struct hd_trend *t, struct hd_db *db, const bool *some);
void hd_trend_loader_release(struct hd_trend_loader *l);

/* Add run i of the trend to a group. */
int hd_trend_functions_add(struct hd_trend_functions *f, struct hd_trend_loader *l, size_t i, struct hd_err *err);
/* Find a function by its key, or by its name and object.  Returns NULL if no run of the group has it. */
struct hd_trend_function *hd_trend_functions_find(const struct hd_trend_functions *f, uint32_t key);
const struct hd_trend_function *hd_trend_functions_named(const struct hd_trend_functions *f, const char *name,
	const char *object);

/* A function in both groups; NULL: it is in one of them only. */
struct hd_trend_pair {
	const struct hd_trend_function *base, *head;
};

/*
 * Estimate the change of the cost of n functions.  The other rows of the model are the functions that occur in all runs
 * of both groups, and a last row for all further functions together.
 */
void hd_trend_functions_compare(struct hd_cost_change *out, const struct hd_trend_pair *pairs, size_t n,
	const struct hd_trend_functions *base, const struct hd_trend_functions *head);

#endif
