/*
 * bench_text.c - print a benchmark session as text or Markdown; see bench/bench.h
 *
 * The report has about fifteen lines: the commands, the number of runs, a table of the metrics with their units, and
 * after it lines about failed runs, steadiness, peaks below the measurable memory, throughput, equality of the outputs,
 * earlier sessions, runs that were added to a database, and the verdict.  A line that does not apply is omitted.
 */
#include "bench/bench.h"

#include "base/encode.h"
#include "base/mem.h"
#include "render/table.h"
#include "render/unit_text.h"

#include <math.h>
#include <string.h>

enum { LABEL = 9, METRICS_SHOWN = 8, FAILED_SHOWN = 3 };

/* ---- values ---- */

static void value_cell(struct hd_table *t, double v, const char *unit)
{
	struct hd_buf b = { 0 };

	hd_bench_text_value(&b, v, unit);
	hd_table_take(t, &b);
}

static void interval_cell(struct hd_table *t, struct hd_interval ci, const char *unit)
{
	struct hd_buf b = { 0 };

	hd_bench_text_value(&b, isfinite(ci.lo) ? ci.lo : NAN, unit);
	hd_buf_adds(&b, " .. ");
	hd_bench_text_value(&b, isfinite(ci.hi) ? ci.hi : NAN, unit);
	hd_table_take(t, &b);
}

static void cv_cell(struct hd_table *t, double cv)
{
	if (isnan(cv))
		hd_table_string(t, "-");
	else
		hd_table_cellf(t, "%.1f %%", 100 * cv);
}

/* Return the title of a built-in metric, or the name of any other metric. */
static const char *title(const struct hd_bench *b, unsigned metric)
{
	static const char *const ours[HD_BENCH_MEASURED] = { "wall time", "user time", "kernel time", "peak RSS" };

	return metric < HD_BENCH_MEASURED ? ours[metric] : b->metrics[metric].name;
}

/* ---- tables ---- */

static void table_of_one(struct hd_table *t, const struct hd_bench *b, const struct hd_bench_report *r)
{
	static const struct hd_column columns[] = {
		{ "mean", true, false }, { "95 % interval", true, false }, { "cv", true, false },
		{ "p50", true, false }, { "p95", true, false },
		{ "p99", true, false }, { "min", true, false }, { "max", true, false }, { "outliers", true, false },
		{ "", false, true },
	};

	hd_table_init(t, columns, HD_COUNT(columns));
	for (unsigned m = 0; m < b->nmetrics && m < METRICS_SHOWN; m++) {
		const struct hd_timing *v = &r->column[m].timing[0];
		const struct hd_summary *s = &v->sum;
		const double cells[] = { s->p50, s->p95, s->p99, s->min, s->max };
		const char *unit = b->metrics[m].unit;

		value_cell(t, s->n ? s->mean : NAN, unit);
		interval_cell(t, s->n > 1 ? s->ci_mean : (struct hd_interval){ NAN, NAN }, unit);
		cv_cell(t, v->cv);
		for (size_t i = 0; i < HD_COUNT(cells); i++)
			value_cell(t, s->n ? cells[i] : NAN, unit);
		hd_table_cellf(t, "%zu", s->outliers);
		hd_table_string(t, title(b, m));
	}
}

static void table_of_two(struct hd_table *t, const struct hd_bench *b, const struct hd_bench_report *r)
{
	static const struct hd_column columns[] = {
		{ "base", true, false }, { "cv", true, false }, { "head", true, false }, { "cv", true, false },
		{ "base / head", true, false },
		{ "95 % interval", true, false }, { "p", true, false }, { "", false, true },
	};

	hd_table_init(t, columns, HD_COUNT(columns));
	for (unsigned m = 0; m < b->nmetrics && m < METRICS_SHOWN; m++) {
		const struct hd_bench_metric_summary *c = &r->column[m];
		struct hd_buf text = { 0 };

		for (unsigned s = 0; s < 2; s++) {
			value_cell(t, c->timing[s].sum.n ? c->timing[s].sum.mean : NAN, b->metrics[m].unit);
			cv_cell(t, c->timing[s].cv);
		}
		hd_bench_text_ratio(&text, c->speedup.ratio);
		hd_table_string(t, text.data);
		hd_buf_reset(&text);
		if (c->speedup.known) {
			hd_bench_text_ratios(&text, c->speedup.ci);
			hd_table_string(t, text.data);
			hd_table_cellf(t, c->speedup.p < 0.001 ? "<0.001" : "%.3f", c->speedup.p);
		} else {
			hd_table_string(t, "-");
			hd_table_string(t, "-");
		}
		hd_table_string(t, title(b, m));
		hd_buf_release(&text);
	}
}

