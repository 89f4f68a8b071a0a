/*
 * chain.c - see chain.h
 */
#include "trust/chain.h"

#include "base/hex.h"
#include "base/mem.h"
#include "base/utc.h"
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
		return hd_fail(err, HD_ENO, "%s: a run is hashed in form %lld, which this hotdrift does not know",
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

int hd_chain_places(struct hd_db_rows *r, struct hd_db *db, const char *origin, struct hd_err *err)
{
	return hd_db_query(r, db, err,
		"SELECT r.id, r.run_id, r.origin, r.seq, r.content_hash, r.prev_hash, r.run_hash, 0, r.form, "
		"REPLACE(REPLACE(r.recorded_utc, '-', ''), ':', '') || '-' || COALESCE(SUBSTR(c.sha, 1, 7), "
		"'nocommit') || '-' FROM run r LEFT JOIN commit_info c ON c.id = r.commit_id WHERE r.origin = $1 UNION "
		"ALL SELECT 0, run_id, origin, seq, content_hash, prev_hash, run_hash, 1, 0, NULL FROM tombstone WHERE "
		"origin = $2 ORDER BY 4, 8",
		"tt", origin, origin);
}

int hd_chain_next(struct hd_db_rows *r, struct hd_chain_place *p, struct hd_err *err)
{
	int rc = hd_db_next(r, err);

	if (rc > 0)
		*p = (struct hd_chain_place){
			.id = hd_col_int(r, 0), .name = hd_col_text(r, 1), .origin = hd_col_text(r, 2),
			.seq = hd_col_int(r, 3),
			.content = hd_col_text(r, 4), .prev = hd_col_text(r, 5), .hash = hd_col_text(r, 6),
			.pruned = hd_col_int(r, 7), .form = hd_col_int(r, 8),
			.stem = hd_col_text(r, 9),
		};
	return rc;
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
			"%s: runs, gates or acknowledgements were inserted beside its chains or deleted from them; "
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
