/*
 * minidebug.c - see minidebug.h
 */
#include "elf/minidebug.h"

#include "base/mem.h"

#include <lzma.h>
#include <stdlib.h>

enum {
	PACKED_MAX = 256 << 20,
	UNPACKED_MAX = 512 << 20,
	RATIO_MAX = 64,			/* largest accepted ratio; that of symbol tables is 4 to 8 */
	SMALL = 1 << 20,		/* below this size the ratio is not checked */
};

/* Memory limit of the decoder: xz -9 needs 65 MiB. */
#define DECODER_MAX (128ull << 20)

void *hd_xz_unpack(const void *in, size_t n, size_t max, size_t *out_n, struct hd_err *err)
{
	lzma_stream lz = LZMA_STREAM_INIT;
	size_t cap = 0, limit = n > max / RATIO_MAX ? max : n * RATIO_MAX < SMALL ? SMALL : n * RATIO_MAX;
	uint8_t *out = NULL;
	lzma_ret rc;

	if (limit > max)
		limit = max;
	rc = lzma_stream_decoder(&lz, DECODER_MAX, LZMA_CONCATENATED);
	lz.next_in = in;
	lz.avail_in = n;
	while (rc == LZMA_OK) {
		if (!lz.avail_out) {
			size_t used = cap;

			if (cap == limit) {
				rc = LZMA_MEMLIMIT_ERROR;
				break;
			}
			cap = cap ? 2 * cap : 4 * n + 4096;
			if (cap > limit)
				cap = limit;
			out = hd_realloc(out, cap, 1);
			lz.next_out = out + used;
			lz.avail_out = cap - used;
		}
		rc = lzma_code(&lz, LZMA_FINISH);
	}
	*out_n = cap - lz.avail_out;
	lzma_end(&lz);
	if (rc == LZMA_MEM_ERROR)
		hd_out_of_memory("liblzma");
	if (rc == LZMA_STREAM_END)
		return out;
	free(out);
	if (rc == LZMA_MEMLIMIT_ERROR)
		hd_fail(err, HD_EFORMAT, "xz data of %zu bytes unpack to more than %zu", n, limit);
	else
		hd_fail(err, HD_EFORMAT, "xz data of %zu bytes are damaged (code %d)", n, (int)rc);
	return NULL;
}

struct hd_elf *hd_minidebug_open(struct hd_elf *e)
{
	const struct hd_elf_section *sec = hd_elf_section(e, ".gnu_debugdata");
	struct hd_elf *inner = NULL;
	struct hd_err err;
	size_t n, size;
	void *packed, *image;

	if (!sec)
		return NULL;
	packed = hd_elf_bytes(e, sec, PACKED_MAX, &n, &err);
	image = packed ? hd_xz_unpack(packed, n, UNPACKED_MAX, &size, &err) : NULL;
	free(packed);
	if (!image || hd_elf_open_memory(&inner, image, size, e->path, &err) < 0)
		hd_elf_damaged(e, "`.gnu_debugdata`: %s", err.msg);
	return inner;
}
