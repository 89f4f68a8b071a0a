/*
 * stats.c - see stats.h
 */
#include "render/stats.h"

#include "base/mem.h"
#include "render/fields.h"
#include "render/unit_text.h"

#include <math.h>
#include <string.h>

/* ---- text ---- */

struct row {
	struct hd_summary s;	/* NaN where there is no value */
	const char *column;
};

#define FIELD(key, title, kind, member, ...)	HD_FIELD(key, title, kind, struct row, member, ##__VA_ARGS__)
static const struct hd_field fields[] = {
	FIELD("n", "n", COUNT, s.n),
	FIELD("mean", "mean", REAL, s.mean),
	FIELD("std", "std", REAL, s.std),
	FIELD("p50", "p50", REAL, s.p50),
	FIELD("p95", "p95", REAL, s.p95),
	FIELD("p99", "p99", REAL, s.p99),
	FIELD("min", "min", REAL, s.min),
	FIELD("max", "max", REAL, s.max),
	FIELD("outliers", "outliers", COUNT, s.outliers),
	FIELD(NULL, "column", NAME, column),
}, interval_fields[] = {
	FIELD("mean", "mean, 95 %", INTERVAL, s.ci_mean),
	FIELD("std", "std, 95 %", INTERVAL, s.ci_std),
	FIELD("p50", "p50, 95 %", INTERVAL, s.ci_p50),
	FIELD("p95", "p95, 95 %", INTERVAL, s.ci_p95),
	FIELD("p99", "p99, 95 %", INTERVAL, s.ci_p99),
	FIELD(NULL, "column", NAME, column),
}, more_fields[] = {
	FIELD("sum", NULL, REAL, s.sum),
	FIELD("q1", NULL, REAL, s.q1),
	FIELD("q3", NULL, REAL, s.q3),
	FIELD("fence_low", NULL, REAL, s.fence_lo),
	FIELD("fence_high", NULL, REAL, s.fence_hi),
};
static const struct hd_fields values = { fields, HD_COUNT(fields), 0 },
	intervals = { interval_fields, HD_COUNT(interval_fields), 0 },
	more = { more_fields, HD_COUNT(more_fields), 0 };

static struct row row_of(const struct hd_series_stats_column *c)
{
	struct row r = { c->sum, c->column->name };

	if (!r.s.n)
		r.s.mean = r.s.std = r.s.p50 = r.s.p95 = r.s.p99 = r.s.min = r.s.max = r.s.q1 = r.s.q3 =
			r.s.fence_lo = r.s.fence_hi = NAN;
	return r;
}

static void write_table(struct hd_buf *out, const struct hd_series_stats *st, const struct hd_fields *f, bool markdown)
{
	struct hd_table t;

	hd_fields_table(&t, f);
	for (size_t i = 0; i < st->n; i++) {
		struct row r = row_of(&st->columns[i]);

		if (r.s.n || f == &values)
			hd_fields_cells(&t, f, &r);
	}
	hd_table_write(out, &t, markdown);
}

static void line_of_fit(struct hd_buf *out, const struct hd_series_stats_column *c, bool markdown)
{
	hd_buf_adds(out, markdown ? "- " : "");
	hd_table_name(out, c->column->name, markdown);
	hd_buf_adds(out, " = ");
	hd_unit_text_real(out, c->fit.intercept);
	hd_buf_adds(out, signbit(c->fit.slope) ? " - " : " + ");
	hd_unit_text_real(out, fabs(c->fit.slope));
	hd_buf_addc(out, ' ');
	hd_table_name(out, c->against, markdown);
	hd_buf_adds(out, ", R2 ");
	hd_unit_text_real(out, c->fit.r2);
	hd_buf_addc(out, '\n');
}

static void labelled(struct hd_buf *out, const char *label, double v, bool markdown)
{
	hd_buf_addf(out, markdown ? "- %s " : "%-17s ", label);
	hd_unit_text_real(out, v);
	hd_buf_addc(out, '\n');
}

