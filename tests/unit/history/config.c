/*
 * config.c - equal configurations have one text and one fingerprint
 */
#include "test.h"

#include "base/mem.h"
#include "history/config.h"

#include <stdlib.h>
#include <string.h>

static void expect_n(const char *json, size_t n, const char *form, const char *want, size_t want_len)
{
	struct hd_err err = { 0 };
	struct hd_config c;
	int rc = hd_config_parse(&c, json, n, "c.json", &err);

	if (rc < 0)
		print_message("%s\n", err.msg);
	EXPECT_INT(rc, 0);
	EXPECT_STR(c.form, form);
	EXPECT_STR(c.text.data, want);
	EXPECT_INT(c.text.len, want_len);
	hd_config_release(&c);
}

#define EXPECT_JCS(json, want)		expect_n(json, sizeof(json) - 1, "jcs", want, sizeof(want) - 1)
#define EXPECT_STRUCT(json, want)	expect_n(json, strlen(json), "struct", want, strlen(want))

static void refuse(const char *json, const char *want)
{
	struct hd_err err = { 0 };
	struct hd_config c;

	EXPECT_INT(hd_config_parse(&c, json, strlen(json), "c.json", &err), HD_EFORMAT);
	EXPECT_STR(err.msg, want);
}

/*
 * Parse a configuration that has `value` for `key` and valid values for the other fields.  Returns the canonical text
 * of the value, which the caller frees, or NULL if the configuration is rejected.
 */
static char *with(const char *key, const char *value, struct hd_err *err)
{
	static const char *const keys[] = { "eps", "model_commit", "tau", "compiler_flags", "lambda", "weights_hash" };
	static const char *const harmless[] = { "0.5", "\"c\"", "7", "\"-O2\"", "1", "\"w\"" };
	struct hd_buf json = { 0 }, head = { 0 };
	struct hd_config c;
	char *from, *answer = NULL;

	for (size_t i = 0; i < HD_COUNT(keys); i++)
		hd_buf_addf(&json, "%s\"%s\": %s", i ? " ,\n" : "{", keys[i],
			strcmp(keys[i], key) ? harmless[i] : value);
	hd_buf_addc(&json, '}');
	if (hd_config_parse(&c, json.data, json.len, "c.json", err) == 0) {
		hd_buf_addf(&head, "\"%s\":", key);
		from = strstr(c.text.data, head.data) + head.len;
		answer = hd_strndup(from, strcspn(from, *from == '"' || *from == '[' ? "" : ",}"));
		hd_config_release(&c);
	}
	hd_buf_release(&json);
	hd_buf_release(&head);
	return answer;
}

static void number(const char *key, const char *value, const char *want)
{
	struct hd_err err = { 0 };
	char *got = with(key, value, &err);

	if (!got)
		print_message("%s\n", err.msg);
	EXPECT_STR(got, want);
	free(got);
}

static void refuse_field(const char *key, const char *value, const char *want)
{
	struct hd_err err = { 0 };

	assert_null(with(key, value, &err));
	EXPECT_INT(err.code, HD_EFORMAT);
	EXPECT_STR(err.msg, want);
}

TEST(a_file_that_cannot_be_opened_is_no_configuration)
{
	struct hd_config c;
	struct hd_err err = { 0 };

	memset(&c, 0xff, sizeof(c));
	EXPECT(hd_config_read(&c, "/no/such/config.json", &err) < 0);
	EXPECT(!c.text.data && !c.form);
	hd_config_release(&c);
}

/* ---- the struct ---- */

TEST(the_six_keys_make_the_text_of_the_struct_whatever_their_order_and_spacing)
{
	static const char want[] =
		"{\"model_commit\":\"abc\",\"weights_hash\":\"w\",\"lambda\":1.0,\"tau\":18446744073709551615,"
		"\"eps\":1e-7,\"compiler_flags\":\"-O2\"}";

	EXPECT_STRUCT("{\"model_commit\":\"abc\",\"weights_hash\":\"w\",\"lambda\":1,\"tau\":18446744073709551615,"
		      "\"eps\":1e-7,\"compiler_flags\":\"-O2\"}", want);
	EXPECT_STRUCT("\n{ \"compiler_flags\" : \"-O2\",\t\"eps\":0.0000001, \"tau\":18446744073709551615,\n"
		      "\"lambda\":1.00, \"weights_hash\":\"\\u0077\", \"model_commit\":\"abc\" }\n", want);
}

