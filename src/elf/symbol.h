/*
 * symbol.h - one symbol as it was read, before extents and aliases are resolved (symbol_table.h)
 */
#ifndef HD_ELF_SYMBOL_H
#define HD_ELF_SYMBOL_H

#include <stdint.h>

enum hd_sym_flags {
	HD_SYM_WEAK = 1,
	HD_SYM_GLOBAL = 2,
	HD_SYM_LABEL = 4,	/* STT_NOTYPE: a label in assembler code, possibly inside a function */
	HD_SYM_IFUNC = 8,
	HD_SYM_GUESSED = 32,	/* unsized; hd_symtable_build() has estimated its end */
	/*
	 * from .dynsym of an object of which another table, such as .symtab, was read; used only at addresses at which
	 * that table has no symbol
	 */
	HD_SYM_SECOND = 16,
};

/* A symbol as read. */
struct hd_symraw {
	uint64_t start, size;	/* size 0: the symbol ends at the next symbol, at the latest at `limit` */
	uint64_t limit;		/* the largest end that a symbol of size 0 can have: usually the end of its section */
	uint32_t name;		/* offset in the names */
	uint32_t seq;		/* order of hd_symtable_add() calls */
	uint8_t flags;
};

#endif
