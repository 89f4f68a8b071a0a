/*
 * symbol_matrix.h - load a table of samples, symbols by runs, as input of the statistics
 *
 *                 base          head
 *     parse_row   3611  3650 |  4410  4398       effective samples, by self cost
 *     decode      2402  2377 |   630   648
 *
 * A row is a function: (object, normalised name), so compiler suffixes and build folders do not matter.  All unnamed
 * addresses of one object are one row.  A count is the self cost, scaled to samples (effective ones if stored) by one
 * factor for all runs, so that the ratios between runs are kept.  Rows are sorted by their sum, costliest first.
 *
 * The database stores small symbols as one sum, [rest].  This sum is the last row of the matrix, and `rest` is 1 if the
 * row exists.
 */
#ifndef HD_HISTORY_SYMBOL_MATRIX_H
#define HD_HISTORY_SYMBOL_MATRIX_H

#include "history/run_set.h"

struct hd_symbol_matrix_row {
	/* last part of its path, or its build-id if the path is unknown; NULL: both are unknown */
	const char *object;
	const char *name;		/* normalised; NULL: unnamed addresses */
	int64_t symbol;			/* symbol.id of its costliest entry */
	const char *linkage;		/* linkage name of one of its symbols; NULL: unnamed addresses */
};

struct hd_symbol_matrix {
	struct hd_arena arena;
	struct hd_symbol_matrix_row *rows;
	size_t n, runs;
	size_t rest;			/* 0 or 1 */
	double *y;			/* y[row * runs + run]: effective samples */
	/*
	 * work units of each run, or 1 for each if the costs are bytes or allocations (profile/mode.h); NULL: unknown
	 */
	double *work;
	bool per_work;			/* the work of all runs is known */
	double *samples;		/* effective samples of each run, all rows together */
	double per_weight;		/* the factor from weight to samples */
	bool same_builds;		/* both sides ran the same builds (builds.h) */
	/* file name and build-id of the costliest user object, as one string; NULL: unknown */
	char *build;
};

/*
 * Load the matrix.  The first `base` runs are the base.  Each run must have an event.  The caller releases `m`, except
 * on failure.
 */
int hd_symbol_matrix_load(struct hd_symbol_matrix *m, struct hd_db *db, const struct hd_run_set_member *const *runs,
	size_t nruns, size_t base, struct hd_err *err);
void hd_symbol_matrix_release(struct hd_symbol_matrix *m);

/* Append the displayed name of a row: `parse_row`, `[unknown] in libc.so.6`. */
void hd_symbol_matrix_name(struct hd_buf *out, const struct hd_symbol_matrix_row *row);

#endif
