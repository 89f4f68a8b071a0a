/*
 * chain.c - see chain.h
 */
#include "trust/chain.h"

#include "base/hex.h"
#include "base/mem.h"
#include "base/utc.h"
#include "db/row_reader.h"
#include "trust/content_hash.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

int hd_chain_content(struct hd_db *db, int64_t run, int64_t form, char hex[HD_SHA256_HEX], struct hd_err *err)
{
	struct hd_content_cell cells[HD_CONTENT_HASH_COLUMNS];
	struct hd_content_hash c;
	int rc = 0;

	if (!hd_content_hash_has_form(form))
		return hd_fail(err, HD_ENO, "%s: a run has content of form %lld, which this hotdrift does not support",
			hd_db_name(db), (long long)form);
	hd_content_hash_begin(&c, (int)form);
	for (size_t part = 0; part < hd_content_hash_parts((int)form) && rc >= 0; part++) {
		struct hd_db_rows r;

		rc = hd_content_hash_query(&r, db, (int)form, part, run, err);
		while (rc >= 0 && (rc = hd_db_next(&r, err)) > 0)
			hd_content_hash_row(&c, part, cells, hd_content_hash_cells(&r, cells));
		hd_db_end(&r);
	}
	hd_content_hash_end(&c, hex);
	return rc;
}

void hd_chain_link(const char *origin, int64_t seq, const char *prev_hash, const char *content_hash,
	char hex[HD_SHA256_HEX])
{
	struct hd_buf text = { 0 };

	hd_buf_addf(&text, "hotdrift chain 1\n%s\n%lld\n%s\n%s\n", origin, (long long)seq, prev_hash, content_hash);
	hd_sha256_hex(text.data, text.len, hex);
	hd_buf_release(&text);
}

static const struct hd_row_field place_fields[] = {
	HD_ROW(struct hd_chain_place, id, "id", INT_OR_0),
	HD_ROW(struct hd_chain_place, name, "run_id", TEXT),
	HD_ROW(struct hd_chain_place, origin, "origin", TEXT),
	HD_ROW(struct hd_chain_place, seq, "seq", INT_OR_0),
	HD_ROW(struct hd_chain_place, content, "content_hash", TEXT),
	HD_ROW(struct hd_chain_place, prev, "prev_hash", TEXT),
	HD_ROW(struct hd_chain_place, hash, "run_hash", TEXT),
	HD_ROW(struct hd_chain_place, pruned, "pruned", INT_OR_0),
	HD_ROW(struct hd_chain_place, form, "form", INT_OR_0),
	HD_ROW(struct hd_chain_place, stem, "stem", TEXT),
};
static const struct hd_row_query places = HD_ROW_QUERY(struct hd_chain_place, place_fields,
	"FROM (SELECT r.id AS id, r.run_id AS run_id, r.origin AS origin, r.seq AS seq, r.content_hash AS "
	"content_hash, "
	"r.prev_hash AS prev_hash, r.run_hash AS run_hash, 0 AS pruned, r.form AS form, "
	"REPLACE(REPLACE(r.recorded_utc, '-', ''), ':', '') || '-' || COALESCE(SUBSTR(c.sha, 1, 7), 'nocommit') || '-' "
	"AS stem FROM run r LEFT JOIN commit_info c ON c.id = r.commit_id WHERE r.origin = $1 UNION ALL SELECT 0, "
	"run_id, "
	"origin, seq, content_hash, prev_hash, run_hash, 1, 0, NULL FROM tombstone WHERE origin = $2) p "
	"ORDER BY seq, pruned");

int hd_chain_places(struct hd_db_rows *r, struct hd_db *db, const char *origin, struct hd_err *err)
{
	return hd_row_query(r, &places, db, err, "tt", origin, origin);
}

int hd_chain_next(struct hd_db_rows *r, struct hd_chain_place *p, struct hd_err *err)
{
	return hd_row_next(r, &places, NULL, p, err);
}

bool hd_chain_place_whole(const struct hd_chain_place *p)
{
	return p->name && p->origin && p->content && p->prev && p->hash;
}

void hd_chain_place_release(struct hd_chain_place *p)
{
	free(p->name);
	free(p->origin);
	free(p->content);
	free(p->prev);
	free(p->hash);
	free(p->stem);
}

