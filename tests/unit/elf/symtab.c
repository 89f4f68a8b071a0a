/* symtab.c - compare the names of addresses in binaries of many kinds with those of nm and objdump */
#include "unit/symbols/workshop.h"

#include "elf/file_ref.h"

static const char program[] =
	"int helper(int x);\n"
	"static __attribute__((noinline)) int inner(int x) { return x * 3 + 1; }\n"
	"__attribute__((noinline)) int outer(int x) { return inner(x) + helper(x); }\n"
	"__attribute__((weak, noinline)) int fallback(int x) { return x - 1; }\n"
	"int data_symbol = 5;\n"
	"__attribute__((noinline)) int helper(int x) { return x + data_symbol; }\n"
	"int main(int argc, char **argv) { (void)argv; return outer(argc) + fallback(argc); }\n";

static const char freestanding[] =
	"int helper(int x);\n"
	"static __attribute__((noinline)) int inner(int x) { return x * 3 + 1; }\n"
	"__attribute__((noinline)) int outer(int x) { return inner(x) + helper(x); }\n"
	"__attribute__((noinline)) int helper(int x) { return x + 2; }\n"
	"void _start(void) { outer(1); for (;;) ; }\n";

/* Return true if nm's list has this name at this address. */
static bool lists(const char *list, uint64_t start, const char *name)
{
	char *tail = textf(" %s\n", name);
	bool found = false;

	for (const char *at = list; !found && (at = strstr(at, tail)); at++) {
		const char *line = at;

		while (line > list && line[-1] != '\n')
			line--;
		found = strtoull(line, NULL, 16) == start;
	}
	free(tail);
	return found;
}

/*
 * Expect that each function with a size that nm lists in `file` is found in the file `asked_of` at its first, middle
 * and last byte, by one of its names.
 */
static void expect_nm_agrees(const char *file, const char *nm_flags, const char *asked_of)
{
	char *cmd = textf("nm %s -S --defined-only %s | grep -i ' [twi] '", nm_flags, file), *out = said(cmd),
	     *list = said(cmd);
	struct hd_bench b;
	size_t n = 0;

	bench_file(&b, asked_of);
	for (char *line = strtok(out, "\n"); line; line = strtok(NULL, "\n")) {
		uint64_t start, size, asked[3];
		char type, name[500];

		if (sscanf(line, "%" SCNx64 " %" SCNx64 " %c %499s", &start, &size, &type, name) != 4)
			continue;	/* nm printed no size for this symbol */
		asked[0] = start;
		asked[1] = start + size / 2;
		asked[2] = start + size - 1;
		for (size_t i = 0; i < 3; i++) {
			struct hd_symbol_hit hit;
			uint64_t foff = foff_of(asked_of, asked[i]);

			EXPECT(foff != UINT64_MAX);
			hd_object_lookup(b.o, foff, &hit);
			EXPECT(hit.linkage);
			EXPECT_INT(hit.vaddr, asked[i]);
			EXPECT_INT(hit.start, start);
			EXPECT_INT(hit.size, size);
			EXPECT(lists(list, start, hit.linkage));
		}
		n++;
	}
	EXPECT(n >= 4);
	bench_close(&b);
	free(list);
	free(out);
	free(cmd);
}

#define VARIANT(test, flags)						\
	TEST(test)							\
	{								\
		NEED("nm");						\
		put("p.c", program);					\
		TRY_SH("$CC -O1 " flags " p.c -o p");			\
		expect_nm_agrees("p", "", "p");				\
	}

VARIANT(a_position_independent_program_has_the_names_that_nm_lists, "-fPIE -pie")
VARIANT(a_program_at_fixed_addresses_has_them, "-fno-pie -no-pie")
VARIANT(a_program_with_code_and_headers_in_one_segment_has_them, "-fPIE -pie -Wl,-z,noseparate-code")
VARIANT(a_program_with_functions_in_sections_of_their_own_has_them, "-ffunction-sections -fPIE -pie -Wl,--gc-sections")
VARIANT(a_program_linked_by_lld_with_text_amid_a_page_has_them, "-fPIE -pie -fuse-ld=lld")
VARIANT(a_program_linked_by_gold_has_them, "-fPIE -pie -fuse-ld=gold")
VARIANT(a_program_with_huge_page_alignment_has_them, "-fPIE -pie -Wl,-z,max-page-size=2097152")
VARIANT(a_static_program_has_them, "-fno-pie -no-pie -static")

