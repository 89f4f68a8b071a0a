/*
 * units.c - see units.h
 */
#include "symbols/units.h"

#include "base/hash.h"
#include "base/mem.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

enum {
	WALK_BACK = 32,			/* ranges that may overlap an address */
	ATTRIBUTES_MAX = 256,		/* of one entry */
	COMP_DIR_MAX = 4096,
};

/* ---- forms ---- */

struct value {
	uint64_t v;		/* a number, an index, or an offset */
	bool is_index, is_constant;
	const struct hd_dwsec *str;	/* a string: in this section at v */
};

/* Read one attribute's value, or step over it.  False when its form is unknown. */
static bool read_value(struct hd_units *u, const struct hd_unit_entry *die, struct hd_dwcursor *c, uint64_t form, struct value *out)
{
	*out = (struct value){ 0 };
	for (int indirect = 0; form == DW_FORM_indirect; indirect++) {
		if (indirect == 4)
			return false;
		form = hd_dwcursor_uleb(c);
	}
	switch (form) {
	case DW_FORM_addr:
		out->v = hd_dwcursor_uint(c, die->addr_size);
		break;
	case DW_FORM_addrx: case DW_FORM_GNU_addr_index:
		out->v = hd_dwcursor_uleb(c);
		out->is_index = true;
		break;
	case DW_FORM_addrx1: case DW_FORM_addrx2: case DW_FORM_addrx3: case DW_FORM_addrx4: {
		static const unsigned sizes[] = { 1, 2, 3, 4 };

		out->v = hd_dwcursor_uint(c, sizes[form - DW_FORM_addrx1]);
		out->is_index = true;
		break;
	}
	case DW_FORM_data1: case DW_FORM_flag: case DW_FORM_ref1: case DW_FORM_strx1:
		out->v = hd_dwcursor_uint(c, 1);
		out->is_constant = true;
		break;
	case DW_FORM_data2: case DW_FORM_ref2: case DW_FORM_strx2:
		out->v = hd_dwcursor_uint(c, 2);
		out->is_constant = true;
		break;
	case DW_FORM_strx3:
		hd_dwcursor_skip(c, 3);
		break;
	case DW_FORM_data4: case DW_FORM_ref4: case DW_FORM_strx4: case DW_FORM_ref_sup4:
		out->v = hd_dwcursor_uint(c, 4);
		out->is_constant = true;
		break;
	case DW_FORM_data8: case DW_FORM_ref8: case DW_FORM_ref_sig8: case DW_FORM_ref_sup8:
		out->v = hd_dwcursor_uint(c, 8);
		out->is_constant = true;
		break;
	case DW_FORM_data16:
		hd_dwcursor_skip(c, 16);
		break;
	case DW_FORM_udata: case DW_FORM_ref_udata: case DW_FORM_strx: case DW_FORM_GNU_str_index: case DW_FORM_loclistx:
		out->v = hd_dwcursor_uleb(c);
		out->is_constant = true;
		break;
	case DW_FORM_rnglistx:
		out->v = hd_dwcursor_uleb(c);
		out->is_index = true;
		break;
	case DW_FORM_sdata:
		out->v = (uint64_t)hd_dwcursor_sleb(c);
		out->is_constant = true;
		break;
	case DW_FORM_sec_offset: case DW_FORM_GNU_ref_alt: case DW_FORM_GNU_strp_alt: case DW_FORM_strp_sup:
		out->v = hd_dwcursor_uint(c, die->offset_size);
		break;
	case DW_FORM_ref_addr:
		hd_dwcursor_skip(c, die->version == 2 ? die->addr_size : die->offset_size);
		break;
	case DW_FORM_strp:
		out->v = hd_dwcursor_uint(c, die->offset_size);
		out->str = &u->str;
		break;
	case DW_FORM_line_strp:
		out->v = hd_dwcursor_uint(c, die->offset_size);
		out->str = &u->line_str;
		break;
	case DW_FORM_string:
		out->v = hd_dwcursor_at(c);
		out->str = &u->info;
		hd_dwcursor_skip_string(c);
		break;
	case DW_FORM_flag_present:
		break;
	case DW_FORM_block: case DW_FORM_exprloc:
		hd_dwcursor_skip(c, hd_dwcursor_uleb(c));
		break;
	case DW_FORM_block1:
		hd_dwcursor_skip(c, hd_dwcursor_uint(c, 1));
		break;
	case DW_FORM_block2:
		hd_dwcursor_skip(c, hd_dwcursor_uint(c, 2));
		break;
	case DW_FORM_block4:
		hd_dwcursor_skip(c, hd_dwcursor_uint(c, 4));
		break;
	default:
		return false;
	}
	return !c->b.bad;
}

