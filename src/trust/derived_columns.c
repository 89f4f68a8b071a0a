/*
 * derived_columns.c - see derived_columns.h
 */
#include "trust/derived_columns.h"

#include "base/encode.h"
#include "base/mem.h"
#include "base/symbol_name.h"
#include "db/blob.h"
#include "db/row_reader.h"

#include <stdlib.h>
#include <string.h>

/*
 * ---- keys: SHA-256 over the parts with their lengths, so that different lists of parts never have the same key ----
 */

static void add_part(struct hd_buf *b, const char *s)
{
	if (!s) {
		hd_buf_adds(b, "-\n");
		return;
	}
	hd_buf_addu(b, strlen(s));
	hd_buf_addc(b, ':');
	hd_buf_adds(b, s);
	hd_buf_addc(b, '\n');
}

void hd_derived_columns_key(const char *kind, const char *a, const char *b, char key[HD_SHA256_HEX])
{
	struct hd_buf text = { 0 };

	hd_buf_adds(&text, "hotdrift ");
	hd_buf_adds(&text, kind);
	hd_buf_adds(&text, " 1\n");
	add_part(&text, a);
	add_part(&text, b);
	hd_sha256_hex(text.data, text.len, key);
	hd_buf_release(&text);
}

/* The columns of table machine that its key covers, in this order; the fingerprint covers the first ones only. */
static const struct { const char *name; bool is_number; } machine_columns[HD_MACHINE_COLUMNS] = {
	{ "arch", false }, { "cpu_model", false }, { "cpu_id", false }, { "cpu_flags", false },
	{ "cpus_online", true }, { "smt", false }, { "source", false }, { "memory_bytes", true },
	{ "kernel", false }, { "microcode", false }, { "governor", false }, { "hostname", false },
};
enum { FINGERPRINT_COLUMNS = 6 };

void hd_derived_columns_machine(const char *const values[HD_MACHINE_COLUMNS], char fingerprint[HD_SHA256_HEX],
	char key[HD_SHA256_HEX])
{
	struct hd_buf b = { 0 };

	hd_buf_adds(&b, "hotdrift machine 1\n");
	for (size_t i = 0; i < HD_MACHINE_COLUMNS; i++) {
		/* The length of a text is part of the hashed text, because a text may contain any character. */
		if (values[i] && machine_columns[i].is_number)
			hd_buf_addf(&b, "%s %s\n", machine_columns[i].name, values[i]);
		else if (values[i])
			hd_buf_addf(&b, "%s %zu:%s\n", machine_columns[i].name, strlen(values[i]), values[i]);
		if (i + 1 == FINGERPRINT_COLUMNS)
			hd_sha256_hex(b.data, b.len, fingerprint);
	}
	hd_sha256_hex(b.data, b.len, key);
	hd_buf_release(&b);
}

/* ---- comparing ---- */

