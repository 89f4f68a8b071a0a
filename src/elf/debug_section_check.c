/*
 * debug_section_check.c - are debug sections what they claim?  See debug_section.h
 *
 * A packed section (unpack.h) says how long it is unpacked.
 */
#include "elf/debug_section.h"

#include "elf/unpack.h"

#include <string.h>

#define DEBUG_MAX (2ull << 30)		/* bytes of all debug sections, unpacked */

enum {
	RATIO_MAX = 64,			/* DWARF packs 2 to 20 times */
	SMALL = 1 << 20,		/* below this the ratio does not matter */
};

int hd_debug_sections_check(const struct hd_elf *e, struct hd_err *err)
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
			rc = hd_unpack_size(e, s, &size, err);
			if (rc < 0)
				return rc;
			if (size > SMALL && size / RATIO_MAX > s->size)
				return hd_fail(err, HD_EFORMAT, "`%s` claims to unpack from %llu bytes to %llu",
					s->name, (unsigned long long)s->size, (unsigned long long)size);
		}
		if (size > DEBUG_MAX - total)
			return hd_fail(err, HD_EFORMAT, "more than %llu MiB of debug sections", DEBUG_MAX >> 20);
		total += size;
	}
	return 0;
}
