/*
 * run_set_load.c - see run_set_load.h
 */
#include "history/run_set_load.h"

#include "base/encode.h"
#include "base/mem.h"
#include "base/utc.h"
#include "history/command_line.h"
#include "profile/gpu.h"
#include "history/run_load.h"
#include "history/environment.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The findings that made gate x FAIL. */
#define FAILED_ROWS \
	"SELECT 1 FROM drift_event d LEFT JOIN symbol s ON s.id = d.symbol_id " \
	"WHERE d.gate_id = x.id AND d.verdict = 'FAIL' " \
	"AND d.kind NOT IN ('order', 'score') "
/* True if gate x has findings that FAILed, and each has an acknowledgement of its level that is valid at time $3. */
#define ACKNOWLEDGED \
	"EXISTS (" FAILED_ROWS ") AND NOT EXISTS (" FAILED_ROWS "AND NOT EXISTS (SELECT 1 FROM acknowledgement a " \
	"WHERE a.withdrawn_utc IS NULL AND (a.expires_utc IS NULL OR a.expires_utc > $3) " \
	"AND (a.target IS NULL OR a.target = x.target) AND (a.event IS NULL OR a.event = x.event) " \
	"AND (a.object IS NULL OR a.object = s.object) AND a.level_pct >= d.head_pct " \
	"AND a.symbol = COALESCE(d.series, s.normal, s.name, '[unknown] in ' || s.object, '[unknown]')))"

#define COLUMNS_OF(id, name, read, columns, optional) columns
/* $2: name of the event, '' for any.  A run without it is represented by its first event with samples. */
#define RUNS \
	"SELECT r.id, r.run_id, r.recorded_utc, r.status, c.sha, c.parents, r.session, r.session_raw, r.boot_id, " \
	"r.dirty, " \
	HD_RUN_FIELDS_THAT_MUST_AGREE(COLUMNS_OF) HD_RUN_FIELDS_TO_WARN_OF(COLUMNS_OF) \
	"e.event, e.weight, e.samples, e.lost, e.effective_samples, e.frequency_hz, e.period, " \
	"e.throttled, e.unthrottled, e.silent, e.enabled_ns, e.running_ns, e.call_graph, e.stack_bytes, e.stacks, " \
	"r.work, r.side, " \
	"(SELECT COUNT(*) FROM gate_run g JOIN gate_result x ON x.id = g.gate_id " \
	"WHERE g.run_id = r.id AND g.side = 'head' " \
	"AND x.command = 'gate' AND x.verdict = 'FAIL' AND NOT EXISTS (SELECT 1 FROM gate_run h JOIN gate_result y " \
	"ON y.id = h.gate_id WHERE h.run_id = r.id AND h.side = 'head' AND y.command = 'gate' AND y.id > x.id " \
	"AND y.event = x.event AND y.base_ref = x.base_ref AND y.verdict = 'PASS') AND NOT (" ACKNOWLEDGED ")) " \
	"FROM run r LEFT JOIN commit_info c ON c.id = r.commit_id LEFT JOIN config f ON f.id = r.config_id " \
	"LEFT JOIN environment v ON v.id = r.environment_id " \
	"LEFT JOIN machine m ON m.id = r.machine_id LEFT JOIN event e ON e.run_id = r.id AND e.event = " \
	"COALESCE((SELECT MIN(w.event) FROM event w WHERE w.run_id = r.id AND w.name = $2), " \
	"(SELECT MIN(w.event) FROM event w WHERE w.run_id = r.id AND w.samples > 0)) "

/* ---- one row ---- */

static const char *arguments(struct hd_row_reader *c)
{
	const char *command = hd_row_reader_name(c);
	struct hd_buf b = { 0 };
	const char *kept = NULL;

	if (command)
		hd_workload_arguments(&b, command);
	if (b.len)
		kept = hd_arena_strndup(c->arena, b.data, b.len);
	hd_buf_release(&b);
	return kept;
}

enum read { NAME, TEXT, COMMAND, DERIVED };
#define READ_OF(id, name, read, columns, optional) [HD_RUN_FIELD_##id] = read,
static const enum read how[HD_RUN_FIELDS] = {
	HD_RUN_FIELDS_THAT_MUST_AGREE(READ_OF) HD_RUN_FIELDS_TO_WARN_OF(READ_OF)
};

static const char *read_field(struct hd_row_reader *c, enum read read)
{
	switch (read) {
	case NAME:
		return hd_row_reader_name(c);
	case TEXT:
		return hd_row_reader_text(c);
	case COMMAND:
		return arguments(c);
	case DERIVED:
		break;
	}
	return NULL;
}

