/*
 * stored_text.c - see stored_text.h
 */
#include "render/stored_text.h"

#include "base/encode.h"

#include <string.h>

/* Append a text in its visible form, except that backslashes are not doubled. */
static void visible(struct hd_buf *out, const char *s, size_t n)
{
	while (n) {
		const char *bs = memchr(s, '\\', n);
		size_t run = bs ? (size_t)(bs - s) : n;

		hd_enc_visible(out, s, run);
		if (bs) {
			hd_buf_addc(out, '\\');
			run++;
		}
		s += run;
		n -= run;
	}
}

void hd_stored_text_term(struct hd_buf *out, const char *s, size_t n)
{
	if (n && memchr(s, '\\', n))
		visible(out, s, n);
	else
		/* unlike visible(), hd_enc_term() marks a text that is empty or equal to a pseudo-name */
		hd_enc_term(out, s, n);
}

void hd_stored_text_csv(struct hd_buf *out, const char *s, size_t n)
{
	struct hd_buf text = { 0 };

	visible(&text, s, n);
	hd_buf_addc(out, '"');
	for (size_t i = 0; i < text.len; i++) {
		char c = text.data[i];

		if (i == 0 && c != '\0' && strchr("=+-@", c))	/* a spreadsheet would evaluate the cell as a formula */
			hd_buf_addf(out, "\\x%02x", (unsigned)c);
		else if (c == '"')
			hd_buf_adds(out, "\"\"");
		else
			hd_buf_addc(out, c);
	}
	hd_buf_addc(out, '"');
	hd_buf_release(&text);
}

/* Append a character beyond ASCII that the visible form hides, as one or two \uXXXX. */
static void put_hidden(struct hd_buf *out, uint32_t cp)
{
	if (cp >= 0x10000)
		hd_buf_addf(out, "\\u%04x\\u%04x", 0xd7c0 + (cp >> 10), 0xdc00 + (cp & 0x3ff));
	else
		hd_buf_addf(out, "\\u%04x", cp);
}

/* Append text for a JSON string.  quotes: also escape quotes and backslashes. */
static void put_json(struct hd_buf *out, const char *s, size_t n, bool quotes)
{
	struct hd_buf v = { 0 };
	uint32_t cp;
	size_t len;

	for (size_t i = 0; i < n; i += len) {
		len = hd_utf8_decode(s + i, n - i, &cp);
		if (len == 0) {
			hd_buf_addf(out, "\\\\x%02x", (unsigned char)s[i]);
			len = 1;
			continue;
		}
		hd_buf_reset(&v);
		hd_enc_visible(&v, s + i, len);
		if (s[i] == '"' || s[i] == '\\')
			hd_buf_addf(out, quotes ? "\\%c" : "%c", s[i]);
		else if (v.len == len)
			hd_buf_add(out, s + i, len);
		else
			put_hidden(out, cp);
	}
	hd_buf_release(&v);
}

void hd_stored_text_json(struct hd_buf *out, const char *s, size_t n)
{
	hd_buf_addc(out, '"');
	put_json(out, s, n, true);
	hd_buf_addc(out, '"');
}

void hd_stored_text_json_value(struct hd_buf *out, const char *json, size_t n)
{
	put_json(out, json, n, false);
}
