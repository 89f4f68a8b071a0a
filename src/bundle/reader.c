/*
 * reader.c - open a bundle and list its sections: see bundle.h
 *
 * All section headers are read when the file is opened.
 */
#include "bundle/bundle.h"

#include "base/hash.h"
#include "base/map.h"
#include "base/mem.h"
#include "bundle/format.h"
#include "bundle/piece.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define RATIO_MAX	4096u
#define FREE_BYTES	(UINT64_C(64) << 20)
enum { SCAN = 64 << 10 };

bool hd_bundle_is(const void *head, size_t n)
{
	return n >= HD_BUNDLE_MAGIC && !memcmp(head, hd_bundle_magic, HD_BUNDLE_MAGIC);
}

/* ---- the chain of sections ---- */

/*
 * Read the header at `at`.  Returns 1 and fills in `s`, whose name the caller frees; 0 if there is none; < 0 on error.
 */
static int read_header(const struct hd_bundle *b, uint64_t at, struct hd_bundle_section *s, uint16_t *flags,
	struct hd_err *err)
{
	uint8_t head[HD_BUNDLE_SECTION_HEAD];
	ssize_t got = hd_file_pread(b->fd, head, sizeof(head), at, b->path, err);
	struct hd_bytes c = hd_bundle_bytes(head, got < 0 ? 0 : (size_t)got);
	const void *mark;
	uint32_t n, sum;

	if (got < 0)
		return (int)got;
	mark = hd_bytes_skip(&c, sizeof(hd_bundle_mark));
	if (!mark || memcmp(mark, hd_bundle_mark, sizeof(hd_bundle_mark)))
		return 0;
	*s = (struct hd_bundle_section){ .type = hd_bytes_u16(&c) };
	*flags = hd_bytes_u16(&c);
	s->bytes = hd_bytes_u64(&c);
	n = hd_bytes_u32(&c);
	sum = hd_bytes_u32(&c);
	if (c.bad || n > HD_BUNDLE_NAME || n > b->size - at - sizeof(head))
		return 0;
	s->name = hd_zalloc(n + 1, 1);
	s->at = at + sizeof(head) + n;
	got = hd_file_pread(b->fd, s->name, n, at + sizeof(head), b->path, err);
	if (got == (ssize_t)n && hd_bundle_sum(hd_bundle_sum(HD_BUNDLE_SUM, head, 20), s->name, n) == sum)
		return 1;
	free(s->name);
	s->name = NULL;
	return got < 0 ? (int)got : 0;
}

/* Move *at forward to the next section header, or to the end of the file.  It does not move if a header is at *at. */
static int find_header(const struct hd_bundle *b, uint64_t *at, struct hd_err *err)
{
	uint8_t *buf = hd_alloc(SCAN);
	int rc = 0;

	while (*at < b->size && !rc) {
		ssize_t got = hd_file_pread(b->fd, buf, SCAN, *at, b->path, err);
		struct hd_bundle_section s;
		const uint8_t *p = buf;
		uint16_t flags;

		if (got < (ssize_t)sizeof(hd_bundle_mark)) {
			*at = b->size;
			rc = got < 0 ? (int)got : 0;
			break;
		}
		while (!rc && (p = memmem(p, (size_t)(buf + got - p), hd_bundle_mark, sizeof(hd_bundle_mark)))) {
			rc = read_header(b, *at + (uint64_t)(p - buf), &s, &flags, err);
			if (rc > 0) {
				free(s.name);
				*at += (uint64_t)(p - buf);
			}
			p++;
		}
		if (!rc)
			*at += (uint64_t)got - (sizeof(hd_bundle_mark) - 1);
	}
	free(buf);
	return rc < 0 ? rc : 0;
}

/*
 * Count the pieces of a section: add their uncompressed sizes to s->there and b->content, and their compressed sizes to
 * s->stored.  The function stops at a piece whose stored size is invalid, or that would exceed the limit of the total
 * content.  It does not decompress the pieces.  Returns the file offset where the last counted piece ends.
 */
static uint64_t follow(struct hd_bundle *b, struct hd_bundle_section *s)
{
	uint64_t at = s->at;

	while (s->there < s->bytes) {
		size_t n = hd_piece_bytes(s, s->there);
		uint32_t stored = hd_piece_stored(b, at, n, NULL);

		if (!stored || b->content + n > FREE_BYTES + RATIO_MAX * b->size)
			break;
		b->content += n;
		s->there += n;
		s->stored += stored;
		at += 4 + (uint64_t)stored;
	}
	return at;
}

static uint64_t hash_name(unsigned type, const char *name)
{
	return hd_mix(type, hd_hash_bytes(name, strlen(name)));
}

