/*
 * run_set_base.c - see run_set_base.h
 */
#include "history/run_set_base.h"

#include "base/encode.h"
#include "base/mem.h"
#include "db/row_ids.h"
#include "db/row_reader.h"
#include "history/run_set_load.h"
#include "history/git_revision.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Commits that precede the head, nearest first.  If the head's tree was modified, its own commit can be the first one.
 */
struct chain {
	char (*sha)[HD_GIT_REVISION_SHA];
	size_t n;
	char from[48];		/* how the first commit was found, for messages: "merge-base", "parent", ... */
};

static void chain_add(struct chain *c, const char *sha, size_t len)
{
	if (len >= HD_GIT_REVISION_SHA || c->n == HD_RUN_SET_WALK)
		return;
	memcpy(c->sha[c->n], sha, len);
	c->sha[c->n++][len] = '\0';
}

/* Remove the first commit, which is that of the head. */
static void chain_drop_first(struct chain *c)
{
	memmove(c->sha, c->sha + 1, (c->n - 1) * sizeof(*c->sha));
	c->n--;
}

static bool chain_by_git(struct chain *c, const struct hd_run_set *head, const char *onto, const char *dir)
{
	const char *const branches[] = { "main", "origin/main", "master", "origin/master" };
	char base[HD_GIT_REVISION_SHA];
	bool found = onto && hd_git_revision_merge_base(dir, head->commit, onto, base);

	for (size_t i = 0; i < HD_COUNT(branches) && !onto && !found; i++)
		found = hd_git_revision_merge_base(dir, head->commit, branches[i], base);
	if (!found)
		return false;
	c->n = hd_git_revision_first_parents(dir, base, c->sha, HD_RUN_SET_WALK);
	snprintf(c->from, sizeof(c->from), "merge-base");
	if (c->n && !strcmp(base, head->commit) && !head->runs[0].dirty) {
		chain_drop_first(c);
		snprintf(c->from, sizeof(c->from), "parent");
	}
	return c->n > 0;
}

struct parent_row {
	const char *sha, *parents;
};
static const struct hd_row_field parent_fields[] = {
	HD_ROW(struct parent_row, sha, "w.sha", TEXT),
	HD_ROW(struct parent_row, parents, "w.parents", TEXT),
};
/* The name of the first parent, if it has the length of a SHA-1 or a SHA-256; else an empty text or NULL. */
#define FIRST_PARENT \
	"SUBSTR(w.parents, 1, CASE WHEN SUBSTR(w.parents || ' ', 41, 1) = ' ' THEN 40 " \
	"WHEN SUBSTR(w.parents || ' ', 65, 1) = ' ' THEN 64 ELSE 0 END)"
/* A commit and its first-parent ancestors, as far as the database has them. */
static const struct hd_row_query first_parents = HD_ROW_QUERY(struct parent_row, parent_fields,
	"FROM (WITH RECURSIVE w (place, sha, parents) AS (SELECT 1, sha, parents FROM commit_info WHERE sha = $1 "
	"UNION ALL SELECT w.place + 1, c.sha, c.parents FROM w JOIN commit_info c ON c.sha = " FIRST_PARENT
	" WHERE w.place < 200) SELECT place, sha, parents FROM w) w ORDER BY w.place");

/*
 * Add the first-parent ancestors of a commit that the database has.  *of is freed, and becomes the text of the parents
 * of the last of them, or of the commit itself if there is none; NULL if the database does not have the commit or its
 * parents.
 */
static int follow_parents(struct chain *c, struct hd_db *db, const char *sha, char **of, struct hd_err *err)
{
	struct hd_arena arena = { 0 };
	struct hd_row_list list = { 0 };
	const struct parent_row *rows;
	int rc = hd_row_load(&list, &first_parents, db, &arena, err, "t", sha);

	rows = list.items;
	for (size_t i = 1; i < list.n; i++)
		chain_add(c, rows[i].sha, strlen(rows[i].sha));
	free(*of);
	*of = list.n && rows[list.n - 1].parents ? hd_strdup(rows[list.n - 1].parents) : NULL;
	free(list.items);
	hd_arena_release(&arena);
	return rc;
}

