/*
 * hex.h - bytes and numbers as lower-case hexadecimal digits: build-ids, sums, addresses; and back
 */
#ifndef HD_BASE_HEX_H
#define HD_BASE_HEX_H

#include <stddef.h>
#include <stdint.h>

/* 2 * n digits and a NUL. */
static inline void hd_hex(const uint8_t *bytes, size_t n, char *out)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < n; i++) {
		*out++ = digits[bytes[i] >> 4];
		*out++ = digits[bytes[i] & 15];
	}
	*out = '\0';
}

static inline int hd_hex_digit(char c)		/* -1: it is none */
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The bytes that 2 * n digits stand for; how many there are before something else. */
static inline size_t hd_unhex(const char *digits, uint8_t *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		int high = hd_hex_digit(digits[2 * i]), low = high < 0 ? -1 : hd_hex_digit(digits[2 * i + 1]);

		if (low < 0)
			return i;
		bytes[i] = (uint8_t)(high << 4 | low);
	}
	return n;
}

enum { HD_HEX64 = 19 };

/* As "0x%016x" writes it, with a NUL: HD_HEX64 bytes. */
static inline void hd_hex64(uint64_t v, char *out)
{
	uint8_t bytes[8];

	for (size_t i = 0; i < 8; i++)
		bytes[i] = (uint8_t)(v >> (56 - 8 * i));
	out[0] = '0';
	out[1] = 'x';
	hd_hex(bytes, sizeof(bytes), out + 2);
}

#endif
