/* run_report.c - print stored runs as text; see run_report.h */
#include "render/run_report.h"

#include "base/encode.h"
#include "base/mem.h"
#include "base/sha256.h"
#include "history/intern.h"
#include "history/run_lookup.h"
#include "render/unit_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 72, MODE_WIDTH = 30, TOP = 5, SHORT_SUM = 12, CUT_SUM = 8 };

/* ---- names ---- */

/*
 * Append `v`, the visible form of `name`, cut to `columns` columns.  A name that was cut ends in ~ and the start of the
 * SHA-256 of the whole name.
 */
static void fit(struct hd_buf *out, const char *name, const char *v, size_t n, size_t columns)
{
	char sum[HD_SHA256_HEX];

	if (!columns || hd_enc_width(v, n) <= columns) {
		hd_buf_add(out, v, n);
		return;
	}
	hd_sha256_hex(name, strlen(name), sum);
	hd_buf_add(out, v, hd_enc_cut(v, n, columns > CUT_SUM + 1 ? columns - CUT_SUM - 1 : 0));
	hd_buf_addf(out, "~%.*s", CUT_SUM, sum);
}

static void fit_name(struct hd_buf *out, const char *name, size_t columns)
{
	struct hd_buf v = { 0 };

	hd_enc_term(&v, name, strlen(name));
	fit(out, name, v.data, v.len, columns);
	hd_buf_release(&v);
}

/* Append a name, cut like fit_name() does; NULL is printed as [unknown]. */
static void fit_part(struct hd_buf *out, const char *name, size_t columns)
{
	if (name)
		fit_name(out, name, columns);
	else
		hd_buf_adds(out, HD_UNKNOWN);
}

void hd_run_report_symbol(struct hd_buf *out, const struct hd_stored_hotspot *h, size_t columns)
{
	const char *name = h->name ? h->name : h->vaddr;
	struct hd_buf symbol = { 0 }, object = { 0 };
	size_t most;

	if (h->rest) {
		hd_buf_adds(out, "(all others together)");
		return;
	}
	fit_part(&symbol, name, 0);
	fit_part(&object, h->object ? hd_intern_object_name(h->object) : NULL, 0);
	/*
	 * If the line is too wide, shorten the name of the object to the width that the symbol leaves, but not below 40
	 * % of the line.
	 */
	if (columns && hd_enc_width(symbol.data, symbol.len) + hd_enc_width(object.data, object.len) + 3 > columns) {
		most = hd_enc_width(symbol.data, symbol.len) + 3;
		most = most < columns && columns - most > columns * 2 / 5 ? columns - most : columns * 2 / 5;
		hd_buf_reset(&object);
		fit_part(&object, h->object ? hd_intern_object_name(h->object) : NULL, most);
		hd_buf_reset(&symbol);
		fit_part(&symbol, name, columns - 3 - hd_enc_width(object.data, object.len));
	}
	hd_buf_addf(out, "%s (%s)", symbol.data, object.data);
	hd_buf_release(&symbol);
	hd_buf_release(&object);
}

void hd_run_report_commit(struct hd_buf *out, const struct hd_stored_run *p, const char *mark)
{
	struct hd_buf v = { 0 };

	if (!p->commit) {
		hd_buf_adds(out, "none");
		return;
	}
	hd_enc_term(&v, p->commit, strlen(p->commit));
	hd_buf_addf(out, "%.*s%s", (int)hd_enc_cut(v.data, v.len, SHORT_SUM), v.data, p->dirty > 0 ? mark : "");
	hd_buf_release(&v);
}

/* ---- the top five ---- */

static void line(struct hd_buf *out, const char *label, const char *text)
{
	hd_buf_addf(out, "  %-8s ", label);
	fit_name(out, text, WIDTH - 11);
	hd_buf_addc(out, '\n');
}

static void sum_line(struct hd_buf *out, const char *label, const char *sum)
{
	struct hd_buf b = { 0 };

	hd_buf_addf(&b, "%.*s", SHORT_SUM, sum);
	line(out, label, b.data);
	hd_buf_release(&b);
}

static void event_line(struct hd_buf *out, const struct hd_stored_event *e)
{
	struct hd_buf counts = { 0 };

	hd_buf_addf(&counts, ", %" PRId64 " sample%s, %" PRId64 " lost", e->samples,
		e->samples == 1 ? "" : "s", e->lost);
	hd_buf_adds(out, "  event    ");
	fit_name(out, e->name, WIDTH - 11 - 2 - 12 - counts.len);
	hd_buf_adds(out, " (");
	fit_name(out, e->unit, 12);
	hd_buf_addf(out, ")%s\n", counts.data);
	hd_buf_release(&counts);
}

