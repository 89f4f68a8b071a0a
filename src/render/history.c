/*
 * history.c - see history.h
 */
#include "render/history.h"

#include "base/encode.h"
#include "base/mem.h"
#include "render/fields.h"
#include "render/history_cells.h"
#include "render/run_report.h"
#include "render/table.h"
#include "render/unit_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SPARK = 60 };

static void value_text(struct hd_buf *out, const struct hd_history *h, double v)
{
	if (isnan(v))
		hd_buf_addc(out, '-');
	else if (h->symbol)
		hd_buf_addf(out, "%.2f%%", v);
	else
		hd_unit_text_real(out, v);
}

static void cell_value(struct hd_table *t, const struct hd_history *h, double v)
{
	struct hd_buf b = { 0 };

	value_text(&b, h, v);
	hd_table_take(t, &b);
}

static void cost_cell(struct hd_table *t, const struct hd_history *h, double cost)
{
	struct hd_buf b = { 0 };

	if (cost >= 0)
		hd_unit_text_cost(&b, cost, h->trend->unit);
	hd_table_take(t, &b);
}

/* Return the value of the last point before point i whose value is known; NaN if there is none. */
static double before(const struct hd_history *h, size_t i)
{
	while (i-- > 0)
		if (!isnan(h->values->of[i].value))
			return h->values->of[i].value;
	return NAN;
}

static void change_text(struct hd_buf *out, const struct hd_history *h, size_t i)
{
	double now = h->values->of[i].value, was = before(h, i);

	if (isnan(now) || isnan(was))
		return;
	if (h->symbol)
		hd_buf_addf(out, "%+.2f", now - was);
	else if (was != 0)
		hd_buf_addf(out, "%+.1f%%", 100 * (now - was) / fabs(was));
}

/* Append the change of a cost and its interval; nothing if it is unknown. */
static void cost_change_text(struct hd_buf *out, const struct hd_cost_change *c)
{
	if (!isfinite(c->pct))
		return;
	hd_buf_adds(out, ", cost ");
	hd_run_report_cost_change(out, c, false);
	if (isnan(c->hi))
		return;
	hd_buf_adds(out, " (");
	hd_run_report_cost_interval(out, c);
	hd_buf_addc(out, ')');
}

static void mark_text(struct hd_buf *out, const struct hd_history *h, size_t i)
{
	const struct hd_trend_mark *m = &h->marks->of[i];

	if (m->change) {
		bool up = isnan(m->cost.pct) ? m->after > m->before : m->cost.pct > 0;

		hd_buf_adds(out, m->share_only ? "share only: " : up ? "\u2191 moved " : "\u2193 moved ");
		value_text(out, h, m->before);
		hd_buf_adds(out, " -> ");
		value_text(out, h, m->after);
		m->share_only ? hd_buf_adds(out, ", its cost did not change") : cost_change_text(out, &m->cost);
	} else if (m->above) {
		hd_buf_adds(out, "above ");
		value_text(out, h, m->limit.hi);
	} else if (m->below) {
		hd_buf_adds(out, "below ");
		value_text(out, h, m->limit.lo);
	}
}

/* Return the number of columns of the table.  subjects: there is a column with the subjects of the commits. */
static size_t table_columns(const struct hd_history *h, bool subjects)
{
	return (h->symbol ? 10 : 7) + subjects;
}

static void points_table(struct hd_table *table, const struct hd_history *h)
{
	struct hd_buf b = { 0 };

	for (size_t i = hd_history_first(h->trend->npoints, h->show); i < h->trend->npoints; i++) {
		const struct hd_trend_point *p = &h->trend->points[i];
		const struct hd_trend_value *v = &h->values->of[i];

		hd_buf_reset(&b);
		hd_history_commit(&b, h->trend, p);
		hd_table_string(table, hd_buf_str(&b));
		hd_buf_reset(&b);
		hd_history_time(&b, p);
		hd_table_string(table, hd_buf_str(&b));
		hd_table_cellf(table, "%zu", p->runs);
		cell_value(table, h, v->value);
		hd_buf_reset(&b);
		if (!isnan(v->lo)) {
			value_text(&b, h, v->lo);
			hd_buf_adds(&b, " .. ");
			value_text(&b, h, v->hi);
		}
		hd_table_string(table, hd_buf_str(&b));
		if (h->symbol) {
			cost_cell(table, h, v->cost);
			cell_value(table, h, v->rank ? v->total : NAN);
			if (v->rank)
				hd_table_cellf(table, "%" PRId64, v->rank);
			else
				hd_table_string(table, "-");
		}
		hd_buf_reset(&b);
		change_text(&b, h, i);
		hd_table_string(table, hd_buf_str(&b));
		hd_buf_reset(&b);
		mark_text(&b, h, i);
		hd_table_string(table, hd_buf_str(&b));
		if (table->ncolumns > table_columns(h, false))
			hd_history_subject(p) ? hd_table_string(table, p->subject) : hd_table_pseudo(table, "");
	}
	hd_buf_release(&b);
}

