/* gate_json.c - print a comparison as JSON; see gate.h */
#include "base/jsonw.h"
#include "render/gate.h"
#include "render/gate_cells.h"
#include "render/fields.h"

#include <math.h>
#include <stdlib.h>

static void side(struct hd_jsonw *w, const char *key, const struct hd_run_set *s)
{
	hd_jsonw_open(w, key, '{');
	hd_jsonw_str(w, "name", s->n ? s->name : NULL);
	hd_jsonw_str(w, "how", s->n ? s->how : NULL);
	hd_jsonw_str(w, "commit", s->commit[0] ? s->commit : NULL);
	hd_jsonw_bool(w, "modified", s->n && s->runs[0].dirty);
	hd_jsonw_row(w, "runs", '[');
	for (size_t i = 0; i < s->n; i++)
		hd_jsonw_str(w, NULL, s->runs[i].id);
	hd_jsonw_close(w, ']');
	hd_jsonw_u64(w, "set_aside", s->set_aside);
	hd_jsonw_close(w, '}');
}

static void ack(struct hd_jsonw *w, const struct hd_judge_ack *a)
{
	if (!a) {
		hd_jsonw_null(w, "acknowledged");
		return;
	}
	hd_jsonw_open(w, "acknowledged", '{');
	hd_jsonw_num(w, "level", a->level, 6);
	hd_jsonw_str(w, "reason", a->reason);
	hd_jsonw_str(w, "author", a->author);
	hd_jsonw_str(w, "expires", a->expires);
	hd_jsonw_close(w, '}');
}

static void names(struct hd_jsonw *w, const char *key, const struct hd_comparison *c, const size_t *rows, size_t n)
{
	hd_jsonw_open(w, key, '[');
	for (size_t i = 0; i < n; i++)
		hd_jsonw_str(w, NULL, c->rows[rows[i]].symbol);
	hd_jsonw_close(w, ']');
}

static void row(struct hd_jsonw *w, const struct hd_comparison *c, const struct hd_judge_row *r)
{
	bool whole = !r->is_new && !r->is_gone;

	hd_jsonw_row(w, NULL, '{');
	hd_jsonw_str(w, "symbol", r->symbol);
	hd_jsonw_str(w, "object", r->object);
	hd_jsonw_num(w, "base_pct", r->base_pct, 4);
	hd_jsonw_num(w, "head_pct", r->head_pct, 4);
	hd_jsonw_num(w, "change_pct", whole ? r->change_pct : r->is_gone ? -100 : NAN, 3);
	hd_json_range(w, "ci", whole ? r->lo_pct : NAN, whole ? r->hi_pct : NAN, 3);
	hd_jsonw_num(w, "limit_pct", r->is_new ? NAN : r->limit_pct, 3);
	hd_json_real(w, "q", r->q);
	hd_jsonw_str(w, "verdict", r->ack ? "ACKNOWLEDGED" : r->nto ? "SHIFT" : hd_verdict_name(r->verdict));
	names(w, "shift_to", c, r->to, r->nto);
	names(w, "shift_from", c, r->from, r->nfrom);
	hd_jsonw_str(w, "shift_within", r->within);
	hd_json_known(w, "runs_needed", r->runs_needed ? (int64_t)r->runs_needed : -1);
	hd_jsonw_bool(w, "new", r->is_new);
	hd_jsonw_bool(w, "gone", r->is_gone);
	ack(w, r->ack);
	hd_jsonw_close(w, '}');
}

static void series(struct hd_jsonw *w, const struct hd_judge_series *s)
{
	struct hd_buf name = { 0 };

	hd_judge_series_name(&name, s);
	hd_jsonw_row(w, NULL, '{');
	hd_jsonw_str(w, "series", name.data);
	hd_jsonw_str(w, "kind", s->kind);
	hd_jsonw_str(w, "unit", s->unit);
	hd_jsonw_str(w, "method", s->method);
	hd_jsonw_bool(w, "per_work", s->per_work);
	hd_jsonw_num(w, "base", s->base, 6);
	hd_jsonw_num(w, "head", s->head, 6);
	hd_jsonw_num(w, "change_pct", s->change_pct, 3);
	hd_json_range(w, "ci", s->lo_pct, s->hi_pct, 3);
	hd_jsonw_num(w, "limit_pct", s->limit_pct, 3);
	hd_json_real(w, "q", s->q);
	hd_jsonw_str(w, "verdict", s->ack ? "ACKNOWLEDGED" : hd_verdict_name(s->verdict));
	hd_json_known(w, "runs_needed", s->runs_needed ? (int64_t)s->runs_needed : -1);
	ack(w, s->ack);
	hd_jsonw_close(w, '}');
	hd_buf_release(&name);
}

