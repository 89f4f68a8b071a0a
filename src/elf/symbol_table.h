/*
 * symbol_table.h - the symbols of one object: sorted, disjoint, one name per address
 *
 *     hd_symtable_add(&t, &raw) ...        in the order of the file
 *     hd_symtable_build(&t, policy)        extents, aliases, overlaps
 *     hd_symtable_find(&t, addr, &at, &s)  mostly O(1): a stretch of addresses tells the few that can be meant
 *
 * Sources overlap: symbols nest, labels lie inside functions, a JIT names the
 * same page again.  _build cuts all of them into pieces that do not overlap;
 * the piece of an outer symbol behind an inner one still knows its whole:
 *
 *     outer  |---------------------|          pieces   outer  inner   outer
 *     inner         |------|                          |------|------|------|
 *
 * So no answer costs more than one binary search, whatever the input nests, and
 * where a table is large, stretches of equal length say between which pieces it is:
 *
 *     pieces     0 |----| 1 |-| 2 |---| 3 |--------------------| 4 |----|
 *     stretches  |   0   |   0   |   2   |   3   |   3   |   3   |         the piece in force at their start
 *
 * Owns:  24 bytes per symbol, 4 per stretch, and the bytes of the names (usually the string
 *        table of the file as it is; a symbol holds an offset into them).
 * Fed by: symtab.c, plt.c, kallsyms.c, perfmap.c.
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
	uint32_t whole;		/* index into wholes when it was cut, HD_SYM_UNCUT otherwise */
};

#define HD_SYM_UNCUT UINT32_MAX

/* Who is seen where symbols overlap. */
enum hd_sym_policy {
	HD_SYM_FUNCTIONS,	/* the innermost sized symbol; unsized ones only outside those */
	HD_SYM_INNERMOST,	/* the innermost, whatever it is: kernels, to agree with kallsyms */
	HD_SYM_LATEST,		/* the one added last: a perf map is a log */
};

/* Zero-initialise. */
struct hd_symtable {
	struct hd_buf names;
	struct hd_symraw *raw;	/* until _build */
	size_t nraw, raw_cap, nsorted;
	size_t alias_work;	/* spent on demangling, see symbol_alias.h */
	struct hd_sympiece *pieces;
	size_t npieces, pieces_cap;
	struct hd_symspan *wholes;
	size_t nwholes, wholes_cap;
	uint32_t *stretches;	/* and a last one; NULL: few pieces */
	size_t nstretches;
	unsigned shift;		/* bits of an address within a stretch */
};

void hd_symtable_release(struct hd_symtable *t);

/*
 * Room for n bytes of names; returns where they go, sets *base to the offset
 * of the first.  A NUL follows them.  NULL when the names would pass 4 GiB.
 */
char *hd_symtable_names(struct hd_symtable *t, size_t n, uint32_t *base);
/* One name; returns its offset, or 0 when the names would pass 4 GiB (offset 0 is ""). */
uint32_t hd_symtable_name(struct hd_symtable *t, const char *name, size_t n);
void hd_symtable_add(struct hd_symtable *t, const struct hd_symraw *raw);
static inline const char *hd_symtable_str(const struct hd_symtable *t, uint32_t name) { return t->names.data + name; }

/* Between _add and _build: sort what is there by start; then the first of those sorted with at least this start. */
void hd_symtable_sort(struct hd_symtable *t);
size_t hd_symtable_raw_from(const struct hd_symtable *t, uint64_t start);

void hd_symtable_build(struct hd_symtable *t, enum hd_sym_policy policy);

/* For who made the pieces himself, sorted and disjoint. */
void hd_symtable_index(struct hd_symtable *t);

/* The symbol that covers addr, whole, or false.  *cursor is the asker's: 0, then as it was left. */
bool hd_symtable_find(const struct hd_symtable *t, uint64_t addr, size_t *cursor, struct hd_symspan *span);

#endif
