/*
 * run_add.c - see run_add.h
 */
#include "history/run_add.h"

#include "base/mem.h"
#include "base/utc.h"
#include "trust/anchor.h"
#include "db/partitions.h"
#include "db/schema.h"
#include "db/writers.h"
#include "trust/chain.h"
#include "trust/chain_writer.h"
#include "trust/content_hash.h"
#include "trust/journal.h"
#include "history/run_events.h"
#include "history/intern.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
	MIN_DIGITS = 8,		/* digits of the hash in the id of a run; more if that id is already used */
	MAX_TRIES = 5,		/* limit for the tries of a transaction, see add_with_others() */
};

/* State while a run is added. */
struct adding {
	struct hd_db *db;
	const struct hd_run *run;
	struct hd_run_ticket *ticket;
	/* another try after other writers changed the same rows: look up again what may have changed meanwhile */
	bool again;
	bool must_prepare;	/* the schema, the chains or the chain of this machine were not as expected */
	struct hd_run_events events;
	struct hd_intern in;
	/* queries that are started together */
	struct hd_db_rows schema, count, own, same, fresh;
	struct hd_journal_entry entry;		/* journal entry about a new commit */
	int64_t id, seq;
	char *origin;
	char prev_hash[HD_SHA256_HEX], content_hash[HD_SHA256_HEX], run_hash[HD_SHA256_HEX];
};

/* ---- the run's own row ---- */

/*
 * Hash the rows of the run, and find the newest entry of the hash chain that the run will be appended to
 * (trust/chain.h).  Other writers of the same chain wait from here to the end of the transaction, so this is done after
 * all rows of the run are written.
 */
static int find_end(struct adding *a, struct hd_err *err)
{
	struct hd_chain_head head = { 0 };
	struct hd_chain_end_query end = { 0 };
	int rc = hd_chain_end_start(&end, a->db, a->id, a->origin, err);

	/* All writers share the journal, so its head is locked last. */
	if (rc >= 0 && a->in.wrote_commit)
		rc = hd_journal_entry_start(&a->entry, a->db, HD_JOURNAL_COMMIT, a->run->git->sha, 0, err);
	if (rc >= 0)
		rc = hd_chain_end_finish(&end, a->db, a->id, &a->content_hash, &head, err);
	/* A partition on another server does not enforce that the symbols of its hotspots are there. */
	if (rc > 0 && end.hotspots != a->events.n)
		rc = hd_db_fail_met_writer(a->db, err);
	if (rc == 0)
		rc = hd_fail(err, HD_EIO, "%s: the chain %s was deleted", hd_db_name(a->db), a->origin);
	if (rc > 0) {
		a->seq = head.seq + 1;
		snprintf(a->prev_hash, sizeof(a->prev_hash), "%s", head.hash ? head.hash : HD_CHAIN_START);
	}
	hd_chain_head_release(&head);
	hd_chain_end_release(&end);
	return rc < 0 ? rc : 0;
}

static int add_row(struct adding *a, struct hd_err *err)
{
	const struct hd_run *run = a->run;
	const struct hd_git_commit *git = run->git;
	char recorded[HD_UTC_TEXT], added[HD_UTC_TEXT], pending[32];

	hd_utc_text(run->recorded, recorded);
	hd_utc_text(hd_utc_now(), added);
	/*
	 * The run_id, the place in the chain and the hashes are set after all rows of the run were written.  Until then
	 * these columns have values that no other run has.  Other connections see nothing of this before the
	 * transaction is committed.
	 */
	snprintf(pending, sizeof(pending), "adding %lld", (long long)a->id);
	return hd_db_do(a->db, err,
		"INSERT INTO run (id, recorded_utc, added_utc, target, target_raw, mode, status, command, command_raw, "
		"exit_status, session, session_raw, boot_id, inline_mode, commit_id, dirty, branch, branch_raw, "
		"machine_id, config_id, samples_read, samples_kept, hotdrift, origin, seq, prev_hash, work, selection, "
		"selection_raw, side, form, environment_id, compiler, load_average, run_id, content_hash, run_hash) "
		"VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, "
		"$21, $22, $23, $24, $25, $26, $27, $28, $29, $30, $31, $32, $33, $34, $35, '', $36)",
		"ittvttvovttoovooiittitdvtiotdtt", a->id, recorded, added, run->target, run->mode, run->status,
		run->command, (int64_t)run->exit_status, run->session, run->machine ? run->machine->boot_id : NULL,
		run->inline_mode, hd_intern_id(&a->in, HD_INTERN_COMMIT), (int64_t)(git ? git->dirty : -1),
		git ? git->branch : NULL, hd_intern_id(&a->in, HD_INTERN_MACHINE),
		hd_intern_id(&a->in, HD_INTERN_CONFIG), (int64_t)run->read, (int64_t)run->kept, HD_VERSION, a->origin,
		-a->id, "", run->work > 0 ? run->work : NAN, run->selection, run->side, (int64_t)HD_CONTENT_HASH_FORM,
		hd_intern_id(&a->in, HD_INTERN_ENVIRONMENT), run->compiler, run->has_load ? run->load_average : NAN,
		pending, pending);
}

