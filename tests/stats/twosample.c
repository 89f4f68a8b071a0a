/*
 * twosample.c DIR - compare tests and intervals with the tables in twosample/ and robust/, except those of criterion.c
 */
#include "answers.h"

#include "stats/outliers.h"
#include "stats/twosample.h"
#include "stats/order.h"
#include "stats/special_functions.h"

static double x[LIST_MAX], y[LIST_MAX], want[LIST_MAX], room[2 * LIST_MAX];

static void judge_unless_empty(struct verdict *v, size_t row, const char *what, double ours, double theirs)
{
	if (!isnan(theirs))
		judge(v, row, what, ours, theirs);
}

static void cases(const char *dir)
{
	struct verdict v = { .file = "twosample/cases.tsv", .tolerance = 1e-10 };
	struct table t;

	if (!answers_open(&t, dir, v.file))
		return;
	for (size_t i = 0; i < t.rows; i++, v.rows++) {
		const char *test = cell(&t, i, "test"), *statistic = cell(&t, i, "statistic");
		size_t nx = numbers(cell(&t, i, "x"), x), ny = numbers(cell(&t, i, "y"), y);
		double p = number(&t, i, "p_two_sided"), miss = 0;
		struct hd_interval ci;

		if (!strcmp(test, "mann_whitney_u_exact")) {
			struct hd_ranksum r = { 0 };

			hd_ranksum(&r, x, nx, y, ny);
			judge(&v, i, "U", r.u, number(&t, i, "statistic"));
			judge(&v, i, "p", r.p_two, p);
			judge_unless_empty(&v, i, "p greater", r.p_greater, number(&t, i, "p_greater"));
			judge_unless_empty(&v, i, "p less", r.p_less, number(&t, i, "p_less"));
		} else if (!strcmp(test, "welch_t")) {
			struct hd_welch w = hd_welch(x, nx, y, ny);

			judge(&v, i, "t", w.t, keyed(statistic, "t"));
			judge(&v, i, "df", w.df, keyed(statistic, "df"));
			judge(&v, i, "p", w.p, p);
		} else if (!strcmp(test, "median_ci") || !strcmp(test, "mean_ci")) {
			double confidence = keyed(cell(&t, i, "y"), "confidence");
			double center;

			hd_order_sort(x, nx);
			if (!strcmp(test, "median_ci")) {
				ci = hd_quantile_ci(x, nx, 0.5, confidence, &miss);
				center = hd_order_median(x, nx);
				judge_unless_empty(&v, i, "miss", miss, p);
			} else {
				ci = hd_mean_ci(x, nx, confidence);
				center = (ci.lo + ci.hi) / 2;
			}
			judge(&v, i, "center", center, keyed(statistic, "center"));
			judge(&v, i, "lo", ci.lo, keyed(statistic, "lo"));
			judge(&v, i, "hi", ci.hi, keyed(statistic, "hi"));
		} else {
			differ(&v, "row %zu: unknown test %s", i + 1, test);
		}
	}
	verdict_end(&v);
	answers_close(&t);
}

