/*
 * gate_openmetrics.c - print a comparison as gauges for Prometheus; see gate.h
 *
 * Source: OpenMetrics 1.0, text format.  In the value of a label, backslash, quote and line feed are escaped.  Shares
 * and changes are ratios (0.1 is 10 %), as the naming rules of Prometheus require.  A value that is unknown or infinite
 * has no line.
 */
#include "base/encode.h"
#include "base/mem.h"
#include "render/gate.h"
#include "render/gate_cells.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const sides[] = { "base", "head" };

static void label(struct hd_buf *out, const char *key, const char *value)
{
	struct hd_buf visible = { 0 };

	hd_enc_visible(&visible, value, strlen(value));
	hd_buf_addf(out, "%s%s=\"", out->data[out->len - 1] == '{' ? "" : ",", key);
	for (const char *p = hd_buf_str(&visible); *p; p++) {
		if (*p == '\\' || *p == '"')
			hd_buf_addc(out, '\\');
		hd_buf_addc(out, *p);
	}
	hd_buf_addc(out, '"');
	hd_buf_release(&visible);
}

static void family(struct hd_buf *out, const char *name, const char *help)
{
	hd_buf_addf(out, "# TYPE %s gauge\n# HELP %s %s\n", name, name, help);
}

/* Begin a line with the labels that all lines have. */
static void begin(struct hd_buf *out, const char *name, const struct hd_comparison *c, const char *command)
{
	hd_buf_addf(out, "%s{", name);
	label(out, "command", command);
	label(out, "target", hd_gate_field(c, HD_RUN_FIELD_TARGET));
	label(out, "mode", hd_gate_field(c, HD_RUN_FIELD_MODE));
	label(out, "event", hd_gate_field(c, HD_RUN_FIELD_EVENT));
}

static void end(struct hd_buf *out, double v)
{
	hd_buf_addf(out, "} %.10g\n", v);
}

static void whole(struct hd_buf *out, const char *name, const char *help, double v, const struct hd_comparison *c,
	const char *command)
{
	if (!isfinite(v))
		return;
	family(out, name, help);
	begin(out, name, c, command);
	end(out, v);
}

static void counts(struct hd_buf *out, const struct hd_comparison *c, const char *command)
{
	const struct { const char *verdict; size_t n; } rows[] = { { "fail", c->failed }, { "shift", c->shifted },
		{ "inconclusive", c->unsure }, { "acknowledged", c->acknowledged } };

	family(out, "hotdrift_gate_verdict", "1 for the verdict of the comparison, 0 for the others.");
	for (int v = HD_PASS; v <= HD_NOT_COMPARABLE; v++) {
		if (v == HD_SHIFT)
			continue;	/* this verdict is one of a row, never one of a comparison */
		begin(out, "hotdrift_gate_verdict", c, command);
		label(out, "verdict", hd_verdict_name((enum hd_verdict)v));
		end(out, c->verdict == (enum hd_verdict)v);
	}
	family(out, "hotdrift_gate_runs", "Number of compared runs.");
	for (int head = 0; head < 2; head++) {
		begin(out, "hotdrift_gate_runs", c, command);
		label(out, "side", sides[head]);
		end(out, (double)(head ? c->head.n : c->base.n));
	}
	family(out, "hotdrift_gate_rows", "Number of gated rows with a verdict other than PASS.");
	for (size_t i = 0; i < HD_COUNT(rows); i++) {
		begin(out, "hotdrift_gate_rows", c, command);
		label(out, "verdict", rows[i].verdict);
		end(out, (double)rows[i].n);
	}
}

static void begin_row(struct hd_buf *out, const char *name, const struct hd_comparison *c, const char *command,
	const struct hd_gate_line *l)
{
	begin(out, name, c, command);
	if (l->row) {
		label(out, "symbol", l->row->symbol);
		label(out, "object", l->row->object ? l->row->object : "");
		return;
	}
	label(out, "kind", l->series->kind);
	label(out, "series", l->series->name);
	label(out, "stat", l->series->stat ? l->series->stat : "");
	label(out, "unit", l->series->unit);
}

/*
 * Return true if an earlier line has the same labels.  This is possible for different rows with equal displayed names.
 */
static bool repeated(const struct hd_gate_line *lines, size_t i)
{
	const struct hd_judge_row *r = lines[i].row;

	for (size_t k = 0; r && k < i; k++)
		if (lines[k].row && !strcmp(lines[k].row->symbol, r->symbol) &&
			!strcmp(lines[k].row->object ? lines[k].row->object : "", r->object ? r->object : ""))
			return true;
	return false;
}

static bool is_total(const struct hd_gate_line *l)
{
	return l->series && *l->series->kind == 't';
}

static void levels(struct hd_buf *out, const struct hd_comparison *c, const char *command,
	const struct hd_gate_line *lines, size_t n, bool symbols)
{
	const char *name = symbols ? "hotdrift_symbol_share_ratio" : "hotdrift_series";

	family(out, name, symbols ? "Self cost of a symbol as a share of the total of its side."
				  : "Mean of a series over the runs of a side, in its unit.");
	for (size_t i = 0; i < n; i++) {
		if (symbols != (lines[i].row != NULL) || is_total(&lines[i]) || repeated(lines, i))
			continue;
		for (int head = 0; head < 2; head++) {
			double v = symbols ? (head ? lines[i].row->head_pct : lines[i].row->base_pct) / 100
				: head     ? lines[i].series->head
					   : lines[i].series->base;

			if (!isfinite(v))
				continue;
			begin_row(out, name, c, command, &lines[i]);
			label(out, "side", sides[head]);
			end(out, v);
		}
	}
}

static void changes(struct hd_buf *out, const struct hd_comparison *c, const char *command,
	const struct hd_gate_line *lines, size_t n, bool symbols)
{
	const char *name = symbols ? "hotdrift_symbol_change_ratio" : "hotdrift_series_change_ratio";

	family(out, name, "Change from base to head: 0.1 is 10 % more.");
	for (size_t i = 0; i < n; i++) {
		double v = symbols && lines[i].row ? lines[i].row->change_pct
			: !symbols && lines[i].series ? lines[i].series->change_pct
						      : NAN;

		if (!isfinite(v) || is_total(&lines[i]) || repeated(lines, i) ||
			(lines[i].row && (lines[i].row->is_new || lines[i].row->is_gone)))
			continue;
		begin_row(out, name, c, command, &lines[i]);
		end(out, v / 100);
	}
}

void hd_gate_openmetrics(struct hd_buf *out, const struct hd_comparison *c, const char *command,
	const struct hd_gate_places *places)
{
	struct hd_gate_line *lines;
	size_t n = hd_gate_cases(&lines, c);

	(void)places;
	counts(out, c, command);
	if (c->ranked) {
		whole(out, "hotdrift_total_change_ratio", "Change of the total cost.", c->total.change_pct / 100, c,
			command);
		whole(out, "hotdrift_drift_score", "1 - rank-biased overlap of the two rankings.", c->score, c,
			command);
		whole(out, "hotdrift_drift_score_limit", "95 % limit of the score under random variation.", c->aa_limit,
			c, command);
	}
	for (int symbols = 1; symbols >= 0; symbols--) {
		levels(out, c, command, lines, n, symbols);
		changes(out, c, command, lines, n, symbols);
	}
	hd_buf_adds(out, "# EOF\n");
	free(lines);
}
