/*
 * uri_encode.h - encode bytes for URLs
 */
#ifndef HD_BASE_URI_ENCODE_H
#define HD_BASE_URI_ENCODE_H

#include "base/buf.h"

/* Percent-encoding (RFC 3986): all bytes but the unreserved ones and "/" become %HH. */
void hd_enc_uri(struct hd_buf *out, const char *s, size_t n);

#endif