void hd_run_report_top5(struct hd_buf *out, const struct hd_stored_run *p, size_t event)
{
	const struct hd_stored_event *e = &p->events[event];
	size_t mode = strlen(p->mode) < MODE_WIDTH ? strlen(p->mode) : MODE_WIDTH;

	hd_buf_adds(out, "hotdrift top 5 of ");
	fit_name(out, p->target, WIDTH - 18 - 3 - mode);
	hd_buf_adds(out, " (");
	fit_name(out, p->mode, mode);
	hd_buf_adds(out, ")\n");
	line(out, "run", p->id);
	if (strcmp(p->status, "ok"))
		line(out, "status", p->status);
	event_line(out, e);
	hd_buf_adds(out, "  commit   ");
	hd_run_report_commit(out, p, " (modified)");
	hd_buf_addc(out, '\n');
	if (p->config)
		sum_line(out, "config", p->config);
	hd_buf_adds(out, "  rank    self   total  symbol (object)\n");
	for (size_t i = 0; i < e->nhotspots && i < TOP; i++) {
		const struct hd_stored_hotspot *h = &e->hotspots[i];

		hd_buf_addf(out, "  %4" PRId64 " %6.2f%% %6.2f%%  ", h->rank, hd_run_load_pct(h->self, e->weight),
			hd_run_load_pct(h->total, e->weight));
		hd_run_report_symbol(out, h, WIDTH - 24);
		hd_buf_addc(out, '\n');
	}
}

/* ---- what changed ---- */

static void rank(struct hd_buf *out, int64_t n)
{
	if (n > 0)
		hd_buf_addf(out, "%5" PRId64, n);
	else
		hd_buf_adds(out, "    -");
}

static const char *moved(bool changed, bool noise)
{
	return !changed ? "same" : noise ? "changed, within noise" : "changed";
}

void hd_run_report_cost_change(struct hd_buf *out, const struct hd_cost_change *c, bool within_noise)
{
	if (!isfinite(c->pct))
		hd_buf_addc(out, '-');
	else
		hd_buf_addf(out, "%s%+.1f%%", within_noise ? "~" : "", fabs(c->pct) < 0.05 ? 0 : fmin(c->pct, 99999));
}

void hd_run_report_cost_interval(struct hd_buf *out, const struct hd_cost_change *c)
{
	if (!isnan(c->hi))
		hd_buf_addf(out, "%+.0f .. %+.0f%%", c->lo, fmin(c->hi, 99999));
}

/* Append the change of cost, "new" or "gone", and if `interval` is true, its interval. */
static void change_cells(struct hd_buf *out, const struct hd_hotspot_change *x, const struct hd_run_pair_cost *c,
	bool interval)
{
	struct hd_buf b = { 0 };

	if (!x->base_self || !x->head_self)
		hd_buf_adds(&b, !x->base_self ? "new" : "gone");
	else
		hd_run_report_cost_change(&b, &c->change, c->within_noise);
	hd_buf_addf(out, " %9s", hd_buf_str(&b));
	hd_buf_reset(&b);
	hd_run_report_cost_interval(&b, &c->change);
	if (interval)
		hd_buf_addf(out, "  %15s", hd_buf_str(&b));
	hd_buf_release(&b);
}

static void cost_cells(struct hd_buf *out, const struct hd_run_pair_cost *c, const char *unit)
{
	const double cost[] = { c->base, c->head };

	for (size_t i = 0; i < HD_COUNT(cost); i++) {
		struct hd_buf b = { 0 };

		hd_unit_text_cost(&b, fmax(cost[i], 0), unit);
		hd_buf_addf(out, "  %9.24s", hd_buf_str(&b));
		hd_buf_release(&b);
	}
}

void hd_run_report_changes(struct hd_buf *out, const struct hd_run_pair *pair, bool wide)
{
	const struct hd_hotspot_changes *c = &pair->changes;
	bool intervals = false;		/* true if any interval is known; if each side has only one run, none is */

	for (size_t i = 0; wide && i < c->n; i++)
		intervals |= !isnan(pair->costs[i].change.hi);
	if (!pair->base.id) {
		hd_buf_adds(out, "  since    (no earlier run that this one could be compared with)\n");
		return;
	}
	line(out, "since", pair->base.id);
	hd_buf_addf(out, "           set of five: %s, order: %s\n", moved(c->set_changed, pair->set_noise),
		    moved(c->order_changed, pair->order_noise));
	if (wide && pair->per_work)
		hd_buf_adds(out, "           cost is that of a unit of work\n");
	if (pair->unlike[0] && wide)
		hd_buf_addf(out, "           gate does not compare these runs: %s\n", pair->unlike);
	else if (pair->unlike[0])
		line(out, "unlike", pair->unlike);
	hd_buf_addf(out, "  was  now     was     now  points%s  %s  symbol (object)\n",
		wide ? "   cost was   cost now" : "", intervals ? "  change    95 % interval" : "  change");
	for (size_t i = 0; i < c->n; i++) {
		const struct hd_hotspot_change *x = &c->items[i];

		rank(out, x->base_rank);
		rank(out, x->head_rank);
		hd_buf_addf(out, " %6.2f%% %6.2f%% %+7.2f", x->base_pct, x->head_pct, x->head_pct - x->base_pct);
		if (wide)
			cost_cells(out, &pair->costs[i], pair->base.events[pair->base_event].unit);
		change_cells(out, x, &pair->costs[i], intervals);
		hd_buf_adds(out, "  ");
		hd_run_report_symbol(out, x->spot, wide ? 0 : WIDTH - 46);
		hd_buf_addc(out, '\n');
	}
	hd_buf_adds(out, "  change is that of cost, ~ is within noise\n");
	if (fabs(pair->level_pct) >= 0.5)
		hd_buf_addf(out, "  most functions moved by %+.1f%% together; change is beyond that\n",
			pair->level_pct);
}
