/*
 * copyrun.c - see copyrun.h
 */
#include "store/copyrun.h"

#include "base/map.h"
#include "base/mem.h"
#include "store/blob.h"

#include <stdlib.h>
#include <string.h>

/* The numbers by which the source calls commits, objects, ..., and by which they are called here. */
struct renumber {
	const char *copy, *find, *next, *put;
	struct hd_map known;		/* source -> index into ours */
	int64_t *ours;
	size_t n, cap;
};

enum { COMMIT, MACHINE, CONFIG, OBJECT, SYMBOL, TABLES };

/* copy: a row by its number, key first; find: ours by key; put: one with our number. */
static const struct renumber tables[TABLES] = {
	[COMMIT] = {
		.copy = "SELECT sha, parents, committed_utc, subject, subject_raw FROM commit_info WHERE id = $1",
		.find = "SELECT id FROM commit_info WHERE sha = $1", .next = "SELECT MAX(id) + 1 FROM commit_info",
		.put = "INSERT INTO commit_info (id, sha, parents, committed_utc, subject, subject_raw) VALUES ($1, $2, $3, $4, $5, $6)",
	},
	[MACHINE] = {
		.copy = "SELECT key, fingerprint, source, arch, cpu_model, cpu_id, cpu_flags, cpus_online, smt, memory_bytes, kernel, microcode, "
			"governor, hostname FROM machine WHERE id = $1",
		.find = "SELECT id FROM machine WHERE key = $1", .next = "SELECT MAX(id) + 1 FROM machine",
		.put = "INSERT INTO machine (id, key, fingerprint, source, arch, cpu_model, cpu_id, cpu_flags, cpus_online, smt, memory_bytes, "
		       "kernel, microcode, governor, hostname) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)",
	},
	[CONFIG] = {
		.copy = "SELECT sha256, form, canonical FROM config WHERE id = $1",
		.find = "SELECT id FROM config WHERE sha256 = $1", .next = "SELECT MAX(id) + 1 FROM config",
		.put = "INSERT INTO config (id, sha256, form, canonical) VALUES ($1, $2, $3, $4)",
	},
	[OBJECT] = {
		.copy = "SELECT key, path, path_raw, build_id, kernel FROM object WHERE id = $1",
		.find = "SELECT id FROM object WHERE key = $1", .next = "SELECT MAX(id) + 1 FROM object",
		.put = "INSERT INTO object (id, key, path, path_raw, build_id, kernel) VALUES ($1, $2, $3, $4, $5, $6)",
	},
	[SYMBOL] = {
		.copy = "SELECT key, object, object_raw, linkage, linkage_raw, name, name_raw, normal, normal_raw FROM symbol WHERE id = $1",
		.find = "SELECT id FROM symbol WHERE key = $1", .next = "SELECT MAX(id) + 1 FROM symbol",
		.put = "INSERT INTO symbol (id, key, object, object_raw, linkage, linkage_raw, name, name_raw, normal, normal_raw) "
		       "VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
	},
};

struct hd_copyrun {
	struct hd_db *into, *from;
	struct renumber tables[TABLES];
	int64_t id;			/* of the run in `into` */
};

/* ---- what runs refer to ---- */

static int find_or_put(struct hd_copyrun *g, const struct renumber *t, const struct hd_db_rows *row, int64_t *ours, struct hd_err *err)
{
	char *key = hd_col_text(row, 0);
	int rc;

	rc = hd_db_ask_int(g->into, ours, 0, err, t->find, "t", key);
	free(key);
	if (rc < 0 || *ours)
		return rc;
	rc = hd_db_ask_int(g->into, ours, 1, err, t->next, "");
	return rc < 0 ? rc : hd_db_do_copy(g->into, err, t->put, ours, 1, row, 0);
}

