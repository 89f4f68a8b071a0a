/*
 * judge_symbols.c - see judgement.h: rows of symbols, the top 5, the score
 */
#include "gate/judgement.h"

#include "base/mem.h"
#include "stats/verdict.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * Number of rows that the ranking score uses.  The score weights depth d of a ranking by 0.8^d (stats/top_change.h), so
 * all further rows together would have a weight of only 0.8^60.
 */
enum { RANKED = 60 };

static int no_memory(int rc)
{
	if (rc == HD_STATS_NOMEM)
		hd_out_of_memory("drift");
	return rc;
}

/*
 * If the share of a symbol changed within the history or the base, scale the values before its last change point to the
 * mean since then.  They still contribute to the variance, but not to the mean.
 */
static void scale_to_last_level(struct hd_judgement *j)
{
	const struct hd_symbol_matrix *m = &j->m;
	double *share = hd_zalloc(j->nbase + 1, sizeof(*share));

	for (size_t i = 0; i < m->n - m->rest; i++) {
		double *y = m->y + i * m->runs, before = 0, after = 0;
		size_t at;

		for (size_t r = 0; r < j->nbase; r++)
			share[r] = m->samples[r] > 0 ? y[r] / m->samples[r] : 0;
		at = hd_judge_last_level(share, j->nbase, HD_JUDGE_LEVEL_LEAST);
		for (size_t r = 0; r < j->nbase && at; r++) {
			before += r < at ? share[r] / (double)at : 0;
			after += r < at ? 0 : share[r] / (double)(j->nbase - at);
		}
		for (size_t r = 0; r < at && before > 0 && after > 0; r++)
			y[r] *= after / before;
	}
	free(share);
}

/* ---- the top 5 ---- */

static void copy_top(struct hd_comparison *c, const struct hd_top_change *t)
{
	c->set_changed = t->set_changed;
	c->order_changed = t->order_changed;
	c->material = t->material;
	c->score = t->score;
	c->aa_limit = t->score_limit;
	c->moved_pct = 100 * t->moved;
}

static double hotter(const struct hd_symbol_verdict *s)
{
	return fmax(s->share_base, s->share_head);
}

struct candidate {
	double share;
	size_t row;
};

static int hottest_first(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	return x->share != y->share ? (x->share > y->share ? -1 : 1) : (x->row > y->row) - (x->row < y->row);
}

/*
 * Set the top 5 and the ranking score from the RANKED hottest rows.  If there are more rows, the shares are relative to
 * the sum of the RANKED ones.
 */
static void rank(struct hd_judgement *j, const struct hd_variance_model *model)
{
	size_t all = j->m.n - j->m.rest, n = all < RANKED ? all : RANKED;
	struct candidate *hot = hd_new_array(struct candidate, all + 1);
	struct hd_symbol_verdict *rows = hd_zalloc(n + 1, sizeof(*rows));
	struct hd_top_change t;
	double base = 0, head = 0;

	for (size_t i = 0; i < all; i++)
		hot[i] = (struct candidate){ hotter(&j->symbols[i]), i };
	qsort(hot, all, sizeof(*hot), hottest_first);
	for (size_t i = 0; i < n; i++) {
		rows[i] = j->symbols[hot[i].row];
		base += rows[i].share_base;
		head += rows[i].share_head;
	}
	for (size_t i = 0; i < n && n < all && base > 0 && head > 0; i++) {
		rows[i].share_base /= base;
		rows[i].share_head /= head;
	}
	if (no_memory(hd_top_change_find(&t, rows, n, model, &hd_top_change_defaults)) >= 0) {
		copy_top(j->c, &t);
		j->c->above = t.material ? hot[t.above].row : 0;
		j->c->below = t.material ? hot[t.below].row : 0;
		j->c->ranked = true;
	}
	free(rows);
	free(hot);
}

/* ---- rows ---- */

