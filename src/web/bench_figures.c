/*
 * bench_figures.c - runs in their order, and curves over the size; see bench_figures.h
 */
#include "web/bench_figures.h"

#include "base/encode.h"
#include "web/bench_axis.h"

#include <math.h>
#include <string.h>

/* ---- order ---- */

/* Return the y coordinate of a value; as in SVG, y is 0 at the top. */
static double height_of(const struct hd_figure_axis *a, double v)
{
	return HD_FIGURE_HEIGHT * (1 - hd_figure_place(a, v));
}

static struct hd_figure_axis range_of(const struct hd_figure_row *rows, size_t n)
{
	double lo = INFINITY, hi = -INFINITY;

	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < rows[i].n; k++) {
			lo = fmin(lo, rows[i].values[k]);
			hi = fmax(hi, rows[i].values[k]);
		}
	}
	return hd_figure_axis_of(lo, hi, false);
}

static bool has_values(const struct hd_figure_row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (rows[i].n)
			return true;
	return false;
}

void hd_figure_order(struct hd_buf *out, const struct hd_figure_row *rows, size_t n, const char *unit)
{
	size_t longest = 1;
	struct hd_figure_axis a;

	if (!has_values(rows, n))
		return;
	a = range_of(rows, n);
	for (size_t i = 0; i < n; i++)
		longest = rows[i].n > longest ? rows[i].n : longest;
	hd_buf_adds(out, "<div class=\"figure tall\"><div class=\"beside\">");
	hd_figure_labels(out, &a, "bottom", unit);
	hd_buf_adds(out, "</div><div class=\"plot\">");
	hd_figure_svg(out, "values of the runs in their order");
	hd_figure_grid(out, &a, false);
	for (size_t i = 0; i < n; i++) {
		hd_buf_addf(out, "<g class=\"c%u\">", rows[i].colour);
		for (size_t k = 0; k < rows[i].n; k += hd_figure_stride(rows[i].n))
			hd_figure_dot(out, HD_FIGURE_WIDTH * ((double)k + 0.5) / (double)longest,
				height_of(&a, rows[i].values[k]), rows[i].n == 1 ? "the run" : "run",
				(double)k + 1, rows[i].values[k], unit);
		hd_buf_adds(out, "</g>");
	}
	hd_buf_addf(out,
		"</svg></div><div></div><div class=\"ends\"><span>run 1</span><span>run %zu</span></div></div>\n",
		longest);
}

/* ---- curves ---- */

static bool has_range(const struct hd_figure_point *p)
{
	return isfinite(p->ci.lo) && isfinite(p->ci.hi) && p->ci.lo > 0;
}

static double lowest(const struct hd_figure_point *p)
{
	return has_range(p) ? fmin(p->mean, p->ci.lo) : p->mean;
}

static double highest(const struct hd_figure_point *p)
{
	return has_range(p) ? fmax(p->mean, p->ci.hi) : p->mean;
}

static void curve(struct hd_buf *out, const struct hd_figure_curve *c, const struct hd_figure_axis *x,
	const struct hd_figure_axis *y, const char *x_name, const char *unit)
{
	hd_buf_addf(out, "<g class=\"c%u\">", c->colour);
	if (c->at) {
		bool started = false;

		hd_buf_adds(out, "<path class=\"fit\" d=\"");
		for (int i = 0; i <= 100; i++) {
			double share = i / 100.0, v;

			v = c->at(c->fit, x->log ? x->lo * pow(x->hi / x->lo, share) : x->lo + (x->hi - x->lo) * share);
			if (!isfinite(v) || (y->log && v <= 0))
				continue;
			hd_buf_addf(out, "%c%.1f %.1f", started ? 'L' : 'M', HD_FIGURE_WIDTH * share, height_of(y, v));
			started = true;
		}
		hd_buf_adds(out, "\"/>");
	}
	for (size_t i = 0; i < c->n; i++) {
		const struct hd_figure_point *p = &c->points[i];

		if (has_range(p))
			hd_buf_addf(out, "<path class=\"range\" d=\"M%.1f %.1fV%.1f\"/>",
				HD_FIGURE_WIDTH * hd_figure_place(x, p->x), height_of(y, p->ci.lo),
				height_of(y, p->ci.hi));
		hd_figure_dot(out, HD_FIGURE_WIDTH * hd_figure_place(x, p->x), height_of(y, p->mean), x_name, p->x,
			p->mean, unit);
	}
	hd_buf_adds(out, "</g>");
}

void hd_figure_curves(struct hd_buf *out, const struct hd_figure_curve *curves, size_t n, const char *x_name,
	const char *unit)
{
	double x_lo = INFINITY, x_hi = -INFINITY, y_lo = INFINITY, y_hi = -INFINITY;
	struct hd_figure_axis x, y;
	bool log_scale;

	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < curves[i].n; k++) {
			x_lo = fmin(x_lo, curves[i].points[k].x);
			x_hi = fmax(x_hi, curves[i].points[k].x);
			y_lo = fmin(y_lo, lowest(&curves[i].points[k]));
			y_hi = fmax(y_hi, highest(&curves[i].points[k]));
		}
	}
	if (!isfinite(x_lo) || !(y_lo > 0))
		return;
	log_scale = x_hi / x_lo > 20;
	x = log_scale ? hd_figure_axis_of(x_lo, x_hi, true) : hd_figure_axis_of(0, x_hi, false);
	y = log_scale && y_hi > y_lo ? hd_figure_axis_of(y_lo, y_hi, true) : hd_figure_axis_of(0, y_hi, false);
	hd_buf_adds(out, "<div class=\"legend\">");
	for (size_t i = 0; i < n; i++) {
		hd_buf_addf(out, "<span class=\"c%u\">", curves[i].colour);
		hd_enc_xml(out, curves[i].name, strlen(curves[i].name));
		hd_buf_adds(out, "</span>");
	}
	hd_buf_addf(out, "<small>%s</small></div>\n<div class=\"figure tall\"><div class=\"beside\">",
		log_scale ? "both axes are logarithmic; the line is the fit" : "the line is the fit");
	hd_figure_labels(out, &y, "bottom", unit);
	hd_buf_adds(out, "</div><div class=\"plot\">");
	hd_figure_svg(out, "mean time over the size");
	hd_figure_grid(out, &x, true);
	hd_figure_grid(out, &y, false);
	for (size_t i = 0; i < n; i++)
		curve(out, &curves[i], &x, &y, x_name, unit);
	hd_buf_adds(out, "</svg></div><div class=\"x-name\">");
	hd_enc_xml(out, x_name, strlen(x_name));
	hd_buf_adds(out, "</div><div class=\"below\">");
	hd_figure_labels(out, &x, "left", "");
	hd_buf_adds(out, "</div></div>\n");
}