/* Our number of `theirs`; -1 stays what it is. */
static int renumber(struct hd_copyrun *g, int table, int64_t theirs, int64_t *ours, struct hd_err *err)
{
	struct renumber *t = &g->tables[table];
	struct hd_db_rows r;
	uint32_t at;
	int rc;

	*ours = theirs;
	if (theirs < 0)
		return 0;
	at = hd_map_get(&t->known, (uint64_t)theirs);
	if (at != HD_MAP_NONE) {
		*ours = t->ours[at];
		return 0;
	}
	rc = hd_db_ask(&r, g->from, err, t->copy, "i", theirs);
	if (rc >= 0)
		rc = hd_db_next(&r, err);
	if (rc > 0)
		rc = find_or_put(g, t, &r, ours, err);
	else if (rc == 0)
		rc = hd_fail(err, HD_EFORMAT, "%s: a run refers to a row that is not there", hd_db_name(g->from));
	hd_db_end(&r);
	if (rc < 0)
		return rc;
	HD_GROW(t->ours, t->n + 1, t->cap);
	t->ours[t->n] = *ours;
	hd_map_put(&t->known, (uint64_t)theirs, (uint32_t)t->n++);
	return 0;
}

void hd_copyrun_forget(struct hd_copyrun *g)
{
	for (int i = 0; i < TABLES; i++) {
		hd_map_release(&g->tables[i].known);
		free(g->tables[i].ours);
		g->tables[i] = tables[i];
	}
}

/* The text is checked against its key and kept under it. */
static int take_blob(struct hd_copyrun *g, const char *key, struct hd_err *err)
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

static int copy_row(struct hd_copyrun *g, int64_t theirs, struct hd_err *err)
{
	int64_t numbers[4];
	struct hd_db_rows r;
	int rc;

	rc = hd_db_ask_int(g->into, &g->id, 1, err, "SELECT MAX(id) + 1 FROM run", "");
	if (rc < 0)
		return rc;
	numbers[0] = g->id;
	rc = hd_db_ask(&r, g->from, err, "SELECT commit_id, machine_id, config_id, run_id, recorded_utc, added_utc, target, target_raw, mode, "
		       "status, command, command_raw, exit_status, session, session_raw, boot_id, inline_mode, dirty, branch, branch_raw, "
		       "samples_read, samples_kept, hotdrift, origin, seq, content_hash, prev_hash, run_hash, work, selection, selection_raw, side "
		       "FROM run WHERE id = $1", "i", theirs);
	if (rc >= 0)
		rc = hd_db_next(&r, err);
	for (int i = 0; i < 3 && rc >= 0; i++)
		rc = renumber(g, i, reference(&r, i), &numbers[i + 1], err);
	if (rc >= 0)
		rc = hd_db_do_copy(g->into, err, "INSERT INTO run (id, commit_id, machine_id, config_id, run_id, recorded_utc, added_utc, target, "
				   "target_raw, mode, status, command, command_raw, exit_status, session, session_raw, boot_id, inline_mode, dirty, "
				   "branch, branch_raw, samples_read, samples_kept, hotdrift, origin, seq, content_hash, prev_hash, run_hash, work, "
				   "selection, selection_raw, side) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, "
				   "$17, $18, $19, $20, $21, $22, $23, $24, $25, $26, $27, $28, $29, $30, $31, $32, $33)", numbers, 4, &r, 3);
	hd_db_end(&r);
	return rc;
}

