/*
 * opportunities.c - see opportunities.h
 */
#include "render/opportunities.h"

#include "base/mem.h"
#include "render/fields.h"
#include "render/table.h"
#include "render/unit_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

struct row {
	size_t rank;
	struct hd_opportunity p;
	const char *main_mode, *owner, *source;
	/* Texts of the columns of a table. */
	const char *interval, *targets, *runs, *more;
	char interval_text[64], targets_text[64], runs_text[64], more_text[48];
};

enum { JSON = 1, CSV = 2, OWNERS = 4, BENCHMARKS = 8 };
enum { KEY = 24 };			/* maximum bytes of a key "MODE_pct" */

#define FIELD(key, title, kind, member, ...)	HD_FIELD(key, title, kind, struct row, member, ##__VA_ARGS__)
static const struct hd_field before_modes[] = {
	FIELD("rank", "rank", RANK, rank),
	FIELD("symbol", NULL, NAME, p.name),
	FIELD("object", NULL, NAME, p.object),
	FIELD("source", NULL, NAME, source),
	FIELD("owner", NULL, NAME, owner),
	FIELD("score", "score", PERCENT, p.score),
	FIELD("impact_pct", "impact", PERCENT, p.impact),
	FIELD(NULL, "95 % interval", TEXT, interval),
	FIELD("impact_ci", NULL, INTERVAL, p.impact_ci, .when = JSON),
	FIELD("impact_lo", NULL, PERCENT, p.impact_ci.lo, .when = CSV),
	FIELD("impact_hi", NULL, PERCENT, p.impact_ci.hi, .when = CSV),
}, after_modes[] = {
	FIELD("main_mode", "main mode", TEXT, main_mode),
	FIELD(NULL, "hot targets", TEXT, targets),
	FIELD("hot_targets", NULL, COUNT, p.hot_targets),
	FIELD("targets", NULL, COUNT, p.targets),
	FIELD("targets_ci", NULL, INTERVAL, p.targets_ci, .when = JSON),
	FIELD("targets_lo", NULL, PERCENT, p.targets_ci.lo, .when = CSV),
	FIELD("targets_hi", NULL, PERCENT, p.targets_ci.hi, .when = CSV),
	FIELD(NULL, "hot runs", TEXT, runs),
	FIELD("hot_runs", NULL, COUNT, p.hot_runs),
	FIELD("runs", NULL, COUNT, p.runs),
	FIELD("runs_ci", NULL, INTERVAL, p.runs_ci, .when = JSON),
	FIELD("runs_lo", NULL, PERCENT, p.runs_ci.lo, .when = CSV),
	FIELD("runs_hi", NULL, PERCENT, p.runs_ci.hi, .when = CSV),
	FIELD("confidence_pct", "confidence", PERCENT_SHORT, p.confidence),
	FIELD(NULL, "owner", NAME, owner, .when = OWNERS),
	FIELD("benchmarks", NULL, COUNT, p.benchmarks),
	FIELD("benchmark", "covered by benchmark", NAME, p.benchmark, .when = BENCHMARKS),
	FIELD(NULL, "", TEXT, more, .when = BENCHMARKS),
	FIELD(NULL, "symbol", NAME, p.name),
	FIELD(NULL, "object", NAME, p.object),
};

/* All columns of the table: before_modes, then one column per mode, then after_modes. */
struct columns {
	struct hd_field items[HD_COUNT(before_modes) + HD_MODE_WEIGHTS_MAX + HD_COUNT(after_modes)];
	char keys[HD_MODE_WEIGHTS_MAX][KEY];
	struct hd_fields fields;
};

static void columns_of(struct columns *c, const struct hd_opportunities_report *r, unsigned flags)
{
	const struct hd_mode_weights *w = r->scope->weights;
	size_t n = 0;

	for (size_t i = 0; i < HD_COUNT(before_modes); i++)
		c->items[n++] = before_modes[i];
	for (size_t m = 0; m < w->n; m++) {
		snprintf(c->keys[m], KEY, "%s_pct", w->of[m].mode);
		c->items[n] = (struct hd_field)FIELD(c->keys[m], w->of[m].mode, PERCENT, p.of_mode);
		c->items[n++].offset += m * sizeof(double);
	}
	for (size_t i = 0; i < HD_COUNT(after_modes); i++)
		c->items[n++] = after_modes[i];
	c->fields = (struct hd_fields){ c->items, n, flags };
}

