/*
 * judge_series.c - see judge_series.h
 */
#include "gate/judge_series.h"

#include "base/buf.h"
#include "base/mem.h"
#include "base/strtab.h"
#include "history/series_values.h"
#include "stats/multiple.h"
#include "stats/session_variance.h"
#include "stats/twosample.h"
#include "stats/special_functions.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 64 };		/* maximum number of rows (statistics of series); further ones are skipped */

/* Upper bound of the probability that any row FAILs if nothing changed. */
#define ALPHA 0.002

/*
 * The statistics of series that the gate judges.  name: the series; NULL: any series except sample_id and seq_len,
 * which describe the input.  instead: an older name of `stat`, which older databases have.
 */
static const struct gated {
	const char *kind, *name, *stat, *instead;
	size_t limit;			/* offset in struct hd_judge_opts */
} gated[] = {
	{ "latency", NULL, "p50", NULL, offsetof(struct hd_judge_opts, limit_latency) },
	{ "latency", NULL, "p95", NULL, offsetof(struct hd_judge_opts, limit_latency) },
	{ "latency", NULL, "p99", NULL, offsetof(struct hd_judge_opts, limit_latency) },
	{ "memory", "peak_rss_bytes", "peak_rss", "max", offsetof(struct hd_judge_opts, limit_memory) },
	{ "power", NULL, "joules", NULL, offsetof(struct hd_judge_opts, limit_energy) },
};

struct row {
	const struct gated *g;
	const char *name, *unit;
	/*
	 * method: how the energy was measured; NULL: unknown.  other: a different method, used by some of the runs;
	 * NULL: all runs whose method is known used the same method.
	 */
	const char *method, *other;
	/* by run: the compared runs, then those of earlier sessions; NaN: no value */
	double *v;
};

struct table {
	struct row rows[MOST];
	size_t n;
	struct hd_strtab *skipped;	/* a key for each row that the table lacks */
};

/* The state while the series are read. */
struct loading {
	struct table *t;
	struct hd_arena *arena;
	size_t nruns, earlier;		/* numbers of compared runs and of runs of earlier sessions */
};

static bool measures(const struct gated *g, const struct hd_series_value *v)
{
	if (strcmp(v->kind, g->kind) || (strcmp(v->stat, g->stat) && !(g->instead && !strcmp(v->stat, g->instead))))
		return false;
	return g->name ? !strcmp(v->name, g->name) : strcmp(v->name, "sample_id") && strcmp(v->name, "seq_len");
}

/*
 * Store how a run measured energy: in row->method, or in row->other if an earlier run used a different method.
 * `method` is NULL for series of other kinds, and for runs that were added before schema 014; these are comparable with
 * any method.
 */
static void take_method(struct row *row, struct hd_arena *arena, const char *method)
{
	if (!method || (row->method && !strcmp(row->method, method)))
		return;
	method = hd_arena_strndup(arena, method, strlen(method));
	if (!row->method)
		row->method = method;
	else if (!row->other)
		row->other = method;
}

static void skip(struct table *t, const struct gated *g, const char *name)
{
	struct hd_buf key = { 0 };

	hd_buf_addf(&key, "%s %s", g->stat, name);
	hd_strtab_add(t->skipped, key.data);
	hd_buf_release(&key);
}

/*
 * Return the row of a series that run number `run` has, added if it is new; NULL if the table is full, or if only a run
 * of an earlier session has the series.
 */
static struct row *row_of(const struct loading *l, const struct gated *g, const struct hd_series_value *v, size_t run)
{
	struct table *t = l->t;
	struct row *row;

	for (size_t i = 0; i < t->n; i++)
		if (t->rows[i].g == g && !strcmp(t->rows[i].name, v->name))
			return &t->rows[i];
	if (run >= l->nruns)
		return NULL;
	if (t->n == MOST) {
		skip(t, g, v->name);
		return NULL;
	}
	row = &t->rows[t->n++];
	*row = (struct row){ .g = g,
		.name = hd_arena_strndup(l->arena, v->name, strlen(v->name)),
		.unit = hd_arena_strndup(l->arena, v->unit, strlen(v->unit)),
		.v = hd_arena_alloc(l->arena, (l->nruns + l->earlier) * sizeof(*row->v)) };
	for (size_t i = 0; i < l->nruns + l->earlier; i++)
		row->v[i] = NAN;
	return row;
}

