/* gate_cells.c - see gate_cells.h */
#include "render/gate_cells.h"

#include "base/encode.h"
#include "base/mem.h"
#include "render/unit_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * If a verdict needs more than MANY_RUNS runs, the report suggests longer runs instead of more runs.  RUNS_USUAL is the
 * number of runs that most users record; the suggested length of a run is computed for this number of runs.
 */
enum { MANY_RUNS = 20, RUNS_USUAL = 5 };

enum hd_verdict hd_gate_verdict(const struct hd_gate_line *l)
{
	return l->row ? l->row->verdict : l->series->verdict;
}

const struct hd_judge_ack *hd_gate_ack(const struct hd_gate_line *l)
{
	return l->row ? l->row->ack : l->series->ack;
}

static double change_of(const struct hd_gate_line *l)
{
	return l->row ? l->row->change_pct : l->series->change_pct;
}

/* ---- selection and order of the rows ---- */

static char mark_of(const struct hd_gate_line *l)
{
	if (hd_gate_ack(l))
		return 'A';
	if (hd_gate_verdict(l) == HD_SHIFT || (l->row && l->row->nto))
		return 'S';
	/* an undecided total has no mark, because the text has a line about the total */
	if (hd_gate_verdict(l) == HD_INCONCLUSIVE)
		return l->series && *l->series->kind == 't' ? ' ' : '?';
	if (hd_gate_verdict(l) == HD_FAIL)
		return l->row                     ? 'R'
			: *l->series->kind == 't' ? 'T'
			: *l->series->kind == 'l' ? 'L'
			: *l->series->kind == 'm' ? 'M'
						  : 'E';
	if (l->row && l->row->gated && l->row->improved && l->row->base_pct - l->row->head_pct > 0.05)
		return 'I';
	if (l->series && *l->series->kind != 't' && l->series->hi_pct < 0)
		return 'I';
	return ' ';
}

static int rank_of(char mark)
{
	static const char order[] = "RTLMES?AI ";

	return (int)(strchr(order, mark) - order);
}

static int worst_first(const void *a, const void *b)
{
	const struct hd_gate_line *x = a, *y = b;
	int d = rank_of(x->mark) - rank_of(y->mark);
	double wx = x->row ? fmax(x->row->head_pct, x->row->base_pct) : INFINITY,
	       wy = y->row ? fmax(y->row->head_pct, y->row->base_pct) : INFINITY;

	if (d)
		return d;
	if (wx != wy)
		return wx > wy ? -1 : 1;
	return x->row ? (x->row > y->row) - (x->row < y->row) : (x->series > y->series) - (x->series < y->series);
}

size_t hd_gate_lines(struct hd_gate_line **lines, const struct hd_comparison *c)
{
	struct hd_gate_line *all = hd_new_array(struct hd_gate_line, c->nrows + c->nseries + 1), one;
	size_t n = 0;

	for (size_t i = 0; i < c->nrows + c->nseries; i++) {
		one = (struct hd_gate_line){ .row = i < c->nrows ? &c->rows[i] : NULL,
			.series = i < c->nrows ? NULL : &c->series[i - c->nrows] };
		one.mark = mark_of(&one);
		if (one.mark != ' ')
			all[n++] = one;
	}
	qsort(all, n, sizeof(*all), worst_first);
	*lines = all;
	return n;
}

void hd_gate_quiet(struct hd_buf *out, const struct hd_comparison *c)
{
	if (c->total.verdict == HD_PASS)
		hd_buf_addf(out, "nothing of %zu rows changed by its limit", c->gated);
	else
		hd_buf_addf(out, "of %zu rows, only the total is undecided", c->gated);
}

void hd_gate_total(struct hd_buf *out, const struct hd_judge_total *t)
{
	hd_buf_addf(out, "%+.1f %% (", t->change_pct);
	if (t->hi_pct < 999)
		hd_buf_addf(out, "%+.1f .. %+.1f %%, ", t->lo_pct, t->hi_pct);
	hd_buf_addf(out, "limit %.4g %%)", t->limit_pct);
}

bool hd_gate_total_is_accepted(const struct hd_judge_total *t)
{
	return t->verdict == HD_PASS && t->lo_pct > t->limit_pct;
}

bool hd_gate_relative(const struct hd_comparison *c)
{
	return c->total.level_moved && c->total.decided_by && !c->as_they_are;
}

/* ---- cells ---- */

void hd_gate_label(struct hd_buf *out, const struct hd_gate_line *l)
{
	if (l->row)
		hd_buf_adds(out, l->row->symbol);
	else
		hd_judge_series_name(out, l->series);
}

void hd_gate_value(struct hd_buf *out, double v, const char *unit)
{
	if (!strcmp(unit, "us") && v < 1e15)
		hd_unit_text_add(out, (uint64_t)(v * 1000 + 0.5), "ns");
	else if ((!strcmp(unit, "ns") || !strcmp(unit, "bytes")) && v < 1e18)
		hd_unit_text_add(out, (uint64_t)(v + 0.5), unit);
	else if (!strcmp(unit, "joules") || !strcmp(unit, "watts") || !strcmp(unit, "W"))
		hd_buf_addf(out, "%.4g J", v);
	else
		hd_buf_addf(out, "%.4g", v);
}

void hd_gate_level(struct hd_buf *out, const struct hd_gate_line *l, bool head)
{
	if (l->row)
		hd_buf_addf(out, "%.1f %%", head ? l->row->head_pct : l->row->base_pct);
	else
		hd_gate_value(out, head ? l->series->head : l->series->base,
			strcmp(l->series->kind, "power") ? l->series->unit : "joules");
}

