/*
 * grid_figure.c - see grid_figure.h
 */
#include "render/grid_figure.h"

#include "base/assets.h"
#include "base/mem.h"
#include "render/svg_text.h"
#include "render/unit_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Horizontal positions are in per cent of the width, vertical ones in px. */
enum { MARGIN = 3, HEAD = 64, ROW = 42, ROWS_MAX = 200, NAME_COLUMNS = 28 };

static void begin(struct hd_buf *out, double height, const char *title)
{
	hd_buf_addf(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" "
		"class=\"hd-grid\" role=\"img\" aria-label=\"%s\" width=\"100%%\" height=\"%.0f\">\n<style>\n", title,
		height);
	hd_asset_add(out, "grid.css");
	hd_buf_addf(out, "</style>\n<rect class=\"hd-paper\" width=\"100%%\" height=\"100%%\"/>\n"
		"<text class=\"hd-title\" x=\"%d%%\" y=\"24\">%s</text>\n", MARGIN, title);
}

static void end(struct hd_buf *out)
{
	hd_buf_adds(out, "</svg>\n");
}

/* Append a text element.  `text` is a fixed text or a validated name, so only XML entities must be encoded. */
static void put_text(struct hd_buf *out, const char *class, double x, double y, const char *text)
{
	hd_buf_addf(out, "<text class=\"%s\" x=\"%.2f%%\" y=\"%.1f\">", class, x, y);
	hd_svg_entities(out, text, strlen(text));
	hd_buf_adds(out, "</text>\n");
}

static void put_name(struct hd_buf *out, double y, const char *name)
{
	hd_buf_addf(out, "<text x=\"%d%%\" y=\"%.1f\">", MARGIN, y);
	hd_svg_cut(out, name, strlen(name), NAME_COLUMNS);
	hd_buf_adds(out, "</text>\n");
}

static void put_rect(struct hd_buf *out, const char *class, double x, double width, double y, double height)
{
	hd_buf_addf(out, "<rect class=\"%s\" x=\"%.2f%%\" width=\"%.2f%%\" y=\"%.1f\" height=\"%.1f\"/>\n", class, x,
		width, y, height);
}

static void put_line(struct hd_buf *out, const char *class, double x, double y1, double y2)
{
	hd_buf_addf(out, "<line class=\"%s\" x1=\"%.2f%%\" x2=\"%.2f%%\" y1=\"%.1f\" y2=\"%.1f\"/>\n", class, x, x, y1,
		y2);
}

/* Format a time in microseconds as "812 us", "18.2 ms" or "2.5 s". */
static void format_time(char *text, size_t size, double us)
{
	/* The limits are where %g would round up to a power of ten and write it with an exponent. */
	if (us < 999.5)
		snprintf(text, size, "%.3g us", us);
	else if (us < 999.5e3)
		snprintf(text, size, "%.3g ms", us / 1e3);
	else if (us < 9999.5e6)
		snprintf(text, size, "%.4g s", us / 1e6);
	else
		snprintf(text, size, "%.0f s", us / 1e6);
}

static size_t count_drawn(const struct hd_grid *g)
{
	size_t n = 0;

	for (size_t i = 0; i < g->n; i++)
		n += hd_grid_setting_is_ok(&g->settings[i]);
	return n < ROWS_MAX ? n : ROWS_MAX;
}

static bool has_settings(const struct hd_grid *g)
{
	return count_drawn(g) > 1;
}

static double or_else(double v, double otherwise)
{
	return isfinite(v) ? v : otherwise;
}

/* ---- latency ---- */

static double x_of_time(double us, double most)
{
	return MARGIN + (100 - 2 * MARGIN) * (us / most);
}

