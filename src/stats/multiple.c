/*
 * multiple.c - see multiple.h
 */
#include "stats/multiple.h"

#include "stats/order.h"

#include <math.h>
#include <stdlib.h>

struct at {
	double p;
	size_t i;
};

static int compare(const void *a, const void *b)
{
	const struct at *x = a, *y = b;

	return x->p != y->p ? (x->p < y->p ? -1 : 1) : (x->i > y->i) - (x->i < y->i);
}

/*
 * Adjust m p-values from the largest to the smallest.  The adjusted value of p is factor m p / rank of p, but at most
 * 1 and at most the adjusted value of the next larger p-value.
 */
static void step_up(double *adjusted, const struct at *at, size_t m, double factor)
{
	double least = 1;

	for (size_t k = m; k-- > 0; ) {
		least = fmin(least, at[k].p * factor * (double)m / (double)(k + 1));
		adjusted[at[k].i] = least;
	}
}

static void step_down(double *adjusted, const struct at *at, size_t m)
{
	double most = 0;

	for (size_t k = 0; k < m; k++) {
		most = fmax(most, fmin(1, at[k].p * (double)(m - k)));
		adjusted[at[k].i] = most;
	}
}

int hd_multiple_adjust(enum hd_multiple method, double *adjusted, const double *p, size_t n)
{
	struct at *at = malloc((n ? n : 1) * sizeof(*at));
	double harmonic = 0;
	size_t m = 0;

	if (!at)
		return HD_STATS_NOMEM;
	for (size_t i = 0; i < n; i++) {
		adjusted[i] = NAN;
		if (!isnan(p[i]))
			at[m++] = (struct at){ p[i], i };
	}
	qsort(at, m, sizeof(*at), compare);
	switch (method) {
	case HD_MULTIPLE_BH:
		step_up(adjusted, at, m, 1);
		break;
	case HD_MULTIPLE_BY:
		for (size_t k = 1; k <= m; k++)
			harmonic += 1 / (double)k;
		step_up(adjusted, at, m, harmonic);
		break;
	case HD_MULTIPLE_HOLM:
		step_down(adjusted, at, m);
		break;
	case HD_MULTIPLE_BONFERRONI:
		for (size_t k = 0; k < m; k++)
			adjusted[at[k].i] = fmin(1, at[k].p * (double)m);
		break;
	}
	free(at);
	return HD_STATS_OK;
}

double hd_multiple_guard(double *chance, size_t n, double alpha)
{
	double below = 0;

	hd_order_sort(chance, n);
	for (size_t i = 0; i < n; i++) {
		double p = (alpha - below) / (double)(n - i);

		if (p <= chance[i])
			return p;
		below += chance[i];
	}
	return 1;
}
