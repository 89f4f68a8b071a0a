/*
 * unit_index.c - see unit_index.h
 */
#include "dwarf/unit_index.h"

#include "base/hash.h"
#include "base/mem.h"
#include "dwarf/form.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

enum {
	/* a lookup checks up to this many ranges, backwards from the last one that starts at or before the address */
	WALK_BACK = 32,
	ATTRIBUTES_MAX = 256,		/* per entry */
	COMP_DIR_MAX = 4096,
	FIRST_LOOK = 512,		/* bytes of a unit that are read first; usually enough */
	LAST_LOOK = 64 * 1024,		/* bytes of a unit that are read if FIRST_LOOK bytes are not enough */
};

/* ---- abbreviations ---- */

static void skip_attributes(struct hd_debug_cursor *c)
{
	while (!c->b.bad) {
		const uint8_t *p = c->b.p;
		uint64_t name, form;

		/* Nearly all names and forms take one byte each. */
		while (c->b.end - p >= 2 && (p[0] | p[1]) && (p[0] | p[1]) < 0x80 && p[1] != DW_FORM_implicit_const)
			p += 2;
		c->b.p = p;
		name = hd_debug_cursor_uleb(c);
		form = hd_debug_cursor_uleb(c);
		if (form == DW_FORM_implicit_const)
			hd_debug_cursor_sleb(c);
		if (!name && !form)
			return;
	}
}

/*
 * Set `c` to the attributes of abbreviation `code` in the table at `off` of .debug_abbrev.  Returns false if there is
 * none, or if the budget is used up.
 */
static bool find_abbrev(struct hd_unit_index *u, struct hd_debug_cursor *c, uint64_t off, uint64_t code)
{
	uint64_t key = hd_mix(off, code), at;
	uint32_t known = hd_map_get(&u->abbrevs, key);

	hd_debug_cursor_start(c, &u->abbrev, known == HD_MAP_NONE ? off : known, UINT64_MAX);
	while (!c->b.bad) {
		uint64_t have;

		at = hd_debug_cursor_at(c);
		have = hd_debug_cursor_uleb(c);
		if (!have)
			return false;
		hd_debug_cursor_uleb(c);		/* tag */
		hd_debug_cursor_uint(c, 1);		/* has children */
		if (have == code) {
			if (at < HD_MAP_NONE)
				hd_map_put(&u->abbrevs, key, (uint32_t)at);
			return !c->b.bad;
		}
		skip_attributes(c);
		if (hd_debug_cursor_at(c) - at > u->abbrev_budget)
			return false;
		u->abbrev_budget -= hd_debug_cursor_at(c) - at;
	}
	return false;
}

/* ---- units ---- */

/* The attributes of a unit's first entry that give its addresses, line program and directory. */
struct entry {
	struct hd_unit_header h;
	struct hd_range_base rb;
	struct hd_pcs pcs;
	struct hd_form_value lines, comp_dir;
};

static const char *keep_string(struct hd_unit_index *u, const struct hd_form_value *v)
{
	const struct hd_debug_section *sec = v->kind == HD_FORM_STRP ? &u->str
		: v->kind == HD_FORM_LINE_STRP                       ? &u->line_str
		: v->kind == HD_FORM_STRP_ALT                        ? &u->alt_str
		: v->kind == HD_FORM_STRING                          ? &u->info
								     : NULL;
	char buf[COMP_DIR_MAX];
	const char *s, *last = u->n ? u->v[u->n - 1].comp_dir : NULL;

	if (!sec)
		return NULL;
	s = hd_debug_section_string(sec, v->v, buf, sizeof(buf));
	/* Consecutive units were usually compiled in the same directory, so they share one copy of its name. */
	if (last && !strcmp(s, last))
		return last;
	if (!*s)
		return NULL;
	if (strlen(s) > u->string_budget) {
		hd_unit_index_damaged(u, "too many names of directories");
		return NULL;
	}
	u->string_budget -= strlen(s);
	return hd_arena_strndup(&u->strings, s, strlen(s));
}

