/*
 * number.h - read and write numbers as text, independently of the locale
 *
 * Read: an optional sign, decimal digits, a point, an exponent, with blanks around.  The result is the nearest
 * double, like that of strtod().  Hexadecimal numbers, nan, inf and digit groups are not accepted.  Numbers beyond
 * the range of a double have a kind of their own; numbers that are too small become 0.
 *
 * Written: the shortest digits that read back as the same double, in the notation of hd_num_es6() (decimal.h).
 *
 * Allocates nothing; needs libc and decimal.h only.
 */
#ifndef HD_TRACK_NUMBER_H
#define HD_TRACK_NUMBER_H

#include "track/decimal.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum hd_number_kind {
	HD_NUMBER,
	HD_NUMBER_EMPTY,	/* empty, or blanks only */
	HD_NUMBER_TEXT,		/* not a number */
	HD_NUMBER_NOT_FINITE,	/* nan, inf, infinity, with or without a sign, in any case */
	HD_NUMBER_HUGE,		/* a number beyond the range of a double */
};

struct hd_number {
	double v;
	bool is_whole;		/* the text is at most 19 digits (plus leading zeros), with or without a sign */
	bool negative;
	uint64_t whole;		/* magnitude of the number; valid with is_whole */
};

enum hd_number_kind hd_number_read(const char *s, size_t n, struct hd_number *out);

enum { HD_NUMBER_TEXT_MAX = HD_NUM_TEXT };	/* bytes that hd_number_write() needs, NUL included */

/* Write v, which must be finite, as its shortest text, which does not depend on the locale.  Return the length. */
size_t hd_number_write(char out[HD_NUMBER_TEXT_MAX], double v);

#endif
