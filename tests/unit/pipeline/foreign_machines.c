/* foreign_machines.c - read recordings of other machines and by other recorders, and check the output */
#include "unit/pipeline/recording.h"

#include "base/file.h"
#include "base/mem.h"
#include "render/info.h"

#include <sys/utsname.h>

enum { PID = 50 };

static const struct attr chained = { .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_ID |
		PERF_SAMPLE_CALLCHAIN };

/* Append an MMAP record without the trailer of recording.h, which these recorders do not write. */
static void mapped(struct image *im, uint32_t pid, uint16_t misc, uint64_t addr, uint64_t len, uint64_t pgoff,
	const char *name)
{
	size_t r = rec(im, PERF_RECORD_MMAP, misc);

	u32(im, pid);
	u32(im, pid);
	u64(im, addr);
	u64(im, len);
	u64(im, pgoff);
	text(im, name, (strlen(name) + 8) & ~(size_t)7);
	end(im, r);
}

static void taken(struct image *im, uint16_t misc, const uint64_t *chain, size_t n)
{
	size_t r = rec(im, PERF_RECORD_SAMPLE, misc);

	u64(im, chain[0] >= HD_CONTEXT_MAX ? chain[1] : chain[0]);
	u32(im, PID);
	u32(im, PID);
	u64(im, 7);
	u64(im, n);
	for (size_t i = 0; i < n; i++)
		u64(im, chain[i]);
	end(im, r);
}

#define TAKEN(im, misc, ...) \
	taken(im, misc, (const uint64_t[]){ __VA_ARGS__ }, sizeof((const uint64_t[]){ __VA_ARGS__ }) / 8)

static void named_symbol(struct image *s, uint64_t start, uint32_t size, const char *name)
{
	u64(s, start);
	u32(s, size);
	text(s, name, strlen(name) + 1);
}

/*
 * Append a row of simpleperf's FILE section with the symbols `an` at address a and `bn` at b; foff UINT64_MAX: the
 * file offset is unknown.
 */
static void row(struct image *s, const char *path, uint32_t type, uint64_t vaddr, uint64_t foff, uint64_t a,
	const char *an, uint64_t b, const char *bn)
{
	struct image body = { .swap = s->swap };

	text(&body, path, strlen(path) + 1);
	u32(&body, type);
	u64(&body, vaddr);
	u32(&body, 2);
	named_symbol(&body, a, 0x40, an);
	named_symbol(&body, b, 0x40, bn);
	if (foff != UINT64_MAX)
		u64(&body, foff);
	u32(s, (uint32_t)body.b.len);
	put(s, body.b.data, body.b.len);
	hd_buf_release(&body.b);
}

/* Install this program as the file /app of the recording. */
static void put_app(const struct place *at)
{
	struct hd_buf self = { 0 };
	struct hd_err err;
	int fd = hd_file_open("/proc/self/exe", &err);

	EXPECT(fd >= 0 && hd_file_slurp(fd, "self", 64 << 20, &self, &err) >= 0);
	close(fd);
	free(put_file(at->dir, "app", self.data, self.len));
	hd_buf_release(&self);
}

/*
 * Return the folded text of the image; *info receives the text of info and the warnings.  The caller frees both.  app:
 * install this program as /app.
 */
static char *folds_to(struct image *im, bool app, char **info)
{
	struct place at = place_of(im);
	struct hd_pipeline_opts opts = { .keys = HD_KEY_COMM, .full_names = true };
	struct hd_folded_opts o = { 0 };
	struct hd_buf text = { 0 };
	struct hd_outfile out;
	struct hd_profile *p;
	char *folded;

	if (app)
		put_app(&at);
	p = ingest(&at, opts);
	opts.symfs = at.dir;
	expect_law(at.path, opts);
	hd_outfile_memory(&out);
	hd_folded_write(&out, p, 0, &o);
	folded = hd_strdup(hd_buf_str(&out.pending));
	hd_outfile_discard(&out);
	hd_info_text(&text, p);
	for (size_t i = 0; i < p->log.n; i++)
		hd_buf_addf(&text, "warning %s %llu\n", p->log.items[i].code,
			(unsigned long long)p->log.items[i].count);
	*info = hd_buf_take(&text);
	hd_profile_free(p);
	place_release(&at);
	return folded;
}

