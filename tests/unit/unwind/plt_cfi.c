/* plt_cfi.c - make rules for a PLT that has no call frame information */
#include "unit/tmpdir.h"

#include "base/arena.h"
#include "cfi/cfi.h"
#include "elf/elf_file.h"
#include "unwind/plt_cfi.h"
#include "unwind/elf_cfi.h"

static void *take(void *arena, size_t bytes)
{
	return memset(hd_arena_alloc(arena, bytes), 0, bytes);
}

static bool no_memory(void *ctx, uint64_t addr, unsigned bytes, uint64_t *value)
{
	(void)ctx, (void)addr, (void)bytes, (void)value;
	return false;
}

/* Return the CFA that the rules at vaddr give for rsp = 1000. */
static uint64_t cfa_at(struct hd_cfi *c, uint64_t vaddr)
{
	struct hd_cfi_regs regs = { .known = 1 << 7 | 1 << 16 };
	const struct hd_cfi_memory_reader memory = { no_memory, NULL };
	struct hd_cfi_rules rules;
	uint64_t cfa;

	regs.v[7] = 1000;
	regs.v[16] = vaddr;
	EXPECT(hd_cfi_rules(c, vaddr, &rules));
	EXPECT(rules.reg[16].kind == HD_RULE_OFFSET && rules.reg[16].off == -8);
	if (rules.cfa.kind == HD_RULE_REGISTER) {
		EXPECT_INT(rules.cfa.reg, 7);
		return 1000 + (uint64_t)rules.cfa.off;
	}
	EXPECT_INT(rules.cfa.kind, HD_RULE_VAL_EXPR);
	EXPECT(hd_cfi_eval(c, rules.cfa.expr, rules.cfa.expr_len, &regs, &memory, NULL, &cfa));
	return cfa;
}

/* Compile `text` and link it with GNU ld and these options.  Returns NULL if that is not possible here. */
static struct hd_elf *linked(const char *dir, const char *text, const char *options, struct hd_log *log)
{
	struct hd_buf command = { 0 }, path = { 0 };
	struct hd_elf *e = NULL;
	int fd, rc;

	free(put_file(dir, "in.c", text, strlen(text)));
	hd_buf_addf(&path, "%s/out", dir);
	hd_buf_addf(&command, "gcc -O1 -fuse-ld=bfd %s -o %s %s/in.c 2>/dev/null", options, path.data, dir);
	rc = system(command.data);
	fd = rc ? -1 : open(path.data, O_RDONLY);
	if (fd >= 0)
		EXPECT(hd_elf_open(&e, fd, path.data, log, NULL) >= 0);
	hd_buf_release(&path);
	hd_buf_release(&command);
	return e;
}

/* Build a library with calls through a PLT; NULL if that is not possible here. */
static struct hd_elf *library(const char *dir, const char *options, struct hd_log *log)
{
	struct hd_buf all = { 0 };
	struct hd_elf *e;

	hd_buf_addf(&all, "-shared -fPIC %s", options);
	e = linked(dir, "int puts(const char *); int rand(void); int f(void) { puts(\"\"); return rand(); }\n",
		all.data, log);
	hd_buf_release(&all);
	return e;
}

static void expect_same(const struct hd_elf *e, const char *name)
{
	const struct hd_elf_section *s = hd_elf_section(e, name);
	struct hd_cfi_sections theirs = { .machine = HD_CFI_X86_64 }, ours = theirs;
	struct hd_arena arena = { 0 };
	const struct hd_cfi_allocator mem = { take, &arena };
	struct hd_cfi_stats stats;
	struct hd_cfi *a, *b;
	struct hd_buf made = { 0 };
	void *bytes[3] = { 0 };

	EXPECT(s && s->size);
	EXPECT(hd_elf_cfi_read(e, &theirs, bytes));
	theirs.debug_frame.size = 0;
	hd_plt_cfi_build(e, &made);
	ours.debug_frame = (struct hd_cfi_section){ (uint8_t *)made.data, made.len, 0 };
	EXPECT_INT(hd_cfi_open(&a, &theirs, &mem, &stats), 1);
	EXPECT_INT(hd_cfi_open(&b, &ours, &mem, &stats), 1);
	EXPECT(!stats.damage);
	for (uint64_t at = s->addr; at < s->addr + s->size; at++)
		EXPECT_INT(cfa_at(b, at), cfa_at(a, at));
	/* No rule covers the code after the PLT, unless another section of stubs follows. */
	EXPECT(!hd_cfi_function(b, s->addr + s->size) || hd_elf_section(e, ".plt.sec") ||
		hd_elf_section(e, ".plt.got"));
	EXPECT(!hd_cfi_function(b, hd_elf_section(e, ".text")->addr));
	hd_arena_release(&arena);
	hd_buf_release(&made);
	for (size_t i = 0; i < 3; i++)
		free(bytes[i]);
}