/* Check the critical value of U (the largest with p <= 0.05), its p, and the smallest possible p, without ties. */
static void critical(const char *dir)
{
	struct verdict v = { .file = "twosample/mwu_critical_alpha_0.05.tsv", .tolerance = 1e-10 };
	struct table t;

	if (!answers_open(&t, dir, v.file))
		return;
	for (size_t i = 0; i < t.rows; i++, v.rows++) {
		size_t n1 = (size_t)number(&t, i, "n1"), n2 = (size_t)number(&t, i, "n2");
		const char *text = cell(&t, i, "critical_U");
		double found = -1, p_found = NAN, least = NAN;

		/* x starts at the lowest ranks.  Then one x is moved past one more y each time: U = 0, 1, 2, ... */
		for (size_t u = 0; u <= n1 * n2 / 2; u++) {
			struct hd_ranksum r = { 0 };
			size_t left = u, nx = 0, ny = 0;

			/* the k-th x from the top is above min(left, n2) values of y */
			for (size_t k = 0; k < n1; k++) {
				size_t above = left < n2 ? left : n2;

				left -= above;
				x[nx++] = (double)above + 0.5 - (double)k * 1e-4;
			}
			for (size_t k = 0; k < n2; k++)
				y[ny++] = (double)k + 1;
			hd_ranksum(&r, x, nx, y, ny);
			if (r.u != (double)u) {
				differ(&v, "row %zu: U is %g, built as %zu", i + 1, r.u, u);
				break;
			}
			if (!u)
				least = r.p_two;
			if (r.p_two > 0.05)
				break;
			found = r.u;
			p_found = r.p_two;
		}
		judge(&v, i, "smallest p", least, number(&t, i, "min_two_sided_p"));
		if (!strcmp(text, "none")) {
			if (found >= 0)
				differ(&v, "row %zu: U %g is rejected, expected none", i + 1, found);
			continue;
		}
		judge(&v, i, "critical U", found, strtod(text, NULL));
		judge(&v, i, "its p", p_found, number(&t, i, "exact_two_sided_p_at_critical"));
	}
	verdict_end(&v);
	answers_close(&t);
}

static size_t range(const char *s, double *out)
{
	double at[3] = { 0, 0, 1 };
	size_t n = 0;

	sscanf(s, "%lf:%lf:%lf", &at[0], &at[1], &at[2]);
	for (double a = at[0]; a < at[1] && n < LIST_MAX; a += at[2])
		out[n++] = a;
	return n;
}

static void energy(const char *dir)
{
	/* the table has three decimals */
	struct verdict v = { .file = "twosample/energy.tsv", .tolerance = 5e-4 };
	struct table t;

	if (!answers_open(&t, dir, v.file))
		return;
	for (size_t i = 0; i < t.rows; i++, v.rows++) {
		size_t nx = range(cell(&t, i, "x_start:stop:step"), x), ny = range(cell(&t, i, "y_start:stop:step"), y);
		struct hd_energy_distance d = hd_energy_distance(x, nx, y, ny);
		double scale = pow(10, number(&t, i, "decimals"));

		judge(&v, i, "e", round(d.e * scale) / scale, number(&t, i, "e"));
		judge(&v, i, "t", round(d.t * scale) / scale, number(&t, i, "t"));
		judge(&v, i, "h", round(d.h * scale) / scale, number(&t, i, "h"));
	}
	verdict_end(&v);
	answers_close(&t);
}

static void prediction(const char *dir)
{
	struct verdict v = { .file = "robust/prediction_limit.tsv", .tolerance = 1e-11 };
	struct table t;

	if (!answers_open(&t, dir, v.file))
		return;
	for (size_t i = 0; i < t.rows; i++, v.rows++) {
		size_t n = numbers(cell(&t, i, "history"), x);
		double mean, sd;

		hd_mean_sd(x, n, &mean, &sd);
		judge(&v, i, "mean", mean, number(&t, i, "mean"));
		judge(&v, i, "sd", sd, number(&t, i, "sd"));
		judge(&v, i, "limit", hd_prediction_limit(x, n, number(&t, i, "alpha_one_sided")),
			number(&t, i, "upper_limit"));
	}
	verdict_end(&v);
	answers_close(&t);
}

static void quantile(const char *dir)
{
	/* the table has the seven digits that R printed */
	struct verdict v = { .file = "robust/quantile_ci.tsv", .tolerance = 1e-6 };
	struct table t;

	if (!answers_open(&t, dir, v.file))
		return;
	for (size_t i = 0; i < t.rows; i++, v.rows++) {
		size_t n = numbers(cell(&t, i, "x"), x);
		double p = number(&t, i, "prob"), miss;
		struct hd_interval ci;

		hd_order_sort(x, n);
		ci = hd_quantile_ci(x, n, p, number(&t, i, "conf"), &miss);
		judge(&v, i, "quantile", hd_order_type7(x, n, p), number(&t, i, "quantile_type7"));
		judge(&v, i, "lo", ci.lo, number(&t, i, "lo"));
		judge(&v, i, "hi", ci.hi, number(&t, i, "hi"));
	}
	verdict_end(&v);
	answers_close(&t);
}

