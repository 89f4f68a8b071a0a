/*
 * diff.c - see diff.h
 */
#include "render/diff.h"

#include "profile/call_tree.h"
#include "base/encode.h"
#include "base/jsonw.h"
#include "base/mem.h"
#include "render/fields.h"
#include "render/gate_cells.h"
#include "render/table.h"
#include "render/unit_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STACK_COLUMNS = 110 };

/* ---- names ---- */

static const char *shown(const struct hd_difference_name *n)
{
	return n->name[HD_HEAD] ? n->name[HD_HEAD] : n->name[HD_BASE];
}

static void add_name(struct hd_buf *out, const struct hd_difference_name *n)
{
	if (n->flags & HD_CALL_NODE_UNKNOWN)
		hd_buf_adds(out, shown(n));
	else
		hd_enc_term(out, shown(n), strlen(shown(n)));
}

/* Return the stack of a node as indexes of names, outermost frame first.  The caller frees the array. */
static uint32_t *path_of(const struct hd_difference *d, uint32_t node, size_t *n)
{
	uint32_t *path = hd_new_array(uint32_t, d->nodes[node].depth + 1);

	*n = d->nodes[node].depth;
	for (size_t i = *n; i-- > 0; node = d->nodes[node].parent)
		path[i] = d->nodes[node].name;
	return path;
}

/*
 * Append a stack as a;b;c.  If it is wider than `columns` (0: any width), the outermost frames are replaced by "...".
 * raw: append raw names, for outputs that encode the whole stack.
 */
static void add_stack(struct hd_buf *out, const struct hd_difference *d, uint32_t node, size_t columns, bool raw)
{
	struct hd_buf name = { 0 };
	size_t n, from, width = 0;
	uint32_t *path = path_of(d, node, &n);

	for (from = n; from > 0; from--) {
		hd_buf_reset(&name);
		add_name(&name, &d->names[path[from - 1]]);
		width += hd_enc_width(hd_buf_str(&name), name.len) + 1;
		if (columns && width > columns && from < n)
			break;
	}
	if (from)
		hd_buf_adds(out, "...;");
	for (size_t i = from; i < n; i++) {
		if (i > from)
			hd_buf_addc(out, ';');
		if (raw)
			hd_buf_adds(out, shown(&d->names[path[i]]));
		else
			add_name(out, &d->names[path[i]]);
	}
	hd_buf_release(&name);
	free(path);
}

/* ---- which rows ---- */

struct picked {
	const struct hd_difference_row **rows;
	size_t n;			/* number of rows to show */
	size_t all;			/* number of rows that would be shown without `limit` */
};

static struct picked pick(const struct hd_diff_report *w, const struct hd_difference_row *rows, size_t n,
	const unsigned char *through, uint32_t only)
{
	struct picked p = { hd_zalloc(n + 1, sizeof(*p.rows)), 0, 0 };

	for (size_t i = 0; i < n; i++) {
		const struct hd_difference_row *r = &rows[i];

		if ((only == UINT32_MAX && (r->points == 0 || (w->significant && !r->significant))) ||
			(through && !through[r->node]) || (only != UINT32_MAX && r->name != only))
			continue;
		if (!w->limit || p.all < w->limit)
			p.rows[p.n++] = r;
		p.all++;
	}
	return p;
}

static const char *unit_of(const struct hd_diff_report *w, unsigned side)
{
	return hd_profile_str(w->p[side], w->p[side]->events[w->event[side]].unit);
}

/* Return true if the costs of both sides have one unit.  Numbers of folded text can have any unit. */
static bool has_one_unit(const struct hd_diff_report *w)
{
	const char *base = unit_of(w, HD_BASE), *head = unit_of(w, HD_HEAD);

	return !strcmp(base, head) || !strcmp(base, "samples") || !strcmp(head, "samples");
}

/* Return the change of a cost in per cent; NaN if base and head have different units. */
static double change_of(const struct hd_diff_report *w, const struct hd_difference_row *r)
{
	return !r->self[HD_HEAD] ? -100 : isinf(r->change) || has_one_unit(w) ? r->change : NAN;
}

