/*
 * journal.c - see journal.h
 */
#include "trust/journal.h"

#include "base/mem.h"
#include "db/row_reader.h"
#include "db/schema.h"
#include "db/writers.h"
#include "trust/chain.h"
#include "trust/content_hash.h"
#include "trust/derived_columns.h"
#include "trust/verified_heads.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PARTS = HD_JOURNAL_PARTS };
#define CONTENT_FORM "hotdrift journal 1\n"	/* the first line of the text whose hash is content_hash */

/*
 * A kind of rows that get entries in the journal.
 *
 *     parts    queries for the row and for the rows that belong to it; new columns must be appended
 *     types    the parameters of each of these queries: "t" is the name of the row, "i" its number
 *     many     the same queries for the rows of ENTRIES, with `entry` as their last column
 *     strays   a query for the rows of this kind that have no entry
 */
static const struct kind {
	const char *name, *types, *parts[PARTS], *strays, *many[PARTS];
} kinds[] = {
/* Entries of the journal: $1 is a list of their numbers (journal.seq). */
#define ENTRIES "(SELECT seq AS entry, name AS entry_name, number AS entry_number FROM journal WHERE origin = " \
	"(SELECT origin FROM chain WHERE kind = 'journal') AND seq IN [$1]) j"
#define STRAYS(kind, rows) \
	"SELECT t.name, t.number FROM (" rows ") t " \
	"WHERE NOT EXISTS (SELECT 1 FROM journal j WHERE j.kind = '" kind "' " \
	"AND j.number = t.number AND j.name = t.name) ORDER BY t.number, t.name"
#define SCHEMA_COLUMNS "SELECT version, name, sha256, applied_utc, hotdrift"
	[HD_JOURNAL_SCHEMA] = { "schema", "i", {
		SCHEMA_COLUMNS " FROM schema_version WHERE version = $1" },
		STRAYS("schema", "SELECT '' AS name, version AS number FROM schema_version"), {
		SCHEMA_COLUMNS ", entry FROM " ENTRIES " JOIN schema_version ON version = entry_number" } },
#define CHAIN_COLUMNS "SELECT origin, is_local, created_utc, kind, writer"
	[HD_JOURNAL_CHAIN] = { "chain", "t", {
		CHAIN_COLUMNS " FROM chain WHERE origin = $1" },
		STRAYS("chain", "SELECT origin AS name, 0 AS number FROM chain"), {
		CHAIN_COLUMNS ", entry FROM " ENTRIES " JOIN chain ON origin = entry_name" } },
#define COMMIT_COLUMNS "SELECT sha, parents, committed_utc, subject, subject_raw"
	[HD_JOURNAL_COMMIT] = { "commit", "t", {
		COMMIT_COLUMNS " FROM commit_info WHERE sha = $1" },
		STRAYS("commit", "SELECT sha AS name, 0 AS number FROM commit_info"), {
		COMMIT_COLUMNS ", entry FROM " ENTRIES " JOIN commit_info ON sha = entry_name" } },
#define PRUNED_COLUMNS "SELECT run_id, content_hash, prev_hash, run_hash, reason, pruned_utc"
	[HD_JOURNAL_PRUNED] = { "pruned", "ti", {
		PRUNED_COLUMNS " FROM tombstone WHERE origin = $1 AND seq = $2" },
		STRAYS("pruned", "SELECT origin AS name, seq AS number FROM tombstone"), {
		PRUNED_COLUMNS ", entry FROM " ENTRIES " JOIN tombstone ON origin = entry_name AND seq = "
		"entry_number" } },
#define ACKNOWLEDGEMENT_COLUMNS "SELECT target, event, object, symbol, level_pct, commit_sha, reason, author, " \
	"created_utc, expires_utc, withdrawn_utc"
	[HD_JOURNAL_ACKNOWLEDGEMENT] = { "acknowledgement", "i", {
		ACKNOWLEDGEMENT_COLUMNS " FROM acknowledgement WHERE id = $1" },
		STRAYS("acknowledgement", "SELECT '' AS name, id AS number FROM acknowledgement"), {
		ACKNOWLEDGEMENT_COLUMNS ", entry FROM " ENTRIES " JOIN acknowledgement ON id = entry_number" } },
#define RESULT_COLUMNS "SELECT found_utc, command, target, mode, event, base_ref, head_ref, verdict, reason, look, " \
	"level, failed, shifted, unsure, score, aa_limit, moved_pct, net_pct"
#define SIDE_COLUMNS "SELECT r.run_hash, g.side"
#define SIDES " LEFT JOIN run r ON r.id = g.run_id"
#define SIDE_ORDER " ORDER BY r.run_hash, g.side"
#define FINDING_COLUMNS "SELECT d.id, b.run_hash, h.run_hash, d.event, s.key, d.kind, d.verdict, d.base_pct, " \
	"d.head_pct, d.change_pct, d.ci_lo, d.ci_hi, d.q, d.found_utc, d.series"
#define FINDINGS " LEFT JOIN run b ON b.id = d.base_run LEFT JOIN run h ON h.id = d.head_run LEFT JOIN symbol s ON " \
	"s.id = d.symbol_id"
	[HD_JOURNAL_GATE] = { "gate", "i", {
		RESULT_COLUMNS " FROM gate_result WHERE id = $1",
		SIDE_COLUMNS " FROM gate_run g" SIDES " WHERE g.gate_id = $1" SIDE_ORDER,
		FINDING_COLUMNS " FROM drift_event d" FINDINGS " WHERE d.gate_id = $1 ORDER BY d.id" },
		STRAYS("gate", "SELECT '' AS name, id AS number FROM gate_result UNION SELECT '', COALESCE(gate_id, 0) "
		       "FROM drift_event UNION SELECT '', gate_id FROM gate_run"), {
		RESULT_COLUMNS ", entry FROM " ENTRIES " JOIN gate_result ON id = entry_number",
		SIDE_COLUMNS ", entry FROM " ENTRIES " JOIN gate_run g ON g.gate_id = entry_number" SIDES SIDE_ORDER,
		FINDING_COLUMNS ", entry FROM " ENTRIES " JOIN drift_event d ON d.gate_id = entry_number" FINDINGS
		" ORDER BY d.id" } },
#define EXPECTATION_COLUMNS "SELECT id, target, event, object, symbol, measure, at_least, at_most, reason, author, " \
	"created_utc, expires_utc"
	[HD_JOURNAL_EXPECTATION] = { "expectation", "t", {
		EXPECTATION_COLUMNS " FROM expectation WHERE COALESCE(target, '') = $1 ORDER BY id" },
		STRAYS("expectation", "SELECT DISTINCT COALESCE(target, '') AS name, 0 AS number FROM expectation"), {
		EXPECTATION_COLUMNS ", entry FROM " ENTRIES " JOIN expectation ON COALESCE(target, '') = entry_name "
		"ORDER BY id" } },
};

