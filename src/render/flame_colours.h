/*
 * flame_colours.h - colours of frames by the palettes of flamegraph.pl and inferno
 *
 * hotdrift's own colours are in palette.h.  With --colors, a frame gets a fixed colour `#rrggbb` instead:
 *
 *     plain palettes      hot, mem, io, red, green, blue, yellow, purple, aqua, orange: one range of colours
 *     by kind of frame    wakeup, chain, java, js, perl, python, rust: the name and its mark (_[k], _[j], _[i], _[w])
 *                         select one of the plain palettes
 *
 * The position within the range is computed from the name, so that the same input gives the same bytes.  With `random`
 * the position also depends on the number of the frame.  A palette map (the file of --cp, with lines
 * `name->rgb(r,g,b)`) overrides the colours of the names that it lists; new names are added to the map.
 *
 * The ranges and rules are those that these programs document and show; docs/flame.md has the list.
 */
#ifndef HD_RENDER_FLAME_COLOURS_H
#define HD_RENDER_FLAME_COLOURS_H

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

/* The words of --colors, in the order of enum hd_flame_palette. */
#define HD_FLAME_PALETTE_CHOICES                                                                                      \
	"hotdrift|hot|mem|io|red|green|blue|yellow|purple|aqua|orange|wakeup|chain|java|js|perl|python|rust"

enum hd_flame_palette {
	HD_FLAME_PALETTE_OWN, HD_FLAME_PALETTE_HOT, HD_FLAME_PALETTE_MEM, HD_FLAME_PALETTE_IO, HD_FLAME_PALETTE_RED,
	HD_FLAME_PALETTE_GREEN, HD_FLAME_PALETTE_BLUE, HD_FLAME_PALETTE_YELLOW, HD_FLAME_PALETTE_PURPLE,
	HD_FLAME_PALETTE_AQUA, HD_FLAME_PALETTE_ORANGE, HD_FLAME_PALETTE_WAKEUP, HD_FLAME_PALETTE_CHAIN,
	HD_FLAME_PALETTE_JAVA, HD_FLAME_PALETTE_JS, HD_FLAME_PALETTE_PERL, HD_FLAME_PALETTE_PYTHON,
	HD_FLAME_PALETTE_RUST,
};

struct hd_flame_colours_opts {
	int palette;			/* enum hd_flame_palette */
	bool hash;			/* names with the same start get similar colours */
	bool random;			/* frames with equal names get different colours, too */
	bool diffusion;			/* the colour runs from white to red, by the share of the frame */
	const char *map_path;		/* palette map, read and extended; NULL: none */
};

struct hd_flame_colours;

/*
 * Return true if frames get colours of this module.  Otherwise they have the classes of palette.h, and the functions
 * below must not be called.
 */
bool hd_flame_colours_used(const struct hd_flame_colours_opts *o);

/* Read the palette map, if there is one; a missing file is an empty map.  The caller frees *out. */
int hd_flame_colours_new(struct hd_flame_colours **out, const struct hd_flame_colours_opts *o, struct hd_err *err);
void hd_flame_colours_free(struct hd_flame_colours *c);	/* accepts NULL */

/*
 * Store the colour `#rrggbb` of a frame.  mark: 'k' kernel, 'j' JIT, 'i' inlined, else 0; share: share of the root's
 * weight, 0 to 1; number: number of the frame, which is used for `random`.
 */
void hd_flame_colours_get(struct hd_flame_colours *c, char rgb[8], const char *name, char mark, double share,
	uint32_t number);

/* Write the palette map, including the names that hd_flame_colours_get() added.  Does nothing without map_path. */
int hd_flame_colours_save(struct hd_flame_colours *c, struct hd_err *err);

#endif
