/*
 * sample_report.c - see sample_report.h
 */
#include "render/sample_report.h"

#include "base/encode.h"
#include "base/jsonw.h"
#include "series/sample_folder.h"
#include "render/fields.h"
#include "render/unit_text.h"

#include <math.h>
#include <string.h>

const char *hd_sample_report_status(const struct hd_child *c)
{
	return c->stopped_by ? "interrupted" : c->attached || c->exit_status == 0 ? "ok" : "failed";
}

static double duration_s(const struct hd_sample_report *r)
{
	return (double)(r->s->end_ns - r->s->start_ns) / 1e9;
}

static double cpu_pct(const struct hd_sample_report *r)
{
	return duration_s(r) > 0 ? 100 * r->s->cpu_s / duration_s(r) : NAN;
}

/* ---- text ---- */

static void say_how(struct hd_buf *out, const struct hd_sample_report *r)
{
	const struct hd_child *c = r->c;

	hd_buf_adds(out, "sample  ");
	if (r->command)
		hd_enc_term(out, r->command, strlen(r->command));
	else
		hd_buf_addf(out, "process %d", (int)r->pid);
	hd_buf_adds(out, ": ");
	hd_unit_text_real(out, duration_s(r));
	hd_buf_adds(out, " s");
	if (c->signal > 0)
		hd_buf_addf(out, ", killed by signal %d (%s)", c->signal, strsignal(c->signal));
	else if (c->exit_status > 0)
		hd_buf_addf(out, ", exit status %d", c->exit_status);
	if (c->stopped_by)
		hd_buf_addf(out, ", interrupted by SIG%s", sigabbrev_np(c->stopped_by));
	hd_buf_addc(out, '\n');
}

static void say_energy(struct hd_buf *out, const struct hd_energy_report *e)
{
	const char *before = " of ";

	hd_buf_adds(out, "power   ");
	hd_unit_text_real(out, e->total_joules);
	hd_buf_adds(out, " J, mean ");
	hd_unit_text_real(out, e->mean_watts);
	hd_buf_adds(out, " W, peak ");
	hd_unit_text_real(out, e->peak_watts);
	hd_buf_addf(out, " W, by %s", e->method);
	for (size_t i = 0; i < e->n; i++) {
		const struct hd_energy_domain *d = &e->domains[i];

		if (d->why_not)
			continue;
		hd_buf_adds(out, before);
		hd_enc_term(out, d->source, strlen(d->source));
		if (strcmp(d->domain, d->source)) {
			hd_buf_addc(out, ' ');
			hd_enc_term(out, d->domain, strlen(d->domain));
		}
		before = ", ";
	}
	hd_buf_addf(out, "%s\n", e->enough ? "" : ": too few readings");
	if (isnan(e->counter_joules))
		return;
	hd_buf_adds(out, "        the counter rose by ");
	hd_unit_text_real(out, e->counter_joules);
	hd_buf_adds(out, " J; the integral is ");
	hd_unit_text_real(out, fabs(e->disagreement_pct));
	hd_buf_addf(out, " %% %s\n", e->disagreement_pct < 0 ? "less" : "more");
}

static void say_gpu(struct hd_buf *out, const struct hd_sample_report *r, size_t i)
{
	const struct hd_gpumem_device *d = hd_gpumem_device(r->s->gpus, i);
	const struct hd_sampler_gpu *g = &r->s->gpu[i];

	hd_buf_addf(out, "gpu     %zu ", i);
	hd_enc_term(out, d->name, strlen(d->name));
	if (g->n_util) {
		hd_buf_adds(out, ": mean utilisation ");
		hd_unit_text_real(out, g->util_sum_pct / (double)g->n_util);
		hd_buf_adds(out, " %");
	} else {
		hd_buf_adds(out, ": utilisation unknown");
	}
	if (g->has_memory) {
		hd_buf_adds(out, ", memory at first ");
		hd_unit_text_add(out, g->used_first_bytes, "bytes");
		hd_buf_adds(out, ", peak ");
		hd_unit_text_add(out, g->used_max_bytes, "bytes");
	}
	hd_buf_addc(out, '\n');
}

void hd_sample_report_text(struct hd_buf *out, const struct hd_sample_report *r)
{
	const struct hd_sampler *s = r->s;

	say_how(out, r);
	if (r->energy)
		say_energy(out, r->energy);
	for (size_t i = 0; s->reads[HD_SAMPLE_GPU] && i < hd_gpumem_devices(s->gpus); i++)
		if (s->gpu[i].n)
			say_gpu(out, r, i);
	if (s->reads[HD_SAMPLE_MEMORY]) {
		hd_buf_adds(out, "memory  peak ");
		hd_unit_text_add(out, s->peak_rss_bytes, "bytes");
		hd_buf_addf(out, " resident in %zu process%s; ", s->processes, s->processes == 1 ? "" : "es");
		hd_buf_adds(out, "kv_cache_bytes, activation_bytes and temp_buffer_bytes are 0: not measured\n");
	}
	hd_buf_addf(out, "cost    %zu readings, one each %g ms, %zu missed; ", s->readings,
		    (double)s->interval_ns / 1e6, s->missed);
	hd_unit_text_real(out, cpu_pct(r));
	hd_buf_adds(out, " % of one CPU\nfiles  ");
	for (size_t i = 0; i < r->nfiles; i++) {
		hd_buf_addc(out, ' ');
		hd_enc_term(out, r->dir, strlen(r->dir));
		hd_buf_addf(out, "/%s", r->files[i]);
	}
	hd_buf_addc(out, '\n');
}

