/*
 * machines.c - compare lookups in objects of other architectures, of either byte order and class, with llvm-symbolizer
 *
 * clang builds one source for all architectures: an inlined function, a static one, and two external ones.
 */
#include "workshop.h"

static const char source[] =
	"int sink;\n"
	"static inline __attribute__((always_inline)) int twice(int x)\n"
	"{\n"
	"	return sink * 2 + x;\n"
	"}\n"
	"static __attribute__((noinline)) int hidden(int x)\n"
	"{\n"
	"	sink += x;\n"
	"	return twice(x) + 1;\n"
	"}\n"
	"__attribute__((noinline)) int shown(int x)\n"
	"{\n"
	"	return hidden(x) + hidden(x + 1);\n"
	"}\n"
	"int spare(int x) { return shown(x) * x; }\n";

/*
 * Read a number of n bytes in either byte order.  The functions below use it to convert a vaddr to a file offset
 * without the code under test.
 */
static uint64_t number(const uint8_t *p, size_t n, bool big)
{
	uint64_t v = 0;

	for (size_t i = 0; i < n; i++)
		v |= (uint64_t)p[i] << 8 * (big ? n - 1 - i : i);
	return v;
}

static uint64_t foff_in(const uint8_t *e, uint64_t vaddr)
{
	bool big = e[EI_DATA] == ELFDATA2MSB, is64 = e[EI_CLASS] == ELFCLASS64;
	size_t w = is64 ? 8 : 4, n = (size_t)number(e + (is64 ? 56 : 44), 2, big);
	const uint8_t *ph = e + number(e + (is64 ? 32 : 28), w, big);

	for (size_t i = 0; i < n; i++, ph += is64 ? 56 : 32) {
		uint64_t off = number(ph + (is64 ? 8 : 4), w, big), start = number(ph + (is64 ? 16 : 8), w, big);
		uint64_t size = number(ph + (is64 ? 32 : 16), w, big), flags = number(ph + (is64 ? 4 : 24), 4, big);

		if (number(ph, 4, big) == PT_LOAD && flags & PF_X && vaddr - start < size)
			return vaddr - start + off;
	}
	fail_msg("0x%llx is not in its code", (unsigned long long)vaddr);
	return 0;
}

/*
 * Return `func file:line ` for the function at a file offset, and for each function into which it is inlined, in the
 * order of llvm-symbolizer; the caller frees it.
 */
static char *ours(struct hd_bench *b, uint64_t foff)
{
	struct hd_inline_hit hits[8];
	struct hd_symbol_hit hit;
	struct hd_line_hit line;
	struct hd_buf out = { 0 };
	size_t n;

	hd_object_lookup(b->o, foff, &hit);
	hd_object_line(b->o, hit.vaddr, &line);
	n = hd_object_inlines(b->o, hit.vaddr, hits, HD_COUNT(hits));
	for (size_t i = 0; i < n; i++) {
		hd_buf_addf(&out, "%s %s:%u ", hits[i].linkage, line.file ? line.file : "??", line.line);
		line = (struct hd_line_hit){ hits[i].call_file, hits[i].call_line };
	}
	hd_buf_addf(&out, "%s %s:%u ", hit.linkage ? hit.linkage : "??", line.file ? line.file : "??", line.line);
	return hd_buf_take(&out);
}

/* The addresses of a function, from start to before end. */
struct range {
	uint64_t start, end;
};

/*
 * Return what llvm-symbolizer prints for every second byte of n ranges, one line for each; the caller frees it.  All
 * are passed to one process, because its start takes longer than its answers.
 */
static char *theirs(const char *file, const struct range *ranges, size_t n)
{
	struct hd_buf cmd = { 0 }, out = { 0 };
	char *text, *rest, *line;

	hd_buf_addf(&cmd, "llvm-symbolizer --obj=%s -f -i --output-style=LLVM", file);
	for (size_t i = 0; i < n; i++)
		for (uint64_t at = ranges[i].start; at < ranges[i].end; at += 2)
			hd_buf_addf(&cmd, " 0x%llx", (unsigned long long)at);
	text = rest = said(cmd.data);
	hd_buf_release(&cmd);
	/* An answer is pairs of lines, NAME and FILE:LINE:COLUMN, and an empty line. */
	for (bool name = true; (line = strsep(&rest, "\n")) && rest; name = *line ? !name : true) {
		if (*line && !name && strrchr(line, ':'))
			*strrchr(line, ':') = '\0';
		hd_buf_addf(&out, "%s%s", line, *line ? " " : "\n");
	}
	free(text);
	hd_buf_adds(&out, "");
	return hd_buf_take(&out);
}

