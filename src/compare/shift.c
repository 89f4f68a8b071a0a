/*
 * shift.c - see judge_inner.h: did the cost of a row come from beside it?
 *
 * A row that failed is judged again together with what its cost may have come from, in this
 * order, and is a SHIFT when such a sum did not grow (drift/verdict.h, domains):
 *
 *     neighbours   rows that shrank or vanished and stand next to it in the stacks: under one caller, calling it
 *                  or called by it.  A rename, a function split in two, one that is inlined now
 *     its calls    it and everything under it
 *     its caller   everything under the function that calls it most
 *
 * What a neighbour lost is given away once: a row that grew by it leaves the rest for the
 * next, so that one function that vanished does not excuse two that came.
 */
#include "compare/judge_inner.h"

#include "base/mem.h"
#include "compare/folds.h"
#include "drift/verdict.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 40 };		/* rows that are looked at, the costliest; more at once is no shift */
#define NEXT_TO 0.25		/* of the weight of either, to be called its caller */

struct looking {
	struct hd_judging *j;
	const struct hd_runs *in;
	const struct hd_model *model;
	const struct hd_verdict_opts *vo;
	struct hd_judged *judged;
	struct hd_folds stacks;
	struct hd_callers callers;
	uint32_t *name;			/* of each row, in the stacks; UINT32_MAX: it is in none */
	double *left;			/* of each row that shrank: how much of that is not given away yet, 0 .. 1; else 0 */
	struct hd_domains d;
	double *y;			/* of the domains */
};

static size_t rows_of(const struct looking *l)
{
	return l->j->m.n - l->j->m.rest;
}

static void know_names(struct looking *l)
{
	uint32_t there = hd_strtab_count(l->stacks.names);

	l->name = hd_zalloc(l->j->m.n + 1, sizeof(*l->name));
	for (size_t i = 0; i < rows_of(l); i++) {
		const char *name = l->j->m.rows[i].name;
		uint32_t id = name ? hd_strtab_add(l->stacks.names, name) : UINT32_MAX;

		l->name[i] = id < there && id ? id : UINT32_MAX;
	}
}

static bool shrank(const struct hd_symbol *s)
{
	return s->is_gone || (s->change < 0 && s->test.p_two <= 0.05 && s->share_base > 0);
}

/* Those that failed and those that shrank: who stands next to them is looked for. */
static void know_callers(struct looking *l)
{
	uint32_t *tracked = hd_zalloc(l->j->m.n + 1, sizeof(*tracked));
	struct hd_map seen = { 0 };
	size_t n = 0;

	l->left = hd_zalloc(l->j->m.n + 1, sizeof(*l->left));
	for (size_t i = 0; i < rows_of(l); i++) {
		const struct hd_symbol *s = &l->j->symbols[i];

		if (l->name[i] == UINT32_MAX || (s->verdict != HD_FAIL && !shrank(s)))
			continue;
		l->left[i] = s->verdict == HD_FAIL ? 0 : 1;
		if (!hd_map_has(&seen, l->name[i]))
			tracked[n++] = l->name[i];
		hd_map_put(&seen, l->name[i], 0);
	}
	hd_map_release(&seen);
	hd_callers_find(&l->callers, &l->stacks, tracked, n);
}

static size_t tracked_at(const struct looking *l, size_t row)
{
	return hd_map_get(&l->callers.at, l->name[row]);
}

/* A function that calls both; UINT32_MAX when there is none. */
static uint32_t common_caller(const struct looking *l, size_t a, size_t b)
{
	size_t x = tracked_at(l, a), y = tracked_at(l, b);

	for (uint32_t k = l->callers.first[x]; k != UINT32_MAX; k = l->callers.items[k].next) {
		const struct hd_callers_edge *e = &l->callers.items[k];

		if (hd_callers_called_by(&l->callers, x, e->name) >= NEXT_TO &&
		    hd_callers_called_by(&l->callers, y, e->name) >= NEXT_TO)
			return e->name;
	}
	return UINT32_MAX;
}

static bool neighbours(const struct looking *l, size_t row, size_t other)
{
	size_t x = tracked_at(l, row), y = tracked_at(l, other);

	return hd_callers_called_by(&l->callers, y, l->name[row]) >= NEXT_TO || hd_callers_called_by(&l->callers, x, l->name[other]) >= NEXT_TO ||
	       common_caller(l, row, other) != UINT32_MAX;
}

/* What a row lost, or won, in shares of the base total. */
static double moved(const struct hd_symbol *s)
{
	return (s->is_gone ? 0 : s->cost_head) - s->share_base;
}

static bool judge_again(struct looking *l, size_t row)
{
	if (hd_verdicts(l->judged, l->j->symbols, l->in, l->model, &l->d, l->vo, true) < 0)
		hd_no_memory("drift");
	return l->j->symbols[row].verdict == HD_SHIFT;
}