TEST(a_program_linked_far_away_has_them)
{
	NEED("nm");
	put("p.c", freestanding);
	TRY_SH("$CC -O1 -nostdlib -static -fno-pie -no-pie -Wl,-Ttext-segment=0x7000000000 p.c -o far");
	expect_nm_agrees("far", "", "far");
}

TEST(a_32_bit_program_has_them)
{
	NEED("nm");
	put("p.c", freestanding);
	TRY_SH("$CC -m32 -O1 -nostdlib -static -fno-pie -no-pie -fno-stack-protector p.c -o p32");
	expect_nm_agrees("p32", "", "p32");
}

/* The label's value is 0x401010, an offset in a section of some kilobytes; code without a symbol has that address. */
TEST(a_label_in_compressed_debug_information_names_no_code)
{
	struct hd_bench b;

	put("c.c", "__asm__(\".text; .zero 64\");\n"
		   "__asm__(\".section .debug_pad, \\\"\\\", @progbits; .zero 0x401010; in_debug: .zero 16; .text\");\n"
		   "void _start(void) { for (;;) ; }\n");
	TRY_SH("$CC -O1 -nostdlib -static -fno-pie -no-pie -Wl,-Ttext=0x401000,--compress-debug-sections=zlib "
		"c.c -o c");
	EXPECT(nm_of("c", "in_debug") == 0x401010 && nm_of("c", "_start") >= 0x401040);
	bench_file(&b, "c");
	EXPECT_STR(name_at(&b, foff_of("c", 0x401018)), "-");
	EXPECT_STR(name_at(&b, foff_of("c", nm_of("c", "_start"))), "_start");
	bench_close(&b);
}

TEST(a_stripped_library_has_its_dynamic_symbols)
{
	struct hd_bench b;

	NEED("nm");
	NEED("strip");
	put("l.c", program);
	RUN_SH("$CC -O1 -shared -fPIC l.c -o l.so && cp l.so ls.so && strip ls.so");
	bench_file(&b, "ls.so");
	EXPECT_INT(hd_object_quality(b.o), HD_SYMQ_DYNSYM);
	EXPECT_STR(name_at(&b, foff_of("ls.so", nm_of("l.so", "outer"))), "outer");
	EXPECT_STR(name_at(&b, foff_of("ls.so", nm_of("l.so", "helper"))), "helper");
	/* The name of a static function is missing, and the nearest other name must not be used. */
	EXPECT_STR(name_at(&b, foff_of("ls.so", nm_of("l.so", "inner"))), "-");
	bench_close(&b);
}

TEST(a_stripped_program_has_no_names_and_says_what_to_do)
{
	struct hd_bench b;

	NEED("strip");
	put("p.c", freestanding);
	RUN_SH("$CC -O1 -nostdlib -static -fno-pie -no-pie p.c -o p && cp p ps && strip ps");
	bench_file(&b, "ps");
	EXPECT_INT(hd_object_quality(b.o), HD_SYMQ_NONE);
	EXPECT_STR(hd_object_source(b.o), "");
	EXPECT_STR(hd_object_problem(b.o), "it is stripped, and there is no debug file for it");
	EXPECT_STR(name_at(&b, foff_of("ps", nm_of("p", "outer"))), "-");
	EXPECT(hd_log_find(&b.log, "symbols.none"));
	EXPECT(strstr(hd_log_find(&b.log, "symbols.none")->fix, "--symfs"));
	EXPECT(strstr(hd_log_find(&b.log, "symbols.none")->text, "/ps: no symbols: it is stripped"));
	bench_close(&b);
}

/* ---- hand-written code ---- */