static void head_text(struct hd_buf *out, const struct hd_history *h, bool markdown)
{
	size_t from = hd_history_first(h->trend->npoints, h->show), n = h->trend->npoints - from;
	double *plain = hd_new_array(double, n + 1), lo = INFINITY, hi = -INFINITY;

	hd_table_name(out, h->symbol ? h->symbol : h->series, markdown);
	if (h->symbol && h->object) {
		hd_buf_adds(out, " (");
		hd_table_name(out, h->object, markdown);
		hd_buf_addc(out, ')');
	}
	if (h->unit && *h->unit) {
		hd_buf_adds(out, " in ");
		hd_table_name(out, h->unit, markdown);
	}
	hd_buf_adds(out, ": ");
	hd_history_scope(out, h->trend, markdown);
	for (size_t i = 0; i < n; i++) {
		plain[i] = h->values->of[from + i].value;
		lo = fmin(lo, plain[i]);
		hi = fmax(hi, plain[i]);
	}
	if (n > 1) {
		hd_history_spark(out, plain, n, SPARK);
		hd_buf_adds(out, "  ");
		value_text(out, h, lo);
		hd_buf_adds(out, " .. ");
		value_text(out, h, hi);
		hd_buf_addc(out, '\n');
	}
	free(plain);
}

static size_t standing(const struct hd_history *h)
{
	return h->symbol || h->low_is_good ? h->marks->nrises : 0;
}

static void standing_text(struct hd_buf *out, const struct hd_history *h)
{
	for (size_t i = 0; i < standing(h); i++) {
		const struct hd_rise *r = &h->marks->rises[i];

		hd_buf_adds(out, "since ");
		hd_history_commit(out, h->trend, &h->trend->points[r->first]);
		hd_buf_adds(out, " it is up and stayed up: ");
		value_text(out, h, r->before);
		hd_buf_adds(out, " -> ");
		value_text(out, h, r->after);
		cost_change_text(out, &h->marks->rise_costs[i]);
		hd_buf_addc(out, '\n');
	}
}

static void tail_text(struct hd_buf *out, const struct hd_history *h)
{
	size_t from = hd_history_first(h->trend->npoints, h->show);
	const struct hd_trend_limit *l = &h->marks->next;

	if (from)
		hd_buf_addf(out, "%zu older point%s not shown (-n 0 shows all); change points are of all\n", from,
			from == 1 ? " is" : "s are");
	standing_text(out, h);
	if (l->n) {
		hd_buf_addf(out, "the next commit is expected within ");
		value_text(out, h, h->symbol ? fmax(0, l->lo) : l->lo);
		hd_buf_adds(out, " .. ");
		value_text(out, h, l->hi);
		hd_buf_addf(out, " (the last %zu points)\n", l->n);
	} else {
		hd_buf_addf(out, "fewer than %d points since the last change: no limit for the next commit\n",
			HD_TREND_LIMIT_LEAST);
	}
}

static void one_table(struct hd_buf *out, const struct hd_history *h, bool markdown)
{
	const struct hd_column columns[] = {
		{ "commit", false, false }, { "time", false, false }, { "runs", true, false },
		{ h->symbol ? "self" : "value", true, false },
		{ "95 % interval", true, false }, { h->trend->per_work ? "cost / work" : "cost", true, false },
		{ "total", true, false },
		{ "rank", true, false }, { h->symbol ? "points" : "change", true, false }, { "", false, false },
		{ "subject", false, true },
	};
	static const size_t of_series[] = { 0, 1, 2, 3, 4, 8, 9, 10 };
	struct hd_column fewer[HD_COUNT(of_series)];
	struct hd_table t;

	for (size_t i = 0; i < HD_COUNT(of_series); i++)
		fewer[i] = columns[of_series[i]];
	hd_table_init(&t, h->symbol ? columns : fewer, table_columns(h, hd_history_subjects(h->trend)));
	points_table(&t, h);
	head_text(out, h, markdown);
	if (markdown) {
		hd_buf_addc(out, '\n');
		hd_table_markdown(out, &t);
		hd_buf_addc(out, '\n');
	} else {
		hd_table_text(out, &t, "");
	}
	tail_text(out, h);
	hd_table_release(&t);
}

static void limit_json(struct hd_jsonw *w, const char *key, const struct hd_trend_limit *l)
{
	if (!l->n) {
		hd_jsonw_null(w, key);
		return;
	}
	hd_json_range(w, key, l->lo, l->hi, 6);
}

static void cost_change_json(struct hd_jsonw *w, const struct hd_cost_change *c)
{
	hd_jsonw_num(w, "cost_change_pct", c->pct, 6);
	hd_json_range(w, "cost_ci", c->lo, c->hi, 6);
}

