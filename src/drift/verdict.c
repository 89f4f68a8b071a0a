/*
 * verdict.c - see verdict.h
 */
#include "drift/verdict.h"

#include "drift/multiple.h"
#include "track/special.h"

#include <math.h>
#include <stdlib.h>

const struct hd_verdict_opts hd_verdict_defaults = { .limit = 0.10, .floor = 0.005, .q = 0.05 };

/* A machine is slower when all symbols together moved by this much, and not by chance. */
#define SLOWER 0.03
#define SLOWER_P 0.05
/* With so few samples a run on one side a symbol was not there. */
#define ABSENT 0.5
/* A limit of 0 may be asked for; weights are finite. */
#define LIMIT_LEAST 0.001
/* Normal quantiles. */
#define NORMAL_95 1.6448536269514722
#define NORMAL_975 1.9599639845400545

const char *hd_verdict_name(enum hd_verdict v)
{
	static const char *const names[] = { "PASS", "INCONCLUSIVE", "FAIL", "SHIFT", "NOT_COMPARABLE" };

	return names[v];
}

static double mean(const double *v, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += v[i];
	return sum / (double)n;
}

/* ---- one row ---- */

static void measure(struct hd_symbol *s, const double *y, const struct hd_runs *in, const struct hd_model *m, double base, double head,
		    const struct hd_verdict_opts *o)
{
	double yb = mean(y, in->base), yh = mean(y + in->base, in->head), t975;

	*s = (struct hd_symbol){ .test = hd_model_test(m, y), .share_base = yb / base, .share_head = yh / head, .q = NAN, .q_changed = NAN,
				 .shift_domain = HD_NO_DOMAIN };
	s->is_new = yb < ABSENT && yh >= ABSENT;
	s->is_gone = yh < ABSENT && yb >= ABSENT;
	s->change = expm1(s->test.d);
	/* Both in samples of a base run: what it costs now, in units of the base total. */
	s->cost_head = s->is_new ? yh * exp(mean(m->size, in->base) - mean(m->size + in->base, in->head)) / base
				 : s->share_base * exp(s->test.d);
	s->gated = fmax(s->share_base, s->is_new ? s->cost_head : 0) >= o->floor;
	s->limit = s->is_new || !(s->share_base > 0) ? 0 : fmax(o->limit, o->floor / s->share_base);
	t975 = s->test.df > 0 ? hd_t_of_normal(NORMAL_975, s->test.df) : INFINITY;
	s->lo = expm1(s->test.d - t975 * s->test.se);
	s->hi = expm1(s->test.d + t975 * s->test.se);
	s->upper = expm1(hd_model_upper(m, &s->test));
}

/* Runs a side with which a row of this change and spread is decided with 80 % power: more than there are, since those did not do. */
static unsigned runs_needed(const struct hd_symbol *s, const struct hd_runs *in)
{
	size_t more = (in->base < in->head ? in->base : in->head) + 1;
	double gap = fabs(log1p(s->limit) - s->test.d), z = hd_normal_quantile(0.95) + hd_normal_quantile(0.8), runs;

	if (s->test.d >= log1p(s->limit))	/* beyond the limit: it is its significance that wants */
		gap = s->test.d;
	runs = fmax(ceil(2 * pow(z * fmax(s->test.s, s->test.s_pooled) / gap, 2)), (double)(more > 3 ? more : 3));
	return runs > HD_RUNS_NEEDED_MAX ? HD_RUNS_NEEDED_MAX + 1 : (unsigned)runs;
}

static bool grew_too_much(const struct hd_symbol *s, const struct hd_verdict_opts *o)
{
	if (s->is_new)
		return s->cost_head >= o->floor;
	return s->change >= s->limit;
}

/* ---- domains ---- */

enum stay { GREW, UNCLEAR, STAYED };

/* Did the domain stay, so that the row's growth came from beside it?  Unclear: it did not grow too much, but may have. */
static enum stay stayed(const double *y, const struct hd_symbol *s, const struct hd_runs *in, const struct hd_model *m, double base,
			const struct hd_verdict_opts *o)
{
	struct hd_moderated t = hd_model_test(m, y);
	double share = mean(y, in->base) / base, grown = s->cost_head - s->share_base, upper;
	double limit = fmax(s->is_new ? 0 : s->limit * s->share_base, o->floor);

	if (!(t.df > 0) || !(share > 0) || !(share * expm1(t.d) < grown / 2))
		return GREW;
	/* What took the place of another has its limit, that of the domain as one symbol, while that still tells its growth. */
	limit = fmax(limit, fmin(o->limit * share, grown / 2));
	/* By its own noise: an acquittal must not rest on other symbols being quiet. */
	upper = share * expm1(t.d + hd_t_of_normal(NORMAL_95, t.df) * t.se);
	return upper < limit ? STAYED : share * expm1(t.d) < limit && upper < grown ? UNCLEAR : GREW;
}

