/*
 * run_copy.c - see run_copy.h
 */
#include "history/run_copy.h"

#include "base/map.h"
#include "base/mem.h"
#include "db/blob.h"
#include "db/row_reader.h"
#include "trust/derived_columns.h"
#include "trust/journal.h"
#include "db/row_ids.h"
#include "history/run_load.h"

#include <stdlib.h>
#include <string.h>

/* The numbers by which the source calls commits, objects, ..., and by which they are called here. */
struct renumber {
	const char *copy, *put;
	int columns;			/* of put */
	const char *find, *next;	/* for db/row_ids.h */
	bool (*has_key)(const struct hd_db_rows *r,
		int at); /* does the key of a row fit its names?  NULL: the hash of a run covers it */
	struct hd_map known;		/* source -> index into ours */
	int64_t *ours;
	size_t n, cap;
};

enum { COMMIT, MACHINE, CONFIG, ENVIRONMENT, OBJECT, SYMBOL, TABLES };

/*
 * copy: what a run of the source refers to, its number and its key first.  put: the same here, by our number.
 * Of the runs' own references each row is one; of hotspots there are thousands.
 */
static const struct renumber tables[TABLES] = {
	[COMMIT] = {
		.copy = "SELECT c.id, c.sha, c.parents, c.committed_utc, c.subject, c.subject_raw FROM commit_info c JOIN run r ON r.commit_id = c.id "
			"WHERE r.id = $1",
		.put = "INSERT INTO commit_info (id, sha, parents, committed_utc, subject, subject_raw)", .columns = 6,
		.find = "SELECT sha, id FROM commit_info WHERE sha IN", .next = "SELECT MAX(id) + 1 FROM commit_info",
	},
	[MACHINE] = {
		.copy = "SELECT m.id, m.key, m.fingerprint, m.source, m.arch, m.cpu_model, m.cpu_id, m.cpu_flags, m.cpus_online, m.smt, "
			"m.memory_bytes, m.kernel, m.microcode, m.governor, m.hostname FROM machine m JOIN run r ON "
			"r.machine_id = m.id WHERE r.id = $1",
		.put = "INSERT INTO machine (id, key, fingerprint, source, arch, cpu_model, cpu_id, cpu_flags, cpus_online, smt, memory_bytes, "
		       "kernel, microcode, governor, hostname)", .columns = 15,
		.find = "SELECT key, id FROM machine WHERE key IN", .next = "SELECT MAX(id) + 1 FROM machine",
	},
	[CONFIG] = {
		.copy = "SELECT c.id, c.sha256, c.form, c.canonical FROM config c JOIN run r ON r.config_id = c.id WHERE r.id = $1",
		.put = "INSERT INTO config (id, sha256, form, canonical)", .columns = 4,
		.find = "SELECT sha256, id FROM config WHERE sha256 IN", .next = "SELECT MAX(id) + 1 FROM config",
	},
	[ENVIRONMENT] = {
		.copy = "SELECT v.id, v.sha256, v.variables FROM environment v JOIN run r ON r.environment_id = v.id WHERE r.id = $1",
		.put = "INSERT INTO environment (id, sha256, variables)", .columns = 3,
		.find = "SELECT sha256, id FROM environment WHERE sha256 IN",
		.next = "SELECT MAX(id) + 1 FROM environment",
	},
	[OBJECT] = {
		.copy = "SELECT id, key, path, path_raw, build_id, kernel FROM object WHERE id IN (SELECT object_id FROM hotspot WHERE run_id = $1)",
		.put = "INSERT INTO object (id, key, path, path_raw, build_id, kernel)", .columns = 6,
		.find = "SELECT key, id FROM object WHERE key IN", .next = "SELECT MAX(id) + 1 FROM object",
		.has_key = hd_derived_columns_match_object,
	},
	[SYMBOL] = {
		.copy = "SELECT id, key, object, object_raw, linkage, linkage_raw, name, name_raw, normal, normal_raw FROM symbol WHERE id IN "
			"(SELECT symbol_id FROM hotspot WHERE run_id = $1)",
		.put = "INSERT INTO symbol (id, key, object, object_raw, linkage, linkage_raw, name, name_raw, normal, normal_raw)",
		.columns = 10,
		.find = "SELECT key, id FROM symbol WHERE key IN", .next = "SELECT MAX(id) + 1 FROM symbol",
		.has_key = hd_derived_columns_match_symbol,
	},
};

