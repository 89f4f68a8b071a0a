/*
 * history_overview_series.c - latency, memory and energy run by run, and where anything moved: see history_overview.h
 */
#include "history/history_overview_load.h"

#include "base/mem.h"
#include "history/series_values.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- series ---- */

/* The order in which the figures of a series stand. */
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

/* The column of a series in this lane, made when it is new; NULL when there are too many. */
static struct hd_overview_column *column_of(struct hd_overview *c, struct hd_overview_lane *l, const struct hd_series_value *w)
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

struct loading {
	struct hd_overview *c;
	size_t *next;			/* the next slot of each lane */
	uint32_t run;
};

/* Store a value in every lane that has the run. */
static void take(void *context, const struct hd_series_value *w)
{
	struct loading *g = context;

	for (size_t i = 0; i < g->c->nlanes; i++) {
		struct hd_overview_lane *l = &g->c->lanes[i];
		struct hd_overview_column *col;
		size_t *next = &g->next[i];

		while (*next < l->nslots && l->slots[*next].run < g->run)
			++*next;
		if (*next == l->nslots || l->slots[*next].run != g->run)
			continue;
		col = column_of(g->c, l, w);
		if (!col)
			g->c->series_left_out++;
		for (size_t s = *next; col && s < l->nslots && l->slots[s].run == g->run; s++)
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

/* Sort the columns of series.  Percentiles that are equal in every run (of one sample a run) become one column, that of p50. */
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
	int64_t any = 0;
	int rc;

	rc = hd_db_query_int(db, &any, 0, err, "SELECT COUNT(*) FROM (SELECT 1 FROM series_summary LIMIT 1) x", "");
	for (g.run = 0; any && g.run < c->nruns && rc >= 0; g.run++)
		rc = hd_series_values_each(db, c->runs[g.run].row, HD_SERIES_SHOWN, take, &g, err);
	for (size_t i = 0; i < c->nlanes && rc >= 0; i++)
		arrange(&c->lanes[i]);
	free(g.next);
	return rc;
}

/* ---- where they moved ---- */

/* What is smaller is not worth a mark on a page. */
static const double least_magnitude = 0.05;
/* Nor is a share that moved by less, in per cent of the whole: when one symbol falls by a third all others rise a little. */
static const double least_points = 0.5;

/* One of twenty runs is above, one below, though nothing moved. */
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