static void put_latency(struct hd_buf *out, const struct hd_grid_setting *s, bool is_base, double limit_us, double most,
	double y)
{
	const struct hd_grid_value *p95 = &s->value[HD_GRID_P95_LATENCY_US];
	const char *class = is_base ? "hd-third" : p95->v > limit_us ? "hd-bad" : "hd-good";
	double lo = x_of_time(or_else(p95->ci.lo, p95->v), most), hi = x_of_time(or_else(p95->ci.hi, most), most);
	char text[64], time[32], with[64];

	put_name(out, y + 14, s->name);
	format_time(time, sizeof(time), p95->v);
	if (is_base)
		snprintf(text, sizeof(text), "%s", time);
	else
		snprintf(text, sizeof(text), "%s, %+.1f %%", time, 100 * s->value[HD_GRID_P95_CHANGE].v);
	put_text(out, "hd-end", 100 - MARGIN, y + 14, text);
	put_rect(out, "hd-track", MARGIN, 100 - 2 * MARGIN, y + 25, 2);
	snprintf(with, sizeof(with), "%s hd-ci", class);
	put_rect(out, with, lo, hi - lo, y + 21, 10);
	put_rect(out, class, x_of_time(s->p50_us, most), 0.4, y + 21, 10);
	hd_buf_addf(out, "<circle class=\"%s hd-mark\" cx=\"%.2f%%\" cy=\"%.1f\" r=\"6\"/>\n", class,
		x_of_time(p95->v, most), y + 26);
}

/* Draw a label to the right of a vertical line, or to its left if there is more room. */
static void label_line(struct hd_buf *out, double x, double y, const char *text)
{
	put_text(out, x > 50 ? "hd-mute hd-end" : "hd-mute", x, y, text);
}

bool hd_grid_figure_latency(struct hd_buf *out, const struct hd_grid *g, double limit)
{
	double base = g->n ? g->settings[0].value[HD_GRID_P95_LATENCY_US].v : NAN, most = 0, y = HEAD + 24;
	double limit_us = isfinite(limit) ? base * (1 + limit) : INFINITY, bottom;
	size_t rows = count_drawn(g), drawn = 0;

	if (!has_settings(g))
		return false;
	for (size_t i = 0; i < g->n; i++)
		if (hd_grid_setting_is_ok(&g->settings[i])) {
			const struct hd_grid_value *v = &g->settings[i].value[HD_GRID_P95_LATENCY_US];

			most = fmax(most, or_else(v->ci.hi, v->v));
		}
	most = fmax(most, or_else(limit_us, base)) * 1.04;
	if (!(most > 1e-100))
		return false;
	bottom = y + (double)rows * ROW;
	begin(out, bottom + 12, "p95 latency of each setting");
	put_text(out, "hd-mute", MARGIN, 44, "dot: p95 with 95 % interval; small bar: p50");
	put_line(out, "hd-base", x_of_time(base, most), HEAD + 18, bottom);
	label_line(out, x_of_time(base, most), HEAD, "baseline");
	if (isfinite(limit_us)) {
		char text[32];

		snprintf(text, sizeof(text), "limit %+.0f %%", 100 * limit);
		put_line(out, "hd-limit", x_of_time(limit_us, most), HEAD + 18, bottom);
		label_line(out, x_of_time(limit_us, most), HEAD + 15, text);
	}
	for (size_t i = 0; i < g->n && drawn < rows; i++)
		if (hd_grid_setting_is_ok(&g->settings[i])) {
			put_latency(out, &g->settings[i], i == 0, limit_us, most, y);
			y += ROW;
			drawn++;
		}
	end(out);
	return true;
}

/* ---- reductions ---- */

enum { BAR = 12, BAR_STEP = 18, BARS_END = 64 };

static const struct { enum hd_grid_value_name name; const char *label, *class; } bars[] = {
	{ HD_GRID_KV_CACHE_REDUCTION, "KV cache", "hd-good" },
	{ HD_GRID_PEAK_MEM_REDUCTION, "peak memory", "hd-third" },
	{ HD_GRID_ENERGY_REDUCTION, "energy", "hd-bad" },
};