static bool same(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

/* Return true if column i is the visible (escaped) form of the bytes in column i + 1, or if column i + 1 is NULL. */
static bool is_pair(const struct hd_db_rows *r, int i)
{
	char *shown = hd_col_text(r, i), *bytes = hd_col_raw_name(r, i), *want = hd_enc_visible_new(bytes);
	bool is = hd_col_kind(r, i + 1) == HD_COL_NULL ? same(shown, bytes) : same(shown, want);

	free(shown);
	free(bytes);
	free(want);
	return is;
}

static bool has_key(const struct hd_db_rows *r, int at, const char *kind, char *a, char *b)
{
	char key[HD_SHA256_HEX], *stored = hd_col_text(r, at);
	bool is;

	hd_derived_columns_key(kind, a, b, key);
	is = same(stored, key);
	free(stored);
	free(a);
	free(b);
	return is;
}

bool hd_derived_columns_match_symbol(const struct hd_db_rows *r, int at)
{
	bool rest = hd_col_kind(r, at + 3) == HD_COL_NULL && hd_col_kind(r, at + 5) != HD_COL_NULL;

	if (rest)
		return has_key(r, at, "rest", hd_col_raw_name(r, at + 1), NULL);
	return has_key(r, at, "symbol", hd_col_raw_name(r, at + 1), hd_col_raw_name(r, at + 3));
}

bool hd_derived_columns_match_object(const struct hd_db_rows *r, int at)
{
	return has_key(r, at, "object", hd_col_raw_name(r, at + 1), hd_col_text(r, at + 3));
}

/* Normalise the symbol name in columns i and i + 1.  Returns NULL if this name or the column `linkage` is NULL. */
static char *normal_of(const struct hd_db_rows *r, int linkage, int i)
{
	char *name = hd_col_kind(r, linkage) == HD_COL_NULL ? NULL : hd_col_raw_name(r, i),
	     *normal = name ? hd_symbol_name_normalize(name) : NULL;

	free(name);
	return normal;
}

#define SYMBOL_COLUMNS \
	"SELECT id, key, object, object_raw, linkage, linkage_raw, name, name_raw, normal, normal_raw FROM symbol "
#define SYMBOLS SYMBOL_COLUMNS "ORDER BY id"
enum { S_KEY = 1, S_OBJECT = 2, S_LINKAGE = 4, S_NAME = 6, S_NORMAL = 8 };

static bool symbol_holds(const struct hd_db_rows *r)
{
	char *want = normal_of(r, S_LINKAGE, S_NAME), *is = hd_col_raw_name(r, S_NORMAL);
	bool holds = hd_derived_columns_match_symbol(r, S_KEY) && same(want, is);

	for (int i = S_OBJECT; i <= S_NORMAL && holds; i += 2)
		holds = is_pair(r, i);
	free(want);
	free(is);
	return holds;
}

/* The check functions below take a query that was started (rc >= 0) and end it. */
static int check_symbols(struct hd_db *db, struct hd_db_rows *r, int rc, struct hd_err *err)
{
	while (rc >= 0 && (rc = hd_db_next(r, err)) > 0) {
		char *name = hd_col_text(r, S_NAME);

		if (!symbol_holds(r))
			rc = hd_fail(err, HD_ENO,
				"%s: symbol %lld (%.200s) was changed: its key or its normalised name does not match "
				"its names",
				hd_db_name(db), (long long)hd_col_int(r, 0), name ? name : "without a name");
		free(name);
	}
	hd_db_end(r);
	return rc;
}

#define OBJECT_COLUMNS "SELECT id, key, path, path_raw, build_id FROM object "

static int check_objects(struct hd_db *db, struct hd_db_rows *r, int rc, struct hd_err *err)
{
	while (rc >= 0 && (rc = hd_db_next(r, err)) > 0)
		if (!hd_derived_columns_match_object(r, 1) || !is_pair(r, 2))
			rc = hd_fail(err, HD_ENO,
				"%s: object %lld was changed: its key does not match its path and build-id",
				hd_db_name(db), (long long)hd_col_int(r, 0));
	hd_db_end(r);
	return rc;
}

enum { BYTES_AT_ONCE = 16 << 20 };	/* stop adding texts to a statement at this many compressed bytes */
struct texts {
	char *keys[HD_DB_LIST_MAX];
	size_t n;
	int64_t bytes;
};

/* Check that the database has the texts whose keys were collected, unchanged; then empty the collection. */
static int check_texts(struct hd_db *db, struct texts *t, struct hd_err *err)
{
	enum hd_blob_state state[HD_DB_LIST_MAX];
	int rc = t->n ? hd_blob_check(state, db, (const char *const *)t->keys, t->n, err) : 0;

	for (size_t i = 0; i < t->n; i++) {
		if (rc >= 0 && state[i] != HD_BLOB_WHOLE)
			rc = hd_fail(err, HD_ENO, "%s: the text %.64s (stacks, or a series) %s after it was added",
				hd_db_name(db), t->keys[i],
				state[i] == HD_BLOB_DAMAGED ? "was changed" : "was deleted");
		free(t->keys[i]);
	}
	t->n = 0;
	t->bytes = 0;
	return rc;
}

struct text_row {
	char *key;
	int64_t bytes;			/* size of the compressed text; -1: the text does not exist */
};
static const struct hd_row_field text_fields[] = {
	HD_ROW(struct text_row, key, "k.sha256", TEXT),
	HD_ROW(struct text_row, bytes, "LENGTH(b.zstd)", INT),
};
static const struct hd_row_query texts_of_runs = HD_ROW_QUERY(struct text_row, text_fields,
	"FROM (SELECT stacks AS sha256 FROM event WHERE stacks IS NOT NULL AND run_id IN [$1] UNION SELECT csv FROM "
	"series WHERE csv IS NOT NULL AND run_id IN [$1]) k LEFT JOIN stack_blob b ON b.sha256 = k.sha256 "
	"ORDER BY k.sha256");
static const struct hd_row_query all_texts = HD_ROW_QUERY(struct text_row, text_fields,
	"FROM (SELECT sha256 FROM stack_blob UNION SELECT stacks FROM event WHERE stacks IS NOT NULL "
	"UNION SELECT csv FROM series WHERE csv IS NOT NULL) k LEFT JOIN stack_blob b ON b.sha256 = k.sha256 "
	"ORDER BY k.sha256");

/*
 * Check that each text exists and that its SHA-256 equals its key.  The hash of a run covers only the keys of its
 * texts.
 */
static int check_blobs(struct hd_db *db, struct hd_db_rows *r, int rc, struct hd_err *err)
{
	struct texts t = { .n = 0 };
	struct text_row row;
	int rest;

	while (rc >= 0 && (rc = hd_row_next(r, &all_texts, NULL, &row, err)) > 0) {
		t.keys[t.n++] = row.key ? row.key : hd_strdup("without a key");
		t.bytes += row.bytes < BYTES_AT_ONCE ? row.bytes : BYTES_AT_ONCE;
		rc = t.n == hd_db_list_size(db) || t.bytes >= BYTES_AT_ONCE ? check_texts(db, &t, err) : 0;
	}
	hd_db_end(r);
	rest = check_texts(db, &t, rc < 0 ? NULL : err);
	return rc < 0 ? rc : rest;
}

#define ENVIRONMENT_COLUMNS "SELECT id, sha256, variables FROM environment "
#define CONFIG_COLUMNS "SELECT id, sha256, canonical FROM config "

/* Check that column 1 of each row is the SHA-256 of column 2, which is called `what`. */
static int check_sums(struct hd_db *db, struct hd_db_rows *r, int rc, const char *table, const char *what,
	struct hd_err *err)
{
	while (rc >= 0 && (rc = hd_db_next(r, err)) > 0) {
		char want[HD_SHA256_HEX], *is = hd_col_text(r, 1);
		size_t n;
		const char *text = hd_col_bytes(r, 2, &n);

		hd_sha256_hex(text ? text : "", n, want);
		if (!same(is, want))
			rc = hd_fail(err, HD_ENO, "%s: %s %lld was changed: its key does not match its %s",
				hd_db_name(db), table, (long long)hd_col_int(r, 0), what);
		free(is);
	}
	hd_db_end(r);
	return rc;
}

#define MACHINE_COLUMNS \
	"SELECT id, fingerprint, key, arch, cpu_model, cpu_id, cpu_flags, cpus_online, smt, source, memory_bytes, " \
	"kernel, microcode, governor, hostname FROM machine "
enum { M_FINGERPRINT = 1, M_KEY, M_FIRST };

/* Fingerprint and key are hashes of the bytes whose visible forms are stored. */
static bool machine_holds(const struct hd_db_rows *r)
{
	struct hd_buf bytes[HD_MACHINE_COLUMNS] = { { 0 } };
	const char *values[HD_MACHINE_COLUMNS];
	char fingerprint[HD_SHA256_HEX], key[HD_SHA256_HEX];
	char *is_fingerprint = hd_col_text(r, M_FINGERPRINT), *is_key = hd_col_text(r, M_KEY);
	bool holds;

	for (int i = 0; i < HD_MACHINE_COLUMNS; i++) {
		size_t n;
		const char *shown = hd_col_bytes(r, M_FIRST + i, &n);

		hd_decode_folded(&bytes[i], shown ? shown : "", n);
		values[i] = shown ? hd_buf_str(&bytes[i]) : NULL;
	}
	hd_derived_columns_machine(values, fingerprint, key);
	holds = same(is_fingerprint, fingerprint) && same(is_key, key);
	for (int i = 0; i < HD_MACHINE_COLUMNS; i++)
		hd_buf_release(&bytes[i]);
	free(is_fingerprint);
	free(is_key);
	return holds;
}

static int check_machines(struct hd_db *db, struct hd_db_rows *r, int rc, struct hd_err *err)
{
	while (rc >= 0 && (rc = hd_db_next(r, err)) > 0)
		if (!machine_holds(r))
			rc = hd_fail(err, HD_ENO,
				"%s: machine %lld was changed: its key or its fingerprint does not match its other "
				"columns",
				hd_db_name(db), (long long)hd_col_int(r, 0));
	hd_db_end(r);
	return rc;
}

int hd_derived_columns_check(struct hd_db *db, struct hd_err *err)
{
	struct hd_db_rows r;
	int rc = check_symbols(db, &r, hd_db_query(&r, db, err, SYMBOLS, ""), err);

	if (rc >= 0)
		rc = check_objects(db, &r, hd_db_query(&r, db, err, OBJECT_COLUMNS "ORDER BY id", ""), err);
	if (rc >= 0)
		rc = check_sums(db, &r, hd_db_query(&r, db, err, ENVIRONMENT_COLUMNS "ORDER BY id", ""), "environment",
			"variables", err);
	if (rc >= 0)
		rc = check_sums(db, &r, hd_db_query(&r, db, err, CONFIG_COLUMNS "ORDER BY id", ""), "config",
			"canonical text", err);
	if (rc >= 0)
		rc = check_machines(db, &r, hd_db_query(&r, db, err, MACHINE_COLUMNS "ORDER BY id", ""), err);
	return rc < 0 ? rc : check_blobs(db, &r, hd_row_query(&r, &all_texts, db, err, ""), err);
}

int hd_derived_columns_check_runs(struct hd_db *db, const int64_t *runs, size_t n, struct hd_err *err)
{
	enum { RUNS_AT_ONCE = 512 };
	struct hd_db_rows r;
	int rc = 0;

	for (size_t some; n && rc >= 0; runs += some, n -= some) {
		some = n < RUNS_AT_ONCE ? n : RUNS_AT_ONCE;
		rc = check_symbols(db, &r, hd_db_query(&r, db, err, SYMBOL_COLUMNS
			"WHERE id IN (SELECT symbol_id FROM hotspot WHERE run_id IN [$1]) ORDER BY id",
			"l", runs, some), err);
		if (rc >= 0)
			rc = check_objects(db, &r, hd_db_query(&r, db, err, OBJECT_COLUMNS
				"WHERE id IN (SELECT object_id FROM hotspot WHERE run_id IN [$1]) ORDER BY id",
				"l", runs, some), err);
		if (rc >= 0)
			rc = check_sums(db, &r, hd_db_query(&r, db, err, ENVIRONMENT_COLUMNS "WHERE id IN "
				"(SELECT environment_id FROM run WHERE id IN [$1]) ORDER BY id",
				"l", runs, some), "environment", "variables", err);
		if (rc >= 0)
			rc = check_sums(db, &r, hd_db_query(&r, db, err, CONFIG_COLUMNS "WHERE id IN "
				"(SELECT config_id FROM run WHERE id IN [$1]) ORDER BY id",
				"l", runs, some), "config", "canonical text", err);
		if (rc >= 0)
			rc = check_machines(db, &r, hd_db_query(&r, db, err, MACHINE_COLUMNS "WHERE id IN "
				"(SELECT machine_id FROM run WHERE id IN [$1]) ORDER BY id",
				"l", runs, some), err);
		if (rc >= 0)
			rc = check_blobs(db, &r, hd_row_query(&r, &texts_of_runs, db, err, "l", runs, some), err);
	}
	return rc;
}

/* The symbols whose stored normalised name differs from the name that today's rules produce. */
struct stale {
	struct stale_name { int64_t id; char *normal; } *items;
	size_t n, cap;
};

static int find_stale(struct hd_db *db, struct stale *s, struct hd_err *err)
{
	struct hd_db_rows r;
	int rc = hd_db_query(&r, db, err, SYMBOLS, "");

	while (rc >= 0 && (rc = hd_db_next(&r, err)) > 0) {
		char *want = normal_of(&r, S_LINKAGE, S_NAME), *is = hd_col_raw_name(&r, S_NORMAL);

		if (!same(want, is)) {
			HD_GROW(s->items, s->n + 1, s->cap);
			s->items[s->n++] = (struct stale_name){ hd_col_int(&r, 0), want };
			want = NULL;
		}
		free(want);
		free(is);
	}
	hd_db_end(&r);
	return rc;
}

int hd_derived_columns_refresh(struct hd_db *db, struct hd_err *err)
{
	struct stale s = { 0 };
	int rc = find_stale(db, &s, err);

	for (size_t i = 0; i < s.n; i++) {
		if (rc >= 0)
			rc = hd_db_do(db, err, "UPDATE symbol SET normal = $1, normal_raw = $2 WHERE id = $3", "vi",
				s.items[i].normal, s.items[i].id);
		free(s.items[i].normal);
	}
	free(s.items);
	return rc;
}