TEST(the_fingerprint_is_the_sha256_of_the_text)
{
	static const char json[] =
		"{\"model_commit\":\"abc\",\"weights_hash\":\"w\",\"lambda\":1,\"tau\":18446744073709551615,"
		"\"eps\":1e-7,\"compiler_flags\":\"-O2\"}";
	static const char other[] = "{ \"b\":{\"y\":true,\"x\":null},\"a\":1e21,\"1\":[ ] }";
	struct hd_config c;

	/*
	 * The sums were computed with printf '%s' TEXT | sha256sum, where TEXT is the canonical text:
	 * {"model_commit":...,"lambda":1.0,...} and {"1":[],"a":1e+21,"b":{"x":null,"y":true}}
	 */
	EXPECT_INT(hd_config_parse(&c, json, sizeof(json) - 1, "c.json", NULL), 0);
	EXPECT_STR(c.sha256, "060685fc78e9146c6d98f5c1eefc41291a71b4b452e37bc6b29d76460f1e8e0f");
	hd_config_release(&c);
	EXPECT_INT(hd_config_parse(&c, other, sizeof(other) - 1, "c.json", NULL), 0);
	EXPECT_STR(c.sha256, "b37e38209a573147d11923bf8bebddab3a39855f940abee5c195b4553ecfa520");
	hd_config_release(&c);
}

TEST(lambda_and_eps_are_rounded_once_to_f32)
{
	number("lambda", "0.1", "0.1");
	number("lambda", "0.10000000149011612", "0.1");
	number("eps", "1.00000017881393432617187499",
		"1.0000001"); /* just below the middle of two floats: a double would round it to the middle */
	number("eps", "1.00000017881393432617187501", "1.0000002");
	number("lambda", "16777216", "16777216.0");
	number("lambda", "16777217", "16777216.0");
	number("lambda", "16777219", "16777220.0");
	number("lambda", "18446744073709551615", "1.8446744e19");
	number("lambda", "3.4028235e38", "3.4028235e38");
	number("lambda", "340282350000000000000000000000000000000", "3.4028235e38");
}

TEST(lambda_and_eps_are_written_as_ryu_prints_them)
{
	number("lambda", "0", "0.0");
	number("lambda", "-0.0", "-0.0");
	number("lambda", "-0", "-0.0");
	number("eps", "1e-6", "0.000001");
	number("eps", "9.9e-7", "9.9e-7");
	number("eps", "1e-45", "1e-45");
	number("eps", "1e-46", "0.0");
	number("eps", "1.1754942e-38", "1.1754942e-38");
	number("lambda", "1e12", "1000000000000.0");
	number("lambda", "10000000000000", "1e13");
	number("lambda", "1.5E16", "1.5e16");
	number("lambda", "-2.5e+3", "-2500.0");
}

TEST(tau_is_an_unsigned_64_bit_integer)
{
	number("tau", "0", "0");
	number("tau", "9007199254740993", "9007199254740993");
	number("tau", "18446744073709551615", "18446744073709551615");
	refuse_field("tau", "18446744073709551616", "c.json: \"tau\" must be at most 18446744073709551615");
	refuse_field("tau", "-1", "c.json: \"tau\" must be an unsigned 64-bit integer, written in digits only");
	refuse_field("tau", "-0", "c.json: \"tau\" must be an unsigned 64-bit integer, written in digits only");
	refuse_field("tau", "1.0", "c.json: \"tau\" must be an unsigned 64-bit integer, written in digits only");
	refuse_field("tau", "1e3", "c.json: \"tau\" must be an unsigned 64-bit integer, written in digits only");
	refuse_field("tau", "\"7\"", "c.json: \"tau\" must be an unsigned 64-bit integer, written in digits only");
}

