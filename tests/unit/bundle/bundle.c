/* bundle.c - a bundle returns what was written; damage affects only its own section and is reported */
#include "unit/tmpdir.h"

#include "bundle/bundle.h"
#include "bundle/format.h"
#include "bundle/piece.h"

#include <endian.h>
#include <sys/mman.h>

/* Fill p with n bytes that do not compress and that are the same in every run. */
static void noise(uint8_t *p, size_t n)
{
	uint32_t x = 1;

	for (size_t i = 0; i < n; i++) {
		x = x * 1664525 + 1013904223;
		p[i] = (uint8_t)(x >> 24);
	}
}

static void add(struct hd_bundle_writer *w, enum hd_bundle_type type, const char *name, const void *p, size_t n)
{
	struct hd_err err;

	EXPECT_INT(hd_bundle_section(w, type, name, n, &err), 0);
	EXPECT_INT(hd_bundle_add(w, p, n, &err), 0);
}

/* Return a bundle with three sections, which the caller releases. */
static struct hd_buf small_bundle(void)
{
	struct hd_buf bytes = { 0 };
	struct hd_bundle_writer *w;
	struct hd_outfile out;
	uint8_t body[300];

	noise(body, sizeof(body));
	hd_outfile_memory(&out);
	w = hd_bundle_begin(&out);
	add(w, HD_BUNDLE_SYMBOLS, "", "names", 5);
	add(w, HD_BUNDLE_FILE, "/tmp/x", "file", 4);
	add(w, HD_BUNDLE_RECORDING, "", body, sizeof(body));
	EXPECT_INT(hd_bundle_end(w, NULL), 0);
	hd_buf_add(&bytes, out.pending.data, out.pending.len);
	hd_outfile_discard(&out);
	return bytes;
}

struct opened {
	struct hd_bundle *b;
	struct hd_log log;
	struct hd_err err;
	int rc;
};

static struct opened open_bytes(const void *p, size_t n)
{
	struct opened o = { 0 };
	int fd = memfd_create("bundle", MFD_CLOEXEC);

	EXPECT(write(fd, p, n) == (ssize_t)n);
	o.rc = hd_bundle_open(&o.b, fd, "x.hdb", &o.log, &o.err);
	return o;
}

static void close_opened(struct opened *o)
{
	hd_bundle_close(o->b);
	hd_log_release(&o->log);
}

/* Return the content of a section; "-" if it is missing; with "!" before it if it is damaged.  The caller frees it. */
static char *content(const struct opened *o, enum hd_bundle_type type, const char *name)
{
	const struct hd_bundle_section *s = hd_bundle_find(o->b, type, name);
	struct hd_buf b = { 0 }, whole = { 0 };
	int rc = s ? hd_bundle_load(o->b, s, 1 << 30, &b, NULL) : 0;

	if (!s)
		hd_buf_adds(&whole, "-");
	hd_buf_adds(&whole, rc < 0 ? "!" : "");
	hd_buf_add(&whole, hd_buf_str(&b), b.len);
	hd_buf_release(&b);
	return hd_buf_take(&whole);
}

#define EXPECT_CONTENT(o, type, name, want) do { char *c_ = content(o, type, name); EXPECT_STR(c_, want); free(c_); \
	} while (0)

TEST(a_section_is_read_as_it_was_written)
{
	struct hd_buf bytes = small_bundle();
	struct opened o = open_bytes(bytes.data, bytes.len);

	EXPECT_INT(o.rc, 0);
	EXPECT(hd_bundle_is(bytes.data, bytes.len));
	EXPECT_INT(o.log.n, 0);
	EXPECT_INT(hd_bundle_count(o.b), 3);
	EXPECT_CONTENT(&o, HD_BUNDLE_SYMBOLS, "", "names");
	EXPECT_CONTENT(&o, HD_BUNDLE_FILE, "/tmp/x", "file");
	EXPECT_CONTENT(&o, HD_BUNDLE_FILE, "/tmp/y", "-");
	close_opened(&o);
	hd_buf_release(&bytes);
}