/* Get the ranges of n functions, in the order in which llvm-dwarfdump prints them. */
static void ranges_of(const char *dwarf, struct range *ranges, size_t n)
{
	char *cmd = textf("llvm-dwarfdump --name hidden --name shown --name spare %s", dwarf), *text = said(cmd);
	size_t found = 0;

	for (char *save, *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		char *at = strstr(line, "low_pc") || strstr(line, "high_pc") ? strstr(line, "0x") : NULL;

		if (!at)
			continue;
		EXPECT(found < 2 * n);
		*(found % 2 ? &ranges[found / 2].end : &ranges[found / 2].start) = strtoull(at, NULL, 16);
		found++;
	}
	EXPECT_INT(found, 2 * n);
	free(text);
	free(cmd);
}

/* Compare every second byte of the three functions, whose addresses are in the debug information of `dwarf`. */
static void expect_same(const char *file, const char *dwarf)
{
	struct range ranges[3] = { 0 };
	char *path = textf("/%s", file), *all, *want;
	size_t n, asked = 0;
	uint8_t *bytes = slurp(file, &n);
	struct hd_bench b;

	ranges_of(dwarf, ranges, HD_COUNT(ranges));
	for (size_t i = 0; i < HD_COUNT(ranges); i++)
		EXPECT(ranges[i].end > ranges[i].start && ranges[i].end - ranges[i].start < 4096);
	bench_recorded(&b, ".", path, "");
	EXPECT_INT(hd_object_quality(b.o), HD_SYMQ_DEBUGINFO);
	all = want = theirs(file, ranges, HD_COUNT(ranges));
	for (size_t i = 0; i < HD_COUNT(ranges); i++)
		for (uint64_t at = ranges[i].start; at < ranges[i].end; at += 2) {
			char *have = ours(&b, foff_in(bytes, at)), *eol = strchr(want, '\n');

			EXPECT(eol);
			*eol = '\0';
			if (strcmp(have, want))
				fail_msg("%s 0x%llx: %s, llvm-symbolizer: %s", file, (unsigned long long)at, have,
					want);
			asked++;
			want = eol + 1;
			free(have);
		}
	free(all);
	EXPECT(asked > 20);
	EXPECT_INT(b.log.n, 0);
	bench_close(&b);
	free(bytes);
	free(path);
}

#define LLVM() do { NEED("clang"); NEED("ld.lld"); NEED("llvm-symbolizer"); NEED("llvm-dwarfdump"); } while (0)
#define BUILD(target)	"clang --target=" target " -g -O1 -fPIC -c f.c -o " target ".o"
#define LINK(target)	"ld.lld -shared --build-id " target ".o -o " target ".so"

#define SAME_AS_LLVM(target)						\
	do {								\
		LLVM();							\
		put("f.c", source);					\
		TRY_SH(BUILD(target));					\
		TRY_SH(LINK(target));					\
		expect_same(target ".so", target ".so");				\
	} while (0)

TEST(aarch64) { SAME_AS_LLVM("aarch64-linux-gnu"); }
TEST(aarch64_big_endian) { SAME_AS_LLVM("aarch64_be-linux-gnu"); }
TEST(arm) { SAME_AS_LLVM("armv7-linux-gnueabihf"); }
TEST(thumb) { SAME_AS_LLVM("thumbv7-linux-gnueabihf"); }
TEST(riscv64) { SAME_AS_LLVM("riscv64-linux-gnu"); }
TEST(powerpc64_little_endian) { SAME_AS_LLVM("powerpc64le-linux-gnu"); }
TEST(i686) { SAME_AS_LLVM("i686-linux-gnu"); }
TEST(mips64_big_endian) { SAME_AS_LLVM("mips64-linux-gnuabi64"); }
TEST(mips_big_endian) { SAME_AS_LLVM("mips-linux-gnu"); }
TEST(mips_little_endian) { SAME_AS_LLVM("mipsel-linux-gnu"); }

/* lld cannot link for powerpc64 and s390x. */
TEST(powerpc64_of_function_descriptors)
{
	LLVM();
	NEED("powerpc64-linux-gnu-ld");
	put("f.c", source);
	TRY_SH(BUILD("powerpc64-linux-gnu"));
	TRY_SH("powerpc64-linux-gnu-ld -shared --build-id powerpc64-linux-gnu.o -o powerpc64-linux-gnu.so");
	expect_same("powerpc64-linux-gnu.so", "powerpc64-linux-gnu.so");
	/* The debug file has the symbols, but not the bytes of the function descriptors. */
	RUN_SH("mv powerpc64-linux-gnu.so d && powerpc64-linux-gnu-objcopy --only-keep-debug d d.debug && "
	       "powerpc64-linux-gnu-objcopy --strip-all --add-gnu-debuglink=d.debug d powerpc64-linux-gnu.so");
	expect_same("powerpc64-linux-gnu.so", "d.debug");
}

TEST(a_debug_file_of_the_other_byte_order_is_found_by_its_link)
{
	LLVM();
	NEED("llvm-objcopy");
	put("f.c", source);
	TRY_SH(BUILD("mips64-linux-gnuabi64"));
	TRY_SH(LINK("mips64-linux-gnuabi64"));
	RUN_SH("mv mips64-linux-gnuabi64.so m && llvm-objcopy --only-keep-debug m m.debug && "
	       "llvm-objcopy --strip-all --add-gnu-debuglink=m.debug m mips64-linux-gnuabi64.so");
	expect_same("mips64-linux-gnuabi64.so", "m.debug");
}