TEST(fields_of_another_type_or_range_are_refused)
{
	refuse_field("lambda", "null", "c.json: \"lambda\" must be a number");
	refuse_field("eps", "\"0.5\"", "c.json: \"eps\" must be a number");
	refuse_field("eps", "1e39", "c.json: \"eps\" must be within the range of a 32-bit float (up to 3.4028235e38)");
	refuse_field("lambda", "-3.4028236e38",
		"c.json: \"lambda\" must be within the range of a 32-bit float (up to 3.4028235e38)");
	refuse_field("model_commit", "null", "c.json: \"model_commit\" must be a string");
	refuse_field("weights_hash", "12", "c.json: \"weights_hash\" must be a string");
	refuse_field("compiler_flags", "{}", "c.json: \"compiler_flags\" must be a string or an array of strings");
	refuse_field("compiler_flags", "[\"-O2\",1]",
		"c.json: \"compiler_flags\" must be a string or an array of strings");
}

TEST(compiler_flags_may_be_a_list_whose_order_counts)
{
	number("compiler_flags", "[ \"-O2\", \"-g\" ]", "[\"-O2\",\"-g\"]}");
	number("compiler_flags", "[]", "[]}");
}

TEST(strings_are_escaped_only_where_they_must_be)
{
	number("compiler_flags", "\"\\u0041\\/\\u00e9\\\"\\\\\\u0008\\t\\n\\f\\r\\u0000\\u001F\\u007f\\ud83d\\ude00\"",
	       "\"A/\xc3\xa9\\\"\\\\\\b\\t\\n\\f\\r\\u0000\\u001f\x7f\xf0\x9f\x98\x80\"}");
}

TEST(one_key_more_or_less_is_not_the_struct)
{
	EXPECT_JCS("{\"model_commit\":\"c\",\"weights_hash\":\"w\",\"lambda\":1,\"tau\":7,\"eps\":2}",
		   "{\"eps\":2,\"lambda\":1,\"model_commit\":\"c\",\"tau\":7,\"weights_hash\":\"w\"}");
	EXPECT_JCS(
		"{\"model_commit\":\"c\",\"weights_hash\":\"w\",\"lambda\":1.0,\"tau\":7,\"eps\":2,"
		"\"compiler_flags\":\"\",\"x\":0}",
		"{\"compiler_flags\":\"\",\"eps\":2,\"lambda\":1,\"model_commit\":\"c\",\"tau\":7,\"weights_hash"
		"\":\"w\",\"x\":0}");
	EXPECT_JCS(
		"{\"Model_commit\":\"c\",\"weights_hash\":\"w\",\"lambda\":1.0,\"tau\":7,\"eps\":2,"
		"\"compiler_flags\":\"\"}",
		"{\"Model_commit\":\"c\",\"compiler_flags\":\"\",\"eps\":2,\"lambda\":1,\"tau\":7,\"weights_hash"
		"\":\"w\"}");
}

/* ---- anything else ---- */

TEST(keys_are_sorted_by_their_utf16_code_units)
{
	/* U+1F600 is D83D DE00 in UTF-16 and sorts before U+FB33, although its UTF-8 sorts after it. */
	EXPECT_JCS(
		"{\"\\ufb33\":1,\"\\ud83d\\ude00\":2,\"\\u00f6\":3,\"\\r\":4,\"1\":5,\"\\u20ac\":6,\"\\u0080\":7,"
		"\"10\":8,\"\":9}",
		"{\"\":9,\"\\r\":4,\"1\":5,\"10\":8,\"\xc2\x80\":7,\"\xc3\xb6\":3,\"\xe2\x82\xac\":6,\"\xf0\x9f"
		"\x98\x80\":2,\"\xef\xac\xb3\":1}");
	EXPECT_JCS(
		"{\"a\\ud83d\\ude01\":1,\"a\\ud83d\\ude00\":2,\"a\":3,\"\\ud800\\udc00\":4,\"\\ue000\":5,\"\\ud7ff"
		"\":6}",
		"{\"a\":3,\"a\xf0\x9f\x98\x80\":2,\"a\xf0\x9f\x98\x81\":1,\"\xed\x9f\xbf\":6,\"\xf0\x90\x80\x80"
		"\":4,\"\xee\x80\x80\":5}");
	EXPECT_JCS("{\"a\\u0000b\":1,\"a\":2,\"a\\u0000\":3}", "{\"a\":2,\"a\\u0000\":3,\"a\\u0000b\":1}");
}