static void modified(const char *dir)
{
	struct verdict v = { .file = "robust/modified_z.tsv", .tolerance = 0 };
	struct table t;

	if (!answers_open(&t, dir, v.file))
		return;
	for (size_t i = 0; i < t.rows; i++, v.rows++) {
		size_t n = numbers(cell(&t, i, "x"), x);

		judge(&v, i, "outliers", (double)hd_modified_z(x, n, room, NULL), number(&t, i, "outliers"));
	}
	verdict_end(&v);
	answers_close(&t);
}

static void gesd(const char *dir)
{
	struct verdict v = { .file = "robust/generalized_esd.tsv", .tolerance = 1e-3 };
	struct table t;

	if (!answers_open(&t, dir, v.file))
		return;
	for (size_t i = 0; i < t.rows; i++, v.rows++) {
		size_t n = numbers(cell(&t, i, "series"), x), most = (size_t)number(&t, i, "max_outliers");
		struct hd_gesd_step steps[64] = { { 0 } };
		size_t k;

		if (most > 64) {
			differ(&v, "row %zu: more than 64 outliers", i + 1);
			continue;
		}
		judge(&v, i, "outliers", (double)hd_gesd(steps, x, n, most, number(&t, i, "alpha"), room),
			number(&t, i, "outliers"));
		k = numbers(cell(&t, i, "suspects_in_order"), want);
		for (size_t j = 0; j < k; j++)
			judge(&v, i, "suspect", (double)steps[j].index, want[j]);
		k = numbers(cell(&t, i, "R"), want);
		for (size_t j = 0; j < k; j++)
			judge(&v, i, "R", steps[j].r, want[j]);
		k = numbers(cell(&t, i, "lambda"), want);
		for (size_t j = 0; j < k; j++)
			judge(&v, i, "lambda", steps[j].lambda, want[j]);
	}
	verdict_end(&v);
	answers_close(&t);
}

static void log_moments(double *mean, double *sd, size_t n)
{
	for (size_t i = 0; i < n; i++)
		room[i] = log(x[i]);
	hd_mean_sd(room, n, mean, sd);
}

static void history(const char *dir)
{
	struct verdict v = { .file = "robust/history_model.tsv", .tolerance = 1e-12 };
	struct table t;

	if (!answers_open(&t, dir, v.file))
		return;
	for (size_t i = 0; i < t.rows; i++, v.rows++) {
		size_t n = numbers(cell(&t, i, "x"), x), k = numbers(cell(&t, i, "expected"), want);
		const char *what = cell(&t, i, "what");
		double mean = NAN, sd = NAN;

		if (!strcmp(what, "ln_location;ln_scale")) {
			log_moments(&mean, &sd, n);
			if (k == 0 ? sd > 0 : k != 2)		/* the table has "undefined" for the scale */
				differ(&v, "row %zu: scale is %g, expected none", i + 1, sd);
			if (k == 2) {
				judge(&v, i, "location", mean, want[0]);
				judge(&v, i, "scale", sd, want[1]);
			}
			continue;
		}
		if (!strcmp(what, "delta_q1;delta_q2;delta_q3")) {
			for (size_t j = 0; j + 1 < n; j++)
				x[j] = fabs((x[j + 1] - x[j]) / x[j]);
			n--;
		} else if (strcmp(what, "q1;q2;q3") != 0) {
			differ(&v, "row %zu: unknown question %s", i + 1, what);
		}
		hd_order_sort(x, n);
		for (size_t j = 0; j < 3; j++)
			judge(&v, i, what, hd_order_type7(x, n, 0.25 * (double)(j + 1)), want[j]);
	}
	verdict_end(&v);
	answers_close(&t);
}

int main(int argc, char **argv)
{
	if (argc != 2)
		return 2;
	cases(argv[1]);
	critical(argv[1]);
	energy(argv[1]);
	prediction(argv[1]);
	quantile(argv[1]);
	modified(argv[1]);
	gesd(argv[1]);
	history(argv[1]);
	return 0;
}