int hd_chain_count(struct hd_db *db, struct hd_err *err)
{
	int64_t wrong;
	int rc;

	rc = hd_db_query_int(db, &wrong, 0, err,
		"SELECT (SELECT COUNT(*) FROM (SELECT origin, SUM(n) AS n, MIN(lo) AS lo, MAX(hi) AS hi FROM (SELECT "
		"origin, COUNT(*) AS n, MIN(seq) AS lo, MAX(seq) AS hi FROM run GROUP BY origin UNION ALL SELECT "
		"origin, COUNT(*), MIN(seq), MAX(seq) FROM tombstone GROUP BY origin UNION ALL SELECT origin, "
		"COUNT(*), MIN(seq), MAX(seq) FROM journal GROUP BY origin UNION ALL SELECT origin, 0, 1, head_seq "
		"FROM chain WHERE head_seq > 0) x GROUP BY origin) p LEFT JOIN chain c ON c.origin = p.origin WHERE "
		"c.origin IS NULL OR p.lo < 1 OR p.n <> p.hi OR p.hi <> COALESCE(c.head_seq, 0)) + ABS((SELECT "
		"COUNT(*) FROM acknowledgement) - (SELECT COUNT(DISTINCT number) FROM journal WHERE kind = "
		"'acknowledgement')) + ABS((SELECT COUNT(*) FROM gate_result) - (SELECT COUNT(DISTINCT number) FROM "
		"journal WHERE kind = 'gate'))",
		"");
	if (rc >= 0 && wrong)
		rc = hd_fail(err, HD_EIO,
			"%s: runs, gates or acknowledgements were inserted or deleted without their chains; "
			"'hotdrift verify' names the first",
			hd_db_name(db));
	return rc;
}

int hd_chain_create(struct hd_db *db, const char *kind, bool local, struct hd_err *err)
{
	uint8_t bytes[16];
	char now[HD_UTC_TEXT], origin[33];

	if (getrandom(bytes, sizeof(bytes), 0) != sizeof(bytes))
		return hd_fail_errno(err, HD_EIO, errno, "%s: no random numbers", hd_db_name(db));
	hd_hex(bytes, sizeof(bytes), origin);
	hd_utc_text(hd_utc_now(), now);
	return hd_db_do(db, err, "INSERT INTO chain (origin, is_local, created_utc, kind) VALUES ($1, $2, $3, $4)",
		"titt", origin, (int64_t)local, now, kind);
}

int hd_chain_advance(struct hd_db *db, const char *origin, int64_t seq, const char *hash, struct hd_err *err)
{
	return hd_db_do(db, err, "UPDATE chain SET head_seq = $1, head_hash = $2 WHERE origin = $3", "itt", seq, hash,
		origin);
}

/* ---- heads ---- */

static const struct hd_row_field head_fields[] = {
	HD_ROW(struct hd_chain_head, origin, "origin", TEXT),
	HD_ROW(struct hd_chain_head, kind, "kind", TEXT),
	HD_ROW(struct hd_chain_head, seq, "head_seq", INT_OR_0),
	HD_ROW(struct hd_chain_head, hash, "head_hash", TEXT),
};
static const struct hd_row_query local_head = HD_ROW_QUERY(struct hd_chain_head, head_fields,
	"FROM chain WHERE is_local = 1");
static const struct hd_row_query journal_head = HD_ROW_QUERY(struct hd_chain_head, head_fields,
	"FROM chain WHERE kind = 'journal' ORDER BY origin");
static const struct hd_row_query head_of = HD_ROW_QUERY(struct hd_chain_head, head_fields,
	"FROM chain WHERE origin = $1");
static const struct hd_row_query all_heads = HD_ROW_QUERY(struct hd_chain_head, head_fields,
	"FROM chain ORDER BY is_local DESC, kind DESC, origin");

/* A damaged file may have a chain without a name; treat it as missing. */
static int named_head(struct hd_chain_head *h, int rc)
{
	if (rc <= 0 || h->origin)
		return rc;
	hd_chain_head_release(h);
	return 0;
}

int hd_chain_local_head(struct hd_chain_head *h, struct hd_db *db, struct hd_err *err)
{
	return named_head(h, hd_row_get(h, &local_head, db, NULL, err, ""));
}

int hd_chain_journal_head(struct hd_chain_head *h, struct hd_db *db, struct hd_err *err)
{
	return named_head(h, hd_row_get(h, &journal_head, db, NULL, err, ""));
}

int hd_chain_head(struct hd_chain_head *h, struct hd_db *db, const char *origin, struct hd_err *err)
{
	return hd_row_get(h, &head_of, db, NULL, err, "t", origin);
}

int hd_chain_heads(struct hd_chain_heads *list, struct hd_db *db, struct hd_err *err)
{
	struct hd_row_list rows = { 0 };
	int rc = hd_row_load(&rows, &all_heads, db, NULL, err, "");

	*list = (struct hd_chain_heads){ rows.items, rows.n };
	return rc;
}

bool hd_chain_head_is_of(const struct hd_chain_head *h, const char *kind)
{
	return h->kind && !strcmp(h->kind, kind);
}

void hd_chain_head_release(struct hd_chain_head *h)
{
	free(h->origin);
	free(h->kind);
	free(h->hash);
	*h = (struct hd_chain_head){ 0 };
}

void hd_chain_heads_release(struct hd_chain_heads *list)
{
	for (size_t i = 0; i < list->n; i++)
		hd_chain_head_release(&list->items[i]);
	free(list->items);
	*list = (struct hd_chain_heads){ 0 };
}