/* Follow the parents that are stored in the database.  If the head's tree was modified, its commit is the first one. */
static int chain_by_database(struct chain *c, struct hd_db *db, const struct hd_run_set *head, struct hd_err *err)
{
	const char *parents = head->runs[0].parents;
	char *of = parents ? hd_strdup(parents) : NULL;
	int rc = 0;

	if (of && head->runs[0].dirty)
		chain_add(c, head->commit, strlen(head->commit));
	while (of && *of && c->n < HD_RUN_SET_WALK && rc >= 0) {
		size_t len = strcspn(of, " ");

		if (len >= HD_GIT_REVISION_SHA)
			break;
		chain_add(c, of, len);
		rc = follow_parents(c, db, c->sha[c->n - 1], &of, err);
	}
	free(of);
	snprintf(c->from, sizeof(c->from), head->runs[0].dirty ? "head's commit" : "parent");
	return rc < 0 ? rc : 0;
}

/*
 * For a head whose parents are unknown: order the other commits of the target by their last run before the head's runs,
 * newest first.
 */
static int chain_by_time(struct chain *c, struct hd_db *db, const struct hd_run_set *head, struct hd_err *err)
{
	char *target = hd_enc_visible_new(
		head->runs[0].like[HD_RUN_FIELD_TARGET] ? head->runs[0].like[HD_RUN_FIELD_TARGET] : "");
	struct hd_db_rows r;
	size_t n;
	int rc;

	rc = hd_db_query(&r, db, err,
		"SELECT c.sha, MAX(r.recorded_utc) AS last FROM run r JOIN commit_info c ON c.id = r.commit_id WHERE "
		"r.target = $1 AND r.recorded_utc < $2 AND c.sha <> $3 GROUP BY c.sha ORDER BY last DESC, c.sha LIMIT "
		"200",
		"ttt", target, head->runs[0].recorded, head->commit);
	while (rc >= 0 && (rc = hd_db_next(&r, err)) > 0) {
		const char *sha = hd_col_bytes(&r, 0, &n);

		if (sha)
			chain_add(c, sha, n);
	}
	hd_db_end(&r);
	free(target);
	snprintf(c->from, sizeof(c->from), "commit before by time");
	return rc;
}

static int chain_find(struct chain *c, enum hd_base_status *status, struct hd_db *db, const struct hd_run_set *head,
	const char *onto, const char *dir, struct hd_err *err)
{
	int rc = 0;

	c->sha = hd_zalloc(HD_RUN_SET_WALK, sizeof(*c->sha));
	if (head->commit[0] && chain_by_git(c, head, onto, dir))
		return 0;
	*status = onto ? HD_BASE_NO_MERGE_BASE : HD_BASE_NO_RUNS;
	if (onto)
		return hd_fail(err, HD_ENOBASE,
			"git knows no merge-base of %s and %s; in a shallow clone 'git fetch --unshallow' brings it",
			head->name, onto);
	if (head->commit[0])
		rc = chain_by_database(c, db, head, err);
	if (rc >= 0 && !c->n && !(head->runs[0].parents && !*head->runs[0].parents))
		rc = chain_by_time(c, db, head, err);
	return rc;
}

/* ---- the runs of the commits of a chain ---- */

enum {
	COMMITS_AT_ONCE = 64,	/* commits whose runs are in memory at the same time */
	RUNS_AT_ONCE = 64,	/* runs without a commit that are read together */
};

/* Reads the runs of one target, commit by commit, but queries those of COMMITS_AT_ONCE commits together. */
struct commit_runs {
	struct hd_db *db;
	const struct chain *chain;
	const struct hd_run_set_member *like;	/* selects target and event */
	struct hd_row_ids *ids;			/* commit_info.id of the commits of the chain */
	size_t loaded;				/* number of commits of the chain whose runs were loaded so far */
	/* the runs of the last COMMITS_AT_ONCE commits that were loaded: */
	struct hd_run_set_member *runs;
	size_t n;
	bool counts;				/* run_counts are needed, so they are loaded, too */
	struct hd_row_list run_counts;		/* struct run_count */
};

