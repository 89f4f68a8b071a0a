/*
 * functions.h - find the functions of a unit by address
 *
 * The unit is read once.  For each function with code, its address ranges and the extent of its entries are stored:
 *
 *     address  0x1130 .. 0x1158   main   entries 0x2d .. 0x91
 *
 * The entries inside are read when an address of the function is looked up (inline_tree.h).  If the compiler writes
 * DW_AT_sibling (gcc does), the children of most entries are jumped over; those of units and namespaces are read.  If
 * an address is not found that way, the unit is read again without jumping, for functions inside types and inside other
 * functions.
 *
 * Memory: 16 bytes per function and 16 per flat range; while a unit is read, also its bytes, unless the section is in
 * memory.
 */
#ifndef HD_DWARF_FUNCTIONS_H
#define HD_DWARF_FUNCTIONS_H

#include "dwarf/dwarf_file.h"
#include "dwarf/flat_ranges.h"

/* The bounds of all executable sections.  Code that the linker dropped has addresses outside of them. */
struct hd_code_range { uint64_t low, high; };

enum { HD_DWARF_FUNCTION_UNREAD = UINT32_MAX };

struct hd_dwarf_function {
	uint32_t from;			/* offset in the unit: start of the function's entry */
	uint32_t to;			/* offset in the unit: end of the function's entry and its children */
	/*
	 * the inlined functions of this function are the n flat ranges of the inline tree from index `first` on
	 * (inline_tree.h); first = HD_DWARF_FUNCTION_UNREAD: they were not read yet
	 */
	uint32_t first, n;
};

/* Zero-initialise. */
struct hd_dwarf_functions {
	struct hd_dwarf_function *v;
	size_t n, cap;
	struct hd_flat_ranges by_addr;	/* address -> index in v */
	bool jumped;			/* some entries were jumped over */
};

/*
 * Read the functions of `u` into `fs`, and drop the previous contents of `fs`.  whole: read every entry, without
 * skipping subtrees by DW_AT_sibling.  Functions without a range within `code` are skipped.  Faults are recorded in the
 * unit's file.
 */
void hd_dwarf_functions_read(struct hd_dwarf_functions *fs, struct hd_dwarf_unit *u, const struct hd_code_range *code,
	bool whole);
void hd_dwarf_functions_release(struct hd_dwarf_functions *fs);
/* Find the function at an address; NULL if there is none. */
struct hd_dwarf_function *hd_dwarf_functions_find(const struct hd_dwarf_functions *fs, uint64_t vaddr);

/*
 * Read the attributes that give the addresses of an entry, and skip the others; `b` is after the abbreviation code.
 * *sibling becomes the value of DW_AT_sibling, relative to the unit, or 0.  Returns false if the entry cannot be read.
 */
bool hd_dwarf_function_pcs(const struct hd_dwarf_unit *u, const struct hd_abbrev *a, struct hd_bytes *b,
	struct hd_pcs *pcs, uint64_t *sibling);

#endif
