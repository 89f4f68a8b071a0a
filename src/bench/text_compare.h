/*
 * text_compare.h - compare two texts, with a tolerance for numbers
 *
 * Both texts are scanned in parallel.  Two numbers, of which at least one has a decimal point or an exponent, are equal
 * if
 *
 *     |a - b| <= relative max(|a|, |b|)     or     |a - b| <= absolute
 *
 * Two whole numbers are counts or ids and must have the same value.  nan equals nan of either sign; inf equals inf of
 * the same sign; neither equals a number.  A number beyond the range of a double equals only the same digits.
 *
 * The number of blanks (space, tab, CR) between two words, at the start of a line and at its end is ignored, because
 * numbers may be printed in different widths.  Everything else must be the same bytes.  A digit after a letter, as in
 * `x86`, is part of a name.
 *
 * The texts may hold any bytes.  Run time is linear.
 */
#ifndef HD_BENCH_TEXT_COMPARE_H
#define HD_BENCH_TEXT_COMPARE_H

#include <stddef.h>
#include <stdint.h>

enum hd_same { HD_SAME_BYTES, HD_SAME_WITHIN, HD_SAME_NOT };

enum { HD_SAME_SHOWN = 32 };	/* maximum length of `a` and `b` below, in bytes */

struct hd_text_compare {
	enum hd_same same;
	size_t numbers;			/* how many pairs of numbers were compared; 0 if all bytes are the same */
	double worst;			/* largest relative difference within the tolerance */
	/* the first difference, if `same` is HD_SAME_NOT */
	uint64_t line;			/* in the first text, from 1 */
	const char *a, *b;		/* views into the texts; raw bytes */
	size_t na, nb;			/* lengths of a and b in bytes, at most HD_SAME_SHOWN */
};

void hd_text_compare(struct hd_text_compare *out, const char *a, size_t na, const char *b, size_t nb, double relative,
	double absolute);

#endif
