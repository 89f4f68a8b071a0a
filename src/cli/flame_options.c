/*
 * flame_options.c - see flame_options.h
 */
#include "cli/flame_options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define AT(member)	offsetof(struct hd_flame_options, member)

const struct hd_opt hd_flame_text_opts[] = {
	{ HD_OPT_STR, 0, "title", "TEXT", "title of the picture (default: the recorded command, else the input's name)",
		AT(title) },
	{ HD_OPT_STR, 0, "subtitle", "TEXT", "text before the generated second line", AT(subtitle) },
	{ HD_OPT_STR, 0, "countname", "TEXT", "name of the counts (default: the unit of the event)", AT(count_name) },
	{ HD_OPT_STR, 0, "nametype", "TEXT", "word before a name in the details, such as Function:", AT(name_type) },
	{ HD_OPT_STR, 0, "notes", "TEXT", "comment inside the file", AT(notes) },
	{ 0 },
};

const struct hd_opt hd_flame_shape_opts[] = {
	{ HD_OPT_STR, 0, "width", "PX", "width without scripts, in px, or fluid (default 1200)", AT(width) },
	{ HD_OPT_STR, 0, "height", "PX", "height of a frame with its gap (default 18)", AT(height) },
	{ HD_OPT_STR, 0, "minwidth", "PX",
		"draw frames narrower than this as one grey block with their neighbours (default 0.1); N% is a share",
		AT(minwidth) },
	{ HD_OPT_FLAG, 0, "icicle", NULL, "draw the roots at the top", AT(icicle) },
	{ HD_OPT_FLAG, 0, "inverted", NULL, "the same as --icicle", AT(icicle) },
	{ HD_OPT_FLAG, 0, "reverse", NULL, "merge the stacks from their innermost frames", AT(reverse) },
	{ HD_OPT_FLAG, 0, "no-sort", NULL, "keep the order of the lines of folded text; merge adjacent frames only",
		AT(no_sort) },
	{ HD_OPT_FLAG, 0, "flamechart", NULL,
		"flame chart: from left to right in the order of time (perf.data) or of the lines (folded text)",
		AT(flamechart) },
	{ HD_OPT_LIST, 0, "base-symbol", "NAME",
		"draw only what is called by this function, as the root (--base of inferno)", AT(base_symbol) },
	{ HD_OPT_STR, 0, "total", "N", "width of the root as a weight, if it is larger than the sum", AT(total) },
	{ HD_OPT_STR, 0, "factor", "N", "multiply printed counts by N", AT(factor) },
	{ HD_OPT_FLAG, 0, "no-comm", NULL, "omit the first level, which has one box per thread name", AT(no_comm) },
	{ 0 },
};

const struct hd_opt hd_flame_colour_opts[] = {
	{ HD_OPT_ENUM, 0, "theme", "auto|light|dark", "colours (default auto: the setting of the viewer's system)",
		AT(theme) },
	{ HD_OPT_ENUM, 'c', "colors", HD_FLAME_PALETTE_CHOICES,
		"palette (default hotdrift: by kind of code, for both themes)", AT(palette) },
	{ HD_OPT_STR, 0, "bgcolors", "COLOR", "background: " HD_FLAMEGRAPH_BACKGROUNDS, AT(background) },
	{ HD_OPT_FLAG, 0, "hash", NULL, "similar names get similar colours", AT(hash) },
	{ HD_OPT_FLAG, 0, "deterministic", NULL, "colour by name (the default)", AT(deterministic) },
	{ HD_OPT_FLAG, 0, "random", NULL, "every frame gets its own colour; the same in each run", AT(random) },
	{ HD_OPT_MAYBE, 0, "cp", "FILE",
		"take colours from a palette map and add new names to it (default palette.map)",
		AT(map_path) },
	{ HD_OPT_FLAG, 0, "colordiffusion", NULL, "colour by width, white to red", AT(diffusion) },
	{ HD_OPT_STR, 0, "searchcolor", "COLOR", "colour of matches, #rrggbb", AT(search_colour) },
	{ HD_OPT_STR, 0, "search-color", "COLOR", "the same", AT(search_colour) },
	{ HD_OPT_STR, 0, "stroke-color", "COLOR", "outline of every frame, #rrggbb", AT(stroke_colour) },
	{ HD_OPT_STR, 0, "uicolor", "COLOR", "colour of texts around the frames, #rrggbb", AT(ui_colour) },
	{ HD_OPT_STR, 0, "fonttype", "FONT", "font of the names (default: monospace)", AT(font_type) },
	{ HD_OPT_STR, 0, "fontsize", "PX", "its size (default 12)", AT(font_size) },
	{ HD_OPT_STR, 0, "fontwidth", "N", "width of a character / size, for the picture without scripts (default 0.6)",
		AT(font_width) },
	{ HD_OPT_FLAG, 0, "truncate-text-right", NULL, "cut long names at their end, not at their namespaces",
		AT(cut_right) },
	{ HD_OPT_STR, 0, "nameattr", "FILE", "attributes of single functions: lines `NAME<TAB>href=...<TAB>title=...`",
		AT(attributes_path) },
	{ 0 },
};

