/*
 * visible.h - the visible form of a name: what a terminal, a page or a file can show of any bytes
 *
 * Strict UTF-8; a byte outside a valid sequence is \xHH; `\` is `\\`; U+0000..1F and 7F are \xHH; C1 controls, bidi and
 * zero-width characters, invisible operators, line separators, annotation marks, the BOM, tags and non-characters are
 * \u{H..}; all others are unchanged.
 *
 * base/encode.h has the same form for the program; a test compares the two.
 */
#ifndef HD_TRACK_VISIBLE_H
#define HD_TRACK_VISIBLE_H

#include <stddef.h>

enum { HD_VISIBLE_MAX = 12 };	/* room in bytes; the longest form of a character, \u{10ffff}, has 10 */

/*
 * Write the visible form of the character at s; n > 0 bytes of text are left there.  *used becomes the number of bytes
 * read.  Returns the number of bytes written, without a NUL.
 */
size_t hd_visible_character(char out[HD_VISIBLE_MAX], const char *s, size_t n, size_t *used);
/* Write the visible form of a byte that must not be printed itself: \xHH, 4 bytes. */
size_t hd_visible_byte(char out[HD_VISIBLE_MAX], unsigned char byte);

#endif
