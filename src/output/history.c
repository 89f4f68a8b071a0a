/*
 * history.c - see history.h
 */
#include "output/history.h"

#include "base/encode.h"
#include "base/jsonw.h"
#include "base/mem.h"
#include "output/table.h"
#include "output/units.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHORT_SUM = 12, SPARK = 60 };

/* ---- small parts ---- */

void hd_history_spark(struct hd_buf *out, const double *v, size_t n, size_t columns)
{
	static const char *const block[] = { "\u2581", "\u2582", "\u2583", "\u2584", "\u2585", "\u2586", "\u2587", "\u2588" };
	size_t cells = n < columns ? n : columns;
	double *cell = hd_new_array(double, cells + 1), lo = INFINITY, hi = -INFINITY;

	for (size_t c = 0; c < cells; c++) {
		size_t have = 0;

		for (size_t i = c * n / cells; i < (c + 1) * n / cells; i++)
			if (!isnan(v[i]) && ++have)
				cell[c] += v[i];
		cell[c] = have ? cell[c] / (double)have : NAN;
		lo = fmin(lo, cell[c]);
		hi = fmax(hi, cell[c]);
	}
	for (size_t c = 0; c < cells; c++)
		hd_buf_adds(out, isnan(cell[c]) ? " " : block[hi > lo ? (int)((cell[c] - lo) / (hi - lo) * 7.999) : 3]);
	free(cell);
}

static void commit_text(struct hd_buf *out, const struct hd_trend *t, const struct hd_trend_point *p)
{
	struct hd_buf v = { 0 };

	if (p->commit) {
		hd_enc_term(&v, p->commit, strlen(p->commit));
		hd_buf_addf(out, "%.*s%s", (int)hd_enc_cut(v.data, v.len, SHORT_SUM), v.data, p->dirty ? "+" : "");
	} else if (p->runs) {
		hd_enc_term(out, t->runs[p->first].name, strlen(t->runs[p->first].name));
	}
	hd_buf_release(&v);
}

static void value_text(struct hd_buf *out, const struct hd_history *h, double v)
{
	if (isnan(v))
		hd_buf_addc(out, '-');
	else if (h->symbol)
		hd_buf_addf(out, "%.2f%%", v);
	else
		hd_units_real(out, v);
}

static void cell_value(struct hd_table *t, const struct hd_history *h, double v)
{
	struct hd_buf b = { 0 };

	value_text(&b, h, v);
	hd_table_cells(t, hd_buf_str(&b));
	hd_buf_release(&b);
}

static void name_text(struct hd_buf *out, const char *s, bool markdown)
{
	if (markdown)
		hd_enc_md(out, s, strlen(s));
	else
		hd_enc_term(out, s, strlen(s));
}

/* What all points have in common. */
static void scope_text(struct hd_buf *out, const struct hd_trend *t, bool markdown)
{
	hd_buf_adds(out, "target ");
	name_text(out, t->target, markdown);
	if (t->event) {
		hd_buf_adds(out, ", ");
		name_text(out, t->event, markdown);
		hd_buf_adds(out, ", ");
		name_text(out, t->inline_mode, markdown);
	}
	hd_buf_addf(out, ", machine %.*s, config %.*s\n", SHORT_SUM, t->machine ? t->machine : "none", SHORT_SUM, t->config ? t->config : "none");
	if (t->unlike)
		hd_buf_addf(out, "%zu other run%s of it %s on another machine, with another configuration, arguments, mode, event or sampling, and not here\n", t->unlike,
			    t->unlike == 1 ? "" : "s", t->unlike == 1 ? "is" : "are");
}

static void scope_json(struct hd_jsonw *w, const struct hd_trend *t)
{
	hd_jsonw_str(w, "format", "hotdrift.history");
	hd_jsonw_u64(w, "version", 1);
	hd_jsonw_str(w, "target", t->target);
	hd_jsonw_str(w, "mode", t->mode);
	hd_jsonw_str(w, "event", t->event);
	hd_jsonw_str(w, "unit", t->unit);
	hd_jsonw_str(w, "inline_mode", t->inline_mode);
	hd_jsonw_str(w, "machine", t->machine);
	hd_jsonw_str(w, "config", t->config);
	hd_jsonw_u64(w, "unlike", t->unlike);
}