TEST(its_bytes_are_where_the_documentation_says)
{
	struct hd_buf b = small_bundle();
	const uint8_t *p = (const uint8_t *)b.data;
	uint32_t sum;

	EXPECT_MEM(p, "\x89HDB\r\n\x1a\n\1\0\0\0\0\0\0\0", 16);
	EXPECT_MEM(p + 16, "SECT\2\0\0\0\5\0\0\0\0\0\0\0\0\0\0\0", 20);
	memcpy(&sum, p + 36, 4);
	EXPECT_INT(le32toh(sum), hd_bundle_sum(HD_BUNDLE_SUM, p + 16, 20));
	EXPECT_MEM(p + 44, "\x28\xb5\x2f\xfd", 4);	/* a zstd frame follows the length of the piece */
	EXPECT_MEM(p + b.len - 24, "SECT\0\0\0\0\0\0\0\0\0\0\0\0", 16);
	hd_buf_release(&b);
}

TEST(a_large_section_is_several_pieces_and_keeps_its_holes)
{
	size_t n = 2 * HD_BUNDLE_PIECE + 12345;
	uint8_t *body = hd_zalloc(n, 1), *back = hd_alloc(n);
	struct hd_outfile out;
	struct hd_bundle_writer *w;
	struct opened o;
	struct stat st;
	uint64_t lost;
	int fd;

	noise(body + 100000, 5000);
	noise(body + n - 777, 777);
	hd_outfile_memory(&out);
	w = hd_bundle_begin(&out);
	EXPECT_INT(hd_bundle_section(w, HD_BUNDLE_RECORDING, "", n, NULL), 0);
	for (size_t i = 0; i < n; i += 1000)
		EXPECT_INT(hd_bundle_add(w, body + i, n - i < 1000 ? n - i : 1000, NULL), 0);
	EXPECT_INT(hd_bundle_end(w, NULL), 0);
	o = open_bytes(out.pending.data, out.pending.len);
	EXPECT(out.pending.len < 10000);
	fd = hd_bundle_spool(o.b, hd_bundle_find(o.b, HD_BUNDLE_RECORDING, NULL), &lost, NULL);
	EXPECT(fd >= 0);
	EXPECT_INT(lost, 0);
	EXPECT(fstat(fd, &st) == 0 && (size_t)st.st_size == n && st.st_blocks * 512 < 100000);
	EXPECT_INT(hd_file_pread(fd, back, n, 0, "", NULL), n);
	EXPECT(!memcmp(body, back, n));
	close(fd);
	close_opened(&o);
	hd_outfile_discard(&out);
	free(body);
	free(back);
}

TEST(a_section_gets_as_many_bytes_as_it_was_promised)
{
	struct hd_outfile out;
	struct hd_bundle_writer *w;
	struct hd_err err;

	hd_outfile_memory(&out);
	w = hd_bundle_begin(&out);
	EXPECT_INT(hd_bundle_section(w, HD_BUNDLE_ABOUT, "", 3, &err), 0);
	EXPECT_INT(hd_bundle_add(w, "four", 4, &err), HD_EIO);
	EXPECT_INT(hd_bundle_add(w, "ab", 2, &err), 0);
	EXPECT_INT(hd_bundle_end(w, &err), HD_EIO);
	hd_outfile_discard(&out);
}

TEST(a_newer_version_is_rejected_with_the_reason)
{
	struct hd_buf b = small_bundle();
	struct opened o;

	b.data[8] = 2;
	o = open_bytes(b.data, b.len);
	EXPECT_INT(o.rc, HD_EFORMAT);
	EXPECT_STR(o.err.msg, "x.hdb: is a bundle of version 2, but this hotdrift supports version 1; use a newer one");
	close_opened(&o);
	b.data[8] = 1;
	b.data[10] = 7;		/* a newer minor version is accepted */
	o = open_bytes(b.data, b.len);
	EXPECT_INT(o.rc, 0);
	close_opened(&o);
	hd_buf_release(&b);
}

/* Append the header of a section field by field. */
static void put_header(struct hd_buf *b, uint16_t type, uint16_t flags, uint64_t bytes, const char *name)
{
	size_t at = b->len;
	uint32_t n = htole32((uint32_t)strlen(name)), sum;

	hd_buf_add(b, hd_bundle_mark, 4);
	hd_buf_add(b, &(uint16_t){ htole16(type) }, 2);
	hd_buf_add(b, &(uint16_t){ htole16(flags) }, 2);
	hd_buf_add(b, &(uint64_t){ htole64(bytes) }, 8);
	hd_buf_add(b, &n, 4);
	sum = htole32(hd_bundle_sum(hd_bundle_sum(HD_BUNDLE_SUM, b->data + at, 20), name, strlen(name)));
	hd_buf_add(b, &sum, 4);
	hd_buf_adds(b, name);
}

