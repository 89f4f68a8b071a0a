/*
 * run_copy.h - one run from one database to another, row by row
 *
 * Rows are copied as they are, but for the numbers by which they refer to each other: what
 * several runs refer to (commit, machine, configuration, objects, symbols) is found by its key
 * or put there.  Only merge.c uses this.
 */
#ifndef HD_HISTORY_RUN_COPY_H
#define HD_HISTORY_RUN_COPY_H

#include "db/db.h"

struct hd_run_copy;

struct hd_run_copy *hd_run_copy_new(struct hd_db *into, struct hd_db *from);
void hd_run_copy_free(struct hd_run_copy *g);

/* Everything of run.id = theirs, inside a transaction of `into`; *ours is its number there. */
int hd_run_copy(struct hd_run_copy *g, int64_t theirs, int64_t *ours, struct hd_err *err);
/* A transaction was undone, and with it maybe what its run referred to. */
void hd_run_copy_reset(struct hd_run_copy *g);

#endif
