/*
 * utf8.c - see utf8.h
 */
#include "track/utf8.h"

size_t hd_track_utf8(const char *s, size_t n, uint32_t *cp)
{
	const uint8_t *b = (const uint8_t *)s;
	size_t len = b[0] < 0x80 ? 1 : b[0] < 0xc2 ? 0 : b[0] < 0xe0 ? 2 : b[0] < 0xf0 ? 3 : b[0] < 0xf5 ? 4 : 0;

	if (!len || len > n)
		return 0;
	*cp = len == 1 ? b[0] : b[0] & (0x7fu >> len);
	for (size_t i = 1; i < len; i++) {
		if ((b[i] & 0xc0) != 0x80)
			return 0;
		*cp = *cp << 6 | (b[i] & 0x3f);
	}
	/* Reject overlong forms, surrogates, and code points beyond Unicode. */
	if ((len == 3 && *cp < 0x800) || (len == 4 && *cp < 0x10000) || (*cp >= 0xd800 && *cp < 0xe000) ||
		*cp > 0x10ffff)
		return 0;
	return len;
}
