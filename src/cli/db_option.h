/*
 * db_option.h - the options --db and --busy-ms of all commands that use the database
 *
 * The database is the first of these that is given:
 *
 *     --db PATH|URL
 *     $HOTDRIFT_DB
 *     db = PATH          in the hotdrift.ini of this checkout (cli/ini.h), relative to that file
 *     results/hotspots.db in the root of the checkout, or in the current folder outside of a checkout
 */
#ifndef HD_CLI_DB_OPTION_H
#define HD_CLI_DB_OPTION_H

#include "base/buf.h"
#include "cli/cmd.h"
#include "db/db.h"

struct hd_db_option {
	const char *db;			/* value of --db; NULL: not given */
	unsigned busy_ms;		/* value of --busy-ms; 0: HD_DB_BUSY_MS */
};

extern const struct hd_opt hd_db_option_opts[];
#define HD_DB_OPTION_GROUP(type, member)	{ "database", hd_db_option_opts, offsetof(type, member) }

/*
 * Append the path or URL of the database.  HD_EFORMAT if hotdrift.ini is invalid; if it names a database and belongs to
 * a user who is not accepted (history/checkout_owner.h); or if the root of the checkout is above the current folder and
 * the owner of its .git is not accepted.
 */
int hd_db_option_path(struct hd_buf *path, const struct hd_db_option *arg, struct hd_err *err);
/*
 * Open the database, which the caller closes.  A writer (HD_DB_WRITE) updates the schema, a reader only checks it.
 * Both check the places of each hash chain (hd_chain_count()).  limit_ms: time limit of one statement in milliseconds;
 * 0: HD_DB_LIMIT_MS.
 */
int hd_db_option_open(struct hd_db **db, const struct hd_db_option *arg, enum hd_db_mode mode, unsigned limit_ms,
	struct hd_err *err);
/*
 * Open the database without checking its hash chains.  `verify` uses this function, because it reports an invalid run
 * itself.
 */
int hd_db_option_open_unchecked(struct hd_db **db, const struct hd_db_option *arg, enum hd_db_mode mode,
	unsigned limit_ms, struct hd_err *err);
/*
 * Open the database for hd_run_add().  A file is opened and checked as by hd_db_option_open().  A server is checked by
 * hd_run_add(), which saves statements.
 */
int hd_db_option_open_to_add(struct hd_db **db, const struct hd_db_option *arg, struct hd_err *err);
/*
 * Resolve arg->db for a command that passes it to other programs: arg->db becomes an absolute path or a URL, stored in
 * *storage (owned by the caller).  If `folder` is true and --db was not given, the folder of the path is created, as
 * commands that write to the database do.
 */
int hd_db_option_resolve(struct hd_db_option *arg, char **storage, bool folder, struct hd_err *err);
/* If --db was given, append ` --db PATH` in shell syntax, so that a suggested command opens the same database. */
void hd_db_option_repeat(struct hd_buf *line, const struct hd_db_option *arg);

#endif
