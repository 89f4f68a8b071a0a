/*
 * bench_sweep.c - print the sessions of a sweep; see bench/sweep.h
 *
 * {"format":"hotdrift.bench-sweep","version":1,"swept","values":[{"value","bench":{format hotdrift.bench}}],
 *  "growth":[{"side","order","base_us","factor_us","r2","error","p","also":[],
 *             "candidates":[{"order","usable","base_us","factor_us","r2","error"}]}],
 *  "line":[{"side","intercept_us","slope_us","ci":[lo,hi],"r2","n"}]}
 *
 * If the growth of a side is unknown, its "order" is null and the members after it are missing.
 */
#include "bench/sweep.h"

#include "base/mem.h"
#include "render/fields.h"
#include "render/table.h"

#include <math.h>
#include <string.h>

/* ---- text ---- */

static const char *shape_of(enum hd_growth_order order)
{
	static const char *const shapes[HD_GROWTH_ORDERS] = { "", "log2 n", "n", "n log2 n", "n^2", "n^3" };

	return shapes[order];
}

static void growth_formula(struct hd_buf *out, const struct hd_growth *g)
{
	const struct hd_growth_line *line = &g->line[g->order];

	if (!g->known) {
		hd_buf_addf(out, "unknown: a fit needs %d sizes", HD_GROWTH_SIZES_LEAST);
		return;
	}
	hd_buf_addf(out, "%s, ", hd_growth_name(g->order));
	hd_bench_text_value(out, line->base, "us");
	if (g->order == HD_GROWTH_CONSTANT) {
		hd_buf_adds(out, ": the time does not grow with the size");
		return;
	}
	hd_buf_adds(out, " + ");
	hd_bench_text_value(out, line->factor, "us");
	hd_buf_addf(out, " %s, R2 %.4f", shape_of(g->order), line->r2);
	for (int o = 0; o < HD_GROWTH_ORDERS; o++)
		if (g->also[o])
			hd_buf_addf(out, "; %s fits as well", hd_growth_name(o));
}

static void line_formula(struct hd_buf *out, const struct hd_bench_line *line)
{
	if (!line->known) {
		hd_buf_adds(out, "unknown: a fit needs two counts");
		return;
	}
	hd_bench_text_value(out, line->fit.slope, "us");
	if (isfinite(line->slope.lo)) {
		hd_buf_adds(out, " (");
		hd_bench_text_value(out, line->slope.lo, "us");
		hd_buf_adds(out, " .. ");
		hd_bench_text_value(out, line->slope.hi, "us");
		hd_buf_addc(out, ')');
	}
	hd_buf_adds(out, " for each iteration, ");
	hd_bench_text_value(out, line->fit.intercept, "us");
	hd_buf_adds(out, " once");
	if (!isnan(line->fit.r2))
		hd_buf_addf(out, ", R2 %.4f", line->fit.r2);
}

void hd_bench_sweep_formula(struct hd_buf *out, const struct hd_bench_sweep *s, unsigned side)
{
	if (!strcmp(s->word, "size"))
		growth_formula(out, &s->growth[side]);
	else
		line_formula(out, &s->line[side]);
}

static void time_cells(struct hd_table *t, const struct hd_timing *wall)
{
	struct hd_buf text = { 0 };

	hd_bench_text_value(&text, wall->sum.n ? wall->sum.mean : NAN, "us");
	hd_table_take(t, &text);
	if (isnan(wall->cv))
		hd_table_string(t, "-");
	else
		hd_table_cellf(t, "%.1f %%", 100 * wall->cv);
}

