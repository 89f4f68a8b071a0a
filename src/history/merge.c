/*
 * merge.c - see merge.h
 */
#include "history/merge.h"

#include "trust/chain.h"
#include "history/run_copy.h"
#include "trust/journal.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct merge {
	struct hd_db *into, *from;
	struct hd_merge *m;
	struct hd_run_copy *copy;
};

/*
 * Check an entry of a hash chain before it is copied.  Its hash must be correct, and it must follow `e`, the last entry
 * of the same chain in the destination.
 */
static int check_place(struct merge *g, const struct hd_chain_place *p, const struct hd_chain_head *e,
	struct hd_err *err)
{
	char want[HD_SHA256_HEX];

	hd_chain_link(p->origin, p->seq, p->prev, p->content, want);
	if (!strcmp(want, p->hash) && p->seq == e->seq + 1 && !strcmp(p->prev, e->hash ? e->hash : HD_CHAIN_START))
		return 0;
	return hd_fail(err, HD_EFORMAT,
		"%s: run %s (%lld of its chain) does not follow the %lld runs of it in %s; see "
		"'hotdrift verify --db %s'",
		hd_db_name(g->from), p->name, (long long)p->seq, (long long)e->seq, hd_db_name(g->into),
		hd_db_name(g->from));
}

/*
 * Compute the hash of the rows that were just written for a run, and compare it with the content hash that the run's
 * entry in the hash chain has.
 */
static int check_content(struct merge *g, const struct hd_chain_place *p, int64_t run, struct hd_err *err)
{
	char want[HD_SHA256_HEX];
	int rc = hd_chain_content(g->into, run, p->form, want, err);

	if (rc >= 0 && strcmp(want, p->content))
		rc = hd_fail(err, HD_EFORMAT,
			"%s: run %s was changed after it was added; see 'hotdrift verify --db %s'",
			hd_db_name(g->from), p->name, hd_db_name(g->from));
	return rc;
}

static int copy_tombstone(struct merge *g, const struct hd_chain_place *p, struct hd_err *err)
{
	struct hd_db_rows r;
	int rc;

	rc = hd_db_query(&r, g->from, err,
		"SELECT origin, seq, run_id, content_hash, prev_hash, run_hash, reason, pruned_utc FROM tombstone "
		"WHERE origin = $1 AND seq = $2",
		"ti", p->origin, p->seq);
	if (rc >= 0)
		rc = hd_db_next(&r, err);
	if (rc > 0)
		rc = hd_db_do_copy(g->into, err,
			"INSERT INTO tombstone (origin, seq, run_id, content_hash, prev_hash, run_hash, reason, "
			"pruned_utc) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
			NULL, 0, &r, 0);
	hd_db_end(&r);
	return rc < 0 ? rc : hd_journal_note(g->into, HD_JOURNAL_PRUNED, p->origin, p->seq, err);
}

static int write(struct merge *g, const struct hd_chain_place *p, struct hd_err *err)
{
	int64_t run = 0;
	int rc;

	if (p->pruned) {
		rc = copy_tombstone(g, p, err);
	} else {
		rc = hd_run_copy(g->copy, p->id, &run, err);
		if (rc >= 0)
			rc = check_content(g, p, run, err);
	}
	return rc < 0 ? rc : hd_chain_advance(g->into, p->origin, p->seq, p->hash, err);
}

/*
 * Copy an entry of a hash chain.  Returns 1 if it was copied; 0 if another writer has added it meanwhile; < 0 on error.
 */
static int copy_place(struct merge *g, const struct hd_chain_place *p, struct hd_err *err)
{
	struct hd_chain_head end = { 0 };
	bool known = false;
	int rc = hd_db_begin(g->into, err);

	if (rc < 0)
		return rc;
	rc = hd_chain_head(&end, g->into, p->origin, err);
	rc = rc < 0 ? rc : 0;
	known = rc >= 0 && p->seq <= end.seq;
	if (rc >= 0 && !known)
		rc = check_place(g, p, &end, err);
	if (rc >= 0 && !known)
		rc = write(g, p, err);
	if (rc >= 0 && !known)
		rc = hd_db_commit(g->into, err);
	hd_chain_head_release(&end);
	if (rc < 0 || known) {
		hd_db_rollback(g->into);
		hd_run_copy_reset(g->copy);
		return rc;
	}
	if (p->pruned)
		g->m->pruned++;
	else
		g->m->added++;
	return 1;
}

/*
 * Set `hash` to the hash of the entry in the destination that has the same chain name and number as p; "" if there is
 * none.
 */
static int hash_there(struct merge *g, const struct hd_chain_place *p, char hash[HD_SHA256_HEX], struct hd_err *err)
{
	struct hd_db_rows r;
	size_t n;
	int rc;

	*hash = '\0';
	rc = hd_db_query(&r, g->into, err,
		"SELECT run_hash FROM run WHERE origin = $1 AND seq = $2 UNION ALL SELECT run_hash FROM tombstone "
		"WHERE origin = $3 AND seq = $4",
		"titi", p->origin, p->seq, p->origin, p->seq);
	if (rc >= 0)
		rc = hd_db_next(&r, err);
	if (rc > 0 && hd_col_kind(&r, 0) == HD_COL_TEXT)
		snprintf(hash, HD_SHA256_HEX, "%s", hd_col_bytes(&r, 0, &n));
	hd_db_end(&r);
	return rc < 0 ? rc : 0;
}

