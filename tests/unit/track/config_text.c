/*
 * config_text.c - the fingerprints of a configuration are those of serde_json
 *
 * The texts and digests below were computed with serde_json 1.0.87 (ryu 1.0.2) and sha256sum: the struct was read from
 * the JSON with serde's derive and written with serde_json::to_string().  Newer versions write floats with zmij, whose
 * texts differ by the sign of positive exponents only (serde_json's pull requests 1304 and 1306; zmij's
 * tests/ryu_comparison.rs).
 */
#include "test.h"

#include "base/json.h"
#include "base/sha256.h"
#include "track/config_text.h"

#include <errno.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

static const struct row {
	const char *json, *serde, *sha256;
	const char *zmij;		/* NULL: the same text */
} rows[] = {
	{ "{\"model_commit\":\"ab12cd3\",\"weights_hash\":\"9f86\",\"lambda\":0.1,"
	  "\"tau\":18446744073709551615,\"eps\":1e-6,\"compiler_flags\":\"-O2 -g\"}",
	  "{\"model_commit\":\"ab12cd3\",\"weights_hash\":\"9f86\",\"lambda\":0.1,"
	  "\"tau\":18446744073709551615,\"eps\":0.000001,\"compiler_flags\":\"-O2 -g\"}",
	  "da5b9b089964580ae5fd0029b5671204a9fb293c4e6af9027535f8ad104d9f74",
	  NULL },
	{ "{\"model_commit\":\"\",\"weights_hash\":\"\",\"lambda\":16777216.0,\"tau\":0,\"eps\":1e16,"
	  "\"compiler_flags\":[]}",
	  "{\"model_commit\":\"\",\"weights_hash\":\"\",\"lambda\":16777216.0,\"tau\":0,\"eps\":1e16,"
	  "\"compiler_flags\":[]}",
	  "2cd1c1ba311f20c96813110a8d524b79aebd0b875eb35ce6e06f180373e6fc57",
	  "{\"model_commit\":\"\",\"weights_hash\":\"\",\"lambda\":16777216.0,"
	  "\"tau\":0,\"eps\":1e+16,\"compiler_flags\":[]}" },
	{ "{\"model_commit\":\"a\\\"b\\\\c/d\",\"weights_hash\":\"\\u0000\\b\\t\\n\\u000b\\f\\r\\u001f\\u007f\","
	  "\"lambda\":1e-7,\"tau\":1,\"eps\":1e13,\"compiler_flags\":[\"-O3\",\"-DX=\\\"1\\\"\"]}",
	  "{\"model_commit\":\"a\\\"b\\\\c/d\",\"weights_hash\":\"\\u0000\\b\\t\\n\\u000b\\f\\r\\u001f\x7f\","
	  "\"lambda\":1e-7,\"tau\":1,\"eps\":1e13,\"compiler_flags\":[\"-O3\",\"-DX=\\\"1\\\"\"]}",
	  "1e7bd0cda405cdf643fc8f361adfcedf95b2a4853415b6e2cfa1536e5fad7b13",
	  "{\"model_commit\":\"a\\\"b\\\\c/d\",\"weights_hash\":\"\\u0000\\b\\t\\n\\u000b\\f\\r\\u001f\x7f\","
	  "\"lambda\":1e-7,\"tau\":1,\"eps\":1e+13,\"compiler_flags\":[\"-O3\",\"-DX=\\\"1\\\"\"]}" },
	{ "{\"model_commit\":\"\xc5\xbbmija \xe5\xad\x97 \\ud83d\\ude00 \\u00e9\","
	  "\"weights_hash\":\"\\u2028\\u2029\\ufeff\","
	  "\"lambda\":3.4028235e38,\"tau\":7,\"eps\":1e-45,\"compiler_flags\":[\"\xc3\xa9\"]}",
	  "{\"model_commit\":\"\xc5\xbbmija \xe5\xad\x97 \xf0\x9f\x98\x80 \xc3\xa9\","
	  "\"weights_hash\":\"\xe2\x80\xa8\xe2\x80\xa9\xef\xbb\xbf\","
	  "\"lambda\":3.4028235e38,\"tau\":7,\"eps\":1e-45,\"compiler_flags\":[\"\xc3\xa9\"]}",
	  "35b373357ba812fe2fb08dfbc527dbd635fa144e8c84370b109df8595e17dc25",
	  "{\"model_commit\":\"\xc5\xbbmija \xe5\xad\x97 \xf0\x9f\x98\x80 \xc3\xa9\","
	  "\"weights_hash\":\"\xe2\x80\xa8\xe2\x80\xa9\xef\xbb\xbf\","
	  "\"lambda\":3.4028235e+38,\"tau\":7,\"eps\":1e-45,\"compiler_flags\":[\"\xc3\xa9\"]}" },
	{ "{\"model_commit\":\"c\",\"weights_hash\":\"w\",\"lambda\":1234567.8,"
	  "\"tau\":64,\"eps\":1e12,\"compiler_flags\":\"-O2\"}",
	  "{\"model_commit\":\"c\",\"weights_hash\":\"w\",\"lambda\":1234567.8,"
	  "\"tau\":64,\"eps\":1000000000000.0,\"compiler_flags\":\"-O2\"}",
	  "00cbeedf307687cee88bbb405bb389433bb2d1c5f7f7aef3207f4edac144526b",
	  NULL },
	{ "{\"model_commit\":\"c\",\"weights_hash\":\"w\",\"lambda\":-0.0,"
	  "\"tau\":64,\"eps\":9.999999e12,\"compiler_flags\":\"-O2\"}",
	  "{\"model_commit\":\"c\",\"weights_hash\":\"w\",\"lambda\":-0.0,"
	  "\"tau\":64,\"eps\":9999999000000.0,\"compiler_flags\":\"-O2\"}",
	  "6417e1ac0276b16326e24e1f0046d14b89931c27b58971f21db49b5857e53685",
	  NULL },
	{ "{\"model_commit\":\"c\",\"weights_hash\":\"w\",\"lambda\":0,"
	  "\"tau\":64,\"eps\":1.17549435e-38,\"compiler_flags\":\"-O2\"}",
	  "{\"model_commit\":\"c\",\"weights_hash\":\"w\",\"lambda\":0.0,"
	  "\"tau\":64,\"eps\":1.1754944e-38,\"compiler_flags\":\"-O2\"}",
	  "46ba63b87c114522a387b9c8a59f0a403afcaa6d5b237edf719e810ab2f005ca",
	  NULL },
	{ "{\"model_commit\":\"c\",\"weights_hash\":\"w\",\"lambda\":5,\"tau\":64,\"eps\":33554432,"
	  "\"compiler_flags\":\"-O2\"}",
	  "{\"model_commit\":\"c\",\"weights_hash\":\"w\",\"lambda\":5.0,"
	  "\"tau\":64,\"eps\":33554432.0,\"compiler_flags\":\"-O2\"}",
	  "ba3dd8565fc0fe5d44741140676378d19384b4664ae3d3ef25a89e3d21f0e58c",
	  NULL },
	{ "{\"model_commit\":\"c\",\"weights_hash\":\"w\",\"lambda\":0.000001,"
	  "\"tau\":64,\"eps\":0.00001,\"compiler_flags\":\"-O2\"}",
	  "{\"model_commit\":\"c\",\"weights_hash\":\"w\",\"lambda\":0.000001,"
	  "\"tau\":64,\"eps\":0.00001,\"compiler_flags\":\"-O2\"}",
	  "fb3905e389e23ff0e449ea033b341b5514b973841492a2db98f2df9c4d239bd2",
	  NULL },
	{ "{\"model_commit\":\"c\",\"weights_hash\":\"w\",\"lambda\":0.3,\"tau\":64,\"eps\":2.5e20,"
	  "\"compiler_flags\":\"-O2\"}",
	  "{\"model_commit\":\"c\",\"weights_hash\":\"w\",\"lambda\":0.3,\"tau\":64,\"eps\":2.5e20,"
	  "\"compiler_flags\":\"-O2\"}",
	  "275027c003a1cc5748d288c711f63bfd130eabefe537eba2a21b063efa6c45e1",
	  "{\"model_commit\":\"c\",\"weights_hash\":\"w\",\"lambda\":0.3,\"tau\":64,\"eps\":2.5e+20,"
	  "\"compiler_flags\":\"-O2\"}" },
};

