/*
 * debugfile.c - see debugfile.h
 */
#include "elf/debugfile.h"

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"

#include <lzma.h>
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

/* ---- .gnu_debuglink: NAME, NUL, padding to 4 bytes, CRC-32 of the file NAME ---- */

/* Read .gnu_debuglink.  Returns false if this section is absent or cut off, or if its NAME is no plain file name. */
static bool read_debuglink(struct hd_elf *e, char name[256], uint32_t *crc)
{
	const struct hd_elf_section *sec = hd_elf_section(e, ".gnu_debuglink");
	bool ok = false;
	size_t n, len, at;
	char *bytes;

	if (!sec)
		return false;
	bytes = hd_elf_bytes(e, sec, 4096, &n, NULL);
	if (!bytes)
		return false;
	len = strnlen(bytes, n);
	at = (len + 4) & ~(size_t)3;
	if (len == n || at + 4 > n || len > 255) {
		hd_elf_damaged(e, "`.gnu_debuglink` is cut off");
	} else if (!len || strchr(bytes, '/') || !strcmp(bytes, ".") || !strcmp(bytes, "..")) {
		hd_elf_damaged(e, "`.gnu_debuglink` names a path, not a file");
	} else {
		struct hd_bytes b = hd_elf_cursor(e, bytes + at, 4);

		memcpy(name, bytes, len + 1);
		*crc = hd_bytes_u32(&b);
		ok = true;
	}
	free(bytes);
	return ok;
}

/* Set *crc to the CRC-32 of a whole file. */
static int file_crc(int fd, const char *path, uint32_t *crc, struct hd_err *err)
{
	enum { CHUNK = 256 * 1024 };
	uint8_t *buf = hd_alloc(CHUNK);
	uint64_t off = 0;
	ssize_t got;

	*crc = 0;
	while ((got = hd_file_pread(fd, buf, CHUNK, off, path, err)) > 0) {
		*crc = lzma_crc32(buf, (size_t)got, *crc);
		off += (uint64_t)got;
	}
	free(buf);
	return got < 0 ? (int)got : 0;
}

/* ---- candidates ---- */

struct search {
	const struct hd_debugfile_query *q;
	struct hd_elf *e;		/* the binary; NULL: not available */
	const uint8_t *id;
	size_t id_len;
	uint32_t crc;
	bool has_crc;			/* the candidate comes from .gnu_debuglink */
	bool want_code;			/* search for the binary, not for its debug file */
	struct hd_file_ref *place;
	struct hd_elf *found;
};

static bool has_symbols(const struct hd_elf *f)
{
	for (size_t i = 0; i < f->nsections; i++)
		if (f->sections[i].type == SHT_SYMTAB && f->sections[i].has_bytes)
			return true;
	return hd_elf_has_lines(f);
}

static bool fits(struct search *s, struct hd_elf *f)
{
	uint32_t crc;

	if (s->want_code ? f->is_debug_file : !has_symbols(f))
		return false;
	if (s->id_len && f->build_id_len)
		return hd_build_id_equal(s->id, s->id_len, f->build_id, f->build_id_len);
	if (!s->has_crc || file_crc(f->fd, f->path, &crc, NULL) < 0)
		return false;
	if (crc == s->crc)
		return true;
	hd_warn(s->q->log, "symbols.debuglink-crc", "install the debug file of exactly this build",
		"%s: is not the debug file of %s: its checksum is %08x instead of %08x", f->path, s->q->path, crc,
		s->crc);
	return false;
}