/* ---- JSON ---- */

static void number_or_null(struct hd_jsonw *w, const char *key, int64_t v, bool known)
{
	if (known)
		hd_jsonw_i64(w, key, v);
	else
		hd_jsonw_null(w, key);
}

static void json_power(struct hd_jsonw *w, const struct hd_energy_report *e)
{
	hd_jsonw_open(w, "power", '{');
	hd_json_real(w, "total_joules", e->total_joules);
	hd_json_real(w, "mean_watts", e->mean_watts);
	hd_json_real(w, "peak_watts", e->peak_watts);
	hd_json_real(w, "duration_s", e->duration_s);
	hd_jsonw_str(w, "method", e->method);
	hd_jsonw_str(w, "status", e->enough ? "ok" : "insufficient");
	hd_jsonw_close(w, '}');
}

static void json_gpus(struct hd_jsonw *w, const struct hd_sampler *s)
{
	hd_jsonw_open(w, "gpu", '[');
	for (size_t i = 0; i < hd_gpumem_devices(s->gpus); i++) {
		const struct hd_gpumem_device *d = hd_gpumem_device(s->gpus, i);
		const struct hd_sampler_gpu *g = &s->gpu[i];

		if (!g->n)
			continue;
		hd_jsonw_row(w, NULL, '{');
		hd_jsonw_u64(w, "device", i);
		hd_jsonw_str(w, "name", d->name);
		hd_jsonw_str(w, "uuid", d->uuid);
		hd_json_real(w, "util_mean_pct", g->n_util ? g->util_sum_pct / (double)g->n_util : NAN);
		hd_json_real(w, "util_max_pct", g->n_util ? g->util_max_pct : NAN);
		number_or_null(w, "mem_first_bytes", (int64_t)g->used_first_bytes, g->has_memory);
		number_or_null(w, "mem_max_bytes", (int64_t)g->used_max_bytes, g->has_memory);
		hd_jsonw_close(w, '}');
	}
	hd_jsonw_close(w, ']');
}

static void json_memory(struct hd_jsonw *w, const struct hd_sample_report *r)
{
	hd_jsonw_open(w, "memory", '{');
	hd_jsonw_u64(w, "peak_rss_bytes", r->s->peak_rss_bytes);
	number_or_null(w, "largest_process_bytes", (int64_t)r->c->peak_rss_bytes, !r->c->attached);
	hd_jsonw_u64(w, "processes", r->s->processes);
	hd_jsonw_row(w, "not_measured", '[');
	hd_jsonw_str(w, NULL, "kv_cache_bytes");
	hd_jsonw_str(w, NULL, "activation_bytes");
	hd_jsonw_str(w, NULL, "temp_buffer_bytes");
	hd_jsonw_close(w, ']');
	hd_jsonw_close(w, '}');
}

void hd_sample_report_json(struct hd_buf *out, const struct hd_sample_report *r)
{
	const struct hd_sampler *s = r->s;
	const struct hd_child *c = r->c;
	struct hd_jsonw w = hd_jsonw_document(out, "hotdrift.sample", 1);
	char boot[HD_BOOT_ID];

	hd_boot_id(boot);
	hd_jsonw_str(&w, "command", r->command);
	number_or_null(&w, "pid", r->pid, c->attached);
	hd_jsonw_str(&w, "status", hd_sample_report_status(c));
	number_or_null(&w, "exit_status", c->exit_status, c->exit_status >= 0);
	number_or_null(&w, "signal", c->signal, c->signal > 0);
	hd_jsonw_u64(&w, "started_ns", s->start_ns);
	hd_jsonw_str(&w, "boot_id", *boot ? boot : NULL);
	hd_json_real(&w, "duration_s", duration_s(r));
	hd_json_real(&w, "interval_s", (double)s->interval_ns / 1e9);
	hd_jsonw_u64(&w, "readings", s->readings);
	hd_jsonw_u64(&w, "missed", s->missed);
	hd_json_real(&w, "latest_s", (double)s->latest_ns / 1e9);
	hd_json_real(&w, "sampler_cpu_s", s->cpu_s);
	hd_json_real(&w, "sampler_cpu_pct", cpu_pct(r));
	if (r->energy)
		json_power(&w, r->energy);
	if (s->reads[HD_SAMPLE_GPU])
		json_gpus(&w, s);
	if (s->reads[HD_SAMPLE_MEMORY])
		json_memory(&w, r);
	hd_jsonw_open(&w, "not_read", '[');
	for (size_t i = 0; i < r->nmiss; i++) {
		hd_jsonw_row(&w, NULL, '{');
		hd_jsonw_str(&w, "what", r->miss[i].what);
		hd_jsonw_str(&w, "state", hd_power_state_name(r->miss[i].state));
		hd_jsonw_str(&w, "why", r->miss[i].why);
		hd_jsonw_close(&w, '}');
	}
	hd_jsonw_close(&w, ']');
	hd_jsonw_open(&w, "files", '[');
	for (size_t i = 0; i < r->nfiles; i++)
		hd_jsonw_str(&w, NULL, r->files[i]);
	hd_jsonw_close(&w, ']');
	hd_jsonw_close(&w, '}');
}
