/*
 * abbrev.c - see abbrev.h
 */
#include "dwarf/abbrev.h"

#include "base/bisect.h"
#include "base/mem.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

/*
 * An abbreviation is compiled to steps, which skip an entry quickly.  A step skips a fixed number of bytes (its upper
 * 28 bits) and then does one action (its lower 4 bits).  Consecutive attributes of fixed size are merged into one skip;
 * only attributes of variable size and DW_AT_sibling, whose value is returned, need an action.
 */
enum step {
	STEP_END, STEP_NONE, STEP_LEB, STEP_STRING, STEP_BLOCK, STEP_BLOCK1, STEP_BLOCK2, STEP_BLOCK4, STEP_INDIRECT,
	STEP_SIBLING1, STEP_SIBLING2, STEP_SIBLING4, STEP_SIBLING8, STEP_SIBLING_LEB, STEP_BAD,
};

enum {
	STEP_SHIFT = 4,
	FIXED_MOST = 1 << 20,
	/*
	 * Some attributes take no bytes in an entry (DW_FORM_flag_present).  This limit keeps the work proportional to
	 * the file size; abbreviations with more attributes are rejected.
	 */
	ATTRIBUTES_MOST = 128,
};

static void add_step(struct hd_abbrevs *t, uint32_t fixed, enum step what)
{
	HD_GROW(t->steps, t->nsteps + 1, t->steps_cap);
	t->steps[t->nsteps++] = fixed << STEP_SHIFT | what;
}

/*
 * If all values of this form have the same size, return this size in bytes.  Otherwise return -1, and set *what to the
 * step that skips a value of this form.
 */
static int fixed_size(unsigned form, const struct hd_unit_header *h, enum step *what)
{
	switch (form) {
	case DW_FORM_implicit_const: case DW_FORM_flag_present:
		return 0;
	case DW_FORM_data1: case DW_FORM_ref1: case DW_FORM_flag: case DW_FORM_strx1: case DW_FORM_addrx1:
		return 1;
	case DW_FORM_data2: case DW_FORM_ref2: case DW_FORM_strx2: case DW_FORM_addrx2:
		return 2;
	case DW_FORM_strx3: case DW_FORM_addrx3:
		return 3;
	case DW_FORM_data4: case DW_FORM_ref4: case DW_FORM_strx4: case DW_FORM_addrx4: case DW_FORM_ref_sup4:
		return 4;
	case DW_FORM_data8: case DW_FORM_ref8: case DW_FORM_ref_sig8: case DW_FORM_ref_sup8:
		return 8;
	case DW_FORM_data16:
		return 16;
	case DW_FORM_addr:
		return (int)h->addr_size;
	case DW_FORM_ref_addr:
		return (int)(h->version == 2 ? h->addr_size : h->offset_size);
	case DW_FORM_strp:
	case DW_FORM_line_strp:
	case DW_FORM_sec_offset:
	case DW_FORM_strp_sup:
	case DW_FORM_GNU_ref_alt:
	case DW_FORM_GNU_strp_alt:
		return (int)h->offset_size;
	case DW_FORM_udata:
	case DW_FORM_sdata:
	case DW_FORM_ref_udata:
	case DW_FORM_strx:
	case DW_FORM_addrx:
	case DW_FORM_loclistx:
	case DW_FORM_rnglistx: case DW_FORM_GNU_addr_index: case DW_FORM_GNU_str_index:
		*what = STEP_LEB;
		return -1;
	case DW_FORM_string:
		*what = STEP_STRING;
		return -1;
	case DW_FORM_block: case DW_FORM_exprloc:
		*what = STEP_BLOCK;
		return -1;
	case DW_FORM_block1:
		*what = STEP_BLOCK1;
		return -1;
	case DW_FORM_block2:
		*what = STEP_BLOCK2;
		return -1;
	case DW_FORM_block4:
		*what = STEP_BLOCK4;
		return -1;
	case DW_FORM_indirect:
		*what = STEP_INDIRECT;
		return -1;
	}
	*what = STEP_BAD;
	return -1;
}

