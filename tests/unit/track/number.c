/*
 * number.c - convert decimal numbers to text and back
 */
#include "test.h"

#include "track/number.h"
#include "stats/random.h"

#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static double value(const char *s)
{
	struct hd_number n;

	EXPECT_INT(hd_number_read(s, strlen(s), &n), HD_NUMBER);
	return n.v;
}

static enum hd_number_kind kind(const char *s)
{
	struct hd_number n;

	return hd_number_read(s, strlen(s), &n);
}

TEST(decimal_numbers_are_the_nearest_double)
{
	EXPECT(value("0") == 0 && value("-0.0") == 0 && signbit(value("-0.0")));
	EXPECT(value("1") == 1 && value("+12.5") == 12.5 && value("-3e2") == -300 && value(".5") == 0.5 &&
		value("5.") == 5);
	EXPECT(value(" 7\t") == 7);
	EXPECT(value("0.1") == 0.1 && value("1e-7") == 1e-7 && value("123456789.123456789") == 123456789.123456789);
	EXPECT(value("9007199254740993") == 9007199254740992.0);
	EXPECT(value("1.7976931348623157e308") == 1.7976931348623157e308 && value("5e-324") == 5e-324);
	EXPECT(value("1e-400") == 0 && value("0e999999999999999999999") == 0);
	EXPECT(value("18446744073709551617") == 18446744073709551616.0);
}

TEST(what_is_no_number_is_told_apart)
{
	static const char *const text[] = { "x", "0x10", "1,5", "1 2", "--1", "1e", "1e+", ".", "e5", "1.2.3", "1f",
		"0b1", "1_000", "infinit" };
	static const char *const not_finite[] = { "nan", "NaN", "-nan", "inf", "-Inf", "+INFINITY" };

	for (size_t i = 0; i < sizeof(text) / sizeof(text[0]); i++)
		EXPECT_INT(kind(text[i]), HD_NUMBER_TEXT);
	for (size_t i = 0; i < sizeof(not_finite) / sizeof(not_finite[0]); i++)
		EXPECT_INT(kind(not_finite[i]), HD_NUMBER_NOT_FINITE);
	EXPECT_INT(kind(""), HD_NUMBER_EMPTY);
	EXPECT_INT(kind(" \t"), HD_NUMBER_EMPTY);
	EXPECT_INT(kind("1e309"), HD_NUMBER_HUGE);
	EXPECT_INT(kind("-1e99999999999999999999"), HD_NUMBER_HUGE);
}

TEST(whole_numbers_keep_all_their_digits)
{
	struct hd_number n;

	EXPECT_INT(hd_number_read("1234567890123456789", 19, &n), HD_NUMBER);
	EXPECT(n.is_whole && !n.negative && n.whole == 1234567890123456789u);
	EXPECT_INT(hd_number_read("-9007199254740993", 17, &n), HD_NUMBER);
	EXPECT(n.is_whole && n.negative && n.whole == 9007199254740993u);
	EXPECT_INT(hd_number_read("12345678901234567890", 20, &n), HD_NUMBER);
	EXPECT(!n.is_whole);
	EXPECT_INT(hd_number_read("1.0", 3, &n), HD_NUMBER);
	EXPECT(!n.is_whole);
}

TEST(digits_beyond_what_a_double_holds_still_decide_a_tie)
{
	char text[2001];

	/* 2^53 + 1 is half way between two doubles; any digit after it rounds it up. */
	memset(text, '0', sizeof(text));
	memcpy(text, "9007199254740993.", 17);
	text[2000] = '\0';
	EXPECT(value(text) == 9007199254740992.0);
	text[1999] = '1';
	EXPECT(value(text) == 9007199254740994.0);
	memset(text, '0', 1999);
	text[1999] = '7';
	EXPECT(value(text) == 7);
	memset(text, '9', 2000);
	EXPECT_INT(kind(text), HD_NUMBER_HUGE);
}

TEST(what_is_written_reads_back_to_the_same_double_as_strtod_agrees)
{
	struct hd_random r = hd_random_from(7);
	char text[HD_NUMBER_TEXT_MAX];

	for (int i = 0; i < 200000; i++) {
		uint64_t bits = hd_random_u64(&r);
		double v;

		memcpy(&v, &bits, sizeof(v));
		if (!isfinite(v))
			continue;
		EXPECT(hd_number_write(text, v) == strlen(text));
		EXPECT(value(text) == v);
		snprintf(text, sizeof(text), "%.*g", 1 + i % 17, v);
		if (kind(text) == HD_NUMBER)
			EXPECT(value(text) == strtod(text, NULL));
		snprintf(text, sizeof(text), "%.*f", i % 8, ldexp((double)(bits >> 20), -(i % 40)));
		EXPECT(value(text) == strtod(text, NULL));
	}
}

TEST(what_is_written_is_the_shortest_text_that_reads_back)
{
	static const struct { double v; const char *text; } sample[] = {
		{ 850.0 / 3, "283.3333333333333" },
		{ 0.1, "0.1" },
		{ -200.0 / 67, "-2.985074626865672" },
		{ 515, "515" },
		{ 1e15, "1000000000000000" },
		{ 123456789e9, "123456789000000000" },
		{ 1e21, "1e+21" },
		{ 1e-7, "1e-7" },
	};
	char text[HD_NUMBER_TEXT_MAX];

	for (size_t i = 0; i < sizeof(sample) / sizeof(sample[0]); i++) {
		hd_number_write(text, sample[i].v);
		EXPECT_STR(text, sample[i].text);
	}
}

TEST(another_locale_changes_nothing)
{
	char text[HD_NUMBER_TEXT_MAX];

	if (!setlocale(LC_NUMERIC, "de_DE.UTF-8") && !setlocale(LC_NUMERIC, "fr_FR.UTF-8"))
		SKIP("no locale with a decimal comma is installed");
	EXPECT(value("1.2345678901234567890123") == 0x1.3c0ca428c59fbp+0);
	hd_number_write(text, 0.5);
	EXPECT_STR(text, "0.5");
	setlocale(LC_NUMERIC, "C");
}

TEST_MAIN(
	RUN(decimal_numbers_are_the_nearest_double),
	RUN(what_is_no_number_is_told_apart),
	RUN(whole_numbers_keep_all_their_digits),
	RUN(digits_beyond_what_a_double_holds_still_decide_a_tie),
	RUN(what_is_written_reads_back_to_the_same_double_as_strtod_agrees),
	RUN(what_is_written_is_the_shortest_text_that_reads_back),
	RUN(another_locale_changes_nothing),
)
