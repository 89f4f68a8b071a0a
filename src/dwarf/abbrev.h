/*
 * abbrev.h - decode abbreviation tables once
 *
 * An entry of .debug_info starts with an abbreviation code.  For each code, the unit's table in .debug_abbrev gives the
 * tag, whether children follow, and the attributes with their forms.  Most entries are only skipped, so each
 * abbreviation is also compiled into a short program for that:
 *
 *     name strp, decl_file data1, decl_line data2, type ref4, sibling ref4      skip 11, read 4 as the sibling, end
 *     name string, const_value sdata, type ref4                                 string, number, skip 4, end
 *
 * Memory: 24 bytes per abbreviation, 16 per attribute and 4 per step of each table that is used.  Damaged files can
 *         have many overlapping tables, so the number of bytes that are decoded is limited.
 */
#ifndef HD_DWARF_ABBREV_H
#define HD_DWARF_ABBREV_H

#include "base/map.h"
#include "dwarf/form.h"
#include "elf/debug_section.h"

struct hd_abbrev_attr {
	uint16_t name, form;		/* UINT16_MAX: the number in the file is too large to be valid */
	int64_t value;			/* the value of a DW_FORM_implicit_const */
};

struct hd_abbrev {
	uint64_t code;
	uint32_t attrs, nattrs;		/* range in the table's attrs */
	uint32_t steps;			/* index of its first step in the table's steps */
	uint16_t tag;
	bool children;
	/* entries have addresses of code: DW_AT_ranges, or DW_AT_low_pc and DW_AT_high_pc */
	bool has_code;
};

struct hd_abbrevs {
	struct hd_abbrev *v;		/* sorted by code */
	size_t n, cap;
	struct hd_abbrev_attr *attrs;
	size_t nattrs, attrs_cap;
	uint32_t *steps;
	size_t nsteps, steps_cap;
	bool any_code;			/* entries other than the unit's first one can have code addresses */
};

/* The decoded tables of one .debug_abbrev section.  Zero-initialise, then set `budget`. */
struct hd_abbrev_tables {
	struct hd_abbrevs **v;
	size_t n, cap;
	struct hd_map by_place;		/* (table offset, form sizes of the unit) -> index */
	uint64_t budget;		/* bytes that may still be decoded */
};

/*
 * Get the table at h->abbrev_off, decoded for the address and offset sizes of the unit with header `h`.  If the table
 * is damaged or the budget is used up, the part that was read is returned; NULL if the offset is outside of the
 * section.  The result lives as long as `t`.
 */
const struct hd_abbrevs *hd_abbrevs_get(struct hd_abbrev_tables *t, const struct hd_debug_section *sec,
	const struct hd_unit_header *h);
void hd_abbrev_tables_release(struct hd_abbrev_tables *t);

/* Find the abbreviation with the code `code`; NULL if there is none. */
const struct hd_abbrev *hd_abbrevs_find_sparse(const struct hd_abbrevs *t, uint64_t code);

static inline const struct hd_abbrev *hd_abbrevs_find(const struct hd_abbrevs *t, uint64_t code)
{
	/* Compilers number abbreviations from 1. */
	if (code - 1 < t->n && t->v[code - 1].code == code)
		return &t->v[code - 1];
	return hd_abbrevs_find_sparse(t, code);
}

static inline const struct hd_abbrev_attr *hd_abbrev_attrs(const struct hd_abbrevs *t, const struct hd_abbrev *a)
{
	return a->nattrs ? t->attrs + a->attrs : NULL;
}

/*
 * Skip the attributes of an entry; `b` is after the abbreviation code.  *sibling becomes the value of DW_AT_sibling,
 * relative to the unit, or 0.  Returns false if the entry cannot be read.
 */
bool hd_abbrev_skip(const struct hd_abbrevs *t, const struct hd_abbrev *a, const struct hd_unit_header *h,
	struct hd_bytes *b, uint64_t *sibling);

#endif
