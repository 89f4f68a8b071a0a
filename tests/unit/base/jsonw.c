/*
 * jsonw.c - commas, keys and nesting: what is written can be read
 */
#include "test.h"

#include "base/jsonw.h"

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
	EXPECT_STR(b.data, "{\n  \"format\": \"hotdrift.top\",\n  \"version\": 1,\n  \"rows\": [\n    {\n      \"pid\": -1\n    },\n"
			   "    18446744073709551615\n  ]\n}\n");
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
	EXPECT_STR(b.data, "[\n  {\"ci\": [1.50, 2.25], \"unknown\": false},\n  {\"ci\": [1.50, 2.25], \"unknown\": true}\n]\n");
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

TEST(names_are_encoded_in_keys_and_in_values)
{
	struct hd_buf b = { 0 };
	struct hd_jsonw w = hd_jsonw_to(&b);

	hd_jsonw_row(&w, NULL, '{');
	hd_jsonw_strn(&w, "say \"hi\"", "a\0b\"\n", 5);
	hd_jsonw_close(&w, '}');
	EXPECT_STR(b.data, "{\"say \\\"hi\\\"\": \"a\\\\x00b\\\"\\\\x0a\"}\n");
	hd_buf_release(&b);
}

TEST_MAIN(RUN(objects_and_arrays_nest_with_two_blanks_a_level),
	  RUN(empty_ones_close_where_they_open),
	  RUN(a_row_stays_on_its_line_with_all_that_is_in_it),
	  RUN(a_missing_string_is_null_and_an_empty_one_is_empty),
	  RUN(a_number_that_json_does_not_have_is_null),
	  RUN(names_are_encoded_in_keys_and_in_values))