/* ---- hashes ---- */

static int query_part(struct hd_db_rows *r, struct hd_db *db, const struct kind *k, const char *sql, const char *name,
	       int64_t number, struct hd_err *err)
{
	if (!strcmp(k->types, "i"))
		return hd_db_query(r, db, err, sql, "i", number);
	if (!strcmp(k->types, "t"))
		return hd_db_query(r, db, err, sql, "t", name);
	return hd_db_query(r, db, err, sql, "ti", name, number);
}

static int start_parts(struct hd_db_rows parts[PARTS], struct hd_db *db, const struct kind *k, const char *name,
	int64_t number, struct hd_err *err)
{
	int rc = 0;

	for (int i = 0; i < PARTS && k->parts[i] && rc >= 0; i++)
		rc = query_part(&parts[i], db, k, k->parts[i], name, number, err);
	return rc;
}

/* Hash the rows of the queries that start_parts() started. */
static int hash_parts(struct hd_db_rows parts[PARTS], const struct kind *k, char hex[HD_SHA256_HEX], struct hd_err *err)
{
	struct hd_content_cell cells[HD_CONTENT_HASH_COLUMNS];
	struct hd_buf text = { 0 };
	int rc = 0;

	hd_buf_adds(&text, CONTENT_FORM);
	for (int i = 0; i < PARTS && k->parts[i] && rc >= 0; i++) {
		hd_buf_addf(&text, "%d\n", i);
		while ((rc = hd_db_next(&parts[i], err)) > 0)
			hd_content_hash_row_text(&text, cells, hd_content_hash_cells(&parts[i], cells));
	}
	hd_sha256_hex(text.data, text.len, hex);
	hd_buf_release(&text);
	return rc;
}

