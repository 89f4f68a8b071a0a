/*
 * dwp.h - read .debug_cu_index of a .dwp package: which bytes of its sections belong to which unit
 *
 *     OFFSET  SIZE      MEANING
 *     0       4         version: 2 (GNU); or 5 in the first two bytes, then two bytes of padding
 *     4       4         number of columns, c; one per section
 *     8       4         number of units, u
 *     12      4         number of slots, s; a power of two
 *     16      8 s       unit ids, a hash table: an id is in slot id & (s - 1), or in a later one in steps of
 *                       ((id >> 32) & (s - 1)) | 1
 *     ..      4 s       for each slot the row of its id, counted from 1; 0: the slot is empty
 *     ..      4 c       for each column its section (DW_SECT_*)
 *     ..      4 c u     offsets, a row per unit; then the sizes, likewise
 */
#ifndef HD_DWARF_DWP_H
#define HD_DWARF_DWP_H

#include "dwarf/dwarf_file.h"

/*
 * Set the sections of `f` to those of the unit `id`.  Returns false if the package does not contain the unit or its
 * index is invalid; `f` may be changed then, too.
 */
bool hd_dwp_take(struct hd_dwarf_file *f, struct hd_elf *package, uint64_t id);

#endif
