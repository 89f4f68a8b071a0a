/* stored_text.c - stored text is printed unchanged unless an output format cannot contain it */
#include "test.h"

#include "base/encode.h"
#include "base/mem.h"
#include "render/stored_text.h"

#include <stdlib.h>
#include <string.h>

typedef void sink_fn(struct hd_buf *, const char *, size_t);

static void put(sink_fn *fn, const char *s, size_t n, const char *want)
{
	char *copy = hd_alloc(n ? n : 1);
	struct hd_buf out = { 0 };

	memcpy(copy, s, n);
	fn(&out, copy, n);
	free(copy);
	EXPECT_STR(hd_buf_str(&out), want);
	hd_buf_release(&out);
}

#define EXPECT_PUT(fn, bytes, want) put(fn, bytes, sizeof(bytes) - 1, want)

TEST(a_stored_name_reads_as_encode_h_would_write_its_bytes)
{
	static const char *const names[] = {
		"plain", "say \"hi\"", "it's", "a\nmain 99", "\x1b[31mred", "\xff\xfe\x80ok", "C:\\x\\xff", "caf\xc3",
		"\xe2\x80\xaegnp.exe",
		"\xc2\x9b\x32J", "\xf0\x9f\x99\x82", "=HYPERLINK(\"x\")", "-x", "@x", "+x", "a|b", "%s%n", "",
	};
	struct hd_buf v = { 0 }, want = { 0 };

	for (size_t i = 0; i < HD_COUNT(names); i++) {
		size_t n = strlen(names[i]);

		hd_buf_reset(&v);
		hd_enc_visible(&v, names[i], n);
		hd_buf_reset(&want);
		hd_enc_json(&want, names[i], n);
		put(hd_stored_text_json, hd_buf_str(&v), v.len, want.data);
		hd_buf_reset(&want);
		hd_enc_csv(&want, names[i], n);
		put(hd_stored_text_csv, hd_buf_str(&v), v.len, want.data);
		hd_buf_reset(&want);
		hd_enc_term(&want, names[i], n);
		put(hd_stored_text_term, hd_buf_str(&v), v.len, want.data);
	}
	hd_buf_release(&v);
	hd_buf_release(&want);
}

TEST(on_a_terminal_nothing_can_act)
{
	EXPECT_PUT(hd_stored_text_term, "a\nb\x1b[2J\x7f", "a\\x0ab\\x1b[2J\\x7f");
	EXPECT_PUT(hd_stored_text_term, "a\0b", "a\\x00b");
	EXPECT_PUT(hd_stored_text_term, "\xff\\\xe2\x80\xae\\", "\\xff\\\\u{202e}\\");
	EXPECT_PUT(hd_stored_text_term, "", "\\e");
}

TEST(csv_has_one_field_per_cell_and_no_formula)
{
	EXPECT_PUT(hd_stored_text_csv, "a\"b\",\r\n", "\"a\"\"b\"\",\\x0d\\x0a\"");
	EXPECT_PUT(hd_stored_text_csv, "=1", "\"\\x3d1\"");
	EXPECT_PUT(hd_stored_text_csv, "\\x3d1", "\"\\x3d1\"");
	EXPECT_PUT(hd_stored_text_csv, "a=1", "\"a=1\"");
	EXPECT_PUT(hd_stored_text_csv, "\0=", "\"\\x00=\"");
	EXPECT_PUT(hd_stored_text_csv, "", "\"\"");
}

TEST(json_holds_every_valid_text_exactly)
{
	EXPECT_PUT(hd_stored_text_json, "{\"a\":\"x\\ny\"}", "\"{\\\"a\\\":\\\"x\\\\ny\\\"}\"");
	EXPECT_PUT(hd_stored_text_json, "\n\0\x1f\x7f", "\"\\u000a\\u0000\\u001f\\u007f\"");
	EXPECT_PUT(hd_stored_text_json, "\xc2\x9b\xe2\x80\xa8\xef\xbb\xbf", "\"\\u009b\\u2028\\ufeff\"");
	EXPECT_PUT(hd_stored_text_json, "\xf3\xa0\x80\x81\xf4\x8f\xbf\xbf", "\"\\udb40\\udc01\\udbff\\udfff\"");
	EXPECT_PUT(hd_stored_text_json, "\xff\xc3", "\"\\\\xff\\\\xc3\"");
}

TEST_MAIN(RUN(a_stored_name_reads_as_encode_h_would_write_its_bytes),
	  RUN(on_a_terminal_nothing_can_act),
	  RUN(csv_has_one_field_per_cell_and_no_formula),
	  RUN(json_holds_every_valid_text_exactly))
