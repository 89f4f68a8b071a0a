/*
 * symbol_table.h - the symbols of one object: sorted, disjoint, one name per address
 *
 *     hd_symtable_add(&t, &raw) ...        in file order
 *     hd_symtable_build(&t, policy)        resolves extents, aliases and overlaps
 *     hd_symtable_find(&t, addr, &at, &s)  usually O(1)
 *
 * Symbols overlap: functions nest, labels lie inside functions, a JIT reuses a page.  hd_symtable_build() cuts them
 * into disjoint pieces.  A piece of an outer symbol after an inner one still refers to the whole outer symbol:
 *
 *     outer  |---------------------|          pieces   outer  inner   outer
 *     inner         |------|                          |------|------|------|
 *
 * So a lookup costs at most one binary search, however symbols nest.  For a large table, the address range is also
 * divided into stretches of equal length, and each stretch stores the piece at its start, which bounds the search:
 *
 *     pieces     0 |----| 1 |-| 2 |---| 3 |--------------------| 4 |----|
 *     stretches    |   0   |   0   |   2   |   3   |   3   |   3   |   4
 *
 * Memory: 24 bytes per piece, 24 more if the piece is only a part of its symbol, 4 per stretch, and the names (usually
 *         the string table of the file as it is; a symbol stores an offset into it).
 * Input:  symtab.c, plt.c, symbols/kallsyms.c, symbols/perfmap.c, symbols/embedded.c.
 */
#ifndef HD_ELF_SYMBOL_TABLE_H
#define HD_ELF_SYMBOL_TABLE_H

#include "base/buf.h"
#include "elf/symbol.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hd_symspan { uint64_t start, end; uint32_t name; };

struct hd_sympiece {
	uint64_t start, end;
	uint32_t name;
	/* if this piece is only a part of a symbol, the index of the whole symbol in `wholes`; else HD_SYM_UNCUT */
	uint32_t whole;
};

#define HD_SYM_UNCUT UINT32_MAX

/* The symbol that a lookup finds where several overlap. */
enum hd_sym_policy {
	/*
	 * a lookup finds the innermost function with a size; a label or a symbol of size 0 only where no such function
	 * covers the address
	 */
	HD_SYM_FUNCTIONS,
	HD_SYM_INNERMOST,	/* a lookup finds the innermost symbol, even of size 0, as in kallsyms */
	HD_SYM_LATEST,		/* a lookup finds the symbol added last: in a perf map, later lines are newer */
};

/* Zero-initialise. */
struct hd_symtable {
	struct hd_buf names;
	struct hd_symraw *raw;	/* until hd_symtable_build() */
	size_t nraw, raw_cap, nsorted;
	size_t alias_work;	/* bytes that were demangled, see symbol_alias.h */
	struct hd_sympiece *pieces;
	size_t npieces, pieces_cap;
	struct hd_symspan *wholes;
	size_t nwholes, wholes_cap;
	uint32_t *stretches;	/* nstretches + 1 piece indexes; NULL: the table is small */
	size_t nstretches;
	unsigned shift;		/* log2 of the length of a stretch */
};

void hd_symtable_release(struct hd_symtable *t);

/*
 * Reserve n bytes for names, followed by a NUL.  Returns where to write them; *base becomes the offset of the first
 * one.  Returns NULL if all names together would exceed 4 GiB.
 */
char *hd_symtable_names(struct hd_symtable *t, size_t n, uint32_t *base);
/* Add one name; returns its offset, or 0 (the offset of "") if all names together would exceed 4 GiB. */
uint32_t hd_symtable_name(struct hd_symtable *t, const char *name, size_t n);
void hd_symtable_add(struct hd_symtable *t, const struct hd_symraw *raw);
static inline const char *hd_symtable_str(const struct hd_symtable *t, uint32_t name) { return t->names.data + name; }

/*
 * Functions for use between hd_symtable_add() and hd_symtable_build().  hd_symtable_sort() sorts the raw symbols by
 * start.  hd_symtable_raw_from() returns the index of the first sorted symbol at or after `start`, nsorted if there is
 * none.  Symbols that were added after the sort are not found.
 */
void hd_symtable_sort(struct hd_symtable *t);
size_t hd_symtable_raw_from(const struct hd_symtable *t, uint64_t start);

void hd_symtable_build(struct hd_symtable *t, enum hd_sym_policy policy);

/* Build the index over `pieces` that the caller has filled in, sorted and disjoint. */
void hd_symtable_index(struct hd_symtable *t);

/*
 * Find the whole symbol that covers `addr`.  Returns false if there is none.  *cursor is a hint that the caller keeps
 * between calls; start with 0.
 */
bool hd_symtable_find(const struct hd_symtable *t, uint64_t addr, size_t *cursor, struct hd_symspan *span);

#endif
