/* kernel.c - find the symbols of the kernel, of its modules and generated code, and of the vdso */
#include "workshop.h"

#include "symbols/kallsyms.h"

#include <sys/auxv.h>
#include <sys/utsname.h>

static const char list[] =
	"0000000000000000 A fixed_percpu_data\n"
	"ffffffff81000000 T _stext\n"
	"ffffffff81000000 T _text\n"
	"ffffffff81000100 T do_one\n"
	"ffffffff81000200 t do_two\n"
	"ffffffff81000200 W weak_two\n"
	"ffffffff81000300 t $d.local\n"
	"ffffffff81002000 D some_data\n"
	"ffffffff81003000 R some_constant\n"
	"ffffffff81004010 T last_of_kernel\n"
	"ffffffffc0a31000 t nvme_probe\t[nvme_core]\n"
	"ffffffffc0a31200 t nvme_reset\t[nvme_core]\n"
	"ffffffffc0b00000 t other_init\t[other]\n"
	"ffffffffc0c00000 t bpf_prog_6deef7357e7b4530\t[bpf]\n";

static void parse(struct hd_kallsyms *k, const char *s)
{
	struct hd_buf text = { 0 };

	hd_buf_adds(&text, s);
	hd_kallsyms_parse(k, &text);
}

static const char *in_list(struct hd_kallsyms *k, uint64_t addr, const char *module)
{
	static char text[100];
	struct hd_symspan span;
	size_t at = 0;

	if (!hd_kallsyms_find(k, addr, module, &at, &span))
		return "-";
	snprintf(text, sizeof(text), "%s+%llx", hd_symtable_str(&k->table, span.name),
		(unsigned long long)(addr - span.start));
	return text;
}

TEST(a_kernel_symbol_reaches_to_the_next_and_the_last_to_the_end_of_its_page)
{
	struct hd_kallsyms k = { 0 };

	parse(&k, list);
	EXPECT_INT(k.lines, 14);
	EXPECT_INT(k.damaged, 0);
	EXPECT_STR(in_list(&k, 0xffffffff810000ff, ""), "_text+ff");
	EXPECT_STR(in_list(&k, 0xffffffff81000100, ""), "do_one+0");
	/* If two symbols have one address, the last line wins. */
	EXPECT_STR(in_list(&k, 0xffffffff81000fff, ""), "weak_two+dff");
	EXPECT_STR(in_list(&k, 0xffffffff81002001, ""), "some_data+1");
	EXPECT_STR(in_list(&k, 0xffffffff81005fff, ""), "last_of_kernel+1fef");
	EXPECT_STR(in_list(&k, 0xffffffff81006000, ""), "-");
	EXPECT_STR(in_list(&k, 0xffffffff80ffffff, ""), "-");
	hd_kallsyms_release(&k);
}

TEST(a_module_has_its_own_symbols_only)
{
	struct hd_kallsyms k = { 0 };

	parse(&k, list);
	EXPECT_STR(in_list(&k, 0xffffffffc0a31210, "nvme_core"), "nvme_reset+10");
	EXPECT_STR(in_list(&k, 0xffffffffc0a31210, "other"), "-");
	EXPECT_STR(in_list(&k, 0xffffffffc0a31210, ""), "-");
	EXPECT_STR(in_list(&k, 0xffffffffc0a31210, NULL), "nvme_reset+10");
	EXPECT(hd_kallsyms_module_base(&k, "nvme_core") == 0xffffffffc0a31000);
	EXPECT(hd_kallsyms_module_base(&k, "absent") == 0);
	hd_kallsyms_release(&k);
}

TEST(lines_that_are_no_symbols_are_counted)
{
	static const char bad[] =
		"\nnonsense\nffffffff81000000\nffffffff81000000 T\nffffffff81000000 T \nfffffffff81000000 T long\n"
		"ffffffff81000000 T ok\nffffffff81000010 T unfinished";
	struct hd_kallsyms k = { 0 };

	parse(&k, bad);
	EXPECT_INT(k.lines, 2);
	EXPECT_INT(k.damaged, 5);
	EXPECT_STR(in_list(&k, 0xffffffff81000000, ""), "ok+0");
	EXPECT_STR(in_list(&k, 0xffffffff81000011, ""), "unfinished+1");
	hd_kallsyms_release(&k);
}

