/*
 * dwscopes.h - in which namespace, type or function an entry is
 *
 * Entries know their children, not their parents.  When a parent is first
 * asked for, the unit is read once, and of those that functions are
 * in the extents are kept, laid flat (segments.h):
 *
 *     namespace a [0x20,0x90)   struct b in it [0x31,0x60)     0x45 is in 0x31, 0x31 is in 0x20
 *
 * Memory: at most 32 bytes per scope; while it is read, the unit's bytes.
 */
#ifndef HD_SYMBOLS_DWSCOPES_H
#define HD_SYMBOLS_DWSCOPES_H

#include "symbols/dwfile.h"

/* The entry that the one at off is in; false when that is the unit. Both offsets are in the section. */
bool hd_dwscope_of(struct hd_dwunit *u, uint64_t off, uint64_t *scope);

#endif
