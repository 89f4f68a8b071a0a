/* bench_variability.c - print whether wall time is steady, and possible reasons if it is not; see bench/bench.h */
#include "bench/bench.h"

#include <math.h>

enum { REASONS_SHOWN = 4 };

static void reason(struct hd_buf *out, unsigned *n, bool markdown)
{
	(*n)++;
	hd_bench_text_label(out, "", markdown);
}

static void reasons_of_side(struct hd_buf *out, const struct hd_bench *b, const struct hd_bench_report *r, unsigned s,
	unsigned *n, bool markdown)
{
	const struct hd_timing *t = &r->column[HD_BENCH_WALL].timing[s];
	const char *of = b->nsides == 2 ? b->side[s].name : "wall time";

	if (t->drifting) {
		reason(out, n, markdown);
		hd_buf_addf(out, "%s %s by %.1f %% in the course of the session (R2 %.2f): %s\n", of,
			t->trend.slope < 0 ? "fell" : "rose",
			100 * fabs(t->trend.slope) * (double)(t->sum.n - 1) / t->sum.mean, t->trend.r2,
			t->trend.slope < 0 ? "more --warmup" : "the machine got slower, or each run leaves more to do");
	}
	if (t->sum.outliers) {
		reason(out, n, markdown);
		hd_buf_addf(out, "%s has %zu outlier%s (Tukey), %zu of them far out\n", of, t->sum.outliers,
			    hd_bench_plural((unsigned)t->sum.outliers), t->far_out);
	}
}

static double mean_set_aside(const struct hd_bench *b)
{
	double sum = 0;
	size_t n = 0;

	for (size_t i = 0; i < b->nruns; i++) {
		if (b->runs[i].why_failed)
			continue;
		sum += (double)b->runs[i].end.set_aside;
		n++;
	}
	return n ? sum / (double)n : 0;
}

static void lines_of_reasons(struct hd_buf *out, const struct hd_bench *b, const struct hd_bench_report *r,
	bool markdown)
{
	unsigned n = 0;

	for (unsigned s = 0; s < b->nsides; s++)
		reasons_of_side(out, b, r, s, &n, markdown);
	for (unsigned i = 0; i < r->findings.n && n < REASONS_SHOWN; i++) {
		reason(out, &n, markdown);
		hd_buf_addf(out, "%s\n", r->findings.items[i].text);
	}
	if (n < REASONS_SHOWN && mean_set_aside(b) >= 1) {
		reason(out, &n, markdown);
		hd_buf_addf(out, "a run was set aside for another task %.0f time%s in the mean\n", mean_set_aside(b),
			hd_bench_plural((unsigned)lround(mean_set_aside(b))));
	}
	if (!n) {
		reason(out, &n, markdown);
		hd_buf_adds(out, "no reason found on this machine; try more --warmup or longer runs\n");
	}
}

void hd_bench_text_variability(struct hd_buf *out, const struct hd_bench *b, const struct hd_bench_report *r,
	bool markdown)
{
	if (r->good[0] < 2 || (b->nsides == 2 && r->good[1] < 2)) {
		hd_bench_text_label(out, "steady", markdown);
		hd_buf_adds(out, "unknown: at least two runs are needed\n");
		return;
	}
	hd_bench_text_label(out, r->steady ? "steady" : "unsteady", markdown);
	hd_buf_adds(out, "wall time varies by ");
	for (unsigned s = 0; s < b->nsides; s++)
		hd_buf_addf(out, "%s%.1f %%", s ? " and " : "", 100 * r->column[HD_BENCH_WALL].timing[s].cv);
	hd_buf_addf(out, " (cv, limit %g %%)", 100 * b->o->cv_limit);
	hd_buf_adds(out, ", R2 on the order ");
	for (unsigned s = 0; s < b->nsides; s++) {
		const struct hd_timing *t = &r->column[HD_BENCH_WALL].timing[s];

		if (t->has_trend)
			hd_buf_addf(out, "%s%.2f", s ? " and " : "", t->trend.r2);
		else
			hd_buf_addf(out, "%s-", s ? " and " : "");
	}
	hd_buf_addc(out, '\n');
	if (!r->steady)
		lines_of_reasons(out, b, r, markdown);
}
