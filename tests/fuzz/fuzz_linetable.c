/*
 * fuzz_linetable.c - any bytes as a line program, and as the strings it refers to
 *
 *     OFFSET  SIZE  MEANING
 *     0       1     bit 0: the other byte order; bit 1: no compilation directory
 *     1       1     bytes of .debug_line_str, which is also .debug_str
 *     2       ..    those, then one unit of .debug_line
 */
#include "symbols/linetable.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct hd_linetable_in in = { 0 };
	struct hd_dwsec sec;
	struct hd_linetable *t;
	struct hd_err err = { 0 };
	uint32_t file, line;
	size_t strings;

	if (size < 2)
		return 0;
	strings = data[1] < size - 2 ? data[1] : size - 2;
	in.swap = data[0] & 1;
	in.comp_dir = data[0] & 2 ? NULL : "/comp/dir";
	sec = hd_dwsec_over(data + 2, strings, in.swap);
	in.line_str = in.str = &sec;
	in.unit = data + 2 + strings;
	in.n = size - 2 - strings;
	if (hd_linetable_read(&t, &in, &err) < 0) {
		if (!err.msg[0])
			abort();
		return 0;
	}
	for (uint64_t vaddr = 0; vaddr < 0x3000; vaddr += 13) {
		if (!hd_linetable_find(t, vaddr, &file, &line))
			continue;
		if (hd_linetable_file(t, file) && strlen(hd_linetable_file(t, file)) > 4096)
			abort();
	}
	for (file = 0; file < 300; file++)
		if (hd_linetable_file(t, file) != hd_linetable_file(t, file))
			abort();
	hd_linetable_free(t);
	return 0;
}
