/*
 * piece.h - compress and decompress one piece of a section with zstd
 *
 * Private to bundle/.
 */
#ifndef HD_BUNDLE_PIECE_H
#define HD_BUNDLE_PIECE_H

#include "base/buf.h"
#include "base/err.h"

#include <stdint.h>

struct hd_piece_packer;

struct hd_piece_packer *hd_piece_packer_new(void);
void hd_piece_packer_free(struct hd_piece_packer *p);	/* accepts NULL */
/* Append the compressed form of n bytes to `out`. */
int hd_piece_pack(struct hd_piece_packer *p, const void *bytes, size_t n, struct hd_buf *out, struct hd_err *err);

/* Return the largest possible compressed size of n bytes. */
size_t hd_piece_packed_max(size_t n);
enum { HD_PIECE_PACKED_MIN = 9 };	/* the smallest possible compressed size: that of the shortest zstd frame */

/* Decompress a piece of exactly n bytes.  Returns HD_EFORMAT if it is damaged or has another size. */
int hd_piece_unpack(const void *frame, size_t stored, void *bytes, size_t n, struct hd_err *err);

/*
 * Decompress as much as possible of a piece of n bytes whose end is missing.  Returns how many bytes were decompressed.
 * These bytes are not verified, because the checksum is at the end of the piece.
 */
size_t hd_piece_salvage(const void *frame, size_t stored, void *bytes, size_t n);

#endif
