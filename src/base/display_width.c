/*
 * display_width.c - compute how wide encoded names are on a terminal, and where to cut them
 *
 * This file implements hd_enc_width(), hd_enc_cut() and hd_enc_shorten() of encode.h.  The tables are our own, so that
 * columns do not depend on the locale or the C library.
 */
#include "base/encode.h"

#include <string.h>

/* Characters that take two columns: East Asian wide and fullwidth characters, and emoji.  Ascending. */
static const struct { uint32_t first, last; } wide[] = {
	{ 0x1100, 0x115f }, { 0x231a, 0x231b }, { 0x2329, 0x232a }, { 0x23e9, 0x23ec }, { 0x23f0, 0x23f0 },
	{ 0x23f3, 0x23f3 }, { 0x25fd, 0x25fe }, { 0x2614, 0x2615 }, { 0x2648, 0x2653 }, { 0x267f, 0x267f },
	{ 0x2693, 0x2693 }, { 0x26a1, 0x26a1 }, { 0x26aa, 0x26ab }, { 0x26bd, 0x26be }, { 0x26c4, 0x26c5 },
	{ 0x26ce, 0x26ce }, { 0x26d4, 0x26d4 }, { 0x26ea, 0x26ea }, { 0x26f2, 0x26f3 }, { 0x26f5, 0x26f5 },
	{ 0x26fa, 0x26fa }, { 0x26fd, 0x26fd }, { 0x2705, 0x2705 }, { 0x270a, 0x270b }, { 0x2728, 0x2728 },
	{ 0x274c, 0x274c }, { 0x274e, 0x274e }, { 0x2753, 0x2755 }, { 0x2757, 0x2757 }, { 0x2795, 0x2797 },
	{ 0x27b0, 0x27b0 }, { 0x27bf, 0x27bf }, { 0x2b1b, 0x2b1c }, { 0x2b50, 0x2b50 }, { 0x2b55, 0x2b55 },
	{ 0x2e80, 0x303e }, { 0x3041, 0x4dbf }, { 0x4e00, 0xa4cf }, { 0xa960, 0xa97f }, { 0xac00, 0xd7a3 },
	{ 0xf900, 0xfaff }, { 0xfe10, 0xfe19 }, { 0xfe30, 0xfe6f }, { 0xff00, 0xff60 }, { 0xffe0, 0xffe6 },
	{ 0x16fe0, 0x18d08 }, { 0x1aff0, 0x1b2fb }, { 0x1f004, 0x1f004 }, { 0x1f0cf, 0x1f0cf }, { 0x1f18e, 0x1f18e },
	{ 0x1f191, 0x1f19a }, { 0x1f200, 0x1f320 }, { 0x1f32d, 0x1f335 }, { 0x1f337, 0x1f37c }, { 0x1f37e, 0x1f393 },
	{ 0x1f3a0, 0x1f3ca }, { 0x1f3cf, 0x1f3d3 }, { 0x1f3e0, 0x1f3f0 }, { 0x1f3f4, 0x1f3f4 }, { 0x1f3f8, 0x1f43e },
	{ 0x1f440, 0x1f440 }, { 0x1f442, 0x1f4fc }, { 0x1f4ff, 0x1f53d }, { 0x1f54b, 0x1f54e }, { 0x1f550, 0x1f567 },
	{ 0x1f57a, 0x1f57a }, { 0x1f595, 0x1f596 }, { 0x1f5a4, 0x1f5a4 }, { 0x1f5fb, 0x1f64f }, { 0x1f680, 0x1f6c5 },
	{ 0x1f6cc, 0x1f6cc }, { 0x1f6d0, 0x1f6d2 }, { 0x1f6d5, 0x1f6d7 }, { 0x1f6dc, 0x1f6df }, { 0x1f6eb, 0x1f6ec },
	{ 0x1f6f4, 0x1f6fc }, { 0x1f7e0, 0x1f7eb }, { 0x1f7f0, 0x1f7f0 }, { 0x1f90c, 0x1f93a }, { 0x1f93c, 0x1f945 },
	{ 0x1f947, 0x1f9ff }, { 0x1fa70, 0x1faff }, { 0x20000, 0x2fffd }, { 0x30000, 0x3fffd },
};