/* ---- rows that belong to the run ---- */

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

		rc = hd_db_bulk_add(&m, err, "iitvtitt", a->id, (int64_t)i, s->kind, s->name, s->unit,
			(int64_t)s->samples, s->csv ? a->in.csv[i] : NULL, s->method);
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
			rc = hd_db_bulk_add(&m, err, "iiiv", a->id, (int64_t)i, (int64_t)k,
				a->run->series[i].covers[k]);
	return hd_db_bulk_end(&m, rc, err);
}

/* ---- the id and the hashes of the run ---- */

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

/*
 * Choose an id that no run has.  The first try on a server does not look it up.  If the id is taken, the UPDATE fails
 * and the transaction is tried again.
 */
static int choose_id(struct adding *a, struct hd_err *err)
{
	bool look_it_up = !hd_db_has_writers(a->db) || a->again;
	int64_t taken = 1;
	int rc;

	for (int digits = MIN_DIGITS; taken; digits += 8) {
		make_id(a, digits, a->ticket->id);
		if (!look_it_up)
			return 0;
		rc = hd_db_query_int(a->db, &taken, 0, err, "SELECT 1 FROM run WHERE run_id = $1", "t", a->ticket->id);
		if (rc < 0)
			return rc;
		if (taken && digits > HD_SHA256_HEX)
			return hd_fail(err, HD_EIO, "%s: run %s exists already", hd_db_name(a->db), a->ticket->id);
	}
	return 0;
}

static int set_id(struct adding *a, struct hd_err *err)
{
	int rc;

	rc = find_end(a, err);
	if (rc < 0)
		return rc;
	hd_chain_link(a->origin, a->seq, a->prev_hash, a->content_hash, a->run_hash);
	rc = choose_id(a, err);
	if (rc < 0)
		return rc;
	memcpy(a->ticket->hash, a->run_hash, sizeof(a->ticket->hash));
	hd_db_set_independent(a->db, true);
	rc = hd_db_do(a->db, err,
		"UPDATE run SET run_id = $1, content_hash = $2, run_hash = $3, seq = $4, prev_hash = $5 WHERE id = $6",
		"tttiti", a->ticket->id, a->content_hash, a->run_hash, a->seq, a->prev_hash, a->id);
	if (rc >= 0)
		rc = hd_chain_advance(a->db, a->origin, a->seq, a->run_hash, err);
	if (rc >= 0 && a->in.wrote_commit)
		rc = hd_journal_entry_finish(&a->entry, err);
	hd_db_set_independent(a->db, false);
	if (rc >= 0 && a->run->key)
		rc = hd_anchor_add(a->db, a->run->key, a->origin, a->seq, a->run_hash, NULL, err);
	return rc;
}

/* ---- the transaction ---- */

/* Return 1, or the error rc. */
static int go_on(int rc)
{
	return rc < 0 ? rc : 1;
}

static const struct hd_new_ids run_ids = HD_NEW_IDS("run", "run_id");

/* Return the SHA-256 by which a run of the same recording is found, or NULL. */
static const char *recording_of(const struct hd_run *run)
{
	return run->nartifacts ? run->artifacts[0].sha256 : NULL;
}

static int start_same(struct hd_db_rows *r, struct hd_db *db, const char *sha256, struct hd_err *err)
{
	return hd_db_query(r, db, err,
		"SELECT r.run_id FROM artifact a JOIN run r ON r.id = a.run_id WHERE a.sha256 = $1 "
		"AND (a.kind = 'recording' OR (a.kind = 'series' AND a.ordinal = 0)) ORDER BY r.id DESC LIMIT 1",
		"t", sha256);
}

