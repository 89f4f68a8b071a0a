/*
 * verdict.c - see verdict.h
 */
#include "stats/verdict.h"

#include "stats/multiple.h"
#include "stats/order.h"
#include "stats/special_functions.h"

#include <math.h>
#include <stdlib.h>

const struct hd_verdict_opts hd_verdict_defaults = {
	.limit = 0.10, .floor = 0.005, .q = 0.05, .alpha = 0.003, .total = { 0.06, 0.005 }
};

/* A symbol that has fewer samples per run than this on one side is treated as absent there. */
#define ABSENT 0.5
/*
 * A row with a smaller limit gets the weight of this limit, because a limit of 0 is allowed, but weights must be
 * finite.
 */
#define LIMIT_LEAST 0.001
/*
 * Limits for how much the level fell, in standard errors of the level.  Up to LEVEL_QUIET the fall may be chance; from
 * LEVEL_SURE on it is treated as real.
 */
#define LEVEL_QUIET 1.0
#define LEVEL_SURE 2.0
/* Normal quantiles. */
#define NORMAL_95 1.6448536269514722
#define NORMAL_975 1.9599639845400545

const char *hd_verdict_name(enum hd_verdict v)
{
	static const char *const names[] = { "PASS", "INCONCLUSIVE", "FAIL", "SHIFT", "NOT_COMPARABLE" };

	return names[v];
}

static double sum(const double *v, size_t n)
{
	double all = 0;

	for (size_t i = 0; i < n; i++)
		all += v[i];
	return all;
}

static double mean(const double *v, size_t n)
{
	return sum(v, n) / (double)n;
}

/* ---- one row ---- */

/* The inputs of a comparison, and sums over all rows. */
struct judging {
	const struct hd_run_counts *in;
	const struct hd_variance_model *m;
	const struct hd_verdict_opts *o;
	double base, head;		/* samples of an average run of each side */
	/* mean size of the head runs minus that of the base runs; variance_model.h defines the size of a run */
	double size;
	/* expected samples of a row in the head for each one in the base, if nothing changed */
	double head_odds;
	double dispersion;		/* of the rows with few samples; 1: as Poisson counts */
};

/*
 * The level (the change that most symbols share) fell: either the machine was faster, or most of the program became
 * cheaper.  Return a weight for the second explanation: from 0 (the fall can be chance) to 1 (it is treated as real).
 */
static double fall_weight(const struct judging *g)
{
	double t = -g->m->level / g->m->level_test.se;

	if (g->in->work || !(t > LEVEL_QUIET))
		return 0;
	return fmin(1, (t - LEVEL_QUIET) / (LEVEL_SURE - LEVEL_QUIET));
}

/*
 * Return the part of the level's fall that is treated as real: the fall (ln) times fall_weight().  A row counts as
 * grown only if it rose relative to the level by more than this.
 */
static double fallen(const struct judging *g)
{
	double weight = fall_weight(g);

	return weight > 0 ? -g->m->level * weight : 0;
}

/* Return the cost that a row has in the head if its cost changed by d (ln).  The unit is the base total. */
static double cost_at(const struct judging *g, const struct hd_symbol_verdict *s, double d)
{
	if (s->is_new)
		return s->share_head * g->head / g->base * exp(d - s->test.d - g->size);
	return s->share_base * exp(d);
}

/* The expected sample counts of the sides differ by the sizes of their runs. */
static double head_odds_of(const struct judging *g)
{
	double expected[2] = { 0, 0 };

	for (size_t r = 0; r < g->in->base + g->in->head; r++)
		expected[r >= g->in->base] += exp(g->m->size[r]);
	return expected[1] / expected[0];
}

/* Add the squared differences of the counts of a side from their mean, and what they would be for Poisson counts. */
static void add_squares(double *squares, double *expected, const double *y, size_t n)
{
	double m = mean(y, n);

	for (size_t i = 0; i < n; i++)
		*squares += pow(y[i] - m, 2);
	*expected += m * ((double)n - 1);
}

/*
 * Samples of a function that seldom runs come in bursts.  Return how much larger than that of Poisson counts the
 * variance between runs of one side is, over all rows with few samples; at least 1.
 */
