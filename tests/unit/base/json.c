/* json.c - the parser accepts strict JSON only, keeps the text of numbers, and reports errors with their position */
#include "test.h"

#include "base/buf.h"
#include "base/json.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

static struct hd_json_doc *parse_n(const char *text, size_t n)
{
	/* A copy of exactly n bytes, so that a sanitizer detects reads past the end. */
	char *copy = hd_alloc(n);
	struct hd_json_doc *doc = NULL;
	struct hd_err err = { 0 };
	int rc;

	memcpy(copy, text, n);
	rc = hd_json_parse(&doc, copy, n, "t.json", &err);
	free(copy);
	if (rc < 0)
		print_message("%s\n", err.msg);
	EXPECT_INT(rc, 0);
	return doc;
}

#define PARSE(text) parse_n(text, sizeof(text) - 1)

static void refuse(const char *text, size_t n, const char *want)
{
	char *copy = hd_alloc(n);
	struct hd_json_doc *doc = NULL;
	struct hd_err err = { 0 };

	memcpy(copy, text, n);
	EXPECT_INT(hd_json_parse(&doc, copy, n, "t.json", &err), HD_EFORMAT);
	free(copy);
	assert_null(doc);
	EXPECT_STR(err.msg, want);
}

#define REFUSE(text, want) refuse(text, sizeof(text) - 1, want)

static void expect_text(const struct hd_json *v, const char *want, size_t n)
{
	size_t len;
	const char *s = hd_json_string(v, &len);

	EXPECT_INT(hd_json_kind(v), HD_JSON_STRING);
	EXPECT_INT(len, n);
	EXPECT_MEM(s, want, n + 1);
}

/* ---- accepted texts ---- */

TEST(every_kind_of_value_is_read)
{
	struct hd_json_doc *doc = PARSE(
		" { \"n\" : null, \"t\":true,\"f\":false,\"i\":7,\n\t\"s\":\"x\",\"a\":[1,[],{}],\"o\":{}}\r\n");
	const struct hd_json *o = hd_json_root(doc), *a;

	EXPECT_INT(hd_json_kind(o), HD_JSON_OBJECT);
	EXPECT_INT(hd_json_count(o), 7);
	EXPECT_INT(hd_json_kind(hd_json_get(o, "n")), HD_JSON_NULL);
	EXPECT(hd_json_bool(hd_json_get(o, "t")));
	EXPECT_INT(hd_json_kind(hd_json_get(o, "f")), HD_JSON_BOOL);
	EXPECT(!hd_json_bool(hd_json_get(o, "f")));
	EXPECT_STR(hd_json_number(hd_json_get(o, "i")), "7");
	expect_text(hd_json_get(o, "s"), "x", 1);
	a = hd_json_get(o, "a");
	EXPECT_INT(hd_json_kind(a), HD_JSON_ARRAY);
	EXPECT_INT(hd_json_count(a), 3);
	EXPECT_INT(hd_json_kind(hd_json_at(a, 0)), HD_JSON_NUMBER);
	EXPECT_INT(hd_json_kind(hd_json_at(a, 1)), HD_JSON_ARRAY);
	EXPECT_INT(hd_json_count(hd_json_at(a, 1)), 0);
	EXPECT_INT(hd_json_kind(hd_json_at(a, 2)), HD_JSON_OBJECT);
	assert_null(hd_json_at(a, 3));
	assert_null(hd_json_get(o, "N"));
	hd_json_free(doc);
}

TEST(a_value_that_is_no_object_may_stand_alone)
{
	struct hd_json_doc *doc = PARSE("-0");

	EXPECT_STR(hd_json_number(hd_json_root(doc)), "-0");
	hd_json_free(doc);
	doc = PARSE("\"\"");
	expect_text(hd_json_root(doc), "", 0);
	hd_json_free(doc);
	doc = PARSE("false");
	EXPECT_INT(hd_json_kind(hd_json_root(doc)), HD_JSON_BOOL);
	hd_json_free(doc);
}

