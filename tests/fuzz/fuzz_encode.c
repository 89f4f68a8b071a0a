/*
 * fuzz_encode.c - encode any bytes as a name: no output has a character that is special in its format, and the folded
 * form decodes to the name
 */
#include "base/encode.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static void require(bool ok)
{
	if (!ok)
		abort();
}

/* Fail if the text has a control character, a byte of `never`, or invalid UTF-8. */
static void safe(const struct hd_buf *b, const char *never)
{
	uint32_t cp;

	for (size_t i = 0, len; i < b->len; i += len) {
		len = hd_utf8_decode(b->data + i, b->len - i, &cp);
		require(len > 0 && cp >= 0x20 && !(cp >= 0x7f && cp < 0xa0));
		require(len > 1 || !strchr(never, b->data[i]));
	}
}

static void sink(void (*enc)(struct hd_buf *, const char *, size_t), const char *s, size_t n, const char *never)
{
	struct hd_buf out = { 0 };

	enc(&out, s, n);
	safe(&out, never);
	if (out.len) {
		size_t cut = hd_enc_cut(out.data, out.len, 20);

		require(cut <= out.len && hd_enc_width(out.data, cut) <= 20);
	}
	hd_buf_release(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *s = (const char *)data;
	struct hd_buf text = { 0 }, back = { 0 };

	sink(hd_enc_visible, s, size, "");
	sink(hd_enc_term, s, size, "");
	sink(hd_enc_xml, s, size, "<>\"'");
	sink(hd_enc_json, s, size, "");
	sink(hd_enc_json_script, s, size, "<>&");
	sink(hd_enc_csv, s, size, "");
	sink(hd_enc_md, s, size, "");
	sink(hd_enc_folded, s, size, ";");

	hd_enc_folded(&text, s, size);
	hd_decode_folded(&back, hd_buf_str(&text), text.len);
	require(back.len == size && (!size || !memcmp(back.data, s, size)));
	hd_buf_reset(&back);
	hd_decode_folded(&back, s, size);		/* decode any text, which the encoder did not write, too */

	hd_buf_release(&text);
	hd_buf_release(&back);
	return 0;
}
