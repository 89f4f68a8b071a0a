/*
 * dwarf_file.c - see dwarf_file.h
 */
#include "dwarf/dwarf_file.h"

#include "base/mem.h"

#include <dwarf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	DIE_LARGEST = 64 * 1024,	/* size in bytes of the larger window of widen() */
	STRING_FIRST = 256,		/* number of bytes of a string that are read first */
};

#define NOT_A_UNIT (HD_MAP_NONE - 1)

void hd_dwarf_file_take(struct hd_dwarf_file *f, struct hd_elf *e, const char *suffix)
{
	const struct { struct hd_debug_section *sec; const char *name; } all[] = {
		{ &f->info, "info" }, { &f->abbrev, "abbrev" }, { &f->str, "str" }, { &f->str_offsets, "str_offsets" },
		{ &f->line_str, "line_str" }, { &f->addr, "addr" }, { &f->ranges, "ranges" },
		{ &f->rnglists, "rnglists" },
	};

	f->e = e;
	f->dwo = *suffix;
	for (size_t i = 0; i < HD_COUNT(all); i++) {
		char name[64];

		snprintf(name, sizeof(name), ".debug_%s%s", all[i].name, suffix);
		*all[i].sec = hd_debug_section_find(e, name);
	}
}

void hd_dwarf_file_budget(struct hd_dwarf_file *f)
{
	/*
	 * A damaged file can refer to the same bytes many times.  Valid tables do not overlap, so budgets in proportion
	 * to the section sizes suffice for valid files.
	 */
	f->tables.budget = 4096 + 2 * f->abbrev.size;
	f->range_budget = 4096 + f->info.size / 2 + f->ranges.size / 2 + f->rnglists.size;
	f->work_budget = 65536 + 8 * f->info.size;
	f->entry_budget = 65536 + f->info.size;
	/* Equal names are stored once, so valid files do not exceed this limit. */
	f->string_budget = 65536 + f->info.size + f->str.size;
}

void hd_dwarf_file_release(struct hd_dwarf_file *f)
{
	for (size_t i = 0; i < f->nunits; i++) {
		free(f->units[i]->scopes.v);
		free(f->units[i]);
	}
	free(f->units);
	free(f->starts);
	hd_map_release(&f->by_off);
	hd_map_release(&f->names);
	hd_abbrev_tables_release(&f->tables);
	*f = (struct hd_dwarf_file){ 0 };
}

/* ---- one entry ---- */

bool hd_die_open(struct hd_die *d, const struct hd_dwarf_unit *u, uint64_t off)
{
	uint64_t left = off >= u->h.first && off < u->h.end ? u->h.end - off : 0;
	size_t n;

	d->u = u;
	d->next = 0;
	d->at = off;
	d->large = NULL;
	d->start = d->small;
	if (!u->f->entry_budget) {
		hd_dwarf_file_damaged(u->f, "names lead through too many entries");
		return false;
	}
	u->f->entry_budget--;
	n = left ? hd_debug_section_read(&u->f->info, off, d->small, left < sizeof(d->small) ? left : sizeof(d->small))
		 : 0;
	d->b = hd_bytes_over(d->small, n, u->f->info.swap);
	d->abbrev = n ? hd_abbrevs_find(u->abbrevs, hd_dwarf_uleb(&d->b)) : NULL;
	if (!d->abbrev)
		hd_dwarf_file_damaged(u->f,
			left ? "an entry's abbreviation is not in its table" : "an entry is outside its unit");
	return d->abbrev;
}

/*
 * Replace the window of an entry (the bytes that were read) by a larger one, because the entry has more bytes than the
 * window.  Returns false if there is no larger one, or if the work budget is used up.
 */
static bool widen(struct hd_die *d)
{
	uint64_t at = d->at + (uint64_t)(d->b.p - d->start), left = d->u->h.end - at;
	size_t n = left < DIE_LARGEST ? left : DIE_LARGEST;

	/* A larger window does not help if the present one already has all bytes that it could have. */
	if (n <= hd_bytes_left(&d->b) || (d->start == d->large && at == d->at) || n > d->u->f->work_budget)
		return false;
	d->u->f->work_budget -= n;
	if (!d->large)
		d->large = hd_alloc(DIE_LARGEST);
	n = hd_debug_section_read(&d->u->f->info, at, d->large, n);
	d->at = at;
	d->start = d->large;
	d->b = hd_bytes_over(d->large, n, d->b.swap);
	return true;
}

