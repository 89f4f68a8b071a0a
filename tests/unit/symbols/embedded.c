/* embedded.c - use symbols from the recording, in the order of preference of sources */
#include "workshop.h"

static const struct hd_embedded_row rows[] = {
	{ 0x1010, 0x20, "first" }, { 0x1040, 0x10, "second" }, { 0x1100, 0, "unsized" }, { 0x5000, 0x10, "far" },
	{ 0xffff000000000100u, 0, "do_one" }, { 0xffff000000200000u, 0, "do_two" },
	{ 0xffff000001000010u, 0, "probe [nvme]" },
	{ 0x10, 0x40, "java.lang.Thread.run" },
	{ 0x2010, 0x20, "_ZN3art6ThreadC1Ev" },
};

static void row_of(const void *ctx, size_t i, struct hd_embedded_row *row)
{
	(void)ctx;
	EXPECT(i < HD_COUNT(rows));
	*row = rows[i];
}

static const uint8_t some_id[20] = { 1, 2, 3 }, other_id[20] = { 4, 5, 6 };

static struct hd_embedded_table tables[] = {
	{ .place = HD_EMBEDDED_BASE_LINKED,
		.path = "/lib/a.so",
		.vaddr = 0x1000,
		.foff = 0x400,
		.has_foff = true,
		.n = 4 },
	{ .place = HD_EMBEDDED_BASE_LINKED, .path = "/lib/old.so", .vaddr = 0x1000, .n = 4 },
	{ .place = HD_EMBEDDED_BASE_KERNEL, .path = "[kernel.kallsyms]", .first = 4, .n = 3 },
	{ .place = HD_EMBEDDED_BASE_OFFSET, .path = "/app/base.vdex", .first = 7, .n = 1 },
	{ .place = HD_EMBEDDED_BASE_ADDRESS, .path = "perf.data_jit_app_cache:1-2", .first = 0, .n = 2 },
	{ .place = HD_EMBEDDED_BASE_MODULE,
		.path = "/vendor/nvme.ko",
		.vaddr = 0x2000,
		.foff = 0x300,
		.has_foff = true,
		.first = 8,
		.n = 1 },
	{ .place = HD_EMBEDDED_BASE_LINKED, .path = "[vdso]", .vaddr = 0, .has_foff = true, .first = 7, .n = 1 },
	{ .place = HD_EMBEDDED_BASE_LINKED,
		.path = "/lib/id.so",
		.build_id = some_id,
		.build_id_len = 20,
		.has_foff = true,
		.first = 7,
		.n = 1 },
};

static const struct hd_embedded_files all = { .v = tables, .n = HD_COUNT(tables), .row = row_of };

static void bench_carried(struct hd_bench *b, struct hd_symbols_key key)
{
	struct hd_symbols_opts opts = { .embedded = &all };

	bench_open(b, &opts, &key);
}

static void expect_inside(const struct hd_bench *b)
{
	EXPECT_STR(hd_object_source(b->o), "inside the recording");
	EXPECT_INT(hd_object_quality(b->o), HD_SYMQ_SYMTAB);
	EXPECT(!hd_object_problem(b->o));
	EXPECT_INT(b->log.n, 0);
}

TEST(offsets_in_a_file_are_moved_to_where_its_carried_symbols_are)
{
	struct hd_bench b;

	bench_carried(&b, (struct hd_symbols_key){ .kind = HD_OBJ_FILE, .path = "/lib/a.so" });
	EXPECT_STR(name_at(&b, 0x410), "first");
	EXPECT_STR(name_at(&b, 0x42f), "first");
	EXPECT_STR(name_at(&b, 0x430), "-");
	EXPECT_STR(name_at(&b, 0x440), "second");
	/* A symbol without a size extends to the end of the page after it, not to the next symbol. */
	EXPECT_STR(name_at(&b, 0x500), "unsized");
	EXPECT_STR(name_at(&b, 0x3400), "-");
	EXPECT_STR(name_at(&b, 0x4400), "far");
	EXPECT_STR(name_at(&b, 0x10), "-");
	expect_inside(&b);
	bench_close(&b);
}

