/*
 * bench_json.c - print a benchmark session as JSON; see bench/bench.h
 *
 * {"format":"hotdrift.bench","version":1,"sides":[{"name","command":[],"dir","runs","failed"}],
 *  "warmup","event","interrupted_by",
 *  "metrics":{NAME:{"unit","sides":[{"n","mean","std","cv","p50",...}],"speedup":{...}}},
 *  "steady","cv_limit","findings":[{"code","text"}],"machine":{...},
 *  "outputs":[{"name","same","sha256","bytes","worst_relative","difference"}],
 *  "verdict","min_speedup","speedup_verdict","runs_needed","noise","change",
 *  "throughput":{"unit","per_run","sides":[...]},
 *  "last":[{"side","recorded","commit","runs","speedup":{...},"change"}],"runs":[...]}
 *
 * Times are in microseconds unless a name has another unit, sizes in bytes; cv, cv_limit and noise are fractions (0.05
 * is 5 %).  Numbers have the shortest digits that read back as the same double.  In "metrics", "speedup" exists only
 * if there are two sides.  Unknown values are null.
 */
#include "bench/bench.h"

#include "base/jsonw.h"
#include "base/utc.h"
#include "render/fields.h"
#include "render/stats.h"

#include <math.h>
#include <string.h>

static void json_timing(struct hd_jsonw *w, const struct hd_timing *t)
{
	const struct hd_summary *s = &t->sum;
	/*
	 * Without runs, all statistics are printed as null: NaN is added to each of them, and NaN is printed as null.
	 */
	double none = s->n ? 0 : NAN;

	hd_jsonw_open(w, NULL, '{');
	hd_jsonw_u64(w, "n", s->n);
	hd_json_real(w, "mean", s->mean + none);
	hd_json_real(w, "std", s->std + none);
	hd_json_real(w, "sd", t->sd);
	hd_json_real(w, "cv", t->cv);
	hd_json_real(w, "p50", s->p50 + none);
	hd_json_real(w, "p95", s->p95 + none);
	hd_json_real(w, "p99", s->p99 + none);
	hd_json_real(w, "min", s->min + none);
	hd_json_real(w, "max", s->max + none);
	hd_jsonw_u64(w, "outliers", s->outliers);
	hd_jsonw_u64(w, "far_out", t->far_out);
	hd_json_intervals(w, s);
	hd_json_real(w, "r2", t->has_trend ? t->trend.r2 : NAN);
	hd_json_real(w, "slope", t->has_trend ? t->trend.slope : NAN);
	hd_json_real(w, "trend_p", t->trend_p);
	hd_jsonw_bool(w, "drifting", t->drifting);
	hd_jsonw_close(w, '}');
}

void hd_json_speedup(struct hd_jsonw *w, const char *key, const struct hd_speedup *s)
{
	hd_jsonw_open(w, key, '{');
	hd_json_real(w, "ratio", s->ratio);
	hd_json_interval(w, "ci", s->known ? s->ci : (struct hd_interval){ NAN, NAN });
	hd_json_real(w, "median_ratio", s->median_ratio);
	hd_json_interval(w, "median_ci", s->known ? s->median_ci : (struct hd_interval){ NAN, NAN });
	hd_json_real(w, "p", s->p);
	hd_jsonw_close(w, '}');
}

static void json_sides(struct hd_jsonw *w, const struct hd_bench *b, const struct hd_bench_report *r)
{
	hd_jsonw_open(w, "sides", '[');
	for (unsigned s = 0; s < b->nsides; s++) {
		const struct hd_argv *c = &b->side[s].command;

		hd_jsonw_open(w, NULL, '{');
		hd_jsonw_str(w, "name", b->side[s].name);
		hd_jsonw_row(w, "command", '[');
		for (size_t i = 0; i < c->argc; i++)
			hd_jsonw_str(w, NULL, c->argv[i]);
		hd_jsonw_close(w, ']');
		hd_jsonw_str(w, "dir", b->side[s].dir);
		hd_jsonw_u64(w, "runs", r->good[s]);
		hd_jsonw_u64(w, "failed", r->failed[s]);
		hd_jsonw_close(w, '}');
	}
	hd_jsonw_close(w, ']');
}

static void json_metrics(struct hd_jsonw *w, const struct hd_bench *b, const struct hd_bench_report *r)
{
	hd_jsonw_open(w, "metrics", '{');
	for (unsigned m = 0; m < b->nmetrics; m++) {
		hd_jsonw_open(w, b->metrics[m].name, '{');
		hd_jsonw_str(w, "unit", b->metrics[m].unit);
		hd_jsonw_open(w, "sides", '[');
		for (unsigned s = 0; s < b->nsides; s++)
			json_timing(w, &r->column[m].timing[s]);
		hd_jsonw_close(w, ']');
		if (b->nsides == 2)
			hd_json_speedup(w, "speedup", &r->column[m].speedup);
		hd_jsonw_close(w, '}');
	}
	hd_jsonw_close(w, '}');
}

