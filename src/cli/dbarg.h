/*
 * dbarg.h - what every command on the database shares: --db, --busy-ms, opening
 */
#ifndef HD_CLI_DBARG_H
#define HD_CLI_DBARG_H

#include "cli/cmd.h"
#include "store/db.h"

struct hd_dbarg {
	const char *db;
	unsigned busy_ms;
};

extern const struct hd_opt hd_dbarg_opts[];
#define HD_DBARG_GROUP(type, member)	{ "database", hd_dbarg_opts, offsetof(type, member) }

/* Open, and bring the schema up to date (writing) or check it. */
int hd_dbarg_open(struct hd_db **db, const struct hd_dbarg *arg, enum hd_db_mode mode, unsigned limit_ms, struct hd_err *err);

#endif
