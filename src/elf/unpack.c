/*
 * unpack.c - see unpack.h
 */
#include "elf/unpack.h"

#include "base/mem.h"

#include <libdeflate.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>
#include <zstd_errors.h>

#ifndef ELFCOMPRESS_ZSTD
#define ELFCOMPRESS_ZSTD 2
#endif
#define UNPACKED_MAX (2ull << 30)

enum {
	ZDEBUG_HEADER = 12,
	RATIO_MOST = 1032,		/* largest compression ratio of deflate: two bits can expand to 258 bytes */
	STREAMS_MOST = 64,		/* concatenated streams; compilers write one */
};

static size_t header_size(const struct hd_elf *e, const struct hd_elf_section *s)
{
	return hd_is_zdebug(s) ? ZDEBUG_HEADER : e->is64 ? sizeof(Elf64_Chdr) : sizeof(Elf32_Chdr);
}

/* The header of a compressed section. */
struct packing { uint64_t size; bool zstd; };

static int packing_of(const struct hd_elf *e, const struct hd_elf_section *s, struct packing *p, struct hd_err *err)
{
	size_t n = header_size(e, s);
	uint8_t bytes[sizeof(Elf64_Chdr)] = { 0 };
	struct hd_bytes b = hd_elf_cursor(e, bytes, n);
	uint32_t type;
	int rc;

	if (s->size < n)
		return hd_fail(err, HD_EFORMAT, "`%s` is too short for a compressed section", s->name);
	rc = hd_elf_read(e, s->off, bytes, n, err);
	if (rc < 0)
		return rc;
	if (hd_is_zdebug(s)) {
		if (memcmp(bytes, "ZLIB", 4))
			return hd_fail(err, HD_EFORMAT, "`%s` has no ZLIB header", s->name);
		*p = (struct packing){ 0 };
		for (int i = 4; i < ZDEBUG_HEADER; i++)
			p->size = p->size << 8 | bytes[i];
		return 0;
	}
	type = hd_bytes_u32(&b);
	if (type != ELFCOMPRESS_ZLIB && type != ELFCOMPRESS_ZSTD)
		return hd_fail(err, HD_EFORMAT, "`%s` has an unknown compression type (%u)", s->name, type);
	if (e->is64)
		hd_bytes_u32(&b);
	*p = (struct packing){ e->is64 ? hd_bytes_u64(&b) : hd_bytes_u32(&b), type == ELFCOMPRESS_ZSTD };
	return 0;
}

int hd_unpack_size(const struct hd_elf *e, const struct hd_elf_section *s, uint64_t *size, struct hd_err *err)
{
	struct packing p;
	int rc = packing_of(e, s, &p, err);

	if (rc >= 0)
		*size = p.size;
	return rc;
}

/* Decompress exactly n bytes, from one or several concatenated zlib streams.  Returns false if there are fewer. */
static bool inflate(const uint8_t *from, size_t left, uint8_t *to, size_t n)
{
	struct libdeflate_decompressor *d = libdeflate_alloc_decompressor();
	size_t used, made;

	if (!d)
		hd_out_of_memory("libdeflate");
	for (int i = 0; n && i < STREAMS_MOST; i++) {
		if (libdeflate_zlib_decompress_ex(d, from, left, to, n, &used, &made) != LIBDEFLATE_SUCCESS)
			break;
		from += used;
		left -= used;
		to += made;
		n -= made;
	}
	libdeflate_free_decompressor(d);
	return !n;
}

static bool decompress(const uint8_t *from, size_t left, uint8_t *to, size_t n)
{
	size_t rc = ZSTD_decompress(to, n, from, left);

	if (ZSTD_getErrorCode(rc) == ZSTD_error_memory_allocation)
		hd_out_of_memory("zstd");
	return rc == n;
}

static uint8_t *unpack(const struct hd_elf *e, const struct hd_elf_section *s)
{
	size_t skip = header_size(e, s), n;
	uint8_t *packed, *bytes = NULL;
	struct packing p;

	if (packing_of(e, s, &p, NULL) < 0 || !p.size || p.size > UNPACKED_MAX || p.size / RATIO_MOST > s->size)
		return NULL;
	packed = hd_elf_bytes(e, s, UNPACKED_MAX, &n, NULL);
	if (packed) {
		bytes = hd_alloc(p.size);
		if (!(p.zstd ? decompress : inflate)(packed + skip, n - skip, bytes, p.size)) {
			free(bytes);
			bytes = NULL;
		}
	}
	free(packed);
	return bytes;
}

const uint8_t *hd_unpack(const struct hd_elf *e, struct hd_elf_section *s)
{
	if (!s->unpack_tried)
		s->unpacked = unpack(e, s);
	s->unpack_tried = true;
	return s->unpacked;
}