static const char *requested_rate(struct hd_arena *a, const struct hd_rate *s)
{
	struct hd_buf b = { 0 };
	const char *kept = NULL;

	hd_rate_asked(&b, s);
	if (b.len)
		kept = hd_arena_strndup(a, b.data, b.len);
	hd_buf_release(&b);
	return kept;
}

static void take(struct hd_run_set *s, const struct hd_db_rows *rows)
{
	struct hd_row_reader c = { &s->arena, rows, 0 };
	struct hd_run_set_member *r;

	HD_GROW(s->runs, s->n + 1, s->cap);
	r = &s->runs[s->n++];
	*r = (struct hd_run_set_member){ .row = hd_col_int(rows, c.at++) };
	r->id = hd_or_empty(hd_row_reader_text(&c));
	r->recorded = hd_or_empty(hd_row_reader_text(&c));
	r->status = hd_or_empty(hd_row_reader_text(&c));
	r->commit = hd_row_reader_text(&c);
	r->parents = hd_row_reader_text(&c);
	r->session = hd_row_reader_name(&c);
	r->boot_id = hd_row_reader_text(&c);
	r->dirty = hd_row_reader_number(&c, 0) == 1;
	for (int f = 0; f < HD_RUN_FIELDS; f++)
		r->like[f] = read_field(&c, how[f]);
	if (r->like[HD_RUN_FIELD_ENVIRONMENT] && !hd_environment_is_bounded(r->like[HD_RUN_FIELD_ENVIRONMENT]))
		r->like[HD_RUN_FIELD_ENVIRONMENT] = NULL;
	r->event = (int64_t)hd_row_reader_number(&c, -1);
	r->weight = hd_row_reader_number(&c, 0);
	r->samples = hd_row_reader_number(&c, 0);
	r->lost = hd_row_reader_number(&c, 0);
	r->effective = hd_row_reader_number(&c, NAN);
	if (!(r->effective > 0 && r->effective <= r->samples))
		r->effective = r->samples;
	/* In folded text, the weight of a stack is its number of samples. */
	if (r->like[HD_RUN_FIELD_UNIT] && !strcmp(r->like[HD_RUN_FIELD_UNIT], "samples"))
		r->samples = r->effective = r->weight;
	/* GPU times are measured, not sampled.  Use the weight as sample count, so that the counting error is tiny. */
	if (r->like[HD_RUN_FIELD_EVENT] && hd_gpu_is_event(r->like[HD_RUN_FIELD_EVENT]) && r->weight > 0)
		r->effective = r->weight;
	r->rate = hd_run_load_rate(&c);
	r->like[HD_RUN_FIELD_SAMPLING] = requested_rate(&s->arena, &r->rate);
	r->like[HD_RUN_FIELD_CALL_GRAPH] = r->rate.call_graph;
	r->stacks = hd_row_reader_text(&c);
	r->work = hd_row_reader_number(&c, NAN);
	r->side = hd_row_reader_text(&c);
	r->failed_gate = hd_row_reader_number(&c, 0) > 0;
}

static const char *now_text(char now[HD_UTC_TEXT])
{
	hd_utc_text(hd_utc_now(), now);
	return now;
}

static int take_all(struct hd_run_set *s, struct hd_db_rows *r, int rc, struct hd_err *err)
{
	while (rc >= 0 && (rc = hd_db_next(r, err)) > 0)
		take(s, r);
	hd_db_end(r);
	return rc;
}

int hd_run_set_load_run(struct hd_run_set *s, struct hd_db *db, int64_t row, const char *event, struct hd_err *err)
{
	char *v = hd_enc_visible_new(event ? event : "");
	struct hd_db_rows r;
	char now[HD_UTC_TEXT];
	int rc = hd_db_query(&r, db, err, RUNS "WHERE r.id = $1", "itt", row, v, now_text(now));

	rc = take_all(s, &r, rc, err);
	free(v);
	return rc;
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
		rc = hd_db_query(&r, db, err, RUNS "WHERE r.commit_id = $1 ORDER BY r.recorded_utc, r.id", "itt",
			commit, v, now_text(now));
		rc = take_all(s, &r, rc, err);
	}
	free(v);
	return rc < 0 ? rc : 0;
}

int hd_run_set_load_session(struct hd_run_set *s, struct hd_db *db, const char *session, const char *event,
	struct hd_err *err)
{
	char *v = hd_enc_visible_new(event ? event : ""), *vs = hd_enc_visible_new(session);
	struct hd_db_rows r;
	char now[HD_UTC_TEXT];
	int rc = hd_db_query(&r, db, err,
		RUNS "WHERE r.session = $1 AND r.commit_id IS NULL ORDER BY r.recorded_utc, r.id", "ttt", vs, v,
		now_text(now));

	rc = take_all(s, &r, rc, err);
	free(v);
	free(vs);
	return rc;
}