/* An infinite change is one from next to nothing: gate calls the function new, though the base has a sample of it. */
static const char *state(const struct hd_difference_row *r)
{
	return r->self[HD_HEAD] && (!r->self[HD_BASE] || isinf(r->change)) ? "new"
		: r->self[HD_BASE] && !r->self[HD_HEAD]                    ? "gone"
									   : "both";
}

/* ---- text ---- */

static void input_line(struct hd_buf *out, const struct hd_diff_report *w, unsigned side, bool markdown)
{
	const struct hd_profile *p = w->p[side];
	const struct hd_event *e = &p->events[w->event[side]];

	hd_buf_adds(out, side == HD_BASE ? "base  " : "head  ");
	hd_table_name(out, w->name[side], markdown);
	hd_buf_adds(out, ": ");
	hd_table_name(out, hd_profile_str(p, e->name), markdown);
	if (strcmp(hd_profile_str(p, e->unit), "samples")) {
		hd_buf_adds(out, ", ");
		hd_unit_text_add(out, w->d->weight[side], hd_profile_str(p, e->unit));
	}
	if (w->d->samples[side] > 0) {
		hd_buf_adds(out, ", ");
		hd_unit_text_count(out, (uint64_t)llround(w->d->samples[side]));
		hd_buf_adds(out, llround(w->d->samples[side]) == 1 ? " sample" : " samples");
	} else {
		hd_buf_adds(out, ", samples not known: no significance");
	}
	hd_buf_addc(out, '\n');
}

static void q_cell(struct hd_table *t, double q)
{
	struct hd_buf b = { 0 };

	hd_gate_q(&b, q);
	hd_table_take(t, &b);
}

static void cost_cell(struct hd_table *t, double cost, const char *unit)
{
	struct hd_buf b = { 0 };

	if (cost < 10 && cost != floor(cost))
		hd_buf_addf(&b, "%.3g", cost);
	else if (!strcmp(unit, "samples"))
		hd_unit_text_count(&b, (uint64_t)llround(cost));
	else
		hd_unit_text_add(&b, (uint64_t)llround(fmin(cost, 1e18)), unit);
	hd_table_take(t, &b);
}

static void interval_cell(struct hd_table *t, const struct hd_difference_row *r)
{
	if (isnan(r->hi) || isinf(r->change) || !r->self[HD_HEAD])
		hd_table_string(t, "");
	else
		hd_table_cellf(t, "%+.0f .. %+.0f%%", r->lo, r->hi);
}

static void cells(struct hd_table *t, const struct hd_difference_row *r, const struct hd_diff_report *w, bool intervals)
{
	hd_table_cellf(t, "%.2f%%", r->share[HD_BASE]);
	hd_table_cellf(t, "%.2f%%", r->share[HD_HEAD]);
	hd_table_cellf(t, "%+.2f", r->points);
	for (unsigned side = 0; side < 2; side++)
		cost_cell(t, r->cost[side], unit_of(w, has_one_unit(w) ? HD_HEAD : side));
	if (strcmp(state(r), "both"))
		hd_table_string(t, state(r));
	else if (!r->self[HD_BASE])
		hd_table_string(t, "");
	else if (isnan(change_of(w, r)))
		hd_table_string(t, "-");
	else
		hd_table_cellf(t, "%+.1f%%", fabs(r->change) < 0.05 ? 0 : r->change);
	if (intervals)
		interval_cell(t, r);
	q_cell(t, r->q);
	hd_table_string(t, r->significant ? "*" : "");
}

static void symbol_cell(struct hd_table *t, const struct hd_difference_name *n)
{
	struct hd_buf b = { 0 };

	if (n->flags & HD_CALL_NODE_UNKNOWN) {
		hd_table_pseudo(t, shown(n));
		return;
	}
	hd_buf_adds(&b, shown(n));
	if (n->name[HD_BASE] && n->name[HD_HEAD] && strcmp(n->name[HD_BASE], n->name[HD_HEAD]))
		hd_buf_addf(&b, " (was %s)", n->name[HD_BASE]);
	hd_table_take(t, &b);
}

