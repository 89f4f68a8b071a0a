/*
 * session_variance.c - see session_variance.h
 */
#include "stats/session_variance.h"

#include "stats/order.h"

#include <math.h>
#include <stdlib.h>

#define OUTLIER 4.0			/* a difference above this many robust standard deviations is an outlier */
#define MAD_SD 1.4826022185056018	/* standard deviation per median absolute deviation, for normal values */
/* A variance computed from n successive differences has this many degrees of freedom per difference. */
#define EFFICIENCY (2.0 / 3)

/* Return the mean square of n differences, without the outliers.  room: scratch space for n values. */
static double mean_square(const double *e, double *room, size_t n)
{
	double limit, sum = 0;
	size_t kept = 0;

	for (size_t i = 0; i < n; i++)
		room[i] = fabs(e[i]);
	hd_order_sort(room, n);
	limit = OUTLIER * MAD_SD * hd_order_median(room, n);
	for (size_t i = 0; i < n; i++) {
		if (fabs(e[i]) > limit && limit > 0)
			continue;
		sum += e[i] * e[i];
		kept++;
	}
	return kept ? sum / (double)kept : 0;
}

/* Sum the runs of each session.  cost: matrix of symbols x n sessions. */
static void sum_sessions(double *cost, const double *y, size_t symbols, size_t runs, const uint32_t *session, size_t n)
{
	for (size_t i = 0; i < symbols * n; i++)
		cost[i] = 0;
	for (size_t i = 0; i < symbols; i++)
		for (size_t r = 0; r < runs; r++)
			cost[i * n + session[r]] += y[i * runs + r];
}

/* The costs of all symbols in a session or a run: one column of a matrix.  Each cost is divided by `runs`. */
struct column {
	const double *first;
	size_t width;			/* of the matrix */
	double runs;
};

/* Return the change from one column to another that most symbols share: the weighted median of their changes. */
static double level_between(struct column from, struct column to, size_t symbols, struct hd_weighted *room)
{
	size_t used = 0;

	for (size_t i = 0; i < symbols; i++) {
		double a = from.first[i * from.width] / from.runs, b = to.first[i * to.width] / to.runs;

		if (a > 0 && b > 0)
			room[used++] = (struct hd_weighted){ log((b + 0.5) / (a + 0.5)), sqrt(a + b), 1 };
	}
	return hd_weighted_median(room, used);
}

/*
 * Set out->run.  level: for each run, its change against the mean run of its session; of: the number of runs of each
 * session; room: for each session.
 */
static void estimate_runs(struct hd_session_variance *out, const double *y, const double *cost, size_t runs,
	const uint32_t *session, const double *level, const double *of, double *room)
{
	size_t n = out->n;
	double df = (double)runs - (double)n;

	for (size_t i = 0; i < out->symbols; i++) {
		double squares = 0, all = 0;

		for (size_t k = 0; k < n; k++)
			room[k] = 0;
		for (size_t r = 0; r < runs; r++)
			room[session[r]] += (log(y[i * runs + r] + 0.5) - level[r]) / of[session[r]];
		for (size_t r = 0; r < runs; r++)
			squares += pow(log(y[i * runs + r] + 0.5) - level[r] - room[session[r]], 2);
		for (size_t k = 0; k < n; k++)
			all += cost[i * n + k];
		out->run[i] = df > 0 ? fmax(0, squares / df - 1 / (all / (double)runs + 0.5)) / out->runs
				     : fmax(0, out->s2[i] - out->v[i]);
	}
}

/*
 * Set out->level_s2.  level: for each pair of successive sessions, the change of their sums; worked: the change of
 * their work, which is no part of the level.
 */
static void estimate_level(struct hd_session_variance *out, const double *level, const double *worked, double *e,
	double *room)
{
	for (size_t k = 0; k + 1 < out->n; k++)
		e[k] = level[k] - worked[k];
	out->level_s2 = mean_square(e, room, out->n - 1) / 2;
}

static void estimate(struct hd_session_variance *out, const double *cost, const double *level, double *e, double *room)
{
	size_t n = out->n;

	for (size_t i = 0; i < out->symbols; i++) {
		double sum = 0;

		for (size_t k = 0; k < n; k++)
			sum += cost[i * n + k];
		for (size_t k = 0; k + 1 < n; k++)
			e[k] = log((cost[i * n + k + 1] + 0.5) / (cost[i * n + k] + 0.5)) - level[k];
		out->s2[i] = mean_square(e, room, n - 1) / 2;
		out->v[i] = 1 / (sum / (double)n + 0.5);
	}
}

