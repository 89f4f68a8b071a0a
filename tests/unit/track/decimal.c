/*
 * decimal.c - write numbers as their shortest text, in both notations
 */
#include "test.h"

#include "base/mem.h"
#include "track/decimal.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void es6(double v, const char *want)
{
	char out[HD_NUM_TEXT];

	hd_num_es6(v, out);
	EXPECT_STR(out, want);
}

static void ryu32(float v, const char *want)
{
	char out[HD_NUM_TEXT];

	hd_num_ryu32(v, out);
	EXPECT_STR(out, want);
}

static double from_bits(uint64_t bits)
{
	double v;

	memcpy(&v, &bits, sizeof(v));
	return v;
}

static float from_bits32(uint32_t bits)
{
	float v;

	memcpy(&v, &bits, sizeof(v));
	return v;
}

TEST(es6_writes_whole_numbers_without_a_fraction_up_to_1e21)
{
	es6(0, "0");
	es6(1, "1");
	es6(-42, "-42");
	es6(9007199254740993.0, "9007199254740992");
	es6(1e20, "100000000000000000000");
	es6(123456789012345680000.0, "123456789012345680000");
	es6(1e21, "1e+21");
	es6(1.5e21, "1.5e+21");
}

TEST(es6_writes_small_numbers_in_fixed_notation_down_to_1e_minus_6)
{
	es6(0.5, "0.5");
	es6(0.000001, "0.000001");
	es6(0.0000012345, "0.0000012345");
	es6(0.00000099, "9.9e-7");
	es6(1e-7, "1e-7");
	es6(-1e-7, "-1e-7");
}

TEST(es6_has_no_negative_zero)
{
	es6(-0.0, "0");
}

TEST(a_number_that_is_not_finite_is_null)
{
	es6(NAN, "null");
	es6(-INFINITY, "null");
	ryu32(INFINITY, "null");
}

/* The sample of RFC 8785, appendix B: bits and text. */
TEST(es6_agrees_with_the_sample_of_rfc_8785)
{
	static const struct { uint64_t bits; const char *text; } sample[] = {
		{ 0x0000000000000001, "5e-324" },
		{ 0x8000000000000001, "-5e-324" },
		{ 0x7fefffffffffffff, "1.7976931348623157e+308" },
		{ 0x4340000000000000, "9007199254740992" },
		{ 0xc340000000000000, "-9007199254740992" },
		{ 0x4430000000000000, "295147905179352830000" },
		{ 0x44b52d02c7e14af5, "9.999999999999997e+22" },
		{ 0x44b52d02c7e14af6, "1e+23" },
		{ 0x44b52d02c7e14af7, "1.0000000000000001e+23" },
		{ 0x444b1ae4d6e2ef4e, "999999999999999700000" },
		{ 0x444b1ae4d6e2ef4f, "999999999999999900000" },
		{ 0x444b1ae4d6e2ef50, "1e+21" },
		{ 0x3eb0c6f7a0b5ed8c, "9.999999999999997e-7" },
		{ 0x3eb0c6f7a0b5ed8d, "0.000001" },
		{ 0x41b3de4355555553, "333333333.3333332" },
		{ 0x41b3de4355555554, "333333333.33333325" },
		{ 0x41b3de4355555555, "333333333.3333333" },
		{ 0x41b3de4355555556, "333333333.3333334" },
		{ 0x41b3de4355555557, "333333333.33333343" },
		{ 0xbecbf647612f3696, "-0.0000033333333333333333" },
		{ 0x43143ff3c1cb0959, "1424953923781206.2" },
	};

	for (size_t i = 0; i < HD_COUNT(sample); i++)
		es6(from_bits(sample[i].bits), sample[i].text);
}

TEST(at_a_power_of_two_the_shortest_digits_may_not_be_the_nearest)
{
	es6(0x1p-44, "5.684341886080802e-14");
	es6(0x1p-1074, "5e-324");
	es6(0x1p-1022, "2.2250738585072014e-308");
	ryu32(0x1p90f, "1.2379401e27");
}