void hd_bench_table(struct hd_table *t, const struct hd_bench *b, const struct hd_bench_report *r)
{
	if (b->nsides == 2)
		table_of_two(t, b, r);
	else
		table_of_one(t, b, r);
}

/* ---- lines ---- */

void hd_bench_text_label(struct hd_buf *out, const char *label, bool markdown)
{
	if (markdown)
		hd_buf_addf(out, *label ? "- **%s** " : "  - ", label);
	else
		hd_buf_addf(out, "%-*s ", LABEL, label);
}

static void name(struct hd_buf *out, const char *s, size_t n, bool markdown)
{
	if (markdown)
		hd_enc_md(out, s, n);
	else
		hd_enc_term(out, s, n);
}

void hd_bench_text_command(struct hd_buf *out, const struct hd_bench *b, unsigned s, bool markdown)
{
	struct hd_buf text = { 0 };

	hd_bench_text_label(out, b->side[s].name, markdown);
	hd_argv_quote(&text, &b->side[s].command);
	name(out, text.data, text.len < 300 ? text.len : 300, markdown);
	if (b->side[s].dir) {
		hd_buf_adds(out, "  in ");
		name(out, b->side[s].dir, strlen(b->side[s].dir), markdown);
	}
	hd_buf_addc(out, '\n');
	hd_buf_release(&text);
}

const char *hd_bench_plural(unsigned n)
{
	return n == 1 ? "" : "s";
}

static void line_of_runs(struct hd_buf *out, const struct hd_bench *b, const struct hd_bench_report *r, bool markdown)
{
	hd_bench_text_label(out, "runs", markdown);
	if (b->nsides == 2 && r->good[0] == r->good[1])
		hd_buf_addf(out, "%u of each, alternating A B B A", r->good[0]);
	else if (b->nsides == 2)
		hd_buf_addf(out, "%u of base, %u of head, alternating A B B A", r->good[0], r->good[1]);
	else
		hd_buf_addf(out, "%u", r->good[0]);
	if (b->warmups)
		hd_buf_addf(out, ", after %u to warm up", b->warmups);
	if (b->perf)
		hd_buf_addf(out, "; each has a twin that was recorded, %s", b->event);
	if (r->failed[0] + r->failed[1])
		hd_buf_addf(out, "; %u failed and %s not counted", r->failed[0] + r->failed[1],
			r->failed[0] + r->failed[1] == 1 ? "is" : "are");
	hd_buf_addc(out, '\n');
}

static void lines_of_failures(struct hd_buf *out, const struct hd_bench *b, bool markdown)
{
	unsigned shown = 0;

	for (size_t i = 0; i < b->nruns && shown < FAILED_SHOWN; i++) {
		const struct hd_bench_run *run = &b->runs[i];

		if (!run->why_failed)
			continue;
		hd_bench_text_label(out, "failed", markdown);
		hd_buf_addf(out, "%s%s %u ", run->warmup ? "warm-up " : "",
			b->nsides == 2 ? b->side[run->side].name : "run", run->number + 1);
		name(out, run->why_failed, strlen(run->why_failed), markdown);
		hd_buf_addc(out, '\n');
		shown++;
	}
}

/* ---- outputs and verdict ---- */

