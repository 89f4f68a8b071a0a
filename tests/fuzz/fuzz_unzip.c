/*
 * fuzz_unzip.c - read any bytes as the zstd stream of a recording
 *
 * Bit 0 of the first byte selects whether records are byte-swapped, the other bits the size of the chunks.
 * Invariants: a record has 8 bytes or more; one chunk, many chunks and a restart give the same records.
 */
#include "perfdata/decompress.h"

#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { RECORDS_MAX = 100000 };

struct seen {
	uint64_t n, sum;
	int rc;		/* result of the last call */
};

/* Walk the records of the stream, which is passed in chunks of `step` bytes. */
static struct seen walk(struct hd_decompressor *u, const uint8_t *p, size_t n, size_t step)
{
	struct seen s = { 0 };
	struct hd_err err = { 0 };

	for (size_t at = 0; at < n && s.rc >= 0 && s.n < RECORDS_MAX; at += step) {
		const uint8_t *rec;
		uint32_t size;

		hd_decompressor_feed(u, p + at, n - at < step ? n - at : step);
		while (s.n < RECORDS_MAX && (s.rc = hd_decompressor_next(u, &rec, &size, &err)) > 0) {
			if (size < 8 || size > UINT16_MAX)
				abort();
			for (uint32_t i = 0; i < size; i += 8) {
				uint64_t word = 0;

				memcpy(&word, rec + i, size - i < 8 ? size - i : 8);
				s.sum = hd_mix(s.sum, word);
			}
			s.n++;
		}
	}
	if (s.rc < 0 && !err.msg[0])
		abort();
	return s;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct hd_decompressor *u;
	struct seen whole, again, parts;

	if (size < 2)
		return 0;
	u = hd_decompressor_new(data[0] & 1);
	whole = walk(u, data + 1, size - 1, size);
	hd_decompressor_restart(u);
	again = walk(u, data + 1, size - 1, size);
	if (whole.n != again.n || whole.sum != again.sum || whole.rc != again.rc)
		abort();
	hd_decompressor_restart(u);
	parts = walk(u, data + 1, size - 1, 1 + (data[0] >> 1));
	/*
	 * With another size of chunks, the limit for the ratio of output to input may be reached at another place.
	 * Complete streams must be equal.
	 */
	if (whole.rc >= 0 && parts.rc >= 0 && whole.n < RECORDS_MAX && (whole.n != parts.n || whole.sum != parts.sum))
		abort();
	hd_decompressor_free(u);
	return 0;
}
