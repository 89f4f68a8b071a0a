/*
 * synthetic_recording.h - make perf.data files in memory, byte by byte, for the tests of perfdata/
 *
 *     struct image im = pipe_image(false);		or file_image(...) at the end
 *     put_attr(&im, (struct attr){ .sample_type = ... });
 *     size_t r = rec(&im, PERF_RECORD_COMM, 0);
 *     u32(&im, 1); ...
 *     end(&im, r);
 *     open_image(&im)
 *
 * With im.swap everything is written as a big-endian machine would.  A record of any type is rec(), its fields, end();
 * a feature is a hd_buf with its section, or a FEATURE record in a pipe.  formed_image() makes files as older and
 * newer producers do: another magic, header, size of attrs and of their entries, a table of event types.  A recording
 * in a folder is a file_image() called data, and data.0, data.1, ... with records only.
 */
#ifndef TESTS_UNIT_PERFDATA_IMAGE_H
#define TESTS_UNIT_PERFDATA_IMAGE_H

#include "test.h"

#include "base/buf.h"
#include "perfdata/perf_abi.h"
#include "perfdata/perfdata.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

struct image {
	struct hd_buf b;
	bool swap;
	struct hd_log log;
	struct hd_err err;
	struct hd_perf *pf;
	struct hd_record rec;
};

static inline void put(struct image *im, const void *p, size_t n)
{
	hd_buf_add(&im->b, p, n);
}

static inline void u16(struct image *im, uint16_t v)
{
	v = im->swap ? __builtin_bswap16(v) : v;
	put(im, &v, 2);
}

static inline void u32(struct image *im, uint32_t v)
{
	v = im->swap ? __builtin_bswap32(v) : v;
	put(im, &v, 4);
}

static inline void u64(struct image *im, uint64_t v)
{
	v = im->swap ? __builtin_bswap64(v) : v;
	put(im, &v, 8);
}

/* Append n bytes: the text, cut or padded with NULs. */
static inline void text(struct image *im, const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		hd_buf_addc(&im->b, i < strlen(s) ? s[i] : 0);
}

/* Start a record and return its offset; end() writes its size. */
static inline size_t rec(struct image *im, uint32_t type, uint16_t misc)
{
	size_t at = im->b.len;

	u32(im, type);
	u16(im, misc);
	u16(im, 0);
	return at;
}

static inline void end(struct image *im, size_t at)
{
	uint16_t n = (uint16_t)(im->b.len - at);

	n = im->swap ? __builtin_bswap16(n) : n;
	memcpy(im->b.data + at + 6, &n, 2);
}

struct attr {
	uint32_t type;
	uint64_t config, period, sample_type, read_format, flags, branch_type, regs_user, regs_intr;
	uint32_t stack_user;
};

#define FLAG(bit) (UINT64_C(1) << (bit))
#define ID_ALL FLAG(HD_ATTR_SAMPLE_ID_ALL)

enum { ATTR_BYTES = 136 };	/* the size that perf 6.x writes */

/* Append an attr of any size from 64 on: older versions end earlier, newer ones have unknown bytes at the end. */
static inline void put_attr_of(struct image *im, struct attr a, uint32_t size)
{
	size_t at = im->b.len;
	uint8_t flags[8];

	u32(im, a.type);
	u32(im, size);
	u64(im, a.config);
	u64(im, a.period);
	u64(im, a.sample_type);
	u64(im, a.read_format);
	for (int i = 0; i < 8; i++) {
		flags[i] = 0;
		for (int bit = 0; bit < 8; bit++)
			if (a.flags >> (8 * i + bit) & 1)
				flags[i] |= (uint8_t)(im->swap ? 0x80 >> bit : 1 << bit);
	}
	put(im, flags, 8);
	u64(im, 0);
	u64(im, 0);
	u64(im, 0);
	u64(im, a.branch_type);
	u64(im, a.regs_user);
	u32(im, a.stack_user);
	u32(im, 0);
	u64(im, a.regs_intr);
	if (size < im->b.len - at)
		im->b.len = at + size;
	while (im->b.len - at < size)
		hd_buf_addc(&im->b, im->b.len - at < ATTR_BYTES ? 0 : 0x5a);
}

static inline void put_attr(struct image *im, struct attr a)
{
	put_attr_of(im, a, ATTR_BYTES);
}

static inline void attr_record(struct image *im, struct attr a, uint64_t id)
{
	size_t r = rec(im, HD_RT_ATTR, 0);

	put_attr(im, a);
	if (id)
		u64(im, id);
	end(im, r);
}

/* Append an ATTR record whose times are of the clock `clockid` of clock_gettime(). */
static inline void attr_record_clock(struct image *im, struct attr a, uint64_t id, uint32_t clockid)
{
	size_t at = im->b.len + 8;

	a.flags |= FLAG(HD_ATTR_USE_CLOCKID);
	attr_record(im, a, id);
	clockid = im->swap ? __builtin_bswap32(clockid) : clockid;
	memcpy(im->b.data + at + 92, &clockid, 4);
}

