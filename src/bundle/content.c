/*
 * content.c - read the content of sections: see bundle.h
 *
 * A section is read piece by piece.  hd_bundle_load() stops at a damaged piece, hd_bundle_spool() continues after it.
 */
#include "bundle/bundle.h"

#include "base/mem.h"
#include "bundle/format.h"
#include "bundle/piece.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { HOLE = 4096 };

size_t hd_piece_bytes(const struct hd_bundle_section *s, uint64_t done)
{
	return s->bytes - done < HD_BUNDLE_PIECE ? (size_t)(s->bytes - done) : HD_BUNDLE_PIECE;
}

uint32_t hd_piece_stored(const struct hd_bundle *b, uint64_t at, size_t n, struct hd_err *err)
{
	uint8_t word[4] = { 0 };
	struct hd_bytes c = hd_bundle_bytes(word, 4);
	uint32_t stored;

	if (b->size < 4 || at > b->size - 4 || hd_file_pread(b->fd, word, 4, at, b->path, err) != 4)
		return 0;
	stored = hd_bytes_u32(&c);
	return stored < HD_PIECE_PACKED_MIN || stored > hd_piece_packed_max(n) || stored > b->size - at - 4 ? 0
													    : stored;
}

/* Reads the pieces of a section in order. */
struct pieces {
	const struct hd_bundle *b;
	const struct hd_bundle_section *s;
	uint64_t at, done;
	struct hd_buf frame;
	uint8_t *bytes;			/* content of the piece that was read last */
	size_t n;			/* size of this content */
};

/*
 * Read the next piece.  Returns 1, 0 at the end, HD_EFORMAT if the piece is damaged (the next call continues after it),
 * or HD_EIO.
 */
static int next_piece(struct pieces *p, struct hd_err *err)
{
	uint32_t stored;
	uint64_t at = p->at;
	ssize_t got;
	int rc;

	if (p->done == p->s->there)
		return 0;
	p->n = hd_piece_bytes(p->s, p->done);
	if (!p->bytes)
		p->bytes = hd_alloc(p->n);
	stored = hd_piece_stored(p->b, p->at, p->n, err);
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

		return hd_fail(err, HD_EFORMAT, "%s: damaged at 0x%llx: %s", p->b->path, (unsigned long long)at,
			why.msg);
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
	return hd_fail(err, HD_EFORMAT, "%s: truncated at 0x%llx", p->b->path, (unsigned long long)p->at);
}

int hd_bundle_load(const struct hd_bundle *b, const struct hd_bundle_section *s, uint64_t max, struct hd_buf *out,
		   struct hd_err *err)
{
	struct pieces p = { .b = b, .s = s, .at = s->at };
	int rc;

	if (s->there > max)
		return hd_fail(err, HD_EFORMAT, "%s: %llu bytes in the section at 0x%llx exceed the limit of %llu",
			b->path, (unsigned long long)s->there, (unsigned long long)s->at, (unsigned long long)max);
	while ((rc = next_piece(&p, err)) > 0)
		hd_buf_add(out, p.bytes, p.n);
	if (!rc && s->there != s->bytes)
		rc = cut_off(&p, err);
	release(&p);
	return rc;
}

/* Write a piece; blocks of zeros become holes. */
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

/*
 * The file ends inside the current piece: decompress the part of the piece that the file has.  Returns the size of this
 * part in bytes, which can be 0.
 */
static size_t cut_piece(struct pieces *p)
{
	uint8_t word[4] = { 0 };
	struct hd_bytes c = hd_bundle_bytes(word, 4);
	uint64_t left = p->at + 4 < p->b->size ? p->b->size - p->at - 4 : 0;
	uint32_t stored;

	p->n = p->done < p->s->bytes ? hd_piece_bytes(p->s, p->done) : 0;
	if (!p->n || !left || hd_file_pread(p->b->fd, word, 4, p->at, p->b->path, NULL) != 4)
		return 0;
	stored = hd_bytes_u32(&c);
	if (stored <= left || stored > hd_piece_packed_max(p->n))
		return 0;
	free(p->bytes);
	p->bytes = hd_alloc(p->n);
	hd_buf_reset(&p->frame);
	if (hd_file_pread(p->b->fd, hd_buf_reserve(&p->frame, left), left, p->at + 4, p->b->path, NULL) !=
	    (ssize_t)left)
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
		rc = hd_fail_errno(err, HD_EIO, errno, "%s: cannot set the size of its temporary copy",
			b->path);
	release(&p);
	if (rc >= 0)
		return fd;
	if (fd >= 0)
		close(fd);
	return rc;
}
