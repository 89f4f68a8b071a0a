/*
 * trend_values.c - see trend.h: compute the values of points
 */
#include "history/trend.h"

#include "base/encode.h"
#include "base/mem.h"
#include "db/row_reader.h"
#include "stats/twosample.h"
#include "stats/special_functions.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* with fewer degrees of freedom, the pooled variance is not used for points that have a single run */
enum { SPREAD_DF = 3 };

/* The values of each run. */
struct reading {
	double *value, *total;		/* NaN: no value */
	int64_t *rank;			/* 0: no row */
};

static struct reading reading_new(size_t n, double none)
{
	struct reading g = { hd_new_array(double, n + 1), hd_new_array(double, n + 1), hd_new_array(int64_t, n + 1) };

	for (size_t i = 0; i < n; i++)
		g.value[i] = g.total[i] = none;
	return g;
}

static void reading_release(struct reading *g)
{
	free(g->value);
	free(g->total);
	free(g->rank);
}

/* Set the interval of a share to Wilson's interval, in per cent.  samples: the number of samples of the run. */
static void count_interval(struct hd_trend_value *v, double samples)
{
	double z = 1.959963984540054, p = v->value / 100, d = 1 + z * z / samples;
	double mid = (p + z * z / (2 * samples)) / d,
	       half = z * sqrt(p * (1 - p) / samples + z * z / (4 * samples * samples)) / d;

	if (!(samples > 0) || !(p >= 0 && p <= 1))
		return;
	v->lo = 100 * fmax(0, mid - half);
	v->hi = 100 * fmin(1, mid + half);
}

/* The variance of runs within points, relative to their means, pooled over all points with several runs. */
struct spread {
	double sum, df;			/* sum of squared relative deviations */
	double t;			/* 97.5 % quantile of Student's t with df degrees of freedom */
};

/*
 * Return the mean, the mean total, the best rank and the number of runs of a point, and add the variance of its runs to
 * *spread.  set_interval() sets the interval later, when the pooled variance is known.
 */
static struct hd_trend_value point_value(const struct hd_trend_point *p, const struct reading *g, double *room,
	bool share, struct spread *spread)
{
	struct hd_trend_value v = { NAN, NAN, NAN, NAN, 0, 0, NAN };
	double total = 0, sd;

	for (size_t i = p->first; i < p->first + p->runs; i++) {
		if (isnan(g->value[i]))
			continue;
		room[v.runs++] = g->value[i];
		total += g->total[i];
		if (g->rank[i] && (!v.rank || g->rank[i] < v.rank))
			v.rank = g->rank[i];
	}
	if (!v.runs)
		return v;
	v.total = share ? total / (double)v.runs : NAN;
	v.value = room[0];
	if (v.runs > 1) {
		hd_mean_sd(room, v.runs, &v.value, &sd);
		/* lo holds the mean minus the standard deviation until set_interval() replaces it */
		v.lo = v.value - sd;
		if (v.value != 0) {
			spread->sum += (double)(v.runs - 1) * sd * sd / (v.value * v.value);
			spread->df += (double)(v.runs - 1);
		}
	}
	return v;
}

/* Return the mean cost of the runs of a point, per run or per unit of work. */
static double point_cost(const struct hd_trend *t, const struct hd_trend_point *p, const struct reading *g)
{
	double sum = 0;
	size_t n = 0;

	for (size_t i = p->first; i < p->first + p->runs; i++)
		if (!isnan(g->value[i])) {
			sum += g->value[i] / 100 * (double)t->runs[i].weight / (t->per_work ? t->runs[i].work : 1);
			n++;
		}
	return n ? sum / (double)n : NAN;
}

/*
 * Set the 95 % interval of a point.  The variance of a few runs is uncertain, so the variance pooled over all points is
 * used if it has more degrees of freedom.
 */
