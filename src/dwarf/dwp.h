/*
 * dwp.h - .debug_cu_index of a .dwp package: which bytes of its sections belong to which unit
 *
 *     OFFSET  SIZE      MEANING
 *     0       4         version: 2 (GNU) or 5; in version 5 the upper two bytes are padding
 *     4       4         number of columns, one per section
 *     8       4         number of units, u
 *     12      4         number of slots, a power of two
 *     16      8 slots   unit ids, a hash table: slot id & mask, then steps of ((id >> 32) & mask) | 1
 *     ..      4 slots   row of the id, counted from 1; 0: the slot is empty
 *     ..      4 col     the section of each column
 *     ..      4 col u   offsets, a row per unit; then the sizes, likewise
 */
#ifndef HD_DWARF_DWP_H
#define HD_DWARF_DWP_H

#include "dwarf/dwarf_file.h"

/* Set the sections of `f` to those of the unit `id`.  Returns false if the package does not contain it. */
bool hd_dwp_take(struct hd_dwarf_file *f, struct hd_elf *package, uint64_t id);

#endif
