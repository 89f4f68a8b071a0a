/* inlines_hostile.c - read .debug_info that was made to attack readers: written in assembler, or damaged by the test */
#include "inline_programs.h"

#include <time.h>

/*
 * The abbreviations of the units below: 1 a unit, 2 a function with code, 3 an inlined function with code, 4 a
 * function that has only a name, 5 a block, 6 a reference to another entry, 7 an inlined function with a list of
 * ranges.
 */
#define ABBREVS \
	"	.section .debug_abbrev, \"\", %progbits\n" \
	"	.byte 1, 0x11, 1, 0x11, 1, 0x12, 7, 0x10, 0x17, 0, 0\n" \
	"	.byte 2, 0x2e, 1, 0x11, 1, 0x12, 7, 0, 0\n" \
	"	.byte 3, 0x1d, 1, 0x31, 0x13, 0x11, 1, 0x12, 7, 0x59, 5, 0, 0\n" \
	"	.byte 4, 0x2e, 0, 3, 8, 0, 0\n" \
	"	.byte 5, 0x0b, 1, 0, 0\n" \
	"	.byte 6, 0x2e, 0, 0x31, 0x13, 0, 0\n" \
	"	.byte 7, 0x1d, 0, 0x31, 0x13, 0x55, 0x17, 0, 0\n" \
	"	.byte 0\n"
#define TEXT "	.text\n	.globl f\n	.type f, @function\n	.size f, 64\nf:	.fill 64, 1, 0x90\n"
#define LINE "	.section .debug_line, \"\", %progbits\n	.long 0\n"
#define UNIT \
	"	.section .debug_info, \"\", %progbits\n" \
	"unit:	.long end - version\nversion:	.short 4\n	.long 0\n	.byte 8\n" \
	"	.byte 1\n	.quad f, 64\n	.long 0\n"
#define FUNCTION "	.byte 2\n	.quad f, 64\n"
#define INLINED(origin, line) "	.byte 3\n	.long " origin " - unit\n	.quad f, 32\n	.short " #line "\n"
#define NAMED(label, name) label ":	.byte 4\n	.asciz \"" name "\"\n"
#define END_UNIT "	.byte 0\nend:\n"

struct answer {
	char *chain;
	char *warned;			/* text of the warning symbols.inlines-damaged, or NULL */
	double seconds;
};

/* Look up the address f + off in a library whose sections are written in assembler. */
static struct answer ask(const char *sections, uint64_t off)
{
	struct timespec from, to;
	struct answer a = { 0 };
	const struct hd_warning *w;
	struct hd_bench b;

	put("h.s", sections);
	EXPECT_INT(run_sh("$CC -nostdlib -shared -Wl,--build-id=none h.s -o h.so"), 0);
	bench_file(&b, "h.so");
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
	a.chain = inlined_at(&b, nm_of("h.so", "f") + off);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
	a.seconds = (double)(to.tv_sec - from.tv_sec) + (double)(to.tv_nsec - from.tv_nsec) / 1e9;
	w = hd_log_find(&b.log, "symbols.inlines-damaged");
	a.warned = w ? hd_strdup(w->text) : NULL;
	EXPECT(!w || (w->count == 1 && strstr(w->text, "h.so: ")));
	bench_close(&b);
	return a;
}

static void release(struct answer *a)
{
	free(a->chain);
	free(a->warned);
}

/* The assembler of these tests contains the size of an address, so they run on x86-64 only. */
#ifdef __x86_64__
#define NEED_MACHINE() NEED("nm")
#else
#define NEED_MACHINE() SKIP("it is written for x86-64")
#endif

TEST(a_valid_file_is_read)
{
	struct answer a;

	NEED_MACHINE();
	a = ask(TEXT ABBREVS LINE UNIT NAMED("g", "inner") FUNCTION INLINED("g", 7) "	.byte 0, 0\n" END_UNIT, 5);
	EXPECT_STR(a.chain, "inner ??:7");
	EXPECT(!a.warned);
	release(&a);
	a = ask(TEXT ABBREVS LINE UNIT NAMED("g", "inner") FUNCTION INLINED("g", 7) "	.byte 0, 0\n" END_UNIT, 32);
	EXPECT_STR(a.chain, "-");
	release(&a);
}

