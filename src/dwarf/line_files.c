/*
 * line_files.c - see line_files.h
 */
#include "dwarf/line_files.h"

#include "base/mem.h"
#include "dwarf/form.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_LONGEST = 4096 };

static void add_dir(struct hd_line_files *n, struct hd_line_str dir)
{
	HD_GROW(n->dirs, n->ndirs + 1, n->dirs_cap);
	n->dirs[n->ndirs++] = dir;
}

void hd_line_files_define(struct hd_line_files *n, struct hd_line_str name, uint64_t dir)
{
	HD_GROW(n->files, n->nfiles + 1, n->files_cap);
	n->files[n->nfiles++] = (struct hd_line_file){ name, dir < UINT32_MAX ? (uint32_t)dir : UINT32_MAX, NULL };
}

/*
 * Read the directories and files of a table up to version 4: two lists, each ended by an empty string.  The name of a
 * file is followed by three numbers.
 */
static void read_v2(struct hd_line_files *n, struct hd_bytes *b)
{
	const char *s;

	add_dir(n, (struct hd_line_str){ .s = n->comp_dir });
	while ((s = hd_dwarf_string(b)) && *s)
		add_dir(n, (struct hd_line_str){ .s = s });
	hd_line_files_define(n, (struct hd_line_str){ 0 }, 0);	/* file numbers start at 1 */
	while ((s = hd_dwarf_string(b)) && *s) {
		uint64_t dir = hd_dwarf_uleb(b);

		hd_dwarf_uleb(b);		/* mtime and length */
		hd_dwarf_uleb(b);
		hd_line_files_define(n, (struct hd_line_str){ .s = s }, dir);
	}
}

/* ---- DWARF 5 ---- */

struct entry { struct hd_line_str path; uint64_t dir; };

static uint64_t offset(struct hd_bytes *b, bool is64)
{
	return is64 ? hd_bytes_u64(b) : hd_bytes_u32(b);
}

/* Read one field of an entry: a string, a number, or a value to skip. */
static bool read_form(struct hd_bytes *b, uint64_t form, bool is64, const struct hd_line_table_in *in,
		      struct hd_line_str *s, uint64_t *v)
{
	*s = (struct hd_line_str){ 0 };
	*v = 0;
	switch (form) {
	case DW_FORM_string:	s->s = hd_dwarf_string(b); break;
	case DW_FORM_line_strp:	*s = (struct hd_line_str){ NULL, in->line_str, offset(b, is64) }; break;
	case DW_FORM_strp:	*s = (struct hd_line_str){ NULL, in->str, offset(b, is64) }; break;
	case DW_FORM_strp_sup:
	case DW_FORM_sec_offset: offset(b, is64); break;
	case DW_FORM_udata:	*v = hd_dwarf_uleb(b); break;
	case DW_FORM_sdata:	*v = (uint64_t)hd_dwarf_sleb(b); break;
	case DW_FORM_strx:	hd_dwarf_uleb(b); break;
	case DW_FORM_data1:	*v = hd_bytes_u8(b); break;
	case DW_FORM_data2:	*v = hd_bytes_u16(b); break;
	case DW_FORM_data4:	*v = hd_bytes_u32(b); break;
	case DW_FORM_data8:	*v = hd_bytes_u64(b); break;
	case DW_FORM_strx1:
	case DW_FORM_flag:	hd_bytes_u8(b); break;
	case DW_FORM_strx2:	hd_bytes_u16(b); break;
	case DW_FORM_strx3:	hd_bytes_skip(b, 3); break;
	case DW_FORM_strx4:	hd_bytes_u32(b); break;
	case DW_FORM_data16:	hd_bytes_skip(b, 16); break;
	case DW_FORM_block:	hd_bytes_skip(b, hd_dwarf_uleb(b)); break;
	case DW_FORM_block1:	hd_bytes_skip(b, hd_bytes_u8(b)); break;
	case DW_FORM_block2:	hd_bytes_skip(b, hd_bytes_u16(b)); break;
	case DW_FORM_block4:	hd_bytes_skip(b, hd_bytes_u32(b)); break;
	default:
		return false;
	}
	return !b->bad;
}