static void put_bar(struct hd_buf *out, size_t bar, const struct hd_grid_value *v, double least, double most, double y)
{
	double scale = (BARS_END - MARGIN) / (most - least), zero = MARGIN - least * scale, x = zero + v->v * scale;
	char text[64];

	put_rect(out, bars[bar].class, fmin(zero, x), fabs(x - zero), y, BAR);
	if (isfinite(v->ci.lo) && isfinite(v->ci.hi))
		hd_buf_addf(out, "<line class=\"hd-whisker\" x1=\"%.2f%%\" x2=\"%.2f%%\" y1=\"%.1f\" y2=\"%.1f\"/>\n",
			zero + v->ci.lo * scale, zero + v->ci.hi * scale, y + BAR / 2.0, y + BAR / 2.0);
	snprintf(text, sizeof(text), "%s %.1f %%", bars[bar].label, 100 * v->v);
	put_text(out, "hd-mute hd-end", 100 - MARGIN, y + BAR - 2, text);
}

bool hd_grid_figure_reductions(struct hd_buf *out, const struct hd_grid *g)
{
	size_t rows = count_drawn(g), kinds = 0, drawn = 1;
	double least = 0, most = 0, y = HEAD, height;

	for (size_t b = 0; b < HD_COUNT(bars); b++) {
		kinds += g->measured[bars[b].name];
		for (size_t i = 1; i < g->n; i++) {
			const struct hd_grid_value *v = &g->settings[i].value[bars[b].name];

			least = fmin(least, fmin(or_else(v->v, 0), or_else(v->ci.lo, 0)));
			most = fmax(most, fmax(or_else(v->v, 0), or_else(v->ci.hi, 0)));
		}
	}
	if (!has_settings(g) || !kinds || !(most - least > 1e-100))
		return false;
	height = 26 + (double)kinds * BAR_STEP + 8;
	begin(out, HEAD + (double)(rows - 1) * height + 8, "What each setting saves");
	put_text(out, "hd-mute", MARGIN, 44, "share of the baseline; thin line: 95 % interval");
	put_line(out, "hd-base", MARGIN - least * (BARS_END - MARGIN) / (most - least), HEAD,
		HEAD + (double)(rows - 1) * height);
	for (size_t i = 1; i < g->n && drawn < rows; i++) {
		const struct hd_grid_setting *s = &g->settings[i];
		double at = y + 22;

		if (!hd_grid_setting_is_ok(s))
			continue;
		put_name(out, y + 14, s->name);
		for (size_t b = 0; b < HD_COUNT(bars); b++)
			if (isfinite(s->value[bars[b].name].v)) {
				put_bar(out, b, &s->value[bars[b].name], least, most, at);
				at += BAR_STEP;
			}
		y += height;
		drawn++;
	}
	end(out);
	return true;
}

/* ---- map ---- */

enum { AXIS_MAX = 40, CELL = 34, LABELS = 17, WIDE_COLUMNS = 6, TEXT_COLUMNS = 11 };

struct axis { double v[AXIS_MAX]; size_t n; };

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Add a value.  Returns false if the axis is full. */
static bool axis_add(struct axis *a, double v)
{
	for (size_t i = 0; i < a->n; i++)
		if (a->v[i] == v)
			return true;
	if (a->n == AXIS_MAX)
		return false;
	a->v[a->n++] = v;
	qsort(a->v, a->n, sizeof(*a->v), by_value);
	return true;
}

static const struct panel { enum hd_grid_value_name name; const char *title; bool less_is_better; } panels[] = {
	{ HD_GRID_P95_CHANGE, "p95 latency, change in %", true },
	{ HD_GRID_KV_CACHE_REDUCTION, "KV cache, saved in %", false },
	{ HD_GRID_PEAK_MEM_REDUCTION, "peak memory, saved in %", false },
	{ HD_GRID_ENERGY_REDUCTION, "energy, saved in %", false },
	{ HD_GRID_COHERENCE_DELTA, "coherence delta", true },
};

static const struct hd_grid_setting *setting_at(const struct hd_grid *g, double lambda, double tau)
{
	for (size_t i = 1; i < g->n; i++)
		if (g->settings[i].lambda == lambda && g->settings[i].tau == tau)
			return &g->settings[i];
	return NULL;
}

