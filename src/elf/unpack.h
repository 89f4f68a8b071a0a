/*
 * unpack.h - decompress debug sections
 *
 *     .debug_*, SHF_COMPRESSED    Elf64_Chdr: type (4 bytes), reserved (4), size (8), alignment (8)
 *                                 Elf32_Chdr: type (4), size (4), alignment (4)
 *     .zdebug_*                   `ZLIB`, size (8, big endian)
 *
 * A zlib stream follows, or a zstd frame if the type is 2.  A section is decompressed when it is first read and then
 * kept until the file is closed.  A section may declare at most the size that zlib could produce from its bytes.
 */
#ifndef HD_ELF_UNPACK_H
#define HD_ELF_UNPACK_H

#include "elf/elf_file.h"

#include <string.h>

static inline bool hd_is_zdebug(const struct hd_elf_section *s)
{
	return s->name[0] == '.' && s->name[1] == 'z';
}

/* Return true if the section is stored compressed, in either form. */
static inline bool hd_elf_section_packed(const struct hd_elf_section *s)
{
	return (s->flags & SHF_COMPRESSED) || !strncmp(s->name, ".zdebug_", 8);
}

/*
 * Set *size to the decompressed size that a section declares.  Returns HD_EFORMAT with the reason if the header of the
 * section is invalid, or HD_EIO if it cannot be read.
 */
int hd_unpack_size(const struct hd_elf *e, const struct hd_elf_section *s, uint64_t *size, struct hd_err *err);

/*
 * Return the decompressed bytes of a section, which `e` owns.  Returns NULL if the section cannot be read, if its bytes
 * do not have the declared size, or if that size is 0, more than 2 GiB, or more than the ratio allows.
 */
const uint8_t *hd_unpack(const struct hd_elf *e, struct hd_elf_section *s);

#endif