static enum step sibling_step(unsigned form)
{
	switch (form) {
	case DW_FORM_ref1:	return STEP_SIBLING1;
	case DW_FORM_ref2:	return STEP_SIBLING2;
	case DW_FORM_ref4:	return STEP_SIBLING4;
	case DW_FORM_ref8:	return STEP_SIBLING8;
	case DW_FORM_ref_udata:	return STEP_SIBLING_LEB;
	}
	return STEP_NONE;
}

static void compile(struct hd_abbrevs *t, struct hd_abbrev *a, const struct hd_unit_header *h)
{
	bool low = false, high = false, ranges = false;
	uint32_t fixed = 0;

	a->steps = (uint32_t)t->nsteps;
	if (a->nattrs > ATTRIBUTES_MOST) {
		t->nattrs = a->attrs;
		a->nattrs = 0;
		add_step(t, 0, STEP_BAD);
		return;
	}
	for (uint32_t i = 0; i < a->nattrs; i++) {
		const struct hd_abbrev_attr *at = &t->attrs[a->attrs + i];
		enum step what = STEP_NONE, sibling = at->name == DW_AT_sibling ? sibling_step(at->form) : STEP_NONE;
		int size = fixed_size(at->form, h, &what);

		low |= at->name == DW_AT_low_pc;
		high |= at->name == DW_AT_high_pc;
		ranges |= at->name == DW_AT_ranges;
		if (sibling != STEP_NONE) {
			add_step(t, fixed, sibling);
			fixed = 0;
		} else if (size < 0) {
			add_step(t, fixed, what);
			fixed = 0;
		} else {
			fixed += (uint32_t)size;
		}
		if (fixed > FIXED_MOST) {
			add_step(t, fixed, STEP_NONE);
			fixed = 0;
		}
	}
	add_step(t, fixed, STEP_END);
	a->has_code = ranges || (low && high);
	if (a->has_code && a->tag != DW_TAG_compile_unit && a->tag != DW_TAG_skeleton_unit)
		t->any_code = true;
}

/* ---- tables ---- */

static uint16_t narrow(uint64_t v)
{
	return v < UINT16_MAX ? (uint16_t)v : UINT16_MAX;
}

static int by_code(const void *va, const void *vb)
{
	const struct hd_abbrev *a = va, *b = vb;

	if (a->code != b->code)
		return a->code < b->code ? -1 : 1;
	return a->attrs < b->attrs ? -1 : a->attrs > b->attrs;
}

static void read_attrs(struct hd_abbrevs *t, struct hd_abbrev *a, struct hd_debug_cursor *c)
{
	a->attrs = (uint32_t)t->nattrs;
	while (!c->b.bad) {
		uint64_t name = hd_debug_cursor_uleb(c), form = hd_debug_cursor_uleb(c);
		int64_t value = form == DW_FORM_implicit_const ? hd_debug_cursor_sleb(c) : 0;

		if (c->b.bad || (!name && !form))
			break;
		HD_GROW(t->attrs, t->nattrs + 1, t->attrs_cap);
		t->attrs[t->nattrs++] = (struct hd_abbrev_attr){ narrow(name), narrow(form), value };
	}
	a->nattrs = (uint32_t)t->nattrs - a->attrs;
}

/* Read a table.  If it is truncated or the budget is used up, the part that was read is kept. */
static struct hd_abbrevs *read_table(struct hd_abbrev_tables *all, const struct hd_debug_section *sec,
	const struct hd_unit_header *h)
{
	struct hd_abbrevs *t = hd_new(struct hd_abbrevs);
	struct hd_debug_cursor c;
	bool sorted = true;
	uint64_t code;

	hd_debug_cursor_start(&c, sec, h->abbrev_off, UINT64_MAX);
	if (sec->size > h->abbrev_off && sec->size - h->abbrev_off > all->budget)
		hd_debug_cursor_limit(&c, h->abbrev_off + all->budget);
	while (!c.b.bad && (code = hd_debug_cursor_uleb(&c))) {
		struct hd_abbrev a = { .code = code };

		a.tag = narrow(hd_debug_cursor_uleb(&c));
		a.children = hd_debug_cursor_uint(&c, 1);
		read_attrs(t, &a, &c);
		if (c.b.bad)
			break;
		compile(t, &a, h);
		sorted &= !t->n || t->v[t->n - 1].code < code;
		HD_GROW(t->v, t->n + 1, t->cap);
		t->v[t->n++] = a;
	}
	all->budget -= hd_debug_cursor_at(&c) - h->abbrev_off < all->budget ? hd_debug_cursor_at(&c) - h->abbrev_off
									    : all->budget;
	if (!sorted)
		qsort(t->v, t->n, sizeof(*t->v), by_code);
	return t;
}

