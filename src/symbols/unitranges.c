/*
 * unitranges.c - address ranges of a unit: see units.h
 *
 *     .debug_ranges     pairs of addresses; (-1, x): x is the base from now on; (0, 0): the end
 *     .debug_rnglists   a kind, then what the kind says: DW_RLE_*
 *     .debug_addr       addresses, for what says an index
 */
#include "symbols/units.h"

#include "base/mem.h"

#include <dwarf.h>

static void add(struct hd_units *u, uint32_t unit, uint64_t start, uint64_t end)
{
	/* What the linker dropped is at 0 or so. */
	if (start < u->low || end <= start)
		return;
	HD_GROW(u->ranges, u->nranges + 1, u->ranges_cap);
	u->ranges[u->nranges++] = (struct hd_unit_range){ start, end, unit };
}

/* Address number `index` of a unit. */
static uint64_t indexed(struct hd_units *u, const struct hd_unit_entry *die, uint64_t index)
{
	struct hd_dwcursor c;

	if (index > UINT32_MAX) {
		hd_units_damaged(u, "an address has an impossible index");
		return 0;
	}
	hd_dwcursor_start(&c, &u->addr, die->addr_base + index * die->addr_size, UINT64_MAX);
	return hd_dwcursor_uint(&c, die->addr_size);
}

/* One more range is read; false when that is more than the sections can hold. */
static bool pay(struct hd_units *u)
{
	if (u->range_budget) {
		u->range_budget--;
		return true;
	}
	hd_units_damaged(u, "more address ranges than there is room for");
	return false;
}

static void read_ranges(struct hd_units *u, const struct hd_unit_entry *die)
{
	uint64_t base = die->low, top = die->addr_size == 8 ? UINT64_MAX : UINT32_MAX;
	struct hd_dwcursor c;

	hd_dwcursor_start(&c, &u->ranges_sec, die->ranges, UINT64_MAX);
	while (pay(u)) {
		uint64_t start = hd_dwcursor_uint(&c, die->addr_size);
		uint64_t end = hd_dwcursor_uint(&c, die->addr_size);

		if (c.b.bad) {
			hd_units_damaged(u, "a list of address ranges is outside its section");
			return;
		}
		if (!start && !end)
			return;
		if (start == top)
			base = end;
		else
			add(u, die->unit, base + start, base + end);
	}
}

static void read_rnglist(struct hd_units *u, const struct hd_unit_entry *die, uint64_t off)
{
	uint64_t base = die->low, a, b;
	struct hd_dwcursor c;

	hd_dwcursor_start(&c, &u->rnglists, off, UINT64_MAX);
	while (pay(u)) {
		unsigned kind = (unsigned)hd_dwcursor_uint(&c, 1);

		a = b = 0;
		switch (kind) {
		case DW_RLE_end_of_list:
			if (c.b.bad)
				hd_units_damaged(u, "a list of address ranges is outside its section");
			return;
		case DW_RLE_base_addressx:
			base = indexed(u, die, hd_dwcursor_uleb(&c));
			continue;
		case DW_RLE_base_address:
			base = hd_dwcursor_uint(&c, die->addr_size);
			continue;
		case DW_RLE_startx_endx:
			a = indexed(u, die, hd_dwcursor_uleb(&c));
			b = indexed(u, die, hd_dwcursor_uleb(&c));
			break;
		case DW_RLE_startx_length:
			a = indexed(u, die, hd_dwcursor_uleb(&c));
			b = a + hd_dwcursor_uleb(&c);
			break;
		case DW_RLE_offset_pair:
			a = base + hd_dwcursor_uleb(&c);
			b = base + hd_dwcursor_uleb(&c);
			break;
		case DW_RLE_start_end:
			a = hd_dwcursor_uint(&c, die->addr_size);
			b = hd_dwcursor_uint(&c, die->addr_size);
			break;
		case DW_RLE_start_length:
			a = hd_dwcursor_uint(&c, die->addr_size);
			b = a + hd_dwcursor_uleb(&c);
			break;
		default:
			hd_units_damaged(u, "a list of address ranges has an entry of an unknown kind");
			return;
		}
		if (c.b.bad) {
			hd_units_damaged(u, "a list of address ranges is outside its section");
			return;
		}
		add(u, die->unit, a, b);
	}
}

/* Where list number `index` of a unit is. */
static uint64_t indexed_list(struct hd_units *u, const struct hd_unit_entry *die)
{
	uint64_t base = die->rnglists_base;
	struct hd_dwcursor c;

	/* Without a base it is the first table of the section. */
	if (!die->has_rnglists_base)
		base = die->offset_size == 8 ? 20 : 12;
	if (die->ranges > UINT32_MAX)
		return UINT64_MAX;
	hd_dwcursor_start(&c, &u->rnglists, base + die->ranges * die->offset_size, UINT64_MAX);
	return base + hd_dwcursor_uint(&c, die->offset_size);
}

void hd_unit_ranges_add(struct hd_units *u, struct hd_unit_entry *die)
{
	if (die->low_is_index)
		die->low = indexed(u, die, die->low);
	if (die->high_is_index)
		die->high = indexed(u, die, die->high);
	if (die->has_ranges && die->version >= 5)
		read_rnglist(u, die, die->ranges_is_index ? indexed_list(u, die) : die->ranges);
	else if (die->has_ranges)
		read_ranges(u, die);
	else if (die->has_low && die->has_high && pay(u))
		add(u, die->unit, die->low, die->high_is_size ? die->low + die->high : die->high);
}
