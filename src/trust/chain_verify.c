/*
 * chain_verify.c - verify the chains of a database: see chain.h
 */
#include "trust/chain.h"

#include "base/mem.h"
#include "trust/derived_columns.h"
#include "trust/journal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* State of the walk: the origin of the current chain, and seq and hash of the place before the current one. */
struct walk {
	struct hd_db *db;
	struct hd_chain_walk *found;
	const char *anchor;
	const char *origin;
	int64_t seq;
	char *hash;
	bool anchored;			/* in this chain */
};

/*
 * Compare the id of a run with its time, its commit and the start of its hash.  A tombstone does not store time and
 * commit.
 */
static bool is_named(const struct hd_chain_place *p)
{
	const char *dash = strrchr(p->name, '-');
	size_t start = dash ? (size_t)(dash + 1 - p->name) : 0;

	if (!p->pruned && (!p->stem || strlen(p->stem) != start || strncmp(p->name, p->stem, start)))
		return false;
	return dash && strlen(dash + 1) >= 8 && !strncmp(p->hash, dash + 1, strlen(dash + 1));
}

static int altered(struct walk *w, const struct hd_chain_place *p, const char *wrong, struct hd_err *err)
{
	return hd_fail(err, HD_ENO, "%s: run %s (%lld of its chain): %s", hd_db_name(w->db), p->name, (long long)p->seq,
		wrong);
}

static int check_place(struct walk *w, const struct hd_chain_place *p, struct hd_err *err)
{
	char want[HD_SHA256_HEX];
	int rc;

	if (p->seq != w->seq + 1)
		return altered(w, p, p->seq <= w->seq ? "another run has the same place" : "a run before it is missing",
			err);
	if (!p->pruned) {
		rc = hd_chain_content(w->db, p->id, p->form, want, err);
		if (rc < 0)
			return rc;
		if (strcmp(want, p->content))
			return altered(w, p, "its content was changed after it was added", err);
	}
	if (strcmp(p->prev, w->hash))
		return altered(w, p, "it does not follow the run before it", err);
	hd_chain_link(p->origin, p->seq, p->prev, p->content, want);
	if (strcmp(want, p->hash))
		return altered(w, p, "its hash does not match its content", err);
	if (!is_named(p))
		return altered(w, p, "its id does not match its time, commit and hash", err);
	return 0;
}

static void note(struct walk *w, const struct hd_chain_place *p)
{
	if (p->pruned)
		w->found->pruned++;
	else
		w->found->runs++;
	if (w->anchored)
		w->found->after++;
	if (w->anchor && !w->found->anchor[0] && !strncmp(p->hash, w->anchor, strlen(w->anchor))) {
		snprintf(w->found->anchor, sizeof(w->found->anchor), "%s", p->name);
		w->anchored = true;
	}
}

/* The places of one chain, in order. */
static int walk_chain(struct walk *w, struct hd_err *err)
{
	struct hd_chain_place p;
	struct hd_db_rows r;
	int rc;

	rc = hd_chain_places(&r, w->db, w->origin, err);
	while (rc >= 0 && (rc = hd_chain_next(&r, &p, err)) > 0) {
		if (!hd_chain_place_whole(&p))
			rc = hd_fail(err, HD_ENO, "%s: a run without its hashes", hd_db_name(w->db));
		else
			rc = check_place(w, &p, err);
		if (rc >= 0) {
			note(w, &p);
			free(w->hash);
			w->hash = hd_strdup(p.hash);
			w->seq = p.seq;
		}
		hd_chain_place_release(&p);
	}
	hd_db_end(&r);
	return rc;
}

/* Compare the last place of the chain with its head. */
static int check_end(struct walk *w, int64_t head_seq, const char *head_hash, struct hd_err *err)
{
	if (w->seq < head_seq)
		return hd_fail(err, HD_ENO,
			"%s: chain %s: its newest run is missing: it ends at %lld, its head is %lld", hd_db_name(w->db),
			w->origin, (long long)w->seq, (long long)head_seq);
	if (w->seq > head_seq)
		return hd_fail(err, HD_ENO,
			"%s: chain %s: a run was inserted after its head: it ends at %lld, its head is %lld",
			hd_db_name(w->db), w->origin, (long long)w->seq, (long long)head_seq);
	if (w->seq && (!head_hash || strcmp(head_hash, w->hash)))
		return hd_fail(err, HD_ENO, "%s: chain %s: its newest run was replaced: its head has another hash",
			hd_db_name(w->db), w->origin);
	return 0;
}

static int walk_all(struct walk *w, struct hd_err *err)
{
	struct hd_chain_heads heads;
	int rc = hd_chain_heads(&heads, w->db, err);

	for (size_t i = 0; i < heads.n && rc >= 0; i++) {
		const struct hd_chain_head *h = &heads.items[i];

		if (!hd_chain_head_is_of(h, "runs"))
			continue;
		free(w->hash);
		w->origin = h->origin;
		w->hash = hd_strdup(HD_CHAIN_START);
		w->seq = 0;
		w->anchored = false;
		w->found->chains++;
		rc = w->origin ? walk_chain(w, err)
			       : hd_fail(err, HD_ENO, "%s: a chain without a name", hd_db_name(w->db));
		if (rc >= 0)
			rc = check_end(w, h->seq, h->hash, err);
	}
	hd_chain_heads_release(&heads);
	return rc;
}

static int count_strays(struct hd_db *db, struct hd_err *err)
{
	int64_t strays;
	int rc;

	rc = hd_db_query_int(db, &strays, 0, err,
		"SELECT (SELECT COUNT(*) FROM run r WHERE NOT EXISTS (SELECT 1 FROM chain c WHERE c.origin = r.origin "
		"AND c.kind = 'runs')) + (SELECT COUNT(*) FROM tombstone t WHERE NOT EXISTS (SELECT 1 FROM chain c "
		"WHERE c.origin = t.origin AND c.kind = 'runs'))",
		"");
	if (rc >= 0 && strays)
		rc = hd_fail(err, HD_ENO, "%s: %lld runs belong to no chain", hd_db_name(db), (long long)strays);
	return rc;
}

static int check_all(struct walk *w, struct hd_err *err)
{
	int rc = hd_db_check(w->db, err);

	if (rc >= 0)
		rc = walk_all(w, err);
	if (rc >= 0)
		rc = count_strays(w->db, err);
	if (rc >= 0)
		rc = hd_derived_columns_check(w->db, err);
	if (rc >= 0)
		rc = hd_journal_check(w->db, err);
	return rc < 0 ? rc : hd_db_check_references(w->db, err);
}

int hd_chain_verify(struct hd_db *db, const char *anchor, struct hd_chain_walk *found, struct hd_err *err)
{
	struct walk w = { .db = db, .found = found, .anchor = anchor };
	int rc, began;

	*found = (struct hd_chain_walk){ 0 };
	/* Use a transaction: otherwise another process could add a run between reading the head and the places. */
	began = hd_db_begin_reading(db, err);
	rc = began < 0 ? began : check_all(&w, err);
	free(w.hash);
	if (rc >= 0 && anchor && !found->anchor[0])
		rc = hd_fail(err, HD_ENO,
			"%s: no run has the hash %s: the history was rewritten since the hash was noted, or it is "
			"of another database",
			hd_db_name(db), anchor);
	if (began > 0)
		hd_db_rollback(db);
	return rc < 0 ? rc : 0;
}