/*
 * Draw the cell of a setting (a pair of values of lambda and tau).  s: NULL if the grid has no such setting; columns:
 * the number of columns of the panel.  If there are many, the text of the cell is short or only in the tooltip.
 */
static void put_cell(struct hd_buf *out, const struct hd_grid_setting *s, const struct panel *p, double most, double x,
	double width, double y, size_t columns)
{
	double v = s ? s->value[p->name].v : NAN, strength = isfinite(v) && most > 0 ? fabs(v) / most : 0;
	const char *class = (v < 0) == p->less_is_better ? "hd-good" : "hd-bad";
	double shown = p->name == HD_GRID_COHERENCE_DELTA ? v : round(100 * v) + 0.0;	/* no "-0" */
	char text[32] = "-";

	if (isfinite(v))
		snprintf(text, sizeof(text), p->name == HD_GRID_P95_CHANGE ? "%+.4g"
			: p->name == HD_GRID_COHERENCE_DELTA && columns > WIDE_COLUMNS ? "%.2g" : "%.3g", shown);
	hd_buf_addf(out, "<g><title>%s: %s</title>", s ? s->name : "not in the grid", text);
	hd_buf_addf(out, "<rect class=\"%s\" fill-opacity=\"%.2f\" x=\"%.2f%%\" width=\"%.2f%%\" y=\"%.1f\" "
		"height=\"%d\"/>", isfinite(v) ? class : "hd-track", isfinite(v) ? 0.08 + 0.47 * strength : 1, x,
		width - 0.5, y, CELL - 2);
	if (columns <= TEXT_COLUMNS)
		hd_buf_addf(out, "<text class=\"hd-mid%s\" x=\"%.2f%%\" y=\"%.1f\">%s</text>",
			columns > WIDE_COLUMNS ? " hd-small" : "", x + width / 2 - 0.25, y + CELL / 2.0 + 3.5, text);
	hd_buf_adds(out, "</g>\n");
}

static double put_panel(struct hd_buf *out, const struct hd_grid *g, const struct panel *p, const struct axis *lambda,
	const struct axis *tau, double y)
{
	double width = (100.0 - MARGIN - LABELS) / (double)lambda->n, most = 0;
	char text[64];

	for (size_t i = 1; i < g->n; i++)
		most = fmax(most, fabs(or_else(g->settings[i].value[p->name].v, 0)));
	put_text(out, "hd-mute", MARGIN, y + 12, p->title);
	y += 22;
	for (size_t t = 0; t < tau->n; t++, y += CELL) {
		snprintf(text, sizeof(text), "%.6g", tau->v[t]);
		put_text(out, "hd-mute hd-end", LABELS - 1.5, y + CELL / 2.0 + 3, text);
		for (size_t l = 0; l < lambda->n; l++)
			put_cell(out, setting_at(g, lambda->v[l], tau->v[t]), p, most, LABELS + width * (double)l,
				width, y, lambda->n);
	}
	for (size_t l = 0; l < lambda->n; l++) {
		snprintf(text, sizeof(text), "%.6g", lambda->v[l]);
		if (lambda->n <= TEXT_COLUMNS || l == 0 || l == lambda->n - 1)
			put_text(out, "hd-mute hd-mid", LABELS + width * ((double)l + 0.5), y + 14, text);
	}
	return y + 34;
}

bool hd_grid_figure_map(struct hd_buf *out, const struct hd_grid *g)
{
	struct axis lambda = { .n = 0 }, tau = { .n = 0 };
	size_t shown = 0;
	double y = HEAD;

	for (size_t i = 1; i < g->n; i++)
		if (isfinite(g->settings[i].lambda) && isfinite(g->settings[i].tau) &&
			(!axis_add(&lambda, g->settings[i].lambda) || !axis_add(&tau, g->settings[i].tau)))
			return false;
	for (size_t i = 0; i < HD_COUNT(panels); i++)
		shown += g->measured[panels[i].name];
	if (!has_settings(g) || !lambda.n || !shown)
		return false;
	begin(out, HEAD + (double)shown * (56 + CELL * (double)tau.n), "The grid: tau down, lambda across");
	put_text(out, "hd-mute", MARGIN, 44, "against the baseline; blue: better, orange: worse");
	for (size_t i = 0; i < HD_COUNT(panels); i++)
		if (g->measured[panels[i].name])
			y = put_panel(out, g, &panels[i], &lambda, &tau, y);
	end(out);
	return true;
}

