/*
 * bench_page.h - a benchmark session as an HTML page (web/page.h)
 *
 * The page has: cards with the main results; violins with the distribution of wall time of each variant and of the last
 * stored runs; the runs in their order; for a sweep, the curve over the sizes with its fit; the tables of the text
 * report.
 *
 * Figures are SVG whose shapes are stretched to the width of the window; their texts are HTML and keep their size.
 */
#ifndef HD_WEB_BENCH_PAGE_H
#define HD_WEB_BENCH_PAGE_H

#include "bench/sweep.h"

/* Write the page to `path`, atomically. */
int hd_bench_page_write(const struct hd_bench_sweep *s, const char *path, struct hd_err *err);

#endif