TEST(entries_that_refer_to_each_other_in_a_circle_have_no_name_and_what_is_inside_counts_as_called_outside)
{
	struct answer a;

	NEED_MACHINE();
	a = ask(TEXT ABBREVS LINE UNIT
		"one:	.byte 6\n	.long two - unit\ntwo:	.byte 6\n	.long one - unit\n" NAMED("g", "inner")
			FUNCTION INLINED("one", 7) INLINED("g", 9) "	.byte 0, 0, 0\n" END_UNIT,
		5);
	EXPECT_STR(a.chain, "inner ??:7");
	EXPECT(a.warned && strstr(a.warned, "a name leads through more than 16 entries"));
	release(&a);
	/* An entry that refers to itself. */
	a = ask(TEXT ABBREVS LINE UNIT
		"one:	.byte 6\n	.long one - unit\n" FUNCTION INLINED("one", 7) "	.byte 0, 0\n" END_UNIT,
		5);
	EXPECT_STR(a.chain, "-");
	EXPECT(a.warned && strstr(a.warned, "a name leads through more than 16 entries"));
	release(&a);
}

TEST(a_reference_out_of_its_unit_leads_nowhere)
{
	struct answer a;

	NEED_MACHINE();
	a = ask(TEXT ABBREVS LINE UNIT
		"one:	.byte 6\n	.long 0x7fffffff\n" FUNCTION INLINED("one", 7) "	.byte 0, 0\n" END_UNIT,
		5);
	EXPECT_STR(a.chain, "-");
	release(&a);
	/* A reference into the unit's header. */
	a = ask(TEXT ABBREVS LINE UNIT
		"one:	.byte 6\n	.long 3\n" FUNCTION INLINED("one", 7) "	.byte 0, 0\n" END_UNIT,
		5);
	EXPECT_STR(a.chain, "-");
	EXPECT(strstr(a.warned, "an entry is outside its unit"));
	release(&a);
}

TEST(blocks_nested_a_hundred_thousand_deep_are_read)
{
	struct answer a;

	NEED_MACHINE();
	a = ask(TEXT ABBREVS LINE UNIT NAMED("g", "inner") FUNCTION
		"	.fill 100000, 1, 5\n" INLINED("g", 7) "	.fill 100002, 1, 0\n" END_UNIT,
		5);
	EXPECT_STR(a.chain, "inner ??:7");
	EXPECT(a.seconds < 2);
	release(&a);
	/* The same unit without the null entries that end lists of children. */
	a = ask(TEXT ABBREVS LINE UNIT NAMED("g", "inner") FUNCTION "	.fill 100000, 1, 5\n" INLINED("g", 7) "end:\n",
		5);
	EXPECT_STR(a.chain, "inner ??:7");
	release(&a);
}

TEST(of_twenty_thousand_inlined_into_one_another_the_innermost_are_given)
{
	struct answer a;
	size_t frames = 1;

	NEED_MACHINE();
	a = ask(TEXT ABBREVS LINE UNIT NAMED("g", "inner") FUNCTION
		"	.rept 20000\n" INLINED("g", 7) "	.endr\n	.fill 20002, 1, 0\n" END_UNIT,
		5);
	for (const char *p = a.chain; (p = strstr(p, " < ")); p++)
		frames++;
	EXPECT_INT(frames, HD_INLINE_MAX);
	EXPECT(a.seconds < 2);
	release(&a);
}

