/*
 * grid_report.c - see grid_report.h
 */
#include "render/grid_report.h"

#include "base/jsonw.h"
#include "base/mem.h"
#include "render/fields.h"
#include "render/unit_text.h"
#include "track/form.h"
#include "track/number.h"

#include <math.h>
#include <string.h>

const char *hd_grid_outcome_name(enum hd_grid_outcome outcome)
{
	static const char *const names[] = {
		[HD_GRID_MET] = "met", [HD_GRID_INCOMPLETE] = "incomplete", [HD_GRID_NOT_MEASURED] = "not measured",
		[HD_GRID_MISSED] = "missed",
	};

	return names[outcome];
}

/* ---- CSV ---- */

static void put_number(struct hd_buf *out, double v)
{
	char text[HD_NUMBER_TEXT_MAX];

	hd_number_write(text, v);
	hd_buf_adds(out, text);
}

void hd_grid_results_csv(struct hd_buf *out, const struct hd_grid *g)
{
	hd_buf_addf(out, "%s\n", hd_form_layout(HD_FORM_SWEEP)->header);
	for (size_t i = 0; i < g->n; i++) {
		const struct hd_grid_setting *s = &g->settings[i];

		if (!hd_grid_setting_is_ok(s))
			continue;
		hd_buf_adds(out, s->name);
		for (int k = 0; k <= HD_GRID_ACCURACY; k++) {
			hd_buf_addc(out, ',');
			put_number(out, isfinite(s->value[k].v) ? s->value[k].v : 0);
		}
		hd_buf_addc(out, '\n');
	}
}

static void put_bound(struct hd_buf *out, double v)
{
	hd_buf_addc(out, ',');
	if (isfinite(v))
		put_number(out, v);
}

void hd_grid_intervals_csv(struct hd_buf *out, const struct hd_grid *g)
{
	hd_buf_adds(out, "setting,p95_change");
	for (int k = 0; k < HD_GRID_VALUES; k++)
		hd_buf_addf(out, ",%s_lo,%s_hi", hd_grid_value_title(k), hd_grid_value_title(k));
	hd_buf_addc(out, '\n');
	for (size_t i = 0; i < g->n; i++) {
		const struct hd_grid_setting *s = &g->settings[i];

		if (!hd_grid_setting_is_ok(s))
			continue;
		hd_buf_adds(out, s->name);
		put_bound(out, s->value[HD_GRID_P95_CHANGE].v);
		for (int k = 0; k < HD_GRID_VALUES; k++) {
			put_bound(out, s->value[k].ci.lo);
			put_bound(out, s->value[k].ci.hi);
		}
		hd_buf_addc(out, '\n');
	}
}

/* ---- text ---- */

struct row {
	const struct hd_grid_setting *s;
	const char *setting, *status;
	size_t samples;
	double p50_us, p95_us, change_pct, kv_pct, peak_pct, energy_pct, delta, accuracy_pct;
};

#define FIELD(title, kind, member, ...)	HD_FIELD(NULL, title, kind, struct row, member, ##__VA_ARGS__)
enum { HAS_KV = 1, HAS_PEAK = 2, HAS_ENERGY = 4, HAS_DELTA = 8, HAS_ACCURACY = 16, HAS_LOST = 32 };
static const struct hd_field fields[] = {
	FIELD("setting", NAME, setting),
	FIELD("samples", COUNT, samples),
	FIELD("p50 us", REAL, p50_us),
	FIELD("p95 us", REAL, p95_us),
	FIELD("p95 change", PERCENT_SHORT, change_pct),
	FIELD("KV cache saved", PERCENT_SHORT, kv_pct, .when = HAS_KV),
	FIELD("peak memory saved", PERCENT_SHORT, peak_pct, .when = HAS_PEAK),
	FIELD("energy saved", PERCENT_SHORT, energy_pct, .when = HAS_ENERGY),
	FIELD("coherence delta", REAL, delta, .when = HAS_DELTA),
	FIELD("accuracy", PERCENT_SHORT, accuracy_pct, .when = HAS_ACCURACY),
	FIELD("status", TEXT, status, .when = HAS_LOST),
};

