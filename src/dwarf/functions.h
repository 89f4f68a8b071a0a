/*
 * functions.h - find the functions of a unit by address
 *
 * The unit is read once.  For each function with code, its address ranges and the extent of its entries are stored:
 *
 *     address  0x1130 .. 0x1158   main   entries 0x2d .. 0x91
 *
 * The entries inside are read when an address of the function is looked up (inline_tree.h).  If the compiler writes
 * DW_AT_sibling (gcc does), entries that cannot contain functions are jumped over.  If an address is not found that
 * way, the unit is read again without jumping, for functions inside types and inside other functions.
 *
 * Memory: 24 bytes per function and 16 per range; during the pass also the bytes of the unit.
 */
#ifndef HD_DWARF_FUNCTIONS_H
#define HD_DWARF_FUNCTIONS_H

#include "dwarf/dwarf_file.h"
#include "dwarf/flat_ranges.h"

/* The addresses of executable sections.  The linker sets addresses of code that it dropped to values outside. */
struct hd_code_range { uint64_t low, high; };

enum { HD_DWARF_FUNCTION_UNREAD = UINT32_MAX };

struct hd_dwarf_function {
	uint32_t from, to;		/* offsets in the unit: start of its entry, end of its last child */
	/* its inlined functions in the tree's flat ranges; first = HD_DWARF_FUNCTION_UNREAD: not read yet */
	uint32_t first, n;
};

/* Zero-initialise. */
struct hd_dwarf_functions {
	struct hd_dwarf_function *v;
	size_t n, cap;
	struct hd_flat_ranges by_addr;	/* address -> index in v */
	bool jumped;			/* some entries were jumped over */
};

/* Read the functions of `u`.  whole: do not jump over entries.  Faults are recorded in the unit's file. */
void hd_dwarf_functions_read(struct hd_dwarf_functions *fs, struct hd_dwarf_unit *u, const struct hd_code_range *code,
	bool whole);
void hd_dwarf_functions_release(struct hd_dwarf_functions *fs);
/* Find the function at an address; NULL if there is none. */
struct hd_dwarf_function *hd_dwarf_functions_find(const struct hd_dwarf_functions *fs, uint64_t vaddr);

/* Read the attributes that give the addresses of an entry, and skip the others.  False if the entry cannot be read. */
bool hd_dwarf_function_pcs(const struct hd_dwarf_unit *u, const struct hd_abbrev *a, struct hd_bytes *b,
	struct hd_pcs *pcs, uint64_t *sibling);

#endif
