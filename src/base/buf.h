/*
 * buf.h - a growing byte buffer that is always NUL-terminated
 *
 * Zero-initialise it (`struct hd_buf b = { 0 };`), append, release.  `data` is NULL at first.  The first append, even
 * of 0 bytes, sets it; hd_buf_release() and hd_buf_take() make it NULL again.
 */
#ifndef HD_BASE_BUF_H
#define HD_BASE_BUF_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hd_buf {
	char *data;
	size_t len;		/* without the NUL */
	size_t cap;
	/* width of the terminal that shows the text, in columns; 0: not a terminal, and names are not shortened */
	unsigned columns;
	bool colour;		/* hd_buf_colour() has an effect */
};

/* Append the escape sequence of a colour; nothing if b->colour is false. */
enum hd_colour { HD_COLOUR_NONE, HD_COLOUR_BOLD, HD_COLOUR_RED, HD_COLOUR_GREEN, HD_COLOUR_YELLOW };
void hd_buf_colour(struct hd_buf *b, enum hd_colour c);

void hd_buf_release(struct hd_buf *b);
void hd_buf_reset(struct hd_buf *b);			/* empty it, keep the memory */
char *hd_buf_reserve(struct hd_buf *b, size_t n);	/* make room for n more bytes and a NUL; return the end */
void hd_buf_add(struct hd_buf *b, const void *p, size_t n);
void hd_buf_adds(struct hd_buf *b, const char *s);
void hd_buf_addc(struct hd_buf *b, char c);
void hd_buf_addu(struct hd_buf *b, uint64_t v);		/* v in decimal; faster than hd_buf_addf() */
void hd_buf_le16(struct hd_buf *b, uint16_t v);		/* little-endian, the byte order of our own formats */
void hd_buf_le32(struct hd_buf *b, uint32_t v);
void hd_buf_le64(struct hd_buf *b, uint64_t v);
void hd_buf_addf(struct hd_buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void hd_buf_vaddf(struct hd_buf *b, const char *fmt, va_list ap);
const char *hd_buf_str(const struct hd_buf *b);		/* never NULL */
char *hd_buf_take(struct hd_buf *b);			/* the caller owns the string; b becomes empty */

#endif
