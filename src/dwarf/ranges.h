/*
 * ranges.h - read the address ranges of a unit, a function or an inlined call
 *
 *     DW_AT_low_pc, DW_AT_high_pc    one range
 *     DW_AT_ranges                   a list:
 *       .debug_ranges     address pairs; (-1, x) sets the base to x; (0, 0) ends the list
 *       .debug_rnglists   entries of a kind (DW_RLE_*) with its operands
 *     .debug_addr         addresses that are referred to by index
 *
 * Many entries can refer to one long list, so the total number of list entries that are read is limited by a budget.
 */
#ifndef HD_DWARF_RANGES_H
#define HD_DWARF_RANGES_H

#include "dwarf/form.h"
#include "elf/debug_section.h"

/* A cached part of .debug_addr, so that looking up an address by its index rarely needs a read. */
struct hd_address_page {
	uint64_t off;
	size_t n;
	uint8_t bytes[4096];
};

/* The bases of addresses and lists of one unit. */
struct hd_range_base {
	const struct hd_debug_section *addr, *ranges, *rnglists;
	struct hd_address_page *page;	/* cache of `addr`; zero-initialise */
	uint64_t addr_base;
	uint64_t ranges_base;		/* added to offsets in .debug_ranges */
	uint64_t rnglists_base;		/* 0: after the header of the first table in the section */
	uint64_t low;			/* DW_AT_low_pc of the unit: the initial base of lists */
	uint64_t *budget;		/* list entries that may still be read */
};

/* The address attributes of an entry. */
struct hd_pcs {
	struct hd_form_value low, high, ranges;		/* kind HD_FORM_NONE: absent */
};

static inline bool hd_pcs_any(const struct hd_pcs *p)
{
	return p->ranges.kind || (p->low.kind && p->high.kind);
}

typedef void hd_range_fn(void *arg, uint64_t start, uint64_t end);

/* Call fn for each range [start, end) that is not empty.  Returns the first fault, a static string, or NULL. */
const char *hd_ranges_each(const struct hd_range_base *rb, const struct hd_unit_header *h, const struct hd_pcs *pcs,
			   hd_range_fn *fn, void *arg);
/*
 * Return the address of an attribute, which may be an index in .debug_addr; 0 if the attribute is absent.  If the index
 * is invalid, returns 0 and sets *damage to the fault; otherwise *damage does not change.
 */
uint64_t hd_range_address(const struct hd_range_base *rb, const struct hd_unit_header *h, const struct hd_form_value *v,
	const char **damage);

#endif