static void expect_text(const char *json, enum hd_float_form form, const char *want, bool is_struct)
{
	struct hd_config_text t;

	EXPECT_INT(hd_config_text(&t, json, strlen(json), form), HD_TRACK_OK);
	EXPECT_STR(t.text, want);
	EXPECT_INT(t.len, strlen(want));
	EXPECT_INT(t.is_struct, is_struct);
	free(t.text);
}

static void expect_digest(const char *json, enum hd_float_form form, const char *want)
{
	char got[HD_DIGEST_TEXT];

	EXPECT_INT(hd_config_digest(json, strlen(json), form, got), HD_TRACK_OK);
	EXPECT_STR(got, want);
}

TEST(the_text_and_digest_of_the_struct_are_those_of_serde_json)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		expect_text(rows[i].json, HD_FLOAT_RYU, rows[i].serde, true);
		expect_digest(rows[i].json, HD_FLOAT_RYU, rows[i].sha256);
	}
}

TEST(zmij_writes_a_sign_in_positive_exponents)
{
	char sha256[HD_SHA256_HEX];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *want = rows[i].zmij ? rows[i].zmij : rows[i].serde;

		expect_text(rows[i].json, HD_FLOAT_ZMIJ, want, true);
		hd_sha256_hex(want, strlen(want), sha256);
		expect_digest(rows[i].json, HD_FLOAT_ZMIJ, sha256);
	}
}

