/*
 * symbol_matrix.h - symbols by runs: what src/drift judges
 *
 *                 base          head
 *     parse_row   3611  3650 |  4410  4398       effective samples at the leaf
 *     decode      2402  2377 |   630   648
 *
 * A row is a function: (object, normalised name), so that what a compiler appends or a
 * build in another folder is no change.  Addresses of one object that nobody names are one
 * row.  A count is the self cost, scaled by one factor for all runs to samples (of the
 * event, effective ones where the database has them), so that costs of runs keep their
 * ratios.  Rows are sorted by their sum, the costliest first.
 *
 * What the database keeps as one sum of all small symbols ([rest]) is the last row, and no
 * symbol: `rest` is 1 then.  Of runs with an event and without one only the former are asked.
 */
#ifndef HD_HISTORY_SYMBOL_MATRIX_H
#define HD_HISTORY_SYMBOL_MATRIX_H

#include "history/run_set.h"

struct hd_symbol_matrix_row {
	const char *object;		/* last part of its path; NULL: none */
	const char *name;		/* normalised; NULL: addresses nobody names */
	int64_t symbol;			/* symbol.id of its costliest entry */
};

struct hd_symbol_matrix {
	struct hd_arena arena;
	struct hd_symbol_matrix_row *rows;
	size_t n, runs;
	size_t rest;			/* 0 or 1 */
	double *y;			/* n x runs */
	double *work;			/* of each run; NULL unless all are known */
	double *samples;		/* of each run: effective, all rows */
	double per_weight;		/* the factor from weight to samples */
	bool same_builds;		/* both sides ran the same builds (builds.h) */
	char *build;			/* file and build-id of the costliest user object; NULL: none */
};

/* The first `base` runs are one side.  Runs without an event are refused by an assertion. */
int hd_symbol_matrix_load(struct hd_symbol_matrix *m, struct hd_db *db, const struct hd_run_set_member *const *runs,
	size_t nruns, size_t base, struct hd_err *err);
void hd_symbol_matrix_release(struct hd_symbol_matrix *m);

/* Name and object as the row is called: `parse_row`, `[unknown] in libc.so.6`. */
void hd_symbol_matrix_name(struct hd_buf *out, const struct hd_symbol_matrix_row *row);

#endif
