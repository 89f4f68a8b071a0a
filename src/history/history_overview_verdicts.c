/*
 * history_overview_verdicts.c - see history_overview.h: stored results of gate and drift
 */
#include "history/history_overview_load.h"

#include "base/buf.h"
#include "base/mem.h"
#include "base/strtab.h"
#include "db/row_reader.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* The first schema with results of gates. */
enum { WITH_GATES = 5 };

static double real(const struct hd_db_rows *r, int i)
{
	return hd_col_kind(r, i) == HD_COL_NULL ? NAN : hd_col_double(r, i);
}

/* Return true for the newest finding about a comparison.  Sides are compared by commit if known. */
static bool is_new(struct hd_strtab *seen, const struct hd_overview *c, const struct hd_overview_verdict *v,
	const struct hd_db_rows *r)
{
	struct hd_buf key = { 0 };
	uint32_t before = hd_strtab_count(seen);

	for (unsigned side = 0; side < 2; side++) {
		uint32_t at = side ? v->head : v->base;

		if (at != UINT32_MAX && c->runs[at].commit)
			hd_buf_addf(&key, "%s%" PRId64 " %s %s ", c->runs[at].commit, c->runs[at].dirty,
				c->runs[at].target, c->runs[at].mode);
		else
			hd_buf_addf(&key, "run %" PRId64 " ", hd_col_int(r, (int)side));
	}
	hd_buf_addf(&key, "%" PRId64 " %" PRId64 " %s %s", v->event,
		hd_col_kind(r, 3) == HD_COL_NULL ? (int64_t)-1 : hd_col_int(r, 3), hd_or_empty(v->kind),
		hd_or_empty(v->series));
	hd_strtab_addn(seen, key.data, key.len);
	hd_buf_release(&key);
	return hd_strtab_count(seen) > before;
}

/*
 * Store a finding, and symbol.id in `symbol`: symbols are loaded after all rows, because this statement is still
 * running.
 */
static void take_verdict(struct hd_overview *c, const struct hd_map *runs, struct hd_strtab *seen,
	const struct hd_db_rows *r, int64_t *symbol)
{
	struct hd_overview_verdict *v = &c->verdicts[c->nverdicts];
	uint32_t head = hd_map_get(runs, (uint64_t)hd_col_int(r, 1));

	if (head == HD_MAP_NONE)
		return;
	if (c->nverdicts == HD_OVERVIEW_VERDICTS) {
		c->verdicts_left_out++;
		return;
	}
	*v = (struct hd_overview_verdict){ .head = head,
		.base = hd_map_get(runs, (uint64_t)hd_col_int(r, 0)),
		.event = hd_col_int(r, 2) };
	symbol[c->nverdicts] = hd_col_kind(r, 3) == HD_COL_NULL ? -1 : hd_col_int(r, 3);
	v->kind = hd_row_text(&c->arena, r, 4);
	v->verdict = hd_row_text(&c->arena, r, 5);
	v->base_pct = real(r, 6);
	v->head_pct = real(r, 7);
	v->change_pct = real(r, 8);
	v->lo = real(r, 9);
	v->hi = real(r, 10);
	v->q = real(r, 11);
	if (hd_col_count(r) > 12)
		v->series = hd_row_text(&c->arena, r, 12);
	c->nverdicts += is_new(seen, c, v, r);
}

static int load_found(struct hd_overview *c, struct hd_db *db, const struct hd_map *runs, int64_t schema,
	int64_t *symbol, struct hd_err *err)
{
	struct hd_strtab *seen = hd_strtab_new();
	struct hd_db_rows r;
	int rc;

	c->verdicts = hd_new_array(struct hd_overview_verdict, HD_OVERVIEW_VERDICTS + 1);
	if (schema >= WITH_GATES)
		rc = hd_db_query(&r, db, err,
			"SELECT base_run, head_run, event, symbol_id, kind, verdict, base_pct, head_pct, change_pct, "
			"ci_lo, ci_hi, q, series FROM drift_event ORDER BY id DESC",
			"");
	else
		rc = hd_db_query(&r, db, err,
			"SELECT base_run, head_run, event, symbol_id, kind, verdict, base_pct, head_pct, change_pct, "
			"ci_lo, ci_hi, q FROM drift_event ORDER BY id DESC",
			"");
	while (rc >= 0 && (rc = hd_db_next(&r, err)) > 0)
		take_verdict(c, runs, seen, &r, symbol);
	hd_db_end(&r);
	hd_strtab_free(seen);
	return rc;
}

static int load_gates(struct hd_overview *c, struct hd_db *db, const struct hd_map *runs, struct hd_err *err)
{
	struct hd_db_rows r;
	size_t cap = 0;
	int rc;

	rc = hd_db_query(&r, db, err,
		"SELECT w.run_id, g.event, g.verdict, g.base_ref, g.reason FROM gate_run w JOIN gate_result g "
		"ON g.id = w.gate_id WHERE w.side = 'head' ORDER BY g.id DESC, w.run_id DESC",
		"");
	while (rc >= 0 && (rc = hd_db_next(&r, err)) > 0) {
		uint32_t head = hd_map_get(runs, (uint64_t)hd_col_int(&r, 0));

		if (head == HD_MAP_NONE)
			continue;
		if (c->ngates == HD_OVERVIEW_VERDICTS) {
			c->verdicts_left_out++;
			continue;
		}
		HD_GROW(c->gates, c->ngates + 1, cap);
		c->gates[c->ngates++] = (struct hd_overview_gate){ head, hd_row_text(&c->arena, &r, 1),
			hd_row_text(&c->arena, &r, 2), hd_row_text(&c->arena, &r, 3), hd_row_text(&c->arena, &r, 4) };
	}
	hd_db_end(&r);
	return rc;
}

int hd_overview_verdicts(struct hd_overview *c, struct hd_db *db, struct hd_err *err)
{
	int64_t *symbol = hd_new_array(int64_t, HD_OVERVIEW_VERDICTS + 1), schema = 0;
	struct hd_map runs = { 0 };
	int rc;

	for (uint32_t i = 0; i < c->nruns; i++)
		hd_map_put(&runs, (uint64_t)c->runs[i].row, i);
	rc = hd_db_query_int(db, &schema, 0, err, "SELECT MAX(version) FROM schema_version", "");
	if (rc >= 0)
		rc = load_found(c, db, &runs, schema, symbol, err);
	if (rc >= 0 && schema >= WITH_GATES)
		rc = load_gates(c, db, &runs, err);
	for (size_t i = 0; i < c->nverdicts && rc >= 0; i++) {
		c->verdicts[i].symbol = UINT32_MAX;
		if (symbol[i] >= 0)
			rc = hd_overview_symbol(c, db, symbol[i], &c->verdicts[i].symbol, err);
	}
	free(symbol);
	hd_map_release(&runs);
	return rc;
}
