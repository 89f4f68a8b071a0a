/*
 * inline_tree.h - the functions inlined into a function, by address
 *
 * The inlined functions are read from the function's entries when one of its addresses is first looked up:
 *
 *     instances     #0 g in f, called at a.c:7      #1 h in #0, called at a.c:3
 *     flat ranges   0x1138 #0    0x1140 #1    0x1144 #0    0x1150 -
 *
 * So a lookup is a search for the innermost instance and a walk along its parents.  All functions of an object share
 * the arrays.
 *
 * Memory: 32 bytes per instance and 16 per flat range, for functions that were looked up.
 */
#ifndef HD_DWARF_INLINE_TREE_H
#define HD_DWARF_INLINE_TREE_H

#include "dwarf/functions.h"

#define HD_CALL_FILE_NONE UINT32_MAX

struct hd_inlined_call {
	/* lowest address of the instance and of the instances inside it; UINT64_MAX: none has an address */
	uint64_t low;
	uint64_t origin;		/* DW_AT_abstract_origin: a reference to the inlined function */
	uint8_t origin_kind;		/* enum hd_form_kind */
	/* index of the instance that contains this one; HD_FLAT_RANGE_NONE: inlined directly into the function */
	uint32_t parent;
	/*
	 * file number of the line table, which counts from 0 in DWARF 5 and from 1 before; HD_CALL_FILE_NONE:
	 * unknown
	 */
	uint32_t call_file;
	uint32_t call_line;		/* 0: unknown */
};

/* Zero-initialise. */
struct hd_inline_tree {
	struct hd_inlined_call *v;
	size_t n, cap;
	struct hd_flat_ranges segments;
};

/*
 * Append the instances inlined into function `fn` of `u`, and set fn->first and fn->n.  Faults are recorded in the
 * unit's file.
 */
void hd_inline_tree_read(struct hd_inline_tree *t, struct hd_dwarf_unit *u, struct hd_dwarf_function *fn,
	const struct hd_code_range *code);
void hd_inline_tree_release(struct hd_inline_tree *t);

/*
 * Return the index in t->v of the innermost inlined instance that covers the address; HD_FLAT_RANGE_NONE if there is
 * none.  hd_inline_tree_read() must have read the function `fn`.
 */
static inline uint32_t hd_inline_tree_find(const struct hd_inline_tree *t, const struct hd_dwarf_function *fn,
	uint64_t vaddr)
{
	return fn->n ? hd_flat_ranges_find(t->segments.v + fn->first, fn->n, vaddr) : HD_FLAT_RANGE_NONE;
}

#endif
