/*
 * history_overview_columns.c - see history_overview.h: columns of series, change points, and costs of changed shares
 */
#include "history/history_overview_load.h"

#include "base/mem.h"
#include "history/series_values.h"
#include "profile/mode.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- series ---- */

/* The statistics of a series, in the order of their columns on the page. */
static const char *const stats[] = { "p50", "p95", "p99", "peak_rss", "mean_rss", "joules", "mean", "peak", "max" };

static size_t order_of(const char *stat)
{
	size_t i = 0;

	while (i < HD_COUNT(stats) && strcmp(stats[i], stat))
		i++;
	return i;
}

static int by_series(const void *pa, const void *pb)
{
	const struct hd_overview_column *a = pa, *b = pb;
	int d = strcmp(a->kind, b->kind);

	if (!d)
		d = strcmp(a->name, b->name);
	if (!d)
		d = strcmp(a->unit, b->unit);
	return d ? d : (int)order_of(a->stat) - (int)order_of(b->stat);
}

/*
 * Return the column of a series in this lane (a group of comparable runs); add it if it is new.  NULL if there are too
 * many.
 */
static struct hd_overview_column *column_of(struct hd_overview *c, struct hd_overview_lane *l,
	const struct hd_series_value *w)
{
	struct hd_overview_column *col;

	for (size_t i = l->nshares; i < l->ncolumns; i++) {
		col = &l->columns[i];
		if (!strcmp(col->stat, w->stat) && !strcmp(col->name, w->name) && !strcmp(col->kind, w->kind) &&
			!strcmp(col->unit, w->unit))
			return col;
	}
	if (l->ncolumns - l->nshares == HD_OVERVIEW_COLUMNS)
		return NULL;
	col = &l->columns[l->ncolumns++];
	*col = (struct hd_overview_column){ .symbol = UINT32_MAX, .v = hd_new_array(double, l->nslots) };
	col->kind = hd_arena_strndup(&c->arena, w->kind, strlen(w->kind));
	col->name = hd_arena_strndup(&c->arena, w->name, strlen(w->name));
	col->unit = hd_arena_strndup(&c->arena, w->unit, strlen(w->unit));
	col->stat = hd_arena_strndup(&c->arena, w->stat, strlen(w->stat));
	for (size_t i = 0; i < l->nslots; i++)
		col->v[i] = NAN;
	return col;
}

/* State while the series are read, run by run. */
struct loading {
	struct hd_overview *c;
	size_t *next;			/* the next slot of each lane */
};

/* Store a value in every lane (group of comparable runs) that has the run. */
static void take(void *context, size_t run, const struct hd_series_value *w)
{
	struct loading *g = context;

	for (size_t i = 0; i < g->c->nlanes; i++) {
		struct hd_overview_lane *l = &g->c->lanes[i];
		struct hd_overview_column *col;
		size_t *next = &g->next[i];

		while (*next < l->nslots && l->slots[*next].run < run)
			++*next;
		if (*next == l->nslots || l->slots[*next].run != run)
			continue;
		col = column_of(g->c, l, w);
		if (!col)
			g->c->series_left_out++;
		for (size_t s = *next; col && s < l->nslots && l->slots[s].run == run; s++)
			col->v[s] = w->value;
	}
}

static bool is_equal(const struct hd_overview_column *a, const struct hd_overview_column *b, size_t nslots)
{
	if (strcmp(a->kind, "latency") || strcmp(b->kind, "latency") || strcmp(a->name, b->name) ||
		strcmp(a->unit, b->unit))
		return false;
	for (size_t i = 0; i < nslots; i++)
		if (a->v[i] != b->v[i] && !(isnan(a->v[i]) && isnan(b->v[i])))
			return false;
	return true;
}

/*
 * Sort the columns that contain series.  Percentiles that are equal in every run (a run with one sample) become one
 * column, p50.
 */
static void arrange(struct hd_overview_lane *l)
{
	size_t kept = l->nshares;

	qsort(l->columns + l->nshares, l->ncolumns - l->nshares, sizeof(*l->columns), by_series);
	for (size_t i = l->nshares; i < l->ncolumns; i++)
		if (kept > l->nshares && is_equal(&l->columns[kept - 1], &l->columns[i], l->nslots))
			free(l->columns[i].v);
		else
			l->columns[kept++] = l->columns[i];
	l->ncolumns = kept;
}

