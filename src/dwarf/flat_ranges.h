/*
 * flat_ranges.h - overlapping address ranges laid flat, so that one search finds the innermost
 *
 *     ranges     f [10,50)   g in it [20,40)   h in that [20,30)
 *     segments   10 f   20 h   30 g   40 f   50 -
 *
 * A segment reaches to the next one.  Ranges that overlap without being nested,
 * which damaged files have, are laid flat too: the deepest one wins, of
 * equally deep ones the first.
 */
#ifndef HD_DWARF_FLAT_RANGES_H
#define HD_DWARF_FLAT_RANGES_H

#include <stddef.h>
#include <stdint.h>

#define HD_FLAT_RANGE_NONE UINT32_MAX

struct hd_nested_range { uint64_t start, end; uint32_t id, depth; };
struct hd_flat_range { uint64_t start; uint32_t id; };	/* id HD_FLAT_RANGE_NONE: nothing is there */

struct hd_flat_ranges {
	struct hd_flat_range *v;
	size_t n, cap;
};

/* Append the segments of n spans, which are reordered; returns how many they are (at most 2 * n). */
size_t hd_flat_ranges_add(struct hd_flat_ranges *s, struct hd_nested_range *spans, size_t n);
/* The id at an address among n segments. */
uint32_t hd_flat_ranges_find(const struct hd_flat_range *v, size_t n, uint64_t vaddr);

#endif
