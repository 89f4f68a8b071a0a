/*
 * abbrev.h - tables of abbreviations, decoded once
 *
 * An entry of .debug_info starts with a code; the unit's table in .debug_abbrev
 * says for each code which tag the entry has, whether children follow, and
 * which attributes in which forms. Most entries are only stepped over, and
 * so each abbreviation is also kept as a program for that:
 *
 *     name strp, decl_file data1, decl_line data2, type ref4, sibling ref4      skip 11, note 4 as the sibling, end
 *     name string, const_value sdata, type ref4                                 string, number, skip 4, end
 *
 * Memory: 16 bytes per attribute of a table that was asked for.  Tables that
 * overlap one another, which no compiler makes, are decoded within a budget.
 */
#ifndef HD_DWARF_ABBREV_H
#define HD_DWARF_ABBREV_H

#include "base/map.h"
#include "dwarf/form.h"
#include "elf/debug_section.h"

struct hd_abbrev_attr {
	uint16_t name, form;		/* UINT16_MAX: no known one */
	int64_t value;			/* of DW_FORM_implicit_const */
};

struct hd_abbrev {
	uint64_t code;
	uint32_t attrs, nattrs;		/* in the table's attrs */
	uint32_t steps;			/* in the table's steps */
	uint16_t tag;
	bool children;
	bool has_code;			/* DW_AT_ranges, or DW_AT_low_pc and _high_pc */
};

struct hd_abbrevs {
	struct hd_abbrev *v;		/* by code */
	size_t n, cap;
	struct hd_abbrev_attr *attrs;
	size_t nattrs, attrs_cap;
	uint32_t *steps;
	size_t nsteps, steps_cap;
	bool any_code;			/* some abbreviation has_code, the unit's own entry aside */
};

/* The tables of one .debug_abbrev.  Zero-initialise. */
struct hd_abbrev_tables {
	struct hd_abbrevs **v;
	size_t n, cap;
	struct hd_map by_place;		/* where it is and the sizes of the unit's forms -> index */
	uint64_t budget;		/* bytes that may yet be decoded */
};

/* The table at h->abbrev_off for a unit with h's sizes; NULL when it cannot be read.  Lives as long as the tables. */
const struct hd_abbrevs *hd_abbrevs_get(struct hd_abbrev_tables *t, const struct hd_debug_section *sec,
	const struct hd_unit_header *h);
void hd_abbrev_tables_release(struct hd_abbrev_tables *t);

/* The abbreviation of a code, or NULL. */
const struct hd_abbrev *hd_abbrevs_find_sparse(const struct hd_abbrevs *t, uint64_t code);

static inline const struct hd_abbrev *hd_abbrevs_find(const struct hd_abbrevs *t, uint64_t code)
{
	/* Compilers count from 1. */
	if (code - 1 < t->n && t->v[code - 1].code == code)
		return &t->v[code - 1];
	return hd_abbrevs_find_sparse(t, code);
}

static inline const struct hd_abbrev_attr *hd_abbrev_attrs(const struct hd_abbrevs *t, const struct hd_abbrev *a)
{
	return a->nattrs ? t->attrs + a->attrs : NULL;
}

/* Step over the attributes of an entry; *sibling: where DW_AT_sibling points, from the unit's start, or 0.  False: it cannot be read. */
bool hd_abbrev_skip(const struct hd_abbrevs *t, const struct hd_abbrev *a, const struct hd_unit_header *h,
	struct hd_bytes *b, uint64_t *sibling);

#endif
