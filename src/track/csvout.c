/*
 * csvout.c - see csvout.h
 */
#include "track/csvout.h"

#include "track/number.h"
#include "track/status.h"
#include "track/visible.h"

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

static void put_byte(struct hd_csvout *o, char byte)
{
	char text[HD_VISIBLE_MAX];

	put(o, text, hd_visible_byte(text, (unsigned char)byte));
}

static size_t put_character(struct hd_csvout *o, const char *s, size_t n)
{
	char text[HD_VISIBLE_MAX];
	size_t used = 1;

	if (*s == '"')
		put(o, "\"\"", 2);
	else
		put(o, text, hd_visible_character(text, s, n, &used));
	return used;
}

void hd_csvout_name(struct hd_csvout *o, const char *s, size_t n)
{
	size_t i = 0;

	begin_cell(o);
	put(o, "\"", 1);
	if (n && (*s == '=' || *s == '+' || *s == '-' || *s == '@'))	/* spreadsheets would run a formula */
		put_byte(o, s[i++]);
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
