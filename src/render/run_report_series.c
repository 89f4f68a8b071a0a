/* run_report_series.c - print the series of a stored run; see run_report.h */
#include "render/run_report.h"

#include "base/encode.h"
#include "base/mem.h"
#include "render/fields.h"
#include "render/table.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static const struct hd_column columns[] = {
	{ "kind", false, true }, { "n", true, false }, { "mean", true, false }, { "p50", true, false },
	{ "p95", true, false },
	{ "p99", true, false }, { "max", true, false }, { "joules", true, false }, { "unit", false, true },
	{ "series", false, true },
};

static const struct hd_stored_stat *find(const struct hd_stored_series *s, const char *name)
{
	for (size_t i = 0; i < s->nstats; i++)
		if (!strcmp(s->stats[i].name, name))
			return &s->stats[i];
	return NULL;
}

/* Add a cell with the statistic `name`, or if it does not exist, `other`.  The cell is empty if neither exists. */
static void cell(struct hd_table *t, const struct hd_stored_series *s, const char *name, const char *other)
{
	const struct hd_stored_stat *x = find(s, name);

	x = x || !other ? x : find(s, other);
	if (x)
		hd_table_cellf(t, "%.6g", x->value);
	else
		hd_table_string(t, "");
}

/* Print how energy was measured.  The first series with a method is the total of all counted domains. */
static void say_method(struct hd_buf *out, const struct hd_stored_run *p)
{
	size_t i = 0;

	while (i < p->nseries && !p->series[i].method)
		i++;
	if (i == p->nseries)
		return;
	hd_buf_adds(out, "\nenergy by ");
	hd_enc_term(out, p->series[i].method, strlen(p->series[i].method));
	hd_buf_addc(out, '\n');
}

void hd_run_report_series(struct hd_buf *out, const struct hd_stored_run *p)
{
	struct hd_table t;

	if (!p->nseries)
		return;
	hd_buf_addc(out, '\n');
	hd_table_init(&t, columns, HD_COUNT(columns));
	for (size_t i = 0; i < p->nseries; i++) {
		const struct hd_stored_series *s = &p->series[i];

		hd_table_string(&t, s->kind);
		hd_table_cellf(&t, "%" PRId64, s->samples);
		cell(&t, s, "mean", NULL);
		cell(&t, s, "p50", NULL);
		cell(&t, s, "p95", NULL);
		cell(&t, s, "p99", NULL);
		cell(&t, s, "max", "peak");
		cell(&t, s, "joules", NULL);
		hd_table_string(&t, s->unit);
		hd_table_string(&t, s->name);
	}
	hd_table_text(out, &t, "");
	hd_table_release(&t);
	say_method(out, p);
}

static const struct hd_fields stat_fields = HD_FIELDS(
	HD_FIELD("stat", NULL, TEXT, struct hd_stored_stat, name),
	HD_FIELD("value", NULL, REAL, struct hd_stored_stat, value),
	HD_FIELD("lo", NULL, REAL_IF, struct hd_stored_stat, lo),
	HD_FIELD("hi", NULL, REAL_IF, struct hd_stored_stat, hi));

void hd_run_report_json_series(struct hd_jsonw *w, const struct hd_stored_run *p)
{
	hd_jsonw_open(w, "series", '[');
	for (size_t i = 0; i < p->nseries; i++) {
		const struct hd_stored_series *s = &p->series[i];

		hd_jsonw_open(w, NULL, '{');
		hd_jsonw_str(w, "kind", s->kind);
		hd_jsonw_str(w, "name", s->name);
		hd_jsonw_str(w, "unit", s->unit);
		hd_jsonw_i64(w, "samples", s->samples);
		hd_jsonw_str(w, "method", s->method);
		hd_jsonw_str(w, "csv", s->csv);
		hd_fields_array(w, "stats", &stat_fields, s->stats, s->nstats, sizeof(*s->stats));
		hd_jsonw_close(w, '}');
	}
	hd_jsonw_close(w, ']');
}
