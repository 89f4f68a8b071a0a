/*
 * flamegraph.c - see flamegraph.h: the document and its frames
 */
#include "render/flamegraph.h"

#include "base/assets.h"
#include "base/encode.h"
#include "base/mem.h"
#include "render/flame_data.h"
#include "render/flamegraph_svg.h"
#include "render/palette.h"
#include "render/svg_text.h"
#include "render/unit_text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ROW = 18, FONT_SIZE = 12 };		/* defaults of the style */
#define FONT_WIDTH 0.6025			/* advance width of a monospace character, per font size */

static void flush(struct hd_flamegraph_svg *s)
{
	if (s->out && s->b->len > 32 * 1024) {
		hd_outfile_add(s->out, s->b->data, s->b->len);
		hd_buf_reset(s->b);
	}
}

/* ---- the frames ---- */

/* Return the position of a weight, in hundredths of a px from the left edge of the frames. */
static uint64_t place(const struct hd_flamegraph_svg *s, uint64_t weight)
{
	uint64_t all = s->t->nodes[0].total, span = (uint64_t)(s->width - 2 * HD_FLAMEGRAPH_PAD) * 100;

	if (weight >= all)
		return span;
	return (uint64_t)((__uint128_t)weight * span / all);
}

/* Set s->text to the visible name of a frame or block. */
static void set_name(struct hd_flamegraph_svg *s, const struct hd_flamegraph_frame *f)
{
	const struct hd_call_tree_node *n = &s->t->nodes[f->node];

	hd_buf_reset(&s->text);
	if (f->hidden) {
		hd_unit_text_count(&s->text, f->hidden);
		hd_buf_addf(&s->text, " %s frame%s", f->deep ? "deeper" : "narrower", f->hidden == 1 ? "" : "s");
	} else if (n->flags & HD_CALL_NODE_UNKNOWN) {
		hd_buf_adds(&s->text, n->name);		/* pseudo-names are not encoded */
	} else {
		hd_svg_name(&s->text, n->name);
	}
}

/* Add the second line of the title: the numbers of a frame. */
static void add_numbers(struct hd_flamegraph_svg *s, const struct hd_flamegraph_frame *f, enum hd_palette_kind kind)
{
	const struct hd_call_tree_node *n = &s->t->nodes[f->node];
	uint64_t total = f->hidden ? f->weight : hd_flamegraph_diff_total(&s->base, f->node, n->total);
	uint64_t all = hd_flamegraph_diff_weight(&s->base, s->t);

	hd_buf_addc(s->b, '\n');
	hd_buf_reset(&s->scratch);
	hd_unit_text_add(&s->scratch, hd_flamegraph_scaled(s, total), s->unit);
	hd_buf_adds(&s->scratch, ", ");
	hd_unit_text_share(&s->scratch, total, all);
	if (!s->counted && !f->hidden) {
		hd_buf_adds(&s->scratch, ", ");
		hd_unit_text_count(&s->scratch, n->total_samples);
		hd_buf_adds(&s->scratch, n->total_samples == 1 ? " sample" : " samples");
	}
	if (kind != HD_PALETTE_KIND_USER && kind != HD_PALETTE_KIND_GROUP && kind != HD_PALETTE_KIND_UNKNOWN &&
	    kind != HD_PALETTE_KIND_REST) {
		hd_buf_adds(&s->scratch, ", ");
		hd_buf_adds(&s->scratch, hd_palette_kind_name(kind));
	}
	/* the unit may contain any characters, so it is encoded */
	hd_enc_xml(s->b, s->scratch.data, s->scratch.len);
	hd_buf_reset(&s->scratch);
	if (!f->hidden)
		hd_flamegraph_diff_text(&s->scratch, &s->base, f->node);
	hd_svg_entities(s->b, hd_buf_str(&s->scratch), s->scratch.len);
}

/*
 * Store the CSS class of a frame in `class` and its fixed colour in `rgb`.  With a base, the class is the shade of the
 * frame's change.  Otherwise, if the options select fixed colours, the class is only the letter of the kind (u); if
 * not, it is a shade of palette.h (u7).  `rgb` is empty unless the colour is fixed.
 */