/* ---- trade-off ---- */

enum { PLOT = 300, AXIS_LEFT = 14, TICKS = 10, LABEL_WIDTH = 22 };

/*
 * Return true if this setting is on the Pareto front of memory saved and change of the output: no other setting is at
 * least as good in both values and better in one.  If settings are equal, only the first one is on the front.
 */
static bool is_best(const struct hd_grid *g, const struct hd_grid_setting *s, enum hd_grid_value_name saved)
{
	double delta = s->value[HD_GRID_COHERENCE_DELTA].v, v = s->value[saved].v;

	for (size_t i = 1; i < g->n; i++) {
		double d = g->settings[i].value[HD_GRID_COHERENCE_DELTA].v, w = g->settings[i].value[saved].v;

		if (d <= delta && w >= v && (d < delta || w > v || &g->settings[i] < s))
			return false;
	}
	return true;
}

/* Return a step of 1, 2 or 5 times a power of ten, so that an axis of this length has at most `most` steps. */
static double step_of(double length, double most)
{
	double ten = pow(10, floor(log10(length / most)));

	return length / (ten * 2) <= most ? (length / ten <= most ? ten : 2 * ten)
		: length / (ten * 5) <= most ? 5 * ten : 10 * ten;
}

struct plot { double x_most, y_least, y_most; };

static double plot_x(const struct plot *p, double v)
{
	return AXIS_LEFT + (100 - AXIS_LEFT - MARGIN) * (v / p->x_most);
}

static double plot_y(const struct plot *p, double v)
{
	return HEAD + PLOT * (p->y_most - v) / (p->y_most - p->y_least);
}

static void put_axes(struct hd_buf *out, const struct plot *p)
{
	double step = step_of(p->y_most - p->y_least, 6), first = ceil(p->y_least / step);
	char text[32];

	for (int i = 0; i <= 2 * TICKS && (first + i) * step <= p->y_most; i++) {
		double v = (first + i) * step;

		hd_buf_addf(out, "<line class=\"hd-tick\" x1=\"%d%%\" x2=\"%d%%\" y1=\"%.1f\" y2=\"%.1f\"/>\n",
			AXIS_LEFT, 100 - MARGIN, plot_y(p, v), plot_y(p, v));
		snprintf(text, sizeof(text), "%.3g %%", 100 * v);
		put_text(out, "hd-mute hd-end", AXIS_LEFT - 1, plot_y(p, v) + 4, text);
	}
	step = step_of(p->x_most, 5);
	for (int i = 0; i <= 2 * TICKS && i * step <= p->x_most; i++) {
		double v = i * step;

		snprintf(text, sizeof(text), "%.4g", v);
		put_line(out, "hd-tick", plot_x(p, v), HEAD, HEAD + PLOT);
		put_text(out, "hd-mute hd-mid", plot_x(p, v), HEAD + PLOT + 18, text);
	}
}

/* The positions of the labels that were drawn, so that new labels do not cover them. */
struct labels { struct { double x, y; } at[ROWS_MAX]; size_t n; };

/*
 * Move *y, in px, to a height nearby at which no other label is close.  x is in per cent of the width.  Returns false
 * if there is no such height.
 */
static bool place_label(struct labels *l, double x, double *y)
{
	static const double shifts[] = { -8, 18, -22, 32, -36 };

	for (size_t k = 0; k < HD_COUNT(shifts); k++) {
		bool is_free = true;

		for (size_t i = 0; i < l->n && is_free; i++)
			is_free = fabs(l->at[i].x - x) > LABEL_WIDTH || fabs(l->at[i].y - (*y + shifts[k])) >= 14;
		if (is_free && *y + shifts[k] > HEAD && *y + shifts[k] < HEAD + PLOT && l->n < ROWS_MAX) {
			*y += shifts[k];
			l->at[l->n].x = x;
			l->at[l->n++].y = *y;
			return true;
		}
	}
	return false;
}

