/*
 * run_add.h - write a run into the database
 *
 *     struct hd_run run = { .target = "serve", ... };
 *     rc = hd_run_add(db, &run, &ticket, err);
 *
 * The run and everything it refers to are written in one transaction.  Afterwards a run never changes.
 *
 * Its id is 20261120T140102Z-ab12cd3-5e6f7a8b: the time of the recording, the commit ("nocommit" without one), and
 * the start of its run_hash (trust/chain.h).  The hash covers the run before it, so adding a recording twice
 * creates two runs with two ids, unless hd_run.once is set.
 */
#ifndef HD_HISTORY_RUN_ADD_H
#define HD_HISTORY_RUN_ADD_H

#include "history/run.h"

enum { HD_RUN_ID = 128 };

/* Identifies a run that was added. */
struct hd_run_ticket {
	char id[HD_RUN_ID];		/* that of `same` if the run was not added */
	char hash[HD_SHA256_HEX];	/* run_hash */
	char same[HD_RUN_ID];		/* the newest run of the same recording, see hd_run_find_input(); or "" */
	bool added;			/* false: hd_run.once is set, and the recording is already stored */
};

/*
 * Add the run.  A server whose schema was not checked (hd_db_option_open_to_add()) is checked before, and its schema is
 * applied if that is necessary.
 *
 * HD_EFORMAT, HD_EUSAGE: see hd_run_check().  If the transaction fails, the message states whether the run was added.
 */
int hd_run_add(struct hd_db *db, const struct hd_run *run, struct hd_run_ticket *ticket, struct hd_err *err);

/*
 * Look up the newest run with this SHA-256 among its recordings, or with a CSV file of this SHA-256 as its first
 * artifact.  id is "" if there is none.
 */
int hd_run_find_input(struct hd_db *db, const char *sha256, char id[HD_RUN_ID], struct hd_err *err);

#endif