bool hd_die_next(struct hd_die *d, unsigned *name, struct hd_form_value *v)
{
	const struct hd_abbrev_attr *a = hd_abbrev_attrs(d->u->abbrevs, d->abbrev);
	struct hd_bytes before;

	if (d->next >= d->abbrev->nattrs)
		return false;
	a += d->next++;
	*name = a->name;
	if (a->form == DW_FORM_implicit_const) {
		*v = (struct hd_form_value){ .kind = HD_FORM_CONST, .v = (uint64_t)a->value };
		return true;
	}
	before = d->b;
	while (!hd_form_read(v, &d->b, a->form, &d->u->h)) {
		d->b = before;
		if (!widen(d)) {
			hd_dwarf_file_damaged(d->u->f, "an entry cannot be read to its end");
			return false;
		}
		before = d->b;
	}
	if (v->kind == HD_FORM_STRING)
		v->v = d->at + (uint64_t)((const uint8_t *)v->s - d->start);
	return true;
}

void hd_die_close(struct hd_die *d)
{
	free(d->large);
	d->large = NULL;
}

/* ---- units ---- */

static void take_root_attribute(struct hd_dwarf_unit *u, unsigned name, const struct hd_form_value *v,
	struct hd_form_value *low)
{
	switch (name) {
	case DW_AT_low_pc:
		*low = *v;
		break;
	case DW_AT_language:
		u->language = (unsigned)v->v;
		break;
	case DW_AT_addr_base: case DW_AT_GNU_addr_base:
		u->rb.addr_base = v->v;
		break;
	case DW_AT_rnglists_base:
		u->rb.rnglists_base = v->v;
		break;
	case DW_AT_GNU_ranges_base:
		u->dwo_ranges_base = v->v;
		break;
	case DW_AT_str_offsets_base:
		u->str_offsets_base = v->v;
		break;
	case DW_AT_dwo_name: case DW_AT_GNU_dwo_name:
		u->dwo_name = *v;
		break;
	case DW_AT_GNU_dwo_id:
		u->dwo_id = v->v;
		break;
	case DW_AT_comp_dir:
		u->comp_dir = *v;
		break;
	}
}

static bool read_root(struct hd_dwarf_unit *u)
{
	struct hd_form_value v, low = { 0 };
	const char *damage = NULL;
	struct hd_die d;
	unsigned name;

	u->dwo_id = u->h.id;
	if (!hd_die_open(&d, u, u->h.first))
		return false;
	while (hd_die_next(&d, &name, &v))
		take_root_attribute(u, name, &v, &low);
	hd_die_close(&d);
	u->split = u->dwo_name.kind;
	u->rb.low = hd_range_address(&u->rb, &u->h, &low, &damage);
	return true;
}

static struct hd_dwarf_unit *open_unit(struct hd_dwarf_file *f, uint64_t off)
{
	struct hd_dwarf_unit *u = hd_new(struct hd_dwarf_unit);
	uint8_t bytes[HD_UNIT_HEADER_MAX];
	size_t n = hd_debug_section_read(&f->info, off, bytes, sizeof(bytes));
	struct hd_bytes b = hd_bytes_over(bytes, n, f->info.swap);

	u->f = f;
	u->rb = (struct hd_range_base){
		.addr = &f->addr, .ranges = &f->ranges, .rnglists = &f->rnglists, .page = &f->page,
		.budget = &f->range_budget,
	};
	if (hd_unit_header_read(&u->h, &b, off, f->info.size, false) != HD_UNIT_HEADER_VALID) {
		hd_dwarf_file_damaged(f, "a unit has an invalid header");
	} else {
		if (f->dwo && u->h.version >= 5)
			u->str_offsets_base = u->h.offset_size == 8 ? 16 : 8;
		u->abbrevs = hd_abbrevs_get(&f->tables, &f->abbrev, &u->h);
		if (!u->abbrevs)
			hd_dwarf_file_damaged(f, "a unit's table of abbreviations is outside its section");
		else if (read_root(u))
			return u;
	}
	free(u);
	return NULL;
}

struct hd_dwarf_unit *hd_dwarf_file_unit(struct hd_dwarf_file *f, uint64_t off)
{
	uint32_t known = hd_map_get(&f->by_off, off);
	struct hd_dwarf_unit *u;

	if (known != HD_MAP_NONE)
		return known == NOT_A_UNIT ? NULL : f->units[known];
	u = open_unit(f, off);
	if (!u) {
		hd_map_put(&f->by_off, off, NOT_A_UNIT);
		return NULL;
	}
	HD_GROW(f->units, f->nunits + 1, f->units_cap);
	f->units[f->nunits] = u;
	hd_map_put(&f->by_off, off, (uint32_t)f->nunits++);
	return u;
}