/* What hangs on a run.  blob: the column with the key of a text, below 0: none has one. */
static const struct { const char *copy, *put; int blob; } parts[] = {
	{ "SELECT ordinal, kind, path, path_raw, bytes, sha256 FROM artifact WHERE run_id = $1 ORDER BY ordinal",
	  "INSERT INTO artifact (run_id, ordinal, kind, path, path_raw, bytes, sha256) VALUES ($1, $2, $3, $4, $5, $6, $7)", -1 },
	{ "SELECT ordinal, reason, samples FROM dropped WHERE run_id = $1 ORDER BY ordinal",
	  "INSERT INTO dropped (run_id, ordinal, reason, samples) VALUES ($1, $2, $3, $4)", -1 },
	{ "SELECT ordinal, code, count, message, message_raw FROM run_warning WHERE run_id = $1 ORDER BY ordinal",
	  "INSERT INTO run_warning (run_id, ordinal, code, count, message, message_raw) VALUES ($1, $2, $3, $4, $5, $6)", -1 },
	{ "SELECT event, name, name_raw, unit, unit_raw, weight, samples, lost, stacks, symbols, rest_symbols, effective_samples FROM event "
	  "WHERE run_id = $1 ORDER BY event",
	  "INSERT INTO event (run_id, event, name, name_raw, unit, unit_raw, weight, samples, lost, stacks, symbols, rest_symbols, "
	  "effective_samples) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)", 8 },
	{ "SELECT series, kind, name, name_raw, unit, samples, csv FROM series WHERE run_id = $1 ORDER BY series",
	  "INSERT INTO series (run_id, series, kind, name, name_raw, unit, samples, csv) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)", 6 },
	{ "SELECT series, ordinal, stat, value, lo, hi FROM series_summary WHERE run_id = $1 ORDER BY series, ordinal",
	  "INSERT INTO series_summary (run_id, series, ordinal, stat, value, lo, hi) VALUES ($1, $2, $3, $4, $5, $6, $7)", -1 },
};

static int copy_part(struct hd_copyrun *g, size_t part, int64_t theirs, struct hd_err *err)
{
	struct hd_db_rows r;
	int rc;

	rc = hd_db_ask(&r, g->from, err, parts[part].copy, "i", theirs);
	while (rc >= 0 && (rc = hd_db_next(&r, err)) > 0) {
		char *key = parts[part].blob < 0 ? NULL : hd_col_text(&r, parts[part].blob);

		rc = take_blob(g, key, err);
		free(key);
		if (rc >= 0)
			rc = hd_db_do_copy(g->into, err, parts[part].put, &g->id, 1, &r, 0);
	}
	hd_db_end(&r);
	return rc;
}

static int copy_hotspots(struct hd_copyrun *g, int64_t theirs, struct hd_err *err)
{
	int64_t numbers[3] = { g->id };
	struct hd_db_rows r;
	int rc;

	rc = hd_db_ask(&r, g->from, err, "SELECT symbol_id, object_id, event, rank, vaddr, self, total, samples, inline_self, inline_total "
		       "FROM hotspot WHERE run_id = $1 ORDER BY event, rank", "i", theirs);
	while (rc >= 0 && (rc = hd_db_next(&r, err)) > 0) {
		rc = renumber(g, SYMBOL, hd_col_int(&r, 0), &numbers[1], err);
		if (rc >= 0)
			rc = renumber(g, OBJECT, hd_col_int(&r, 1), &numbers[2], err);
		if (rc >= 0)
			rc = hd_db_do_copy(g->into, err, "INSERT INTO hotspot (run_id, symbol_id, object_id, event, rank, vaddr, self, total, "
					   "samples, inline_self, inline_total) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)", numbers, 3,
					   &r, 2);
	}
	hd_db_end(&r);
	return rc;
}

int hd_copyrun(struct hd_copyrun *g, int64_t theirs, int64_t *ours, struct hd_err *err)
{
	int rc = copy_row(g, theirs, err);

	for (size_t i = 0; i < HD_COUNT(parts) && rc >= 0; i++)
		rc = copy_part(g, i, theirs, err);
	*ours = g->id;
	return rc < 0 ? rc : copy_hotspots(g, theirs, err);
}

struct hd_copyrun *hd_copyrun_new(struct hd_db *into, struct hd_db *from)
{
	struct hd_copyrun *g = hd_new(struct hd_copyrun);

	g->into = into;
	g->from = from;
	hd_copyrun_forget(g);
	return g;
}

void hd_copyrun_free(struct hd_copyrun *g)
{
	hd_copyrun_forget(g);
	free(g);
}
