/*
 * run_add.c - see run_add.h
 */
#include "history/run_add.h"

#include "base/mem.h"
#include "base/utc.h"
#include "trust/anchor.h"
#include "db/blob.h"
#include "trust/chain.h"
#include "trust/content_hash.h"
#include "history/run_events.h"
#include "history/intern.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MIN_DIGITS = 8 };	/* digits of the hash in a run's id; more if the id exists */

/* State while a run is added. */
struct adding {
	struct hd_db *db;
	const struct hd_run *run;
	struct hd_intern in;
	int64_t id, seq;
	int64_t commit, machine, config, environment;	/* ids; -1: none */
	char origin[33];
	char csv[HD_SHA256_HEX];	/* key of the text of the last series */
	char prev_hash[HD_SHA256_HEX], content_hash[HD_SHA256_HEX], run_hash[HD_SHA256_HEX];
};

/* ---- the run's own row ---- */

/* Find the end of the local chain. */
static int find_end(struct adding *a, struct hd_err *err)
{
	struct hd_chain_head head = { 0 };
	int rc = hd_chain_local_head(&head, a->db, err);

	if (rc > 0) {
		snprintf(a->origin, sizeof(a->origin), "%s", head.origin);
		a->seq = head.seq + 1;
		snprintf(a->prev_hash, sizeof(a->prev_hash), "%s", head.hash ? head.hash : HD_CHAIN_START);
	} else if (rc == 0) {
		rc = hd_fail(err, HD_EIO, "%s: the database has no chain", hd_db_name(a->db));
	}
	hd_chain_head_release(&head);
	if (rc >= 0)
		rc = hd_db_query_int(a->db, &a->id, 1, err, "SELECT MAX(id) + 1 FROM run", "");
	return rc;
}

static int add_shared(struct adding *a, struct hd_err *err)
{
	const struct hd_run *run = a->run;
	int rc = 0;

	if (run->git && run->git->sha)
		rc = hd_intern_commit(&a->in, run->git, &a->commit, err);
	if (rc >= 0 && run->machine)
		rc = hd_intern_machine(&a->in, run->machine, &a->machine, err);
	if (rc >= 0 && run->config)
		rc = hd_intern_config(&a->in, run->config, &a->config, err);
	if (rc >= 0 && run->variables)
		rc = hd_intern_environment(&a->in, run->variables, &a->environment, err);
	return rc;
}

static int add_row(struct adding *a, struct hd_err *err)
{
	const struct hd_run *run = a->run;
	const struct hd_git_commit *git = run->git;
	char recorded[HD_UTC_TEXT], added[HD_UTC_TEXT];

	hd_utc_text(run->recorded, recorded);
	hd_utc_text(hd_utc_now(), added);
	/* run_id and the hashes are set after the content; before the commit, other connections do not see the row. */
	return hd_db_do(a->db, err,
		"INSERT INTO run (id, recorded_utc, added_utc, target, target_raw, mode, status, command, command_raw, "
		"exit_status, session, session_raw, boot_id, inline_mode, commit_id, dirty, branch, branch_raw, "
		"machine_id, config_id, samples_read, samples_kept, hotdrift, origin, seq, prev_hash, work, selection, "
		"selection_raw, side, form, environment_id, compiler, load_average, run_id, content_hash, run_hash) "
		"VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, "
		"$21, $22, $23, $24, $25, $26, $27, $28, $29, $30, $31, $32, $33, $34, '', '', '')",
		"ittvttvovttoovooiittitdvtiotd", a->id, recorded, added, run->target, run->mode, run->status,
		run->command, (int64_t)run->exit_status, run->session, run->machine ? run->machine->boot_id : NULL,
		run->inline_mode, a->commit, (int64_t)(git ? git->dirty : -1), git ? git->branch : NULL, a->machine,
		a->config, (int64_t)run->read, (int64_t)run->kept, HD_VERSION, a->origin, a->seq, a->prev_hash,
		run->work > 0 ? run->work : NAN, run->selection, run->side, (int64_t)HD_CONTENT_HASH_FORM,
		a->environment, run->compiler, run->has_load ? run->load_average : NAN);
}

/* ---- rows that belong to it ---- */

static int add_artifacts(struct adding *a, struct hd_err *err)
{
	struct hd_db_bulk m = hd_db_bulk_into(a->db,
		"INSERT INTO artifact (run_id, ordinal, kind, path, path_raw, bytes, sha256)");
	int rc = 0;

	for (size_t i = 0; i < a->run->nartifacts && rc >= 0; i++) {
		const struct hd_run_artifact *f = &a->run->artifacts[i];

		rc = hd_db_bulk_add(&m, err, "iitvot", a->id, (int64_t)i, f->kind, f->path, f->bytes, f->sha256);
	}
	return hd_db_bulk_end(&m, rc, err);
}

