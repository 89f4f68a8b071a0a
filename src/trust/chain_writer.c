/*
 * chain_writer.c - see chain_writer.h
 */
#include "trust/chain_writer.h"

#include "db/writers.h"
#include "trust/chain.h"
#include "trust/journal.h"
#include "trust/writer_name.h"

#include <stdlib.h>

static int start(struct hd_db_rows *r, struct hd_db *db, const char *writer, struct hd_err *err)
{
	return hd_db_query(r, db, err, "SELECT origin FROM chain WHERE is_local = 1 AND COALESCE(writer, '') = $1 "
		"ORDER BY origin", "t", writer ? writer : "");
}

int hd_chain_own_start(struct hd_db_rows *r, struct hd_db *db, struct hd_err *err)
{
	char *writer = hd_writer_name(db);
	int rc = start(r, db, writer, err);

	free(writer);
	return rc;
}

int hd_chain_own_finish(char **origin, struct hd_db_rows *r, struct hd_err *err)
{
	int rc = hd_db_next(r, err);

	*origin = rc > 0 ? hd_col_text(r, 0) : NULL;
	return rc < 0 ? rc : *origin != NULL;
}

/*
 * Look up the origin of the local chain of `writer`.  Returns 1 and sets *origin, which the caller frees; 0 if there is
 * no such chain; < 0 on error.
 */
static int find(char **origin, struct hd_db *db, const char *writer, struct hd_err *err)
{
	struct hd_db_rows r;
	int rc = start(&r, db, writer, err);

	*origin = NULL;
	if (rc >= 0)
		rc = hd_chain_own_finish(origin, &r, err);
	hd_db_end(&r);
	return rc;
}

/*
 * Create the chain of `writer` and set *origin.  If another process of this machine creates the chain at the same time,
 * the later one waits and uses the chain of the first.  Returns 1, or < 0 on error.
 */
static int create(char **origin, struct hd_db *db, const char *writer, struct hd_err *err)
{
	int rc = hd_db_begin_beside(db, err);

	if (rc >= 0)
		rc = hd_chain_create(db, "runs", true, err);
	if (rc >= 0)
		rc = find(origin, db, writer, err);
	if (rc > 0)
		rc = hd_journal_note(db, HD_JOURNAL_CHAIN, *origin, 0, err);
	if (rc >= 0)
		rc = hd_db_commit(db, err);
	hd_db_rollback(db);
	return rc < 0 ? rc : 1;
}

int hd_chain_own(char **origin, struct hd_db *db, struct hd_err *err)
{
	char *writer = hd_writer_name(db);
	int rc = find(origin, db, writer, err);

	if (rc == 0 && writer)
		rc = create(origin, db, writer, err);
	if (rc == 0)
		rc = hd_fail(err, HD_EIO, "%s: the database has no chain", hd_db_name(db));
	free(writer);
	return rc;
}
