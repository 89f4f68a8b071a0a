/*
 * recorded_jitdumps.c - find the jitdump of a recording, map its code over time, and name functions
 *
 * Process 10 has JIT code at 0x1000 with a perf map: see recording.h.  Its dump is below the symbol root.  Each test
 * also checks that the bundle gives the same output without the dump.
 */
#include "recording.h"

#include "unit/symbols/jitdump_builder.h"

enum { MONO = 1 };

/*
 * Begin a recording of process 10 that maps the jitdump `dump` ("": it maps none).  mono: the times of the recording
 * are of CLOCK_MONOTONIC.
 */
static struct image begin_jit(const char *dump, bool mono)
{
	const struct attr a = { .type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_type = FIELDS,
		.flags = ID_ALL };
	struct image im = pipe_image(false);

	if (mono)
		attr_record_clock(&im, a, 1, MONO);
	else
		attr_record(&im, a, 1);
	comm(&im, 10, 10, "app", 0);
	if (*dump)
		map(&im, 10, USER, 0x9000, 0x1000, 0, dump);
	map(&im, 10, USER, 0x1000, 0x2000, 0, "//anon");
	return im;
}

static void at(struct image *im, uint64_t ip, uint64_t time_ns)
{
	sample(im, (struct taken){ 1, USER, ip, 10, 10, time_ns, 0, 1, CHAIN(HD_CONTEXT_USER, ip) });
}

static void expect_law_without_dump(const struct place *at, const char *dump, uint64_t quiet_bytes)
{
	static const struct hd_pipeline_opts rows[] = { { .lines = true }, { .threads = 1 }, { .no_symbols = true },
		{ .strict = true } };
	char *map = in_dir(at->dir, "tmp/perf-10.map");

	for (size_t i = 0; i < HD_COUNT(rows); i++) {
		struct hd_pipeline_opts opts = rows[i];

		opts.symfs = at->dir;
		opts.quiet_bytes = quiet_bytes;
		expect_law_without(at->path, opts, (const char *const[]){ dump, map, NULL });
	}
	free(map);
}

/*
 * Write the dump and read the recording.  Return its stacks, one per line, then the codes of warnings about dumps; the
 * caller frees the text.
 */
static char *answer(struct image *im, struct jit_made *m, const char *dump, uint64_t quiet_bytes)
{
	struct place where = place_of(im);
	char *path = in_dir(where.dir, dump + 1);
	struct hd_buf text = { 0 };
	struct hd_profile *p;
	struct hd_outfile out;

	jit_put(m, path);
	expect_law_without_dump(&where, path, quiet_bytes);
	p = ingest(&where, (struct hd_pipeline_opts){ .quiet_bytes = quiet_bytes });
	hd_outfile_memory(&out);
	hd_folded_write(&out, p, 0, &(struct hd_folded_opts){ 0 });
	hd_buf_add(&text, out.pending.data, out.pending.len);
	for (size_t i = 0; i < p->log.n; i++)
		if (strstr(p->log.items[i].code, "jitdump"))
			hd_buf_addf(&text, "%s\n", p->log.items[i].code);
	hd_outfile_discard(&out);
	hd_profile_free(p);
	free(path);
	place_release(&where);
	return hd_buf_take(&text);
}

/*
 * Expect this result whether the first pass reads the whole recording or ends at the first sample, and the same of the
 * bundle.  Releases im and m.
 */
static void expect(struct image *im, struct jit_made *m, const char *dump, const char *want)
{
	static const uint64_t quiet[] = { UINT64_MAX, 1 };

	for (size_t i = 0; i < 2; i++) {
		struct jit_made copy = { .swap = m->swap };
		char *got;

		hd_buf_add(&copy.b, m->b.data, m->b.len);
		got = answer(im, &copy, dump, quiet[i]);
		EXPECT_STR(got, want);
		free(got);
	}
	hd_buf_release(&m->b);
	release(im);
}

static struct jit_made two_at_one_place(void)
{
	struct jit_made m = jit_begin(false, 10);

	jit_load(&m, 2 * SECOND, "first", 0x1100, 0x100, 1);
	jit_load(&m, 4 * SECOND, "second", 0x1100, 0x80, 2);
	return m;
}