static void more_line(struct hd_buf *out, const struct picked *p, const char *what, const char *where)
{
	if (p->all > p->n)
		hd_buf_addf(out, "%zu more %s%s%s changed (-n 0 shows all)\n", p->all - p->n, what,
			p->all - p->n == 1 ? "" : "s", where);
	else if (!p->all)
		hd_buf_addf(out, "no %ss%s changed\n", what, where);
}

static void table(struct hd_buf *out, const struct hd_diff_report *w, const struct picked *p, bool stacks,
	bool markdown)
{
	struct hd_column columns[10] = {
		{ "base", true, false }, { "head", true, false }, { "points", true, false },
		{ "base cost", true, false },
		{ "head cost", true, false }, { "change", true, false },
	};
	struct hd_buf b = { 0 };
	struct hd_table t;
	bool intervals = false;
	size_t n = 6;

	for (size_t i = 0; i < p->n; i++)
		intervals = intervals || !isnan(p->rows[i]->hi);
	if (intervals)
		columns[n++] = (struct hd_column){ "95 % interval", true, false };
	columns[n++] = (struct hd_column){ "q", true, false };
	columns[n++] = (struct hd_column){ "", false, false };
	columns[n++] = (struct hd_column){ stacks ? "stack" : "symbol", false, !stacks || markdown };
	hd_table_init(&t, columns, n);
	for (size_t i = 0; i < p->n; i++) {
		cells(&t, p->rows[i], w, intervals);
		if (!stacks) {
			symbol_cell(&t, &w->d->names[p->rows[i]->name]);
			continue;
		}
		hd_buf_reset(&b);
		add_stack(&b, w->d, p->rows[i]->node, STACK_COLUMNS, markdown);
		hd_table_string(&t, hd_buf_str(&b));
	}
	if (p->n && markdown)
		hd_table_markdown(out, &t);
	else if (p->n)
		hd_table_text(out, &t, "");
	hd_table_release(&t);
	hd_buf_release(&b);
}

static void write_text(struct hd_buf *out, const struct hd_diff_report *w, const struct picked *symbols,
	const struct picked *stacks, bool markdown)
{
	const char *gap = markdown ? "\n" : "";

	input_line(out, w, HD_BASE, markdown);
	hd_buf_adds(out, gap);
	input_line(out, w, HD_HEAD, markdown);
	hd_buf_addf(out,
		"%smoved %.2f points between functions; * is more than counting samples explains (q <= 0.05)\n", gap,
		w->d->moved);
	hd_buf_addf(out, "%scost is self cost of one %s; ", gap, w->d->per_work ? "unit of work" : "run");
	if (!has_one_unit(w))
		hd_buf_addf(out, "that of the base in %s and that of the head in %s cannot be compared",
			unit_of(w, HD_BASE), unit_of(w, HD_HEAD));
	else
		hd_buf_adds(out, "change is that of cost");
	if (has_one_unit(w) && fabs(w->d->size) >= 0.005)
		hd_buf_addf(out, ", beyond the %+.1f%% of all functions together", 100 * expm1(w->d->size));
	hd_buf_adds(out, "\n\n");
	table(out, w, symbols, false, markdown);
	if (w->through == UINT32_MAX)
		more_line(out, symbols, "function", "");
	if (w->through != UINT32_MAX) {
		const struct hd_difference_row *r = symbols->rows[0];

		hd_buf_addf(out, "with callees %.2f%% -> %.2f%% (%+.2f points)\n", r->total_share[HD_BASE],
			r->total_share[HD_HEAD], r->total_share[HD_HEAD] - r->total_share[HD_BASE]);
	}
	hd_buf_addc(out, '\n');
	table(out, w, stacks, true, markdown);
	more_line(out, stacks, "stack", w->through != UINT32_MAX ? " through it" : "");
}

/* ---- JSON ---- */

