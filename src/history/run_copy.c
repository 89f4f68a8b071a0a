/*
 * run_copy.c - see run_copy.h
 */
#include "history/run_copy.h"

#include "base/map.h"
#include "base/mem.h"
#include "db/blob.h"
#include "db/row_ids.h"
#include "trust/derived_columns.h"
#include "trust/journal.h"

#include <stdlib.h>
#include <string.h>

/* Copies the rows of a table that runs share, and maps the row ids of the source to those of this database. */
struct renumber {
	const char *copy, *put;
	const char *find, *next;	/* for db/row_ids.h */
	/*
	 * Return true if the key matches the names, which are in the columns from `at` on.  The
	 * member is NULL if no check is needed because the hash of the run covers the key.
	 */
	bool (*has_key)(const struct hd_db_rows *r, int at);
	struct hd_map known;		/* id in the source -> index into ours */
	int64_t *ours;
	size_t n, cap;
};

enum { COMMIT, MACHINE, CONFIG, ENVIRONMENT, OBJECT, SYMBOL, TABLES };

/*
 * A table whose rows several runs share.  copy: select the rows that a run of the source refers to, id and key first;
 * put: insert such a row here under our id.
 */
#define SHARED(table, key, columns, referrers)									\
	.copy = "SELECT id, " key ", " columns " FROM " table " WHERE id IN (SELECT " referrers " = $1)",	\
	.put = "INSERT INTO " table " (id, " key ", " columns ")",						\
	.find = "SELECT " key ", id FROM " table " WHERE " key " IN", .next = "SELECT MAX(id) + 1 FROM " table

static const struct renumber tables[TABLES] = {
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
	int64_t id;			/* of the run in `into` */
};

/* ---- shared rows ---- */

static void know(struct renumber *t, int64_t theirs, int64_t ours)
{
	HD_GROW(t->ours, t->n + 1, t->cap);
	t->ours[t->n] = ours;
	hd_map_put(&t->known, (uint64_t)theirs, (uint32_t)t->n++);
}

/* Collect the keys of the rows that the run refers to and that are not known yet. */
static int want(struct hd_run_copy *g, struct renumber *t, struct hd_row_ids *keys, int64_t theirs, struct hd_err *err)
{
	struct hd_db_rows r;
	int rc;

	rc = hd_db_query(&r, g->from, err, t->copy, "i", theirs);
	while (rc >= 0 && (rc = hd_db_next(&r, err)) > 0) {
		char *key;

		if (hd_map_has(&t->known, (uint64_t)hd_col_int(&r, 0)))
			continue;
		key = hd_col_text(&r, 1);
		if (key && *key && (!t->has_key || t->has_key(&r, 1)))
			hd_row_ids_want(keys, key);
		else
			rc = hd_fail(err, HD_EFORMAT,
				"%s: a run refers to a row whose key is missing or not that of its names",
				hd_db_name(g->from));
		free(key);
	}
	hd_db_end(&r);
	return rc;
}

/* Insert the rows that are missing here, and store the ids of all. */
static int put(struct hd_run_copy *g, struct renumber *t, struct hd_row_ids *keys, int64_t theirs, struct hd_err *err)
{
	struct hd_db_bulk m = hd_db_bulk_into(g->into, t->put);
	char *noted = NULL;		/* sha of the commit that was inserted; a run has at most one */
	struct hd_db_rows r;
	int rc;

	rc = hd_db_query(&r, g->from, err, t->copy, "i", theirs);
	while (rc >= 0 && (rc = hd_db_next(&r, err)) > 0) {
		int64_t id = hd_col_int(&r, 0), ours;
		uint32_t place;
		char *key;

		if (hd_map_has(&t->known, (uint64_t)id))
			continue;
		key = hd_col_text(&r, 1);
		place = hd_row_ids_want(keys, key ? key : "");
		ours = hd_row_ids_id(keys, place);
		if (!ours) {
			rc = hd_row_ids_assign(keys, place, &ours, err);
			if (rc >= 0)
				rc = hd_db_bulk_copy(&m, err, &ours, 1, &r, 1);
			if (t == &g->tables[COMMIT] && !noted) {
				noted = key;
				key = NULL;
			}
		}
		free(key);
		know(t, id, ours);
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
	struct renumber *t = &g->tables[table];
	struct hd_row_ids *keys = hd_row_ids_new(g->into, t->find, t->next);
	int rc = want(g, t, keys, theirs, err);

	if (rc >= 0 && hd_row_ids_count(keys)) {
		rc = hd_row_ids_find(keys, err);
		if (rc >= 0)
			rc = put(g, t, keys, theirs, err);
	}
	hd_row_ids_free(keys);
	return rc;
}

/* Translate an id of the source; -1 is unchanged. */
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
		g->tables[i] = tables[i];
	}
}

/* Copy a text; its key is verified when it is read. */
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

static int64_t reference(const struct hd_db_rows *r, int i)
{
	return hd_col_kind(r, i) == HD_COL_NULL ? -1 : hd_col_int(r, i);
}