/* Append the increase of a counter; null if it is unknown or decreased. */
static void json_grown(struct hd_jsonw *w, const char *key, long long before, long long after)
{
	hd_json_known(w, key, before < 0 || after < before ? -1 : after - before);
}

static void json_machine(struct hd_jsonw *w, const struct hd_bench *b, const struct hd_bench_report *r)
{
	const struct hd_conditions *c = &b->before, *a = &b->after;

	hd_jsonw_open(w, "machine", '{');
	hd_jsonw_i64(w, "cpus", c->cpus);
	hd_jsonw_str(w, "governor", *c->governor ? c->governor : NULL);
	hd_json_known(w, "turbo", c->turbo);
	hd_json_known(w, "smt", c->smt);
	hd_json_known(w, "aslr", c->aslr);
	hd_jsonw_bool(w, "virtual", c->virtual_machine);
	hd_json_real(w, "load1_before", c->load1);
	hd_json_real(w, "hottest_celsius", a->hottest_c > 0 ? a->hottest_c : NAN);
	hd_json_real(w, "seconds", (double)(a->at_ns - c->at_ns) / 1e9);
	json_grown(w, "ticks", c->ticks_all, a->ticks_all);
	json_grown(w, "ticks_idle", c->ticks_idle, a->ticks_idle);
	json_grown(w, "ticks_stolen", c->ticks_stolen, a->ticks_stolen);
	json_grown(w, "core_throttles", c->throttled_cores, a->throttled_cores);
	json_grown(w, "package_throttles", c->throttled_packages, a->throttled_packages);
	json_grown(w, "quota_throttled_us", c->quota_throttled_us, a->quota_throttled_us);
	json_grown(w, "cpu_pressure_us", c->waited_us, a->waited_us);
	hd_jsonw_u64(w, "rss_floor_bytes", b->rss_floor);
	hd_jsonw_close(w, '}');
	hd_jsonw_open(w, "findings", '[');
	for (unsigned i = 0; i < r->findings.n; i++) {
		hd_jsonw_row(w, NULL, '{');
		hd_jsonw_str(w, "code", r->findings.items[i].code);
		hd_jsonw_str(w, "text", r->findings.items[i].text);
		hd_jsonw_close(w, '}');
	}
	hd_jsonw_close(w, ']');
}

static void json_outputs(struct hd_jsonw *w, const struct hd_bench *b)
{
	static const char *const words[] = { "unknown", "identical", "within tolerance", "varies", "differs" };

	hd_jsonw_open(w, "outputs", '[');
	for (size_t i = 0; i < b->noutputs; i++) {
		const struct hd_bench_output *o = &b->outputs[i];
		const struct hd_buf *why = &o->difference[o->difference[0].len ? 0 : 1];
		char hex[HD_SHA256_HEX];

		for (int k = 0; k < HD_SHA256_BYTES; k++)
			snprintf(hex + 2 * k, 3, "%02x", o->sum[k]);
		hd_jsonw_open(w, NULL, '{');
		hd_jsonw_str(w, "name", o->name);
		hd_jsonw_str(w, "same", words[hd_bench_output_sameness(o)]);
		hd_jsonw_str(w, "sha256", o->have ? hex : NULL);
		hd_jsonw_u64(w, "bytes", o->bytes);
		hd_json_real(w, "worst_relative", o->worst);
		if (why->len)
			hd_jsonw_strn(w, "difference", why->data, why->len);
		else
			hd_jsonw_null(w, "difference");
		hd_jsonw_close(w, '}');
	}
	hd_jsonw_close(w, ']');
}

static void json_verdict(struct hd_jsonw *w, const struct hd_bench *b, const struct hd_bench_report *r)
{
	hd_jsonw_str(w, "verdict", r->judged ? hd_verdict_name(r->verdict) : NULL);
	hd_json_real(w, "min_speedup", b->o->speedup_wanted);
	hd_jsonw_str(w, "speedup_verdict", isnan(b->o->speedup_wanted) ? NULL : hd_verdict_name(r->speed.verdict));
	hd_json_known(w, "runs_needed", r->speed.runs_needed ? (long long)r->speed.runs_needed : -1);
	hd_jsonw_bool(w, "steady", r->steady);
	hd_json_real(w, "cv_limit", b->o->cv_limit);
}

