/* jitdump.c - read jitdumps: code, moves, names and lines; and reject dumps that are not trusted */
#include "workshop.h"

#include "base/file.h"
#include "jitdump_builder.h"
#include "symbols/jitdump_set.h"

#include <fcntl.h>

static struct hd_jitdump *read_made(struct jit_made *m, struct hd_err *err)
{
	struct hd_jitdump *d = NULL;
	int fd;

	jit_put(m, "dump");
	fd = open("dump", O_RDONLY | O_CLOEXEC);
	EXPECT(fd >= 0);
	hd_jitdump_read(&d, fd, "dump", NULL, err);
	close(fd);
	return d;
}

static const char *name_in(const struct hd_jitdump *d, uint64_t off)
{
	const struct hd_jit_load *l = hd_jitdump_find(d, off);

	return l ? hd_jitdump_name(d, l) : "-";
}

TEST(a_load_is_a_name_for_its_bytes_in_the_dump_in_both_byte_orders)
{
	for (int swap = 0; swap < 2; swap++) {
		struct jit_made m = jit_begin(swap, 10);
		uint64_t a = jit_load(&m, 5, "alpha", 0x7f00, 16, 1), b = jit_load(&m, 7, "beta", 0x7f10, 3, 2);
		struct hd_err err = { 0 };
		struct hd_jitdump *d = read_made(&m, &err);

		EXPECT(d);
		EXPECT_INT(d->pid, 10);
		EXPECT_INT(d->machine, EM_X86_64);
		EXPECT_INT(d->nloads, 2);
		EXPECT_INT(d->damaged, 0);
		EXPECT_STR(name_in(d, a - 1), "-");
		EXPECT_STR(name_in(d, a), "alpha");
		EXPECT_STR(name_in(d, a + 15), "alpha");
		EXPECT_STR(name_in(d, a + 16), "-");
		EXPECT_STR(name_in(d, b + 2), "beta");
		EXPECT_STR(name_in(d, b + 3), "-");
		EXPECT_INT(d->nevents, 2);
		EXPECT_INT(d->events[1].time, 7);
		EXPECT_INT(d->events[1].addr, 0x7f10);
		hd_jitdump_free(d);
	}
}

TEST(a_move_puts_the_same_code_somewhere_else)
{
	struct jit_made m = jit_begin(false, 10);
	struct hd_err err = { 0 };
	struct hd_jitdump *d;

	jit_load(&m, 1, "other", 0x1000, 16, 1);
	jit_load(&m, 2, "moved", 0x2000, 16, 7);
	jit_move(&m, 3, 0x2000, 0x9000, 16, 7);
	jit_move(&m, 4, 0x2000, 0xa000, 4000, 7);		/* moves more bytes than the function has */
	jit_move(&m, 5, 0x2000, 0xb000, 16, 8);			/* moves a function that was never loaded */
	d = read_made(&m, &err);
	EXPECT_INT(d->nevents, 4);
	EXPECT_INT(d->events[2].addr, 0x9000);
	EXPECT_STR(hd_jitdump_name(d, &d->loads[d->events[2].load]), "moved");
	EXPECT_INT(d->events[3].size, 16);
	EXPECT_INT(d->damaged, 1);
	EXPECT_STR(d->damage, "moves code that was not loaded");
	hd_jitdump_free(d);
}

TEST(unwinding_information_is_of_the_next_load)
{
	struct jit_made m = jit_begin(false, 10);
	struct hd_err err = { 0 };
	struct hd_jitdump *d;
	size_t r = jit_rec(&m, 4, 0);

	m64(&m, 12);
	m64(&m, 4);		/* size of the .eh_frame_hdr in the unwind data */
	m64(&m, 0);
	hd_buf_add(&m.b, "EH_FRAMEhdr_", 12);
	jit_end(&m, r);
	jit_load(&m, 1, "with", 0x1000, 16, 1);
	jit_load(&m, 2, "without", 0x2000, 16, 2);
	r = jit_rec(&m, 4, 0);
	m64(&m, 0);		/* node writes empty unwind data for each function */
	m64(&m, 0);
	m64(&m, 0);
	jit_end(&m, r);
	jit_load(&m, 3, "none", 0x3000, 16, 3);
	d = read_made(&m, &err);
	EXPECT_INT(d->loads[0].unwind_bytes, 8);
	EXPECT_INT(d->loads[0].unwind, 40 + 16 + 24);
	EXPECT_INT(d->loads[1].unwind, 0);
	EXPECT_INT(d->loads[2].unwind, 0);
	EXPECT_INT(d->damaged, 0);
	hd_jitdump_free(d);
}