static double dispersion_of(const struct judging *g)
{
	size_t runs = g->in->base + g->in->head;
	double squares = 0, expected = 0;

	for (size_t i = 0; i + g->o->rest < g->in->symbols; i++) {
		const double *y = g->in->y + i * runs;

		if (sum(y, runs) > HD_FEW_SAMPLES)
			continue;
		add_squares(&squares, &expected, y, g->in->base);
		add_squares(&squares, &expected, y + g->in->base, g->in->head);
	}
	return expected > 0 ? fmax(1, squares / expected) : 1;
}

/*
 * Return the probability of at least `head` of base + head samples in the head, whose odds are given.  For samples in
 * bursts it is that of correspondingly fewer samples.
 */
static double binomial_tail(const struct judging *g, double base, double head, double odds)
{
	return head > 0 ? hd_beta_inc(head / g->dispersion, base / g->dispersion + 1, odds / (1 + odds)) : 1;
}

/*
 * Exact test for a row with few samples.  The null hypothesis is that the expected sample counts of the sides differ
 * only by the sizes of their runs and by the factor e^d.  Given the number of samples on both sides together, return
 * the probability of a head count that is at least the observed one.  Returns 0 if there are more than HD_FEW_SAMPLES
 * samples.
 */
static double count_tail(const struct judging *g, const double *y, double d)
{
	double base = round(sum(y, g->in->base)), head = round(sum(y + g->in->base, g->in->head));

	return base + head > HD_FEW_SAMPLES ? 0 : binomial_tail(g, base, head, g->head_odds * exp(d));
}

/*
 * Return the probability, if nothing changed, that so many of the row's samples are in the head that the row has the
 * floor there.
 */
static double chance_of_floor(const struct judging *g, const double *y)
{
	double least = ceil(g->o->floor * g->head * (double)g->in->head);
	double all = round(sum(y, g->in->base + g->in->head));

	return least > all ? 0 : binomial_tail(g, all - least, least, g->head_odds);
}

static void measure(struct hd_symbol_verdict *s, const double *y, size_t row, const struct judging *g)
{
	double yb = mean(y, g->in->base), yh = mean(y + g->in->base, g->in->head), t975, down = fallen(g), var, rise;

	*s = (struct hd_symbol_verdict){ .test = hd_variance_model_test(g->m, y, row),
		.share_base = yb / g->base,
		.share_head = yh / g->head,
		.q = NAN,
		.q_changed = NAN,
		.shift_domain = HD_NO_DOMAIN };
	s->is_new = yb < ABSENT && yh >= ABSENT;
	s->is_gone = yh < ABSENT && yb >= ABSENT;
	s->change = expm1(s->test.d);
	s->least = expm1(s->test.d - down);
	s->cost_head = cost_at(g, s, s->test.d);
	s->gated = (s->share_base + s->share_head) / 2 >= g->o->floor / 2;
	s->limit = s->is_new || !(s->share_base > 0) ? 0 : fmax(g->o->limit, g->o->floor / s->share_base);
	t975 = s->test.df > 0 ? hd_t_of_normal(NORMAL_975, s->test.df) : INFINITY;
	s->lo = expm1(s->test.d - t975 * s->test.se);
	s->hi = expm1(s->test.d + t975 * s->test.se);
	s->upper = expm1(hd_variance_model_upper(g->m, &s->test));
	/* If the level (the change that most symbols share) fell, add its uncertainty to that of the row's rise. */
	rise = (s->test.d - down) / (down > 0 ? hypot(1, fall_weight(g) * g->m->level_test.se / s->test.se) : 1);
	s->p = !(s->test.df > 0) ? 1
		: rise > 0       ? hd_variance_model_tail(g->m, &s->test, rise)
				 : 1 - hd_variance_model_tail(g->m, &s->test, -rise);
	s->p = fmax(s->p, s->test.df > 0 ? count_tail(g, y, down) : 1);
	var = s->test.s * s->test.s;
	/*
	 * If a row has no samples on one side, its noise cannot be separated from the counting error.  Use the noise of
	 * all rows.
	 */
	s->s_common = sqrt((s->is_new || s->is_gone ? pow(g->m->noise.cv, 2) : fmax(0, var - s->test.v_mean)) +
		1 / ((yb + yh) / 2 + 0.5));
	s->counted = var > 0 ? fmin(1, s->test.v_mean / var) : 1;
}