static void json_runs(struct hd_jsonw *w, const struct hd_bench *b)
{
	char utc[HD_UTC_TEXT];

	hd_jsonw_open(w, "runs", '[');
	for (size_t i = 0; i < b->nruns; i++) {
		const struct hd_bench_run *run = &b->runs[i];

		hd_jsonw_row(w, NULL, '{');
		hd_jsonw_str(w, "side", b->side[run->side].name);
		hd_jsonw_u64(w, "number", run->number + 1);
		hd_jsonw_bool(w, "warmup", run->warmup);
		hd_utc_text(run->began, utc);
		hd_jsonw_str(w, "began", utc);
		hd_jsonw_str(w, "failed", run->why_failed);
		if (run->end.how == HD_SUBPROCESS_EXITED)
			hd_jsonw_i64(w, "exit_status", run->end.status);
		for (unsigned m = 0; m < b->nmetrics; m++)
			hd_json_real(w, b->metrics[m].name, run->value[m]);
		hd_jsonw_u64(w, "minor_faults", run->end.minor_faults);
		hd_jsonw_u64(w, "major_faults", run->end.major_faults);
		hd_jsonw_u64(w, "waited", run->end.waited);
		hd_jsonw_u64(w, "set_aside", run->end.set_aside);
		if (run->recording)
			hd_jsonw_str(w, "recording", run->recording);
		if (run->id)
			hd_jsonw_str(w, "run", run->id);
		hd_jsonw_close(w, '}');
	}
	hd_jsonw_close(w, ']');
}

static void json_throughput(struct hd_jsonw *w, const struct hd_bench *b, const struct hd_bench_report *r)
{
	if (!b->throughput) {
		hd_jsonw_null(w, "throughput");
		return;
	}
	hd_jsonw_open(w, "throughput", '{');
	hd_jsonw_str(w, "unit", hd_bench_throughput_name(b->throughput));
	hd_json_real(w, "per_run", b->work);
	hd_jsonw_open(w, "sides", '[');
	for (unsigned s = 0; s < b->nsides; s++) {
		struct hd_bench_rate rate = hd_bench_rate_of(b, r, s);

		hd_jsonw_row(w, NULL, '{');
		hd_json_real(w, "per_second", rate.per_second);
		hd_json_interval(w, "ci", rate.ci);
		hd_jsonw_close(w, '}');
	}
	hd_jsonw_close(w, ']');
	hd_jsonw_close(w, '}');
}

static void json_last(struct hd_jsonw *w, const struct hd_bench *b, const struct hd_bench_report *r)
{
	hd_jsonw_open(w, "last", '[');
	for (unsigned s = 0; s < b->nsides; s++) {
		if (!b->last[s].n)
			continue;
		hd_jsonw_open(w, NULL, '{');
		hd_jsonw_str(w, "side", b->side[s].name);
		hd_jsonw_str(w, "recorded", b->last[s].recorded);
		hd_jsonw_str(w, "commit", b->last[s].commit);
		hd_jsonw_u64(w, "runs", b->last[s].n);
		hd_json_speedup(w, "speedup", &r->since_last[s]);
		hd_jsonw_str(w, "change", hd_change_name(r->last_change[s]));
		hd_jsonw_close(w, '}');
	}
	hd_jsonw_close(w, ']');
}

void hd_bench_json_session(struct hd_jsonw *w, const char *key, const struct hd_bench *b,
	const struct hd_bench_report *r)
{
	hd_jsonw_open(w, key, '{');
	hd_jsonw_str(w, "format", "hotdrift.bench");
	hd_jsonw_u64(w, "version", 1);
	json_sides(w, b, r);
	hd_jsonw_u64(w, "warmup", b->warmups);
	hd_jsonw_str(w, "event", b->event);
	hd_jsonw_str(w, "interrupted_by", b->stopped_by ? sigabbrev_np(b->stopped_by) : NULL);
	json_metrics(w, b, r);
	json_verdict(w, b, r);
	hd_json_real(w, "noise", b->o->noise_part);
	hd_jsonw_str(w, "change", b->nsides == 2 ? hd_change_name(r->change) : NULL);
	json_throughput(w, b, r);
	json_last(w, b, r);
	json_outputs(w, b);
	json_machine(w, b, r);
	json_runs(w, b);
	hd_jsonw_close(w, '}');
}

void hd_bench_json(struct hd_buf *out, const struct hd_bench *b, const struct hd_bench_report *r)
{
	struct hd_jsonw w = hd_jsonw_to(out);

	hd_bench_json_session(&w, NULL, b, r);
}
