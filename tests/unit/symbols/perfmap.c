/* perfmap.c - read perf maps of JIT compilers, and reject files that are not trusted */
#include "workshop.h"

#include "symbols/jit_file.h"
#include "symbols/perfmap.h"

static const char *in_map(struct hd_symtable *t, uint64_t ip)
{
	struct hd_symspan span;
	size_t at = 0;

	return hd_symtable_find(t, ip, &at, &span) ? hd_symtable_str(t, span.name) : "-";
}

TEST(each_line_names_a_stretch_of_code)
{
	static const char text[] = "7f00 10 LazyCompile:~main /app/server.js:12\n0x7f20 0x8 py::f:/a b.py\n7f30 1 last";
	struct hd_perfmap_found found;
	struct hd_symtable t = { 0 };

	hd_perfmap_parse(&t, text, strlen(text), &found);
	EXPECT_INT(found.lines, 3);
	EXPECT_INT(found.damaged, 0);
	EXPECT_STR(in_map(&t, 0x7f00), "LazyCompile:~main /app/server.js:12");
	EXPECT_STR(in_map(&t, 0x7f0f), "LazyCompile:~main /app/server.js:12");
	EXPECT_STR(in_map(&t, 0x7f10), "-");
	EXPECT_STR(in_map(&t, 0x7f27), "py::f:/a b.py");
	EXPECT_STR(in_map(&t, 0x7f30), "last");
	EXPECT_STR(in_map(&t, 0x7f31), "-");
	hd_symtable_release(&t);
}

TEST(memory_that_was_used_again_has_its_last_name)
{
	static const char text[] = "1000 100 old\n2000 10 apart\n1080 100 new\n1000 20 newest\n";
	struct hd_perfmap_found found;
	struct hd_symtable t = { 0 };

	hd_perfmap_parse(&t, text, strlen(text), &found);
	EXPECT_STR(in_map(&t, 0x1000), "newest");
	EXPECT_STR(in_map(&t, 0x1020), "old");
	EXPECT_STR(in_map(&t, 0x107f), "old");
	EXPECT_STR(in_map(&t, 0x1080), "new");
	EXPECT_STR(in_map(&t, 0x117f), "new");
	EXPECT_STR(in_map(&t, 0x2000), "apart");
	hd_symtable_release(&t);
}

TEST(lines_of_another_form_are_counted_and_passed_over)
{
	static const char text[] =
		"\n"
		"\n"
		"1000 10\n"
		"1000 10 \n"
		"xyz 10 a\n"
		"1000  10 a\n"
		"1000 -1 a\n"
		"10000000000000000 1 a\n"
		"ffffffffffffffff 2 wraps\n"
		"1000 0 empty\n"
		"3000 10 good\n"
		"1000";
	struct hd_perfmap_found found;
	struct hd_symtable t = { 0 };

	hd_perfmap_parse(&t, text, strlen(text), &found);
	EXPECT_INT(found.lines, 2);		/* two valid lines; one of their symbols has no bytes */
	EXPECT_INT(found.damaged, 8);
	EXPECT_STR(in_map(&t, 0x3008), "good");
	EXPECT_STR(in_map(&t, 0x1000), "-");
	hd_symtable_release(&t);
}

TEST(a_map_without_a_line_is_an_empty_map)
{
	struct hd_perfmap_found found;
	struct hd_symtable t = { 0 };

	hd_perfmap_parse(&t, "", 0, &found);
	EXPECT_STR(in_map(&t, 0), "-");
	hd_symtable_release(&t);
}

/* ---- objects ---- */

static void bench_map(struct hd_bench *b, const char *symfs, bool same_machine)
{
	struct hd_symbols_opts opts = { .symfs = symfs, .same_machine = same_machine };

	bench_open(b, &opts,
		&(struct hd_symbols_key){ .kind = HD_OBJ_PERFMAP,
			.path = "/tmp/perf-999999999.map",
			.pid = 999999999 });
}

static void put_map(mode_t mode)
{
	RUN_SH("rm -rf root && mkdir -p root/tmp");
	put("root/tmp/perf-999999999.map", "7f00 10 jitted\n");
	EXPECT(!chmod("root/tmp/perf-999999999.map", mode));
}

