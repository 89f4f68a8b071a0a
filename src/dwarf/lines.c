/*
 * lines.c - see lines.h
 */
#include "dwarf/lines.h"

#include "base/mem.h"
#include "dwarf/line_table.h"
#include "dwarf/unit_index.h"

#include <stdlib.h>
#include <string.h>

enum { LINE_UNIT_MAX = 256 << 20 };	/* longer line programs are not run */

/* The line program of a unit, or only its list of files. */
struct program {
	bool tried;
	uint8_t *bytes;
	struct hd_line_table *table;
};

struct hd_lines {
	const struct hd_dwarf_source *src;
	struct hd_elf *e;		/* the file with the DWARF; NULL: there is none, or it cannot be read */
	struct hd_unit_index units;
	struct hd_altfile alt;
	struct hd_debug_section line;		/* .debug_line */
	struct program *programs;	/* by unit */
	/* indexed by unit: its line program, of which only the header was read, for the paths of files */
	struct program *names;
};

static void warn_damage(struct hd_lines *l, const char *what)
{
	hd_warn(l->src->log, "symbols.lines-damaged", "rebuild or reinstall it", "%s: damaged line information: %s",
		l->e ? l->e->path : l->src->path, what);
}

struct hd_lines *hd_lines_open(const struct hd_dwarf_source *src)
{
	struct hd_lines *l = hd_new(struct hd_lines);
	struct hd_err err;
	char *text;
	int fd;

	l->src = src;
	if (!src->debug.path)
		return l;
	fd = hd_file_ref_reopen(&src->debug, src->log, &err);
	text = hd_file_ref_text(&src->debug);
	if (fd < 0 || hd_elf_open(&l->e, fd, text, src->log, &err) < 0 || hd_debug_sections_check(l->e, &err) < 0) {
		warn_damage(l, err.msg);
		hd_elf_close(l->e);
		l->e = NULL;
	} else {
		if (hd_altfile_find(&l->alt, src, l->e))
			l->units.alt_str = l->alt.f.str;
		hd_unit_index_read(&l->units, l->e);
		if (l->units.damage)
			warn_damage(l, l->units.damage);
		l->line = hd_debug_section_find(l->e, ".debug_line");
		l->programs = hd_new_array(struct program, l->units.n);
		l->names = hd_new_array(struct program, l->units.n);
	}
	free(text);
	return l;
}

static void free_programs(struct program *v, size_t n)
{
	for (size_t i = 0; v && i < n; i++) {
		hd_line_table_free(v[i].table);
		free(v[i].bytes);
	}
	free(v);
}

void hd_lines_free(struct hd_lines *l)
{
	if (!l)
		return;
	free_programs(l->programs, l->units.n);
	free_programs(l->names, l->units.n);
	hd_unit_index_release(&l->units);
	hd_altfile_release(&l->alt);
	hd_elf_close(l->e);
	free(l);
}

/*
 * Read the bytes of the line program at `off`, starting with its length.  header: read only its header.  Returns NULL
 * if the section does not contain the program, or if the program is longer than LINE_UNIT_MAX.
 */
static uint8_t *program_bytes(struct hd_lines *l, uint64_t off, bool header, size_t *n)
{
	struct hd_debug_cursor c;
	uint8_t *bytes;
	uint64_t length;
	unsigned offset_size = 4;

	hd_debug_cursor_start(&c, &l->line, off, UINT64_MAX);
	length = hd_debug_cursor_uint(&c, 4);
	if (length == 0xffffffff) {
		offset_size = 8;
		length = hd_debug_cursor_uint(&c, 8);
	}
	if (c.b.bad || length > l->line.size - hd_debug_cursor_at(&c) || length > LINE_UNIT_MAX)
		return NULL;
	*n = hd_debug_cursor_at(&c) - off + length;
	if (header) {
		if (hd_debug_cursor_uint(&c, 2) >= 5)
			hd_debug_cursor_skip(&c, 2);
		length = hd_debug_cursor_uint(&c, offset_size);
		if (!c.b.bad && length < *n - (hd_debug_cursor_at(&c) - off))
			*n = hd_debug_cursor_at(&c) - off + length;
	}
	bytes = hd_alloc(*n);
	if (hd_debug_section_read(&l->line, off, bytes, *n) == *n)
		return bytes;
	free(bytes);
	return NULL;
}

static void read_program(struct hd_lines *l, uint32_t unit, bool header)
{
	const struct hd_unit_index_entry *u = &l->units.v[unit];
	struct program *p = header ? &l->names[unit] : &l->programs[unit];
	struct hd_line_table_in in = {
		.swap = l->e->swap, .line_str = &l->units.line_str, .str = &l->units.str, .comp_dir = u->comp_dir,
		.names_only = header,
	};
	struct hd_err err;

	p->tried = true;
	p->bytes = program_bytes(l, u->line_off, header, &in.n);
	in.unit = p->bytes;
	if (!p->bytes)
		warn_damage(l, "a line table extends beyond `.debug_line` or is longer than 256 MiB");
	else if (hd_line_table_read(&p->table, &in, &err) < 0)
		warn_damage(l, err.msg);
	else if (hd_line_table_damage(p->table))
		warn_damage(l, hd_line_table_damage(p->table));
}

void hd_lines_find(struct hd_lines *l, uint64_t vaddr, struct hd_line_hit *hit)
{
	uint32_t unit = hd_unit_index_find(&l->units, vaddr), file;

	if (unit == UINT32_MAX)
		return;
	if (!l->programs[unit].tried)
		read_program(l, unit, false);
	if (l->programs[unit].table && hd_line_table_find(l->programs[unit].table, vaddr, &file, &hit->line))
		hit->file = hd_line_table_file(l->programs[unit].table, file);
}

struct hd_elf *hd_lines_elf(struct hd_lines *l)
{
	return l->e;
}

const struct hd_unit_index *hd_lines_units(const struct hd_lines *l)
{
	return l->e ? &l->units : NULL;
}

struct hd_altfile *hd_lines_alt(struct hd_lines *l)
{
	return &l->alt;
}

const char *hd_lines_file(struct hd_lines *l, uint32_t unit, uint32_t file)
{
	struct program *p = l->programs[unit].table ? &l->programs[unit] : &l->names[unit];

	if (!p->table && !p->tried)
		read_program(l, unit, true);
	return p->table ? hd_line_table_file(p->table, file) : NULL;
}