static const char *range_text(char *text, size_t size, struct hd_interval ci, int decimals)
{
	if (isnan(ci.lo) || isnan(ci.hi))
		snprintf(text, size, "-");
	else
		snprintf(text, size, "%.*f .. %.*f", decimals, ci.lo, decimals, ci.hi);
	return text;
}

static const char *part_text(char *text, size_t size, size_t k, size_t n, struct hd_interval ci)
{
	char range[40];

	snprintf(text, size, "%zu of %zu (%s%%)", k, n, range_text(range, sizeof(range), ci, 0));
	return text;
}

static void row_of(struct row *row, const struct hd_opportunities_report *r, size_t i)
{
	const struct hd_opportunity *p = &r->list->rows[i];

	*row = (struct row){ .rank = i + 1, .p = *p, .main_mode = r->scope->weights->of[p->main_mode].mode,
		.owner = r->owner[i], .source = r->source[i] };
	if (p->benchmarks > 1)
		snprintf(row->more_text, sizeof(row->more_text), "and %zu more", p->benchmarks - 1);
	row->more = row->more_text;
	row->interval = range_text(row->interval_text, sizeof(row->interval_text), p->impact_ci, 2);
	row->targets = part_text(row->targets_text, sizeof(row->targets_text), p->hot_targets, p->targets,
		p->targets_ci);
	row->runs = part_text(row->runs_text, sizeof(row->runs_text), p->hot_runs, p->runs, p->runs_ci);
}

static size_t shown(const struct hd_opportunities_report *r)
{
	return r->scope->limit && r->scope->limit < r->list->n ? r->scope->limit : r->list->n;
}

/* ---- what was excluded ---- */

static const struct {
	const char *word, *text, *unit;
} reasons[HD_OPPORTUNITIES_EXCLUSIONS] = {
	[HD_OPPORTUNITIES_PLUMBING] = { "plumbing", "plumbing (skip rules, and the kernel)", "symbol" },
	[HD_OPPORTUNITIES_UNKNOWN] = { "unknown", "addresses without a symbol", "object" },
	[HD_OPPORTUNITIES_SMALL] = { "small", "small symbols, which the database stores as one sum", "sum" },
	[HD_OPPORTUNITIES_COLD] = { "cold", "hot in no run of their main mode", "symbol" },
};

struct run_reason { const char *word, *text; size_t n; };
enum { RUN_REASONS = 4 };

static void run_reasons(struct run_reason out[RUN_REASONS], const struct hd_opportunities *o)
{
	out[0] = (struct run_reason){ "failed", "with a status that is not ok", o->failed };
	out[1] = (struct run_reason){ "mode_without_weight", "of modes without weight", o->unweighted };
	out[2] = (struct run_reason){ "without_samples", "without samples", o->without_samples };
	out[3] = (struct run_reason){ "not_selected", "of other commits, or not comparable with the newest run",
		o->not_selected };
}

/* ---- text and Markdown ---- */

static void counted(struct hd_buf *out, size_t n, const char *what)
{
	hd_buf_addf(out, "%zu %s%s", n, what, n == 1 ? "" : "s");
}

static void heading(struct hd_buf *out, const struct hd_opportunities_report *r)
{
	const struct hd_mode_weights *w = r->scope->weights;

	counted(out, r->list->targets, "target");
	hd_buf_adds(out, ", ");
	counted(out, r->list->runs, "run");
	hd_buf_adds(out, "; weights");
	for (size_t m = 0; m < w->n; m++)
		hd_buf_addf(out, "%s %s %.3g", m ? "," : "", w->of[m].mode, w->of[m].weight);
	hd_buf_addf(out, "; hot is %.4g%% of a run or more\n\n", r->scope->hot_pct);
}