static const char assembly[] =
	"	.text\n"
	"	.globl _start\n"
	"	.type _start, %function\n"
	"_start:	.fill 8, 1, 0\n"
	"	.size _start, 4\n"		/* the declared size is half of the real one */
	"	.globl unsized\n"
	"unsized: .fill 8, 1, 0\n"
	"	.type sized, %function\n"
	"sized:	.fill 4, 1, 0\n"
	"label:	.fill 4, 1, 0\n"
	"	.size sized, 8\n"
	"	.globl hidden_label\n"
	"	.hidden hidden_label\n"
	"hidden_label: .fill 8, 1, 0\n"
	"	.type last, %function\n"
	"last:	.fill 8, 1, 0\n"
	"	.section .code2, \"ax\", %progbits\n"
	"	.globl elsewhere\n"
	"elsewhere: .fill 8, 1, 0\n"
	"	.type typed, %function\n"
	"typed:	.fill 8, 1, 0\n"
	"	.data\n"
	"	.type in_data, %function\n"
	"in_data: .fill 8, 1, 0\n";

TEST(labels_and_unsized_functions_reach_as_far_as_their_section)
{
	struct hd_bench b;
	uint64_t start, typed;

	NEED("nm");
	put("a.s", assembly);
	RUN_SH("$CC -nostdlib -static -no-pie a.s -o a");
	bench_file(&b, "a");
	start = foff_of("a", nm_of("a", "_start"));
	typed = foff_of("a", nm_of("a", "typed"));
	EXPECT_STR(name_at(&b, start + 3), "_start");
	EXPECT_STR(name_at(&b, start + 4), "-");		/* the gap between the end of _start and `unsized` */
	EXPECT_STR(name_at(&b, start + 8), "unsized");
	EXPECT_STR(name_at(&b, start + 15), "unsized");
	EXPECT_STR(name_at(&b, start + 20), "sized");		/* not the label inside of `sized` */
	/* hidden labels are no symbols, so the symbol before them continues */
	EXPECT_STR(name_at(&b, start + 24), "label");
	EXPECT_STR(name_at(&b, start + 39), "last");
	EXPECT_STR(name_at(&b, typed - 1), "-");		/* labels without a type are used in .text only */
	EXPECT_STR(name_at(&b, typed + 7), "typed");
	EXPECT_STR(name_at(&b, typed + 8), "-");
	bench_close(&b);
}

TEST(arm_mapping_symbols_are_not_names_and_the_thumb_bit_is_no_address)
{
	struct hd_bench b;
	uint64_t f, t;

	NEED("nm");
	NEED("clang");
	NEED("ld.lld");
	put("arm.s", ".text\n.globl f\n.type f, %function\nf: .arm\nnop\n.word 1\nnop\n.size f, 12\n"
		     ".globl t\n.thumb\n.thumb_func\n.type t, %function\nt: nop\nnop\n.size t, 4\n");
	TRY_SH("clang --target=armv7-linux-gnueabi -c arm.s -o arm.o && ld.lld -shared arm.o -o arm.so");
	bench_file(&b, "arm.so");
	f = foff_of("arm.so", nm_of("arm.so", "f"));
	t = f + 12;
	EXPECT_STR(name_at(&b, f), "f");
	EXPECT_STR(name_at(&b, f + 4), "f");
	EXPECT_STR(name_at(&b, f + 8), "f");
	EXPECT_STR(name_at(&b, t), "t");
	EXPECT_STR(name_at(&b, t + 3), "t");
	EXPECT_STR(name_at(&b, t + 4), "-");
	bench_close(&b);
}

TEST(a_file_of_the_other_byte_order_is_read)
{
	struct hd_bench b;
	uint64_t foff = 0;
	size_t n;
	uint8_t *bytes;

	NEED("clang");
	put("be.s", ".text\n.globl alpha\n.type alpha, %function\nalpha: .space 8\n.size alpha, 8\n"
		    ".globl beta\n.type beta, %function\nbeta: .ascii \"HERE\"\n.space 4\n.size beta, 8\n");
	TRY_SH("clang --target=powerpc64-linux-gnu -mcpu=pwr8 -c be.s -o be.o && ld.lld -shared be.o -o be.so");
	bytes = slurp("be.so", &n);
	while (foff + 4 < n && memcmp(bytes + foff, "HERE", 4))
		foff++;
	free(bytes);
	bench_file(&b, "be.so");
	EXPECT_STR(name_at(&b, foff), "beta");
	EXPECT_STR(name_at(&b, foff - 1), "alpha");
	EXPECT_STR(name_at(&b, foff + 8), "-");
	bench_close(&b);
}