static void set_interval(struct hd_trend_value *v, const struct spread *spread, double samples, bool share)
{
	double df = spread->df, sd, half;

	if (v->runs == 1 && share)
		count_interval(v, samples);
	if (!v->runs || !(df >= 1) || v->value == 0) {
		if (v->runs > 1)
			v->lo = v->hi = v->value;
		return;
	}
	sd = v->runs > 1 ? v->value - v->lo : 0;
	if (v->runs == 1 && df < SPREAD_DF)
		return;
	if (v->runs == 1 || (double)v->runs - 1 < df)
		sd = sqrt(spread->sum / df) * fabs(v->value);
	half = spread->t * sd / sqrt((double)v->runs);
	if (v->runs > 1 || !share || half > v->hi - v->value) {
		v->lo = v->value - half;
		v->hi = v->value + half;
	}
	if (share) {
		v->lo = fmax(0, v->lo);
		v->hi = fmin(100, v->hi);
	}
}

double hd_trend_counted(const struct hd_trend *t, const struct hd_trend_run *run)
{
	return (double)(t->unit && !strcmp(t->unit, "samples") ? run->weight : run->samples);
}

static void settle(struct hd_trend_values *v, const struct hd_trend *t, const struct reading *g, bool share)
{
	double *room = hd_new_array(double, t->nruns + 1);
	struct spread spread = { 0 };

	*v = (struct hd_trend_values){ hd_new_array(struct hd_trend_value, t->npoints + 1), t->npoints, 0, NULL };
	for (size_t i = 0; i < t->npoints; i++) {
		v->of[i] = point_value(&t->points[i], g, room, share, &spread);
		if (share)
			v->of[i].cost = point_cost(t, &t->points[i], g);
		v->have += share ? v->of[i].rank > 0 : v->of[i].runs > 0;
	}
	spread.t = spread.df >= 1 ? hd_t_quantile(0.975, spread.df) : 0;
	for (size_t i = 0; i < t->npoints; i++)
		set_interval(&v->of[i], &spread,
			t->points[i].runs ? hd_trend_counted(t, &t->runs[t->points[i].first]) : 0, share);
	free(room);
}

/*
 * The condition on run.id and run.target of the runs between the first and the last run of a trend.  The target keeps
 * the number of rows that are read independent of the runs of other targets.
 */
#define RUNS_OF_TARGET(first, last) \
	"target = (SELECT target FROM run WHERE id = " first ") AND id >= " first " AND id <= " last

struct cost_row { int64_t run, event, rank, self, total; };
static const struct hd_row_field cost_fields[] = {
	HD_ROW(struct cost_row, run, "h.run_id", INT),
	HD_ROW(struct cost_row, event, "h.event", INT),
	HD_ROW(struct cost_row, rank, "h.rank", INT_OR_0),
	HD_ROW(struct cost_row, self, "h.self", INT_OR_0),
	HD_ROW(struct cost_row, total, "h.total", INT_OR_0),
};
/*
 * An era is 32 runs with consecutive ids; an index of table hotspot begins with it (run_id / 32).  The limits of
 * run_id tell a server which partition the era is in.
 */
static const struct hd_row_query costs_of_symbol = HD_ROW_QUERY(struct cost_row, cost_fields,
	"FROM (SELECT DISTINCT id / 32 AS era FROM run WHERE " RUNS_OF_TARGET("$2", "$3") ") t CROSS JOIN hotspot h "
	"WHERE h.run_id / 32 = t.era AND h.symbol_id = $1 AND h.run_id >= t.era * 32 AND h.run_id < t.era * 32 + 32");

/* Read the rows of one symbol.  Self costs of one function in a run add up; totals may overlap, so use the largest. */
static int read_symbol(struct reading *g, const struct hd_trend *t, struct hd_db *db, int64_t id, struct hd_err *err)
{
	struct cost_row row;
	struct hd_db_rows r;
	int rc;

	rc = hd_row_query(&r, &costs_of_symbol, db, err, "iii", id, t->first_id, t->last_id);
	while (rc >= 0 && (rc = hd_row_next(&r, &costs_of_symbol, NULL, &row, err)) > 0) {
		uint32_t i = hd_map_get(&t->by_id, (uint64_t)row.run);
		const struct hd_trend_run *run = i == HD_MAP_NONE ? NULL : &t->runs[i];

		if (!run || run->event != row.event || run->weight <= 0)
			continue;
		g->value[i] += 100 * (double)row.self / (double)run->weight;
		g->total[i] = fmax(g->total[i], 100 * (double)row.total / (double)run->weight);
		if (row.rank > 0 && (!g->rank[i] || row.rank < g->rank[i]))
			g->rank[i] = row.rank;
	}
	hd_db_end(&r);
	return rc < 0 ? rc : 0;
}

