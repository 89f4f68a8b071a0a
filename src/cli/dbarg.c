/*
 * dbarg.c - see dbarg.h
 */
#include "cli/dbarg.h"

#include "store/schema.h"

const struct hd_opt hd_dbarg_opts[] = {
	{ HD_OPT_STR, 0, "db", "PATH|URL", "the database: a file of SQLite's, or postgresql://... (default " HD_DB_DEFAULT ")", offsetof(struct hd_dbarg, db) },
	{ HD_OPT_UINT, 0, "busy-ms", "N", "wait so long for another writer (default 5000)", offsetof(struct hd_dbarg, busy_ms) },
	{ 0 },
};

int hd_dbarg_open(struct hd_db **out, const struct hd_dbarg *arg, enum hd_db_mode mode, unsigned limit_ms, struct hd_err *err)
{
	struct hd_db_opts o = { .url = arg->db, .mode = mode, .busy_ms = arg->busy_ms, .limit_ms = limit_ms };
	struct hd_db *db;
	int rc;

	rc = hd_db_open(&db, &o, err);
	if (rc < 0)
		return rc;
	rc = mode == HD_DB_WRITE ? hd_schema_apply(db, err) : hd_schema_check(db, err);
	if (rc < 0)
		hd_db_close(db);
	else
		*out = db;
	return rc < 0 ? rc : 0;
}
