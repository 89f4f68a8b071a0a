/*
 * intern.h - rows that runs share (commits, machines, objects, symbols, ...): look them up by key, insert missing ones
 *
 * run_add.c calls this inside its transaction.  A row never changes once a run refers to it, except that the
 * subject and time of a commit are filled in if git has them later.
 */
#ifndef HD_HISTORY_INTERN_H
#define HD_HISTORY_INTERN_H

#include "history/run.h"

struct hd_intern {
	struct hd_db *db;
};

/* Each sets *id to the id of the row. */
int hd_intern_commit(struct hd_intern *in, const struct hd_git_commit *g, int64_t *id, struct hd_err *err);
int hd_intern_machine(struct hd_intern *in, const struct hd_machine *m, int64_t *id, struct hd_err *err);
int hd_intern_config(struct hd_intern *in, const struct hd_config *c, int64_t *id, struct hd_err *err);
/* variables: a text of environment.h. */
int hd_intern_environment(struct hd_intern *in, const char *variables, int64_t *id, struct hd_err *err);

/* A row of table hotspot, and the rows that it refers to. */
struct hd_intern_hotspot {
	const struct hd_run_hotspot *hotspot;
	bool rest;			/* the row is the rest (hotspot_rest.h) */
	int64_t event, rank;		/* for the caller */
	int64_t object, symbol;		/* ids of the rows; set by hd_intern_hotspots() */
};

/* Look up or insert the objects and symbols of all hotspots of a run. */
int hd_intern_hotspots(struct hd_db *db, struct hd_intern_hotspot *rows, size_t n, struct hd_err *err);

#endif