static void find_colour(struct hd_flamegraph_svg *s, char class[4], char rgb[8], uint32_t node)
{
	const struct hd_call_tree_node *n = &s->t->nodes[node];
	enum hd_palette_kind kind = hd_palette_kind_of(n->flags);

	rgb[0] = '\0';
	if (hd_flamegraph_diff_class(&s->base, class, node))
		return;
	hd_palette_class(class, kind, n->name);
	if (!s->o->colours || n->flags & HD_CALL_NODE_ROOT)
		return;
	class[1] = '\0';
	hd_flame_colours_get(s->o->colours, rgb, n->name,
		(char)(kind == HD_PALETTE_KIND_KERNEL    ? 'k'
			: kind == HD_PALETTE_KIND_JIT     ? 'j'
			: kind == HD_PALETTE_KIND_INLINED ? 'i'
							  : 0),
		s->t->nodes[0].total ? (double)n->total / (double)s->t->nodes[0].total : 0, s->number++);
}

static void add_frame(struct hd_flamegraph_svg *s, const struct hd_flamegraph_frame *f)
{
	const struct hd_call_tree_node *n = &s->t->nodes[f->node];
	const struct hd_flame_attribute_set *extra =
		f->hidden ? NULL : hd_flame_attributes_get(s->o->attributes, n->name);
	enum hd_palette_kind kind = f->hidden ? HD_PALETTE_KIND_REST : hd_palette_kind_of(n->flags);
	uint64_t end, from = place(s, f->start), to, width;
	const char *tag = extra && extra->href ? "a" : "g";
	char class[4], rgb[8] = "";

	if (__builtin_add_overflow(f->start, f->weight, &end))
		end = UINT64_MAX;
	to = place(s, end);
	width = to > from ? to - from : 1;
	if (width > 300)	/* a frame wider than 3 px ends a little early, as a gap to its neighbour */
		width -= 60;

	set_name(s, f);
	hd_buf_addf(s->b, "<%s", tag);
	if (extra && extra->class_)
		hd_buf_addf(s->b, " class=\"%s\"", extra->class_);
	if (extra && extra->href) {
		hd_buf_adds(s->b, " href=\"");
		hd_enc_xml(s->b, extra->href, strlen(extra->href));
		hd_buf_addf(s->b, "\" target=\"%s\"", extra->target ? extra->target : "_top");
	}
	hd_buf_adds(s->b, "><title>");
	hd_svg_entities(s->b, s->text.data, s->text.len);
	if (extra && extra->title) {
		hd_buf_adds(s->b, "\n");
		hd_enc_xml(s->b, extra->title, strlen(extra->title));
	} else {
		add_numbers(s, f, kind);
	}
	if (f->hidden)
		hd_palette_legend_class(class, kind);
	else
		find_colour(s, class, rgb, f->node);
	hd_buf_adds(s->b, "</title><rect class=\"");
	hd_buf_adds(s->b, class);
	if (rgb[0]) {
		hd_buf_adds(s->b, "\" fill=\"");
		hd_buf_adds(s->b, rgb);
	}
	hd_buf_adds(s->b, "\" x=\"");
	hd_svg_px(s->b, HD_FLAMEGRAPH_PAD * 100 + from);
	hd_buf_adds(s->b, "\" width=\"");
	hd_svg_px(s->b, width);
	hd_buf_adds(s->b, "\" height=\"");
	hd_buf_addu(s->b, s->bar);
	hd_buf_adds(s->b, "\"/>");
	if (width >= HD_FLAMEGRAPH_MIN_TEXT * 100) {
		size_t columns = (size_t)(width - 2 * HD_FLAMEGRAPH_TEXT_PAD * 100) / s->mono;

		hd_buf_adds(s->b, "<text x=\"");
		hd_svg_px(s->b, (HD_FLAMEGRAPH_PAD + HD_FLAMEGRAPH_TEXT_PAD) * 100 + from);
		hd_buf_adds(s->b, "\" y=\"");
		hd_buf_addu(s->b, s->baseline);
		hd_buf_adds(s->b, "\">");
		if (s->o->style.cut_right)
			hd_svg_cut(s->b, s->text.data, s->text.len, columns);
		else
			hd_svg_label(s->b, s->text.data, s->text.len, columns);
		hd_buf_adds(s->b, "</text>");
	}
	hd_buf_addf(s->b, "</%s>\n", tag);
}

