/*
 * hex.h - bytes and numbers as lower-case hexadecimal digits: build-ids, sums, addresses
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