static void one_json(struct hd_buf *out, const struct hd_history *h)
{
	struct hd_jsonw w = hd_history_json(out, h->trend);
	char p[32];

	hd_jsonw_str(&w, "symbol", h->symbol);
	hd_jsonw_str(&w, "object", h->symbol ? h->object : NULL);
	hd_jsonw_str(&w, "series", h->series);
	hd_jsonw_str(&w, "series_unit", h->series ? h->unit : NULL);
	hd_jsonw_open(&w, "points", '[');
	for (size_t i = hd_history_first(h->trend->npoints, h->show); i < h->trend->npoints; i++) {
		const struct hd_trend_value *v = &h->values->of[i];
		const struct hd_trend_mark *m = &h->marks->of[i];

		hd_jsonw_row(&w, NULL, '{');
		hd_history_point_json(&w, h->trend, &h->trend->points[i]);
		hd_jsonw_num(&w, "value", v->value, 6);
		hd_jsonw_num(&w, "lo", v->lo, 6);
		hd_jsonw_num(&w, "hi", v->hi, 6);
		hd_jsonw_num(&w, "total", v->total, 6);
		if (h->symbol)
			hd_jsonw_num(&w, "cost", v->cost, 6);
		hd_jsonw_i64(&w, "rank", v->rank);
		hd_jsonw_bool(&w, "change", m->change);
		hd_jsonw_bool(&w, "above", m->above);
		hd_jsonw_bool(&w, "below", m->below);
		limit_json(&w, "limit", &m->limit);
		if (h->symbol)
			hd_jsonw_bool(&w, "share_only", m->share_only);
		hd_jsonw_close(&w, '}');
	}
	hd_jsonw_close(&w, ']');
	hd_jsonw_open(&w, "changes", '[');
	for (size_t i = 0; i < h->trend->npoints; i++) {
		const struct hd_trend_mark *m = &h->marks->of[i];

		if (!m->change)
			continue;
		hd_jsonw_row(&w, NULL, '{');
		hd_jsonw_str(&w, "commit", h->trend->points[i].commit);
		hd_jsonw_str(&w, "run", h->trend->runs[h->trend->points[i].first].name);
		hd_jsonw_num(&w, "before", m->before, 6);
		hd_jsonw_num(&w, "after", m->after, 6);
		snprintf(p, sizeof(p), "%.6g", m->p);
		hd_jsonw_raw(&w, "p", p);
		if (h->symbol) {
			cost_change_json(&w, &m->cost);
			hd_jsonw_bool(&w, "share_only", m->share_only);
		}
		hd_jsonw_close(&w, '}');
	}
	hd_jsonw_close(&w, ']');
	hd_jsonw_open(&w, "standing", '[');
	for (size_t i = 0; i < standing(h); i++) {
		const struct hd_rise *r = &h->marks->rises[i];

		hd_jsonw_row(&w, NULL, '{');
		hd_jsonw_str(&w, "commit", h->trend->points[r->first].commit);
		hd_jsonw_str(&w, "run", h->trend->runs[h->trend->points[r->first].first].name);
		hd_jsonw_num(&w, "before", r->before, 6);
		hd_jsonw_num(&w, "after", r->after, 6);
		if (h->symbol)
			cost_change_json(&w, &h->marks->rise_costs[i]);
		hd_jsonw_close(&w, '}');
	}
	hd_jsonw_close(&w, ']');
	hd_jsonw_row(&w, "next", '{');
	hd_jsonw_u64(&w, "n", h->marks->next.n);
	hd_jsonw_num(&w, "lo", h->marks->next.lo, 6);
	hd_jsonw_num(&w, "hi", h->marks->next.hi, 6);
	hd_jsonw_close(&w, '}');
	hd_jsonw_close(&w, '}');
}

static void csv_num(struct hd_buf *out, double v)
{
	hd_buf_addc(out, ',');
	if (!isnan(v))
		hd_buf_addf(out, "%.9g", v);
}

static void one_csv(struct hd_buf *out, const struct hd_history *h)
{
	hd_buf_adds(out, "commit,dirty,time,runs,value,lo,hi,total,rank,change,above,below,limit_lo,limit_hi,cost,"
			 "cost_change_pct,cost_lo,cost_hi,share_only\n");
	for (size_t i = hd_history_first(h->trend->npoints, h->show); i < h->trend->npoints; i++) {
		const struct hd_trend_value *v = &h->values->of[i];
		const struct hd_trend_mark *m = &h->marks->of[i];

		hd_history_point_csv(out, &h->trend->points[i]);
		csv_num(out, v->value);
		csv_num(out, v->lo);
		csv_num(out, v->hi);
		csv_num(out, v->total);
		hd_buf_addf(out, ",%" PRId64 ",%d,%d,%d", v->rank, m->change, m->above, m->below);
		csv_num(out, m->limit.n ? m->limit.lo : NAN);
		csv_num(out, m->limit.n ? m->limit.hi : NAN);
		csv_num(out, v->cost);
		csv_num(out, isfinite(m->cost.pct) ? m->cost.pct : NAN);
		csv_num(out, m->cost.lo);
		csv_num(out, m->cost.hi);
		hd_buf_addf(out, ",%d\n", m->share_only);
	}
}

void hd_history_write(struct hd_buf *out, const struct hd_history *h, enum hd_history_format format)
{
	switch (format) {
	case HD_HISTORY_TEXT: one_table(out, h, false); break;
	case HD_HISTORY_MARKDOWN: one_table(out, h, true); break;
	case HD_HISTORY_JSON: one_json(out, h); break;
	case HD_HISTORY_CSV: one_csv(out, h); break;
	}
}