/* ---- abbreviations ---- */

static void skip_attributes(struct hd_dwcursor *c)
{
	while (!c->b.bad) {
		uint64_t name = hd_dwcursor_uleb(c), form = hd_dwcursor_uleb(c);

		if (form == DW_FORM_implicit_const)
			hd_dwcursor_sleb(c);
		if (!name && !form)
			return;
	}
}

/* Set c to the attributes of abbreviation `code` in the table at off. */
static bool find_abbrev(struct hd_units *u, struct hd_dwcursor *c, uint64_t off, uint64_t code)
{
	uint64_t key = hd_mix(off, code), at;
	uint32_t known = hd_map_get(&u->abbrevs, key);

	hd_dwcursor_start(c, &u->abbrev, known == HD_MAP_NONE ? off : known, UINT64_MAX);
	while (!c->b.bad) {
		uint64_t have;

		at = hd_dwcursor_at(c);
		have = hd_dwcursor_uleb(c);
		if (!have)
			return false;
		hd_dwcursor_uleb(c);		/* tag */
		hd_dwcursor_uint(c, 1);		/* has children */
		if (have == code) {
			if (at < HD_MAP_NONE)
				hd_map_put(&u->abbrevs, key, (uint32_t)at);
			return !c->b.bad;
		}
		skip_attributes(c);
		if (hd_dwcursor_at(c) - at > u->abbrev_budget)
			return false;
		u->abbrev_budget -= hd_dwcursor_at(c) - at;
	}
	return false;
}

/* ---- units ---- */

static const char *keep_string(struct hd_units *u, const struct value *v)
{
	char buf[COMP_DIR_MAX];
	const char *s, *last = u->n ? u->v[u->n - 1].comp_dir : NULL;

	if (!v->str)
		return NULL;
	s = hd_dwsec_string(v->str, v->v, buf, sizeof(buf));
	/* Units that follow one another mostly were compiled in one place. */
	if (last && !strcmp(s, last))
		return last;
	if (!*s || strlen(s) > u->string_budget)
		return NULL;
	u->string_budget -= strlen(s);
	return hd_arena_strndup(&u->strings, s, strlen(s));
}

static void take_attribute(struct hd_unit_entry *die, uint64_t name, const struct value *v)
{
	switch (name) {
	case DW_AT_low_pc:
		die->has_low = true;
		die->low = v->v;
		die->low_is_index = v->is_index;
		break;
	case DW_AT_high_pc:
		die->has_high = true;
		die->high = v->v;
		die->high_is_index = v->is_index;
		die->high_is_size = v->is_constant;
		break;
	case DW_AT_ranges:
		die->has_ranges = true;
		die->ranges = v->v;
		die->ranges_is_index = v->is_index;
		break;
	case DW_AT_addr_base:
	case DW_AT_GNU_addr_base:
		die->addr_base = v->v;
		break;
	case DW_AT_rnglists_base:
		die->has_rnglists_base = true;
		die->rnglists_base = v->v;
		break;
	/* DW_AT_GNU_ranges_base counts for the split-off part only; the skeleton's own ranges are from the section's start. */
	}
}

static void read_entry(struct hd_units *u, struct hd_unit_entry *die, struct hd_dwcursor *c, uint64_t abbrev_off)
{
	struct hd_unit unit = { 0 };
	struct hd_dwcursor shape;
	uint64_t code = hd_dwcursor_uleb(c);
	bool has_lines = false;
	struct value comp_dir = { 0 };

	if (!code)
		return;
	if (!find_abbrev(u, &shape, abbrev_off, code)) {
		hd_units_damaged(u, "a unit's abbreviation is not in its table");
		return;
	}
	for (int i = 0; i < ATTRIBUTES_MAX; i++) {
		uint64_t name = hd_dwcursor_uleb(&shape), form = hd_dwcursor_uleb(&shape);
		struct value v = { 0 };

		if (shape.b.bad || (!name && !form))
			break;
		if (form == DW_FORM_implicit_const) {
			v.v = (uint64_t)hd_dwcursor_sleb(&shape);
			v.is_constant = true;
		} else if (!read_value(u, die, c, form, &v)) {
			hd_units_damaged(u, "a unit's first entry cannot be read to its end");
			break;
		}
		if (name == DW_AT_stmt_list) {
			has_lines = true;
			unit.line_off = v.v;
		} else if (name == DW_AT_comp_dir) {
			comp_dir = v;
		} else {
			take_attribute(die, name, &v);
		}
	}
	if (!has_lines)
		return;
	unit.comp_dir = keep_string(u, &comp_dir);
	die->unit = (uint32_t)u->n;
	HD_GROW(u->v, u->n + 1, u->cap);
	u->v[u->n++] = unit;
	hd_unit_ranges_add(u, die);
}

