/*
 * judge_shifts.c - see judgement.h: find out whether the cost of a row came from other rows
 *
 * For a row that failed, or that is new and INCONCLUSIVE, the sum of its cost and of the costs of possible origins is
 * tested.  Such a sum is called a domain (stats/verdict.h).  If the sum did not grow, the cost came from the origins,
 * and the row is a SHIFT.  If it is unclear whether the sum grew, the row is INCONCLUSIVE.  The origins, in the order
 * in which they are tried:
 *
 *     its old name    for a new row: its row before a rename (renames.h)
 *     neighbours      rows that shrank or vanished and are adjacent in the stacks: caller, callee, or with a common
 *                     caller.  This covers functions that were split, merged or inlined
 *     its calls       the row and everything under it
 *     its caller      everything under the function that calls it most
 *
 * A common caller proves little if most of the profile is under it, as under main(), because then an unrelated saving
 * could excuse the rise.  Such a caller is considered only for a neighbour that vanished, and "its caller" is not
 * tested.  Each part of the loss of a neighbour can explain only one rise.  The loss of an old name explains the cost
 * of its new name; only what exceeds that cost can explain other rises.
 */
#include "gate/judgement.h"

#include "base/mem.h"
#include "history/stored_stacks.h"
#include "gate/renames.h"
#include "stats/verdict.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* a direct caller of a function is considered only if at least this part of the function's weight comes from it */
#define NEXT_TO 0.25
/*
 * A function whose total share is larger than this is too broad, like main: below it, unrelated changes can cancel each
 * other.
 */
#define BROAD 0.5
/* A caller with more than this many times the cost of a renamed function does not explain the function's cost. */
#define WIDE 2.0
/* a row can be the origin of a rise only if its value in search.left is larger than this */
#define LEFT_LEAST 0.01

/* The search for the origins of cost. */
struct search {
	struct hd_judgement *j;
	const struct hd_run_counts *in;
	const struct hd_variance_model *model;
	const struct hd_verdict_opts *vo;
	const struct hd_stored_stacks *stacks;
	double base;			/* samples of an average base run */
	struct hd_callers callers;
	struct hd_renames renames;
	/* indexed by row: the id of its name in the stacks; UINT32_MAX: it is in no stack */
	uint32_t *name;
	struct hd_map row_of;		/* name -> row */
	/*
	 * Indexed by row.  If the cost of the row fell significantly, a part of this loss may have explained the rise
	 * of other rows already.  The value is the part that remains, 0 .. 1.  If the cost did not fall significantly,
	 * or the row is in no stack, the value is 0.
	 */
	double *left;
	struct hd_domains d;
	double *y;			/* sums of the domains */
};

static size_t rows_of(const struct search *l)
{
	return l->j->m.n - l->j->m.rest;
}

static void find_names(struct search *l)
{
	uint32_t there = hd_strtab_count(l->stacks->names);

	l->name = hd_zalloc(l->j->m.n + 1, sizeof(*l->name));
	for (size_t i = 0; i < rows_of(l); i++) {
		const char *name = l->j->m.rows[i].name;
		uint32_t id = name ? hd_strtab_add(l->stacks->names, name) : UINT32_MAX;

		l->name[i] = id < there && id ? id : UINT32_MAX;
		if (l->name[i] != UINT32_MAX && !hd_map_has(&l->row_of, id))
			hd_map_put(&l->row_of, id, (uint32_t)i);
	}
}

static bool shrank(const struct hd_symbol_verdict *s)
{
	return s->is_gone || (s->change < 0 && s->test.p_two <= 0.05 && s->share_base > 0);
}

/*
 * Set left[].  Find the callers of those rows that may be a SHIFT or shrank, as far as their functions occur in the
 * stacks.
 */
