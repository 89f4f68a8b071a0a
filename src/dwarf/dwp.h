/*
 * dwp.h - .debug_cu_index of a .dwp package: which bytes of its sections a unit has
 *
 *     OFFSET  SIZE      MEANING
 *     0       4         version: 2 (GNU) or 5; of the latter the upper two bytes are padding
 *     4       4         columns: sections
 *     8       4         units
 *     12      4         slots, a power of two
 *     16      8 slots   ids, a hash table: slot id & mask, then on by ((id >> 32) & mask) | 1
 *     ..      4 slots   row of the id, counted from 1; 0: the slot is empty
 *     ..      4 col     which section a column is of
 *     ..      4 col u   offsets, a row per unit; then the sizes in the same way
 */
#ifndef HD_DWARF_DWP_H
#define HD_DWARF_DWP_H

#include "dwarf/dwarf_file.h"

/* Set f to the sections of the unit with that id.  False when the package does not have it. */
bool hd_dwp_take(struct hd_dwarf_file *f, struct hd_elf *package, uint64_t id);

#endif
