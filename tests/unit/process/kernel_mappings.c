/*
 * kernel_mappings.c - find addresses in the kernel's main map, modules and KSYMBOL records, of the host and of guests
 */
#include "process_test.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { KERNEL = 1, USER = 2, HYPERVISOR = 3, GUEST_KERNEL = 4, GUEST_USER = 5 };

#define TEXT	0xffffffff81000000u
#define MODULES	0xffffffffa0000000u

static void map_of(struct world *w, uint64_t time, int32_t pid, uint8_t cpumode, uint64_t addr, uint64_t len,
		   uint64_t pgoff, const char *name)
{
	hd_process_add_mmap(w->proc, &(struct hd_process_mmap){
		.when = { time, ++w->seq }, .pid = pid, .tid = 0, .addr = addr, .len = len, .pgoff = pgoff,
		.name = name, .name_len = strlen(name), .cpumode = cpumode, .executable = true,
	});
}

static void map(struct world *w, uint64_t time, uint64_t addr, uint64_t len, uint64_t pgoff, const char *name)
{
	map_of(w, time, -1, KERNEL, addr, len, pgoff, name);
}

static void ksymbol(struct world *w, uint64_t time, uint64_t addr, uint32_t len, const char *name, bool unregister)
{
	hd_process_add_ksymbol(w->proc, (struct hd_record_time){ time, ++w->seq }, addr, len, name, strlen(name),
		unregister);
}

static const struct hd_process_object *object_at(struct world *w, uint64_t time, int32_t pid, uint64_t ip,
	uint8_t cpumode, struct hd_process_location *where)
{
	struct hd_process_context at;

	hd_process_at(w->proc, pid, pid, (struct hd_record_time){ time, 1000000 }, &at);
	hd_process_find(w->proc, &at, ip, cpumode, where);
	return hd_process_object(w->proc, where->object);
}

/* Return the object and the offset in it (hexadecimal), such as "[kernel.kallsyms]+81000010"; "-" if there is none. */
static const char *at_of(struct world *w, uint64_t time, int32_t pid, uint64_t ip, uint8_t cpumode)
{
	static char text[128];
	struct hd_process_location where;
	const struct hd_process_object *o = object_at(w, time, pid, ip, cpumode, &where);

	snprintf(text, sizeof(text), where.object ? "%s+%llx" : "-", hd_strtab_get(w->names, o->name),
		 (unsigned long long)where.foff);
	return text;
}

static const char *at(struct world *w, uint64_t time, uint64_t ip)
{
	return at_of(w, time, 1, ip, KERNEL);
}

TEST(without_a_kernel_map_a_kernel_address_has_no_object)
{
	struct world w;

	begin(&w);
	hd_process_build(w.proc);
	EXPECT_STR(at(&w, 1, TEXT), "-");
	end(&w);
}

TEST(the_main_map_is_called_by_the_part_in_brackets_and_its_addresses_stay_as_they_are)
{
	struct hd_process_location where;
	const struct hd_process_object *o;
	struct world w;

	begin(&w);
	map(&w, 1, TEXT, 0x1000000, TEXT + 0x190, "[kernel.kallsyms]_stext");
	hd_process_build(w.proc);
	EXPECT_STR(at(&w, 2, TEXT + 0x10), "[kernel.kallsyms]+ffffffff81000010");
	EXPECT_STR(at(&w, 2, TEXT - 1), "-");
	EXPECT_STR(at(&w, 2, TEXT + 0x1000000), "-");
	o = object_at(&w, 2, 1, TEXT, KERNEL, &where);
	EXPECT_INT(o->kind, HD_OBJ_KERNEL);
	EXPECT(o->kernel_start == TEXT);
	EXPECT(o->kernel_pgoff == TEXT + 0x190);
	EXPECT(!o->guest);
	end(&w);
}

