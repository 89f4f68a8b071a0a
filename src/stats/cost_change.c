/*
 * cost_change.c - see cost_change.h
 */
#include "stats/cost_change.h"

#include "stats/verdict.h"

#include <math.h>
#include <stdlib.h>

/*
 * The normal quantile for a two-sided p of 0.001.  It is stricter than 0.05, because hundreds of rows are tested, and
 * because the rows that entered or left the top 5 were selected for having changed.
 */
#define NORMAL_RARE 3.2905267314919255
/* The false-discovery rate of gate. */
#define CHANGED 0.05

const struct hd_cost_change hd_cost_change_unknown = { NAN, NAN, NAN, NAN };

/* Count the rows that have samples on both sides. */
static size_t in_both(const struct hd_run_counts *in)
{
	size_t n = 0, runs = in->base + in->head;

	for (size_t i = 0; i < in->symbols; i++) {
		double base = 0, head = 0;

		for (size_t r = 0; r < runs; r++)
			*(r < in->base ? &base : &head) += in->y[i * runs + r];
		n += base >= 1 && head >= 1;
	}
	return n;
}

static void take(struct hd_cost_change *c, const struct hd_symbol_verdict *row)
{
	c->pct = row->is_new ? INFINITY : 100 * row->change;
	if (!isfinite(row->hi))
		return;
	c->lo = 100 * row->lo;
	c->hi = 100 * row->hi;
	c->q = row->q_changed;
}

int hd_cost_changes(struct hd_cost_change *out, const struct hd_run_counts *in, size_t rest, bool in_turns)
{
	struct hd_verdict_opts o = hd_verdict_defaults;
	struct hd_run_counts judged_as = *in;
	struct hd_symbol_verdict *rows;
	struct hd_judged_profile judged;
	struct hd_variance_model m;
	struct hd_total total;
	bool known = in_both(in) >= 3;
	double *same;
	int rc = HD_STATS_NOMEM;

	for (size_t i = 0; i < in->symbols; i++)
		out[i] = hd_cost_change_unknown;
	if (!known && !in_turns)
		return HD_STATS_OK;
	o.rest = rest;
	rows = calloc(in->symbols + 1, sizeof(*rows));
	same = calloc(in->base + in->head + 1, sizeof(*same));
	if (rows && same)
		rc = hd_verdicts_fit(&judged, &total, rows, &m, &judged_as, same, &o, in_turns);
	if (rc >= 0)
		hd_variance_model_release(&m);
	known = known || judged_as.work == same;
	for (size_t i = 0; i < in->symbols && rc >= 0 && known; i++)
		take(&out[i], &rows[i]);
	free(rows);
	free(same);
	return rc == HD_STATS_NONE ? HD_STATS_OK : rc;
}

bool hd_cost_change_is_none(const struct hd_cost_change *c)
{
	return isfinite(c->hi) && c->lo <= 0 && c->hi >= 0;
}

static double variance(struct hd_counted_share s)
{
	return fmax(s.pct, 0.01) * (100 - fmin(s.pct, 99.99)) / fmax(s.samples, 1) +
	       HD_COST_CHANGE_NOISE * HD_COST_CHANGE_NOISE * s.pct * s.pct;
}

bool hd_counted_shares_differ(struct hd_counted_share a, struct hd_counted_share b, double quantile)
{
	return fabs(a.pct - b.pct) > quantile * sqrt(variance(a) + variance(b));
}

bool hd_cost_change_is_noise(const struct hd_cost_change *c, struct hd_counted_share base,
	struct hd_counted_share head)
{
	double yb = base.pct / 100 * base.samples, yh = head.pct / 100 * head.samples, sd;

	if (!isnan(c->q))
		return !(c->q <= CHANGED);
	if (isnan(c->pct) || !(base.pct > 0) || !(head.pct > 0))
		return !hd_counted_shares_differ(base, head, NORMAL_RARE);
	sd = sqrt(1 / (yb + 0.5) + 1 / (yh + 0.5) + 2 * HD_COST_CHANGE_NOISE * HD_COST_CHANGE_NOISE);
	return !(fabs(log1p(fmax(c->pct, -99.99) / 100)) > NORMAL_RARE * sd);
}
