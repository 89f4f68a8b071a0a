/*
 * unit_text.h - weights, counts and shares as a person reads them
 *
 *     1234567890 ns       1.23 s          1234567 events    1.23 Mevents
 *     45600000 cycles     45.6 Mcycles    3670016 bytes     3.50 MiB
 *     812 cycles          812 cycles      1 of 8            12.50%
 *
 * Three significant digits, rounded half up in integers, so that the text
 * depends on nothing but the number.  The unit is whatever text the profile
 * holds, written as it is: the sink encodes.  `µ` is the one character that is
 * not ASCII.
 */
#ifndef HD_RENDER_UNIT_TEXT_H
#define HD_RENDER_UNIT_TEXT_H

#include "base/buf.h"

#include <stddef.h>
#include <stdint.h>

/* Values of `from` and above are written in units of `div`. */
struct hd_unit_scale_step {
	uint64_t from, div;
	const char *label;		/* "ms"; of a counted unit the prefix, "M" */
};

struct hd_unit_scale {
	const struct hd_unit_scale_step *steps;	/* ascending, the first from 0 */
	size_t n;
	const char *suffix;		/* behind every label: "" or the counted unit, "cycles" */
};

/* How weights of this unit are written; never fails. */
struct hd_unit_scale hd_unit_scale_of(const char *unit);

void hd_unit_text_add(struct hd_buf *out, uint64_t weight, const char *unit);
void hd_unit_text_count(struct hd_buf *out, uint64_t n);				/* 1,234,567 */
void hd_unit_text_share(struct hd_buf *out, uint64_t part, uint64_t all); /* 12.34%, <0.01%; of nothing: 0.00% */
/* Six significant digits, no exponent between 0.0001 and 1e15, no zeros at the end: 12.5, 3670016, 1.25e-07; not finite: - */
void hd_unit_text_real(struct hd_buf *out, double v);

#endif