int hd_overview_series(struct hd_overview *c, struct hd_db *db, struct hd_err *err)
{
	struct loading g = { .c = c, .next = hd_new_array(size_t, c->nlanes + 1) };
	int64_t *rows = hd_overview_rows(c);
	int rc = hd_series_values_each(db, rows, c->nruns, HD_SERIES_SHOWN, take, &g, err);

	free(rows);
	for (size_t i = 0; i < c->nlanes && rc >= 0; i++)
		arrange(&c->lanes[i]);
	free(g.next);
	return rc;
}

/* ---- change points ---- */

/* The pages of `html` mark a change point only if the relative change is at least this large. */
static const double least_magnitude = 0.05;
/*
 * The pages mark a change of a share only if it is at least this large, in percentage points.  Smaller changes are
 * frequent: if one symbol becomes cheaper, the shares of all others rise a little.
 */
static const double least_points = 0.5;

/*
 * The probability with which the value of the next run exceeds the upper limit, or is below the lower one, although
 * nothing has changed.
 */
static const double next_alpha = 0.05;

static void expect_next(struct hd_overview_column *col, const double *v, const size_t *slot, size_t from, size_t n)
{
	hd_trend_limit_since(&col->next, v + from, n - from, next_alpha);
	col->next_from = col->next.n ? slot[n - col->next.n] : 0;
}

static int changes_of(struct hd_overview_column *col, const struct hd_overview *c, const struct hd_overview_lane *l,
	double *v, size_t *slot, struct hd_err *err)
{
	struct hd_changepoint_opts o = hd_changepoint_defaults;
	size_t n = 0;
	long found;

	for (size_t i = 0; i < l->nslots; i++)
		if (!strcmp(c->runs[l->slots[i].run].status, "ok") && isfinite(col->v[i])) {
			slot[n] = i;
			v[n++] = col->v[i];
		}
	o.min_magnitude = least_magnitude;
	col->changes = hd_new_array(struct hd_changepoint, n ? n : 1);
	found = hd_changepoints(col->changes, v, n, &o);
	if (found < 0)
		return hd_fail(err, HD_EIO, "out of memory while looking for changes in %zu runs", n);
	expect_next(col, v, slot, found ? col->changes[found - 1].index : 0, n);
	for (long i = 0; i < found; i++) {
		struct hd_changepoint *p = &col->changes[i];

		if (col->symbol != UINT32_MAX && fabs(p->after - p->before) < least_points)
			continue;
		p->index = slot[p->index];
		col->changes[col->nchanges++] = *p;
	}
	return 0;
}

int hd_overview_changes(struct hd_overview *c, struct hd_err *err)
{
	int rc = 0;

	for (size_t i = 0; i < c->nlanes && rc >= 0; i++) {
		struct hd_overview_lane *l = &c->lanes[i];
		double *v = hd_new_array(double, l->nslots + 1);
		size_t *slot = hd_new_array(size_t, l->nslots + 1);

		for (size_t k = 0; k < l->ncolumns && rc >= 0; k++)
			rc = changes_of(&l->columns[k], c, l, v, slot, err);
		free(v);
		free(slot);
	}
	return rc;
}

/*
 * ---- costs ----
 *
 * When one function grows, the shares of all others fall.  So each change of a share is also judged as gate would do
 * it: the runs before the change are one side, those from it on the other, and the rows are the functions of the lane
 * and a last row for all other functions together.  A change whose 95 % interval of cost contains 0 is dropped.
 */

struct sides {
	size_t slot[2 * HD_COST_CHANGE_RUNS], base, head;
};

static bool counts(const struct hd_overview *c, const struct hd_overview_slot *s)
{
	return !strcmp(c->runs[s->run].status, "ok") && s->weight > 0;
}

/*
 * Return the runs before and after change i of a column.  These are the runs with status ok between the previous change
 * and this one, and between this one and the next: at most HD_COST_CHANGE_RUNS on either side, the nearest ones.
 */