static void json_p(struct hd_jsonw *w, const char *key, double p)
{
	char text[32];

	if (isnan(p)) {
		hd_jsonw_null(w, key);
		return;
	}
	snprintf(text, sizeof(text), "%.6g", p);
	hd_jsonw_raw(w, key, text);
}

static void json_numbers(struct hd_jsonw *w, const struct hd_diff_report *of, const struct hd_difference_row *r,
	bool totals)
{
	hd_jsonw_num(w, "base_pct", r->share[HD_BASE], 6);
	hd_jsonw_num(w, "head_pct", r->share[HD_HEAD], 6);
	if (totals) {
		hd_jsonw_num(w, "base_total_pct", r->total_share[HD_BASE], 6);
		hd_jsonw_num(w, "head_total_pct", r->total_share[HD_HEAD], 6);
	}
	hd_jsonw_num(w, "points", r->points, 6);
	hd_jsonw_num(w, "share_change_pct", r->relative, 6);
	hd_jsonw_num(w, "base_cost", r->cost[HD_BASE], 6);
	hd_jsonw_num(w, "head_cost", r->cost[HD_HEAD], 6);
	hd_jsonw_num(w, "change_pct", change_of(of, r), 6);
	hd_json_range(w, "ci", r->lo, r->hi, 6);
	json_p(w, "p", r->p);
	json_p(w, "q", r->q);
	hd_jsonw_bool(w, "significant", r->significant);
	hd_jsonw_str(w, "state", state(r));
}

static void json_side(struct hd_jsonw *j, const char *key, const struct hd_diff_report *w, unsigned side)
{
	const struct hd_event *e = &w->p[side]->events[w->event[side]];

	hd_jsonw_row(j, key, '{');
	hd_jsonw_str(j, "input", w->name[side]);
	hd_jsonw_str(j, "event", hd_profile_str(w->p[side], e->name));
	hd_jsonw_str(j, "unit", hd_profile_str(w->p[side], e->unit));
	hd_jsonw_u64(j, "weight", w->d->weight[side]);
	hd_jsonw_num(j, "samples", w->d->samples[side] > 0 ? w->d->samples[side] : NAN, 1);
	hd_jsonw_close(j, '}');
}

static void write_json(struct hd_buf *out, const struct hd_diff_report *w, const struct picked *symbols,
	const struct picked *stacks)
{
	struct hd_jsonw j = hd_jsonw_document(out, "hotdrift.diff", 1);

	json_side(&j, "base", w, HD_BASE);
	json_side(&j, "head", w, HD_HEAD);
	hd_jsonw_num(&j, "moved_points", w->d->moved, 6);
	hd_jsonw_str(&j, "cost_of", w->d->per_work ? "unit of work" : "run");
	hd_jsonw_num(&j, "size_change_pct", has_one_unit(w) ? 100 * expm1(w->d->size) : NAN, 6);
	hd_jsonw_str(&j, "symbol", w->through == UINT32_MAX ? NULL : w->d->names[w->through].key);
	hd_jsonw_u64(&j, "symbols_changed", symbols->all);
	hd_jsonw_open(&j, "symbols", '[');
	for (size_t i = 0; i < symbols->n; i++) {
		const struct hd_difference_name *n = &w->d->names[symbols->rows[i]->name];

		hd_jsonw_row(&j, NULL, '{');
		hd_jsonw_str(&j, "symbol", n->key);
		if (n->flags & HD_CALL_NODE_UNKNOWN)
			hd_jsonw_bool(&j, "unknown", true);
		hd_jsonw_str(&j, "base_name", n->name[HD_BASE]);
		hd_jsonw_str(&j, "head_name", n->name[HD_HEAD]);
		json_numbers(&j, w, symbols->rows[i], true);
		hd_jsonw_close(&j, '}');
	}
	hd_jsonw_close(&j, ']');
	hd_jsonw_u64(&j, "stacks_changed", stacks->all);
	hd_jsonw_open(&j, "stacks", '[');
	for (size_t i = 0; i < stacks->n; i++) {
		size_t n;
		uint32_t *path = path_of(w->d, stacks->rows[i]->node, &n);

		hd_jsonw_row(&j, NULL, '{');
		hd_jsonw_open(&j, "stack", '[');
		for (size_t k = 0; k < n; k++)
			hd_jsonw_str(&j, NULL, shown(&w->d->names[path[k]]));
		hd_jsonw_close(&j, ']');
		json_numbers(&j, w, stacks->rows[i], false);
		hd_jsonw_close(&j, '}');
		free(path);
	}
	hd_jsonw_close(&j, ']');
	hd_jsonw_close(&j, '}');
}