static void add_row(struct hd_flamegraph_svg *s, size_t depth)
{
	uint64_t end_before = 0;	/* end of the previous frame, in units of weight */

	hd_buf_addf(s->b, "<g class=\"r\" transform=\"translate(0,%zu)\" data-f=\"",
		    (s->o->icicle ? depth : s->l.nrows - 1 - depth) * s->row);
	for (size_t i = s->l.rows[depth]; i < s->l.rows[depth + 1]; i++) {
		const struct hd_flamegraph_frame *f = &s->l.frames[i];
		const struct hd_call_tree_node *n = &s->t->nodes[f->node];

		if (i > s->l.rows[depth])
			hd_buf_addc(s->b, ' ');
		hd_buf_addu(s->b, f->start > end_before ? f->start - end_before : 0);
		hd_buf_addc(s->b, ',');
		hd_buf_addu(s->b, f->weight);
		hd_buf_addc(s->b, ',');
		hd_buf_addu(s->b, f->hidden ? 0 : n->total_samples);
		hd_buf_addc(s->b, ',');
		hd_buf_addu(s->b, f->hidden ? f->weight : n->self);
		end_before = f->start + f->weight;
		flush(s);
	}
	for (size_t i = s->l.rows[depth]; i < s->l.rows[depth + 1] && s->base.d; i++) {
		hd_buf_adds(s->b, i > s->l.rows[depth] ? " " : "\" data-b=\"");
		if (s->l.frames[i].hidden)
			hd_buf_adds(s->b, "0,0,0,0");
		else
			hd_flamegraph_diff_data(s->b, &s->base, s->l.frames[i].node);
		flush(s);
	}
	hd_buf_adds(s->b, "\">\n");
	for (size_t i = s->l.rows[depth]; i < s->l.rows[depth + 1]; i++) {
		add_frame(s, &s->l.frames[i]);
		flush(s);
	}
	hd_buf_adds(s->b, "</g>\n");
}

/* ---- the document ---- */

void hd_flamegraph_js(struct hd_buf *out)
{
	static const char *const tools[] = { "flame_text.js", "flame_tree.js", "flame_help.js" };
	static const char *const picture[] = { "flame_view.js", "flame_draw.js", "flame_card.js", "flame_search.js",
		"flame_zoom.js", "flame_tools.js", "flame_keys.js", "flame_main.js" };

	hd_buf_adds(out, "(() => {\n'use strict';\n");
	for (size_t i = 0; i < HD_COUNT(tools); i++)
		hd_asset_add(out, tools[i]);
	hd_buf_adds(out, "function attach(svg) {\n");
	for (size_t i = 0; i < HD_COUNT(picture); i++)
		hd_asset_add(out, picture[i]);
	hd_buf_adds(out, "}\n");
	hd_asset_add(out, "flame.js");
	hd_buf_adds(out, "})();\n");
}

static void class_of(void *context, char out[12], uint32_t node)
{
	struct hd_flamegraph_svg *s = context;
	char class[4], rgb[8];

	find_colour(s, class, rgb, node);
	stpcpy(stpcpy(out, class), rgb);
}

static void add_data(struct hd_flamegraph_svg *s)
{
	struct hd_flame_data_opts o = { .reversed = s->o->reversed, .class_of = class_of, .context = s };

	for (size_t i = 0; i < s->t->n && !o.comm; i++)
		o.comm = s->t->nodes[i].flags & HD_CALL_NODE_COMM;
	hd_flame_data_add(s->b, s->p, s->t, &o);
}

/*
 * Append the attributes by which the script formats weights.  data-steps is `FROM DIV LABEL|...`: a weight of at least
 * FROM is divided by DIV and followed by LABEL, for example "ms".
 */
static void add_units(struct hd_flamegraph_svg *s)
{
	struct hd_unit_scale u = hd_unit_scale_of(s->unit);

	hd_buf_adds(s->b, " data-steps=\"");
	for (size_t i = 0; i < u.n; i++)
		hd_buf_addf(s->b, "%s%llu %llu %s", i ? "|" : "", (unsigned long long)u.steps[i].from,
			    (unsigned long long)u.steps[i].div, u.steps[i].label);
	hd_buf_adds(s->b, "\" data-suffix=\"");
	if (*u.suffix)
		hd_enc_xml(s->b, u.suffix, strlen(u.suffix));
	hd_buf_adds(s->b, "\"");
}

