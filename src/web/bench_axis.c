/*
 * bench_axis.c - see bench_axis.h
 */
#include "web/bench_axis.h"

#include "base/encode.h"
#include "bench/bench.h"

#include <math.h>
#include <string.h>

enum { TICKS_MAX = 12, TICKS_WANTED = 4 };

/* ---- axes ---- */

double hd_figure_place(const struct hd_figure_axis *a, double v)
{
	return a->log ? log(v / a->lo) / log(a->hi / a->lo) : (v - a->lo) / (a->hi - a->lo);
}

struct hd_figure_axis hd_figure_axis_of(double lo, double hi, bool log_scale)
{
	double by = log_scale ? pow(hi / lo, 0.04) : 0.04 * (hi - lo);

	if (!(hi > lo))
		return (struct hd_figure_axis){ lo - (lo != 0 ? 0.05 * fabs(lo) : 1),
			hi + (hi != 0 ? 0.05 * fabs(hi) : 1), false };
	if (log_scale)
		return (struct hd_figure_axis){ lo / by, hi * by, true };
	return (struct hd_figure_axis){ lo >= 0 && lo < by ? 0 : lo - by, hi + by, false };
}

/*
 * Store the values of the axis that get a label, and return their number.  On a linear axis they are multiples of 1, 2
 * or 5 times a power of ten.  On a logarithmic axis they are powers of ten, and if hi / lo is below 1000, also 2 and 5
 * times a power of ten.
 */
static size_t ticks_of(const struct hd_figure_axis *a, double *ticks)
{
	double rough = (a->hi - a->lo) / TICKS_WANTED, step = pow(10, floor(log10(rough)));
	size_t n = 0;

	if (a->log) {
		static const double parts[] = { 1, 2, 5 };
		bool fine = a->hi / a->lo < 1000;

		for (double p = pow(10, floor(log10(a->lo))); p <= a->hi && n < TICKS_MAX; p *= 10)
			for (int k = 0; k < (fine ? 3 : 1); k++)
				if (p * parts[k] >= a->lo && p * parts[k] <= a->hi && n < TICKS_MAX)
					ticks[n++] = p * parts[k];
		return n;
	}
	step *= rough / step > 5 ? 10 : rough / step > 2 ? 5 : rough / step > 1 ? 2 : 1;
	for (double v = ceil(a->lo / step) * step; v <= a->hi && n < TICKS_MAX; v += step)
		ticks[n++] = fabs(v) < step * 1e-6 ? 0 : v;
	return n;
}

void hd_figure_labels(struct hd_buf *out, const struct hd_figure_axis *a, const char *side, const char *unit)
{
	double ticks[TICKS_MAX];
	size_t n = ticks_of(a, ticks);

	for (size_t i = 0; i < n; i++) {
		hd_buf_addf(out, "<span style=\"%s:%.2f%%\">", side, 100 * hd_figure_place(a, ticks[i]));
		if (*unit)
			hd_bench_text_value(out, ticks[i], unit);
		else
			hd_buf_addf(out, "%g", ticks[i]);
		hd_buf_adds(out, "</span>");
	}
}

/* ---- shapes ---- */

void hd_figure_svg(struct hd_buf *out, const char *what)
{
	hd_buf_addf(out, "<svg viewBox=\"0 0 %d %d\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"",
		HD_FIGURE_WIDTH, HD_FIGURE_HEIGHT);
	hd_enc_xml(out, what, strlen(what));
	hd_buf_adds(out, "\">");
}

void hd_figure_grid(struct hd_buf *out, const struct hd_figure_axis *a, bool upright)
{
	double ticks[TICKS_MAX];
	size_t n = ticks_of(a, ticks);

	hd_buf_adds(out, "<path class=\"grid\" d=\"");
	for (size_t i = 0; i < n; i++) {
		if (upright)
			hd_buf_addf(out, "M%.1f 0V%d", HD_FIGURE_WIDTH * hd_figure_place(a, ticks[i]),
				HD_FIGURE_HEIGHT);
		else
			hd_buf_addf(out, "M0 %.1fH%d", HD_FIGURE_HEIGHT * (1 - hd_figure_place(a, ticks[i])),
				HD_FIGURE_WIDTH);
	}
	hd_buf_adds(out, "\"/>");
}

void hd_figure_dot(struct hd_buf *out, double x, double y, const char *what, double number, double v, const char *unit)
{
	hd_buf_addf(out, "<path class=\"dot\" d=\"M%.1f %.1fh0\"><title>%s %.0f: ", x, y, what, number);
	hd_bench_text_value(out, v, unit);
	hd_buf_adds(out, "</title></path>");
}

size_t hd_figure_stride(size_t n)
{
	return (n + HD_FIGURE_DOTS - 1) / HD_FIGURE_DOTS + !n;
}
