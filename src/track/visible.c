/*
 * visible.c - see visible.h
 */
#include "track/visible.h"

#include "track/utf8.h"

#include <stdbool.h>
#include <string.h>

static bool is_hidden(uint32_t cp)
{
	static const struct { uint32_t first, last; } hidden[] = {
		{ 0x80, 0x9f }, { 0x61c, 0x61c }, { 0x200b, 0x200f }, { 0x2028, 0x202e }, { 0x2060, 0x2064 },
		{ 0x2066, 0x206f },
		{ 0xfdd0, 0xfdef }, { 0xfeff, 0xfeff }, { 0xfff9, 0xfffb }, { 0xe0000, 0xe007f },
	};

	if ((cp & 0xfffe) == 0xfffe)
		return true;
	for (size_t i = 0; i < sizeof(hidden) / sizeof(hidden[0]); i++)
		if (cp >= hidden[i].first && cp <= hidden[i].last)
			return true;
	return false;
}

static char hex_digit(uint32_t v)
{
	return "0123456789abcdef"[v & 15];
}

size_t hd_visible_byte(char out[HD_VISIBLE_MAX], unsigned char byte)
{
	const char text[4] = { '\\', 'x', hex_digit(byte >> 4), hex_digit(byte) };

	memcpy(out, text, sizeof(text));
	return sizeof(text);
}

static size_t put_code(char *out, uint32_t cp)
{
	char text[HD_VISIBLE_MAX];
	size_t i = sizeof(text);

	text[--i] = '}';
	for (; cp; cp >>= 4)
		text[--i] = hex_digit(cp);
	text[--i] = '{';
	text[--i] = 'u';
	text[--i] = '\\';
	memcpy(out, text + i, sizeof(text) - i);
	return sizeof(text) - i;
}

size_t hd_visible_character(char out[HD_VISIBLE_MAX], const char *s, size_t n, size_t *used)
{
	uint32_t cp = 0;
	size_t len = hd_track_utf8(s, n, &cp);

	*used = len ? len : 1;
	if (!len || cp < 0x20 || cp == 0x7f)
		return hd_visible_byte(out, (unsigned char)*s);
	if (is_hidden(cp))
		return put_code(out, cp);
	memcpy(out, s, len);
	if (cp == '\\')
		out[len++] = '\\';
	return len;
}
