/*
 * gate_result.c - see gate_result.h
 */
#include "gate/gate_result.h"

#include "base/encode.h"
#include "base/mem.h"
#include "base/utc.h"
#include "trust/journal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- looks ---- */

/* Two-sided 0.05 over K equally spaced looks: Pocock, Biometrika 64, 1977, table 1. */
static const double pocock[] = { 0.05, 0.0294, 0.0221, 0.0182, 0.0158 };

static const char *of(const struct hd_run_set *head, enum hd_run_field f)
{
	const char *v = head->n ? head->runs[head->n - 1].like[f] : NULL;

	return v ? v : "";
}

/* As gate_result has them; yours. */
static char *ref(const struct hd_run_set *s)
{
	struct hd_buf b = { 0 };

	hd_run_set_ref(&b, s);
	return hd_buf_take(&b);
}

int hd_gate_result_look(struct hd_db *db, const struct hd_run_set *base, const struct hd_run_set *head, bool planned,
	double alpha, unsigned *look, double *level, struct hd_err *err)
{
	char *b = ref(base), *h = ref(head), *target = hd_enc_visible_new(of(head, HD_RUN_FIELD_TARGET)),
	     *event = hd_enc_visible_new(of(head, HD_RUN_FIELD_EVENT));
	int64_t before;
	size_t looks;
	int rc;

	rc = hd_db_query_int(db, &before, 0, err,
		"SELECT COUNT(DISTINCT n.runs) FROM (SELECT x.id, COUNT(*) AS runs FROM gate_result x JOIN gate_run g "
		"ON g.gate_id = x.id AND g.side IN ('base', 'head') WHERE x.target = $1 AND x.event = $2 AND "
		"x.base_ref = $3 AND x.head_ref = $4 AND x.mode = $5 AND x.command = 'gate' AND x.verdict = "
		"'INCONCLUSIVE' GROUP BY x.id) n WHERE n.runs < $6",
		"ttttti", target, event, b, h, of(head, HD_RUN_FIELD_MODE), (int64_t)(base->n + head->n));
	free(b);
	free(h);
	free(target);
	free(event);
	*look = rc < 0 || before < 0 ? 1 : (unsigned)(before < 98 ? before : 98) + 1;
	looks = planned && *look < 2 ? 2 : *look;
	*level = alpha / pocock[0] * pocock[(looks < HD_COUNT(pocock) ? looks : HD_COUNT(pocock)) - 1];
	return rc;
}

/* ---- writing ---- */

static int add_runs(struct hd_db *db, int64_t gate, const struct hd_run_set *s, const char *side, struct hd_err *err)
{
	int rc = 0;

	for (size_t i = 0; i < s->n && rc >= 0; i++)
		rc = hd_db_do(db, err, "INSERT INTO gate_run (gate_id, run_id, side) VALUES ($1, $2, $3)", "iit", gate,
			s->runs[i].row, side);
	return rc;
}

struct finding {
	const char *kind, *verdict, *series;
	int64_t symbol;			/* below 0: none */
	double base, head, change, lo, hi, q;
};

/* One more row; numbers that are not finite have no place in a table. */
static int add_finding(struct hd_db *db, int64_t gate, int64_t *id, const struct hd_comparison *c,
	const struct finding *f, const char *now, struct hd_err *err)
{
	const struct hd_run_set_member *base = &c->base.runs[c->base.n - 1], *head = &c->head.runs[c->head.n - 1];
	double v[] = { f->base, f->head, f->change, f->lo, f->hi, f->q };

	for (size_t i = 0; i < HD_COUNT(v); i++)
		v[i] = isnan(v[i]) ? 0 : fmin(fmax(v[i], -1e300), 1e300);
	return hd_db_do(db, err,
		"INSERT INTO drift_event (id, base_run, head_run, event, symbol_id, kind, verdict, base_pct, head_pct, "
		"change_pct, ci_lo, ci_hi, q, found_utc, gate_id, series) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, "
		"$10, $11, $12, $13, $14, $15, $16)",
		"iiiiottddddddtit", ++*id, base->row, head->row, head->event < 0 ? (int64_t)0 : head->event, f->symbol,
		f->kind, f->verdict, v[0], v[1], v[2], v[3], v[4], v[5], now, gate, f->series);
}

static int add_rows(struct hd_db *db, int64_t gate, int64_t *id, const struct hd_comparison *c, const char *now,
	struct hd_err *err)
{
	int rc = 0;

