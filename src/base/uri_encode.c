/*
 * uri_encode.c - see uri_encode.h
 */
#include "base/uri_encode.h"

#include <string.h>

void hd_enc_uri(struct hd_buf *out, const char *s, size_t n)
{
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/";

	for (size_t i = 0; i < n; i++) {
		if (s[i] && strchr(plain, s[i]))
			hd_buf_addc(out, s[i]);
		else
			hd_buf_addf(out, "%%%02X", (unsigned char)s[i]);
	}
}