/* Open and check one candidate.  Returns true if it is accepted: s->found is then set. */
static bool try(struct search *s, const char *root, const char *path)
{
	struct hd_file_ref place = { 0 };
	struct hd_elf *f = NULL;
	char *text;
	int fd = hd_file_ref_open(&place, root, path, s->q->log, NULL);

	if (fd < 0)
		return false;
	text = hd_file_ref_text(&place);
	/* .gnu_debuglink may name the binary itself, which has nothing to add. */
	if (s->e && place.path && s->q->code->path && place.dev == s->q->code->dev &&
		place.ino == s->q->code->ino)
		close(fd);
	else if (hd_elf_open(&f, fd, text, s->q->log, NULL) >= 0 && fits(s, f)) {
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

/* The text before and after the varying part of a path: a build-id (`xx/yyyy`), or the folder of the binary. */
struct around { const char *before, *after; };

static bool by_build_id(struct search *s, const struct around *below_root, const struct around *below_cache)
{
	const struct hd_debugfile_query *q = s->q;
	char id[2 * HD_ELF_BUILD_ID + 2];

	if (!hd_build_id_path(s->id, s->id_len, id))
		return false;
	for (const struct around *a = below_root; a->before; a++)
		if ((q->symfs && try_joined(s, q->symfs, a->before, id, a->after, "")) ||
		    try_joined(s, NULL, a->before, id, a->after, ""))
			return true;
	for (const struct around *a = below_cache; q->cache && a->before; a++)
		if (try_joined(s, NULL, q->cache, a->before, id, a->after))
			return true;
	return false;
}

static bool by_debuglink(struct search *s)
{
	static const struct around places[] = { { "", "/" }, { "", "/.debug/" }, { "/usr/lib/debug", "/" } };
	const char *path = s->q->code->path ? s->q->code->path : s->q->path;
	const char *slash = strrchr(path, '/');
	char name[256], *dir;
	bool found = false;

	if (!s->e || !slash || !read_debuglink(s->e, name, &s->crc))
		return false;
	s->has_crc = true;
	dir = hd_strndup(path, (size_t)(slash - path));
	for (size_t i = 0; !found && i < HD_COUNT(places); i++)
		found = try_joined(s, s->q->code->root, places[i].before, dir, places[i].after, name);
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
		s->id = s->q->build_id;
		s->id_len = s->q->build_id_len;
	}
}

struct hd_elf *hd_debugfile_find(const struct hd_debugfile_query *q, struct hd_elf *e, struct hd_file_ref *place)
{
	static const struct around below_root[] = {
		{ "/usr/lib/debug/.build-id/", ".debug" }, { "/.build-id/", ".debug" }, { NULL, NULL },
	};
	static const struct around below_cache[] = { { "", "/debug" }, { "", "/elf" }, { "", "" }, { NULL, NULL } };
	struct search s = { .q = q, .e = e, .place = place };

	start(&s);
	if (!by_build_id(&s, below_root, below_cache))
		by_debuglink(&s);
	return s.found;
}

struct hd_elf *hd_buildid_find(const struct hd_debugfile_query *q, struct hd_file_ref *place)
{
	static const struct around below_root[] = { { "/.build-id/", "" }, { "/.build-id/", "/elf" }, { NULL, NULL } };
	static const struct around below_cache[] = { { "", "/elf" }, { "", "" }, { NULL, NULL } };
	struct search s = { .q = q, .place = place, .want_code = true };
	const char *slash = strrchr(q->path, '/');

	start(&s);
	/* A flat folder of binaries is accepted as a symbol root, because the build-id is checked. */
	if (!s.id_len || (q->symfs && slash && try(&s, q->symfs, slash)))
		return s.found;
	by_build_id(&s, below_root, below_cache);
	return s.found;
}

int hd_buildid_cache_open(const struct hd_debugfile_query *q, const char *name, struct hd_file_ref *place)
{
	char id[2 * HD_ELF_BUILD_ID + 2];
	struct hd_buf path = { 0 };
	int fd = HD_EFORMAT;

	if (!q->cache || !hd_build_id_path(q->build_id, q->build_id_len, id))
		return fd;
	hd_buf_addf(&path, "%s%s/%s", q->cache, id, name);
	fd = hd_file_ref_open(place, NULL, path.data, q->log, NULL);
	hd_buf_release(&path);
	return fd;
}
