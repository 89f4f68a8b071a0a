/*
 * base64.c - see base64.h
 */
#include "base/base64.h"

#include <string.h>

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void hd_base64_add(struct hd_buf *out, const void *p, size_t n)
{
	const uint8_t *b = p;

	for (size_t i = 0; i < n; i += 3) {
		uint32_t v = (uint32_t)b[i] << 16 | (i + 1 < n ? (uint32_t)b[i + 1] << 8 : 0) |
			(i + 2 < n ? b[i + 2] : 0);

		hd_buf_addc(out, digits[v >> 18]);
		hd_buf_addc(out, digits[v >> 12 & 63]);
		hd_buf_addc(out, i + 1 < n ? digits[v >> 6 & 63] : '=');
		hd_buf_addc(out, i + 2 < n ? digits[v & 63] : '=');
	}
}

bool hd_base64_decode(struct hd_buf *out, const char *text, size_t n)
{
	uint32_t v = 0;
	unsigned bits = 0;

	for (size_t i = 0; i < n && text[i] != '='; i++) {
		const char *at;

		if (memchr(" \t\r\n", text[i], 4))
			continue;
		at = text[i] ? strchr(digits, text[i]) : NULL;
		if (!at)
			return false;
		v = v << 6 | (uint32_t)(at - digits);
		bits += 6;
		if (bits >= 8) {
			bits -= 8;
			hd_buf_addc(out, (char)(v >> bits & 255));
		}
	}
	return true;
}
