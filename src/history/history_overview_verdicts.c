/*
 * history_overview_verdicts.c - see history_overview.h: stored results of gate and drift
 */
#include "history/history_overview_load.h"

#include "base/buf.h"
#include "base/mem.h"
#include "base/strtab.h"
#include "db/row_reader.h"

#include <inttypes.h>
#include <stdlib.h>

/* The first schema version that has tables for the results of gates. */
enum { WITH_GATES = 5 };

struct finding {
	int64_t run[2], symbol;		/* run.id of the base and of the head; symbol.id, or -1 */
	struct hd_overview_verdict v;
};
static const struct hd_row_field finding_fields[] = {
	HD_ROW(struct finding, run[0], "base_run", INT_OR_0),
	HD_ROW(struct finding, run[1], "head_run", INT_OR_0),
	HD_ROW(struct finding, v.event, "event", INT_OR_0),
	HD_ROW(struct finding, symbol, "symbol_id", INT),
	HD_ROW(struct finding, v.kind, "kind", TEXT),
	HD_ROW(struct finding, v.verdict, "verdict", TEXT),
	HD_ROW(struct finding, v.base_pct, "base_pct", REAL),
	HD_ROW(struct finding, v.head_pct, "head_pct", REAL),
	HD_ROW(struct finding, v.change_pct, "change_pct", REAL),
	HD_ROW(struct finding, v.lo, "ci_lo", REAL),
	HD_ROW(struct finding, v.hi, "ci_hi", REAL),
	HD_ROW(struct finding, v.q, "q", REAL),
	HD_ROW(struct finding, v.series, "series", TEXT),	/* last, because schemas without gates lack it */
};
#define NEWEST_FIRST sizeof(struct finding), "FROM drift_event ORDER BY id DESC"
static const struct hd_row_query findings = { finding_fields, HD_COUNT(finding_fields), NEWEST_FIRST };
static const struct hd_row_query findings_without_series = { finding_fields, HD_COUNT(finding_fields) - 1,
	NEWEST_FIRST };

struct gate_row {
	int64_t run;
	struct hd_overview_gate g;
};
static const struct hd_row_field gate_fields[] = {
	HD_ROW(struct gate_row, run, "w.run_id", INT_OR_0),
	HD_ROW(struct gate_row, g.event, "g.event", TEXT),
	HD_ROW(struct gate_row, g.verdict, "g.verdict", TEXT),
	HD_ROW(struct gate_row, g.base, "g.base_ref", TEXT),
	HD_ROW(struct gate_row, g.reason, "g.reason", TEXT),
};
static const struct hd_row_query gates = HD_ROW_QUERY(struct gate_row, gate_fields,
	"FROM gate_run w JOIN gate_result g ON g.id = w.gate_id WHERE w.side = 'head' ORDER BY g.id DESC, "
	"w.run_id DESC");

/*
 * Add the finding to `seen`.  Return true if `seen` had none with the same base, head, event, symbol, kind and series.
 * The caller adds the newest finding first.  A run is identified by commit, dirty, target and mode if its commit is
 * known, and by its id otherwise.
 */
static bool is_new(struct hd_strtab *seen, const struct hd_overview *c, const struct finding *f)
{
	struct hd_buf key = { 0 };
	uint32_t before = hd_strtab_count(seen);

	for (unsigned side = 0; side < 2; side++) {
		uint32_t at = side ? f->v.head : f->v.base;

		if (at != UINT32_MAX && c->runs[at].commit)
			hd_buf_addf(&key, "%s%" PRId64 " %s %s ", c->runs[at].commit, c->runs[at].dirty,
				c->runs[at].target, c->runs[at].mode);
		else
			hd_buf_addf(&key, "run %" PRId64 " ", f->run[side]);
	}
	hd_buf_addf(&key, "%" PRId64 " %" PRId64 " %s %s", f->v.event, f->symbol, hd_or_empty(f->v.kind),
		hd_or_empty(f->v.series));
	hd_strtab_addn(seen, key.data, key.len);
	hd_buf_release(&key);
	return hd_strtab_count(seen) > before;
}

/*
 * Store a finding in c->verdicts, and its symbol.id at the same index of `symbol`.  The symbols are loaded after all
 * findings, because the statement that reads the findings is still running.
 */
static void take_verdict(struct hd_overview *c, const struct hd_map *runs, struct hd_strtab *seen, struct finding *f,
	int64_t *symbol)
{
	f->v.base = hd_map_get(runs, (uint64_t)f->run[0]);
	f->v.head = hd_map_get(runs, (uint64_t)f->run[1]);
	if (f->v.head == HD_MAP_NONE)
		return;
	if (c->nverdicts == HD_OVERVIEW_VERDICTS) {
		c->verdicts_left_out++;
		return;
	}
	symbol[c->nverdicts] = f->symbol;
	c->verdicts[c->nverdicts] = f->v;
	c->nverdicts += is_new(seen, c, f);
}

static int load_found(struct hd_overview *c, struct hd_db *db, const struct hd_map *runs, int64_t schema,
	int64_t *symbol, struct hd_err *err)
{
	const struct hd_row_query *q = schema >= WITH_GATES ? &findings : &findings_without_series;
	struct hd_strtab *seen = hd_strtab_new();
	struct finding f = { 0 };
	struct hd_db_rows r;
	int rc = hd_row_query(&r, q, db, err, "");

	c->verdicts = hd_new_array(struct hd_overview_verdict, HD_OVERVIEW_VERDICTS + 1);
	while (rc >= 0 && (rc = hd_row_next(&r, q, &c->arena, &f, err)) > 0)
		take_verdict(c, runs, seen, &f, symbol);
	hd_db_end(&r);
	hd_strtab_free(seen);
	return rc;
}

static int load_gates(struct hd_overview *c, struct hd_db *db, const struct hd_map *runs, struct hd_err *err)
{
	struct gate_row w = { 0 };
	struct hd_db_rows r;
	size_t cap = 0;
	int rc = hd_row_query(&r, &gates, db, err, "");

	while (rc >= 0 && (rc = hd_row_next(&r, &gates, &c->arena, &w, err)) > 0) {
		w.g.head = hd_map_get(runs, (uint64_t)w.run);
		if (w.g.head == HD_MAP_NONE)
			continue;
		if (c->ngates == HD_OVERVIEW_VERDICTS) {
			c->verdicts_left_out++;
			continue;
		}
		HD_GROW(c->gates, c->ngates + 1, cap);
		c->gates[c->ngates++] = w.g;
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
