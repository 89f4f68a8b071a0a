/*
 * flamegraph.c - see flamegraph.h
 */
#include "render/flamegraph.h"

#include "base/assets.h"
#include "base/encode.h"
#include "base/mem.h"
#include "render/palette.h"
#include "render/flamegraph_diff.h"
#include "render/flamegraph_layout.h"
#include "render/svg_text.h"
#include "render/unit_text.h"

#include <math.h>
#include <string.h>

/* Lengths in px. The attribute data-geometry passes those that the script needs. */
enum {
	PAD = 16,		/* margin on both sides of the picture */
	ROW = 18,		/* distance between rows of frames */
	BAR = 17,		/* height of a frame */
	BASELINE = 12,		/* distance from the top of a frame to the baseline of its name */
	TEXT_PAD = 4,		/* space on both sides of a name */
	MIN_TEXT = 30,		/* narrower frames have no name */
	HEAD = 112,		/* height of title, subtitle, legend and a line for the script */
	FOOT = 16,
	MIN_WIDTH = 300,
	MAX_WIDTH = 100000,
};

enum { UNIT_BYTES = 40 };	/* maximum length of the unit's name, which is in every tooltip */

/* Advance width of a character in hundredths of a px: 12 px monospace; 13 px of a wide sans serif font. */
enum { MONO = 723, SANS = 800 };

struct svg {
	struct hd_buf *b;
	struct hd_outfile *out;		/* destination when b is full; NULL: b grows */
	const struct hd_profile *p;
	const struct hd_call_tree *t;
	const struct hd_event *event;
	char unit[UNIT_BYTES + 1];
	struct hd_flamegraph_layout l;
	struct hd_flamegraph_diff base;
	uint32_t width;
	bool icicle;
	bool counted;			/* the weight is the number of samples, so print it once */
	struct hd_buf text, scratch;	/* text: a name in visible form; scratch: short texts */
};

static void flush(struct svg *s)
{
	if (s->out && s->b->len > 32 * 1024) {
		hd_outfile_add(s->out, s->b->data, s->b->len);
		hd_buf_reset(s->b);
	}
}

/* ---- the head ---- */

