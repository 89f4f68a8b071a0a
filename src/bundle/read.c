/*
 * read.c - a bundle read: see bundle.h
 *
 * The chain of sections is followed once, when the file is opened; contents are
 * read when they are asked for.
 */
#include "bundle/bundle.h"

#include "base/bytes.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/mem.h"
#include "bundle/inner.h"
#include "bundle/pack.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define RATIO_MAX	4096u
#define FREE_BYTES	(UINT64_C(64) << 20)
enum { SCAN = 64 << 10, HOLE = 4096 };

struct hd_bundle {
	int fd;
	char *path;
	uint64_t size;
	struct hd_bundle_section *sections;
	size_t n, cap;
	struct hd_map by_name;		/* hash of type and name -> section */
	uint64_t content;		/* of all pieces that were found */
	bool ended;			/* the end mark was met */
};

bool hd_bundle_is(const void *head, size_t n)
{
	return n >= HD_BUNDLE_MAGIC && !memcmp(head, hd_bundle_magic, HD_BUNDLE_MAGIC);
}

/* ---- the chain of sections ---- */

static struct hd_bytes over(const void *p, size_t n)
{
	return hd_bytes_over(p, n, BYTE_ORDER != LITTLE_ENDIAN);
}

/* The header at `at`: 1 and *s filled in (its name is yours), 0 when there is none, < 0. */
static int read_header(const struct hd_bundle *b, uint64_t at, struct hd_bundle_section *s, uint16_t *flags, struct hd_err *err)
{
	uint8_t head[HD_BUNDLE_SECTION_HEAD];
	ssize_t got = hd_file_pread(b->fd, head, sizeof(head), at, b->path, err);
	struct hd_bytes c = over(head, got < 0 ? 0 : (size_t)got);
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

/* The next header at or behind `at`; its offset, or the file's size. */
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

static size_t piece_bytes(const struct hd_bundle_section *s, uint64_t done)
{
	return s->bytes - done < HD_BUNDLE_PIECE ? (size_t)(s->bytes - done) : HD_BUNDLE_PIECE;
}

/* How long the piece at `at` is, which holds n bytes; 0 when that cannot be. */
static uint32_t stored_at(const struct hd_bundle *b, uint64_t at, size_t n, struct hd_err *err)
{
	uint8_t word[4] = { 0 };
	struct hd_bytes c = over(word, 4);
	uint32_t stored;

	if (b->size < 4 || at > b->size - 4 || hd_file_pread(b->fd, word, 4, at, b->path, err) != 4)
		return 0;
	stored = hd_bytes_u32(&c);
	return stored < HD_PACKED_LEAST || stored > hd_packed_most(n) || stored > b->size - at - 4 ? 0 : stored;
}

/* Follow the pieces of s; where they end, or are broken off, is the answer. */
static uint64_t follow(struct hd_bundle *b, struct hd_bundle_section *s)
{
	uint64_t at = s->at;

	while (s->there < s->bytes) {
		size_t n = piece_bytes(s, s->there);
		uint32_t stored = stored_at(b, at, n, NULL);

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

static int add_section(struct hd_bundle *b, struct hd_bundle_section *s, uint16_t flags, struct hd_log *log, struct hd_err *err)
{
	if (s->type > HD_BUNDLE_RECORDING && (flags & HD_BUNDLE_NEEDED))
		return hd_fail(err, HD_EFORMAT, "%s: its section of type %u is not known to this version, and cannot be done without; use a newer hotdrift",
			       b->path, s->type);
	if (hd_bundle_find(b, s->type, s->name)) {
		hd_warn(log, "lost.bundle-section", "make the bundle anew", "%s: the section at 0x%llx is there twice; the first one counts",
			b->path, (unsigned long long)s->at);
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
	uint64_t at = HD_BUNDLE_HEAD, last = HD_BUNDLE_HEAD;	/* where the next header should be, and where none was looked for yet */
	int rc = 0;

	for (size_t met = 0; at < b->size && met < HD_BUNDLE_SECTIONS; met++) {
		struct hd_bundle_section s;
		uint64_t next;
		uint16_t flags;

		rc = read_header(b, at, &s, &flags, err);
		if (rc < 0)
			return rc;
		if (!rc) {
			hd_warn(log, "lost.bundle-section", "make the bundle anew, or copy it once more",
				"%s: no section begins at 0x%llx, where one should", b->path, (unsigned long long)at);
			/* What led here may have been wrong. */
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
			/* Its own lengths lead nowhere: the next header is looked for from its beginning. */
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
	struct hd_bytes c = over(head, sizeof(head));
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
		rc = got < 0 ? (int)got : hd_fail(err, HD_EIO, "%s: cannot tell its size", path);
	else if (!hd_bundle_is(head, (size_t)got))
		rc = hd_fail(err, HD_EFORMAT, "%s: is no bundle", path);
	else if (got < HD_BUNDLE_HEAD)
		rc = hd_fail(err, HD_EFORMAT, "%s: the bundle ends in its first %d bytes", path, HD_BUNDLE_HEAD);
	else if (version != HD_BUNDLE_VERSION)
		rc = hd_fail(err, HD_EFORMAT, "%s: is a bundle of version %u, and this hotdrift reads version %d; use a newer one", path, version,
			     HD_BUNDLE_VERSION);
	else {
		b->size = (uint64_t)st.st_size;
		rc = follow_all(b, log, err);
	}
	if (rc >= 0 && !b->ended)
		hd_warn(log, "lost.bundle-cut", "copy it once more", "%s: the bundle has no end: it was cut off, or is damaged", path);
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
		return at != HD_MAP_NONE && b->sections[at].type == type && !strcmp(b->sections[at].name, name) ? &b->sections[at] : NULL;
	for (size_t i = 0; i < b->n; i++)
		if (b->sections[i].type == type)
			return &b->sections[i];
	return NULL;
}

/* ---- contents ---- */

/* Pieces of a section, one after the other. */
struct pieces {
	const struct hd_bundle *b;
	const struct hd_bundle_section *s;
	uint64_t at, done;
	struct hd_buf frame;
	uint8_t *bytes;			/* of the last one */
	size_t n;
};

/* 1 a piece, 0 the end, HD_EFORMAT a damaged one, which is passed over; HD_EIO. */
static int next_piece(struct pieces *p, struct hd_err *err)
{
	uint32_t stored;
	uint64_t at = p->at;
	ssize_t got;
	int rc;

	if (p->done == p->s->there)
		return 0;
	p->n = piece_bytes(p->s, p->done);
	if (!p->bytes)
		p->bytes = hd_alloc(p->n);
	stored = stored_at(p->b, p->at, p->n, err);
	if (!stored)
		return hd_fail(err, HD_EIO, "%s: it changed while it was read", p->b->path);
	p->done += p->n;
	p->at += 4 + (uint64_t)stored;
	hd_buf_reset(&p->frame);
	got = hd_file_pread(p->b->fd, hd_buf_reserve(&p->frame, stored), stored, at + 4, p->b->path, err);
	if (got < 0)
		return (int)got;
	rc = hd_piece_unpack(p->frame.data, (size_t)got, p->bytes, p->n, err);
	if (rc < 0) {
		struct hd_err why = err ? *err : (struct hd_err){ .msg = "" };

		return hd_fail(err, HD_EFORMAT, "%s: damaged at 0x%llx: %s", p->b->path, (unsigned long long)at, why.msg);
	}
	return 1;
}

static void release(struct pieces *p)
{
	hd_buf_release(&p->frame);
	free(p->bytes);
}

static int cut_off(const struct pieces *p, struct hd_err *err)
{
	return hd_fail(err, HD_EFORMAT, "%s: broken off at 0x%llx", p->b->path, (unsigned long long)p->at);
}

int hd_bundle_load(const struct hd_bundle *b, const struct hd_bundle_section *s, uint64_t max, struct hd_buf *out, struct hd_err *err)
{
	struct pieces p = { .b = b, .s = s, .at = s->at };
	int rc;

	if (s->there > max)
		return hd_fail(err, HD_EFORMAT, "%s: %llu bytes in the section at 0x%llx are more than the %llu that are read of it", b->path,
			       (unsigned long long)s->there, (unsigned long long)s->at, (unsigned long long)max);
	while ((rc = next_piece(&p, err)) > 0)
		hd_buf_add(out, p.bytes, p.n);
	if (!rc && s->there != s->bytes)
		rc = cut_off(&p, err);
	release(&p);
	return rc;
}

/* Blocks of zeros stay holes. */
static int write_piece(const struct pieces *p, int fd, struct hd_err *err)
{
	static const uint8_t zeros[HOLE];
	uint64_t base = p->done - p->n;

	for (size_t i = 0, from = 0; i < p->n || from < p->n; ) {
		size_t n = p->n - i < HOLE ? p->n - i : HOLE;
		int rc = 0;

		if (n && memcmp(p->bytes + i, zeros, n)) {
			i += n;
			if (i < p->n)
				continue;
			n = 0;
		}
		if (i > from)
			rc = hd_file_pwrite(fd, p->bytes + from, i - from, base + from, p->b->path, err);
		if (rc < 0)
			return rc;
		i += n;
		from = i;
	}
	return 0;
}

/* The file ends within the next piece: what there is of it, or 0 bytes. */
static size_t cut_piece(struct pieces *p)
{
	uint8_t word[4] = { 0 };
	struct hd_bytes c = over(word, 4);
	uint64_t left = p->at + 4 < p->b->size ? p->b->size - p->at - 4 : 0;
	uint32_t stored;

	p->n = p->done < p->s->bytes ? piece_bytes(p->s, p->done) : 0;
	if (!p->n || !left || hd_file_pread(p->b->fd, word, 4, p->at, p->b->path, NULL) != 4)
		return 0;
	stored = hd_bytes_u32(&c);
	if (stored <= left || stored > hd_packed_most(p->n))
		return 0;
	free(p->bytes);
	p->bytes = hd_alloc(p->n);
	hd_buf_reset(&p->frame);
	if (hd_file_pread(p->b->fd, hd_buf_reserve(&p->frame, left), left, p->at + 4, p->b->path, NULL) != (ssize_t)left)
		return 0;
	return hd_piece_salvage(p->frame.data, left, p->bytes, p->n);
}

int hd_bundle_spool(const struct hd_bundle *b, const struct hd_bundle_section *s, uint64_t *lost, struct hd_err *err)
{
	struct pieces p = { .b = b, .s = s, .at = s->at };
	int fd = hd_file_temporary(b->path, err), rc = fd;
	struct hd_err ignored;
	uint64_t there;

	*lost = 0;
	while (rc >= 0 && (rc = next_piece(&p, *lost ? &ignored : err))) {
		if (rc == HD_EFORMAT) {
			*lost += p.n;
			rc = 0;
		} else if (rc > 0) {
			rc = write_piece(&p, fd, err);
		}
	}
	there = s->there;
	if (rc >= 0 && there != s->bytes) {
		if (!*lost)
			cut_off(&p, err);
		p.n = cut_piece(&p);
		p.done = there += p.n;
		rc = write_piece(&p, fd, err);
		*lost += s->bytes - there;
	}
	if (rc >= 0 && ftruncate(fd, (off_t)there) < 0)
		rc = hd_fail(err, HD_EIO, "%s: its temporary copy cannot be made as long as it is", b->path);
	release(&p);
	if (rc >= 0)
		return fd;
	if (fd >= 0)
		close(fd);
	return rc;
}