struct value_row { int64_t run; double value; };
static const struct hd_row_field value_fields[] = {
	HD_ROW(struct value_row, run, "s.run_id", INT),
	HD_ROW(struct value_row, value, "x.value", REAL_OR_0),
};
static const struct hd_row_query values_of_series = HD_ROW_QUERY(struct value_row, value_fields,
	"FROM (SELECT id FROM run WHERE " RUNS_OF_TARGET("$4", "$5") ") r CROSS JOIN series s "
	"CROSS JOIN series_summary x WHERE s.run_id = r.id AND s.name = $2 AND ($1 = '' OR s.kind = $1) "
	"AND x.run_id = s.run_id AND x.series = s.series AND x.stat = $3");

static int read_series(struct reading *g, const struct hd_trend *t, struct hd_db *db, const char *kind,
	const char *name, const char *stat, struct hd_err *err)
{
	char *visible = hd_enc_visible_new(name);
	struct value_row row;
	struct hd_db_rows r;
	int rc;

	rc = hd_row_query(&r, &values_of_series, db, err, "tttii", kind ? kind : "", visible, stat, t->first_id,
		t->last_id);
	while (rc >= 0 && (rc = hd_row_next(&r, &values_of_series, NULL, &row, err)) > 0) {
		uint32_t i = hd_map_get(&t->by_id, (uint64_t)row.run);

		if (i != HD_MAP_NONE && isfinite(row.value))
			g->value[i] = row.value;
	}
	hd_db_end(&r);
	free(visible);
	return rc < 0 ? rc : 0;
}

static int read_symbols(struct reading *g, const struct hd_trend *t, struct hd_db *db, const int64_t *ids, size_t n,
	struct hd_err *err)
{
	int rc = 0;

	for (size_t i = 0; i < n && rc >= 0; i++)
		rc = read_symbol(g, t, db, ids[i], err);
	return rc;
}

int hd_trend_symbol(struct hd_trend_values *v, const struct hd_trend *t, struct hd_db *db, const int64_t *ids, size_t n,
		    struct hd_err *err)
{
	struct reading g = reading_new(t->nruns, 0);
	int rc = read_symbols(&g, t, db, ids, n, err);

	*v = (struct hd_trend_values){ 0 };
	if (rc >= 0) {
		settle(v, t, &g, true);
		v->run = g.value;
		g.value = NULL;
	}
	reading_release(&g);
	return rc < 0 ? rc : 0;
}

int hd_trend_series(struct hd_trend_values *v, const struct hd_trend *t, struct hd_db *db, const char *kind,
	const char *name, const char *stat, struct hd_err *err)
{
	struct reading g = reading_new(t->nruns, NAN);
	int rc = read_series(&g, t, db, kind, name, stat, err);

	*v = (struct hd_trend_values){ 0 };
	if (rc >= 0)
		settle(v, t, &g, false);
	reading_release(&g);
	return rc < 0 ? rc : 0;
}

int hd_trend_symbol_runs(double *v, const struct hd_trend *t, struct hd_db *db, const int64_t *ids, size_t n,
	struct hd_err *err)
{
	struct reading g = reading_new(t->nruns, 0);
	int rc = read_symbols(&g, t, db, ids, n, err);

	memcpy(v, g.value, t->nruns * sizeof(*v));
	reading_release(&g);
	return rc;
}

int hd_trend_series_runs(double *v, const struct hd_trend *t, struct hd_db *db, const char *kind, const char *name,
	const char *stat, struct hd_err *err)
{
	struct reading g = reading_new(t->nruns, NAN);
	int rc = read_series(&g, t, db, kind, name, stat, err);

	memcpy(v, g.value, t->nruns * sizeof(*v));
	reading_release(&g);
	return rc;
}

void hd_trend_values_release(struct hd_trend_values *v)
{
	free(v->of);
	free(v->run);
	*v = (struct hd_trend_values){ 0 };
}
