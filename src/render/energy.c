/*
 * energy.c - see energy.h
 */
#include "render/energy.h"

#include "base/encode.h"
#include "base/mem.h"
#include "render/fields.h"
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

struct row {
	struct hd_energy_domain d;
	bool counted;
	const char *in_the_total;
};

#define FIELD(key, title, kind, member, ...)	HD_FIELD(key, title, kind, struct row, member, ##__VA_ARGS__)
static const struct hd_field fields[] = {
	FIELD("source", "source", NAME, d.source, .place = 2),
	FIELD("domain", "domain", NAME, d.domain, .place = 2),
	FIELD("total_joules", "joules", REAL, d.joules),
	FIELD("mean_watts", "mean W", REAL, d.mean_watts),
	FIELD("peak_watts", "peak W", REAL, d.peak_watts),
	FIELD("duration_s", "seconds", REAL, d.duration_s),
	FIELD("n_samples", "samples", COUNT, d.n_samples),
	FIELD("method", NULL, TEXT, d.method),
	FIELD("counter_joules", "counter J", REAL, d.counter_joules, .place = 1),
	FIELD("disagreement_pct", NULL, REAL, d.disagreement_pct),
	FIELD("median_dt_s", NULL, REAL, d.median_dt_s),
	FIELD("update_period_s", "update s", REAL, d.update_period_s),
	FIELD("wraps", NULL, COUNT, d.wraps),
	FIELD("quantity", NULL, TEXT, d.quantity),
	FIELD("gaps", NULL, COUNT, d.watts.gaps),
	FIELD("repeated", NULL, COUNT, d.watts.repeated),
	FIELD("counted", NULL, BOOL, counted),
	FIELD(NULL, "in the total", TEXT, in_the_total, .place = 3),
	FIELD("why_not", NULL, TEXT, d.why_not),
};
static const struct hd_fields domain_fields = { fields, HD_COUNT(fields), 0 };

static void table_of_domains(struct hd_buf *out, const struct hd_energy_report *r, bool markdown)
{
	struct hd_table t;

	hd_fields_table(&t, &domain_fields);
	for (size_t i = 0; i < r->n; i++) {
		struct hd_buf in_the_total = { 0 };
		const char *why_not = r->domains[i].why_not;

		hd_buf_addf(&in_the_total, "%s%s", why_not ? "no: " : "yes", why_not ? why_not : "");
		hd_fields_cells(&t, &domain_fields,
			&(struct row){ r->domains[i], !why_not, hd_buf_str(&in_the_total) });
		hd_buf_release(&in_the_total);
	}
	hd_buf_addc(out, '\n');
	hd_table_write(out, &t, markdown);
}

void hd_energy_text(struct hd_buf *out, const struct hd_energy_report *r, bool markdown)
{
	hd_table_name(out, r->series->path, markdown);
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

void hd_energy_json(struct hd_buf *out, const struct hd_energy_report *r)
{
	struct hd_jsonw w = hd_jsonw_document(out, "hotdrift.energy", 1);

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
		for (size_t i = 0; i < r->n; i++) {
			hd_fields_object(&w, &domain_fields,
				&(struct row){ r->domains[i], !r->domains[i].why_not, NULL });
		}
		hd_jsonw_close(&w, ']');
	}
	hd_jsonw_close(&w, '}');
}
