/*
 * variance_model.c - see variance_model.h
 */
#include "stats/variance_model.h"

#include "stats/order.h"
#include "stats/special_functions.h"

#include <math.h>
#include <stdlib.h>

/* Limit for the leverage of one symbol: the share of a run's size that comes from this symbol. */
#define LEVERAGE_MAX 0.5
/* With fewer symbols than FEW_ROWS, the prior is not fitted. */
enum { FEW_ROWS = 3 };
/* Degrees of freedom of the t distribution that has the tails of differences between sessions. */
#define SESSION_DF 24.0
/* The normal quantiles of 0.95 and 0.975. */
#define NORMAL_95 1.6448536269514722
#define NORMAL_975 1.9599639845400545

static size_t runs_of(const struct hd_run_counts *in)
{
	return in->base + in->head;
}

static double mean_count(const double *y, size_t runs)
{
	double sum = 0;

	for (size_t r = 0; r < runs; r++)
		sum += y[r];
	return sum / (double)runs;
}

static double log_count(double y)
{
	return log(y + 0.5);
}

/*
 * Return the standard deviation of the difference between the means of the two sides.  Unit: the standard deviation of
 * one run.
 */
static double spread_of_means(const struct hd_variance_model *m)
{
	return sqrt(1 / (double)m->base + 1 / (double)m->head);
}

int hd_movement_test(struct hd_movement *out, const double *ln, size_t base, size_t head, double v, double s2_session,
	double df_session)
{
	double a = mean_count(ln, base), b = mean_count(ln + base, head), squares = 0, df = (double)(base + head) - 2;
	double spread = sqrt(1 / (double)base + 1 / (double)head), t975;
	struct hd_noise noise;
	struct hd_noise_variance own;
	int rc;

	for (size_t r = 0; r < base + head; r++)
		squares += pow(ln[r] - (r < base ? a : b), 2);
	*out = (struct hd_movement){ .d = b - a,
		.se = INFINITY,
		.lo = -INFINITY,
		.hi = INFINITY,
		.p_greater = 1,
		.p_two = 1 };
	if (!(df > 0) && isnan(s2_session))
		return HD_STATS_OK;
	if (!isnan(s2_session)) {
		/* The mean of a session varies by at least what its runs show. */
		squares = df_session * (df > 0 ? fmax(s2_session, squares / df * spread * spread / 2) : s2_session);
		df = df_session;
		spread = sqrt(2);
	}
	squares /= df;
	out->s2 = squares;
	out->df_s2 = df;
	out->spread = spread;
	rc = hd_noise_fit(&noise, &v, &squares, 1, df);
	if (rc < 0)
		return rc;
	own = hd_noise_of(&noise, v, v, squares, df, fabs(out->d) / spread);
	out->se = sqrt(own.var) * spread;
	out->df = own.df;
	out->p_greater = out->d > 0 ? own.tail : 1 - own.tail;
	out->p_two = 2 * own.tail;
	t975 = hd_t_of_normal(NORMAL_975, own.df);
	out->lo = out->d - t975 * out->se;
	out->hi = out->d + t975 * out->se;
	return HD_STATS_OK;
}

/*
 * Test whether the level (the change that most symbols share) can be explained by the variation of the sizes of runs,
 * or of sessions if each side is one session.
 */
static int test_level(struct hd_variance_model *m, const struct hd_run_counts *in)
{
	double session = in->sessions ? in->sessions->level_s2 : NAN, df = in->sessions ? in->sessions->df : 0;

	return hd_movement_test(&m->level_test, m->size, m->base, m->head, m->information > 0 ? 1 / m->information : 0,
		session, df);
}

/* ---- variances ---- */

/* Return the counting variance of a run with this mean count. */
static double counting(double mean)
{
	return 1 / (mean + 0.5);
}

/*
 * The runs of one side: mean of z (variance_model.h), counting variance of a run, and sum of squared deviations with
 * its degrees of freedom.
 */
