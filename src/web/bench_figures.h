/*
 * bench_figures.h - the figures of a benchmark page: cards, violins, runs in order, curves over the size
 *
 * Each function appends HTML.  Values are in `unit` of hd_bench_text_value().  Class c0, c1, ... chooses a colour.
 * A figure has at most HD_FIGURE_DOTS dots per row (bench_axis.h).  Of more runs, evenly chosen ones are drawn, and the
 * text says so.
 */
#ifndef HD_WEB_BENCH_FIGURES_H
#define HD_WEB_BENCH_FIGURES_H

#include "bench/sweep.h"

struct hd_figure_row {
	const char *name;		/* raw text */
	const double *values;		/* finite, in the order of the runs */
	size_t n;
	unsigned colour;
	struct hd_interval mean_ci;	/* ends may be infinite: not drawn */
};

/* Cards with the main figures of a session (bench_cards.c), and of a sweep. */
void hd_bench_cards(struct hd_buf *out, const struct hd_bench *b, const struct hd_bench_report *r);
void hd_bench_cards_of_sweep(struct hd_buf *out, const struct hd_bench_sweep *s);

/* Distributions, a row each, over a common axis.  Rows without values are skipped. */
void hd_figure_violins(struct hd_buf *out, const struct hd_figure_row *rows, size_t n, const char *unit);
/* The values over their order. */
void hd_figure_order(struct hd_buf *out, const struct hd_figure_row *rows, size_t n, const char *unit);

/* A point of a curve: all runs of one size. */
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
/* Curves over sizes; both axes are logarithmic if the sizes span more than a factor of 20. */
void hd_figure_curves(struct hd_buf *out, const struct hd_figure_curve *curves, size_t n, const char *x_name,
	const char *unit);

#endif