TEST(hidden_addresses_are_recognised)
{
	static const char hidden[] = "0000000000000000 T _text\n0000000000000000 T do_one\n";
	struct hd_kallsyms k = { 0 };

	parse(&k, hidden);
	EXPECT(k.restricted);
	EXPECT_STR(in_list(&k, 0, ""), "-");
	hd_kallsyms_release(&k);
}

TEST(the_shift_is_what_the_reference_symbol_moved_by)
{
	EXPECT_INT(hd_kallsyms_shift(0x1000000, 0x1000000, "[kernel.kallsyms]", 0x1000000), 0);
	EXPECT_INT(hd_kallsyms_shift(0x1000000, 0x1000000, "[kernel.kallsyms]", 0x5000000), 0x4000000);
	EXPECT_INT(hd_kallsyms_shift(0x1000000, 0x1010000, "[kernel.kallsyms]_stext", 0x5010000), 0x4000000);
	EXPECT_INT(hd_kallsyms_shift(0, 0x1000000, "[kernel.kallsyms]", 0x1200000), 0x200000);
	EXPECT_INT(hd_kallsyms_shift(0x1000000, 0x1010040, "[kernel.kallsyms]", 0x5010040), 0x4000000);
	/* The shift is 0 if the recording has no address of the reference symbol, or kallsyms lacks the symbol. */
	EXPECT_INT(hd_kallsyms_shift(0x1000000, 0x1000000, "[kernel.kallsyms]", 0), 0);
	EXPECT_INT(hd_kallsyms_shift(0, 0, "[kernel.kallsyms]", 0x5000000), 0);
}

/* ---- objects ---- */

static void bench_kernel(struct hd_bench *b, const char *kallsyms, uint64_t pgoff)
{
	struct hd_symbols_opts opts = { .kallsyms = kallsyms };

	bench_open(b, &opts, &(struct hd_symbols_key){ .kind = HD_OBJ_KERNEL, .path = "[kernel.kallsyms]",
						      .kernel_start = 0xffffffff81000000, .kernel_pgoff = pgoff });
}

TEST(a_given_list_names_the_kernel_at_the_address_where_it_was_loaded)
{
	struct hd_bench b;
	struct hd_symbol_hit hit;

	put("kallsyms", list);
	bench_kernel(&b, "kallsyms", 0);
	EXPECT_STR(name_at(&b, 0xffffffff81000180), "do_one");
	EXPECT_STR(hd_object_source(b.o), "kallsyms");
	bench_close(&b);
	bench_kernel(&b, "kallsyms", 0xffffffff9c000000);
	hd_object_lookup(b.o, 0xffffffff9c000180, &hit);
	EXPECT_STR(hit.linkage, "do_one");
	EXPECT(hit.start == 0xffffffff9c000100 && hit.size == 0x100 && hit.vaddr == 0xffffffff9c000180);
	EXPECT_STR(name_at(&b, 0xffffffff81000180), "-");
	bench_close(&b);
}

TEST(a_module_is_found_in_the_kernel_s_list_by_path_or_by_name)
{
	static const char *const paths[] = {
		"[nvme_core]", "/lib/modules/6.1.0-40-amd64/kernel/drivers/nvme/host/nvme-core.ko",
		"/lib/modules/6.1.0-40-amd64/kernel/drivers/nvme/host/nvme-core.ko.xz",
	};
	struct hd_bench b;

	put("kallsyms", list);
	for (size_t i = 0; i < HD_COUNT(paths); i++) {
		struct hd_symbols_opts opts = { .kallsyms = "kallsyms" };

		bench_open(&b, &opts, &(struct hd_symbols_key){ .kind = HD_OBJ_MODULE, .path = paths[i],
							      .kernel_start = 0xffffffffc0a31000 });
		/* An address is either the distance from the start of the module, or the ip itself. */
		EXPECT_STR(name_at(&b, 0x210), "nvme_reset");
		EXPECT_STR(name_at(&b, 0xffffffffc0a31210), "nvme_reset");
		EXPECT_STR(name_at(&b, 0xffffffffc0b00000), "-");
		bench_close(&b);
	}
}

