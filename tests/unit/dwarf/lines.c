/* lines.c - compare source lines with addr2line, and read line tables that were made to attack readers */
#include "unit/symbols/workshop.h"

#include "dwarf/lines.h"
#include "dwarf/line_table.h"

#include <time.h>

static const char header[] =
	"static inline __attribute__((always_inline)) int twice(int x)\n{\n\treturn x * 2 +\n\t\tx;\n}\n";
static const char source[] =
	"#include \"dir/h.h\"\n"
	"__attribute__((noinline)) int one(int x)\n"
	"{\n"
	"	int y = twice(x);\n"
	"	if (y > 5)\n"
	"		y -= x;\n"
	"	return y;\n"
	"}\n"
	"__attribute__((section(\".text.elsewhere\"), noinline)) int two(int x)\n"
	"{\n"
	"	return one(x) + one(x + 1);\n"
	"}\n"
	"#line 700 \"/generated/parser.y\"\n"
	"__attribute__((noinline)) int three(int x)\n"
	"{\n"
	"	return two(x) ^ x;\n"
	"}\n";

static char *line_at(struct hd_bench *b, uint64_t vaddr)
{
	struct hd_line_hit hit;

	hd_object_line(b->o, vaddr, &hit);
	return hit.file ? textf("%s:%u", hit.file, hit.line) : textf("??:0");
}

/*
 * Compare `FILE:LINE` of every byte of the functions one, two and three in `file` with a tool.  If
 * several rows have one address, elfutils uses the last one, as we do, but it needs .debug_aranges,
 * which clang does not write; binutils does not need it.
 */