/* The number of runs of a commit, including those of other targets. */
struct run_count {
	int64_t commit, runs;
};
static const struct hd_row_field count_fields[] = {
	HD_ROW(struct run_count, commit, "commit_id", INT),
	HD_ROW(struct run_count, runs, "COUNT(*)", INT_OR_0),
};
static const struct hd_row_query run_counts = HD_ROW_QUERY(struct run_count, count_fields,
	"FROM run WHERE commit_id IN [$1] GROUP BY commit_id ORDER BY commit_id");

static struct commit_runs commit_runs_of(const struct chain *c, struct hd_db *db, const struct hd_run_set_member *like)
{
	struct commit_runs w = { .db = db, .chain = c, .like = like };

	w.ids = hd_row_ids_new(db, "SELECT sha, id FROM commit_info WHERE sha IN", NULL);
	/* With a file, each id is looked up when it is needed, because a query costs no round trip. */
	for (size_t i = 0; i < c->n && hd_db_list_size(db) > 1; i++)
		hd_row_ids_want(w.ids, c->sha[i]);
	return w;
}

static void commit_runs_release(struct commit_runs *w)
{
	hd_row_ids_free(w->ids);
	free(w->runs);
	free(w->run_counts.items);
}

static int load_portion(struct commit_runs *w, struct hd_run_set *s, struct hd_err *err)
{
	size_t most = hd_db_portion(w->db, COMMITS_AT_ONCE), n = 0;
	struct hd_run_set some = { .arena = s->arena };
	int64_t commits[COMMITS_AT_ONCE];
	int rc = 0;

	while (w->loaded < w->chain->n && n < most && rc >= 0) {
		uint32_t place = hd_row_ids_want(w->ids, w->chain->sha[w->loaded++]);

		rc = hd_row_ids_find(w->ids, err);
		if (rc >= 0 && hd_row_ids_id(w->ids, place))
			commits[n++] = hd_row_ids_id(w->ids, place);
	}
	if (n && rc >= 0)
		rc = hd_run_set_load_commits(&some, w->db, commits, n, w->like->like[HD_RUN_FIELD_TARGET],
			w->like->like[HD_RUN_FIELD_EVENT], err);
	s->arena = some.arena;
	free(w->runs);
	w->runs = some.runs;
	w->n = some.n;
	free(w->run_counts.items);
	w->run_counts = (struct hd_row_list){ 0 };
	if (n && rc >= 0 && w->counts)
		rc = hd_row_load(&w->run_counts, &run_counts, w->db, NULL, err, "l", commits, n);
	return rc;
}

/* Return the number of runs of a commit; 0 if it has none. */
static size_t runs_of(const struct commit_runs *w, const char *sha)
{
	int64_t commit = hd_row_ids_id(w->ids, hd_row_ids_want(w->ids, sha));
	const struct run_count *counts = w->run_counts.items;
	size_t at = hd_row_list_find(&w->run_counts, &run_counts, commit);

	return at < w->run_counts.n && counts[at].commit == commit ? (size_t)counts[at].runs : 0;
}

/*
 * Append to `s` the runs of commit i of the chain, oldest first.  The commits are read in the order of the chain.  If
 * run_counts are loaded, s->set_aside counts the runs of other targets.
 */
static int append_commit(struct hd_run_set *s, struct commit_runs *w, size_t i, struct hd_err *err)
{
	int rc = i < w->loaded ? 0 : load_portion(w, s, err);
	size_t own = 0, all;

	for (size_t k = 0; k < w->n && rc >= 0; k++) {
		if (!w->runs[k].commit || strcmp(w->runs[k].commit, w->chain->sha[i]) != 0)
			continue;
		HD_GROW(s->runs, s->n + 1, s->cap);
		s->runs[s->n++] = w->runs[k];
		own++;
	}
	all = rc >= 0 && w->counts ? runs_of(w, w->chain->sha[i]) : 0;
	s->set_aside += all > own ? all - own : 0;
	return rc;
}