static void take_attribute(struct entry *e, uint64_t name, const struct hd_form_value *v)
{
	switch (name) {
	case DW_AT_low_pc:
		e->pcs.low = *v;
		break;
	case DW_AT_high_pc:
		e->pcs.high = *v;
		break;
	case DW_AT_ranges:
		e->pcs.ranges = *v;
		break;
	case DW_AT_addr_base:
	case DW_AT_GNU_addr_base:
		e->rb.addr_base = v->v;
		break;
	case DW_AT_rnglists_base:
		e->rb.rnglists_base = v->v;
		break;
	case DW_AT_stmt_list:
		e->lines = *v;
		break;
	case DW_AT_comp_dir:
		e->comp_dir = *v;
		break;
	/*
	 * Ignore DW_AT_GNU_ranges_base: it applies to the unit in the .dwo file.  In the skeleton unit, DW_AT_ranges
	 * is an offset from the start of .debug_ranges.
	 */
	}
}

/*
 * Read up to ATTRIBUTES_MAX attributes at `b`, whose names and forms are at `shape`.  `start` is the start of the unit.
 * Returns false if `b` ends too early or a form is unknown.
 */
static bool read_attributes(struct hd_unit_index *u, struct entry *e, struct hd_debug_cursor *shape, struct hd_bytes *b,
	const uint8_t *start)
{
	for (int i = 0; i < ATTRIBUTES_MAX; i++) {
		uint64_t name = hd_debug_cursor_uleb(shape), form = hd_debug_cursor_uleb(shape);
		struct hd_form_value v = { 0 };

		if (shape->b.bad || (!name && !form))
			break;
		if (form == DW_FORM_implicit_const)
			v = (struct hd_form_value){ .kind = HD_FORM_CONST, .v = (uint64_t)hd_debug_cursor_sleb(shape) };
		else if (!hd_form_read(&v, b, form, &e->h))
			return false;
		if (v.kind == HD_FORM_STRING)
			v.v = e->h.off + (uint64_t)((const uint8_t *)v.s - start);
		take_attribute(e, name, &v);
	}
	return true;
}

static void add_unit_range(struct hd_unit_index *u, uint32_t unit, uint64_t start, uint64_t end)
{
	if (start < u->low || end > u->high)
		return;
	HD_GROW(u->ranges, u->nranges + 1, u->ranges_cap);
	u->ranges[u->nranges++] = (struct hd_unit_index_range){ start, end, unit };
}

/* Add a range to the last unit. */
static void add_range(void *arg, uint64_t start, uint64_t end)
{
	struct hd_unit_index *u = arg;

	add_unit_range(u, (uint32_t)u->n - 1, start, end);
}

static void add_unit(struct hd_unit_index *u, struct entry *e)
{
	const char *damage = NULL;
	struct hd_unit_index_entry unit = { .info_off = e->h.off, .line_off = e->lines.v };

	if (!e->lines.kind)
		return;
	unit.comp_dir = keep_string(u, &e->comp_dir);
	HD_GROW(u->v, u->n + 1, u->cap);
	u->v[u->n++] = unit;
	/*
	 * A unit is called blind if it may have code that its first entry does not list.  DWARF 2 has no range lists,
	 * so compilers in strict mode list only one of several ranges.
	 */
	if (!e->pcs.ranges.kind && (e->h.version == 2 || !hd_pcs_any(&e->pcs)) && u->n < HD_MAP_NONE)
		hd_map_put(&u->blind, e->h.off, (uint32_t)u->n - 1);
	e->rb.low = hd_range_address(&e->rb, &e->h, &e->pcs.low, &damage);
	if (!damage)
		damage = hd_ranges_each(&e->rb, &e->h, &e->pcs, add_range, u);
	if (damage)
		hd_unit_index_damaged(u, damage);
}

