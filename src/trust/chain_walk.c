/*
 * chain_walk.c - see chain_walk.h
 */
#include "trust/chain_walk.h"

#include "base/mem.h"
#include "db/row_ids.h"
#include "db/row_reader.h"
#include "trust/content_hash.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- plan ---- */

/* Return the number of entries of chain i after the one that was verified before, as its head claims. */
static int64_t new_entries(const struct hd_chain_plan *plan, size_t i)
{
	int64_t verified = plan->verified[i] ? plan->verified[i]->seq : 0, head = plan->heads.items[i].seq;

	return head > verified ? head - verified : 0;
}

/* Fail if a chain of plan->since is not in the database.  seen: indexed like plan->since->items. */
static int check_gone(const struct hd_chain_plan *plan, const bool *seen, struct hd_db *db, struct hd_err *err)
{
	for (size_t i = 0; i < plan->since->n; i++)
		if (!seen[i])
			return hd_fail(err, HD_ENO,
				"%s: chain %s of %s is missing: it was removed, or the file is of another database",
				hd_db_name(db), plan->since->items[i].origin, plan->since->path);
	return 0;
}

int hd_chain_plan_make(struct hd_chain_plan *plan, struct hd_db *db, const struct hd_chain_heads *heads,
	const struct hd_verified_heads *since, struct hd_err *err)
{
	enum { MOST = 1 << 30 };	/* bounds the estimates if a head is wrong */
	bool *seen = hd_new_array(bool, (since ? since->n : 0) + 1);
	size_t n = 0;
	int rc = 0;

	*plan = (struct hd_chain_plan){ .portion = HD_CHAIN_PORTION, .since = since };
	plan->heads.items = hd_new_array(struct hd_chain_head, heads->n + 1);
	plan->verified = hd_new_array(const struct hd_verified_head *, heads->n + 1);
	plan->lists = hd_db_list_size(db) > 1;
	for (size_t i = 0; i < heads->n; i++) {
		const struct hd_chain_head *h = &heads->items[i];
		bool journal = hd_chain_head_is_of(h, "journal");
		const struct hd_verified_head *v = since && h->origin && (journal || hd_chain_head_is_of(h, "runs"))
			? hd_verified_heads_find(since, h->origin, journal) : NULL;

		if (v)
			seen[v - since->items] = true;
		if (!hd_chain_head_is_of(h, "runs"))
			continue;
		plan->heads.items[n] = *h;
		plan->verified[n] = v;
		plan->entries += new_entries(plan, n) < MOST ? new_entries(plan, n) : MOST;
		plan->unread += v ? v->seq : 0;
		n++;
	}
	plan->heads.n = n;
	if (since)
		rc = check_gone(plan, seen, db, err);
	free(seen);
	return rc;
}

void hd_chain_plan_release(struct hd_chain_plan *plan)
{
	free(plan->heads.items);	/* their texts are borrowed */
	free(plan->verified);
	*plan = (struct hd_chain_plan){ 0 };
}

/* Return the number of rows of chain i that a portion reads: also the entry that was verified before. */
static int64_t rows_of(const struct hd_chain_plan *plan, size_t i)
{
	return new_entries(plan, i) + (plan->verified[i] != NULL);
}

/* Return true if one statement can read chain i together with the chain before it. */
static bool joins_chain_before(const struct hd_chain_plan *plan, size_t i)
{
	const struct hd_chain_head *h = &plan->heads.items[i];

	return h->origin && h->is_local == h[-1].is_local && !plan->verified[i] == !plan->verified[i - 1] &&
		(plan->lists || !plan->verified[i]);
}

bool hd_chain_plan_next(struct hd_chain_plan *plan, struct hd_chain_portion *p)
{
	size_t i = plan->chain;
	const struct hd_chain_head *h = &plan->heads.items[i];
	int64_t from = plan->from, rows;

	if (i == plan->heads.n)
		return false;
	*p = (struct hd_chain_portion){ .number = plan->handed++, .chain = i, .end = i + 1, .from = from, .to = -1 };
	if (!from)
		from = plan->verified[i] ? plan->verified[i]->seq + 1 : 1;
	if (h->origin && h->seq > from && h->seq - from >= plan->portion) {
		p->to = plan->from = from + plan->portion;
		return true;
	}
	plan->from = 0;
	rows = rows_of(plan, i);
	if (!p->from && h->origin)
		while (p->end < plan->heads.n && joins_chain_before(plan, p->end) &&
			rows_of(plan, p->end) <= plan->portion - rows)
			rows += rows_of(plan, p->end++);
	plan->chain = p->end;
	return true;
}

