/*
 * bench_violins.c - the distributions of a benchmark page; see bench_figures.h
 */
#include "web/bench_figures.h"

#include "base/encode.h"
#include "base/mem.h"
#include "bench/bench.h"
#include "stats/density.h"
#include "stats/order.h"
#include "web/bench_axis.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DENSITY_POINTS = 160 };

static void begin_row(struct hd_buf *out, const struct hd_figure_row *row)
{
	hd_buf_addf(out, "<div class=\"row c%u\"><div class=\"key\"><b>", row->colour);
	hd_enc_xml(out, row->name, strlen(row->name));
	hd_buf_addf(out, "</b><small>%zu run%s", row->n, row->n == 1 ? "" : "s");
	if (row->n > HD_FIGURE_DOTS)
		hd_buf_addf(out, ", each %zuth drawn", hd_figure_stride(row->n));
	hd_buf_adds(out, "</small></div><div class=\"plot\">");
}

/*
 * A row with its sorted values.  The outline extends from lo to hi: two bandwidths beyond the smallest and the largest
 * value, but not below 0 unless a value is negative.
 */
struct violin {
	const struct hd_figure_row *row;
	double *sorted, bandwidth, lo, hi;
};

static struct violin violin_of(const struct hd_figure_row *row)
{
	struct violin v = { .row = row, .sorted = hd_new_array(double, row->n + 1) };

	if (!row->n)
		return v;
	memcpy(v.sorted, row->values, row->n * sizeof(*v.sorted));
	v.bandwidth = hd_density_bandwidth(v.sorted, row->n);
	hd_order_sort(v.sorted, row->n);
	v.lo = v.sorted[0] - 2 * v.bandwidth;
	v.hi = v.sorted[row->n - 1] + 2 * v.bandwidth;
	if (v.sorted[0] >= 0 && v.lo < 0)
		v.lo = 0;
	return v;
}

/* Append the outline of the density, which is symmetric to the middle of the row, and the box plot of the quartiles. */
static void outline(struct hd_buf *out, const struct violin *of, const struct hd_figure_axis *a, const char *unit)
{
	double density[DENSITY_POINTS], top = 0, q1, q2, q3, width = of->hi - of->lo;
	const double *v = of->sorted;
	size_t n = of->row->n;

	if (width > 0)
		hd_density_make(density, DENSITY_POINTS, of->lo, of->hi, v, n, of->bandwidth);
	else
		memset(density, 0, sizeof(density));
	for (int i = 0; i < DENSITY_POINTS; i++)
		top = fmax(top, density[i]);
	hd_buf_adds(out, "<path class=\"violin\" d=\"");
	for (int i = 0; i < 2 * DENSITY_POINTS; i++) {
		int at = i < DENSITY_POINTS ? i : 2 * DENSITY_POINTS - 1 - i;
		double half = top > 0 ? 46 * density[at] / top : 0;

		hd_buf_addf(out, "%c%.1f %.1f", i ? 'L' : 'M',
			HD_FIGURE_WIDTH * hd_figure_place(a, of->lo + width * at / (DENSITY_POINTS - 1)),
			50 + (i < DENSITY_POINTS ? -half : half));
	}
	hd_buf_adds(out, "Z\"/>");
	q1 = HD_FIGURE_WIDTH * hd_figure_place(a, hd_order_type7(v, n, 0.25));
	q2 = HD_FIGURE_WIDTH * hd_figure_place(a, hd_order_median(v, n));
	q3 = HD_FIGURE_WIDTH * hd_figure_place(a, hd_order_type7(v, n, 0.75));
	hd_buf_addf(out, "<path class=\"box\" d=\"M%.1f 44H%.1fV56H%.1fZ\"/>", q1, q3, q1);
	hd_buf_addf(out, "<path class=\"median\" d=\"M%.1f 38V62\"><title>median ", q2);
	hd_bench_text_value(out, hd_order_median(v, n), unit);
	hd_buf_adds(out, "</title></path>");
}

/* Append a row: its name, its violin, the confidence interval of the mean, and a dot for each run. */
static void violin_row(struct hd_buf *out, const struct violin *v, const struct hd_figure_axis *a, const char *unit)
{
	const struct hd_figure_row *row = v->row;

	begin_row(out, row);
	hd_figure_svg(out, "distribution of the values of the runs");
	hd_figure_grid(out, a, true);
	outline(out, v, a, unit);
	if (isfinite(row->mean_ci.lo) && isfinite(row->mean_ci.hi)) {
		hd_buf_addf(out, "<path class=\"mean\" d=\"M%.1f 92H%.1f\"><title>mean, 95 %% interval: ",
			HD_FIGURE_WIDTH * fmax(0, hd_figure_place(a, row->mean_ci.lo)),
			HD_FIGURE_WIDTH * fmin(1, hd_figure_place(a, row->mean_ci.hi)));
		hd_bench_text_value(out, row->mean_ci.lo, unit);
		hd_buf_adds(out, " .. ");
		hd_bench_text_value(out, row->mean_ci.hi, unit);
		hd_buf_adds(out, "</title></path>");
	}
	/* The y coordinates advance by the golden ratio, so consecutive runs are far apart and few dots overlap. */
	for (size_t k = 0; k < row->n; k += hd_figure_stride(row->n))
		hd_figure_dot(out, HD_FIGURE_WIDTH * hd_figure_place(a, row->values[k]),
			30 + 40 * fmod((double)k * 0.6180339887, 1), "run", (double)k + 1, row->values[k], unit);
	hd_buf_adds(out, "</svg></div></div>\n");
}

void hd_figure_violins(struct hd_buf *out, const struct hd_figure_row *rows, size_t n, const char *unit)
{
	struct violin *violins = hd_new_array(struct violin, n + 1);
	double lo = INFINITY, hi = -INFINITY;
	struct hd_figure_axis a;

	for (size_t i = 0; i < n; i++) {
		violins[i] = violin_of(&rows[i]);
		if (!rows[i].n)
			continue;
		lo = fmin(lo, violins[i].lo);
		hi = fmax(hi, violins[i].hi);
	}
	if (lo <= hi) {
		a = hd_figure_axis_of(lo, hi, false);
		hd_buf_adds(out, "<div class=\"figure violins\">\n");
		for (size_t i = 0; i < n; i++)
			if (rows[i].n)
				violin_row(out, &violins[i], &a, unit);
		hd_buf_adds(out, "<div class=\"row\"><div class=\"key\"></div><div class=\"below\">");
		hd_figure_labels(out, &a, "left", unit);
		hd_buf_adds(out, "</div></div>\n</div>\n");
	}
	for (size_t i = 0; i < n; i++)
		free(violins[i].sorted);
	free(violins);
}
