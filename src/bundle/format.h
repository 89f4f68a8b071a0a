/*
 * format.h - definitions that the writer and the reader of bundles share
 *
 * Private to bundle/.
 */
#ifndef HD_BUNDLE_FORMAT_H
#define HD_BUNDLE_FORMAT_H

#include "base/bytes.h"
#include "base/map.h"
#include "bundle/bundle.h"

#include <endian.h>
#include <stddef.h>
#include <stdint.h>

extern const uint8_t hd_bundle_magic[8];
extern const uint8_t hd_bundle_mark[4];		/* starts a section */

/* hd_bundle_sum() computes a checksum, the 32-bit FNV-1a hash.  Pass HD_BUNDLE_SUM as `sum` in the first call. */
#define HD_BUNDLE_SUM 0x811c9dc5u

static inline uint32_t hd_bundle_sum(uint32_t sum, const void *p, size_t n)
{
	const uint8_t *s = p;

	for (size_t i = 0; i < n; i++)
		sum = (sum ^ s[i]) * 0x01000193u;
	return sum;
}

/* ---- reading ---- */

struct hd_bundle {
	int fd;
	char *path;
	uint64_t size;
	struct hd_bundle_section *sections;
	size_t n, cap;
	struct hd_map by_name;		/* hash of type and name -> section */
	uint64_t content;		/* bytes of content in all pieces that were found */
	bool ended;			/* the end mark was found */
};

static inline struct hd_bytes hd_bundle_bytes(const void *p, size_t n)
{
	return hd_bytes_over(p, n, BYTE_ORDER != LITTLE_ENDIAN);
}

/*
 * The content of a section is stored in compressed pieces.  Return the uncompressed size of the piece that begins after
 * the first `done` bytes of the content.  Defined in content.c.
 */
size_t hd_piece_bytes(const struct hd_bundle_section *s, uint64_t done);
/*
 * Return the compressed size of the piece at file offset `at`, whose uncompressed size is n; 0 if the size is invalid
 * or cannot be read.  `err` is only set if reading fails.
 */
uint32_t hd_piece_stored(const struct hd_bundle *b, uint64_t at, size_t n, struct hd_err *err);

#endif