static void expect_has(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("no '%s' in\n%s", part, text);
}

TEST(a_recording_of_simpleperf_names_its_functions_on_any_machine_in_either_byte_order)
{
	for (int swap = 0; swap < 2; swap++) {
		struct image d = { .swap = swap }, s = { .swap = swap }, im;
		char *folded, *info;

		mapped(&d, UINT32_MAX, KERNEL, 0xffff000000000000u, 0x1000000, 0, "[kernel.kallsyms]");
		mapped(&d, PID, USER, 0x700000, 0x4000, 0x2000, "/system/lib64/libart.so");
		mapped(&d, PID, USER, 0x800000, 0x4000, 0x9000, "/data/app/base.apk!/lib/arm64-v8a/libgame.so");
		/* JIT code of ART: two pieces have the same offset of one file. */
		mapped(&d, PID, USER, 0x9c000000, 0x40, 0x3c78, "perf.data_jit_app_cache:1-2");
		mapped(&d, PID, USER, 0x9c000100, 0x40, 0x3c78, "perf.data_jit_app_cache:1-2");
		TAKEN(&d, USER, HD_CONTEXT_USER, 0x9c000108, 0x9c000008, 0x800010, 0x700014);
		TAKEN(&d, KERNEL, HD_CONTEXT_KERNEL, 0xffff000000000108u, HD_CONTEXT_USER, 0x700050);
		row(&s, "[kernel.kallsyms]", 0, 0, UINT64_MAX, 0xffff000000000100u, "sys_mmap", 0xffff000000000200u,
			"other");
		row(&s, "/system/lib64/libart.so", 2, 0x12000, 0x2000, 0x12000, "_ZN3art6Thread3RunEv", 0x12040,
			"art_quick_invoke_stub");
		/* The file offset of libgame.so's code is unknown, so addresses are relative to the mapping. */
		row(&s, "/data/app/base.apk!/lib/arm64-v8a/libgame.so", 2, 0x5000, UINT64_MAX, 0x5000, "game_loop",
			0x6000, "draw");
		row(&s, "perf.data_jit_app_cache:1-2", 2, 0, 0, 0x9c000000, "Main.run", 0x9c000100, "Thread.sleep");
		im = file_image(swap, chained, &d.b, &(struct feature){ HD_FEAT_SP_FILE, &s.b }, 1);
		folded = folds_to(&im, false, &info);
		EXPECT_STR(folded, ":50;art::Thread::Run;game_loop;Main.run;Thread.sleep 1\n"
				   ":50;art_quick_invoke_stub;sys_mmap 1\n");
		expect_has(info, "its names are inside the recording");
		EXPECT(!strstr(info, "warning"));
		free(folded);
		free(info);
		hd_buf_release(&im.b);
		hd_buf_release(&d.b);
		hd_buf_release(&s.b);
	}
}

TEST(bionics_start_functions_are_roots)
{
	static const char *const roots[] = { "__libc_init", "_start_main", "__start_thread", "__dl__start" };

	for (size_t i = 0; i < HD_COUNT(roots); i++) {
		struct image d = { 0 }, s = { 0 }, im;
		char *folded, *info;

		mapped(&d, PID, USER, 0x700000, 0x4000, 0, "/system/bin/app");
		TAKEN(&d, USER, HD_CONTEXT_USER, 0x701010, 0x702010);
		row(&s, "/system/bin/app", 2, 0, 0, 0x1000, "work", 0x2000, roots[i]);
		im = file_image(false, chained, &d.b, &(struct feature){ HD_FEAT_SP_FILE, &s.b }, 1);
		folded = folds_to(&im, false, &info);
		expect_has(folded, roots[i]);
		expect_has(info, "100.00% of them reach their root");
		free(folded);
		free(info);
		hd_buf_release(&im.b);
		hd_buf_release(&d.b);
		hd_buf_release(&s.b);
	}
}