TEST(the_dump_names_code_where_it_has_some_and_the_perf_map_elsewhere)
{
	struct image im = begin_jit("/tmp/jit-10.dump", true);
	struct jit_made m = two_at_one_place();

	at(&im, 0x1010, 3 * SECOND);
	at(&im, 0x1110, 3 * SECOND);
	at(&im, 0x1210, 3 * SECOND);
	expect(&im, &m, "/tmp/jit-10.dump", "first 1\nleaf 1\nmain 1\n");
}

TEST(an_address_has_the_name_of_the_code_that_was_there_then)
{
	struct image im = begin_jit("/tmp/jit-10.dump", true);
	struct jit_made m = two_at_one_place();

	at(&im, 0x1110, 3 * SECOND);
	at(&im, 0x1110, 5 * SECOND);
	at(&im, 0x1110, 6 * SECOND);
	at(&im, 0x11f0, 5 * SECOND);	/* the part of the first function that is not overwritten */
	expect(&im, &m, "/tmp/jit-10.dump", "first 2\nsecond 2\n");
}

/* The code is used before the record of its load, because the JIT writes the record late. */
TEST(code_has_its_name_before_its_load_record_if_nothing_else_was_there)
{
	struct image im = begin_jit("/tmp/jit-10.dump", true);
	struct jit_made m = two_at_one_place();

	at(&im, 0x1110, SECOND);
	expect(&im, &m, "/tmp/jit-10.dump", "first 1\n");
}

TEST(without_a_common_clock_the_last_code_at_an_address_names_it_with_a_warning)
{
	struct image im = begin_jit("/tmp/jit-10.dump", false);
	struct jit_made m = two_at_one_place();

	at(&im, 0x1110, 3 * SECOND);
	at(&im, 0x1110, 5 * SECOND);
	expect(&im, &m, "/tmp/jit-10.dump", "second 2\nsymbols.jitdump-clock\n");
}

TEST(times_of_before_the_dump_was_begun_are_of_another_clock)
{
	struct image im = begin_jit("", true);
	struct jit_made m = two_at_one_place();
	size_t r = rec(&im, PERF_RECORD_MMAP, USER);

	u32(&im, 10);
	u32(&im, 10);
	u64(&im, 0x9000);
	u64(&im, 0x1000);
	u64(&im, 0);
	text(&im, "/tmp/jit-10.dump", 24);
	trailer(&im, 10, 10, 100 * SECOND);
	end(&im, r);
	at(&im, 0x1110, 102 * SECOND);
	expect(&im, &m, "/tmp/jit-10.dump", "second 1\nsymbols.jitdump-clock\n");
}

static void conversion(struct image *im)
{
	size_t r = rec(im, HD_RT_TIME_CONV, 0);

	u64(im, 0);
	u64(im, SECOND / 10);	/* ten ticks a second */
	u64(im, 0);
	end(im, r);
}

TEST(times_of_the_processors_counter_are_converted_as_the_recording_says)
{
	for (int told = 0; told < 2; told++) {
		struct image im = begin_jit("/tmp/jit-10.dump", false);
		struct jit_made m = jit_begin(false, 10);

		m.b.data[32] = 1;
		jit_load(&m, 20, "first", 0x1100, 0x100, 1);
		jit_load(&m, 40, "second", 0x1100, 0x80, 2);
		if (told)
			conversion(&im);
		at(&im, 0x1110, 3 * SECOND);
		at(&im, 0x1110, 5 * SECOND);
		expect(&im, &m, "/tmp/jit-10.dump", told ? "first 1\nsecond 1\n" : "second 2\nsymbols.jitdump-clock\n");
	}
}

TEST(code_that_was_moved_has_its_name_where_it_went)
{
	struct image im = begin_jit("/tmp/jit-10.dump", true);
	struct jit_made m = jit_begin(false, 10);

	jit_load(&m, 2 * SECOND, "moved", 0x1100, 0x10, 1);
	jit_move(&m, 3 * SECOND, 0x1100, 0x1f00, 0x10, 1);
	at(&im, 0x1f08, 4 * SECOND);
	expect(&im, &m, "/tmp/jit-10.dump", "moved 1\n");
}