/* ---- stubs of the procedure linkage table ---- */

/* Expect each `NAME@plt` that objdump prints at its address, with the size of a stub.  Returns how many it expected. */
static size_t expect_objdump_agrees(const char *objdump, const char *file)
{
	char *cmd = textf("%s -d %s 2>/dev/null | sed -n 's/^\\([0-9a-f]*\\) <\\(.*@plt\\)>:$/\\1 \\2/p'", objdump,
		file);
	char *out = said(cmd);
	struct hd_bench b;
	size_t n = 0;

	bench_file(&b, file);
	for (char *line = strtok(out, "\n"); line; line = strtok(NULL, "\n")) {
		uint64_t vaddr;
		char name[200];

		EXPECT(sscanf(line, "%" SCNx64 " %199s", &vaddr, name) == 2);
		if (strstr(name, "*ABS*") || strstr(name, "-0x"))
			continue;
		EXPECT_STR(name_at(&b, foff_of(file, vaddr)), name);
		EXPECT_STR(name_at(&b, foff_of(file, vaddr) + 5), name);
		n++;
	}
	bench_close(&b);
	free(out);
	free(cmd);
	return n;
}

static const char calls[] =
	"int ext_a(int); int ext_b(int); int ext_c(int); extern int (*taken)(int);\n"
	"int own(int x) { return ext_c(x); }\n"
	"int calls(int x) { return ext_b(x) + ext_a(x) + own(x) + ext_c(x); }\n"
	"int (*taken)(int) = ext_b;\n"
	"int (*get(void))(int) { return ext_a; }\n";

#define PLT_VARIANT(test, build, file, objdump)				\
	TEST(test)							\
	{								\
		NEED("objdump");					\
		put("c.c", calls);					\
		TRY_SH(build);						\
		EXPECT(expect_objdump_agrees(objdump, file) >= 3);	\
	}

PLT_VARIANT(stubs_of_a_library_are_named_after_what_they_call, "$CC -O1 -shared -fPIC c.c -o c.so", "c.so", "objdump")
PLT_VARIANT(stubs_that_bind_at_once_are_named, "$CC -O1 -shared -fPIC -Wl,-z,now c.c -o cn.so", "cn.so", "objdump")
PLT_VARIANT(stubs_for_indirect_branch_tracking_are_named,
	    "$CC -O1 -shared -fPIC -fcf-protection -Wl,-z,ibtplt c.c -o ci.so", "ci.so", "objdump")
PLT_VARIANT(stubs_made_by_lld_are_named, "$CC -O1 -shared -fPIC -fuse-ld=lld c.c -o cl.so", "cl.so", "objdump")
PLT_VARIANT(stubs_of_a_32_bit_library_are_named,
	"$CC -m32 -O1 -shared -fPIC -nostdlib -fno-stack-protector c.c -o c32.so", "c32.so", "objdump")

TEST(stubs_of_an_aarch64_library_are_named)
{
	struct hd_bench b;
	uint64_t own;
	size_t plt = 0, first = 0;
	const char *was = "";

	NEED("clang");
	NEED("ld.lld");
	put("c.c", calls);
	TRY_SH("clang --target=aarch64-linux-gnu -O1 -fPIC -c c.c -o ca.o && ld.lld -shared ca.o -o ca.so");
	bench_file(&b, "ca.so");
	own = foff_of("ca.so", nm_of("ca.so", "own"));
	/* lld puts .plt after .text: a header of 32 bytes, and 16 for each stub. */
	for (uint64_t at = own; at < own + 400; at += 4) {
		const char *name = name_at(&b, at);

		if (!strcmp(name, ".plt"))
			first++;
		if (strstr(name, "@plt") && strcmp(name, was))
			plt++;
		was = name;
	}
	EXPECT_INT(first, 8);
	EXPECT_INT(plt, 3);
	bench_close(&b);
}