const struct hd_opt hd_flame_file_opts[] = {
	{ HD_OPT_FLAG, 0, "html", NULL,
		"write a page instead of an SVG, also for phones (default if FILE of -o ends in "
		".html)", AT(html) },
	{ HD_OPT_FLAG, 0, "no-javascript", NULL, "a picture without a script", AT(no_script) },
	{ HD_OPT_STR, 0, "encoding", "NAME", "UTF-8 (default) or us-ascii, which writes other characters as references",
		AT(encoding) },
	{ HD_OPT_FLAG, 0, "lines", NULL, "read source lines, for the details; takes more time", AT(lines) },
	{ 0 },
};

/* Parse a number from `least` to `most`.  If `text` is NULL, *out is unchanged. */
static int number(double *out, const char *text, const char *option, double least, double most, struct hd_err *err)
{
	char *end;
	double v;

	if (!text)
		return 0;
	errno = 0;
	v = strtod(text, &end);
	if (errno || end == text || *end || !(v >= least && v <= most))
		return hd_fail(err, HD_EUSAGE, "flame: --%s takes a number from %g to %g, not '%s'", option, least,
			most, text);
	*out = v;
	return 0;
}

static int take_width(struct hd_flamegraph_opts *fo, const char *text, struct hd_err *err)
{
	unsigned long long n;

	fo->width = HD_FLAMEGRAPH_WIDTH;
	if (!text)
		return 0;
	fo->fluid = !strcmp(text, "fluid");
	if (fo->fluid)
		return 0;
	if (hd_parse_uint(text, UINT32_MAX, &n) < 0 || !n)
		return hd_fail(err, HD_EUSAGE, "flame: --width takes a number of pixels above 0, or fluid");
	fo->width = (uint32_t)n;
	return 0;
}

static int take_minwidth(struct hd_flamegraph_opts *fo, const char *text, struct hd_err *err)
{
	char *end;

	if (!text)
		return 0;
	errno = 0;
	fo->minwidth = strtod(text, &end);
	fo->minwidth_percent = end > text && !strcmp(end, "%");
	if (errno || end == text || (*end && !fo->minwidth_percent) || !(fo->minwidth >= 0))
		return hd_fail(err, HD_EUSAGE, "flame: --minwidth takes a number of pixels, not '%s'", text);
	return 0;
}

/* Return true if black text is readable on a background of this colour. */
static bool is_light(const char *colour)
{
	unsigned long v = colour[0] == '#' ? strtoul(colour + 1, NULL, 16) : 0xffffff;

	if (strlen(colour) == 4)
		v = (v >> 8 & 15) * 0x110000 + (v >> 4 & 15) * 0x1100 + (v & 15) * 0x11;
	return (v >> 16) * 299 + (v >> 8 & 255) * 587 + (v & 255) * 114 > 128000;
}