/*
 * Estimate how many runs per side decide a row with this change and spread with a probability of 0.8.  The estimate is
 * at least 3, and larger than the number of runs of the smaller side, because those did not decide the row.  Estimates
 * above HD_RUNS_NEEDED_MAX are returned as HD_RUNS_NEEDED_MAX + 1.  A change below the limit is shrunk towards 0,
 * because undecided rows are those that noise pushed towards the limit.
 */
static unsigned runs_needed(const struct hd_symbol_verdict *s, const struct hd_run_counts *in)
{
	size_t more = (in->base < in->head ? in->base : in->head) + 1;
	double d = s->test.d, t2 = pow(d / s->test.se, 2), z = hd_normal_quantile(0.95) + hd_normal_quantile(0.8), gap,
	       runs;

	if (d < log1p(s->limit))
		d *= t2 > 1 ? 1 - 1 / t2 : 0;
	gap = fabs(log1p(s->limit) - d);
	if (d >= log1p(s->limit))	/* beyond the limit, only the significance is missing */
		gap = d;
	runs = fmax(ceil(2 * pow(z * fmax(s->test.s, s->test.s_pooled) / gap, 2)), (double)(more > 3 ? more : 3));
	return runs > HD_RUNS_NEEDED_MAX ? HD_RUNS_NEEDED_MAX + 1 : (unsigned)runs;
}

/*
 * Return true if the row grew by its limit and by at least the floor (the smallest cost that matters), both relative to
 * the level and absolutely.
 */
static bool grew_too_much(const struct hd_symbol_verdict *s, const struct judging *g)
{
	double growth = cost_at(g, s, s->test.d - fallen(g)) - (s->is_new ? 0 : s->share_base);

	return growth >= g->o->floor * (1 - 1e-9) && (s->is_new || s->least >= s->limit);
}

/* Return true if the row's cost is at least the floor (the smallest cost that matters) on one side. */
static bool material(const struct hd_symbol_verdict *s, const struct judging *g)
{
	return fmax(s->share_base, s->cost_head) >= g->o->floor;
}

/* ---- domains ---- */

enum hd_stay hd_domain_stay(const struct hd_domains *d, size_t row, size_t k, const struct hd_symbol_verdict *s,
	const struct hd_run_counts *in, const struct hd_variance_model *m, double base, const struct hd_verdict_opts *o)
{
	const double *y = d->of[row][k] == HD_NO_DOMAIN ? NULL : d->y + d->of[row][k] * (in->base + in->head);
	struct hd_moderated t = y ? hd_variance_model_test(m, y, HD_VARIANCE_MODEL_SUM) : (struct hd_moderated){ 0 };
	double share = y ? mean(y, in->base) / base : 0, grown = s->cost_head - s->share_base,
	       growth = share * expm1(t.d), upper;
	double limit = fmax(s->is_new ? 0 : s->limit * s->share_base, o->floor);

	if (!(t.df > 0) || !(share > 0))
		return HD_STAY_GREW;
	/*
	 * If a row replaced another one, it grows by its whole cost, so its own limit is too strict for the domain (a
	 * sum of rows between which cost may have moved).  Use the limit that the domain would have as one symbol, but
	 * at most half of the row's growth.
	 */
	limit = fmax(limit, fmin(o->limit * share, grown / 2));
	/*
	 * The sum of a symbol and its old name is judged by the pooled variance, as one symbol is.  For other domains
	 * that is too lenient.
	 */
	upper = share *
		expm1(k == HD_DOMAIN_OLD_NAME ? hd_variance_model_upper(m, &t)
					      : t.d + hd_t_of_normal(NORMAL_95, t.df) * t.se);
	if (upper < limit && growth < grown / 2)
		return HD_STAY_STAYED;
	return (k != HD_DOMAIN_OLD_NAME && upper >= grown) || (growth >= fmin(limit, grown / 2) && t.p_greater <= d->p)
		? HD_STAY_GREW
		: HD_STAY_UNCLEAR;
}

bool hd_may_be_shift(const struct hd_symbol_verdict *s)
{
	return s->verdict == HD_FAIL || (s->verdict == HD_INCONCLUSIVE && s->is_new);
}

static void look_for_shift(struct hd_symbol_verdict *s, size_t row, const struct hd_run_counts *in,
	const struct hd_variance_model *m, const struct hd_domains *d, double base, const struct hd_verdict_opts *o)
{
	for (size_t k = 0; d && k < HD_DOMAINS_PER_ROW && s->verdict != HD_SHIFT; k++) {
		enum hd_stay stay = hd_domain_stay(d, row, k, s, in, m, base, o);

		if (stay == HD_STAY_STAYED) {
			s->verdict = HD_SHIFT;
			s->shift_domain = d->of[row][k];
		} else if (stay == HD_STAY_UNCLEAR) {
			s->verdict = HD_INCONCLUSIVE;
			s->runs_needed = runs_needed(s, in);
		}
	}
}

