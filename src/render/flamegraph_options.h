/*
 * flamegraph_options.h - what a flamegraph shows and how it looks; flamegraph.h draws it
 *
 * All strings are borrowed.
 */
#ifndef HD_RENDER_FLAMEGRAPH_OPTIONS_H
#define HD_RENDER_FLAMEGRAPH_OPTIONS_H

#include "gate/difference.h"
#include "render/flame_attributes.h"
#include "render/flame_colours.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum hd_flamegraph_theme { HD_FLAMEGRAPH_THEME_AUTO, HD_FLAMEGRAPH_THEME_LIGHT, HD_FLAMEGRAPH_THEME_DARK };

#define HD_FLAMEGRAPH_WIDTH 1200
#define HD_FLAMEGRAPH_MINWIDTH 0.1
#define HD_FLAMEGRAPH_MAX_FRAMES 60000
/* limit in bytes for the SVG text of all frames; with it, the whole file stays below 2 MB */
#define HD_FLAMEGRAPH_MAX_BYTES 1200000
#define HD_FLAMEGRAPH_MAX_ROWS 2000
#define HD_FLAMEGRAPH_BACKGROUNDS "yellow, blue, green, grey or #rrggbb"

/*
 * The base profile of a differential flamegraph.  The flamegraph draws the other profile, the head.
 *
 * The colour of a frame shows how much its cost, including callees, differs from the base (gate/difference.h).  Frames
 * whose change is not significant are grey.  If the number of samples of a side is unknown, nothing is tested, and no
 * frame is grey for this reason.  Widths are costs of the head.  Frames that only the base has get a separate colour.
 * They are drawn with their cost in the base, converted to a cost of the head, so that the width of their callers
 * includes it.
 */
struct hd_flamegraph_base {
	/*
	 * the difference between the base and the drawn profile, the head; d->place[HD_HEAD] has an element for each
	 * node of the drawn call tree
	 */
	const struct hd_difference *d;
	const char *name;		/* name of the base input, raw bytes */
	bool negate;			/* swap the colours of growth and reduction */
	bool no_gone;			/* do not draw frames that only the base has */
	bool orange;			/* growth is orange instead of red, for readers with red-green blindness */
};

/* Fonts, sizes and colours.  A zero-initialised struct selects hotdrift's own style. */
struct hd_flamegraph_style {
	const char *font_type;		/* NULL: monospace */
	double font_size;		/* px; 0: 12 */
	double font_width;		/* advance width of a character, as a multiple of font_size; 0: 0.6025 */
	uint32_t frame_height;		/* distance of the rows in px; 0: 18 */
	const char *background;		/* a word of HD_FLAMEGRAPH_BACKGROUNDS; NULL: by the light or dark theme */
	const char *search_colour, *stroke_colour, *ui_colour;	/* colours as #rrggbb; NULL: by the theme */
	bool cut_right;			/* cut a long name at its end only */
};

struct hd_flamegraph_opts {
	/* NULL: the title is the recorded command, or if this is unknown, the names of input and event */
	const char *title;
	const char *subtitle;	/* NULL: none; it precedes the generated subtitle */
	const char *filter;	/* text of the selection (`comm app`) for the subtitle; NULL: no selection */
	const char *count_name;	/* name of the counts; NULL: the unit of the event */
	const char *name_type;	/* label before a frame's name in the details line (`Function:`); NULL: none */
	const char *notes;	/* text of a comment in the file; NULL: none */
	double factor;		/* printed counts are multiplied by this; 0: 1 */
	bool icicle;		/* draw the root at the top */
	bool reversed;		/* the tree was built with hd_call_tree_opts.reverse */
	enum hd_flamegraph_theme theme;
	uint32_t width;		/* width of the picture without scripts, in px; 0: HD_FLAMEGRAPH_WIDTH */
	bool fluid;		/* without scripts, the picture is as wide as the window */
	/* in px of a picture of width `width`: adjacent frames that are narrower than this are drawn as one block */
	double minwidth;
	bool minwidth_percent;	/* if true, minwidth is a percentage of the root's width instead of px */
	const struct hd_flamegraph_base *base;	/* NULL: frames are coloured by kind */
	struct hd_flamegraph_style style;
	struct hd_flame_colours *colours;	/* NULL: palette.h */
	const struct hd_flame_attributes *attributes;	/* NULL: none */
	bool no_script;		/* the file has no script, so it is a static picture */
	bool whole_page;	/* the fragment is the only content of a page */
	/* if true, hd_flamegraph_fragment() embeds the stacks (flame_data.h); hd_flamegraph_write() always does */
	bool data;
	/*
	 * Limits for the number of frames and the size of their text.  If one is exceeded, minwidth is increased, then
	 * the deepest frames are dropped.  0: HD_FLAMEGRAPH_MAX_FRAMES, HD_FLAMEGRAPH_MAX_BYTES.
	 */
	size_t max_frames, max_bytes;
};

#define HD_FLAMEGRAPH_DEFAULTS { .minwidth = HD_FLAMEGRAPH_MINWIDTH }

#endif
