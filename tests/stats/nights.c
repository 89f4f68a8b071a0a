/*
 * nights.c DIR - compare bootstrap intervals of a ratio of medians with aa_nights/ratio_intervals.tsv
 *
 * aa_nights/runs.csv has the results of benchmarks that ran every night, for a commit and for a base that stays the
 * same.  A row of the reference has the interval of the ratio of their medians, on the last night of the commit.
 *
 * The reference program computed each interval from only 200 bootstrap draws, so its ends and its center are random.
 * Even two runs of that program differ by more than 20 % of the half width in some rows.  This program only prints in
 * how many rows its own ends are so close.
 *
 * A row passes if 200 draws could have given each end and the center: a row fails if a binomial tail probability is
 * below 1 in a million.  Over all rows, the mean rank (0 to 1) of the reference values among our draws must be within
 * 0.01 of the expected rank.
 */
#include "answers.h"

#include "stats/twosample.h"
#include "stats/order.h"
#include "stats/special_functions.h"

enum { REPEATS = 25, DRAWS = 2000, THEIRS = 200 };

static const struct table *runs_sorted_by;	/* for qsort, which has no context */

static int by_night(const void *a, const void *b)
{
	size_t x = *(const size_t *)a, y = *(const size_t *)b;
	int d = strcmp(cell(runs_sorted_by, x, "benchmark"), cell(runs_sorted_by, y, "benchmark"));

	return d ? d : (x > y) - (x < y);
}

static size_t times(const struct table *t, size_t row, double *out)
{
	size_t n = 0;

	for (size_t i = 0; i < REPEATS; i++) {
		char column[16];
		double v;

		snprintf(column, sizeof(column), "ns%zu", i + 1);
		v = number(t, row, column);
		if (!isnan(v))
			out[n++] = v;
	}
	return n;
}

/* Collect the repetitions of a commit in its last night, and those of the base in the same night. */
static void collect(const struct table *t, const size_t *index, const char *benchmark, const char *commit, double *x,
	size_t *nx, double *y, size_t *ny)
{
	size_t lo = 0, hi = t->rows, first;
	const char *night = "";

	*nx = *ny = 0;
	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (strcmp(cell(t, index[mid], "benchmark"), benchmark) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	first = lo;
	for (size_t i = first; i < t->rows && !strcmp(cell(t, index[i], "benchmark"), benchmark); i++)
		if (strcmp(cell(t, index[i], "side"), "base") != 0 && !strcmp(cell(t, index[i], "commit"), commit) &&
		    strcmp(cell(t, index[i], "night"), night) > 0) {
			night = cell(t, index[i], "night");
			*ny = times(t, index[i], y);
		}
	for (size_t i = first; i < t->rows && !strcmp(cell(t, index[i], "benchmark"), benchmark); i++)
		if (!strcmp(cell(t, index[i], "side"), "base") && !strcmp(cell(t, index[i], "night"), night))
			*nx = times(t, index[i], x);
}

/*
 * Return true if v can be the k-th smallest of THEIRS draws.  Adds to *rank the fraction of our draws that are smaller;
 * half of the equal ones count.
 */
static bool could_be(const double *draws, double v, size_t k, double *rank)
{
	double tolerance = 1e-9 * fabs(v);
	size_t below = 0, upto = 0;

	for (size_t i = 0; i < DRAWS; i++) {
		below += draws[i] < v - tolerance;
		upto += draws[i] <= v + tolerance;
	}
	*rank += (double)(below + upto) / 2 / DRAWS;
	/*
	 * If v is their k-th draw, at least k of their draws are at most v, and at most k - 1 are smaller.  The margin
	 * of 5 allows for the error of the fractions, because our draws are a sample as well.
	 */
	return hd_binomial_upper(k, THEIRS, fmin(1, ((double)upto + 5) / DRAWS)) > 1e-6 &&
	       1 - hd_binomial_upper(k, THEIRS, fmax(0, ((double)below - 5) / DRAWS)) > 1e-6;
}

int main(int argc, char **argv)
{
	struct verdict v = { .file = "aa_nights/ratio_intervals.tsv" };
	static double draws[DRAWS];
	size_t *index, ends = 0, absent = 0;
	struct table t, raw;
	double rank[3] = { 0, 0, 0 };
	char note[256];

	if (argc != 2)
		return 2;
	if (!answers_open(&t, argv[1], v.file) || !answers_open_by(&raw, argv[1], "aa_nights/runs.csv", ','))
		return 0;
	index = malloc(raw.rows * sizeof(*index));
	for (size_t i = 0; i < raw.rows; i++)
		index[i] = i;
	runs_sorted_by = &raw;
	qsort(index, raw.rows, sizeof(*index), by_night);
	for (size_t i = 0; i < t.rows; i++) {
		double x[REPEATS], y[REPEATS], lo = number(&t, i, "ratio_low"), hi = number(&t, i, "ratio_high"), room;
		size_t nx, ny;
		bool fine;

		collect(&raw, index, cell(&t, i, "benchmark"), cell(&t, i, "commit"), x, &nx, y, &ny);
		if (!nx || !ny) {
			absent++;
			continue;
		}
		hd_order_sort(x, nx);
		hd_order_sort(y, ny);
		v.rows++;
		hd_ratio_draws(draws, DRAWS, x, nx, y, ny, 1 + i);
		fine = could_be(draws, lo, 6, &rank[0]);
		fine &= could_be(draws, number(&t, i, "ratio_center"), THEIRS / 2 + 1, &rank[1]);
		fine &= could_be(draws, hi, THEIRS - 4, &rank[2]);
		if (!fine)
			differ(&v, "row %zu: %g .. %g, expected %g .. %g", i + 1, hd_order_type7(draws, DRAWS, 0.025),
			       hd_order_type7(draws, DRAWS, 0.975), lo, hi);
		room = 0.2 * (hi - lo) / 2 + 1e-12;
		ends += fabs(hd_order_type7(draws, DRAWS, 0.025) - lo) > room ||
			fabs(hd_order_type7(draws, DRAWS, 0.975) - hi) > room;
	}
	for (size_t k = 0; k < 3; k++)
		if (fabs(rank[k] / (double)v.rows - (double[]){ 6.0 / 201, 0.5, 196.0 / 201 }[k]) > 0.01)
			differ(&v, "the mean rank of end %zu is %g", k, rank[k] / (double)v.rows);
	snprintf(note, sizeof(note),
		"as 200 draws would be; mean ranks %.4f %.4f %.4f; %zu of %zu ends within 20 %% of the half width; %zu "
		"rows without runs",
		rank[0] / (double)v.rows, rank[1] / (double)v.rows, rank[2] / (double)v.rows, v.rows - ends, v.rows,
		absent);
	v.note = note;
	verdict_end(&v);
	answers_close(&t);
	answers_close(&raw);
	free(index);
	return 0;
}
