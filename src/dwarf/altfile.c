/*
 * altfile.c - see altfile.h
 */
#include "dwarf/altfile.h"

#include "base/buf.h"
#include "base/mem.h"
#include "elf/debugfile.h"
#include "dwarf/form.h"
#include "dwarf/relative_path.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The contents of a link section. */
struct link {
	char *bytes;			/* the section; the pointers below point into it */
	const char *name;
	const uint8_t *id;
	size_t id_len;
	bool sup;			/* `id` is the checksum of .debug_sup; otherwise it is a build-id */
};

/* Read .debug_sup.  Returns false if it is absent or damaged, or if its is_supplementary flag has another value. */
static bool read_sup(struct link *l, const struct hd_elf *e, bool is_supplementary)
{
	const struct hd_elf_section *sec = hd_elf_section(e, ".debug_sup");
	struct hd_bytes b;
	size_t n;

	l->bytes = sec ? hd_elf_bytes(e, sec, 65536, &n, NULL) : NULL;
	if (!l->bytes)
		return false;
	b = hd_elf_cursor(e, l->bytes, n);
	hd_bytes_u16(&b);		/* version */
	if (hd_bytes_u8(&b) != is_supplementary)
		return false;
	l->sup = true;
	l->name = hd_dwarf_string(&b);
	l->id_len = hd_dwarf_uleb(&b);
	l->id = hd_bytes_skip(&b, l->id_len);
	return l->id && l->name;
}

static bool read_link(struct link *l, const struct hd_elf *e)
{
	const struct hd_elf_section *sec = hd_elf_section(e, ".gnu_debugaltlink");
	struct hd_bytes b;
	size_t n;

	if (!sec)
		return read_sup(l, e, false);
	l->bytes = hd_elf_bytes(e, sec, 65536, &n, NULL);
	if (!l->bytes)
		return false;
	b = hd_elf_cursor(e, l->bytes, n);
	l->name = hd_dwarf_string(&b);
	l->id = b.p;
	l->id_len = hd_bytes_left(&b);
	return l->name;
}

static bool fits(const struct link *l, const struct hd_elf *f)
{
	struct link own = { 0 };
	bool same;

	if (!l->sup)
		return l->id_len && hd_build_id_equal(l->id, l->id_len, f->build_id, f->build_id_len);
	same = read_sup(&own, f, true) && own.id_len == l->id_len && !memcmp(own.id, l->id, l->id_len);
	free(own.bytes);
	return same;
}

/* Open and check one candidate for the alternate file; true if it can be used.  Frees `path`, which may be NULL. */
static bool try(struct hd_altfile *a, const struct link *l, const char *root, char *path, struct hd_log *log)
{
	struct hd_file_ref place = { 0 };
	struct hd_err err;
	struct hd_elf *f = NULL;
	int fd = path ? hd_file_ref_open(&place, root, path, log, &err) : -1;

	if (fd >= 0 && hd_elf_open(&f, fd, path, log, &err) >= 0 && fits(l, f)) {
		if (hd_debug_sections_check(f, &err) >= 0) {
			a->e = f;
			f = NULL;
		} else {
			snprintf(a->problem, sizeof(a->problem), "%.250s", err.msg);
		}
	}
	hd_elf_close(f);
	hd_file_ref_release(&place);
	free(path);
	return a->e;
}

static char *by_build_id(const struct link *l)
{
	char id[2 * HD_ELF_BUILD_ID + 2];
	struct hd_buf path = { 0 };

	if (l->sup || !hd_build_id_path(l->id, l->id_len, id))
		return NULL;
	hd_buf_addf(&path, "/usr/lib/debug/.build-id/%s.debug", id);
	return hd_buf_take(&path);
}

static void search(struct hd_altfile *a, const struct hd_dwarf_source *src, const struct link *l)
{
	const char *root = src->debug.root, *base = strrchr(l->name, '/');
	char *folder = hd_relative_path_folder(src->debug.path);
	struct hd_log *log = src->log;

	base = base ? base + 1 : l->name;
	if (!try(a, l, root, hd_relative_path_join(folder, l->name), log) &&
	    !try(a, l, root, hd_relative_path_join("/usr/lib/debug/.dwz", base), log) &&
	    !try(a, l, root, by_build_id(l), log) &&
	    root && !try(a, l, NULL, hd_relative_path_join("/usr/lib/debug/.dwz", base), log))
		try(a, l, NULL, by_build_id(l), log);
	if (a->e)
		a->problem[0] = '\0';	/* drop the problem of an earlier candidate */
	else if (!a->problem[0])
		snprintf(a->problem, sizeof(a->problem), "the alternate file `%.200s` was not found",
			l->name);
	free(folder);
}

struct hd_dwarf_file *hd_altfile_find(struct hd_altfile *a, const struct hd_dwarf_source *src, const struct hd_elf *e)
{
	struct link l = { 0 };

	if (a->tried)
		return a->e ? &a->f : NULL;
	a->tried = true;
	if (read_link(&l, e))
		search(a, src, &l);
	free(l.bytes);
	if (!a->e)
		return NULL;
	hd_dwarf_file_take(&a->f, a->e, "");
	hd_dwarf_file_budget(&a->f);
	return &a->f;
}

void hd_altfile_release(struct hd_altfile *a)
{
	hd_dwarf_file_release(&a->f);
	hd_elf_close(a->e);
}
