/*
 * bench_page.c - see bench_page.h
 */
#include "web/bench_page.h"

#include "base/assets.h"
#include "base/encode.h"
#include "base/mem.h"
#include "base/utc.h"
#include "render/table.h"
#include "web/bench_figures.h"
#include "web/page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LAST_COLOUR = 2 };		/* number of the colour of the last stored runs */

/* Append a labelled fact, and clear `value`. */
static void fact(struct hd_buf *out, const char *label, struct hd_buf *value)
{
	hd_buf_addf(out, "<div><dt>%s</dt><dd>", label);
	hd_enc_xml(out, hd_buf_str(value), value->len);
	hd_buf_reset(value);
	hd_buf_adds(out, "</dd></div>\n");
}

/* ---- sections ---- */

static void begin_section(struct hd_buf *out, const char *title)
{
	hd_buf_adds(out, "<section class=\"mode\"><h2>");
	hd_enc_xml(out, title, strlen(title));
	hd_buf_adds(out, "</h2>\n");
}

/*
 * Set the rows of the violin and run-order figures: for each variant its last stored runs, if any, then its new runs.
 * Returns the number of rows.  The caller frees values[0] .. values[nsides - 1].
 */
static size_t rows_of(struct hd_figure_row *rows, double **values, const struct hd_bench *b,
	const struct hd_bench_report *r)
{
	static const char *const last_names[] = { "last base", "last head" };
	size_t n = 0;

	for (unsigned s = 0; s < b->nsides; s++) {
		if (b->last[s].n)
			rows[n++] = (struct hd_figure_row){ b->nsides == 2 ? last_names[s] : "last", b->last[s].wall_us,
				b->last[s].n, LAST_COLOUR, { NAN, NAN } };
		values[s] = hd_new_array(double, b->nruns + 1);
		rows[n] = (struct hd_figure_row){ .name = b->side[s].name, .values = values[s], .colour = s };
		rows[n].n = hd_bench_values(b, s, HD_BENCH_WALL, values[s]);
		rows[n].mean_ci = r->column[HD_BENCH_WALL].timing[s].sum.ci_mean;
		if (rows[n].n < 2)
			rows[n].mean_ci = (struct hd_interval){ NAN, NAN };
		n++;
	}
	return n;
}

static void figures_of(struct hd_buf *out, const struct hd_bench *b, const struct hd_bench_report *r)
{
	struct hd_figure_row rows[2 * HD_BENCH_VARIANTS], ours[HD_BENCH_VARIANTS];
	double *values[HD_BENCH_VARIANTS] = { NULL };
	size_t n = rows_of(rows, values, b, r), nours = 0;

	for (size_t i = 0; i < n; i++)
		if (rows[i].colour != LAST_COLOUR)
			ours[nours++] = rows[i];
	hd_buf_adds(out, "<div class=\"two\">\n");
	begin_section(out, "Distribution");
	hd_buf_adds(out, "<p class=\"lead\">Wall time. A dot is a run, the shape their density, the dark bar the "
		"quartiles with the median, the line below the 95 % interval of the mean.</p>\n");
	hd_figure_violins(out, rows, n, "us");
	hd_buf_adds(out, "</section>\n");
	begin_section(out, "Runs in their order");
	hd_buf_adds(out, "<p class=\"lead\">Wall time of each run. A slope means that the machine or the warm-up "
		"changed during the session.</p>\n");
	hd_figure_order(out, ours, nours, "us");
	hd_buf_adds(out, "</section>\n</div>\n");
	for (unsigned s = 0; s < HD_BENCH_VARIANTS; s++)
		free(values[s]);
}

/* Append the lines of the text report that explain a session, as a list. */
static void lines_of(struct hd_buf *out, const struct hd_bench *b, const struct hd_bench_report *r)
{
	struct hd_buf text = { 0 };
	const char *at, *nl;

	hd_bench_text_variability(&text, b, r, false);
	hd_bench_text_throughput(&text, b, r, false);
	hd_bench_text_output(&text, b, r, false);
	hd_bench_text_last(&text, b, r, false);
	hd_bench_text_verdict(&text, b, r, false);
	hd_buf_adds(out, "<ul class=\"findings\">\n");
	for (at = hd_buf_str(&text); (nl = strchr(at, '\n')); at = nl + 1) {
		size_t n = (size_t)(nl - at), label = strcspn(at, " \n");

		hd_buf_adds(out, "<li>");
		if (*at != ' ') {
			hd_buf_adds(out, "<b>");
			hd_enc_entities(out, at, label);
			hd_buf_adds(out, "</b>");
			at += label;
			n -= label;
		}
		hd_enc_entities(out, at, n);
		hd_buf_adds(out, "</li>\n");
	}
	hd_buf_adds(out, "</ul>\n");
	hd_buf_release(&text);
}

static void put_table(struct hd_buf *out, struct hd_table *t)
{
	hd_buf_adds(out, "<div class=\"scroll\" tabindex=\"0\">\n");
	hd_table_html(out, t);
	hd_buf_adds(out, "</div>\n");
	hd_table_release(t);
}

static void session_of(struct hd_buf *out, const struct hd_bench *b, const struct hd_bench_report *r)
{
	struct hd_table t;

	figures_of(out, b, r);
	begin_section(out, "All measurements");
	hd_bench_table(&t, b, r);
	put_table(out, &t);
	lines_of(out, b, r);
	hd_buf_adds(out, "</section>\n");
}

/* ---- sweeps ---- */

