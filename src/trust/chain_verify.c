/*
 * chain_verify.c - verify a whole database: see chain.h
 *
 * Portions of chains (chain_walk.h) are checked by several threads, each with a connection that sees the same snapshot.
 * They take the portions in order, so all portions before the first invalid one are checked, and its error is the
 * result.  The calling thread makes the other checks first, and then takes portions, too.
 */
#include "trust/chain.h"

#include "base/cpus.h"
#include "base/mem.h"
#include "db/row_ids.h"
#include "db/snapshot.h"
#include "db/writers.h"
#include "trust/chain_walk.h"
#include "trust/derived_columns.h"
#include "trust/journal.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* ---- portions, by one or several threads ---- */

enum {
	MAX_THREADS = 64,
	/* A portion costs two round trips, so it should not be small; but each thread should get several of them. */
	LEAST_PORTION = 256, PORTIONS_PER_THREAD = 4,
};

struct crew {
	struct hd_db *db;		/* of the calling thread */
	char snapshot[HD_DB_SNAPSHOT];
	atomic_bool over;		/* no portion is left: threads that have no connection yet must end */

	pthread_mutex_t lock;		/* for all members below */
	pthread_cond_t changed;		/* `working` or `nreturned` changed */
	struct hd_chain_plan plan;
	/* portions of threads whose connection failed; others check them again */
	struct hd_chain_portion returned[MAX_THREADS];
	size_t nreturned;
	size_t working;			/* number of threads that have a portion, without the calling thread */
	/* sums of all portions; the run of the anchor is that of the portion with the number `anchor_portion` */
	struct hd_chain_portion_result found;
	size_t anchor_portion;
	/* the first invalid portion; rc 0: none */
	size_t invalid;
	int rc;
	struct hd_err err;
};

/* Take the next portion that may contain the first error.  The caller holds the lock. */
static bool take(struct crew *c, struct hd_chain_portion *p)
{
	while (c->nreturned) {
		*p = c->returned[--c->nreturned];
		if (!c->rc || p->number < c->invalid)
			return true;
	}
	return !c->rc && hd_chain_plan_next(&c->plan, p);
}

/* Add the result of a portion to those of all.  The caller holds the lock. */
static void add(struct crew *c, const struct hd_chain_portion *p, const struct hd_chain_portion_result *found, int rc,
	const struct hd_err *err)
{
	struct hd_chain_portion_result *sum = &c->found;

	if (rc < 0 && (!c->rc || p->number < c->invalid)) {
		c->rc = rc;
		c->err = *err;
		c->invalid = p->number;
	}
	sum->runs += found->runs;
	sum->pruned += found->pruned;
	if (found->anchor[0] && (!sum->anchor[0] || p->number < c->anchor_portion)) {
		memcpy(sum->anchor, found->anchor, sizeof(sum->anchor));
		sum->after = found->after;
		c->anchor_portion = p->number;
	}
	HD_GROW(sum->ids, sum->nids + found->nids + 1, sum->ids_cap);
	if (found->nids)
		memcpy(sum->ids + sum->nids, found->ids, found->nids * sizeof(*sum->ids));
	sum->nids += found->nids;
}

/* Check portions with the connection `db`.  Another thread than the calling one ends if its connection fails. */
static void check_portions(struct crew *c, struct hd_db *db)
{
	struct hd_chain_portion_result found;
	struct hd_chain_portion p;
	struct hd_err err = { 0 };
	bool own = db != c->db, lost = false;

	pthread_mutex_lock(&c->lock);
	while (!lost && take(c, &p)) {
		int rc;

		c->working += own;
		pthread_mutex_unlock(&c->lock);
		rc = hd_chain_portion_check(&found, &c->plan, &p, db, &err);
		pthread_mutex_lock(&c->lock);
		lost = own && rc < 0 && rc != HD_ENO;
		if (lost)
			c->returned[c->nreturned++] = p;
		else
			add(c, &p, &found, rc, &err);
		free(found.ids);
		c->working -= own;
		pthread_cond_signal(&c->changed);
	}
	pthread_mutex_unlock(&c->lock);
}

