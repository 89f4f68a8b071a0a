/*
 * lines.c - see lines.h
 */
#include "symbols/lines.h"

#include "base/mem.h"
#include "symbols/linetable.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	WALK_BACK = 32,		/* units whose ranges may overlap an address */
	RANGES_BASE = 4096,	/* ranges that are read whatever the sections' size */
};

struct range { uint64_t start, end; uint32_t unit; };

/* One compilation unit. */
struct unit {
	uint64_t line_off;
	const char *comp_dir;
	bool tried;
	struct hd_linetable *table;
};

struct hd_lines {
	struct hd_symobj *o;
	struct hd_elf *e;
	Dwarf *dw;			/* kept for inlined calls */
	struct hd_linetable_in in;
	struct unit *units;
	size_t nunits, units_cap;
	struct range *ranges;
	size_t nranges, ranges_cap;
};

static void warn_damage(struct hd_lines *l, const char *what)
{
	hd_warn(l->o->sy->log, "symbols.lines-damaged", "rebuild or reinstall it", "%s: damaged line information: %s",
		l->e ? l->e->path : l->o->path, what);
}

/* ---- sections ---- */

static struct hd_dwarf_bytes section_bytes(const struct hd_lines *l, const char *name)
{
	for (size_t i = 0; i < l->e->nsections; i++) {
		const char *have = l->e->sections[i].name;
		Elf_Data *data;

		/* `.zdebug_line` is .debug_line, unpacked by now. */
		if (strcmp(have, name) && (strncmp(have, ".z", 2) || strcmp(have + 2, name + 1)))
			continue;
		data = elf_rawdata(elf_getscn(l->e->elf, i), NULL);
		if (data && data->d_buf && data->d_size)
			return (struct hd_dwarf_bytes){ data->d_buf, data->d_size };
	}
	return (struct hd_dwarf_bytes){ NULL, 0 };
}

/* ---- units ---- */

/* Code is nowhere below this; what a linker dropped is, at 0 or so. */
static uint64_t lowest_code(const struct hd_elf *e)
{
	uint64_t low = UINT64_MAX;

	for (size_t i = 0; i < e->nsections; i++)
		if ((e->sections[i].flags & SHF_EXECINSTR) && e->sections[i].addr < low)
			low = e->sections[i].addr;
	return low == UINT64_MAX ? 0 : low;
}

/* A string that is in this file; an alternate file is not opened. */
static const char *own_string(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attr;
	unsigned form;

	if (!dwarf_attr(die, name, &attr))
		return NULL;
	form = dwarf_whatform(&attr);
	return form == DW_FORM_GNU_strp_alt || form == DW_FORM_strp_sup ? NULL : dwarf_formstring(&attr);
}

/* At most `max` ranges are read in all: many units may point at one long list. */
static void add_ranges(struct hd_lines *l, Dwarf_Die *die, uint32_t unit, uint64_t low, size_t max)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t off = 0;

	while ((off = dwarf_ranges(die, off, &base, &start, &end)) > 0) {
		if (l->nranges >= max) {
			warn_damage(l, "more address ranges than its sections hold");
			return;
		}
		if (start < low || end <= start)
			continue;
		HD_GROW(l->ranges, l->nranges + 1, l->ranges_cap);
		l->ranges[l->nranges++] = (struct range){ start, end, unit };
	}
	if (off < 0)
		warn_damage(l, "a unit's address ranges cannot be read");
}

static void add_unit(struct hd_lines *l, Dwarf_Die *die, uint64_t low, size_t max_ranges)
{
	Dwarf_Attribute attr;
	Dwarf_Word line_off;

	if (!dwarf_attr(die, DW_AT_stmt_list, &attr) || dwarf_formudata(&attr, &line_off))
		return;
	HD_GROW(l->units, l->nunits + 1, l->units_cap);
	l->units[l->nunits] = (struct unit){ .line_off = line_off, .comp_dir = own_string(die, DW_AT_comp_dir) };
	add_ranges(l, die, (uint32_t)l->nunits++, low, max_ranges);
}

static int by_start(const void *va, const void *vb)
{
	const struct range *a = va, *b = vb;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return a->unit < b->unit ? -1 : a->unit > b->unit;
}

