/*
 * chain.c - see chain.h
 */
#include "store/chain.h"

#include "base/buf.h"
#include "base/hex.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

/*
 * What a run says, table by table; $1 is run.id.  The order and the columns are the format: new ones go to the end, with a
 * number.  Of a name with a number nothing is hashed when there is no row, so that a run from before them keeps its hash.
 */
static const struct { const char *table, *sql; } parts[] = {
	{ "run", "SELECT recorded_utc, added_utc, target, target_raw, mode, status, command, command_raw, exit_status, session, "
		 "session_raw, boot_id, inline_mode, dirty, branch, branch_raw, samples_read, samples_kept, hotdrift "
		 "FROM run WHERE id = $1" },
	{ "commit", "SELECT c.sha FROM run r JOIN commit_info c ON c.id = r.commit_id WHERE r.id = $1" },
	{ "machine", "SELECT m.fingerprint, m.key, m.source, m.arch, m.cpu_model, m.cpu_id, m.cpu_flags, m.cpus_online, m.smt, "
		     "m.memory_bytes, m.kernel, m.microcode, m.governor, m.hostname "
		     "FROM run r JOIN machine m ON m.id = r.machine_id WHERE r.id = $1" },
	{ "config", "SELECT c.sha256, c.form, c.canonical FROM run r JOIN config c ON c.id = r.config_id WHERE r.id = $1" },
	{ "artifact", "SELECT ordinal, kind, path, path_raw, bytes, sha256 FROM artifact WHERE run_id = $1 ORDER BY ordinal" },
	{ "dropped", "SELECT reason, samples FROM dropped WHERE run_id = $1 ORDER BY ordinal" },
	{ "run_warning", "SELECT code, count, message, message_raw FROM run_warning WHERE run_id = $1 ORDER BY ordinal" },
	{ "event", "SELECT event, name, name_raw, unit, unit_raw, weight, samples, lost, stacks FROM event WHERE run_id = $1 "
		   "ORDER BY event" },
	{ "hotspot", "SELECT h.event, h.rank, s.object, s.object_raw, s.linkage, s.linkage_raw, s.name, s.name_raw, "
		     "o.path, o.path_raw, o.build_id, o.kernel, h.vaddr, h.self, h.total, h.samples, h.inline_self, h.inline_total "
		     "FROM hotspot h JOIN symbol s ON s.id = h.symbol_id JOIN object o ON o.id = h.object_id "
		     "WHERE h.run_id = $1 ORDER BY h.event, h.rank" },
	{ "series", "SELECT series, kind, name, name_raw, unit, samples, csv FROM series WHERE run_id = $1 ORDER BY series" },
	{ "series_summary", "SELECT series, stat, value, lo, hi FROM series_summary WHERE run_id = $1 ORDER BY series, ordinal" },
	{ "run 2", "SELECT work, selection, selection_raw, side FROM run WHERE id = $1 "
		   "AND (work IS NOT NULL OR selection IS NOT NULL OR side IS NOT NULL)" },
	{ "event 2", "SELECT event, symbols, rest_symbols, effective_samples FROM event WHERE run_id = $1 "
		     "AND (symbols IS NOT NULL OR rest_symbols IS NOT NULL OR effective_samples IS NOT NULL) ORDER BY event" },
};

static void add_int(struct hd_buf *text, int64_t v)
{
	hd_buf_addc(text, 'i');
	if (v < 0)
		hd_buf_addc(text, '-');
	hd_buf_addu(text, v < 0 ? 0 - (uint64_t)v : (uint64_t)v);
	hd_buf_addc(text, '\n');
}

/* A run has a thousand rows, so that nothing is printed but numbers that need it. */
static void add_column(struct hd_buf *text, const struct hd_db_rows *r, int i)
{
	size_t n;
	const char *p;

	switch (hd_col_kind(r, i)) {
	case HD_COL_NULL:
		hd_buf_adds(text, "-\n");
		break;
	case HD_COL_INT:
		add_int(text, hd_col_int(r, i));
		break;
	case HD_COL_DOUBLE:
		hd_buf_addf(text, "d%.17g\n", hd_col_double(r, i));
		break;
	case HD_COL_TEXT:
	case HD_COL_BLOB:
		p = hd_col_bytes(r, i, &n);
		hd_buf_addc(text, hd_col_kind(r, i) == HD_COL_TEXT ? 't' : 'b');
		hd_buf_addu(text, n);
		hd_buf_addc(text, ':');
		hd_buf_add(text, p, n);
		hd_buf_addc(text, '\n');
		break;
	}
}

static int add_part(struct hd_sha256 *sum, struct hd_buf *text, struct hd_db *db, int64_t run, size_t part, struct hd_err *err)
{
	bool named = false;
	struct hd_db_rows r;
	int rc;

	rc = hd_db_ask(&r, db, err, parts[part].sql, "i", run);
	while (rc >= 0) {
		rc = hd_db_next(&r, err);
		if (rc < 0)
			break;
		if (!named && (rc || !strchr(parts[part].table, ' '))) {
			hd_sha256_add(sum, parts[part].table, strlen(parts[part].table));
			hd_sha256_add(sum, "\n", 1);
			named = true;
		}
		if (!rc)
			break;
		hd_buf_reset(text);
		for (int i = 0; i < hd_col_count(&r); i++)
			add_column(text, &r, i);
		hd_sha256_add(sum, text->data, text->len);
	}
	hd_db_end(&r);
	return rc;
}

int hd_chain_content(struct hd_db *db, int64_t run, char hex[HD_SHA256_HEX], struct hd_err *err)
{
	struct hd_sha256 *sum = hd_sha256_new();
	uint8_t bytes[HD_SHA256_BYTES];
	struct hd_buf text = { 0 };
	int rc = 0;

	hd_sha256_add(sum, "hotdrift run 1\n", strlen("hotdrift run 1\n"));
	for (size_t i = 0; i < HD_COUNT(parts) && rc >= 0; i++)
		rc = add_part(sum, &text, db, run, i, err);
	hd_sha256_end(sum, bytes);
	hd_hex(bytes, HD_SHA256_BYTES, hex);
	hd_buf_release(&text);
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
