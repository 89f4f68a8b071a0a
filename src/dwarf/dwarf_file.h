/*
 * dwarf_file.h - the DWARF sections of one file, its units, and single entries (DIEs)
 *
 *     hd_dwarf_file_take(f, e, ".dwo")       find the sections
 *     u = hd_dwarf_file_unit(f, off)         the unit whose header is at off
 *     hd_die_open(&d, u, off)                one entry anywhere in it
 *     while (hd_die_next(&d, &name, &v))     its attributes
 *
 * A unit is opened once: its header, first entry and abbreviation table are read.  The offsets of all units are listed
 * when a reference leads to another unit for the first time.
 *
 * Ownership: hd_dwarf_file owns units and abbreviations and borrows the ELF file.
 * Memory: 8 bytes per listed unit, about 250 bytes per opened unit.
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
	unsigned language;		/* DW_LANG_*; 0: unknown */
	bool split;			/* the entries of the unit are in another file, which dwo_name names */
	uint64_t dwo_id;		/* id of a skeleton unit or of its split-off part; 0: none */
	struct hd_form_value dwo_name, comp_dir;
	uint64_t dwo_ranges_base;	/* DW_AT_GNU_ranges_base: for the split-off part of the unit */

	/* offset of an entry -> the namespace, type or function around it (scopes.c) */
	struct hd_flat_ranges scopes;
	bool scopes_read;
};

struct hd_dwarf_file {
	struct hd_elf *e;
	struct hd_debug_section info, abbrev, str, str_offsets, line_str, addr, ranges, rnglists;
	/*
	 * the file has .dwo sections.  In a unit of DWARF 5 without DW_AT_str_offsets_base, string indexes then count
	 * from the end of the header of the offset table.
	 */
	bool dwo;
	struct hd_dwarf_file *alt;		/* the alternate file; borrowed; NULL: none */
	const char *damage;		/* the first fault that was found, a static string; or NULL */

	struct hd_abbrev_tables tables;
	struct hd_address_page page;
	uint64_t range_budget, work_budget, string_budget, entry_budget;
	struct hd_map names;		/* entry -> name, filled in by names.c */
	struct hd_dwarf_unit **units;	/* opened units */
	size_t nunits, units_cap;
	/* offset of a unit's header -> index in units; HD_MAP_NONE - 1: invalid unit */
	struct hd_map by_off;
	uint64_t *starts;		/* offsets of all units, once listed */
	size_t nstarts, starts_cap;
	bool listed;
};

/* Find the sections ".debug_info" and so on, with a suffix of "" or ".dwo". */
void hd_dwarf_file_take(struct hd_dwarf_file *f, struct hd_elf *e, const char *suffix);
/* Set the limits for work and memory, which depend on the section sizes.  Call this after the sections are set. */
void hd_dwarf_file_budget(struct hd_dwarf_file *f);
void hd_dwarf_file_release(struct hd_dwarf_file *f);

/* Get the unit whose header is at `off`; NULL if there is none or it is invalid. */
struct hd_dwarf_unit *hd_dwarf_file_unit(struct hd_dwarf_file *f, uint64_t off);
/* List the offsets of all units in `starts`. */
void hd_dwarf_file_list(struct hd_dwarf_file *f);

static inline void hd_dwarf_file_damaged(struct hd_dwarf_file *f, const char *what)
{
	if (!f->damage)
		f->damage = what;
}

/* The entries of a unit in memory. */
struct hd_unit_bytes {
	uint8_t *owned;			/* NULL: borrowed */
	const uint8_t *p;		/* the byte at section offset `from` */
	uint64_t from, to;		/* offsets in the section */
};

/*
 * Read the bytes from..to of the section that contains the unit.  Returns false if the section does not have these
 * bytes or they cannot be read from the file.
 */
bool hd_unit_bytes_read(struct hd_unit_bytes *ub, const struct hd_dwarf_unit *u, uint64_t from, uint64_t to);
void hd_unit_bytes_release(struct hd_unit_bytes *ub);

/* ---- one entry ---- */

struct hd_die {
	const struct hd_dwarf_unit *u;
	const struct hd_abbrev *abbrev;
	uint32_t next;			/* index of the next attribute */
	uint64_t at;			/* section offset of `start` */
	struct hd_bytes b;
	const uint8_t *start;		/* the part of the entry that was read (the window), in `small` or `large` */
	uint8_t *large;			/* the window of a long entry, used instead of `small` */
	uint8_t small[256];
};

/*
 * Open the entry at `off`, an offset in the section.  Returns false, and records the damage in the file, if the unit
 * has no valid entry there or if too many entries of the file were opened already (entry_budget).
 */
bool hd_die_open(struct hd_die *d, const struct hd_dwarf_unit *u, uint64_t off);
/*
 * Read the next attribute of the entry.  Returns false after the last one, or if it cannot be read.  For a string
 * inside of the entry, v->v is the string's offset in the section.
 */
bool hd_die_next(struct hd_die *d, unsigned *name, struct hd_form_value *v);
void hd_die_close(struct hd_die *d);

/*
 * Follow a reference: returns the unit, and sets *off to the entry's offset in the section.  Returns NULL if the
 * reference is invalid, names a type by its signature, or leads to an alternate file that is absent.
 */
struct hd_dwarf_unit *hd_dwarf_unit_follow(struct hd_dwarf_unit *u, const struct hd_form_value *ref, uint64_t *off);

/*
 * Copy the string of an attribute, which hd_die_next() has read, into buf, at most n - 1 bytes of it; "" if the
 * attribute is not a string or the string cannot be read.  Returns buf.
 */
const char *hd_dwarf_unit_string(const struct hd_dwarf_unit *u, const struct hd_form_value *v, char *buf, size_t n);

#endif