TEST(a_function_chosen_at_run_time_names_its_stub)
{
	char *out, *cmd;
	struct hd_bench b;
	uint64_t vaddr;

	NEED("objdump");
	put("i.c",
		"static int impl(int a) { return a; }\n"
		"static void *resolve(void) { return impl; }\n"
		"static int chosen(int) __attribute__((ifunc(\"resolve\")));\n"
		"int call(int a) { return chosen(a) + 1; }\n");
	TRY_SH("$CC -O1 -shared -fPIC i.c -o i.so");
	cmd = textf("objdump -d i.so | sed -n 's/^\\([0-9a-f]*\\) <[*]ABS[*].*@plt>:$/\\1/p'");
	out = said(cmd);
	if (sscanf(out, "%" SCNx64, &vaddr) != 1) {
		free(out);
		free(cmd);
		SKIP("the linker made no such stub");
	}
	bench_file(&b, "i.so");
	EXPECT_STR(name_at(&b, foff_of("i.so", vaddr)), "chosen@plt");
	bench_close(&b);
	free(out);
	free(cmd);
}

/* GNU ld makes stubs of 8 bytes for the ifuncs of a static program, and declares no size. */
TEST(small_stubs_of_a_static_program_have_the_names_of_what_they_call)
{
	static const char *const callers[] = { "call_one", "call_two", "call_three" };
	static const char *const stubs[] = { "one@plt", "two@plt", "three@plt" };
	struct hd_bench b;

	NEED("objdump");
	put("s.c",
		"static int impl(int a) { return a; }\n"
		"#define F(x) static void *resolve_##x(void) { return impl; } \\\n"
		"static int x(int) __attribute__((ifunc(\"resolve_\" #x))); int call_##x(int a) { return x(a) + 1; }\n"
		"F(one) F(two) F(three)\n"
		"void _start(void) { for (;;) call_one(call_two(call_three(1))); }\n");
	TRY_SH("$CC -O1 -fcf-protection=none -fno-stack-protector -static -nostdlib -fno-pie -no-pie s.c -o s");
	bench_file(&b, "s");
	for (size_t i = 0; i < HD_COUNT(callers); i++) {
		char *cmd = textf("objdump -d --no-show-raw-insn --disassemble=%s s |"
				  " sed -n 's/.*call  *\\([0-9a-f]*\\).*/\\1/p'", callers[i]);
		char *out = said(cmd);
		uint64_t vaddr = 0;

		EXPECT(sscanf(out, "%" SCNx64, &vaddr) == 1);
		EXPECT_STR(name_at(&b, foff_of("s", vaddr)), stubs[i]);
		EXPECT_STR(name_at(&b, foff_of("s", vaddr) + 7), stubs[i]);
		free(out);
		free(cmd);
	}
	bench_close(&b);
}

TEST(the_stub_that_calls_the_dynamic_linker_is_called_plt)
{
	struct hd_bench b;
	char *out;
	uint64_t vaddr;

	NEED("readelf");
	put("c.c", calls);
	TRY_SH("$CC -O1 -shared -fPIC -Wl,-z,lazy c.c -o c.so");
	out = said("readelf -SW c.so | sed -n 's/.* [.]plt  *PROGBITS  *\\([0-9a-f]*\\) .*/\\1/p'");
	EXPECT(sscanf(out, "%" SCNx64, &vaddr) == 1);
	bench_file(&b, "c.so");
	EXPECT_STR(name_at(&b, foff_of("c.so", vaddr)), ".plt");
	bench_close(&b);
	free(out);
}

/* ---- the cache ---- */

TEST(equal_keys_are_one_object_and_others_are_not)
{
	struct hd_bench b;
	uint8_t id[20] = { 1 };
	char *path = textf("%s/none", workshop);
	struct hd_symbols_key key = { .kind = HD_OBJ_FILE, .path = path };
	struct hd_symobj *other;

	bench_file(&b, "none");
	EXPECT(hd_symbols_object(b.sy, &key) == b.o);
	key.build_id = id;
	key.build_id_len = sizeof(id);
	other = hd_symbols_object(b.sy, &key);
	EXPECT(other != b.o);
	EXPECT(hd_symbols_object(b.sy, &key) == other);
	key.kind = HD_OBJ_ANON;
	EXPECT(hd_symbols_object(b.sy, &key) != other);
	bench_close(&b);
	free(path);
}