static double growth_at(const void *fit, double x)
{
	const struct hd_growth *g = fit;

	return g->known ? hd_growth_at(g, g->order, x) : NAN;
}

static double line_at(const void *fit, double x)
{
	const struct hd_bench_line *line = fit;

	return line->known ? line->fit.intercept + line->fit.slope * x : NAN;
}

static void curves_of(struct hd_buf *out, const struct hd_bench_sweep *s)
{
	struct hd_figure_point points[HD_BENCH_VARIANTS][HD_BENCH_SWEEP_MAX];
	struct hd_figure_curve curves[HD_BENCH_VARIANTS] = { { 0 } };
	bool sizes = !strcmp(s->word, "size");

	for (unsigned k = 0; k < s->pattern.nsides; k++) {
		struct hd_figure_curve *c = &curves[k];

		*c = (struct hd_figure_curve){ .name = s->pattern.side[k].name, .colour = k, .points = points[k] };
		c->at = !s->fitted ? NULL : sizes ? growth_at : line_at;
		c->fit = sizes ? (const void *)&s->growth[k] : &s->line[k];
		for (size_t i = 0; i < s->begun; i++) {
			const struct hd_summary *wall = &s->sessions[i].r.column[HD_BENCH_WALL].timing[k].sum;

			if (s->sessions[i].reported && wall->n)
				points[k][c->n++] = (struct hd_figure_point){ s->sessions[i].value, wall->mean,
					wall->n > 1 ? wall->ci_mean : (struct hd_interval){ NAN, NAN } };
		}
	}
	hd_figure_curves(out, curves, s->pattern.nsides, sizes ? "size" : "iterations", "us");
}

static void sweep_of(struct hd_buf *out, const struct hd_bench_sweep *s)
{
	struct hd_table t;

	begin_section(out, !strcmp(s->word, "size") ? "Time over the input size" : "Time over the iterations");
	curves_of(out, s);
	hd_bench_sweep_table(&t, s);
	put_table(out, &t);
	hd_buf_adds(out, "</section>\n");
	for (size_t i = 0; i < s->begun; i++) {
		const struct hd_bench_session *e = &s->sessions[i];

		if (!e->reported)
			continue;
		hd_buf_addf(out,
			"<details class=\"session\"><summary>%s %.0f: the runs and all measurements</summary>\n",
			s->word, e->value);
		session_of(out, &e->b, &e->r);
		hd_buf_adds(out, "</details>\n");
	}
}

/* ---- the page ---- */

static void facts_of(struct hd_buf *out, const struct hd_bench_sweep *s)
{
	const struct hd_bench *first = &s->sessions[0].b;
	const struct hd_bench_report *r = &s->sessions[0].r;
	struct hd_buf text = { 0 };
	char utc[HD_UTC_TEXT];

	for (unsigned k = 0; k < s->pattern.nsides; k++) {
		hd_argv_quote(&text, &s->pattern.side[k].command);
		fact(out, s->pattern.side[k].name, &text);
	}
	hd_utc_text(first->began, utc);
	hd_buf_adds(&text, utc);
	fact(out, "began", &text);
	hd_buf_addf(&text, "%u%s", r->good[0], first->nsides == 2 ? " of each, alternating" : "");
	if (s->word)
		hd_buf_addf(&text, ", %zu values of %s", s->begun, s->word);
	if (first->warmups)
		hd_buf_addf(&text, ", after %u to warm up", first->warmups);
	fact(out, "runs", &text);
	hd_buf_addf(&text, "%g %%", 100 * s->o->noise_part);
	fact(out, "noise threshold", &text);
	hd_buf_release(&text);
}

int hd_bench_page_write(const struct hd_bench_sweep *s, const char *path, struct hd_err *err)
{
	struct hd_buf heading = { 0 }, facts = { 0 }, cards = { 0 }, sections = { 0 }, script = { 0 };
	const struct hd_page_piece pieces[] = {
		{ "heading", "<h1>", &heading, "</h1>\n" },
		{ "facts", "<dl class=\"facts\">\n", &facts, "</dl>\n" },
		{ "cards", "<div id=\"cards\">\n", &cards, "</div>\n" },
		{ "sections", "", &sections, "" },
	};
	const struct hd_bench_session *first = &s->sessions[0];
	struct hd_outfile out;
	struct hd_page page;
	int rc = hd_outfile_open(&out, path, err);

	if (rc < 0)
		return rc;
	hd_page_init(&page, "Benchmark");
	hd_buf_adds(&heading, "Benchmark");
	if (s->o->target) {
		hd_buf_adds(&heading, " of ");
		hd_enc_xml(&heading, s->o->target, strlen(s->o->target));
	}
	facts_of(&facts, s);
	if (s->word) {
		hd_bench_cards_of_sweep(&cards, s);
		sweep_of(&sections, s);
	} else {
		hd_bench_cards(&cards, &first->b, &first->r);
		session_of(&sections, &first->b, &first->r);
	}
	hd_asset_add(&page.css, "session.css");
	hd_asset_add(&page.css, "bench.css");
	hd_page_body(&page, "bench.html", pieces, HD_COUNT(pieces));
	hd_asset_add(&script, "bench.js");
	hd_page_script(&page, &script);
	hd_page_write(&page, &out);
	rc = hd_outfile_commit(&out, err);
	hd_outfile_discard(&out);
	hd_buf_release(&heading);
	hd_buf_release(&facts);
	hd_buf_release(&cards);
	hd_buf_release(&sections);
	hd_buf_release(&script);
	return rc;
}