/* A thread with its own connection.  If the server refuses the connection, the other threads check all portions. */
static void *work(void *arg)
{
	struct crew *c = arg;
	struct hd_db *db = NULL;

	if (hd_db_open_snapshot(&db, c->db, c->snapshot, &c->over, NULL) >= 0)
		check_portions(c, db);
	hd_db_close(db);
	return NULL;
}

/* Check all portions that are left, also those that other threads return because their connection failed. */
static void check_portions_left(struct crew *c)
{
	bool left = true;

	while (left) {
		check_portions(c, c->db);
		pthread_mutex_lock(&c->lock);
		while (c->working && !c->nreturned)
			pthread_cond_wait(&c->changed, &c->lock);
		left = c->nreturned > 0;
		pthread_mutex_unlock(&c->lock);
	}
	atomic_store(&c->over, true);
}

/* ---- all checks ---- */

struct verification {
	struct hd_db *db;
	const struct hd_chain_verify_opts *o;
	struct hd_chain_walk *found;
	struct hd_chain_heads heads;
	struct crew crew;
	unsigned threads;
};

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

/*
 * Count the entries of all chains, which shows that one was deleted or inserted, also among those that are not read.
 * This includes what count_strays() finds.
 */
static int count_entries(struct hd_db *db, struct hd_err *err)
{
	struct hd_db_rows r;
	int rc = hd_chain_count_start(&r, db, err);

	if (rc >= 0)
		rc = hd_db_next(&r, err);
	if (rc > 0 && hd_col_int(&r, 0))
		rc = hd_fail(err, HD_ENO,
			"%s: runs, gates or acknowledgements were inserted or deleted without their chains; 'hotdrift "
			"verify' without --since names the first",
			hd_db_name(db));
	hd_db_end(&r);
	return rc;
}

/*
 * Commands order runs of the same time by run.id.  Check that the ids of a chain rise with the places in it, as `add`
 * and `merge` assign them in a file.  On a server, ids come from a sequence, and two writers of a chain can get them in
 * another order.
 */
static int check_order(struct hd_db *db, struct hd_err *err)
{
	struct hd_db_rows r = { 0 };
	int rc = hd_db_has_writers(db) ? 0 : hd_db_query(&r, db, err,
		"SELECT run_id FROM (SELECT run_id, id, seq, LAG(id) OVER (PARTITION BY origin ORDER BY seq) AS before "
		"FROM run) t WHERE id < before ORDER BY seq LIMIT 1", "");

	if (rc >= 0 && r.stmt && (rc = hd_db_next(&r, err)) > 0) {
		char *name = hd_col_text(&r, 0);

		rc = hd_fail(err, HD_ENO, "%s: run %s: its row was renumbered: run.id is less than that of the run "
			"before it in its chain", hd_db_name(db), name ? name : "without an id");
		free(name);
	}
	hd_db_end(&r);
	return rc < 0 ? rc : 0;
}

/* Make the checks that follow those of the chains of runs. */
static int check_rest(struct verification *v, struct hd_err *err)
{
	const struct hd_verified_heads *since = v->o->since;
	struct hd_chain_portion_result *runs = &v->crew.found;
	struct hd_db *db = v->db;
	int rc = since ? count_entries(db, err) : count_strays(db, err);

	if (rc >= 0)
		rc = check_order(db, err);
	if (rc >= 0 && since && runs->nids)
		qsort(runs->ids, runs->nids, sizeof(*runs->ids), hd_row_id_order);
	if (rc >= 0)
		rc = since ? hd_derived_columns_check_runs(db, runs->ids, runs->nids, err)
			   : hd_derived_columns_check(db, err);
	if (rc >= 0)
		rc = hd_journal_check(db, since, &v->found->unread_journal, err);
	return rc < 0 || since ? rc : hd_db_check_references(db, err);
}