/* ---- the runs of a commit that may be a baseline ---- */

struct eligible {
	const struct hd_run_set_member *like;
	/* the most similar of the runs that are not comparable with the head; row 0: none */
	struct hd_run_set_member nearest;
	unsigned distance;		/* number of fields in which `nearest` differs */
	size_t failed_gates;
	/* abbreviated sha of the nearest earlier commit that has a comparable run which failed its gate */
	char failed[13];
	/* the first commit of the search has a run of this target and mode that is not comparable with the head */
	bool unlike;
};

static bool may_be_base(const struct hd_run_set_member *r, const void *arg)
{
	const struct hd_run_set_member *like = arg;

	return !strcmp(r->status, "ok") && !r->dirty && !r->failed_gate && hd_comparable(r, like);
}

static bool of_this_kind(const struct hd_run_set_member *r, const struct hd_run_set_member *like)
{
	for (int f = HD_RUN_FIELD_TARGET; f <= HD_RUN_FIELD_MODE; f++)
		if (strcmp(r->like[f] ? r->like[f] : "", like->like[f] ? like->like[f] : ""))
			return false;
	return !strcmp(r->status, "ok") && !r->dirty;
}

/*
 * Append to `s` the runs of commit i of the chain.  If the commit has runs that are not comparable with the head, store
 * the most similar one in e->nearest, for messages; its strings belong to `s`.
 */
static int examine(struct hd_run_set *s, struct eligible *e, struct commit_runs *w, size_t i, struct hd_err *err)
{
	size_t before = s->n;
	int rc = append_commit(s, w, i, err);

	for (size_t k = before; k < s->n && rc >= 0; k++) {
		const struct hd_run_set_member *r = &s->runs[k];
		unsigned distance = hd_comparability_distance(r, e->like);

		if (!of_this_kind(r, e->like))
			continue;
		if (!distance && r->failed_gate && !e->failed_gates++)
			snprintf(e->failed, sizeof(e->failed), "%.12s", w->chain->sha[i]);
		e->unlike = e->unlike || (distance && !i);
		if (distance && (!e->nearest.row || distance < e->distance)) {
			e->nearest = *r;
			e->distance = distance;
		}
	}
	return rc;
}

static int fail_without_base(struct hd_base_search *found, struct hd_db *db, const struct hd_run_set *head,
	const struct chain *c, const struct eligible *e, struct hd_err *err)
{
	struct hd_buf why = { 0 };
	int rc = 0;

	if (e->nearest.row)
		rc = hd_comparability_differences(&found->differs, db, &e->nearest, e->like, 0, HD_RUN_FIELD_MUST_AGREE,
			err);
	if (rc < 0)
		return rc;
	found->status = e->nearest.row       ? HD_BASE_UNLIKE
		: c->n && e->failed_gates ? HD_BASE_FAILED_GATES
					  : HD_BASE_NO_RUNS;
	hd_comparability_sentence(&why, &found->differs);
	if (e->nearest.row)
		rc = hd_fail(err, HD_ENOBASE, "no run before %s can be compared with it; of the nearest, %s, %s",
			head->name, e->nearest.id, why.data);
	else if (!c->n)
		rc = hd_fail(err, HD_ENOBASE,
			"no baseline: nothing is known of what came before %s; name one with --base", head->name);
	else if (e->failed_gates)
		rc = hd_fail(err, HD_ENOBASE,
			"no baseline: all runs of the %zu commits before %s failed their gate; acknowledge what "
			"failed, or name one with --base",
			c->n, head->name);
	else
		rc = hd_fail(err, HD_ENOBASE,
			"no baseline: none of the %zu commit%s before %s has a run of target %s; record the nearest, "
			"%.12s, or name another base with --base",
			c->n, c->n == 1 ? "" : "s", head->name,
			e->like->like[HD_RUN_FIELD_TARGET] ? e->like->like[HD_RUN_FIELD_TARGET] : "", c->sha[0]);
	hd_buf_release(&why);
	return rc;
}