/* Return the last component of the input's path. */
static const char *input_name(const struct hd_profile *p)
{
	const char *path = p->recording.path ? p->recording.path : "", *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

static void make_title(struct svg *s, const struct hd_flamegraph_opts *o, struct hd_buf *out)
{
	if (o->title) {
		hd_svg_name(out, o->title);
		return;
	}
	if (*input_name(s->p)) {
		hd_svg_name(out, input_name(s->p));
		hd_buf_adds(out, ": ");
	}
	hd_svg_name(out, hd_profile_str(s->p, s->event->name));
}

static void add_part(struct hd_buf *out, const char *label, const char *text)
{
	if (out->len)
		hd_buf_adds(out, " \u00b7 ");
	hd_buf_adds(out, label);
	hd_svg_name(out, text);
}

/* Append what was measured: input, event, weight with unit, samples, lost samples. */
static void make_subtitle(struct svg *s, const struct hd_flamegraph_opts *o, struct hd_buf *out)
{
	struct hd_buf part = { 0 };

	if (s->p->recording.path && *s->p->recording.path)
		add_part(out, "", s->p->recording.path);
	add_part(out, "event ", hd_profile_str(s->p, s->event->name));
	hd_unit_text_add(&part, s->t->nodes[0].total, s->unit);
	add_part(out, "", hd_buf_str(&part));
	if (!s->counted) {
		hd_buf_reset(&part);
		hd_unit_text_count(&part, s->t->nodes[0].total_samples);
		hd_buf_adds(&part, s->t->nodes[0].total_samples == 1 ? " sample" : " samples");
		add_part(out, "", part.data);
	}
	if (s->event->lost) {
		hd_buf_reset(&part);
		hd_unit_text_count(&part, s->event->lost);
		add_part(out, "lost ", part.data);
	}
	if (s->p->recording.truncated)
		add_part(out, "", "input cut off");
	if (o->filter)
		add_part(out, "only ", o->filter);
	if (o->base)
		add_part(out, "colours: change since ", o->base->name);
	hd_buf_release(&part);
}

/* Append what the picture does not show. */
static void make_note(struct svg *s, struct hd_buf *out)
{
	const struct hd_flamegraph_layout *l = &s->l;
	uint64_t all = s->t->nodes[0].total;

	hd_unit_text_count(out, l->n);
	hd_buf_adds(out, l->n == 1 ? " frame drawn" : " frames drawn");
	if (l->narrow) {
		hd_buf_adds(out, "; not drawn: ");
		hd_unit_text_count(out, l->narrow);
		hd_buf_adds(out, l->narrow == 1 ? " frame narrower than " : " frames narrower than ");
		hd_svg_px(out, (uint64_t)llround(l->minwidth * 100));
		hd_buf_adds(out, " px (");
		hd_unit_text_share(out, l->narrow_weight, all);
		hd_buf_addc(out, ')');
	}
	if (l->deep) {
		hd_buf_adds(out, l->narrow ? ", " : "; not drawn: ");
		hd_unit_text_count(out, l->deep);
		hd_buf_adds(out, l->deep == 1 ? " frame deeper than " : " frames deeper than ");
		hd_unit_text_count(out, l->max_rows);
		hd_buf_adds(out, " levels (");
		hd_unit_text_share(out, l->deep_weight, all);
		hd_buf_addc(out, ')');
	}
	hd_flamegraph_diff_note(out, &s->base);
}

/*
 * Add a line of the head. It is cut to the width of the picture; its title element has the whole text for the script.
 */
static void add_line(struct svg *s, const char *class, unsigned x, unsigned y, const struct hd_buf *text,
	unsigned advance)
{
	hd_buf_addf(s->b, "<text class=\"%s\" x=\"%u\" y=\"%u\"><title>", class, x, y);
	hd_svg_entities(s->b, hd_buf_str(text), text->len);
	hd_buf_adds(s->b, "</title>");
	hd_svg_cut(s->b, hd_buf_str(text), text->len,
		(size_t)(s->width > x + PAD ? s->width - x - PAD : 0) * 100 / advance);
	hd_buf_adds(s->b, "</text>\n");
}

/* Add a legend of the kinds that the picture contains. Returns the x coordinate after it. */
static unsigned add_legend(struct svg *s, unsigned y)
{
	bool seen[HD_PALETTE_KINDS] = { false };
	unsigned x = PAD;

	for (size_t i = 0; i < s->l.n; i++) {
		uint32_t flags = s->t->nodes[s->l.frames[i].node].flags;

		if (!(flags & HD_CALL_NODE_ROOT) && !s->base.d)
			seen[hd_palette_kind_of(flags)] = true;
	}
	for (enum hd_palette_kind k = HD_PALETTE_KIND_GREW; k <= HD_PALETTE_KIND_SAME && s->base.d; k++)
		seen[k] = true;
	for (size_t k = 0; k < HD_PALETTE_KINDS; k++) {
		char class[4];

		if (!seen[k])
			continue;
		hd_palette_legend_class(class, (enum hd_palette_kind)k);
		hd_buf_addf(s->b,
			"<g class=\"hd-key\"><rect class=\"%s\" x=\"%u\" y=\"%u\" width=\"12\" height=\"12\" rx=\"2\"/>"
			"<text x=\"%u\" y=\"%u\">%s</text></g>\n",
			class, x, y - 10, x + 17, y, hd_palette_kind_name((enum hd_palette_kind)k));
		x += 17 + (unsigned)strlen(hd_palette_kind_name((enum hd_palette_kind)k)) * SANS / 100 + 16;
	}
	return x;
}

static void add_head(struct svg *s, const struct hd_buf *title, const struct hd_flamegraph_opts *o)
{
	struct hd_buf line = { 0 };
	unsigned x;

	hd_buf_addf(s->b, "<g class=\"hd-head\">\n<rect class=\"hd-paper\" width=\"100%%\" height=\"%d\"/>\n",
		HEAD - 6);
	add_line(s, "hd-title", PAD, 28, title, SANS * 18 / 13);
	make_subtitle(s, o, &line);
	add_line(s, "hd-sub", PAD, 50, &line, SANS);
	hd_buf_reset(&line);
	x = add_legend(s, 74);
	make_note(s, &line);
	add_line(s, "hd-note", x, 74, &line, SANS);
	hd_buf_adds(s->b, "</g>\n");
	hd_buf_release(&line);
}

/* ---- the frames ---- */

/* Return the position of a weight, in hundredths of a px from the left edge of the frames. */
static uint64_t place(const struct svg *s, uint64_t weight)
{
	uint64_t all = s->t->nodes[0].total, span = (uint64_t)(s->width - 2 * PAD) * 100;

	if (weight >= all)
		return span;
	return (uint64_t)((__uint128_t)weight * span / all);
}

static void add_frame(struct svg *s, const struct hd_flamegraph_frame *f)
{
	const struct hd_call_tree_node *n = &s->t->nodes[f->node];
	enum hd_palette_kind kind = hd_palette_kind_of(n->flags);
	uint64_t end, from = place(s, f->start), to, width;
	char class[4];

	if (__builtin_add_overflow(f->start, n->total, &end))
		end = UINT64_MAX;
	to = place(s, end);
	width = to > from ? to - from : 1;
	if (width > 300)	/* leave a gap between neighbours of the same colour */
		width -= 60;

	hd_buf_reset(&s->text);
	if (n->flags & HD_CALL_NODE_UNKNOWN)
		hd_buf_adds(&s->text, n->name);		/* pseudo-names are not encoded */
	else
		hd_svg_name(&s->text, n->name);
	hd_buf_adds(s->b, "<g><title>");
	hd_svg_entities(s->b, s->text.data, s->text.len);
	hd_buf_addc(s->b, '\n');
	hd_buf_reset(&s->scratch);
	hd_unit_text_add(&s->scratch, n->total, s->unit);
	hd_buf_adds(&s->scratch, ", ");
	hd_unit_text_share(&s->scratch, n->total, s->t->nodes[0].total);
	if (!s->counted) {
		hd_buf_adds(&s->scratch, ", ");
		hd_unit_text_count(&s->scratch, n->total_samples);
		hd_buf_adds(&s->scratch, n->total_samples == 1 ? " sample" : " samples");
	}
	if (kind != HD_PALETTE_KIND_USER && kind != HD_PALETTE_KIND_GROUP && kind != HD_PALETTE_KIND_UNKNOWN) {
		hd_buf_adds(&s->scratch, ", ");
		hd_buf_adds(&s->scratch, hd_palette_kind_name(kind));
	}
	hd_flamegraph_diff_text(&s->scratch, &s->base, f->node);
	hd_enc_xml(s->b, s->scratch.data, s->scratch.len);

	if (!hd_flamegraph_diff_class(&s->base, class, f->node))
		hd_palette_class(class, kind, n->name);
	hd_buf_adds(s->b, "</title><rect class=\"");
	hd_buf_adds(s->b, class);
	hd_buf_adds(s->b, "\" x=\"");
	hd_svg_px(s->b, PAD * 100 + from);
	hd_buf_adds(s->b, "\" width=\"");
	hd_svg_px(s->b, width);
	hd_buf_adds(s->b, "\" height=\"");
	hd_buf_addu(s->b, BAR);
	hd_buf_adds(s->b, "\"/>");
	if (width >= MIN_TEXT * 100) {
		hd_buf_adds(s->b, "<text x=\"");
		hd_svg_px(s->b, (PAD + TEXT_PAD) * 100 + from);
		hd_buf_adds(s->b, "\" y=\"");
		hd_buf_addu(s->b, BASELINE);
		hd_buf_adds(s->b, "\">");
		hd_svg_label(s->b, s->text.data, s->text.len, (size_t)(width - 2 * TEXT_PAD * 100) / MONO);
		hd_buf_adds(s->b, "</text>");
	}
	hd_buf_adds(s->b, "</g>\n");
}

static void add_row(struct svg *s, size_t depth)
{
	uint64_t end_before = 0;	/* end of the previous frame, as a weight */

	hd_buf_addf(s->b, "<g class=\"r\" transform=\"translate(0,%zu)\" data-f=\"",
		    (s->icicle ? depth : s->l.nrows - 1 - depth) * ROW);
	for (size_t i = s->l.rows[depth]; i < s->l.rows[depth + 1]; i++) {
		const struct hd_flamegraph_frame *f = &s->l.frames[i];
		const struct hd_call_tree_node *n = &s->t->nodes[f->node];

		if (i > s->l.rows[depth])
			hd_buf_addc(s->b, ' ');
		hd_buf_addu(s->b, f->start > end_before ? f->start - end_before : 0);
		hd_buf_addc(s->b, ',');
		hd_buf_addu(s->b, n->total);
		hd_buf_addc(s->b, ',');
		hd_buf_addu(s->b, n->total_samples);
		hd_buf_addc(s->b, ',');
		hd_buf_addu(s->b, n->self);
		end_before = f->start + n->total;
		flush(s);
	}
	for (size_t i = s->l.rows[depth]; i < s->l.rows[depth + 1] && s->base.d; i++) {
		hd_buf_adds(s->b, i > s->l.rows[depth] ? " " : "\" data-b=\"");
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

static void add_script(struct hd_buf *out)
{
	const struct hd_asset *js = hd_asset_find("flame.js");

	hd_buf_adds(out, "<script><![CDATA[\n");
	hd_buf_add(out, js->data, js->len);
	hd_buf_adds(out, "]]></script>\n");
}

void hd_flamegraph_css(struct hd_buf *out)
{
	const struct hd_asset *css = hd_asset_find("flame.css");

	hd_palette_css(out);
	hd_buf_add(out, css->data, css->len);
}

/* Append the scale for weights to the script: `from div label|...`. */
static void add_units(struct svg *s)
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

static void add_root(struct svg *s, const struct hd_buf *title, const struct hd_flamegraph_opts *o)
{
	static const char *const themes[] = {
		[HD_FLAMEGRAPH_THEME_AUTO] = "", [HD_FLAMEGRAPH_THEME_LIGHT] = " data-theme=\"light\"",
		[HD_FLAMEGRAPH_THEME_DARK] = " data-theme=\"dark\"",
	};
	size_t height = HEAD + s->l.nrows * ROW + FOOT;

	hd_buf_addf(s->b,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"hd-flame\" width=\"%u\" height=\"%zu\" "
		"viewBox=\"0 0 %u %zu\" role=\"img\" aria-label=\"Flamegraph, ",
		s->width, height, s->width, height);
	hd_svg_entities(s->b, hd_buf_str(title), title->len);
	hd_buf_addf(s->b, "\" data-geometry=\"%d %d %d %d %d %d %d\" data-orient=\"%s\"%s", PAD, ROW, HEAD, FOOT,
		BASELINE, TEXT_PAD, MIN_TEXT, s->icicle ? "icicle" : "flame", themes[o->theme]);
	add_units(s);
	hd_buf_adds(s->b, ">\n");
}

static int render(struct svg *s, const struct hd_flamegraph_opts *o, bool whole, struct hd_err *err)
{
	struct hd_buf title = { 0 };

	s->width = o->width ? o->width : HD_FLAMEGRAPH_WIDTH;
	if (s->width < MIN_WIDTH || s->width > MAX_WIDTH)
		return hd_fail(err, HD_EUSAGE, "a width of %u px is not between %d and %d", s->width, MIN_WIDTH,
			MAX_WIDTH);
	if (!(o->minwidth >= 0 && o->minwidth <= 100))
		return hd_fail(err, HD_EUSAGE, "a minwidth of %g px is not between 0 and 100", o->minwidth);
	s->event = &s->p->events[s->t->event];
	hd_svg_short(s->unit, UNIT_BYTES, hd_profile_str(s->p, s->event->unit));
	s->icicle = o->icicle;
	s->counted = !strcmp(s->unit, "samples");
	hd_flamegraph_layout_init(&s->l, s->t, s->width - 2 * PAD, o->minwidth,
		o->max_frames ? o->max_frames : HD_FLAMEGRAPH_MAX_FRAMES, HD_FLAMEGRAPH_MAX_ROWS);
	hd_flamegraph_diff_init(&s->base, o->base ? o->base->d : NULL);
	make_title(s, o, &title);

	if (whole)
		hd_buf_adds(s->b, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
	add_root(s, &title, o);
	if (whole) {
		hd_buf_adds(s->b, "<title>");
		hd_svg_entities(s->b, hd_buf_str(&title), title.len);
		hd_buf_adds(s->b, "</title>\n<style><![CDATA[\n");
		hd_flamegraph_css(s->b);
		hd_buf_adds(s->b, "]]></style>\n");
	}
	hd_buf_adds(s->b, "<rect class=\"hd-paper\" width=\"100%\" height=\"100%\"/>\n");
	hd_buf_addf(s->b, "<g class=\"hd-graph\" transform=\"translate(0,%d)\">\n", HEAD);
	for (size_t d = 0; d < s->l.nrows; d++)
		add_row(s, d);
	hd_buf_adds(s->b, "</g>\n");
	add_head(s, &title, o);
	if (whole)
		add_script(s->b);
	hd_buf_adds(s->b, "</svg>\n");

	hd_buf_release(&title);
	hd_buf_release(&s->text);
	hd_buf_release(&s->scratch);
	hd_flamegraph_layout_release(&s->l);
	return 0;
}

int hd_flamegraph_write(struct hd_outfile *out, const struct hd_profile *p, const struct hd_call_tree *t,
		 const struct hd_flamegraph_opts *o, struct hd_err *err)
{
	struct hd_buf b = { 0 };
	struct svg s = { .b = &b, .out = out, .p = p, .t = t };
	int rc = render(&s, o, true, err);

	hd_outfile_add(out, hd_buf_str(&b), b.len);
	hd_buf_release(&b);
	return rc;
}

int hd_flamegraph_fragment(struct hd_buf *out, const struct hd_profile *p, const struct hd_call_tree *t,
			  const struct hd_flamegraph_opts *o, struct hd_err *err)
{
	struct svg s = { .b = out, .p = p, .t = t };

	return render(&s, o, false, err);
}
