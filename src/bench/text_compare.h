/*
 * text_compare.h - do two outputs say the same, numbers within a tolerance?
 *
 * Both texts are walked side by side.  Numbers with a point or an exponent are the
 * same when
 *
 *     |a - b| <= relative max(|a|, |b|)     or     |a - b| <= absolute
 *
 * Whole numbers count or name things: two of them must be equal.  nan is the same as
 * nan, whatever its sign, inf as inf of the same sign, and neither as any number; a
 * number beyond a double's range is the same as the very same digits.
 * Numbers may be printed in different widths: the amount of blanks between two words
 * of a line, before its first and behind its last does not count.  Everything else must be
 * the same bytes; a digit behind a letter, as in `x86`, is part of a name.
 *
 * Each byte is looked at a bounded number of times; nothing is believed about them.
 */
#ifndef HD_BENCH_TEXT_COMPARE_H
#define HD_BENCH_TEXT_COMPARE_H

#include <stddef.h>
#include <stdint.h>

enum hd_same { HD_SAME_BYTES, HD_SAME_WITHIN, HD_SAME_NOT };

enum { HD_SAME_SHOWN = 32 };	/* bytes of what differs */

struct hd_text_compare {
	enum hd_same same;
	size_t numbers;			/* compared by value */
	double worst;			/* the largest relative difference among those within the tolerance */
	/* the first difference */
	uint64_t line;			/* of the first text, from 1 */
	const char *a, *b;		/* views; raw bytes */
	size_t na, nb;			/* at most HD_SAME_SHOWN */
};

void hd_text_compare(struct hd_text_compare *out, const char *a, size_t na, const char *b, size_t nb, double relative,
	double absolute);

#endif