static void look_for_shift(struct hd_symbol *s, size_t row, const struct hd_runs *in, const struct hd_model *m, const struct hd_domains *d,
			   double base, const struct hd_verdict_opts *o)
{
	for (size_t k = 0; d && k < HD_DOMAINS_PER_ROW && s->verdict != HD_SHIFT; k++) {
		size_t domain = d->of[row][k];
		enum stay stay = domain == HD_NO_DOMAIN ? GREW : stayed(d->y + domain * (in->base + in->head), s, in, m, base, o);

		if (stay == STAYED) {
			s->verdict = HD_SHIFT;
			s->shift_domain = domain;
		} else if (stay == UNCLEAR) {
			s->verdict = HD_INCONCLUSIVE;
			s->runs_needed = runs_needed(s, in);
		}
	}
}

/* ---- all rows ---- */

/*
 * What a test counts for among all, 1 on average over gated rows (Genovese, Roeder and Wasserman 2006).  A row that has to double
 * to fail shows that without help; one that has to grow by a tenth needs the room.
 */
static double weight_of(const struct hd_symbol *s, const struct hd_verdict_opts *o)
{
	return s->gated ? 1 / fmax(fmax(s->limit, o->limit), LIMIT_LEAST) : 0;
}

static int adjust(struct hd_symbol *rows, size_t n, const struct hd_verdict_opts *o)
{
	double *p = malloc((4 * n + 1) * sizeof(*p)), *two, *q, *q_two, weights = 0, gated = 0;
	int rc;

	if (!p)
		return HD_TRACK_NOMEM;
	two = p + n;
	q = two + n;
	q_two = q + n;
	for (size_t i = 0; i < n; i++) {
		weights += weight_of(&rows[i], o);
		gated += rows[i].gated;
	}
	for (size_t i = 0; i < n; i++) {
		p[i] = rows[i].gated ? rows[i].test.p_greater * weights / gated / weight_of(&rows[i], o) : NAN;
		two[i] = rows[i].gated ? rows[i].test.p_two : NAN;
	}
	rc = hd_multiple_adjust(HD_MULTIPLE_BH, q, p, n);
	if (rc >= 0)
		rc = hd_multiple_adjust(HD_MULTIPLE_BH, q_two, two, n);
	for (size_t i = 0; rc >= 0 && i < n; i++) {
		rows[i].q = q[i];
		rows[i].q_changed = q_two[i];
	}
	free(p);
	return rc;
}

static void judge_row(struct hd_symbol *s, const struct hd_runs *in, const struct hd_verdict_opts *o)
{
	s->verdict = HD_PASS;
	if (!s->gated)
		return;
	if (grew_too_much(s, o) && s->q <= o->q) {
		s->verdict = HD_FAIL;
	} else if (s->is_new || !(s->upper < s->limit)) {
		s->verdict = HD_INCONCLUSIVE;
		s->runs_needed = runs_needed(s, in);
	}
}

static void count(struct hd_judged *out, const struct hd_symbol *s)
{
	out->gated += s->gated;
	out->failed += s->verdict == HD_FAIL;
	out->shifted += s->verdict == HD_SHIFT;
	out->unsure += s->verdict == HD_INCONCLUSIVE;
}

int hd_verdicts(struct hd_judged *out, struct hd_symbol *rows, const struct hd_runs *in, const struct hd_model *m,
		const struct hd_domains *domains, const struct hd_verdict_opts *o, bool comparable)
{
	size_t runs = in->base + in->head;
	double base = 0, head = 0;
	int rc;

	*out = (struct hd_judged){ .verdict = HD_NOT_COMPARABLE };
	for (size_t i = 0; i < in->symbols; i++) {
		base += mean(in->y + i * runs, in->base);
		head += mean(in->y + i * runs + in->base, in->head);
	}
	for (size_t i = 0; i < in->symbols; i++)
		measure(&rows[i], in->y + i * runs, in, m, base, head, o);
	for (size_t i = in->symbols - (o->rest < in->symbols ? o->rest : in->symbols); i < in->symbols; i++)
		rows[i].gated = false;
	rc = adjust(rows, in->symbols, o);
	if (rc < 0)
		return rc;
	for (size_t i = 0; i < in->symbols; i++) {
		judge_row(&rows[i], in, o);
		if (rows[i].verdict == HD_FAIL)
			look_for_shift(&rows[i], i, in, m, domains, base, o);
		count(out, &rows[i]);
	}
	out->net = base > 0 ? head / base - 1 : 0;
	out->slower_machine = !in->work && fabs(m->shift) >= SLOWER && m->shift_p < SLOWER_P;
	if (comparable)
		out->verdict = out->failed ? HD_FAIL : out->unsure ? HD_INCONCLUSIVE : HD_PASS;
	return HD_TRACK_OK;
}