TEST(modules_lie_above_the_main_map_wherever_it_ends_and_in_whatever_order_they_come)
{
	static const uint64_t range[][2] = { { 0, UINT64_MAX }, { 0, 0 }, { TEXT, 0 }, { TEXT, UINT64_MAX } };

	for (size_t i = 0; i < 4; i++) {
		for (int late = 0; late < 2; late++) {
			struct world w;

			begin(&w);
			map(&w, late ? 9 : 1, range[i][0], range[i][1], TEXT, "[kernel.kallsyms]_text");
			map(&w, 2, MODULES, 0x5000, 0, "/lib/modules/5.1/kernel/a-b.ko");
			map(&w, 3, MODULES + 0x6000, 0x1000, 0, "[c_d]");
			hd_process_build(w.proc);
			EXPECT_STR(at(&w, 9, TEXT), "[kernel.kallsyms]+ffffffff81000000");
			EXPECT_STR(at(&w, 9, MODULES + 0x10), "/lib/modules/5.1/kernel/a-b.ko+10");
			EXPECT_STR(at(&w, 9, MODULES + 0x5000), "[kernel.kallsyms]+ffffffffa0005000");
			EXPECT_STR(at(&w, 9, MODULES + 0x6fff), "[c_d]+fff");
			end(&w);
		}
	}
}

TEST(a_module_has_its_load_address)
{
	struct hd_process_location where;
	const struct hd_process_object *o;
	struct world w;

	begin(&w);
	map(&w, 1, MODULES, 0x5000, 0, "/lib/a.ko");
	hd_process_build(w.proc);
	o = object_at(&w, 2, 1, MODULES + 0x123, KERNEL, &where);
	EXPECT_INT(o->kind, HD_OBJ_MODULE);
	EXPECT(o->kernel_start + where.foff == MODULES + 0x123);
	end(&w);
}

TEST(a_newer_main_map_takes_the_place_of_the_older)
{
	struct world w;

	begin(&w);
	map(&w, 1, TEXT, 0x1000000, TEXT, "[kernel.kallsyms]_text");
	map(&w, 5, TEXT + 0x10000000, 0x1000000, TEXT + 0x10000000, "[kernel.kallsyms]_text");
	hd_process_build(w.proc);
	EXPECT_STR(at(&w, 4, TEXT), "[kernel.kallsyms]+ffffffff81000000");
	EXPECT_STR(at(&w, 6, TEXT), "-");
	EXPECT_STR(at(&w, 6, TEXT + 0x10000000), "[kernel.kallsyms]+ffffffff91000000");
	end(&w);
}

TEST(a_main_map_at_the_very_end_of_memory_is_no_main_map)
{
	struct world w;

	begin(&w);
	map(&w, 1, 0, UINT64_MAX, 0, "[kernel.kallsyms]");
	map(&w, 2, UINT64_MAX, 0x12755730, 0, "[kernel.kallsyms]");	/* hiperf writes this */
	hd_process_build(w.proc);
	EXPECT_STR(at(&w, 3, 0xc0101234), "[kernel.kallsyms]+c0101234");
	end(&w);
}

TEST(the_entry_trampoline_is_a_piece_of_the_kernel_at_another_address)
{
	struct world w;

	begin(&w);
	map(&w, 1, TEXT, 0x1000000, TEXT, "[kernel.kallsyms]_text");
	map(&w, 2, 0xfffffe0000006000u, 0x1000, 0xffffffff81e06000u, "__entry_SYSCALL_64_trampoline");
	hd_process_build(w.proc);
	EXPECT_STR(at(&w, 3, 0xfffffe0000006010u), "[kernel.kallsyms]+ffffffff81e06010");
	end(&w);
}

TEST(a_module_without_a_size_and_a_name_that_is_none_are_skipped_and_counted)
{
	struct world w;

	begin(&w);
	map(&w, 1, 0, UINT64_MAX, 0, "[kernel.kallsyms]");
	map(&w, 2, 0, 0, 0, "/lib/modules/x.ko");
	map(&w, 2, 0, 0, 0, "/lib/modules/y.ko");
	map(&w, 3, 0xbf000000, 0x12000, 0, "hi_osal");
	hd_process_build(w.proc);
	EXPECT_STR(at(&w, 4, 0xbf000010), "[kernel.kallsyms]+bf000010");
	EXPECT_INT(hd_log_find(&w.log, "lost.empty-map")->count, 2);
	EXPECT_INT(hd_log_find(&w.log, "lost.kernel-map")->count, 1);
	end(&w);
}

