/*
 * svg_text.c - see svg_text.h
 */
#include "render/svg_text.h"

#include "base/encode.h"
#include "base/mem.h"
#include "base/sha256.h"

#include <string.h>

#define ELLIPSIS "\u2026"

enum { LONG_NAME = 1000 };	/* longer names, in bytes, are cut */

/* Return the length of the longest prefix of at most `max` bytes that ends between two characters. */
static size_t start_of(const char *name, size_t n, size_t max)
{
	size_t keep = max;

	if (n <= max)
		return n;
	while (keep + 3 > max && (name[keep] & 0xc0) == 0x80)
		keep--;
	return keep;
}

void hd_svg_short(char *out, size_t max, const char *name)
{
	size_t keep = start_of(name, strlen(name), max);

	memcpy(out, name, keep);
	out[keep] = '\0';
}

void hd_svg_name(struct hd_buf *out, const char *name)
{
	size_t n = strlen(name), keep = start_of(name, n, LONG_NAME);
	char hex[HD_SHA256_HEX];

	hd_enc_term(out, name, keep);
	if (keep < n) {
		hd_sha256_hex(name, n, hex);
		hd_buf_addf(out, ELLIPSIS " #%.16s", hex);
	}
}

void hd_svg_entities(struct hd_buf *out, const char *text, size_t n)
{
	hd_enc_entities(out, text, n);
}

void hd_svg_cut(struct hd_buf *out, const char *text, size_t n, size_t columns)
{
	size_t keep = n;

	if (hd_enc_width(text, n) > columns)
		keep = hd_enc_cut(text, n, columns ? columns - 1 : 0);
	hd_svg_entities(out, text, keep);
	if (keep < n)
		hd_buf_adds(out, ELLIPSIS);
}

/* Return the start of the next part of a qualified name, outside <> and (); n if there is none. */
static size_t next_part(const char *text, size_t n, size_t from)
{
	size_t depth = 0;

	for (size_t i = from; i + 2 < n; i++) {
		if (text[i] == '<' || text[i] == '(')
			depth++;
		else if ((text[i] == '>' || text[i] == ')') && depth)
			depth--;
		else if (depth == 0 && text[i] == ':' && text[i + 1] == ':')
			return i + 2;
	}
	return n;
}

void hd_svg_label(struct hd_buf *out, const char *text, size_t n, size_t columns)
{
	size_t part = 0, next;

	if (hd_enc_width(text, n) <= columns) {
		hd_svg_entities(out, text, n);
		return;
	}
	while ((next = next_part(text, n, part)) < n) {
		part = next;
		/*
		 * Test the number of bytes first: text of that many columns has at most four bytes per column, except
		 * for combining marks.  Measuring the width after each part would be quadratic for a hostile name.
		 */
		if (n - part <= 4 * columns && hd_enc_width(text + part, n - part) + 1 <= columns) {
			hd_buf_adds(out, ELLIPSIS);
			hd_svg_entities(out, text + part, n - part);
			return;
		}
	}
	hd_svg_cut(out, text + part, n - part, columns);
}

void hd_svg_px(struct hd_buf *out, uint64_t hundredths)
{
	hd_buf_addu(out, hundredths / 100);
	if (hundredths % 100) {
		hd_buf_addc(out, '.');
		hd_buf_addc(out, (char)('0' + hundredths / 10 % 10));
		if (hundredths % 10)
			hd_buf_addc(out, (char)('0' + hundredths % 10));
	}
}
