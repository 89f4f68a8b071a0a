/*
 * changepoint.c DIR - compare the change points of E-divisive with the tables in changepoint/
 *
 * The results of public programs, such as Apache Otava, must be reproduced exactly, quirks included.  Where a reference
 * is only a number of points, from random permutations, a difference of 1 is allowed.
 *
 * The points that hotdrift finds with its own defaults are tested in two ways.  In generated series it must find the
 * change ("truth").  In series that people annotated ("human"), its F1 must be at least that of Otava.  The definition
 * of F1 is that of van den Burg and Williams 2020, with a margin of 5.
 */
#include "answers.h"
#include "series.h"

#include "stats/changepoint.h"

static double v_[LIST_MAX], want[LIST_MAX];
static struct hd_changepoint points[LIST_MAX];

static int by_index(const void *a, const void *b)
{
	const struct hd_changepoint *p = a, *q = b;

	return (p->index > q->index) - (p->index < q->index);
}

static void show(const char *what, size_t n)
{
	printf("    %s", what);
	for (size_t i = 0; i < n; i++)
		printf(" %zu", points[i].index);
	putchar('\n');
}

static void compare(struct verdict *v, size_t row, const char *what, long got, const char *expected)
{
	size_t k = numbers(expected, want);
	bool same = got >= 0 && (size_t)got == k;

	for (size_t i = 0; same && i < k; i++)
		same = points[i].index == (size_t)want[i];
	if (same)
		return;
	differ(v, "row %zu: %s: expected %s, got", row + 1, what, expected);
	show("", got < 0 ? 0 : (size_t)got);
}

static long windows(size_t n, const char *params, bool skewed)
{
	struct hd_changepoint_opts o = { .window = (size_t)keyed(params, "window"),
		.max_p = keyed(params, "max_pvalue"),
		.min_magnitude = keyed(params, "min_magnitude"),
		.ddof_0 = true,
		.skewed_merge = skewed,
		.independent = true };

	return hd_changepoints(points, v_, n, &o);
}

static void expected(const char *dir)
{
	struct verdict v = { .file = "changepoint/expected.tsv", .note = "exact but where random: counts +-1" };
	struct table t;

	if (!answers_open(&t, dir, v.file))
		return;
	for (size_t i = 0; i < t.rows; i++) {
		const char *name = cell(&t, i, "series"), *method = cell(&t, i, "method"),
			   *params = cell(&t, i, "params"), *answer = cell(&t, i, "expected");
		size_t n = series_read(v_, dir, name);
		char what[128];
		long got;

		snprintf(what, sizeof(what), "%s %s", name, method);
		if (!strcmp(method, "human") || !strcmp(method, "truth")) {
			continue;	/* see truth() and human() */
		} else if (!strcmp(name, "(inline)")) {
			continue;	/* tested by steps.c */
		} else if (!n) {
			differ(&v, "row %zu: there is no changepoint/series/%s.csv", i + 1, name);
			continue;
		}
		v.rows++;
		if (!strcmp(method, "otava") || !strcmp(method, "otava_true_neighbours")) {
			got = windows(n, params, !strcmp(method, "otava"));
			compare(&v, i, what, got, answer);
		} else if (!strcmp(method, "edivisive_ttest")) {
			struct hd_edivisive_opts o = { .max_p = keyed(params, "max_pvalue"), .ddof_0 = true };

			got = hd_edivisive(points, v_, n, &o);
			if (got > 0)
				qsort(points, (size_t)got, sizeof(*points), by_index);
			compare(&v, i, what, got, answer);
		} else if (!strcmp(method, "edivisive_perm")) {
			struct hd_edivisive_opts o = { .max_p = keyed(params, "pvalue"),
				.permutations = (unsigned)keyed(params, "permutations"),
				.seed = 1,
				.k_end = true,
				.p_from_0 = true };

			got = hd_edivisive(points, v_, n, &o);
			if (!strncmp(answer, "count=", 6)) {
				if (labs(got - strtol(answer + 6, NULL, 10)) > 1)
					differ(&v, "row %zu: %s: %ld points, expected %s", i + 1, what, got, answer);
				continue;
			}
			if (got > 0)
				qsort(points, (size_t)got, sizeof(*points), by_index);
			compare(&v, i, what, got, answer);
		} else {
			differ(&v, "row %zu: unknown method %s", i + 1, method);
		}
	}
	verdict_end(&v);
	answers_close(&t);
}

