/*
 * growth.c - see growth.h
 */
#include "stats/growth.h"

#include "stats/order.h"
#include "stats/special_functions.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

/* All runs of one size. */
struct group {
	double size, typical;		/* typical: the median time of the runs */
	double variance;		/* variance of this median */
	size_t runs;
};

struct pair {
	double size, time;
};

static double shape(enum hd_growth_order order, double n)
{
	switch (order) {
	case HD_GROWTH_LOG: return log2(n);
	case HD_GROWTH_LINEAR: return n;
	case HD_GROWTH_LINEAR_LOG: return n * log2(n);
	case HD_GROWTH_QUADRATIC: return n * n;
	case HD_GROWTH_CUBIC: return n * n * n;
	case HD_GROWTH_CONSTANT: case HD_GROWTH_ORDERS: break;
	}
	return 0;
}

const char *hd_growth_name(enum hd_growth_order order)
{
	static const char *const names[HD_GROWTH_ORDERS] = { "O(1)", "O(log n)", "O(n)", "O(n log n)", "O(n^2)",
							     "O(n^3)" };

	return names[order];
}

double hd_growth_at(const struct hd_growth *g, enum hd_growth_order order, double n)
{
	return g->line[order].base + g->line[order].factor * shape(order, n);
}

static int by_size_and_time(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;

	if (x->size != y->size)
		return x->size > y->size ? 1 : -1;
	return (x->time > y->time) - (x->time < y->time);
}

/*
 * Summarise the times of each size from the sorted pairs.  Returns the number of sizes.  The variance of a median is pi
 * / 2 times that of a mean.  The spread of a size is estimated from the quartiles, so that an outlier does not hide a
 * slope: quartiles of a normal distribution are 1.349 standard deviations apart.
 */
static size_t group_pairs(struct group *groups, const struct pair *pairs, size_t n, double *room)
{
	size_t ngroups = 0;

	for (size_t i = 0, end; i < n; i = end) {
		struct group g = { .size = pairs[i].size };
		double spread;

		for (end = i; end < n && pairs[end].size == g.size; end++)
			room[end - i] = pairs[end].time;
		g.runs = end - i;
		g.typical = hd_order_median(room, g.runs);
		spread = (hd_order_type7(room, g.runs, 0.75) - hd_order_type7(room, g.runs, 0.25)) / 1.349;
		g.variance = M_PI / 2 * spread * spread / (double)g.runs;
		groups[ngroups++] = g;
	}
	return ngroups;
}

/*
 * Fit a line, base + factor f(size), to the median times of all sizes except that of group `without` (SIZE_MAX: no
 * exception).  The base is at least 0.
 */
static struct hd_growth_line fit(const struct group *g, size_t n, size_t without, enum hd_growth_order order)
{
	long double sw = 0, sf = 0, st = 0, sff = 0, sft = 0, det;
	struct hd_growth_line line = { .r2 = NAN };

	for (size_t i = 0; i < n; i++) {
		long double f = shape(order, g[i].size), w = 1 / ((long double)g[i].typical * g[i].typical);

		if (i == without)
			continue;
		sw += w;
		sf += w * f;
		st += w * g[i].typical;
		sff += w * f * f;
		sft += w * f * g[i].typical;
	}
	if (order == HD_GROWTH_CONSTANT) {
		line.base = (double)(st / sw);
		line.usable = true;
		return line;
	}
	det = sw * sff - sf * sf;
	if (det > 0) {
		line.factor = (double)((sw * sft - sf * st) / det);
		line.base = (double)((st - (sw * sft - sf * st) / det * sf) / sw);
	}
	if (line.base < 0 && sff > 0) {
		line.base = 0;
		line.factor = (double)(sft / sff);
	}
	line.usable = line.factor > 0;
	return line;
}

/* Return the root mean square of the relative errors with which each size is predicted from the others. */
static double cross_validate(const struct group *g, size_t n, enum hd_growth_order order)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++) {
		struct hd_growth_line line = fit(g, n, i, order);
		double error = (line.base + line.factor * shape(order, g[i].size)) / g[i].typical - 1;

		sum += error * error;
	}
	return sqrt(sum / (double)n);
}

