/*
 * inlines.h - find the functions inlined at an address
 *
 *     address -> unit            unit_index.h, the index that lines.h has built
 *             -> function        functions.h, read for the first address in the unit
 *             -> instances       inline_tree.h, read for the first address in the function
 *             -> names           names.h, read for the first lookup of the instance
 *             -> calling lines   the unit's line table, line_table.h
 *
 * The entries of a unit may be in a .dwo file (split_dwarf.h), and names in an alternate file (altfile.h).
 *
 * Memory: that of these modules; debug sections are not kept in memory unless they are compressed.
 * Work:   the bytes of a unit are read once or twice, those of a function once.
 *
 * Warnings: symbols.inlines-damaged, symbols.dwo-absent, symbols.alt-absent, each at most once per object.
 */
#ifndef HD_DWARF_INLINES_H
#define HD_DWARF_INLINES_H

#include "dwarf/lines.h"

struct hd_inlines;

/* Return a reader of inlined functions, never NULL.  `lines` and `src` are borrowed. */
struct hd_inlines *hd_inlines_open(struct hd_lines *lines, const struct hd_dwarf_source *src);
void hd_inlines_free(struct hd_inlines *ix);
/*
 * hd_inlines_instance() returns 1 + the index of the innermost inlined instance at `vaddr`, or 0 if there is none.
 * Addresses with the same result have the same chain of inlined functions.  hd_inlines_find() stores at most `max`
 * functions of the chain, innermost first, and returns their number.  Functions whose names are unknown are skipped.
 */
uint32_t hd_inlines_instance(struct hd_inlines *ix, uint64_t vaddr);
size_t hd_inlines_find(struct hd_inlines *ix, uint64_t vaddr, struct hd_inline_hit *hits, size_t max);

#endif
