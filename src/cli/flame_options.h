/*
 * flame_options.h - the options of `flame`: hotdrift's own, and those of flamegraph.pl and inferno-flamegraph
 */
#ifndef HD_CLI_FLAME_OPTIONS_H
#define HD_CLI_FLAME_OPTIONS_H

#include "cli/input.h"
#include "render/flamegraph.h"

struct hd_flame_options {
	struct hd_input in;
	const char *out, *base;
	/* text */
	const char *title, *subtitle, *count_name, *name_type, *notes, *encoding;
	/* geometry */
	const char *width, *minwidth, *height, *total, *factor;
	bool icicle, no_sort, flamechart, reverse, no_comm;
	struct hd_string_list base_symbol;
	/* fonts and colours */
	const char *font_type, *font_size, *font_width, *background, *search_colour, *stroke_colour, *ui_colour;
	const char *map_path, *attributes_path;
	bool cut_right, hash, deterministic, random, diffusion, negate, no_gone, colour_blind;
	int palette, theme;
	/* file */
	bool no_script, html, lines;
};

/*
 * Return true if an option changes the order or the root of the tree.  Differential flame graphs do not support this.
 */
static inline bool hd_flame_options_reorder(const struct hd_flame_options *o)
{
	return o->reverse || o->no_sort || o->flamechart || o->base_symbol.n;
}

extern const struct hd_opt hd_flame_text_opts[], hd_flame_shape_opts[], hd_flame_colour_opts[], hd_flame_file_opts[];

/* Options of the picture that are not part of struct hd_flamegraph_opts. */
struct hd_flame_numbers {
	double total;			/* 0: not given */
	bool ascii;			/* write non-ASCII characters as character references (&#233;) */
};

/*
 * Set the options of the picture from the command line.  Returns HD_EUSAGE with a message that names the invalid
 * option.  The caller sets the members base, colours and attributes.
 */
int hd_flame_options_take(struct hd_flamegraph_opts *fo, struct hd_flame_numbers *n, const struct hd_flame_options *o,
	struct hd_err *err);
/* Return the options of flame_colours.h. */
struct hd_flame_colours_opts hd_flame_options_colours(const struct hd_flame_options *o);

#endif
