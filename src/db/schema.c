/*
 * schema.c - see schema.h
 */
#include "db/schema.h"

#include "base/assets.h"
#include "base/mem.h"
#include "base/sha256.h"
#include "base/utc.h"
#include "db/backend.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Return the number of a file NNN_name.sql of the schema of this database; 0 for any other asset.  db NULL: files that
 * only one engine has count as other assets.
 */
static int number_of(const struct hd_db *db, const struct hd_asset *a)
{
	const char *s = a->name, *folder = db && db->schema_folder ? db->schema_folder : "";

	if (!strncmp(s, folder, strlen(folder)))
		s += strlen(folder);
	if (!isdigit((unsigned char)s[0]) || !isdigit((unsigned char)s[1]) || !isdigit((unsigned char)s[2]) ||
		s[3] != '_')
		return 0;
	return atoi(s);
}

/*
 * Return the schema file that follows `after` (NULL: the first one); NULL at the end.  Numbers may have gaps.  A file
 * in the folder of the engine replaces the common file with the same number.
 */
static const struct hd_asset *next_file(const struct hd_db *db, const struct hd_asset *after)
{
	const struct hd_asset *next = NULL;
	int last = after ? number_of(db, after) : 0;

	for (const struct hd_asset *a = hd_assets; a->name; a++) {
		int n = number_of(db, a), best = next ? number_of(db, next) : n + 1;

		if (n > last && (n < best || (n == best && strchr(a->name, '/'))))
			next = a;
	}
	return next;
}

/* Return the schema file with this number; NULL if there is none. */
static const struct hd_asset *find_file(const struct hd_db *db, int64_t number)
{
	const struct hd_asset *f = next_file(db, NULL);

	while (f && number_of(db, f) != number)
		f = next_file(db, f);
	return f;
}

int hd_schema_version(const struct hd_db *db)
{
	int version = 0;

	for (const struct hd_asset *f = next_file(db, NULL); f; f = next_file(db, f))
		version = number_of(db, f);
	return version;
}

static int count_files(const struct hd_db *db)
{
	int n = 0;

	for (const struct hd_asset *f = next_file(db, NULL); f; f = next_file(db, f))
		n++;
	return n;
}

/* Compare a row of schema_version with the schema file that has the same number. */
static int check_row(struct hd_db *db, const struct hd_db_rows *r, struct hd_err *err)
{
	const struct hd_asset *file = next_file(db, NULL);
	int64_t version = hd_col_int(r, 0);
	char *name = hd_col_text(r, 1);
	int rc = 0;

	while (file && number_of(db, file) < version)
		file = next_file(db, file);
	if (version > hd_schema_version(db))
		rc = hd_fail(err, HD_EIO, "%s: made by a newer hotdrift (schema %lld, this program knows %d)",
			hd_db_name(db), (long long)version, hd_schema_version(db));
	else if (!file || number_of(db, file) != version || !name || strcmp(name, file->name))
		rc = hd_fail(err, HD_EIO, "%s: another schema: '%.60s' is applied where %s should be", hd_db_name(db),
			     name ? name : "(nothing)", file ? file->name : "nothing");
	free(name);
	return rc;
}

static int fail_foreign(struct hd_db *db, struct hd_err *err)
{
	return hd_fail(err, HD_EIO, "%s: a database, but not one of hotdrift", hd_db_name(db));
}

/* Return 1 if the database has table schema_version, 0 if it has no table, HD_EIO if it belongs to another program. */
static int is_ours(struct hd_db *db, struct hd_err *err)
{
	struct hd_db_rows r;
	int rc;

	rc = hd_db_query(&r, db, err, db->be->count_tables, "");
	if (rc >= 0)
		rc = hd_db_next(&r, err);
	if (rc > 0 && hd_col_int(&r, 0) == 0)
		rc = 0;
	else if (rc > 0 && hd_col_int(&r, 1) != 1)
		rc = fail_foreign(db, err);
	hd_db_end(&r);
	return rc;
}

int hd_schema_start(struct hd_db_rows *r, struct hd_db *db, struct hd_err *err)
{
	return hd_db_query(r, db, err, "SELECT version, name FROM schema_version ORDER BY version", "");
}

/* Read the rows of hd_schema_start() and return how many schema files are applied; HD_EIO if one is unknown. */
static int count_rows(struct hd_db_rows *r, struct hd_db *db, struct hd_err *err)
{
	int rc, n = 0;

	while ((rc = hd_db_next(r, err)) > 0) {
		rc = check_row(db, r, err);
		if (rc < 0)
			return rc;
		n++;
	}
	return rc < 0 ? rc : n;
}

int hd_schema_finish(struct hd_db_rows *r, struct hd_db *db, struct hd_err *err)
{
	int n = count_rows(r, db, err);

	db->has_schema = n == count_files(db);
	return n < 0 ? n : db->has_schema;
}

bool hd_schema_is_missing(const struct hd_db *db)
{
	return db->lacks_object;
}

bool hd_schema_is_applied(const struct hd_db *db)
{
	return db->has_schema;
}