TEST(a_number_keeps_the_text_it_was_written_with)
{
	static const char *const texts[] = {
		"0", "-0", "18446744073709551615", "0.1", "1.0", "1e0", "1E+2", "12.50e-03", "-0.0e-0", "1e400",
		"123456789012345678901234567890.123456789012345678901234567890",
	};
	struct hd_buf b = { 0 };
	struct hd_json_doc *doc;

	for (size_t i = 0; i < HD_COUNT(texts); i++)
		hd_buf_addf(&b, "%s%s", i ? "," : "[", texts[i]);
	hd_buf_addc(&b, ']');
	doc = parse_n(b.data, b.len);
	for (size_t i = 0; i < HD_COUNT(texts); i++)
		EXPECT_STR(hd_json_number(hd_json_at(hd_json_root(doc), i)), texts[i]);
	hd_json_free(doc);
	hd_buf_release(&b);
}

TEST(a_string_that_looks_like_a_number_stays_a_string)
{
	struct hd_json_doc *doc = PARSE("[\"7\",\"n7\",\"s\",\"n\"]");

	expect_text(hd_json_at(hd_json_root(doc), 0), "7", 1);
	expect_text(hd_json_at(hd_json_root(doc), 1), "n7", 2);
	expect_text(hd_json_at(hd_json_root(doc), 2), "s", 1);
	expect_text(hd_json_at(hd_json_root(doc), 3), "n", 1);
	hd_json_free(doc);
}

TEST(escapes_are_undone)
{
	struct hd_json_doc *doc = PARSE("[\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u0041\\u00e9\\u20AC\\ud83d\\ude00\"]");

	expect_text(hd_json_at(hd_json_root(doc), 0), "\"\\/\b\f\n\r\tA\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", 18);
	hd_json_free(doc);
}

TEST(an_escaped_nul_stays_inside_strings_and_keys)
{
	struct hd_json_doc *doc = PARSE("{\"a\\u0000b\":\"\\u0000\\u0001\\u00010\\\\u0000\"}");
	const char *key;
	size_t len;
	const struct hd_json *v = hd_json_member(hd_json_root(doc), 0, &key, &len);

	EXPECT_INT(len, 3);
	EXPECT_MEM(key, "a\0b", 4);
	expect_text(v, "\0\1\1" "0\\u0000", 10);
	hd_json_free(doc);
}

TEST(members_come_in_the_order_of_the_text)
{
	struct hd_json_doc *doc = PARSE("{\"z\":1,\"a\":2,\"m\":3,\"\":4}");
	static const char *const keys[] = { "z", "a", "m", "" };
	const char *key;
	size_t len;

	for (size_t i = 0; i < 4; i++) {
		char want[2] = { (char)('1' + i), 0 };
		const struct hd_json *v = hd_json_member(hd_json_root(doc), i, &key, &len);

		EXPECT_STR(key, keys[i]);
		EXPECT_INT(len, strlen(keys[i]));
		EXPECT_STR(hd_json_number(v), want);
	}
	assert_null(hd_json_member(hd_json_root(doc), 4, &key, &len));
	hd_json_free(doc);
}

TEST(asking_a_value_for_what_it_is_not_gives_nothing)
{
	struct hd_json_doc *doc = PARSE("{\"s\":\"x\"}");
	const struct hd_json *o = hd_json_root(doc), *s = hd_json_get(o, "s");
	const char *key;

	EXPECT_STR(hd_json_number(s), "");
	EXPECT(!hd_json_bool(s));
	EXPECT_INT(hd_json_count(s), 0);
	EXPECT_STR(hd_json_string(o, NULL), "");
	assert_null(hd_json_at(o, 0));
	assert_null(hd_json_get(s, "s"));
	assert_null(hd_json_member(s, 0, &key, NULL));
	hd_json_free(doc);
}

/* ---- rejected texts, and the position in the message ---- */

TEST(a_message_names_file_line_and_column)
{
	REFUSE("{\n  \"a\": 1,\n  \"b\": tru\n}", "t.json:3:8: not valid JSON: 'tru' is wrong or does not belong here");
	REFUSE("[\"\xe2\x82\xac\xe2\x82\xac\", x]", "t.json:1:8: not valid JSON: 'x' is wrong or does not belong here");
}