struct side {
	double mean, v, squares, df;
};

/*
 * Summarise the runs of one side.  With few samples per run, ln(y + 1/2) is neither normal nor unbiased.  In that case,
 * use the logarithm of the mean count, with the counting variance alone.
 */
static struct side side_of(const struct hd_variance_model *m, const double *y, size_t from, size_t to)
{
	double n = (double)(to - from), mean = mean_count(y + from, to - from),
	       size = mean_count(m->size + from, to - from);
	struct side s = { 0 };

	if (mean < HD_VARIANCE_MODEL_COUNTED)
		return (struct side){ log(mean + 0.5 / n) - size, 1 / (mean + 0.5 / n), 0, 0 };
	for (size_t r = from; r < to; r++)
		s.mean += (log_count(y[r]) - m->size[r]) / n;
	for (size_t r = from; r < to; r++)
		s.squares += pow(log_count(y[r]) - m->size[r] - s.mean, 2);
	s.v = counting(mean);
	s.df = n - 1;
	return s;
}

static struct hd_moderated moments(const struct hd_variance_model *m, const double *y, size_t row)
{
	struct side base = side_of(m, y, 0, m->base), head = side_of(m, y, m->base, m->base + m->head);
	double rb = (double)m->base, rh = (double)m->head;
	struct hd_moderated t = { .row = row,
		.mean_base = base.mean,
		.mean_head = head.mean,
		.d = head.mean - base.mean };

	t.df_own = base.df + head.df;
	t.v_mean = (base.v / rb + head.v / rh) / (1 / rb + 1 / rh);
	t.v = t.df_own > 0 ? (base.df * base.v + head.df * head.v) / t.df_own : t.v_mean;
	t.s2 = t.df_own > 0 ? (base.squares + head.squares) / t.df_own : 0;
	return t;
}

/*
 * Return the leverage of a symbol with counting variance v on the sizes of runs.  The sizes are subtracted from the
 * values of the symbol, so its s2 is too small by this share.
 */
static double leverage(const struct hd_variance_model *m, double v)
{
	return m->information > 0 ? fmin(LEVERAGE_MAX, 1 / ((v + m->c2) * m->information)) : 0;
}

/* Winsorise at the 5th and the 90th percentile. */
static void winsorise(double *e, size_t n)
{
	double lo, hi;

	hd_order_sort(e, n);
	lo = hd_order_type7(e, n, 0.05);
	hi = hd_order_type7(e, n, 0.90);
	for (size_t i = 0; i < n; i++)
		e[i] = fmin(fmax(e[i], lo), hi);
}

/* Estimate d0 and s02, the parameters of the prior for variances, from the moments of ln F (Smyth 2004, 6.2). */
static void fit_prior(struct hd_variance_model *m, double df, double *e, size_t n)
{
	double mean = 0, spread = 0, beyond;

	winsorise(e, n);
	for (size_t i = 0; i < n; i++)
		mean += (e[i] - hd_digamma(df / 2) + log(df / 2)) / (double)n;
	for (size_t i = 0; i < n; i++)
		spread += pow(e[i] - hd_digamma(df / 2) + log(df / 2) - mean, 2) / (double)(n - 1);
	beyond = spread - hd_trigamma(df / 2);
	m->d0 = beyond > 0 ? 2 * hd_trigamma_inverse(beyond) : INFINITY;
	m->s02 = beyond > 0 ? exp(mean + hd_digamma(m->d0 / 2) - log(m->d0 / 2)) : exp(mean);
}

/*
 * Collect v and s2 of the symbols that have enough samples on both sides; if `one` is true, collect those with enough
 * samples on one side only.  Returns their number.
 */