static int add_section(struct hd_bundle *b, struct hd_bundle_section *s, uint16_t flags, struct hd_log *log,
	struct hd_err *err)
{
	if (s->type >= HD_BUNDLE_TYPES && (flags & HD_BUNDLE_NEEDED))
		return hd_fail(err, HD_EFORMAT,
			"%s: it needs a section of type %u, which this version does not support; use a "
			"newer hotdrift",
			b->path, s->type);
	if (hd_bundle_find(b, s->type, s->name)) {
		hd_warn(log, "lost.bundle-section", "recreate the bundle",
			"%s: the section at 0x%llx is a duplicate; the first one is used", b->path,
			(unsigned long long)s->at);
		return 0;
	}
	HD_GROW(b->sections, b->n + 1, b->cap);
	hd_map_put(&b->by_name, hash_name(s->type, s->name), (uint32_t)b->n);
	b->sections[b->n++] = *s;
	s->name = NULL;
	return 0;
}

static int follow_all(struct hd_bundle *b, struct hd_log *log, struct hd_err *err)
{
	uint64_t at = HD_BUNDLE_HEAD,
		 last = HD_BUNDLE_HEAD; /* where a search starts if there is no header at `at` */
	int rc = 0;

	for (size_t met = 0; at < b->size && met < HD_BUNDLE_SECTIONS; met++) {
		struct hd_bundle_section s;
		uint64_t next;
		uint16_t flags;

		rc = read_header(b, at, &s, &flags, err);
		if (rc < 0)
			return rc;
		if (!rc) {
			hd_warn(log, "lost.bundle-section", "recreate the bundle or copy it again",
				"%s: no section starts at 0x%llx as expected", b->path, (unsigned long long)at);
			/*
			 * `at` was computed from the lengths of the last section, which may be wrong: search from the
			 * start of that section's content instead.
			 */
			at = last;
			rc = find_header(b, &at, err);
			if (rc < 0)
				return rc;
			last = at + 1;
			continue;
		}
		if (s.type == HD_BUNDLE_END) {
			free(s.name);
			b->ended = true;
			return 0;
		}
		last = s.at;
		next = follow(b, &s);
		at = s.there == s.bytes ? next : s.at;
		if (s.there != s.bytes) {
			/*
			 * The lengths in this section are damaged: search for the next section header, beginning at the
			 * first piece of this section.
			 */
			rc = find_header(b, &at, err);
		}
		if (rc >= 0)
			rc = add_section(b, &s, flags, log, err);
		free(s.name);
		if (rc < 0)
			return rc;
	}
	return 0;
}

int hd_bundle_open(struct hd_bundle **out, int fd, const char *path, struct hd_log *log, struct hd_err *err)
{
	struct hd_bundle *b = hd_new(struct hd_bundle);
	uint8_t head[HD_BUNDLE_HEAD] = { 0 };
	struct hd_bytes c = hd_bundle_bytes(head, sizeof(head));
	unsigned version;
	struct stat st;
	ssize_t got;
	int rc;

	*out = NULL;
	b->fd = fd;
	b->path = hd_strdup(path);
	got = hd_file_pread(fd, head, sizeof(head), 0, path, err);
	hd_bytes_skip(&c, HD_BUNDLE_MAGIC);
	version = hd_bytes_u16(&c);
	if (got < 0 || fstat(fd, &st) < 0)
		rc = got < 0 ? (int)got : hd_fail_errno(err, HD_EIO, errno, "%s: cannot determine its size", path);
	else if (!hd_bundle_is(head, (size_t)got))
		rc = hd_fail(err, HD_EFORMAT, "%s: not a bundle", path);
	else if (got < HD_BUNDLE_HEAD)
		rc = hd_fail(err, HD_EFORMAT, "%s: the bundle ends within its header of %d bytes", path,
			HD_BUNDLE_HEAD);
	else if (version != HD_BUNDLE_VERSION)
		rc = hd_fail(err, HD_EFORMAT,
			"%s: is a bundle of version %u, but this hotdrift supports version %d; use a newer one", path,
			version, HD_BUNDLE_VERSION);
	else {
		b->size = (uint64_t)st.st_size;
		rc = follow_all(b, log, err);
	}
	if (rc >= 0 && !b->ended)
		hd_warn(log, "lost.bundle-cut", "copy the bundle again",
			"%s: the bundle has no end marker: it is truncated or damaged", path);
	if (rc < 0) {
		hd_bundle_close(b);
		return rc;
	}
	*out = b;
	return 0;
}

void hd_bundle_close(struct hd_bundle *b)
{
	if (!b)
		return;
	for (size_t i = 0; i < b->n; i++)
		free(b->sections[i].name);
	free(b->sections);
	hd_map_release(&b->by_name);
	close(b->fd);
	free(b->path);
	free(b);
}

size_t hd_bundle_count(const struct hd_bundle *b)
{
	return b->n;
}

const struct hd_bundle_section *hd_bundle_get(const struct hd_bundle *b, size_t i)
{
	return &b->sections[i];
}

const struct hd_bundle_section *hd_bundle_find(const struct hd_bundle *b, enum hd_bundle_type type, const char *name)
{
	uint32_t at = name ? hd_map_get(&b->by_name, hash_name(type, name)) : HD_MAP_NONE;

	if (name)
		return at != HD_MAP_NONE && b->sections[at].type == type && !strcmp(b->sections[at].name, name)
			? &b->sections[at]
			: NULL;
	for (size_t i = 0; i < b->n; i++)
		if (b->sections[i].type == type)
			return &b->sections[i];
	return NULL;
}
