/*
 * scopes.h - find the namespace, type or function that contains an entry
 *
 * A DWARF entry lists its children but not its parent.  When a parent is first needed, the unit is read once, and the
 * extents of entries that can contain functions are stored as flat ranges (flat_ranges.h):
 *
 *     namespace a [0x20,0x90)   struct b in it [0x31,0x60)     0x45 is in 0x31, 0x31 is in 0x20
 *
 * Memory: at most two ranges of 16 bytes per scope, in an array that grows by half; while a unit is read, also its
 * bytes and a list of its scopes.
 */
#ifndef HD_DWARF_SCOPES_H
#define HD_DWARF_SCOPES_H

#include "dwarf/dwarf_file.h"

/*
 * Find the innermost namespace, type or function that contains the entry at `off`, and set *scope to its offset.  The
 * entry at `off` must be a namespace, type or function, too: only scopes that contain another scope are stored.
 * Returns false if there is none, because the entry is directly in the unit or the unit cannot be read.  off and *scope
 * are offsets in the unit's section.
 */
bool hd_dwarf_scope_of(struct hd_dwarf_unit *u, uint64_t off, uint64_t *scope);

#endif