TEST(a_table_that_does_not_know_its_offset_counts_from_the_mapping_of_its_code)
{
	struct hd_bench b;

	bench_carried(&b, (struct hd_symbols_key){ .kind = HD_OBJ_FILE, .path = "/lib/old.so", .code_pgoff = 0x7000 });
	EXPECT_STR(name_at(&b, 0x7010), "first");
	EXPECT_STR(name_at(&b, 0x7040), "second");
	expect_inside(&b);
	bench_close(&b);
}

TEST(a_kernel_function_reaches_to_the_next_that_was_met)
{
	struct hd_bench b;

	bench_carried(&b, (struct hd_symbols_key){ .kind = HD_OBJ_KERNEL, .path = "[kernel.kallsyms]_text" });
	EXPECT_STR(name_at(&b, 0xffff000000000100u), "do_one");
	EXPECT_STR(name_at(&b, 0xffff0000001fffffu), "do_one");
	EXPECT_STR(name_at(&b, 0xffff000000200008u), "do_two");
	EXPECT_STR(name_at(&b, 0xffff000001000018u), "probe");
	EXPECT_STR(name_at(&b, 0xffff000001005000u), "-");
	EXPECT_STR(name_at(&b, 0xffff000000000000u), "-");
	expect_inside(&b);
	bench_close(&b);
	bench_carried(&b, (struct hd_symbols_key){ .kind = HD_OBJ_KERNEL, .path = "[guest.kernel.kallsyms]" });
	EXPECT_STR(name_at(&b, 0xffff000000000100u), "-");
	bench_close(&b);
}

TEST(dex_code_the_vdso_and_code_made_at_run_time_have_their_own_ways)
{
	struct hd_bench b;

	bench_carried(&b, (struct hd_symbols_key){ .kind = HD_OBJ_FILE, .path = "/app/base.vdex" });
	EXPECT_STR(name_at(&b, 0x20), "java.lang.Thread.run");
	expect_inside(&b);
	bench_close(&b);
	bench_carried(&b, (struct hd_symbols_key){ .kind = HD_OBJ_VDSO, .path = "[vdso]" });
	EXPECT_STR(name_at(&b, 0x20), "java.lang.Thread.run");
	expect_inside(&b);
	bench_close(&b);
	bench_carried(&b,
		(struct hd_symbols_key){ .kind = HD_OBJ_PERFMAP, .path = "perf.data_jit_app_cache:1-2", .pid = 7 });
	EXPECT_STR(name_at(&b, 0x1020), "first");
	expect_inside(&b);
	bench_close(&b);
}

TEST(a_module_has_its_own_table_or_the_kernel_s_lines)
{
	struct hd_bench b;

	bench_carried(&b,
		(struct hd_symbols_key){ .kind = HD_OBJ_MODULE,
			.path = "/vendor/nvme.ko",
			.kernel_start = 0xffff000001000000u });
	/* The vaddr 0x2000 is at 0x300 from the start of the object. */
	EXPECT_STR(name_at(&b, 0x310), "_ZN3art6ThreadC1Ev");
	EXPECT_STR(name_at(&b, 0x2f0), "-");
	expect_inside(&b);
	bench_close(&b);
	bench_carried(&b,
		(struct hd_symbols_key){ .kind = HD_OBJ_MODULE,
			.path = "[nvme]",
			.kernel_start = 0xffff000001000000u });
	EXPECT_STR(name_at(&b, 0x18), "probe");
	bench_close(&b);
}

TEST(a_table_of_another_build_is_not_used)
{
	struct hd_bench b;

	bench_carried(&b,
		(struct hd_symbols_key){ .kind = HD_OBJ_FILE,
			.path = "/lib/id.so",
			.build_id = other_id,
			.build_id_len = 20 });
	EXPECT_STR(name_at(&b, 0x20), "-");
	bench_close(&b);
	bench_carried(&b,
		(struct hd_symbols_key){ .kind = HD_OBJ_FILE,
			.path = "/lib/id.so",
			.build_id = some_id,
			.build_id_len = 20 });
	EXPECT_STR(name_at(&b, 0x20), "java.lang.Thread.run");
	bench_close(&b);
	bench_carried(&b, (struct hd_symbols_key){ .kind = HD_OBJ_FILE, .path = "/lib/not-there.so" });
	EXPECT_STR(name_at(&b, 0x20), "-");
	bench_close(&b);
}