static void take(void *context, size_t run, const struct hd_series_value *v)
{
	const struct loading *l = context;

	for (size_t i = 0; i < HD_COUNT(gated); i++) {
		struct row *row = measures(&gated[i], v) ? row_of(l, &gated[i], v, run) : NULL;

		if (!row || (run >= l->nruns && row->method && v->method && strcmp(row->method, v->method)))
			continue;
		if (isnan(row->v[run]))
			row->v[run] = v->value;
		if (run < l->nruns)
			take_method(row, l->arena, v->method);
	}
}

static bool is_equal(const struct row *a, const struct row *b, size_t nruns)
{
	if (strcmp(a->g->kind, b->g->kind) || (strcmp(a->name, b->name) && strcmp(a->g->kind, "power")))
		return false;
	for (size_t i = 0; i < nruns; i++)
		if (a->v[i] != b->v[i] && !(isnan(a->v[i]) && isnan(b->v[i])))
			return false;
	return true;
}

/*
 * Keep only one of the figures that are equal in every run, because these are the same measurement.  Examples are the
 * percentiles of a series with one value, and the joules of a single power domain, which equal the joules of all
 * domains.  The first figure in the table is kept.
 */
static void drop_equal(struct table *t, size_t nruns)
{
	size_t kept = 0;

	for (size_t i = 0; i < t->n; i++) {
		bool again = false;

		for (size_t k = 0; k < kept && !again; k++)
			again = is_equal(&t->rows[k], &t->rows[i], nruns);
		if (!again)
			t->rows[kept++] = t->rows[i];
	}
	t->n = kept;
}

/* ---- judging ---- */

struct sides {
	double *v;			/* logarithms of the values: those of the base, then those of the head */
	size_t base, head;
	/* the variance between earlier sessions, if each side is one session; NULL: not used */
	const struct hd_session_figure *between;
};

/*
 * Compute the mean of the base, the mean difference between head and base, its standard error and its degrees of
 * freedom.  *dev: the standard deviation of a single run; NaN if each side is a single run.
 */
static void test(const struct sides *s, double *d, double *base, double *se, double *df, double *dev)
{
	double mb, sb, mh, sh, parts = 1 / (double)s->base + 1 / (double)s->head,
	       between = s->between ? hd_session_figure_se(s->between, s->base, s->head) : 0;

	hd_mean_sd(s->v, s->base, &mb, &sb);
	hd_mean_sd(s->v + s->base, s->head, &mh, &sh);
	*base = mb;
	*d = mh - mb;
	if (s->base > 1 && s->head > 1) {
		struct hd_welch w = hd_welch(s->v, s->base, s->v + s->base, s->head);

		*se = w.se;
		*df = w.se > 0 ? w.df : (double)(s->base + s->head - 2);
		*dev = sqrt((sb * sb + sh * sh) / 2);
	} else {
		*df = (double)(s->base + s->head) - 2;
		*dev = s->base > 1 ? sb : s->head > 1 ? sh : NAN;
		*se = *dev * sqrt(parts);
	}
	if (s->between && !(*se >= between)) {
		*se = between;
		*df = s->between->df;
		*dev = *se / sqrt(parts);
	}
}

struct tested {
	double p;			/* one-sided; 1: the variance is unknown */
	double upper;			/* one-sided 95 % upper bound of the change, in per cent */
	double chance;			/* the probability that noise alone reaches the limit */
};

/* Set base, head, the change, its 95 % interval and runs_needed in `out`. */
static struct tested measure(struct hd_judge_series *out, const struct sides *s)
{
	struct tested t = { .p = 1, .upper = INFINITY };
	double d, base, se, df, dev, half, limit = log1p(out->limit_pct / 100);

