/* jitdumps.c - store jitdumps without their code, and the results of reading them, in a bundle, and read them back */
#include "unit/tmpdir.h"

#include "base/mem.h"
#include "bundle/jitdumps.h"
#include "unit/symbols/jitdump_builder.h"

#include <endian.h>
#include <sys/mman.h>

static int memory(const void *p, size_t n)
{
	int fd = memfd_create("dump", MFD_CLOEXEC);

	EXPECT(write(fd, p, n) == (ssize_t)n);
	return fd;
}

/* Return the bytes of the dump as they are stored; the caller frees them. */
static struct hd_buf kept_of(const struct hd_buf *bytes)
{
	struct hd_jitdump_record *k = hd_jitdump_record_new();
	struct hd_jit_ranges parts;
	struct hd_jitdump *d;
	struct hd_buf out = { 0 };
	int fd = memory(bytes->data, bytes->len);
	const char *path;
	uint64_t size;

	EXPECT_INT(hd_jitdump_read(&d, fd, "dump", &parts, NULL), 0);
	hd_jitdump_record_found(k, "/tmp/jit-1.dump", 1, fd, &parts);
	EXPECT(hd_jitdump_record_file(k, 0, &path, &size) && !hd_jitdump_record_file(k, 1, &path, &size));
	EXPECT_INT(size, bytes->len);
	/* Read in pieces that do not match the records. */
	for (uint64_t off = 0; off < size; off += 7) {
		size_t n = size - off < 7 ? (size_t)(size - off) : 7;

		hd_jitdump_record_copy(k, 0, off, hd_buf_reserve(&out, n), n);
		out.len += n;
	}
	close(fd);
	free(parts.v);
	hd_jitdump_free(d);
	hd_jitdump_record_free(k);
	return out;
}

/*
 * Return as text what the jitdump in `bytes` contains, with the bytes of its line and unwind information (NUL bytes as
 * the digit 0); the caller frees it.
 */
static char *said(const struct hd_buf *bytes)
{
	int fd = memory(bytes->data, bytes->len);
	struct hd_buf text = { 0 };
	struct hd_jitdump *d;

	EXPECT_INT(hd_jitdump_read(&d, fd, "dump", NULL, NULL), 0);
	for (size_t i = 0; i < d->nloads; i++) {
		const struct hd_jit_load *l = &d->loads[i];

		hd_buf_addf(&text, "%s %llu %llu %llx;", hd_jitdump_name(d, l), (unsigned long long)l->off,
			(unsigned long long)l->size, (unsigned long long)l->addr);
		hd_buf_add(&text, bytes->data + l->lines, l->lines_bytes);
		hd_buf_add(&text, bytes->data + l->unwind, l->unwind_bytes);
	}
	for (size_t i = 0; i < d->nevents; i++)
		hd_buf_addf(&text, "%llu %llx %llu %u;", (unsigned long long)d->events[i].time,
			(unsigned long long)d->events[i].addr, (unsigned long long)d->events[i].size,
			d->events[i].load);
	hd_buf_addf(&text, "%zu %llu %s %u %d %d", d->damaged, (unsigned long long)d->damaged_at,
		d->damage ? d->damage : "", d->line_shift, d->swap, d->counter);
	for (size_t i = 0; i < text.len; i++)
		text.data[i] = text.data[i] ? text.data[i] : '0';
	hd_jitdump_free(d);
	close(fd);
	return hd_buf_take(&text);
}

static void unwinding(struct jit_made *m)
{
	size_t r = jit_rec(m, 4, 0);

	m64(m, 12);
	m64(m, 4);
	m64(m, 12);
	hd_buf_adds(&m->b, "frame...hdr.");
	jit_end(m, r);
}

static struct jit_made some(bool swap)
{
	struct jit_made m = jit_begin(swap, 1);

	jit_lines(&m, 0x1000, (const struct jit_line[]){ { 0x1000, 5, "a.js" }, { 0x1004, 6, "\xff" } }, 2);
	unwinding(&m);
	jit_load(&m, 1, "one", 0x1000, 64, 1);
	jit_load(&m, 2, "", 0x1100, 200, 2);
	jit_move(&m, 3, 0x1000, 0x2000, 64, 1);
	return m;
}

static void expect_kept(struct hd_buf *bytes)
{
	struct hd_buf kept = kept_of(bytes);
	char *before = said(bytes), *after = said(&kept);

	EXPECT_INT(kept.len, bytes->len);
	EXPECT_STR(after, before);
	for (size_t i = 0; i < kept.len; i++)
		EXPECT((uint8_t)kept.data[i] != 0x90);
	free(before);
	free(after);
	hd_buf_release(&kept);
}

TEST(a_dump_that_is_kept_says_what_it_said_and_has_no_code_in_both_byte_orders)
{
	for (int swap = 0; swap < 2; swap++) {
		struct jit_made m = some(swap);

		expect_kept(&m.b);
		hd_buf_release(&m.b);
	}
}

