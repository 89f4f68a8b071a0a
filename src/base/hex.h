/*
 * hex.h - bytes as lower-case hexadecimal digits: build-ids, sums
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

#endif
