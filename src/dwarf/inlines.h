/*
 * inlines.h - the functions inlined at an address, found on demand
 *
 *     address -> unit            unit_index.h, from the lines' list of units
 *             -> function        functions.h, when the unit is first asked for
 *             -> instances       inline_tree.h, when the function is
 *             -> names           names.h, when the instance is
 *             -> calling lines   the unit's line table, line_table.h
 *
 * The entries of a unit may be in a split-off file (split_dwarf.h), and names in
 * an alternate file (altfile.h).
 *
 * Memory: what those say; nothing of the debug sections is kept but what
 * libelf unpacked.  Work: a unit's bytes are read once or twice, a function's once.
 *
 * Warnings: symbols.inlines-damaged, symbols.dwo-absent, symbols.alt-absent;
 * each once per object.
 *
 * Private to symbols/.
 */
#ifndef HD_DWARF_INLINES_H
#define HD_DWARF_INLINES_H

#include "dwarf/lines.h"

struct hd_inlines;

/* Never NULL.  o->lines must be open and outlive it. */
struct hd_inlines *hd_inlines_open(struct hd_lines *lines, const struct hd_dwarf_source *src);
void hd_inlines_free(struct hd_inlines *ix);
/* The innermost instance at vaddr, its index + 1, or 0: equal ones have equal hits. */
uint32_t hd_inlines_instance(struct hd_inlines *ix, uint64_t vaddr);
size_t hd_inlines_find(struct hd_inlines *ix, uint64_t vaddr, struct hd_inline_hit *hits, size_t max);

#endif