static void find_callers(struct search *l)
{
	uint32_t *tracked = hd_zalloc(l->j->m.n + 1, sizeof(*tracked));
	struct hd_map seen = { 0 };
	size_t n = 0;

	l->left = hd_zalloc(l->j->m.n + 1, sizeof(*l->left));
	for (size_t i = 0; i < rows_of(l); i++) {
		const struct hd_symbol_verdict *s = &l->j->symbols[i];

		if (l->name[i] == UINT32_MAX || (!hd_may_be_shift(s) && !shrank(s)))
			continue;
		l->left[i] = hd_may_be_shift(s) ? 0 : 1;
		if (!hd_map_has(&seen, l->name[i]))
			tracked[n++] = l->name[i];
		hd_map_put(&seen, l->name[i], 0);
	}
	hd_map_release(&seen);
	hd_callers_find(&l->callers, l->stacks, tracked, n);
}

static size_t tracked_at(const struct search *l, size_t row)
{
	return hd_map_get(&l->callers.at, l->name[row]);
}

/* Return the part of the profile that runs under a function, on the side where it is larger. */
static double share_under(const struct search *l, uint32_t name)
{
	return fmax(l->renames.share[0][name], l->renames.share[1][name]);
}

static bool broad(const struct search *l, uint32_t name)
{
	return share_under(l, name) > BROAD;
}

/*
 * Return a function from which at least NEXT_TO of the weight of both rows comes directly, or UINT32_MAX.  A function
 * with most of the profile under it, such as main, is returned only if the cost of row `other` vanished.
 */
static uint32_t common_caller(const struct search *l, size_t row, size_t other)
{
	size_t x = tracked_at(l, row), y = tracked_at(l, other);

	for (uint32_t k = l->callers.first[x]; k != UINT32_MAX; k = l->callers.items[k].next) {
		const struct hd_callers_edge *e = &l->callers.items[k];

		if (broad(l, e->name) && !l->j->symbols[other].is_gone)
			continue;
		if (hd_callers_called_by(&l->callers, x, e->name) >= NEXT_TO &&
			hd_callers_called_by(&l->callers, y, e->name) >= NEXT_TO)
			return e->name;
	}
	return UINT32_MAX;
}

static bool neighbours(const struct search *l, size_t row, size_t other)
{
	size_t x = tracked_at(l, row), y = tracked_at(l, other);

	return hd_callers_called_by(&l->callers, y, l->name[row]) >= NEXT_TO ||
		hd_callers_called_by(&l->callers, x, l->name[other]) >= NEXT_TO ||
		common_caller(l, row, other) != UINT32_MAX;
}

/* Return the change of a row's cost as a fraction of the base's total cost.  A negative value is a loss. */
static double moved(const struct hd_symbol_verdict *s)
{
	return (s->is_gone ? 0 : s->cost_head) - s->share_base;
}

static double *domain(struct search *l, size_t row, size_t slot)
{
	l->d.of[row][slot] = l->d.n;
	return l->y + l->d.n++ * l->j->m.runs;
}

/*
 * Test whether the cost that a row gained came from other rows.  Slot `slot` of the row has a domain (stats/verdict.h):
 * the sum of the costs of the row and of these other rows.  If the sum grew, the other rows do not explain the rise of
 * the row, and the domain is removed from the slot.
 */
static enum hd_stay test(struct search *l, size_t row, size_t slot)
{
	enum hd_stay stay = hd_domain_stay(&l->d, row, slot, &l->j->symbols[row], l->in, l->model, l->base, l->vo);

	if (stay == HD_STAY_GREW)
		l->d.of[row][slot] = HD_NO_DOMAIN;
	return stay;
}

static const char *keep(struct search *l, uint32_t name)
{
	const char *s = name == UINT32_MAX ? NULL : hd_strtab_get(l->stacks->names, name);

	return s ? hd_arena_strndup(&l->j->c->arena, s, strlen(s)) : NULL;
}

static void note_partner(struct search *l, size_t row, size_t from)
{
	struct hd_judge_row *rows = l->j->c->rows;

	if (rows[row].nfrom < HD_JUDGE_PARTNERS)
		rows[row].from[rows[row].nfrom++] = from;
	if (rows[from].nto < HD_JUDGE_PARTNERS)
		rows[from].to[rows[from].nto++] = row;
	if (!rows[row].within)
		rows[row].within = keep(l, common_caller(l, row, from));
	if (!rows[from].within)
		rows[from].within = rows[row].within;
}