static void ranking(struct hd_buf *out, const struct hd_opportunities_report *r, bool markdown)
{
	struct hd_table t;
	struct columns c;

	columns_of(&c, r, (r->owners ? OWNERS : 0) | (r->list->any_benchmark ? BENCHMARKS : 0));
	hd_fields_table(&t, &c.fields);
	for (size_t i = 0; i < shown(r); i++) {
		struct row row;

		row_of(&row, r, i);
		hd_fields_cells(&t, &c.fields, &row);
	}
	if (shown(r))
		hd_table_write(out, &t, markdown);
	else
		hd_table_release(&t);
	if (!shown(r))
		hd_buf_adds(out, "no symbol is left to rank\n");
	if (shown(r) < r->list->n) {
		hd_buf_adds(out, markdown ? "\n" : "");
		counted(out, r->list->n - shown(r), "more symbol");
		hd_buf_adds(out, "; -n 0 lists all\n");
	}
}

static const struct hd_column cell_columns[] = {
	{ "target", false, true }, { "mode", false, true }, { "runs", true, false }, { "commit", false, false },
};

static void matrix(struct hd_buf *out, const struct hd_opportunities_report *r, bool markdown)
{
	struct hd_table t;

	hd_table_init(&t, cell_columns, HD_COUNT(cell_columns));
	for (size_t i = 0; i < r->list->ncells; i++) {
		const struct hd_opportunities_cell *c = &r->list->cells[i];

		hd_table_string(&t, c->target);
		hd_table_string(&t, c->mode);
		hd_table_cellf(&t, "%zu", c->runs);
		hd_table_string(&t, c->commit);
	}
	hd_buf_addc(out, '\n');
	hd_table_write(out, &t, markdown);
}

static void excluded_symbols(struct hd_buf *out, const struct hd_opportunities *o, bool markdown)
{
	for (size_t i = 0; i < HD_OPPORTUNITIES_EXCLUSIONS; i++) {
		const struct hd_opportunities_excluded *x = &o->excluded[i];

		if (!x->n)
			continue;
		hd_buf_addf(out, "%s%.2f%% of impact: ", markdown ? "- " : "  ", x->impact);
		hd_buf_adds(out, reasons[i].text);
		hd_buf_adds(out, ", ");
		counted(out, x->n, reasons[i].unit);
		if (i == HD_OPPORTUNITIES_SMALL) {
			hd_buf_addc(out, '\n');
			continue;
		}
		for (size_t k = 0; k < HD_OPPORTUNITIES_EXAMPLES && x->examples[k].name; k++) {
			hd_buf_adds(out, k ? ", " : ": ");
			hd_table_name(out, x->examples[k].name, markdown);
			hd_buf_addf(out, " %.2f%%", x->examples[k].impact);
		}
		hd_buf_addc(out, '\n');
	}
}

static void excluded(struct hd_buf *out, const struct hd_opportunities *o, bool markdown)
{
	struct run_reason runs[RUN_REASONS];
	size_t n = 0;

	run_reasons(runs, o);
	for (size_t i = 0; i < HD_OPPORTUNITIES_EXCLUSIONS; i++)
		n += o->excluded[i].n;
	for (size_t i = 0; i < RUN_REASONS; i++)
		n += runs[i].n;
	hd_buf_adds(out, n ? "\nexcluded:\n" : "\nexcluded: nothing\n");
	if (n && markdown)
		hd_buf_addc(out, '\n');
	excluded_symbols(out, o, markdown);
	for (size_t i = 0; i < RUN_REASONS; i++) {
		if (!runs[i].n)
			continue;
		hd_buf_adds(out, markdown ? "- " : "  ");
		counted(out, runs[i].n, "run");
		hd_buf_addf(out, " %s\n", runs[i].text);
	}
}

/* ---- JSON ---- */