static int finish_same(struct hd_db_rows *r, char id[HD_RUN_ID], struct hd_err *err)
{
	int rc = hd_db_next(r, err);
	size_t n;

	if (rc > 0 && hd_col_kind(r, 0) != HD_COL_NULL)
		snprintf(id, HD_RUN_ID, "%s", hd_col_bytes(r, 0, &n));
	return rc < 0 ? rc : 0;
}

/* Start all queries that do not depend on another one: on a server, they are one statement. */
static int start_queries(struct adding *a, struct hd_err *err)
{
	struct hd_db *db = a->db;
	int rc = 0;

	if (hd_db_has_writers(db)) {
		if (!hd_schema_is_applied(db)) {
			rc = hd_schema_start(&a->schema, db, err);
			if (rc >= 0)
				rc = hd_chain_count_start(&a->count, db, err);
		}
		if (rc >= 0)
			rc = hd_chain_own_start(&a->own, db, err);
		if (rc >= 0 && recording_of(a->run))
			rc = start_same(&a->same, db, recording_of(a->run), err);
		if (rc >= 0)
			rc = hd_db_query(&a->fresh, db, err, run_ids.server, "i", (int64_t)1);
	}
	return rc < 0 ? rc : hd_intern_start(&a->in, err);
}

/* Read the results of the queries for the server, except those of intern.h. */
static int finish_queries(struct adding *a, struct hd_err *err)
{
	int rc = 1;

	if (a->schema.stmt)
		rc = hd_schema_finish(&a->schema, a->db, err);
	if (rc > 0 && a->count.stmt)
		rc = go_on(hd_chain_count_finish(&a->count, a->db, err));
	free(a->origin);
	a->origin = NULL;
	if (rc > 0)
		rc = hd_chain_own_finish(&a->origin, &a->own, err);
	a->must_prepare = rc == 0 || hd_schema_is_missing(a->db);
	if (rc <= 0)
		return rc < 0 ? rc : hd_fail(err, HD_EIO, "%s: the schema is not applied", hd_db_name(a->db));
	if (a->same.stmt)
		rc = finish_same(&a->same, a->ticket->same, err);
	if (rc >= 0)
		rc = hd_db_next(&a->fresh, err);
	if (rc == 0)
		rc = hd_fail(err, HD_EIO, "%s: the server gave no new id", hd_db_name(a->db));
	if (rc > 0)
		a->id = hd_col_int(&a->fresh, 0);
	return rc;
}

static void end_queries(struct adding *a)
{
	hd_db_end(&a->schema);
	hd_db_end(&a->count);
	hd_db_end(&a->own);
	hd_db_end(&a->same);
	hd_db_end(&a->fresh);
}

/*
 * Look up what the run needs.  Returns 1; 0 if the run must not be added because its recording is stored already; < 0
 * on error.
 */
static int look_up(struct adding *a, struct hd_err *err)
{
	int rc = start_queries(a, err);

	if (rc >= 0)
		rc = hd_db_has_writers(a->db) ? finish_queries(a, err)
					      : hd_new_ids_get(a->db, &run_ids, &a->id, 1, err);
	end_queries(a);
	return rc < 0 ? rc : !(a->run->once && *a->ticket->same);
}

static int add_rows(struct adding *a, struct hd_err *err)
{
	int rc = hd_intern_put(&a->in, a->again, err);

	if (rc >= 0)
		rc = add_row(a, err);
	if (rc >= 0)
		rc = add_artifacts(a, err);
	if (rc >= 0)
		rc = add_dropped(a, err);
	if (rc >= 0)
		rc = add_warnings(a, err);
	if (rc >= 0)
		rc = hd_run_events_add(&a->events, a->db, a->id, &a->in, err);
	if (rc >= 0)
		rc = add_series(a, err);
	if (rc >= 0)
		rc = add_summaries(a, err);
	if (rc >= 0)
		rc = add_covers(a, err);
	return rc;
}

/*
 * Look up what the run needs, and write all its rows.  Returns 1; 0 if the run is not added because its recording is
 * stored already; < 0 on error.
 */