static void end_parts(struct hd_db_rows parts[PARTS])
{
	for (int i = 0; i < PARTS; i++)
		hd_db_end(&parts[i]);
}

static int content_of(struct hd_db *db, const struct kind *k, const char *name, int64_t number, char hex[HD_SHA256_HEX],
		      struct hd_err *err)
{
	struct hd_db_rows parts[PARTS] = { { 0 } };
	int rc = start_parts(parts, db, k, name, number, err);

	if (rc >= 0)
		rc = hash_parts(parts, k, hex, err);
	end_parts(parts);
	return rc;
}

struct entry {
	char *origin, *kind, *name, *content, *prev, *hash;	/* NULL only in a damaged database */
	int64_t seq, number;
};

static void link_of(const struct entry *e, char hex[HD_SHA256_HEX])
{
	struct hd_buf text = { 0 };

	hd_buf_addf(&text, "hotdrift entry 1\n%s\n%lld\n%s\n%s\n%lld\n%zu:%s\n%s\n", e->origin, (long long)e->seq,
		    e->prev, e->kind, (long long)e->number, strlen(e->name), e->name,
		    e->content);
	hd_sha256_hex(text.data, text.len, hex);
	hd_buf_release(&text);
}

static void release(struct entry *e)
{
	char *const texts[] = { e->origin, e->kind, e->name, e->content, e->prev, e->hash };

	for (size_t i = 0; i < HD_COUNT(texts); i++)
		free(texts[i]);
	*e = (struct entry){ 0 };
}

/* ---- writing ---- */

int hd_journal_begin(struct hd_db *db, struct hd_err *err)
{
	int rc = hd_db_begin_beside(db, err);

	if (rc >= 0) {
		rc = hd_chain_lock_journal(db, err);
		if (rc < 0)
			hd_db_rollback(db);
	}
	return rc;
}

int hd_journal_entry_start(struct hd_journal_entry *n, struct hd_db *db, enum hd_journal_kind kind, const char *name,
	int64_t number, struct hd_err *err)
{
	int rc;

	*n = (struct hd_journal_entry){ .db = db, .kind = kind, .name = name, .number = number };
	rc = start_parts(n->parts, db, &kinds[kind], name, number, err);
	return rc < 0 ? rc : hd_chain_journal_end_start(&n->head, db, err);
}

