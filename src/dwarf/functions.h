/*
 * functions.h - the functions of one unit by address: where their entries are in .debug_info
 *
 * The unit is read once, from its first entry to its last, and of each
 * function with code the ranges and the extent of its entry are kept:
 *
 *     address  0x1130 .. 0x1158   main   entries 0x2d .. 0x91
 *
 * What is in the extents is read when an address in the function is asked
 * for (inline_tree.h).  Where the compiler says where the next entry is
 * (DW_AT_sibling: gcc does), what cannot hold a function of its own is jumped
 * over; when an address is not found so, the unit is read once more without
 * jumping, for functions inside of types and of other functions.
 *
 * Memory: 24 bytes per function and 16 per range; while it is read, the unit's bytes.
 */
#ifndef HD_DWARF_FUNCTIONS_H
#define HD_DWARF_FUNCTIONS_H

#include "dwarf/dwarf_file.h"
#include "dwarf/flat_ranges.h"

/* Where code is; what is elsewhere was dropped by the linker. */
struct hd_code_range { uint64_t low, high; };

enum { HD_DWARF_FUNCTION_UNREAD = UINT32_MAX };

struct hd_dwarf_function {
	uint32_t from, to;		/* entries, from the unit's start: its own up to behind its last child */
	uint32_t first, n; /* segments of its inlined functions, once read; first HD_DWARF_FUNCTION_UNREAD: not yet */
};

/* Zero-initialise. */
struct hd_dwarf_functions {
	struct hd_dwarf_function *v;
	size_t n, cap;
	struct hd_flat_ranges by_addr;	/* -> index in v */
	bool jumped;			/* something was jumped over */
};

/* Read the functions of u; whole: jump over nothing.  What is damaged is told to u's file. */
void hd_dwarf_functions_read(struct hd_dwarf_functions *fs, struct hd_dwarf_unit *u, const struct hd_code_range *code,
	bool whole);
void hd_dwarf_functions_release(struct hd_dwarf_functions *fs);
/* The function at an address, or NULL. */
struct hd_dwarf_function *hd_dwarf_functions_find(const struct hd_dwarf_functions *fs, uint64_t vaddr);

/* The attributes of an entry that say where its code is; steps over the others.  False: it cannot be read. */
bool hd_dwarf_function_pcs(const struct hd_dwarf_unit *u, const struct hd_abbrev *a, struct hd_bytes *b,
	struct hd_pcs *pcs, uint64_t *sibling);

#endif
