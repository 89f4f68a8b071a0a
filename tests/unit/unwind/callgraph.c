/* callgraph.c - select the kind of call graph for a program by how it was compiled */
#include "unit/symbols/workshop.h"

#include "unwind/callgraph.h"

static const char program[] =
	"#include <stdio.h>\n"
	"__attribute__((noinline)) int one(int n) { char b[64]; return snprintf(b, sizeof(b), \"%d\", n); }\n"
	"__attribute__((noinline)) int two(int n) { return one(n) + one(n + 1); }\n"
	"__attribute__((noinline)) int three(int n) { return two(n) * two(n + 2); }\n"
	"int main(int argc, char **argv) { (void)argv; return three(argc) == 7; }\n";

/*
 * Return the kind of call graph that is selected for these n files, and the reason in *why, which the caller releases.
 */
static enum hd_call_graph choose(struct hd_buf *why, const char *const *paths, size_t n)
{
	enum hd_call_graph how = HD_CALL_GRAPH_NONE;
	struct hd_err err = { 0 };

	EXPECT(hd_call_graph_choose(&how, why, paths, n, &err) >= 0);
	return how;
}

/* Build without the C library's startup code, which would be most of such a small program and has other options. */
#define BUILD(name, flags) RUN_SH("$CC -O2 -shared -nostartfiles -fPIC " flags " p.c -o " name)

static void expect_one(const char *name, enum hd_call_graph want, const char *because)
{
	struct hd_buf why = { 0 };

	EXPECT_INT(choose(&why, &name, 1), want);
	EXPECT(strstr(hd_buf_str(&why), because));
	hd_buf_release(&why);
}

TEST(a_program_that_keeps_frame_pointers_gets_fp)
{
	put("p.c", program);
	BUILD("keeps", "-fno-omit-frame-pointer");
	expect_one("keeps", HD_CALL_GRAPH_FP, "keeps keeps frame pointers in 100 % of its code with stack frames");
}

TEST(a_program_without_them_but_with_unwind_tables_gets_dwarf)
{
	put("p.c", program);
	BUILD("omits", "-fomit-frame-pointer -fasynchronous-unwind-tables");
	expect_one("omits", HD_CALL_GRAPH_DWARF,
		"omits keeps frame pointers in 0 % of its code with stack frames, and has unwind tables");
}

TEST(a_program_with_neither_gets_none)
{
	put("p.c", program);
	BUILD("bare", "-fomit-frame-pointer -fno-asynchronous-unwind-tables -fno-unwind-tables");
	expect_one("bare", HD_CALL_GRAPH_NONE, "bare has neither frame pointers nor unwind tables that cover it");
}

TEST(the_file_that_keeps_the_fewest_decides)
{
	static const char *const both[] = { "keeps", "omits" };
	struct hd_buf why = { 0 };

	put("p.c", program);
	BUILD("keeps", "-fno-omit-frame-pointer");
	BUILD("omits", "-fomit-frame-pointer");
	EXPECT_INT(choose(&why, both, 2), HD_CALL_GRAPH_DWARF);
	EXPECT(strstr(hd_buf_str(&why), "omits"));
	hd_buf_release(&why);
}

TEST(go_is_known_by_its_line_table_and_keeps_frame_pointers)
{
	put("p.c", program);
	put("table", "table");
	BUILD("plain", "-fno-asynchronous-unwind-tables -fno-unwind-tables");
	RUN_SH("objcopy --add-section .gopclntab=table plain go");
	expect_one("go", HD_CALL_GRAPH_FP, "go is built by Go, which keeps frame pointers");
}

TEST(a_file_that_is_no_program_is_an_error)
{
	const char *name = "text";
	enum hd_call_graph how;
	struct hd_buf why = { 0 };
	struct hd_err err = { 0 };

	put(name, "#!/bin/sh\n");
	EXPECT(hd_call_graph_choose(&how, &why, &name, 1, &err) < 0);
	EXPECT(strstr(err.msg, "text: not an ELF file"));
	name = "absent";
	EXPECT(hd_call_graph_choose(&how, &why, &name, 1, &err) < 0);
	hd_buf_release(&why);
}

WORKSHOP_MAIN(
	RUN(a_program_that_keeps_frame_pointers_gets_fp),
	RUN(a_program_without_them_but_with_unwind_tables_gets_dwarf),
	RUN(a_program_with_neither_gets_none),
	RUN(the_file_that_keeps_the_fewest_decides),
	RUN(go_is_known_by_its_line_table_and_keeps_frame_pointers),
	RUN(a_file_that_is_no_program_is_an_error),
)