static void put_point(struct hd_buf *out, const struct hd_grid_setting *s, enum hd_grid_value_name saved, bool best,
	const struct plot *p)
{
	double delta = s->value[HD_GRID_COHERENCE_DELTA].v, v = s->value[saved].v;

	hd_buf_addf(out, "<circle class=\"hd-mark %s\" cx=\"%.2f%%\" cy=\"%.1f\" r=\"6\"><title>%s: %.1f %% saved, "
		"coherence delta %.4g</title></circle>\n", best ? "hd-good" : "hd-good hd-dim", plot_x(p, delta),
		plot_y(p, v), s->name, 100 * v, delta);
}

static void label_point(struct hd_buf *out, const struct hd_grid_setting *s, enum hd_grid_value_name saved,
	const struct plot *p, struct labels *labels)
{
	double x = plot_x(p, s->value[HD_GRID_COHERENCE_DELTA].v), y = plot_y(p, s->value[saved].v);
	char label[64] = "";

	if (isfinite(s->lambda) && isfinite(s->tau))
		snprintf(label, sizeof(label), "l%.6g t%.6g", s->lambda, s->tau);
	if (place_label(labels, x, &y))
		put_text(out, x > 50 ? "hd-end" : "", x, y, *label ? label : s->name);
}

/* Draw all points, then the labels of the best ones, so that no point covers a label. */
static void put_points(struct hd_buf *out, const struct hd_grid *g, enum hd_grid_value_name saved, const struct plot *p)
{
	struct labels labels = { .n = 0 };

	for (int pass = 0; pass < 2; pass++)
		for (size_t i = 1; i < g->n && i < ROWS_MAX; i++) {
			const struct hd_grid_setting *s = &g->settings[i];
			bool best = is_best(g, s, saved);

			if (!isfinite(s->value[HD_GRID_COHERENCE_DELTA].v) || !isfinite(s->value[saved].v))
				continue;
			if (pass == 0)
				put_point(out, s, saved, best, p);
			else if (best)
				label_point(out, s, saved, p, &labels);
		}
}

bool hd_grid_figure_tradeoff(struct hd_buf *out, const struct hd_grid *g)
{
	enum hd_grid_value_name saved = g->measured[HD_GRID_KV_CACHE_REDUCTION] ? HD_GRID_KV_CACHE_REDUCTION
		: HD_GRID_PEAK_MEM_REDUCTION;
	struct plot p = { 0, 0, 0 };

	if (!has_settings(g) || !g->measured[HD_GRID_COHERENCE_DELTA] || !g->measured[saved])
		return false;
	for (size_t i = 1; i < g->n; i++) {
		p.x_most = fmax(p.x_most, or_else(g->settings[i].value[HD_GRID_COHERENCE_DELTA].v, 0));
		p.y_least = fmin(p.y_least, or_else(g->settings[i].value[saved].v, 0));
		p.y_most = fmax(p.y_most, or_else(g->settings[i].value[saved].v, 0));
	}
	if (!(p.x_most > 1e-100) || !(p.y_most - p.y_least > 1e-100))
		return false;
	p.x_most *= 1.08;
	p.y_most += 0.12 * (p.y_most - p.y_least);
	begin(out, HEAD + PLOT + 52, saved == HD_GRID_KV_CACHE_REDUCTION ? "KV cache saved, and what it costs"
		: "Peak memory saved, and what it costs");
	put_text(out, "hd-mute", MARGIN, 44, "labelled: no other setting saves more for less change");
	put_axes(out, &p);
	put_text(out, "hd-mute hd-mid", (AXIS_LEFT + 100 - MARGIN) / 2.0, HEAD + PLOT + 40,
		"coherence delta: change of the output");
	put_points(out, g, saved, &p);
	end(out);
	return true;
}
