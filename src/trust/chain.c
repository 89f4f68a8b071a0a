/*
 * chain.c - see chain.h
 */
#include "trust/chain.h"

#include "base/hex.h"
#include "base/mem.h"
#include "base/utc.h"
#include "db/row_reader.h"
#include "db/writers.h"
#include "trust/content_hash.h"
#include "trust/writer_name.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

/*
 * End of a query that locks the rows of table `chain` that it reads.  The lock is NO KEY UPDATE, because a transaction
 * that has inserted a run, which refers to the chain, holds a lock on the key of the chain.  With a stronger lock, two
 * such transactions would wait for each other.
 */
#define LOCKED " FOR NO KEY UPDATE"

static const struct hd_row_field head_fields[] = {
	HD_ROW(struct hd_chain_head, origin, "origin", TEXT),
	HD_ROW(struct hd_chain_head, kind, "kind", TEXT),
	HD_ROW(struct hd_chain_head, seq, "head_seq", INT_OR_0),
	HD_ROW(struct hd_chain_head, hash, "head_hash", TEXT),
	HD_ROW(struct hd_chain_head, is_local, "is_local", INT_OR_0),
};
static const struct hd_row_query head_of = HD_ROW_QUERY(struct hd_chain_head, head_fields,
	"FROM chain WHERE origin = $1");
static const struct hd_row_query locked_head_of = HD_ROW_QUERY(struct hd_chain_head, head_fields,
	"FROM chain WHERE origin = $1" LOCKED);

/* Return the query for the head of a chain that the transaction advances. */
static const struct hd_row_query *own_head(const struct hd_db *db)
{
	return hd_db_has_writers(db) ? &locked_head_of : &head_of;
}

/*
 * Hash one part of the content of n runs, such as their events (content_hash.h).  The query r returns the rows in the
 * order of `runs`; hashes[i] belongs to runs[i].  Sets *rows to the number of rows.
 */
static int add_part(struct hd_content_hash *hashes, const int64_t *runs, size_t n, struct hd_db_rows *r, size_t part,
	size_t *rows, struct hd_err *err)
{
	struct hd_content_cell cells[HD_CONTENT_HASH_COLUMNS];
	size_t at = 0, ncells;
	int64_t run;
	int rc;

	for (*rows = 0; (rc = hd_db_next(r, err)) > 0; ++*rows) {
		ncells = hd_content_hash_run_cells(r, cells, &run);
		while (at + 1 < n && runs[at] != run)
			at++;
		if (runs[at] == run)
			hd_content_hash_row(&hashes[at], part, cells, ncells);
	}
	return rc;
}

/* Start the queries for the content of n runs.  A server needs one round trip for all. */
static int contents_start(struct hd_db_rows parts[HD_CONTENT_HASH_PARTS], struct hd_db *db, const int64_t *runs,
	size_t n, int64_t form, struct hd_err *err)
{
	int rc = 0;

	if (!hd_content_hash_has_form(form))
		return hd_fail(err, HD_ENO, "%s: a run has content of form %lld, which this hotdrift does not support",
			hd_db_name(db), (long long)form);
	for (size_t part = 0; part < hd_content_hash_parts((int)form) && rc >= 0; part++)
		rc = hd_content_hash_query(&parts[part], db, (int)form, part, runs, n, err);
	return rc;
}

/* rows[i] becomes the number of rows of part i. */
static int contents_finish(struct hd_db_rows parts[HD_CONTENT_HASH_PARTS], const int64_t *runs, size_t n, int64_t form,
	char (*hex)[HD_SHA256_HEX], size_t rows[HD_CONTENT_HASH_PARTS], struct hd_err *err)
{
	struct hd_content_hash *hashes = hd_new_array(struct hd_content_hash, n);
	int rc = 0;

	for (size_t i = 0; i < n; i++)
		hd_content_hash_begin(&hashes[i], (int)form);
	for (size_t part = 0; part < hd_content_hash_parts((int)form) && rc >= 0; part++)
		rc = add_part(hashes, runs, n, &parts[part], part, &rows[part], err);
	for (size_t i = 0; i < n; i++)
		hd_content_hash_end(&hashes[i], hex[i]);
	free(hashes);
	return rc;
}

static void contents_end(struct hd_db_rows parts[HD_CONTENT_HASH_PARTS])
{
	for (size_t part = 0; part < HD_CONTENT_HASH_PARTS; part++)
		hd_db_end(&parts[part]);
}

