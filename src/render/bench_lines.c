/*
 * bench_lines.c - values and lines of a benchmark report that several outputs share; see bench/bench.h
 */
#include "bench/bench.h"

#include "base/encode.h"
#include "render/unit_text.h"

#include <math.h>
#include <string.h>

void hd_bench_text_value(struct hd_buf *out, double v, const char *unit)
{
	if (!isfinite(v)) {
		hd_buf_adds(out, "-");
		return;
	}
	if (v < 0 && v > -1e-6)		/* rounding errors can make the lower end of an interval slightly negative */
		v = 0;
	if (!strcmp(unit, "us") && v < 0) {
		hd_buf_addc(out, '-');
		hd_bench_text_value(out, -v, unit);
		return;
	}
	if (!strcmp(unit, "us") && v < 0.1)
		hd_buf_addf(out, "%.3g ns", v * 1000);
	else if (!strcmp(unit, "us") && v >= 0 && v < 9e15)
		hd_unit_text_add(out, (uint64_t)llround(v * 1000), "ns");
	else if (!strcmp(unit, "bytes") && v >= 0 && v < 9e18)
		hd_unit_text_add(out, (uint64_t)llround(v), "bytes");
	else
		hd_unit_text_real(out, v);
}

void hd_bench_text_ratio(struct hd_buf *out, double v)
{
	if (!isfinite(v))
		hd_buf_adds(out, "-");
	else
		hd_buf_addf(out, v < 0.0995 ? "%.2g" : v < 9.995 ? "%.2f" : v < 99.95 ? "%.1f" : "%.0f", v);
}

void hd_bench_text_ratios(struct hd_buf *out, struct hd_interval ci)
{
	hd_bench_text_ratio(out, ci.lo);
	hd_buf_adds(out, " .. ");
	hd_bench_text_ratio(out, ci.hi);
}

/* ---- throughput ---- */

static void per_second(struct hd_buf *out, double v, const char *unit)
{
	if (!isfinite(v)) {
		hd_buf_adds(out, "-");
		return;
	}
	if (v < 100)
		hd_buf_addf(out, "%.3g %s", v, unit);
	else
		hd_unit_text_add(out, v < 9e18 ? (uint64_t)llround(v) : UINT64_MAX, unit);
	hd_buf_adds(out, "/s");
}

void hd_bench_text_rate(struct hd_buf *out, const struct hd_bench *b, const struct hd_bench_rate *rate)
{
	const char *unit = hd_bench_throughput_name(b->throughput);

	per_second(out, rate->per_second, unit);
	if (!isfinite(rate->ci.lo))
		return;
	hd_buf_adds(out, " (");
	per_second(out, rate->ci.lo, unit);
	hd_buf_adds(out, " .. ");
	per_second(out, rate->ci.hi, unit);
	hd_buf_addc(out, ')');
}

void hd_bench_text_throughput(struct hd_buf *out, const struct hd_bench *b, const struct hd_bench_report *r,
	bool markdown)
{
	for (unsigned s = 0; s < b->nsides && b->throughput; s++) {
		struct hd_bench_rate rate = hd_bench_rate_of(b, r, s);

		hd_bench_text_label(out, s ? "" : "rate", markdown);
		if (b->nsides == 2)
			hd_buf_addf(out, "%s: ", b->side[s].name);
		hd_bench_text_rate(out, b, &rate);
		hd_buf_addc(out, '\n');
	}
}

/* ---- changes ---- */

void hd_bench_text_change(struct hd_buf *out, enum hd_change change, const struct hd_speedup *s, double noise)
{
	switch (change) {
	case HD_CHANGE_NOISE:
		hd_buf_addf(out, ": within noise (%g %%)", 100 * noise);
		break;
	case HD_CHANGE_UNCLEAR:
		if (s->ci.lo <= 1 && s->ci.hi >= 1)
			hd_buf_adds(out, ": no difference is shown");
		else
			hd_buf_addf(out, ": it may be within noise (%g %%)", 100 * noise);
		break;
	case HD_CHANGE_UNKNOWN: case HD_CHANGE_FASTER: case HD_CHANGE_SLOWER:
		break;
	}
}

void hd_bench_text_since_last(struct hd_buf *out, const struct hd_bench *b, const struct hd_bench_report *r,
	unsigned side)
{
	const struct hd_bench_last *last = &b->last[side];
	const struct hd_speedup *s = &r->since_last[side];

	if (isnan(s->ratio))
		return;
	hd_bench_text_ratio(out, s->ratio);
	hd_buf_addf(out, " times as fast as the last %zu run%s", last->n, hd_bench_plural((unsigned)last->n));
	if (s->known) {
		hd_buf_adds(out, " (");
		hd_bench_text_ratios(out, s->ci);
		hd_buf_addc(out, ')');
	}
	hd_buf_adds(out, " of ");
	hd_enc_term(out, last->recorded, strlen(last->recorded));
	if (last->commit) {
		hd_buf_adds(out, " at ");
		hd_enc_term(out, last->commit, strnlen(last->commit, 10));
	}
	hd_bench_text_change(out, r->last_change[side], s, b->o->noise_part);
}

void hd_bench_text_last(struct hd_buf *out, const struct hd_bench *b, const struct hd_bench_report *r, bool markdown)
{
	for (unsigned s = 0; s < b->nsides; s++) {
		if (isnan(r->since_last[s].ratio))
			continue;
		hd_bench_text_label(out, "last", markdown);
		if (b->nsides == 2)
			hd_buf_addf(out, "%s is ", b->side[s].name);
		hd_bench_text_since_last(out, b, r, s);
		hd_buf_addc(out, '\n');
	}
}
