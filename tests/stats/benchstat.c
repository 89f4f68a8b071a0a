/*
 * benchstat.c DIR - compare medians, intervals and rank sums with benchstat's expected output in twosample/benchstat/
 *
 * benchstat prints an interval as the larger distance of an end from the median, in whole percent.  It prints p with
 * three decimals, and `~` for a change that is not significant at 0.05.
 */
#include "answers.h"

#include "stats/twosample.h"
#include "stats/order.h"

enum { NAMES = 8, VALUES = 64 };

struct hd_bench {
	char name[NAMES][128];
	double v[NAMES][VALUES];
	size_t n[NAMES], names;
};

/*
 * Read the lines `BenchmarkNAME iterations value unit` of one side.  In a text with both sides, those of side 1 come
 * after the line `note: after`.
 */
static void read_benchmarks(struct hd_bench *b, char *text, size_t only_side)
{
	size_t side = 0;

	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
		char name[128];
		double value;
		size_t i = 0;

		side += !strcmp(line, "note: after");
		if (side != only_side || sscanf(line, "Benchmark%127s %*s %lf", name, &value) != 2)
			continue;
		while (i < b->names && strcmp(b->name[i], name) != 0)
			i++;
		if (i == b->names) {
			if (i == NAMES)
				continue;
			strcpy(b->name[b->names++], name);
		}
		if (b->n[i] < VALUES)
			b->v[i][b->n[i]++] = value;
	}
}

static bool load(struct hd_bench *b, const char *dir, const char *file, size_t side)
{
	char *text = slurp(dir, file);

	memset(b, 0, sizeof(*b));
	if (text)
		read_benchmarks(b, text, side);
	free(text);
	return b->names > 0;
}

static void expect(struct verdict *v, const char *golden, const char *text)
{
	if (!strstr(golden, text))
		differ(v, "there is no \"%s\"", text);
}

/* Format an interval as "1%"; with fewer than six values, which give no interval, as the sign for infinity. */
static void interval(char *out, size_t size, double *x, size_t n)
{
	double miss, median, far;
	struct hd_interval ci;

	hd_order_sort(x, n);
	ci = hd_quantile_ci(x, n, 0.5, 0.95, &miss);
	median = hd_order_median(x, n);
	far = fmax(ci.hi - median, median - ci.lo) / median;
	if (isinf(far))
		snprintf(out, size, "\xe2\x88\x9e");
	else
		snprintf(out, size, "%.0f%%", 100 * far);
}

static void golden_csv(const char *dir)
{
	struct verdict v = { .file = "twosample/benchstat/csvOldNew.stdout", .note = "every number of it" };
	static struct hd_bench old, new;
	char *golden = slurp(dir, v.file), line[512], low[32], high[32];
	double product_old = 0, product_new = 0;

	if (!golden || !load(&old, dir, "twosample/benchstat/old.txt", 0) ||
		!load(&new, dir, "twosample/benchstat/new.txt", 0)) {
		printf("skipped: %s: is not in the folder\n", v.file);
		free(golden);
		return;
	}
	for (size_t i = 0; i < old.names; i++, v.rows++) {
		struct hd_ranksum r;
		double a, b;

		interval(low, sizeof(low), old.v[i], old.n[i]);
		interval(high, sizeof(high), new.v[i], new.n[i]);
		a = hd_order_median(old.v[i], old.n[i]) / 1e9;
		b = hd_order_median(new.v[i], new.n[i]) / 1e9;
		product_old += log(a) / (double)old.names;
		product_new += log(b) / (double)old.names;
		hd_ranksum(&r, old.v[i], old.n[i], new.v[i], new.n[i]);
		if (r.p_two > 0.05)
			snprintf(line, sizeof(line), ",%s,~,p=%.3f n=%zu", high, r.p_two, old.n[i]);
		else
			snprintf(line, sizeof(line), ",%s,%+.2f%%,p=%.3f n=%zu", high, 100 * (b / a - 1), r.p_two,
				old.n[i]);
		expect(&v, golden, line);
		snprintf(line, sizeof(line), ",%s,", low);
		expect(&v, golden, line);
		for (const char *at = strstr(golden, old.name[i]); at; at = NULL) {
			double want_a = strtod(strchr(at, ',') + 1, NULL),
			       want_b = strtod(strchr(strchr(strchr(at, ',') + 1, ',') + 1, ',') + 1, NULL);

			v.tolerance = 1e-12;
			judge(&v, i, "median, old", a, want_a);
			judge(&v, i, "median, new", b, want_b);
		}
	}
	snprintf(line, sizeof(line), "%+.2f%%", 100 * (exp(product_new - product_old) - 1));
	expect(&v, golden, line);
	judge(&v, v.rows, "geometric mean, old", exp(product_old), strtod(strstr(golden, "geomean,") + 8, NULL));
	verdict_end(&v);
	free(golden);
}

static void golden_text(const char *dir, const char *name, bool exact)
{
	char file[128], input[128], line[512], ci[32];
	struct verdict v = { .file = file };
	static struct hd_bench old, new;
	char *golden;

	snprintf(file, sizeof(file), "twosample/benchstat/%s.stdout", name);
	snprintf(input, sizeof(input), "twosample/benchstat/%s.txt", name);
	golden = slurp(dir, file);
	if (!golden || !load(&old, dir, input, 0) || !load(&new, dir, input, 1)) {
		printf("skipped: %s: is not in the folder\n", file);
		free(golden);
		return;
	}
	for (size_t i = 0; i < old.names; i++, v.rows++) {
		struct hd_ranksum r;
		double a, b;

		hd_ranksum(&r, old.v[i], old.n[i], new.v[i], new.n[i]);
		interval(ci, sizeof(ci), old.v[i], old.n[i]);
		a = hd_order_median(old.v[i], old.n[i]);
		b = hd_order_median(new.v[i], new.n[i]);
		if (exact) {	/* the unit is exact: there is no test, only the change */
			snprintf(line, sizeof(line), "%.2f%% (n=%zu)", 100 * (b / a - 1), old.n[i]);
			expect(&v, golden, line);
			continue;
		}
		snprintf(line, sizeof(line), "\xc2\xb1 %s", ci);
		expect(&v, golden, line);
		if (r.p_two > 0.05)
			snprintf(line, sizeof(line), "~ (p=%.3f n=%zu)", r.p_two, old.n[i]);
		else
			snprintf(line, sizeof(line), "%+.2f%% (p=%.3f n=%zu)", 100 * (b / a - 1), r.p_two, old.n[i]);
		expect(&v, golden, line);
	}
	verdict_end(&v);
	free(golden);
}

int main(int argc, char **argv)
{
	if (argc != 2)
		return 2;
	golden_csv(argv[1]);
	golden_text(argv[1], "smallSample", false);
	golden_text(argv[1], "issue19634", false);
	golden_text(argv[1], "units", true);
	return 0;
}
