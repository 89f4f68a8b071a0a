/*
 * chain.c - see chain.h
 */
#include "store/chain.h"

#include "base/mem.h"
#include "store/content.h"

#include <stdlib.h>
#include <string.h>

int hd_chain_content(struct hd_db *db, int64_t run, char hex[HD_SHA256_HEX], struct hd_err *err)
{
	struct hd_cell cells[HD_CONTENT_COLUMNS];
	struct hd_content c;
	int rc = 0;

	hd_content_begin(&c);
	for (size_t part = 0; part < hd_content_parts() && rc >= 0; part++) {
		struct hd_db_rows r;

		rc = hd_content_ask(&r, db, part, run, err);
		while (rc >= 0 && (rc = hd_db_next(&r, err)) > 0)
			hd_content_row(&c, part, cells, hd_content_cells(&r, cells));
		hd_db_end(&r);
	}
	hd_content_end(&c, hex);
	return rc;
}

void hd_chain_link(const char *origin, int64_t seq, const char *prev_hash, const char *content_hash, char hex[HD_SHA256_HEX])
{
	struct hd_buf text = { 0 };

	hd_buf_addf(&text, "hotdrift chain 1\n%s\n%lld\n%s\n%s\n", origin, (long long)seq, prev_hash, content_hash);
	hd_sha256_hex(text.data, text.len, hex);
	hd_buf_release(&text);
}

int hd_chain_places(struct hd_db_rows *r, struct hd_db *db, const char *origin, struct hd_err *err)
{
	return hd_db_ask(r, db, err, "SELECT id, run_id, origin, seq, content_hash, prev_hash, run_hash, 0 FROM run WHERE origin = $1 "
			 "UNION ALL SELECT 0, run_id, origin, seq, content_hash, prev_hash, run_hash, 1 FROM tombstone WHERE origin = $2 "
			 "ORDER BY 4, 8", "tt", origin, origin);
}

int hd_chain_next(struct hd_db_rows *r, struct hd_chain_place *p, struct hd_err *err)
{
	int rc = hd_db_next(r, err);

	if (rc > 0)
		*p = (struct hd_chain_place){
			.id = hd_col_int(r, 0), .name = hd_col_text(r, 1), .origin = hd_col_text(r, 2), .seq = hd_col_int(r, 3),
			.content = hd_col_text(r, 4), .prev = hd_col_text(r, 5), .hash = hd_col_text(r, 6), .pruned = hd_col_int(r, 7),
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
}

int hd_chain_advance(struct hd_db *db, const char *origin, int64_t seq, const char *hash, struct hd_err *err)
{
	return hd_db_do(db, err, "UPDATE chain SET head_seq = $1, head_hash = $2 WHERE origin = $3", "itt", seq, hash, origin);
}
