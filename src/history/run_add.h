/*
 * run_add.h - write a run into the database
 */
#ifndef HD_HISTORY_RUN_ADD_H
#define HD_HISTORY_RUN_ADD_H

#include "history/run.h"

enum { HD_RUN_ID = 128 };

/* What the caller is told about a run that was added. */
struct hd_run_ticket {
	char id[HD_RUN_ID];
	char hash[HD_SHA256_HEX];	/* run_hash */
};

int hd_run_add(struct hd_db *db, const struct hd_run *run, struct hd_run_ticket *ticket, struct hd_err *err);

/* The newest run made from a recording, or of a series, with this SHA-256 as its first input; "" when there is none. */
int hd_run_find_input(struct hd_db *db, const char *sha256, char id[HD_RUN_ID], struct hd_err *err);

#endif