/* Read the first entry of a unit from the unit's first n bytes.  Returns false if the entry is longer. */
static bool read_entry(struct hd_unit_index *u, struct entry *e, const uint8_t *bytes, size_t n)
{
	struct hd_bytes b = hd_bytes_over(bytes, n, u->info.swap);
	struct hd_debug_cursor shape;
	uint64_t code;

	hd_bytes_skip(&b, e->h.first - e->h.off);
	code = hd_dwarf_uleb(&b);
	if (b.bad)
		return false;
	if (!code)
		return true;
	if (!find_abbrev(u, &shape, e->h.abbrev_off, code))
		hd_unit_index_damaged(u, "a unit's abbreviation is not in its table");
	else if (!read_attributes(u, e, &shape, &b, bytes))
		return false;
	return true;
}

/* Read the unit at `off`; returns the offset of the next one, UINT64_MAX if the unit extends beyond the section. */
static uint64_t read_unit(struct hd_unit_index *u, uint64_t off)
{
	struct entry e = { .rb = { .addr = &u->addr,
				   .ranges = &u->ranges_sec,
				   .rnglists = &u->rnglists,
				   .page = &u->page,
				   .budget = &u->range_budget } };
	uint8_t bytes[FIRST_LOOK], *more;
	size_t n = hd_debug_section_read(&u->info, off, bytes, sizeof(bytes)), all;
	struct hd_bytes b = hd_bytes_over(bytes, n, u->info.swap);
	bool fine;

	switch (hd_unit_header_read(&e.h, &b, off, u->info.size, false)) {
	case HD_UNIT_HEADER_OUTSIDE:
		hd_unit_index_damaged(u, "a unit extends beyond `.debug_info`");
		return UINT64_MAX;
	case HD_UNIT_HEADER_UNSUPPORTED:
		hd_unit_index_damaged(u, "a unit has an invalid header");
		return e.h.end;
	case HD_UNIT_HEADER_VALID:
		break;
	}
	if (e.h.type != DW_UT_compile && e.h.type != DW_UT_skeleton && e.h.type != DW_UT_partial)
		return e.h.end;
	all = e.h.end - off < LAST_LOOK ? e.h.end - off : LAST_LOOK;
	fine = read_entry(u, &e, bytes, n < all ? n : all);
	if (!fine && n < all) {
		more = hd_alloc(all);
		fine = read_entry(u, &e, more, hd_debug_section_read(&u->info, off, more, all));
		free(more);
	}
	if (!fine)
		hd_unit_index_damaged(u, "a unit's first entry cannot be read to its end");
	add_unit(u, &e);
	return e.h.end;
}

/* Set `low` and `high` to the bounds of the executable sections; without such sections, all addresses are allowed. */
static void find_code(struct hd_unit_index *u, const struct hd_elf *e)
{
	u->low = UINT64_MAX;
	u->high = 0;
	for (size_t i = 0; i < e->nsections; i++) {
		const struct hd_elf_section *s = &e->sections[i];
		uint64_t end;

		if (!(s->flags & SHF_EXECINSTR) || __builtin_add_overflow(s->addr, s->size, &end))
			continue;
		u->low = s->addr < u->low ? s->addr : u->low;
		u->high = end > u->high ? end : u->high;
	}
	if (u->low > u->high) {
		u->low = 0;
		u->high = UINT64_MAX;
	}
}

/*
 * ---- .debug_aranges ----
 *
 *     OFFSET  SIZE     MEANING of a table
 *     0       4 or 12  length
 *     ..      2        version: 2
 *     ..      4 or 8   offset of the unit in .debug_info
 *     ..      1, 1     size of an address, size of a segment selector (0)
 *     ..      2 addr   address and length pairs, aligned to their size; (0, 0) ends the table
 *
 * The section is used only for units whose first entry may not list all addresses (gcc -gdwarf-2 -gstrict-dwarf makes
 * them).
 */

static void add_arange(struct hd_unit_index *u, uint64_t info_off, uint64_t start, uint64_t end)
{
	uint32_t unit = hd_map_get(&u->blind, info_off);

	if (unit != HD_MAP_NONE)
		add_unit_range(u, unit, start, end);
}

/*
 * Read the .debug_aranges table at off; *next becomes the offset of the next table.  False if the section is cut off.
 */
