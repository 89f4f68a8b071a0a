/*
 * unit_index.h - the compilation units of .debug_info: their addresses and line programs
 *
 * Only the header and the first entry of each unit are read:
 *
 *     header    length, version, abbreviation table                the shape of the entry
 *     entry     DW_AT_low_pc, _high_pc or _ranges                  the addresses
 *               DW_AT_stmt_list, _comp_dir                         the line program
 *
 * Units without a line program are not listed.  A unit without addresses may have them in .debug_aranges.  If it has
 * none there either, it has no code, such as the units that dwz and LTO make for common entries.
 *
 * Supported are DWARF 2 to 5, 32 and 64 bits, with address and range tables (ranges.h).  Work is bounded by the size of
 * the sections: long abbreviation tables and range lists that many units share are read within a budget.
 */
#ifndef HD_DWARF_UNIT_INDEX_H
#define HD_DWARF_UNIT_INDEX_H

#include "base/arena.h"
#include "base/map.h"
#include "elf/debug_section.h"
#include "dwarf/ranges.h"

struct hd_unit_index_range { uint64_t start, end; uint32_t unit; };

struct hd_unit_index_entry {
	uint64_t info_off;		/* offset of the unit in .debug_info */
	uint64_t line_off;
	const char *comp_dir;		/* NULL: unknown, or referred to by index (DW_FORM_strx), which is not read */
};

/* Zero-initialise. */
struct hd_unit_index {
	struct hd_unit_index_entry *v;
	size_t n, cap;
	struct hd_unit_index_range *ranges;	/* sorted by start */
	size_t nranges, ranges_cap;
	struct hd_arena strings;
	const char *damage;		/* the first fault that was found, or NULL */

	struct hd_debug_section info, abbrev, str, line_str, addr, ranges_sec, rnglists;
	/* .debug_str of the alternate file that dwz made, if there is one; set this before reading the units */
	struct hd_debug_section alt_str;
	struct hd_map abbrevs;		/* (table, code) -> offset of the abbreviation */
	struct hd_map blind;		/* offset -> unit, for units whose entry may not list all their addresses */
	struct hd_address_page page;
	uint64_t abbrev_budget, range_budget, string_budget;
	/*
	 * Bounds of all code sections.  Ranges outside of them are ignored: they are those of code that the linker
	 * dropped, whose address it sets to 0 or to the maximum.
	 */
	uint64_t low, high;
};

/* Read the units of `e`, which must outlive `u`.  Damaged parts are skipped; u->damage is then set. */
void hd_unit_index_read(struct hd_unit_index *u, const struct hd_elf *e);
void hd_unit_index_release(struct hd_unit_index *u);
/* Find the unit of an address; UINT32_MAX if there is none. */
uint32_t hd_unit_index_find(const struct hd_unit_index *u, uint64_t vaddr);

/* Record a fault; the first one is kept. */
static inline void hd_unit_index_damaged(struct hd_unit_index *u, const char *what)
{
	if (!u->damage)
		u->damage = what;
}

#endif