	for (size_t i = 0; i < c->nrows && rc >= 0; i++) {
		const struct hd_judge_row *r = &c->rows[i];
		struct finding f = { r->verdict == HD_SHIFT ? "shift" : "cost", hd_verdict_name(r->verdict), NULL,
			r->symbol_id, r->base_pct, r->head_pct, r->change_pct, r->lo_pct, r->hi_pct, r->q };

		if (!r->ack && (r->verdict == HD_FAIL || r->verdict == HD_SHIFT))
			rc = add_finding(db, gate, id, c, &f, now, err);
	}
	for (size_t i = 0; i < c->nseries && rc >= 0; i++) {
		const struct hd_judge_series *s = &c->series[i];
		struct hd_buf name = { 0 };
		struct finding f = { "cost", hd_verdict_name(s->verdict), NULL, -1, s->base, s->head, s->change_pct,
			s->lo_pct, s->hi_pct, s->q };
		char *shown;

		hd_judge_series_name(&name, s);
		shown = hd_enc_visible_new(name.data);
		f.series = shown;
		if (!s->ack && s->verdict == HD_FAIL)
			rc = add_finding(db, gate, id, c, &f, now, err);
		free(shown);
		hd_buf_release(&name);
	}
	return rc;
}

static int add_ranking(struct hd_db *db, int64_t gate, int64_t *id, const struct hd_comparison *c, const char *now,
	struct hd_err *err)
{
	const char *verdict = hd_verdict_name(c->verdict);
	int rc = 0;

	if (c->ranked && c->material) {
		const struct hd_judge_row *r = &c->rows[c->above];

		rc = add_finding(db, gate, id, c,
			&(struct finding){ "order", verdict, NULL, r->symbol_id, r->base_pct, r->head_pct,
				r->change_pct, r->lo_pct, r->hi_pct, r->q },
			now, err);
	}
	if (rc >= 0 && c->ranked && c->score > c->aa_limit)
		rc = add_finding(db, gate, id, c,
			&(struct finding){ "score", verdict, NULL, -1, NAN, NAN, c->net_pct, NAN, NAN, NAN }, now, err);
	return rc;
}

static int add_result(struct hd_db *db, int64_t gate, const struct hd_comparison *c, const char *command,
	const char *now, struct hd_err *err)
{
	char *b = ref(&c->base), *h = ref(&c->head), *target = hd_enc_visible_new(of(&c->head, HD_RUN_FIELD_TARGET));
	char *event = hd_enc_visible_new(of(&c->head, HD_RUN_FIELD_EVENT)),
	     *reason = c->reason[0] ? hd_enc_visible_new(c->reason) : NULL;
	int rc;

	rc = hd_db_do(db, err,
		"INSERT INTO gate_result (id, found_utc, command, target, mode, event, base_ref, head_ref, verdict, "
		"reason, look, level, failed, shifted, unsure) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, "
		"$12, $13, $14, $15)",
		"itttttttttidiii", gate, now, command, target, of(&c->head, HD_RUN_FIELD_MODE), event, b, h,
		hd_verdict_name(c->verdict), reason, (int64_t)c->look, c->level, (int64_t)c->failed,
		(int64_t)c->shifted, (int64_t)c->unsure);
	if (rc >= 0 && c->ranked)
		rc = hd_db_do(db, err,
			"UPDATE gate_result SET score = $1, aa_limit = $2, moved_pct = $3, net_pct = $4 WHERE id = $5",
			"ddddi", c->score, c->aa_limit, c->moved_pct, c->net_pct, gate);
	free(b);
	free(h);
	free(target);
	free(event);
	free(reason);
	return rc;
}

static int record(struct hd_db *db, const struct hd_comparison *c, const char *command, struct hd_err *err)
{
	char now[HD_UTC_TEXT];
	int64_t gate, id;
	int rc;

	hd_utc_text(hd_utc_now(), now);
	rc = hd_db_query_int(db, &gate, 0, err, "SELECT MAX(id) FROM gate_result", "");
	if (rc >= 0)
		rc = hd_db_query_int(db, &id, 0, err, "SELECT MAX(id) FROM drift_event", "");
	if (rc >= 0)
		rc = add_result(db, ++gate, c, command, now, err);
	if (rc >= 0)
		rc = add_runs(db, gate, &c->base, "base", err);
	if (rc >= 0)
		rc = add_runs(db, gate, &c->head, "head", err);
	if (rc >= 0 && c->history.n)
		rc = add_runs(db, gate, &c->history, "history", err);
	if (rc >= 0 && c->pin)
		rc = add_runs(db, gate, &c->pin->base, "pin", err);
	if (rc >= 0 && c->base.n && c->head.n)
		rc = add_rows(db, gate, &id, c, now, err);
	if (rc >= 0 && c->base.n && c->head.n)
		rc = add_ranking(db, gate, &id, c, now, err);
	return rc < 0 ? rc : hd_journal_note(db, HD_JOURNAL_GATE, "", gate, err);
}

int hd_gate_result_record(struct hd_db *db, const struct hd_comparison *c, const char *command, struct hd_err *err)
{
	int rc;

	if (!c->head.n)
		return 0;		/* nothing was compared with anything */
	rc = hd_db_begin(db, err);
	if (rc >= 0)
		rc = record(db, c, command, err);
	if (rc >= 0)
		rc = hd_db_commit(db, err);
	hd_db_rollback(db);
	return rc;
}
