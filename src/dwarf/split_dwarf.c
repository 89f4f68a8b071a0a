/*
 * split_dwarf.c - see split_dwarf.h
 */
#include "dwarf/split_dwarf.h"

#include "base/buf.h"
#include "base/mem.h"
#include "dwarf/dwp.h"
#include "dwarf/relative_path.h"

#include <dwarf.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The file of one unit, or its part of a package. */
struct hd_dwo {
	struct hd_dwarf_file f;		/* must be first: hd_split_dwarf_use() casts the file of a unit to hd_dwo */
	struct hd_elf *e;		/* NULL: in a package */
	struct hd_file_ref place;
};

static void note_damage(struct hd_split_dwarf *s, const char *path, const char *what)
{
	struct hd_buf text = { 0 };

	if (s->damage)
		return;
	hd_buf_addf(&text, "%s: %s", path, what);
	s->damage = hd_buf_take(&text);
}

/* ---- limit of open files ---- */

static void park(struct hd_dwo *d)
{
	if (d->e->fd >= 0)
		close(d->e->fd);
	d->e->fd = -1;
}

/*
 * Add `d` to the list of open files.  If the list is full, close the oldest file, so that at most HD_SPLIT_OPEN
 * descriptors are open.  A closed file keeps its ELF headers in memory; its descriptor is needed again when sections
 * are read.
 */
static void count_open(struct hd_split_dwarf *s, struct hd_dwo *d)
{
	size_t i = s->turn++ % HD_SPLIT_OPEN;

	if (s->open[i])
		park(s->open[i]);
	s->open[i] = d;
}

bool hd_split_dwarf_use(struct hd_split_dwarf *s, const struct hd_dwarf_unit *u)
{
	struct hd_dwo *d = (struct hd_dwo *)u->f;
	struct hd_err err;
	int fd;

	if (!d->e || d->e->fd >= 0)
		return true;
	fd = hd_file_ref_reopen(&d->place, d->e->log, &err);
	if (fd < 0) {
		note_damage(s, d->place.path, "it has changed while it was in use");
		return false;
	}
	d->e->fd = fd;
	count_open(s, d);
	return true;
}

/* ---- finding the unit ---- */

static unsigned type_at(const struct hd_debug_section *info, uint64_t off)
{
	uint8_t bytes[HD_UNIT_HEADER_MAX];
	struct hd_bytes b = hd_bytes_over(bytes, hd_debug_section_read(info, off, bytes, sizeof(bytes)), info->swap);
	struct hd_unit_header h;

	hd_unit_header_read(&h, &b, off, info->size, false);
	return h.type;
}

/*
 * A .dwo file is an unlinked object file.  gcc puts each shareable type into a .debug_info.dwo section of its own, so
 * the section with the code is chosen.  clang writes one section.
 */
static void choose_info(struct hd_dwarf_file *f)
{
	struct hd_debug_section info;
	size_t i = 0;

	while ((info = hd_debug_section_next(f->e, ".debug_info.dwo", &i)).size)
		if (type_at(&info, 0) != DW_UT_split_type) {
			f->info = info;
			return;
		}
}

/* Find the split unit with the DWO id `id` in a file that was just opened. */
static struct hd_dwarf_unit *find_unit(struct hd_dwarf_file *f, uint64_t id)
{
	struct hd_dwarf_unit *u;

	hd_dwarf_file_list(f);
	for (size_t i = 0; i < f->nstarts; i++) {
		if (type_at(&f->info, f->starts[i]) == DW_UT_split_type)
			continue;
		u = hd_dwarf_file_unit(f, f->starts[i]);
		if (u && u->dwo_id == id)
			return u;
	}
	return NULL;
}

/*
 * Join a unit of a .dwo file with its skeleton: addresses, and up to DWARF 4 also range lists, come from the skeleton.
 */
static struct hd_dwarf_unit *join(struct hd_dwarf_unit *u, const struct hd_dwarf_unit *skeleton)
{
	struct hd_range_base own = u->rb;

	u->rb = skeleton->rb;
	u->rb.ranges_base = skeleton->dwo_ranges_base;
	if (u->h.version >= 5) {
		u->rb.rnglists = own.rnglists;
		u->rb.rnglists_base = own.rnglists_base;
		u->rb.budget = own.budget;
	}
	/* Further skeletons are not followed. */
	u->split = false;
	return u;
}

static void keep(struct hd_split_dwarf *s, struct hd_dwo *d)
{
	HD_GROW(s->v, s->n + 1, s->cap);
	s->v[s->n++] = d;
}

static void free_dwo(struct hd_dwo *d)
{
	hd_dwarf_file_release(&d->f);
	hd_elf_close(d->e);
	hd_file_ref_release(&d->place);
	free(d);
}

