/*
 * symtab.h - the symbols of an ELF file, as perf takes them
 *
 *     STT_FUNC, STT_GNU_IFUNC, STT_OBJECT     in executable sections
 *     STT_NOTYPE                              visible labels, only in sections named *.text*
 *
 * not: undefined or absolute ones, mapping symbols ($x, $d), names or sections
 * that lie outside their tables.  Symbols in data are of no use for code.
 */
#ifndef HD_ELF_SYMTAB_H
#define HD_ELF_SYMTAB_H

#include "elf/elf_file.h"
#include "elf/symbol_table.h"

/*
 * Add the symbols of .symtab, or those of .dynsym, to the table; what is wrong
 * goes to hd_elf_damaged.  Returns how many.  second: beside another table's,
 * see HD_SYM_SECOND.
 */
size_t hd_symtab_collect(struct hd_symtable *t, struct hd_elf *e, uint32_t sht, bool second);

/* One decoded entry of a symbol table. */
struct hd_elf_sym {
	uint32_t name;
	uint64_t value, size;
	uint16_t shndx;
	uint8_t info, other;
};
void hd_elf_sym_next(struct hd_bytes *b, bool is64, struct hd_elf_sym *s);
static inline size_t hd_elf_sym_size(bool is64) { return is64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym); }

/* Symbol tables and string tables above this are not read. */
#define HD_SYMTAB_MAX (2ull << 30)

#endif