TEST(a_ksymbol_is_there_from_its_registering_to_its_unregistering)
{
	struct hd_process_location where;
	struct world w;

	begin(&w);
	map(&w, 0, TEXT, 0x1000000, TEXT, "[kernel.kallsyms]_text");
	ksymbol(&w, 5, 0xffffffffc0000100u, 0x80, "bpf_prog_ee0e253c78993a24_f", false);
	ksymbol(&w, 8, 0xffffffffc0000100u, 0x80, "bpf_prog_ee0e253c78993a24_f", true);
	hd_process_build(w.proc);
	EXPECT_STR(at(&w, 4, 0xffffffffc0000110u), "-");
	EXPECT_STR(at(&w, 6, 0xffffffffc0000110u), "bpf_prog_ee0e253c78993a24_f+10");
	EXPECT_INT(object_at(&w, 6, 1, 0xffffffffc000017fu, KERNEL, &where)->kind, HD_OBJ_KSYM);
	EXPECT_STR(at(&w, 6, 0xffffffffc0000180u), "-");
	EXPECT_STR(at(&w, 9, 0xffffffffc0000110u), "-");
	end(&w);
}

TEST(unregistering_takes_only_ksymbols_away)
{
	struct world w;

	begin(&w);
	map(&w, 0, 0, UINT64_MAX, TEXT, "[kernel.kallsyms]_text");
	map(&w, 0, MODULES, 0x5000, 0, "[a]");
	ksymbol(&w, 1, TEXT + 0x100, 0x80, "bpf_prog_1", false);	/* inside the kernel's range */
	ksymbol(&w, 2, TEXT + 0x100, 0x80, "bpf_prog_1", true);
	ksymbol(&w, 3, TEXT + 0x100, 0x80, "bpf_prog_1", true);		/* the same record again */
	ksymbol(&w, 3, MODULES + 0x10, 0x80, "never_seen", true);
	hd_process_build(w.proc);
	EXPECT_STR(at(&w, 1, TEXT + 0x110), "bpf_prog_1+10");
	EXPECT_STR(at(&w, 9, TEXT + 0x110), "[kernel.kallsyms]+ffffffff81000110");
	EXPECT_STR(at(&w, 9, MODULES + 0x20), "[a]+20");
	end(&w);
}

TEST(a_kernel_mapping_is_recognised_by_its_cpumode_whatever_its_pid)
{
	struct world w;

	begin(&w);
	map_of(&w, 1, 0, KERNEL, 0, UINT64_MAX, 0, "[kernel.kallsyms]");	/* hiperf: pid 0 */
	map_of(&w, 1, 7, USER, 0x1000, 0x1000, 0, "/bin/a");
	hd_process_build(w.proc);
	EXPECT_STR(at_of(&w, 2, 7, 0x1010, KERNEL), "[kernel.kallsyms]+1010");
	EXPECT_STR(at_of(&w, 2, 7, 0x1010, USER), "/bin/a+10");
	EXPECT_STR(at_of(&w, 2, 7, 0x1010, 0), "-");
	EXPECT_STR(at_of(&w, 2, 7, 0x1010, HYPERVISOR), "-");
	EXPECT_STR(at_of(&w, 2, 7, 0x1010, GUEST_KERNEL), "-");
	end(&w);
}

