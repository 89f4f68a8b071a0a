/*
 * stats.c - see stats.h
 */
#include "render/stats.h"

#include "base/encode.h"
#include "base/mem.h"
#include "render/table.h"
#include "render/unit_text.h"
#include "track/number.h"

#include <math.h>
#include <string.h>

/* ---- text ---- */

static void interval_cell(struct hd_table *t, struct hd_interval ci)
{
	struct hd_buf b = { 0 };

	if (!isfinite(ci.lo) && !isfinite(ci.hi)) {
		hd_table_string(t, "no bounds");
		return;
	}
	if (isfinite(ci.lo))
		hd_unit_text_real(&b, ci.lo);
	hd_buf_adds(&b, !isfinite(ci.lo) ? "no lower bound, " : isfinite(ci.hi) ? " .. " : ", no upper bound");
	if (isfinite(ci.hi))
		hd_unit_text_real(&b, ci.hi);
	hd_table_cell(t, b.data, b.len);
	hd_buf_release(&b);
}

static void table_of_values(struct hd_buf *out, const struct hd_series_stats *st, bool markdown)
{
	static const struct hd_column columns[] = {
		{ "n", true, false }, { "mean", true, false }, { "std", true, false }, { "p50", true, false },
		{ "p95", true, false },
		{ "p99", true, false }, { "min", true, false }, { "max", true, false }, { "outliers", true, false },
		{ "column", false, true },
	};
	struct hd_table t;

	hd_table_init(&t, columns, HD_COUNT(columns));
	for (size_t i = 0; i < st->n; i++) {
		const struct hd_summary *s = &st->columns[i].sum;
		const double v[] = { s->mean, s->std, s->p50, s->p95, s->p99, s->min, s->max };

		hd_table_cellf(&t, "%zu", s->n);
		for (size_t k = 0; k < HD_COUNT(v); k++)
			hd_table_real(&t, s->n ? v[k] : NAN);
		hd_table_cellf(&t, "%zu", s->outliers);
		hd_table_string(&t, st->columns[i].column->name);
	}
	hd_table_write(out, &t, markdown);
}

static void table_of_intervals(struct hd_buf *out, const struct hd_series_stats *st, bool markdown)
{
	static const struct hd_column columns[] = {
		{ "mean, 95 %", true, false }, { "std, 95 %", true, false }, { "p50, 95 %", true, false },
		{ "p95, 95 %", true, false },
		{ "p99, 95 %", true, false }, { "column", false, true },
	};
	struct hd_table t;

	hd_table_init(&t, columns, HD_COUNT(columns));
	for (size_t i = 0; i < st->n; i++) {
		const struct hd_summary *s = &st->columns[i].sum;

		if (!s->n)
			continue;
		interval_cell(&t, s->ci_mean);
		interval_cell(&t, s->ci_std);
		interval_cell(&t, s->ci_p50);
		interval_cell(&t, s->ci_p95);
		interval_cell(&t, s->ci_p99);
		hd_table_string(&t, st->columns[i].column->name);
	}
	hd_table_write(out, &t, markdown);
}

static void name(struct hd_buf *out, const char *s, bool markdown)
{
	if (markdown)
		hd_enc_md(out, s, strlen(s));
	else
		hd_enc_term(out, s, strlen(s));
}

