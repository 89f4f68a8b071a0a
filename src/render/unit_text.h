/*
 * unit_text.h - format weights, counts and shares for people
 *
 *     1234567890 ns       1.23 s          1234567 events    1.23 M events
 *     45600000 cycles     45.6 M cycles   3670016 bytes     3.50 MiB
 *     812 cycles          812 cycles      1 cycles          1 cycle
 *     1 of 8              12.50%
 *
 * Scaled numbers have three significant digits, shares two decimals.  Both are rounded half up in integer arithmetic,
 * so that the text depends only on the number.  The unit is raw text of the profile; the caller's output encodes it.
 * `µ` is the only character outside ASCII.
 */
#ifndef HD_RENDER_UNIT_TEXT_H
#define HD_RENDER_UNIT_TEXT_H

#include "base/buf.h"

#include <stddef.h>
#include <stdint.h>

/*
 * A step of a scale.  Values from `from` to below the next step are divided by `div` and get the label.  A value that
 * would be rounded up to the next step belongs to that step.
 */
struct hd_unit_scale_step {
	uint64_t from, div;
	const char *label;		/* "ms"; for a counted unit only the prefix, "M" */
};

struct hd_unit_scale {
	const struct hd_unit_scale_step *steps;	/* steps in ascending order; the first one begins at 0 */
	size_t n;
	const char *suffix;		/* text after each label: "", or the counted unit, for example "cycles" */
};

/* Return the scale for weights of this unit. Never fails. */
struct hd_unit_scale hd_unit_scale_of(const char *unit);

void hd_unit_text_add(struct hd_buf *out, uint64_t weight, const char *unit);
void hd_unit_text_count(struct hd_buf *out, uint64_t n);				/* 1,234,567 */
void hd_unit_text_share(struct hd_buf *out, uint64_t part, uint64_t all); /* 12.34%, <0.01%; 0.00% if `all` is 0 */
/*
 * Append a cost per run, which is at least 0.  Above 0 and below 10, it has three digits.  Otherwise it is printed as a
 * count if the unit is "samples", else as a weight.
 */
void hd_unit_text_cost(struct hd_buf *out, double cost, const char *unit);
/*
 * Append a number with six significant digits, without trailing zeros: 12.5, 1.25e-07; "-" if it is not finite.  From
 * 0.0001 to 1e15 it has no exponent, and all digits before the point: 3670016.
 */
void hd_unit_text_real(struct hd_buf *out, double v);

#endif