TEST(so_does_one_that_is_cut_off_anywhere)
{
	struct jit_made m = some(false);

	for (size_t n = 40; n < m.b.len; n++) {
		struct hd_buf cut = { 0 };

		hd_buf_add(&cut, m.b.data, n);
		expect_kept(&cut);
		hd_buf_release(&cut);
	}
	hd_buf_release(&m.b);
}

TEST(so_does_one_whose_records_lie)
{
	struct jit_made m = some(false);

	for (size_t i = 40; i < m.b.len; i++) {
		char was = m.b.data[i];

		if ((uint8_t)was == 0x90)
			continue;
		for (int k = 0; k < 3; k++) {
			struct hd_buf kept;
			char *before, *after;

			m.b.data[i] = "\x01\x7f\xff"[k];
			kept = kept_of(&m.b);
			before = said(&m.b);
			after = said(&kept);
			EXPECT_STR(after, before);
			free(before);
			free(after);
			hd_buf_release(&kept);
		}
		m.b.data[i] = was;
	}
	hd_buf_release(&m.b);
}

static int no_file(void *ctx, const char *path, struct hd_err *err)
{
	(void)ctx;
	return hd_fail(err, HD_EFORMAT, "%s", path);
}

static struct hd_jitdump_replay *given(struct hd_buf *bytes, uint64_t *lost)
{
	return hd_jitdump_replay_new(bytes, &(struct hd_jit_files){ no_file, NULL }, lost);
}

static void expect_fate(const struct hd_jitdump_replay *g, const char *path, int32_t pid, int want, const char *because)
{
	enum hd_jit_fate fate;
	const char *why;

	if (want < 0) {
		EXPECT(!hd_jitdump_replay_find(g, path, pid, &fate, &why));
		return;
	}
	EXPECT(hd_jitdump_replay_find(g, path, pid, &fate, &why));
	EXPECT_INT(fate, want);
	EXPECT_STR(why, because);
}

static struct hd_buf three(void)
{
	struct hd_jitdump_record *k = hd_jitdump_record_new();
	struct jit_made m = jit_begin(false, 1);
	int fd = memory(m.b.data, m.b.len);
	struct hd_jit_ranges parts;
	struct hd_jitdump *d;
	struct hd_buf out = { 0 };
	const char *path;
	uint64_t size;

	EXPECT_INT(hd_jitdump_read(&d, fd, "dump", &parts, NULL), 0);
	hd_jitdump_record_found(k, "/tmp/jit-1.dump", 1, fd, &parts);
	/* the same file, found for the process 100 */
	hd_jitdump_record_found(k, "/tmp/jit-1.dump", 100, fd, &parts);
	hd_jitdump_record_missing(k, "/tmp/jit-2.dump", 2, HD_JIT_ABSENT, "no");
	hd_jitdump_record_missing(k, "/tmp/jit-2.dump", 2, HD_JIT_REFUSED,
		"a link"); /* the dump is read a second time: the last result wins */
	EXPECT(hd_jitdump_record_file(k, 0, &path, &size) && !hd_jitdump_record_file(k, 1, &path, &size));
	hd_jitdump_record_write(k, &out);
	hd_jitdump_record_free(k);
	hd_jitdump_free(d);
	free(parts.v);
	close(fd);
	hd_buf_release(&m.b);
	return out;
}

TEST(the_result_of_each_dump_is_read_as_it_was_written)
{
	struct hd_buf bytes = three();
	uint64_t lost = 1;
	struct hd_jitdump_replay *g = given(&bytes, &lost);

	EXPECT_INT(lost, 0);
	expect_fate(g, "/tmp/jit-1.dump", 1, HD_JIT_FOUND, "");
	expect_fate(g, "/tmp/jit-1.dump", 100, HD_JIT_FOUND, "");
	expect_fate(g, "/tmp/jit-2.dump", 2, HD_JIT_REFUSED, "a link");
	expect_fate(g, "/tmp/jit-2.dump", 1, -1, "");
	hd_jitdump_replay_free(g);
}

TEST(rows_that_lie_are_lost_and_counted)
{
	struct hd_buf whole = three();

	for (size_t n = 0; n < whole.len; n++) {
		struct hd_buf bytes = { 0 };
		struct hd_jitdump_replay *g;
		uint64_t lost = 0;

		hd_buf_add(&bytes, whole.data, n);
		g = given(&bytes, &lost);
		EXPECT(n < 4 || lost);
		hd_jitdump_replay_free(g);
	}
	for (size_t i = 0; i < whole.len; i++) {	/* byte i is overwritten */
		struct hd_buf bytes = { 0 };
		uint64_t lost;

		hd_buf_add(&bytes, whole.data, whole.len);
		bytes.data[i] = (char)0xff;
		hd_jitdump_replay_free(given(&bytes, &lost));
	}
	hd_buf_release(&whole);
}

TEST_MAIN(RUN(a_dump_that_is_kept_says_what_it_said_and_has_no_code_in_both_byte_orders),
	RUN(so_does_one_that_is_cut_off_anywhere), RUN(so_does_one_whose_records_lie),
	RUN(the_result_of_each_dump_is_read_as_it_was_written), RUN(rows_that_lie_are_lost_and_counted))