TEST(s390x)
{
	LLVM();
	NEED("s390x-linux-gnu-ld");
	put("f.c", source);
	TRY_SH(BUILD("s390x-linux-gnu"));
	TRY_SH("s390x-linux-gnu-ld -shared --build-id s390x-linux-gnu.o -o s390x-linux-gnu.so");
	expect_same("s390x-linux-gnu.so", "s390x-linux-gnu.so");
}

/*
 * Link a kernel image at `text`, and expect its symbols for a kernel that was loaded at another address.  nop and type:
 * the instruction and the character for symbol types in the assembler of the target.
 */
static void expect_kernel(const char *target, const char *linker, const char *nop, const char *type, uint64_t text)
{
	char *source_text = textf(
		".text\n.globl _text\n_text:\n.globl _stext\n_stext:\n%s\n%s\n"
		".type do_one,%sfunction\n.globl do_one\ndo_one:\n%s\n.long 0\n%s\n.size do_one, . - do_one\n",
		nop, nop, type, nop, nop);
	char *cmd = textf(
		"clang --target=%s -c k.s -o k.o 2>/dev/null && mkdir -p boot && %s --build-id -Ttext=0x%llx k.o -o "
		"boot/vmlinux 2>/dev/null",
		target, linker, (unsigned long long)text);
	struct hd_symbols_opts opts = { .symfs = "boot" };
	uint64_t moved = 0x2e00000;
	struct hd_bench b;

	put("k.s", source_text);
	free(source_text);
	if (run_sh(cmd))
		SKIP("cannot link it here");
	free(cmd);
	bench_open(&b, &opts, &(struct hd_symbols_key){
		.kind = HD_OBJ_KERNEL, .path = "[kernel.kallsyms]_text", .kernel_start = text + moved,
		.kernel_pgoff = text + moved,
	});
	for (unsigned at = 8; at < 20; at += 4)
		EXPECT_STR(name_at(&b, text + moved + at), "do_one");
	EXPECT_STR(name_at(&b, text + moved + 4), "_stext");
	EXPECT_STR(name_at(&b, text + 8), "-");
	EXPECT_INT(b.log.n, 0);
	bench_close(&b);
}

TEST(a_vmlinux_of_another_machine_is_moved_to_where_its_boot_had_it)
{
	LLVM();
	expect_kernel("aarch64-linux-gnu", "ld.lld", "nop", "%", 0xffff800008000000u);
	expect_kernel("riscv64-linux-gnu", "ld.lld", ".4byte 0x13", "@", 0xffffffff80002000u);
	expect_kernel("powerpc64le-linux-gnu", "ld.lld", "nop", "@", 0xc000000000000000u);
}

TEST(a_vmlinux_of_a_big_endian_machine_too)
{
	LLVM();
	NEED("s390x-linux-gnu-ld");
	expect_kernel("s390x-linux-gnu", "s390x-linux-gnu-ld", ".long 0x47000000", "@", 0x100000);
}

TEST(a_file_of_another_machine_at_the_recorded_path_is_refused)
{
	static const struct { const char *machine; bool taken; } rows[] = {
		{ "aarch64", true }, { "armv8l", true }, { NULL, true }, { "quux", true }, { "x86_64", false },
		{ "s390x", false },
	};

	LLVM();
	put("f.c", source);
	TRY_SH(BUILD("aarch64-linux-gnu"));
	TRY_SH(LINK("aarch64-linux-gnu"));
	for (size_t i = 0; i < HD_COUNT(rows); i++) {
		struct hd_symbols_opts opts = { .symfs = ".", .machine = rows[i].machine };
		struct hd_bench b;

		bench_open(&b, &opts, &(struct hd_symbols_key){ .kind = HD_OBJ_FILE, .path = "/aarch64-linux-gnu.so" });
		EXPECT_INT(hd_object_quality(b.o) != HD_SYMQ_NONE, rows[i].taken);
		EXPECT_INT(!hd_log_find(&b.log, "symbols.other-machine"), rows[i].taken);
		bench_close(&b);
	}
}

WORKSHOP_MAIN(RUN(aarch64), RUN(aarch64_big_endian), RUN(arm), RUN(thumb), RUN(riscv64), RUN(powerpc64_little_endian),
	RUN(i686), RUN(mips64_big_endian), RUN(mips_big_endian), RUN(mips_little_endian),
	RUN(powerpc64_of_function_descriptors), RUN(s390x),
	RUN(a_debug_file_of_the_other_byte_order_is_found_by_its_link),
	RUN(a_vmlinux_of_another_machine_is_moved_to_where_its_boot_had_it), RUN(a_vmlinux_of_a_big_endian_machine_too),
	RUN(a_file_of_another_machine_at_the_recorded_path_is_refused))