static void expect_tool_agrees(const char *file)
{
	char *ranges = textf("readelf -SW %s | grep -q -e debug_aranges", file);
	const char *tool = have("eu-addr2line") && run_sh(ranges) == 0 ? "eu-addr2line" : "addr2line";
	char *cmd = textf("nm -S %s | awk '$3 ~ /[tT]/ && $4 ~ /^(one|two|three)$/ { print $1, $2 }'", file),
	     *out = said(cmd);
	struct hd_bench b;
	size_t n = 0;

	bench_file(&b, file);
	for (char *save, *line = strtok_r(out, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		uint64_t start, size;
		char *ask, *answers, *rest, *answer;

		EXPECT(sscanf(line, "%" SCNx64 " %" SCNx64, &start, &size) == 2);
		ask = textf(
			"for a in $(seq %llu %llu); do printf '0x%%x\\n"
			"' $a; done | %s -e %s | sed 's/ .*//; s/:?$/:0/'",
			(unsigned long long)start, (unsigned long long)(start + size - 1), tool, file);
		answers = said(ask);
		rest = answers;
		for (uint64_t vaddr = start; vaddr < start + size; vaddr++, n++) {
			char *ours = line_at(&b, vaddr), *ours_base = strrchr(ours, '/'), *base;

			answer = strsep(&rest, "\n");
			EXPECT(answer);
			base = strrchr(answer, '/');
			base = base ? base : answer;
			/* Remove the column, which eu-addr2line prints after the line. */
			if (strchr(base, ':') != strrchr(base, ':'))
				*strrchr(base, ':') = '\0';
			EXPECT_STR(ours_base ? ours_base : ours, base);
			free(ours);
		}
		free(answers);
		free(ask);
	}
	EXPECT(n > 30);
	EXPECT_INT(b.log.n, 0);
	bench_close(&b);
	free(ranges);
	free(out);
	free(cmd);
}

static void lay_out(void)
{
	RUN_SH("mkdir -p dir");
	put("dir/h.h", header);
	put("l.c", source);
}

#define VARIANT(test, build)					\
	TEST(test)							\
	{								\
		NEED("nm");						\
		NEED("addr2line");					\
		NEED("readelf");					\
		lay_out();						\
		TRY_SH(build " -nostdlib -shared -fPIC l.c -o l.so");	\
		expect_tool_agrees("l.so");				\
	}

VARIANT(each_byte_of_code_has_its_line, "$CC -g -O1")
VARIANT(so_it_has_without_optimisation, "$CC -g -O0")
VARIANT(in_dwarf_2, "$CC -gdwarf-2 -O2")
VARIANT(in_dwarf_4, "$CC -gdwarf-4 -O2")
VARIANT(in_dwarf_5, "$CC -gdwarf-5 -O2")
VARIANT(in_64_bit_dwarf, "$CC -gdwarf64 -gdwarf-5 -O2")
VARIANT(with_packed_sections, "$CC -g -gz=zlib -O2")
VARIANT(with_sections_packed_the_old_way, "$CC -g -gz=zlib-gnu -O2")
VARIANT(with_a_section_per_function, "$CC -g -O2 -ffunction-sections")
VARIANT(from_clang_which_lists_no_address_ranges, "clang -g -O1")
VARIANT(from_clang_with_split_dwarf_the_split_off_part_is_not_needed, "clang -g -gsplit-dwarf -gdwarf-5 -O1")

TEST(paths_are_whole)
{
	struct hd_bench b;
	char *got, *want;

	NEED("nm");
	lay_out();
	RUN_SH("$CC -g -O0 -nostdlib -shared -fPIC l.c -o l.so");
	bench_file(&b, "l.so");
	got = line_at(&b, nm_of("l.so", "one"));
	want = textf("%s/l.c:3", workshop);
	EXPECT_STR(got, want);
	free(got);
	free(want);
	got = line_at(&b, nm_of("l.so", "three"));
	EXPECT_STR(got, "/generated/parser.y:701");
	free(got);
	bench_close(&b);
}

TEST(lines_of_a_stripped_file_come_from_its_debug_file)
{
	struct hd_bench b;
	uint64_t one;
	char *got;

	NEED("nm");
	NEED("objcopy");
	lay_out();
	RUN_SH("$CC -g -O0 -nostdlib -shared -fPIC l.c -o l.so && objcopy --only-keep-debug l.so l.dbg");
	one = nm_of("l.so", "one");
	RUN_SH("objcopy -S --add-gnu-debuglink=l.dbg l.so && mkdir -p .debug && mv l.dbg .debug");
	bench_file(&b, "l.so");
	got = line_at(&b, one);
	EXPECT(strstr(got, "/l.c:3"));
	free(got);
	bench_close(&b);
}

TEST(a_file_without_line_information_has_none_and_no_complaint)
{
	struct hd_bench b;
	char *got;

	NEED("nm");
	lay_out();
	RUN_SH("$CC -g0 -O1 -nostdlib -shared -fPIC l.c -o l.so");
	bench_file(&b, "l.so");
	got = line_at(&b, nm_of("l.so", "one"));
	EXPECT_STR(got, "??:0");
	free(got);
	got = line_at(&b, 0);
	EXPECT_STR(got, "??:0");
	free(got);
	EXPECT_INT(b.log.n, 0);
	bench_close(&b);
}

TEST(a_section_that_claims_to_unpack_to_more_than_it_can_is_not_unpacked)
{
	struct hd_bench b;
	char *got;

	NEED("objcopy");
	NEED("nm");
	lay_out();
	RUN_SH("$CC -g -O1 -nostdlib -shared -fPIC l.c -o l.so");
	put_bytes("lie", "ZLIB\0\0\100\0\0\0\0\0x\234\3\0\0\0\0\1", 20);
	RUN_SH("objcopy -R .debug_str --add-section .zdebug_str=lie l.so");
	bench_file(&b, "l.so");
	got = line_at(&b, nm_of("l.so", "one"));
	EXPECT_STR(got, "??:0");
	free(got);
	EXPECT(strstr(hd_log_find(&b.log, "symbols.lines-damaged")->text,
		"`.zdebug_str` declares that its 20 bytes decompress to 70368744177664"));
	/* Only the lines are lost; the names of functions are found. */
	EXPECT_STR(name_at(&b, foff_of("l.so", nm_of("l.so", "one"))), "one");
	bench_close(&b);
}

/* ---- units that were made to be expensive to read ---- */

/*
 * Look up the line of `vaddr` in a library whose .debug_* sections are written in assembler.  Returns the CPU time in
 * seconds, and the result in *answer, which the caller frees.
 */
static double ask_once(const char *sections, uint64_t vaddr, char **answer)
{
	struct timespec from, to;
	struct hd_bench b;

	put("d.s", sections);
	RUN_SH("$CC -nostdlib -shared -Wl,--build-id=none d.s -o d.so");
	bench_file(&b, "d.so");
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
	*answer = line_at(&b, vaddr);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
	bench_close(&b);
	return (double)(to.tv_sec - from.tv_sec) + (double)(to.tv_nsec - from.tv_nsec) / 1e9;
}

TEST(a_long_table_of_abbreviations_that_all_units_share_is_read_once)
{
	char *answer;
	double s = ask_once(
		"	.text\n	.globl f\nf:	.fill 16, 1, 0\n"
		/* 30000 abbreviations; the units use the last one, with DW_AT_stmt_list as data1. */
		"	.section .debug_abbrev, \"\", %progbits\n"
		"	.set n, 1\n"
		"	.rept 30000\n"
		"	.uleb128 n\n"
		"	.byte 0x11, 0, 0x10, 0x0b, 0, 0\n"
		"	.set n, n + 1\n"
		"	.endr\n"
		"	.byte 0\n"
		"	.section .debug_info, \"\", %progbits\n"
		"	.rept 50000\n"
		"	.long 11\n"
		"	.short 2\n"
		"	.long 0\n"
		"	.byte 8\n"
		"	.uleb128 30000\n"
		"	.byte 0\n"
		"	.endr\n"
		"	.section .debug_line, \"\", %progbits\n"
		"	.long 0\n",
		0x1000, &answer);

	EXPECT_STR(answer, "??:0");
	EXPECT(s < 5);
	free(answer);
}

TEST(a_long_list_of_ranges_that_all_units_share_is_not_read_for_each)
{
	char *answer;
	double s = ask_once(
		"	.text\n"
		"	.globl f\n"
		"f:	.fill 16, 1, 0\n"
		"	.section .debug_abbrev, \"\", %progbits\n"
		"	.uleb128 1\n"
		"	.byte 0x11, 0, 0x10, 0x0b, 0x55, 6, 0, 0, 0\n"
		"	.section .debug_ranges, \"\", %progbits\n"
		"	.rept 50000\n"
		"	.quad 0x7000, 0x7001\n"
		"	.endr\n"
		"	.quad 0, 0\n"
		"	.section .debug_info, \"\", %progbits\n"
		"	.rept 50000\n"
		"	.long 13\n"
		"	.short 2\n"
		"	.long 0\n"
		"	.byte 8\n"
		"	.uleb128 1\n"
		"	.byte 0\n"
		"	.long 0\n"
		"	.endr\n"
		"	.section .debug_line, \"\", %progbits\n"
		"	.long 0\n",
		0x1000, &answer);

	EXPECT_STR(answer, "??:0");
	EXPECT(s < 5);
	free(answer);
}

/* ---- line tables byte by byte ---- */

/*
 * Read a copy of exactly n bytes, so that a sanitizer detects reads past the end.  The copy lives
 * until the next call.
 */
static struct hd_line_table *read_unit(const uint8_t *bytes, size_t n, struct hd_err *err)
{
	static struct hd_debug_section none;
	static uint8_t *copy;
	struct hd_line_table *t = NULL;
	struct hd_line_table_in in = { .n = n, .comp_dir = "/src", .line_str = &none, .str = &none };

	free(copy);
	copy = hd_alloc(n ? n : 1);
	if (n)
		memcpy(copy, bytes, n);
	in.unit = copy;
	if (hd_line_table_read(&t, &in, err) < 0) {
		free(copy);
		copy = NULL;
		return NULL;
	}
	return t;
}

#define UNIT_HEAD(program) \
	27 + program, 0, 0, 0, 2, 0, 21, 0, 0, 0, /* version 2, 21 bytes of header follow */ \
	1, 1, 0xfb, 14, 4,	/* min_inst, default_is_stmt, line_base -5, line_range 14, opcode_base 4 */ \
	0, 1, 1,				/* lengths of opcodes 1..3 */ \
	'i', 'n', 'c', 0, 0,			/* directories */ \
	'a', '.', 'c', 0, 1, 0, 0, 0		/* file 1 */

static const uint8_t good[] = {
	UNIT_HEAD(24),
	0, 9, 2, 0, 0x10, 0, 0, 0, 0, 0, 0,	/* address 0x1000 */
	3, 9,					/* line += 9: 10 */
	1,					/* row */
	2, 4, 3, 1, 1,				/* 0x1004: 11 */
	2, 4, 0, 1, 1,				/* 0x1008: the end */
};

TEST(a_line_program_gives_rows_and_a_row_reaches_to_the_next)
{
	struct hd_line_table *t;
	uint32_t file, line;
	struct hd_err err;

	t = read_unit(good, sizeof(good), &err);
	EXPECT(t);
	EXPECT(!hd_line_table_damage(t));
	EXPECT(!hd_line_table_find(t, 0xfff, &file, &line));
	EXPECT(hd_line_table_find(t, 0x1000, &file, &line) && line == 10 && file == 1);
	EXPECT(hd_line_table_find(t, 0x1003, &file, &line) && line == 10);
	EXPECT(hd_line_table_find(t, 0x1007, &file, &line) && line == 11);
	EXPECT(!hd_line_table_find(t, 0x1008, &file, &line));
	EXPECT_STR(hd_line_table_file(t, 1), "/src/inc/a.c");
	EXPECT(!hd_line_table_file(t, 0));
	EXPECT(!hd_line_table_file(t, 2));
	hd_line_table_free(t);
}

TEST(a_line_program_cut_off_anywhere_is_an_error_or_read_as_far_as_it_goes)
{
	for (size_t n = 0; n < sizeof(good); n++) {
		struct hd_err err = { 0 };
		uint8_t cut[sizeof(good)];
		struct hd_line_table *t;

		/* The header declares the full length of the unit: a shorter unit is an error. */
		t = read_unit(good, n, &err);
		EXPECT(!t && err.msg[0]);
		/* The header declares the length after truncation: the header must be complete, the rest is read. */
		memcpy(cut, good, sizeof(good));
		cut[0] = (uint8_t)(n < 4 ? 0 : n - 4);
		t = read_unit(cut, n, &err);
		EXPECT(n < 31 ? !t : t != NULL);
		/* Nothing is lost if the program ends between two opcodes and before its first row. */
		if (t)
			EXPECT(!hd_line_table_damage(t) == (n == 31 || n == 42 || n == 44));
		hd_line_table_free(t);
	}
}

TEST(impossible_numbers_in_a_header_are_refused)
{
	static const struct { size_t at; uint8_t value; } wrong[] = {
		{ 4, 1 }, { 4, 6 },		/* version */
		{ 6, 200 },			/* the header is longer than the unit */
		{ 13, 0 }, { 14, 0 },		/* line_range, opcode_base */
	};

	for (size_t i = 0; i < HD_COUNT(wrong); i++) {
		uint8_t bytes[sizeof(good)];
		struct hd_err err;

		memcpy(bytes, good, sizeof(good));
		bytes[wrong[i].at] = wrong[i].value;
		EXPECT(!read_unit(bytes, sizeof(bytes), &err));
	}
}

TEST(addresses_that_go_backwards_begin_anew_and_are_told)
{
	static const uint8_t back[] = {
		UNIT_HEAD(36),
		0, 9, 2, 0, 0x20, 0, 0, 0, 0, 0, 0, 1,		/* 0x2000: 1 */
		0, 9, 2, 0, 0x10, 0, 0, 0, 0, 0, 0, 3, 4, 1,	/* 0x1000: 5 */
		2, 8, 3, 1, 1,					/* 0x1008: 6 */
		2, 8, 0, 1, 1,					/* 0x1010: the end */
	};
	struct hd_line_table *t;
	uint32_t file, line;
	struct hd_err err;

	t = read_unit(back, sizeof(back), &err);
	EXPECT(t);
	EXPECT_STR(hd_line_table_damage(t), "addresses go backwards");
	EXPECT(hd_line_table_find(t, 0x1004, &file, &line) && line == 5);
	EXPECT(hd_line_table_find(t, 0x100f, &file, &line) && line == 6);
	EXPECT(!hd_line_table_find(t, 0x1010, &file, &line));
	hd_line_table_free(t);
}

TEST(numbers_padded_to_any_length_are_numbers)
{
	struct hd_buf b = { 0 };
	struct hd_line_table *t;
	uint32_t file, line, length;
	struct hd_err err;

	hd_buf_add(&b, good, 31);
	hd_buf_add(&b, "\0\11\2\0\20\0\0\0\0\0\0", 11);
	hd_buf_adds(&b, "\3\211");		/* line += 9, padded */
	for (int i = 0; i < 5000; i++)
		hd_buf_addc(&b, (char)0x80);
	hd_buf_add(&b, "\0\1\2\4\0\1\1", 7);
	length = (uint32_t)b.len - 4;
	memcpy(b.data, &length, 4);
	t = read_unit((const uint8_t *)b.data, b.len, &err);
	EXPECT(t);
	EXPECT(hd_line_table_find(t, 0x1000, &file, &line) && line == 10);
	hd_line_table_free(t);
	hd_buf_release(&b);
}

TEST(a_thousand_files_in_a_directory_with_a_name_of_a_megabyte_stay_small)
{
	struct hd_buf b = { 0 };
	struct hd_line_table *t;
	uint32_t length, header_length;
	struct hd_err err;

	hd_buf_add(&b, good, 18);
	for (int i = 0; i < 1 << 20; i++)
		hd_buf_addc(&b, 'd');
	hd_buf_add(&b, "\0\0", 2);
	for (int i = 0; i < 1000; i++)
		hd_buf_add(&b, "f.c\0\1\0\0", 7);
	hd_buf_addc(&b, '\0');
	length = (uint32_t)b.len - 4;
	header_length = (uint32_t)b.len - 10;
	memcpy(b.data, &length, 4);
	memcpy(b.data + 6, &header_length, 4);
	t = read_unit((const uint8_t *)b.data, b.len, &err);
	EXPECT(t);
	/* If a path is too long, the file's own name is used. */
	for (uint32_t i = 1; i <= 1000; i++)
		EXPECT_STR(hd_line_table_file(t, i), "f.c");
	hd_line_table_free(t);
	hd_buf_release(&b);
}

WORKSHOP_MAIN(
	RUN(each_byte_of_code_has_its_line),
	RUN(so_it_has_without_optimisation),
	RUN(in_dwarf_2),
	RUN(in_dwarf_4),
	RUN(in_dwarf_5),
	RUN(in_64_bit_dwarf),
	RUN(with_packed_sections),
	RUN(with_sections_packed_the_old_way),
	RUN(with_a_section_per_function),
	RUN(from_clang_which_lists_no_address_ranges),
	RUN(from_clang_with_split_dwarf_the_split_off_part_is_not_needed),
	RUN(paths_are_whole),
	RUN(lines_of_a_stripped_file_come_from_its_debug_file),
	RUN(a_file_without_line_information_has_none_and_no_complaint),
	RUN(a_section_that_claims_to_unpack_to_more_than_it_can_is_not_unpacked),
	RUN(a_long_table_of_abbreviations_that_all_units_share_is_read_once),
	RUN(a_long_list_of_ranges_that_all_units_share_is_not_read_for_each),
	RUN(a_line_program_gives_rows_and_a_row_reaches_to_the_next),
	RUN(a_line_program_cut_off_anywhere_is_an_error_or_read_as_far_as_it_goes),
	RUN(impossible_numbers_in_a_header_are_refused),
	RUN(addresses_that_go_backwards_begin_anew_and_are_told),
	RUN(numbers_padded_to_any_length_are_numbers),
	RUN(a_thousand_files_in_a_directory_with_a_name_of_a_megabyte_stay_small),
)