TEST(an_unknown_abbreviation_costs_what_follows_it)
{
	struct answer a;

	NEED_MACHINE();
	a = ask(TEXT ABBREVS LINE UNIT NAMED("g", "inner") FUNCTION INLINED("g", 7) "	.byte 77, 0, 0\n" END_UNIT, 5);
	EXPECT_STR(a.chain, "inner ??:7");
	EXPECT(strstr(a.warned, "an entry's abbreviation is not in its table"));
	release(&a);
	a = ask(TEXT ABBREVS LINE UNIT NAMED("g", "inner") "	.byte 77\n" FUNCTION INLINED("g",
			7) "	.byte 0, 0\n" END_UNIT,
		5);
	EXPECT_STR(a.chain, "-");
	EXPECT(a.warned);
	release(&a);
}

TEST(an_abbreviation_of_endless_attributes_that_take_no_bytes_cannot_be_used)
{
	struct answer a;

	NEED_MACHINE();
	/* 200,000 entries of one byte, each of which would have 30,000 attributes. */
	a = ask(TEXT "	.section .debug_abbrev, \"\", %progbits\n"
		"	.byte 1, 0x11, 1, 0x11, 1, 0x12, 7, 0x10, 0x17, 0, 0\n"
		"	.byte 2, 0x1d, 0\n	.rept 30000\n	.byte 0x59, 0x21, 0\n	.endr\n	.byte 0, 0\n"
		"	.byte 3, 0x2e, 1, 0x11, 1, 0x12, 7, 0, 0\n	.byte 0\n"
		LINE UNIT "	.byte 3\n	.quad f, 64\n	.fill 200000, 1, 2\n	.byte 0\n" END_UNIT, 5);
	EXPECT_STR(a.chain, "-");
	EXPECT(strstr(a.warned, "an entry cannot be read to its end"));
	EXPECT(a.seconds < 2);
	release(&a);
}

TEST(inlined_functions_that_take_a_byte_each_do_not_fill_the_memory)
{
	struct answer a;

	NEED_MACHINE();
	a = ask(TEXT "	.section .debug_abbrev, \"\", %progbits\n"
		"	.byte 1, 0x11, 1, 0x11, 1, 0x12, 7, 0x10, 0x17, 0, 0\n"
		"	.byte 2, 0x1d, 0, 0x59, 0x21, 7, 0, 0\n"
		"	.byte 3, 0x2e, 1, 0x11, 1, 0x12, 7, 0, 0\n	.byte 0\n"
		LINE UNIT "	.byte 3\n	.quad f, 64\n	.fill 1000000, 1, 2\n	.byte 0\n" END_UNIT, 5);
	EXPECT_STR(a.chain, "-");
	EXPECT(strstr(a.warned, "too many inlined functions"));
	EXPECT(a.seconds < 2);
	release(&a);
}

TEST(a_long_list_of_ranges_that_all_instances_share_is_not_read_for_each)
{
	struct answer a;

	NEED_MACHINE();
	a = ask(TEXT ABBREVS LINE
		"	.section .debug_ranges, \"\", %progbits\n"
		"	.rept 50000\n"
		"	.quad 1, 2\n"
		"	.endr\n"
		"	.quad 0, 0\n" UNIT
			NAMED("g", "inner") FUNCTION
		"	.rept 50000\n"
		"	.byte 7\n"
		"	.long g - unit\n"
		"	.long 0\n"
		"	.endr\n"
		"	.byte 0\n" END_UNIT,
		1);
	EXPECT_STR(a.chain, "inner ??:0");
	EXPECT(strstr(a.warned, "too many address ranges"));
	EXPECT(a.seconds < 5);
	release(&a);
}

