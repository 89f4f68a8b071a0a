/*
 * anchor_copy.c - anchors that go along with the runs of a merge: see anchor.h
 */
#include "trust/anchor.h"

#include "base/mem.h"

#include <string.h>

/* Those of `from`, before anything is asked of `into`, which may be the same database. */
static int signed_there(struct hd_db *from, const struct hd_signing_key *key, const char *origin,
	struct hd_anchors *list, struct hd_err *err)
{
	struct hd_db_rows r;
	int rc;

	rc = hd_db_query(&r, from, err,
		"SELECT origin, seq, run_hash, signed_utc, key_id, mac FROM anchor WHERE origin = $1 AND key_id = $2 "
		"ORDER BY seq",
		"tt", origin, key->id);
	while (rc >= 0 && (rc = hd_db_next(&r, err)) > 0) {
		HD_GROW(list->items, list->n + 1, list->cap);
		hd_anchor_of_row(&r, &list->items[list->n]);
		list->n += hd_anchor_holds(key, &list->items[list->n]);
	}
	hd_db_end(&r);
	return rc;
}

/* Those that `into` lacks and whose run it has stay in the list. */
static int leave_new(struct hd_db *into, const struct hd_signing_key *key, const char *origin, struct hd_anchors *list,
	struct hd_err *err)
{
	struct hd_db_rows r;
	size_t at = 0, n = 0;
	int rc;

	rc = hd_db_query(&r, into, err,
		"SELECT p.seq, p.run_hash, a.mac FROM (SELECT origin, seq, run_hash FROM run WHERE origin = $1 UNION "
		"ALL SELECT origin, seq, run_hash FROM tombstone WHERE origin = $2) p LEFT JOIN anchor a ON a.origin = "
		"p.origin AND a.seq = p.seq AND a.key_id = $3 ORDER BY p.seq",
		"ttt", origin, origin, key->id);
	while (rc >= 0 && at < list->n && (rc = hd_db_next(&r, err)) > 0) {
		size_t len;
		const char *hash = hd_col_bytes(&r, 1, &len);

		while (at < list->n && list->items[at].seq < hd_col_int(&r, 0))
			at++;
		if (at < list->n && list->items[at].seq == hd_col_int(&r, 0) && hd_col_kind(&r, 2) == HD_COL_NULL &&
			hash && !strcmp(list->items[at].hash, hash))
			list->items[n++] = list->items[at++];
	}
	hd_db_end(&r);
	list->n = n;
	return rc < 0 ? rc : 0;
}

static int put(struct hd_db *into, const struct hd_anchors *list, struct hd_err *err)
{
	struct hd_db_bulk m = hd_db_bulk_into(into,
		"INSERT INTO anchor (origin, seq, run_hash, signed_utc, key_id, mac)", 6);
	int rc = hd_db_begin(into, err);

	for (size_t i = 0; i < list->n && rc >= 0; i++) {
		const struct hd_anchor *a = &list->items[i];

		rc = hd_db_bulk_add(&m, err, "titttt", a->origin, a->seq, a->hash, a->signed_utc, a->key_id, a->mac);
	}
	if (rc >= 0)
		rc = hd_db_bulk_end(&m, err);
	hd_db_bulk_drop(&m);
	if (rc >= 0)
		return hd_db_commit(into, err);
	hd_db_rollback(into);
	return rc;
}

int hd_anchor_copy(struct hd_db *into, struct hd_db *from, const struct hd_signing_key *key, const char *origin,
	int64_t *taken, struct hd_err *err)
{
	struct hd_anchors list = { 0 };
	int rc = signed_there(from, key, origin, &list, err);

	if (rc >= 0 && list.n)
		rc = leave_new(into, key, origin, &list, err);
	if (rc >= 0 && list.n)
		rc = put(into, &list, err);
	if (rc >= 0)
		*taken += (int64_t)list.n;
	hd_anchors_release(&list);
	return rc < 0 ? rc : 0;
}
