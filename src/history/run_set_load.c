/*
 * run_set_load.c - see run_set_load.h
 */
#include "history/run_set_load.h"

#include "base/encode.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/utc.h"
#include "history/command_line.h"
#include "profile/gpu.h"
#include "history/run_load.h"
#include "history/environment.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* SQL query for the findings that made x, a row of table gate_result, FAIL. */
#define FAILED_ROWS \
	"SELECT 1 FROM drift_event d LEFT JOIN symbol s ON s.id = d.symbol_id " \
	"WHERE d.gate_id = x.id AND d.verdict = 'FAIL' " \
	"AND d.kind NOT IN ('order', 'score') "
/*
 * SQL condition about a row x of table gate_result: x has findings with verdict FAIL, and the level of each finding is
 * accepted by an acknowledgement that is valid at time $3.
 */
#define ACKNOWLEDGED \
	"EXISTS (" FAILED_ROWS ") AND NOT EXISTS (" FAILED_ROWS "AND NOT EXISTS (SELECT 1 FROM acknowledgement a " \
	"WHERE a.withdrawn_utc IS NULL AND (a.expires_utc IS NULL OR a.expires_utc > $3) " \
	"AND (a.target IS NULL OR a.target = x.target) AND (a.event IS NULL OR a.event = x.event) " \
	"AND (a.object IS NULL OR a.object = s.object) AND a.level_pct * (1 + 1e-9) >= d.head_pct " \
	"AND a.symbol = COALESCE(d.series, s.normal, s.name, '[unknown] in ' || s.object, '[unknown]')))"

#define MEMBER struct hd_run_set_member
#define ROW_OF(id, name, type, column, optional) HD_ROW(MEMBER, like[HD_RUN_FIELD_##id], column, type),
static const struct hd_row_field member_fields[] = {
	HD_ROW(MEMBER, row, "r.id", INT),
	HD_ROW(MEMBER, id, "r.run_id", TEXT_OR_EMPTY),
	HD_ROW(MEMBER, recorded, "r.recorded_utc", TEXT_OR_EMPTY),
	HD_ROW(MEMBER, status, "r.status", TEXT_OR_EMPTY),
	HD_ROW(MEMBER, commit, "c.sha", TEXT),
	HD_ROW(MEMBER, parents, "c.parents", TEXT),
	HD_ROW(MEMBER, session, "r.session", NAME),
	HD_ROW(MEMBER, boot_id, "r.boot_id", TEXT),
	HD_ROW(MEMBER, dirty, "r.dirty", TRUE),
	HD_RUN_FIELDS_THAT_MUST_AGREE(ROW_OF) HD_RUN_FIELDS_TO_WARN_OF(ROW_OF)
	HD_ROW(MEMBER, event, "e.event", INT),
	HD_ROW(MEMBER, weight, "e.weight", REAL_OR_0),
	HD_ROW(MEMBER, samples, "e.samples", REAL_OR_0),
	HD_ROW(MEMBER, lost, "e.lost", REAL_OR_0),
	HD_ROW(MEMBER, effective, "e.effective_samples", REAL),
	HD_RUN_LOAD_RATE_FIELDS(MEMBER, rate)
	HD_ROW(MEMBER, stacks, "e.stacks", TEXT),
	HD_ROW(MEMBER, work, "r.work", REAL),
	HD_ROW(MEMBER, side, "r.side", TEXT),
	HD_ROW(MEMBER, failed_gate,
		"(SELECT COUNT(*) FROM gate_run g JOIN gate_result x ON x.id = g.gate_id "
		"WHERE g.run_id = r.id AND g.side = 'head' "
		"AND x.command = 'gate' AND x.verdict = 'FAIL' AND NOT EXISTS (SELECT 1 FROM gate_run h "
		"JOIN gate_result y ON y.id = h.gate_id "
		"WHERE h.run_id = r.id AND h.side = 'head' AND y.command = 'gate' AND y.id > x.id "
		"AND y.event = x.event AND y.base_ref = x.base_ref AND y.verdict = 'PASS') AND NOT (" ACKNOWLEDGED "))",
		TRUE),
};
/* $2: name of the event, '' for any.  For a run that lacks it, the query returns the first event that has samples. */
#define RUNS(where) HD_ROW_QUERY(MEMBER, member_fields, \
	"FROM run r LEFT JOIN commit_info c ON c.id = r.commit_id LEFT JOIN config f ON f.id = r.config_id " \
	"LEFT JOIN environment v ON v.id = r.environment_id " \
	"LEFT JOIN machine m ON m.id = r.machine_id LEFT JOIN event e ON e.run_id = r.id AND e.event = " \
	"COALESCE((SELECT MIN(w.event) FROM event w WHERE w.run_id = r.id AND w.name = $2), " \
	"(SELECT MIN(w.event) FROM event w WHERE w.run_id = r.id AND w.samples > 0)) WHERE " where)
static const struct hd_row_query some_runs = RUNS("r.id IN [$1] ORDER BY r.id");
/*
 * COALESCE(r.target, '') keeps SQLite from using the index run_by_target, which would make it read all runs of the
 * target.  Without statistics about the tables (ANALYZE), SQLite might prefer that index to run_by_commit.
 */
static const struct hd_row_query of_commits =
	RUNS("r.commit_id IN [$1] AND COALESCE(r.target, '') = $4 ORDER BY r.recorded_utc, r.id");
static const struct hd_row_query of_commit = RUNS("r.commit_id = $1 ORDER BY r.recorded_utc, r.id");
static const struct hd_row_query of_session =
	RUNS("r.session = $1 AND r.commit_id IS NULL ORDER BY r.recorded_utc, r.id");

/* ---- one row ---- */