void hd_bench_text_output(struct hd_buf *out, const struct hd_bench *b, const struct hd_bench_report *r, bool markdown)
{
	const struct hd_bench_output *o = r->which;
	const struct hd_buf *why;

	if (!o)
		return;
	hd_bench_text_label(out, "output", markdown);
	name(out, o->name, strlen(o->name), markdown);
	switch (r->same) {
	case HD_BENCH_SAME_UNKNOWN:
		hd_buf_adds(out, " is unknown: no run succeeded\n");
		return;
	case HD_BENCH_SAME_BYTES:
		hd_buf_adds(out,
			b->noutputs > 1 ? " and all others: bit-identical in all runs (SHA-256 "
					: ": bit-identical in all runs (SHA-256 ");
		for (int i = 0; i < 6; i++)
			hd_buf_addf(out, "%02x", o->sum[i]);
		hd_buf_addf(out, ", %llu bytes)\n", (unsigned long long)o->bytes);
		return;
	case HD_BENCH_SAME_WITHIN:
		hd_buf_addf(out, ": the same within the tolerance, numbers differ by %.2g at most (limit %g)\n",
			o->worst, b->o->relative);
		return;
	case HD_BENCH_SAME_VARIES:
		why = &o->difference[0];
		hd_buf_adds(out,
			b->nsides == 2
				? ": of base alone differs from run to run, so that head cannot be held against it; "
				: ": differs from run to run; ");
		break;
	case HD_BENCH_SAME_DIFFERS:
	default:
		why = &o->difference[1];
		hd_buf_addf(out, ": differs in %u run%s; ", o->count[1][HD_SAME_NOT],
			hd_bench_plural(o->count[1][HD_SAME_NOT]));
		break;
	}
	name(out, hd_buf_str(why), why->len, markdown);
	hd_buf_addc(out, '\n');
}

static void how_fast(struct hd_buf *out, const struct hd_speedup *s)
{
	hd_buf_adds(out, "head is ");
	hd_bench_text_ratio(out, s->ratio);
	hd_buf_adds(out, " times as fast as base");
	if (!s->known)
		return;
	hd_buf_adds(out, " (");
	hd_bench_text_ratios(out, s->ci);
	hd_buf_addc(out, ')');
}

void hd_bench_text_verdict(struct hd_buf *out, const struct hd_bench *b, const struct hd_bench_report *r, bool markdown)
{
	const struct hd_speedup *s = &r->column[HD_BENCH_WALL].speedup;

	if (b->nsides < 2)
		return;
	hd_bench_text_label(out, r->judged ? hd_verdict_name(r->verdict) : "speed", markdown);
	if (isnan(s->ratio)) {
		hd_buf_adds(out, "speed unknown: no run of one side succeeded\n");
		return;
	}
	how_fast(out, s);
	if (!isnan(b->o->speedup_wanted)) {
		hd_buf_addf(out, "; %g is wanted", b->o->speedup_wanted);
		if (r->speed.verdict == HD_INCONCLUSIVE && r->speed.runs_needed > HD_RUNS_NEEDED_MAX)
			hd_buf_addf(out, ", which more than %d runs would decide", HD_RUNS_NEEDED_MAX);
		else if (r->speed.verdict == HD_INCONCLUSIVE && r->speed.runs_needed)
			hd_buf_addf(out, ", which needs %u runs",
				r->speed.runs_needed > r->good[0] ? r->speed.runs_needed : r->good[0] + 1);
		else if (r->speed.verdict == HD_INCONCLUSIVE)
			hd_buf_adds(out, ", which needs two runs of each at least");
	} else {
		hd_bench_text_change(out, r->change, s, b->o->noise_part);
	}
	if (r->same == HD_BENCH_SAME_DIFFERS)
		hd_buf_adds(out, "; the outputs differ");
	hd_buf_addc(out, '\n');
}

void hd_bench_text(struct hd_buf *out, const struct hd_bench *b, const struct hd_bench_report *r, bool markdown)
{
	struct hd_table t;

	for (unsigned s = 0; s < b->nsides; s++)
		hd_bench_text_command(out, b, s, markdown);
	line_of_runs(out, b, r, markdown);
	hd_buf_addc(out, '\n');
	hd_bench_table(&t, b, r);
	hd_table_write(out, &t, markdown);
	hd_buf_addc(out, '\n');
	lines_of_failures(out, b, markdown);
	hd_bench_text_variability(out, b, r, markdown);
	if (r->at_floor) {
		hd_bench_text_label(out, "memory", markdown);
		hd_buf_adds(out, "the peak of some runs is below the measurable minimum: it is at most ");
		hd_unit_text_add(out, b->rss_floor, "bytes");
		hd_buf_addc(out, '\n');
	}
	hd_bench_text_throughput(out, b, r, markdown);
	hd_bench_text_output(out, b, r, markdown);
	hd_bench_text_last(out, b, r, markdown);
	if (b->added) {
		hd_bench_text_label(out, "added", markdown);
		hd_buf_addf(out, "%u run%s to ", b->added, hd_bench_plural(b->added));
		name(out, hd_buf_str(&b->db_name), b->db_name.len, markdown);
		hd_buf_addc(out, '\n');
	}
	hd_bench_text_verdict(out, b, r, markdown);
}
