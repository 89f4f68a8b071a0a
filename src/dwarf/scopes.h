/*
 * scopes.h - in which namespace, type or function an entry is
 *
 * Entries know their children, not their parents.  When a parent is first
 * asked for, the unit is read once, and of those that functions are
 * in the extents are kept, laid flat (flat_ranges.h):
 *
 *     namespace a [0x20,0x90)   struct b in it [0x31,0x60)     0x45 is in 0x31, 0x31 is in 0x20
 *
 * Memory: at most 32 bytes per scope; while it is read, the unit's bytes.
 */
#ifndef HD_DWARF_SCOPES_H
#define HD_DWARF_SCOPES_H

#include "dwarf/dwarf_file.h"

/* The entry that the one at off is in; false when that is the unit. Both offsets are in the section. */
bool hd_dwarf_scope_of(struct hd_dwarf_unit *u, uint64_t off, uint64_t *scope);

#endif
