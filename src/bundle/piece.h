/*
 * piece.h - one piece of a section, to zstd and back: the door to libzstd here
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
void hd_piece_packer_free(struct hd_piece_packer *p);	/* NULL is fine */
/* Append the frame of n bytes to out. */
int hd_piece_pack(struct hd_piece_packer *p, const void *bytes, size_t n, struct hd_buf *out, struct hd_err *err);

/* The largest frame that n bytes can become; the least is HD_PIECE_PACKED_MIN. */
size_t hd_piece_packed_max(size_t n);
enum { HD_PIECE_PACKED_MIN = 9 };

/* A frame that has to hold n bytes, no fewer and no more.  HD_EFORMAT when it does not. */
int hd_piece_unpack(const void *frame, size_t stored, void *bytes, size_t n, struct hd_err *err);

/* What can be had of a frame of n bytes whose end is missing: the first so many.  Nothing vouches for them. */
size_t hd_piece_salvage(const void *frame, size_t stored, void *bytes, size_t n);

#endif
