/*
 * gzip.c - see gzip.h
 */
#include "render/gzip.h"

#include "base/mem.h"

#include <libdeflate.h>

enum { LEVEL = 6 };

void hd_gzip(struct hd_buf *out, const void *p, size_t n)
{
	struct libdeflate_compressor *c = libdeflate_alloc_compressor(LEVEL);
	size_t most;
	char *to;

	if (!c)
		hd_out_of_memory("libdeflate");
	most = libdeflate_gzip_compress_bound(c, n);
	to = hd_buf_reserve(out, most);
	out->len += libdeflate_gzip_compress(c, p, n, to, most);
	out->data[out->len] = 0;
	libdeflate_free_compressor(c);
}
