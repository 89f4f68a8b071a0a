/*
 * opportunities.h - rank functions by what could be gained over a matrix of targets and modes
 *
 *                  cpu    memory   syscall     a cell: the runs of one target and mode
 *     serve       3 runs   3 runs   1 run
 *     load        2 runs     -      1 run
 *
 * A function is (object, normalised name); normalising removes compiler suffixes such as .isra.0.  Its share in a run
 * is its self cost in per cent of the event's weight.  It is hot if its share is at least `hot_pct`.
 *
 *     impact      sum over cells of  w[target, mode] * mean share over the runs of the cell.
 *                 w[mode] is the weight that the user gives a mode (scope.weights), and w[target, mode] that of a cell:
 *                 w[mode] / (sum of w[mode] over the modes of the target) / (number of targets).  So all targets have
 *                 the same weight, also those that lack a mode.  The impacts of all functions, listed or excluded, add
 *                 up to 100 %.
 *     interval    of the impact, 95 %: bootstrap over the runs of each cell (stats/strata.h).  NaN if the function has
 *                 a cost in a cell of one run.
 *     main mode   the mode that contributes most to the impact
 *     targets     number of targets whose mean share over their runs of the main mode is at least `hot_pct`
 *     runs        number of runs of the main mode whose share is at least `hot_pct`.  Both numbers are also given in
 *                 per cent of all targets or runs of the main mode, with Wilson's interval (stats/proportion.h).
 *     confidence  mean of two percentages: that of targets and that of runs in which the function is hot
 *     score       impact * confidence / 100, which ranks the functions.  Ties are broken by impact, then by name.
 *
 *     benchmarks  micro-benchmarks in the database that cover the function, of whatever target and commit
 *
 * Excluded, with their number and impact: plumbing (frames that the skip rules name, and the kernel), unnamed
 * addresses, the symbols that the database stores as one sum, and functions that are hot in no run of their main mode.
 *
 * Not thread-safe.
 */
#ifndef HD_HISTORY_OPPORTUNITIES_H
#define HD_HISTORY_OPPORTUNITIES_H

#include "base/arena.h"
#include "base/string_list.h"
#include "db/db.h"
#include "profile/mode_weights.h"
#include "profile/skip_rules.h"
#include "stats/bootstrap.h"

enum {
	HD_OPPORTUNITIES_CELL_RUNS = 100,	/* limit for the runs of a cell; the newest are used */
	HD_OPPORTUNITIES_RUNS = 2000,		/* limit for the runs of all cells together */
	HD_OPPORTUNITIES_EXAMPLES = 3,
};

/* Everything is borrowed. */
struct hd_opportunities_scope {
	const struct hd_string_list *targets;	/* raw bytes; NULL or empty: all targets */
	/* name of the commit, in a form of run_set.h; NULL: use the newest commits of each target and mode */
	const char *commit;
	const char *session;			/* only runs of this session, or NULL */
	/* number of newest commits, used if commit and session are NULL; at least 1 */
	size_t commits;
	const struct hd_mode_weights *weights;
	const struct hd_skip_rules *skip;	/* initialised without a profile */
	double hot_pct;				/* above 0 */
	/* count functions of the same name in several objects as one function */
	bool any_object;
	/*
	 * compute interval, location and benchmarks for the first `limit` functions; 0: for all.  They are 0 or NULL
	 * for the other functions
	 */
	size_t limit;
};

struct hd_opportunities_cell {
	const char *target, *mode;		/* raw bytes */
	const char *commit;			/* "4f1c2e8a1b2c", "2 commits", or "-" (unknown, or no runs) */
	/* indexes of the runs of the cell: first .. first + runs - 1; runs is 0 if the cell has no usable run */
	size_t first, runs;
	size_t weight;				/* index of its mode in scope.weights */
};

struct hd_opportunity {
	const char *name, *linkage;		/* raw bytes */
	/* last part of the object's path, or its build-id if the path is unknown; NULL: unknown, or several objects */
	const char *object;
	double score, impact;
	struct hd_interval impact_ci;
	double of_mode[HD_MODE_WEIGHTS_MAX];	/* mean share over the targets with runs of the mode; NaN: no runs */
	size_t main_mode;			/* index in scope.weights */
	size_t hot_targets, targets, hot_runs, runs;
	struct hd_interval targets_ci, runs_ci;	/* in per cent */
	double confidence;
	/*
	 * object with the code of the function (path, build-id), and its address in it (0x and hexadecimal digits);
	 * NULL: unknown
	 */
	const char *path, *build_id, *vaddr;
	size_t benchmarks;			/* number of micro-benchmarks that cover the function */
	const char *benchmark;			/* the first of the benchmarks by name; raw bytes; NULL: none */
};

enum hd_opportunities_exclusion {
	HD_OPPORTUNITIES_PLUMBING,
	HD_OPPORTUNITIES_UNKNOWN,
	HD_OPPORTUNITIES_SMALL,			/* stored as one sum (hotspot_rest.h) */
	HD_OPPORTUNITIES_COLD,
	HD_OPPORTUNITIES_EXCLUSIONS
};

struct hd_opportunities_excluded {
	/* number of excluded functions; for ..._UNKNOWN, of objects with unnamed addresses; for ..._SMALL, 0 or 1 */
	size_t n;
	double impact;				/* sum of the impacts of these functions */
	struct { const char *name; double impact; } examples[HD_OPPORTUNITIES_EXAMPLES];	/* the largest ones */
};

struct hd_opportunities {
	struct hd_arena arena;			/* owns all strings but the words of the modes */
	struct hd_opportunities_cell *cells;	/* by target, then by mode */
	size_t ncells, targets;			/* targets: number of targets with runs */
	bool any_benchmark;			/* the database has micro-benchmarks that cover symbols */
	struct hd_opportunity *rows;		/* highest score first */
	size_t n;
	struct hd_opportunities_excluded excluded[HD_OPPORTUNITIES_EXCLUSIONS];
	/* Runs of the chosen targets and session that were not used. */
	size_t failed;				/* their status is not ok */
	size_t unweighted;			/* runs whose mode has no weight */
	size_t without_samples;
	/*
	 * runs that belong to other commits, are not comparable with the newest run of the same target and mode, or
	 * exceed HD_OPPORTUNITIES_CELL_RUNS
	 */
	size_t not_selected;
	size_t runs;				/* runs that were used */
};

/*
 * Load the runs of the scope and rank their functions.  Returns 0, HD_ENOBASE if no run is selected, HD_EFORMAT if a
 * target is unknown or the commit is invalid, HD_EUSAGE if too many runs are selected.  The caller releases `out`,
 * except on failure.
 */
int hd_opportunities_load(struct hd_opportunities *out, struct hd_db *db, const struct hd_opportunities_scope *scope,
	struct hd_err *err);
void hd_opportunities_release(struct hd_opportunities *o);

#endif