/* ---- damage ---- */

TEST(a_file_that_is_no_jitdump_is_rejected_with_what_it_is)
{
	static const struct { size_t at; uint32_t v; const char *said; } cases[] = {
		{ 0, 0x464c457f, "dump: not a jitdump: it starts with 0x464c457f" },
		{ 4, 2, "dump: is a jitdump of version 2; only version 1 is supported" },
		{ 8, 39, "dump: invalid header size of 39 bytes" },
		{ 8, 41, "dump: invalid header size of 41 bytes" },
	};
	struct hd_err err = { 0 };
	struct jit_made m = { 0 };

	for (size_t i = 0; i < HD_COUNT(cases); i++) {
		m = jit_begin(false, 10);
		memcpy(m.b.data + cases[i].at, &cases[i].v, 4);
		EXPECT(!read_made(&m, &err));
		EXPECT_STR(err.msg, cases[i].said);
		m = (struct jit_made){ 0 };
	}
	m = jit_begin(false, 10);
	m.b.len = 39;
	EXPECT(!read_made(&m, &err));
	EXPECT_STR(err.msg, "dump: not a jitdump (39 bytes)");
}

TEST(a_dump_that_is_cut_off_anywhere_keeps_what_came_before)
{
	struct jit_made whole = jit_begin(false, 10);
	struct hd_err err = { 0 };
	size_t one, two;

	jit_load(&whole, 1, "one", 0x1000, 16, 1);
	one = whole.b.len;
	jit_load(&whole, 2, "two", 0x2000, 16, 2);
	two = whole.b.len;
	for (size_t n = 40; n <= two; n++) {
		struct jit_made m = { 0 };
		struct hd_jitdump *d;

		hd_buf_add(&m.b, whole.b.data, n);
		d = read_made(&m, &err);
		EXPECT_INT(d->nloads, n == two ? 2 : n >= one ? 1 : 0);
		EXPECT_INT(d->damaged, n != 40 && n != one && n != two);
		if (d->damaged) {
			EXPECT_STR(d->damage, "is cut off");
			EXPECT_INT(d->damaged_at, n < one ? 40 : one);
		}
		hd_jitdump_free(d);
	}
	hd_buf_release(&whole.b);
}

TEST(a_record_that_lies_about_what_is_in_it_is_skipped_and_named)
{
	struct jit_made m = jit_begin(false, 10);
	struct hd_err err = { 0 };
	struct hd_jitdump *d;
	uint64_t huge = UINT64_MAX - 3;
	size_t r;

	jit_load(&m, 1, "liar", 0x1000, 16, 1);
	memcpy(m.b.data + 40 + 16 + 24, &huge, 8);	/* the size of its code */
	r = jit_rec(&m, 0, 0);				/* a load record without a name */
	for (int i = 0; i < 5; i++)
		m64(&m, 0);
	jit_end(&m, r);
	r = jit_rec(&m, 0, 0);				/* a load record whose name has no NUL */
	for (int i = 0; i < 5; i++)
		m64(&m, 0);
	hd_buf_add(&m.b, "abcd", 4);
	jit_end(&m, r);
	r = jit_rec(&m, 2, 0);				/* the record declares more lines than it has room for */
	m64(&m, 0x2000);
	m64(&m, UINT64_MAX / 17);
	jit_end(&m, r);
	r = jit_rec(&m, 4, 0);				/* declares more bytes than it has */
	m64(&m, UINT64_MAX);
	m64(&m, 0);
	m64(&m, 0);
	jit_end(&m, r);
	r = jit_rec(&m, 1, 0);
	jit_end(&m, r);
	r = jit_rec(&m, 77, 0);				/* an unknown kind is no error */
	jit_end(&m, r);
	jit_load(&m, 2, "good", 0x2000, 16, 2);
	d = read_made(&m, &err);
	EXPECT_INT(d->nloads, 1);
	EXPECT_STR(hd_jitdump_name(d, &d->loads[0]), "good");
	EXPECT(!d->loads[0].lines && !d->loads[0].unwind);
	EXPECT_INT(d->damaged, 6);
	EXPECT_INT(d->damaged_at, 40);
	EXPECT_STR(d->damage, "declares more code than it contains");
	hd_jitdump_free(d);
}