/* ---- entries ---- */

/* State of a portion: the hash chain that is being read, and seq and hash of its previous entry. */
struct walk {
	struct hd_db *db;
	struct hd_chain_portion_result *found;
	const struct hd_chain_plan *plan;
	const struct hd_chain_portion *portion;
	const struct hd_chain_head *heads;	/* those of the plan */
	size_t at;			/* the chain that is being read */
	int64_t seq;
	char *hash;			/* NULL: not known before this entry is read */
	bool reads_before;		/* the entry `seq` is still to be read: the next entry must be this one */
	size_t adding;			/* the chain whose entries are being added to the batch */
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

/* Add an entry to the result. */
static void note(struct walk *w, const struct hd_chain_place *p)
{
	struct hd_chain_portion_result *found = w->found;
	const char *anchor = w->plan->anchor;

	if (p->pruned)
		found->pruned++;
	else
		found->runs++;
	if (anchor && !found->anchor[0] && !strncmp(p->hash, anchor, strlen(anchor))) {
		snprintf(found->anchor, sizeof(found->anchor), "%s", p->name);
		found->after = w->heads[w->at].seq - p->seq;
	}
	if (w->plan->since && !p->pruned) {
		HD_GROW(found->ids, found->nids + 1, found->ids_cap);
		found->ids[found->nids++] = p->id;
	}
}

/*
 * Entries of hash chains that are checked together.  The rows of their runs are read by the same SQL statements.  A
 * batch is full if it has BATCH entries (FILE_BATCH with a file).  With a server, it is also full if its runs have
 * about ROWS rows, which bounds the memory of the results.
 */
enum { BATCH = HD_CHAIN_PORTION, FILE_BATCH = 128, ROWS = 180000 };
struct batch {
	struct hd_chain_place places[BATCH];
	char contents[BATCH][HD_SHA256_HEX];
	/* the entry precedes the first one that the portion checks, so its content is not hashed */
	bool before[BATCH];
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
static const struct hd_row_query sizes_of_list = HD_ROW_QUERY(struct size, size_fields,
	"FROM run r " HD_CHAIN_IN_LIST("r") " ORDER BY r.id");

static bool is_hashed_in(const struct batch *b, size_t i, int64_t form)
{
	return !b->places[i].pruned && !b->before[i] && b->places[i].form == form;
}

/* Hash the contents of those runs of the batch whose content is hashed in this form (content_hash.h). */
static int hash_form(struct walk *w, struct batch *b, int64_t form, struct hd_err *err)
{
	char (*sums)[HD_SHA256_HEX] = hd_zalloc(b->n + 1, sizeof(*sums));
	int64_t *ids = hd_new_array(int64_t, b->n + 1);
	size_t n = 0;
	int rc;

	for (size_t i = 0; i < b->n; i++)
		if (is_hashed_in(b, i, form))
			ids[n++] = b->places[i].id;
	qsort(ids, n, sizeof(*ids), hd_row_id_order);
	rc = hd_chain_contents(w->db, ids, n, form, sums, err);
	for (size_t i = 0; i < b->n && rc >= 0; i++) {
		const int64_t *at = bsearch(&b->places[i].id, ids, n, sizeof(*ids), hd_row_id_order);

		if (at && is_hashed_in(b, i, form))
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
		if (is_hashed_in(b, i, b->places[i].form) && !b->contents[i][0] &&
			hd_content_hash_has_form(b->places[i].form))
			rc = hash_form(w, b, b->places[i].form, err);
	return rc;
}

/* ---- chains ---- */

/* Return the number of the entry before the first one of chain `at` that the portion checks; 0 for its first one. */
static int64_t entry_before(const struct walk *w, size_t at)
{
	const struct hd_verified_head *v = w->plan->verified[at];

	if (w->portion->from)
		return w->portion->from - 1;
	return v ? v->seq : 0;
}

static void begin_chain(struct walk *w, size_t at)
{
	bool ends = at == w->portion->end;
	const struct hd_verified_head *v = ends ? NULL : w->plan->verified[at];

	free(w->hash);
	w->at = at;
	w->seq = ends ? 0 : entry_before(w, at);
	w->reads_before = w->seq > 0;
	w->hash = w->portion->from ? NULL : hd_strdup(v ? v->hash : HD_CHAIN_START);
}

/* Report that the entry is missing which precedes those that this portion checks. */
static int fail_without_before(const struct walk *w, struct hd_err *err)
{
	const char *origin = w->heads[w->at].origin;

	if (w->portion->from)	/* the portion before this one reports it as well, and more precisely */
		return hd_fail(err, HD_ENO, "%s: chain %s: its run %lld is missing", hd_db_name(w->db), origin,
			(long long)w->seq);
	return hd_fail(err, HD_ENO,
		"%s: chain %s: its run %lld, which was verified before (%s), is missing: the history was replaced by "
		"an older or another one",
		hd_db_name(w->db), origin, (long long)w->seq, w->plan->since->path);
}

/* Check the entry that precedes those that this portion checks. */
static int check_before(struct walk *w, const struct hd_chain_place *p, struct hd_err *err)
{
	if (!hd_chain_place_whole(p))
		return hd_fail(err, HD_ENO, "%s: a run without its hashes", hd_db_name(w->db));
	if (p->seq != w->seq)
		return fail_without_before(w, err);
	if (w->hash && strcmp(w->hash, p->hash))
		return hd_fail(err, HD_ENO,
			"%s: run %s (%lld of its chain) is not the one that was verified before (%s): the history "
			"was rewritten, or the file is of another database",
			hd_db_name(w->db), p->name, (long long)p->seq, w->plan->since->path);
	if (!w->hash)
		w->hash = hd_strdup(p->hash);
	w->reads_before = false;
	return 0;
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
		rc = w->reads_before ? fail_without_before(w, err) : check_end(w, &w->heads[w->at], err);
		begin_chain(w, w->at + 1);
	}
	if (rc >= 0 && origin && w->at == end)
		rc = hd_fail(err, HD_ENO, "%s: a run without its chain", hd_db_name(w->db));
	return rc;
}

/* Check an entry that this portion checks, and make it the previous one. */
static int check_new(struct walk *w, const struct hd_chain_place *p, char content[HD_SHA256_HEX], struct hd_err *err)
{
	int rc = check_place(w, p, content, err);

	if (rc >= 0) {
		note(w, p);
		free(w->hash);
		w->hash = hd_strdup(p->hash);
		w->seq = p->seq;
	}
	return rc;
}

/* Check the entries of a batch and empty the batch. */
static int check_batch(struct walk *w, struct batch *b, struct hd_err *err)
{
	int rc = hash_all(w, b, err);

	for (size_t i = 0; i < b->n; i++) {
		struct hd_chain_place *p = &b->places[i];

		if (rc >= 0 && p->origin)
			rc = end_chains(w, w->portion->end, p->origin, err);
		if (rc >= 0)
			rc = w->reads_before ? check_before(w, p, err) : check_new(w, p, b->contents[i], err);
		hd_chain_place_release(p);
	}
	memset(b, 0, sizeof(*b));
	return rc;
}

/* Return true if the entry precedes those of its chain that this portion checks.  Entries come in order of chains. */
static bool is_before(struct walk *w, const struct hd_chain_place *p)
{
	while (p->origin && w->adding < w->portion->end && strcmp(w->heads[w->adding].origin, p->origin))
		w->adding++;
	return w->adding < w->portion->end && entry_before(w, w->adding) > 0 &&
		p->seq <= entry_before(w, w->adding);
}

/* Add an entry to the batch.  Return true if the batch is full, or if its last entry is damaged. */
static bool add_place(struct walk *w, struct batch *b, const struct hd_chain_place *p, const struct hd_row_list *sizes)
{
	const struct size *size = sizes->items;
	size_t at = p->pruned ? sizes->n : hd_row_list_find(sizes, &sizes_of_range, p->id);

	b->before[b->n] = is_before(w, p);
	b->places[b->n++] = *p;
	if (at < sizes->n && size[at].run == p->id && size[at].rows > 0)
		b->rows += size[at].rows < ROWS ? size[at].rows : ROWS;
	return b->n == (w->plan->lists ? BATCH : FILE_BATCH) || b->rows >= ROWS || !hd_chain_place_whole(p);
}

/* Check the entries of a query of hd_chain_next(). */
static int walk_places(struct walk *w, struct hd_db_rows *r, const struct hd_row_list *sizes, struct hd_err *err)
{
	struct batch *b = hd_new(struct batch);
	struct hd_chain_place p;
	int rc = 0;

	w->adding = w->at;
	while (rc >= 0 && (rc = hd_chain_next(r, &p, err)) > 0)
		rc = add_place(w, b, &p, sizes) ? check_batch(w, b, err) : 0;
	if (rc >= 0)
		rc = check_batch(w, b, err);
	for (size_t i = 0; i < b->n; i++)
		hd_chain_place_release(&b->places[i]);
	free(b);
	return rc;
}

/* Check the entries of a range of chains. */
static int walk_range(struct walk *w, const struct hd_chain_range *range, struct hd_err *err)
{
	struct hd_row_list sizes = { 0 };
	struct hd_db_rows r = { 0 };
	int rc = 0;

	if (w->plan->lists)
		rc = hd_row_load(&sizes, &sizes_of_range, w->db, NULL, err, HD_CHAIN_RANGE_VALUES(range));
	if (rc >= 0)
		rc = hd_chain_range_places(&r, w->db, range, err);
	if (rc >= 0)
		rc = walk_places(w, &r, &sizes, err);
	hd_db_end(&r);
	free(sizes.items);
	return rc;
}

/* Check several chains from the entries on that were verified before, with one statement. */
static int walk_list(struct walk *w, struct hd_err *err)
{
	struct hd_buf origins = { 0 }, seqs = { 0 };
	struct hd_row_list sizes = { 0 };
	struct hd_db_rows r = { 0 };
	int rc;

	/* The origins are those of a file of verified heads, so they are hexadecimal digits. */
	for (size_t i = w->portion->chain; i < w->portion->end; i++) {
		hd_buf_addf(&origins, "%c%s", i == w->portion->chain ? '{' : ',', w->heads[i].origin);
		hd_buf_addf(&seqs, "%c%lld", i == w->portion->chain ? '{' : ',', (long long)entry_before(w, i));
	}
	hd_buf_addc(&origins, '}');
	hd_buf_addc(&seqs, '}');
	rc = hd_row_load(&sizes, &sizes_of_list, w->db, NULL, err, "tt", hd_buf_str(&origins), hd_buf_str(&seqs));
	if (rc >= 0)
		rc = hd_chain_list_places(&r, w->db, hd_buf_str(&origins), hd_buf_str(&seqs), err);
	if (rc >= 0)
		rc = walk_places(w, &r, &sizes, err);
	hd_db_end(&r);
	free(sizes.items);
	hd_buf_release(&origins);
	hd_buf_release(&seqs);
	return rc;
}

/* Check the chains of the portion, or the part of a chain. */
static int walk_portion(struct walk *w, struct hd_err *err)
{
	const struct hd_chain_portion *portion = w->portion;
	const struct hd_chain_head *h = &w->heads[portion->chain];
	struct hd_chain_range range = { h->origin, w->heads[portion->end - 1].origin, h->is_local, -1, portion->to };
	int rc;

	if (!h->origin)
		return check_end(w, h, err);
	if (w->reads_before)
		range.from = w->seq;
	rc = portion->end - portion->chain > 1 && w->reads_before ? walk_list(w, err) : walk_range(w, &range, err);
	if (rc < 0 || portion->to < 0)
		return rc < 0 ? rc : end_chains(w, portion->end, NULL, err);
	if (w->reads_before)
		return fail_without_before(w, err);
	if (w->seq + 1 == portion->to)
		return 0;
	/* The part lacks its last entries: report the entry that follows, or the end of the chain. */
	range.from = w->seq + 1;
	range.to = -1;
	rc = walk_range(w, &range, err);
	return rc < 0 ? rc : end_chains(w, portion->end, NULL, err);
}

int hd_chain_portion_check(struct hd_chain_portion_result *found, const struct hd_chain_plan *plan,
	const struct hd_chain_portion *portion, struct hd_db *db, struct hd_err *err)
{
	struct walk w = { .db = db, .found = found, .plan = plan, .portion = portion, .heads = plan->heads.items };
	int rc;

	*found = (struct hd_chain_portion_result){ 0 };
	begin_chain(&w, portion->chain);
	rc = walk_portion(&w, err);
	free(w.hash);
	return rc < 0 ? rc : 0;
}