TEST(the_kernel_and_its_modules_share_one_reading_of_the_list)
{
	struct hd_symobj *module;
	struct hd_symbol_hit hit;
	struct hd_bench b;

	put("kallsyms", list);
	bench_kernel(&b, "kallsyms", 0);
	unlink("kallsyms");
	module = hd_symbols_object(b.sy, &(struct hd_symbols_key){ .kind = HD_OBJ_MODULE, .path = "[other]" });
	hd_object_lookup(module, 0xffffffffc0b00000, &hit);
	EXPECT_STR(hit.linkage, "other_init");
	bench_close(&b);
}

TEST(after_another_boot_a_module_is_where_the_recording_says)
{
	struct hd_symobj *module;
	struct hd_symbol_hit hit;
	struct hd_bench b;

	put("kallsyms", list);
	bench_kernel(&b, "kallsyms", 0xffffffff9c000000);
	module = hd_symbols_object(b.sy, &(struct hd_symbols_key){ .kind = HD_OBJ_MODULE, .path = "[nvme_core]",
								   .kernel_start = 0xffffffffc1230000 });
	hd_object_lookup(module, 0x210, &hit);
	EXPECT_STR(hit.linkage, "nvme_reset");
	EXPECT(hit.start == 0xffffffffc1230200 && hit.vaddr == 0xffffffffc1230210);
	/* If the recording has no address of the module, no symbol is found. */
	module = hd_symbols_object(b.sy, &(struct hd_symbols_key){ .kind = HD_OBJ_MODULE, .path = "[nvme_core]" });
	hd_object_lookup(module, 0xffffffffc0a31210, &hit);
	EXPECT(!hit.linkage);
	bench_close(&b);
}

TEST(a_list_with_hidden_addresses_is_refused_and_the_warning_says_how_to_show_them)
{
	const struct hd_warning *w;
	struct hd_bench b;

	put("kallsyms", "0000000000000000 T _text\n0000000000000000 T do_one\n");
	bench_kernel(&b, "kallsyms", 0);
	EXPECT_INT(hd_object_quality(b.o), HD_SYMQ_NONE);
	EXPECT_STR(hd_object_problem(b.o), "kallsyms hides its addresses (kptr_restrict)");
	w = hd_log_find(&b.log, "symbols.kallsyms-restricted");
	EXPECT(w && strstr(w->fix, "kernel.kptr_restrict=0"));
	bench_close(&b);
}

TEST(a_missing_symbol_list_is_reported)
{
	struct hd_bench b;

	bench_kernel(&b, "absent", 0);
	EXPECT(hd_log_find(&b.log, "symbols.kallsyms"));
	EXPECT_STR(name_at(&b, 0xffffffff81000180), "-");
	bench_close(&b);
}

TEST(another_machine_s_kernel_is_not_named_by_this_machine_s_list)
{
	struct hd_symbols_opts opts = { 0 };
	uint8_t id[20] = { 0xab };
	struct hd_bench b;

	bench_open(&b, &opts, &(struct hd_symbols_key){ .kind = HD_OBJ_KERNEL, .path = "[kernel.kallsyms]" });
	EXPECT_INT(hd_object_quality(b.o), HD_SYMQ_NONE);
	EXPECT(strstr(hd_log_find(&b.log, "symbols.none")->fix, "--kallsyms"));
	bench_close(&b);
	opts.same_machine = true;
	bench_open(&b, &opts, &(struct hd_symbols_key){ .kind = HD_OBJ_KERNEL, .path = "[kernel.kallsyms]",
						       .build_id = id, .build_id_len = sizeof(id) });
	EXPECT_INT(hd_object_quality(b.o), HD_SYMQ_NONE);
	bench_close(&b);
	bench_open(&b, &opts, &(struct hd_symbols_key){ .kind = HD_OBJ_KERNEL, .path = "[guest.kernel.kallsyms]" });
	EXPECT_INT(hd_object_quality(b.o), HD_SYMQ_NONE);
	bench_close(&b);
}