static void last_cells(struct hd_table *t, const struct hd_bench_session *e)
{
	const struct hd_bench_metric_summary *wall = &e->r.column[HD_BENCH_WALL];
	const struct hd_interval ci = wall->timing[0].sum.ci_mean;
	struct hd_buf text = { 0 };

	if (e->b.nsides == 2) {
		hd_bench_text_ratio(&text, wall->speedup.ratio);
		hd_table_take(t, &text);
		if (wall->speedup.known)
			hd_bench_text_ratios(&text, wall->speedup.ci);
		else
			hd_buf_addc(&text, '-');
		hd_table_take(t, &text);
		hd_table_string(t, hd_change_name(e->r.change));
		return;
	}
	hd_bench_text_value(&text, wall->timing[0].sum.n > 1 ? ci.lo : NAN, "us");
	hd_buf_adds(&text, " .. ");
	hd_bench_text_value(&text, wall->timing[0].sum.n > 1 ? ci.hi : NAN, "us");
	hd_table_take(t, &text);
	if (e->b.throughput) {
		struct hd_bench_rate rate = hd_bench_rate_of(&e->b, &e->r, 0);

		rate.ci = (struct hd_interval){ NAN, NAN };
		hd_bench_text_rate(&text, &e->b, &rate);
		hd_table_take(t, &text);
	}
}

static void note_cell(struct hd_table *t, const struct hd_bench_report *r)
{
	unsigned failed = r->failed[0] + r->failed[1];
	struct hd_buf text = { 0 };

	if (failed)
		hd_buf_addf(&text, "%u failed", failed);
	if (r->same == HD_BENCH_SAME_DIFFERS)
		hd_buf_addf(&text, "%soutputs differ", text.len ? ", " : "");
	if (!r->steady)
		hd_buf_addf(&text, "%sunsteady", text.len ? ", " : "");
	hd_table_string(t, hd_buf_str(&text));
	hd_buf_release(&text);
}

void hd_bench_sweep_table(struct hd_table *t, const struct hd_bench_sweep *s)
{
	static const struct hd_column of_one[] = {
		{ "size", true, false }, { "runs", true, false }, { "mean", true, false }, { "cv", true, false },
		{ "95 % interval", true, false }, { "", false, false },
	};
	static const struct hd_column with_rate[] = {
		{ "size", true, false }, { "runs", true, false }, { "mean", true, false }, { "cv", true, false },
		{ "95 % interval", true, false }, { "rate", true, false }, { "", false, false },
	};
	static const struct hd_column of_two[] = {
		{ "size", true, false }, { "runs", true, false }, { "base", true, false }, { "cv", true, false },
		{ "head", true, false }, { "cv", true, false }, { "base / head", true, false },
		{ "95 % interval", true, false }, { "change", false, false }, { "", false, false },
	};
	const struct hd_bench *first = &s->sessions[0].b;

	const struct hd_column *columns = first->nsides == 2 ? of_two : first->throughput ? with_rate : of_one;
	size_t n = first->nsides == 2 ? HD_COUNT(of_two) : first->throughput ? HD_COUNT(with_rate) : HD_COUNT(of_one);
	struct hd_column *own = hd_new_array(struct hd_column, n);

	memcpy(own, columns, n * sizeof(*own));
	own[0].title = s->word;
	hd_table_init(t, own, n);
	t->owned = own;
	for (size_t i = 0; i < s->begun; i++) {
		const struct hd_bench_session *e = &s->sessions[i];

		if (!e->reported)
			continue;
		hd_table_cellf(t, "%.0f", e->value);
		hd_table_cellf(t, "%u", e->r.good[0]);
		for (unsigned k = 0; k < e->b.nsides; k++)
			time_cells(t, &e->r.column[HD_BENCH_WALL].timing[k]);
		last_cells(t, e);
		note_cell(t, &e->r);
	}
}

void hd_bench_sweep_text(struct hd_buf *out, const struct hd_bench_sweep *s, bool markdown)
{
	const struct hd_bench *first = &s->sessions[0].b;
	struct hd_table t;

	for (unsigned k = 0; k < first->nsides; k++)
		hd_bench_text_command(out, &s->pattern, k, markdown);
	hd_buf_addc(out, '\n');
	hd_bench_sweep_table(&t, s);
	hd_table_write(out, &t, markdown);
	hd_buf_addc(out, '\n');
	for (unsigned k = 0; k < first->nsides && s->fitted; k++) {
		hd_bench_text_label(out, !strcmp(s->word, "size") ? "growth" : "line", markdown);
		if (first->nsides == 2)
			hd_buf_addf(out, "%s: ", first->side[k].name);
		hd_bench_sweep_formula(out, s, k);
		hd_buf_addc(out, '\n');
	}
}

