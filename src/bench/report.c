/*
 * report.c - summarise and judge the values of a session
 */
#include "bench/bench.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>

size_t hd_bench_values(const struct hd_bench *b, unsigned side, unsigned metric, double *v)
{
	size_t n = 0;

	for (size_t i = 0; i < b->nruns; i++)
		if (b->runs[i].side == side && !b->runs[i].why_failed && isfinite(b->runs[i].value[metric]))
			v[n++] = b->runs[i].value[metric];
	return n;
}

static int make_column(struct hd_bench_metric_summary *c, const struct hd_bench *b, unsigned metric, struct hd_err *err)
{
	double *v[HD_BENCH_VARIANTS] = { hd_new_array(double, b->nruns + 1), hd_new_array(double, b->nruns + 1) };
	size_t n[HD_BENCH_VARIANTS] = { 0 };
	int rc = 0;

	for (unsigned s = 0; s < b->nsides && rc >= 0; s++) {
		n[s] = hd_bench_values(b, s, metric, v[s]);
		rc = hd_timing_make(&c->timing[s], v[s], n[s]);
	}
	if (rc >= 0 && b->nsides == 2)
		rc = hd_speedup_make(&c->speedup, v[0], n[0], v[1], n[1]);
	free(v[0]);
	free(v[1]);
	return rc < 0 ? hd_fail(err, HD_EIO, "bench: no memory for %zu runs", b->nruns) : 0;
}

/* Compare the wall times of this session with those of the last runs in the database. */
static int compare_with_last(struct hd_bench_report *r, const struct hd_bench *b, struct hd_err *err)
{
	double *v = hd_new_array(double, b->nruns + 1);
	int rc = 0;

	for (unsigned s = 0; s < b->nsides && rc >= 0; s++) {
		const struct hd_bench_last *last = &b->last[s];

		rc = hd_speedup_make(&r->since_last[s], last->wall_us, last->n, v,
			hd_bench_values(b, s, HD_BENCH_WALL, v));
		r->last_change[s] = hd_speedup_change(&r->since_last[s], b->o->noise_part);
	}
	free(v);
	return rc < 0 ? hd_fail(err, HD_EIO, "bench: no memory for %zu runs", b->nruns) : 0;
}

struct hd_bench_rate hd_bench_rate_of(const struct hd_bench *b, const struct hd_bench_report *r, unsigned side)
{
	const struct hd_summary *wall = &r->column[HD_BENCH_WALL].timing[side].sum;
	struct hd_bench_rate rate = { NAN, { NAN, NAN } };
	double per_us = b->work * 1e6;

	if (wall->n && wall->mean > 0)
		rate.per_second = per_us / wall->mean;
	/*
	 * With few runs, the interval of the mean time can reach below 0.  In that case the rate has no upper bound.
	 */
	if (wall->n > 1 && isfinite(wall->ci_mean.hi))
		rate.ci = (struct hd_interval){ per_us / wall->ci_mean.hi,
			wall->ci_mean.lo > 0 ? per_us / wall->ci_mean.lo : INFINITY };
	return rate;
}

const char *hd_bench_throughput_name(enum hd_bench_throughput kind)
{
	return kind == HD_BENCH_BYTES ? "bytes" : "elements";
}

static void count_runs(struct hd_bench_report *r, const struct hd_bench *b)
{
	for (size_t i = 0; i < b->nruns; i++) {
		const struct hd_bench_run *run = &b->runs[i];

		if (run->why_failed) {
			r->failed[run->side]++;
			continue;
		}
		r->good[run->side]++;
		r->at_floor += run->end.peak_rss_bytes <= b->rss_floor;
	}
}

/* Find the output that differs most. */
static void judge_outputs(struct hd_bench_report *r, const struct hd_bench *b)
{
	for (size_t i = 0; i < b->noutputs; i++) {
		enum hd_bench_sameness same = hd_bench_output_sameness(&b->outputs[i]);

		if (!r->which || same > r->same) {
			r->same = same;
			r->which = &b->outputs[i];
		}
	}
}

/* Set the verdict.  There is one only for two variants, if a speed-up is required or outputs are compared. */
static void judge(struct hd_bench_report *r, const struct hd_bench *b)
{
	r->judged = b->nsides == 2 && (!isnan(b->o->speedup_wanted) || b->noutputs);
	if (!r->judged)
		return;
	r->verdict = HD_PASS;
	if (!isnan(b->o->speedup_wanted)) {
		r->speed = hd_speedup_judge(&r->column[HD_BENCH_WALL].speedup, b->o->speedup_wanted);
		r->verdict = r->speed.verdict;
	}
	if (r->same == HD_BENCH_SAME_DIFFERS)
		r->verdict = HD_FAIL;
	else if (b->noutputs && (r->same == HD_BENCH_SAME_VARIES || r->same == HD_BENCH_SAME_UNKNOWN) &&
		r->verdict == HD_PASS)
		r->verdict = HD_INCONCLUSIVE;
}

int hd_bench_report_make(struct hd_bench_report *r, const struct hd_bench *b, struct hd_err *err)
{
	int rc = 0;

	*r = (struct hd_bench_report){ .steady = true };
	for (unsigned m = 0; m < b->nmetrics && rc >= 0; m++)
		rc = make_column(&r->column[m], b, m, err);
	if (rc >= 0)
		rc = compare_with_last(r, b, err);
	if (rc < 0)
		return rc;
	count_runs(r, b);
	hd_findings_compare(&r->findings, &b->before, &b->after, b->our_cpu_ns);
	for (unsigned s = 0; s < b->nsides; s++) {
		const struct hd_timing *t = &r->column[HD_BENCH_WALL].timing[s];

		r->steady = r->steady && t->cv <= b->o->cv_limit && !t->drifting;
	}
	if (b->nsides == 2)
		r->change = hd_speedup_change(&r->column[HD_BENCH_WALL].speedup, b->o->noise_part);
	judge_outputs(r, b);
	judge(r, b);
	return 0;
}
