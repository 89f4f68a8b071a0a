/*
 * prune.c - see prune.h
 */
#include "history/prune.h"

#include "base/map.h"
#include "base/mem.h"
#include "base/utc.h"
#include "db/partitions.h"
#include "db/row_reader.h"
#include "trust/journal.h"

#include <stdlib.h>
#include <string.h>

/* The runs of the current target and mode that were read so far; they are read newest first. */
struct group {
	char *target, *mode;
	size_t n;
	struct hd_map commits, ok_commits;	/* ids of commits that have a run, and one with status ok */
};

static void group_end(struct group *g)
{
	free(g->target);
	free(g->mode);
	hd_map_release(&g->commits);
	hd_map_release(&g->ok_commits);
	*g = (struct group){ 0 };
}

/* Add a commit to a set; return true if it is new. */
static bool is_first(struct hd_map *seen, int64_t commit)
{
	if (hd_map_has(seen, (uint64_t)commit))
		return false;
	hd_map_put(seen, (uint64_t)commit, 0);
	return true;
}

/* A run, and the facts that may keep it. */
struct candidate {
	struct hd_prune_run run;
	char *status;
	int64_t commit;			/* commit_info.id; -1: none */
	int64_t findings, acknowledgements, gates;	/* numbers of rows that refer to the run */
};
static const struct hd_row_field candidate_fields[] = {
	HD_ROW(struct candidate, run.id, "r.id", INT_OR_0),
	HD_ROW(struct candidate, run.run_id, "r.run_id", TEXT),
	HD_ROW(struct candidate, run.recorded_utc, "r.recorded_utc", TEXT),
	HD_ROW(struct candidate, run.target, "r.target", TEXT),
	HD_ROW(struct candidate, run.mode, "r.mode", TEXT),
	HD_ROW(struct candidate, status, "r.status", TEXT_OR_EMPTY),
	HD_ROW(struct candidate, commit, "r.commit_id", INT),
	HD_ROW(struct candidate, findings,
		"(SELECT COUNT(*) FROM drift_event d WHERE d.base_run = r.id OR d.head_run = r.id)", INT_OR_0),
	HD_ROW(struct candidate, acknowledgements,
		"(SELECT COUNT(*) FROM acknowledgement a JOIN commit_info c ON c.sha = a.commit_sha "
		"WHERE c.id = r.commit_id)", INT_OR_0),
	HD_ROW(struct candidate, gates,
		"(SELECT COUNT(*) FROM gate_run g JOIN gate_result x ON x.id = g.gate_id WHERE g.run_id = r.id "
		"AND g.side IN ('base', 'pin') AND x.id = (SELECT MAX(y.id) FROM gate_result y "
		"WHERE y.target = x.target AND y.mode = x.mode AND y.command = 'gate'))", INT_OR_0),
};
static const struct hd_row_query candidates = HD_ROW_QUERY(struct candidate, candidate_fields,
	"FROM run r WHERE $1 = 0 OR r.target = $2 ORDER BY r.target, r.mode, r.recorded_utc DESC, r.id DESC");

static const char *why_it_stays(struct group *g, const struct candidate *c)
{
	bool last = false;

	if (c->commit >= 0) {
		last = is_first(&g->commits, c->commit);
		if (!strcmp(c->status, "ok") && is_first(&g->ok_commits, c->commit))
			last = true;
	}
	if (last)
		return "the last run of its commit";
	if (c->findings)
		return "a finding is about it";
	if (c->acknowledgements)
		return "a change of its commit was acknowledged";
	if (c->gates)
		return "the newest gate compared with it";
	return NULL;
}

static bool same(const char *a, const char *b)
{
	return a && b && !strcmp(a, b);
}

static void run_release(struct hd_prune_run *run)
{
	free(run->run_id);
	free(run->recorded_utc);
	free(run->target);
	free(run->mode);
}

static void judge(struct hd_prune_list *list, struct group *g, const struct candidate *c, const struct hd_prune_opts *o)
{
	struct hd_prune_run run = c->run;

	list->all++;
	if (!same(run.target, g->target) || !same(run.mode, g->mode)) {
		group_end(g);
		g->target = hd_strdup(run.target ? run.target : "");
		g->mode = hd_strdup(run.mode ? run.mode : "");
	}
	run.stays = why_it_stays(g, c);
	if (g->n++ < o->keep ||
		(o->before_utc && (!run.recorded_utc || strcmp(run.recorded_utc, o->before_utc) >= 0))) {
		run_release(&run);
		return;
	}
	HD_GROW(list->items, list->n + 1, list->cap);
	list->items[list->n++] = run;
	list->going += !run.stays;
}

int hd_prune_find(struct hd_db *db, const struct hd_prune_opts *o, struct hd_prune_list *list, struct hd_err *err)
{
	struct candidate c = { 0 };
	struct group g = { 0 };
	struct hd_db_rows r;
	int rc;

	*list = (struct hd_prune_list){ 0 };
	rc = hd_row_query(&r, &candidates, db, err, "it", (int64_t)(o->target != NULL), o->target);
	while (rc >= 0 && (rc = hd_row_next(&r, &candidates, NULL, &c, err)) > 0) {
		judge(list, &g, &c, o);
		free(c.status);
	}
	hd_db_end(&r);
	group_end(&g);
	return rc;
}

/* ---- deleting ---- */

/*
 * Collect the gate results that refer to a run.  Deleting the run changes these rows, so each needs a new entry in the
 * journal, the hash chain of the rows that belong to no run.
 */