/* ---- all rows ---- */

/*
 * Return the weight of a row's p-value, up to a common factor (Genovese, Roeder and Wasserman 2006).  A row that must
 * double to fail needs little weight; a row that must grow by a tenth needs more.
 */
static double weight_of(const struct hd_symbol_verdict *s, const struct hd_verdict_opts *o)
{
	return s->gated ? 1 / fmax(fmax(s->limit, o->limit), LIMIT_LEAST) : 0;
}

/*
 * If the head has fewer runs than the base, a few samples in it give a row a large share, so that chance selects which
 * rows are gated.  Then the rows count, too, that chance did not select.
 */
static int find_guard(double *guard, const struct hd_symbol_verdict *rows, size_t n, const struct judging *g)
{
	double *chance = malloc((n + 1) * sizeof(*chance));
	size_t k = 0, runs = g->in->base + g->in->head;

	if (!chance)
		return HD_STATS_NOMEM;
	for (size_t i = 0; i < n; i++)
		if (rows[i].gated)
			chance[k++] = rows[i].is_new || !(rows[i].limit > 0)
				? 1
				: hd_variance_model_tail(g->m, &rows[i].test, log1p(rows[i].limit));
		else if (g->in->base > g->in->head && i + g->o->rest < n)
			chance[k++] = chance_of_floor(g, g->in->y + i * runs);
	*guard = hd_multiple_guard(chance, k, g->o->alpha);
	free(chance);
	return HD_STATS_OK;
}

