/*
 * grid_figure.h - draw a grid, the measurements of a program with different settings, as four SVG files
 *
 *     latency.svg      p50 of each setting, and p95 with its interval, beside the baseline and the limit
 *     reductions.svg   KV cache, peak memory and energy saved, per setting
 *     map.svg          a cell for each pair of the parameters lambda and tau; one panel each for the change of p95, the
 *                      three reductions and the change of the output, as far as they were measured
 *     tradeoff.svg     memory saved against the change of the output
 *
 * Horizontal positions are shares of the width and sizes of text are fixed, so that a picture is readable on a phone
 * and on a wide screen.  Colours follow the reader's preference for light or dark.
 *
 * Only settings with status ok are drawn, at most 200.  But the map has a cell for every pair of lambda and tau; a cell
 * without a value is grey.  Each function returns false, and appends nothing, if the grid has nothing to draw.  The map
 * is not drawn either if lambda or tau has more than 40 values.
 */
#ifndef HD_RENDER_GRID_FIGURE_H
#define HD_RENDER_GRID_FIGURE_H

#include "base/buf.h"
#include "bench/grid.h"

/* limit: the upper limit of p95_change, which is drawn as a line (1 is 100 %); NaN: no line. */
bool hd_grid_figure_latency(struct hd_buf *out, const struct hd_grid *g, double limit);
bool hd_grid_figure_reductions(struct hd_buf *out, const struct hd_grid *g);
bool hd_grid_figure_map(struct hd_buf *out, const struct hd_grid *g);
bool hd_grid_figure_tradeoff(struct hd_buf *out, const struct hd_grid *g);

#endif
