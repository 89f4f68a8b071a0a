/*
 * unit_index.h - the compilation units of .debug_info: where their code is, and their line program
 *
 * Only the first entry of each unit is read:
 *
 *     unit      length, version, where its abbreviations are       the shape of the entry
 *     entry     DW_AT_low_pc, _high_pc or _ranges                  the addresses
 *               DW_AT_stmt_list, _comp_dir                         the line program
 *
 * A unit without addresses may have them in .debug_aranges (aranges.h); others,
 * such as what dwz and link-time optimisation make for others to refer to, have no code.
 *
 * DWARF 2 to 5, in 32 and 64 bits, with address and range tables (ranges.h).  What that
 * costs is bounded by the size of the sections, whatever they point at: long
 * abbreviation tables and range lists that many units share are read within a
 * budget.
 */
#ifndef HD_DWARF_UNIT_INDEX_H
#define HD_DWARF_UNIT_INDEX_H

#include "base/arena.h"
#include "base/map.h"
#include "elf/debug_section.h"
#include "dwarf/ranges.h"

struct hd_unit_index_range { uint64_t start, end; uint32_t unit; };

struct hd_unit_index_entry {
	uint64_t info_off;		/* of the unit in .debug_info */
	uint64_t line_off;
	const char *comp_dir;		/* NULL: not known */
};

/* Zero-initialise. */
struct hd_unit_index {
	struct hd_unit_index_entry *v;
	size_t n, cap;
	struct hd_unit_index_range *ranges;	/* by start */
	size_t nranges, ranges_cap;
	struct hd_arena strings;
	const char *damage;		/* the first thing that was wrong, or NULL */

	struct hd_debug_section info, abbrev, str, line_str, addr, ranges_sec, rnglists;
	struct hd_debug_section alt_str; /* .debug_str of the alternate file, if there is one: set before reading */
	struct hd_map abbrevs;		/* (table, code) -> where the abbreviation is */
	struct hd_map blind;		/* offset -> unit: those that do not say all their addresses */
	struct hd_address_page page;
	uint64_t abbrev_budget, range_budget, string_budget;
	uint64_t low, high; /* code is nowhere outside of this: what the linker dropped is at 0, or at the top */
};

void hd_unit_index_read(struct hd_unit_index *u, const struct hd_elf *e);
void hd_unit_index_release(struct hd_unit_index *u);
/* The unit that an address is in, or UINT32_MAX. */
uint32_t hd_unit_index_find(const struct hd_unit_index *u, uint64_t vaddr);

/* Note the first thing that is wrong. */
static inline void hd_unit_index_damaged(struct hd_unit_index *u, const char *what)
{
	if (!u->damage)
		u->damage = what;
}

#endif
