/*
 * svg_text.h - names and lengths on their way into an SVG
 *
 * A name goes raw -> visible form (hd_svg_name) -> cut to the room there is
 * -> entities.  Cutting before the entities are made, and only between the
 * characters and escapes of the visible form, is what keeps it one text.
 */
#ifndef HD_RENDER_SVG_TEXT_H
#define HD_RENDER_SVG_TEXT_H

#include "base/buf.h"

#include <stddef.h>
#include <stdint.h>

/* The visible form; a name beyond 1000 bytes is cut and followed by a hash of the whole. */
void hd_svg_name(struct hd_buf *out, const char *name);

/* The first `max` bytes of a raw name, or one to three less: never part of a character.  out has room for max + 1. */
void hd_svg_short(char *out, size_t max, const char *name);

/* Visible text with the five entities. */
void hd_svg_entities(struct hd_buf *out, const char *text, size_t n);

/* The same, cut at the end to so many columns; an ellipsis marks the cut. */
void hd_svg_cut(struct hd_buf *out, const char *text, size_t n, size_t columns);

/*
 * The same for the name of a function: what goes first are the namespaces and
 * classes before it, `v8::internal::Heap::Collect` -> `...Heap::Collect`.
 */
void hd_svg_label(struct hd_buf *out, const char *text, size_t n, size_t columns);

/* A length in hundredths of a px, without trailing zeros. */
void hd_svg_px(struct hd_buf *out, uint64_t hundredths);

#endif