static int check_same(struct merge *g, const struct hd_chain_place *p, const char *there, struct hd_err *err)
{
	g->m->known++;
	if (there && !strcmp(there, p->hash))
		return 0;
	return hd_fail(err, HD_EFORMAT,
		"%s: run %s is not the one that %s has at %lld of this chain; one of the two was rewritten",
		hd_db_name(g->from), p->name, hd_db_name(g->into), (long long)p->seq);
}

/* The hash chain of the same name in the destination, which is read in step with the chain in the source. */
struct along {
	struct hd_db_rows rows;
	struct hd_chain_place at;	/* the next entry of the chain */
	bool more;
};

static int step(struct along *a, struct hd_err *err)
{
	int rc;

	if (a->more)
		hd_chain_place_release(&a->at);
	rc = hd_chain_next(&a->rows, &a->at, err);
	a->more = rc > 0;
	if (rc <= 0)
		hd_db_end(&a->rows);
	return rc < 0 ? rc : 0;
}

static void end_along(struct along *a)
{
	if (a->more)
		hd_chain_place_release(&a->at);
	a->more = false;
	hd_db_end(&a->rows);
}

static int merge_place(struct merge *g, struct along *a, const struct hd_chain_place *p, struct hd_err *err)
{
	char there[HD_SHA256_HEX];
	int rc = 0;

	if (!hd_chain_place_whole(p))
		return hd_fail(err, HD_EFORMAT, "%s: a run without its hashes", hd_db_name(g->from));
	while (a->more && a->at.seq < p->seq && rc >= 0)
		rc = step(a, err);
	if (rc < 0)
		return rc;
	if (a->more && a->at.seq == p->seq)
		return check_same(g, p, a->at.hash, err);
	end_along(a);		/* a chain has no gaps, so all following entries are new */
	rc = copy_place(g, p, err);
	if (rc)
		return rc < 0 ? rc : 0;
	rc = hash_there(g, p, there, err);
	return rc < 0 ? rc : check_same(g, p, there, err);
}

static int merge_chain(struct merge *g, const char *origin, struct hd_err *err)
{
	struct hd_chain_place p;
	struct along into = { 0 };
	struct hd_db_rows r = { 0 };
	int rc;

	rc = hd_chain_places(&into.rows, g->into, origin, err);
	if (rc >= 0)
		rc = step(&into, err);
	if (rc >= 0)
		rc = hd_chain_places(&r, g->from, origin, err);
	while (rc >= 0 && (rc = hd_chain_next(&r, &p, err)) > 0) {
		rc = merge_place(g, &into, &p, err);
		hd_chain_place_release(&p);
	}
	hd_db_end(&r);
	end_along(&into);
	return rc;
}

/*
 * Set *which to 1 if the hash chain called `origin` in the destination is a chain of runs, to 2 if it is a journal, to
 * 0 if there is none.
 */
static int which_chain(struct merge *g, const char *origin, int64_t *which, struct hd_err *err)
{
	return hd_db_query_int(g->into, which, 0, err,
		"SELECT CASE WHEN kind = 'runs' THEN 1 ELSE 2 END FROM chain WHERE origin = $1", "t", origin);
}

static int add_chain(struct merge *g, const char *origin, const struct hd_db_rows *row, struct hd_err *err)
{
	int64_t there;
	int rc = hd_db_begin(g->into, err);

	if (rc >= 0)
		rc = which_chain(g, origin, &there, err);
	if (rc >= 0 && !there) {
		rc = hd_db_do_copy(g->into, err,
			"INSERT INTO chain (is_local, origin, created_utc) VALUES ($1, $2, $3)", &(int64_t){ 0 }, 1,
			row, 0);
		if (rc >= 0)
			rc = hd_journal_note(g->into, HD_JOURNAL_CHAIN, origin, 0, err);
	}
	if (rc >= 0)
		return hd_db_commit(g->into, err);
	hd_db_rollback(g->into);
	return rc;
}

static int take_chain(struct merge *g, const char *origin, const struct hd_db_rows *row, struct hd_err *err)
{
	int64_t there;
	int rc = which_chain(g, origin, &there, err);

	if (rc >= 0 && there == 2)
		rc = hd_fail(err, HD_EFORMAT, "%s: its chain %.40s has the name of the journal of %s",
			hd_db_name(g->from), origin, hd_db_name(g->into));
	return rc < 0 || there ? rc : add_chain(g, origin, row, err);
}

int hd_merge(struct hd_db *into, struct hd_db *from, struct hd_merge *m, struct hd_err *err)
{
	struct merge g = { .into = into, .from = from, .m = m, .copy = hd_run_copy_new(into, from) };
	struct hd_db_rows r;
	int rc;

	rc = hd_db_query(&r, from, err, "SELECT origin, created_utc FROM chain WHERE kind = 'runs' ORDER BY origin",
		"");
	while (rc >= 0 && (rc = hd_db_next(&r, err)) > 0) {
		char *origin = hd_col_text(&r, 0);

		rc = origin ? take_chain(&g, origin, &r, err)
			    : hd_fail(err, HD_EFORMAT, "%s: a chain without a name", hd_db_name(from));
		if (rc >= 0)
			rc = merge_chain(&g, origin, err);
		if (rc >= 0 && m->key)
			rc = hd_anchor_copy(into, from, m->key, origin, &m->anchors, err);
		free(origin);
	}
	hd_db_end(&r);
	hd_run_copy_free(g.copy);
	return rc;
}
