/*
 * run_lookup.h - find the run that a user means, and the run before it
 */
#ifndef HD_HISTORY_RUN_LOOKUP_H
#define HD_HISTORY_RUN_LOOKUP_H

#include "base/nearest.h"
#include "history/run_load.h"

/*
 * What a user calls a run:
 *     ID, or its start            20261120T140102Z-ab12cd3-5e6f7a8b   20261120T1401
 *     the start of its hash       5e6f                                (4 digits and more)
 *     latest, latest:TARGET       the one recorded last, of any or of one target
 *     any of these and ~N         the Nth recorded before it: of the same target, for
 *                                 `latest~N` of any
 * One that is not there, or more than one, is HD_EFORMAT; no run at all, for `latest`,
 * HD_ENOBASE.
 */
int hd_run_lookup(struct hd_db *db, const char *spec, int64_t *row, struct hd_err *err);

/* The id of the run with run.id = row.  *id is owned by the caller; NULL if there is no such run. */
int hd_run_lookup_id(struct hd_db *db, int64_t row, char **id, struct hd_err *err);

/* Try the targets of all runs, or the names of all symbols, for "did you mean".  Errors of the database yield no hint. */
void hd_run_lookup_suggest_targets(struct hd_nearest *n, struct hd_db *db);
void hd_run_lookup_suggest_symbols(struct hd_nearest *n, struct hd_db *db);

/*
 * The newest run recorded before p that p's event (a number in events[]) can be compared
 * with: same target, mode, event, unit, inline mode, selection and machine fingerprint, status ok.
 * *row is 0 when there is none.
 */
int hd_run_lookup_previous(struct hd_db *db, const struct hd_stored_run *p, size_t event, int64_t *row,
	struct hd_err *err);

/* Rows of run, newest first; target NULL: of all; limit 0: no limit.  *rows is yours. */
int hd_run_lookup_list(struct hd_db *db, const char *target, unsigned limit, int64_t **rows, size_t *n,
	struct hd_err *err);

#endif