int hd_journal_entry_finish(struct hd_journal_entry *n, struct hd_err *err)
{
	char content[HD_SHA256_HEX], hash[HD_SHA256_HEX];
	const struct kind *k = &kinds[n->kind];
	struct hd_chain_head end = { 0 };
	int rc = hash_parts(n->parts, k, content, err);

	if (rc >= 0)
		rc = hd_chain_journal_end_finish(&end, &n->head, err);
	if (rc == 0)
		rc = hd_fail(err, HD_EIO, "%s: the database has no journal; see 'hotdrift verify'", hd_db_name(n->db));
	if (rc >= 0) {
		const char *prev = end.hash ? end.hash : HD_CHAIN_START;
		struct entry e = {
			.origin = end.origin, .kind = (char *)k->name, .name = (char *)n->name, .content = content,
			.prev = (char *)prev, .seq = end.seq + 1, .number = n->number,
		};

		link_of(&e, hash);
		rc = hd_db_do(n->db, err,
			      "INSERT INTO journal "
			      "(origin, seq, kind, name, number, content_hash, prev_hash, entry_hash) "
			      "VALUES ($1, $2, $3, $4, $5, $6, $7, $8)", "titti" "ttt",
			      e.origin, e.seq, e.kind, e.name, e.number, content, prev, hash);
		if (rc >= 0)
			rc = hd_chain_advance(n->db, e.origin, e.seq, hash, err);
	}
	hd_chain_head_release(&end);
	return rc < 0 ? rc : 0;
}

void hd_journal_entry_release(struct hd_journal_entry *n)
{
	end_parts(n->parts);
	hd_db_end(&n->head);
}

int hd_journal_note(struct hd_db *db, enum hd_journal_kind kind, const char *name, int64_t number, struct hd_err *err)
{
	struct hd_journal_entry n;
	int rc = hd_journal_entry_start(&n, db, kind, name, number, err);

	if (rc >= 0)
		rc = hd_journal_entry_finish(&n, err);
	hd_journal_entry_release(&n);
	return rc;
}

/*
 * Rows that have no entry in the journal: after an upgrade of an older database, or because they were inserted by hand.
 */
struct strays {
	struct stray { char *name; int64_t number; } *items;
	size_t n, cap;
};

static int find_strays(struct hd_db *db, const struct kind *k, struct strays *s, struct hd_err *err)
{
	struct hd_db_rows r;
	int rc = hd_db_query(&r, db, err, k->strays, "");

	while (rc >= 0 && (rc = hd_db_next(&r, err)) > 0) {
		char *name = hd_col_text(&r, 0);

		HD_GROW(s->items, s->n + 1, s->cap);
		s->items[s->n++] = (struct stray){ name ? name : hd_strdup(""), hd_col_int(&r, 1) };
	}
	hd_db_end(&r);
	return rc;
}

static void strays_release(struct strays *s)
{
	for (size_t i = 0; i < s->n; i++)
		free(s->items[i].name);
	free(s->items);
}

/* Create the journal if there is none, and add entries for all rows that have none. */
static int adopt(struct hd_db *db, struct hd_err *err)
{
	struct hd_chain_head end = { 0 };
	int rc = hd_chain_journal_head(&end, db, err);

	hd_chain_head_release(&end);
	if (rc == 0)
		rc = hd_chain_create(db, "journal", false, err);
	for (size_t i = 0; i < HD_COUNT(kinds) && rc >= 0; i++) {
		struct strays s = { 0 };

		rc = find_strays(db, &kinds[i], &s, err);
		for (size_t k = 0; k < s.n && rc >= 0; k++)
			rc = hd_journal_note(db, (enum hd_journal_kind)i, s.items[k].name, s.items[k].number, err);
		strays_release(&s);
	}
	return rc < 0 ? rc : 0;
}

static int after_schema(struct hd_db *db, bool fresh, struct hd_err *err)
{
	int rc = hd_derived_columns_refresh(db, err);

	if (rc >= 0 && fresh)
		rc = hd_chain_create(db, "runs", true, err);
	return rc < 0 ? rc : adopt(db, err);
}

int hd_journal_apply_schema(struct hd_db *db, struct hd_err *err)
{
	return hd_schema_apply(db, after_schema, err);
}

/* ---- checking ---- */

