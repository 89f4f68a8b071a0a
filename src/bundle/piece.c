/*
 * piece.c - see piece.h
 */
#include "bundle/piece.h"

#include "base/mem.h"

#include <stdlib.h>
#include <zstd.h>

/* Higher zstd levels take much longer and save little. */
enum { LEVEL = 9 };

struct hd_piece_packer {
	ZSTD_CCtx *ctx;
};

struct hd_piece_packer *hd_piece_packer_new(void)
{
	struct hd_piece_packer *p = hd_new(struct hd_piece_packer);

	p->ctx = ZSTD_createCCtx();
	return p;
}

void hd_piece_packer_free(struct hd_piece_packer *p)
{
	if (!p)
		return;
	ZSTD_freeCCtx(p->ctx);
	free(p);
}

int hd_piece_pack(struct hd_piece_packer *p, const void *bytes, size_t n, struct hd_buf *out, struct hd_err *err)
{
	size_t most = ZSTD_compressBound(n), made;

	if (!p->ctx)
		return hd_fail(err, HD_EIO, "no memory for the zstd encoder");
	ZSTD_CCtx_setParameter(p->ctx, ZSTD_c_compressionLevel, LEVEL);
	ZSTD_CCtx_setParameter(p->ctx, ZSTD_c_checksumFlag, 1);
	made = ZSTD_compress2(p->ctx, hd_buf_reserve(out, most), most, bytes, n);
	if (ZSTD_isError(made))
		return hd_fail(err, HD_EIO, "zstd: %s", ZSTD_getErrorName(made));
	out->len += made;
	out->data[out->len] = '\0';
	return 0;
}

size_t hd_piece_packed_max(size_t n)
{
	return ZSTD_compressBound(n);
}

int hd_piece_unpack(const void *frame, size_t stored, void *bytes, size_t n, struct hd_err *err)
{
	size_t got = ZSTD_decompress(bytes, n, frame, stored);

	if (ZSTD_isError(got))
		return hd_fail(err, HD_EFORMAT, "zstd: %s", ZSTD_getErrorName(got));
	if (got != n)
		return hd_fail(err, HD_EFORMAT, "it decompresses to %zu bytes instead of %zu", got, n);
	return 0;
}

size_t hd_piece_salvage(const void *frame, size_t stored, void *bytes, size_t n)
{
	ZSTD_DCtx *ctx = ZSTD_createDCtx();
	ZSTD_inBuffer in = { frame, stored, 0 };
	ZSTD_outBuffer out = { bytes, n, 0 };
	size_t rc = 1, was;

	do {
		was = in.pos + out.pos;
		rc = ctx ? ZSTD_decompressStream(ctx, &out, &in) : 0;
	} while (rc && !ZSTD_isError(rc) && in.pos + out.pos > was);
	ZSTD_freeDCtx(ctx);
	return out.pos;
}