/* Read a list of entries, which follows the description of its fields. */
static bool read_v5_list(struct hd_line_files *n, struct hd_bytes *b, bool is64, const struct hd_line_table_in *in,
	bool is_dirs)
{
	struct { uint64_t content, form; } fields[255];
	unsigned nfields = hd_bytes_u8(b);
	uint64_t count;

	for (unsigned i = 0; i < nfields; i++) {
		fields[i].content = hd_dwarf_uleb(b);
		fields[i].form = hd_dwarf_uleb(b);
	}
	count = hd_dwarf_uleb(b);
	/* Each field takes at least one byte. */
	if (b->bad || (nfields ? count > hd_bytes_left(b) / nfields : count))
		return false;
	for (uint64_t i = 0; i < count; i++) {
		struct entry e = { 0 };

		for (unsigned f = 0; f < nfields; f++) {
			struct hd_line_str s;
			uint64_t v;

			if (!read_form(b, fields[f].form, is64, in, &s, &v))
				return false;
			if (fields[f].content == DW_LNCT_path)
				e.path = s;
			else if (fields[f].content == DW_LNCT_directory_index)
				e.dir = v;
		}
		if (is_dirs)
			add_dir(n, e.path);
		else
			hd_line_files_define(n, e.path, e.dir);
	}
	return true;
}

bool hd_line_files_read(struct hd_line_files *n, struct hd_bytes *b, unsigned version, bool is64,
	const struct hd_line_table_in *in)
{
	n->comp_dir = in->comp_dir;
	if (version >= 5)
		return read_v5_list(n, b, is64, in, true) && read_v5_list(n, b, is64, in, false);
	read_v2(n, b);
	return !b->bad;
}

/* ---- paths ---- */

/* Return the text of a string.  If it is not in memory, it is read from its section into `buf`. */
static const char *text(const struct hd_line_str *s, char buf[PATH_LONGEST])
{
	if (s->s || !s->sec)
		return s->s;
	return hd_debug_section_string(s->sec, s->off, buf, PATH_LONGEST);
}

/*
 * Join up to three parts; an absolute part replaces those before it.  If the result is too long for a path, the last
 * part is returned.
 */
static const char *join(struct hd_arena *a, const char *const parts[3])
{
	size_t total = 0, n[3], first = 0;
	char *path, *at;

	for (size_t i = 0; i < 3; i++) {
		n[i] = parts[i] ? strnlen(parts[i], PATH_LONGEST) : 0;
		if (n[i] && parts[i][0] == '/')
			first = i;
	}
	for (size_t i = first; i < 3; i++)
		total += n[i] + 1;
	if (total > PATH_LONGEST)
		return hd_arena_strndup(a, parts[2], n[2]);
	path = at = hd_arena_alloc(a, total + 1);
	for (size_t i = first; i < 3; i++) {
		if (!n[i])
			continue;
		if (at != path && at[-1] != '/')
			*at++ = '/';
		memcpy(at, parts[i], n[i]);
		at += n[i];
	}
	*at = '\0';
	return path;
}

const char *hd_line_files_path(struct hd_line_files *n, uint32_t file)
{
	struct hd_line_file *f = file < n->nfiles ? &n->files[file] : NULL;
	static const struct hd_line_str none = { 0 };
	char buf[3][PATH_LONGEST];

	if (!f || (!f->name.s && !f->name.sec))
		return NULL;
	if (!f->path) {
		const struct hd_line_str *dir = f->dir < n->ndirs ? &n->dirs[f->dir] : &none;
		/* Directory 0 is the compilation directory. */
		const char *base = n->comp_dir ? n->comp_dir : n->ndirs && f->dir ? text(&n->dirs[0], buf[0]) : NULL;
		const char *parts[3] = { f->dir ? base : NULL, text(dir, buf[1]), text(&f->name, buf[2]) };

		f->path = join(&n->paths, parts);
	}
	return f->path;
}

void hd_line_files_release(struct hd_line_files *n)
{
	free(n->dirs);
	free(n->files);
	hd_arena_release(&n->paths);
}
