/*
 * run_copy.c - see run_copy.h
 */
#include "history/run_copy.h"

#include "base/map.h"
#include "base/mem.h"
#include "db/blob.h"
#include "db/partitions.h"
#include "db/row_ids.h"
#include "db/row_reader.h"
#include "trust/derived_columns.h"
#include "trust/journal.h"

#include <stdlib.h>
#include <string.h>

/*
 * The columns of a shared row (a row that several runs refer to) that this program reads.  The key and all other
 * columns are copied.
 */
struct shared_row {
	int64_t id;
	char *key;
};
enum { KEY_COLUMN = 1 };		/* index of the key in the rows that `copy` returns */

/* A table whose rows several runs refer to, such as symbol. */
struct shared_table {
	struct hd_row_query copy;	/* the rows that a run of the source refers to */
	const char *put;		/* inserts such a row into the destination, with a new id */
	const char *find;		/* the start of the query that looks up rows by their keys, see db/row_ids.h */
	struct hd_new_ids fresh;
	/*
	 * Return true if the key of a row is the hash of the names in its columns from `at` on.  The function is NULL
	 * if no check is needed, because the hash of the run covers the key.
	 */
	bool (*has_key)(const struct hd_db_rows *r, int at);
};

/* Maps the ids of the rows of a shared table in the source to ids in the destination. */
struct renumber {
	struct hd_map known;		/* id in the source -> index into ours */
	int64_t *ours;
	size_t n, cap;
};

enum { COMMIT, MACHINE, CONFIG, ENVIRONMENT, OBJECT, SYMBOL, TABLES };

/*
 * fields: an array of struct hd_row_field, the columns that are read.  columns: the names of those that are only
 * copied.
 */
#define COPY(type, fields, columns, from)									\
	{ fields, sizeof(fields) / sizeof(struct hd_row_field), sizeof(type), ", " columns " " from }
#define FIELDS (const struct hd_row_field[])
#define SHARED(table, key_column, columns, referrers)								\
	.copy = COPY(struct shared_row,										\
		(FIELDS { HD_ROW(struct shared_row, id, "id", INT_OR_0),					\
			HD_ROW(struct shared_row, key, key_column, TEXT) }),					\
		columns, "FROM " table " WHERE id IN (SELECT " referrers " = $1)"),				\
	.put = "INSERT INTO " table " (id, " key_column ", " columns ")",					\
	.find = "SELECT " key_column ", id FROM " table " WHERE " key_column " IN",				\
	.fresh = HD_NEW_IDS(table, key_column)

static const struct shared_table tables[TABLES] = {
	[COMMIT] = { SHARED("commit_info", "sha", "parents, committed_utc, subject, subject_raw",
		"commit_id FROM run WHERE id") },
	[MACHINE] = { SHARED("machine", "key",
		"fingerprint, source, arch, cpu_model, cpu_id, cpu_flags, cpus_online, smt, memory_bytes, kernel, "
		"microcode, governor, hostname", "machine_id FROM run WHERE id") },
	[CONFIG] = { SHARED("config", "sha256", "form, canonical", "config_id FROM run WHERE id") },
	[ENVIRONMENT] = { SHARED("environment", "sha256", "variables", "environment_id FROM run WHERE id") },
	[OBJECT] = { SHARED("object", "key", "path, path_raw, build_id, kernel", "object_id FROM hotspot WHERE run_id"),
		.has_key = hd_derived_columns_match_object },
	[SYMBOL] = { SHARED("symbol", "key",
		"object, object_raw, linkage, linkage_raw, name, name_raw, normal, normal_raw",
		"symbol_id FROM hotspot WHERE run_id"), .has_key = hd_derived_columns_match_symbol },
};

struct hd_run_copy {
	struct hd_db *into, *from;
	struct renumber tables[TABLES];
	int64_t id;			/* id of the run in `into` */
	int64_t room;			/* run ids below this one have partitions; 0: not known */
};

/* ---- shared rows ---- */

static void know(struct renumber *t, int64_t theirs, int64_t ours)
{
	HD_GROW(t->ours, t->n + 1, t->cap);
	t->ours[t->n] = ours;
	hd_map_put(&t->known, (uint64_t)theirs, (uint32_t)t->n++);
}

