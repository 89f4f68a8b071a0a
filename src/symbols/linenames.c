/*
 * linenames.c - see linenames.h
 */
#include "symbols/linenames.h"

#include "base/mem.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_LONGEST = 4096 };

uint64_t hd_dwarf_uleb(struct hd_bytes *b)
{
	uint64_t v = 0;
	unsigned shift = 0;
	uint8_t byte;

	do {
		byte = hd_bytes_u8(b);
		if (shift < 64)
			v |= (uint64_t)(byte & 0x7f) << shift;
		shift = shift < 64 ? shift + 7 : 64;
	} while ((byte & 0x80) && !b->bad);
	return v;
}

int64_t hd_dwarf_sleb(struct hd_bytes *b)
{
	uint64_t v = 0;
	unsigned shift = 0;
	uint8_t byte;

	do {
		byte = hd_bytes_u8(b);
		if (shift < 64)
			v |= (uint64_t)(byte & 0x7f) << shift;
		shift = shift < 64 ? shift + 7 : 64;
	} while ((byte & 0x80) && !b->bad);
	if (shift < 64 && (byte & 0x40))
		v |= UINT64_MAX << shift;
	return (int64_t)v;
}

const char *hd_dwarf_string(struct hd_bytes *b)
{
	size_t left = hd_bytes_left(b);
	const char *s = (const char *)b->p;
	const char *nul = left ? memchr(s, '\0', left) : NULL;

	if (!nul) {
		hd_bytes_skip(b, left + 1);	/* bad from here on */
		return NULL;
	}
	hd_bytes_skip(b, (size_t)(nul - s) + 1);
	return s;
}

static void add_dir(struct hd_line_names *n, const char *dir)
{
	HD_GROW(n->dirs, n->ndirs + 1, n->dirs_cap);
	n->dirs[n->ndirs++] = dir;
}

void hd_line_names_define(struct hd_line_names *n, const char *name, uint64_t dir)
{
	HD_GROW(n->files, n->nfiles + 1, n->files_cap);
	n->files[n->nfiles++] = (struct hd_line_file){ name, dir < UINT32_MAX ? (uint32_t)dir : UINT32_MAX, NULL };
}

/* Two lists, each ended by an empty string; a file has three numbers behind its name. */
static void read_v2(struct hd_line_names *n, struct hd_bytes *b)
{
	const char *s;

	add_dir(n, n->comp_dir);
	while ((s = hd_dwarf_string(b)) && *s)
		add_dir(n, s);
	hd_line_names_define(n, NULL, 0);	/* there is no file 0 */
	while ((s = hd_dwarf_string(b)) && *s) {
		uint64_t dir = hd_dwarf_uleb(b);

		hd_dwarf_uleb(b);		/* mtime, length */
		hd_dwarf_uleb(b);
		hd_line_names_define(n, s, dir);
	}
}

/* ---- DWARF 5 ---- */

struct entry { const char *path; uint64_t dir; };

static const char *string_at(const struct hd_dwarf_bytes *sec, uint64_t off)
{
	if (off >= sec->n || !memchr(sec->p + off, '\0', sec->n - off))
		return NULL;
	return (const char *)sec->p + off;
}

static uint64_t offset(struct hd_bytes *b, bool is64)
{
	return is64 ? hd_bytes_u64(b) : hd_bytes_u32(b);
}

/* One field of an entry: a string, a number, or something to step over. */
static bool read_form(struct hd_bytes *b, uint64_t form, bool is64, const struct hd_linetable_in *in, const char **s, uint64_t *v)
{
	*s = NULL;
	*v = 0;
	switch (form) {
	case DW_FORM_string:	*s = hd_dwarf_string(b); break;
	case DW_FORM_line_strp:	*s = string_at(&in->line_str, offset(b, is64)); break;
	case DW_FORM_strp:	*s = string_at(&in->str, offset(b, is64)); break;
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

/* A list of entries behind the description of their fields. */
static bool read_v5_list(struct hd_line_names *n, struct hd_bytes *b, bool is64, const struct hd_linetable_in *in, bool is_dirs)
{
	struct { uint64_t content, form; } fields[255];
	unsigned nfields = hd_bytes_u8(b);
	uint64_t count;

	for (unsigned i = 0; i < nfields; i++) {
		fields[i].content = hd_dwarf_uleb(b);
		fields[i].form = hd_dwarf_uleb(b);
	}
	count = hd_dwarf_uleb(b);
	/* Each field takes a byte at least. */
	if (b->bad || (nfields ? count > hd_bytes_left(b) / nfields : count))
		return false;
	for (uint64_t i = 0; i < count; i++) {
		struct entry e = { 0 };

		for (unsigned f = 0; f < nfields; f++) {
			const char *s;
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
			hd_line_names_define(n, e.path, e.dir);
	}
	return true;
}

bool hd_line_names_read(struct hd_line_names *n, struct hd_bytes *b, unsigned version, bool is64, const struct hd_linetable_in *in)
{
	n->comp_dir = in->comp_dir;
	if (version >= 5)
		return read_v5_list(n, b, is64, in, true) && read_v5_list(n, b, is64, in, false);
	read_v2(n, b);
	return !b->bad;
}

/* ---- paths ---- */

/* Join up to three parts; an absolute one begins anew.  What is longer than any path stays as its last part. */
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

const char *hd_line_names_path(struct hd_line_names *n, uint32_t file)
{
	struct hd_line_file *f = file < n->nfiles ? &n->files[file] : NULL;

	if (!f || !f->name)
		return NULL;
	if (!f->path) {
		const char *base = n->comp_dir ? n->comp_dir : n->ndirs ? n->dirs[0] : NULL;
		const char *parts[3] = { base, f->dir < n->ndirs ? n->dirs[f->dir] : NULL, f->name };

		if (parts[1] == base)
			parts[1] = NULL;
		f->path = join(&n->paths, parts);
	}
	return f->path;
}

void hd_line_names_release(struct hd_line_names *n)
{
	free(n->dirs);
	free(n->files);
	hd_arena_release(&n->paths);
}