TEST(numbers_are_written_as_rfc_8259_wants_them)
{
	static const char *const wrong[] = { "01", "-", "1.", "1e", "1e+", "-01", "1.e3", "-a", "00", "-.5" };

	for (size_t i = 0; i < HD_COUNT(wrong); i++)
		refuse(wrong[i], strlen(wrong[i]),
			"t.json:1:1: not valid JSON: a number is not written as JSON wants it");
	REFUSE("+1", "t.json:1:1: not valid JSON: '+' is wrong or does not belong here");
	REFUSE(".5", "t.json:1:1: not valid JSON: '.' is wrong or does not belong here");
	REFUSE("[1 2]", "t.json:1:4: not valid JSON: '2' is wrong or does not belong here");
	REFUSE("0x10", "t.json:1:2: not valid JSON: the value has ended, but 'x' follows");
	REFUSE("NaN", "t.json:1:1: not valid JSON: 'NaN' is wrong or does not belong here");
}

TEST(duplicate_keys_are_refused_however_they_are_spelt)
{
	REFUSE("{\"a\":1,\"b\":2,\"a\":3}", "t.json:1:14: not valid JSON: the key \"a\" occurs twice");
	REFUSE("{\"a\":1,\n\"\\u0061\":3}", "t.json:2:1: not valid JSON: the key \"\\u0061\" occurs twice");
}

TEST(what_is_behind_the_value_is_refused)
{
	REFUSE("{} {}", "t.json:1:4: not valid JSON: the value has ended, but '{' follows");
	REFUSE("1,", "t.json:1:2: not valid JSON: the value has ended, but ',' follows");
}

TEST(text_that_ends_too_early_says_so_at_its_end)
{
	REFUSE("", "t.json:1:1: not valid JSON: the text ends too early");
	REFUSE(" \n ", "t.json:2:2: not valid JSON: the text ends too early");
	REFUSE("{\"a\":[1,", "t.json:1:9: not valid JSON: the text ends too early");
	REFUSE("[\"abc", "t.json:1:6: not valid JSON: the text ends too early");
	REFUSE("[\"abc\\", "t.json:1:7: not valid JSON: the text ends too early");
}

TEST(wrong_structure_is_refused_at_the_token_that_does_not_fit)
{
	REFUSE("{\"a\" 1}", "t.json:1:6: not valid JSON: '1' is wrong or does not belong here");
	REFUSE("{a:1}", "t.json:1:2: not valid JSON: 'a' is wrong or does not belong here");
	REFUSE("[1,]", "t.json:1:4: not valid JSON: ']' is wrong or does not belong here");
	REFUSE("[1}", "t.json:1:3: not valid JSON: '}' is wrong or does not belong here");
	REFUSE("{1 :2}", "t.json:1:2: not valid JSON: a number cannot be a key");
	REFUSE("{null:2}", "t.json:1:2: not valid JSON: 'null' is wrong or does not belong here");
	REFUSE("]", "t.json:1:1: not valid JSON: ']' is wrong or does not belong here");
	REFUSE("[1 /* no */]", "t.json:1:4: not valid JSON: '/' is wrong or does not belong here");
}

TEST(a_byte_order_mark_is_refused)
{
	REFUSE("\xef\xbb\xbf{}", "t.json:1:1: not valid JSON: it begins with a byte order mark");
}

TEST(bytes_that_are_not_utf8_are_refused_at_their_place)
{
	REFUSE("[\"abc\xff\"]", "t.json:1:6: not valid JSON: not UTF-8");
	REFUSE("[\"\xc0\xaf\"]", "t.json:1:3: not valid JSON: not UTF-8");
	REFUSE("[\"\xed\xa0\x80\"]", "t.json:1:3: not valid JSON: not UTF-8");
	REFUSE("{\"\xf4\x90\x80\x80\":1}", "t.json:1:3: not valid JSON: not UTF-8");
}

TEST(half_a_surrogate_pair_is_refused)
{
	static const char *const wrong[] = { "\"\\ud800\"", "\"\\udc00\"", "\"\\ud800x\"", "\"\\ud800\\u0041\"" };

	for (size_t i = 0; i < HD_COUNT(wrong); i++) {
		struct hd_json_doc *doc = NULL;
		struct hd_err err = { 0 };

		EXPECT_INT(hd_json_parse(&doc, wrong[i], strlen(wrong[i]), "t.json", &err), HD_EFORMAT);
		EXPECT(strstr(err.msg, "t.json:1:1: not valid JSON: '\"\\u"));
	}
}