void hd_gate_change(struct hd_buf *out, const struct hd_gate_line *l)
{
	if (l->row && (l->row->is_new || l->row->is_gone))
		hd_buf_adds(out, l->row->is_new ? "new" : "gone");
	else if (fabs(change_of(l)) < 1000)
		hd_buf_addf(out, "%+.1f %%", change_of(l));
	else
		hd_buf_addf(out, "x%.3g", 1 + change_of(l) / 100);
}

static void end_of(struct hd_buf *out, double pct)
{
	if (pct > 999)
		hd_buf_adds(out, ">+999");
	else
		hd_buf_addf(out, "%+.0f", pct);
}

void hd_gate_interval(struct hd_buf *out, const struct hd_gate_line *l)
{
	double lo = l->row ? l->row->lo_pct : l->series->lo_pct, hi = l->row ? l->row->hi_pct : l->series->hi_pct;

	if (l->row && (l->row->is_new || l->row->is_gone))
		return;
	end_of(out, lo);
	hd_buf_adds(out, " .. ");
	end_of(out, hi);
	hd_buf_adds(out, " %");
}

void hd_gate_q(struct hd_buf *out, double q)
{
	if (q < 0.001)
		hd_buf_adds(out, "<0.001");
	else if (q == q)	/* not NaN */
		hd_buf_addf(out, "%.3f", q);
}

void hd_gate_side(struct hd_buf *out, const struct hd_run_set *s)
{
	hd_enc_term(out, s->name, strlen(s->name));
	hd_buf_addf(out, " (%s%s%zu run%s)", s->how, s->how[0] ? ", " : "", s->n, s->n == 1 ? "" : "s");
}

/*
 * Append what an undecided row needs.  If it would need too many runs, suggest what reduces the larger part of its
 * noise: longer runs against counting error, a quieter machine against variation between runs.
 */
static void needs(struct hd_buf *out, const struct hd_gate_line *l, unsigned needed)
{
	if (l->row ? l->row->by_session : l->series->by_session)
		hd_buf_adds(out, "may be the session");
	else if (!needed && l->row)
		hd_buf_adds(out, l->row->change_pct < l->row->limit_pct ? "only together with the rest"
									: "only relative to the rest");
	else if (!needed)
		hd_buf_adds(out, "undecided");
	else if (needed <= MANY_RUNS)
		hd_buf_addf(out, "needs %u runs", needed);
	else if (l->row && l->row->counted > 0.5)
		hd_buf_addf(out, "needs longer runs (%ux the samples)", (needed + RUNS_USUAL - 1) / RUNS_USUAL);
	else
		hd_buf_adds(out, "needs a quieter machine or longer runs");
}

void hd_gate_note(struct hd_buf *out, const struct hd_gate_line *l)
{
	const struct hd_judge_ack *ack = hd_gate_ack(l);
	unsigned needed = l->row ? l->row->runs_needed : l->series->runs_needed;

	if (ack) {
		hd_buf_adds(out, "acknowledged to ");
		if (l->row)
			hd_buf_addf(out, "%.4g %%", ack->level);
		else
			hd_gate_value(out, ack->level, strcmp(l->series->kind, "power") ? l->series->unit : "joules");
	} else if (hd_gate_verdict(l) == HD_INCONCLUSIVE) {
		needs(out, l, needed);
	} else if (hd_gate_verdict(l) != HD_SHIFT) {
		/* A series is tested for becoming worse only. */
		hd_gate_q(out, !l->row ? (l->series->change_pct > 0 ? l->series->q : NAN)
				: l->row->change_pct < 0 ? l->row->q_changed
							 : l->row->q);
	}
}

/* ---- reports of CI services ---- */

size_t hd_gate_cases(struct hd_gate_line **lines, const struct hd_comparison *c)
{
	struct hd_gate_line *all = hd_new_array(struct hd_gate_line, c->nrows + c->nseries + 1);
	size_t n = 0;

	for (size_t i = 0; i < c->nrows; i++)
		if (c->rows[i].gated || c->rows[i].verdict == HD_SHIFT)
			all[n++] = (struct hd_gate_line){ ' ', &c->rows[i], NULL };
	for (size_t i = 0; i < c->nseries; i++)
		all[n++] = (struct hd_gate_line){ ' ', NULL, &c->series[i] };
	*lines = all;
	return n;
}

void hd_gate_sentence(struct hd_buf *out, const struct hd_gate_line *l)
{
	hd_gate_level(out, l, false);
	hd_buf_adds(out, " -> ");
	hd_gate_level(out, l, true);
	hd_buf_adds(out, ", ");
	hd_gate_change(out, l);
	if (!l->row || (!l->row->is_new && !l->row->is_gone)) {
		hd_buf_adds(out, " (95 %: ");
		hd_gate_interval(out, l);
		hd_buf_addc(out, ')');
	}
	if (hd_gate_verdict(l) == HD_FAIL && !hd_gate_ack(l))
		hd_buf_adds(out, ", q ");
	else if (hd_gate_verdict(l) == HD_INCONCLUSIVE || hd_gate_ack(l))
		hd_buf_adds(out, ", ");
	if (hd_gate_verdict(l) != HD_PASS)
		hd_gate_note(out, l);
}

const char *hd_gate_field(const struct hd_comparison *c, enum hd_run_field field)
{
	const char *value = c->head.n ? c->head.runs[c->head.n - 1].like[field] : NULL;

	if (value && *value)
		return value;
	return field == HD_RUN_FIELD_TARGET ? "hotdrift" : field == HD_RUN_FIELD_MODE ? "cpu" : "";
}
