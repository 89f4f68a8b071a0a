/*
 * mapping_symbols.h - find which bytes of ARM or AArch64 code sections are instructions, and of which set
 *
 *     hd_mapping_symbols_read(&m, e)
 *     mode = hd_mapping_symbols_find(&m, vaddr, &end)      holds for [vaddr, end)
 *
 * Assemblers write a mapping symbol where the kind of the bytes changes: $a for ARM code, $t for Thumb code, $x for
 * AArch64 code, $d for data between instructions, such as literals and jump tables.  They are local symbols, so a
 * stripped file has none.  In a stripped ARM file, an address has the mode of the last function symbol at or before it:
 * Thumb if bit 0 of the symbol's value is set.  If there is none, the first function symbol after the address decides,
 * and without function symbols, bit 0 of the entry point.  In a stripped AArch64 file, all bytes are HD_CODE_DEFAULT.
 *
 * The symbols of files of other architectures are not read: all their bytes have the mode HD_CODE_DEFAULT.
 */
#ifndef HD_ELF_MAPPING_SYMBOLS_H
#define HD_ELF_MAPPING_SYMBOLS_H

#include "elf/elf_file.h"

enum hd_code_mode { HD_CODE_DEFAULT, HD_CODE_THUMB, HD_CODE_DATA };

struct hd_mapping_symbols {
	struct hd_mapping_symbol { uint64_t vaddr; enum hd_code_mode mode; uint32_t seq; } *v;	/* by vaddr */
	size_t n, cap;
	enum hd_code_mode first;	/* mode of the addresses below v[0] */
};

/* Read the symbols of `e`.  Damaged tables have no symbols. */
void hd_mapping_symbols_read(struct hd_mapping_symbols *m, const struct hd_elf *e);
void hd_mapping_symbols_release(struct hd_mapping_symbols *m);
/* Look up the mode of an address.  *end becomes the end of the range with this mode; UINT64_MAX: no end is known. */
enum hd_code_mode hd_mapping_symbols_find(const struct hd_mapping_symbols *m, uint64_t vaddr, uint64_t *end);

#endif