TEST(control_characters_and_wrong_escapes_in_strings_are_refused)
{
	REFUSE("[\"a\tb\"]", "t.json:1:2: not valid JSON: '\"a\tb\"' is wrong or does not belong here");
	REFUSE("[\"a\\qb\"]", "t.json:1:2: not valid JSON: '\"a\\qb\"' is wrong or does not belong here");
	REFUSE("[\"\\u12g4\"]", "t.json:1:2: not valid JSON: '\"\\u12g4\"' is wrong or does not belong here");
}

TEST(a_raw_nul_is_refused)
{
	struct hd_json_doc *doc = NULL;
	struct hd_err err = { 0 };

	EXPECT_INT(hd_json_parse(&doc, "[1]\0", 4, "t.json", &err), HD_EFORMAT);
	EXPECT_INT(hd_json_parse(&doc, "[\"a\0\"]", 6, "t.json", &err), HD_EFORMAT);
	EXPECT_INT(hd_json_parse(&doc, "\0", 1, "t.json", &err), HD_EFORMAT);
}

TEST(nesting_is_bounded_and_the_bound_is_reached)
{
	struct hd_buf b = { 0 };
	struct hd_json_doc *doc;

	for (int i = 0; i < 512; i++)
		hd_buf_addc(&b, '[');
	for (int i = 0; i < 512; i++)
		hd_buf_addc(&b, ']');
	doc = parse_n(b.data, b.len);
	EXPECT_INT(hd_json_count(hd_json_root(doc)), 1);
	hd_json_free(doc);
	hd_buf_reset(&b);
	for (int i = 0; i < 100000; i++)
		hd_buf_addc(&b, '[');
	refuse(b.data, b.len, "t.json:1:513: not valid JSON: more than 512 arrays and objects inside each other");
	hd_buf_release(&b);
}

TEST(size_and_the_number_of_values_are_bounded)
{
	size_t n = (64u << 20) + 1;
	char *text = hd_alloc(n);
	struct hd_json_doc *doc = NULL;
	struct hd_err err = { 0 };

	memset(text, ' ', n);
	EXPECT_INT(hd_json_parse(&doc, text, n, "t.json", &err), HD_EFORMAT);
	EXPECT_STR(err.msg, "t.json: 67108865 bytes of JSON exceed the limit of 67108864");
	for (size_t i = 0; i < n; i += 2)
		text[i] = '1', text[i + (i + 1 < n)] = ',';
	text[0] = '[';
	text[1] = ' ';
	EXPECT_INT(hd_json_parse(&doc, text, n - 1, "t.json", &err), HD_EFORMAT);
	EXPECT(strstr(err.msg, "more than 8388608 values"));
	free(text);
}

TEST_MAIN(RUN(every_kind_of_value_is_read),
	  RUN(a_value_that_is_no_object_may_stand_alone),
	  RUN(a_number_keeps_the_text_it_was_written_with),
	  RUN(a_string_that_looks_like_a_number_stays_a_string),
	  RUN(escapes_are_undone),
	  RUN(an_escaped_nul_stays_inside_strings_and_keys),
	  RUN(members_come_in_the_order_of_the_text),
	  RUN(asking_a_value_for_what_it_is_not_gives_nothing),
	  RUN(a_message_names_file_line_and_column),
	  RUN(numbers_are_written_as_rfc_8259_wants_them),
	  RUN(duplicate_keys_are_refused_however_they_are_spelt),
	  RUN(what_is_behind_the_value_is_refused),
	  RUN(text_that_ends_too_early_says_so_at_its_end),
	  RUN(wrong_structure_is_refused_at_the_token_that_does_not_fit),
	  RUN(a_byte_order_mark_is_refused),
	  RUN(bytes_that_are_not_utf8_are_refused_at_their_place),
	  RUN(half_a_surrogate_pair_is_refused),
	  RUN(control_characters_and_wrong_escapes_in_strings_are_refused),
	  RUN(a_raw_nul_is_refused),
	  RUN(nesting_is_bounded_and_the_bound_is_reached),
	  RUN(size_and_the_number_of_values_are_bounded))
