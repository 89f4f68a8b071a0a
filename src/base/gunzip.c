/*
 * gunzip.c - see gunzip.h
 *
 * zlib can inflate in pieces.  libdeflate, which is used everywhere else, needs the whole input and output in memory.
 */
#define ZLIB_CONST	/* zlib does not modify its input */
#include "base/gunzip.h"

#include "base/file.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { CHUNK = 64 * 1024, GZIP_ONLY = 16 + MAX_WBITS };

struct hd_gunzip {
	int fd;
	const char *path;
	uint64_t offset;		/* offset in the file after the bytes in `chunk` */
	bool begun, packed, ended;
	bool in_member;			/* the position is inside a member */
	const char *damage;
	z_stream stream;
	uint8_t chunk[CHUNK];
};

static void *allocate(void *opaque, uInt items, uInt size)
{
	(void)opaque;
	return hd_realloc(NULL, items, size);
}

static void release(void *opaque, void *p)
{
	(void)opaque;
	free(p);
}

static void begin_stream(z_stream *s)
{
	*s = (z_stream){ .zalloc = allocate, .zfree = release };
	if (inflateInit2(s, GZIP_ONLY) != Z_OK)
		hd_out_of_memory("zlib");
}

bool hd_gunzip_is(const char *head, size_t n)
{
	return n >= 3 && !memcmp(head, "\x1f\x8b\x08", 3);
}

struct hd_gunzip *hd_gunzip_new(int fd, const char *path)
{
	struct hd_gunzip *z = hd_alloc(sizeof(*z));

	memset(z, 0, offsetof(struct hd_gunzip, chunk));
	z->fd = fd;
	z->path = path;
	return z;
}

void hd_gunzip_free(struct hd_gunzip *z)
{
	if (!z)
		return;
	if (z->packed)
		inflateEnd(&z->stream);
	free(z);
}

const char *hd_gunzip_damage(const struct hd_gunzip *z, uint64_t *offset)
{
	*offset = z->offset - (z->packed ? z->stream.avail_in : 0);
	return z->damage;
}

static int refill(struct hd_gunzip *z, struct hd_err *err)
{
	ssize_t n = hd_file_pread(z->fd, z->chunk, CHUNK, z->offset, z->path, err);

	if (n < 0)
		return (int)n;
	z->offset += (uint64_t)n;
	z->stream.next_in = z->chunk;
	z->stream.avail_in = (uInt)n;
	return 0;
}

static void end(struct hd_gunzip *z, const char *damage)
{
	z->ended = true;
	z->damage = damage;
}

/*
 * Call inflate() once.  A member may be followed by another one (RFC 1952, 2.2) or by zeros, which are skipped.  Any
 * other data after a member ends the stream as damage.
 */
static void inflate_more(struct hd_gunzip *z)
{
	int rc;

	if (!z->in_member && z->stream.next_in[0] != 0x1f) {
		while (z->stream.avail_in && !z->stream.next_in[0]) {	/* padding, as on tapes */
			z->stream.next_in++;
			z->stream.avail_in--;
		}
		if (z->stream.avail_in)
			end(z, "something else follows the packed data");
		return;
	}
	z->in_member = true;
	rc = inflate(&z->stream, Z_NO_FLUSH);
	if (rc == Z_STREAM_END) {
		z->in_member = false;
		inflateReset(&z->stream);
	} else if (rc != Z_OK && rc != Z_BUF_ERROR) {
		end(z, rc == Z_DATA_ERROR ? "the packed data are damaged" : "the packed data cannot be unpacked");
	}
}

static ssize_t read_packed(struct hd_gunzip *z, char *buf, size_t n, struct hd_err *err)
{
	size_t done = 0;

	while (done < n && !z->ended) {
		size_t want = n - done;
		uInt room = want > UINT32_MAX / 2 ? UINT32_MAX / 2 : (uInt)want;

		if (!z->stream.avail_in) {
			int rc = refill(z, err);

			if (rc < 0)
				return rc;
			if (!z->stream.avail_in) {
				end(z, z->in_member ? "the packed data end too early" : NULL);
				break;
			}
		}
		z->stream.next_out = (Bytef *)buf + done;
		z->stream.avail_out = room;
		inflate_more(z);
		done += room - z->stream.avail_out;
	}
	return (ssize_t)done;
}

ssize_t hd_gunzip_read(struct hd_gunzip *z, char *buf, size_t n, struct hd_err *err)
{
	char magic[3];
	ssize_t got;

	if (!z->begun) {
		got = hd_file_pread(z->fd, magic, sizeof(magic), 0, z->path, err);
		if (got < 0)
			return got;
		z->begun = true;
		z->packed = hd_gunzip_is(magic, (size_t)got);
		if (z->packed)
			begin_stream(&z->stream);
	}
	if (z->packed)
		return read_packed(z, buf, n, err);
	got = hd_file_pread(z->fd, buf, n, z->offset, z->path, err);
	if (got > 0)
		z->offset += (uint64_t)got;
	return got;
}

int hd_gunzip_all(int fd, const char *path, uint64_t max_bytes, struct hd_buf *out, const char **damage,
	uint64_t *offset, struct hd_err *err)
{
	enum { PIECE = 1 << 20 };
	struct hd_gunzip *z = hd_gunzip_new(fd, path);
	uint64_t left = max_bytes;
	ssize_t got;

	do {
		got = hd_gunzip_read(z, hd_buf_reserve(out, PIECE), PIECE, err);
		if (got > 0 && (uint64_t)got > left)
			got = hd_fail(err, HD_EFORMAT,
				"%s: unpacks to more than %llu bytes, the limit for a file of its size", path,
				(unsigned long long)max_bytes);
		if (got > 0) {
			left -= (uint64_t)got;
			out->len += (size_t)got;
			out->data[out->len] = '\0';
		}
	} while (got > 0);
	*damage = hd_gunzip_damage(z, offset);
	hd_gunzip_free(z);
	return got < 0 ? (int)got : 0;
}

size_t hd_gunzip_head(const char *head, size_t n, char *out, size_t cap)
{
	z_stream s;
	size_t done;

	begin_stream(&s);
	s.next_in = (const Bytef *)head;
	s.avail_in = (uInt)n;
	s.next_out = (Bytef *)out;
	s.avail_out = (uInt)cap;
	inflate(&s, Z_NO_FLUSH);
	done = cap - s.avail_out;
	inflateEnd(&s);
	return done;
}