/* A change in a generated series must be found within 5 values, the margin of van den Burg and Williams 2020. */
static void truth(const char *dir)
{
	struct verdict v = { .file = "changepoint/expected.tsv (truth)",
		.note = "a true point is found within 5 values" };
	struct table t;

	if (!answers_open(&t, dir, "changepoint/expected.tsv"))
		return;
	for (size_t i = 0; i < t.rows; i++) {
		const char *name = cell(&t, i, "series");
		size_t n = series_read(v_, dir, name), k;
		long got;

		if (strcmp(cell(&t, i, "method"), "truth") != 0 || !n)
			continue;
		v.rows++;
		k = numbers(cell(&t, i, "expected"), want);
		got = hd_changepoints(points, v_, n, &hd_changepoint_defaults);
		for (size_t j = 0; j < k; j++) {
			bool found = false;

			for (long g = 0; g < got; g++)
				found |= fabs((double)points[g].index - want[j]) <= 5;
			if (!found)
				differ(&v, "row %zu: %s: no point near %g", i + 1, name, want[j]);
		}
		printf("    %s: true %s, found", name, cell(&t, i, "expected"));
		show("", (size_t)got);
	}
	verdict_end(&v);
	answers_close(&t);
}

static void human(const char *dir)
{
	struct verdict v = { .file = "changepoint/expected.tsv (human)",
		.note = "F1 no worse than the public program's" };
	static double theirs[LIST_MAX], ours[LIST_MAX];
	struct table t;

	if (!answers_open(&t, dir, "changepoint/expected.tsv"))
		return;
	for (size_t i = 0; i < t.rows; i++) {
		const char *name = cell(&t, i, "series"), *answer = cell(&t, i, "expected");
		size_t n = series_read(v_, dir, name), k = 0;
		double f_ours, f_theirs;
		long got;

		if (strcmp(cell(&t, i, "method"), "human") != 0 || !n)
			continue;
		v.rows++;
		for (size_t j = 0; j < t.rows; j++)
			if (!strcmp(cell(&t, j, "series"), name) &&
				!strcmp(cell(&t, j, "method"), "otava_true_neighbours"))
				k = numbers(cell(&t, j, "expected"), theirs);
		got = hd_changepoints(points, v_, n, &hd_changepoint_defaults);
		for (long g = 0; g < got; g++)
			ours[g] = (double)points[g].index;
		f_ours = series_f1(answer, ours, got > 0 ? (size_t)got : 0);
		f_theirs = series_f1(answer, theirs, k);
		printf("    %s: F1 %.3f, the public program's %.3f; found", name, f_ours, f_theirs);
		show("", got > 0 ? (size_t)got : 0);
		if (f_ours < f_theirs - 1e-9)
			differ(&v, "row %zu: %s: F1 %.3f, the public program's %.3f", i + 1, name, f_ours, f_theirs);
	}
	verdict_end(&v);
	answers_close(&t);
}

static void curve(const char *dir)
{
	struct verdict v = { .file = "changepoint/robust_series_qhat.csv", .tolerance = 1e-9 };
	struct table t;
	static double q[LIST_MAX];
	size_t best = 0;
	long ours;

	if (!answers_open_by(&t, dir, v.file, ',')) {
		printf("skipped: %s: is not in the folder\n", v.file);
		return;
	}
	for (size_t i = 0; i < t.rows && i < LIST_MAX; i++) {
		v_[i] = number(&t, i, "value");
		want[i] = number(&t, i, "qhat");
		if (want[i] > want[best])
			best = i;
	}
	ours = hd_edivisive_curve(q, v_, t.rows);
	for (size_t i = 0; i < t.rows; i++, v.rows++)
		judge(&v, i, "Q", q[i], want[i]);
	judge(&v, 0, "its largest", (double)ours, (double)best);
	verdict_end(&v);
	answers_close(&t);
}

int main(int argc, char **argv)
{
	if (argc != 2)
		return 2;
	expected(argv[1]);
	truth(argv[1]);
	human(argv[1]);
	curve(argv[1]);
	return 0;
}