static bool read_arange_table(struct hd_unit_index *u, const struct hd_debug_section *sec, uint64_t off, uint64_t *next)
{
	unsigned offset_size = 4, addr_size;
	struct hd_debug_cursor c;
	uint64_t length, unit, skew;

	hd_debug_cursor_start(&c, sec, off, UINT64_MAX);
	length = hd_debug_cursor_uint(&c, 4);
	if (length == 0xffffffff) {
		offset_size = 8;
		length = hd_debug_cursor_uint(&c, 8);
	}
	*next = hd_debug_cursor_at(&c) + length;
	if (c.b.bad || *next < length || *next > sec->size)
		return false;
	hd_debug_cursor_limit(&c, *next);
	if (hd_debug_cursor_uint(&c, 2) != 2)
		/* skip a table of an unknown version; the following table may have a known one */
		return true;
	unit = hd_debug_cursor_uint(&c, offset_size);
	addr_size = (unsigned)hd_debug_cursor_uint(&c, 1);
	if (hd_debug_cursor_uint(&c, 1) || (addr_size != 4 && addr_size != 8))
		return !c.b.bad;
	skew = (hd_debug_cursor_at(&c) - off) % (2 * addr_size);
	hd_debug_cursor_skip(&c, skew ? 2 * addr_size - skew : 0);
	while (!c.b.bad) {
		uint64_t start = hd_debug_cursor_uint(&c, addr_size), size = hd_debug_cursor_uint(&c, addr_size);

		if (!c.b.bad && !start && !size)
			return true;
		if (!c.b.bad && start + size > start)
			add_arange(u, unit, start, start + size);
	}
	return false;
}

static void read_aranges(struct hd_unit_index *u, const struct hd_elf *e)
{
	struct hd_debug_section sec = hd_debug_section_find(e, ".debug_aranges");

	for (uint64_t off = 0, next; off < sec.size; off = next)
		if (!read_arange_table(u, &sec, off, &next)) {
			hd_unit_index_damaged(u, "`.debug_aranges` is cut off");
			return;
		}
}

static int by_start(const void *va, const void *vb)
{
	const struct hd_unit_index_range *a = va, *b = vb;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return a->unit < b->unit ? -1 : a->unit > b->unit;
}

void hd_unit_index_read(struct hd_unit_index *u, const struct hd_elf *e)
{
	u->info = hd_debug_section_find(e, ".debug_info");
	u->abbrev = hd_debug_section_find(e, ".debug_abbrev");
	u->str = hd_debug_section_find(e, ".debug_str");
	u->line_str = hd_debug_section_find(e, ".debug_line_str");
	u->addr = hd_debug_section_find(e, ".debug_addr");
	u->ranges_sec = hd_debug_section_find(e, ".debug_ranges");
	u->rnglists = hd_debug_section_find(e, ".debug_rnglists");
	u->abbrev_budget = 4096 + 16 * u->abbrev.size;
	/*
	 * A damaged file can refer to the same bytes many times, so the section sizes limit the work.  A unit takes at
	 * least 11 bytes, an address pair 8, a list entry 2.  The name of a unit's directory is copied, unless the unit
	 * before it has the same one.  In valid files these copies fit into the size of .debug_info and .debug_str
	 * together, although some units share a string.
	 */
	u->range_budget = 4096 + u->info.size / 11 + u->ranges_sec.size / 8 + u->rnglists.size / 2;
	u->string_budget = 65536 + u->info.size + u->str.size;
	find_code(u, e);
	for (uint64_t off = 0; off < u->info.size; )
		off = read_unit(u, off);
	if (u->blind.n)
		read_aranges(u, e);
	if (u->nranges)
		qsort(u->ranges, u->nranges, sizeof(*u->ranges), by_start);
}

void hd_unit_index_release(struct hd_unit_index *u)
{
	free(u->v);
	free(u->ranges);
	hd_arena_release(&u->strings);
	hd_map_release(&u->abbrevs);
	hd_map_release(&u->blind);
	*u = (struct hd_unit_index){ 0 };
}

uint32_t hd_unit_index_find(const struct hd_unit_index *u, uint64_t vaddr)
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