static void ranking(struct hd_jsonw *w, const struct hd_comparison *c)
{
	hd_jsonw_row(w, "top5", '{');
	hd_jsonw_bool(w, "set_changed", c->set_changed);
	hd_jsonw_bool(w, "order_changed", c->order_changed);
	hd_jsonw_bool(w, "material", c->material);
	hd_jsonw_str(w, "above", c->material ? c->rows[c->above].symbol : NULL);
	hd_jsonw_str(w, "below", c->material ? c->rows[c->below].symbol : NULL);
	hd_jsonw_close(w, '}');
	hd_jsonw_row(w, "drift", '{');
	hd_jsonw_num(w, "score", c->ranked ? c->score : NAN, 6);
	hd_jsonw_num(w, "aa_limit", c->ranked ? c->aa_limit : NAN, 6);
	hd_jsonw_num(w, "moved_pct", c->ranked ? c->moved_pct : NAN, 4);
	hd_jsonw_num(w, "net_pct", c->ranked ? c->net_pct : NAN, 4);
	hd_jsonw_close(w, '}');
}

static const struct hd_fields difference_fields = HD_FIELDS(
	HD_FIELD("field", NULL, TEXT, struct hd_comparability_difference, field),
	HD_FIELD("base", NULL, NAME, struct hd_comparability_difference, base),
	HD_FIELD("head", NULL, NAME, struct hd_comparability_difference, head));

static void members(struct hd_jsonw *w, const struct hd_comparison *c)
{
	const struct hd_run_set_member *newest = c->head.n ? &c->head.runs[c->head.n - 1] : NULL;

	hd_jsonw_str(w, "verdict", hd_verdict_name(c->verdict));
	hd_jsonw_str(w, "reason", c->reason[0] ? c->reason : NULL);
	hd_jsonw_str(w, "target", newest ? newest->like[HD_RUN_FIELD_TARGET] : NULL);
	hd_jsonw_str(w, "mode", newest ? newest->like[HD_RUN_FIELD_MODE] : NULL);
	hd_jsonw_str(w, "event", newest ? newest->like[HD_RUN_FIELD_EVENT] : NULL);
	side(w, "base", &c->base);
	side(w, "head", &c->head);
	hd_jsonw_u64(w, "history", c->history.n);
	hd_fields_array(w, "differs", &difference_fields, c->differs.items, c->differs.n, sizeof(*c->differs.items));
	hd_jsonw_open(w, "rows", '[');
	for (size_t i = 0; i < c->nrows; i++)
		if (c->rows[i].gated || c->rows[i].verdict == HD_SHIFT || c->rows[i].nto)
			row(w, c, &c->rows[i]);
	hd_jsonw_close(w, ']');
	hd_jsonw_open(w, "series", '[');
	for (size_t i = 0; i < c->nseries; i++)
		series(w, &c->series[i]);
	hd_jsonw_close(w, ']');
	ranking(w, c);
	hd_jsonw_u64(w, "look", c->look);
	hd_jsonw_num(w, "level", c->level, 4);
	hd_jsonw_bool(w, "same_builds", c->same_builds);
	hd_jsonw_str(w, "build", c->build);
	if (!c->ranked) {
		hd_jsonw_null(w, "total");
		return;
	}
	hd_jsonw_open(w, "total", '{');
	hd_jsonw_str(w, "verdict", hd_verdict_name(c->total.verdict));
	hd_jsonw_num(w, "change_pct", c->total.change_pct, 3);
	hd_jsonw_num(w, "lo_pct", c->total.lo_pct, 3);
	hd_jsonw_num(w, "hi_pct", c->total.hi_pct, 3);
	hd_jsonw_num(w, "limit_pct", c->total.limit_pct, 3);
	hd_jsonw_num(w, "level_pct", c->total.level_pct, 3);
	hd_jsonw_bool(w, "level_moved", c->total.level_moved);
	hd_jsonw_str(w, "decided_by", c->total.decided_by);
	hd_jsonw_close(w, '}');
}

void hd_gate_json(struct hd_buf *out, const struct hd_comparison *c, const char *command)
{
	struct hd_jsonw w;
	struct hd_buf format = { 0 };

	hd_buf_addf(&format, "hotdrift.%s", command);
	w = hd_jsonw_document(out, format.data, 1);
	members(&w, c);
	if (c->pin) {
		hd_jsonw_open(&w, "pin", '{');
		members(&w, c->pin);
		hd_jsonw_close(&w, '}');
	} else {
		hd_jsonw_null(&w, "pin");
	}
	hd_jsonw_close(&w, '}');
	hd_buf_release(&format);
}