TEST(a_size_that_leads_nowhere_ends_the_dump)
{
	struct jit_made m = jit_begin(false, 10);
	struct hd_err err = { 0 };
	struct hd_jitdump *d;

	jit_load(&m, 1, "one", 0x1000, 16, 1);
	jit_rec(&m, 3, 0);			/* an empty record */
	jit_load(&m, 1, "two", 0x1000, 16, 1);
	d = read_made(&m, &err);
	EXPECT_INT(d->nloads, 1);
	EXPECT_STR(d->damage, "has an invalid size");
	hd_jitdump_free(d);
}

TEST(a_name_of_more_than_64_kib_is_truncated)
{
	char *name = hd_zalloc(HD_JIT_NAME + 100, 1);
	struct jit_made m = jit_begin(false, 10);
	struct hd_err err = { 0 };
	struct hd_jitdump *d;
	uint64_t whole, cut;

	memset(name, 'n', HD_JIT_NAME + 99);
	cut = jit_load(&m, 1, name, 0x1000, 16, 1);
	name[HD_JIT_NAME] = 0;
	whole = jit_load(&m, 1, name, 0x2000, 16, 1);
	d = read_made(&m, &err);
	EXPECT_INT(d->damaged, 0);
	EXPECT_STR(name_in(d, cut), name);
	EXPECT_STR(name_in(d, whole), name);
	hd_jitdump_free(d);
	free(name);
}

TEST(half_a_million_loads_are_read_at_once)
{
	struct jit_made m = jit_begin(false, 10);
	struct hd_err err = { 0 };
	struct hd_jitdump *d;

	for (uint64_t i = 0; i < 500000; i++)
		jit_load(&m, i, "f", 0x1000 * i, 0, i);
	jit_load(&m, 9, "last", 0x1000, 1, 0);
	d = read_made(&m, &err);
	EXPECT_INT(d->nloads, 500001);
	EXPECT_INT(d->nevents, 1);		/* a function without bytes covers no address */
	EXPECT_STR(hd_jitdump_name(d, &d->loads[d->events[0].load]), "last");
	hd_jitdump_free(d);
}

/* ---- lookups in objects with a jitdump ---- */

#define PATH "/tmp/jit-999999999.dump"

struct jit_bench { struct hd_bench b; struct hd_jitdump_set *dumps; struct hd_log log; };

static void jit_open(struct jit_bench *j, int32_t own_pid)
{
	struct hd_symbols_opts opts = { .symfs = "root" };

	*j = (struct jit_bench){ 0 };
	opts.jitdumps = j->dumps = hd_jitdump_set_new(&(struct hd_jitdump_set_opts){ .symfs = "root" }, &j->log);
	hd_jitdump_set_open(j->dumps, &(struct hd_jitdump_query){ .path = PATH, .pid = 999999999, .own_pid = own_pid });
	bench_open(&j->b, &opts, &(struct hd_symbols_key){ .kind = HD_OBJ_JIT, .path = PATH, .pid = 999999999 });
}

static void jit_close(struct jit_bench *j)
{
	bench_close(&j->b);
	hd_jitdump_set_free(j->dumps);
	hd_log_release(&j->log);
}

static void put_dump(struct jit_made *m)
{
	RUN_SH("rm -rf root && mkdir -p root/tmp");
	jit_put(m, "root" PATH);
}

static const char *line_at(struct jit_bench *j, uint64_t off)
{
	static char text[100];
	struct hd_line_hit hit;

	hd_object_line(j->b.o, off, &hit);
	snprintf(text, sizeof(text), "%s:%u", hit.file ? hit.file : "??", hit.line);
	return text;
}

