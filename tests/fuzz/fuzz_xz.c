/*
 * fuzz_xz.c - read any bytes as the compressed symbols of .gnu_debugdata
 *
 * Invariants: the output is at most MAX bytes and at most 64 times the input plus 1 MiB, and unpacking again gives the
 * same output.
 */
#include "elf/minidebug.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MAX = 8 << 20 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct hd_err err = { 0 };
	size_t n, again_n;
	void *out = hd_xz_unpack(data, size, MAX, &n, &err), *again;

	if (!out) {
		if (!err.msg[0])
			abort();
		return 0;
	}
	if (n > MAX || n > 64 * size + (1 << 20))
		abort();
	again = hd_xz_unpack(data, size, MAX, &again_n, &err);
	if (!again || again_n != n || memcmp(out, again, n))
		abort();
	free(out);
	free(again);
	return 0;
}
