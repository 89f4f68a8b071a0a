/*
 * run_lookup.h - find the run that a user means, and the run before it
 */
#ifndef HD_HISTORY_RUN_LOOKUP_H
#define HD_HISTORY_RUN_LOOKUP_H

#include "base/nearest.h"
#include "history/run_load.h"

/*
 * Look up a run by one of its names; *row is run.id:
 *     ID, or its start            20261120T140102Z-ab12cd3-5e6f7a8b   20261120T1401 (4 characters or more)
 *     the start of its hash       5e6f                                (4 digits or more)
 *     latest, latest:TARGET       the newest run of all targets, or of one
 *     any of these and ~N         the Nth run before it of the same target; for `latest~N`, of any target
 * HD_EFORMAT: no run has this name, or more than one, or no number follows `~`.  HD_ENOBASE: there is no run for
 * `latest`, or fewer than N before the named run.
 */
int hd_run_lookup(struct hd_db *db, const char *spec, int64_t *row, struct hd_err *err);

/* Set *id to the run_id of the run with run.id = row; NULL if there is no such run.  The caller frees *id. */
int hd_run_lookup_id(struct hd_db *db, int64_t row, char **id, struct hd_err *err);

/*
 * Add the targets of all runs, or the names of all symbols, to the candidates for the correction of a misspelt name.
 * Database errors are ignored.
 */
void hd_run_lookup_suggest_targets(struct hd_nearest *n, struct hd_db *db);
void hd_run_lookup_suggest_symbols(struct hd_nearest *n, struct hd_db *db);

/*
 * Look up the newest run before p that can be compared with it: same target, mode, inline mode, selection and machine
 * fingerprint, status ok, with an event of the same name and unit as p->events[event].  *row is 0 if there is none.
 */
int hd_run_lookup_previous(struct hd_db *db, const struct hd_stored_run *p, size_t event, int64_t *row,
	struct hd_err *err);

/*
 * List the ids (run.id) of runs, newest first.  target NULL: of all targets; limit 0: no limit.  The caller frees
 * *rows, also after an error.
 */
int hd_run_lookup_list(struct hd_db *db, const char *target, unsigned limit, int64_t **rows, size_t *n,
	struct hd_err *err);

#endif