static void point_json(struct hd_jsonw *w, const struct hd_trend *t, const struct hd_trend_point *p)
{
	hd_jsonw_str(w, "commit", p->commit);
	hd_jsonw_bool(w, "dirty", p->dirty);
	hd_jsonw_str(w, "time", p->time);
	hd_jsonw_str(w, "subject", p->subject);
	hd_jsonw_open(w, "runs", '[');
	for (size_t i = 0; i < p->runs; i++)
		hd_jsonw_str(w, NULL, t->runs[p->first + i].name);
	hd_jsonw_close(w, ']');
}

/* ---- one symbol or figure ---- */

static size_t first_shown(size_t n, size_t show)
{
	return show && show < n ? n - show : 0;
}

/* The value of the point before i that has one. */
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

static void mark_text(struct hd_buf *out, const struct hd_history *h, size_t i)
{
	const struct hd_trend_mark *m = &h->marks->of[i];

	if (m->change) {
		hd_buf_adds(out, m->after > m->before ? "\u2191 moved " : "\u2193 moved ");
		value_text(out, h, m->before);
		hd_buf_adds(out, " -> ");
		value_text(out, h, m->after);
	} else if (m->above) {
		hd_buf_adds(out, "above ");
		value_text(out, h, m->limit.hi);
	} else if (m->below) {
		hd_buf_adds(out, "below ");
		value_text(out, h, m->limit.lo);
	}
}

static void points_table(struct hd_table *table, const struct hd_history *h)
{
	struct hd_buf b = { 0 };

	for (size_t i = first_shown(h->trend->npoints, h->show); i < h->trend->npoints; i++) {
		const struct hd_trend_point *p = &h->trend->points[i];
		const struct hd_trend_value *v = &h->values->of[i];

		hd_buf_reset(&b);
		commit_text(&b, h->trend, p);
		hd_table_cells(table, hd_buf_str(&b));
		hd_table_cellf(table, "%.10s", p->time);
		hd_table_cellf(table, "%zu", p->runs);
		cell_value(table, h, v->value);
		hd_buf_reset(&b);
		if (!isnan(v->lo)) {
			value_text(&b, h, v->lo);
			hd_buf_adds(&b, " .. ");
			value_text(&b, h, v->hi);
		}
		hd_table_cells(table, hd_buf_str(&b));
		if (h->symbol) {
			cell_value(table, h, v->rank ? v->total : NAN);
			if (v->rank)
				hd_table_cellf(table, "%" PRId64, v->rank);
			else
				hd_table_cells(table, "-");
		}
		hd_buf_reset(&b);
		change_text(&b, h, i);
		hd_table_cells(table, hd_buf_str(&b));
		hd_buf_reset(&b);
		mark_text(&b, h, i);
		hd_table_cells(table, hd_buf_str(&b));
	}
	hd_buf_release(&b);
}

static void head_text(struct hd_buf *out, const struct hd_history *h, bool markdown)
{
	size_t from = first_shown(h->trend->npoints, h->show), n = h->trend->npoints - from;
	double *plain = hd_new_array(double, n + 1), lo = INFINITY, hi = -INFINITY;

	name_text(out, h->symbol ? h->symbol : h->series, markdown);
	if (h->symbol && h->object) {
		hd_buf_adds(out, " (");
		name_text(out, h->object, markdown);
		hd_buf_addc(out, ')');
	}
	if (h->unit && *h->unit) {
		hd_buf_adds(out, " in ");
		name_text(out, h->unit, markdown);
	}
	hd_buf_adds(out, ": ");
	scope_text(out, h->trend, markdown);
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
		commit_text(out, h->trend, &h->trend->points[r->first]);
		hd_buf_adds(out, " it is up and stayed up: ");
		value_text(out, h, r->before);
		hd_buf_adds(out, " -> ");
		value_text(out, h, r->after);
		hd_buf_addc(out, '\n');
	}
}

static void tail_text(struct hd_buf *out, const struct hd_history *h)
{
	size_t from = first_shown(h->trend->npoints, h->show);
	const struct hd_trend_limit *l = &h->marks->next;

	if (from)
		hd_buf_addf(out, "%zu older point%s not shown (-n 0 shows all); change points are of all\n", from, from == 1 ? " is" : "s are");
	standing_text(out, h);
	if (l->n) {
		hd_buf_addf(out, "the next commit is expected within ");
		value_text(out, h, h->symbol ? fmax(0, l->lo) : l->lo);
		hd_buf_adds(out, " .. ");
		value_text(out, h, l->hi);
		hd_buf_addf(out, " (the last %zu points)\n", l->n);
	} else {
		hd_buf_addf(out, "fewer than %d points since the last change: no limit for the next commit\n", HD_TREND_LIMIT_LEAST);
	}
}