static struct row row_of(const struct hd_grid_setting *s)
{
	const struct hd_grid_value *v = s->value;

	return (struct row){ s, s->name, s->status, s->samples, s->p50_us, v[HD_GRID_P95_LATENCY_US].v,
		100 * v[HD_GRID_P95_CHANGE].v, 100 * v[HD_GRID_KV_CACHE_REDUCTION].v,
		100 * v[HD_GRID_PEAK_MEM_REDUCTION].v, 100 * v[HD_GRID_ENERGY_REDUCTION].v,
		v[HD_GRID_COHERENCE_DELTA].v, 100 * v[HD_GRID_ACCURACY].v };
}

static void write_settings(struct hd_buf *out, const struct hd_grid *g, bool markdown)
{
	static const struct { enum hd_grid_value_name name; unsigned flag; } has[] = {
		{ HD_GRID_KV_CACHE_REDUCTION, HAS_KV }, { HD_GRID_PEAK_MEM_REDUCTION, HAS_PEAK },
		{ HD_GRID_ENERGY_REDUCTION, HAS_ENERGY }, { HD_GRID_COHERENCE_DELTA, HAS_DELTA },
		{ HD_GRID_ACCURACY, HAS_ACCURACY },
	};
	struct hd_fields f = { fields, HD_COUNT(fields), 0 };
	struct hd_table t;

	for (size_t i = 0; i < HD_COUNT(has); i++)
		f.flags |= g->measured[has[i].name] ? has[i].flag : 0;
	for (size_t i = 0; i < g->n; i++)
		f.flags |= hd_grid_setting_is_ok(&g->settings[i]) ? 0 : HAS_LOST;
	hd_fields_table(&t, &f);
	for (size_t i = 0; i < g->n; i++) {
		struct row r = row_of(&g->settings[i]);

		hd_fields_cells(&t, &f, &r);
	}
	hd_table_write(out, &t, markdown);
}

/*
 * Append a value as people read it: the coherence delta as a number, the others in per cent; a rise of p95 has a `+`.
 */
static void put_value(struct hd_buf *out, enum hd_grid_value_name name, double v)
{
	if (name == HD_GRID_COHERENCE_DELTA) {
		hd_unit_text_real(out, v);
		return;
	}
	v *= 100;
	hd_buf_addf(out, name == HD_GRID_P95_CHANGE && v > 0 ? "+%.1f %%" : "%.1f %%", v);
}

static void write_criterion(struct hd_buf *out, const struct hd_grid_criterion *c, bool need_one, bool markdown)
{
	hd_buf_adds(out, markdown ? "- " : "");
	hd_buf_colour(out, c->outcome == HD_GRID_MET ? HD_COLOUR_GREEN
		: c->outcome == HD_GRID_MISSED ? HD_COLOUR_RED : HD_COLOUR_YELLOW);
	hd_buf_addf(out, "%-12s", hd_grid_outcome_name(c->outcome));
	hd_buf_colour(out, HD_COLOUR_NONE);
	hd_buf_addf(out, "  %s %s ", hd_grid_value_title(c->name), c->at_most ? "at most" : "at least");
	put_value(out, c->name, c->limit);
	if (c->missed) {
		const struct hd_grid_value *v = &c->worst->value[c->name];

		hd_buf_addf(out, need_one ? ": %zu of %zu settings do not meet it, furthest %s with "
			: ": missed by %zu of %zu settings, furthest %s with ", c->missed, c->judged, c->worst->name);
		put_value(out, c->name, v->v);
		if (isfinite(v->ci.lo) && isfinite(v->ci.hi)) {
			hd_buf_adds(out, " (95 % interval ");
			put_value(out, c->name, v->ci.lo);
			hd_buf_adds(out, " to ");
			put_value(out, c->name, v->ci.hi);
			hd_buf_addc(out, ')');
		}
	}
	hd_buf_addc(out, '\n');
}

