/*
 * unpack.h - packed debug sections
 *
 *     .debug_*, SHF_COMPRESSED    Elf64_Chdr: type 4, reserved 4, size 8, alignment 8
 *                                 Elf32_Chdr: type 4, size 4, alignment 4
 *     .zdebug_*                   `ZLIB`, size 8 in big endian
 *
 * What follows is a zlib stream, with type 2 a zstd frame.  One that is unpacked stays so as long as the file is open, and one
 * that nobody asks for stays packed.  The size that a section claims is believed as far as
 * zlib could make it from the bytes that are there.
 */
#ifndef HD_ELF_UNPACK_H
#define HD_ELF_UNPACK_H

#include "elf/elf_file.h"

#include <string.h>

static inline bool hd_is_zdebug(const struct hd_elf_section *s)
{
	return s->name[0] == '.' && s->name[1] == 'z';
}

/* True if the section is stored compressed, in either form. */
static inline bool hd_elf_section_packed(const struct hd_elf_section *s)
{
	return (s->flags & SHF_COMPRESSED) || !strncmp(s->name, ".zdebug_", 8);
}

/* How many bytes a packed section says it will be; HD_EFORMAT: why it cannot be unpacked here. */
int hd_unpack_size(const struct hd_elf *e, const struct hd_elf_section *s, uint64_t *size, struct hd_err *err);

/* A packed section's bytes, of that size; borrowed from the file.  NULL when it is not what it claims. */
const uint8_t *hd_unpack(const struct hd_elf *e, struct hd_elf_section *s);

#endif