static void put_piece(struct hd_buf *b, const void *p, size_t n)
{
	struct hd_piece_packer *packer = hd_piece_packer_new();
	struct hd_buf frame = { 0 };

	EXPECT_INT(hd_piece_pack(packer, p, n, &frame, NULL), 0);
	hd_buf_add(b, &(uint32_t){ htole32((uint32_t)frame.len) }, 4);
	hd_buf_add(b, frame.data, frame.len);
	hd_buf_release(&frame);
	hd_piece_packer_free(packer);
}

static struct hd_buf head(void)
{
	struct hd_buf b = { 0 };

	hd_buf_add(&b, "\x89HDB\r\n\x1a\n\1\0\0\0\0\0\0\0", 16);
	return b;
}

TEST(sections_of_unknown_type_are_passed_over_unless_they_are_needed)
{
	for (uint16_t needed = 0; needed < 2; needed++) {
		struct hd_buf b = head();
		struct opened o;

		put_header(&b, 99, needed, 3, "new");
		put_piece(&b, "abc", 3);
		put_header(&b, HD_BUNDLE_ABOUT, 0, 2, "");
		put_piece(&b, "hi", 2);
		put_header(&b, HD_BUNDLE_END, 0, 0, "");
		o = open_bytes(b.data, b.len);
		EXPECT_INT(o.rc, needed ? HD_EFORMAT : 0);
		if (needed)
			EXPECT(strstr(o.err.msg, "type 99") && strstr(o.err.msg, "newer hotdrift"));
		else
			EXPECT_CONTENT(&o, HD_BUNDLE_ABOUT, "", "hi");
		close_opened(&o);
		hd_buf_release(&b);
	}
}

TEST(the_first_of_two_sections_with_one_name_counts)
{
	struct hd_buf b = head();
	struct opened o;

	put_header(&b, HD_BUNDLE_ABOUT, 0, 1, "");
	put_piece(&b, "a", 1);
	put_header(&b, HD_BUNDLE_ABOUT, 0, 1, "");
	put_piece(&b, "b", 1);
	put_header(&b, HD_BUNDLE_END, 0, 0, "");
	o = open_bytes(b.data, b.len);
	EXPECT_INT(o.rc, 0);
	EXPECT(hd_log_find(&o.log, "lost.bundle-section"));
	EXPECT_CONTENT(&o, HD_BUNDLE_ABOUT, "", "a");
	close_opened(&o);
	hd_buf_release(&b);
}

TEST(a_piece_that_holds_more_or_less_than_it_should_is_damaged)
{
	for (uint64_t told = 1; told <= 5; told++) {
		struct hd_buf b = head();
		struct opened o;

		put_header(&b, HD_BUNDLE_ABOUT, 0, told, "");
		put_piece(&b, "abc", 3);
		put_header(&b, HD_BUNDLE_END, 0, 0, "");
		o = open_bytes(b.data, b.len);
		EXPECT_CONTENT(&o, HD_BUNDLE_ABOUT, "", told == 3 ? "abc" : "!");
		close_opened(&o);
		hd_buf_release(&b);
	}
}

TEST(a_section_that_claims_all_bytes_there_are_has_those_that_are_there)
{
	struct hd_buf b = head();
	struct opened o;

	put_header(&b, HD_BUNDLE_FILE, 0, UINT64_MAX, "x");
	put_header(&b, HD_BUNDLE_ABOUT, 0, 2, "");
	put_piece(&b, "hi", 2);
	put_header(&b, HD_BUNDLE_END, 0, 0, "");
	o = open_bytes(b.data, b.len);
	EXPECT_INT(o.rc, 0);
	EXPECT_INT(hd_bundle_find(o.b, HD_BUNDLE_FILE, "x")->there, 0);
	EXPECT_CONTENT(&o, HD_BUNDLE_ABOUT, "", "hi");	/* the reader searches for the magic number of a section */
	close_opened(&o);
	hd_buf_release(&b);
}

