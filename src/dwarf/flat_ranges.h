/*
 * flat_ranges.h - flatten nested address ranges, so that one binary search finds the innermost
 *
 *     nested     f [10,50)   g in f [20,40)   h in g [20,30)
 *     flat       10 f   20 h   30 g   40 f   50 -
 *
 * A flat range extends to the next one.  Damaged files have ranges that overlap without being nested.  There the
 * deepest range wins; of equally deep ones, that with the lowest id.
 */
#ifndef HD_DWARF_FLAT_RANGES_H
#define HD_DWARF_FLAT_RANGES_H

#include <stddef.h>
#include <stdint.h>

#define HD_FLAT_RANGE_NONE UINT32_MAX

struct hd_nested_range { uint64_t start, end; uint32_t id, depth; };
struct hd_flat_range { uint64_t start; uint32_t id; };	/* id HD_FLAT_RANGE_NONE: no range covers this part */

struct hd_flat_ranges {
	struct hd_flat_range *v;
	size_t n, cap;
};

/* Append the flat form of n nested ranges, which are reordered.  Returns how many were added (at most 2 * n). */
size_t hd_flat_ranges_add(struct hd_flat_ranges *s, struct hd_nested_range *spans, size_t n);
/* Return the id of the flat range, among n, that contains an address; HD_FLAT_RANGE_NONE if there is none. */
uint32_t hd_flat_ranges_find(const struct hd_flat_range *v, size_t n, uint64_t vaddr);

#endif
