/*
 * total.c - see total.h
 */
#include "stats/total.h"

#include "stats/special_functions.h"

#include <math.h>
#include <stdlib.h>

/* The normal quantile of 0.96. */
#define NORMAL_96 1.7506860712521692
/*
 * The totals of a few runs may agree by chance.  So their variance is shrunk towards that of 2 % per run, which has the
 * weight of 8 degrees of freedom.
 */
#define RUN_CV 0.02
#define RUN_DF 8

static void sum_rows(double *total, const struct hd_run_counts *in)
{
	size_t runs = in->base + in->head;

	for (size_t r = 0; r < runs; r++) {
		total[r] = 0;
		for (size_t i = 0; i < in->symbols; i++)
			total[r] += in->y[i * runs + r];
	}
}

/*
 * d is ln(head / base) of the totals.  Subtract `accepted`, a fraction of the base total, from head, and return the new
 * logarithm.
 */
static double without(double d, double accepted)
{
	return accepted > 0 ? log(fmax(exp(d) - accepted, 1e-3)) : d;
}

static double upper_bound(const struct hd_movement *c, double d)
{
	double var = (RUN_DF * RUN_CV * RUN_CV + c->df_s2 * c->s2) / (RUN_DF + c->df_s2);

	return c->df_s2 > 0 ? expm1(d + NORMAL_96 * sqrt(var) * c->spread) : INFINITY;
}

void hd_total_without(struct hd_total *t, double accepted, const struct hd_total_opts *o)
{
	double d = without(t->cost.d, accepted);
	bool above = d >= log1p(o->limit) && t->cost.p_greater <= o->p;
	bool relative_above = without(t->relative.d, accepted) >= log1p(o->limit) && t->relative.p_greater <= o->p;

	t->upper = upper_bound(&t->cost, d);
	t->observed = above ? HD_FAIL : t->upper < o->limit ? HD_PASS : HD_INCONCLUSIVE;
	t->verdict = t->observed;
	if (!t->work && (t->level_moved || (above && !relative_above)))
		t->verdict = HD_INCONCLUSIVE;
}

int hd_total_judge(struct hd_total *out, const struct hd_run_counts *in, const struct hd_variance_model *m,
	const struct hd_total_opts *o)
{
	size_t runs = in->base + in->head;
	double *total = malloc(2 * runs * sizeof(*total)), *ln, mean = 0;
	double session = in->sessions ? in->sessions->level_s2 : NAN, df = in->sessions ? in->sessions->df : 0;
	int rc;

	if (!total)
		return HD_STATS_NOMEM;
	ln = total + runs;
	sum_rows(total, in);
	for (size_t r = 0; r < runs; r++) {
		ln[r] = log(total[r] + 0.5) - (in->work ? log(in->work[r]) : 0);
		mean += total[r] / (double)runs;
	}
	*out = (struct hd_total){ .level = m->level_test, .limit = o->limit, .work = in->work };
	rc = hd_movement_test(&out->cost, ln, in->base, in->head, 1 / (mean + 0.5), session, df);
	out->relative = hd_variance_model_test(m, total, HD_VARIANCE_MODEL_SUM);
	free(total);
	if (rc < 0)
		return rc;
	out->level_moved = !in->work && fabs(m->level) > log1p(o->limit) && (out->level.lo > 0 || out->level.hi < 0);
	hd_total_without(out, 0, o);
	return HD_STATS_OK;
}