static struct sides sides_of(const struct hd_overview *c, const struct hd_overview_lane *l,
	const struct hd_overview_column *col, size_t i)
{
	size_t at = col->changes[i].index, from = i ? col->changes[i - 1].index : 0,
	       to = i + 1 < col->nchanges ? col->changes[i + 1].index : l->nslots;
	struct sides s = { .base = 0 };

	for (size_t k = at; k-- > from && s.base < HD_COST_CHANGE_RUNS;)
		if (counts(c, &l->slots[k]))
			s.slot[s.base++] = k;
	for (size_t k = at; k < to && s.head < HD_COST_CHANGE_RUNS; k++)
		if (counts(c, &l->slots[k]))
			s.slot[s.base + s.head++] = k;
	return s;
}

static double samples_of(const struct hd_overview_lane *l, size_t slot)
{
	return (double)(strcmp(l->unit, "samples") ? l->slots[slot].samples : l->slots[slot].weight);
}

/*
 * Build a table of samples for the variance model: one row for each share column, and a last row for the rest of the
 * profile.  A run counts for its weight, which is its cost, times one factor for all runs, so that their sum is the
 * number of samples.
 */
static double *rows_of(const struct hd_overview_lane *l, const struct sides *s)
{
	size_t runs = s->base + s->head;
	double *y = hd_zalloc((l->nshares + 1) * runs + 1, sizeof(*y)), all = 0, weight = 0;

	for (size_t r = 0; r < runs; r++) {
		all += samples_of(l, s->slot[r]);
		weight += (double)l->slots[s->slot[r]].weight;
	}
	for (size_t r = 0; r < runs; r++) {
		double samples = (double)l->slots[s->slot[r]].weight * (all / weight), rest = 100;

		for (size_t i = 0; i < l->nshares; i++) {
			y[i * runs + r] = l->columns[i].v[s->slot[r]] / 100 * samples;
			rest -= l->columns[i].v[s->slot[r]];
		}
		y[l->nshares * runs + r] = fmax(rest, 0) / 100 * samples;
	}
	return y;
}

/*
 * Return the change of the cost of the symbol in column `at`, per unit of work if all runs know theirs.  Otherwise it
 * is of a run if the costs are bytes or allocations, and relative to the change of most symbols if they are not.
 */
static struct hd_cost_change judge_cost(const struct hd_overview *c, const struct hd_overview_lane *l, size_t at,
	const struct sides *s)
{
	struct hd_cost_change *all = hd_new_array(struct hd_cost_change, l->nshares + 1), cost;
	double *y = rows_of(l, s), work[2 * HD_COST_CHANGE_RUNS];
	struct hd_run_counts in = { .symbols = l->nshares + 1, .base = s->base, .head = s->head, .y = y };
	bool per_work = true;

	for (size_t r = 0; r < s->base + s->head; r++) {
		const struct hd_overview_run *run = &c->runs[l->slots[s->slot[r]].run];

		work[r] = run->work;
		per_work = per_work && run->work > 0;
	}
	for (size_t r = 0; r < s->base + s->head && !per_work; r++)
		work[r] = 1;
	if (per_work || hd_profile_mode_counts_memory(l->unit))
		in.work = work;
	if (hd_cost_changes(all, &in, 1, false) < 0)
		hd_out_of_memory("changes");
	cost = all[at];
	free(all);
	free(y);
	return cost;
}

void hd_overview_costs(struct hd_overview *c, struct hd_overview_lane *l)
{
	for (size_t i = 0; i < l->nshares; i++) {
		struct hd_overview_column *col = &l->columns[i];
		size_t n = 0;

		col->costs = hd_new_array(struct hd_cost_change, col->nchanges + 1);
		for (size_t k = 0; k < col->nchanges; k++) {
			struct sides s = sides_of(c, l, col, k);

			col->costs[k] = s.base && s.head ? judge_cost(c, l, i, &s) : hd_cost_change_unknown;
		}
		for (size_t k = 0; k < col->nchanges; k++) {
			if (hd_cost_change_is_none(&col->costs[k]))
				continue;
			col->costs[n] = col->costs[k];
			col->changes[n++] = col->changes[k];
		}
		col->nchanges = n;
	}
}