/* A PLT stub, which the table of symbols does not list, is 0xd8 bytes after `_fini`, which has no size in the table. */
TEST(code_after_an_unsized_fini_is_not_fini)
{
	struct image d = { 0 }, s = { 0 }, im, body = { 0 };
	char *folded, *info;

	mapped(&d, PID, USER, 0x700000, 0x4000, 0, "/system/lib/a.so");
	TAKEN(&d, USER, HD_CONTEXT_USER, 0x7020d8, 0x702004);
	text(&body, "/system/lib/a.so", 17);
	u32(&body, 2);
	u64(&body, 0);
	u32(&body, 2);
	named_symbol(&body, 0x1000, 0x40, "work");
	named_symbol(&body, 0x2000, 0, "_fini");
	u64(&body, 0);
	u32(&s, (uint32_t)body.b.len);
	put(&s, body.b.data, body.b.len);
	im = file_image(false, chained, &d.b, &(struct feature){ HD_FEAT_SP_FILE, &s.b }, 1);
	folded = folds_to(&im, false, &info);
	EXPECT_STR(folded, ":50;_fini;[unknown] 1\n");
	free(folded);
	free(info);
	hd_buf_release(&im.b);
	hd_buf_release(&d.b);
	hd_buf_release(&s.b);
	hd_buf_release(&body.b);
}

/* The symbols of simpleperf's map file have process addresses; one of the mappings with such code has no name. */
TEST(names_of_simpleperfs_map_files_are_used)
{
	struct image d = { 0 }, s = { 0 }, im;
	char *folded, *info;

	mapped(&d, PID, USER, 0x700000, 0x4000, 0x1000, "/data/app/generated.map");
	mapped(&d, PID, USER, 0x800000, 0x4000, 0, "//anon");
	TAKEN(&d, USER, HD_CONTEXT_USER, 0x800010, 0x700010);
	row(&s, "/data/app/generated.map", 4, 0, UINT64_MAX, 0x700000, "interpret", 0x701000, "other");
	row(&s, "/data/local/tmp/perf-50.map", 4, 0, UINT64_MAX, 0x800000, "compiled", 0x801000, "other");
	im = file_image(false, chained, &d.b, &(struct feature){ HD_FEAT_SP_FILE, &s.b }, 1);
	folded = folds_to(&im, false, &info);
	EXPECT_STR(folded, ":50;interpret;compiled 1\n");
	free(folded);
	free(info);
	hd_buf_release(&im.b);
	hd_buf_release(&d.b);
	hd_buf_release(&s.b);
}

/* Some recorders write empty header texts. */
TEST(an_empty_header_text_is_not_reported)
{
	struct image d = { 0 }, s = { 0 }, im;
	char *folded, *info;

	mapped(&d, PID, USER, 0x700000, 0x4000, 0, "/system/bin/app");
	TAKEN(&d, USER, HD_CONTEXT_USER, 0x701010);
	u32(&s, 4);
	u32(&s, 0);
	im = file_image(false, chained, &d.b, &(struct feature){ HD_FEAT_VERSION, &s.b }, 1);
	folded = folds_to(&im, false, &info);
	EXPECT(!strstr(info, "perf  "));
	EXPECT(!strstr(info, "\\e"));
	free(folded);
	free(info);
	hd_buf_release(&im.b);
	hd_buf_release(&d.b);
	hd_buf_release(&s.b);
}

/*
 * Return the table (samples, object, address) of one sample at ip in kernel mode, and the text of info in *info (unless
 * NULL); the caller frees them.
 */
static char *kernel_table(struct image *d, uint64_t ip, char **info)
{
	struct hd_report_opts by = { .by = HD_BY_DSO | HD_BY_SYMBOL };
	struct hd_pipeline_opts opts = { 0 };
	struct hd_buf text = { 0 };
	struct hd_profile *p;
	struct place at;
	struct image im;

	taken(d, KERNEL, (const uint64_t[]){ HD_CONTEXT_KERNEL, ip }, 2);
	im = file_image(false, chained, &d->b, NULL, 0);
	at = place_of(&im);
	p = ingest(&at, opts);
	opts.symfs = at.dir;
	expect_law(at.path, opts);
	hd_report(&text, p, &by);
	if (info) {
		struct hd_buf b = { 0 };

		hd_info_text(&b, p);
		for (size_t i = 0; i < p->log.n; i++)
			hd_buf_addf(&b, "warning %s %llu\n", p->log.items[i].code,
				(unsigned long long)p->log.items[i].count);
		*info = hd_buf_take(&b);
	}
	hd_profile_free(p);
	place_release(&at);
	hd_buf_release(&im.b);
	hd_buf_release(&d->b);
	return hd_buf_take(&text);
}

