#include "test.h"

#include "base/json_scan.h"

#include <stdlib.h>
#include <string.h>

static enum hd_json_scan_result skim(const char *s, size_t *len)
{
	return hd_json_scan(s, strlen(s), len);
}

static struct hd_json_text text(const char *s)
{
	return (struct hd_json_text){ s, strlen(s) };
}

TEST(a_whole_value_ends_where_its_bracket_closes)
{
	static const char *const values[] = {
		"{}", "[]", "{\"a\": {\"b\": [1, 2, {\"c\": \"]}\"}]}}", "\"a\\\"b\"", "\"\\\\\"", "[\"\\\\\\\"\", 1]",
		"[inf, -1.5e+3, NaN, null]", "{\"a\":1,\"b\":true}",
	};
	size_t len;

	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++) {
		char *more;

		EXPECT(asprintf(&more, "%s, 7", values[i]) > 0);
		EXPECT_INT(skim(more, &len), HD_JSON_WHOLE);
		EXPECT_INT(len, strlen(values[i]));
		free(more);
	}
}

TEST(every_start_of_a_value_is_cut)
{
	static const char value[] = "{\"a\": [1, \"x\\\"y\", {\"b\": null}], \"c\\\\\": -2.5}";
	size_t len;

	for (size_t n = 0; n < sizeof(value) - 1; n++) {
		EXPECT_INT(hd_json_scan(value, n, &len), HD_JSON_CUT);
		EXPECT_INT(len, n);
	}
	EXPECT_INT(hd_json_scan(value, sizeof(value) - 1, &len), HD_JSON_WHOLE);
}

TEST(a_number_at_the_end_of_the_text_may_go_on)
{
	size_t len;

	EXPECT_INT(skim("12", &len), HD_JSON_CUT);
	EXPECT_INT(skim("12,", &len), HD_JSON_WHOLE);
	EXPECT_INT(len, 2);
}

TEST(a_byte_that_does_not_belong_is_named)
{
	static const struct { const char *s; size_t at; } bad[] = {
		{ "{]", 1 }, { "[}", 1 }, { "{\"a\" 1}", 5 }, { "{\"a\":}", 5 }, { "{1:2}", 1 }, { "[1 2]", 3 },
		{ "[,]", 1 }, { "{\"a\":1,}", 7 }, { "]", 0 },
		{ " 1", 0 }, { "[1,]", 3 }, { "{\"a\":1 \"b\":2}", 7 }, { "[\x01]", 1 },
	};
	size_t len;

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		EXPECT_INT(skim(bad[i].s, &len), HD_JSON_BAD);
		EXPECT_INT(len, bad[i].at);
	}
}

TEST(nesting_is_at_most_64_deep)
{
	char s[130];
	size_t len;

	memset(s, '[', 64);
	memset(s + 64, ']', 64);
	EXPECT_INT(hd_json_scan(s, 128, &len), HD_JSON_WHOLE);
	memset(s, '[', 65);
	memset(s + 65, ']', 65);
	EXPECT_INT(hd_json_scan(s, 130, &len), HD_JSON_BAD);
	EXPECT_INT(len, 64);
}

TEST(members_and_items_are_walked_in_order)
{
	static const char object[] = "{ \"a\" : 1 ,\"b\":{\"c\":[]}, \"d\\\"\": \"x\"}", array[] = "[ 1, [2], {} ]";
	const char *at = object, *end = object + sizeof(object) - 1;
	struct hd_json_text k, v;

	EXPECT(hd_json_scan_member(&at, end, &k, &v) && hd_json_text_is(k, "a") && hd_json_text_is(v, "1"));
	EXPECT(hd_json_scan_member(&at, end, &k, &v) && hd_json_text_is(k, "b") && hd_json_text_is(v, "{\"c\":[]}"));
	EXPECT(hd_json_scan_member(&at, end, &k, &v) && hd_json_text_is(k, "d\\\"") && hd_json_text_is(v, "\"x\""));
	EXPECT(!hd_json_scan_member(&at, end, &k, &v));
	at = array;
	end = array + sizeof(array) - 1;
	EXPECT(hd_json_scan_item(&at, end, &v) && hd_json_text_is(v, "1"));
	EXPECT(hd_json_scan_item(&at, end, &v) && hd_json_text_is(v, "[2]"));
	EXPECT(hd_json_scan_item(&at, end, &v) && hd_json_text_is(v, "{}"));
	EXPECT(!hd_json_scan_item(&at, end, &v));
	at = "{}";
	EXPECT(!hd_json_scan_member(&at, at + 2, &k, &v));
}

TEST(escapes_of_strings_are_undone)
{
	struct hd_buf b = { 0 };

	EXPECT(hd_json_scan_string(text("\"plain\""), &b));
	EXPECT(hd_json_scan_string(text("\"a\\\"b\\u00e9\""), &b));
	/* the escape is invalid, so the text is kept unchanged */
	EXPECT(hd_json_scan_string(text("\"C:\\path\""), &b));
	EXPECT(!hd_json_scan_string(text("12"), &b));
	EXPECT_STR(hd_buf_str(&b), "plaina\"b\xc3\xa9" "C:\\path");
	hd_buf_release(&b);
}

TEST(numbers_are_scaled_without_a_double)
{
	static const struct { const char *s; int scale; int64_t is; } good[] = {
		{ "1661203462598738", 3, 1661203462598738000 }, { "1661203462598738.125", 3, 1661203462598738125 },
		{ "2413669097444.592", 3, 2413669097444592 }, { "1.76", 3, 1760 }, { "68.0", 3, 68000 }, { "0", 3, 0 },
		{ "-1", 0, -1 },
		{ "0.0004", 3, 0 }, { "0.0005", 3, 1 }, { "-0.0005", 3, -1 },
		{ "0.00049999999999999999999999999999999999999999", 3, 0 },
		{ "1.661203462598738125e15", 3, 1661203462598738125 }, { "1e3", 0, 1000 }, { "1500e-3", 0, 2 },
		{ "1e-99999", 3, 0 },
		{ "0e99999", 3, 0 }, { "9223372036854775807", 0, INT64_MAX }, { "\"12\"", 0, 12 },
		{ "1e-999999999999", 0, 0 },
		{ "1000000000000000000000000000000000000000000000e-44", 0, 10 },
	};
	static const char *const bad[] = { "", "-", ".5", "1.2.3", "1e", "inf", "null", "9223372036854775808", "1e30",
		"1e99999", "\"x\"", "12x", "1e999999999999" };
	int64_t v;

	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
		EXPECT(hd_json_scan_int(text(good[i].s), good[i].scale, &v));
		EXPECT(v == good[i].is);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		EXPECT(!hd_json_scan_int(text(bad[i]), 0, &v));
}

TEST_MAIN(RUN(a_whole_value_ends_where_its_bracket_closes), RUN(every_start_of_a_value_is_cut),
	RUN(a_number_at_the_end_of_the_text_may_go_on), RUN(a_byte_that_does_not_belong_is_named),
	RUN(nesting_is_at_most_64_deep), RUN(members_and_items_are_walked_in_order), RUN(escapes_of_strings_are_undone),
	RUN(numbers_are_scaled_without_a_double))