TEST(memory_without_a_file_has_no_symbols_and_no_warning)
{
	struct hd_symbols_opts opts = { .same_machine = true };
	struct hd_symbol_hit hit;
	struct hd_bench b;

	bench_open(&b, &opts, &(struct hd_symbols_key){ .kind = HD_OBJ_ANON, .path = "[heap]" });
	hd_object_lookup(b.o, 0x1234, &hit);
	EXPECT_INT(hit.vaddr, 0x1234);
	EXPECT(!hit.linkage);
	EXPECT_INT(b.log.n, 0);
	bench_close(&b);
}

TEST(an_address_that_is_in_no_segment_has_no_symbol_whatever_its_number)
{
	struct hd_bench b;

	NEED("nm");
	put("p.c", freestanding);
	RUN_SH("$CC -O1 -nostdlib -static -fno-pie -no-pie p.c -o p");
	bench_file(&b, "p");
	/* The vaddr of a function is not a file offset of this file. */
	EXPECT_STR(name_at(&b, nm_of("p", "outer")), "-");
	EXPECT_STR(name_at(&b, UINT64_MAX), "-");
	EXPECT_STR(name_at(&b, foff_of("p", nm_of("p", "outer"))), "outer");
	bench_close(&b);
}

TEST(the_file_itself_can_be_opened_again_unless_it_has_changed)
{
	struct hd_file_ref ref = { 0 };
	struct hd_err err;
	char text[4];
	int fd;

	put("p", "text");
	fd = hd_file_ref_open(&ref, workshop, "p", NULL, &err);
	EXPECT(fd >= 0);
	close(fd);
	fd = hd_file_ref_reopen(&ref, NULL, &err);
	EXPECT(fd >= 0);
	EXPECT(read(fd, text, 4) == 4 && !memcmp(text, "text", 4));
	close(fd);
	RUN_SH("cp p q && printf x >> q && mv q p");
	EXPECT(hd_file_ref_reopen(&ref, NULL, &err) < 0);
	EXPECT(strstr(err.msg, "it has changed while it was in use"));
	hd_file_ref_release(&ref);
}

WORKSHOP_MAIN(
	RUN(a_position_independent_program_has_the_names_that_nm_lists),
	RUN(a_program_at_fixed_addresses_has_them),
	RUN(a_program_with_code_and_headers_in_one_segment_has_them),
	RUN(a_program_with_functions_in_sections_of_their_own_has_them),
	RUN(a_program_linked_by_lld_with_text_amid_a_page_has_them),
	RUN(a_program_linked_by_gold_has_them),
	RUN(a_program_with_huge_page_alignment_has_them),
	RUN(a_static_program_has_them),
	RUN(a_program_linked_far_away_has_them),
	RUN(a_32_bit_program_has_them),
	RUN(a_label_in_compressed_debug_information_names_no_code),
	RUN(a_stripped_library_has_its_dynamic_symbols),
	RUN(a_stripped_program_has_no_names_and_says_what_to_do),
	RUN(labels_and_unsized_functions_reach_as_far_as_their_section),
	RUN(arm_mapping_symbols_are_not_names_and_the_thumb_bit_is_no_address),
	RUN(a_file_of_the_other_byte_order_is_read),
	RUN(stubs_of_a_library_are_named_after_what_they_call),
	RUN(stubs_that_bind_at_once_are_named),
	RUN(stubs_for_indirect_branch_tracking_are_named),
	RUN(stubs_made_by_lld_are_named),
	RUN(stubs_of_a_32_bit_library_are_named),
	RUN(stubs_of_an_aarch64_library_are_named),
	RUN(a_function_chosen_at_run_time_names_its_stub),
	RUN(small_stubs_of_a_static_program_have_the_names_of_what_they_call),
	RUN(the_stub_that_calls_the_dynamic_linker_is_called_plt),
	RUN(equal_keys_are_one_object_and_others_are_not),
	RUN(memory_without_a_file_has_no_symbols_and_no_warning),
	RUN(an_address_that_is_in_no_segment_has_no_symbol_whatever_its_number),
	RUN(the_file_itself_can_be_opened_again_unless_it_has_changed),
)
