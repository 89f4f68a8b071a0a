/*
 * trend_filter.c - see trend_filter.h
 */
#include "history/trend_filter.h"

#include "base/encode.h"
#include "base/mem.h"
#include "history/command_line.h"
#include "history/comparability.h"
#include "history/run_set_load.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { COMMAND = 11 };			/* index of r.command in HD_TREND_FILTER_COLUMNS */

/* Check that the run has the requested event, or any event if none was requested. */
static int check_event(const struct hd_trend_filter *k, const char *requested, struct hd_err *err)
{
	const struct hd_run_set_member *like = &k->side.runs[0];
	const char *event = like->like[HD_RUN_FIELD_EVENT], *target = like->like[HD_RUN_FIELD_TARGET];

	if (requested && (!event || strcmp(event, requested)))
		return hd_fail(err, HD_EFORMAT,
			"%s: the newest run of '%s' has no event '%s'; 'hotdrift show latest:%s' lists its events",
			hd_db_name(k->db), target, requested, target);
	if (!event)
		return hd_fail(err, HD_EFORMAT, "%s: the newest run of '%s' has no event with samples",
			hd_db_name(k->db), target);
	return 0;
}

int hd_trend_filter_open(struct hd_trend_filter *k, struct hd_db *db, const struct hd_trend_scope *scope,
	struct hd_err *err)
{
	const struct hd_run_set_member *like;
	int rc;

	*k = (struct hd_trend_filter){ .db = db, .event = scope->event, .kinds = hd_strtab_new() };
	rc = hd_run_set_load_run(&k->side, db, scope->like, scope->event, err);
	if (rc >= 0 && !k->side.n)
		rc = hd_fail(err, HD_EIO, "%s: run %lld is gone", hd_db_name(db), (long long)scope->like);
	if (rc >= 0) {
		like = &k->side.runs[0];
		if (!like->like[HD_RUN_FIELD_TARGET])
			k->side.runs[0].like[HD_RUN_FIELD_TARGET] = "";
		if (!scope->event || *scope->event)
			rc = check_event(k, scope->event, err);
		if (rc >= 0 && !scope->event)
			k->event = like->like[HD_RUN_FIELD_EVENT];
	}
	if (rc < 0)
		hd_trend_filter_release(k);
	return rc;
}

/* Return 1 if the run is comparable with the given one.  For series, the fields of sampling do not matter. */
static int judge(struct hd_trend_filter *k, int64_t run, struct hd_err *err)
{
	struct hd_run_set_member *like, *r;
	int rc = hd_run_set_load_run(&k->side, k->db, run, k->event, err);

	if (rc < 0)
		return rc;
	if (k->side.n < 2)
		return 0;
	like = &k->side.runs[0];
	r = &k->side.runs[1];
	k->side.n = 1;
	for (int f = HD_RUN_FIELD_EVENT; f <= HD_RUN_FIELD_CALL_GRAPH && !*k->event; f++)
		r->like[f] = like->like[f];
	return hd_comparable(r, like) && (r->side && like->side ? !strcmp(r->side, like->side) : r->side == like->side);
}

static void add_column(struct hd_trend_filter *k, const struct hd_db_rows *r, int i, bool is_command)
{
	const char *s;
	size_t n;

	switch (hd_col_kind(r, i)) {
	case HD_COL_INT:
		hd_buf_addf(&k->key, "%" PRId64, hd_col_int(r, i));
		break;
	case HD_COL_TEXT:
	case HD_COL_BLOB:
		s = hd_col_bytes(r, i, &n);
		if (is_command)
			hd_workload_arguments(&k->key, s);
		else
			hd_buf_add(&k->key, s, n);
		break;
	case HD_COL_NULL:
	case HD_COL_DOUBLE:
		hd_buf_addc(&k->key, '\1');
		break;
	}
	hd_buf_addc(&k->key, '\n');
}

int hd_trend_filter_row(struct hd_trend_filter *k, const struct hd_db_rows *r, int column, int64_t run,
	struct hd_err *err)
{
	uint32_t kind;
	size_t had = k->cap;
	int rc;

	hd_buf_reset(&k->key);
	for (int i = 0; i <= COMMAND; i++)
		add_column(k, r, column + i, i == COMMAND);
	kind = hd_strtab_addn(k->kinds, k->key.data, k->key.len);
	HD_GROW(k->verdict, (size_t)kind + 1, k->cap);
	if (k->cap > had)
		memset(k->verdict + had, -1, (k->cap - had) * sizeof(*k->verdict));
	if (k->verdict[kind] >= 0)
		return k->verdict[kind];
	rc = judge(k, run, err);
	if (rc >= 0)
		k->verdict[kind] = (int8_t)rc;
	return rc;
}

void hd_trend_filter_release(struct hd_trend_filter *k)
{
	hd_run_set_release(&k->side);
	hd_strtab_free(k->kinds);
	free(k->verdict);
	hd_buf_release(&k->key);
	*k = (struct hd_trend_filter){ 0 };
}
