/*
 * anchor_sign.c - sign the heads of all chains, and copy anchors for merge: see anchor.h
 */
#include "trust/anchor.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

static bool is_among(const struct hd_anchors *list, const struct hd_anchor *a)
{
	for (size_t i = list->n; i-- > 0;)	/* the newest anchors are at the end */
		if (list->items[i].seq == a->seq && !strcmp(list->items[i].origin, a->origin) &&
			!strcmp(list->items[i].mac, a->mac))
			return true;
	return false;
}

static void take(struct hd_anchors *list, const struct hd_anchor *a)
{
	HD_GROW(list->items, list->n + 1, list->cap);
	list->items[list->n++] = *a;
}

/* Check that the verified head h is still at its place in the hash chain. */
static int check_head(struct hd_db *db, const struct hd_chain_head *h, struct hd_err *err)
{
	int64_t there;
	int rc;

	rc = hd_db_query_int(db, &there, 0, err,
		"SELECT (SELECT COUNT(*) FROM run WHERE origin = $1 AND seq = $2 AND run_hash = $3) + "
		"(SELECT COUNT(*) FROM tombstone WHERE origin = $4 AND seq = $5 AND run_hash = $6) + "
		"(SELECT COUNT(*) FROM journal WHERE origin = $7 AND seq = $8 AND entry_hash = $9)",
		"tittittit", h->origin, h->seq, h->hash, h->origin, h->seq, h->hash, h->origin, h->seq, h->hash);
	if (rc < 0 || there)
		return rc;
	return hd_fail(err, HD_ENO, "%s: chain %s: its run %lld was changed while it was being signed", hd_db_name(db),
		h->origin, (long long)h->seq);
}

static int sign_head(struct hd_db *db, const struct hd_signing_key *key, const struct hd_anchors *more,
	const struct hd_chain_head *h, struct hd_anchors *made, struct hd_err *err)
{
	struct hd_anchor a;
	int rc = check_head(db, h, err);

	if (rc >= 0)
		rc = hd_anchor_find(db, key, h->origin, h->seq, &a, err);
	if (rc > 0 && more && !is_among(more, &a))
		take(made, &a);
	if (rc == 0) {
		rc = hd_anchor_add(db, key, h->origin, h->seq, h->hash, &a, err);
		if (rc >= 0)
			take(made, &a);
	}
	return rc < 0 ? rc : 0;
}

static int sign_all(struct hd_db *db, const struct hd_signing_key *key, const struct hd_anchors *more,
	const struct hd_chain_heads *h, struct hd_anchors *made, struct hd_err *err)
{
	int rc = hd_db_begin(db, err);

	for (size_t i = 0; i < h->n && rc >= 0; i++)
		if (h->items[i].seq && h->items[i].hash)
			rc = sign_head(db, key, more, &h->items[i], made, err);
	if (rc >= 0)
		return hd_db_commit(db, err);
	hd_db_rollback(db);
	return rc;
}

int hd_anchor_sign(struct hd_db *db, const struct hd_signing_key *key, const struct hd_anchors *more,
	const struct hd_chain_verify_opts *o, struct hd_chain_walk *walk, struct hd_anchors *made, struct hd_err *err)
{
	struct hd_anchor_report found = { 0 };
	struct hd_chain_verify_opts with = o ? *o : (struct hd_chain_verify_opts){ 0 };
	struct hd_chain_heads own = { 0 }, *heads = with.heads ? with.heads : &own;
	struct hd_chain_walk unused;
	int rc;

	/* Sign the heads that were verified, even if another process adds runs meanwhile. */
	with.heads = heads;
	rc = hd_chain_verify(db, &with, walk ? walk : &unused, err);
	if (rc >= 0) {
		rc = hd_anchor_check(db, key, more, &found, err);
		if (rc == HD_ENOBASE)
			rc = 0;		/* this key signs for the first time */
	}
	if (rc >= 0)
		rc = sign_all(db, key, more, heads, made, err);
	hd_anchor_report_release(&found);
	hd_chain_heads_release(&own);
	return rc;
}

/* ---- anchors of merged runs ---- */

/*
 * Load the anchors (signed heads) of a hash chain from the database `from`, and drop those whose signature is invalid.
 * The caller loads all of them before the first query on the database `into`, which may be the same as `from`.
 */
static int signed_there(struct hd_db *from, const struct hd_signing_key *key, const char *origin,
	struct hd_anchors *list, struct hd_err *err)
{
	size_t n = 0;
	int rc = hd_anchors_load(list, from, key, origin, err);

	for (size_t i = 0; i < list->n; i++)
		if (hd_anchor_holds(key, &list->items[i]))
			list->items[n++] = list->items[i];
	list->n = n;
	return rc;
}

/* Remove from the list the anchors that the database `into` already has, and those whose run it does not have. */
static int keep_new(struct hd_db *into, const struct hd_signing_key *key, const char *origin, struct hd_anchors *list,
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
		"INSERT INTO anchor (origin, seq, run_hash, signed_utc, key_id, mac)");
	int rc = hd_db_begin(into, err);

	for (size_t i = 0; i < list->n && rc >= 0; i++) {
		const struct hd_anchor *a = &list->items[i];

		rc = hd_db_bulk_add(&m, err, "titttt", a->origin, a->seq, a->hash, a->signed_utc, a->key_id, a->mac);
	}
	rc = hd_db_bulk_end(&m, rc, err);
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
		rc = keep_new(into, key, origin, &list, err);
	if (rc >= 0 && list.n)
		rc = put(into, &list, err);
	if (rc >= 0)
		*taken += (int64_t)list.n;
	hd_anchors_release(&list);
	return rc < 0 ? rc : 0;
}
