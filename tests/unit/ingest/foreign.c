/*
 * foreign.c - recordings of other machines and other recorders, read to the end
 */
#include "unit/ingest/recording.h"

#include "base/file.h"
#include "base/mem.h"
#include "output/info.h"

#include <sys/utsname.h>

enum { PID = 50 };

static const struct attr chained = { .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_ID | PERF_SAMPLE_CALLCHAIN };

/* Without the trailer of recording.h: these recorders write none. */
static void mapped(struct image *im, uint32_t pid, uint16_t misc, uint64_t addr, uint64_t len, uint64_t pgoff, const char *name)
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

/* A row of simpleperf's FILE section with two symbols; foff: UINT64_MAX is not told. */
static void row(struct image *s, const char *path, uint32_t type, uint64_t vaddr, uint64_t foff, uint64_t a, const char *an,
		uint64_t b, const char *bn)
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

/* This program, as the file /app of the recording. */
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

/* Reads the image and gives what it folds to, and info's text, yours. */
static char *folds_to(struct image *im, bool app, char **info)
{
	struct place at = place_of(im);
	struct hd_ingest_opts opts = { .keys = HD_KEY_COMM, .full_names = true };
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
		hd_buf_addf(&text, "warning %s %llu\n", p->log.items[i].code, (unsigned long long)p->log.items[i].count);
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
		/* ART's code: two stretches at the same offset of one file. */
		mapped(&d, PID, USER, 0x9c000000, 0x40, 0x3c78, "perf.data_jit_app_cache:1-2");
		mapped(&d, PID, USER, 0x9c000100, 0x40, 0x3c78, "perf.data_jit_app_cache:1-2");
		TAKEN(&d, USER, HD_CONTEXT_USER, 0x9c000108, 0x9c000008, 0x800010, 0x700014);
		TAKEN(&d, KERNEL, HD_CONTEXT_KERNEL, 0xffff000000000108u, HD_CONTEXT_USER, 0x700050);
		row(&s, "[kernel.kallsyms]", 0, 0, UINT64_MAX, 0xffff000000000100u, "sys_mmap", 0xffff000000000200u, "other");
		row(&s, "/system/lib64/libart.so", 2, 0x12000, 0x2000, 0x12000, "_ZN3art6Thread3RunEv", 0x12040, "art_quick_invoke_stub");
		/* Where its code is in the file is not told: it counts from the mapping. */
		row(&s, "/data/app/base.apk!/lib/arm64-v8a/libgame.so", 2, 0x5000, UINT64_MAX, 0x5000, "game_loop", 0x6000, "draw");
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

static const struct attr copied = {
	.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER,
	.regs_user = UINT32_MAX, .stack_user = 16,
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

TEST(copied_stacks_of_a_machine_that_is_not_unwound_are_counted_and_told)
{
	static const struct { const char *arch; bool big; uint64_t mask; } machines[] = {
		{ "riscv64", false, UINT32_MAX }, { "s390x", true, 0x3ffffffffu }, { "ppc64", true, (UINT64_C(1) << 45) - 1 },
		{ "mips64", true, UINT32_MAX }, { "loongarch64", false, UINT32_MAX },
	};

	for (size_t i = 0; i < HD_COUNT(machines); i++) {
		char *info = info_of_copies(machines[i].big, machines[i].arch, machines[i].mask);

		expect_has(info, machines[i].arch);
		expect_has(info, "2 samples (100.00%) have a stack copy, which is not unwound for this machine: record with --call-graph fp");
		expect_has(info, "warning lost.unwind-machine 2");
		free(info);
	}
}

TEST(a_recording_that_does_not_name_its_machine_is_known_by_its_registers)
{
	char *info = info_of_copies(false, NULL, 0x1ffffffffu);

	expect_has(info, "machine     aarch64, as its registers tell");
	EXPECT(!strstr(info, "unwind-machine"));
	free(info);
	info = info_of_copies(false, NULL, 0xff0fff);
	expect_has(info, "machine     x86_64, as its registers tell");
	free(info);
	info = info_of_copies(true, NULL, 0x3ffffffffu);
	expect_has(info, "machine     unknown, as its registers tell");
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
	expect_has(info, "as its files tell");
	expect_has(info, here.machine);
	free(folded);
	free(info);
	hd_buf_release(&im.b);
	hd_buf_release(&d.b);
}

TEST_MAIN(RUN(a_recording_of_simpleperf_names_its_functions_on_any_machine_in_either_byte_order),
	  RUN(copied_stacks_of_a_machine_that_is_not_unwound_are_counted_and_told),
	  RUN(a_recording_that_does_not_name_its_machine_is_known_by_its_registers),
	  RUN(or_by_the_files_that_its_code_is_in))