static void copy_row(struct hd_judgement *j, size_t i)
{
	const struct hd_symbol_verdict *s = &j->symbols[i];
	struct hd_judge_row *r = &j->c->rows[i];
	struct hd_buf name = { 0 };

	hd_symbol_matrix_name(&name, &j->m.rows[i]);
	r->symbol = hd_arena_strndup(&j->c->arena, name.data, name.len);
	hd_buf_release(&name);
	if (j->m.rows[i].object)
		r->object = hd_arena_strndup(&j->c->arena, j->m.rows[i].object, strlen(j->m.rows[i].object));
	r->symbol_id = j->m.rows[i].symbol;
	r->base_pct = 100 * s->share_base;
	r->head_pct = 100 * s->share_head;
	r->change_pct = 100 * s->change;
	r->lo_pct = 100 * s->lo;
	r->hi_pct = 100 * s->hi;
	r->limit_pct = 100 * s->limit;
	r->q = s->q;
	r->q_changed = s->q_changed;
	r->is_new = s->is_new;
	r->is_gone = s->is_gone;
	r->gated = s->gated;
	r->material = fmax(s->share_base, s->cost_head) >= j->o->floor;
	r->improved = s->improved;
	r->counted = s->counted;
	r->verdict = s->verdict;
	r->runs_needed = s->verdict == HD_INCONCLUSIVE ? s->runs_needed : 0;
	if (j->c->advisory && r->verdict == HD_FAIL) {
		r->verdict = HD_INCONCLUSIVE;
		r->runs_needed = s->runs_needed ? s->runs_needed : 3;
	}
}

static bool any_may_be_shift(const struct hd_judgement *j)
{
	for (size_t i = 0; i < j->m.n - j->m.rest; i++)
		if (hd_may_be_shift(&j->symbols[i]))
			return true;
	return false;
}

static struct hd_verdict_opts limits_of(const struct hd_judgement *j)
{
	struct hd_verdict_opts vo = hd_verdict_defaults;

	vo.limit = j->o->limit;
	vo.total.limit = j->o->limit_total;
	vo.total.p *= j->c->level / vo.q;
	vo.alpha *= j->c->level / vo.q;
	vo.floor = j->o->floor;
	vo.q = j->c->level;
	vo.rest = j->m.rest;
	return vo;
}

/* Set the rows of the comparison, after a search for shifts, and its top 5.  j->symbols has been judged. */
static int set_rows(struct hd_judgement *j, const struct hd_run_counts *in, struct hd_variance_model *model,
	struct hd_judged_profile *judged, const struct hd_verdict_opts *vo, struct hd_err *err)
{
	struct hd_comparison *c = j->c;
	int rc = 0;

	c->rows = hd_arena_alloc(&c->arena, (j->m.n + 1) * sizeof(*c->rows));
	memset(c->rows, 0, (j->m.n + 1) * sizeof(*c->rows));
	if (any_may_be_shift(j))
		rc = hd_judge_shifts(j, in, model, vo, judged, err);
	if (rc < 0)
		return rc;
	c->nrows = j->m.n - j->m.rest;
	for (size_t i = 0; i < c->nrows; i++)
		copy_row(j, i);
	c->net_pct = 100 * judged->net;
	j->has_total = true;
	if (!j->unranked)
		rank(j, model);
	return 0;
}

int hd_judge_symbols(struct hd_judgement *j, struct hd_err *err)
{
	struct hd_run_counts in = { j->m.n, j->nbase, j->nruns - j->nbase, j->m.y, j->m.work, j->sessions };
	struct hd_verdict_opts vo = limits_of(j);
	struct hd_judged_profile judged;
	struct hd_variance_model model;
	double *same;
	int rc;

	if (j->c->history.n)
		scale_to_last_level(j);
	if (!j->m.n)
		return 0;
	j->symbols = hd_zalloc(j->m.n, sizeof(*j->symbols));
	same = hd_new_array(double, j->nruns);
	no_memory(hd_verdicts_fit(&judged, &j->total, j->symbols, &model, &in, same, &vo, hd_judge_in_turns(j->c)));
	j->c->as_they_are = in.work == same;
	j->total_opts = vo.total;
	rc = set_rows(j, &in, &model, &judged, &vo, err);
	free(same);
	free(j->symbols);
	j->symbols = NULL;
	hd_variance_model_release(&model);
	return rc;
}