TEST(an_index_of_a_list_of_ranges_beyond_the_section_is_damage)
{
	struct answer a;

	NEED_MACHINE();
	/* A unit of DWARF 5 whose ranges are list 100.  The section has one list, which follows its header. */
	a = ask(TEXT "	.section .debug_abbrev, \"\", %progbits\n"
		"	.byte 1, 0x11, 1, 0x11, 1, 0x12, 7, 0x10, 0x17, 0, 0\n"
		"	.byte 2, 0x2e, 1, 0x11, 1, 0x12, 7, 0, 0\n"
		"	.byte 3, 0x1d, 0, 0x31, 0x13, 0x55, 0x23, 0, 0\n"
		"	.byte 4, 0x2e, 0, 3, 8, 0, 0\n	.byte 0\n"
		LINE
		"	.section .debug_rnglists, \"\", %progbits\n"
		"	.long 19\n	.short 5\n	.byte 8, 0\n	.long 0\n"
		"	.byte 7\n	.quad f\n	.byte 32, 0\n"
		"	.section .debug_info, \"\", %progbits\n"
		"unit:	.long end - version\nversion:	.short 5\n	.byte 1, 8\n	.long 0\n"
		"	.byte 1\n	.quad f, 64\n	.long 0\n"
		NAMED("g", "inner") FUNCTION "	.byte 3\n	.long g - unit\n	.byte 100, 0, 0\n" END_UNIT, 5);
	EXPECT_STR(a.chain, "-");
	EXPECT(a.warned && strstr(a.warned, "a list of address ranges is outside its section"));
	release(&a);
}

TEST(functions_inside_of_functions_without_end_are_not_read_for_ever)
{
	struct hd_buf text = { 0 };
	struct hd_bench b;
	struct timespec from, to;
	uint64_t f;

	NEED_MACHINE();
	/* 3,000 nested functions, each one byte shorter than the outer one, and 30,000 blocks in the innermost one. */
	hd_buf_adds(&text,
		"	.text\n"
		"	.globl f\n"
		"	.type f, @function\n"
		"	.size f, 3000\n"
		"f:	.fill 3000, 1, 0x90\n" ABBREVS
			LINE
		"	.section .debug_info, \"\", %progbits\n"
		"unit:	.long end - version\n"
		"version:	.short 4\n"
		"	.long 0\n"
		"	.byte 8\n"
		"	.byte 1\n"
		"	.quad f, 3000\n"
		"	.long 0\n");
	for (int i = 0; i < 3000; i++)
		hd_buf_addf(&text, "	.byte 2\n	.quad f + %d, %d\n", i, 3000 - i);
	hd_buf_adds(&text, "	.fill 30000, 1, 5\n	.fill 33001, 1, 0\nend:\n");
	put("h.s", text.data);
	RUN_SH("$CC -nostdlib -shared -Wl,--build-id=none h.s -o h.so");
	f = nm_of("h.so", "f");
	bench_file(&b, "h.so");
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
	for (uint64_t i = 0; i < 3000; i++)
		free(inlined_at(&b, f + i));
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
	EXPECT((double)(to.tv_sec - from.tv_sec) < 4);
	EXPECT(strstr(hd_log_find(&b.log, "symbols.inlines-damaged")->text,
		"too many nested functions"));
	bench_close(&b);
	hd_buf_release(&text);
}

TEST(code_that_the_linker_dropped_is_nowhere)
{
	struct answer a;

	NEED_MACHINE();
	/* Functions at 0, -1 and -2, where linkers put dropped code, with sizes of almost 2 GiB. */
	a = ask(TEXT ABBREVS LINE UNIT NAMED("g",
			"dead") "	.byte 2\n	.quad 0, 0x7fffffff\n	.byte 3\n	.long g - "
				"unit\n	.quad 0, 0x7fffffff\n	.short 1\n	.byte 0, 0\n"
				"	.byte 2\n"
				"	.quad -1, 0x7fffffff\n"
				"	.byte 3\n"
				"	.long g - unit\n"
				"	.quad -1, 0x7fffffff\n"
				"	.short 1\n"
				"	.byte 0, 0\n"
				"	.byte 2\n"
				"	.quad -2, 0x7fffffff\n"
				"	.byte 3\n"
				"	.long g - unit\n"
				"	.quad -2, 0x7fffffff\n"
				"	.short 1\n"
				"	.byte 0, 0\n" FUNCTION "	.byte 3\n"
				"	.long g - unit\n"
				"	.quad 0, 0x7fffffff\n"
				"	.short 1\n"
				"	.byte 0, 0\n" END_UNIT,
		5);
	EXPECT_STR(a.chain, "-");
	EXPECT(!a.warned);
	release(&a);
}