/* ---- the old name of a new row ---- */

/*
 * If the row is the old or the new name of a renamed function, return the row of its other name.  Otherwise return
 * SIZE_MAX.
 */
static size_t partner_of(const struct search *l, size_t row)
{
	uint32_t other = l->name[row] == UINT32_MAX ? UINT32_MAX : l->renames.partner[l->name[row]];
	uint32_t at = other == UINT32_MAX ? HD_MAP_NONE : hd_map_get(&l->row_of, other);

	return at == HD_MAP_NONE ? SIZE_MAX : at;
}

/* For each renamed function, subtract the cost of its new name from the loss of its old name that left[] offers. */
static void reserve_for_new_names(struct search *l)
{
	for (size_t i = 0; i < rows_of(l); i++) {
		const struct hd_symbol_verdict *s = &l->j->symbols[i];
		size_t old = s->is_gone ? SIZE_MAX : partner_of(l, i);

		if (old != SIZE_MAX && l->left[old] > 0 && moved(&l->j->symbols[old]) < 0)
			l->left[old] *= 1 - fmin(1, s->cost_head / -moved(&l->j->symbols[old]));
	}
}

static enum hd_stay from_old_name(struct search *l, size_t row)
{
	size_t old = partner_of(l, row), runs = l->j->m.runs;
	enum hd_stay stay;
	double *y;

	if (old == SIZE_MAX)
		return HD_STAY_GREW;
	y = domain(l, row, HD_DOMAIN_OLD_NAME);
	for (size_t r = 0; r < runs; r++)
		y[r] = l->j->m.y[row * runs + r] + l->j->m.y[old * runs + r];
	stay = test(l, row, HD_DOMAIN_OLD_NAME);
	if (stay == HD_STAY_STAYED)
		note_partner(l, row, old);
	return stay;
}

/* ---- neighbours ---- */

/*
 * Set y[run] to the sum of the row, the row of its old name and its neighbours (rows that shrank and are adjacent in
 * the stacks), the latter weighted by left[].  with[i] is set for these other rows.  Returns the cost that they lost.
 */
static double sum_neighbours(struct search *l, size_t row, double *y, bool *with)
{
	const struct hd_symbol_matrix *m = &l->j->m;
	size_t old = partner_of(l, row);
	double lost = 0;

	memcpy(y, m->y + row * m->runs, m->runs * sizeof(*y));
	for (size_t i = 0; i < rows_of(l); i++) {
		double part = i == old ? 1 : l->left[i];

		with[i] = i != row && part > LEFT_LEAST && (i == old || neighbours(l, row, i));
		for (size_t r = 0; r < m->runs && with[i]; r++)
			y[r] += part * m->y[i * m->runs + r];
		lost -= with[i] ? part * moved(&l->j->symbols[i]) : 0;
	}
	return lost;
}

static enum hd_stay from_neighbours(struct search *l, size_t row)
{
	bool *with = hd_zalloc(l->j->m.n + 1, sizeof(*with));
	double *y = domain(l, row, 0), lost = sum_neighbours(l, row, y, with), given;
	enum hd_stay stay = HD_STAY_GREW;

	if (lost > 0)
		stay = test(l, row, 0);
	else
		l->d.of[row][0] = HD_NO_DOMAIN;
	given = stay == HD_STAY_GREW ? 0 : fmin(1, moved(&l->j->symbols[row]) / lost);
	for (size_t i = 0; i < rows_of(l) && given > 0; i++) {
		if (!with[i])
			continue;
		/*
		 * List a neighbour (a row that is adjacent in the stacks) only if it contributes at least a tenth of
		 * the loss.
		 */
		if (stay == HD_STAY_STAYED && -l->left[i] * moved(&l->j->symbols[i]) >= 0.1 * lost)
			note_partner(l, row, i);
		l->left[i] *= 1 - given;
	}
	free(with);
	return stay;
}

