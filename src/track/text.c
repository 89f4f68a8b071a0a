/*
 * text.c - see text.h
 */
#include "track/text.h"

#include "track/number.h"
#include "track/visible.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Make room for n bytes and a NUL. */
static bool reserve(struct hd_text *t, size_t n)
{
	size_t cap = t->cap ? t->cap : 256;
	char *s;

	if (t->failed)
		return false;
	if (n < t->cap - t->n)
		return true;
	while (cap - t->n <= n && cap <= SIZE_MAX / 2)
		cap *= 2;
	s = cap - t->n > n ? realloc(t->s, cap) : NULL;
	if (!s) {
		t->failed = true;
		return false;
	}
	t->s = s;
	t->cap = cap;
	return true;
}

void hd_text_bytes(struct hd_text *t, const char *s, size_t n)
{
	if (!n || !reserve(t, n))
		return;
	memcpy(t->s + t->n, s, n);
	t->n += n;
	t->s[t->n] = '\0';
}

void hd_text_add(struct hd_text *t, const char *s)
{
	hd_text_bytes(t, s, strlen(s));
}

void hd_text_addf(struct hd_text *t, const char *format, ...)
{
	char room[512];
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(room, sizeof(room), format, args);
	va_end(args);
	if (n < 0 || (size_t)n >= sizeof(room))
		/*
		 * The text is too long for `room`.  This does not happen, because the formats are short constants, and
		 * long names are added by hd_text_name().
		 */
		t->failed = true;
	else
		hd_text_bytes(t, room, (size_t)n);
}

/* ---- names ---- */

static void put_json(struct hd_text *t, char c)
{
	if (c == '"' || c == '\\')
		hd_text_bytes(t, "\\", 1);
	hd_text_bytes(t, &c, 1);
}

static void put_xml(struct hd_text *t, char c)
{
	switch (c) {
	case '&':  hd_text_add(t, "&amp;"); break;
	case '<':  hd_text_add(t, "&lt;"); break;
	case '>':  hd_text_add(t, "&gt;"); break;
	case '"':  hd_text_add(t, "&quot;"); break;
	case '\'': hd_text_add(t, "&#39;"); break;
	default:   hd_text_bytes(t, &c, 1);
	}
}

static void put_markdown(struct hd_text *t, char c)
{
	if (c == '|')
		hd_text_bytes(t, "\\", 1);
	hd_text_bytes(t, &c, 1);
}

static void put_visible(struct hd_text *t, enum hd_text_form form, const char *s)
{
	size_t n = strlen(s), used;

	for (size_t i = 0; i < n; i += used) {
		char shown[HD_VISIBLE_MAX];
		size_t len = hd_visible_character(shown, s + i, n - i, &used);

		for (size_t k = 0; k < len; k++)
			switch (form) {
			case HD_TEXT_PLAIN:	hd_text_bytes(t, shown + k, 1); break;
			case HD_TEXT_JSON:	put_json(t, shown[k]); break;
			case HD_TEXT_XML:	put_xml(t, shown[k]); break;
			case HD_TEXT_MARKDOWN:	put_markdown(t, shown[k]); break;
			}
	}
}

/*
 * Append a name as a Markdown code span.  The delimiter is one backtick longer than the longest run of backticks in the
 * name.  Blanks pad a name that begins or ends with a backtick or a blank.
 */
static void put_span(struct hd_text *t, const char *name)
{
	size_t run = 0, longest = 0, n = strlen(name);
	bool pad = n && (name[0] == '`' || name[n - 1] == '`' || name[0] == ' ' || name[n - 1] == ' ');

	for (size_t i = 0; i < n; i++) {
		run = name[i] == '`' ? run + 1 : 0;
		longest = run > longest ? run : longest;
	}
	for (size_t i = 0; i <= longest; i++)
		hd_text_add(t, "`");
	hd_text_add(t, pad ? " " : "");
	if (n)
		put_visible(t, HD_TEXT_MARKDOWN, name);
	else
		hd_text_add(t, "\\e");
	hd_text_add(t, pad ? " " : "");
	for (size_t i = 0; i <= longest; i++)
		hd_text_add(t, "`");
}

void hd_text_name(struct hd_text *t, enum hd_text_form form, const char *name)
{
	if (form == HD_TEXT_MARKDOWN) {
		put_span(t, name);
		return;
	}
	if (form == HD_TEXT_JSON)
		hd_text_add(t, "\"");
	if (*name || form == HD_TEXT_JSON)
		put_visible(t, form, name);
	else
		hd_text_add(t, "\\e");
	if (form == HD_TEXT_JSON)
		hd_text_add(t, "\"");
}

void hd_text_number(struct hd_text *t, double v)
{
	char text[HD_NUMBER_TEXT_MAX];

	if (isfinite(v))
		hd_text_bytes(t, text, hd_number_write(text, v));
	else
		hd_text_add(t, "null");
}

int hd_text_take(struct hd_text *t, char **out)
{
	if (t->failed || !reserve(t, 0)) {
		hd_text_release(t);
		return HD_TRACK_NOMEM;
	}
	t->s[t->n] = '\0';
	*out = t->s;
	*t = (struct hd_text){ 0 };
	return HD_TRACK_OK;
}

void hd_text_release(struct hd_text *t)
{
	free(t->s);
	*t = (struct hd_text){ 0 };
}
