/* objects.c - determine the kind, name and build-id of a mapping's object */
#include "process_test.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { KERNEL = 1, USER = 2, GUEST_KERNEL = 4, MAP_HUGETLB_FLAG = 0x40000 };

static struct hd_process_mmap mapping(struct world *w, int32_t pid, const char *name)
{
	w->seq++;
	return (struct hd_process_mmap){
		.when = { w->seq, w->seq }, .pid = pid, .tid = pid, .addr = 0x10000, .len = 0x1000, .pgoff = 0x7000,
		.name = name, .name_len = strlen(name), .cpumode = USER, .executable = true,
	};
}

/* Return the object at the address 0x10000 + 0x500 in `pid` after all records. */
static const struct hd_process_object *object(struct world *w, int32_t pid, uint8_t cpumode,
	struct hd_process_location *where)
{
	struct hd_process_context at;

	hd_process_at(w->proc, pid, pid, (struct hd_record_time){ 1000, 0 }, &at);
	hd_process_find(w->proc, &at, 0x10500, cpumode, where);
	return hd_process_object(w->proc, where->object);
}

static const char *kind_name(enum hd_object_kind kind)
{
	static const char *const names[] = { "UNKNOWN", "FILE", "VDSO", "KERNEL", "MODULE", "KSYM", "PERFMAP", "ANON" };

	return names[kind];
}

/*
 * Return the object of a mapping called `name` in the process `pid`, such as "FILE /bin/a +7500": kind, name, and the
 * offset of the address in the object.
 */
static const char *as(const char *name, bool executable, uint32_t flags, int32_t pid)
{
	static char text[128];
	struct hd_process_location where;
	const struct hd_process_object *o;
	struct hd_process_mmap m;
	struct world w;

	begin(&w);
	m = mapping(&w, pid, name);
	m.executable = executable;
	m.flags = flags;
	hd_process_add_mmap(w.proc, &m);
	hd_process_build(w.proc);
	o = object(&w, pid, USER, &where);
	snprintf(text, sizeof(text), "%s %s +%llx", kind_name(o->kind), hd_strtab_get(w.names, o->name),
		 (unsigned long long)where.foff);
	end(&w);
	return text;
}

TEST(a_path_is_a_file_and_its_addresses_are_offsets)
{
	EXPECT_STR(as("/bin/a", true, 2, 42), "FILE /bin/a +7500");
	EXPECT_STR(as("64/ld-2.17.so", true, 2, 42), "FILE 64/ld-2.17.so +7500");
}

TEST(executable_memory_without_a_file_is_jit_code_of_its_process)
{
	EXPECT_STR(as("//anon", true, 2, 42), "PERFMAP /tmp/perf-42.map +10500");
	EXPECT_STR(as("/dev/zero", true, 2, 42), "PERFMAP /tmp/perf-42.map +10500");
	EXPECT_STR(as("/dev/zero (deleted)", true, 2, 42), "PERFMAP /tmp/perf-42.map +10500");
	EXPECT_STR(as("/anon_hugepage (deleted)", true, 2, 42), "PERFMAP /tmp/perf-42.map +10500");
	EXPECT_STR(as("[heap]", true, 2, 42), "PERFMAP /tmp/perf-42.map +10500");
	EXPECT_STR(as("[stack]", true, 2, 42), "PERFMAP /tmp/perf-42.map +10500");
	EXPECT_STR(as("[stack:43]", true, 2, 42), "PERFMAP /tmp/perf-42.map +10500");
	EXPECT_STR(as("/SYSV00000000 (deleted)", true, 2, 42), "PERFMAP /tmp/perf-42.map +10500");
	EXPECT_STR(as("/huge/file", true, MAP_HUGETLB_FLAG, 42), "PERFMAP /tmp/perf-42.map +10500");
}

TEST(the_same_memory_when_not_executable_is_nothing_that_code_could_be_in)
{
	EXPECT_STR(as("//anon", false, 2, 42), "UNKNOWN  +0");
	EXPECT_STR(as("[heap]", false, 2, 42), "UNKNOWN  +0");
	EXPECT_STR(as("//anon", true, 2, 0), "ANON //anon +10500");	/* pid 0 cannot have written a perf map */
}