static int adjust(struct hd_symbol_verdict *rows, size_t n, const struct hd_verdict_opts *o)
{
	double *p = malloc((4 * n + 1) * sizeof(*p)), *two, *q, *q_two, weights = 0, gated = 0;
	int rc;

	if (!p)
		return HD_STATS_NOMEM;
	two = p + n;
	q = two + n;
	q_two = q + n;
	for (size_t i = 0; i < n; i++) {
		weights += weight_of(&rows[i], o);
		gated += rows[i].gated;
	}
	for (size_t i = 0; i < n; i++) {
		p[i] = rows[i].gated ? rows[i].p * weights / gated / weight_of(&rows[i], o) : NAN;
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

/*
 * Return the absolute change of the symbol, in standard errors.  Absolute: not relative to the change that most symbols
 * share (the level).
 */
static double as_it_is(const struct hd_symbol_verdict *s, const struct judging *g)
{
	double level = g->in->work ? 0 : g->m->level, level_se = g->in->work ? 0 : g->m->level_test.se;

	return (s->test.d + level) / hypot(s->test.se, level_se);
}

/*
 * Return true if even the upper bound of the row's change is below its limit.  For a new row, return true if even the
 * upper bound of its cost is below the floor (the smallest cost that matters).
 */
static bool stays_below(const struct hd_symbol_verdict *s, const struct judging *g)
{
	double upper = cost_at(g, s, log1p(s->upper));

	return s->is_new ? upper < g->o->floor : s->upper < s->limit;
}

/*
 * Set the verdict of a row.  uneven: some row, relative to the level, changed significantly in the opposite direction
 * to the level.  A rise of the level is then not explained by a slower machine alone.
 */
static void judge_row(struct hd_symbol_verdict *s, const struct judging *g, double guard, bool uneven)
{
	bool absolute, below = stays_below(s, g);

	s->verdict = HD_PASS;
	if (!s->gated)
		return;
	s->improved = s->q_changed <= g->o->q && s->test.d < 0 && as_it_is(s, g) < -NORMAL_95;
	absolute = uneven && !g->in->work && !s->is_new && s->test.d + g->m->level >= log1p(s->limit) &&
		as_it_is(s, g) >= NORMAL_975;
	if (grew_too_much(s, g) && s->q <= g->o->q && s->p <= guard) {
		s->verdict = HD_FAIL;
	} else if (!below || absolute) {
		s->verdict = HD_INCONCLUSIVE;
		/*
		 * If the row grew only relative to the level (the change that most symbols share), or only together
		 * with it, more runs cannot decide whether the machine changed.  Then runs_needed remains 0.
		 */
		if (!below && (s->is_new || s->change < s->limit || s->least >= s->limit))
			s->runs_needed = runs_needed(s, g->in);
	}
}

static void count(struct hd_judged_profile *out, const struct hd_symbol_verdict *s, const struct judging *g)
{
	out->gated += s->gated;
	out->failed += s->verdict == HD_FAIL;
	out->shifted += s->verdict == HD_SHIFT;
	out->unsure += s->verdict == HD_INCONCLUSIVE && material(s, g);
}

enum hd_verdict hd_verdict_overall(size_t failed, size_t unsure, enum hd_verdict total)
{
	return failed || total == HD_FAIL ? HD_FAIL : unsure || total == HD_INCONCLUSIVE ? HD_INCONCLUSIVE : HD_PASS;
}

static void judge_rows(struct hd_judged_profile *out, struct hd_symbol_verdict *rows, const struct judging *g,
	const struct hd_domains *domains, double guard)
{
	bool uneven = false;

	for (size_t i = 0; i < g->in->symbols; i++)
		uneven |= rows[i].gated && rows[i].q_changed <= g->o->q && rows[i].test.d * g->m->level < 0;
	for (size_t i = 0; i < g->in->symbols; i++) {
		judge_row(&rows[i], g, guard, uneven);
		if (hd_may_be_shift(&rows[i]))
			look_for_shift(&rows[i], i, g->in, g->m, domains, g->base, g->o);
		count(out, &rows[i], g);
	}
}

int hd_verdicts(struct hd_judged_profile *out, struct hd_symbol_verdict *rows, const struct hd_run_counts *in,
	const struct hd_variance_model *m, const struct hd_domains *domains, const struct hd_verdict_opts *o,
	bool comparable)
{
	size_t runs = in->base + in->head;
	struct judging g = { .in = in, .m = m, .o = o };
	double guard = 1;
	int rc;

	*out = (struct hd_judged_profile){ .verdict = HD_NOT_COMPARABLE };
	for (size_t i = 0; i < in->symbols; i++) {
		g.base += mean(in->y + i * runs, in->base);
		g.head += mean(in->y + i * runs + in->base, in->head);
	}
	g.size = mean(m->size + in->base, in->head) - mean(m->size, in->base);
	g.head_odds = head_odds_of(&g);
	g.dispersion = dispersion_of(&g);
	for (size_t i = 0; i < in->symbols; i++)
		measure(&rows[i], in->y + i * runs, i, &g);
	for (size_t i = in->symbols - (o->rest < in->symbols ? o->rest : in->symbols); i < in->symbols; i++)
		rows[i].gated = false;
	rc = adjust(rows, in->symbols, o);
	if (rc >= 0)
		rc = find_guard(&guard, rows, in->symbols, &g);
	if (rc >= 0)
		rc = hd_total_judge(&out->total, in, m, &o->total);
	if (rc < 0)
		return rc;
	judge_rows(out, rows, &g, domains, guard);
	out->net = in->work ? expm1(out->total.cost.d) : g.base > 0 ? g.head / g.base - 1 : 0;
	if (comparable)
		out->verdict = hd_verdict_overall(out->failed, out->unsure, out->total.verdict);
	return HD_STATS_OK;
}

static int fit(struct hd_judged_profile *out, struct hd_symbol_verdict *rows, struct hd_variance_model *m,
	const struct hd_run_counts *in, const struct hd_verdict_opts *o)
{
	int rc = hd_variance_model_fit(m, in);

	if (rc < 0)
		return rc;
	rc = hd_verdicts(out, rows, in, m, NULL, o, true);
	if (rc < 0)
		hd_variance_model_release(m);
	return rc;
}

int hd_verdicts_fit(struct hd_judged_profile *out, struct hd_total *total, struct hd_symbol_verdict *rows,
	struct hd_variance_model *m, struct hd_run_counts *in, double *same, const struct hd_verdict_opts *o,
	bool in_turns)
{
	int rc = fit(out, rows, m, in, o);

	if (rc < 0)
		return rc;
	*total = out->total;
	if (!in_turns || total->verdict == total->observed)
		return rc;
	for (size_t r = 0; r < in->base + in->head; r++)
		same[r] = 1;
	in->work = same;
	hd_variance_model_release(m);
	return fit(out, rows, m, in, o);
}