/* Collect the keys of the rows that the run refers to, except rows whose id in the destination is known already. */
static int want(struct hd_run_copy *g, int table, struct hd_row_ids *keys, int64_t theirs, struct hd_err *err)
{
	const struct shared_table *t = &tables[table];
	struct shared_row row;
	struct hd_db_rows r;
	int rc;

	rc = hd_row_query(&r, &t->copy, g->from, err, "i", theirs);
	while (rc >= 0 && (rc = hd_row_next(&r, &t->copy, NULL, &row, err)) > 0) {
		if (!hd_map_has(&g->tables[table].known, (uint64_t)row.id)) {
			if (row.key && *row.key && (!t->has_key || t->has_key(&r, KEY_COLUMN)))
				hd_row_ids_want(keys, row.key);
			else
				rc = hd_fail(err, HD_EFORMAT,
					"%s: a run refers to a row whose key is missing or not that of its names",
					hd_db_name(g->from));
		}
		free(row.key);
	}
	hd_db_end(&r);
	return rc;
}

/* Insert the rows that the destination lacks, and store the id that each row has in the destination. */
static int put(struct hd_run_copy *g, int table, struct hd_row_ids *keys, int64_t theirs, struct hd_err *err)
{
	const struct hd_row_query *copy = &tables[table].copy;
	struct hd_db_bulk m = hd_db_bulk_into(g->into, tables[table].put);
	/* sha of the commit that was inserted, for its journal entry; a run has at most one commit */
	char *noted = NULL;
	struct shared_row row;
	struct hd_db_rows r;
	int rc;

	rc = hd_row_query(&r, copy, g->from, err, "i", theirs);
	while (rc >= 0 && (rc = hd_row_next(&r, copy, NULL, &row, err)) > 0) {
		if (!hd_map_has(&g->tables[table].known, (uint64_t)row.id)) {
			uint32_t place = hd_row_ids_want(keys, hd_or_empty(row.key));
			int64_t ours = hd_row_ids_id(keys, place);

			if (!ours) {
				rc = hd_row_ids_assign(keys, place, &ours, err);
				if (rc >= 0)
					rc = hd_db_bulk_copy(&m, err, &ours, 1, &r, KEY_COLUMN);
				if (table == COMMIT && !noted) {
					noted = row.key;
					row.key = NULL;
				}
			}
			know(&g->tables[table], row.id, ours);
		}
		free(row.key);
	}
	hd_db_end(&r);
	rc = hd_db_bulk_end(&m, rc, err);
	if (rc >= 0 && noted)
		rc = hd_journal_note(g->into, HD_JOURNAL_COMMIT, noted, 0, err);
	free(noted);
	return rc;
}

static int renumber_all(struct hd_run_copy *g, int table, int64_t theirs, struct hd_err *err)
{
	struct hd_row_ids *keys = hd_row_ids_new(g->into, tables[table].find, &tables[table].fresh);
	int rc = want(g, table, keys, theirs, err);

	if (rc >= 0 && hd_row_ids_count(keys)) {
		rc = hd_row_ids_find(keys, err);
		if (rc >= 0)
			rc = put(g, table, keys, theirs, err);
	}
	hd_row_ids_free(keys);
	return rc;
}

/* Translate the id of a row in the source to its id in the destination; -1 is unchanged. */
static int renumber(struct hd_run_copy *g, int table, int64_t theirs, int64_t *ours, struct hd_err *err)
{
	const struct renumber *t = &g->tables[table];
	uint32_t at;

	*ours = theirs;
	if (theirs < 0)
		return 0;
	at = hd_map_get(&t->known, (uint64_t)theirs);
	if (at == HD_MAP_NONE)
		return hd_fail(err, HD_EFORMAT, "%s: a run refers to a row that is missing", hd_db_name(g->from));
	*ours = t->ours[at];
	return 0;
}

void hd_run_copy_reset(struct hd_run_copy *g)
{
	for (int i = 0; i < TABLES; i++) {
		hd_map_release(&g->tables[i].known);
		free(g->tables[i].ours);
		g->tables[i] = (struct renumber){ 0 };
	}
	g->room = 0;
}