TEST(a_pseudo_file_is_called_as_recorded_and_the_vdso_is_counted_from_its_start)
{
	EXPECT_STR(as("[vdso]", true, 2, 42), "VDSO [vdso] +500");
	EXPECT_STR(as("[vdso32]", true, 2, 42), "VDSO [vdso32] +500");
	EXPECT_STR(as("[vsyscall]", true, 2, 42), "ANON [vsyscall] +7500");
	EXPECT_STR(as("[anon:dalvik-jit]", true, 2, 42), "ANON [anon:dalvik-jit] +7500");
	EXPECT_STR(as("//toolong", true, 2, 42), "ANON //toolong +7500");
	EXPECT_STR(as("", true, 2, 42), "ANON  +7500");
}

TEST(a_jit_that_maps_its_code_twice_through_memory_files_is_a_perf_map_under_its_own_name)
{
	EXPECT_STR(as("/memfd:doublemapper (deleted)", true, 2, 42), "PERFMAP /memfd:doublemapper (deleted) +10500");
	EXPECT_STR(as("/memfd:doublemapper (deleted)", false, 2, 42), "FILE /memfd:doublemapper (deleted) +7500");
	/*
	 * In simpleperf's file with the JIT code of ART, many pieces have the same offset, so addresses stay process
	 * addresses.
	 */
	EXPECT_STR(as("/data/local/tmp/perf.data_jit_app_cache:1-2", true, 2, 42),
		"PERFMAP /data/local/tmp/perf.data_jit_app_cache:1-2 +10500");
	EXPECT_STR(as("jit_zygote_cache:1-2", true, 2, 42), "PERFMAP jit_zygote_cache:1-2 +10500");
	EXPECT_STR(as("/memfd:lib.so (deleted)", true, 2, 42), "FILE /memfd:lib.so (deleted) +7500");
}

TEST(equal_objects_are_equal_numbers_and_perf_maps_are_equal_in_one_process_only)
{
	struct hd_process_location a, b;
	struct hd_process_mmap m;
	struct world w;

	begin(&w);
	for (int32_t pid = 1; pid <= 2; pid++) {
		m = mapping(&w, pid, "/lib/c.so");
		hd_process_add_mmap(w.proc, &m);
		m = mapping(&w, 10 + pid, "//anon");
		hd_process_add_mmap(w.proc, &m);
	}
	hd_process_build(w.proc);
	object(&w, 1, USER, &a);
	object(&w, 2, USER, &b);
	EXPECT_INT(a.object, b.object);
	EXPECT_INT(object(&w, 11, USER, &a)->pid, 11);
	EXPECT_INT(object(&w, 12, USER, &b)->pid, 12);
	EXPECT(a.object != b.object);
	EXPECT_INT(hd_process_object_count(w.proc), 4);		/* includes the unknown object */
	end(&w);
}

TEST(number_zero_and_a_number_never_given_are_the_unknown_object)
{
	struct world w;

	begin(&w);
	hd_process_build(w.proc);
	EXPECT_INT(hd_process_object(w.proc, 0)->kind, HD_OBJ_UNKNOWN);
	EXPECT_INT(hd_process_object(w.proc, 12345)->kind, HD_OBJ_UNKNOWN);
	EXPECT_INT(hd_process_object_count(w.proc), 1);
	end(&w);
}

/* ---- build-ids */

static const uint8_t table_id[20] = { 0xaa, 1, 2, 3 }, inline_id[8] = { 0xbb, 4, 5, 6 };

TEST(the_build_id_table_applies_by_name_and_a_recorded_id_wins)
{
	const struct hd_process_object *o;
	struct hd_process_location where;
	struct hd_process_mmap m;
	struct world w;

	begin(&w);
	m = mapping(&w, 1, "/bin/a");
	hd_process_add_mmap(w.proc, &m);
	m = mapping(&w, 2, "/bin/a");
	m.build_id = inline_id;
	m.build_id_len = sizeof(inline_id);
	hd_process_add_mmap(w.proc, &m);
	m = mapping(&w, 3, "/bin/other");
	hd_process_add_mmap(w.proc, &m);
	/* The table is added after the mappings. */
	hd_process_add_build_id(w.proc, "/bin/a", table_id, sizeof(table_id), USER);
	hd_process_build(w.proc);
	o = object(&w, 1, USER, &where);
	EXPECT_INT(o->build_id_len, sizeof(table_id));
	EXPECT_MEM(o->build_id, table_id, sizeof(table_id));
	o = object(&w, 2, USER, &where);
	EXPECT_INT(o->build_id_len, sizeof(inline_id));
	EXPECT_MEM(o->build_id, inline_id, sizeof(inline_id));
	EXPECT_INT(object(&w, 3, USER, &where)->build_id_len, 0);
	end(&w);
}