TEST(a_guests_kernel_is_named_by_the_guests_list_and_by_no_other)
{
	struct hd_symbols_opts opts = { .same_machine = true };
	struct hd_symbols_key key = { .kind = HD_OBJ_KERNEL, .path = "[guest.kernel.kallsyms]", .guest = true };
	struct hd_symbol_hit hit;
	struct hd_bench b;

	put("kallsyms", list);
	opts.kallsyms = "kallsyms";
	bench_open(&b, &opts, &key);
	EXPECT_INT(hd_object_quality(b.o), HD_SYMQ_NONE);
	EXPECT(strstr(hd_log_find(&b.log, "symbols.none")->fix, "--guest-kallsyms"));
	bench_close(&b);
	opts.kallsyms = NULL;
	opts.guest_kallsyms = "kallsyms";
	bench_open(&b, &opts, &key);
	hd_object_lookup(b.o, 0xffffffff81000110, &hit);
	EXPECT_STR(hit.linkage, "do_one");
	bench_close(&b);
	key = (struct hd_symbols_key){ .kind = HD_OBJ_MODULE,
		.path = "[nvme_core]",
		.kernel_start = 0xffffffffc0a31000,
		.guest = true };
	bench_open(&b, &opts, &key);
	hd_object_lookup(b.o, 0x10, &hit);
	EXPECT_STR(hit.linkage, "nvme_probe");
	bench_close(&b);
	key.guest = false;			/* the host's module with the same name */
	opts.same_machine = false;
	bench_open(&b, &opts, &key);
	EXPECT_INT(hd_object_quality(b.o), HD_SYMQ_NONE);
	bench_close(&b);
}

TEST(the_running_kernel_is_named_by_its_own_list)
{
	struct hd_symbols_opts opts = { .same_machine = true };
	struct hd_symbol_hit hit;
	unsigned long long addr;
	struct hd_bench b;
	char *out = said(
		"awk '/ T (vfs_read|ksys_read)$/ && $1 != \"0000000000000000\" { print $1; exit }' /proc/kallsyms "
		"2>/dev/null");

	if (sscanf(out, "%llx", &addr) != 1) {
		free(out);
		SKIP("/proc/kallsyms shows no addresses here");
	}
	free(out);
	bench_open(&b, &opts, &(struct hd_symbols_key){ .kind = HD_OBJ_KERNEL, .path = "[kernel.kallsyms]" });
	hd_object_lookup(b.o, addr + 1, &hit);
	EXPECT(hit.linkage && hit.start == addr);
	EXPECT(strstr(hit.linkage, "read"));
	bench_close(&b);
}

TEST(perf_s_cache_holds_the_list_of_a_kernel_that_is_gone)
{
	struct hd_symbols_opts opts = { 0 };
	uint8_t id[4] = { 0xde, 0xad, 0xbe, 0xef };
	char *home = textf("%s/home", workshop);
	struct hd_bench b;

	setenv("HOME", home, 1);
	RUN_SH("mkdir -p home/.debug/.build-id/de/adbeef");
	put("home/.debug/.build-id/de/adbeef/kallsyms", list);
	bench_open(&b, &opts,
		&(struct hd_symbols_key){ .kind = HD_OBJ_KERNEL,
			.path = "[kernel.kallsyms]",
			.build_id = id,
			.build_id_len = 4 });
	EXPECT_STR(name_at(&b, 0xffffffff81000180), "do_one");
	bench_close(&b);
	setenv("HOME", "/proc/nonexistent", 1);
	setenv("CCACHE_DISABLE", "1", 1);
	free(home);
}