static void set_how(struct hd_run_set *s, const struct chain *c, size_t passed, const struct eligible *e)
{
	if (!passed)
		snprintf(s->how, sizeof(s->how), "%s", c->from);
	else if (e->failed_gates)
		snprintf(s->how, sizeof(s->how),
			"%zu before the %s: %s failed its gate, an acknowledgement (ack) restores it", passed, c->from,
			e->failed);
	else
		snprintf(s->how, sizeof(s->how), "%zu before the %s, which has no runs%s", passed, c->from,
			e->unlike ? " like these" : "");
}

int hd_run_set_base(struct hd_run_set *out, struct hd_base_search *found, struct hd_db *db,
	const struct hd_run_set *head, const char *onto, const struct hd_run_set_filter *filter, struct hd_err *err)
{
	struct eligible e = { .like = &head->runs[head->n - 1] };
	struct commit_runs w;
	struct chain c = { 0 };
	int rc;

	*out = (struct hd_run_set){ 0 };
	*found = (struct hd_base_search){ HD_BASE_FOUND, { 0 } };
	rc = chain_find(&c, &found->status, db, head, onto, filter->dir ? filter->dir : ".", err);
	w = commit_runs_of(&c, db, e.like);
	w.counts = true;
	for (size_t i = 0; i < c.n && !out->n && rc >= 0; i++) {
		rc = examine(out, &e, &w, i, err);
		hd_run_set_keep(out, may_be_base, e.like);
		hd_run_set_keep_newest_side(out);
		if (out->n)
			set_how(out, &c, i, &e);
	}
	if (rc >= 0 && !out->n)
		rc = fail_without_base(found, db, head, &c, &e, err);
	commit_runs_release(&w);
	free(c.sha);
	if (rc < 0) {
		hd_run_set_release(out);
		return rc;
	}
	found->status = HD_BASE_FOUND;
	hd_run_set_set_name(out);
	return 0;
}

/* ---- many commits ---- */

/* Reverse the runs from index `from` on. */
static void reverse(struct hd_run_set *s, size_t from)
{
	for (size_t i = from, k = s->n; i + 1 < k; i++) {
		struct hd_run_set_member r = s->runs[i];

		s->runs[i] = s->runs[--k];
		s->runs[k] = r;
	}
}

/*
 * For runs without a commit: append at most `most` runs that may be a baseline, newest first, from the last
 * HD_RUN_SET_WALK earlier runs of the target with status ok.
 */
static int history_by_time(struct hd_run_set *out, struct hd_db *db, const struct hd_run_set_member *like, size_t most,
	struct hd_err *err)
{
	char *target = hd_enc_visible_new(like->like[HD_RUN_FIELD_TARGET] ? like->like[HD_RUN_FIELD_TARGET] : "");
	size_t portion = hd_db_portion(db, RUNS_AT_ONCE), n = 0;
	int64_t rows[HD_RUN_SET_WALK];
	struct hd_db_rows r;
	int rc;

	rc = hd_db_query(&r, db, err, "SELECT id FROM run WHERE target = $1 AND recorded_utc < $2 AND status = 'ok' "
		       "ORDER BY recorded_utc DESC, id DESC LIMIT 200", "tt", target, like->recorded);
	while (rc >= 0 && n < HD_RUN_SET_WALK && (rc = hd_db_next(&r, err)) > 0)
		rows[n++] = hd_col_int(&r, 0);
	hd_db_end(&r);
	free(target);
	for (size_t i = 0; i < n && rc >= 0 && out->n < most; i += portion) {
		size_t kept = out->n;

		rc = hd_run_set_load_runs(out, db, rows + i, n - i < portion ? n - i : portion,
			like->like[HD_RUN_FIELD_EVENT], err);
		for (size_t k = kept; k < out->n && kept < most; k++)
			if (may_be_base(&out->runs[k], like))
				out->runs[kept++] = out->runs[k];
		out->n = kept;
	}
	return rc;
}

/*
 * Find the commits before that of a side, newest first, and its own if its tree was modified: by git, else by the
 * parents in the database.  If neither knows any, take the commits of earlier runs (chain_by_time()).
 */