TEST(a_map_below_the_symbol_root_is_used_with_lookups_by_ip)
{
	struct hd_bench b;

	put_map(0644);
	bench_map(&b, "root", false);
	EXPECT_STR(name_at(&b, 0x7f08), "jitted");
	EXPECT_STR(hd_object_source(b.o), "root/tmp/perf-999999999.map");
	bench_close(&b);
}

TEST(a_map_that_everybody_may_write_to_is_refused)
{
	struct hd_bench b;

	put_map(0666);
	bench_map(&b, "root", false);
	EXPECT_STR(name_at(&b, 0x7f08), "-");
	EXPECT(strstr(hd_log_find(&b.log, "symbols.perfmap-refused")->text, "it is writable by all users"));
	bench_close(&b);
}

TEST(a_map_that_is_a_link_or_no_regular_file_is_refused)
{
	struct hd_bench b;

	put_map(0644);
	RUN_SH("mv root/tmp/perf-999999999.map root/tmp/real && ln -s real root/tmp/perf-999999999.map");
	bench_map(&b, "root", false);
	EXPECT_STR(name_at(&b, 0x7f08), "-");
	EXPECT(strstr(hd_log_find(&b.log, "symbols.perfmap-refused")->text, "is a link"));
	bench_close(&b);
	RUN_SH("rm root/tmp/perf-999999999.map && mkfifo root/tmp/perf-999999999.map");
	bench_map(&b, "root", false);
	EXPECT(strstr(hd_log_find(&b.log, "symbols.perfmap-refused")->text, "not a regular file"));
	bench_close(&b);
}

TEST(a_map_of_somebody_else_is_refused)
{
	struct hd_bench b;

	if (geteuid())
		SKIP("only root can give files away");
	put_map(0644);
	EXPECT(!chown("root/tmp/perf-999999999.map", 12345, 12345));
	bench_map(&b, "root", false);
	EXPECT_STR(name_at(&b, 0x7f08), "-");
	EXPECT(strstr(hd_log_find(&b.log, "symbols.perfmap-refused")->text,
		"is owned by user 12345, not by root or the current user"));
	bench_close(&b);
}

TEST(a_map_of_the_user_of_a_process_that_runs_is_believed_on_its_machine)
{
	struct hd_err err;
	int fd;

	put_map(0644);
	/* The usual case: the map belongs to us, and the process is this one. */
	fd = hd_jit_file_open("root", "/tmp/perf-999999999.map", getpid(), true, HD_PERFMAP_MAX, &err);
	EXPECT(fd >= 0);
	close(fd);
}

TEST(this_machine_s_maps_are_not_those_of_another_machine)
{
	struct hd_bench b;

	bench_map(&b, NULL, false);
	EXPECT_STR(hd_object_problem(b.o),
		"it was written on another machine, or in a container whose process has ended");
	EXPECT(strstr(hd_log_find(&b.log, "symbols.none")->fix, "--perf-basic-prof"));
	bench_close(&b);
}

TEST(damaged_lines_of_a_map_are_reported_with_their_number)
{
	const struct hd_warning *w;
	struct hd_bench b;

	put_map(0644);
	put("root/tmp/perf-999999999.map", "x\ny\n7f00 10 jitted\nz\n");
	bench_map(&b, "root", false);
	EXPECT_STR(name_at(&b, 0x7f08), "jitted");
	w = hd_log_find(&b.log, "symbols.perfmap-damaged");
	EXPECT(w && w->count == 3);
	bench_close(&b);
}

WORKSHOP_MAIN(
	RUN(each_line_names_a_stretch_of_code),
	RUN(memory_that_was_used_again_has_its_last_name),
	RUN(lines_of_another_form_are_counted_and_passed_over),
	RUN(a_map_without_a_line_is_an_empty_map),
	RUN(a_map_below_the_symbol_root_is_used_with_lookups_by_ip),
	RUN(a_map_that_everybody_may_write_to_is_refused),
	RUN(a_map_that_is_a_link_or_no_regular_file_is_refused),
	RUN(a_map_of_somebody_else_is_refused),
	RUN(a_map_of_the_user_of_a_process_that_runs_is_believed_on_its_machine),
	RUN(this_machine_s_maps_are_not_those_of_another_machine),
	RUN(damaged_lines_of_a_map_are_reported_with_their_number),
)
