/*
 * chain_verify.c - verify the hash chains of a database: see chain.h
 */
#include "trust/chain.h"

#include "base/mem.h"
#include "db/row_ids.h"
#include "db/row_reader.h"
#include "trust/content_hash.h"
#include "trust/derived_columns.h"
#include "trust/journal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* State of the verification: the hash chain that is being read, and seq and hash of its previous entry. */
struct walk {
	struct hd_db *db;
	struct hd_chain_walk *found;
	const char *anchor;
	const struct hd_chain_head *heads;	/* heads of all chains of runs, in the order in which they are read */
	size_t nheads, at;			/* at: the chain that is being read */
	int64_t seq;
	char *hash;
	bool anchored;			/* the run whose hash begins with `anchor` is in this chain */
};

/*
 * Return true if the id of a run consists of its time, its commit and the start of its hash.  For a tombstone, only the
 * hash is compared, because it does not store time and commit.
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

/*
 * Check one entry of a hash chain.  content: the hash of the run's present content; "" for a tombstone and if the form
 * is unknown.
 */
static int check_place(struct walk *w, const struct hd_chain_place *p, char content[HD_SHA256_HEX], struct hd_err *err)
{
	char want[HD_SHA256_HEX];
	int rc;

	if (!hd_chain_place_whole(p))
		return hd_fail(err, HD_ENO, "%s: a run without its hashes", hd_db_name(w->db));
	if (!p->pruned && !*content) {
		rc = hd_chain_content(w->db, p->id, p->form, content, err);
		if (rc < 0)
			return rc;
	}
	if (p->seq != w->seq + 1)
		return altered(w, p, p->seq <= w->seq ? "another run has the same place" : "a run before it is missing",
			err);
	if (!p->pruned && strcmp(content, p->content))
		return altered(w, p, "its content was changed after it was added", err);
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

/*
 * Entries of hash chains that are checked together.  The rows of their runs are read by the same SQL statements.  A
 * batch is full if it has BATCH entries (FILE_BATCH with a file).  With a server, it is also full if its runs have
 * about ROWS rows, which bounds the memory of the results.
 */
enum { BATCH = 2048, FILE_BATCH = 128, ROWS = 180000 };
struct batch {
	struct hd_chain_place places[BATCH];
	char contents[BATCH][HD_SHA256_HEX];
	size_t n;
	int64_t rows;			/* estimated number of rows of the runs; 0 with a file */
};

/* The estimated number of rows of one run. */
struct size {
	int64_t run, rows;
};
static const struct hd_row_field size_fields[] = {
	HD_ROW(struct size, run, "r.id", INT),
	HD_ROW(struct size, rows,
		"COALESCE((SELECT CAST(SUM(COALESCE(e.symbols, 1000) - COALESCE(e.rest_symbols, 0)) AS BIGINT) "
		"FROM event e WHERE e.run_id = r.id), 0) + (SELECT COUNT(*) FROM series_summary s WHERE s.run_id = "
		"r.id) + (SELECT COUNT(*) FROM benchmark_cover b WHERE b.run_id = r.id)",
		INT_OR_0),
};
static const struct hd_row_query sizes_of_range = HD_ROW_QUERY(struct size, size_fields,
	"FROM run r WHERE " HD_CHAIN_IN_RANGE("r") " ORDER BY r.id");

/* Hash the contents of those runs of the batch whose content is hashed in this form (content_hash.h). */
static int hash_form(struct walk *w, struct batch *b, int64_t form, struct hd_err *err)
{
	char (*sums)[HD_SHA256_HEX] = hd_zalloc(b->n + 1, sizeof(*sums));
	int64_t *ids = hd_new_array(int64_t, b->n + 1);
	size_t n = 0;
	int rc;

	for (size_t i = 0; i < b->n; i++)
		if (!b->places[i].pruned && b->places[i].form == form)
			ids[n++] = b->places[i].id;
	qsort(ids, n, sizeof(*ids), hd_row_id_order);
	rc = hd_chain_contents(w->db, ids, n, form, sums, err);
	for (size_t i = 0; i < b->n && rc >= 0; i++) {
		const int64_t *at = bsearch(&b->places[i].id, ids, n, sizeof(*ids), hd_row_id_order);

		if (at && !b->places[i].pruned && b->places[i].form == form)
			memcpy(b->contents[i], sums[at - ids], sizeof(sums[0]));
	}
	free(sums);
	free(ids);
	return rc;
}

static int hash_all(struct walk *w, struct batch *b, struct hd_err *err)
{
	int rc = 0;

	for (size_t i = 0; i < b->n && rc >= 0; i++)
		if (!b->places[i].pruned && !b->contents[i][0] && hd_content_hash_has_form(b->places[i].form))
			rc = hash_form(w, b, b->places[i].form, err);
	return rc;
}

/* ---- chains ---- */

static void begin_chain(struct walk *w, size_t at)
{
	free(w->hash);
	w->hash = hd_strdup(HD_CHAIN_START);
	w->seq = 0;
	w->anchored = false;
	w->at = at;
}

/* Compare the last entry of the chain with its head. */
static int check_end(const struct walk *w, const struct hd_chain_head *head, struct hd_err *err)
{
	if (!head->origin)
		return hd_fail(err, HD_ENO, "%s: a chain without a name", hd_db_name(w->db));
	if (w->seq < head->seq)
		return hd_fail(err, HD_ENO,
			"%s: chain %s: its newest run is missing: it ends at %lld, its head is %lld", hd_db_name(w->db),
			head->origin, (long long)w->seq, (long long)head->seq);
	if (w->seq > head->seq)
		return hd_fail(err, HD_ENO,
			"%s: chain %s: a run was inserted after its head: it ends at %lld, its head is %lld",
			hd_db_name(w->db), head->origin, (long long)w->seq, (long long)head->seq);
	if (w->seq && (!head->hash || strcmp(head->hash, w->hash)))
		return hd_fail(err, HD_ENO, "%s: chain %s: its newest run was replaced: its head has another hash",
			hd_db_name(w->db), head->origin);
	return 0;
}

/*
 * Compare the last entry of a chain with its head, for each chain from w->at up to, but not including, the chain called
 * `origin`, whose entries follow; fail if there is no such chain.  origin NULL: for all chains with an index below
 * `end`.
 */
static int end_chains(struct walk *w, size_t end, const char *origin, struct hd_err *err)
{
	int rc = 0;

	while (rc >= 0 && w->at < end && !(origin && !strcmp(w->heads[w->at].origin, origin))) {
		rc = check_end(w, &w->heads[w->at], err);
		begin_chain(w, w->at + 1);
	}
	if (rc >= 0 && origin && w->at == end)
		rc = hd_fail(err, HD_ENO, "%s: a run without its chain", hd_db_name(w->db));
	return rc;
}

/* Check the entries of a batch, which belong to chains with an index below `end`, and empty the batch. */
static int check_batch(struct walk *w, struct batch *b, size_t end, struct hd_err *err)
{
	int rc = hash_all(w, b, err);

	for (size_t i = 0; i < b->n; i++) {
		struct hd_chain_place *p = &b->places[i];

		if (rc >= 0 && p->origin)
			rc = end_chains(w, end, p->origin, err);
		if (rc >= 0)
			rc = check_place(w, p, b->contents[i], err);
		if (rc >= 0) {
			note(w, p);
			free(w->hash);
			w->hash = hd_strdup(p->hash);
			w->seq = p->seq;
		}
		hd_chain_place_release(p);
	}
	memset(b, 0, sizeof(*b));
	return rc;
}

/* Add an entry to the batch.  Return true if the batch is full, or if its last entry is damaged. */
static bool add_place(struct batch *b, const struct hd_chain_place *p, const struct hd_row_list *sizes, bool is_file)
{
	const struct size *size = sizes->items;
	size_t at = p->pruned ? sizes->n : hd_row_list_find(sizes, &sizes_of_range, p->id);

	b->places[b->n++] = *p;
	if (at < sizes->n && size[at].run == p->id && size[at].rows > 0)
		b->rows += size[at].rows < ROWS ? size[at].rows : ROWS;
	return b->n == (is_file ? FILE_BATCH : BATCH) || b->rows >= ROWS || !hd_chain_place_whole(p);
}

/* Check the entries of a range of chains, whose indices are below `end`. */
static int walk_range(struct walk *w, const struct hd_chain_range *range, size_t end, struct hd_err *err)
{
	struct batch *b = hd_new(struct batch);
	bool is_file = hd_db_list_size(w->db) == 1;	/* statements cost no round trip */
	struct hd_row_list sizes = { 0 };
	struct hd_chain_place p;
	struct hd_db_rows r = { 0 };
	int rc = 0;

	if (!is_file)
		rc = hd_row_load(&sizes, &sizes_of_range, w->db, NULL, err, HD_CHAIN_RANGE_VALUES(range));
	if (rc >= 0)
		rc = hd_chain_range_places(&r, w->db, range, err);
	while (rc >= 0 && (rc = hd_chain_next(&r, &p, err)) > 0)
		rc = add_place(b, &p, &sizes, is_file) ? check_batch(w, b, end, err) : 0;
	if (rc >= 0)
		rc = check_batch(w, b, end, err);
	for (size_t i = 0; i < b->n; i++)
		hd_chain_place_release(&b->places[i]);
	hd_db_end(&r);
	free(sizes.items);
	free(b);
	return rc;
}

/*
 * Chains are read in portions of at most BATCH entries, but of at least one chain.  Return the index after the last
 * chain of the portion that begins with chain `at`.
 */
static size_t portion_end(const struct walk *w, size_t at)
{
	int64_t entries = 0;
	size_t end = at;

	do {
		int64_t n = w->heads[end].seq;

		entries += n < 0 ? 0 : n < BATCH ? n : BATCH;
		end++;
	} while (end < w->nheads && w->heads[end].origin && w->heads[end].is_local == w->heads[at].is_local &&
		w->heads[end].seq <= BATCH - entries);
	return end;
}

/*
 * Check the chains from w->at up to, but not including, `end`.  A chain with more than BATCH entries is alone and is
 * read in parts.
 */
static int walk_portion(struct walk *w, size_t end, struct hd_err *err)
{
	const struct hd_chain_head *h = &w->heads[w->at];
	struct hd_chain_range range = { h->origin, w->heads[end - 1].origin, h->is_local, -1, -1 };
	int rc = 0;

	if (!h->origin)
		return check_end(w, h, err);
	do {
		/* If the previous part had all of its entries, read the next BATCH ones; if not, all that remain. */
		bool parts = range.to < 0 || range.to == w->seq + 1;

		range.from = w->seq ? w->seq + 1 : -1;
		range.to = parts && h->seq - w->seq > BATCH ? w->seq + 1 + BATCH : -1;
		rc = walk_range(w, &range, end, err);
	} while (rc >= 0 && range.to >= 0);
	return rc < 0 ? rc : end_chains(w, end, NULL, err);
}

static int walk_all(struct walk *w, struct hd_err *err)
{
	struct hd_chain_heads heads;
	size_t n = 0;
	int rc = hd_chain_heads(&heads, w->db, err);

	for (size_t i = 0; i < heads.n; i++) {		/* keep the chains of runs only */
		if (!hd_chain_head_is_of(&heads.items[i], "runs"))
			hd_chain_head_release(&heads.items[i]);
		else
			heads.items[n++] = heads.items[i];
	}
	heads.n = n;
	w->heads = heads.items;
	w->nheads = n;
	w->found->chains = (int64_t)n;
	begin_chain(w, 0);
	while (rc >= 0 && w->at < n)
		rc = walk_portion(w, portion_end(w, w->at), err);
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
	/* Use a transaction: otherwise another process could add a run between reading the head and the entries. */
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
