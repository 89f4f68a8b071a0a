/*
 * fuzz_grid.c - read any bytes as the settings.csv of a grid
 *
 * Invariants: the baseline is first; names cannot leave the folder; figures and tables can be made, with values and
 * without.
 */
#include "bench/grid.h"
#include "base/mem.h"
#include "render/grid_figure.h"
#include "render/grid_report.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Give each setting synthetic values, which follow from its parameters, so that the figures have something to draw. */
static void make_up_values(struct hd_grid *g)
{
	for (size_t i = 0; i < g->n; i++)
		for (int k = 0; k < HD_GRID_VALUES; k++) {
			double v = k & 1 ? g->settings[i].lambda : g->settings[i].tau;

			g->settings[i].value[k] = (struct hd_grid_value){ v, { v - 1, k & 2 ? INFINITY : v + 1 } };
			g->measured[k] = true;
		}
}

static void draw(const struct hd_grid *g)
{
	struct hd_grid_criterion c = { .name = HD_GRID_P95_CHANGE, .at_most = true, .limit = 0.1 };
	struct hd_grid_report r = { .folder = "x", .grid = g, .criteria = &c, .ncriteria = 1 };
	struct hd_buf out = { 0 };

	r.verdict = hd_grid_judge(g, &c, 1, false, &r.one);
	assert(c.missed <= c.judged && c.judged < g->n);
	hd_grid_figure_latency(&out, g, 0.1);
	hd_grid_figure_reductions(&out, g);
	hd_grid_figure_map(&out, g);
	hd_grid_figure_tradeoff(&out, g);
	hd_grid_results_csv(&out, g);
	hd_grid_intervals_csv(&out, g);
	hd_grid_report_text(&out, &r, false);
	hd_grid_report_json(&out, &r);
	hd_buf_release(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = hd_alloc(size + 1);
	struct hd_grid g = { 0 };
	struct hd_err err;

	if (size)
		memcpy(text, data, size);
	if (hd_grid_parse_settings(&g, text, size, "settings.csv", &err) >= 0) {
		assert(g.n > 0 && !strcmp(g.settings[0].name, "baseline"));
		for (size_t i = 0; i < g.n; i++)
			assert(*g.settings[i].name && !strchr(g.settings[i].name, '/') && *g.settings[i].name != '.');
		draw(&g);
		make_up_values(&g);
		draw(&g);
	}
	hd_grid_release(&g);
	free(text);
	return 0;
}