void hd_dwarf_file_list(struct hd_dwarf_file *f)
{
	struct hd_unit_header h;

	if (f->listed)
		return;
	f->listed = true;
	for (uint64_t off = 0; off < f->info.size; off = h.end) {
		uint8_t bytes[HD_UNIT_HEADER_MAX];
		size_t n = hd_debug_section_read(&f->info, off, bytes, sizeof(bytes));
		struct hd_bytes b = hd_bytes_over(bytes, n, f->info.swap);

		if (hd_unit_header_read(&h, &b, off, f->info.size, false) == HD_UNIT_HEADER_OUTSIDE) {
			hd_dwarf_file_damaged(f, "a unit extends beyond `.debug_info`");
			return;
		}
		HD_GROW(f->starts, f->nstarts + 1, f->starts_cap);
		f->starts[f->nstarts++] = off;
	}
}

static struct hd_dwarf_unit *unit_of(struct hd_dwarf_file *f, uint64_t off)
{
	size_t lo = 0, hi;
	struct hd_dwarf_unit *u;

	hd_dwarf_file_list(f);
	hi = f->nstarts;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (f->starts[mid] <= off)
			lo = mid + 1;
		else
			hi = mid;
	}
	u = lo ? hd_dwarf_file_unit(f, f->starts[lo - 1]) : NULL;
	return u && off < u->h.end ? u : NULL;
}

bool hd_unit_bytes_read(struct hd_unit_bytes *ub, const struct hd_dwarf_unit *u, uint64_t from, uint64_t to)
{
	const struct hd_debug_section *info = &u->f->info;
	size_t n = to - from;

	*ub = (struct hd_unit_bytes){ .from = from, .to = to };
	if (to < from || to > info->size)
		return false;
	ub->p = hd_debug_section_memory(info);
	if (ub->p) {
		ub->p += from;
		return true;
	}
	ub->p = ub->owned = hd_alloc(n ? n : 1);
	if (hd_debug_section_read(info, from, ub->owned, n) == n)
		return true;
	hd_unit_bytes_release(ub);
	hd_dwarf_file_damaged(u->f, "a unit cannot be read from the file");
	return false;
}

void hd_unit_bytes_release(struct hd_unit_bytes *ub)
{
	free(ub->owned);
	*ub = (struct hd_unit_bytes){ 0 };
}

/* ---- references and strings ---- */

struct hd_dwarf_unit *hd_dwarf_unit_follow(struct hd_dwarf_unit *u, const struct hd_form_value *ref, uint64_t *off)
{
	struct hd_dwarf_file *f = u->f;

	switch (ref->kind) {
	case HD_FORM_REF:
		*off = u->h.off + ref->v;
		return ref->v < u->h.end - u->h.off ? u : NULL;
	case HD_FORM_REF_ADDR:
		*off = ref->v;
		return *off >= u->h.off && *off < u->h.end ? u : unit_of(f, *off);
	case HD_FORM_REF_ALT:
		*off = ref->v;
		return f->alt ? unit_of(f->alt, *off) : NULL;
	default:
		return NULL;
	}
}

/* Most strings are short, so a few bytes are read first, and more only if the string does not end there. */
static const char *read_string(const struct hd_debug_section *sec, uint64_t off, char *buf, size_t n)
{
	for (size_t some = STRING_FIRST; some < n; some *= 16)
		if (strlen(hd_debug_section_string(sec, off, buf, some)) + 1 < some)
			return buf;
	return hd_debug_section_string(sec, off, buf, n);
}

static const char *indexed_string(const struct hd_dwarf_unit *u, uint64_t index, char *buf, size_t n)
{
	const struct hd_dwarf_file *f = u->f;
	uint64_t base = u->str_offsets_base;
	struct hd_debug_cursor c;

	*buf = '\0';
	if (index > UINT32_MAX)
		return buf;
	hd_debug_cursor_start(&c, &f->str_offsets, base + index * u->h.offset_size, UINT64_MAX);
	base = hd_debug_cursor_uint(&c, u->h.offset_size);
	return c.b.bad ? buf : read_string(&f->str, base, buf, n);
}

const char *hd_dwarf_unit_string(const struct hd_dwarf_unit *u, const struct hd_form_value *v, char *buf, size_t n)
{
	const struct hd_dwarf_file *f = u->f;

	*buf = '\0';
	switch (v->kind) {
	case HD_FORM_STRING:	return read_string(&f->info, v->v, buf, n);
	case HD_FORM_STRP:	return read_string(&f->str, v->v, buf, n);
	case HD_FORM_LINE_STRP:	return read_string(&f->line_str, v->v, buf, n);
	case HD_FORM_STRP_ALT:	return f->alt ? read_string(&f->alt->str, v->v, buf, n) : buf;
	case HD_FORM_STRX:	return indexed_string(u, v->v, buf, n);
	default:		return buf;
	}
}
