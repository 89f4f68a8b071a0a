/*
 * run_copy.h - copy the rows of a run from one database to another, for merge.c
 *
 * Rows are copied unchanged, except for the ids by which they refer to each other.  Rows that several runs share
 * (commit, machine, configuration, environment, objects, symbols) are looked up by their key, and inserted if they are
 * missing.
 */
#ifndef HD_HISTORY_RUN_COPY_H
#define HD_HISTORY_RUN_COPY_H

#include "db/db.h"

struct hd_run_copy;

/* Both databases are borrowed. */
struct hd_run_copy *hd_run_copy_new(struct hd_db *into, struct hd_db *from);
void hd_run_copy_free(struct hd_run_copy *g);

/*
 * Copy the run whose run.id is `theirs` in the source.  Must be called in a transaction of `into`.  *ours is set to the
 * run's id in `into`.  HD_EFORMAT: a row or text that the run refers to is missing, or it does not match its key.
 * After an error the caller rolls back and calls hd_run_copy_reset().
 */
int hd_run_copy(struct hd_run_copy *g, int64_t theirs, int64_t *ours, struct hd_err *err);
/*
 * Discard the cached ids of rows that were copied.  Must be called after a rollback of `into`, which may have removed
 * these rows.
 */
void hd_run_copy_reset(struct hd_run_copy *g);

#endif