TEST(a_build_id_longer_than_there_is_room_for_is_cut)
{
	const struct hd_process_object *o;
	uint8_t huge[255];
	struct hd_process_location where;
	struct hd_process_mmap m;
	struct world w;

	memset(huge, 0xcc, sizeof(huge));
	begin(&w);
	m = mapping(&w, 1, "/bin/a");
	m.build_id = huge;
	m.build_id_len = sizeof(huge);
	hd_process_add_mmap(w.proc, &m);
	m = mapping(&w, 2, "/bin/b");
	hd_process_add_mmap(w.proc, &m);
	hd_process_add_build_id(w.proc, "/bin/b", huge, sizeof(huge), USER);
	hd_process_build(w.proc);
	o = object(&w, 1, USER, &where);
	EXPECT_INT(o->build_id_len, sizeof(o->build_id));
	o = object(&w, 2, USER, &where);
	EXPECT_INT(o->build_id_len, sizeof(o->build_id));
	end(&w);
}

/*
 * Return kind and name of the object of the kernel mapping `recorded`, and whether its build-id is `known`, if the
 * build-id table has the name `listed` with this cpumode.
 */
static const char *kernel_as(const char *recorded, const char *listed, uint8_t cpumode)
{
	static char text[128];
	const struct hd_process_object *o;
	struct hd_process_location where;
	struct hd_process_mmap m;
	struct world w;

	begin(&w);
	m = mapping(&w, -1, recorded);
	m.cpumode = KERNEL;
	hd_process_add_mmap(w.proc, &m);
	hd_process_add_build_id(w.proc, listed, table_id, sizeof(table_id), cpumode);
	hd_process_build(w.proc);
	o = object(&w, 1, KERNEL, &where);
	snprintf(text, sizeof(text), "%s %s %s", kind_name(o->kind), hd_strtab_get(w.names, o->name),
		 o->build_id_len ? "known" : "unknown");
	end(&w);
	return text;
}

TEST(the_build_id_table_says_what_the_kernel_is_called)
{
	EXPECT_STR(kernel_as("[kernel.kallsyms]_text", "[kernel.kallsyms]", KERNEL), "KERNEL [kernel.kallsyms] known");
	EXPECT_STR(kernel_as("[kernel.kallsyms]_text", "/boot/vmlinux-6.1", KERNEL), "KERNEL /boot/vmlinux-6.1 known");
	EXPECT_STR(kernel_as("[kernel.kallsyms]_text", "/boot/vmlinux-6.1", USER), "KERNEL [kernel.kallsyms] unknown");
	EXPECT_STR(kernel_as("[kernel.kallsyms]_text", "/boot/vmlinux-6.1", GUEST_KERNEL),
		"KERNEL [kernel.kallsyms] unknown");
	EXPECT_STR(kernel_as("[kernel.kallsyms]_text", "/lib/x.ko", KERNEL), "KERNEL [kernel.kallsyms] unknown");
	EXPECT_STR(kernel_as("[kernel.kallsyms]_text", "[x]", KERNEL), "KERNEL [kernel.kallsyms] unknown");
}

TEST(a_module_is_the_same_by_path_and_by_name_and_keeps_a_path_when_one_is_known)
{
	EXPECT_STR(kernel_as("/lib/snd-pcm.ko", "[snd_pcm]", KERNEL), "MODULE /lib/snd-pcm.ko known");
	EXPECT_STR(kernel_as("[snd_pcm]", "/lib/snd-pcm.ko.xz", KERNEL), "MODULE /lib/snd-pcm.ko.xz known");
	EXPECT_STR(kernel_as("[snd_pcm]", "[snd_pcm]", KERNEL), "MODULE [snd_pcm] known");
	EXPECT_STR(kernel_as("[snd_pcm]", "/lib/snd.ko", KERNEL), "MODULE [snd_pcm] unknown");
	EXPECT_STR(kernel_as("/lib/snd.ko", "/lib/snd.ko", USER), "MODULE /lib/snd.ko unknown");
}

/* ---- namespaces */

static void namespaces(struct world *w, int32_t pid, uint64_t mnt, uint64_t pid_ns)
{
	w->seq++;
	hd_process_add_namespaces(w->proc, (struct hd_record_time){ w->seq, w->seq }, pid, pid, mnt, pid_ns);
}

