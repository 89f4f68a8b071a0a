/* run_report_json.c - print stored runs as JSON; see run_report.h */
#include "render/run_report.h"

#include "base/encode.h"
#include "render/fields.h"
#include "render/quality.h"

#include <math.h>
#include <string.h>

static void bool_or_null(struct hd_jsonw *w, const char *key, int64_t v)
{
	if (v >= 0)
		hd_jsonw_bool(w, key, v > 0);
	else
		hd_jsonw_null(w, key);
}

static void spot(struct hd_jsonw *w, const struct hd_stored_hotspot *h)
{
	hd_jsonw_str(w, "symbol", h->name ? h->name : h->vaddr ? h->vaddr : HD_UNKNOWN);
	if (!h->name)
		hd_jsonw_bool(w, "unknown", true);
	if (h->rest)
		hd_jsonw_bool(w, "rest", true);
	hd_jsonw_str(w, "linkage", h->linkage);
	hd_jsonw_str(w, "dso", h->object ? h->object : HD_UNKNOWN);
	if (!h->object)
		hd_jsonw_bool(w, "dso_unknown", true);
	hd_jsonw_str(w, "build_id", h->build_id);
	hd_jsonw_str(w, "vaddr", h->vaddr);
}

static void row(struct hd_jsonw *w, const struct hd_stored_hotspot *h, const struct hd_stored_event *e)
{
	hd_jsonw_row(w, NULL, '{');
	hd_jsonw_i64(w, "rank", h->rank);
	spot(w, h);
	hd_jsonw_i64(w, "self", h->self);
	hd_jsonw_num(w, "self_pct", hd_run_load_pct(h->self, e->weight), 6);
	hd_jsonw_i64(w, "total", h->total);
	hd_jsonw_num(w, "total_pct", hd_run_load_pct(h->total, e->weight), 6);
	hd_jsonw_i64(w, "samples", h->samples);
	if (h->inline_self >= 0) {
		hd_jsonw_i64(w, "inline_self", h->inline_self);
		hd_json_known(w, "inline_total", h->inline_total);
	}
	hd_jsonw_close(w, '}');
}

void hd_run_report_json_symbols(struct hd_jsonw *w, const struct hd_stored_event *e)
{
	hd_jsonw_str(w, "event", e->name);
	hd_jsonw_str(w, "unit", e->unit);
	hd_jsonw_i64(w, "samples", e->samples);
	hd_jsonw_i64(w, "weight", e->weight);
	hd_jsonw_i64(w, "lost", e->lost);
	hd_jsonw_i64(w, "symbols", e->symbols);
	hd_jsonw_i64(w, "rest_symbols", e->rest_symbols);
	if (!isnan(e->effective))
		hd_jsonw_num(w, "effective_samples", e->effective, 3);
	hd_rate_json(w, &e->rate);
	hd_jsonw_str(w, "stacks", e->stacks);
	hd_jsonw_open(w, "rows", '[');
	for (size_t i = 0; i < e->nhotspots; i++)
		row(w, &e->hotspots[i], e);
	hd_jsonw_close(w, ']');
}

void hd_run_report_json(struct hd_jsonw *w, const struct hd_stored_run *p)
{
	hd_jsonw_str(w, "run", p->id);
	hd_jsonw_str(w, "recorded", p->recorded);
	hd_jsonw_str(w, "added", p->added);
	hd_jsonw_str(w, "target", p->target);
	hd_jsonw_str(w, "mode", p->mode);
	hd_jsonw_str(w, "status", p->status);
	hd_json_known(w, "exit_status", p->exit_status);
	hd_jsonw_str(w, "commit", p->commit);
	bool_or_null(w, "dirty", p->dirty);
	hd_jsonw_str(w, "branch", p->branch);
	hd_jsonw_str(w, "subject", p->subject);
	hd_jsonw_str(w, "config", p->config);
	hd_jsonw_str(w, "machine", p->machine);
	hd_jsonw_str(w, "inline_mode", p->inline_mode);
	hd_jsonw_str(w, "selection", p->selection);
	hd_jsonw_str(w, "side", p->side);
	hd_jsonw_num(w, "work", p->work, 6);
	hd_jsonw_str(w, "hash", p->run_hash);
}

static const char *kind(enum hd_hotspot_change_kind k)
{
	switch (k) {
	case HD_HOTSPOT_CHANGE_NONE: return "none";
	case HD_HOTSPOT_CHANGE_MOVED: return "moved";
	case HD_HOTSPOT_CHANGE_ENTERED: return "entered";
	case HD_HOTSPOT_CHANGE_LEFT: return "left";
	}
	return "";
}

void hd_run_report_json_changes(struct hd_jsonw *w, const struct hd_run_pair *pair)
{
	const struct hd_hotspot_changes *c = &pair->changes;

	if (!pair->base.id) {
		hd_jsonw_null(w, "changes");
		return;
	}
	hd_jsonw_open(w, "changes", '{');
	hd_jsonw_str(w, "base", pair->base.id);
	hd_jsonw_bool(w, "set_changed", c->set_changed);
	hd_jsonw_bool(w, "order_changed", c->order_changed);
	hd_jsonw_bool(w, "set_within_noise", c->set_changed && pair->set_noise);
	hd_jsonw_bool(w, "order_within_noise", c->order_changed && pair->order_noise);
	hd_jsonw_str(w, "cost_of", pair->per_work ? "unit of work" : "run");
	hd_jsonw_str(w, "not_comparable", pair->unlike[0] ? pair->unlike : NULL);
	hd_jsonw_open(w, "rows", '[');
	for (size_t i = 0; i < c->n; i++) {
		const struct hd_hotspot_change *x = &c->items[i];

		hd_jsonw_row(w, NULL, '{');
		hd_jsonw_str(w, "change", kind(x->kind));
		hd_json_known(w, "base_rank", x->base_rank ? x->base_rank : -1);
		hd_json_known(w, "head_rank", x->head_rank ? x->head_rank : -1);
		hd_jsonw_num(w, "base_pct", x->base_pct, 6);
		hd_jsonw_num(w, "head_pct", x->head_pct, 6);
		hd_jsonw_num(w, "base_cost", pair->costs[i].base, 6);
		hd_jsonw_num(w, "head_cost", pair->costs[i].head, 6);
		hd_jsonw_num(w, "change_pct", pair->costs[i].change.pct, 6);
		hd_json_range(w, "ci", pair->costs[i].change.lo, pair->costs[i].change.hi, 6);
		hd_jsonw_bool(w, "within_noise", pair->costs[i].within_noise);
		spot(w, x->spot);
		hd_jsonw_close(w, '}');
	}
	hd_jsonw_close(w, ']');
	hd_jsonw_close(w, '}');
}
