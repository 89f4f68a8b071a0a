/* text_compare.c - compare two outputs with a tolerance for numbers */
#include "bench/text_compare.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

static struct hd_text_compare last;

static enum hd_same at(const char *a, const char *b, double relative)
{
	hd_text_compare(&last, a, strlen(a), b, strlen(b), relative, 0);
	return last.same;
}

static enum hd_same same(const char *a, const char *b)
{
	return at(a, b, 1e-6);
}

TEST(equal_bytes_are_equal_whatever_they_are)
{
	EXPECT(same("", "") == HD_SAME_BYTES);
	EXPECT(same("loss 0.5\n", "loss 0.5\n") == HD_SAME_BYTES);
	hd_text_compare(&last, "\0\xff\n", 3, "\0\xff\n", 3, 0, 0);
	EXPECT(last.same == HD_SAME_BYTES);
}

TEST(numbers_with_a_point_or_an_exponent_may_differ_by_the_tolerance)
{
	EXPECT(same("x=1.0000001", "x=1.0000002") == HD_SAME_WITHIN);
	EXPECT(last.numbers == 1 && last.worst > 0.9e-7 && last.worst < 1.1e-7);
	EXPECT(same("1.00001", "1.00003") == HD_SAME_NOT);
	EXPECT(same("1e-300 2E+5", "1.0e-300 200000") == HD_SAME_WITHIN);
	EXPECT(same("-0.5", "0.5") == HD_SAME_NOT);
	EXPECT(same("-0.0", "0.0") == HD_SAME_WITHIN);
	EXPECT(same("(1.5,2.5)", "(1.5000001,2.4999999)") == HD_SAME_WITHIN);
	EXPECT(same("1.5ms", "1.5000001ms") == HD_SAME_WITHIN);
	EXPECT(same("1.5ms", "1.5us") == HD_SAME_NOT);
	EXPECT(at("1.0", "1.1", 0.2) == HD_SAME_WITHIN);
	EXPECT(at("1.0", "1.00000000000001", 0) == HD_SAME_NOT);
}

TEST(whole_numbers_must_be_equal)
{
	EXPECT(same("rows 1000000001", "rows 1000000002") == HD_SAME_NOT);
	EXPECT(same("007", "7") == HD_SAME_WITHIN);
	EXPECT(same("3", "3.0000001") == HD_SAME_WITHIN);
	EXPECT(same("18446744073709551617", "18446744073709551618") == HD_SAME_NOT);
}

TEST(near_zero_the_absolute_tolerance_helps)
{
	EXPECT(same("0.0", "1e-17") == HD_SAME_NOT);
	hd_text_compare(&last, "0.0", 3, "1e-17", 5, 1e-6, 1e-12);
	EXPECT(last.same == HD_SAME_WITHIN);
}

TEST(nan_is_nan_and_inf_is_inf_and_neither_is_a_number)
{
	EXPECT(same("nan", "-NaN") == HD_SAME_WITHIN);
	EXPECT(same("a nan b", "a 1.0 b") == HD_SAME_NOT);
	EXPECT(same("inf", "Infinity") == HD_SAME_WITHIN);
	EXPECT(same("inf", "-inf") == HD_SAME_NOT);
	EXPECT(same("inf", "nan") == HD_SAME_NOT);
	EXPECT(same("inf", "1e308") == HD_SAME_NOT);
	EXPECT(same("1e999", "1e999 ") == HD_SAME_WITHIN);
	EXPECT(same("1e999", "2e999") == HD_SAME_NOT);
	EXPECT(same("nano", "nanx") == HD_SAME_NOT);
	EXPECT(at("inf", "1.0", 1e300) == HD_SAME_NOT);
	EXPECT(at("nan", "1.0", 1e300) == HD_SAME_NOT);
}

TEST(widths_do_not_count_but_lines_and_words_do)
{
	EXPECT(same("a  1.50\n", "a 1.5\n") == HD_SAME_WITHIN);
	EXPECT(same("  9.5 x", "10.0 x") == HD_SAME_NOT);
	EXPECT(same("   9.50", "9.5000001") == HD_SAME_WITHIN);
	EXPECT(same("a \r\n", "a\n") == HD_SAME_WITHIN);
	EXPECT(same("ab", "a b") == HD_SAME_NOT);
	EXPECT(same("a\nb", "a b") == HD_SAME_NOT);
	EXPECT(same("a\n", "a\n\n") == HD_SAME_NOT);
	EXPECT(same("1.5", "1.5 2.5") == HD_SAME_NOT);
}

TEST(digits_in_names_are_text)
{
	EXPECT(same("x1.5", "x1.5000000001") == HD_SAME_NOT);
	EXPECT(same("sha 12ab34", "sha 12ab35") == HD_SAME_NOT);
	EXPECT(same("v1.2.3", "v1.2.4") == HD_SAME_NOT);
	EXPECT(same("0x1f", "0x1e") == HD_SAME_NOT);
}

TEST(the_first_difference_is_named_with_its_line)
{
	EXPECT(same("a\nb 1.5 c\nd 1\n", "a\nb 1.5000001 c\nd 2\n") == HD_SAME_NOT);
	EXPECT_INT(last.line, 3);
	EXPECT(last.na == 1 && *last.a == '1' && last.nb == 1 && *last.b == '2');
	EXPECT(same("abc", "abcd") == HD_SAME_NOT);
	EXPECT(last.na == 0 && last.nb == 1);
}

TEST(hostile_bytes_end_and_cost_little)
{
	size_t n = 1 << 20;
	char *a = malloc(n), *b = malloc(n);

	for (size_t i = 0; i < n; i++) {
		a[i] = "0+-.eE1 nai\n\xff"[i * 7 % 13];
		b[i] = a[i];
	}
	b[n - 1] ^= 1;
	hd_text_compare(&last, a, n, b, n, 1e-6, 0);
	EXPECT(last.same != HD_SAME_BYTES);
	memset(a, '9', n);		/* one number of a million digits */
	memset(b, '9', n);
	b[n - 1] = '8';
	hd_text_compare(&last, a, n, b, n, 1e-6, 0);
	EXPECT(last.same == HD_SAME_NOT);
	memset(a, ' ', n);
	hd_text_compare(&last, a, n, "", 0, 0, 0);
	EXPECT(last.same == HD_SAME_WITHIN);
	memset(a, 0, n);
	hd_text_compare(&last, a, n, b, n, 0, 0);
	EXPECT(last.same == HD_SAME_NOT && last.line == 1);
	free(a);
	free(b);
}

TEST_MAIN(RUN(equal_bytes_are_equal_whatever_they_are),
	RUN(numbers_with_a_point_or_an_exponent_may_differ_by_the_tolerance), RUN(whole_numbers_must_be_equal),
	RUN(near_zero_the_absolute_tolerance_helps), RUN(nan_is_nan_and_inf_is_inf_and_neither_is_a_number),
	RUN(widths_do_not_count_but_lines_and_words_do), RUN(digits_in_names_are_text),
	RUN(the_first_difference_is_named_with_its_line), RUN(hostile_bytes_end_and_cost_little))