static size_t collect_variances(const struct hd_variance_model *m, const struct hd_run_counts *in, bool one, double *v,
	double *s2)
{
	size_t runs = runs_of(in), n = 0;

	for (size_t i = 0; i < in->symbols; i++) {
		const double *y = in->y + i * runs;
		struct side base = side_of(m, y, 0, in->base), head = side_of(m, y, in->base, runs);
		double df = base.df + head.df;

		if (!(df > 0) || (base.df > 0 && head.df > 0) == one)
			continue;
		v[n] = (base.df * base.v + head.df * head.v) / df;
		s2[n++] = (base.squares + head.squares) / df;
	}
	return n;
}

static int find_noise(struct hd_variance_model *m, const struct hd_run_counts *in, double *room)
{
	double *v = room, *s2 = v + in->symbols, *e = s2 + in->symbols, df = m->df;
	size_t n = collect_variances(m, in, false, v, s2), k = 0;

	if (n < FEW_ROWS && in->base > 1 && in->base == in->head) {
		n = collect_variances(m, in, true, v, s2);
		df = m->df / 2;
	}
	for (size_t i = 0; i < n; i++)
		e[i] = s2[i] / hd_chi2_median(df) - v[i];
	if (n) {
		hd_order_sort(e, n);
		m->c2 = fmax(0, hd_order_median(e, n));
	}
	for (size_t i = 0; i < n; i++)
		if (s2[i] > 0)
			e[k++] = log(s2[i] / (v[i] + m->c2));
	if (k >= FEW_ROWS)
		fit_prior(m, df, e, k);
	m->df_t = fmin(m->d0 + m->df, (double)(k > 1 ? k : 1) * df);
	for (size_t i = 0; i < n; i++)
		s2[i] /= 1 - leverage(m, v[i]);
	return hd_noise_fit(&m->noise, v, s2, n, df);
}

/* Estimate the noise between sessions from the symbols that have enough samples. */
static int find_session_noise(struct hd_variance_model *m, const struct hd_session_variance *s, double *room)
{
	double *v = room, *s2 = room + s->symbols;
	size_t n = 0;

	for (size_t i = 0; i < s->symbols; i++) {
		if (s->v[i] > 1.0 / HD_VARIANCE_MODEL_COUNTED)
			continue;
		v[n] = s->v[i];
		s2[n++] = s->s2[i];
	}
	return hd_noise_fit(&m->session_noise, v, s2, n, s->df);
}

static int find_sizes(struct hd_variance_model *m, const struct hd_run_counts *in)
{
	struct hd_run_sizes s = { .size = m->size };
	int rc = hd_run_sizes_find(&s, in);

	m->information = s.information;
	m->level = s.level;
	return rc;
}

int hd_variance_model_fit(struct hd_variance_model *out, const struct hd_run_counts *in)
{
	double *room;
	int rc;

	*out = (struct hd_variance_model){ .base = in->base,
		.head = in->head,
		.df = (double)runs_of(in) - 2,
		.s02 = 1,
		.sessions = in->sessions };
	if (!in->base || !in->head)
		return HD_STATS_NONE;
	out->size = calloc(runs_of(in), sizeof(*out->size));
	room = malloc((3 * in->symbols + 1) * sizeof(*room));
	rc = out->size && room ? find_sizes(out, in) : HD_STATS_NOMEM;
	if (rc >= 0 && !in->work)
		rc = test_level(out, in);
	if (rc >= 0 && out->df > 0)
		rc = find_noise(out, in, room);
	if (rc >= 0 && in->sessions)
		rc = find_session_noise(out, in->sessions, room);
	free(room);
	if (rc < 0)
		hd_variance_model_release(out);
	return rc;
}

void hd_variance_model_release(struct hd_variance_model *m)
{
	free(m->size);
	m->size = NULL;
}

/*
 * The compared sessions can have fewer or noisier runs than the earlier ones.  Return by how much the noise between
 * their runs, beyond counting, makes the variance of a session mean larger than that of an earlier session.
 */
