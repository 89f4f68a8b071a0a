/*
 * expect.c - see expect.h
 */
#include "render/expect.h"

#include "base/encode.h"
#include "base/jsonw.h"
#include "base/mem.h"
#include "render/table.h"
#include "render/unit_text.h"

#include <string.h>

static const char *const verdicts[] = { "ok", "near", "violated" };

static void add_row(struct hd_table *t, const struct hd_expect_item *item, const struct hd_expect_result *r, bool rest)
{
	char range[HD_EXPECT_RANGE_TEXT];
	struct hd_buf note = { 0 };

	hd_expect_range_text(&item->range, range);
	hd_table_string(t, verdicts[r->verdict]);
	hd_table_string(t, range);
	hd_table_cellf(t, "%.2f%%", r->measured);
	hd_table_string(t, item->total ? "total" : "self");
	hd_table_string(t, item->tier ? hd_tier_name(item->tier) : "");
	hd_buf_adds(&note, item->name);
	if (item->others && r->worst)
		hd_buf_addf(&note, ": %s", r->worst);
	else if (item->glob)
		hd_buf_addf(&note, " (%zu function%s)", r->functions, r->functions == 1 ? "" : "s");
	else if (!r->functions)
		hd_buf_adds(&note, rest ? " (less than 0.01 %)" : " (no sample in it)");
	hd_table_take(t, &note);
}

void hd_expect_text(struct hd_buf *out, const struct hd_expect_report *w, bool markdown)
{
	static const struct hd_column columns[] = {
		{ "", false, false }, { "expected", true, false }, { "measured", true, false }, { "of", false, false },
		{ "tier", false, false },
		{ "function", false, true },
	};
	struct hd_table t;

	hd_table_name(out, w->input, markdown);
	hd_buf_adds(out, ": ");
	hd_table_name(out, w->event, markdown);
	hd_buf_addf(out, ", %llu sample%s", (unsigned long long)w->samples, w->samples == 1 ? "" : "s");
	if (w->e->tolerance > 0)
		hd_buf_addf(out, "; near: outside of its range by no more than %.6g point%s", w->e->tolerance,
			w->e->tolerance == 1 ? "" : "s");
	hd_buf_adds(out, markdown ? "\n\n" : "\n");
	hd_table_init(&t, columns, HD_COUNT(columns));
	for (size_t i = 0; i < w->e->n; i++)
		add_row(&t, &w->e->items[i], &w->results[i], w->rest);
	hd_table_write(out, &t, markdown);
	hd_buf_addf(out, "%s%zu of %zu expectation%s %s\n", markdown ? "\n" : "", w->violated ? w->violated : w->e->n,
		w->e->n, w->e->n == 1 ? "" : "s", w->violated ? "violated" : "met");
}

void hd_expect_json(struct hd_buf *out, const struct hd_expect_report *w)
{
	struct hd_jsonw j = hd_jsonw_document(out, "hotdrift.expect", 1);

	hd_jsonw_str(&j, "verdict", w->violated ? "FAIL" : "PASS");
	hd_jsonw_str(&j, "input", w->input);
	hd_jsonw_str(&j, "file", w->file);
	hd_jsonw_str(&j, "event", w->event);
	hd_jsonw_str(&j, "unit", w->unit);
	hd_jsonw_u64(&j, "weight", w->weight);
	hd_jsonw_u64(&j, "samples", w->samples);
	hd_jsonw_num(&j, "tolerance", w->e->tolerance, 6);
	hd_jsonw_u64(&j, "violated", w->violated);
	hd_jsonw_open(&j, "rows", '[');
	for (size_t i = 0; i < w->e->n; i++) {
		const struct hd_expect_item *item = &w->e->items[i];
		const struct hd_expect_result *r = &w->results[i];

		hd_jsonw_row(&j, NULL, '{');
		hd_jsonw_u64(&j, "line", item->line);
		hd_jsonw_str(&j, "tier", hd_tier_name(item->tier));
		hd_jsonw_str(&j, "measure", item->total ? "total" : "self");
		hd_jsonw_str(&j, "name", item->name);
		hd_jsonw_bool(&j, "glob", item->glob);
		hd_jsonw_num(&j, "at_least", item->range.lo, 6);
		hd_jsonw_num(&j, "at_most", item->range.hi, 6);
		hd_jsonw_bool(&j, "strict", item->range.above_lo || item->range.below_hi);
		hd_jsonw_num(&j, "measured_pct", r->measured, 6);
		hd_jsonw_u64(&j, "functions", r->functions);
		hd_jsonw_str(&j, "worst", r->worst);
		hd_jsonw_str(&j, "verdict", verdicts[r->verdict]);
		hd_jsonw_close(&j, '}');
	}
	hd_jsonw_close(&j, ']');
	hd_jsonw_close(&j, '}');
}