	test(s, &d, &base, &se, &df, &dev);
	out->base = exp(base);
	out->head = exp(base + d);
	out->change_pct = 100 * expm1(d);
	out->lo_pct = -100;
	out->hi_pct = INFINITY;
	if (!(df > 0))
		return t;
	half = se > 0 ? hd_t_quantile(0.975, df) * se : 0;
	out->lo_pct = 100 * expm1(d - half);
	out->hi_pct = 100 * expm1(d + half);
	t.upper = 100 * expm1(d + (se > 0 ? hd_t_quantile(0.95, df) * se : 0));
	t.p = se > 0 ? hd_t_upper(d / se, df) : d > 0 ? 0 : 1;
	t.chance = se > 0 ? hd_t_upper(limit / se, df) : limit > 0 ? 0 : 1;
	if (dev > 0) {
		double gap = fabs(limit - d), z = hd_normal_quantile(0.95) + hd_normal_quantile(0.8), runs;

		if (d >= limit)
			gap = d;
		runs = ceil(2 * pow(z * dev / gap, 2));
		out->runs_needed = runs > 99 ? 100 : (unsigned)runs;
	}
	return t;
}

/*
 * If there is a history, its values can be of another level.  Leave out those before the last change point, which is
 * looked for in the values themselves, because the least change that counts is relative.
 */
static void drop_other_level(struct sides *s)
{
	double *values = hd_zalloc(s->base, sizeof(*values));
	size_t at;

	for (size_t i = 0; i < s->base; i++)
		values[i] = exp(s->v[i]);
	at = hd_judge_last_level(values, s->base, HD_JUDGE_LEVEL_LEAST);
	free(values);
	memmove(s->v, s->v + at, (s->base - at + s->head) * sizeof(*s->v));
	s->base -= at;
}

/*
 * Collect in `s` the logarithms of the row's positive values, and set their means and counts in `out`.  *bad counts the
 * other values.  Returns false if a side has no positive value.
 */
static bool gather(struct sides *s, struct hd_judge_series *out, const struct row *row, const struct hd_judgement *j,
	size_t *bad)
{
	s->base = s->head = 0;
	for (size_t i = 0; i < j->nruns; i++) {
		double v = out->per_work ? row->v[i] / j->runs[i]->work : row->v[i];

		if (isnan(v))
			continue;
		if (!(v > 0 && isfinite(v))) {
			++*bad;
			continue;
		}
		s->v[s->base + s->head] = log(v);
		if (i < j->nbase)
			s->base++;
		else
			s->head++;
	}
	if (!s->base || !s->head)
		return false;
	if (j->c->history.n)
		drop_other_level(s);
	out->nbase = s->base;
	out->nhead = s->head;
	return true;
}

/* Set the verdict.  out->by_session: the variance between sessions is unknown, so that the row must not FAIL. */
static void decide(struct hd_judge_series *out, const struct tested *t, double level, double guard)
{
	size_t more = (out->nbase < out->nhead ? out->nbase : out->nhead) + 1;

	if (out->change_pct >= out->limit_pct && out->q <= level && t->p <= guard)
		out->verdict = out->by_session ? HD_INCONCLUSIVE : HD_FAIL;
	else {
		out->verdict = t->upper < out->limit_pct ? HD_PASS : HD_INCONCLUSIVE;
		out->by_session = false;
	}
	if (out->verdict != HD_INCONCLUSIVE)
		out->runs_needed = 0;
	else if (out->runs_needed < more || out->runs_needed < 3)
		out->runs_needed = more > 3 ? (unsigned)more : 3;
}

/* Warn that a row cannot be judged, because a side has no value that can. */
static void warn_of_missing_side(const struct hd_judgement *j, const struct row *row, const struct sides *s, size_t bad)
{
	if (bad)
		hd_warn(j->log, "gate.series", "", "%s of %s is not positive and was not compared", row->g->stat,
			row->name);
	else if (s->base)
		hd_warn(j->log, "gate.series", "measure it for the head, too",
			"%s of %s was not compared: the base has it, and the head does not", row->g->stat, row->name);
}

/*
 * If each side is one session, set s->between to how much the figure varied between earlier sessions.  If too few of
 * them know it, set out->by_session.
 */