/* Characters that take no column: combining marks of common scripts, and variation selectors.  Ascending. */
static const struct { uint32_t first, last; } narrow[] = {
	{ 0x0300, 0x036f }, { 0x0483, 0x0489 }, { 0x0591, 0x05bd }, { 0x05bf, 0x05bf },
	{ 0x05c1, 0x05c2 }, { 0x05c4, 0x05c5 }, { 0x0610, 0x061a }, { 0x064b, 0x065f }, { 0x0670, 0x0670 },
	{ 0x06d6, 0x06dc }, { 0x06df, 0x06e4 }, { 0x0900, 0x0902 }, { 0x093c, 0x093c }, { 0x0941, 0x0948 },
	{ 0x094d, 0x094d }, { 0x0e31, 0x0e31 }, { 0x0e34, 0x0e3a }, { 0x0e47, 0x0e4e }, { 0x1160, 0x11ff },
	{ 0x1ab0, 0x1aff }, { 0x1dc0, 0x1dff }, { 0x20d0, 0x20f0 }, { 0x302a, 0x302d }, { 0x3099, 0x309a },
	{ 0xfe00, 0xfe0f }, { 0xfe20, 0xfe2f }, { 0xe0100, 0xe01ef },
};

static size_t columns_of(uint32_t cp)
{
	if (cp < 0x300)
		return 1;
	for (size_t i = 0; i < sizeof(narrow) / sizeof(narrow[0]) && cp >= narrow[i].first; i++)
		if (cp <= narrow[i].last)
			return 0;
	for (size_t i = 0; i < sizeof(wide) / sizeof(wide[0]) && cp >= wide[i].first; i++)
		if (cp <= wide[i].last)
			return 2;
	return 1;
}

size_t hd_enc_width(const char *text, size_t n)
{
	size_t cols = 0, len;
	uint32_t cp;

	for (size_t i = 0; i < n; i += len) {
		len = hd_utf8_decode(text + i, n - i, &cp);
		cols += len ? columns_of(cp) : 1;
		len = len ? len : 1;
	}
	return cols;
}

/* Return the length of the character or escape at s, which must not be split. */
static size_t unit_at(const char *s, size_t n)
{
	uint32_t cp;
	size_t len;

	if (s[0] == '\\' && n >= 4 && s[1] == 'x')
		return 4;
	if (s[0] == '\\' && n >= 4 && s[1] == 'u' && s[2] == '{') {
		const char *end = memchr(s, '}', n < 12 ? n : 12);

		return end ? (size_t)(end - s) + 1 : 2;
	}
	if (s[0] == '\\' && n >= 2)
		return 2;
	len = hd_utf8_decode(s, n, &cp);
	return len ? len : 1;
}

size_t hd_enc_cut(const char *text, size_t n, size_t columns)
{
	size_t i = 0, used = 0;

	while (i < n) {
		size_t len = unit_at(text + i, n - i);

		used += hd_enc_width(text + i, len);
		if (used > columns)
			break;
		i += len;
	}
	return i;
}

/* Return the length of the first character or escape of an encoded name, with the marks that combine with it. */
static size_t first_unit(const char *text, size_t n)
{
	size_t unit = 0;

	for (size_t w = 1; !unit && w <= 16; w++)
		unit = hd_enc_cut(text, n, w);
	return unit ? unit : n;
}

void hd_enc_shorten(struct hd_buf *out, const char *text, size_t n, size_t columns)
{
	size_t head, rest = hd_enc_width(text, n), from = 0, unit, room;

	if (rest <= columns) {
		hd_buf_add(out, text, n);
		return;
	}
	head = hd_enc_cut(text, n, columns / 2);
	room = columns - hd_enc_width(text, head) - (columns > 0);
	for (; rest > room; from += unit) {
		unit = first_unit(text + from, n - from);
		rest -= hd_enc_width(text + from, unit);
	}
	hd_buf_add(out, text, head);
	hd_buf_addc(out, '~');
	hd_buf_add(out, text + from, n - from);
}