static enum hd_stay from_under(struct search *l, size_t row, uint32_t name)
{
	enum hd_stay stay;

	if (name == UINT32_MAX || l->stacks->without)
		return HD_STAY_GREW;
	hd_stored_stacks_total(l->stacks, name, l->j->m.per_weight, domain(l, row, 1));
	stay = test(l, row, 1);
	if (stay == HD_STAY_STAYED)
		l->j->c->rows[row].within = keep(l, name);
	return stay;
}

/*
 * Return true if the sum of all that a caller calls can explain the cost of a row.  A caller may grow by a tenth of its
 * cost.  If it has much more cost than a renamed function, this is more than the growth of both names together.
 */
static bool may_explain(const struct search *l, uint32_t caller, size_t row)
{
	if (caller == UINT32_MAX || broad(l, caller))
		return false;
	return partner_of(l, row) == SIZE_MAX || share_under(l, caller) <= WIDE * l->j->symbols[row].cost_head;
}

static void search_row(struct search *l, size_t row)
{
	uint32_t caller = hd_callers_main(&l->callers, tracked_at(l, row));
	enum hd_stay stay = from_old_name(l, row);

	if (stay == HD_STAY_GREW)
		stay = from_neighbours(l, row);
	if (stay == HD_STAY_STAYED || from_under(l, row, l->name[row]) != HD_STAY_GREW)
		return;
	if (may_explain(l, caller, row))
		from_under(l, row, caller);
}

/* Return the number of rows that can be shifts (their cost moved from other rows) and that occur in the stacks. */
static size_t failed_rows(const struct search *l)
{
	size_t n = 0;

	for (size_t i = 0; i < rows_of(l); i++)
		n += hd_may_be_shift(&l->j->symbols[i]) && l->name[i] != UINT32_MAX;
	return n;
}

static void search_rows(struct search *l)
{
	const struct hd_symbol_matrix *m = &l->j->m;

	size_t failed = failed_rows(l);

	l->y = hd_zalloc((4 * failed + 1) * m->runs, sizeof(*l->y));
	l->d.p = l->vo->alpha / (double)(failed ? failed : 1);
	l->d.y = l->y;
	l->d.of = hd_zalloc(m->n + 1, sizeof(*l->d.of));
	for (size_t i = 0; i < m->n; i++)
		for (size_t k = 0; k < HD_DOMAINS_PER_ROW; k++)
			l->d.of[i][k] = HD_NO_DOMAIN;
	for (size_t i = 0; i < m->n * m->runs; i++)
		if (i % m->runs < l->in->base)
			l->base += m->y[i] / (double)l->in->base;
	reserve_for_new_names(l);
	for (size_t i = 0; i < rows_of(l); i++)
		if (hd_may_be_shift(&l->j->symbols[i]) && l->name[i] != UINT32_MAX)
			search_row(l, i);
}

int hd_judge_shifts(struct hd_judgement *j, const struct hd_run_counts *in, const struct hd_variance_model *model,
	const struct hd_verdict_opts *vo, struct hd_judged_profile *judged, struct hd_err *err)
{
	struct hd_stored_stacks loaded = { 0 };
	struct search l = { .j = j, .in = in, .model = model, .vo = vo, .stacks = j->stacks ? j->stacks : &loaded };
	int rc = j->stacks ? 0 : hd_stored_stacks_load(&loaded, j->db, j->runs, j->nruns, j->log, err);

	if (rc < 0)
		return rc;
	find_names(&l);
	hd_renames_find(&l.renames, l.stacks, in->base);
	find_callers(&l);
	search_rows(&l);
	if (hd_verdicts(judged, j->symbols, in, model, &l.d, vo, true) < 0)
		hd_out_of_memory("drift");
	free((void *)l.callers.tracked);
	hd_callers_release(&l.callers);
	hd_renames_release(&l.renames);
	hd_stored_stacks_release(&loaded);
	hd_map_release(&l.row_of);
	free(l.name);
	free(l.left);
	free(l.d.of);
	free(l.y);
	return 0;
}