/* ---- JSON ---- */

static void json_growth_line(struct hd_jsonw *w, const struct hd_growth *g, int order)
{
	const struct hd_growth_line *line = &g->line[order];

	hd_json_real(w, "base_us", line->base);
	hd_json_real(w, "factor_us", line->factor);
	hd_json_real(w, "r2", line->r2);
	hd_json_real(w, "error", line->error);
}

static void json_growth(struct hd_jsonw *w, const struct hd_growth *g, const char *side)
{
	hd_jsonw_open(w, NULL, '{');
	hd_jsonw_str(w, "side", side);
	hd_jsonw_str(w, "order", g->known ? hd_growth_name(g->order) : NULL);
	if (g->known) {
		json_growth_line(w, g, g->order);
		hd_json_real(w, "p", g->p);
		hd_jsonw_row(w, "also", '[');
		for (int o = 0; o < HD_GROWTH_ORDERS; o++)
			if (g->also[o])
				hd_jsonw_str(w, NULL, hd_growth_name(o));
		hd_jsonw_close(w, ']');
		hd_jsonw_open(w, "candidates", '[');
		for (int o = 0; o < HD_GROWTH_ORDERS; o++) {
			hd_jsonw_row(w, NULL, '{');
			hd_jsonw_str(w, "order", hd_growth_name(o));
			hd_jsonw_bool(w, "usable", g->line[o].usable);
			json_growth_line(w, g, o);
			hd_jsonw_close(w, '}');
		}
		hd_jsonw_close(w, ']');
	}
	hd_jsonw_close(w, '}');
}

static void json_line(struct hd_jsonw *w, const struct hd_bench_line *line, const char *side)
{
	hd_jsonw_row(w, NULL, '{');
	hd_jsonw_str(w, "side", side);
	hd_json_real(w, "intercept_us", line->known ? line->fit.intercept : NAN);
	hd_json_real(w, "slope_us", line->known ? line->fit.slope : NAN);
	hd_json_interval(w, "ci", line->slope);
	hd_json_real(w, "r2", line->known ? line->fit.r2 : NAN);
	hd_jsonw_u64(w, "n", line->fit.n);
	hd_jsonw_close(w, '}');
}

void hd_bench_sweep_json(struct hd_buf *out, const struct hd_bench_sweep *s)
{
	const struct hd_bench *first = &s->sessions[0].b;
	struct hd_jsonw w = hd_jsonw_to(out);

	hd_jsonw_open(&w, NULL, '{');
	hd_jsonw_str(&w, "format", "hotdrift.bench-sweep");
	hd_jsonw_u64(&w, "version", 1);
	hd_jsonw_str(&w, "swept", s->word);
	hd_jsonw_open(&w, "growth", '[');
	for (unsigned k = 0; k < first->nsides && s->fitted; k++)
		json_growth(&w, &s->growth[k], first->side[k].name);
	hd_jsonw_close(&w, ']');
	hd_jsonw_open(&w, "line", '[');
	for (unsigned k = 0; k < first->nsides && s->fitted; k++)
		json_line(&w, &s->line[k], first->side[k].name);
	hd_jsonw_close(&w, ']');
	hd_jsonw_open(&w, "values", '[');
	for (size_t i = 0; i < s->begun; i++) {
		if (!s->sessions[i].reported)
			continue;
		hd_jsonw_open(&w, NULL, '{');
		hd_json_real(&w, "value", s->sessions[i].value);
		hd_bench_json_session(&w, "bench", &s->sessions[i].b, &s->sessions[i].r);
		hd_jsonw_close(&w, '}');
	}
	hd_jsonw_close(&w, ']');
	hd_jsonw_close(&w, '}');
}