TEST(kernel_samples_without_a_kernel_mapping_belong_to_the_kernel_and_are_reported)
{
	struct image d = { 0 };
	char *table, *info;

	mapped(&d, PID, USER, 0x700000, 0x4000, 0, "/system/bin/app");
	table = kernel_table(&d, 0xffffffff81000010u, &info);
	expect_has(table, "[kernel]");
	expect_has(table, "0xffffffff81000010");
	expect_has(info, "the recording has no mapping of the kernel there");
	expect_has(info, "warning symbols.no-kernel-map 1");
	free(table);
	free(info);
}

/* Without the privilege to see addresses, perf writes a last module that extends to the end of memory. */
TEST(a_module_over_all_of_memory_does_not_have_the_kernels_addresses)
{
	struct image d = { 0 };
	char *table, *info;

	mapped(&d, UINT32_MAX, KERNEL, 0, 0, 0, "[kernel.kallsyms]_text");
	mapped(&d, UINT32_MAX, KERNEL, 0, UINT64_MAX, 0, "/lib/modules/3.13/pata_acpi.ko");
	table = kernel_table(&d, 0xffffffff81000010u, &info);
	expect_has(table, "[kernel.kallsyms]");
	expect_has(info, "warning lost.empty-map 1");
	free(table);
	free(info);
	/* On arm64, modules are below the kernel. */
	mapped(&d, UINT32_MAX, KERNEL, 0xffffffc010000000u, 0x1000000, 0xffffffc010000000u, "[kernel.kallsyms]_text");
	mapped(&d, UINT32_MAX, KERNEL, 0xffffffc008000000u, 0x37fffff000u, 0, "[nvme]");
	table = kernel_table(&d, 0xffffffc010000010u, NULL);
	expect_has(table, "[kernel.kallsyms]");
	free(table);
	mapped(&d, UINT32_MAX, KERNEL, 0xffffffc010000000u, 0x1000000, 0xffffffc010000000u, "[kernel.kallsyms]_text");
	mapped(&d, UINT32_MAX, KERNEL, 0xffffffc008000000u, 0x37fffff000u, 0, "[nvme]");
	table = kernel_table(&d, 0xffffffc008000010u, NULL);
	expect_has(table, "[nvme]");
	free(table);
}

TEST(addresses_in_a_module_count_from_its_start_so_that_two_boots_compare)
{
	static const uint64_t boots[] = { 0xffffffffc0400000u, 0xffffffffc0b23000u };
	char *table[2];

	for (int i = 0; i < 2; i++) {
		struct image d = { 0 };

		mapped(&d, UINT32_MAX, KERNEL, boots[i], 0x8000, 0, "[nvme]");
		table[i] = kernel_table(&d, boots[i] + 0x1234, NULL);
		expect_has(table[i], "0x0000000000001234");
	}
	EXPECT_STR(table[0], table[1]);
	free(table[0]);
	free(table[1]);
}

static const struct attr copied = {
	.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER |
		PERF_SAMPLE_STACK_USER,
	.regs_user = UINT32_MAX,
	.stack_user = 16,
};

static void with_copy(struct image *im, uint64_t ip, unsigned regs)
{
	size_t r = rec(im, PERF_RECORD_SAMPLE, USER);

	u64(im, ip);
	u32(im, PID);
	u32(im, PID);
	u64(im, 2);
	u64(im, HD_CONTEXT_USER);
	u64(im, ip);
	u64(im, 2);		/* ABI: 64 bits */
	for (unsigned i = 0; i < regs; i++)
		u64(im, i);
	u64(im, 16);
	u64(im, 1);
	u64(im, 2);
	u64(im, 16);
	end(im, r);
}

