/*
 * copyrun.h - one run from one database to another, row by row
 *
 * Rows are copied as they are, but for the numbers by which they refer to each other: what
 * several runs refer to (commit, machine, configuration, objects, symbols) is found by its key
 * or put there.  Only merge.c uses this.
 */
#ifndef HD_STORE_COPYRUN_H
#define HD_STORE_COPYRUN_H

#include "store/db.h"

struct hd_copyrun;

struct hd_copyrun *hd_copyrun_new(struct hd_db *into, struct hd_db *from);
void hd_copyrun_free(struct hd_copyrun *g);

/* Everything of run.id = theirs, inside a transaction of `into`; *ours is its number there. */
int hd_copyrun(struct hd_copyrun *g, int64_t theirs, int64_t *ours, struct hd_err *err);
/* A transaction was undone, and with it maybe what its run referred to. */
void hd_copyrun_forget(struct hd_copyrun *g);

#endif