const struct hd_abbrevs *hd_abbrevs_get(struct hd_abbrev_tables *t, const struct hd_debug_section *sec,
	const struct hd_unit_header *h)
{
	uint64_t key = h->abbrev_off << 3 | (h->addr_size == 8) << 2 | (h->offset_size == 8) << 1 | (h->version == 2);
	uint32_t known = hd_map_get(&t->by_place, key);

	if (known != HD_MAP_NONE)
		return t->v[known];
	if (h->abbrev_off >= sec->size)
		return NULL;
	HD_GROW(t->v, t->n + 1, t->cap);
	t->v[t->n] = read_table(t, sec, h);
	hd_map_put(&t->by_place, key, (uint32_t)t->n);
	return t->v[t->n++];
}

void hd_abbrev_tables_release(struct hd_abbrev_tables *t)
{
	for (size_t i = 0; i < t->n; i++) {
		free(t->v[i]->v);
		free(t->v[i]->attrs);
		free(t->v[i]->steps);
		free(t->v[i]);
	}
	free(t->v);
	hd_map_release(&t->by_place);
	*t = (struct hd_abbrev_tables){ 0 };
}

const struct hd_abbrev *hd_abbrevs_find_sparse(const struct hd_abbrevs *t, uint64_t code)
{
	size_t i = HD_FIRST_FROM(t->v, t->n, code, code);

	return i < t->n && t->v[i].code == code ? &t->v[i] : NULL;
}

/* ---- skipping entries ---- */

static void skip_leb(struct hd_bytes *b)
{
	while (b->p < b->end)
		if (!(*b->p++ & 0x80))
			return;
	b->bad = true;
}

bool hd_abbrev_skip(const struct hd_abbrevs *t, const struct hd_abbrev *a, const struct hd_unit_header *h,
	struct hd_bytes *b, uint64_t *sibling)
{
	struct hd_form_value v;

	*sibling = 0;
	for (const uint32_t *s = t->steps + a->steps; ; s++) {
		hd_bytes_skip(b, *s >> STEP_SHIFT);
		switch ((enum step)(*s & ((1u << STEP_SHIFT) - 1))) {
		case STEP_END:		return !b->bad;
		case STEP_NONE:		break;
		case STEP_LEB:		skip_leb(b); break;
		case STEP_STRING:	hd_dwarf_string(b); break;
		case STEP_BLOCK:	hd_bytes_skip(b, hd_dwarf_uleb(b)); break;
		case STEP_BLOCK1:	hd_bytes_skip(b, hd_bytes_u8(b)); break;
		case STEP_BLOCK2:	hd_bytes_skip(b, hd_bytes_u16(b)); break;
		case STEP_BLOCK4:	hd_bytes_skip(b, hd_bytes_u32(b)); break;
		case STEP_INDIRECT:
			if (!hd_form_read(&v, b, DW_FORM_indirect, h))
				return false;
			break;
		case STEP_SIBLING1:	*sibling = hd_bytes_u8(b); break;
		case STEP_SIBLING2:	*sibling = hd_bytes_u16(b); break;
		case STEP_SIBLING4:	*sibling = hd_bytes_u32(b); break;
		case STEP_SIBLING8:	*sibling = hd_bytes_u64(b); break;
		case STEP_SIBLING_LEB:	*sibling = hd_dwarf_uleb(b); break;
		case STEP_BAD:		return false;
		}
		if (b->bad)
			return false;
	}
}
