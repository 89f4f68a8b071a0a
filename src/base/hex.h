/* hex.h - write bytes and numbers as lower-case hexadecimal digits, and read digits of either case */
#ifndef HD_BASE_HEX_H
#define HD_BASE_HEX_H

#include <endian.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Write 2 * n digits and a NUL. */
static inline void hd_hex(const uint8_t *bytes, size_t n, char *out)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < n; i++) {
		*out++ = digits[bytes[i] >> 4];
		*out++ = digits[bytes[i] & 15];
	}
	*out = '\0';
}

static inline int hd_hex_digit(char c)		/* -1 if it is not a digit */
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Decode 2 * n digits.  Returns the number of bytes before the first invalid digit. */
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

/*
 * Return the eight digits of a 32-bit number, the most significant one in the lowest byte.  Computed without a loop,
 * because outputs contain hundreds of thousands of addresses.
 */
static inline uint64_t hd_hex_digits32(uint32_t v)
{
	uint64_t x = v, letters;

	x = (x << 32 | x >> 16) & 0x0000ffff0000ffff;
	x = (x << 16 | x >> 8) & 0x00ff00ff00ff00ff;
	x = (x << 8 | x >> 4) & 0x0f0f0f0f0f0f0f0f;	/* one digit in each byte */
	letters = (x + 0x0606060606060606) >> 4 & 0x0101010101010101;
	return x + 0x3030303030303030 + letters * ('a' - '9' - 1);
}

/* Write v like printf("0x%016x") and a NUL: HD_HEX64 bytes. */
static inline void hd_hex64(uint64_t v, char *out)
{
	uint64_t digits[2] = { htole64(hd_hex_digits32((uint32_t)(v >> 32))), htole64(hd_hex_digits32((uint32_t)v)) };

	out[0] = '0';
	out[1] = 'x';
	memcpy(out + 2, digits, sizeof(digits));
	out[18] = '\0';
}

#endif
