/*
 * aranges.h - .debug_aranges: the addresses of units that do not say them themselves
 *
 *     OFFSET  SIZE     MEANING
 *     0       4 or 12  length
 *     ..      2        version: 2
 *     ..      4 or 8   offset of the unit in .debug_info
 *     ..      1, 1     sizes of an address and of a segment selector (0)
 *     ..      2 addr   address and length, from a multiple of that; (0, 0): the end
 *
 * Only asked for such units (gcc -gdwarf-2 -gstrict-dwarf makes them, and ones that say a part): others know better.
 */
#ifndef HD_DWARF_ARANGES_H
#define HD_DWARF_ARANGES_H

#include "elf/debug_section.h"

typedef void hd_arange_fn(void *arg, uint64_t unit, uint64_t start, uint64_t end);

/* Call fn for each range.  What is damaged ends it; returns what that was, or NULL. */
const char *hd_aranges_each(const struct hd_debug_section *sec, hd_arange_fn *fn, void *arg);

#endif