static double explained(const struct hd_growth_line *line, enum hd_growth_order order, const struct pair *p, size_t n)
{
	double mean = 0, all = 0, rest = 0;

	for (size_t i = 0; i < n; i++)
		mean += p[i].time / (double)n;
	for (size_t i = 0; i < n; i++) {
		double off = p[i].time - line->base - line->factor * shape(order, p[i].size);

		all += (p[i].time - mean) * (p[i].time - mean);
		rest += off * off;
	}
	return all > 0 ? 1 - rest / all : NAN;
}

/*
 * Return the one-sided p-value of the factor (the slope of the line).  The factor is a weighted sum of the medians, so
 * its variance follows from the variances of the medians.  If the sizes have too few runs, the relative variance of the
 * medians is estimated from the residuals.
 */
static double p_of_factor(const struct hd_growth_line *line, enum hd_growth_order order, const struct group *g,
	size_t n, size_t runs)
{
	double sw = 0, sf = 0, sff = 0, variance = 0, relative = 0, df = (double)(runs - n);
	bool by_runs = runs >= 2 * n;

	for (size_t i = 0; i < n; i++) {
		double w = 1 / (g[i].typical * g[i].typical), f = shape(order, g[i].size);
		double off = (line->base + line->factor * f) / g[i].typical - 1;

		sw += w;
		sf += w * f;
		relative += off * off / (double)(n - 2);
	}
	for (size_t i = 0; i < n; i++) {
		double w = 1 / (g[i].typical * g[i].typical), f = shape(order, g[i].size) - sf / sw;

		sff += w * f * f;
		variance += w * w * f * f * (by_runs ? g[i].variance : relative * g[i].typical * g[i].typical);
	}
	if (!by_runs)
		df = (double)(n - 2);
	return variance > 0 ? hd_t_upper(line->factor * sff / sqrt(variance), df) : 0;
}

static void choose(struct hd_growth *out, const struct group *g, size_t n, size_t runs, double noise)
{
	enum hd_growth_order best = HD_GROWTH_CONSTANT;
	double error_of_medians = 0;

	for (size_t i = 0; i < n; i++)
		error_of_medians += g[i].variance / (g[i].typical * g[i].typical) / (double)n;
	for (int o = HD_GROWTH_LOG; o < HD_GROWTH_ORDERS; o++)
		if (out->line[o].usable && (best == HD_GROWTH_CONSTANT || out->line[o].error < out->line[best].error))
			best = o;
	if (best == HD_GROWTH_CONSTANT)
		return;
	out->p = p_of_factor(&out->line[best], best, g, n, runs);
	if (!(out->p < HD_GROWTH_P) ||
		!(hd_growth_at(out, best, g[n - 1].size) > (1 + noise) * hd_growth_at(out, best, g[0].size)))
		return;
	for (int o = HD_GROWTH_CUBIC; o > HD_GROWTH_CONSTANT; o--) {
		out->also[o] = out->line[o].usable &&
			out->line[o].error <= out->line[best].error + sqrt(error_of_medians);
		if (out->also[o])
			out->order = o;
	}
	out->also[out->order] = false;
}

int hd_growth_make(struct hd_growth *out, const double *sizes, const double *times, size_t n, double noise)
{
	struct pair *pairs = malloc((n + 1) * sizeof(*pairs));
	struct group *groups = malloc((n + 1) * sizeof(*groups));
	double *room = malloc((n + 1) * sizeof(*room));

	*out = (struct hd_growth){ .p = NAN };
	if (!pairs || !groups || !room) {
		free(pairs);
		free(groups);
		free(room);
		return HD_STATS_NOMEM;
	}
	for (size_t i = 0; i < n; i++)
		pairs[i] = (struct pair){ sizes[i], times[i] };
	qsort(pairs, n, sizeof(*pairs), by_size_and_time);
	out->sizes = group_pairs(groups, pairs, n, room);
	out->known = out->sizes >= HD_GROWTH_SIZES_LEAST;
	for (int o = 0; o < HD_GROWTH_ORDERS && out->known; o++) {
		out->line[o] = fit(groups, out->sizes, SIZE_MAX, o);
		out->line[o].error = cross_validate(groups, out->sizes, o);
		if (o != HD_GROWTH_CONSTANT)
			out->line[o].r2 = explained(&out->line[o], o, pairs, n);
	}
	if (out->known)
		choose(out, groups, out->sizes, n, noise);
	free(pairs);
	free(groups);
	free(room);
	return HD_STATS_OK;
}
