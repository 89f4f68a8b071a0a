/*
 * history_overview_costs.c - did a function whose share moved change its cost? see history_overview.h
 *
 * When one function grows, the shares of all others fall.  So each change of a share is judged once more as gate would do it:
 * the runs up to the change are one side, those after it the other, and the rows are the functions of the lane and all others
 * together.  A change whose 95 % interval of cost has 0 in it is none.
 */
#include "history/history_overview_load.h"

#include "base/mem.h"
#include "stats/verdict.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 30 };		/* runs of a side, those next to the change */

struct sides {
	size_t slot[2 * SIDE], base, head;
};

static bool counts(const struct hd_overview *c, const struct hd_overview_slot *s)
{
	return !strcmp(c->runs[s->run].status, "ok") && s->weight > 0;
}

/* The ok runs from the change before to this one, and from this one to the next. */
static struct sides sides_of(const struct hd_overview *c, const struct hd_overview_lane *l,
	const struct hd_overview_column *col, size_t i)
{
	size_t at = col->changes[i].index, from = i ? col->changes[i - 1].index : 0,
	       to = i + 1 < col->nchanges ? col->changes[i + 1].index : l->nslots;
	struct sides s = { .base = 0 };

	for (size_t k = at; k-- > from && s.base < SIDE;)
		if (counts(c, &l->slots[k]))
			s.slot[s.base++] = k;
	for (size_t k = at; k < to && s.head < SIDE; k++)
		if (counts(c, &l->slots[k]))
			s.slot[s.base + s.head++] = k;
	return s;
}

static double samples_of(const struct hd_overview_lane *l, size_t slot)
{
	return (double)(strcmp(l->unit, "samples") ? l->slots[slot].samples : l->slots[slot].weight);
}

/* A row of samples for each share column, and one for the rest of the profile. */
static double *rows_of(const struct hd_overview_lane *l, const struct sides *s)
{
	size_t runs = s->base + s->head;
	double *y = hd_zalloc((l->nshares + 1) * runs + 1, sizeof(*y));

	for (size_t r = 0; r < runs; r++) {
		double samples = samples_of(l, s->slot[r]), rest = 100;

		for (size_t i = 0; i < l->nshares; i++) {
			y[i * runs + r] = l->columns[i].v[s->slot[r]] / 100 * samples;
			rest -= l->columns[i].v[s->slot[r]];
		}
		y[l->nshares * runs + r] = fmax(rest, 0) / 100 * samples;
	}
	return y;
}

/* Rows with samples on both sides: of fewer than three nobody can say which did not change. */
static size_t in_both(const double *y, size_t rows, const struct sides *s)
{
	size_t n = 0;

	for (size_t i = 0; i < rows; i++) {
		const double *row = y + i * (s->base + s->head);
		double base = 0, head = 0;

		for (size_t r = 0; r < s->base + s->head; r++)
			*(r < s->base ? &base : &head) += row[r];
		n += base >= 1 && head >= 1;
	}
	return n;
}

/* The change of the cost of column `at`; unknown where the model cannot tell. */
static struct hd_overview_cost judge(const struct hd_overview_lane *l, size_t at, const struct sides *s)
{
	struct hd_overview_cost cost = { NAN, NAN, NAN };
	struct hd_run_counts in = { .symbols = l->nshares + 1, .base = s->base, .head = s->head };
	struct hd_symbol_verdict *rows = hd_zalloc(l->nshares + 2, sizeof(*rows));
	struct hd_verdict_opts o = hd_verdict_defaults;
	double *y = rows_of(l, s);
	struct hd_judged_profile judged;
	struct hd_variance_model m;
	int rc;

	in.y = y;
	o.rest = 1;
	rc = in_both(y, in.symbols, s) < 3 ? HD_STATS_NONE : hd_variance_model_fit(&m, &in);
	if (rc >= 0) {
		rc = hd_verdicts(&judged, rows, &in, &m, NULL, &o, true);
		hd_variance_model_release(&m);
	}
	if (rc == HD_STATS_NOMEM)
		hd_out_of_memory("changes");
	if (rc >= 0)
		cost = (struct hd_overview_cost){ 100 * rows[at].change, 100 * rows[at].lo, 100 * rows[at].hi };
	free(rows);
	free(y);
	return cost;
}

static bool is_none(const struct hd_overview_cost *cost)
{
	return isfinite(cost->hi) && cost->lo <= 0 && cost->hi >= 0;
}

void hd_overview_costs(struct hd_overview *c, struct hd_overview_lane *l)
{
	for (size_t i = 0; i < l->nshares; i++) {
		struct hd_overview_column *col = &l->columns[i];
		size_t n = 0;

		col->costs = hd_new_array(struct hd_overview_cost, col->nchanges + 1);
		for (size_t k = 0; k < col->nchanges; k++) {
			struct sides s = sides_of(c, l, col, k);

			if (s.base && s.head)
				col->costs[k] = judge(l, i, &s);
			else
				col->costs[k] = (struct hd_overview_cost){ NAN, NAN, NAN };
		}
		for (size_t k = 0; k < col->nchanges; k++) {
			if (is_none(&col->costs[k]))
				continue;
			col->costs[n] = col->costs[k];
			col->changes[n++] = col->changes[k];
		}
		col->nchanges = n;
	}
}