TEST(an_object_has_names_lines_and_code_at_the_offsets_of_its_dump)
{
	static const struct jit_line lines[] = { { 0x7f00, 10, "a.js" }, { 0x7f04, 11, "\xff" },
		{ 0x7f08, 3, "inlined.js" }, { 0x7f0c, 12, "a.js" } };
	struct jit_made m = jit_begin(false, 10);
	struct jit_bench j;
	uint64_t a, b;
	uint8_t byte;
	int fd;

	jit_lines(&m, 0x7f00, lines, HD_COUNT(lines));
	a = jit_load(&m, 1, "JS:f", 0x7f00, 16, 1);
	b = jit_load(&m, 2, "JS:g", 0x8000, 16, 2);
	put_dump(&m);
	jit_open(&j, 10);
	EXPECT_INT(hd_object_quality(j.b.o), HD_SYMQ_DEBUGINFO);
	EXPECT_STR(hd_object_source(j.b.o), "root" PATH);
	EXPECT_STR(name_at(&j.b, a + 1), "JS:f");
	EXPECT_STR(name_at(&j.b, b), "JS:g");
	EXPECT_STR(name_at(&j.b, b + 16), "-");
	EXPECT_STR(line_at(&j, a), "a.js:10");
	EXPECT_STR(line_at(&j, a + 7), "a.js:11");
	EXPECT_STR(line_at(&j, a + 8), "inlined.js:3");
	EXPECT_STR(line_at(&j, a + 15), "a.js:12");
	EXPECT_STR(line_at(&j, b), "??:0");
	fd = hd_jitdump_reopen(hd_jitdump_set_get(j.dumps, PATH, 999999999), NULL);
	EXPECT(fd >= 0 && pread(fd, &byte, 1, (off_t)a) == 1 && byte == 0x90);
	close(fd);
	EXPECT_INT(j.log.n + j.b.log.n, 0);
	jit_close(&j);
}

TEST(line_addresses_that_node_wrote_64_bytes_too_high_are_corrected)
{
	struct jit_made m = jit_begin(false, 10);
	struct jit_bench j;
	uint64_t off[5];

	for (uint64_t i = 0; i < 5; i++) {
		const struct jit_line lines[] = { { 0x1000 * i + 64 + (i & 1), 1, "a.js" },
			{ 0x1000 * i + 64 + 8, 2, "a.js" } };

		jit_lines(&m, 0x1000 * i, lines, 2);
		off[i] = jit_load(&m, i, "f", 0x1000 * i, 32, i);
	}
	put_dump(&m);
	jit_open(&j, 10);
	EXPECT_STR(line_at(&j, off[2]), "a.js:1");
	EXPECT_STR(line_at(&j, off[2] + 8), "a.js:2");
	EXPECT_STR(line_at(&j, off[3]), "??:0");
	EXPECT_STR(line_at(&j, off[3] + 1), "a.js:1");
	jit_close(&j);
}

/*
 * As node 20 does for baseline code, the record has more bytes than its lines need, and the rest is from reused
 * memory.
 */
TEST(lines_that_do_not_fill_their_record_or_are_of_elsewhere_are_not_used)
{
	struct jit_made m = jit_begin(false, 10);
	const struct jit_line elsewhere[] = { { 0x2000, 1, "a.js" }, { 0x1fff, 2, "a.js" } };
	struct jit_bench j;
	uint64_t a, b;
	size_t r = jit_rec(&m, 2, 0);

	m64(&m, 0x1000);
	m64(&m, 1);
	m64(&m, 0x1000);
	m32(&m, 7);
	m32(&m, 0);
	hd_buf_add(&m.b, "/tm\0some/file.js", 17);
	jit_end(&m, r);
	a = jit_load(&m, 1, "JS:^f", 0x1000, 16, 1);
	jit_lines(&m, 0x2000, elsewhere, 2);
	b = jit_load(&m, 1, "g", 0x2000, 16, 2);
	put_dump(&m);
	jit_open(&j, 10);
	EXPECT_STR(line_at(&j, a), "??:0");
	EXPECT_STR(line_at(&j, a), "??:0");
	EXPECT_STR(line_at(&j, b + 1), "??:0");
	EXPECT_INT(hd_log_find(&j.b.log, "symbols.lines-damaged")->count, 2);
	EXPECT_STR(hd_log_find(&j.b.log, "symbols.lines-damaged")->text,
		   PATH ": the lines of JS:^f at 0x28 are invalid and are not used");
	jit_close(&j);
}