int hd_session_variance_fit(struct hd_session_variance *out, const double *y, size_t symbols, size_t runs,
	const uint32_t *session, size_t n, const double *work)
{
	double *cost, *room;
	struct hd_weighted *w;

	*out = (struct hd_session_variance){ .symbols = symbols, .n = n };
	if (n < HD_SESSION_VARIANCE_LEAST || !symbols)
		return HD_STATS_NONE;
	cost = malloc(symbols * n * sizeof(*cost));
	room = malloc((7 * n + runs) * sizeof(*room));
	w = malloc(symbols * sizeof(*w));
	out->s2 = malloc(3 * symbols * sizeof(*out->s2));
	if (cost && room && w && out->s2) {
		double *of = room + 3 * n, *work_of = of + 2 * n, *worked = work_of + n, *level = worked + n;

		out->v = out->s2 + symbols;
		out->run = out->v + symbols;
		out->runs = (double)runs / (double)n;
		out->df = EFFICIENCY * (double)(n - 1);
		sum_sessions(cost, y, symbols, runs, session, n);
		for (size_t k = 0; k + 1 < n; k++)
			room[k] = level_between((struct column){ cost + k, n, 1 },
				(struct column){ cost + k + 1, n, 1 }, symbols, w);
		for (size_t k = 0; k < n; k++)
			of[k] = work_of[k] = 0;
		for (size_t r = 0; r < runs; r++) {
			of[session[r]]++;
			work_of[session[r]] += work ? work[r] : 1;
		}
		for (size_t k = 0; k + 1 < n; k++)
			worked[k] = log(work_of[k + 1] / work_of[k]);
		/* If the work is known, symbols are not compared relative to the level, but by their costs. */
		estimate(out, cost, work ? worked : room, room + n, room + 2 * n);
		estimate_level(out, room, worked, room + n, room + 2 * n);
		for (size_t r = 0; r < runs; r++)
			level[r] = work ? log(work[r] * of[session[r]] / work_of[session[r]])
					: level_between((struct column){ cost + session[r], n, of[session[r]] },
						(struct column){ y + r, runs, 1 }, symbols, w);
		estimate_runs(out, y, cost, runs, session, level, of, of + n);
	}
	free(cost);
	free(w);
	free(room);
	if (!out->v)
		hd_session_variance_release(out);
	return out->v ? HD_STATS_OK : HD_STATS_NOMEM;
}

void hd_session_variance_release(struct hd_session_variance *s)
{
	free(s->s2);
	s->s2 = s->v = s->run = NULL;
}

/* ---- one figure ---- */

/* Set the mean and the number of the values of each session. */
static void session_means(double *mean, double *of, const double *v, const uint32_t *session, size_t runs, size_t n)
{
	for (size_t k = 0; k < n; k++)
		mean[k] = of[k] = 0;
	for (size_t r = 0; r < runs; r++) {
		if (isnan(v[r]))
			continue;
		mean[session[r]] += v[r];
		of[session[r]]++;
	}
	for (size_t k = 0; k < n; k++)
		mean[k] /= of[k];
}

/* room: for 4 n values. */
static int fit_figure(struct hd_session_figure *out, const double *v, const uint32_t *session, size_t runs, size_t n,
	double *room)
{
	double *mean = room, *of = room + n, *e = of + n, squares = 0, df = 0;
	size_t known = 0;

	session_means(mean, of, v, session, runs, n);
	for (size_t r = 0; r < runs; r++)
		if (!isnan(v[r]))
			squares += pow(v[r] - mean[session[r]], 2);
	for (size_t k = 0; k < n; k++) {
		if (!(of[k] > 0))
			continue;
		df += of[k] - 1;
		out->per_run += 1 / of[k];
		mean[known++] = mean[k];
	}
	if (known < HD_SESSION_VARIANCE_LEAST)
		return HD_STATS_NONE;
	for (size_t k = 0; k + 1 < known; k++)
		e[k] = mean[k + 1] - mean[k];
	out->s2 = mean_square(e, e + n, known - 1) / 2;
	out->run = df > 0 ? squares / df : 0;
	out->per_run /= (double)known;
	out->df = EFFICIENCY * (double)(known - 1);
	return HD_STATS_OK;
}

int hd_session_figure_fit(struct hd_session_figure *out, const double *v, const uint32_t *session, size_t runs,
	size_t n)
{
	double *room = malloc((4 * n + 1) * sizeof(*room));
	int rc;

	*out = (struct hd_session_figure){ 0 };
	if (!room)
		return HD_STATS_NOMEM;
	rc = fit_figure(out, v, session, runs, n, room);
	free(room);
	return rc;
}

double hd_session_figure_se(const struct hd_session_figure *f, size_t a, size_t b)
{
	double within = f->run * (1 / (double)a + 1 / (double)b), missing = within - 2 * f->run * f->per_run;

	return sqrt(fmax(2 * f->s2 + fmax(0, missing), within));
}
