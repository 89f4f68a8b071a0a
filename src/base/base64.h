/* base64.h - encode and decode base64 with padding (RFC 4648, section 4) */
#ifndef HD_BASE_BASE64_H
#define HD_BASE_BASE64_H

#include "base/buf.h"

#include <stdbool.h>
#include <stddef.h>

/* Append n bytes as base64, on one line. */
void hd_base64_add(struct hd_buf *out, const void *p, size_t n);
/*
 * Append the bytes that n characters of base64 encode.  White space is skipped; the text ends at the first '='.
 * Returns false if there is an invalid character before that; the bytes before it are appended nevertheless.
 */
bool hd_base64_decode(struct hd_buf *out, const char *text, size_t n);

#endif