TEST(they_are_those_that_gnu_ld_writes)
{
	char *dir = tmpdir();
	struct hd_log log = { 0 };
	struct hd_elf *e = library(dir, "-fcf-protection=none -Wl,-z,lazy", &log);

	if (!e || e->ehdr.e_machine != EM_X86_64) {
		hd_elf_close(e);
		tmpdir_remove(dir);
		SKIP("no gcc and GNU ld for x86-64");
	}
	expect_same(e, ".plt");
	hd_elf_close(e);
	hd_log_release(&log);
	tmpdir_remove(dir);
}

TEST(a_plt_of_another_form_has_none_and_its_second_part_has)
{
	char *dir = tmpdir();
	struct hd_log log = { 0 };
	struct hd_elf *e = library(dir, "-fcf-protection=full -Wl,-z,lazy -Wl,-z,ibtplt", &log);
	struct hd_cfi_sections in = { .machine = HD_CFI_X86_64 };
	struct hd_arena arena = { 0 };
	const struct hd_cfi_allocator mem = { take, &arena };
	struct hd_cfi_stats stats;
	struct hd_buf made = { 0 };
	struct hd_cfi *c;

	if (!e || !hd_elf_section(e, ".plt.sec")) {
		hd_elf_close(e);
		tmpdir_remove(dir);
		SKIP("no gcc and GNU ld for x86-64 with -z ibtplt");
	}
	hd_plt_cfi_build(e, &made);
	in.debug_frame = (struct hd_cfi_section){ (uint8_t *)made.data, made.len, 0 };
	EXPECT_INT(hd_cfi_open(&c, &in, &mem, &stats), 1);
	EXPECT(!hd_cfi_function(c, hd_elf_section(e, ".plt")->addr));
	expect_same(e, ".plt.sec");
	hd_arena_release(&arena);
	hd_buf_release(&made);
	hd_elf_close(e);
	hd_log_release(&log);
	tmpdir_remove(dir);
}

/*
 * Expect that the CFA is rsp + 8 in all stubs of a static program, which jump to ifuncs and push nothing.  entry: the
 * size of a stub.
 */
static void expect_stubs_of_static_program(const char *options, uint64_t entry)
{
	static const char text[] =
		"static int impl(int a) { return a; }\n"
		"static void *resolve(void) { return impl; }\n"
		"static int one(int) __attribute__((ifunc(\"resolve\")));\n"
		"static int two(int) __attribute__((ifunc(\"resolve\")));\n"
		"int call(int a) { return one(a) + two(a); }\n"
		"void _start(void) { for (;;) call(1); }\n";
	struct hd_cfi_sections in = { .machine = HD_CFI_X86_64 };
	char *dir = tmpdir();
	struct hd_log log = { 0 };
	struct hd_elf *e = linked(dir, text, options, &log);
	const struct hd_elf_section *s = e ? hd_elf_section(e, ".plt") : NULL;
	struct hd_arena arena = { 0 };
	const struct hd_cfi_allocator mem = { take, &arena };
	struct hd_cfi_stats stats;
	struct hd_buf made = { 0 };
	struct hd_cfi *c;

	if (e && !s)
		s = hd_elf_section(e, ".iplt");
	if (!s || e->ehdr.e_machine != EM_X86_64) {
		hd_elf_close(e);
		hd_log_release(&log);
		tmpdir_remove(dir);
		SKIP("no gcc and GNU ld for x86-64 that make such stubs");
	}
	EXPECT_INT(s->size, 2 * entry);
	hd_plt_cfi_build(e, &made);
	in.debug_frame = (struct hd_cfi_section){ (uint8_t *)made.data, made.len, 0 };
	EXPECT_INT(hd_cfi_open(&c, &in, &mem, &stats), 1);
	for (uint64_t at = s->addr; at < s->addr + s->size; at++)
		EXPECT_INT(cfa_at(c, at), 1008);
	EXPECT(!hd_cfi_function(c, s->addr + s->size));
	hd_arena_release(&arena);
	hd_buf_release(&made);
	hd_elf_close(e);
	hd_log_release(&log);
	tmpdir_remove(dir);
}

TEST(stubs_of_a_static_program_have_them)
{
	expect_stubs_of_static_program("-static -nostdlib -fno-pie -no-pie -fcf-protection=none", 8);
}

TEST(stubs_of_a_static_program_for_indirect_branch_tracking_have_them)
{
	expect_stubs_of_static_program("-static -nostdlib -fno-pie -no-pie -fcf-protection=full -Wl,-z,ibtplt", 16);
}

TEST_MAIN(RUN(they_are_those_that_gnu_ld_writes), RUN(a_plt_of_another_form_has_none_and_its_second_part_has),
	RUN(stubs_of_a_static_program_have_them),
	RUN(stubs_of_a_static_program_for_indirect_branch_tracking_have_them))
