/*
 * notes.c - see notes.h
 */
#include "elf/notes.h"

#include <elf.h>
#include <string.h>

static bool skip_padded(struct hd_bytes *b, uint32_t n, uint32_t align, const uint8_t **at)
{
	uint32_t pad = -n & (align - 1);

	*at = hd_bytes_skip(b, n);
	/* The last description may lack its padding. */
	hd_bytes_skip(b, pad < hd_bytes_left(b) ? pad : hd_bytes_left(b));
	return *at;
}

uint8_t hd_notes_build_id(struct hd_bytes notes, uint64_t align, uint8_t *id, bool *bad)
{
	uint32_t pad = align == 8 ? 8 : 4;

	while (hd_bytes_left(&notes) >= 12) {
		uint32_t namesz = hd_bytes_u32(&notes);
		uint32_t descsz = hd_bytes_u32(&notes);
		uint32_t type = hd_bytes_u32(&notes);
		const uint8_t *name, *desc;

		/*
		 * Names are always padded to 4 bytes.  With the name `GNU`, 12 + 4 bytes precede the description, so
		 * the description is then also aligned to 8.
		 */
		if (!skip_padded(&notes, namesz, 4, &name) || !skip_padded(&notes, descsz, pad, &desc))
			break;
		if (type != NT_GNU_BUILD_ID || namesz != 4 || memcmp(name, "GNU", 4))
			continue;
		if (descsz < 1 || descsz > HD_ELF_BUILD_ID) {
			*bad = true;
			continue;
		}
		memcpy(id, desc, descsz);
		return (uint8_t)descsz;
	}
	*bad |= notes.bad;
	return 0;
}
