/*
 * dwarfcheck.c - are debug sections what they claim?  See lines.h
 *
 * A packed section says how long it is unpacked, and libelf believes it:
 *
 *     .debug_*, SHF_COMPRESSED    Elf64_Chdr: type 4, reserved 4, size 8, alignment 8
 *                                 Elf32_Chdr: type 4, size 4, alignment 4
 *     .zdebug_*                   `ZLIB`, size 8 in big endian
 */
#include "symbols/lines.h"

#include <string.h>

#define DEBUG_MAX (2ull << 30)		/* bytes of all debug sections, unpacked */

enum {
	RATIO_MAX = 64,			/* DWARF packs 2 to 20 times */
	SMALL = 1 << 20,		/* below this the ratio does not matter */
};

static int unpacked_size(const struct hd_elf *e, const struct hd_elf_section *s, uint64_t *size, struct hd_err *err)
{
	size_t n = s->name[1] == 'z' ? 12 : e->is64 ? sizeof(Elf64_Chdr) : sizeof(Elf32_Chdr);
	uint8_t bytes[sizeof(Elf64_Chdr)];
	struct hd_bytes b = hd_elf_cursor(e, bytes, n);
	uint32_t type;
	int rc;

	if (s->size < n)
		return hd_fail(err, HD_EFORMAT, "`%s` is too short for a packed section", s->name);
	rc = hd_elf_read(e, s->off, bytes, n, err);
	if (rc < 0)
		return rc;
	if (s->name[1] == 'z') {
		if (memcmp(bytes, "ZLIB", 4))
			return hd_fail(err, HD_EFORMAT, "`%s` is not packed as its name says", s->name);
		*size = 0;
		for (int i = 4; i < 12; i++)
			*size = *size << 8 | bytes[i];
		return 0;
	}
	type = hd_bytes_u32(&b);
	if (type != ELFCOMPRESS_ZLIB)
		return hd_fail(err, HD_EFORMAT, "`%s` is packed in a way (%u) that is not known here", s->name, type);
	if (e->is64)
		hd_bytes_u32(&b);
	*size = e->is64 ? hd_bytes_u64(&b) : hd_bytes_u32(&b);
	return 0;
}

int hd_dwarf_check(const struct hd_elf *e, struct hd_err *err)
{
	uint64_t total = 0;

	for (size_t i = 0; i < e->nsections; i++) {
		const struct hd_elf_section *s = &e->sections[i];
		bool packed = (s->flags & SHF_COMPRESSED) || !strncmp(s->name, ".zdebug_", 8);
		uint64_t size = s->size;
		int rc;

		if (strncmp(s->name, ".debug_", 7) && strncmp(s->name, ".zdebug_", 8))
			continue;
		if (!s->has_bytes)
			return hd_fail(err, HD_EFORMAT, "`%s` has no bytes in the file", s->name);
		if (packed) {
			rc = unpacked_size(e, s, &size, err);
			if (rc < 0)
				return rc;
			if (size > SMALL && size / RATIO_MAX > s->size)
				return hd_fail(err, HD_EFORMAT, "`%s` claims to unpack from %llu bytes to %llu", s->name,
					       (unsigned long long)s->size, (unsigned long long)size);
		}
		if (size > DEBUG_MAX - total)
			return hd_fail(err, HD_EFORMAT, "more than %llu MiB of debug sections", DEBUG_MAX >> 20);
		total += size;
	}
	return 0;
}