TEST(a_bomb_goes_off_no_further_than_its_bound)
{
	enum { PIECES = 60 };
	uint8_t *zeros = hd_zalloc(HD_BUNDLE_PIECE, 1);
	struct hd_buf b = head(), piece = { 0 };
	const struct hd_bundle_section *s;
	struct opened o;

	put_header(&b, HD_BUNDLE_RECORDING, 0, (uint64_t)PIECES * HD_BUNDLE_PIECE, "");
	put_piece(&piece, zeros, HD_BUNDLE_PIECE);
	for (int i = 0; i < PIECES; i++)
		hd_buf_add(&b, piece.data, piece.len);
	put_header(&b, HD_BUNDLE_END, 0, 0, "");
	o = open_bytes(b.data, b.len);
	EXPECT_INT(o.rc, 0);
	s = hd_bundle_find(o.b, HD_BUNDLE_RECORDING, NULL);
	EXPECT(s->there < s->bytes);
	EXPECT(s->there <= (UINT64_C(64) << 20) + 4096 * b.len);
	close_opened(&o);
	hd_buf_release(&b);
	hd_buf_release(&piece);
	free(zeros);
}

TEST(cut_anywhere_it_has_what_was_before_the_cut)
{
	struct hd_buf b = small_bundle();

	for (size_t n = 0; n < b.len; n++) {
		struct opened o = open_bytes(b.data, n);

		if (n < HD_BUNDLE_HEAD) {
			EXPECT_INT(o.rc, HD_EFORMAT);
		} else {
			EXPECT_INT(o.rc, 0);
			EXPECT(hd_log_find(&o.log, "lost.bundle-cut"));
		}
		if (n > 300)
			EXPECT_CONTENT(&o, HD_BUNDLE_FILE, "/tmp/x", "file");
		close_opened(&o);
	}
	hd_buf_release(&b);
}

/* A section of a damaged bundle is either complete, or reported as damaged. */
TEST(no_flipped_bit_goes_unnoticed)
{
	struct hd_buf b = small_bundle();

	for (size_t i = HD_BUNDLE_HEAD; i < b.len; i++) {
		for (int bit = 0; bit < 8; bit++) {
			struct opened o;
			char *names, *file;
			bool told;

			b.data[i] = (char)(b.data[i] ^ 1 << bit);
			o = open_bytes(b.data, b.len);
			told = o.rc < 0 || o.log.n;
			if (!o.rc) {
				names = content(&o, HD_BUNDLE_SYMBOLS, "");
				file = content(&o, HD_BUNDLE_FILE, "/tmp/x");
				told |= *names == '!' || *file == '!' || *names == '-' || *file == '-';
				EXPECT(*names == '!' || *names == '-' || !strcmp(names, "names"));
				EXPECT(*file == '!' || *file == '-' || !strcmp(file, "file"));
				free(names);
				free(file);
			}
			if (!told) {
				const struct hd_bundle_section *s = hd_bundle_find(o.b, HD_BUNDLE_RECORDING, NULL);
				uint8_t want[300], have[300];
				uint64_t lost = 1;
				int fd = s ? hd_bundle_spool(o.b, s, &lost, &o.err) : -1;

				/*
				 * If the damage was not reported, the flipped bit had no meaning, so the content is
				 * unchanged.
				 */
				noise(want, sizeof(want));
				if (fd >= 0 && !lost) {
					EXPECT_INT(hd_file_pread(fd, have, sizeof(have), 0, "", NULL), sizeof(have));
					EXPECT_MEM(want, have, sizeof(have));
				}
				if (fd >= 0)
					close(fd);
			}
			close_opened(&o);
			b.data[i] = (char)(b.data[i] ^ 1 << bit);
		}
	}
	hd_buf_release(&b);
}

TEST(damage_in_one_section_leaves_the_next_ones_alone)
{
	struct hd_buf b = small_bundle();

	/* Bytes 40 to 59 are in the only piece of the first section: its length and its zstd frame. */
	for (size_t i = 40; i < 60; i++) {
		struct opened o;
		const struct hd_bundle_section *s;
		uint64_t lost;
		int fd;

		b.data[i] = (char)~b.data[i];
		o = open_bytes(b.data, b.len);
		EXPECT_INT(o.rc, 0);
		EXPECT_CONTENT(&o, HD_BUNDLE_FILE, "/tmp/x", "file");
		s = hd_bundle_find(o.b, HD_BUNDLE_RECORDING, NULL);
		EXPECT(s);
		fd = hd_bundle_spool(o.b, s, &lost, &o.err);
		EXPECT(fd >= 0 && !lost);
		close(fd);
		close_opened(&o);
		b.data[i] = (char)~b.data[i];
	}
	hd_buf_release(&b);
}