int hd_journal_holds(struct hd_db *db, enum hd_journal_kind kind, const char *name, int64_t number, struct hd_err *err)
{
	char content[HD_SHA256_HEX];
	struct hd_db_rows r;
	int rc = content_of(db, &kinds[kind], name, number, content, err);

	if (rc >= 0)
		rc = hd_db_query(&r, db, err, "SELECT content_hash FROM journal "
			       "WHERE kind = $1 AND number = $2 AND name = $3 ORDER BY seq DESC LIMIT 1",
			       "tit", kinds[kind].name, number, name);
	if (rc >= 0) {
		rc = hd_db_next(&r, err);
		if (rc > 0) {
			char *noted = hd_col_text(&r, 0);

			rc = noted && !strcmp(noted, content);
			free(noted);
		}
		hd_db_end(&r);
	}
	return rc;
}

static const struct kind *kind_of(const char *name)
{
	for (size_t i = 0; i < HD_COUNT(kinds); i++)
		if (name && !strcmp(kinds[i].name, name))
			return &kinds[i];
	return NULL;
}

static int fail(struct hd_db *db, const char *kind, const char *name, int64_t number, const char *what,
		struct hd_err *err)
{
	if (*name)
		return hd_fail(err, HD_ENO, "%s: %.40s %.200s%s%lld: %s", hd_db_name(db), kind, name,
			       number ? ", " : " ", (long long)number, what);
	return hd_fail(err, HD_ENO, "%s: %.40s %lld: %s", hd_db_name(db), kind, (long long)number, what);
}

static int check_entry(struct hd_db *db, const struct entry *e, int64_t seq, const char *prev, struct hd_err *err)
{
	char want[HD_SHA256_HEX];

	if (!e->kind || !e->name || !e->content || !e->prev || !e->hash)
		return hd_fail(err, HD_ENO, "%s: entry %lld of its journal lacks a kind, a name or a hash",
			       hd_db_name(db), (long long)e->seq);
	link_of(e, want);
	if (e->seq != seq)
		return hd_fail(err, HD_ENO, "%s: entry %lld of its journal is missing", hd_db_name(db), (long long)seq);
	if (strcmp(e->prev, prev) || strcmp(e->hash, want))
		return hd_fail(err, HD_ENO, "%s: entry %lld of its journal was altered",
			       hd_db_name(db), (long long)seq);
	return 0;
}

static const struct hd_row_field entry_fields[] = {
	HD_ROW(struct entry, origin, "j.origin", TEXT),
	HD_ROW(struct entry, seq, "j.seq", INT_OR_0),
	HD_ROW(struct entry, kind, "j.kind", TEXT),
	HD_ROW(struct entry, name, "j.name", TEXT),
	HD_ROW(struct entry, number, "j.number", INT_OR_0),
	HD_ROW(struct entry, content, "j.content_hash", TEXT),
	HD_ROW(struct entry, prev, "j.prev_hash", TEXT),
	HD_ROW(struct entry, hash, "j.entry_hash", TEXT),
};
static const struct hd_row_query entries_after = HD_ROW_QUERY(struct entry, entry_fields,
	"FROM journal j WHERE (j.seq > $1 OR $1 IS NULL) ORDER BY j.origin, j.seq");
static const struct hd_row_query one_entry = HD_ROW_QUERY(struct entry, entry_fields,
	"FROM journal j WHERE j.origin = $1 AND j.seq = $2");
/* The newest entry about each row. */
static const struct hd_row_query newest_entries = HD_ROW_QUERY(struct entry, entry_fields,
	"FROM journal j WHERE NOT EXISTS (SELECT 1 FROM journal k WHERE k.kind = j.kind AND k.number = j.number "
	"AND k.name = j.name AND k.seq > j.seq) AND (j.seq > $1 OR $1 IS NULL) ORDER BY j.seq");

/* Check that the journal still has the entry that was verified before.  path: of the file that has it. */
static int check_verified(struct hd_db *db, const struct hd_verified_head *v, const char *path, struct hd_err *err)
{
	struct entry e = { 0 };
	int rc = hd_row_get(&e, &one_entry, db, NULL, err, "ti", v->origin, v->seq);

	if (rc >= 0 && (!e.hash || strcmp(e.hash, v->hash)))
		rc = hd_fail(err, HD_ENO,
			"%s: entry %lld of its journal is not the one that was verified before (%s): the history was "
			"rewritten, or the file is of another database",
			hd_db_name(db), (long long)v->seq, path);
	release(&e);
	return rc;
}