static void one_table(struct hd_buf *out, const struct hd_history *h, bool markdown)
{
	const struct hd_column columns[] = {
		{ "commit", false, false }, { "date", false, false }, { "runs", true, false }, { h->symbol ? "self" : "value", true, false },
		{ "95 % interval", true, false }, { "total", true, false }, { "rank", true, false }, { h->symbol ? "points" : "change", true, false },
		{ "", false, false },
	};
	static const size_t of_series[] = { 0, 1, 2, 3, 4, 7, 8 };
	struct hd_column fewer[HD_COUNT(of_series)];
	struct hd_table t;

	for (size_t i = 0; i < HD_COUNT(of_series); i++)
		fewer[i] = columns[of_series[i]];
	hd_table_init(&t, h->symbol ? columns : fewer, h->symbol ? HD_COUNT(columns) : HD_COUNT(fewer));
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
	hd_jsonw_open(w, key, '[');
	hd_jsonw_num(w, NULL, l->lo, 6);
	hd_jsonw_num(w, NULL, l->hi, 6);
	hd_jsonw_close(w, ']');
}

static void one_json(struct hd_buf *out, const struct hd_history *h)
{
	struct hd_jsonw w = hd_jsonw_to(out);
	char p[32];

	hd_jsonw_open(&w, NULL, '{');
	scope_json(&w, h->trend);
	hd_jsonw_str(&w, "symbol", h->symbol);
	hd_jsonw_str(&w, "object", h->symbol ? h->object : NULL);
	hd_jsonw_str(&w, "series", h->series);
	hd_jsonw_str(&w, "series_unit", h->series ? h->unit : NULL);
	hd_jsonw_open(&w, "points", '[');
	for (size_t i = first_shown(h->trend->npoints, h->show); i < h->trend->npoints; i++) {
		const struct hd_trend_value *v = &h->values->of[i];
		const struct hd_trend_mark *m = &h->marks->of[i];

		hd_jsonw_row(&w, NULL, '{');
		point_json(&w, h->trend, &h->trend->points[i]);
		hd_jsonw_num(&w, "value", v->value, 6);
		hd_jsonw_num(&w, "lo", v->lo, 6);
		hd_jsonw_num(&w, "hi", v->hi, 6);
		hd_jsonw_num(&w, "total", v->total, 6);
		hd_jsonw_i64(&w, "rank", v->rank);
		hd_jsonw_bool(&w, "change", m->change);
		hd_jsonw_bool(&w, "above", m->above);
		hd_jsonw_bool(&w, "below", m->below);
		limit_json(&w, "limit", &m->limit);
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

static void csv_point(struct hd_buf *out, const struct hd_trend_point *p)
{
	hd_enc_csv(out, p->commit ? p->commit : "", p->commit ? strlen(p->commit) : 0);
	hd_buf_addf(out, ",%d,%.20s,%zu", p->dirty, p->time, p->runs);
}

static void one_csv(struct hd_buf *out, const struct hd_history *h)
{
	hd_buf_adds(out, "commit,dirty,time,runs,value,lo,hi,total,rank,change,above,below,limit_lo,limit_hi\n");
	for (size_t i = first_shown(h->trend->npoints, h->show); i < h->trend->npoints; i++) {
		const struct hd_trend_value *v = &h->values->of[i];
		const struct hd_trend_mark *m = &h->marks->of[i];

		csv_point(out, &h->trend->points[i]);
		csv_num(out, v->value);
		csv_num(out, v->lo);
		csv_num(out, v->hi);
		csv_num(out, v->total);
		hd_buf_addf(out, ",%" PRId64 ",%d,%d,%d", v->rank, m->change, m->above, m->below);
		csv_num(out, m->limit.n ? m->limit.lo : NAN);
		csv_num(out, m->limit.n ? m->limit.hi : NAN);
		hd_buf_addc(out, '\n');
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

/* ---- the costliest of each commit ---- */

static const char *const move_word[] = { "same", "first", "up", "down", "entered", "left" };
static const char *const move_sign[] = { "", "", "\u2191", "\u2193", "entered", "left" };

static void tops_table(struct hd_table *table, const struct hd_trend *t, const struct hd_trend_tops *tops, size_t show)
{
	struct hd_buf b = { 0 };

	for (size_t i = first_shown(t->npoints, show); i < t->npoints; i++) {
		for (size_t k = 0; k < tops->of[i].n; k++) {
			const struct hd_trend_top_row *row = &tops->of[i].rows[k];

			hd_buf_reset(&b);
			if (k == 0)
				commit_text(&b, t, &t->points[i]);
			hd_table_cells(table, hd_buf_str(&b));
			hd_table_cellf(table, "%.10s", k ? "" : t->points[i].time);
			if (row->rank)
				hd_table_cellf(table, "%zu", row->rank);
			else
				hd_table_cells(table, "-");
			hd_table_cells(table, move_sign[row->move]);
			hd_table_cellf(table, "%.2f%%", row->share);
			if (row->move == HD_TREND_FIRST)
				hd_table_cells(table, "");
			else
				hd_table_cellf(table, "%+.2f", row->share - row->was_share);
			if (row->unknown)
				hd_table_pseudo(table, row->name);
			else
				hd_table_cells(table, row->name);
			hd_table_cells(table, row->object ? row->object : "");
		}
	}
	hd_buf_release(&b);
}

static void tops_json(struct hd_buf *out, const struct hd_trend *t, const struct hd_trend_tops *tops, size_t show)
{
	struct hd_jsonw w = hd_jsonw_to(out);

	hd_jsonw_open(&w, NULL, '{');
	scope_json(&w, t);
	hd_jsonw_open(&w, "points", '[');
	for (size_t i = first_shown(t->npoints, show); i < t->npoints; i++) {
		hd_jsonw_open(&w, NULL, '{');
		point_json(&w, t, &t->points[i]);
		hd_jsonw_open(&w, "rows", '[');
		for (size_t k = 0; k < tops->of[i].n; k++) {
			const struct hd_trend_top_row *row = &tops->of[i].rows[k];

			hd_jsonw_row(&w, NULL, '{');
			hd_jsonw_u64(&w, "rank", row->rank);
			hd_jsonw_u64(&w, "was_rank", row->was_rank);
			hd_jsonw_str(&w, "symbol", row->name);
			if (row->unknown)
				hd_jsonw_bool(&w, "unknown", true);
			hd_jsonw_str(&w, "object", row->object);
			hd_jsonw_num(&w, "share", row->share, 6);
			hd_jsonw_num(&w, "was_share", row->was_share, 6);
			hd_jsonw_str(&w, "move", move_word[row->move]);
			hd_jsonw_close(&w, '}');
		}
		hd_jsonw_close(&w, ']');
		hd_jsonw_close(&w, '}');
	}
	hd_jsonw_close(&w, ']');
	hd_jsonw_close(&w, '}');
}

static void tops_csv(struct hd_buf *out, const struct hd_trend *t, const struct hd_trend_tops *tops, size_t show)
{
	hd_buf_adds(out, "commit,dirty,time,runs,rank,was_rank,share,was_share,move,symbol,object\n");
	for (size_t i = first_shown(t->npoints, show); i < t->npoints; i++) {
		for (size_t k = 0; k < tops->of[i].n; k++) {
			const struct hd_trend_top_row *row = &tops->of[i].rows[k];

			csv_point(out, &t->points[i]);
			hd_buf_addf(out, ",%zu,%zu,%.6f,%.6f,%s,", row->rank, row->was_rank, row->share, row->was_share, move_word[row->move]);
			hd_enc_csv(out, row->name, strlen(row->name));
			hd_buf_addc(out, ',');
			hd_enc_csv(out, row->object ? row->object : "", row->object ? strlen(row->object) : 0);
			hd_buf_addc(out, '\n');
		}
	}
}

void hd_history_write_tops(struct hd_buf *out, const struct hd_trend *t, const struct hd_trend_tops *tops, size_t show,
			   enum hd_history_format format)
{
	static const struct hd_column columns[] = {
		{ "commit", false, false }, { "date", false, false }, { "rank", true, false }, { "", false, false }, { "self", true, false },
		{ "points", true, false }, { "symbol", false, true }, { "object", false, true },
	};
	struct hd_table table;

	if (format == HD_HISTORY_JSON) {
		tops_json(out, t, tops, show);
		return;
	}
	if (format == HD_HISTORY_CSV) {
		tops_csv(out, t, tops, show);
		return;
	}
	hd_table_init(&table, columns, HD_COUNT(columns));
	tops_table(&table, t, tops, show);
	scope_text(out, t, format == HD_HISTORY_MARKDOWN);
	if (format == HD_HISTORY_MARKDOWN) {
		hd_buf_addc(out, '\n');
		hd_table_markdown(out, &table);
	} else {
		hd_table_text(out, &table, "");
	}
	hd_table_release(&table);
}
