/*
 * merge.c - see merge.h
 */
#include "store/merge.h"

#include "store/chain.h"
#include "store/copyrun.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct merge {
	struct hd_db *into, *from;
	struct hd_merge *m;
	struct hd_copyrun *copy;
};

/* Does it follow what `into` has of this chain, and is its content what its hash says? */
static int check(struct merge *g, const struct hd_chain_place *p, int64_t run, struct hd_err *err)
{
	char want[HD_SHA256_HEX];
	struct hd_db_rows r;
	char *head = NULL;
	int64_t seq = 0;
	int rc = 0;

	if (!p->pruned)
		rc = hd_chain_content(g->into, run, want, err);
	if (rc < 0)
		return rc;
	if (!p->pruned && strcmp(want, p->content))
		return hd_fail(err, HD_EFORMAT, "%s: run %s was changed after it was added; 'hotdrift verify' tells more", hd_db_name(g->from), p->name);
	hd_chain_link(p->origin, p->seq, p->prev, p->content, want);
	rc = hd_db_ask(&r, g->into, err, "SELECT head_seq, head_hash FROM chain WHERE origin = $1", "t", p->origin);
	if (rc >= 0)
		rc = hd_db_next(&r, err);
	if (rc > 0) {
		seq = hd_col_int(&r, 0);
		head = hd_col_text(&r, 1);
	}
	hd_db_end(&r);
	if (rc >= 0 && (strcmp(want, p->hash) || p->seq != seq + 1 || strcmp(p->prev, head ? head : HD_CHAIN_START)))
		rc = hd_fail(err, HD_EFORMAT, "%s: run %s (%lld of its chain) does not follow the %lld that %s has of it; 'hotdrift verify' tells more",
			     hd_db_name(g->from), p->name, (long long)p->seq, (long long)seq, hd_db_name(g->into));
	free(head);
	return rc < 0 ? rc : 0;
}

static int copy_tombstone(struct merge *g, const struct hd_chain_place *p, struct hd_err *err)
{
	struct hd_db_rows r;
	int rc;

	rc = hd_db_ask(&r, g->from, err, "SELECT origin, seq, run_id, content_hash, prev_hash, run_hash, reason, pruned_utc FROM tombstone "
		       "WHERE origin = $1 AND seq = $2", "ti", p->origin, p->seq);
	if (rc >= 0)
		rc = hd_db_next(&r, err);
	if (rc > 0)
		rc = hd_db_do_copy(g->into, err, "INSERT INTO tombstone (origin, seq, run_id, content_hash, prev_hash, run_hash, reason, pruned_utc) "
				   "VALUES ($1, $2, $3, $4, $5, $6, $7, $8)", NULL, 0, &r, 0);
	hd_db_end(&r);
	return rc;
}

static int take(struct merge *g, const struct hd_chain_place *p, struct hd_err *err)
{
	int64_t run = 0;
	int rc = hd_db_begin(g->into, err);

	if (rc < 0)
		return rc;
	rc = p->pruned ? copy_tombstone(g, p, err) : hd_copyrun(g->copy, p->id, &run, err);
	if (rc >= 0)
		rc = check(g, p, run, err);
	if (rc >= 0)
		rc = hd_chain_advance(g->into, p->origin, p->seq, p->hash, err);
	if (rc >= 0)
		rc = hd_db_commit(g->into, err);
	if (rc < 0) {
		hd_db_rollback(g->into);
		hd_copyrun_forget(g->copy);
	} else if (p->pruned) {
		g->m->pruned++;
	} else {
		g->m->added++;
	}
	return rc;
}

/* The hash that `into` has at this place of the chain, "" when it has none. */
static int hash_there(struct merge *g, const struct hd_chain_place *p, char hash[HD_SHA256_HEX], struct hd_err *err)
{
	struct hd_db_rows r;
	size_t n;
	int rc;

	*hash = '\0';
	rc = hd_db_ask(&r, g->into, err, "SELECT run_hash FROM run WHERE origin = $1 AND seq = $2 UNION ALL SELECT run_hash FROM tombstone "
		       "WHERE origin = $3 AND seq = $4", "titi", p->origin, p->seq, p->origin, p->seq);
	if (rc >= 0)
		rc = hd_db_next(&r, err);
	if (rc > 0 && hd_col_kind(&r, 0) == HD_COL_TEXT)
		snprintf(hash, HD_SHA256_HEX, "%s", hd_col_bytes(&r, 0, &n));
	hd_db_end(&r);
	return rc < 0 ? rc : 0;
}

static int merge_place(struct merge *g, const struct hd_chain_place *p, struct hd_err *err)
{
	char there[HD_SHA256_HEX];
	int rc;

	if (!hd_chain_place_whole(p))
		return hd_fail(err, HD_EFORMAT, "%s: a run without its hashes", hd_db_name(g->from));
	rc = hash_there(g, p, there, err);
	if (rc < 0)
		return rc;
	if (!*there)
		return take(g, p, err);
	if (strcmp(there, p->hash))
		return hd_fail(err, HD_EFORMAT, "%s: run %s is not the one that %s has at %lld of this chain; one of the two was written anew",
			       hd_db_name(g->from), p->name, hd_db_name(g->into), (long long)p->seq);
	g->m->known++;
	return 0;
}

static int merge_chain(struct merge *g, const char *origin, struct hd_err *err)
{
	struct hd_chain_place p;
	struct hd_db_rows r;
	int rc;

	rc = hd_chain_places(&r, g->from, origin, err);
	while (rc >= 0 && (rc = hd_chain_next(&r, &p, err)) > 0) {
		rc = merge_place(g, &p, err);
		hd_chain_place_release(&p);
	}
	hd_db_end(&r);
	return rc;
}

static int take_chain(struct merge *g, const char *origin, const struct hd_db_rows *row, struct hd_err *err)
{
	int64_t there;
	int rc;

	rc = hd_db_ask_int(g->into, &there, 0, err, "SELECT COUNT(*) FROM chain WHERE origin = $1", "t", origin);
	if (rc < 0 || there)
		return rc;
	return hd_db_do_copy(g->into, err, "INSERT INTO chain (is_local, origin, created_utc) VALUES ($1, $2, $3)", &(int64_t){ 0 }, 1, row, 0);
}

int hd_merge(struct hd_db *into, struct hd_db *from, struct hd_merge *m, struct hd_err *err)
{
	struct merge g = { .into = into, .from = from, .m = m, .copy = hd_copyrun_new(into, from) };
	struct hd_db_rows r;
	int rc;

	rc = hd_db_ask(&r, from, err, "SELECT origin, created_utc FROM chain ORDER BY origin", "");
	while (rc >= 0 && (rc = hd_db_next(&r, err)) > 0) {
		char *origin = hd_col_text(&r, 0);

		rc = origin ? take_chain(&g, origin, &r, err) : hd_fail(err, HD_EFORMAT, "%s: a chain without a name", hd_db_name(from));
		if (rc >= 0)
			rc = merge_chain(&g, origin, err);
		free(origin);
	}
	hd_db_end(&r);
	hd_copyrun_free(g.copy);
	return rc;
}
