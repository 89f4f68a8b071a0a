/*
 * intern.h - rows that runs share (commits, machines, objects, symbols, ...): look them up by key, insert missing ones
 *
 * run_add.c calls this inside its transaction:
 *
 *     hd_intern_init(&in, db, run, hotspots, n);
 *     rc = hd_intern_start(&in, err);
 *     rc = hd_intern_put(&in, again, err);
 *     id = hd_intern_id(&in, HD_INTERN_MACHINE);
 *     hd_intern_release(&in);
 *
 * In a file, a symbol that no run refers to gets the name that the new run has for it.
 *
 * A row never changes once a run refers to it, with two exceptions.  Parents, time and subject of a commit that lacks a
 * subject are filled in when git has them later.  symbol.normal is recomputed by hd_derived_columns_refresh().
 *
 * Other writers of a server may insert the same rows at the same time (db/writers.h).  The first one wins, and the
 * others use its row.
 */
#ifndef HD_HISTORY_INTERN_H
#define HD_HISTORY_INTERN_H

#include "base/sha256.h"
#include "db/row_ids.h"
#include "history/run.h"

/* A row of table hotspot, and the rows that it refers to. */
struct hd_intern_hotspot {
	const struct hd_run_hotspot *hotspot;
	bool rest;			/* the row is the rest (hotspot_rest.h) */
	int64_t event, rank;		/* set and used by the caller only */
	int64_t object, symbol;		/* ids of the rows; set by hd_intern_put() */
};

enum hd_intern_table {
	HD_INTERN_COMMIT, HD_INTERN_MACHINE, HD_INTERN_CONFIG, HD_INTERN_ENVIRONMENT, HD_INTERN_OBJECT,
	HD_INTERN_SYMBOL, HD_INTERN_TEXT, HD_INTERN_TABLES
};

struct hd_intern {
	struct hd_db *db;
	const struct hd_run *run;
	struct hd_intern_hotspot *rows;
	size_t n;
	struct hd_row_ids *ids[HD_INTERN_TABLES];
	uint32_t own[HD_INTERN_OBJECT];		/* index of the run's key in ids[i] (db/row_ids.h); 0: it has none */
	/* indices of the keys of each hotspot's object and symbol */
	struct hd_intern_place { uint32_t object, symbol; } *places;
	/* keys of texts (db/blob.h): those of the stacks of each event, and that of the CSV file of each series */
	char (*stacks)[HD_SHA256_HEX], (*csv)[HD_SHA256_HEX];
	bool wrote_commit;	/* the commit was inserted or described, so the journal needs an entry about it */
};

/*
 * Compute the keys of all rows that the run shares with others.  The run and its n hotspots are borrowed until
 * hd_intern_release().
 */
void hd_intern_init(struct hd_intern *in, struct hd_db *db, const struct hd_run *run, struct hd_intern_hotspot *rows,
	size_t n);
void hd_intern_release(struct hd_intern *in);
/* Start to look up the rows.  A server does that in one statement with other queries that the caller has started. */
int hd_intern_start(struct hd_intern *in, struct hd_err *err);
/*
 * Finish the lookup and insert the missing rows.  again: look up the new rows of a server again, in case another writer
 * has inserted one first.  Without that, such a writer makes the transaction fail, see db/writers.h.
 */
int hd_intern_put(struct hd_intern *in, bool again, struct hd_err *err);
/* Return the id of the run's row in `table`, which must be one of the first four tables; -1: the run has none. */
int64_t hd_intern_id(const struct hd_intern *in, enum hd_intern_table table);

/*
 * Return the name of an object in the identity of its symbols: the last component of its path, so that a build in
 * another folder is the same program.  A path that does not begin with '/' is returned unchanged.
 */
const char *hd_intern_object_name(const char *path);

#endif