static int chain_of_history(struct chain *c, struct hd_db *db, const struct hd_run_set *side,
	const struct hd_run_set_filter *filter, struct hd_err *err)
{
	const struct hd_run_set_member *like = &side->runs[side->n - 1];
	int rc = 0;

	*c = (struct chain){ .sha = hd_zalloc(HD_RUN_SET_WALK, sizeof(*c->sha)) };
	if (!side->commit[0])
		return 0;
	c->n = hd_git_revision_first_parents(filter->dir ? filter->dir : ".", side->commit, c->sha, HD_RUN_SET_WALK);
	if (c->n && !like->dirty)
		chain_drop_first(c);
	if (!c->n)
		rc = chain_by_database(c, db, side, err);
	if (rc >= 0 && !c->n && !(like->parents && !*like->parents))
		rc = chain_by_time(c, db, side, err);
	return rc;
}

/* Append the newest run of a commit that may be a baseline.  *failed is set if a run of the commit failed its gate. */
static int take_newest(struct hd_run_set *out, struct commit_runs *w, size_t i, bool *failed, struct hd_err *err)
{
	const struct hd_run_set_member *like = w->like;
	size_t before = out->n;
	int rc = append_commit(out, w, i, err);

	*failed = false;
	for (size_t k = before; k < out->n; k++) {
		*failed = *failed || (out->runs[k].failed_gate && of_this_kind(&out->runs[k], like));
		if (may_be_base(&out->runs[k], like))
			out->runs[before] = out->runs[k];
	}
	if (out->n > before)
		out->n = before + may_be_base(&out->runs[before], like);
	return rc;
}

static int finish_history(struct hd_run_set *out, struct chain *c, struct commit_runs *w, int rc)
{
	commit_runs_release(w);
	free(c->sha);
	if (rc < 0) {
		hd_run_set_release(out);
		return rc;
	}
	reverse(out, 0);
	return 0;
}

int hd_run_set_history(struct hd_run_set *out, struct hd_db *db, const struct hd_run_set *base,
	const struct hd_run_set_filter *filter, size_t most, struct hd_err *err)
{
	const struct hd_run_set_member *like = &base->runs[base->n - 1];
	struct chain c;
	int rc = chain_of_history(&c, db, base, filter, err);
	struct commit_runs w = commit_runs_of(&c, db, like);

	*out = (struct hd_run_set){ .how = "history" };
	for (size_t i = 0; i < c.n && out->n < most && rc >= 0; i++) {
		size_t before = out->n;
		bool failed;

		rc = take_newest(out, &w, i, &failed, err);
		if (failed && out->n == before)
			break;
	}
	if (rc >= 0 && !base->commit[0])
		rc = history_by_time(out, db, like, most, err);
	rc = finish_history(out, &c, &w, rc);
	if (rc >= 0)
		snprintf(out->name, sizeof(out->name), "%zu commits", out->n);
	return rc;
}

int hd_run_set_sessions(struct hd_run_set *out, struct hd_db *db, const struct hd_run_set *head,
	const struct hd_run_set_filter *filter, size_t most, struct hd_err *err)
{
	const struct hd_run_set_member *like = &head->runs[head->n - 1];
	size_t commits = 0;
	struct chain c;
	int rc = chain_of_history(&c, db, head, filter, err);
	struct commit_runs w = commit_runs_of(&c, db, like);

	*out = (struct hd_run_set){ .how = "sessions" };
	for (size_t i = 0; i < c.n && commits < most && rc >= 0; i++) {
		size_t before = out->n, n = before;

		rc = append_commit(out, &w, i, err);
		for (size_t k = before; k < out->n; k++)
			if (may_be_base(&out->runs[k], like))
				out->runs[n++] = out->runs[k];
		out->n = n;
		reverse(out, before);	/* newest first, as the commits */
		commits += n > before;
	}
	if (rc >= 0 && !head->commit[0])
		rc = history_by_time(out, db, like, HD_RUN_SET_WALK, err);
	return finish_history(out, &c, &w, rc);
}
