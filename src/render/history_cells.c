/*
 * history_cells.c - see history_cells.h
 */
#include "render/history_cells.h"

#include "base/encode.h"
#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SHORT_SUM = 12 };

void hd_history_spark(struct hd_buf *out, const double *v, size_t n, size_t columns)
{
	static const char *const block[] = { "\u2581", "\u2582", "\u2583", "\u2584", "\u2585", "\u2586", "\u2587",
		"\u2588" };
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

void hd_history_commit(struct hd_buf *out, const struct hd_trend *t, const struct hd_trend_point *p)
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

void hd_history_scope(struct hd_buf *out, const struct hd_trend *t, bool markdown)
{
	hd_buf_adds(out, "target ");
	hd_table_name(out, t->target, markdown);
	if (t->event) {
		hd_buf_adds(out, ", ");
		hd_table_name(out, t->event, markdown);
		hd_buf_adds(out, ", ");
		hd_table_name(out, t->inline_mode, markdown);
	}
	if (t->config)
		hd_buf_addf(out, ", config %.*s", SHORT_SUM, t->config);
	hd_buf_addc(out, '\n');
	if (t->unlike)
		hd_buf_addf(out,
			"%zu other run%s of it %s on another machine, with another configuration, arguments, mode, "
			"event or sampling, or of another build of the same commit, and not here\n",
			t->unlike, t->unlike == 1 ? "" : "s", t->unlike == 1 ? "is" : "are");
}

void hd_history_time(struct hd_buf *out, const struct hd_trend_point *p)
{
	/* p->time is a text such as 2026-10-13T14:01:02Z; print its date, and hours and minutes. */
	hd_buf_addf(out, "%.10s %.5s", p->time, strlen(p->time) > 16 ? p->time + 11 : "");
}

bool hd_history_subjects(const struct hd_trend *t)
{
	for (size_t i = 0; i < t->npoints; i++)
		if (t->points[i].subject && *t->points[i].subject)
			return true;
	return false;
}

const char *hd_history_subject(const struct hd_trend_point *p)
{
	return p->subject && *p->subject ? p->subject : NULL;
}

struct hd_jsonw hd_history_json(struct hd_buf *out, const struct hd_trend *t)
{
	struct hd_jsonw w = hd_jsonw_document(out, "hotdrift.history", 1);

	hd_jsonw_str(&w, "target", t->target);
	hd_jsonw_str(&w, "mode", t->mode);
	hd_jsonw_str(&w, "event", t->event);
	hd_jsonw_str(&w, "unit", t->unit);
	hd_jsonw_str(&w, "inline_mode", t->inline_mode);
	hd_jsonw_str(&w, "machine", t->machine);
	hd_jsonw_str(&w, "config", t->config);
	hd_jsonw_u64(&w, "unlike", t->unlike);
	if (t->event)
		hd_jsonw_str(&w, "cost_of", t->per_work ? "unit of work" : "run");
	return w;
}

void hd_history_point_json(struct hd_jsonw *w, const struct hd_trend *t, const struct hd_trend_point *p)
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

void hd_history_point_csv(struct hd_buf *out, const struct hd_trend_point *p)
{
	hd_enc_csv(out, p->commit ? p->commit : "", p->commit ? strlen(p->commit) : 0);
	hd_buf_addf(out, ",%d,%.20s,%zu", p->dirty, p->time, p->runs);
}

size_t hd_history_first(size_t n, size_t show)
{
	return show && show < n ? n - show : 0;
}
