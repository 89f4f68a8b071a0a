/* gzip.h - compress n bytes into one gzip member, which is appended to a buffer */
#ifndef HD_RENDER_GZIP_H
#define HD_RENDER_GZIP_H

#include "base/buf.h"

void hd_gzip(struct hd_buf *out, const void *p, size_t n);

#endif