static int add_all(struct adding *a, struct hd_err *err)
{
	int rc;

	hd_run_events_list(&a->events, a->run);
	hd_intern_init(&a->in, a->db, a->run, a->events.rows, a->events.n);
	rc = look_up(a, err);
	if (rc > 0 && a->run->key)
		rc = go_on(hd_anchor_check_last(a->db, a->run->key, a->origin, err));
	if (rc > 0)
		rc = go_on(add_rows(a, err));
	if (rc > 0)
		rc = go_on(set_id(a, err));
	hd_journal_entry_release(&a->entry);
	hd_intern_release(&a->in);
	hd_run_events_release(&a->events);
	return rc;
}

/* Append the outcome to the message of error rc.  Returns rc. */
static int add_outcome(int rc, const char *outcome, struct hd_err *err)
{
	size_t n = err ? strlen(err->msg) : 0;

	if (err)
		snprintf(err->msg + n, sizeof(err->msg) - n, "; %s", outcome);
	return rc;
}

/* Write the run in one transaction. */
static int try_to_add(struct adding *a, struct hd_err *err)
{
	int rc = hd_db_begin_beside(a->db, err);

	a->must_prepare = false;
	if (rc < 0)
		return add_outcome(rc, "nothing was added", err);
	rc = add_all(a, err);
	if (rc <= 0) {
		hd_db_rollback(a->db);
		return rc < 0 ? add_outcome(rc, "nothing was added", err) : 0;
	}
	rc = hd_db_commit(a->db, err);
	a->ticket->added = rc >= 0;
	if (rc >= 0)
		hd_partition_make_next(a->db, a->id);
	if (rc < 0 && hd_db_in_doubt(a->db))
		return add_outcome(rc, "the run may have been added: see 'hotdrift log' before adding it again", err);
	return rc < 0 ? add_outcome(rc, "nothing was added", err) : rc;
}

/* Check the database and apply what it lacks: the schema, and the chain of this machine. */
static int prepare(struct adding *a, struct hd_err *err)
{
	int rc = 0;

	if (!hd_schema_is_applied(a->db)) {
		rc = hd_journal_apply_schema(a->db, err);
		if (rc >= 0)
			rc = hd_chain_count(a->db, err);
	}
	if (rc >= 0) {
		free(a->origin);
		a->origin = NULL;
		rc = hd_chain_own(&a->origin, a->db, err);
	}
	return rc < 0 ? add_outcome(rc, "nothing was added", err) : rc;
}

static int make_partition(struct adding *a, struct hd_err *err)
{
	int rc = hd_partition_make(a->db, a->id, err);

	return rc < 0 ? add_outcome(rc, "nothing was added", err) : rc;
}

/*
 * Write the run.  Repeat that if other writers changed the same rows, and after the schema, the chain or the partition
 * that was missing has been made.
 */
static int add_with_others(struct adding *a, struct hd_err *err)
{
	int rc;

	for (int tries = 1;; tries++) {
		rc = try_to_add(a, err);
		if (rc >= 0 || hd_db_in_doubt(a->db) || tries == MAX_TRIES)
			return rc;
		a->again = hd_db_met_writer(a->db);
		if (a->must_prepare)
			rc = prepare(a, err);
		else if (hd_partition_is_missing(a->db))
			rc = make_partition(a, err);
		else if (a->again)
			rc = 0;
		if (rc < 0)
			return rc;
	}
}

int hd_run_add(struct hd_db *db, const struct hd_run *run, struct hd_run_ticket *ticket, struct hd_err *err)
{
	struct adding a = { .db = db, .run = run, .ticket = ticket };
	int rc;

	*ticket = (struct hd_run_ticket){ 0 };
	rc = hd_run_check(run, err);
	if (rc < 0)
		return rc;
	if (!hd_db_has_writers(db)) {
		rc = prepare(&a, err);
		if (rc >= 0 && recording_of(run))
			rc = hd_run_find_input(db, recording_of(run), ticket->same, err);
	}
	if (rc >= 0 && !(run->once && *ticket->same))
		rc = add_with_others(&a, err);
	if (rc >= 0 && !ticket->added)
		snprintf(ticket->id, sizeof(ticket->id), "%s", ticket->same);
	free(a.origin);
	return rc < 0 ? rc : 0;
}

int hd_run_find_input(struct hd_db *db, const char *sha256, char id[HD_RUN_ID], struct hd_err *err)
{
	struct hd_db_rows r;
	int rc = start_same(&r, db, sha256, err);

	*id = '\0';
	if (rc >= 0)
		rc = finish_same(&r, id, err);
	hd_db_end(&r);
	return rc;
}
