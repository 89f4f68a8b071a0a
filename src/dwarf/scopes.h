/*
 * scopes.h - find the namespace, type or function that contains an entry
 *
 * Entries list their children but not their parents.  When a parent is first needed, the unit is read once, and the
 * extents of entries that can contain functions are stored as flat ranges (flat_ranges.h):
 *
 *     namespace a [0x20,0x90)   struct b in it [0x31,0x60)     0x45 is in 0x31, 0x31 is in 0x20
 *
 * Memory: at most 32 bytes per scope; during the pass also the bytes of the unit.
 */
#ifndef HD_DWARF_SCOPES_H
#define HD_DWARF_SCOPES_H

#include "dwarf/dwarf_file.h"

/* Find the entry that contains the entry at `off`; false if that is the unit.  Both offsets are in the section. */
bool hd_dwarf_scope_of(struct hd_dwarf_unit *u, uint64_t off, uint64_t *scope);

#endif