TEST(a_path_in_another_mount_namespace_than_that_of_pid_1_has_its_namespace)
{
	struct hd_process_location where, other;
	struct hd_process_mmap m;
	struct world w;

	begin(&w);
	namespaces(&w, 7, 4026531999, 4026531998);	/* a container, whose record comes first */
	namespaces(&w, 1, 4026531840, 4026531836);
	namespaces(&w, 8, 4026531840, 4026531836);
	for (int32_t pid = 7; pid <= 9; pid++) {
		m = mapping(&w, pid, "/bin/a");
		hd_process_add_mmap(w.proc, &m);
	}
	hd_process_build(w.proc);
	EXPECT_INT(object(&w, 7, USER, &where)->mnt_ns, 4026531999);
	EXPECT_INT(object(&w, 8, USER, &other)->mnt_ns, 0);
	EXPECT(where.object != other.object);		/* another file with the same name */
	EXPECT_INT(object(&w, 9, USER, &where)->mnt_ns, 0);	/* process 9 has no NAMESPACES record */
	EXPECT_INT(where.object, other.object);
	end(&w);
}

TEST(without_pid_1_the_first_record_is_the_recorders_namespace)
{
	struct hd_process_location where;
	struct hd_process_mmap m;
	struct world w;

	begin(&w);
	namespaces(&w, 7, 100, 200);
	m = mapping(&w, 7, "/bin/a");
	hd_process_add_mmap(w.proc, &m);
	namespaces(&w, 7, 101, 200);			/* after unshare(), the process is in a new namespace */
	m = mapping(&w, 8, "/bin/b");
	m.pid = m.tid = 7;
	m.addr = 0x20000;
	hd_process_add_mmap(w.proc, &m);
	hd_process_build(w.proc);
	EXPECT_INT(object(&w, 7, USER, &where)->mnt_ns, 0);
	for (uint32_t id = 1; id < hd_process_object_count(w.proc); id++) {
		const struct hd_process_object *o = hd_process_object(w.proc, id);

		EXPECT_INT(o->mnt_ns, strcmp(hd_strtab_get(w.names, o->name), "/bin/b") ? 0 : 101);
	}
	end(&w);
}

TEST(a_fork_is_in_its_parents_namespaces_and_a_perf_map_knows_of_another_pid)
{
	const struct hd_process_object *o;
	struct hd_process_location where;
	struct hd_process_mmap m;
	struct world w;

	begin(&w);
	namespaces(&w, 1, 100, 200);
	namespaces(&w, 7, 101, 201);
	w.seq++;
	hd_process_add_fork(w.proc, (struct hd_record_time){ w.seq, w.seq }, 8, 7, 8, 7);
	m = mapping(&w, 8, "//anon");
	hd_process_add_mmap(w.proc, &m);
	m = mapping(&w, 9, "//anon");
	hd_process_add_mmap(w.proc, &m);
	hd_process_build(w.proc);
	o = object(&w, 8, USER, &where);
	EXPECT_INT(o->pid, 8);
	EXPECT_INT(o->mnt_ns, 101);
	EXPECT(o->foreign_pid_ns);
	EXPECT(!object(&w, 9, USER, &where)->foreign_pid_ns);
	end(&w);
}

TEST_MAIN(RUN(a_path_is_a_file_and_its_addresses_are_offsets),
	  RUN(executable_memory_without_a_file_is_jit_code_of_its_process),
	  RUN(the_same_memory_when_not_executable_is_nothing_that_code_could_be_in),
	  RUN(a_pseudo_file_is_called_as_recorded_and_the_vdso_is_counted_from_its_start),
	  RUN(a_jit_that_maps_its_code_twice_through_memory_files_is_a_perf_map_under_its_own_name),
	  RUN(equal_objects_are_equal_numbers_and_perf_maps_are_equal_in_one_process_only),
	  RUN(number_zero_and_a_number_never_given_are_the_unknown_object),
	  RUN(the_build_id_table_applies_by_name_and_a_recorded_id_wins),
	  RUN(a_build_id_longer_than_there_is_room_for_is_cut),
	  RUN(the_build_id_table_says_what_the_kernel_is_called),
	  RUN(a_module_is_the_same_by_path_and_by_name_and_keeps_a_path_when_one_is_known),
	  RUN(a_path_in_another_mount_namespace_than_that_of_pid_1_has_its_namespace),
	  RUN(without_pid_1_the_first_record_is_the_recorders_namespace),
	  RUN(a_fork_is_in_its_parents_namespaces_and_a_perf_map_knows_of_another_pid))
