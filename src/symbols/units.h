/*
 * units.h - the compilation units of .debug_info: where their code is, and their line program
 *
 * Only the first entry of each unit is read:
 *
 *     unit      length, version, where its abbreviations are       the shape of the entry
 *     entry     DW_AT_low_pc, _high_pc or _ranges                  the addresses
 *               DW_AT_stmt_list, _comp_dir                         the line program
 *
 * DWARF 2 to 5, in 32 and 64 bits, with address and range tables.  What that
 * costs is bounded by the size of the sections, whatever they point at: long
 * abbreviation tables and range lists that many units share are read within a
 * budget.
 */
#ifndef HD_SYMBOLS_UNITS_H
#define HD_SYMBOLS_UNITS_H

#include "base/arena.h"
#include "base/map.h"
#include "symbols/dwsec.h"

struct hd_unit_range { uint64_t start, end; uint32_t unit; };

struct hd_unit {
	uint64_t line_off;
	const char *comp_dir;		/* NULL: not known */
};

/* Zero-initialise. */
struct hd_units {
	struct hd_unit *v;
	size_t n, cap;
	struct hd_unit_range *ranges;	/* by start */
	size_t nranges, ranges_cap;
	struct hd_arena strings;
	const char *damage;		/* the first thing that was wrong, or NULL */

	struct hd_dwsec info, abbrev, str, line_str, addr, ranges_sec, rnglists;
	struct hd_map abbrevs;		/* (table, code) -> where the abbreviation is */
	uint64_t abbrev_budget, range_budget, string_budget;
	uint64_t low;			/* code is nowhere below this */
};

void hd_units_read(struct hd_units *u, const struct hd_elf *e);
void hd_units_release(struct hd_units *u);
/* The unit that an address is in, or UINT32_MAX. */
uint32_t hd_units_find(const struct hd_units *u, uint64_t vaddr);

/* Note the first thing that is wrong. */
static inline void hd_units_damaged(struct hd_units *u, const char *what)
{
	if (!u->damage)
		u->damage = what;
}

/* What ranges.c needs of a unit's first entry. */
struct hd_unit_entry {
	uint32_t unit;
	unsigned version, addr_size, offset_size;
	uint64_t low, high, addr_base, rnglists_base, ranges;
	bool has_low, has_high, low_is_index, high_is_index, high_is_size, has_ranges, ranges_is_index;
	bool has_rnglists_base;
};

/* Add the address ranges of an entry. */
void hd_unit_ranges_add(struct hd_units *u, struct hd_unit_entry *die);

#endif