/* Open a candidate for a .dwo file and return the skeleton's unit in it, or NULL.  Frees `path`, which may be NULL. */
static struct hd_dwarf_unit *try(struct hd_split_dwarf *s, const char *root, char *path,
	const struct hd_dwarf_unit *skeleton)
{
	struct hd_dwo *d = hd_new(struct hd_dwo);
	struct hd_dwarf_unit *u = NULL;
	struct hd_err err;
	int fd = path && s->others < HD_SPLIT_MISMATCHES ? hd_file_ref_open(&d->place, root, path, s->log, &err) : -1;

	if (fd >= 0 && hd_elf_open(&d->e, fd, path, s->log, &err) >= 0) {
		if (hd_debug_sections_check(d->e, &err) < 0) {
			note_damage(s, path, err.msg);
		} else {
			hd_dwarf_file_take(&d->f, d->e, ".dwo");
			choose_info(&d->f);
			hd_dwarf_file_budget(&d->f);
			u = find_unit(&d->f, skeleton->dwo_id);
			if (d->f.damage)
				note_damage(s, path, d->f.damage);
			s->others += !u;
		}
	}
	if (u) {
		keep(s, d);
		count_open(s, d);
	} else {
		free_dwo(d);
	}
	free(path);
	return u;
}

static bool open_package(struct hd_split_dwarf *s, const struct hd_file_ref *binary)
{
	struct hd_file_ref place = { 0 };
	struct hd_buf path = { 0 };
	struct hd_err err;
	int fd;

	if (!binary->path || s->package)
		return s->package;
	hd_buf_addf(&path, "%s.dwp", binary->path);
	fd = hd_file_ref_open(&place, binary->root, path.data, s->log, &err);
	if (fd >= 0 &&
		(hd_elf_open(&s->package, fd, path.data, s->log, &err) < 0 ||
			hd_debug_sections_check(s->package, &err) < 0)) {
		note_damage(s, path.data, err.msg);
		hd_elf_close(s->package);
		s->package = NULL;
	}
	hd_file_ref_release(&place);
	hd_buf_release(&path);
	return s->package;
}

static struct hd_dwarf_unit *find_in_package(struct hd_split_dwarf *s, const struct hd_dwarf_source *src,
	const struct hd_dwarf_unit *skeleton)
{
	struct hd_dwarf_unit *u = NULL;
	struct hd_dwo *d;

	if (!s->package_tried) {
		s->package_tried = true;
		if (!open_package(s, &src->code))
			open_package(s, &src->debug);
	}
	if (!s->package)
		return NULL;
	d = hd_new(struct hd_dwo);
	if (hd_dwp_take(&d->f, s->package, skeleton->dwo_id)) {
		hd_dwarf_file_budget(&d->f);
		u = find_unit(&d->f, skeleton->dwo_id);
	}
	if (u)
		keep(s, d);
	else
		free_dwo(d);
	return u;
}

static struct hd_dwarf_unit *find_file(struct hd_split_dwarf *s, const struct hd_dwarf_source *src,
	const struct hd_dwarf_unit *skeleton)
{
	char name[PATH_MAX], comp_dir[PATH_MAX], *folder = hd_relative_path_folder(src->debug.path), *path;
	const char *root = src->debug.root, *base;
	struct hd_dwarf_unit *u = NULL;

	hd_dwarf_unit_string(skeleton, &skeleton->dwo_name, name, sizeof(name));
	hd_dwarf_unit_string(skeleton, &skeleton->comp_dir, comp_dir, sizeof(comp_dir));
	base = strrchr(name, '/');
	base = base ? base + 1 : name;
	if (*name) {
		/* A relative compilation directory is resolved in the folder of the file with the skeleton. */
		path = hd_relative_path_join(folder, comp_dir);
		u = try(s, root, hd_relative_path_join(path ? path : comp_dir, name), skeleton);
		free(path);
	}
	if (!u && *name)
		u = try(s, root, hd_relative_path_join(folder, name), skeleton);
	if (!u && *base && base != name)
		u = try(s, root, hd_relative_path_join(folder, base), skeleton);
	if (!u && !s->missing++)
		s->first_missing = hd_strdup(name);
	free(folder);
	return u;
}

struct hd_dwarf_unit *hd_split_dwarf_find(struct hd_split_dwarf *s, const struct hd_dwarf_source *src,
	const struct hd_dwarf_unit *skeleton)
{
	struct hd_dwarf_unit *u = NULL;

	s->log = src->log;
	/*
	 * Reject a second skeleton unit with the same id: it would share the opened file and its base addresses with
	 * the first.
	 */
	if (hd_map_has(&s->ids, skeleton->dwo_id))
		return NULL;
	u = find_in_package(s, src, skeleton);
	if (!u)
		u = find_file(s, src, skeleton);
	if (!u)
		return NULL;
	hd_map_put(&s->ids, skeleton->dwo_id, 0);
	return join(u, skeleton);
}

void hd_split_dwarf_release(struct hd_split_dwarf *s)
{
	for (size_t i = 0; i < s->n; i++)
		free_dwo(s->v[i]);
	free(s->v);
	hd_map_release(&s->ids);
	hd_elf_close(s->package);
	free(s->first_missing);
	free(s->damage);
	*s = (struct hd_split_dwarf){ 0 };
}