static int add_dropped(struct adding *a, struct hd_err *err)
{
	struct hd_db_bulk m = hd_db_bulk_into(a->db, "INSERT INTO dropped (run_id, ordinal, reason, samples)");
	int rc = 0;

	for (size_t i = 0; i < a->run->ndropped && rc >= 0; i++)
		rc = hd_db_bulk_add(&m, err, "iiti", a->id, (int64_t)i, a->run->dropped[i].reason,
			(int64_t)a->run->dropped[i].samples);
	return hd_db_bulk_end(&m, rc, err);
}

static int add_warnings(struct adding *a, struct hd_err *err)
{
	struct hd_db_bulk m = hd_db_bulk_into(a->db,
		"INSERT INTO run_warning (run_id, ordinal, code, count, message, message_raw)");
	const struct hd_log *log = a->run->warnings;
	int rc = 0;

	for (size_t i = 0; log && i < log->n && rc >= 0; i++) {
		const struct hd_warning *w = &log->items[i];

		rc = hd_db_bulk_add(&m, err, "iitiv", a->id, (int64_t)i, w->code,
			(int64_t)(w->count <= INT64_MAX ? w->count : INT64_MAX), w->text);
	}
	return hd_db_bulk_end(&m, rc, err);
}

static int add_series(struct adding *a, struct hd_err *err)
{
	struct hd_db_bulk m = hd_db_bulk_into(a->db,
		"INSERT INTO series (run_id, series, kind, name, name_raw, unit, samples, csv, method)");
	int rc = 0;

	for (size_t i = 0; i < a->run->nseries && rc >= 0; i++) {
		const struct hd_run_series *s = &a->run->series[i];

		/* The columns of a file share its text. */
		if (s->csv && !(i && s[-1].csv == s->csv))
			rc = hd_blob_add(a->db, s->csv, s->csv_len, a->csv, err);
		if (rc >= 0)
			rc = hd_db_bulk_add(&m, err, "iitvtitt", a->id, (int64_t)i, s->kind, s->name, s->unit,
				(int64_t)s->samples, s->csv ? a->csv : NULL, s->method);
	}
	return hd_db_bulk_end(&m, rc, err);
}

static int add_summaries(struct adding *a, struct hd_err *err)
{
	struct hd_db_bulk m = hd_db_bulk_into(a->db,
		"INSERT INTO series_summary (run_id, series, ordinal, stat, value, lo, hi)");
	int rc = 0;

	for (size_t i = 0; i < a->run->nseries; i++) {
		const struct hd_run_series *s = &a->run->series[i];

		for (size_t k = 0; k < s->nstats && rc >= 0; k++) {
			const struct hd_run_stat *x = &s->stats[k];

			rc = hd_db_bulk_add(&m, err, "iiitddd", a->id, (int64_t)i, (int64_t)k, x->name, x->value,
					    x->has_interval ? x->lo : NAN, x->has_interval ? x->hi : NAN);
		}
	}
	return hd_db_bulk_end(&m, rc, err);
}

static int add_covers(struct adding *a, struct hd_err *err)
{
	struct hd_db_bulk m = hd_db_bulk_into(a->db,
		"INSERT INTO benchmark_cover (run_id, series, ordinal, symbol, symbol_raw)");
	int rc = 0;

	for (size_t i = 0; i < a->run->nseries; i++)
		for (size_t k = 0; k < a->run->series[i].ncovers && rc >= 0; k++)
			rc = hd_db_bulk_add(&m, err, "iiiv", a->id, (int64_t)i, (int64_t)k, a->run->series[i].covers[k]);
	return hd_db_bulk_end(&m, rc, err);
}

/* ---- its id and hashes ---- */

/* Write an id like 20261120T140102Z-ab12cd3-5e6f7a8b. */
static void make_id(const struct adding *a, int digits, char id[HD_RUN_ID])
{
	const struct hd_git_commit *git = a->run->git;
	char recorded[HD_UTC_TEXT];
	size_t n = 0;

	hd_utc_text(a->run->recorded, recorded);
	for (const char *c = recorded; *c; c++)
		if (*c != '-' && *c != ':')
			id[n++] = *c;
	snprintf(id + n, HD_RUN_ID - n, "-%.*s-%.*s", git && git->sha ? 7 : 8, git && git->sha ? git->sha : "nocommit",
		digits, a->run_hash);
}

