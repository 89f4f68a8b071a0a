/*
 * writers.c - see writers.h
 */
#include "db/writers.h"

#include "db/backend.h"

#include <assert.h>

bool hd_db_has_writers(const struct hd_db *db)
{
	return db->be->begin_beside != NULL;
}

int hd_db_begin_beside(struct hd_db *db, struct hd_err *err)
{
	int rc;

	if (!hd_db_has_writers(db))
		return hd_db_begin(db, err);
	assert(!db->in_transaction);
	db->in_transaction = true;
	db->sync_failed = false;
	rc = db->be->begin_beside(db, err);
	if (rc < 0)
		hd_db_rollback(db);
	return rc;
}

bool hd_db_met_writer(const struct hd_db *db)
{
	return db->met_writer;
}

int hd_db_fail_met_writer(struct hd_db *db, struct hd_err *err)
{
	db->met_writer = true;
	return hd_fail(err, HD_EIO, "%s: other writers changed the same rows; try again", hd_db_name(db));
}

int hd_new_ids_get(struct hd_db *db, const struct hd_new_ids *of, int64_t *ids, size_t n, struct hd_err *err)
{
	struct hd_db_rows r;
	size_t have = 0;
	int rc;

	if (!hd_db_has_writers(db)) {
		rc = n ? hd_db_query_int(db, &ids[0], 1, err, of->file, "") : 0;
		for (size_t i = 1; i < n; i++)
			ids[i] = ids[0] + (int64_t)i;
		return rc;
	}
	rc = hd_db_query(&r, db, err, of->server, "i", (int64_t)n);
	while (rc >= 0 && have < n && (rc = hd_db_next(&r, err)) > 0)
		ids[have++] = hd_col_int(&r, 0);
	hd_db_end(&r);
	if (rc >= 0 && have < n)
		rc = hd_fail(err, HD_EIO, "%s: the server gave %zu new ids of %zu", hd_db_name(db), have, n);
	return rc < 0 ? rc : 0;
}
