/*
 * bytes.h - read untrusted bytes with bounds checks
 *
 * struct hd_bytes is a cursor over the bytes [p, end), which have a known byte order.  A read past the end returns 0,
 * moves the cursor to the end and sets `bad`, which stays set: read a whole structure, then check `bad` once.
 *
 * Ownership: none; the cursor is valid as long as the bytes.
 */
#ifndef HD_BASE_BYTES_H
#define HD_BASE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct hd_bytes {
	const uint8_t *p;
	const uint8_t *end;
	bool swap;		/* the bytes are in the other byte order */
	bool bad;		/* a read went past the end */
};

static inline struct hd_bytes hd_bytes_over(const void *p, size_t n, bool swap)
{
	/* Adding even 0 to NULL is undefined behaviour. */
	return (struct hd_bytes){ p, n ? (const uint8_t *)p + n : p, swap, false };
}

static inline size_t hd_bytes_left(const struct hd_bytes *b)
{
	return (size_t)(b->end - b->p);
}

/* Return the next n bytes and skip them; NULL (and `bad`) if fewer are left. */
static inline const void *hd_bytes_skip(struct hd_bytes *b, size_t n)
{
	const uint8_t *at = b->p;

	if (n > hd_bytes_left(b)) {
		b->bad = true;
		b->p = b->end;
		return NULL;
	}
	b->p += n;
	return at;
}

static inline uint8_t hd_bytes_u8(struct hd_bytes *b)
{
	const uint8_t *at = hd_bytes_skip(b, 1);

	return at ? *at : 0;
}

static inline uint16_t hd_bytes_u16(struct hd_bytes *b)
{
	const void *at = hd_bytes_skip(b, 2);
	uint16_t v = 0;

	if (at)
		memcpy(&v, at, 2);
	return b->swap ? __builtin_bswap16(v) : v;
}

static inline uint32_t hd_bytes_u32(struct hd_bytes *b)
{
	const void *at = hd_bytes_skip(b, 4);
	uint32_t v = 0;

	if (at)
		memcpy(&v, at, 4);
	return b->swap ? __builtin_bswap32(v) : v;
}

static inline uint64_t hd_bytes_u64(struct hd_bytes *b)
{
	const void *at = hd_bytes_skip(b, 8);
	uint64_t v = 0;

	if (at)
		memcpy(&v, at, 8);
	return b->swap ? __builtin_bswap64(v) : v;
}

#endif
