/*
 * flamegraph_head.c - the head of a flamegraph: title, subtitle, legend, note
 */
#include "render/flamegraph_svg.h"

#include "render/palette.h"
#include "render/svg_text.h"
#include "render/unit_text.h"

#include <math.h>
#include <string.h>

enum { SANS = 800 };	/* width of a character in hundredths of a px, for a wide sans serif font of 13 px */
enum { MAX_COMMAND = 200 };	/* limit in bytes for the recorded command in the title */

uint64_t hd_flamegraph_scaled(const struct hd_flamegraph_svg *s, uint64_t weight)
{
	double v = s->o->factor > 0 ? (double)weight * s->o->factor : 0;

	if (!(s->o->factor > 0) || s->o->factor == 1)
		return weight;
	return v >= 18446744073709551615.0 ? UINT64_MAX : (uint64_t)(v + 0.5);
}

/* Return the last component of the input's path. */
static const char *input_name(const struct hd_profile *p)
{
	const char *path = p->recording.path ? p->recording.path : "", *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

/* Append the recorded command, without the folder of the program. */
static void add_command(struct hd_buf *out, const struct hd_recording *r)
{
	for (size_t i = 0; i < r->ncmdline && out->len < MAX_COMMAND; i++) {
		const char *word = r->cmdline[i], *slash = i ? NULL : strrchr(word, '/');

		if (i)
			hd_buf_addc(out, ' ');
		hd_svg_name(out, slash && slash[1] ? slash + 1 : word);
	}
}

void hd_flamegraph_title(const struct hd_flamegraph_svg *s, struct hd_buf *out)
{
	if (s->o->title) {
		hd_svg_name(out, s->o->title);
		return;
	}
	add_command(out, &s->p->recording);
	if (out->len)
		return;
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
static void add_subtitle(struct hd_flamegraph_svg *s, struct hd_buf *out)
{
	const struct hd_flamegraph_opts *o = s->o;
	struct hd_buf part = { 0 };

	if (o->subtitle)
		add_part(out, "", o->subtitle);
	if (s->p->recording.path && *s->p->recording.path)
		add_part(out, "", s->p->recording.path);
	add_part(out, "event ", hd_profile_str(s->p, s->event->name));
	hd_unit_text_add(&part, hd_flamegraph_scaled(s, hd_flamegraph_diff_weight(&s->base, s->t)), s->unit);
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
	if (o->reversed)
		add_part(out, "", "from the innermost frames");
	if (o->filter)
		add_part(out, "only ", o->filter);
	if (o->base)
		add_part(out, "colours: change since ", o->base->name);
	hd_buf_release(&part);
}

/* Append a note: how many frames are drawn, and what the picture does not show, such as narrow frames. */
static void add_note(struct hd_flamegraph_svg *s, struct hd_buf *out)
{
	const struct hd_flamegraph_layout *l = &s->l;
	uint64_t all = s->t->nodes[0].total;

	hd_unit_text_count(out, l->n - l->blocks);
	hd_buf_adds(out, l->n - l->blocks == 1 ? " frame drawn" : " frames drawn");
	if (l->narrow) {
		hd_buf_adds(out, l->blocks ? "; summed up: " : "; not drawn: ");
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
 * Add a line of the head.  The line is cut to the width of the picture; its title element has the whole text for the
 * script.
 */
static void add_line(struct hd_flamegraph_svg *s, const char *class, unsigned x, unsigned y, const struct hd_buf *text,
	unsigned advance)
{
	hd_buf_addf(s->b, "<text class=\"%s\" x=\"%u\" y=\"%u\"><title>", class, x, y);
	hd_svg_entities(s->b, hd_buf_str(text), text->len);
	hd_buf_adds(s->b, "</title>");
	hd_svg_cut(s->b, hd_buf_str(text), text->len,
		(size_t)(s->width > x + HD_FLAMEGRAPH_PAD ? s->width - x - HD_FLAMEGRAPH_PAD : 0) * 100 / advance);
	hd_buf_adds(s->b, "</text>\n");
}

/* Set seen[kind] for each kind of frame that the picture has, which the legend must explain. */
static void find_kinds(const struct hd_flamegraph_svg *s, bool seen[HD_PALETTE_KINDS])
{
	for (size_t i = 0; i < s->l.n; i++) {
		const struct hd_flamegraph_frame *f = &s->l.frames[i];
		uint32_t flags = s->t->nodes[f->node].flags;

		if (f->hidden)
			seen[HD_PALETTE_KIND_REST] = true;
		else if (!(flags & HD_CALL_NODE_ROOT) && !s->base.d && !s->o->colours)
			seen[hd_palette_kind_of(flags)] = true;
	}
	for (enum hd_palette_kind k = HD_PALETTE_KIND_GREW; k <= HD_PALETTE_KIND_SAME && s->base.d; k++)
		seen[k] = true;
	seen[HD_PALETTE_KIND_GONE] = s->base.d && s->base.drawn_gone;
}

/*
 * Add the legend: the kinds of frames that find_kinds() finds.  A differential flamegraph always lists grew, shrank and
 * same.  Returns the x coordinate after the legend.
 */
static unsigned add_legend(struct hd_flamegraph_svg *s, unsigned y)
{
	bool seen[HD_PALETTE_KINDS] = { false };
	unsigned x = HD_FLAMEGRAPH_PAD;

	find_kinds(s, seen);
	for (size_t k = 0; k < HD_PALETTE_KINDS; k++) {
		const char *name = hd_palette_kind_name((enum hd_palette_kind)k);
		char class[4];

		if (!seen[k])
			continue;
		if (s->base.negate && (k == HD_PALETTE_KIND_GREW || k == HD_PALETTE_KIND_SHRANK))
			name = hd_palette_kind_name(k == HD_PALETTE_KIND_GREW ? HD_PALETTE_KIND_SHRANK
									      : HD_PALETTE_KIND_GREW);
		hd_palette_legend_class(class, (enum hd_palette_kind)k);
		hd_buf_addf(s->b,
			"<g class=\"hd-key\"><rect class=\"%s\" x=\"%u\" y=\"%u\" width=\"12\" height=\"12\" rx=\"2\"/>"
			"<text x=\"%u\" y=\"%u\">%s</text></g>\n",
			class, x, y - 10, x + 17, y, name);
		x += 17 + (unsigned)strlen(name) * SANS / 100 + 16;
	}
	return x;
}

void hd_flamegraph_head(struct hd_flamegraph_svg *s, const struct hd_buf *title)
{
	struct hd_buf line = { 0 };
	unsigned x;

	hd_buf_addf(s->b, "<g class=\"hd-head\">\n<rect class=\"hd-paper\" width=\"100%%\" height=\"%d\"/>\n",
		HD_FLAMEGRAPH_HEAD - 6);
	add_line(s, "hd-title", HD_FLAMEGRAPH_PAD, 28, title, SANS * 18 / 13);
	add_subtitle(s, &line);
	add_line(s, "hd-sub", HD_FLAMEGRAPH_PAD, 50, &line, SANS);
	hd_buf_reset(&line);
	x = add_legend(s, 74);
	add_note(s, &line);
	add_line(s, "hd-note", x, 74, &line, SANS);
	hd_buf_adds(s->b, "</g>\n");
	hd_buf_release(&line);
}
