/*
 * symbol.h - one symbol as it was read, before extents and aliases are resolved (symbol_table.h)
 */
#ifndef HD_ELF_SYMBOL_H
#define HD_ELF_SYMBOL_H

#include <stdint.h>

enum hd_sym_flags {
	HD_SYM_WEAK = 1,
	HD_SYM_GLOBAL = 2,
	HD_SYM_LABEL = 4,	/* STT_NOTYPE: a place in assembler code, maybe inside a function */
	HD_SYM_IFUNC = 8,
	HD_SYM_GUESSED = 32,	/* unsized: its extent was guessed by _build */
	HD_SYM_SECOND = 16,	/* from .dynsym beside a .symtab: only where that has nothing at its start */
};

/* A symbol as read, before anything is decided. */
struct hd_symraw {
	uint64_t start, size;	/* size 0: up to the next one, or to limit */
	uint64_t limit;		/* end of its section */
	uint32_t name;		/* offset into the names */
	uint32_t seq;		/* set by _add */
	uint8_t flags;
};

#endif
