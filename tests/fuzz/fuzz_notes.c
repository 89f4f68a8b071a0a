/*
 * fuzz_notes.c - read any bytes as ELF notes, in both byte orders and with a padding to 4 and to 8 bytes
 *
 * Invariants: a build-id is a part of the notes with the declared length, and only notes that contain "GNU" have one.
 */
#include "elf/notes.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	for (int way = 0; way < 4; way++) {
		uint8_t id[HD_ELF_BUILD_ID];
		bool bad = false;
		uint8_t n = hd_notes_build_id(hd_bytes_over(data, size, way & 1), way & 2 ? 8 : 4, id, &bad);

		if (n > HD_ELF_BUILD_ID || (n && (!memmem(data, size, id, n) || !memmem(data, size, "GNU", 4))))
			abort();
	}
	return 0;
}