/* Append the attributes for the script that are needed only with certain options. */
static void add_settings(struct hd_flamegraph_svg *s)
{
	const struct hd_flamegraph_opts *o = s->o;

	if (o->factor > 0 && o->factor != 1)
		hd_buf_addf(s->b, " data-factor=\"%.17g\"", o->factor);
	if (o->name_type) {
		hd_buf_adds(s->b, " data-nametype=\"");
		hd_enc_xml(s->b, o->name_type, strlen(o->name_type));
		hd_buf_addc(s->b, '"');
	}
	if (o->style.cut_right)
		hd_buf_adds(s->b, " data-cut=\"right\"");
	if (o->whole_page)
		hd_buf_adds(s->b, " data-alone=\"1\"");
	if (o->reversed)
		hd_buf_adds(s->b, " data-reversed=\"1\"");
	if (s->base.d) {
		hd_buf_adds(s->b, " data-base=\"");
		hd_enc_xml(s->b, o->base->name, strlen(o->base->name));
		hd_buf_addf(s->b, "\" data-divisor=\"%.17g,%.17g\"", s->base.d->divisor[HD_HEAD],
			s->base.d->divisor[HD_BASE]);
		hd_buf_addf(s->b, " data-test=\"%.17g,%.6g,%.9g,%.9g,%d,%d\"", s->base.d->scale, s->base.most,
			s->base.d->samples[HD_HEAD], s->base.d->samples[HD_BASE], s->base.negate,
			s->base.d->as_they_are);
		if (o->base->orange)
			hd_buf_adds(s->b, " data-safe=\"1\"");
	}
	/*
	 * data-more: the script may draw frames that the picture lacks.  It takes them from the embedded data.  This
	 * data contains neither the base of a comparison nor attributes, so data-more is not set for pictures that have
	 * one of these.
	 */
	if ((s->l.narrow || s->l.deep) && !s->base.d && !o->attributes)
		hd_buf_adds(s->b, " data-more=\"1\"");
}

static void add_root(struct hd_flamegraph_svg *s, const struct hd_buf *title)
{
	static const char *const themes[] = {
		[HD_FLAMEGRAPH_THEME_AUTO] = "", [HD_FLAMEGRAPH_THEME_LIGHT] = " data-theme=\"light\"",
		[HD_FLAMEGRAPH_THEME_DARK] = " data-theme=\"dark\"",
	};
	const struct hd_flamegraph_opts *o = s->o;
	size_t height = HD_FLAMEGRAPH_HEAD + s->l.nrows * s->row + HD_FLAMEGRAPH_FOOT;

	hd_buf_adds(s->b, "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"hd-flame\" ");
	if (o->fluid)
		hd_buf_adds(s->b, "width=\"100%\" preserveAspectRatio=\"xMinYMin\"");
	else
		hd_buf_addf(s->b, "width=\"%u\" height=\"%zu\"", s->width, height);
	hd_buf_addf(s->b, " viewBox=\"0 0 %u %zu\" role=\"img\" aria-label=\"Flamegraph, ", s->width, height);
	hd_svg_entities(s->b, hd_buf_str(title), title->len);
	hd_buf_addf(s->b, "\" data-geometry=\"%d %u %d %d %u %d %d\" data-orient=\"%s\"%s", HD_FLAMEGRAPH_PAD, s->row,
		HD_FLAMEGRAPH_HEAD, HD_FLAMEGRAPH_FOOT, s->baseline, HD_FLAMEGRAPH_TEXT_PAD, HD_FLAMEGRAPH_MIN_TEXT,
		o->icicle ? "icicle" : "flame", themes[o->theme]);
	add_units(s);
	add_settings(s);
	hd_buf_adds(s->b, ">\n");
}

/* Append the notes as an XML comment, in which `--` must not occur. */
static void add_notes(struct hd_flamegraph_svg *s)
{
	hd_buf_reset(&s->text);
	hd_svg_name(&s->text, s->o->notes);
	hd_buf_adds(s->b, "<!-- ");
	for (size_t i = 0; i < s->text.len; i++)
		hd_buf_addc(s->b, s->text.data[i] == '-' && i && s->text.data[i - 1] == '-' ? '~' : s->text.data[i]);
	hd_buf_adds(s->b, " -->\n");
}

/* Set the sizes that follow from the options. */
static void measure(struct hd_flamegraph_svg *s)
{
	const struct hd_flamegraph_style *y = &s->o->style;
	double size = y->font_size > 0 ? y->font_size : FONT_SIZE;

	s->width = s->o->width ? s->o->width : HD_FLAMEGRAPH_WIDTH;
	s->row = y->frame_height ? y->frame_height : ROW;
	s->bar = s->row - 1;
	s->baseline = (uint32_t)(((double)s->bar + 0.58 * size) / 2 + 0.5);
	s->mono = (unsigned)ceil(100 * size * (y->font_width > 0 ? y->font_width : FONT_WIDTH));
	s->mono = s->mono ? s->mono : 1;
}

static uint32_t span_px(const struct hd_flamegraph_opts *o)
{
	return (o->width ? o->width : HD_FLAMEGRAPH_WIDTH) - 2 * HD_FLAMEGRAPH_PAD;
}

static double minwidth_px(const struct hd_flamegraph_opts *o)
{
	return o->minwidth_percent ? o->minwidth * span_px(o) / 100 : o->minwidth;
}