TEST(other_configurations_are_written_by_rfc_8785_in_both_forms)
{
	static const char json[] = "{\"b\": [1e16, 0.1, -0, {}], \"a\": {\"\\u00e9\": null, \"e\": \"\\/\\u0001\"}}";
	static const char want[] = "{\"a\":{\"e\":\"/\\u0001\",\"\xc3\xa9\":null},\"b\":[10000000000000000,0.1,0,{}]}";

	expect_text(json, HD_FLOAT_RYU, want, false);
	expect_text(json, HD_FLOAT_ZMIJ, want, false);
	expect_text(" 1.50 ", HD_FLOAT_RYU, "1.5", false);
}

TEST(the_locale_of_the_program_changes_nothing)
{
	if (!setlocale(LC_ALL, "de_DE.UTF-8"))
		SKIP("the locale de_DE.UTF-8 is not installed");
	expect_text("[1.5]", HD_FLOAT_RYU, "[1.5]", false);
	setlocale(LC_ALL, "C");
}

TEST(errno_is_not_changed_by_numbers_that_are_too_small)
{
	errno = EAGAIN;
	expect_text("[1e-999]", HD_FLOAT_RYU, "[0]", false);
	EXPECT_INT(errno, EAGAIN);
}

TEST(what_base_json_rejects_is_rejected)
{
	static const char *const invalid[] = {
		"", " ", "{", "[", "]", "[1", "[1,", "[1,]", "[,1]", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{a:1}",
		"1 2",
		"{\"a\":1 \"b\":2}", "[1 2]", "01", "-", "-01", "1.", ".5", "1e", "1e+", "+1", "0x1", "nul", "nullx",
		"True", "\"", "\"\\", "\"\\x\"", "\"\\u12\"", "\"\\u12g4\"", "\"\\ud800\"", "\"\\ud800\\u0041\"",
		"\"\\udc00\"", "\"\x01\"", "\"\xff\"", "\"\xc0\x80\"", "\"\xed\xa0\x80\"", "{\"a\":1,\"a\":2}",
		"{\"a\":1,\"\\u0061\":2}", "\xef\xbb\xbf{}", "{\"a\":1}}", "[]]", "[}", "{]", "'a'", "[1]x",
	};
	struct hd_json_doc *doc;
	struct hd_err err = { 0 };
	struct hd_config_text t;

	for (size_t i = 0; i < sizeof(invalid) / sizeof(invalid[0]); i++) {
		size_t n = strlen(invalid[i]);
		char *exact = malloc(n + 1);	/* the text has no NUL at its end */

		memcpy(exact, invalid[i], n);
		EXPECT(hd_json_parse(&doc, exact, n, "t", &err) < 0);
		EXPECT_INT(hd_config_text(&t, exact, n, HD_FLOAT_RYU), HD_TRACK_INVALID);
		EXPECT(!t.text && !t.key && !t.number[0]);
		free(exact);
	}
	EXPECT_INT(hd_config_text(&t, "[\0]", 3, HD_FLOAT_RYU), HD_TRACK_INVALID);
	EXPECT_INT(hd_config_text(&t, "1\0", 2, HD_FLOAT_RYU), HD_TRACK_INVALID);
}

TEST(arrays_nest_512_deep_and_no_deeper)
{
	char text[2 * 513];
	struct hd_config_text t;

	memset(text, '[', 513);
	memset(text + 513, ']', 513);
	EXPECT_INT(hd_config_text(&t, text + 1, 2 * 512, HD_FLOAT_RYU), HD_TRACK_OK);
	EXPECT(t.len == 2 * 512 && !memcmp(t.text, text + 1, t.len));
	free(t.text);
	EXPECT_INT(hd_config_text(&t, text, 2 * 513, HD_FLOAT_RYU), HD_TRACK_INVALID);
}

TEST(a_number_beyond_the_range_of_a_double_is_named)
{
	struct hd_config_text t;

	EXPECT_INT(hd_config_text(&t, "[1, 1e400]", 10, HD_FLOAT_RYU), HD_TRACK_INVALID);
	EXPECT_STR(t.number, "1e400");
}

TEST(invalid_arguments_are_rejected)
{
	char out[HD_DIGEST_TEXT];

	EXPECT_INT(hd_config_digest(NULL, 0, HD_FLOAT_RYU, out), HD_TRACK_INVALID);
	EXPECT_INT(hd_config_digest("1", 1, (enum hd_float_form)2, out), HD_TRACK_INVALID);
	EXPECT_INT(hd_config_digest("", 0, HD_FLOAT_RYU, out), HD_TRACK_INVALID);
}

TEST_MAIN(RUN(the_text_and_digest_of_the_struct_are_those_of_serde_json),
	  RUN(zmij_writes_a_sign_in_positive_exponents),
	  RUN(other_configurations_are_written_by_rfc_8785_in_both_forms),
	  RUN(the_locale_of_the_program_changes_nothing),
	  RUN(errno_is_not_changed_by_numbers_that_are_too_small),
	  RUN(what_base_json_rejects_is_rejected),
	  RUN(arrays_nest_512_deep_and_no_deeper),
	  RUN(a_number_beyond_the_range_of_a_double_is_named),
	  RUN(invalid_arguments_are_rejected))