/* ---- CSV ---- */

static void csv_row(struct hd_buf *out, const char *kind, const struct hd_diff_report *w,
	const struct hd_difference_row *r)
{
	hd_buf_addf(out, "%s,%.6f,%.6f,%.6f,", kind, r->share[HD_BASE], r->share[HD_HEAD], r->points);
	if (isfinite(r->change) && !isnan(change_of(w, r)))
		hd_buf_addf(out, "%.6f", change_of(w, r));
	hd_buf_addc(out, ',');
	if (!isnan(r->hi))
		hd_buf_addf(out, "%.6f,%.6f", r->lo, r->hi);
	else
		hd_buf_addc(out, ',');
	hd_buf_addf(out, ",%.6f,%.6f,", r->cost[HD_BASE], r->cost[HD_HEAD]);
	if (!isnan(r->q))
		hd_buf_addf(out, "%.6g,%.6g", r->p, r->q);
	else
		hd_buf_addc(out, ',');
	hd_buf_addf(out, ",%d,%s,", r->significant, state(r));
}

static void write_csv(struct hd_buf *out, const struct hd_diff_report *w, const struct picked *symbols,
	const struct picked *stacks)
{
	struct hd_buf stack = { 0 };

	hd_buf_adds(out,
		"kind,base_pct,head_pct,points,change_pct,lo_pct,hi_pct,base_cost,head_cost,p,q,significant,state,"
		"name\n");
	for (size_t i = 0; i < symbols->n; i++) {
		const char *name = shown(&w->d->names[symbols->rows[i]->name]);

		csv_row(out, "symbol", w, symbols->rows[i]);
		hd_enc_csv(out, name, strlen(name));
		hd_buf_addc(out, '\n');
	}
	for (size_t i = 0; i < stacks->n; i++) {
		size_t n;
		uint32_t *path = path_of(w->d, stacks->rows[i]->node, &n);

		hd_buf_reset(&stack);
		for (size_t k = 0; k < n; k++) {
			hd_enc_folded(&stack, shown(&w->d->names[path[k]]), strlen(shown(&w->d->names[path[k]])));
			if (k + 1 < n)
				hd_buf_addc(&stack, ';');
		}
		csv_row(out, "stack", w, stacks->rows[i]);
		hd_enc_csv(out, hd_buf_str(&stack), stack.len);
		hd_buf_addc(out, '\n');
		free(path);
	}
	hd_buf_release(&stack);
}

void hd_diff_write(struct hd_buf *out, const struct hd_diff_report *w, enum hd_diff_format format)
{
	unsigned char *through = w->through == UINT32_MAX ? NULL : hd_alloc(w->d->nnodes);
	struct picked symbols, stacks;

	if (through)
		hd_difference_through(w->d, w->through, through);
	symbols = pick(w, w->d->symbols, w->d->nsymbols, NULL, w->through);
	stacks = pick(w, w->d->stacks, w->d->nstacks, through, UINT32_MAX);
	switch (format) {
	case HD_DIFF_TEXT: write_text(out, w, &symbols, &stacks, false); break;
	case HD_DIFF_MARKDOWN: write_text(out, w, &symbols, &stacks, true); break;
	case HD_DIFF_JSON: write_json(out, w, &symbols, &stacks); break;
	case HD_DIFF_CSV: write_csv(out, w, &symbols, &stacks); break;
	}
	free(symbols.rows);
	free(stacks.rows);
	free(through);
}