static double *domain(struct looking *l, size_t row, size_t slot)
{
	l->d.of[row][slot] = l->d.n;
	return l->y + l->d.n++ * l->j->m.runs;
}

static const char *keep(struct looking *l, uint32_t name)
{
	const char *s = name == UINT32_MAX ? NULL : hd_strtab_get(l->stacks.names, name);

	return s ? hd_arena_strndup(&l->j->c->arena, s, strlen(s)) : NULL;
}

static void note_partner(struct hd_judge_row *rows, size_t row, size_t from)
{
	if (rows[row].nfrom < HD_JUDGE_PARTNERS)
		rows[row].from[rows[row].nfrom++] = from;
	if (rows[from].nto < HD_JUDGE_PARTNERS)
		rows[from].to[rows[from].nto++] = row;
}

static bool from_neighbours(struct looking *l, size_t row)
{
	const struct hd_matrix *m = &l->j->m;
	struct hd_judge_row *rows = l->j->c->rows;
	double *y = domain(l, row, 0), lost = 0, given;
	bool *with = hd_zalloc(m->n + 1, sizeof(*with));
	bool found;

	memcpy(y, m->y + row * m->runs, m->runs * sizeof(*y));
	for (size_t i = 0; i < rows_of(l); i++) {
		with[i] = l->left[i] > 0.01 && i != row && neighbours(l, row, i);
		for (size_t r = 0; r < m->runs && with[i]; r++)
			y[r] += l->left[i] * m->y[i * m->runs + r];
		lost -= with[i] ? l->left[i] * moved(&l->j->symbols[i]) : 0;
	}
	found = lost > 0 && judge_again(l, row);
	given = found ? fmin(1, moved(&l->j->symbols[row]) / lost) : 0;
	for (size_t i = 0; i < rows_of(l) && found; i++) {
		if (!with[i])
			continue;
		/* Names of those that gave a tenth or more. */
		if (-l->left[i] * moved(&l->j->symbols[i]) >= 0.1 * lost) {
			note_partner(rows, row, i);
			if (!rows[row].within)
				rows[row].within = keep(l, common_caller(l, row, i));
			if (!rows[i].within)
				rows[i].within = rows[row].within;
		}
		l->left[i] *= 1 - given;
	}
	if (!found)
		l->d.of[row][0] = HD_NO_DOMAIN;
	free(with);
	return found;
}

static bool from_under(struct looking *l, size_t row, uint32_t name)
{
	if (name == UINT32_MAX || l->stacks.without)
		return false;
	hd_folds_total(&l->stacks, name, l->j->m.per_weight, domain(l, row, 1));
	if (judge_again(l, row)) {
		l->j->c->rows[row].within = keep(l, name);
		return true;
	}
	l->d.of[row][1] = HD_NO_DOMAIN;
	return false;
}

static void look(struct looking *l)
{
	size_t looked = 0;

	for (size_t i = 0; i < rows_of(l) && looked < MOST; i++) {
		if (l->j->symbols[i].verdict != HD_FAIL || l->name[i] == UINT32_MAX)
			continue;
		looked++;
		if (!from_neighbours(l, i) && !from_under(l, i, l->name[i]))
			from_under(l, i, hd_callers_main(&l->callers, tracked_at(l, i)));
	}
	/* The last judgement may be one of a domain that did not help. */
	if (hd_verdicts(l->judged, l->j->symbols, l->in, l->model, &l->d, l->vo, true) < 0)
		hd_no_memory("drift");
}

int hd_judge_shifts(struct hd_judging *j, const struct hd_runs *in, const struct hd_model *model, const struct hd_verdict_opts *vo,
		    struct hd_judged *judged, struct hd_err *err)
{
	struct looking l = { .j = j, .in = in, .model = model, .vo = vo, .judged = judged };
	int rc = hd_folds_load(&l.stacks, j->db, j->runs, j->nruns, j->log, err);

	if (rc < 0)
		return rc;
	l.y = hd_zalloc(3 * MOST * j->m.runs + 1, sizeof(*l.y));
	l.d.y = l.y;
	l.d.of = hd_zalloc(j->m.n + 1, sizeof(*l.d.of));
	for (size_t i = 0; i < j->m.n; i++)
		l.d.of[i][0] = l.d.of[i][1] = HD_NO_DOMAIN;
	know_names(&l);
	know_callers(&l);
	look(&l);
	free((void *)l.callers.tracked);
	hd_callers_release(&l.callers);
	hd_folds_release(&l.stacks);
	free(l.name);
	free(l.left);
	free(l.d.of);
	free(l.y);
	return 0;
}