/* Check the entries after `v`; all entries if it is NULL. */
static int check_links(struct hd_db *db, const struct hd_chain_head *end, const struct hd_verified_head *v,
	struct hd_err *err)
{
	char prev[HD_SHA256_HEX];
	int64_t seq = v ? v->seq : 0;
	struct hd_db_rows r;
	struct entry e;
	int rc;

	memcpy(prev, v ? v->hash : HD_CHAIN_START, sizeof(prev));
	rc = hd_row_query(&r, &entries_after, db, err, "o", v ? v->seq : (int64_t)-1);
	while (rc >= 0 && (rc = hd_row_next(&r, &entries_after, NULL, &e, err)) > 0) {
		if (!e.origin || strcmp(e.origin, end->origin))
			rc = hd_fail(err, HD_ENO, "%s: an entry belongs to no journal", hd_db_name(db));
		else
			rc = check_entry(db, &e, ++seq, prev, err);
		if (rc >= 0)
			snprintf(prev, sizeof(prev), "%s", e.hash);
		release(&e);
	}
	hd_db_end(&r);
	if (rc >= 0 && (seq != end->seq || (seq && (!end->hash || strcmp(end->hash, prev)))))
		rc = hd_fail(err, HD_ENO, "%s: its journal ends at %lld, but its head is another entry at %lld",
			     hd_db_name(db), (long long)seq, (long long)end->seq);
	return rc;
}

/* Entries of one kind whose rows are read together. */
struct batch {
	struct entry of[HD_DB_LIST_MAX];
	size_t n;
};

/* Run the query k->many[part] for all entries of the batch, and append the rows about each entry to its text. */
static int add_part(struct hd_buf *text, const struct batch *b, struct hd_db *db, const struct kind *k, int part,
	struct hd_err *err)
{
	struct hd_content_cell cells[HD_CONTENT_HASH_COLUMNS];
	int64_t entries[HD_DB_LIST_MAX];
	struct hd_db_rows r;
	int rc;

	for (size_t i = 0; i < b->n; i++) {
		hd_buf_addf(&text[i], "%d\n", part);
		entries[i] = b->of[i].seq;
	}
	rc = hd_db_query(&r, db, err, k->many[part], "l", entries, b->n);
	while (rc >= 0 && (rc = hd_db_next(&r, err)) > 0) {
		size_t at = 0, n = hd_content_hash_cells(&r, cells);

		while (at < b->n && entries[at] != hd_col_int(&r, (int)n - 1))
			at++;
		if (at < b->n)
			hd_content_hash_row_text(&text[at], cells, n - 1);
	}
	hd_db_end(&r);
	return rc;
}

/* Compute the content hash of the row of each entry of a batch, as content_of() does for one row. */
static int contents_of(char (*hex)[HD_SHA256_HEX], const struct batch *b, struct hd_db *db, const struct kind *k,
	struct hd_err *err)
{
	struct hd_buf *text = hd_new_array(struct hd_buf, b->n);
	int rc = 0;

	for (size_t i = 0; i < b->n; i++)
		hd_buf_adds(&text[i], CONTENT_FORM);
	for (int i = 0; i < PARTS && k->many[i] && rc >= 0; i++)
		rc = add_part(text, b, db, k, i, err);
	for (size_t i = 0; i < b->n; i++) {
		hd_sha256_hex(text[i].data, text[i].len, hex[i]);
		hd_buf_release(&text[i]);
	}
	free(text);
	return rc;
}

