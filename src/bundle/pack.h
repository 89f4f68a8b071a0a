/*
 * pack.h - one piece of a section, to zstd and back: the door to libzstd here
 *
 * Private to bundle/.
 */
#ifndef HD_BUNDLE_PACK_H
#define HD_BUNDLE_PACK_H

#include "base/buf.h"
#include "base/err.h"

#include <stdint.h>

struct hd_packer;

struct hd_packer *hd_packer_new(void);
void hd_packer_free(struct hd_packer *p);	/* NULL is fine */
/* Append the frame of n bytes to out. */
int hd_piece_pack(struct hd_packer *p, const void *bytes, size_t n, struct hd_buf *out, struct hd_err *err);

/* The largest frame that n bytes can become; the least is HD_PACKED_LEAST. */
size_t hd_packed_most(size_t n);
enum { HD_PACKED_LEAST = 9 };

/* A frame that has to hold n bytes, no fewer and no more.  HD_EFORMAT when it does not. */
int hd_piece_unpack(const void *frame, size_t stored, void *bytes, size_t n, struct hd_err *err);

/* What can be had of a frame of n bytes whose end is missing: the first so many.  Nothing vouches for them. */
size_t hd_piece_salvage(const void *frame, size_t stored, void *bytes, size_t n);

#endif
