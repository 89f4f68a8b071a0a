/* jsonw.c - the JSON writer puts commas, keys and brackets so that its output can be parsed */
#include "test.h"

#include "base/jsonw.h"
#include "base/mem.h"

#include <math.h>
#include <string.h>

TEST(objects_and_arrays_nest_with_two_blanks_a_level)
{
	struct hd_buf b = { 0 };
	struct hd_jsonw w = hd_jsonw_to(&b);

	hd_jsonw_open(&w, NULL, '{');
	hd_jsonw_str(&w, "format", "hotdrift.top");
	hd_jsonw_u64(&w, "version", 1);
	hd_jsonw_open(&w, "rows", '[');
	hd_jsonw_open(&w, NULL, '{');
	hd_jsonw_i64(&w, "pid", -1);
	hd_jsonw_close(&w, '}');
	hd_jsonw_u64(&w, NULL, UINT64_MAX);
	hd_jsonw_close(&w, ']');
	hd_jsonw_close(&w, '}');
	EXPECT_STR(b.data,
		"{\n"
		"  \"format\": \"hotdrift.top\",\n"
		"  \"version\": 1,\n"
		"  \"rows\": [\n"
		"    {\n"
		"      \"pid\": -1\n"
		"    },\n"
		"    18446744073709551615\n"
		"  ]\n"
		"}\n");
	hd_buf_release(&b);
}

TEST(empty_ones_close_where_they_open)
{
	struct hd_buf b = { 0 };
	struct hd_jsonw w = hd_jsonw_to(&b);

	hd_jsonw_open(&w, NULL, '{');
	hd_jsonw_open(&w, "a", '[');
	hd_jsonw_close(&w, ']');
	hd_jsonw_open(&w, "b", '{');
	hd_jsonw_close(&w, '}');
	hd_jsonw_row(&w, "c", '[');
	hd_jsonw_close(&w, ']');
	hd_jsonw_close(&w, '}');
	EXPECT_STR(b.data, "{\n  \"a\": [],\n  \"b\": {},\n  \"c\": []\n}\n");
	hd_buf_release(&b);
}

TEST(a_row_stays_on_its_line_with_all_that_is_in_it)
{
	struct hd_buf b = { 0 };
	struct hd_jsonw w = hd_jsonw_to(&b);

	hd_jsonw_open(&w, NULL, '[');
	for (int i = 0; i < 2; i++) {
		hd_jsonw_row(&w, NULL, '{');
		hd_jsonw_open(&w, "ci", '[');
		hd_jsonw_num(&w, NULL, 1.5, 2);
		hd_jsonw_num(&w, NULL, 2.25, 2);
		hd_jsonw_close(&w, ']');
		hd_jsonw_bool(&w, "unknown", i);
		hd_jsonw_close(&w, '}');
	}
	hd_jsonw_close(&w, ']');
	EXPECT_STR(b.data,
		"[\n  {\"ci\": [1.50, 2.25], \"unknown\": false},\n  {\"ci\": [1.50, 2.25], \"unknown\": true}\n]\n");
	hd_buf_release(&b);
}

TEST(a_missing_string_is_null_and_an_empty_one_is_empty)
{
	struct hd_buf b = { 0 };
	struct hd_jsonw w = hd_jsonw_to(&b);

	hd_jsonw_row(&w, NULL, '{');
	hd_jsonw_str(&w, "a", NULL);
	hd_jsonw_str(&w, "b", "");
	hd_jsonw_null(&w, "c");
	hd_jsonw_raw(&w, "d", "{\"e\":1}");
	hd_jsonw_close(&w, '}');
	EXPECT_STR(b.data, "{\"a\": null, \"b\": \"\", \"c\": null, \"d\": {\"e\":1}}\n");
	hd_buf_release(&b);
}

TEST(a_number_that_json_does_not_have_is_null)
{
	struct hd_buf b = { 0 };
	struct hd_jsonw w = hd_jsonw_to(&b);

	hd_jsonw_row(&w, NULL, '[');
	hd_jsonw_num(&w, NULL, NAN, 2);
	hd_jsonw_num(&w, NULL, INFINITY, 2);
	hd_jsonw_num(&w, NULL, -0.5, 0);
	hd_jsonw_num(&w, NULL, 1e300, 0);
	hd_jsonw_close(&w, ']');
	EXPECT(strstr(b.data, "[null, null, -0, 1") == b.data);
	EXPECT_INT(strlen(b.data), strlen("[null, null, -0, ") + 301 + 2);
	hd_buf_release(&b);
}

static void expect_number(double v, int decimals)
{
	struct hd_buf b = { 0 };
	struct hd_jsonw w = hd_jsonw_to(&b);
	char want[400];

	snprintf(want, sizeof(want), "%.*f", decimals, v);
	hd_jsonw_num(&w, NULL, v, decimals);
	EXPECT_STR(b.data, want);
	hd_buf_release(&b);
}

TEST(a_number_has_the_digits_that_printf_gives_it)
{
	static const double values[] = { 0, -0.0, 0.5, 1.5, 2.5, 0.125, 0.375, 99.9999995, 99.99999949, 100, 1e-7, 5e-7,
		4.9999e-7, 1e-30, 1e-300, 5e-324, 4503599627370495.5, 4503599627370496, 1e18, -1.25, 0.0000005,
		0.3333333333333333, 1e300 };
	uint64_t bits = 88172645463325252;

	for (int decimals = 0; decimals < 9; decimals++) {
		for (size_t i = 0; i < HD_COUNT(values); i++)
			expect_number(values[i], decimals);
		for (int i = 0; i < 5000; i++) {
			bits ^= bits << 13;
			bits ^= bits >> 7;
			bits ^= bits << 17;
			expect_number(100 * (double)(bits % 1000003) / (double)(1 + bits % 7919 * 131), decimals);
			/* Some of these numbers are halfway between two roundings. */
			expect_number((double)(bits % 4096) / 64, decimals);
		}
	}
}

TEST(names_are_encoded_in_keys_and_in_values)
{
	struct hd_buf b = { 0 };
	struct hd_jsonw w = hd_jsonw_to(&b);

	hd_jsonw_row(&w, NULL, '{');
	hd_jsonw_strn(&w, "say \"hi\"", "a\0b\"\n", 5);
	hd_jsonw_u64(&w, "say \"ho\"", 1);
	hd_jsonw_close(&w, '}');
	EXPECT_STR(b.data, "{\"say \\\"hi\\\"\": \"a\\\\x00b\\\"\\\\x0a\", \"say \\\"ho\\\"\": 1}\n");
	hd_buf_release(&b);
}

TEST(a_document_starts_with_its_format_and_version)
{
	struct hd_buf b = { 0 };
	struct hd_jsonw w = hd_jsonw_document(&b, "hotdrift.top", 2);

	hd_jsonw_bool(&w, "more", true);
	hd_jsonw_close(&w, '}');
	EXPECT_STR(b.data, "{\n  \"format\": \"hotdrift.top\",\n  \"version\": 2,\n  \"more\": true\n}\n");
	hd_buf_release(&b);
}

TEST_MAIN(RUN(a_document_starts_with_its_format_and_version),
	  RUN(objects_and_arrays_nest_with_two_blanks_a_level),
	  RUN(empty_ones_close_where_they_open),
	  RUN(a_row_stays_on_its_line_with_all_that_is_in_it),
	  RUN(a_missing_string_is_null_and_an_empty_one_is_empty),
	  RUN(a_number_that_json_does_not_have_is_null),
	  RUN(a_number_has_the_digits_that_printf_gives_it),
	  RUN(names_are_encoded_in_keys_and_in_values))