/* Copy a stored text (db/blob.h).  Reading it verifies that it matches its key. */
static int copy_blob(struct hd_run_copy *g, const char *key, struct hd_err *err)
{
	struct hd_buf text = { 0 };
	char got[HD_SHA256_HEX];
	int rc;

	if (!key)
		return 0;
	rc = hd_blob_get(g->from, key, &text, err);
	if (rc == 0)
		rc = hd_fail(err, HD_EFORMAT, "%s: the text %s is missing", hd_db_name(g->from), key);
	if (rc >= 0)
		rc = hd_blob_add(g->into, hd_buf_str(&text), text.len, got, err);
	hd_buf_release(&text);
	return rc;
}

/* ---- a run ---- */

#define RUN_COLUMNS \
	"run_id, recorded_utc, added_utc, target, target_raw, mode, status, command, command_raw, exit_status, " \
	"session, session_raw, boot_id, inline_mode, dirty, branch, branch_raw, samples_read, samples_kept, " \
	"hotdrift, origin, seq, content_hash, prev_hash, run_hash, work, selection, selection_raw, side, form, " \
	"compiler, load_average"

struct run_row {
	int64_t refers[ENVIRONMENT + 1];	/* for each shared table: id of the run's row in it; -1: none */
};
static const struct hd_row_query run_row = COPY(struct run_row,
	(FIELDS { HD_ROW(struct run_row, refers[COMMIT], "commit_id", INT),
		HD_ROW(struct run_row, refers[MACHINE], "machine_id", INT),
		HD_ROW(struct run_row, refers[CONFIG], "config_id", INT),
		HD_ROW(struct run_row, refers[ENVIRONMENT], "environment_id", INT) }),
	RUN_COLUMNS, "FROM run WHERE id = $1");

static int copy_row(struct hd_run_copy *g, int64_t theirs, struct hd_err *err)
{
	static const struct hd_new_ids run_ids = HD_NEW_IDS("run", "run_id");
	struct hd_db_bulk m = hd_db_bulk_into(g->into,
		"INSERT INTO run (id, commit_id, machine_id, config_id, environment_id, " RUN_COLUMNS ")");
	struct run_row row = { 0 };
	int64_t numbers[1 + HD_COUNT(row.refers)];
	struct hd_db_rows r;
	int rc;

	rc = hd_new_ids_get(g->into, &run_ids, &g->id, 1, err);
	if (rc < 0)
		return rc;
	if (g->id >= g->room) {
		rc = hd_partition_make(g->into, g->id, err);
		g->room = (g->id / HD_PARTITION_RUNS + 1) * HD_PARTITION_RUNS;
	}
	if (rc < 0)
		return rc;
	numbers[0] = g->id;
	rc = hd_row_query(&r, &run_row, g->from, err, "i", theirs);
	if (rc >= 0)
		rc = hd_row_next(&r, &run_row, NULL, &row, err);
	for (int i = COMMIT; i <= ENVIRONMENT && rc >= 0; i++)
		rc = renumber(g, i, row.refers[i], &numbers[i + 1], err);
	if (rc >= 0)
		rc = hd_db_bulk_copy(&m, err, numbers, HD_COUNT(numbers), &r, (int)run_row.n);
	hd_db_end(&r);
	return hd_db_bulk_end(&m, rc, err);
}

struct part_row { char *text; };	/* key of a text (db/blob.h), or NULL */

/*
 * A table whose rows belong to one run.  key_column: the column with the key of a stored text (db/blob.h), or "NULL".
 */
#define OWNED(table, key_column, columns, order)							\
	{ COPY(struct part_row, (FIELDS { HD_ROW(struct part_row, text, key_column, TEXT) }), columns,	\
		"FROM " table " WHERE run_id = $1 ORDER BY " order),					\
	"INSERT INTO " table " (run_id, " columns ")" }