static void line_of_fit(struct hd_buf *out, const struct hd_series_stats_column *c, bool markdown)
{
	hd_buf_adds(out, markdown ? "- " : "");
	name(out, c->column->name, markdown);
	hd_buf_adds(out, " = ");
	hd_unit_text_real(out, c->fit.intercept);
	hd_buf_adds(out, signbit(c->fit.slope) ? " - " : " + ");
	hd_unit_text_real(out, fabs(c->fit.slope));
	hd_buf_addc(out, ' ');
	name(out, c->against, markdown);
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

void hd_stats_text(struct hd_buf *out, const struct hd_series_stats *st, bool markdown)
{
	bool any = false;

	name(out, st->series->path, markdown);
	hd_buf_addf(out, ": %s, ", hd_series_form(st->series));
	hd_unit_text_count(out, st->series->rows);
	hd_buf_adds(out, " rows");
	if (st->series->skipped) {
		hd_buf_adds(out, ", ");
		hd_unit_text_count(out, st->series->skipped);
		hd_buf_adds(out, " skipped");
	}
	hd_buf_adds(out, "\n\n");
	table_of_values(out, st, markdown);
	hd_buf_addc(out, '\n');
	table_of_intervals(out, st, markdown);
	for (size_t i = 0; i < st->n; i++) {
		if (!st->columns[i].against)
			continue;
		hd_buf_adds(out, any ? "" : "\n");
		line_of_fit(out, &st->columns[i], markdown);
		any = true;
	}
	if (!st->is_memory)
		return;
	hd_buf_addc(out, '\n');
	labelled(out, "peak_rss", st->peak_rss, markdown);
	labelled(out, "mean_rss", st->mean_rss, markdown);
	labelled(out, "kv_cache_total", st->kv_cache_total, markdown);
	labelled(out, "activation_total", st->activation_total, markdown);
}

/* ---- JSON ---- */

void hd_json_real(struct hd_jsonw *w, const char *key, double v)
{
	char text[HD_NUMBER_TEXT_MAX];

	if (!isfinite(v)) {
		hd_jsonw_null(w, key);
		return;
	}
	hd_number_write(text, v);
	hd_jsonw_raw(w, key, text);
}

void hd_json_interval(struct hd_jsonw *w, const char *key, struct hd_interval ci)
{
	hd_jsonw_row(w, key, '[');
	hd_json_real(w, NULL, ci.lo);
	hd_json_real(w, NULL, ci.hi);
	hd_jsonw_close(w, ']');
}

void hd_json_intervals(struct hd_jsonw *w, const struct hd_summary *s)
{
	hd_jsonw_open(w, "ci", '{');
	if (s->n) {
		hd_json_interval(w, "mean", s->ci_mean);
		hd_json_interval(w, "std", s->ci_std);
		hd_json_interval(w, "p50", s->ci_p50);
		hd_json_interval(w, "p95", s->ci_p95);
		hd_json_interval(w, "p99", s->ci_p99);
	}
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
	const struct hd_summary *s = &c->sum;
	double none = s->n ? 0 : NAN;		/* added: null where there is no value */

	hd_jsonw_open(w, c->column->name, '{');
	hd_jsonw_u64(w, "n", s->n);
	hd_json_real(w, "mean", s->mean + none);
	hd_json_real(w, "std", s->std + none);
	hd_json_real(w, "p50", s->p50 + none);
	hd_json_real(w, "p95", s->p95 + none);
	hd_json_real(w, "p99", s->p99 + none);
	hd_json_real(w, "min", s->min + none);
	hd_json_real(w, "max", s->max + none);
	hd_jsonw_u64(w, "outliers", s->outliers);
	hd_json_intervals(w, s);
	hd_json_real(w, "sum", s->sum);
	hd_json_real(w, "q1", s->q1 + none);
	hd_json_real(w, "q3", s->q3 + none);
	hd_json_real(w, "fence_low", s->fence_lo + none);
	hd_json_real(w, "fence_high", s->fence_hi + none);
	json_fit(w, c);
	hd_jsonw_u64(w, "empty", c->column->empty);
	hd_jsonw_u64(w, "lost", c->column->lost);
	hd_jsonw_close(w, '}');
}

void hd_stats_json(struct hd_buf *out, const struct hd_series_stats *st)
{
	struct hd_jsonw w = hd_jsonw_to(out);

	hd_jsonw_open(&w, NULL, '{');
	hd_jsonw_str(&w, "format", "hotdrift.stats");
	hd_jsonw_u64(&w, "version", 1);
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
	hd_jsonw_open(&w, "columns", '{');
	for (size_t i = 0; i < st->n; i++)
		json_column(&w, &st->columns[i]);
	hd_jsonw_close(&w, '}');
	hd_jsonw_close(&w, '}');
}