/* The lengths of the units, added up, must come out at the end of .debug_info; libdw stops without a word where they do not. */
static void check_lengths(struct hd_lines *l)
{
	struct hd_dwarf_bytes info = section_bytes(l, ".debug_info");
	struct hd_bytes b = hd_bytes_over(info.p, info.n, l->e->swap);

	while (hd_bytes_left(&b)) {
		uint64_t at = info.n - hd_bytes_left(&b), length = hd_bytes_u32(&b);

		if (length == 0xffffffff)
			length = hd_bytes_u64(&b);
		if (b.bad || length > hd_bytes_left(&b)) {
			char what[96];

			snprintf(what, sizeof(what), "the unit at 0x%llx of `.debug_info` reaches out of it", (unsigned long long)at);
			warn_damage(l, what);
			return;
		}
		hd_bytes_skip(&b, length);
	}
}

static void read_units(struct hd_lines *l)
{
	uint64_t low = lowest_code(l->e);
	size_t max = RANGES_BASE + section_bytes(l, ".debug_ranges").n + section_bytes(l, ".debug_rnglists").n +
		     section_bytes(l, ".debug_info").n;
	Dwarf_CU *cu = NULL;
	Dwarf_Half version;
	uint8_t type;
	Dwarf_Die die;
	int rc;

	while ((rc = dwarf_get_units(l->dw, cu, &cu, &version, &type, &die, NULL)) == 0)
		if (type == DW_UT_compile || type == DW_UT_skeleton || type == DW_UT_partial)
			add_unit(l, &die, low, max);
	if (rc < 0)
		warn_damage(l, dwarf_errmsg(-1));
	if (l->nranges)
		qsort(l->ranges, l->nranges, sizeof(*l->ranges), by_start);
}

/* ---- opening ---- */

struct hd_lines *hd_lines_open(struct hd_symobj *o)
{
	struct hd_lines *l = hd_new(struct hd_lines);
	struct hd_err err;
	char *text;
	int fd;

	l->o = o;
	hd_file_find_dwarf(o);
	if (!o->dwarf.path)
		return l;
	fd = hd_place_reopen(&o->dwarf, &err);
	text = hd_place_text(&o->dwarf);
	if (fd < 0 || hd_elf_open(&l->e, fd, text, &err) < 0 || hd_dwarf_check(l->e, &err) < 0) {
		warn_damage(l, err.msg);
	} else {
		l->dw = dwarf_begin_elf(l->e->elf, DWARF_C_READ, NULL);
		if (!l->dw)
			warn_damage(l, dwarf_errmsg(-1));
	}
	free(text);
	if (!l->dw)
		return l;
	l->in = (struct hd_linetable_in){
		.line = section_bytes(l, ".debug_line"), .line_str = section_bytes(l, ".debug_line_str"),
		.str = section_bytes(l, ".debug_str"), .swap = l->e->swap,
	};
	check_lengths(l);
	read_units(l);
	return l;
}

void hd_lines_free(struct hd_lines *l)
{
	if (!l)
		return;
	for (size_t i = 0; i < l->nunits; i++)
		hd_linetable_free(l->units[i].table);
	free(l->units);
	free(l->ranges);
	dwarf_end(l->dw);
	hd_elf_close(l->e);
	free(l);
}

/* ---- answers ---- */

static struct unit *unit_of(struct hd_lines *l, uint64_t vaddr)
{
	size_t lo = 0, hi = l->nranges;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (l->ranges[mid].start <= vaddr)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (size_t i = lo; i && lo - i < WALK_BACK; i--)
		if (vaddr < l->ranges[i - 1].end)
			return &l->units[l->ranges[i - 1].unit];
	return NULL;
}

static void read_table(struct hd_lines *l, struct unit *u)
{
	struct hd_err err;

	u->tried = true;
	l->in.comp_dir = u->comp_dir;
	if (hd_linetable_read(&u->table, &l->in, u->line_off, &err) < 0)
		warn_damage(l, err.msg);
	else if (hd_linetable_damage(u->table))
		warn_damage(l, hd_linetable_damage(u->table));
}

void hd_lines_find(struct hd_lines *l, uint64_t vaddr, struct hd_line_hit *hit)
{
	struct unit *u = unit_of(l, vaddr);
	uint32_t file;

	if (!u)
		return;
	if (!u->tried)
		read_table(l, u);
	if (u->table && hd_linetable_find(u->table, vaddr, &file, &hit->line))
		hit->file = hd_linetable_file(u->table, file);
}
