/*
 * bench_figures.h - the figures of a benchmark page: cards, violins, runs in order, curves over the size
 *
 * Each function appends HTML.  `unit` is the unit of the values, as for hd_bench_text_value().  The CSS class c0, c1,
 * ... selects a colour.  A figure has at most HD_FIGURE_DOTS dots per row (bench_axis.h).  If a row has more runs,
 * every n-th run is drawn, and hd_figure_violins() prints n.
 */
#ifndef HD_WEB_BENCH_FIGURES_H
#define HD_WEB_BENCH_FIGURES_H

#include "bench/sweep.h"

struct hd_figure_row {
	const char *name;		/* raw text */
	const double *values;		/* finite, in the order of the runs */
	size_t n;
	unsigned colour;
	struct hd_interval mean_ci;	/* interval of the mean; not drawn unless both ends are finite */
};

/* Append cards with the main results of a session, or of a sweep. */
void hd_bench_cards(struct hd_buf *out, const struct hd_bench *b, const struct hd_bench_report *r);
void hd_bench_cards_of_sweep(struct hd_buf *out, const struct hd_bench_sweep *s);

/* Append a violin for each row, one below the other, with a common axis.  Rows without values are skipped. */
void hd_figure_violins(struct hd_buf *out, const struct hd_figure_row *rows, size_t n, const char *unit);
/* Append a figure with the values of all rows in the order of the runs. */
void hd_figure_order(struct hd_buf *out, const struct hd_figure_row *rows, size_t n, const char *unit);

/* A point of a curve: the mean of all runs with one size, or number of iterations, x. */
struct hd_figure_point {
	double x, mean;
	struct hd_interval ci;
};
struct hd_figure_curve {
	const char *name;
	unsigned colour;
	const struct hd_figure_point *points;
	size_t n;
	double (*at)(const void *fit, double x);	/* the fitted curve, or NULL */
	const void *fit;
};
/*
 * Append curves over the size.  Both axes are logarithmic if the largest size is more than 20 times the smallest; the
 * axis of times only if the times differ.  An interval that reaches down to 0 is not drawn.  If there is no point, or a
 * mean is not above 0, nothing is appended.
 */
void hd_figure_curves(struct hd_buf *out, const struct hd_figure_curve *curves, size_t n, const char *x_name,
	const char *unit);

#endif
