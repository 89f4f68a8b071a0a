/*
 * dwarf_file.h - the DWARF sections of one file, its units, and single entries
 *
 *     hd_dwarf_file_take(f, e, ".dwo")       which sections the file has
 *     u = hd_dwarf_file_unit(f, off)         the unit whose header is at off
 *     hd_die_open(&d, u, off)            one entry anywhere
 *     while (hd_die_next(&d, &name, &v)) its attributes
 *
 * A unit is opened once: header, first entry, table of abbreviations.  Where
 * the units are is listed when a reference first leaves its own.
 *
 * Owns: units and abbreviations.  Borrows the ELF file, unless it is given away.
 * Memory: 8 bytes per unit of a file that was listed, about 250 per unit that was opened.
 */
#ifndef HD_DWARF_DWARF_FILE_H
#define HD_DWARF_DWARF_FILE_H

#include "base/arena.h"
#include "base/map.h"
#include "dwarf/abbrev.h"
#include "dwarf/form.h"
#include "elf/debug_section.h"
#include "dwarf/ranges.h"
#include "dwarf/flat_ranges.h"

struct hd_dwarf_file;

struct hd_dwarf_unit {
	struct hd_dwarf_file *f;
	struct hd_unit_header h;
	const struct hd_abbrevs *abbrevs;
	struct hd_range_base rb;
	uint64_t str_offsets_base;
	unsigned language;		/* DW_LANG_*; 0: not told */
	/* Of a unit whose entries are in another file: */
	bool split;
	uint64_t dwo_id;
	struct hd_form_value dwo_name, comp_dir;
	uint64_t dwo_ranges_base;	/* DW_AT_GNU_ranges_base: for the split-off part */

	struct hd_flat_ranges scopes;	/* scopes.c's */
	bool scopes_read;
};

struct hd_dwarf_file {
	struct hd_elf *e;
	struct hd_debug_section info, abbrev, str, str_offsets, line_str, addr, ranges, rnglists;
	bool dwo; /* split-off sections: without a base, numbers of strings count from the table's header */
	struct hd_dwarf_file *alt;		/* the alternate file, when known; borrowed */
	const char *damage;		/* the first thing that was wrong, or NULL */

	struct hd_abbrev_tables tables;
	struct hd_address_page page;
	uint64_t range_budget, work_budget, string_budget, entry_budget;
	struct hd_map names;		/* entry -> name: names.c's */
	struct hd_dwarf_unit **units;	/* opened ones */
	size_t nunits, units_cap;
	struct hd_map by_off;		/* header -> index in units; HD_MAP_NONE - 1: cannot be opened */
	uint64_t *starts;		/* of all units, once listed */
	size_t nstarts, starts_cap;
	bool listed;
};

/* Find the sections by name: ".debug_info" and so on, followed by suffix ("" or ".dwo"). */
void hd_dwarf_file_take(struct hd_dwarf_file *f, struct hd_elf *e, const char *suffix);
/* Set what may be spent, by the sections' sizes; after they are known. */
void hd_dwarf_file_budget(struct hd_dwarf_file *f);
void hd_dwarf_file_release(struct hd_dwarf_file *f);

/* NULL when there is none or it cannot be read. */
struct hd_dwarf_unit *hd_dwarf_file_unit(struct hd_dwarf_file *f, uint64_t off);
/* List the units; afterwards starts is valid. */
void hd_dwarf_file_list(struct hd_dwarf_file *f);

static inline void hd_dwarf_file_damaged(struct hd_dwarf_file *f, const char *what)
{
	if (!f->damage)
		f->damage = what;
}

/* The entries of a unit in memory. */
struct hd_unit_bytes {
	uint8_t *owned;			/* NULL: borrowed */
	const uint8_t *p;		/* of `from` */
	uint64_t from, to;		/* offsets in the section */
};

/* The bytes from..to of the unit's section; false when they are not there. */
bool hd_unit_bytes_read(struct hd_unit_bytes *ub, const struct hd_dwarf_unit *u, uint64_t from, uint64_t to);
void hd_unit_bytes_release(struct hd_unit_bytes *ub);

/* ---- one entry ---- */

struct hd_die {
	const struct hd_dwarf_unit *u;
	const struct hd_abbrev *abbrev;
	uint32_t next;			/* attribute */
	uint64_t at;			/* offset in the section of the window's start */
	struct hd_bytes b;
	const uint8_t *start;		/* of the window */
	uint8_t *large;			/* instead of `small`, for entries that are longer */
	uint8_t small[256];
};

/* False when there is no entry; off is in the section, within the unit. */
bool hd_die_open(struct hd_die *d, const struct hd_dwarf_unit *u, uint64_t off);
/* The next attribute; false at the end.  A string in the entry itself is given as its offset in the section. */
bool hd_die_next(struct hd_die *d, unsigned *name, struct hd_form_value *v);
void hd_die_close(struct hd_die *d);

/*
 * Where a reference leads: the unit and the entry's offset in its section.
 * NULL when it leads nowhere.
 */
struct hd_dwarf_unit *hd_dwarf_unit_follow(struct hd_dwarf_unit *u, const struct hd_form_value *ref, uint64_t *off);

/* The string of an attribute, as far as it fits into n bytes, into buf; "" when it is none. */
const char *hd_dwarf_unit_string(const struct hd_dwarf_unit *u, const struct hd_form_value *v, char *buf, size_t n);

#endif