static int find_gates(struct hd_db *db, int64_t run, struct hd_map *gates, struct hd_err *err)
{
	struct hd_db_rows r;
	int rc = hd_db_query(&r, db, err, "SELECT gate_id FROM gate_run WHERE run_id = $1", "i", run);

	while (rc >= 0 && (rc = hd_db_next(&r, err)) > 0)
		hd_map_put(gates, (uint64_t)hd_col_int(&r, 0), 0);
	hd_db_end(&r);
	return rc;
}

static int find_place(struct hd_db *db, int64_t run, char **origin, int64_t *seq, struct hd_err *err)
{
	struct hd_db_rows r;
	int rc = hd_db_query(&r, db, err, "SELECT origin, seq FROM run WHERE id = $1", "i", run);

	if (rc >= 0)
		rc = hd_db_next(&r, err);
	if (rc > 0) {
		*origin = hd_col_text(&r, 0);
		*seq = hd_col_int(&r, 1);
	}
	hd_db_end(&r);
	return rc;
}

/*
 * Drop the partitions in which no run remains.  What cannot be dropped now is deleted row by row, and the next `prune`
 * drops the empty partitions.  The partitions that are left in the list are those that were dropped.
 */
static int drop_partitions(struct hd_db *db, const struct hd_prune_list *list, struct hd_partitions *dropped,
	struct hd_err *err)
{
	size_t n = 0;
	int rc = hd_partitions_old(dropped, db, err);

	for (size_t i = 0; i < dropped->n && rc >= 0; i++) {
		const struct hd_partition p = dropped->items[i];
		int64_t remain = p.runs;

		for (size_t k = 0; k < list->n; k++)
			remain -= !list->items[k].stays && list->items[k].id >= p.begin && list->items[k].id < p.end;
		if (remain == 0)
			rc = hd_partition_drop(db, p.number, err);
		if (remain == 0 && rc > 0)
			dropped->items[n++] = p;
	}
	dropped->n = n;
	return rc;
}

static int delete_run(struct hd_db *db, const struct hd_prune_run *p, const struct hd_partitions *dropped,
	const char *reason, const char *now, struct hd_map *gates, struct hd_err *err)
{
	/* The rows of the run outside of the partitioned tables (db/partitions.h), and the run itself. */
	static const char *const deletes[] = {
		"DELETE FROM run_warning WHERE run_id = $1",
		"DELETE FROM dropped WHERE run_id = $1",
		"DELETE FROM artifact WHERE run_id = $1", "DELETE FROM gate_run WHERE run_id = $1",
		"DELETE FROM run WHERE id = $1",
	};
	char *origin = NULL;
	int64_t seq = 0;
	bool is_dropped = false;
	int rc = find_gates(db, p->id, gates, err);

	for (size_t i = 0; i < dropped->n; i++)
		is_dropped = is_dropped || (p->id >= dropped->items[i].begin && p->id < dropped->items[i].end);

	if (rc >= 0)
		rc = find_place(db, p->id, &origin, &seq, err);
	if (rc >= 0)
		rc = hd_db_do(db, err,
			"INSERT INTO tombstone (origin, seq, run_id, content_hash, prev_hash, run_hash, reason, "
			"pruned_utc) SELECT origin, seq, run_id, content_hash, prev_hash, run_hash, $1, $2 FROM run "
			"WHERE id = $3",
			"tti", reason, now, p->id);
	if (rc >= 0 && !is_dropped)
		rc = hd_partitions_delete_run(db, p->id, err);
	for (size_t i = 0; i < HD_COUNT(deletes) && rc >= 0; i++)
		rc = hd_db_do(db, err, deletes[i], "i", p->id);
	if (rc >= 0)
		rc = hd_journal_note(db, HD_JOURNAL_PRUNED, origin ? origin : "", seq, err);
	free(origin);
	return rc;
}

int hd_prune_do(struct hd_db *db, const struct hd_prune_list *list, const char *reason, struct hd_err *err)
{
	char now[HD_UTC_TEXT];
	struct hd_map gates = { 0 };
	struct hd_partitions dropped;
	int rc = hd_db_begin(db, err);

	if (rc < 0)
		return rc;
	hd_utc_text(hd_utc_now(), now);
	rc = drop_partitions(db, list, &dropped, err);
	for (size_t i = 0; i < list->n && rc >= 0; i++)
		if (!list->items[i].stays)
			rc = delete_run(db, &list->items[i], &dropped, reason, now, &gates, err);
	hd_partitions_release(&dropped);
	if (rc >= 0)
		rc = hd_partitions_delete_stray(db, err);
	for (size_t i = 0; i < gates.cap && rc >= 0; i++)
		if (gates.vals[i] != HD_MAP_NONE)
			rc = hd_journal_note(db, HD_JOURNAL_GATE, "", (int64_t)gates.keys[i], err);
	hd_map_release(&gates);
	if (rc >= 0)
		rc = hd_db_do(db, err,
			"DELETE FROM stack_blob WHERE sha256 NOT IN (SELECT stacks FROM event WHERE stacks IS NOT "
			"NULL) AND sha256 NOT IN (SELECT csv FROM series WHERE csv IS NOT NULL)",
			"");
	if (rc >= 0)
		return hd_db_commit(db, err);
	hd_db_rollback(db);
	return rc;
}

void hd_prune_release(struct hd_prune_list *list)
{
	for (size_t i = 0; i < list->n; i++)
		run_release(&list->items[i]);
	free(list->items);
	*list = (struct hd_prune_list){ 0 };
}