/* Check all portions with up to v->threads threads, and the rest. */
static int check_in_threads(struct verification *v, struct hd_err *err)
{
	struct crew *c = &v->crew;
	int64_t portions = (c->plan.entries + c->plan.portion - 1) / c->plan.portion;
	pthread_t threads[MAX_THREADS];
	struct hd_err rest_err = { 0 };
	unsigned n = 0;
	bool beside;
	int rest = 0;

	while (n + 1 < v->threads && n + 1 < portions && !pthread_create(&threads[n], NULL, work, c))
		n++;
	/* With `since`, the other checks need the runs of all portions. */
	beside = n && !v->o->since;
	if (beside)
		rest = check_rest(v, &rest_err);
	check_portions_left(c);
	for (unsigned i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	if (c->rc >= 0 && !beside)
		rest = check_rest(v, &rest_err);
	if (err && (c->rc < 0 || rest < 0))
		*err = c->rc < 0 ? c->err : rest_err;
	return c->rc < 0 ? c->rc : rest;
}

static int check_all(struct verification *v, struct hd_err *err)
{
	struct crew *c = &v->crew;
	int64_t share;
	int rc = hd_db_check(v->db, err);

	if (rc >= 0 && !v->o->since)
		rc = hd_db_check_storage(v->db, err);
	/* With `since`, table hotspot is skipped: it has most rows, and the hashes of the runs cover their types. */
	if (rc >= 0)
		rc = hd_db_check_types(v->db, NULL, v->o->since ? "hotspot" : NULL, err);
	if (rc >= 0)
		rc = hd_chain_heads(&v->heads, v->db, err);
	if (rc >= 0)
		rc = hd_chain_plan_make(&c->plan, v->db, &v->heads, v->o->since, err);
	if (rc < 0)
		return rc;
	c->db = v->db;
	c->plan.anchor = v->o->anchor;
	share = c->plan.entries / ((int64_t)v->threads * PORTIONS_PER_THREAD);
	if (v->threads > 1 && share < c->plan.portion)
		c->plan.portion = share > LEAST_PORTION ? share : LEAST_PORTION;
	pthread_mutex_init(&c->lock, NULL);
	pthread_cond_init(&c->changed, NULL);
	rc = check_in_threads(v, err);
	pthread_cond_destroy(&c->changed);
	pthread_mutex_destroy(&c->lock);
	return rc;
}

/*
 * Begin the transaction that sees one state of the database: otherwise another process could add a run between reading
 * the head and the entries.  Export its snapshot if several threads shall be used.  Returns as hd_db_begin_reading().
 */
static int begin(struct verification *v, struct hd_err *err)
{
	int rc = 0, began = hd_db_begin_reading(v->db, err);

	v->threads = v->o->threads ? v->o->threads : hd_cpus();
	if (v->threads > MAX_THREADS)
		v->threads = MAX_THREADS;
	if (began > 0 && v->threads > 1)
		rc = hd_db_export_snapshot(v->db, v->crew.snapshot, NULL);
	if (rc <= 0)
		v->threads = 1;
	if (rc >= 0)
		return began;
	hd_db_rollback(v->db);		/* the server has no snapshots, and the transaction has failed */
	return hd_db_begin_reading(v->db, err);
}

static void fill(struct hd_chain_walk *found, const struct crew *c)
{
	found->chains = (int64_t)c->plan.heads.n;
	found->runs = c->found.runs;
	found->pruned = c->found.pruned;
	found->unread = c->plan.unread;
	memcpy(found->anchor, c->found.anchor, sizeof(found->anchor));
	found->after = c->found.after;
}

int hd_chain_verify(struct hd_db *db, const struct hd_chain_verify_opts *o, struct hd_chain_walk *found,
	struct hd_err *err)
{
	static const struct hd_chain_verify_opts none = { 0 };
	struct verification *v = hd_new(struct verification);
	int rc, began;

	*found = (struct hd_chain_walk){ 0 };
	v->db = db;
	v->o = o ? o : &none;
	v->found = found;
	began = begin(v, err);
	rc = began < 0 ? began : check_all(v, err);
	fill(found, &v->crew);
	if (rc >= 0 && v->o->anchor && !found->anchor[0])
		rc = hd_fail(err, HD_ENO,
			"%s: no run has the hash %s: the history was rewritten since the hash was noted, or it is "
			"of another database",
			hd_db_name(db), v->o->anchor);
	if (began > 0)
		hd_db_rollback(db);
	hd_chain_plan_release(&v->crew.plan);
	if (v->o->heads)
		*v->o->heads = v->heads;
	else
		hd_chain_heads_release(&v->heads);
	free(v->crew.found.ids);
	free(v);
	return rc < 0 ? rc : 0;
}