TEST(a_vmlinux_of_the_recorded_build_names_the_kernel_where_it_was_loaded)
{
	struct hd_symbols_opts opts = { .symfs = "kroot" };
	uint8_t id[4] = { 0xca, 0xfe, 0xca, 0xfe };
	struct hd_bench b;
	uint64_t text;

	NEED("nm");
	put("k.s",
		".text\n"
		".globl _text\n"
		"_text:\n"
		".globl _stext\n"
		"_stext:\n"
		".fill 64, 1, 0\n"
		".globl do_work\n"
		".type do_work, %function\n"
		"do_work: .fill 8, 1, 0\n"
		".globl inside\n"
		"inside: .fill 8, 1, 0\n"
		".size do_work, 16\n");
	TRY_SH("$CC -nostdlib -static -no-pie -Wl,--build-id=0xcafecafe -Wl,-Ttext=0x81000000 -Wl,-e,_text k.s -o "
		"vmlinux");
	RUN_SH("mkdir -p kroot/boot && cp vmlinux kroot/boot/vmlinux");
	text = nm_of("vmlinux", "_text");
	EXPECT_INT(text, 0x81000000);
	bench_open(&b, &opts,
		&(struct hd_symbols_key){ .kind = HD_OBJ_KERNEL,
			.path = "[kernel.kallsyms]",
			.build_id = id,
			.build_id_len = 4,
			.kernel_start = 0x99000000,
			.kernel_pgoff = 0x99000000 });
	EXPECT_STR(name_at(&b, 0x99000044), "do_work");
	/* In a kernel, a label hides the function around it, as in kallsyms. */
	EXPECT_STR(name_at(&b, 0x99000048), "inside");
	EXPECT_STR(hd_object_source(b.o), "kroot/boot/vmlinux");
	bench_close(&b);
	id[0]++;
	bench_open(&b, &opts,
		&(struct hd_symbols_key){ .kind = HD_OBJ_KERNEL,
			.path = "[kernel.kallsyms]",
			.build_id = id,
			.build_id_len = 4 });
	EXPECT_INT(hd_object_quality(b.o), HD_SYMQ_NONE);
	bench_close(&b);
}

TEST(a_module_file_is_laid_out_from_where_the_module_was_loaded)
{
	static const char *const packed[] = { "true", "xz -k m.ko && mv m.ko.xz m.ko" };

	put("m.s",
		".text\n"
		".globl first\n"
		".type first, %function\n"
		"first: .fill 20, 1, 0\n"
		".size first, 20\n"
		".section .init.text, \"ax\"\n"
		".type setup, %function\n"
		"setup: .fill 64, 1, 0\n"
		".size setup, 64\n"
		".section .text.unlikely, \"ax\"\n"
		".balign 16\n"
		".type cold, %function\n"
		"cold: .fill 8, 1, 0\n"
		".size cold, 8\n");
	for (size_t i = 0; i < HD_COUNT(packed); i++) {
		struct hd_symbols_opts opts = { .symfs = "mroot" };
		const char *path = i ? "/lib/m.ko.xz" : "/lib/m.ko";
		struct hd_bench b;

		if (i)
			NEED("xz");
		RUN_SH("rm -rf mroot m.ko && mkdir -p mroot/lib && $CC -c m.s -o m.ko");
		RUN_SH(packed[i]);
		RUN_SH(i ? "mv m.ko mroot/lib/m.ko.xz" : "mv m.ko mroot/lib/m.ko");
		bench_open(&b, &opts,
			&(struct hd_symbols_key){ .kind = HD_OBJ_MODULE,
				.path = path,
				.kernel_start = 0xffffffffc0100000 });
		EXPECT_STR(name_at(&b, 0), "first");
		EXPECT_STR(name_at(&b, 0x13), "first");
		EXPECT_STR(name_at(&b, 0x14), "-");
		/* .init sections are gone when the module runs; .text.unlikely follows .text, aligned. */
		EXPECT_STR(name_at(&b, 0x20), "cold");
		EXPECT_STR(name_at(&b, 0xffffffffc0100027), "cold");
		EXPECT_STR(name_at(&b, 0x28), "-");
		bench_close(&b);
		/* a guest's module with the same name may be another file, so it is not used */
		bench_open(&b, &opts,
			&(struct hd_symbols_key){ .kind = HD_OBJ_MODULE,
				.path = path,
				.guest = true,
				.kernel_start = 0xffffffffc0100000 });
		EXPECT_STR(name_at(&b, 0), "-");
		bench_close(&b);
	}
}

