/*
 * input_generator.h - random inputs for programs that compute with numbers
 *
 * An input is a line of numbers, separated by blanks.  The same seed gives the same lines on every machine.  Numbers
 * are written with the shortest digits that read back as the same double (track/number.h), zeros and specials as 0, -0,
 * inf, -inf, nan and -nan.  Each number has one of these classes, with the given weights per hundred:
 *
 *     14 zeros, infinities and NaNs of both signs       8 whole numbers from -10 to 10
 *      8 denormals: the smallest, the largest, others   8 powers of two, and their neighbours
 *      5 the smallest normal and the largest number     6 powers of ten
 *      5 one, and its nearest neighbours                6 halves, where rounding decides
 *     14 numbers from -1 to 1                          14 numbers of any magnitude
 *     12 any bits of a double
 */
#ifndef HD_BENCH_INPUT_GENERATOR_H
#define HD_BENCH_INPUT_GENERATOR_H

#include "base/buf.h"
#include "stats/random.h"

struct hd_input_generator {
	struct hd_random random;
	unsigned values;		/* how many numbers a line has */
	uint64_t zeros, infinities, nans, denormals;	/* how many numbers of these classes were generated */
};

struct hd_input_generator hd_input_generator_init(uint64_t seed, unsigned values);
double hd_input_generator_number(struct hd_input_generator *g);
/* Append a line with its line end. */
void hd_input_generator_line(struct hd_input_generator *g, struct hd_buf *out);
/* Append a number as described above. */
void hd_input_number_add(struct hd_buf *out, double v);

#endif
