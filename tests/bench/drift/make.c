/*
 * make.c - generate profiles in which the change of each function is known; see bench.h
 */
#include "bench.h"

#include "base/symbol_name.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

double bench_normal(struct hd_random *r)
{
	return sqrt(-2 * log(hd_random_unit(r))) * cos(2 * M_PI * hd_random_unit(r));
}

/* Return a Poisson variate.  Above a mean of 200 it is a rounded normal variate, whose distribution is close enough. */
double bench_poisson(struct hd_random *r, double mean)
{
	double product = 1, k = -1, end;

	if (mean > 200)
		return fmax(0, round(mean + sqrt(mean) * bench_normal(r)));
	end = exp(-mean);
	do {
		product *= hd_random_unit(r);
		k++;
	} while (product > end);
	return k;
}

static void find_shares(double *share, enum kind kind)
{
	double all = 0;

	for (size_t i = 0; i < LEAVES; i++)
		all += share[i] = 1 / (double)(i + 1);
	if (kind == NEAR_TIE) {			/* the fifth and the sixth function get equal shares */
		all += share[4] - share[5];
		share[5] = share[4];
	}
	for (size_t i = 0; i < LEAVES; i++)
		share[i] /= all;
}

/* Return the factor by which the cost of leaf i is multiplied in the head. */
static double factor_of(const struct recipe *rc, size_t i)
{
	switch (rc->kind) {
	case NOTHING: case SHIFT: case INLINED: case RENAMED: case NEAR_TIE:
		return 1;
	case GROW:
		return i == PLANTED ? rc->factor : 1;
	case SLOWER:
		return rc->factor;
	case MANY:				/* three grow, three shrink */
		return i == 1 || i == 5 || i == 9 ? rc->factor : i == 2 || i == 6 || i == 10 ? 1 / rc->factor : 1;
	}
	return 1;
}

/*
 * Return the row that has the cost of the renamed planted function in the head: PLANTED if the old and the new name are
 * normalised to the same name, or else a new row.
 */
static size_t renamed_row(const struct profile *p)
{
	char *a = hd_symbol_name_normalize("parse_row"), *b = hd_symbol_name_normalize("parse_row.constprop.0");
	size_t row = !strcmp(a, b) ? PLANTED : p->rows;

	free(a);
	free(b);
	return row;
}

static void move_cost(struct profile *p, const struct recipe *rc, struct hd_random *r)
{
	size_t runs = p->base + p->head, to = rc->kind == RENAMED ? renamed_row(p) : p->rows;

	if (to == PLANTED)
		return;
	for (size_t k = 0; k < runs; k++) {
		double *from = &p->y[PLANTED * runs + k], part = *from;

		/*
		 * SHIFT: a new helper gets each sample with a probability of 70 %.  Otherwise the row `to` gets all
		 * samples.
		 */
		if (rc->kind == SHIFT)
			part = fmin(*from, round(0.7 * *from + sqrt(0.7 * 0.3 * *from) * bench_normal(r)));
		p->y[to * runs + k] = k < p->base ? 0 : part;
		*from -= k < p->base ? 0 : part;
	}
	p->of[to][0] = p->of[PLANTED][0];
	p->of[to][1] = p->of[to][HD_DOMAIN_OLD_NAME] = HD_NO_DOMAIN;
	p->truth[to] = p->truth[PLANTED] = NAN;
	p->rows++;
}

static void sum_domains(struct profile *p)
{
	size_t runs = p->base + p->head;

	memset(p->domain_y, 0, sizeof(p->domain_y));
	for (size_t i = 0; i < p->rows; i++)
		for (size_t k = 0; k < runs; k++)
			p->domain_y[p->of[i][0] * runs + k] += p->y[i * runs + k];
}

void bench_make(struct profile *p, const struct recipe *rc, struct hd_random *r)
{
	size_t runs = rc->base + rc->head;
	double share[LEAVES], cv[LEAVES];

	p->rows = LEAVES;
	p->base = rc->base;
	p->head = rc->head;
	p->planted = PLANTED;
	p->domains = CALLERS;
	find_shares(share, rc->kind);
	for (size_t i = 0; i < LEAVES; i++) {
		cv[i] = rc->cv * exp(0.5 * bench_normal(r));
		p->truth[i] = rc->kind == SLOWER ? NAN : factor_of(rc, i);
		p->of[i][0] = i % CALLERS;
		p->of[i][1] = p->of[i][HD_DOMAIN_OLD_NAME] = HD_NO_DOMAIN;
	}
	for (size_t k = 0; k < runs; k++) {
		double size = rc->samples * exp(0.02 * bench_normal(r));
		size_t bad = rc->contaminated && hd_random_unit(r) < 0.05 ? hd_random_below(r, LEAVES) : LEAVES;

		for (size_t i = 0; i < LEAVES; i++)
			p->y[i * runs + k] = bench_poisson(r,
				size * share[i] * exp(cv[i] * bench_normal(r)) *
					(k >= rc->base ? factor_of(rc, i) : 1) * (i == bad ? 1.6 : 1));
	}
	if (rc->kind == SHIFT || rc->kind == INLINED || rc->kind == RENAMED)
		move_cost(p, rc, r);
	sum_domains(p);
}
