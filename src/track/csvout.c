/*
 * csvout.c - see csvout.h
 */
#include "track/csvout.h"

#include "track/number.h"
#include "track/status.h"
#include "track/utf8.h"

#include <math.h>
#include <string.h>

struct hd_csvout hd_csvout_to(char *room, size_t cap)
{
	return (struct hd_csvout){ .out = room, .cap = cap };
}

static void put(struct hd_csvout *o, const char *s, size_t n)
{
	if (o->full || n > o->cap - o->len) {
		o->full = true;
		return;
	}
	memcpy(o->out + o->len, s, n);
	o->len += n;
}

static void begin_cell(struct hd_csvout *o)
{
	if (o->begun)
		put(o, ",", 1);
	o->begun = true;
}

void hd_csvout_u64(struct hd_csvout *o, uint64_t v)
{
	char digits[20];
	size_t i = sizeof(digits);

	do
		digits[--i] = (char)('0' + v % 10);
	while (v /= 10);
	begin_cell(o);
	put(o, digits + i, sizeof(digits) - i);
}

void hd_csvout_num(struct hd_csvout *o, double v)
{
	char text[HD_NUMBER_TEXT_MAX];

	begin_cell(o);
	if (isfinite(v))
		put(o, text, hd_number_write(text, v));
}

void hd_csvout_empty(struct hd_csvout *o)
{
	begin_cell(o);
}

/* ---- names ---- */

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

static void put_byte(struct hd_csvout *o, uint8_t byte)
{
	char text[4] = { '\\', 'x', hex_digit(byte >> 4), hex_digit(byte) };

	put(o, text, sizeof(text));
}

static void put_code(struct hd_csvout *o, uint32_t cp)
{
	char text[12];
	size_t i = sizeof(text);

	text[--i] = '}';
	for (; cp; cp >>= 4)
		text[--i] = hex_digit(cp);
	text[--i] = '{';
	text[--i] = 'u';
	text[--i] = '\\';
	put(o, text + i, sizeof(text) - i);
}

static size_t put_character(struct hd_csvout *o, const char *s, size_t n)
{
	uint32_t cp = 0;
	size_t len = hd_track_utf8(s, n, &cp);

	if (!len || cp < 0x20 || cp == 0x7f)
		put_byte(o, (uint8_t)*s);
	else if (is_hidden(cp))
		put_code(o, cp);
	else if (cp == '\\' || cp == '"')
		put(o, cp == '"' ? "\"\"" : "\\\\", 2);
	else
		put(o, s, len);
	return len ? len : 1;
}

void hd_csvout_name(struct hd_csvout *o, const char *s, size_t n)
{
	size_t i = 0;

	begin_cell(o);
	put(o, "\"", 1);
	if (n && (*s == '=' || *s == '+' || *s == '-' || *s == '@'))	/* spreadsheets would run a formula */
		put_byte(o, (uint8_t)s[i++]);
	while (i < n && !o->full)
		i += put_character(o, s + i, n - i);
	put(o, "\"", 1);
}

/* ---- rows ---- */

int hd_csvout_end(struct hd_csvout *o)
{
	put(o, "\n", 1);
	if (o->full)
		o->len = o->row;
	o->row = o->len;
	o->begun = false;
	if (!o->full)
		return HD_TRACK_OK;
	o->full = false;
	return HD_TRACK_FULL;
}

int hd_csvout_line(struct hd_csvout *o, const char *line)
{
	put(o, line, strlen(line));
	return hd_csvout_end(o);
}