static int set_id(struct adding *a, struct hd_run_ticket *ticket, struct hd_err *err)
{
	int64_t taken = 1;
	int rc;

	rc = hd_chain_content(a->db, a->id, HD_CONTENT_HASH_FORM, a->content_hash, err);
	if (rc < 0)
		return rc;
	hd_chain_link(a->origin, a->seq, a->prev_hash, a->content_hash, a->run_hash);
	for (int digits = MIN_DIGITS; taken; digits += 8) {
		make_id(a, digits, ticket->id);
		rc = hd_db_query_int(a->db, &taken, 0, err, "SELECT 1 FROM run WHERE run_id = $1", "t", ticket->id);
		if (rc < 0)
			return rc;
		if (taken && digits > HD_SHA256_HEX)
			return hd_fail(err, HD_EIO, "%s: run %s exists already", hd_db_name(a->db), ticket->id);
	}
	memcpy(ticket->hash, a->run_hash, sizeof(ticket->hash));
	rc = hd_db_do(a->db, err, "UPDATE run SET run_id = $1, content_hash = $2, run_hash = $3 WHERE id = $4", "ttti",
		ticket->id, a->content_hash, a->run_hash, a->id);
	if (rc >= 0)
		rc = hd_chain_advance(a->db, a->origin, a->seq, a->run_hash, err);
	if (rc >= 0 && a->run->key)
		rc = hd_anchor_add(a->db, a->run->key, a->origin, a->seq, a->run_hash, NULL, err);
	return rc;
}

static int add_all(struct adding *a, struct hd_run_ticket *ticket, struct hd_err *err)
{
	int rc = find_end(a, err);

	if (rc >= 0 && a->run->key)
		rc = hd_anchor_check_last(a->db, a->run->key, a->origin, err);
	if (rc >= 0)
		rc = add_shared(a, err);
	if (rc >= 0)
		rc = add_row(a, err);
	if (rc >= 0)
		rc = add_artifacts(a, err);
	if (rc >= 0)
		rc = add_dropped(a, err);
	if (rc >= 0)
		rc = add_warnings(a, err);
	if (rc >= 0)
		rc = hd_run_events_add(a->db, a->id, a->run, err);
	if (rc >= 0)
		rc = add_series(a, err);
	if (rc >= 0)
		rc = add_summaries(a, err);
	if (rc >= 0)
		rc = add_covers(a, err);
	return rc < 0 ? rc : set_id(a, ticket, err);
}

/* Append the outcome to an error message. */
static int add_outcome(int rc, const char *outcome, struct hd_err *err)
{
	size_t n = err ? strlen(err->msg) : 0;

	if (err)
		snprintf(err->msg + n, sizeof(err->msg) - n, "; %s", outcome);
	return rc;
}

int hd_run_add(struct hd_db *db, const struct hd_run *run, struct hd_run_ticket *ticket, struct hd_err *err)
{
	struct adding
		a = { .db = db, .run = run, .in.db = db, .commit = -1, .machine = -1, .config = -1, .environment = -1 };
	int rc;

	*ticket = (struct hd_run_ticket){ 0 };
	rc = hd_run_check(run, err);
	if (rc < 0)
		return rc;
	rc = hd_db_begin(db, err);
	if (rc < 0)
		return add_outcome(rc, "nothing was added", err);
	rc = add_all(&a, ticket, err);
	if (rc < 0) {
		hd_db_rollback(db);
		return add_outcome(rc, "nothing was added", err);
	}
	rc = hd_db_commit(db, err);
	if (rc < 0 && hd_db_in_doubt(db))
		return add_outcome(rc, "the run may have been added: see 'hotdrift log' before adding it again", err);
	return rc < 0 ? add_outcome(rc, "nothing was added", err) : rc;
}

int hd_run_find_input(struct hd_db *db, const char *sha256, char id[HD_RUN_ID], struct hd_err *err)
{
	struct hd_db_rows r;
	size_t n;
	int rc;

	*id = '\0';
	rc = hd_db_query(&r, db, err,
		"SELECT r.run_id FROM artifact a JOIN run r ON r.id = a.run_id WHERE a.sha256 = $1 "
		"AND (a.kind = 'recording' OR (a.kind = 'series' AND a.ordinal = 0)) ORDER BY r.id DESC LIMIT 1",
		"t", sha256);
	if (rc >= 0)
		rc = hd_db_next(&r, err);
	if (rc > 0 && hd_col_kind(&r, 0) != HD_COL_NULL)
		snprintf(id, HD_RUN_ID, "%s", hd_col_bytes(&r, 0, &n));
	hd_db_end(&r);
	return rc < 0 ? rc : 0;
}