TEST(a_copy_of_kallsyms_names_the_kernel_and_its_modules)
{
	static const char list[] =
		"ffff000000000000 T _text\nffff000000000100 T real_one\nffff000001000000 t nvme_probe\t[nvme]\n";
	struct hd_embedded_files t = { .kallsyms = list, .kallsyms_len = sizeof(list) - 1, .row = row_of };
	struct hd_symbols_opts opts = { .embedded = &t };
	struct hd_symobj *module;
	struct hd_symbol_hit hit;
	struct hd_bench b;

	bench_open(&b, &opts, &(struct hd_symbols_key){ .kind = HD_OBJ_KERNEL, .path = "[kernel.kallsyms]" });
	EXPECT_STR(name_at(&b, 0xffff000000000108u), "real_one");
	EXPECT_STR(hd_object_source(b.o), "inside the recording");
	module = hd_symbols_object(b.sy,
		&(struct hd_symbols_key){ .kind = HD_OBJ_MODULE,
			.path = "[nvme]",
			.kernel_start = 0xffff000001000000u });
	hd_object_lookup(module, 0x10, &hit);
	EXPECT_STR(hit.linkage, "nvme_probe");
	bench_close(&b);
}

static const char source[] =
	"static __attribute__((noinline)) int hidden(int x) { return x * 3 + 1; }\n"
	"__attribute__((noinline)) int shown(int x) { return hidden(x) + hidden(x + 1); }\n";

/* The vaddr of hidden() in a library.  The embedded symbol table of the library calls it "from_recording". */
static uint64_t hidden_at;

static void hidden_row(const void *ctx, size_t i, struct hd_embedded_row *row)
{
	(void)ctx;
	(void)i;
	*row = (struct hd_embedded_row){ hidden_at, 4, "from_recording" };
}

static void bench_beside(struct hd_bench *b, const char *root)
{
	struct hd_embedded_table t = { .place = HD_EMBEDDED_BASE_LINKED, .path = "/lib.so", .n = 1, .has_foff = true };
	struct hd_embedded_files one = { .v = &t, .n = 1, .row = hidden_row };
	struct hd_symbols_opts opts = { .symfs = root, .embedded = &one };

	bench_open(b, &opts, &(struct hd_symbols_key){ .kind = HD_OBJ_FILE, .path = "/lib.so" });
}

TEST(a_file_s_own_symbols_win_and_where_it_exports_few_the_recording_adds)
{
	struct hd_bench b;
	uint64_t hidden, shown;

	NEED("nm");
	NEED("strip");
	put("s.c", source);
	RUN_SH("mkdir -p full bare && $CC -O1 -shared -fPIC -nostdlib s.c -o full/lib.so && cp full/lib.so bare && "
		"strip bare/lib.so");
	hidden_at = nm_of("full/lib.so", "hidden");
	hidden = foff_of("full/lib.so", hidden_at);
	shown = foff_of("full/lib.so", nm_of("full/lib.so", "shown"));
	bench_beside(&b, "full");
	EXPECT_STR(name_at(&b, hidden), "hidden");
	EXPECT_STR(hd_object_source(b.o), "full/lib.so");
	bench_close(&b);
	bench_beside(&b, "bare");
	EXPECT_STR(name_at(&b, hidden), "from_recording");
	EXPECT_STR(name_at(&b, shown), "shown");
	EXPECT_STR(hd_object_source(b.o), "inside the recording");
	bench_close(&b);
	bench_beside(&b, "nowhere");
	EXPECT_STR(name_at(&b, hidden_at), "from_recording");
	bench_close(&b);
}

WORKSHOP_MAIN(RUN(offsets_in_a_file_are_moved_to_where_its_carried_symbols_are),
	      RUN(a_table_that_does_not_know_its_offset_counts_from_the_mapping_of_its_code),
	      RUN(a_kernel_function_reaches_to_the_next_that_was_met),
	      RUN(dex_code_the_vdso_and_code_made_at_run_time_have_their_own_ways),
	      RUN(a_module_has_its_own_table_or_the_kernel_s_lines),
	      RUN(a_table_of_another_build_is_not_used),
	      RUN(a_copy_of_kallsyms_names_the_kernel_and_its_modules),
	      RUN(a_file_s_own_symbols_win_and_where_it_exports_few_the_recording_adds))