/* Compare the rows of a batch (entries that are read together) with their entries, and empty the batch. */
static int check_batch(struct batch *b, struct hd_db *db, const struct kind *k, struct hd_err *err)
{
	char (*is)[HD_SHA256_HEX] = hd_zalloc(b->n + 1, sizeof(*is));
	int rc = 0;

	if (b->n)
		rc = contents_of(is, b, db, k, err);
	for (size_t i = 0; i < b->n && rc >= 0; i++) {
		const struct entry *e = &b->of[i];

		if (strcmp(is[i], e->content))
			rc = fail(db, e->kind, e->name, e->number, "it was altered or deleted after it was written",
				err);
	}
	for (size_t i = 0; i < b->n; i++)
		release(&b->of[i]);
	b->n = 0;
	free(is);
	return rc;
}

/* Compare each row with the newest entry about it, if that is after `v`; v NULL: all rows. */
static int check_rows(struct hd_db *db, const struct hd_verified_head *v, struct hd_err *err)
{
	struct batch *batches = hd_new_array(struct batch, HD_COUNT(kinds));
	struct hd_db_rows r;
	struct entry e;
	int rc;

	rc = hd_row_query(&r, &newest_entries, db, err, "o", v ? v->seq : (int64_t)-1);
	while (rc >= 0 && (rc = hd_row_next(&r, &newest_entries, NULL, &e, err)) > 0) {
		const struct kind *k = kind_of(e.kind);
		struct batch *b = k ? &batches[k - kinds] : NULL;

		if (!k) {
			rc = fail(db, e.kind, e.name, e.number, "its entry in the journal was written by a newer "
				"hotdrift", err);
			release(&e);
			break;
		}
		b->of[b->n++] = e;
		if (b->n == HD_DB_LIST_MAX)
			rc = check_batch(b, db, k, err);
	}
	hd_db_end(&r);
	for (size_t i = 0; i < HD_COUNT(kinds); i++) {
		if (rc >= 0)
			rc = check_batch(&batches[i], db, &kinds[i], err);
		for (size_t n = 0; n < batches[i].n; n++)
			release(&batches[i].of[n]);
	}
	free(batches);
	return rc;
}

static int check_strays(struct hd_db *db, struct hd_err *err)
{
	int rc = 0;

	for (size_t i = 0; i < HD_COUNT(kinds) && rc >= 0; i++) {
		struct strays s = { 0 };

		rc = find_strays(db, &kinds[i], &s, err);
		if (rc >= 0 && s.n)
			rc = fail(db, kinds[i].name, s.items[0].name, s.items[0].number,
				  "it was inserted by hand: the journal has no entry about it", err);
		strays_release(&s);
	}
	return rc;
}

int hd_journal_check(struct hd_db *db, const struct hd_verified_heads *since, int64_t *unread, struct hd_err *err)
{
	const struct hd_verified_head *v;
	struct hd_chain_head end = { 0 };
	int64_t wrong = 0;
	int rc = hd_chain_journal_head(&end, db, err);

	if (rc == 0)
		rc = hd_fail(err, HD_ENO, "%s: its journal was removed", hd_db_name(db));
	if (rc >= 0)
		rc = hd_db_query_int(db, &wrong, 0, err,
				   "SELECT COUNT(*) FROM chain WHERE kind <> 'runs' AND origin <> $1", "t", end.origin);
	if (rc >= 0 && wrong)
		rc = hd_fail(err, HD_ENO, "%s: it has more than one journal", hd_db_name(db));
	v = rc >= 0 && since ? hd_verified_heads_find(since, end.origin, true) : NULL;
	*unread = v ? v->seq : 0;
	if (v)
		rc = check_verified(db, v, since->path, err);
	if (rc >= 0)
		rc = check_links(db, &end, v, err);
	if (rc >= 0)
		rc = check_rows(db, v, err);
	if (rc >= 0)
		rc = check_strays(db, err);
	hd_chain_head_release(&end);
	return rc < 0 ? rc : 0;
}
