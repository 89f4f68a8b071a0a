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

enum {
	COMMAND = 11,			/* index of r.command in HD_TREND_FILTER_COLUMNS */
	KINDS_AT_ONCE = 500,		/* kinds whose runs are in memory at the same time */
};

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

/*
 * Return true if the run is comparable with the given run, scope.like.  If the trend is about a series, event, unit,
 * sampling and call graph are ignored.
 */
static bool is_comparable(const struct hd_trend_filter *k, struct hd_run_set_member *r)
{
	const struct hd_run_set_member *like = &k->side.runs[0];

	for (int f = HD_RUN_FIELD_EVENT; f <= HD_RUN_FIELD_CALL_GRAPH && !*k->event; f++)
		r->like[f] = like->like[f];
	return hd_comparable(r, like);
}

int hd_trend_filter_judge(struct hd_trend_filter *k, struct hd_err *err)
{
	int rc = 0;

	k->comparable = hd_zalloc(k->n + 1, sizeof(*k->comparable));
	for (size_t from = 0, n; from < k->n && rc >= 0; from += n) {
		struct hd_run_set some = { 0 };
		size_t kind = from;

		n = k->n - from < KINDS_AT_ONCE ? k->n - from : KINDS_AT_ONCE;
		rc = hd_run_set_load_runs(&some, k->db, k->first + from, n, k->event, err);
		/* The runs are in the order of the kinds, but a kind whose run was deleted meanwhile has none. */
		for (size_t i = 0; i < some.n && rc >= 0; i++) {
			while (k->first[kind] != some.runs[i].row)
				kind++;
			k->comparable[kind] = is_comparable(k, &some.runs[i]);
		}
		hd_run_set_release(&some);
	}
	return rc < 0 ? rc : 0;
}

bool hd_trend_filter_has(const struct hd_trend_filter *k, uint32_t kind)
{
	return k->comparable[kind];
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

uint32_t hd_trend_filter_kind(struct hd_trend_filter *k, const struct hd_db_rows *r, int64_t run)
{
	int column = hd_col_count(r) - (COMMAND + 1);
	uint32_t kind;

	hd_buf_reset(&k->key);
	for (int i = 0; i <= COMMAND; i++)
		add_column(k, r, column + i, i == COMMAND);
	kind = hd_strtab_addn(k->kinds, k->key.data, k->key.len);
	HD_GROW(k->first, (size_t)kind + 1, k->cap);
	for (; k->n <= kind; k->n++)
		k->first[k->n] = k->n == kind ? run : 0;
	return kind;
}

void hd_trend_filter_release(struct hd_trend_filter *k)
{
	hd_run_set_release(&k->side);
	hd_strtab_free(k->kinds);
	free(k->first);
	free(k->comparable);
	hd_buf_release(&k->key);
	*k = (struct hd_trend_filter){ 0 };
}