#define REFERENCES "commit_id, machine_id, config_id, environment_id, "	/* to tables[COMMIT .. ENVIRONMENT] */
#define RUN_COLUMNS \
	"run_id, recorded_utc, added_utc, target, target_raw, mode, status, command, command_raw, exit_status, " \
	"session, session_raw, boot_id, inline_mode, dirty, branch, branch_raw, samples_read, samples_kept, " \
	"hotdrift, origin, seq, content_hash, prev_hash, run_hash, work, selection, selection_raw, side, form, " \
	"compiler, load_average"

static int copy_row(struct hd_run_copy *g, int64_t theirs, struct hd_err *err)
{
	struct hd_db_bulk m = hd_db_bulk_into(g->into, "INSERT INTO run (id, " REFERENCES RUN_COLUMNS ")");
	int64_t numbers[5];
	struct hd_db_rows r;
	int rc;

	rc = hd_db_query_int(g->into, &g->id, 1, err, "SELECT MAX(id) + 1 FROM run", "");
	if (rc < 0)
		return rc;
	numbers[0] = g->id;
	rc = hd_db_query(&r, g->from, err, "SELECT " REFERENCES RUN_COLUMNS " FROM run WHERE id = $1", "i", theirs);
	if (rc >= 0)
		rc = hd_db_next(&r, err);
	for (int i = COMMIT; i <= ENVIRONMENT && rc >= 0; i++)
		rc = renumber(g, i, reference(&r, i), &numbers[i + 1], err);
	if (rc >= 0)
		rc = hd_db_bulk_copy(&m, err, numbers, 5, &r, 4);
	hd_db_end(&r);
	return hd_db_bulk_end(&m, rc, err);
}

/* Tables whose rows belong to one run.  has_text: their first column is the key of a text (db/blob.h). */
#define OWNED(table, columns, order)									\
	.copy = "SELECT " columns " FROM " table " WHERE run_id = $1 ORDER BY " order,			\
	.put = "INSERT INTO " table " (run_id, " columns ")"

static const struct { const char *copy, *put; bool has_text; } parts[] = {
	{ OWNED("artifact", "ordinal, kind, path, path_raw, bytes, sha256", "ordinal") },
	{ OWNED("dropped", "ordinal, reason, samples", "ordinal") },
	{ OWNED("run_warning", "ordinal, code, count, message, message_raw", "ordinal") },
	{ OWNED("event",
		"stacks, event, name, name_raw, unit, unit_raw, weight, samples, lost, symbols, rest_symbols, "
		"effective_samples, frequency_hz, period, throttled, unthrottled, silent, enabled_ns, running_ns, "
		"call_graph, stack_bytes", "event"), .has_text = true },
	{ OWNED("series", "csv, series, kind, name, name_raw, unit, samples, method", "series"), .has_text = true },
	{ OWNED("series_summary", "series, ordinal, stat, value, lo, hi", "series, ordinal") },
	{ OWNED("benchmark_cover", "series, ordinal, symbol, symbol_raw", "series, ordinal") },
};

static int copy_part(struct hd_run_copy *g, size_t part, int64_t theirs, struct hd_err *err)
{
	struct hd_db_bulk m = hd_db_bulk_into(g->into, parts[part].put);
	struct hd_db_rows r;
	int rc;

	rc = hd_db_query(&r, g->from, err, parts[part].copy, "i", theirs);
	while (rc >= 0 && (rc = hd_db_next(&r, err)) > 0) {
		char *key = parts[part].has_text ? hd_col_text(&r, 0) : NULL;

		rc = copy_blob(g, key, err);
		free(key);
		if (rc >= 0)
			rc = hd_db_bulk_copy(&m, err, &g->id, 1, &r, 0);
	}
	hd_db_end(&r);
	return hd_db_bulk_end(&m, rc, err);
}

static int copy_hotspots(struct hd_run_copy *g, int64_t theirs, struct hd_err *err)
{
	struct hd_db_bulk m = hd_db_bulk_into(g->into,
		"INSERT INTO hotspot (run_id, symbol_id, object_id, event, rank, vaddr, self, total, "
		"samples, inline_self, inline_total)");
	int64_t numbers[3] = { g->id };
	struct hd_db_rows r;
	int rc;

	rc = hd_db_query(&r, g->from, err,
		"SELECT symbol_id, object_id, event, rank, vaddr, self, total, samples, inline_self, inline_total "
		"FROM hotspot WHERE run_id = $1 ORDER BY event, rank",
		"i", theirs);
	while (rc >= 0 && (rc = hd_db_next(&r, err)) > 0) {
		rc = renumber(g, SYMBOL, hd_col_int(&r, 0), &numbers[1], err);
		if (rc >= 0)
			rc = renumber(g, OBJECT, hd_col_int(&r, 1), &numbers[2], err);
		if (rc >= 0)
			rc = hd_db_bulk_copy(&m, err, numbers, 3, &r, 2);
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
