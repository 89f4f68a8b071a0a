/*
 * energy.c - see energy.h
 */
#include "render/energy.h"

#include "base/encode.h"
#include "base/mem.h"
#include "render/stats.h"
#include "render/table.h"
#include "render/unit_text.h"

#include <math.h>
#include <string.h>

static bool by_source(const struct hd_energy_report *r)
{
	return r->series->form == HD_FORM_SOURCES;
}

static void labelled(struct hd_buf *out, const char *label, double v, const char *unit, bool markdown)
{
	hd_buf_addf(out, markdown ? "- %s " : "%-11s ", label);
	hd_unit_text_real(out, v);
	hd_buf_addf(out, " %s\n", unit);
}

static void table_of_domains(struct hd_buf *out, const struct hd_energy_report *r, bool markdown)
{
	static const struct hd_column columns[] = {
		{ "joules", true, false }, { "mean W", true, false }, { "peak W", true, false },
		{ "seconds", true, false },
		{ "samples", true, false }, { "update s", true, false }, { "counter J", true, false },
		{ "source", false, true }, { "domain", false, true },
		{ "in the total", false, false },
	};
	struct hd_table t;

	hd_table_init(&t, columns, HD_COUNT(columns));
	for (size_t i = 0; i < r->n; i++) {
		const struct hd_energy_domain *d = &r->domains[i];

		hd_table_real(&t, d->joules);
		hd_table_real(&t, d->mean_watts);
		hd_table_real(&t, d->peak_watts);
		hd_table_real(&t, d->duration_s);
		hd_table_cellf(&t, "%zu", d->n_samples);
		hd_table_real(&t, d->update_period_s);
		hd_table_real(&t, d->counter_joules);
		hd_table_string(&t, d->source);
		hd_table_string(&t, d->domain);
		hd_table_cellf(&t, "%s%s", d->why_not ? "no: " : "yes", d->why_not ? d->why_not : "");
	}
	hd_buf_addc(out, '\n');
	hd_table_write(out, &t, markdown);
}

void hd_energy_text(struct hd_buf *out, const struct hd_energy_report *r, bool markdown)
{
	const char *path = r->series->path;

	if (markdown)
		hd_enc_md(out, path, strlen(path));
	else
		hd_enc_term(out, path, strlen(path));
	hd_buf_addf(out, ": %zu sample%s, %s%s\n\n", r->n_samples, r->n_samples == 1 ? "" : "s", r->method,
		r->enough ? "" : ": too few for an answer");
	labelled(out, "energy", r->total_joules, "J", markdown);
	labelled(out, "duration", r->duration_s, "s", markdown);
	labelled(out, "mean power", r->mean_watts, "W, the mean of the samples", markdown);
	if (r->duration_s > 0)
		labelled(out, "", r->total_joules / r->duration_s, "W, energy by duration", markdown);
	labelled(out, "peak power", r->peak_watts, "W", markdown);
	if (!isnan(r->counter_joules)) {
		labelled(out, "counter", r->counter_joules, "J", markdown);
		labelled(out, "", fabs(r->disagreement_pct),
			r->disagreement_pct < 0 ? "% less by the integral than by the counter"
						: "% more by the integral than by the counter",
			markdown);
	}
	if (by_source(r))
		table_of_domains(out, r, markdown);
}

static void json_domain(struct hd_jsonw *w, const struct hd_energy_domain *d)
{
	hd_jsonw_row(w, NULL, '{');
	hd_jsonw_str(w, "source", d->source);
	hd_jsonw_str(w, "domain", d->domain);
	hd_json_real(w, "total_joules", d->joules);
	hd_json_real(w, "mean_watts", d->mean_watts);
	hd_json_real(w, "peak_watts", d->peak_watts);
	hd_json_real(w, "duration_s", d->duration_s);
	hd_jsonw_u64(w, "n_samples", d->n_samples);
	hd_jsonw_str(w, "method", d->method);
	hd_json_real(w, "counter_joules", d->counter_joules);
	hd_json_real(w, "disagreement_pct", d->disagreement_pct);
	hd_json_real(w, "median_dt_s", d->median_dt_s);
	hd_json_real(w, "update_period_s", d->update_period_s);
	if (d->wraps >= 0)
		hd_jsonw_i64(w, "wraps", d->wraps);
	else
		hd_jsonw_null(w, "wraps");
	hd_jsonw_str(w, "quantity", d->quantity);
	hd_jsonw_u64(w, "gaps", d->watts.gaps);
	hd_jsonw_u64(w, "repeated", d->watts.repeated);
	hd_jsonw_bool(w, "counted", !d->why_not);
	hd_jsonw_str(w, "why_not", d->why_not);
	hd_jsonw_close(w, '}');
}

void hd_energy_json(struct hd_buf *out, const struct hd_energy_report *r)
{
	struct hd_jsonw w = hd_jsonw_to(out);

	hd_jsonw_open(&w, NULL, '{');
	hd_jsonw_str(&w, "format", "hotdrift.energy");
	hd_jsonw_u64(&w, "version", 1);
	hd_json_real(&w, "total_joules", r->total_joules);
	hd_json_real(&w, "mean_watts", r->mean_watts);
	hd_json_real(&w, "peak_watts", r->peak_watts);
	hd_json_real(&w, "duration_s", r->duration_s);
	hd_jsonw_u64(&w, "n_samples", r->n_samples);
	hd_jsonw_str(&w, "method", r->method);
	hd_jsonw_str(&w, "status", r->enough ? "ok" : "insufficient");
	hd_json_real(&w, "joules_per_s", r->duration_s > 0 ? r->total_joules / r->duration_s : NAN);
	if (r->n && !by_source(r)) {
		hd_json_real(&w, "median_dt_s", r->domains[0].median_dt_s);
		hd_json_real(&w, "update_period_s", r->domains[0].update_period_s);
		hd_jsonw_u64(&w, "gaps", r->domains[0].watts.gaps);
	}
	hd_json_real(&w, "counter_joules", r->counter_joules);
	hd_json_real(&w, "disagreement_pct", r->disagreement_pct);
	hd_jsonw_str(&w, "file", r->series->path);
	if (by_source(r)) {
		hd_jsonw_open(&w, "domains", '[');
		for (size_t i = 0; i < r->n; i++)
			json_domain(&w, &r->domains[i]);
		hd_jsonw_close(&w, ']');
	}
	hd_jsonw_close(&w, '}');
}