static void use_sessions(struct sides *s, struct hd_session_figure *between, struct hd_judge_series *out,
	const struct row *row, const struct hd_judgement *j)
{
	double *v;
	int rc;

	if (!j->nsessions || j->own_sessions)
		return;
	v = hd_zalloc(j->earlier.n + 1, sizeof(*v));
	for (size_t i = 0; i < j->earlier.n; i++) {
		double of = log(row->v[j->nruns + i] / (out->per_work ? j->earlier.runs[i].work : 1));

		v[i] = isfinite(of) ? of : NAN;
	}
	rc = hd_session_figure_fit(between, v, j->session, j->earlier.n, j->nsessions);
	free(v);
	if (rc == HD_STATS_NOMEM)
		hd_out_of_memory("drift");
	out->by_session = rc == HD_STATS_NONE;
	s->between = out->by_session ? NULL : between;
}

static void judge(struct hd_judgement *j, const struct table *t)
{
	struct tested tested[MOST];
	double p[MOST], q[MOST], chance[MOST], guard, *v = hd_zalloc(j->nruns + 1, sizeof(*v));
	struct hd_judge_series *out = hd_arena_alloc(&j->c->arena, (t->n + 1) * sizeof(*out));
	size_t k = 0;

	for (size_t i = 0; i < t->n; i++) {
		const struct row *row = &t->rows[i];
		struct hd_session_figure between;
		struct sides s = { .v = v };
		size_t bad = 0;

		out[k] = (struct hd_judge_series){ .kind = row->g->kind,
			.name = row->name,
			.stat = row->g->stat,
			.unit = row->unit,
			.method = row->method,
			.per_work = j->worked && !strcmp(row->g->kind, "power"),
			.limit_pct = 100 * *(const double *)((const char *)j->o + row->g->limit) };
		if (row->other) {
			hd_warn(j->log, "gate.energy-method", "measure the energy of both sides in the same way",
				"the joules of %s were measured in different ways (%s; %s) and were not compared",
				row->name, row->method, row->other);
			continue;
		}
		if (!gather(&s, &out[k], row, j, &bad)) {
			warn_of_missing_side(j, row, &s, bad);
			continue;
		}
		use_sessions(&s, &between, &out[k], row, j);
		tested[k] = measure(&out[k], &s);
		p[k] = tested[k].p;
		chance[k] = tested[k].chance;
		k++;
	}
	free(v);
	if (hd_multiple_adjust(HD_MULTIPLE_BH, q, p, k) < 0)
		hd_out_of_memory("drift");
	guard = hd_multiple_guard(chance, k, ALPHA);
	for (size_t i = 0; i < k; i++) {
		out[i].q = q[i];
		decide(&out[i], &tested[i], j->c->level, guard);
	}
	j->c->series = out;
	j->c->nseries = k;
}

int hd_judge_series_rows(struct hd_judgement *j, struct hd_err *err)
{
	struct table t = { .skipped = hd_strtab_new() };
	struct loading l = { .t = &t, .arena = &j->c->arena, .nruns = j->nruns, .earlier = j->earlier.n };
	int64_t *rows_of = hd_new_array(int64_t, j->nruns + j->earlier.n + 1);
	size_t skipped;
	int rc;

	for (size_t i = 0; i < j->nruns; i++)
		rows_of[i] = j->runs[i]->row;
	for (size_t i = 0; i < j->earlier.n; i++)
		rows_of[j->nruns + i] = j->earlier.runs[i].row;
	rc = hd_series_values_each(j->db, rows_of, j->nruns + j->earlier.n, HD_SERIES_GATED, take, &l, err);
	free(rows_of);
	drop_equal(&t, j->nruns);
	skipped = hd_strtab_count(t.skipped) - 1;	/* without "", which it always has */
	hd_strtab_free(t.skipped);
	if (skipped)
		hd_warn(j->log, "gate.series", "",
			"%zu statistics of series were not compared: the limit is %d", skipped, MOST);
	if (rc >= 0)
		judge(j, &t);
	return rc;
}