TEST(a_sibling_that_leads_backwards_or_out_of_the_unit_is_not_followed)
{
	static const char *const where[] = { "0", "unit - unit", "unit - unit + 11", "0x7fffffff", "end - unit" };

	NEED_MACHINE();
	for (size_t i = 0; i < HD_COUNT(where); i++) {
		char *text = textf("%s%s%s",
			TEXT "	.section .debug_abbrev, \"\", %progbits\n"
			     "	.byte 1, 0x11, 1, 0x11, 1, 0x12, 7, 0x10, 0x17, 0, 0\n"
			     "	.byte 2, 0x2e, 1, 0x11, 1, 0x12, 7, 0, 0\n"
			     "	.byte 3, 0x1d, 1, 0x31, 0x13, 0x11, 1, 0x12, 7, 0x59, 5, 0, 0\n"
			     "	.byte 4, 0x2e, 0, 3, 8, 0, 0\n"
			     "	.byte 5, 0x13, 1, 1, 0x13, 0, 0\n	.byte 0\n" LINE UNIT NAMED("g",
				     "inner") "	.byte 5\n	.long ",
			where[i], "\n	.byte 0\n" FUNCTION INLINED("g", 7) "	.byte 0, 0\n" END_UNIT);
		struct answer a = ask(text, 5);

		EXPECT_STR(a.chain, "inner ??:7");
		release(&a);
		free(text);
	}
}

/* ---- damage anywhere ---- */

static void ask_everything(const char *name, const uint64_t *v, size_t n)
{
	struct hd_bench b;

	bench_file(&b, name);
	for (size_t i = 0; i < n; i += 3)
		free(inlined_at(&b, v[i]));
	bench_close(&b);
}

/*
 * Find the offset and size of a section of a 64-bit little-endian file with readelf.  Returns false if it is missing.
 */
static bool find_section(const char *name, const char *section, size_t *off, size_t *size)
{
	char *cmd = textf("readelf -SW %s | sed 's/\\[ */[/' | awk '$2 == \"%s\" { print $5, $6 }'", name, section),
	     *out = said(cmd);
	bool found = sscanf(out, "%zx %zx", off, size) == 2;

	free(out);
	free(cmd);
	return found;
}

static void damage_every_byte(const char *build)
{
	static const char *const sections[] = { ".debug_info", ".debug_abbrev", ".debug_ranges", ".debug_rnglists",
		".debug_addr", ".debug_str_offsets" };
	static const uint8_t values[] = { 0, 0xff, 0x80 };
	char *cmd = textf("%s -nostdlib -shared -fPIC in.c -o in.so 2>/dev/null", build);
	size_t n, nbytes, hit = 0;
	uint64_t *v;
	uint8_t *bytes;

	NEED("nm");
	NEED("readelf");
	lay_out_sources();
	if (run_sh(cmd)) {
		free(cmd);
		SKIP("cannot build it here");
	}
	free(cmd);
	v = addresses_of("in.so", &n);
	bytes = slurp("in.so", &nbytes);
	for (size_t s = 0; s < HD_COUNT(sections); s++) {
		size_t off, size;

		if (!find_section("in.so", sections[s], &off, &size))
			continue;
		EXPECT(off < nbytes && size <= nbytes - off);
		for (size_t i = 0; i < size; i++) {
			uint8_t was = bytes[off + i];

			bytes[off + i] = i % 4 == 3 ? (uint8_t)(was + 1) : values[i % 4];
			put_bytes("damaged.so", bytes, nbytes);
			ask_everything("damaged.so", v, n);
			bytes[off + i] = was;
			hit++;
		}
	}
	EXPECT(hit > 200);
	free(bytes);
	free(v);
}

