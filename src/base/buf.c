/*
 * buf.c - see buf.h
 */
#include "base/buf.h"

#include "base/mem.h"

#include <endian.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void hd_buf_release(struct hd_buf *b)
{
	free(b->data);
	*b = (struct hd_buf){ 0 };
}

void hd_buf_reset(struct hd_buf *b)
{
	b->len = 0;
	if (b->data)
		b->data[0] = '\0';
}

/* Make room for n more bytes and the NUL; return the end. */
static inline char *room_for(struct hd_buf *b, size_t n)
{
	if (b->len + n >= b->cap || !b->data)
		b->data = hd_grow(b->data, b->len + n + 1, &b->cap, 1);
	return b->data + b->len;
}

char *hd_buf_reserve(struct hd_buf *b, size_t n)
{
	char *end = room_for(b, n);

	*end = '\0';
	return end;
}

void hd_buf_add(struct hd_buf *b, const void *p, size_t n)
{
	char *end = room_for(b, n);

	if (n)
		memcpy(end, p, n);
	end[n] = '\0';
	b->len += n;
}

void hd_buf_adds(struct hd_buf *b, const char *s)
{
	hd_buf_add(b, s, strlen(s));
}

void hd_buf_addc(struct hd_buf *b, char c)
{
	char *end = room_for(b, 1);

	end[0] = c;
	end[1] = '\0';
	b->len++;
}

void hd_buf_addu(struct hd_buf *b, uint64_t v)
{
	char digits[20];
	size_t i = sizeof(digits);

	do {
		digits[--i] = (char)('0' + v % 10);
		v /= 10;
	} while (v);
	hd_buf_add(b, digits + i, sizeof(digits) - i);
}

void hd_buf_vaddf(struct hd_buf *b, const char *fmt, va_list ap)
{
	char *end = room_for(b, 0);
	va_list again;
	int n;

	va_copy(again, ap);
	n = vsnprintf(end, b->cap - b->len, fmt, ap);
	if (n >= 0) {
		if ((size_t)n >= b->cap - b->len)	/* the output was cut off */
			vsnprintf(room_for(b, (size_t)n), (size_t)n + 1, fmt, again);
		b->len += (size_t)n;
	}
	b->data[b->len] = '\0';
	va_end(again);
}

void hd_buf_le16(struct hd_buf *b, uint16_t v)
{
	v = htole16(v);
	hd_buf_add(b, &v, sizeof(v));
}

void hd_buf_le32(struct hd_buf *b, uint32_t v)
{
	v = htole32(v);
	hd_buf_add(b, &v, sizeof(v));
}

void hd_buf_le64(struct hd_buf *b, uint64_t v)
{
	v = htole64(v);
	hd_buf_add(b, &v, sizeof(v));
}

void hd_buf_addf(struct hd_buf *b, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	hd_buf_vaddf(b, fmt, ap);
	va_end(ap);
}

const char *hd_buf_str(const struct hd_buf *b)
{
	return b->data ? b->data : "";
}

char *hd_buf_take(struct hd_buf *b)
{
	char *s = b->data ? b->data : hd_strdup("");

	*b = (struct hd_buf){ 0 };
	return s;
}

void hd_buf_colour(struct hd_buf *b, enum hd_colour c)
{
	static const char *const codes[] = {
		[HD_COLOUR_NONE] = "\033[0m", [HD_COLOUR_BOLD] = "\033[1m", [HD_COLOUR_RED] = "\033[1;31m",
		[HD_COLOUR_GREEN] = "\033[1;32m",
		[HD_COLOUR_YELLOW] = "\033[1;33m",
	};

	if (b->colour)
		hd_buf_adds(b, codes[c]);
}