static void json_excluded(struct hd_jsonw *w, const struct hd_opportunities *o)
{
	struct run_reason runs[RUN_REASONS];

	hd_jsonw_open(w, "excluded", '[');
	for (size_t i = 0; i < HD_OPPORTUNITIES_EXCLUSIONS; i++) {
		const struct hd_opportunities_excluded *x = &o->excluded[i];

		hd_jsonw_row(w, NULL, '{');
		hd_jsonw_str(w, "reason", reasons[i].word);
		hd_jsonw_u64(w, "symbols", x->n);
		hd_jsonw_num(w, "impact_pct", x->impact, 6);
		hd_jsonw_open(w, "examples", '[');
		for (size_t k = 0; k < HD_OPPORTUNITIES_EXAMPLES && x->examples[k].name; k++) {
			hd_jsonw_open(w, NULL, '{');
			hd_jsonw_str(w, "symbol", x->examples[k].name);
			hd_jsonw_num(w, "impact_pct", x->examples[k].impact, 6);
			hd_jsonw_close(w, '}');
		}
		hd_jsonw_close(w, ']');
		hd_jsonw_close(w, '}');
	}
	hd_jsonw_close(w, ']');
	run_reasons(runs, o);
	hd_jsonw_row(w, "runs_excluded", '{');
	for (size_t i = 0; i < RUN_REASONS; i++)
		hd_jsonw_u64(w, runs[i].word, runs[i].n);
	hd_jsonw_close(w, '}');
}

static void json(struct hd_buf *out, const struct hd_opportunities_report *r)
{
	const struct hd_mode_weights *weights = r->scope->weights;
	struct hd_jsonw w = hd_jsonw_to(out);
	struct columns c;

	columns_of(&c, r, JSON | BENCHMARKS);
	hd_jsonw_open(&w, NULL, '{');
	hd_jsonw_str(&w, "format", "hotdrift.opportunities");
	hd_jsonw_u64(&w, "version", 1);
	hd_jsonw_str(&w, "db", r->db);
	hd_jsonw_row(&w, "weights", '{');
	for (size_t m = 0; m < weights->n; m++)
		hd_jsonw_num(&w, weights->of[m].mode, weights->of[m].weight, 6);
	hd_jsonw_close(&w, '}');
	hd_jsonw_num(&w, "hot_pct", r->scope->hot_pct, 6);
	hd_jsonw_u64(&w, "targets", r->list->targets);
	hd_jsonw_u64(&w, "runs", r->list->runs);
	hd_jsonw_open(&w, "cells", '[');
	for (size_t i = 0; i < r->list->ncells; i++) {
		const struct hd_opportunities_cell *cell = &r->list->cells[i];

		hd_jsonw_row(&w, NULL, '{');
		hd_jsonw_str(&w, "target", cell->target);
		hd_jsonw_str(&w, "mode", cell->mode);
		hd_jsonw_u64(&w, "runs", cell->runs);
		hd_jsonw_str(&w, "commit", cell->commit);
		hd_jsonw_close(&w, '}');
	}
	hd_jsonw_close(&w, ']');
	hd_jsonw_open(&w, "rows", '[');
	for (size_t i = 0; i < shown(r); i++) {
		struct row row;

		row_of(&row, r, i);
		hd_fields_object(&w, &c.fields, &row);
	}
	hd_jsonw_close(&w, ']');
	hd_jsonw_u64(&w, "more", r->list->n - shown(r));
	json_excluded(&w, r->list);
	hd_jsonw_close(&w, '}');
}

static void csv(struct hd_buf *out, const struct hd_opportunities_report *r)
{
	struct columns c;

	columns_of(&c, r, CSV | BENCHMARKS);
	hd_fields_csv_header(out, &c.fields);
	for (size_t i = 0; i < shown(r); i++) {
		struct row row;

		row_of(&row, r, i);
		hd_fields_csv(out, &c.fields, &row);
		hd_buf_addc(out, '\n');
	}
}

void hd_opportunities_write(struct hd_buf *out, const struct hd_opportunities_report *r,
	enum hd_opportunities_format format)
{
	bool markdown = format == HD_OPPORTUNITIES_MARKDOWN;

	switch (format) {
	case HD_OPPORTUNITIES_JSON: json(out, r); return;
	case HD_OPPORTUNITIES_CSV: csv(out, r); return;
	case HD_OPPORTUNITIES_TEXT:
	case HD_OPPORTUNITIES_MARKDOWN: break;
	}
	heading(out, r);
	ranking(out, r, markdown);
	matrix(out, r, markdown);
	excluded(out, r->list, markdown);
}
