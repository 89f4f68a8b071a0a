/*
 * gate_rows.c - see gate_rows.h
 */
#include "history/gate_rows.h"

#include "base/mem.h"
#include "base/utc.h"
#include "trust/journal.h"

#include <math.h>

int hd_gate_rows_looks(int64_t *looks, struct hd_db *db, const struct hd_gate_row *key, size_t runs, struct hd_err *err)
{
	return hd_db_query_int(db, looks, 0, err,
		"SELECT COUNT(DISTINCT n.runs) FROM (SELECT x.id, COUNT(*) AS runs FROM gate_result x JOIN gate_run g "
		"ON g.gate_id = x.id AND g.side IN ('base', 'head') WHERE x.target = $1 AND x.event = $2 AND "
		"x.base_ref = $3 AND x.head_ref = $4 AND x.mode = $5 AND x.command = 'gate' AND x.verdict = "
		"'INCONCLUSIVE' GROUP BY x.id) n WHERE n.runs < $6",
		"ttttti", key->target, key->event, key->base_ref, key->head_ref, key->mode, (int64_t)runs);
}

static int add_result(struct hd_db *db, int64_t gate, const struct hd_gate_row *row, const char *now,
	struct hd_err *err)
{
	return hd_db_do(db, err,
		"INSERT INTO gate_result (id, found_utc, command, target, mode, event, base_ref, head_ref, verdict, "
		"reason, look, level, failed, shifted, unsure, score, aa_limit, moved_pct, net_pct) VALUES ($1, $2, "
		"$3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19)",
		"itttttttttidiiidddd", gate, now, row->command, row->target, row->mode, row->event, row->base_ref,
		row->head_ref, row->verdict, row->reason, (int64_t)row->look, row->level, (int64_t)row->failed,
		(int64_t)row->shifted, (int64_t)row->unsure, row->score, row->aa_limit, row->moved_pct, row->net_pct);
}

static int add_runs(struct hd_db *db, int64_t gate, const struct hd_gate_side *side, struct hd_err *err)
{
	int rc = 0;

	for (size_t i = 0; i < side->set->n && rc >= 0; i++)
		rc = hd_db_do(db, err, "INSERT INTO gate_run (gate_id, run_id, side) VALUES ($1, $2, $3)", "iit", gate,
			side->set->runs[i].row, side->role);
	return rc;
}

static int add_finding(struct hd_db *db, int64_t gate, int64_t id, const struct hd_gate_side *sides,
	const struct hd_gate_finding *f, const char *now, struct hd_err *err)
{
	const struct hd_run_set *base = f->against ? f->against : sides[0].set, *head = sides[1].set;
	const struct hd_run_set_member *b = &base->runs[base->n - 1], *h = &head->runs[head->n - 1];
	double v[] = { f->base, f->head, f->change, f->lo, f->hi, f->q };

	for (size_t i = 0; i < HD_COUNT(v); i++)
		v[i] = isnan(v[i]) ? NAN : fmin(fmax(v[i], -1e300), 1e300);
	return hd_db_do(db, err,
		"INSERT INTO drift_event (id, base_run, head_run, event, symbol_id, kind, verdict, base_pct, head_pct, "
		"change_pct, ci_lo, ci_hi, q, found_utc, gate_id, series) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, "
		"$10, $11, $12, $13, $14, $15, $16)",
		"iiiiottddddddtit", id, b->row, h->row, h->event < 0 ? (int64_t)0 : h->event, f->symbol, f->kind,
		f->verdict, v[0], v[1], v[2], v[3], v[4], v[5], now, gate, f->series);
}

static int write_rows(struct hd_db *db, const struct hd_gate_row *row, const struct hd_gate_side *sides, size_t nsides,
	const struct hd_gate_finding *findings, size_t nfindings, struct hd_err *err)
{
	char now[HD_UTC_TEXT];
	int64_t gate, id;
	int rc;

	hd_utc_text(hd_utc_now(), now);
	rc = hd_db_query_int(db, &gate, 0, err, "SELECT MAX(id) FROM gate_result", "");
	if (rc >= 0)
		rc = hd_db_query_int(db, &id, 0, err, "SELECT MAX(id) FROM drift_event", "");
	if (rc >= 0)
		rc = add_result(db, ++gate, row, now, err);
	for (size_t i = 0; i < nsides && rc >= 0; i++)
		rc = add_runs(db, gate, &sides[i], err);
	for (size_t i = 0; i < nfindings && rc >= 0; i++)
		rc = add_finding(db, gate, ++id, sides, &findings[i], now, err);
	return rc < 0 ? rc : hd_journal_note(db, HD_JOURNAL_GATE, "", gate, err);
}

int hd_gate_rows_write(struct hd_db *db, const struct hd_gate_row *row, const struct hd_gate_side *sides, size_t nsides,
	const struct hd_gate_finding *findings, size_t nfindings, struct hd_err *err)
{
	int rc = hd_journal_begin(db, err);

	if (rc >= 0)
		rc = write_rows(db, row, sides, nsides, findings, nfindings, err);
	if (rc >= 0)
		rc = hd_db_commit(db, err);
	hd_db_rollback(db);
	return rc;
}