TEST(each_guest_has_a_kernel_of_its_own)
{
	struct hd_process_location where;
	struct world w;

	begin(&w);
	map(&w, 0, TEXT, 0x1000000, TEXT, "[kernel.kallsyms]_text");
	map_of(&w, 0, 0, GUEST_KERNEL, TEXT, 0x1000, TEXT, "[guest.kernel.kallsyms]_text");
	map_of(&w, 3, 500, GUEST_KERNEL, TEXT, 0x2000, TEXT, "[guest.kernel.kallsyms.500]_text");
	map_of(&w, 4, 500, GUEST_KERNEL, MODULES, 0x2000, 0, "/lib/guest.ko");
	hd_process_build(w.proc);
	EXPECT_STR(at_of(&w, 9, 500, TEXT + 0x1010, GUEST_KERNEL), "[guest.kernel.kallsyms.500]+ffffffff81001010");
	EXPECT_STR(at_of(&w, 9, 500, MODULES + 0x10, GUEST_KERNEL), "/lib/guest.ko+10");
	EXPECT_STR(at_of(&w, 3, 500, MODULES + 0x10, GUEST_KERNEL), "-");
	EXPECT_STR(at_of(&w, 9, 500, TEXT + 0x1010, KERNEL), "[kernel.kallsyms]+ffffffff81001010");
	EXPECT_STR(at_of(&w, 9, 77, TEXT + 0x10, GUEST_KERNEL), "[guest.kernel.kallsyms]+ffffffff81000010");
	EXPECT_STR(at_of(&w, 9, 77, TEXT + 0x1010, GUEST_KERNEL), "-");
	EXPECT_STR(at_of(&w, 9, 500, TEXT + 0x10, GUEST_USER), "-");
	EXPECT(object_at(&w, 9, 500, TEXT, GUEST_KERNEL, &where)->guest);
	end(&w);
}

TEST(equal_kernel_spaces_are_equal_numbers)
{
	struct hd_process_context a, b, c;
	struct world w;

	begin(&w);
	map(&w, 0, TEXT, 0x1000000, TEXT, "[kernel.kallsyms]_text");
	map_of(&w, 0, 500, GUEST_KERNEL, TEXT, 0x2000, TEXT, "[guest.kernel.kallsyms.500]_text");
	ksymbol(&w, 5, 0xffffffffc0000100u, 0x80, "bpf_prog_1", false);
	hd_process_build(w.proc);
	hd_process_at(w.proc, 500, 500, (struct hd_record_time){ 1, 99 }, &a);
	hd_process_at(w.proc, 500, 501, (struct hd_record_time){ 2, 99 }, &b);
	EXPECT_INT(a.kernel_space, b.kernel_space);
	hd_process_at(w.proc, 500, 500, (struct hd_record_time){ 6, 99 }, &b);
	EXPECT(a.kernel_space != b.kernel_space);
	hd_process_at(w.proc, 4, 4, (struct hd_record_time){ 6, 99 }, &c);
	EXPECT(c.kernel_space != b.kernel_space);
	hd_process_at(w.proc, 500, 500, (struct hd_record_time){ 1, 99 }, &c);
	EXPECT_INT(a.kernel_space, c.kernel_space);
	end(&w);
}

TEST(a_guests_user_mappings_are_counted_and_not_taken_for_the_hosts)
{
	struct world w;

	begin(&w);
	map_of(&w, 1, 7, GUEST_USER, 0x1000, 0x1000, 0, "/bin/in-guest");
	hd_process_build(w.proc);
	EXPECT_STR(at_of(&w, 2, 7, 0x1010, USER), "-");
	EXPECT_INT(hd_log_find(&w.log, "lost.guest-map")->count, 1);
	end(&w);
}

TEST_MAIN(RUN(without_a_kernel_map_a_kernel_address_has_no_object),
	  RUN(the_main_map_is_called_by_the_part_in_brackets_and_its_addresses_stay_as_they_are),
	  RUN(modules_lie_above_the_main_map_wherever_it_ends_and_in_whatever_order_they_come),
	  RUN(a_module_has_its_load_address),
	  RUN(a_newer_main_map_takes_the_place_of_the_older),
	  RUN(a_main_map_at_the_very_end_of_memory_is_no_main_map),
	  RUN(the_entry_trampoline_is_a_piece_of_the_kernel_at_another_address),
	  RUN(a_module_without_a_size_and_a_name_that_is_none_are_skipped_and_counted),
	  RUN(a_ksymbol_is_there_from_its_registering_to_its_unregistering),
	  RUN(unregistering_takes_only_ksymbols_away),
	  RUN(a_kernel_mapping_is_recognised_by_its_cpumode_whatever_its_pid),
	  RUN(each_guest_has_a_kernel_of_its_own),
	  RUN(equal_kernel_spaces_are_equal_numbers),
	  RUN(a_guests_user_mappings_are_counted_and_not_taken_for_the_hosts))