/* Return how many schema files are applied; 0 for an empty database. */
static int applied(struct hd_db *db, struct hd_err *err)
{
	struct hd_db_rows r;
	int rc, n;

	rc = is_ours(db, err);
	if (rc <= 0)
		return rc;
	rc = hd_schema_start(&r, db, err);
	n = rc < 0 ? rc : count_rows(&r, db, err);
	hd_db_end(&r);
	return n ? n : fail_foreign(db, err);
}

/*
 * Return a copy of a schema file as SQL for the engine.  A comment that begins with the name of the engine's dialect
 * becomes SQL.
 */
static char *sql_for(const struct hd_db *db, const struct hd_asset *file)
{
	char *sql = hd_strdup(file->data), mark[32];

	if (!db->be->dialect)
		return sql;
	snprintf(mark, sizeof(mark), "%c*%s\n", '/', db->be->dialect);
	for (char *at = strstr(sql, mark), *end; at && (end = strstr(at, "*/")); at = strstr(end, mark)) {
		memset(at, ' ', strlen(mark));
		memset(end, ' ', 2);
	}
	return sql;
}

static int apply_file(struct hd_db *db, const struct hd_asset *file, struct hd_err *err)
{
	char now[HD_UTC_TEXT], sum[HD_SHA256_HEX], *sql = sql_for(db, file);
	int rc;

	rc = hd_db_exec(db, sql, err);
	free(sql);
	if (rc < 0)
		return rc;
	hd_utc_text(hd_utc_now(), now);
	hd_sha256_hex(file->data, file->len, sum);
	return hd_db_do(db, err,
		"INSERT INTO schema_version (version, name, sha256, applied_utc, hotdrift) "
		"VALUES ($1, $2, $3, $4, $5)",
		"itttt", (int64_t)number_of(db, file), file->name, sum, now, HD_VERSION);
}

/*
 * Apply a schema file unless it is applied already.  It can be missing although files with larger numbers are applied.
 */
static int apply_missing(struct hd_db *db, const struct hd_asset *file, bool has_versions, struct hd_err *err)
{
	int64_t there = 0;
	int rc = 0;

	if (has_versions)
		rc = hd_db_query_int(db, &there, 0, err, "SELECT COUNT(*) FROM schema_version WHERE version = $1", "i",
			(int64_t)number_of(db, file));
	return rc < 0 || there ? rc : apply_file(db, file, err);
}

/*
 * Return true if the engine has no type `blob`.  Must be called outside of a transaction, because a failed statement
 * ends a transaction.
 */
static bool lacks_blob(struct hd_db *db)
{
	return db->be->blob_probe && db->be->exec(db, db->be->blob_probe, NULL) < 0;
}

static int complete(struct hd_db *db, struct hd_err *err)
{
	return db->be->complete ? db->be->complete(db, err) : 0;
}

int hd_schema_apply(struct hd_db *db, hd_schema_after *after, struct hd_err *err)
{
	bool lacks;
	int have, rc;

	have = applied(db, err);
	db->has_schema = have == count_files(db);
	if (have < 0 || db->has_schema)
		return have < 0 ? have : 0;
	lacks = lacks_blob(db);
	rc = hd_db_begin(db, err);
	if (rc < 0)
		return rc;
	have = applied(db, err);	/* count again: another writer may have applied files meanwhile */
	rc = have < 0 ? have : 0;
	if (have == 0 && lacks)
		rc = hd_db_exec(db, db->be->blob_type, err);
	for (const struct hd_asset *f = next_file(db, NULL); f && rc >= 0; f = next_file(db, f))
		rc = apply_missing(db, f, have > 0, err);
	if (rc >= 0)
		rc = complete(db, err);
	if (rc >= 0)
		rc = after(db, have == 0, err);
	if (rc >= 0)
		rc = hd_db_commit(db, err);
	hd_db_rollback(db);
	db->has_schema = rc >= 0;
	return rc;
}

int hd_schema_check(struct hd_db *db, struct hd_err *err)
{
	int have = applied(db, err);

	if (have == 0)
		return hd_fail(err, HD_EIO, "%s: the database is empty; see 'hotdrift add --help'",
			hd_db_name(db));
	if (have > 0 && have < count_files(db))
		return hd_fail(err, HD_EIO,
			"%s: made by an older hotdrift (%d of %d schema files are applied); the next "
			"command that writes upgrades it",
			hd_db_name(db), have, count_files(db));
	return have < 0 ? have : 0;
}

int hd_schema_replay(struct hd_db *into, struct hd_db *from, const char *versions, struct hd_err *err)
{
	struct hd_db_rows r;
	int rc = hd_db_query(&r, from, err, versions, "");

	while (rc >= 0 && (rc = hd_db_next(&r, err)) > 0) {
		int64_t number = hd_col_int(&r, 0);
		const struct hd_asset *f = find_file(into, number);

		if (f)
			rc = apply_file(into, f, err);
		else if (!find_file(from, number))
			rc = hd_fail(err, HD_EIO, "%s: schema file %lld is unknown", hd_db_name(from),
				(long long)number);
	}
	hd_db_end(&r);
	return rc < 0 ? rc : complete(into, err);
}