static void write_unmeasured(struct hd_buf *out, const struct hd_grid *g, bool markdown)
{
	bool any = false;

	for (int k = 0; k < HD_GRID_VALUES && g->n > 1; k++)
		if (!g->measured[k] && k != HD_GRID_P95_LATENCY_US && k != HD_GRID_P95_CHANGE) {
			hd_buf_addf(out, "%s%s", any ? ", " : markdown ? "\nnot measured: " : "\nnot measured  ",
				hd_grid_value_title(k));
			any = true;
		}
	if (any)
		hd_buf_adds(out, " (0 in results.csv)\n");
}

void hd_grid_report_text(struct hd_buf *out, const struct hd_grid_report *r, bool markdown)
{
	write_settings(out, r->grid, markdown);
	write_unmeasured(out, r->grid, markdown);
	hd_buf_addc(out, '\n');
	for (size_t i = 0; i < r->ncriteria; i++)
		write_criterion(out, &r->criteria[i], r->need_one, markdown);
	if (r->need_one && r->one)
		hd_buf_addf(out, "%s meets every criterion\n", r->one->name);
	else if (r->need_one)
		hd_buf_adds(out, "no setting meets every criterion\n");
}

/* ---- JSON ---- */

static void put_setting(struct hd_jsonw *w, const struct hd_grid_setting *s)
{
	hd_jsonw_row(w, NULL, '{');
	hd_jsonw_str(w, "setting", s->name);
	hd_json_real(w, "lambda", s->lambda);
	hd_json_real(w, "tau", s->tau);
	hd_jsonw_str(w, "status", s->status);
	hd_jsonw_str(w, "run", *s->run ? s->run : NULL);
	hd_jsonw_u64(w, "samples", s->samples);
	hd_json_real(w, "p50_latency_us", s->p50_us);
	hd_json_real(w, "kv_cache_bytes", s->kv_cache_bytes);
	hd_json_real(w, "peak_rss_bytes", s->peak_rss_bytes);
	hd_json_real(w, "joules_per_sample", s->joules);
	for (int k = 0; k < HD_GRID_VALUES; k++)
		hd_json_real(w, hd_grid_value_title(k), s->value[k].v);
	hd_jsonw_open(w, "ci", '{');
	for (int k = 0; k < HD_GRID_VALUES; k++)
		hd_json_interval(w, hd_grid_value_title(k), s->value[k].ci);
	hd_jsonw_close(w, '}');
	hd_jsonw_close(w, '}');
}

void hd_grid_report_json(struct hd_buf *out, const struct hd_grid_report *r)
{
	struct hd_jsonw w = hd_jsonw_document(out, "hotdrift.grid", 1);

	hd_jsonw_str(&w, "folder", r->folder);
	hd_jsonw_str(&w, "verdict", hd_grid_outcome_name(r->verdict));
	hd_jsonw_str(&w, "need", r->need_one ? "one" : "every");
	hd_jsonw_str(&w, "meets_all", r->one ? r->one->name : NULL);
	hd_jsonw_open(&w, "criteria", '[');
	for (size_t i = 0; i < r->ncriteria; i++) {
		const struct hd_grid_criterion *c = &r->criteria[i];

		hd_jsonw_row(&w, NULL, '{');
		hd_jsonw_str(&w, "criterion", hd_grid_value_title(c->name));
		hd_jsonw_str(&w, "rule", c->at_most ? "at most" : "at least");
		hd_json_real(&w, "limit", c->limit);
		hd_jsonw_str(&w, "outcome", hd_grid_outcome_name(c->outcome));
		hd_jsonw_u64(&w, "judged", c->judged);
		hd_jsonw_u64(&w, "missed", c->missed);
		hd_jsonw_str(&w, "worst", c->worst ? c->worst->name : NULL);
		hd_jsonw_close(&w, '}');
	}
	hd_jsonw_close(&w, ']');
	hd_jsonw_open(&w, "settings", '[');
	for (size_t i = 0; i < r->grid->n; i++)
		put_setting(&w, &r->grid->settings[i]);
	hd_jsonw_close(&w, ']');
	hd_jsonw_row(&w, "not_measured", '[');
	for (int k = 0; k < HD_GRID_VALUES; k++)
		if (!r->grid->measured[k])
			hd_jsonw_str(&w, NULL, hd_grid_value_title(k));
	hd_jsonw_close(&w, ']');
	hd_jsonw_close(&w, '}');
}