static inline struct image pipe_image(bool swap)
{
	struct image im = { .swap = swap };

	u64(&im, UINT64_C(0x32454c4946524550));	/* PERFILE2 */
	u64(&im, 16);
	return im;
}

/* Return pipe output with one event. */
static inline struct image one_event(struct attr a)
{
	struct image im = pipe_image(false);

	attr_record(&im, a, 0);
	return im;
}

struct feature {
	unsigned int bit;
	const struct hd_buf *section;
};

/* The format of a file.  A field of 0 means the format that perf 6.x writes. */
struct form {
	const char *magic;		/* 8 bytes, as they are in the file; NULL: PERFILE2 */
	unsigned int header;		/* 72 or 104 */
	uint32_t attr_bytes;		/* the size in the attr */
	unsigned int entry_bytes;	/* size of an attr with the place of its ids */
	const struct hd_buf *types;	/* the table of event types */
	bool unfinished;		/* the header has the size 0 */
};

/*
 * Return a file: header, one attr with one ID (7), `data`, then sections for features, then event types.  Offsets in
 * the format of perf 6.x:
 *     0 header   104 attr   240 ids' place   256 id   264 data
 */
enum { DATA_AT = 264 };

static inline struct image formed_image(bool swap, struct form form, struct attr a, const struct hd_buf *data,
					const struct feature *f, size_t nf)
{
	struct image im = { .swap = swap };
	unsigned int header = form.header ? form.header : 104;
	uint32_t attr_bytes = form.attr_bytes ? form.attr_bytes : ATTR_BYTES;
	unsigned int entry = form.entry_bytes ? form.entry_bytes : attr_bytes + 16;
	uint64_t bits[4] = { 0 }, data_at = header + entry + 8, at = data_at + data->len + 16 * nf;

	for (size_t i = 0; i < nf; i++)
		bits[f[i].bit / 64] |= FLAG(f[i].bit % 64);
	if (form.magic)
		put(&im, form.magic, 8);
	else
		u64(&im, UINT64_C(0x32454c4946524550));
	u64(&im, header);
	u64(&im, entry);
	u64(&im, header);
	u64(&im, entry);
	u64(&im, data_at);
	u64(&im, form.unfinished ? 0 : data->len);
	for (size_t i = 0; i < nf; i++)
		at += f[i].section->len;
	u64(&im, form.types ? at : 0);
	u64(&im, form.types ? form.types->len : 0);
	for (int i = 0; i < 4 && header > 72; i++)
		u64(&im, bits[i]);
	put_attr_of(&im, a, attr_bytes);
	text(&im, "", header + entry - 16 - im.b.len);
	u64(&im, header + entry);
	u64(&im, 8);
	u64(&im, 7);
	put(&im, data->data, data->len);
	at = data_at + data->len + 16 * nf;
	for (size_t i = 0; i < nf; i++) {
		u64(&im, at);
		u64(&im, f[i].section->len);
		at += f[i].section->len;
	}
	for (size_t i = 0; i < nf; i++)
		put(&im, f[i].section->data, f[i].section->len);
	if (form.types)
		put(&im, form.types->data, form.types->len);
	return im;
}

static inline struct image file_image(bool swap, struct attr a, const struct hd_buf *data, const struct feature *f,
				      size_t nf)
{
	return formed_image(swap, (struct form){ 0 }, a, data, f, nf);
}

static inline int open_image(struct image *im)
{
	int fd = memfd_create("image", MFD_CLOEXEC);

	EXPECT(fd >= 0);
	EXPECT(im->b.len == 0 || write(fd, im->b.data, im->b.len) == (ssize_t)im->b.len);
	return hd_perf_open_fd(&im->pf, fd, "t.data", &im->log, &im->err);
}

static inline int next(struct image *im)
{
	return hd_perf_next(im->pf, &im->rec, &im->err);
}

/* Walk to the end, without an error; returns the number of records. */
static inline int walk(struct image *im)
{
	int n = 0, rc;

	while ((rc = next(im)) > 0)
		n++;
	EXPECT_INT(rc, 0);
	return n;
}

/* Walk to the next record of this type.  The test fails if there is none. */
static inline void find(struct image *im, uint32_t type)
{
	while (next(im) > 0)
		if (im->rec.type == type)
			return;
	fail_msg("no record of type %u", type);
}

static inline const char *warned(const struct image *im, const char *code)
{
	const struct hd_warning *w = hd_log_find(&im->log, code);

	return w ? w->text : "";
}

static inline void release(struct image *im)
{
	hd_perf_close(im->pf);
	hd_log_release(&im->log);
	hd_buf_release(&im->b);
}

#endif