static int take_style(struct hd_flamegraph_style *y, const struct hd_flame_options *o, struct hd_err *err)
{
	double height = 0;
	int rc = number(&height, o->height, "height", 4, 200, err);

	if (rc >= 0)
		rc = number(&y->font_size, o->font_size, "fontsize", 1, 100, err);
	if (rc >= 0)
		rc = number(&y->font_width, o->font_width, "fontwidth", 0.05, 4, err);
	y->frame_height = (uint32_t)height;
	y->font_type = o->font_type;
	y->background = o->background;
	y->search_colour = o->search_colour;
	y->stroke_colour = o->stroke_colour;
	y->ui_colour = o->ui_colour;
	y->cut_right = o->cut_right;
	return rc;
}

int hd_flame_options_take(struct hd_flamegraph_opts *fo, struct hd_flame_numbers *n, const struct hd_flame_options *o,
	struct hd_err *err)
{
	size_t len = o->out ? strlen(o->out) : 0;
	int rc;

	fo->title = o->title;
	fo->subtitle = o->subtitle;
	fo->count_name = o->count_name;
	fo->name_type = o->name_type;
	fo->notes = o->notes;
	fo->icicle = o->icicle;
	fo->reversed = o->reverse;
	fo->no_script = o->no_script;
	fo->whole_page = o->html || (len > 5 && !strcmp(o->out + len - 5, ".html"));
	fo->theme = (enum hd_flamegraph_theme)o->theme;
	if (o->background && fo->theme == HD_FLAMEGRAPH_THEME_AUTO)
		fo->theme = is_light(o->background) ? HD_FLAMEGRAPH_THEME_LIGHT : HD_FLAMEGRAPH_THEME_DARK;
	rc = take_width(fo, o->width, err);
	if (rc >= 0)
		rc = take_minwidth(fo, o->minwidth, err);
	if (rc >= 0)
		rc = take_style(&fo->style, o, err);
	if (rc >= 0)
		rc = number(&fo->factor, o->factor, "factor", 1e-9, 1e12, err);
	if (rc >= 0)
		rc = number(&n->total, o->total, "total", 0, 18446744073709549568.0, err);
	if (rc < 0)
		return rc;
	if (o->encoding && strcasecmp(o->encoding, "utf-8") && strcasecmp(o->encoding, "utf8") &&
	    strcasecmp(o->encoding, "us-ascii") && strcasecmp(o->encoding, "ascii"))
		return hd_fail(err, HD_EUSAGE, "flame: --encoding takes UTF-8 or us-ascii, not '%s'", o->encoding);
	n->ascii = o->encoding && strcasecmp(o->encoding, "utf-8") && strcasecmp(o->encoding, "utf8");
	if ((o->hash != 0) + (o->random != 0) + (o->deterministic != 0) > 1)
		return hd_fail(err, HD_EUSAGE, "flame: at most one of --hash, --random and --deterministic");
	if (o->diffusion && o->palette)
		return hd_fail(err, HD_EUSAGE,
			"flame: --colordiffusion has its own colours, so --colors has no effect");
	if (o->reverse && (o->no_sort || o->flamechart))
		return hd_fail(err, HD_EUSAGE, "flame: --reverse cannot be combined with --no-sort and --flamechart");
	if (o->base && hd_flame_options_reorder(o))
		return hd_fail(err, HD_EUSAGE,
			"flame: --base cannot be combined with --reverse, --no-sort, --flamechart and --base-symbol; "
			"the picture itself can be reversed with the key r");
	return hd_flamegraph_check(fo, err);
}

struct hd_flame_colours_opts hd_flame_options_colours(const struct hd_flame_options *o)
{
	return (struct hd_flame_colours_opts){
		.palette = o->palette,
		.hash = o->hash,
		.random = o->random,
		.diffusion = o->diffusion,
		.map_path = !o->map_path ? NULL : *o->map_path ? o->map_path : "palette.map",
	};
}