TEST(a_dump_of_another_process_is_refused)
{
	struct jit_made m = jit_begin(false, 11);
	struct jit_bench j;

	put_dump(&m);
	jit_open(&j, 10);
	EXPECT_STR(hd_log_find(&j.log, "symbols.jitdump-refused")->text,
		PATH ": belongs to process 11, not 10");
	EXPECT_STR(hd_object_problem(j.b.o), "its jitdump was not read");
	jit_close(&j);
}

TEST(a_dump_that_others_could_have_written_is_refused)
{
	static const struct { const char *how, *said; } cases[] = {
		{ "chmod 666 root" PATH, "it is writable by all users" },
		{ "mv root" PATH " root/real && ln -s /real root" PATH, "is a link" },
		{ "rm root" PATH " && mkfifo root" PATH, "not a regular file" },
	};

	for (size_t i = 0; i < HD_COUNT(cases); i++) {
		struct jit_made m = jit_begin(false, 10);
		struct jit_bench j;

		put_dump(&m);
		EXPECT_INT(run_sh(cases[i].how), 0);
		jit_open(&j, 10);
		EXPECT(strstr(hd_log_find(&j.log, "symbols.jitdump-refused")->text, cases[i].said));
		jit_close(&j);
	}
}

TEST(a_missing_dump_is_reported_if_it_was_recorded_and_not_if_it_was_guessed)
{
	struct hd_log log = { 0 };
	struct hd_jitdump_set *dumps = hd_jitdump_set_new(&(struct hd_jitdump_set_opts){ .symfs = "root" }, &log);
	struct hd_jitdump_query ask = { .path = "/tmp/jit-1.dump", .pid = 1, .own_pid = 1, .guessed = true };

	RUN_SH("rm -rf root && mkdir -p root");
	EXPECT(!hd_jitdump_set_open(dumps, &ask));
	EXPECT_INT(log.n, 0);
	ask.path = "/home/u/jit-1.dump";
	ask.guessed = false;
	EXPECT(!hd_jitdump_set_open(dumps, &ask));
	EXPECT(!hd_jitdump_set_open(dumps, &ask));
	EXPECT_INT(hd_log_find(&log, "symbols.jitdump-absent")->count, 1);
	hd_jitdump_set_free(dumps);
	hd_log_release(&log);
}

TEST(damage_is_reported_with_its_offset)
{
	struct jit_made m = jit_begin(false, 10);
	struct jit_bench j;

	jit_load(&m, 1, "f", 0x1000, 16, 1);
	hd_buf_addc(&m.b, 'x');
	put_dump(&m);
	jit_open(&j, 10);
	EXPECT_STR(name_at(&j.b, hd_jitdump_set_get(j.dumps, PATH, 999999999)->loads[0].off), "f");
	EXPECT_STR(hd_log_find(&j.log, "symbols.jitdump-damaged")->text,
		PATH ": the record at 0x72 is cut off; the readable part is used");
	jit_close(&j);
}

WORKSHOP_MAIN(
	RUN(a_load_is_a_name_for_its_bytes_in_the_dump_in_both_byte_orders),
	RUN(a_move_puts_the_same_code_somewhere_else),
	RUN(unwinding_information_is_of_the_next_load),
	RUN(a_file_that_is_no_jitdump_is_rejected_with_what_it_is),
	RUN(a_dump_that_is_cut_off_anywhere_keeps_what_came_before),
	RUN(a_record_that_lies_about_what_is_in_it_is_skipped_and_named),
	RUN(a_size_that_leads_nowhere_ends_the_dump),
	RUN(a_name_of_more_than_64_kib_is_truncated),
	RUN(half_a_million_loads_are_read_at_once),
	RUN(an_object_has_names_lines_and_code_at_the_offsets_of_its_dump),
	RUN(line_addresses_that_node_wrote_64_bytes_too_high_are_corrected),
	RUN(lines_that_do_not_fill_their_record_or_are_of_elsewhere_are_not_used),
	RUN(a_dump_of_another_process_is_refused),
	RUN(a_dump_that_others_could_have_written_is_refused),
	RUN(a_missing_dump_is_reported_if_it_was_recorded_and_not_if_it_was_guessed),
	RUN(damage_is_reported_with_its_offset),
)