TEST(numbers_become_the_double_they_mean)
{
	EXPECT_JCS("[333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001, -0, 1.0, -1e-7]",
		   "[333333333.3333333,1e+30,4.5,0.002,1e-27,0,1,-1e-7]");
	EXPECT_JCS("[9007199254740993, 18446744073709551615, 1e-400, 123456789012345678901]",
		   "[9007199254740992,18446744073709552000,0,123456789012345680000]");
	refuse("{\"x\":[1e400]}", "c.json: the number 1e400 is beyond the range of a double");
	refuse("-1e309", "c.json: the number -1e309 is beyond the range of a double");
}

TEST(values_keep_their_structure)
{
	EXPECT_JCS(
		" { \"b\" : [ null , true , false , { } , [ ] , \"x\" ] , \"a\" : { \"d\" : 1 , \"c\" : [ [ 2 ] ] } } ",
		"{\"a\":{\"c\":[[2]],\"d\":1},\"b\":[null,true,false,{},[],\"x\"]}");
	EXPECT_JCS("\"alone\"", "\"alone\"");
	EXPECT_JCS("{}", "{}");
}

TEST(the_canonical_text_is_its_own_canonical_text)
{
	static const char *const texts[] = {
		"{\"z\":[1.50,\"\\u00e9\\u0001\",{\"b\":-0.0,\"a\":1e-9}],\"y\":9007199254740993}",
		"{\"compiler_flags\":[\"a\\tb\"],\"eps\":1e-9,\"tau\":3,\"lambda\":1e20,\"weights_hash\":\"\","
		"\"model_commit\":\"\"}",
	};

	for (size_t i = 0; i < HD_COUNT(texts); i++) {
		struct hd_config a, b;

		EXPECT_INT(hd_config_parse(&a, texts[i], strlen(texts[i]), "c.json", NULL), 0);
		EXPECT_INT(hd_config_parse(&b, a.text.data, a.text.len, "c.json", NULL), 0);
		EXPECT_STR(a.text.data, b.text.data);
		EXPECT_STR(a.sha256, b.sha256);
		EXPECT_STR(a.form, b.form);
		hd_config_release(&a);
		hd_config_release(&b);
	}
}

TEST(text_that_is_no_strict_json_is_rejected_with_its_position)
{
	refuse("{\"a\":1,\"a\":1}", "c.json:1:8: not valid JSON: the key \"a\" occurs twice");
	refuse("{\"a\":NaN}", "c.json:1:6: not valid JSON: 'NaN' is wrong or does not belong here");
	refuse("", "c.json:1:1: not valid JSON: the text ends too early");
}

TEST(a_configuration_of_more_than_4_mib_is_refused)
{
	size_t n = (4u << 20) + 1;
	char *text = hd_alloc(n);
	struct hd_err err = { 0 };
	struct hd_config c;

	memset(text, ' ', n);
	EXPECT_INT(hd_config_parse(&c, text, n, "c.json", &err), HD_EFORMAT);
	EXPECT_STR(err.msg, "c.json: a configuration of 4194305 bytes; the limit is 4194304");
	free(text);
}

TEST_MAIN(RUN(the_six_keys_make_the_text_of_the_struct_whatever_their_order_and_spacing),
	  RUN(a_file_that_cannot_be_opened_is_no_configuration),
	  RUN(the_fingerprint_is_the_sha256_of_the_text),
	  RUN(lambda_and_eps_are_rounded_once_to_f32),
	  RUN(lambda_and_eps_are_written_as_ryu_prints_them),
	  RUN(tau_is_an_unsigned_64_bit_integer),
	  RUN(fields_of_another_type_or_range_are_refused),
	  RUN(compiler_flags_may_be_a_list_whose_order_counts),
	  RUN(strings_are_escaped_only_where_they_must_be),
	  RUN(one_key_more_or_less_is_not_the_struct),
	  RUN(keys_are_sorted_by_their_utf16_code_units),
	  RUN(numbers_become_the_double_they_mean),
	  RUN(values_keep_their_structure),
	  RUN(the_canonical_text_is_its_own_canonical_text),
	  RUN(text_that_is_no_strict_json_is_rejected_with_its_position),
	  RUN(a_configuration_of_more_than_4_mib_is_refused))