uint64_t hd_flamegraph_least(const void *opts, const uint64_t *totals, size_t n)
{
	const struct hd_flamegraph_opts *o = opts;
	/* 1 % below the limit that the layout applies, because the layout's own computation can round differently */
	double drawn = 0.99 * minwidth_px(o) * (double)totals[0] / span_px(o);
	uint64_t data = hd_flame_data_least(totals, n);

	return drawn < (double)data ? (uint64_t)drawn : data;
}

static void lay_out(struct hd_flamegraph_svg *s)
{
	const struct hd_flamegraph_opts *o = s->o;
	struct hd_flamegraph_limits limits = { .width_px = span_px(o),
		.minwidth_px = minwidth_px(o),
		.max_frames = o->max_frames ? o->max_frames : HD_FLAMEGRAPH_MAX_FRAMES,
		.max_bytes = o->max_bytes ? o->max_bytes : HD_FLAMEGRAPH_MAX_BYTES,
		.max_rows = HD_FLAMEGRAPH_MAX_ROWS };

	hd_flamegraph_layout_init(&s->l, s->t, &limits);
}

static int render(struct hd_flamegraph_svg *s, bool whole, struct hd_err *err)
{
	const struct hd_flamegraph_opts *o = s->o;
	struct hd_buf title = { 0 };
	int rc = hd_flamegraph_check(o, err);

	if (rc < 0)
		return rc;
	measure(s);
	s->event = &s->p->events[s->t->event];
	hd_svg_short(s->unit, HD_FLAMEGRAPH_UNIT_BYTES, o->count_name ? o->count_name
								      : hd_profile_str(s->p, s->event->unit));
	s->counted = o->count_name || !strcmp(s->unit, "samples");
	hd_flamegraph_diff_init(&s->base, o->base, s->t);
	if (s->base.tree)
		s->t = s->base.tree;
	lay_out(s);
	hd_flamegraph_title(s, &title);

	if (whole)
		hd_buf_adds(s->b, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
	if (o->notes)
		add_notes(s);
	add_root(s, &title);
	if (whole) {
		hd_buf_adds(s->b, "<title>");
		hd_svg_entities(s->b, hd_buf_str(&title), title.len);
		hd_buf_adds(s->b, "</title>\n<style><![CDATA[\n");
		hd_flamegraph_css(s->b);
		hd_flamegraph_style_css(s->b, &o->style, o->colours != NULL);
		hd_buf_adds(s->b, "]]></style>\n");
	}
	hd_buf_adds(s->b, "<rect class=\"hd-paper\" width=\"100%\" height=\"100%\"/>\n");
	hd_buf_addf(s->b, "<g class=\"hd-graph\" transform=\"translate(0,%d)\">\n", HD_FLAMEGRAPH_HEAD);
	for (size_t d = 0; d < s->l.nrows; d++)
		add_row(s, d);
	hd_buf_adds(s->b, "</g>\n");
	hd_flamegraph_head(s, &title);
	if (whole || o->data)
		add_data(s);
	if (whole && !o->no_script) {
		hd_buf_adds(s->b, "<script><![CDATA[\n");
		hd_flamegraph_js(s->b);
		hd_buf_adds(s->b, "]]></script>\n");
	}
	hd_buf_adds(s->b, "</svg>\n");

	hd_buf_release(&title);
	hd_buf_release(&s->text);
	hd_buf_release(&s->scratch);
	hd_flamegraph_layout_release(&s->l);
	hd_flamegraph_diff_release(&s->base);
	return 0;
}

void hd_flamegraph_title_text(struct hd_buf *out, const struct hd_profile *p, const struct hd_call_tree *t,
	const struct hd_flamegraph_opts *o)
{
	struct hd_flamegraph_svg s = { .p = p, .t = t, .o = o, .event = &p->events[t->event] };

	hd_flamegraph_title(&s, out);
}

int hd_flamegraph_write(struct hd_outfile *out, const struct hd_profile *p, const struct hd_call_tree *t,
		 const struct hd_flamegraph_opts *o, struct hd_err *err)
{
	struct hd_buf b = { 0 };
	struct hd_flamegraph_svg s = { .b = &b, .out = out, .p = p, .t = t, .o = o };
	int rc = render(&s, true, err);

	hd_outfile_add(out, hd_buf_str(&b), b.len);
	hd_buf_release(&b);
	return rc;
}

int hd_flamegraph_fragment(struct hd_buf *out, const struct hd_profile *p, const struct hd_call_tree *t,
			  const struct hd_flamegraph_opts *o, struct hd_err *err)
{
	struct hd_flamegraph_svg s = { .b = out, .p = p, .t = t, .o = o };

	return render(&s, false, err);
}
