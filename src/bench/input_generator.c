/*
 * input_generator.c - see input_generator.h
 */
#include "bench/input_generator.h"

#include "track/number.h"

#include <float.h>
#include <math.h>
#include <string.h>

struct hd_input_generator hd_input_generator_init(uint64_t seed, unsigned values)
{
	return (struct hd_input_generator){ .random = hd_random_from(seed), .values = values };
}

static double from_bits(uint64_t bits)
{
	double v;

	memcpy(&v, &bits, sizeof(v));
	return v;
}

static uint64_t below(struct hd_input_generator *g, uint64_t n)
{
	return hd_random_below(&g->random, n);
}

/* ---- the classes ---- */

static double special(struct hd_input_generator *g)
{
	static const uint64_t zero_infinity_nan[] = { 0, 0, 0x7ff0000000000000u, 0x7ff0000000000000u,
						      0x7ff8000000000000u };

	return from_bits(zero_infinity_nan[below(g, 5)]);
}

static double whole(struct hd_input_generator *g)
{
	return (double)below(g, 11);
}

static double denormal(struct hd_input_generator *g)
{
	static const uint64_t most = 0x000fffffffffffffu;

	switch (below(g, 4)) {
	case 0: return from_bits(1);
	case 1: return from_bits(most);
	default: return from_bits(1 + below(g, most));
	}
}

static double extreme(struct hd_input_generator *g)
{
	return below(g, 2) ? DBL_MAX : DBL_MIN;
}

/* Return a number at most 3 representable numbers above or below v > 0. */
static double nudged(struct hd_input_generator *g, double v)
{
	int by = (int)below(g, 7) - 3;

	for (; by > 0; by--)
		v = nextafter(v, INFINITY);
	for (; by < 0; by++)
		v = nextafter(v, 0);
	return v;
}

static double near_one(struct hd_input_generator *g)
{
	return nudged(g, 1);
}

static double power_of_two(struct hd_input_generator *g)
{
	double v = ldexp(1, (int)below(g, 2046) - 1022);

	return below(g, 2) ? v : nudged(g, v);
}

static double power_of_ten(struct hd_input_generator *g)
{
	char text[8] = "1e";
	int exponent = (int)below(g, 617) - 308;
	struct hd_number n;
	size_t len = 2;

	/* Convert a text such as "1e-17".  pow() is not used, because its result differs between C libraries. */
	if (exponent < 0)
		text[len++] = '-';
	exponent = exponent < 0 ? -exponent : exponent;
	for (int place = 100; place; place /= 10)
		text[len++] = (char)('0' + exponent / place % 10);
	return hd_number_read(text, len, &n) == HD_NUMBER ? n.v : 1;
}

static double half(struct hd_input_generator *g)
{
	return (double)below(g, 1000000) + 0.5;
}

static double small(struct hd_input_generator *g)
{
	return hd_random_unit(&g->random);
}

static double any_magnitude(struct hd_input_generator *g)
{
	return ldexp(1 + hd_random_unit(&g->random), (int)below(g, 2046) - 1022);
}

static double any_bits(struct hd_input_generator *g)
{
	return from_bits(hd_random_u64(&g->random));
}

static const struct { unsigned weight; double (*make)(struct hd_input_generator *g); } classes[] = {
	{ 14, special }, { 8, whole }, { 8, denormal }, { 5, extreme }, { 5, near_one }, { 8, power_of_two },
	{ 6, power_of_ten }, { 6, half }, { 14, small }, { 14, any_magnitude }, { 12, any_bits },
};

static void count(struct hd_input_generator *g, double v)
{
	switch (fpclassify(v)) {
	case FP_ZERO: g->zeros++; break;
	case FP_INFINITE: g->infinities++; break;
	case FP_NAN: g->nans++; break;
	case FP_SUBNORMAL: g->denormals++; break;
	default: break;
	}
}

double hd_input_generator_number(struct hd_input_generator *g)
{
	uint64_t at = below(g, 100);
	size_t i = 0;
	double v;

	for (; at >= classes[i].weight; i++)
		at -= classes[i].weight;
	v = classes[i].make(g);
	v = copysign(v, below(g, 2) ? -1 : 1);
	count(g, v);
	return v;
}

/* ---- text ---- */

void hd_input_number_add(struct hd_buf *out, double v)
{
	char text[HD_NUMBER_TEXT_MAX];

	if (signbit(v) && (v == 0 || !isfinite(v)))
		hd_buf_addc(out, '-');
	if (isnan(v)) {
		hd_buf_adds(out, "nan");
	} else if (isinf(v)) {
		hd_buf_adds(out, "inf");
	} else {
		size_t n = hd_number_write(text, v);

		hd_buf_add(out, text, n);
	}
}

void hd_input_generator_line(struct hd_input_generator *g, struct hd_buf *out)
{
	for (unsigned i = 0; i < g->values; i++) {
		if (i)
			hd_buf_addc(out, ' ');
		hd_input_number_add(out, hd_input_generator_number(g));
	}
	hd_buf_addc(out, '\n');
}