struct hd_run_copy {
	struct hd_db *into, *from;
	struct renumber tables[TABLES];
	int64_t id;			/* of the run in `into` */
};

/* ---- what runs refer to ---- */

static void know(struct renumber *t, int64_t theirs, int64_t ours)
{
	HD_GROW(t->ours, t->n + 1, t->cap);
	t->ours[t->n] = ours;
	hd_map_put(&t->known, (uint64_t)theirs, (uint32_t)t->n++);
}

/* The keys of rows that were not met before. */
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

/* Those that we lack are put here; each gets to know its number. */
static int put(struct hd_run_copy *g, struct renumber *t, struct hd_row_ids *keys, int64_t theirs, struct hd_err *err)
{
	struct hd_db_bulk m = hd_db_bulk_into(g->into, t->put, t->columns);
	char *noted = NULL;		/* a run has one commit */
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
	if (rc >= 0)
		rc = hd_db_bulk_end(&m, err);
	hd_db_bulk_drop(&m);
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

/* Our number of `theirs`; -1 stays what it is. */
static int renumber(struct hd_run_copy *g, int table, int64_t theirs, int64_t *ours, struct hd_err *err)
{
	const struct renumber *t = &g->tables[table];
	uint32_t at;

	*ours = theirs;
	if (theirs < 0)
		return 0;
	at = hd_map_get(&t->known, (uint64_t)theirs);
	if (at == HD_MAP_NONE)
		return hd_fail(err, HD_EFORMAT, "%s: a run refers to a row that is not there", hd_db_name(g->from));
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

/* The text is checked against its key and kept under it. */
static int take_blob(struct hd_run_copy *g, const char *key, struct hd_err *err)
{
	struct hd_buf text = { 0 };
	char got[HD_SHA256_HEX];
	int rc;

	if (!key)
		return 0;
	rc = hd_blob_get(g->from, key, &text, err);
	if (rc == 0)
		rc = hd_fail(err, HD_EFORMAT, "%s: the text %s is not there", hd_db_name(g->from), key);
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

static int copy_row(struct hd_run_copy *g, int64_t theirs, struct hd_err *err)
{
	int64_t numbers[5];
	struct hd_db_rows r;
	int rc;

	rc = hd_db_query_int(g->into, &g->id, 1, err, "SELECT MAX(id) + 1 FROM run", "");
	if (rc < 0)
		return rc;
	numbers[0] = g->id;
	rc = hd_db_query(&r, g->from, err,
		"SELECT commit_id, machine_id, config_id, environment_id, run_id, recorded_utc, added_utc, target, "
		"target_raw, mode, status, command, command_raw, exit_status, session, session_raw, boot_id, "
		"inline_mode, dirty, branch, branch_raw, samples_read, samples_kept, hotdrift, origin, seq, "
		"content_hash, prev_hash, run_hash, work, selection, selection_raw, side, form, compiler, load_average "
		"FROM run WHERE id = $1",
		"i", theirs);
	if (rc >= 0)
		rc = hd_db_next(&r, err);
	for (int i = COMMIT; i <= ENVIRONMENT && rc >= 0; i++)
		rc = renumber(g, i, reference(&r, i), &numbers[i + 1], err);
	if (rc >= 0)
		rc = hd_db_do_copy(g->into, err,
			"INSERT INTO run (id, commit_id, machine_id, config_id, environment_id, run_id, recorded_utc, "
			"added_utc, target, target_raw, mode, status, command, command_raw, exit_status, session, "
			"session_raw, boot_id, inline_mode, dirty, branch, branch_raw, samples_read, samples_kept, "
			"hotdrift, origin, seq, content_hash, prev_hash, run_hash, work, selection, selection_raw, "
			"side, form, compiler, load_average) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, "
			"$12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25, $26, $27, $28, $29, "
			"$30, $31, $32, $33, $34, $35, $36, $37)",
			numbers, 5, &r, 4);
	hd_db_end(&r);
	return rc;
}

/* What hangs on a run.  columns: of put; blob: the column with the key of a text, below 0: none has one. */
static const struct { const char *copy, *put; int columns, blob;
} parts[] = {
	{ "SELECT ordinal, kind, path, path_raw, bytes, sha256 FROM artifact WHERE run_id = $1 ORDER BY ordinal",
		"INSERT INTO artifact (run_id, ordinal, kind, path, path_raw, bytes, sha256)", 7, -1 },
	{ "SELECT ordinal, reason, samples FROM dropped WHERE run_id = $1 ORDER BY ordinal",
		"INSERT INTO dropped (run_id, ordinal, reason, samples)", 4, -1 },
	{ "SELECT ordinal, code, count, message, message_raw FROM run_warning WHERE run_id = $1 ORDER BY ordinal",
		"INSERT INTO run_warning (run_id, ordinal, code, count, message, message_raw)", 6, -1 },
	{ "SELECT event, name, name_raw, unit, unit_raw, weight, samples, lost, stacks, symbols, rest_symbols, effective_samples, " HD_RUN_LOAD_RATE_COLUMNS
	  " FROM event WHERE run_id = $1 ORDER BY event",
		"INSERT INTO event (run_id, event, name, name_raw, unit, unit_raw, weight, samples, lost, stacks, "
		"symbols, rest_symbols, effective_samples, " HD_RUN_LOAD_RATE_COLUMNS ")",
		22, 8 },
	{ "SELECT series, kind, name, name_raw, unit, samples, csv, method FROM series WHERE run_id = $1 ORDER BY series",
		"INSERT INTO series (run_id, series, kind, name, name_raw, unit, samples, csv, method)", 9, 6 },
	{ "SELECT series, ordinal, stat, value, lo, hi FROM series_summary WHERE run_id = $1 ORDER BY series, ordinal",
		"INSERT INTO series_summary (run_id, series, ordinal, stat, value, lo, hi)", 7, -1 },
};

static int copy_part(struct hd_run_copy *g, size_t part, int64_t theirs, struct hd_err *err)
{
	struct hd_db_bulk m = hd_db_bulk_into(g->into, parts[part].put, parts[part].columns);
	struct hd_db_rows r;
	int rc;

	rc = hd_db_query(&r, g->from, err, parts[part].copy, "i", theirs);
	while (rc >= 0 && (rc = hd_db_next(&r, err)) > 0) {
		char *key = parts[part].blob < 0 ? NULL : hd_col_text(&r, parts[part].blob);

		rc = take_blob(g, key, err);
		free(key);
		if (rc >= 0)
			rc = hd_db_bulk_copy(&m, err, &g->id, 1, &r, 0);
	}
	hd_db_end(&r);
	if (rc >= 0)
		rc = hd_db_bulk_end(&m, err);
	hd_db_bulk_drop(&m);
	return rc;
}

static int copy_hotspots(struct hd_run_copy *g, int64_t theirs, struct hd_err *err)
{
	struct hd_db_bulk m = hd_db_bulk_into(g->into,
		"INSERT INTO hotspot (run_id, symbol_id, object_id, event, rank, vaddr, self, total, "
		"samples, inline_self, inline_total)",
		11);
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
	if (rc >= 0)
		rc = hd_db_bulk_end(&m, err);
	hd_db_bulk_drop(&m);
	return rc;
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