TEST(any_byte_of_dwarf_4_may_be_wrong)
{
	damage_every_byte("gcc -gdwarf-4 -O2");
}

TEST(any_byte_of_dwarf_5_may_be_wrong)
{
	damage_every_byte("clang -gdwarf-5 -O2");
}

/* ---- files that the binary names ---- */

TEST(what_is_no_regular_file_is_not_opened_as_a_dwo_file)
{
	struct hd_bench b;
	uint64_t *v;
	size_t n;

	NEED("nm");
	NEED("mkfifo");
	lay_out_sources();
	RUN_SH("rm -f *.dwo");
	TRY_SH("g++ -O2 -g -gsplit-dwarf -nostdlib -shared -fPIC in.cc in2.cc -o in.so");
	RUN_SH("for f in *.dwo; do rm $f; mkfifo $f; done");
	v = addresses_of("in.so", &n);
	bench_file(&b, "in.so");
	for (size_t i = 0; i < n; i++)
		free(inlined_at(&b, v[i]));
	EXPECT(hd_log_find(&b.log, "symbols.dwo-absent"));
	bench_close(&b);
	free(v);
	RUN_SH("rm -f *.dwo");
}

TEST(below_a_symbol_root_dwo_files_are_looked_for_there_only)
{
	struct hd_bench b;
	char *root, *path;
	uint64_t *v;
	size_t n, inlined = 0;

	NEED("nm");
	lay_out_sources();
	RUN_SH("rm -rf *.dwo root && mkdir root");
	TRY_SH("g++ -O2 -g -gsplit-dwarf -nostdlib -shared -fPIC in.cc in2.cc -o in.so");
	RUN_SH("cp in.so root/in.so");
	v = addresses_of("in.so", &n);
	root = textf("%s/root", workshop);
	for (int pass = 0; pass < 2; pass++) {
		bench_recorded(&b, root, "/in.so", "");
		for (size_t i = 0; i < n; i++) {
			char *one = inlined_at(&b, v[i]);

			inlined += strcmp(one, "-") != 0;
			free(one);
		}
		EXPECT_INT(inlined > 0, pass);
		EXPECT_INT(hd_log_find(&b.log, "symbols.dwo-absent") == NULL, pass);
		bench_close(&b);
		/* In the second pass the files are below the root, at the path where they were built. */
		path = textf("mkdir -p root%s && cp *.dwo root%s", workshop, workshop);
		EXPECT_INT(run_sh(path), 0);
		free(path);
	}
	free(root);
	free(v);
}

WORKSHOP_MAIN(
	RUN(a_valid_file_is_read),
	RUN(entries_that_refer_to_each_other_in_a_circle_have_no_name_and_what_is_inside_counts_as_called_outside),
	RUN(a_reference_out_of_its_unit_leads_nowhere),
	RUN(blocks_nested_a_hundred_thousand_deep_are_read),
	RUN(of_twenty_thousand_inlined_into_one_another_the_innermost_are_given),
	RUN(an_unknown_abbreviation_costs_what_follows_it),
	RUN(an_abbreviation_of_endless_attributes_that_take_no_bytes_cannot_be_used),
	RUN(inlined_functions_that_take_a_byte_each_do_not_fill_the_memory),
	RUN(a_long_list_of_ranges_that_all_instances_share_is_not_read_for_each),
	RUN(an_index_of_a_list_of_ranges_beyond_the_section_is_damage),
	RUN(functions_inside_of_functions_without_end_are_not_read_for_ever),
	RUN(code_that_the_linker_dropped_is_nowhere),
	RUN(a_sibling_that_leads_backwards_or_out_of_the_unit_is_not_followed),
	RUN(any_byte_of_dwarf_4_may_be_wrong),
	RUN(any_byte_of_dwarf_5_may_be_wrong),
	RUN(what_is_no_regular_file_is_not_opened_as_a_dwo_file),
	RUN(below_a_symbol_root_dwo_files_are_looked_for_there_only),
)