static const struct { struct hd_row_query copy; const char *put; } parts[] = {
	OWNED("artifact", "NULL", "ordinal, kind, path, path_raw, bytes, sha256", "ordinal"),
	OWNED("dropped", "NULL", "ordinal, reason, samples", "ordinal"),
	OWNED("run_warning", "NULL", "ordinal, code, count, message, message_raw", "ordinal"),
	OWNED("event", "stacks",
		"stacks, event, name, name_raw, unit, unit_raw, weight, samples, lost, symbols, rest_symbols, "
		"effective_samples, frequency_hz, period, throttled, unthrottled, silent, enabled_ns, running_ns, "
		"call_graph, stack_bytes", "event"),
	OWNED("series", "csv", "csv, series, kind, name, name_raw, unit, samples, method", "series"),
	OWNED("series_summary", "NULL", "series, ordinal, stat, value, lo, hi", "series, ordinal"),
	OWNED("benchmark_cover", "NULL", "series, ordinal, symbol, symbol_raw", "series, ordinal"),
};

static int copy_part(struct hd_run_copy *g, size_t part, int64_t theirs, struct hd_err *err)
{
	const struct hd_row_query *copy = &parts[part].copy;
	struct hd_db_bulk m = hd_db_bulk_into(g->into, parts[part].put);
	struct part_row row;
	struct hd_db_rows r;
	int rc;

	rc = hd_row_query(&r, copy, g->from, err, "i", theirs);
	while (rc >= 0 && (rc = hd_row_next(&r, copy, NULL, &row, err)) > 0) {
		rc = copy_blob(g, row.text, err);
		free(row.text);
		if (rc >= 0)
			rc = hd_db_bulk_copy(&m, err, &g->id, 1, &r, (int)copy->n);
	}
	hd_db_end(&r);
	return hd_db_bulk_end(&m, rc, err);
}

#define HOTSPOT_COLUMNS "event, rank, vaddr, self, total, samples, inline_self, inline_total"

struct hotspot_row { int64_t symbol, object; };
static const struct hd_row_query hotspots = COPY(struct hotspot_row,
	(FIELDS { HD_ROW(struct hotspot_row, symbol, "symbol_id", INT_OR_0),
		HD_ROW(struct hotspot_row, object, "object_id", INT_OR_0) }),
	HOTSPOT_COLUMNS, "FROM hotspot WHERE run_id = $1 ORDER BY event, rank");

static int copy_hotspots(struct hd_run_copy *g, int64_t theirs, struct hd_err *err)
{
	struct hd_db_bulk m = hd_db_bulk_into(g->into,
		"INSERT INTO hotspot (run_id, symbol_id, object_id, " HOTSPOT_COLUMNS ")");
	int64_t numbers[3] = { g->id };
	struct hotspot_row row;
	struct hd_db_rows r;
	int rc;

	rc = hd_row_query(&r, &hotspots, g->from, err, "i", theirs);
	while (rc >= 0 && (rc = hd_row_next(&r, &hotspots, NULL, &row, err)) > 0) {
		rc = renumber(g, SYMBOL, row.symbol, &numbers[1], err);
		if (rc >= 0)
			rc = renumber(g, OBJECT, row.object, &numbers[2], err);
		if (rc >= 0)
			rc = hd_db_bulk_copy(&m, err, numbers, HD_COUNT(numbers), &r, (int)hotspots.n);
	}
	hd_db_end(&r);
	return hd_db_bulk_end(&m, rc, err);
}

int hd_run_copy(struct hd_run_copy *g, int64_t theirs, int64_t *ours, struct hd_err *err)
{
	int rc = 0;

	for (int i = 0; i < TABLES && rc >= 0; i++)
		rc = renumber_all(g, i, theirs, err);
	if (rc >= 0)
		rc = copy_row(g, theirs, err);
	for (size_t i = 0; i < HD_COUNT(parts) && rc >= 0; i++)
		rc = copy_part(g, i, theirs, err);
	*ours = g->id;
	return rc < 0 ? rc : copy_hotspots(g, theirs, err);
}

struct hd_run_copy *hd_run_copy_new(struct hd_db *into, struct hd_db *from)
{
	struct hd_run_copy *g = hd_new(struct hd_run_copy);

	g->into = into;
	g->from = from;
	hd_run_copy_reset(g);
	return g;
}

void hd_run_copy_free(struct hd_run_copy *g)
{
	hd_run_copy_reset(g);
	free(g);
}
