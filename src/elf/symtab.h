/*
 * symtab.h - read the symbols of an ELF file, with the rules of perf
 *
 *     STT_FUNC, STT_GNU_IFUNC, STT_OBJECT     in executable sections
 *     STT_NOTYPE                              visible labels, only in sections named *.text*
 *
 * Ignored are undefined and absolute symbols, mapping symbols ($x, $d), symbols in data sections, and symbols whose
 * name or section is outside its table.
 */
#ifndef HD_ELF_SYMTAB_H
#define HD_ELF_SYMTAB_H

#include "elf/elf_file.h"
#include "elf/symbol_table.h"

/*
 * Add the symbols of .symtab or .dynsym (sht) to the table.  Faults are recorded with hd_elf_damaged().  Returns how
 * many symbols were added.  second: mark them with HD_SYM_SECOND, because another table was read before.
 */
size_t hd_symtab_collect(struct hd_symtable *t, struct hd_elf *e, uint32_t sht, bool second);

/* A decoded entry of a symbol table. */
struct hd_elf_sym {
	uint32_t name;
	uint64_t value, size;
	uint16_t shndx;
	uint8_t info, other;
};
void hd_elf_sym_next(struct hd_bytes *b, bool is64, struct hd_elf_sym *s);

/* All entries of one symbol table, unchecked, one after another. */
struct hd_elf_symbols {
	struct hd_bytes rest;		/* the entries that were not returned yet */
	void *entries;
	char *names;
	size_t names_bytes;
	bool is64;
};
/* section: .symtab or .dynsym.  A table that is absent or cannot be read has no entries. */
void hd_elf_symbols_open(struct hd_elf_symbols *all, const struct hd_elf *e, const char *section);
/* Get the next entry and its name, borrowed ("" if it is outside of the string table).  Returns false at the end. */
bool hd_elf_symbols_next(struct hd_elf_symbols *all, struct hd_elf_sym *s, const char **name);
void hd_elf_symbols_close(struct hd_elf_symbols *all);

/* Return true for a mapping symbol of ARM and AArch64: $a, $d, $t or $x, which a dot and any text may follow. */
bool hd_elf_sym_is_mapping(const char *name);
static inline size_t hd_elf_sym_size(bool is64) { return is64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym); }

/* Larger symbol tables and string tables are not read. */
#define HD_SYMTAB_MAX (2ull << 30)

#endif
