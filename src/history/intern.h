/*
 * intern.h - rows that runs share: found by their key, added on first sight
 *
 * For run_add.c, inside its transaction.  A row is never changed once a run refers to it,
 * except that a commit's subject and time are filled in when git can tell them later.
 */
#ifndef HD_HISTORY_INTERN_H
#define HD_HISTORY_INTERN_H

#include "history/run.h"

struct hd_intern {
	struct hd_db *db;
};

/* Each sets *id and returns 0, or < 0. */
int hd_intern_commit(struct hd_intern *in, const struct hd_git_commit *g, int64_t *id, struct hd_err *err);
int hd_intern_machine(struct hd_intern *in, const struct hd_machine *m, int64_t *id, struct hd_err *err);
int hd_intern_config(struct hd_intern *in, const struct hd_config *c, int64_t *id, struct hd_err *err);
/* variables: as environment.h writes them. */
int hd_intern_environment(struct hd_intern *in, const char *variables, int64_t *id, struct hd_err *err);

/* A row of hotspot, and what it refers to. */
struct hd_intern_hotspot {
	const struct hd_run_hotspot *hotspot;
	bool rest;			/* it stands for those without a row of their own (hotspot_rest.h) */
	int64_t event, rank;		/* the caller's */
	int64_t object, symbol;		/* found, or put there */
};

/* All of a run at once. */
int hd_intern_hotspots(struct hd_db *db, struct hd_intern_hotspot *rows, size_t n, struct hd_err *err);

#endif
