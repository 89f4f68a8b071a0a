/*
 * fuzz_linetable.c - read any bytes as a line program and its strings
 *
 *     OFFSET  SIZE  MEANING
 *     0       1     bit 0: the other byte order; bit 1: no compilation directory
 *     1       1     size of .debug_line_str, which is also used as .debug_str
 *     2       ..    these strings, then one unit of .debug_line
 */
#include "dwarf/line_table.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct hd_line_table_in in = { 0 };
	struct hd_debug_section sec;
	struct hd_line_table *t;
	struct hd_err err = { 0 };
	uint32_t file, line;
	size_t strings;

	if (size < 2)
		return 0;
	strings = data[1] < size - 2 ? data[1] : size - 2;
	in.swap = data[0] & 1;
	in.comp_dir = data[0] & 2 ? NULL : "/comp/dir";
	sec = (struct hd_debug_section){ .mem = data + 2, .size = strings, .swap = in.swap };
	in.line_str = in.str = &sec;
	in.unit = data + 2 + strings;
	in.n = size - 2 - strings;
	if (hd_line_table_read(&t, &in, &err) < 0) {
		if (!err.msg[0])
			abort();
		return 0;
	}
	for (uint64_t vaddr = 0; vaddr < 0x3000; vaddr += 13) {
		if (!hd_line_table_find(t, vaddr, &file, &line))
			continue;
		if (hd_line_table_file(t, file) && strlen(hd_line_table_file(t, file)) > 4096)
			abort();
	}
	for (file = 0; file < 300; file++)
		if (hd_line_table_file(t, file) != hd_line_table_file(t, file))
			abort();
	hd_line_table_free(t);
	return 0;
}