int hd_chain_contents(struct hd_db *db, const int64_t *runs, size_t n, int64_t form, char (*hex)[HD_SHA256_HEX],
	struct hd_err *err)
{
	struct hd_db_rows parts[HD_CONTENT_HASH_PARTS] = { { 0 } };
	size_t rows[HD_CONTENT_HASH_PARTS];
	int rc = contents_start(parts, db, runs, n, form, err);

	if (rc >= 0)
		rc = contents_finish(parts, runs, n, form, hex, rows, err);
	contents_end(parts);
	return rc;
}

int hd_chain_end_start(struct hd_chain_end_query *e, struct hd_db *db, int64_t run, const char *origin,
	struct hd_err *err)
{
	int rc = contents_start(e->parts, db, &run, 1, HD_CONTENT_HASH_FORM, err);

	return rc < 0 ? rc : hd_row_query(&e->head, own_head(db), db, err, "t", origin);
}

int hd_chain_end_finish(struct hd_chain_end_query *e, const struct hd_db *db, int64_t run, char (*hex)[HD_SHA256_HEX],
	struct hd_chain_head *h, struct hd_err *err)
{
	size_t rows[HD_CONTENT_HASH_PARTS] = { 0 };
	int rc = contents_finish(e->parts, &run, 1, HD_CONTENT_HASH_FORM, hex, rows, err);

	e->hotspots = rows[hd_content_hash_find_part(HD_CONTENT_HASH_FORM, "hotspot")];
	return rc < 0 ? rc : hd_row_next(&e->head, own_head(db), NULL, h, err);
}

void hd_chain_end_release(struct hd_chain_end_query *e)
{
	contents_end(e->parts);
	hd_db_end(&e->head);
}