/* The unit at off; returns where the next one is. */
static uint64_t read_unit(struct hd_units *u, uint64_t off)
{
	struct hd_unit_entry die = { .offset_size = 4 };
	struct hd_dwcursor c;
	uint64_t length, end, abbrev_off;
	unsigned type = DW_UT_compile;

	hd_dwcursor_start(&c, &u->info, off, UINT64_MAX);
	length = hd_dwcursor_uint(&c, 4);
	if (length == 0xffffffff) {
		die.offset_size = 8;
		length = hd_dwcursor_uint(&c, 8);
	}
	end = hd_dwcursor_at(&c) + length;
	if (c.b.bad || end < length || end > u->info.size) {
		hd_units_damaged(u, "a unit reaches out of `.debug_info`");
		return UINT64_MAX;
	}
	hd_dwcursor_limit(&c, end);
	die.version = (unsigned)hd_dwcursor_uint(&c, 2);
	if (die.version >= 5) {
		type = (unsigned)hd_dwcursor_uint(&c, 1);
		die.addr_size = (unsigned)hd_dwcursor_uint(&c, 1);
		abbrev_off = hd_dwcursor_uint(&c, die.offset_size);
		if (type == DW_UT_skeleton)
			hd_dwcursor_skip(&c, 8);
	} else {
		abbrev_off = hd_dwcursor_uint(&c, die.offset_size);
		die.addr_size = (unsigned)hd_dwcursor_uint(&c, 1);
	}
	if (c.b.bad || die.version < 2 || die.version > 5 || (die.addr_size != 8 && die.addr_size != 4))
		hd_units_damaged(u, "a unit's header is impossible");
	else if (type == DW_UT_compile || type == DW_UT_skeleton || type == DW_UT_partial)
		read_entry(u, &die, &c, abbrev_off);
	return end;
}

/* Where the first executable section starts. */
static uint64_t lowest_code(const struct hd_elf *e)
{
	uint64_t low = UINT64_MAX;

	for (size_t i = 0; i < e->nsections; i++)
		if ((e->sections[i].flags & SHF_EXECINSTR) && e->sections[i].addr < low)
			low = e->sections[i].addr;
	return low == UINT64_MAX ? 0 : low;
}

static int by_start(const void *va, const void *vb)
{
	const struct hd_unit_range *a = va, *b = vb;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return a->unit < b->unit ? -1 : a->unit > b->unit;
}

void hd_units_read(struct hd_units *u, const struct hd_elf *e)
{
	u->info = hd_dwsec_find(e, ".debug_info");
	u->abbrev = hd_dwsec_find(e, ".debug_abbrev");
	u->str = hd_dwsec_find(e, ".debug_str");
	u->line_str = hd_dwsec_find(e, ".debug_line_str");
	u->addr = hd_dwsec_find(e, ".debug_addr");
	u->ranges_sec = hd_dwsec_find(e, ".debug_ranges");
	u->rnglists = hd_dwsec_find(e, ".debug_rnglists");
	u->abbrev_budget = 4096 + 16 * u->abbrev.size;
	/* A unit takes 11 bytes at least, a pair of addresses 8, an entry of a list 2; strings may be shared, but not by all. */
	u->range_budget = 4096 + u->info.size / 11 + u->ranges_sec.size / 8 + u->rnglists.size / 2;
	u->string_budget = 65536 + u->info.size + u->str.size;
	u->low = lowest_code(e);
	for (uint64_t off = 0; off < u->info.size; )
		off = read_unit(u, off);
	if (u->nranges)
		qsort(u->ranges, u->nranges, sizeof(*u->ranges), by_start);
}

void hd_units_release(struct hd_units *u)
{
	free(u->v);
	free(u->ranges);
	hd_arena_release(&u->strings);
	hd_map_release(&u->abbrevs);
	*u = (struct hd_units){ 0 };
}

uint32_t hd_units_find(const struct hd_units *u, uint64_t vaddr)
{
	size_t lo = 0, hi = u->nranges;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (u->ranges[mid].start <= vaddr)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (size_t i = lo; i && lo - i < WALK_BACK; i--)
		if (vaddr < u->ranges[i - 1].end)
			return u->ranges[i - 1].unit;
	return UINT32_MAX;
}
