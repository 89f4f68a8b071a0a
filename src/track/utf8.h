/*
 * utf8.h - decode UTF-8 strictly: no overlong forms, no surrogates, nothing beyond U+10FFFF
 *
 * base/encode.h does the same for the program; tests/unit/track/csvout.c compares the two.
 */
#ifndef HD_TRACK_UTF8_H
#define HD_TRACK_UTF8_H

#include <stddef.h>
#include <stdint.h>

/*
 * Decode the character at s, of which n > 0 bytes are left, and set *cp.  Returns its length; 0 if it is invalid or
 * cut.
 */
size_t hd_track_utf8(const char *s, size_t n, uint32_t *cp);

#endif