int hd_chain_content(struct hd_db *db, int64_t run, int64_t form, char hex[HD_SHA256_HEX], struct hd_err *err)
{
	char sum[1][HD_SHA256_HEX];
	int rc = hd_chain_contents(db, &run, 1, form, sum, err);

	if (rc >= 0)
		memcpy(hex, sum[0], sizeof(sum[0]));
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
#define RUN_PLACES \
	"SELECT r.id AS id, r.run_id AS run_id, r.origin AS origin, r.seq AS seq, r.content_hash AS content_hash, " \
	"r.prev_hash AS prev_hash, r.run_hash AS run_hash, 0 AS pruned, r.form AS form, " \
	"REPLACE(REPLACE(r.recorded_utc, '-', ''), ':', '') || '-' || COALESCE(SUBSTR(c.sha, 1, 7), 'nocommit') || " \
	"'-' AS stem FROM run r LEFT JOIN commit_info c ON c.id = r.commit_id "
#define TOMBSTONE_PLACES \
	"SELECT 0, t.run_id, t.origin, t.seq, t.content_hash, t.prev_hash, t.run_hash, 1, 0, NULL FROM tombstone t "
static const struct hd_row_query places = HD_ROW_QUERY(struct hd_chain_place, place_fields,
	"FROM (" RUN_PLACES "WHERE r.origin = $1 UNION ALL " TOMBSTONE_PLACES "WHERE t.origin = $2) p "
	"ORDER BY seq, pruned");
static const struct hd_row_query places_of_range = HD_ROW_QUERY(struct hd_chain_place, place_fields,
	"FROM (" RUN_PLACES "WHERE " HD_CHAIN_IN_RANGE("r") " UNION ALL " TOMBSTONE_PLACES "WHERE "
	HD_CHAIN_IN_RANGE("t") ") p ORDER BY origin, seq, pruned");

static const struct hd_row_query places_of_list = HD_ROW_QUERY(struct hd_chain_place, place_fields,
	"FROM (" RUN_PLACES HD_CHAIN_IN_LIST("r") " UNION ALL " TOMBSTONE_PLACES HD_CHAIN_IN_LIST("t") ") p ORDER BY "
	"origin, seq, pruned");

int hd_chain_places(struct hd_db_rows *r, struct hd_db *db, const char *origin, struct hd_err *err)
{
	return hd_row_query(r, &places, db, err, "tt", origin, origin);
}

int hd_chain_range_places(struct hd_db_rows *r, struct hd_db *db, const struct hd_chain_range *range,
	struct hd_err *err)
{
	return hd_row_query(r, &places_of_range, db, err, HD_CHAIN_RANGE_VALUES(range));
}

int hd_chain_list_places(struct hd_db_rows *r, struct hd_db *db, const char *origins, const char *seqs,
	struct hd_err *err)
{
	return hd_row_query(r, &places_of_list, db, err, "tt", origins, seqs);
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

/*
 * SQL: the number of chains whose entries are not as many as the head says, or have other places than 1 to the head;
 * and of origins that are no chain.  All entries are read.
 */
#define WRONG_CHAINS \
	"(SELECT COUNT(*) FROM (SELECT origin, SUM(n) AS n, MIN(lo) AS lo, MAX(hi) AS hi FROM (SELECT origin, " \
	"COUNT(*) AS n, MIN(seq) AS lo, MAX(seq) AS hi FROM run GROUP BY origin UNION ALL SELECT origin, COUNT(*), " \
	"MIN(seq), MAX(seq) FROM tombstone GROUP BY origin UNION ALL SELECT origin, COUNT(*), MIN(seq), MAX(seq) " \
	"FROM journal GROUP BY origin UNION ALL SELECT origin, 0, 1, head_seq FROM chain WHERE head_seq > 0) x GROUP " \
	"BY origin) p LEFT JOIN chain c ON c.origin = p.origin WHERE c.origin IS NULL OR p.lo < 1 OR p.n <> p.hi OR " \
	"p.hi <> COALESCE(c.head_seq, 0))"
/* SQL: the difference between the rows of a table and those of which the journal has an entry of this kind. */
#define UNRECORDED(table, kind) \
	"ABS((SELECT COUNT(*) FROM " table ") - (SELECT COUNT(DISTINCT number) FROM journal WHERE kind = '" kind "'))"

/*
 * On a server with long chains, only the newest entries of each chain are counted, so that the cost depends on the
 * number of chains and not on that of runs.  It is lower than that of reading all entries if a chain has on average
 * more than about 256 of them.
 */
#define NEWEST "32"
#define HAS_LONG_CHAINS "(SELECT SUM(COALESCE(head_seq, 0)) FROM chain) > 256 * (SELECT COUNT(*) FROM chain)"
/*
 * SQL: the number of rows of a table that are among the newest places of chain `c`; a row after its head counts as
 * 1000, so that the sum is wrong.
 */
#define NEW_ENTRIES(table) \
	"(SELECT COALESCE(SUM(CASE WHEN x.seq > COALESCE(c.head_seq, 0) THEN 1000 ELSE 1 END), 0) FROM " table \
	" x WHERE x.origin = c.origin AND x.seq > COALESCE(c.head_seq, 0) - " NEWEST ")"
/* SQL: true if the number of new entries, whose SQL is `entries`, is not that of chain `c`. */
#define LACKS(entries) entries " <> LEAST(COALESCE(c.head_seq, 0), " NEWEST ")"
/* SQL: true if a row of the table has a place before the start of chain `c`. */
#define MISPLACED(table) "EXISTS (SELECT 1 FROM " table " x WHERE x.origin = c.origin AND x.seq < 1)"
/*
 * SQL: the number of origins in a table that are not chains of this kind.  Each step of the recursion looks up the next
 * origin in the index, so that not all rows are read.
 */
#define CHAINLESS(table, kind) \
	"(WITH RECURSIVE o(origin) AS (SELECT MIN(origin) FROM " table " UNION ALL SELECT (SELECT MIN(x.origin) " \
	"FROM " table " x WHERE x.origin > o.origin) FROM o WHERE o.origin IS NOT NULL) SELECT COUNT(*) FROM o WHERE " \
	"o.origin IS NOT NULL AND NOT EXISTS (SELECT 1 FROM chain c WHERE c.origin = o.origin AND c.kind = '" kind "'))"
#define WRONG_NEW_CHAINS \
	"(SELECT COUNT(*) FROM chain c WHERE CASE c.kind WHEN 'journal' THEN " LACKS(NEW_ENTRIES("journal")) " OR " \
	MISPLACED("journal") " ELSE " LACKS(NEW_ENTRIES("run") " + " NEW_ENTRIES("tombstone")) " OR " \
	MISPLACED("run") " OR " MISPLACED("tombstone") " END) + " CHAINLESS("run", "runs") " + " \
	CHAINLESS("tombstone", "runs") " + " CHAINLESS("journal", "journal")
/* SQL: like UNRECORDED(), of the newest rows. */
#define NEW_UNRECORDED(table, kind) \
	"(SELECT ABS((SELECT COUNT(*) FROM " table " x WHERE x.id > n.newest - " NEWEST " OR x.id < 1) - (SELECT " \
	"COUNT(DISTINCT j.number) FROM journal j WHERE j.kind = '" kind "' AND j.number > n.newest - " NEWEST ")) " \
	"FROM (SELECT COALESCE(MAX(number), 0) AS newest FROM journal WHERE kind = '" kind "') n)"

#define COUNT_ALL \
	WRONG_CHAINS " + " UNRECORDED("acknowledgement", "acknowledgement") " + " UNRECORDED("gate_result", "gate")
#define COUNT_NEW \
	WRONG_NEW_CHAINS " + " NEW_UNRECORDED("acknowledgement", "acknowledgement") " + " \
	NEW_UNRECORDED("gate_result", "gate")

int hd_chain_count_start(struct hd_db_rows *r, struct hd_db *db, struct hd_err *err)
{
	if (hd_db_list_size(db) == 1)		/* a file */
		return hd_db_query(r, db, err, "SELECT " COUNT_ALL, "");
	return hd_db_query(r, db, err,
		"SELECT CASE WHEN " HAS_LONG_CHAINS " THEN " COUNT_NEW " ELSE " COUNT_ALL " END", "");
}

int hd_chain_count_finish(struct hd_db_rows *r, struct hd_db *db, struct hd_err *err)
{
	int rc = hd_db_next(r, err);

	if (rc > 0 && hd_col_int(r, 0))
		rc = hd_fail(err, HD_EIO,
			"%s: runs, gates or acknowledgements were inserted or deleted without their chains; "
			"'hotdrift verify' names the first",
			hd_db_name(db));
	return rc < 0 ? rc : 0;
}

int hd_chain_count(struct hd_db *db, struct hd_err *err)
{
	struct hd_db_rows r;
	int rc = hd_chain_count_start(&r, db, err);

	if (rc >= 0)
		rc = hd_chain_count_finish(&r, db, err);
	hd_db_end(&r);
	return rc;
}

int hd_chain_create(struct hd_db *db, const char *kind, bool local, struct hd_err *err)
{
	uint8_t bytes[16];
	char now[HD_UTC_TEXT], origin[33], *writer;
	int rc;

	if (getrandom(bytes, sizeof(bytes), 0) != sizeof(bytes))
		return hd_fail_errno(err, HD_EIO, errno, "%s: no random numbers", hd_db_name(db));
	hd_hex(bytes, sizeof(bytes), origin);
	hd_utc_text(hd_utc_now(), now);
	writer = local ? hd_writer_name(db) : NULL;
	rc = hd_db_do(db, err,
		"INSERT INTO chain (origin, is_local, created_utc, kind, writer) VALUES ($1, $2, $3, $4, $5) ON "
		"CONFLICT DO NOTHING", "tittt", origin, (int64_t)local, now, kind, writer);
	free(writer);
	return rc;
}

int hd_chain_advance(struct hd_db *db, const char *origin, int64_t seq, const char *hash, struct hd_err *err)
{
	return hd_db_do(db, err, "UPDATE chain SET head_seq = $1, head_hash = $2 WHERE origin = $3", "itt", seq, hash,
		origin);
}

/* ---- heads ---- */

int hd_chain_lock_journal(struct hd_db *db, struct hd_err *err)
{
	return hd_db_has_writers(db) ?
		hd_db_do(db, err, "SELECT origin FROM chain WHERE kind = 'journal'" LOCKED, "") : 0;
}

#define JOURNAL_HEAD "FROM chain WHERE kind = 'journal' ORDER BY origin"
static const struct hd_row_query journal_head = HD_ROW_QUERY(struct hd_chain_head, head_fields, JOURNAL_HEAD);
static const struct hd_row_query locked_journal_head = HD_ROW_QUERY(struct hd_chain_head, head_fields,
	JOURNAL_HEAD LOCKED);
static const struct hd_row_query all_heads = HD_ROW_QUERY(struct hd_chain_head, head_fields,
	"FROM chain ORDER BY is_local DESC, kind DESC, origin");

/* Treat a hash chain without a name, which only a damaged database has, as missing. */
static int named_head(struct hd_chain_head *h, int rc)
{
	if (rc <= 0 || h->origin)
		return rc;
	hd_chain_head_release(h);
	return 0;
}

int hd_chain_journal_head(struct hd_chain_head *h, struct hd_db *db, struct hd_err *err)
{
	return named_head(h, hd_row_get(h, &journal_head, db, NULL, err, ""));
}

int hd_chain_journal_end_start(struct hd_db_rows *r, struct hd_db *db, struct hd_err *err)
{
	return hd_row_query(r, hd_db_has_writers(db) ? &locked_journal_head : &journal_head, db, err, "");
}

int hd_chain_journal_end_finish(struct hd_chain_head *h, struct hd_db_rows *r, struct hd_err *err)
{
	/* journal_head can read the rows, because locked_journal_head selects the same columns. */
	return named_head(h, hd_row_next(r, &journal_head, NULL, h, err));
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
