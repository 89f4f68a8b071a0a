/*
 * svg_text.h - encode names and lengths for SVG
 *
 * A name goes through three steps: raw bytes to visible form (hd_svg_name), cut to the available width, then XML
 * entities. It is cut before entities are made, and only between characters and escapes of the visible form, so that
 * the result is always valid text.
 */
#ifndef HD_RENDER_SVG_TEXT_H
#define HD_RENDER_SVG_TEXT_H

#include "base/buf.h"

#include <stddef.h>
#include <stdint.h>

/*
 * Append the visible form of a name. A name longer than 1000 bytes is cut and followed by a hash of the whole name.
 */
void hd_svg_name(struct hd_buf *out, const char *name);

/* Copy at most `max` bytes of a raw name, without cutting a character. `out` has room for max + 1 bytes. */
void hd_svg_short(char *out, size_t max, const char *name);

/* Append visible text with the five XML entities. */
void hd_svg_entities(struct hd_buf *out, const char *text, size_t n);

/* Append visible text with the XML entities, cut at the end to `columns`.  An ellipsis marks the cut. */
void hd_svg_cut(struct hd_buf *out, const char *text, size_t n, size_t columns);

/*
 * Like hd_svg_cut() for a function name.  Namespaces and classes are dropped before the end is cut:
 * `v8::internal::Heap::Collect` becomes `...Heap::Collect`.
 */
void hd_svg_label(struct hd_buf *out, const char *text, size_t n, size_t columns);

/* Append a length in px, without trailing zeros: 125 hundredths are `1.25`, 150 are `1.5`. */
void hd_svg_px(struct hd_buf *out, uint64_t hundredths);

#endif