TEST(a_dump_beside_the_perf_map_is_found_without_a_mapping_of_it)
{
	struct image im = begin_jit("", true);
	struct jit_made m = two_at_one_place();

	at(&im, 0x1110, 3 * SECOND);
	expect(&im, &m, "/tmp/jit-10.dump", "first 1\n");
}

TEST(a_dump_that_is_missing_or_another_processes_costs_its_names_only)
{
	struct image im = begin_jit("/tmp/jit-10.dump", true);
	struct jit_made m = two_at_one_place();

	at(&im, 0x1110, 3 * SECOND);
	expect(&im, &m, "/tmp/jit-11.dump", "work 1\nsymbols.jitdump-absent\n");
	im = begin_jit("/tmp/jit-10.dump", true);
	m = jit_begin(false, 11);
	at(&im, 0x1110, 3 * SECOND);
	expect(&im, &m, "/tmp/jit-10.dump", "work 1\nsymbols.jitdump-refused\n");
	/* The name of the dump has the pid of the parent, from which process 10 inherited the mapping. */
	im = begin_jit("/tmp/jit-11.dump", true);
	m = jit_begin(false, 11);
	jit_load(&m, 2 * SECOND, "parents", 0x1100, 0x10, 1);
	at(&im, 0x1110, 3 * SECOND);
	expect(&im, &m, "/tmp/jit-11.dump", "work 1\n");
}

TEST(in_another_pid_namespace_the_process_has_another_number_in_its_dump)
{
	for (int other = 0; other < 2; other++) {
		struct image im = begin_jit("/tmp/jit-77.dump", true);
		struct jit_made m = jit_begin(false, 77);

		jit_load(&m, 2 * SECOND, "inside", 0x1100, 0x100, 1);
		namespaces(&im, 1, 5, 6);
		namespaces(&im, 10, 5, other ? 7 : 6);
		at(&im, 0x1110, 3 * SECOND);
		expect(&im, &m, "/tmp/jit-77.dump", other ? "inside 1\n" : "work 1\n");
	}
}

TEST(a_call_that_is_the_last_instruction_belongs_to_its_function_and_not_to_the_next_one)
{
	struct image im = begin_jit("/tmp/jit-10.dump", true);
	struct jit_made m = jit_begin(false, 10);

	jit_load(&m, SECOND, "caller", 0x1100, 0x10, 1);
	jit_load(&m, SECOND, "behind", 0x1110, 0x10, 2);
	jit_load(&m, SECOND, "callee", 0x1130, 0x10, 3);
	sample(&im,
		(struct taken){ 1, USER, 0x1134, 10, 10, 2 * SECOND, 0, 1, CHAIN(HD_CONTEXT_USER, 0x1134, 0x1110) });
	sample(&im,
		(struct taken){ 1, USER, 0x1134, 10, 10, 2 * SECOND, 0, 1, CHAIN(HD_CONTEXT_USER, 0x1134, 0x1120) });
	expect(&im, &m, "/tmp/jit-10.dump", "behind;callee 1\ncaller;callee 1\n");
}

TEST_MAIN(RUN(the_dump_names_code_where_it_has_some_and_the_perf_map_elsewhere),
	  RUN(an_address_has_the_name_of_the_code_that_was_there_then),
	  RUN(code_has_its_name_before_its_load_record_if_nothing_else_was_there),
	  RUN(without_a_common_clock_the_last_code_at_an_address_names_it_with_a_warning),
	  RUN(times_of_before_the_dump_was_begun_are_of_another_clock),
	  RUN(times_of_the_processors_counter_are_converted_as_the_recording_says),
	  RUN(code_that_was_moved_has_its_name_where_it_went),
	  RUN(a_dump_beside_the_perf_map_is_found_without_a_mapping_of_it),
	  RUN(a_dump_that_is_missing_or_another_processes_costs_its_names_only),
	  RUN(in_another_pid_namespace_the_process_has_another_number_in_its_dump),
	  RUN(a_call_that_is_the_last_instruction_belongs_to_its_function_and_not_to_the_next_one))