TEST(an_exact_tie_goes_to_the_even_digit)
{
	es6(1125899906842624.25, "1125899906842624.2");
	ryu32(305404.125f, "305404.12");
	ryu32(0x1p-12f, "0.00024414062");
}

TEST(ryu_always_writes_a_fraction_or_an_exponent)
{
	ryu32(0.0f, "0.0");
	ryu32(-0.0f, "-0.0");
	ryu32(1.0f, "1.0");
	ryu32(-250.0f, "-250.0");
	ryu32(0.1f, "0.1");
	ryu32(16777216.0f, "16777216.0");
	ryu32(3.1415927f, "3.1415927");
}

TEST(ryu_is_fixed_from_1e_minus_6_up_to_below_1e13)
{
	ryu32(1e-6f, "0.000001");
	ryu32(1.5e-6f, "0.0000015");
	ryu32(9.9e-7f, "9.9e-7");
	ryu32(1e-7f, "1e-7");
	ryu32(1e12f, "1000000000000.0");
	ryu32(9.999999e12f, "9999999000000.0");
	ryu32(1e13f, "1e13");
	ryu32(1.5e16f, "1.5e16");
}

TEST(ryu_reaches_both_ends_of_f32)
{
	ryu32(FLT_MAX, "3.4028235e38");
	ryu32(-FLT_MAX, "-3.4028235e38");
	ryu32(FLT_MIN, "1.1754944e-38");
	ryu32(from_bits32(1), "1e-45");
	ryu32(from_bits32(7), "1e-44");
	ryu32(from_bits32(0x007fffff), "1.1754942e-38");
}

/* Return the next number of a generator that gives the same sequence on all machines. */
static uint64_t next(uint64_t *s)
{
	*s ^= *s << 13;
	*s ^= *s >> 7;
	*s ^= *s << 17;
	return *s;
}

TEST(every_number_reads_back_and_no_shorter_text_does)
{
	uint64_t seed = 0x853c49e6748fea9bu;
	char out[HD_NUM_TEXT], shorter[HD_NUM_TEXT];

	for (int i = 0; i < 20000; i++) {
		double v = from_bits(next(&seed));
		int digits = 0;

		if (!isfinite(v) || v == 0)
			continue;
		hd_num_es6(v, out);
		EXPECT(strtod(out, NULL) == v);
		for (const char *c = out; *c && *c != 'e'; c++)
			digits += *c >= '0' && *c <= '9';
		if (digits > 1 && digits <= 17 && strchr(out, 'e')) {
			snprintf(shorter, sizeof(shorter), "%.*e", digits - 2, v);
			EXPECT(strtod(shorter, NULL) != v);
		}
	}
}

TEST(every_f32_reads_back)
{
	uint64_t seed = 0xda3e39cb94b95bdbu;
	char out[HD_NUM_TEXT];

	for (int i = 0; i < 50000; i++) {
		float v = from_bits32((uint32_t)(next(&seed) >> 13));

		if (!isfinite(v))
			continue;
		hd_num_ryu32(v, out);
		EXPECT(strtof(out, NULL) == v);
		EXPECT(strchr(out, '.') || strchr(out, 'e'));
	}
}

TEST_MAIN(RUN(es6_writes_whole_numbers_without_a_fraction_up_to_1e21),
	  RUN(es6_writes_small_numbers_in_fixed_notation_down_to_1e_minus_6),
	  RUN(es6_has_no_negative_zero),
	  RUN(a_number_that_is_not_finite_is_null),
	  RUN(es6_agrees_with_the_sample_of_rfc_8785),
	  RUN(at_a_power_of_two_the_shortest_digits_may_not_be_the_nearest),
	  RUN(an_exact_tie_goes_to_the_even_digit),
	  RUN(ryu_always_writes_a_fraction_or_an_exponent),
	  RUN(ryu_is_fixed_from_1e_minus_6_up_to_below_1e13),
	  RUN(ryu_reaches_both_ends_of_f32),
	  RUN(every_number_reads_back_and_no_shorter_text_does),
	  RUN(every_f32_reads_back))