static char *info_of_copies(bool swap, const char *arch, uint64_t mask)
{
	struct attr a = copied;
	struct image d = { .swap = swap }, s = { .swap = swap }, im;
	char *folded, *info;

	a.regs_user = mask;
	mapped(&d, PID, USER, 0x700000, 0x4000, 0, "/bin/app");
	with_copy(&d, 0x700010, (unsigned)__builtin_popcountll(mask));
	with_copy(&d, 0x700020, (unsigned)__builtin_popcountll(mask));
	if (arch) {
		u32(&s, (uint32_t)strlen(arch) + 1);
		text(&s, arch, strlen(arch) + 1);
	}
	im = file_image(swap, a, &d.b, &(struct feature){ HD_FEAT_ARCH, &s.b }, arch ? 1 : 0);
	folded = folds_to(&im, false, &info);
	EXPECT_STR(folded, ":50;[unknown] 2\n");
	free(folded);
	hd_buf_release(&im.b);
	hd_buf_release(&d.b);
	hd_buf_release(&s.b);
	return info;
}

TEST(copied_stacks_of_an_unsupported_machine_are_counted_and_reported)
{
	static const struct { const char *arch; bool big; uint64_t mask; } machines[] = {
		{ "mips64", true, UINT32_MAX }, { "loongarch64", false, UINT32_MAX },
	};

	for (size_t i = 0; i < HD_COUNT(machines); i++) {
		char *info = info_of_copies(machines[i].big, machines[i].arch, machines[i].mask);

		expect_has(info, machines[i].arch);
		expect_has(info,
			"2 samples (100.00%) have a stack copy, which is not unwound for this machine: record with "
			"--call-graph fp");
		expect_has(info,
			"self costs only, as no sample has a user call chain or a stack copy that is unwound here");
		expect_has(info, "warning lost.unwind-machine 2");
		free(info);
	}
}

TEST(a_recording_that_does_not_name_its_machine_is_known_by_its_registers)
{
	char *info = info_of_copies(false, NULL, 0x1ffffffffu);

	expect_has(info, "machine     aarch64, from its registers");
	EXPECT(!strstr(info, "unwind-machine"));
	free(info);
	info = info_of_copies(false, NULL, 0xff0fff);
	expect_has(info, "machine     x86_64, from its registers");
	free(info);
	info = info_of_copies(true, NULL, 0x3ffffffffu);
	expect_has(info, "machine     unknown, from its registers");
	expect_has(info, "warning lost.unwind-machine 2");
	free(info);
}

TEST(or_by_the_files_that_its_code_is_in)
{
	struct image d = { 0 }, im;
	struct utsname here;
	char *folded, *info;

	EXPECT(uname(&here) == 0);
	if (strcmp(here.machine, "x86_64") && strcmp(here.machine, "aarch64"))
		SKIP("the machine has other names");
	mapped(&d, PID, USER, 0x700000, 0x400000, 0, "/app");
	TAKEN(&d, USER, HD_CONTEXT_USER, 0x700010, 0x700020);
	im = file_image(false, chained, &d.b, NULL, 0);
	folded = folds_to(&im, false, &info);
	EXPECT(!strstr(info, "\nmachine "));
	free(folded);
	free(info);
	folded = folds_to(&im, true, &info);
	expect_has(info, "from its files");
	expect_has(info, here.machine);
	free(folded);
	free(info);
	hd_buf_release(&im.b);
	hd_buf_release(&d.b);
}

TEST_MAIN(RUN(a_recording_of_simpleperf_names_its_functions_on_any_machine_in_either_byte_order),
	  RUN(kernel_samples_without_a_kernel_mapping_belong_to_the_kernel_and_are_reported),
	  RUN(a_module_over_all_of_memory_does_not_have_the_kernels_addresses),
	  RUN(addresses_in_a_module_count_from_its_start_so_that_two_boots_compare),
	  RUN(bionics_start_functions_are_roots),
	  RUN(code_after_an_unsized_fini_is_not_fini),
	  RUN(names_of_simpleperfs_map_files_are_used),
	  RUN(an_empty_header_text_is_not_reported),
	  RUN(copied_stacks_of_an_unsupported_machine_are_counted_and_reported),
	  RUN(a_recording_that_does_not_name_its_machine_is_known_by_its_registers),
	  RUN(or_by_the_files_that_its_code_is_in))