static double more_run_noise(const struct hd_variance_model *m, const struct hd_moderated *t)
{
	double each, part = leverage(m, t->v);

	if (!(m->df > 0) || t->row >= m->sessions->symbols)
		return 0;
	each = hd_noise_of(&m->noise, t->v, t->v_mean, t->s2 / (1 - part), t->df_own, 0).var - t->v_mean;
	return fmax(0, fmax(0, each) * (1 / (double)m->base + 1 / (double)m->head) / 2 - m->sessions->run[t->row]);
}

/*
 * Estimate the variance of a session mean from earlier sessions.  A sum over rows has no values in earlier sessions, so
 * only the prior of all symbols is used for it.  x: the result has the probability that a session mean deviates by more
 * than x.
 */
static struct hd_noise_variance session_noise(const struct hd_variance_model *m, const struct hd_moderated *t, double x)
{
	const struct hd_session_variance *s = m->sessions;
	bool known = t->row < s->symbols;
	/* The runs of a side are summed, so the counting variance is divided by their number. */
	double v = t->v_mean * (1 / (double)m->base + 1 / (double)m->head) / 2;

	return hd_noise_of(&m->session_noise, known ? s->v[t->row] : v, v + more_run_noise(m, t),
		known ? s->s2[t->row] : 0, known ? s->df : 0, x);
}

/*
 * A few causes, such as the layout of memory, move a few symbols far from one session to the next, so that differences
 * between sessions have heavier tails than normal ones.  Return the tail of a t distribution of the same variance.
 */
static double session_tail(double normal_tail)
{
	double z = normal_tail > 0 ? -hd_normal_quantile(normal_tail) : INFINITY;

	return z > 0 ? hd_t_upper(z * sqrt(SESSION_DF / (SESSION_DF - 2)), SESSION_DF) : normal_tail;
}

static struct hd_noise_variance own_noise(const struct hd_variance_model *m, const struct hd_moderated *t, double d)
{
	double part = leverage(m, t->v);

	if (m->sessions) {
		struct hd_noise_variance n = session_noise(m, t, fabs(d) / sqrt(2));

		n.tail = session_tail(n.tail);
		return n;
	}
	return hd_noise_of(&m->noise, t->v, t->v_mean, t->s2 / (1 - part), t->df_own,
		fabs(d) / spread_of_means(m) / sqrt(1 + part));
}

struct hd_moderated hd_variance_model_test(const struct hd_variance_model *m, const double *y, size_t row)
{
	struct hd_moderated t = moments(m, y, row);
	double part = leverage(m, t.v), prior = m->s02 * (t.v_mean + m->c2);
	struct hd_noise_variance own;

	t.p_greater = t.p_two = 1;
	t.s = t.s_pooled = sqrt(t.v_mean);
	if (m->sessions || m->df > 0) {
		own = own_noise(m, &t, t.d);
		t.df = t.df_pooled = own.df;
		t.p_greater = t.d > 0 ? own.tail : 1 - own.tail;
		t.p_two = 2 * own.tail;
		if (m->sessions) {
			t.s = t.s_pooled = sqrt(2 * own.var) / spread_of_means(m);
		} else {
			t.s = sqrt(own.var * (1 + part));
			t.s_pooled = sqrt(fmax(t.v_mean,
				isinf(m->d0) ? prior : (m->d0 * prior + t.df_own * t.s2) / (m->d0 + t.df_own)));
			t.df_pooled = m->df_t;
		}
	}
	t.se = t.s * spread_of_means(m);
	t.t = t.d / t.se;
	return t;
}

double hd_variance_model_tail(const struct hd_variance_model *m, const struct hd_moderated *t, double d)
{
	return m->sessions || m->df > 0 ? own_noise(m, t, d).tail : 1;
}

double hd_variance_model_upper(const struct hd_variance_model *m, const struct hd_moderated *t)
{
	return t->df_pooled > 0 ? t->d + hd_t_of_normal(NORMAL_95, t->df_pooled) * t->s_pooled * spread_of_means(m)
				: INFINITY;
}
