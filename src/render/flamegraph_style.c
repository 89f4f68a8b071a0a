/*
 * flamegraph_style.c - see flamegraph.h: fonts and colours of the options, as CSS
 *
 * The options are text of the command line.  hd_flamegraph_check() accepts only words and colours that cannot end a
 * rule, so they are written unchanged.
 */
#include "render/flamegraph.h"

#include "base/assets.h"
#include "base/mem.h"
#include "render/palette.h"

#include <ctype.h>
#include <string.h>

enum { MIN_WIDTH = 300, MAX_WIDTH = 100000, MAX_HEIGHT = 200 };

static const struct background {
	const char *name, *top, *bottom;
} backgrounds[] = {
	{ "yellow", "#eeeeee", "#eeeeb0" },
	{ "blue", "#eeeeee", "#e0e0ff" },
	{ "green", "#eef2ee", "#e0ffe0" },
	{ "grey", "#f8f8f8", "#e8e8e8" },
};

static bool is_colour(const char *text)
{
	size_t n = strlen(text);

	return text[0] == '#' && (n == 4 || n == 7) && strspn(text + 1, "0123456789abcdefABCDEF") == n - 1;
}

static const struct background *background_of(const char *name)
{
	for (size_t i = 0; i < HD_COUNT(backgrounds); i++)
		if (!strcmp(backgrounds[i].name, name))
			return &backgrounds[i];
	return NULL;
}

static int check_style(const struct hd_flamegraph_style *y, struct hd_err *err)
{
	const struct { const char *option, *text; } colours[] = {
		{ "searchcolor", y->search_colour }, { "stroke-color", y->stroke_colour }, { "uicolor", y->ui_colour },
	};

	for (size_t i = 0; i < HD_COUNT(colours); i++)
		if (colours[i].text && !is_colour(colours[i].text))
			return hd_fail(err, HD_EUSAGE, "--%s takes #rrggbb, not '%s'", colours[i].option,
				colours[i].text);
	if (y->background && !is_colour(y->background) && !background_of(y->background))
		return hd_fail(err, HD_EUSAGE, "--bgcolors takes " HD_FLAMEGRAPH_BACKGROUNDS ", not '%s'",
			y->background);
	for (const char *c = y->font_type; c && *c; c++)
		if (!isalnum((unsigned char)*c) && !strchr(" _-,", *c))
			return hd_fail(err, HD_EUSAGE,
				"--fonttype takes names of letters, digits, blanks, - and commas, not '%s'",
				y->font_type);
	if (y->frame_height && (y->frame_height < 4 || y->frame_height > MAX_HEIGHT))
		return hd_fail(err, HD_EUSAGE, "a height of %u px per frame is not between 4 and %d", y->frame_height,
			MAX_HEIGHT);
	if (!(y->font_size >= 0 && y->font_size <= 100))
		return hd_fail(err, HD_EUSAGE, "a font size of %g px is not between 0 and 100", y->font_size);
	if (!(y->font_width >= 0 && y->font_width <= 4))
		return hd_fail(err, HD_EUSAGE, "a font width of %g is not between 0 and 4", y->font_width);
	return 0;
}

int hd_flamegraph_check(const struct hd_flamegraph_opts *o, struct hd_err *err)
{
	uint32_t width = o->width ? o->width : HD_FLAMEGRAPH_WIDTH;

	if (width < MIN_WIDTH || width > MAX_WIDTH)
		return hd_fail(err, HD_EUSAGE, "a width of %u px is not between %d and %d", width, MIN_WIDTH,
			MAX_WIDTH);
	if (!(o->minwidth >= 0 && o->minwidth <= 100))
		return hd_fail(err, HD_EUSAGE, "a minwidth of %g %s is not between 0 and 100", o->minwidth,
			o->minwidth_percent ? "%" : "px");
	return check_style(&o->style, err);
}

void hd_flamegraph_css(struct hd_buf *out)
{
	hd_palette_css(out);
	hd_asset_add(out, "flame.css");
}

/* Append a list of font names, and `monospace`.  Names of several words are quoted. */
static void add_fonts(struct hd_buf *out, const char *names)
{
	while (*names) {
		size_t n = strcspn(names, ",");

		names += strspn(names, " ");
		n = strcspn(names, ",");
		if (n)
			hd_buf_addf(out, memchr(names, ' ', n) ? "\"%.*s\"," : "%.*s,", (int)n, names);
		names += n + (names[n] == ',');
	}
	hd_buf_adds(out, "monospace");
}

void hd_flamegraph_style_css(struct hd_buf *out, const struct hd_flamegraph_style *y, bool fixed_colours)
{
	const struct background *b = y->background ? background_of(y->background) : NULL;

	if (y->font_type) {
		hd_buf_adds(out, ".hd-flame .r text{font-family:");
		add_fonts(out, y->font_type);
		hd_buf_adds(out, "}\n");
	}
	if (y->font_size > 0)
		hd_buf_addf(out, ".hd-flame .r text{font-size:%gpx}\n", y->font_size);
	if (fixed_colours)	/* the fixed colours need black text */
		hd_buf_adds(out, ".hd-flame .r>*>[fill]+text{fill:#000}\n");
	if (y->background)
		hd_buf_addf(out, ".hd-flame,.hd-flame[data-theme]{--bg:%s}\n", b ? b->top : y->background);
	if (b)
		hd_buf_addf(out, "svg.hd-flame{background:linear-gradient(%s,%s)}.hd-flame>.hd-paper{fill-opacity:0}\n",
			b->top, b->bottom);
	if (y->search_colour)
		hd_buf_addf(out, ".hd-flame,.hd-flame[data-theme]{--mt:%s}\n", y->search_colour);
	if (y->ui_colour)
		hd_buf_addf(out, ".hd-flame,.hd-flame[data-theme]{--mu:%s}\n", y->ui_colour);
	if (y->stroke_colour)
		hd_buf_addf(out, ".hd-flame .r rect{stroke:%s;stroke-width:.5}\n", y->stroke_colour);
}