TEST(a_damaged_piece_becomes_zeros_and_the_pieces_after_it_are_read)
{
	enum { N = 3 * HD_BUNDLE_PIECE };
	uint8_t *body = hd_alloc(N), *back = hd_alloc(N);
	struct hd_outfile out;
	struct hd_bundle_writer *w;
	struct opened o;
	uint64_t lost;
	int fd;

	noise(body, N);
	hd_outfile_memory(&out);
	w = hd_bundle_begin(&out);
	add(w, HD_BUNDLE_RECORDING, "", body, N);
	EXPECT_INT(hd_bundle_end(w, NULL), 0);
	out.pending.data[6 << 20] ^= 1;		/* damage a byte in the second piece */
	o = open_bytes(out.pending.data, out.pending.len);
	fd = hd_bundle_spool(o.b, hd_bundle_find(o.b, HD_BUNDLE_RECORDING, NULL), &lost, &o.err);
	EXPECT(fd >= 0);
	EXPECT_INT(lost, HD_BUNDLE_PIECE);
	EXPECT(strstr(o.err.msg, "x.hdb: damaged at 0x"));
	EXPECT_INT(hd_file_pread(fd, back, N, 0, "", NULL), N);
	EXPECT(!memcmp(body, back, HD_BUNDLE_PIECE));
	EXPECT(!memcmp(body + 2 * HD_BUNDLE_PIECE, back + 2 * HD_BUNDLE_PIECE, HD_BUNDLE_PIECE));
	memset(body, 0, HD_BUNDLE_PIECE);
	EXPECT(!memcmp(body, back + HD_BUNDLE_PIECE, HD_BUNDLE_PIECE));
	close(fd);
	close_opened(&o);
	hd_outfile_discard(&out);
	free(body);
	free(back);
}

TEST(the_beginning_of_a_truncated_piece_is_read)
{
	enum { N = 2 << 20, CUT = 1500000 };
	uint8_t *body = hd_alloc(N), *back = hd_alloc(N);
	struct hd_outfile out;
	struct hd_bundle_writer *w;
	struct opened o;
	uint64_t lost;
	struct stat st;
	int fd;

	noise(body, N);
	hd_outfile_memory(&out);
	w = hd_bundle_begin(&out);
	add(w, HD_BUNDLE_RECORDING, "", body, N);
	EXPECT_INT(hd_bundle_end(w, NULL), 0);
	o = open_bytes(out.pending.data, CUT);
	fd = hd_bundle_spool(o.b, hd_bundle_find(o.b, HD_BUNDLE_RECORDING, NULL), &lost, &o.err);
	EXPECT(fd >= 0 && !fstat(fd, &st));
	EXPECT(st.st_size > CUT - (256 << 10));
	EXPECT_INT(lost, N - st.st_size);
	EXPECT_INT(hd_file_pread(fd, back, N, 0, "", NULL), st.st_size);
	EXPECT(!memcmp(body, back, (size_t)st.st_size));
	close(fd);
	close_opened(&o);
	hd_outfile_discard(&out);
	free(body);
	free(back);
}

TEST(a_million_marks_that_begin_nothing_are_passed_over_quickly)
{
	struct hd_buf b = head();
	struct opened o;

	for (int i = 0; i < 500000; i++)
		hd_buf_add(&b, hd_bundle_mark, 4);
	o = open_bytes(b.data, b.len);
	EXPECT_INT(o.rc, 0);
	EXPECT_INT(hd_bundle_count(o.b), 0);
	close_opened(&o);
	hd_buf_release(&b);
}

TEST_MAIN(RUN(a_section_is_read_as_it_was_written), RUN(its_bytes_are_where_the_documentation_says),
	RUN(a_large_section_is_several_pieces_and_keeps_its_holes),
	RUN(a_section_gets_as_many_bytes_as_it_was_promised), RUN(a_newer_version_is_rejected_with_the_reason),
	RUN(sections_of_unknown_type_are_passed_over_unless_they_are_needed),
	RUN(the_first_of_two_sections_with_one_name_counts),
	RUN(a_piece_that_holds_more_or_less_than_it_should_is_damaged),
	RUN(a_section_that_claims_all_bytes_there_are_has_those_that_are_there),
	RUN(a_bomb_goes_off_no_further_than_its_bound), RUN(cut_anywhere_it_has_what_was_before_the_cut),
	RUN(no_flipped_bit_goes_unnoticed), RUN(damage_in_one_section_leaves_the_next_ones_alone),
	RUN(a_damaged_piece_becomes_zeros_and_the_pieces_after_it_are_read),
	RUN(the_beginning_of_a_truncated_piece_is_read),
	RUN(a_million_marks_that_begin_nothing_are_passed_over_quickly))
