/*
 * ranges.h - the address ranges of a unit, a function or an inlined call
 *
 *     DW_AT_low_pc, DW_AT_high_pc    one range
 *     DW_AT_ranges                   a list:
 *       .debug_ranges     pairs of addresses; (-1, x): x is the base from now on; (0, 0): the end
 *       .debug_rnglists   a kind, then what the kind says: DW_RLE_*
 *     .debug_addr         addresses, for what says an index
 *
 * Many entries may point at one long list, so that what is read altogether is
 * bounded by a budget of ranges that the caller keeps.
 */
#ifndef HD_DWARF_RANGES_H
#define HD_DWARF_RANGES_H

#include "dwarf/form.h"
#include "elf/debug_section.h"

/* A part of .debug_addr, so that addresses by index do not cost a read each. */
struct hd_address_page {
	uint64_t off;
	size_t n;
	uint8_t bytes[4096];
};

/* Where the addresses and lists of one unit are. */
struct hd_range_base {
	const struct hd_debug_section *addr, *ranges, *rnglists;
	struct hd_address_page *page;	/* of addr; zero at first */
	uint64_t addr_base;
	uint64_t ranges_base;		/* added to offsets into .debug_ranges */
	uint64_t rnglists_base;		/* 0: behind the header of the section's first table */
	uint64_t low;			/* DW_AT_low_pc of the unit: what lists count from at first */
	uint64_t *budget;
};

/* What one entry says of its addresses. */
struct hd_pcs {
	struct hd_form_value low, high, ranges;		/* kind HD_FORM_NONE: not there */
};

static inline bool hd_pcs_any(const struct hd_pcs *p)
{
	return p->ranges.kind || (p->low.kind && p->high.kind);
}

typedef void hd_range_fn(void *arg, uint64_t start, uint64_t end);

/* Call fn for each range that is not empty.  Returns what was wrong, or NULL. */
const char *hd_ranges_each(const struct hd_range_base *rb, const struct hd_unit_header *h, const struct hd_pcs *pcs,
			   hd_range_fn *fn, void *arg);
/* The address that an attribute says, through .debug_addr when need be; 0 when it is not there. */
uint64_t hd_range_address(const struct hd_range_base *rb, const struct hd_unit_header *h, const struct hd_form_value *v,
	const char **damage);

#endif