static void write_not_measured(struct hd_buf *out, const struct hd_series_stats *st, bool markdown)
{
	bool any = false;

	for (size_t i = 0; i < st->n; i++) {
		if (!st->columns[i].not_measured)
			continue;
		hd_buf_adds(out, any ? ", " : markdown ? "\nnot measured (0 in all rows): " : "\nnot measured      ");
		hd_table_name(out, st->columns[i].column->name, markdown);
		any = true;
	}
	if (any)
		hd_buf_adds(out, markdown ? "\n" : " (0 in all rows)\n");
}

void hd_stats_text(struct hd_buf *out, const struct hd_series_stats *st, bool markdown)
{
	bool any = false;

	hd_table_name(out, st->series->path, markdown);
	hd_buf_addf(out, ": %s, ", hd_series_form(st->series));
	hd_unit_text_count(out, st->series->rows);
	hd_buf_adds(out, " rows");
	if (st->series->skipped) {
		hd_buf_adds(out, ", ");
		hd_unit_text_count(out, st->series->skipped);
		hd_buf_adds(out, " skipped");
	}
	hd_buf_adds(out, "\n\n");
	write_table(out, st, &values, markdown);
	hd_buf_addc(out, '\n');
	write_table(out, st, &intervals, markdown);
	for (size_t i = 0; i < st->n; i++) {
		if (!st->columns[i].against)
			continue;
		hd_buf_adds(out, any ? "" : "\n");
		line_of_fit(out, &st->columns[i], markdown);
		any = true;
	}
	write_not_measured(out, st, markdown);
	if (!st->is_memory)
		return;
	hd_buf_addc(out, '\n');
	labelled(out, "peak_rss", st->peak_rss, markdown);
	labelled(out, "mean_rss", st->mean_rss, markdown);
	labelled(out, "kv_cache_total", st->kv_cache_total, markdown);
	labelled(out, "activation_total", st->activation_total, markdown);
}

/* ---- JSON ---- */

void hd_json_intervals(struct hd_jsonw *w, const struct hd_summary *s)
{
	hd_jsonw_open(w, "ci", '{');
	if (s->n)
		hd_fields_json(w, &intervals, &(struct row){ *s, NULL });
	hd_jsonw_close(w, '}');
}

static void json_fit(struct hd_jsonw *w, const struct hd_series_stats_column *c)
{
	if (!c->against)
		return;
	hd_json_real(w, "r2", c->fit.r2);
	hd_json_real(w, "slope", c->fit.slope);
	hd_json_real(w, "intercept", c->fit.intercept);
	hd_jsonw_str(w, "against", c->against);
}

static void json_column(struct hd_jsonw *w, const struct hd_series_stats_column *c)
{
	struct row r = row_of(c);

	hd_jsonw_open(w, r.column, '{');
	hd_fields_json(w, &values, &r);
	hd_json_intervals(w, &r.s);
	hd_fields_json(w, &more, &r);
	json_fit(w, c);
	hd_jsonw_u64(w, "empty", c->column->empty);
	hd_jsonw_u64(w, "lost", c->column->lost);
	hd_jsonw_close(w, '}');
}

void hd_stats_json(struct hd_buf *out, const struct hd_series_stats *st)
{
	struct hd_jsonw w = hd_jsonw_document(out, "hotdrift.stats", 1);

	hd_jsonw_str(&w, "file", st->series->path);
	hd_jsonw_str(&w, "form", hd_series_form(st->series));
	hd_jsonw_u64(&w, "rows", st->series->rows);
	hd_jsonw_u64(&w, "skipped", st->series->skipped);
	if (st->is_memory) {
		hd_json_real(&w, "peak_rss", st->peak_rss);
		hd_json_real(&w, "mean_rss", st->mean_rss);
		hd_json_real(&w, "kv_cache_total", st->kv_cache_total);
		hd_json_real(&w, "activation_total", st->activation_total);
	}
	hd_jsonw_row(&w, "not_measured", '[');
	for (size_t i = 0; i < st->n; i++)
		if (st->columns[i].not_measured)
			hd_jsonw_str(&w, NULL, st->columns[i].column->name);
	hd_jsonw_close(&w, ']');
	hd_jsonw_open(&w, "columns", '{');
	for (size_t i = 0; i < st->n; i++)
		json_column(&w, &st->columns[i]);
	hd_jsonw_close(&w, '}');
	hd_jsonw_close(&w, '}');
}
