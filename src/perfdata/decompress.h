/*
 * decompress.h - records out of a zstd stream, the one door to libzstd
 *
 *     hd_decompressor_feed(u, chunk, n)             one COMPRESSED record's bytes, borrowed
 *     while ((rc = hd_decompressor_next(u, &p, &size, err)) > 0)
 *             ...                            1 a record, 0 feed me, < 0 error
 *
 * All chunks of a file are one stream, cut anywhere: a record that a chunk
 * leaves unfinished is completed by the next one.  A record is valid until the
 * next call, or as long as its window is held.
 *
 * Owns:  output windows of two sizes, and what the decoder keeps.
 * Holds: all output since the start of the walk is bounded by 1024 times the
 *        input plus 64 MiB, and by one record for four bytes plus 262144 (of context switches four),
 *        what is no sample by 64 times the input plus 32 MiB;
 *        the decoder's window by 128 MiB (what zstd level 22 asks for).
 */
#ifndef HD_PERFDATA_DECOMPRESS_H
#define HD_PERFDATA_DECOMPRESS_H

#include "base/err.h"
#include "perfdata/window_pool.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hd_decompressor;

struct hd_decompressor *hd_decompressor_new(bool swap);	/* swap: of the records inside */
void hd_decompressor_free(struct hd_decompressor *u);		/* NULL is fine */
void hd_decompressor_reset(struct hd_decompressor *u);	/* to the start of a stream, with what is left of the bounds */
void hd_decompressor_restart(struct hd_decompressor *u);	/* to the start of a walk */
void hd_decompressor_feed(struct hd_decompressor *u, const uint8_t *chunk, size_t n);
int hd_decompressor_next(struct hd_decompressor *u, const uint8_t **rec, uint32_t *size, struct hd_err *err);
/* Where the last record lies; borrowed. */
struct hd_window *hd_decompressor_window(const struct hd_decompressor *u);
/* Bytes of a record that no chunk completed. */
size_t hd_decompressor_left(const struct hd_decompressor *u);
/* Does the stream end inside a block, of which the last chunk has a part? */
bool hd_decompressor_is_cut(const struct hd_decompressor *u);
/* Does this chunk start a new stream? */
bool hd_decompressor_starts_frame(const uint8_t *chunk, size_t n);

#endif
