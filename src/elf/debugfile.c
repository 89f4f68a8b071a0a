/*
 * debugfile.c - see debugfile.h
 */
#include "elf/debugfile.h"

#include "base/buf.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool hd_build_id_path(const uint8_t *id, size_t n, char out[2 * HD_ELF_BUILD_ID + 2])
{
	if (n < 2 || n > HD_ELF_BUILD_ID)
		return false;
	hd_build_id_hex(id, 1, out);
	out[2] = '/';
	hd_build_id_hex(id + 1, n - 1, out + 3);
	return true;
}

/* What is looked for, and what was found. */
struct search {
	struct hd_symobj *o;
	struct hd_elf *e;		/* the object's own file; NULL: not known */
	const uint8_t *id;
	size_t id_len;
	uint32_t crc;
	bool has_crc;			/* the candidate is named by .gnu_debuglink */
	bool want_code;			/* the object's own file is looked for */
	struct hd_file_ref *place;
	struct hd_elf *found;
};

static bool has_symbols(const struct hd_elf *f)
{
	for (size_t i = 0; i < f->nsections; i++)
		if (f->sections[i].type == SHT_SYMTAB && f->sections[i].has_bytes)
			return true;
	return hd_elf_section(f, ".debug_line") || hd_elf_section(f, ".zdebug_line");
}

static bool fits(struct search *s, struct hd_elf *f)
{
	uint32_t crc;

	if (s->want_code ? f->is_debug_file : !has_symbols(f))
		return false;
	if (s->id_len && f->build_id_len)
		return hd_build_id_equal(s->id, s->id_len, f->build_id, f->build_id_len);
	if (!s->has_crc || hd_debuglink_crc(f->fd, f->path, &crc, NULL) < 0)
		return false;
	if (crc == s->crc)
		return true;
	hd_warn(s->o->sy->log, "symbols.debuglink-crc", "install the debug file of exactly this build",
		"%s: is not the debug file of %s: its checksum is %08x, wanted is %08x", f->path, s->o->path, crc,
		s->crc);
	return false;
}

/* One candidate.  True ends the search. */
static bool try(struct search *s, const char *root, const char *path)
{
	struct hd_file_ref place = { 0 };
	struct hd_elf *f = NULL;
	char *text;
	int fd = hd_file_ref_open(&place, root, path, s->o->sy->log, NULL);

	if (fd < 0)
		return false;
	text = hd_file_ref_text(&place);
	/* A debug link may name the object itself; that helps nobody. */
	if (s->e && place.path && s->o->runtime.path && place.dev == s->o->runtime.dev &&
		place.ino == s->o->runtime.ino)
		close(fd);
	else if (hd_elf_open(&f, fd, text, s->o->sy->log, NULL) >= 0 && fits(s, f)) {
		s->found = f;
		f = NULL;
		hd_file_ref_move(s->place, &place);
	}
	hd_elf_close(f);
	free(text);
	hd_file_ref_release(&place);
	return s->found;
}

static bool try_joined(struct search *s, const char *root, const char *a, const char *b, const char *c, const char *d)
{
	struct hd_buf path = { 0 };
	bool found;

	hd_buf_addf(&path, "%s%s%s%s", a, b, c, d);
	found = try(s, root, path.data);
	hd_buf_release(&path);
	return found;
}

/* What stands before and behind `xx/yyyy`. */
struct around { const char *before, *behind; };

static bool by_build_id(struct search *s, const struct around *below_root, const struct around *below_cache)
{
	const struct hd_symbols *sy = s->o->sy;
	char id[2 * HD_ELF_BUILD_ID + 2];

	if (!hd_build_id_path(s->id, s->id_len, id))
		return false;
	for (const struct around *a = below_root; a->before; a++)
		if ((sy->opts.symfs && try_joined(s, sy->opts.symfs, a->before, id, a->behind, "")) ||
		    try_joined(s, NULL, a->before, id, a->behind, ""))
			return true;
	for (const struct around *a = below_cache; sy->cache && a->before; a++)
		if (try_joined(s, NULL, sy->cache, a->before, id, a->behind))
			return true;
	return false;
}

static bool by_debuglink(struct search *s)
{
	static const struct around places[] = { { "", "/" }, { "", "/.debug/" }, { "/usr/lib/debug", "/" } };
	const char *path = s->o->runtime.path ? s->o->runtime.path : s->o->path;
	const char *slash = strrchr(path, '/');
	char name[256], *dir;
	bool found = false;

	if (!s->e || !slash || !hd_debuglink_read(s->e, name, &s->crc))
		return false;
	s->has_crc = true;
	dir = hd_strndup(path, (size_t)(slash - path));
	for (size_t i = 0; !found && i < HD_COUNT(places); i++)
		found = try_joined(s, s->o->runtime.root, places[i].before, dir, places[i].behind, name);
	free(dir);
	s->has_crc = false;
	return found;
}

static void start(struct search *s)
{
	if (s->e && s->e->build_id_len) {
		s->id = s->e->build_id;
		s->id_len = s->e->build_id_len;
	} else {
		s->id = s->o->key.build_id;
		s->id_len = hd_object_has_build_id(s->o) ? s->o->key.build_id_len : 0;
	}
}

struct hd_elf *hd_debugfile_find(struct hd_symobj *o, struct hd_elf *e, struct hd_file_ref *place)
{
	static const struct around below_root[] = {
		{ "/usr/lib/debug/.build-id/", ".debug" }, { "/.build-id/", ".debug" }, { NULL, NULL },
	};
	static const struct around below_cache[] = { { "", "/debug" }, { "", "/elf" }, { "", "" }, { NULL, NULL } };
	struct search s = { .o = o, .e = e, .place = place };

	start(&s);
	if (!by_build_id(&s, below_root, below_cache))
		by_debuglink(&s);
	return s.found;
}

struct hd_elf *hd_buildid_find(struct hd_symobj *o, struct hd_file_ref *place)
{
	static const struct around below_root[] = { { "/.build-id/", "" }, { "/.build-id/", "/elf" }, { NULL, NULL } };
	static const struct around below_cache[] = { { "", "/elf" }, { "", "" }, { NULL, NULL } };
	struct search s = { .o = o, .place = place, .want_code = true };
	const char *slash = strrchr(o->path, '/');

	start(&s);
	/* A flat folder of binaries is a symbol root as well, as long as the build-ids fit. */
	if (!s.id_len || (o->sy->opts.symfs && slash && try(&s, o->sy->opts.symfs, slash)))
		return s.found;
	by_build_id(&s, below_root, below_cache);
	return s.found;
}

int hd_buildid_cache_open(const struct hd_symobj *o, const char *name, struct hd_file_ref *place)
{
	char id[2 * HD_ELF_BUILD_ID + 2];
	struct hd_buf path = { 0 };
	int fd = HD_EFORMAT;

	if (!o->sy->cache || !hd_object_has_build_id(o) || !hd_build_id_path(o->key.build_id, o->key.build_id_len, id))
		return fd;
	hd_buf_addf(&path, "%s%s/%s", o->sy->cache, id, name);
	fd = hd_file_ref_open(place, NULL, path.data, o->sy->log, NULL);
	hd_buf_release(&path);
	return fd;
}