TEST(generated_kernel_code_is_its_own_symbol)
{
	struct hd_symbols_opts opts = { 0 };
	struct hd_symbol_hit hit;
	struct hd_bench b;

	bench_open(&b, &opts,
		&(struct hd_symbols_key){ .kind = HD_OBJ_KSYM,
			.path = "bpf_prog_6deef7357e7b4530_sd_fw_egress",
			.kernel_start = 0xffffffffc0020000 });
	hd_object_lookup(b.o, 0x40, &hit);
	EXPECT_STR(hit.linkage, "bpf_prog_6deef7357e7b4530_sd_fw_egress");
	EXPECT(hit.start == 0xffffffffc0020000 && hit.vaddr == 0xffffffffc0020040 && hit.size == 0);
	EXPECT_INT(b.log.n, 0);
	bench_close(&b);
}

TEST(the_vdso_of_this_machine_is_read_from_memory)
{
	const struct hd_symbols_key key = { .kind = HD_OBJ_VDSO, .path = "[vdso]" };
	struct hd_symbols_opts opts = { .same_machine = true };
	bool gettime = false;
	struct hd_bench b;
	uint8_t id[64];
	size_t n = 0;
	int fd;

	if (!getauxval(AT_SYSINFO_EHDR))
		SKIP("this kernel has no vdso");
	bench_open(&b, &opts, &key);
	for (uint64_t foff = 0; foff < 65536; foff++)
		gettime |= strstr(name_at(&b, foff), "clock_gettime") != NULL;
	EXPECT(gettime);
	fd = hd_symbols_open_code(b.sy, &key, NULL);
	EXPECT(fd >= 0);
	EXPECT(pread(fd, id, 4, 0) == 4 && !memcmp(id, "\177ELF", 4));
	close(fd);
	for (const char *c = hd_object_build_id(b.o); c[0]; c += 2, n++) {
		unsigned byte;

		EXPECT(sscanf(c, "%2x", &byte) == 1);
		id[n] = (uint8_t)byte;
	}
	bench_close(&b);
	/* A vdso with this build-id is used for any recording; with another build-id it is not used. */
	opts.same_machine = false;
	bench_open(&b, &opts,
		&(struct hd_symbols_key){ .kind = HD_OBJ_VDSO,
			.path = "[vdso]",
			.build_id = id,
			.build_id_len = (uint8_t)n });
	EXPECT_INT(hd_object_quality(b.o) != HD_SYMQ_NONE, n > 0);
	bench_close(&b);
	id[0] ^= 1;
	bench_open(&b, &opts,
		&(struct hd_symbols_key){ .kind = HD_OBJ_VDSO,
			.path = "[vdso]",
			.build_id = id,
			.build_id_len = (uint8_t)n });
	EXPECT_INT(hd_object_quality(b.o), HD_SYMQ_NONE);
	bench_close(&b);
}

WORKSHOP_MAIN(
	RUN(a_kernel_symbol_reaches_to_the_next_and_the_last_to_the_end_of_its_page),
	RUN(a_module_has_its_own_symbols_only),
	RUN(lines_that_are_no_symbols_are_counted),
	RUN(hidden_addresses_are_recognised),
	RUN(the_shift_is_what_the_reference_symbol_moved_by),
	RUN(a_given_list_names_the_kernel_at_the_address_where_it_was_loaded),
	RUN(a_module_is_found_in_the_kernel_s_list_by_path_or_by_name),
	RUN(the_kernel_and_its_modules_share_one_reading_of_the_list),
	RUN(after_another_boot_a_module_is_where_the_recording_says),
	RUN(a_list_with_hidden_addresses_is_refused_and_the_warning_says_how_to_show_them),
	RUN(a_missing_symbol_list_is_reported),
	RUN(another_machine_s_kernel_is_not_named_by_this_machine_s_list),
	RUN(a_guests_kernel_is_named_by_the_guests_list_and_by_no_other),
		  RUN(the_running_kernel_is_named_by_its_own_list),
	RUN(perf_s_cache_holds_the_list_of_a_kernel_that_is_gone),
	RUN(a_vmlinux_of_the_recorded_build_names_the_kernel_where_it_was_loaded),
	RUN(a_module_file_is_laid_out_from_where_the_module_was_loaded),
	RUN(generated_kernel_code_is_its_own_symbol),
	RUN(the_vdso_of_this_machine_is_read_from_memory),
)
