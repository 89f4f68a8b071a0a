/*
 * decompress.h - get the records out of a zstd stream (perf record -z)
 *
 *     hd_decompressor_feed(u, chunk, n)             the bytes of one COMPRESSED record, borrowed
 *     while ((rc = hd_decompressor_next(u, &p, &size, err)) > 0)
 *             ...                            1 a record, 0 the chunk is used up, < 0 error
 *
 * All chunks of a file form one stream, which is split at any byte: a record that is incomplete at the
 * end of a chunk is completed by the next one.  A record is valid until the next call, or as long as its window is
 * held (window_pool.h).
 *
 * Ownership: the decompressor owns its output windows and the state of zstd.
 * Bounds:    output since the start of the walk: 1024 times the input plus 64 MiB
 *            records: one per 4 bytes of input (context switches: four per 4 bytes) plus 262144
 *            bytes of records other than samples: 64 times the input plus 32 MiB
 *            the decoder's window: 128 MiB, which zstd level 22 needs
 */
#ifndef HD_PERFDATA_DECOMPRESS_H
#define HD_PERFDATA_DECOMPRESS_H

#include "base/err.h"
#include "perfdata/window_pool.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hd_decompressor;

struct hd_decompressor *hd_decompressor_new(bool swap);	/* swap: the records have foreign byte order */
void hd_decompressor_free(struct hd_decompressor *u);		/* accepts NULL */
/* Expect the start of another stream.  The bounds still apply to all streams together. */
void hd_decompressor_reset(struct hd_decompressor *u);
void hd_decompressor_restart(struct hd_decompressor *u);	/* expect the start of the file; resets the bounds */
void hd_decompressor_feed(struct hd_decompressor *u, const uint8_t *chunk, size_t n);
int hd_decompressor_next(struct hd_decompressor *u, const uint8_t **rec, uint32_t *size, struct hd_err *err);
/* Return the window that contains the last record; borrowed. */
struct hd_window *hd_decompressor_window(const struct hd_decompressor *u);
/* Return how many bytes of an incomplete record are left at the end of the input. */
size_t hd_decompressor_left(const struct hd_decompressor *u);
/* Return true if the stream ends inside a zstd block, a block header or a checksum, so that its end is missing. */
bool hd_decompressor_is_cut(const struct hd_decompressor *u);
/* Return true if the chunk starts with a zstd frame. */
bool hd_decompressor_starts_frame(const uint8_t *chunk, size_t n);

#endif