/* Copy the text of `b` into the arena and release `b`; NULL if it is empty. */
static const char *stored(struct hd_arena *a, struct hd_buf *b)
{
	const char *copy = b->len ? hd_arena_strndup(a, b->data, b->len) : NULL;

	hd_buf_release(b);
	return copy;
}

/* Set the members that are derived from columns. */
static void settle(struct hd_run_set_member *r, struct hd_arena *a)
{
	const char **like = r->like;
	struct hd_buf arguments = { 0 }, rate = { 0 };

	if (like[HD_RUN_FIELD_ARGUMENTS])
		hd_workload_arguments(&arguments, like[HD_RUN_FIELD_ARGUMENTS]);
	like[HD_RUN_FIELD_ARGUMENTS] = stored(a, &arguments);
	if (like[HD_RUN_FIELD_ENVIRONMENT] && !hd_environment_is_bounded(like[HD_RUN_FIELD_ENVIRONMENT]))
		like[HD_RUN_FIELD_ENVIRONMENT] = NULL;
	if (!(r->effective > 0 && r->effective <= r->samples))
		r->effective = r->samples;
	/* In folded text, the weight of a stack is its number of samples. */
	if (like[HD_RUN_FIELD_UNIT] && !strcmp(like[HD_RUN_FIELD_UNIT], "samples"))
		r->samples = r->effective = r->weight;
	/* GPU times are measured, not sampled.  Use the weight as sample count, so that the counting error is tiny. */
	if (like[HD_RUN_FIELD_EVENT] && hd_gpu_is_event(like[HD_RUN_FIELD_EVENT]) && r->weight > 0)
		r->effective = r->weight;
	hd_run_load_settle_rate(&r->rate);
	hd_rate_asked(&rate, &r->rate);
	like[HD_RUN_FIELD_SAMPLING] = stored(a, &rate);
	like[HD_RUN_FIELD_CALL_GRAPH] = r->rate.call_graph;
}

static int load(struct hd_run_set *s, struct hd_db_rows *r, const struct hd_row_query *q, int rc, struct hd_err *err)
{
	struct hd_run_set_member one = { 0 };

	while (rc >= 0 && (rc = hd_row_next(r, q, &s->arena, &one, err)) > 0) {
		settle(&one, &s->arena);
		HD_GROW(s->runs, s->n + 1, s->cap);
		s->runs[s->n++] = one;
	}
	hd_db_end(r);
	return rc;
}

static const char *now_text(char now[HD_UTC_TEXT])
{
	hd_utc_text(hd_utc_now(), now);
	return now;
}

int hd_run_set_load_commit(struct hd_run_set *s, struct hd_db *db, const char *sha, const char *event,
	struct hd_err *err)
{
	char *v = hd_enc_visible_new(event ? event : "");
	struct hd_db_rows r;
	char now[HD_UTC_TEXT];
	int64_t commit;
	int rc = hd_db_query_int(db, &commit, 0, err, "SELECT id FROM commit_info WHERE sha = $1", "t", sha);

	if (rc >= 0 && commit) {
		rc = hd_row_query(&r, &of_commit, db, err, "itt", commit, v, now_text(now));
		rc = load(s, &r, &of_commit, rc, err);
	}
	free(v);
	return rc < 0 ? rc : 0;
}

int hd_run_set_load_runs(struct hd_run_set *s, struct hd_db *db, const int64_t *rows, size_t n, const char *event,
	struct hd_err *err)
{
	char *v = hd_enc_visible_new(event ? event : "");
	struct hd_run_set some = { .arena = s->arena };
	struct hd_map at = { 0 };
	char now[HD_UTC_TEXT];
	struct hd_db_rows r;
	int rc = hd_row_query(&r, &some_runs, db, err, "ltt", rows, n, v, now_text(now));

	rc = load(&some, &r, &some_runs, rc, err);
	s->arena = some.arena;
	for (size_t i = 0; i < some.n; i++)
		hd_map_put(&at, (uint64_t)some.runs[i].row, (uint32_t)i);
	for (size_t i = 0; i < n; i++) {
		uint32_t k = hd_map_get(&at, (uint64_t)rows[i]);

		if (k == HD_MAP_NONE)
			continue;
		HD_GROW(s->runs, s->n + 1, s->cap);
		s->runs[s->n++] = some.runs[k];
	}
	free(some.runs);
	hd_map_release(&at);
	free(v);
	return rc;
}

int hd_run_set_load_run(struct hd_run_set *s, struct hd_db *db, int64_t row, const char *event, struct hd_err *err)
{
	return hd_run_set_load_runs(s, db, &row, 1, event, err);
}

int hd_run_set_load_commits(struct hd_run_set *s, struct hd_db *db, const int64_t *commits, size_t n,
	const char *target, const char *event, struct hd_err *err)
{
	char *v = hd_enc_visible_new(event ? event : ""), *vt = hd_enc_visible_new(target ? target : "");
	struct hd_db_rows r;
	char now[HD_UTC_TEXT];
	int rc = hd_row_query(&r, &of_commits, db, err, "lttt", commits, n, v, now_text(now), vt);

	rc = load(s, &r, &of_commits, rc, err);
	free(v);
	free(vt);
	return rc;
}

int hd_run_set_load_session(struct hd_run_set *s, struct hd_db *db, const char *session, const char *event,
	struct hd_err *err)
{
	char *v = hd_enc_visible_new(event ? event : ""), *vs = hd_enc_visible_new(session);
	struct hd_db_rows r;
	char now[HD_UTC_TEXT];
	int rc = hd_row_query(&r, &of_session, db, err, "ttt", vs, v, now_text(now));

	rc = load(s, &r, &of_session, rc, err);
	free(v);
	free(vs);
	return rc;
}
