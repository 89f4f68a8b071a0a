/*
 * bench_axis.h - axes, grids and dots of the figures of a benchmark page
 *
 * A plot is an SVG of HD_FIGURE_WIDTH x HD_FIGURE_HEIGHT units that is stretched to its box
 * (preserveAspectRatio="none").  Lines keep their width (vector-effect), and a dot is a line of length 0 with round
 * ends, so that it stays round.
 */
#ifndef HD_WEB_BENCH_AXIS_H
#define HD_WEB_BENCH_AXIS_H

#include "base/buf.h"

#include <stdbool.h>
#include <stddef.h>

enum { HD_FIGURE_WIDTH = 1000, HD_FIGURE_HEIGHT = 100, HD_FIGURE_DOTS = 1000 };

struct hd_figure_axis {
	double lo, hi;
	bool log;
};

/*
 * Return an axis from lo to hi, widened by 4 % on each side; a linear axis with lo >= 0 does not start below 0.  If
 * lo == hi, the axis is linear and widened by 5 % of lo on each side, or by 1 if lo is 0.  A logarithmic axis needs
 * lo > 0.
 */
struct hd_figure_axis hd_figure_axis_of(double lo, double hi, bool log_scale);
/* Return the position of a value on the axis: 0 at its start, 1 at its end. */
double hd_figure_place(const struct hd_figure_axis *a, double v);

/* Append the labels of an axis as HTML elements.  `side` is the CSS property of their position: "left" or "bottom". */
void hd_figure_labels(struct hd_buf *out, const struct hd_figure_axis *a, const char *side, const char *unit);
/* Append the start of the SVG element of a plot.  what: a description of the plot for screen readers. */
void hd_figure_svg(struct hd_buf *out, const char *what);
void hd_figure_grid(struct hd_buf *out, const struct hd_figure_axis *a, bool upright);
/* Append a dot at x, y in SVG units.  Its tooltip is, for example, "run 3: 12.5 ms" (what, number, v with its unit). */
void hd_figure_dot(struct hd_buf *out, double x, double y, const char *what, double number, double v, const char *unit);
/* Return the smallest step k >= 1 for which a dot for every k-th of n values makes at most HD_FIGURE_DOTS dots. */
size_t hd_figure_stride(size_t n);

#endif
