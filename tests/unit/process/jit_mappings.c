/* jit_mappings.c - map JIT code from its jitdump over time */
#include "process/process_table.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

struct world {
	struct hd_log log;
	struct hd_strtab *names;
	struct hd_process_table *proc;
	uint64_t seq;
	uint32_t dump;
};

static void begin(struct world *w)
{
	*w = (struct world){ .names = hd_strtab_new() };
	w->proc = hd_process_table_new(w->names, &w->log);
	w->dump = hd_strtab_add(w->names, "jit-10.dump");
}

static void end(struct world *w)
{
	hd_process_table_free(w->proc);
	hd_strtab_free(w->names);
	hd_log_release(&w->log);
}

static void map(struct world *w, uint64_t time, uint64_t addr, uint64_t len, const char *name)
{
	hd_process_add_mmap(w->proc, &(struct hd_process_mmap){
		.when = { time, ++w->seq }, .pid = 10, .tid = 10, .addr = addr, .len = len,
		.name = name, .name_len = strlen(name), .cpumode = 2, .executable = true,
	});
}

/* Add a load record of the dump.  All records of one dump have the same seq. */
static void load(struct world *w, uint64_t time, uint64_t addr, uint64_t len, uint64_t foff)
{
	hd_process_add_jit(w->proc, (struct hd_record_time){ time, 1000 }, 10, addr, len, foff, w->dump);
}

/* Return the object at ip and the offset in it (hexadecimal), such as "jit-10.dump 40"; "-" if there is none. */
static const char *at(struct world *w, uint64_t time, uint64_t ip)
{
	static char text[128];
	struct hd_process_extent extent;
	struct hd_process_location where;
	struct hd_process_context a;

	hd_process_at(w->proc, 10, 10, (struct hd_record_time){ time, 2000 }, &a);
	hd_process_find(w->proc, &a, ip, 2, &where);
	/* Check that the extent contains the address and has the same result. */
	hd_process_extent(w->proc, a.space, ip, &extent);
	EXPECT(ip >= extent.start && ip < extent.end);
	EXPECT_INT(extent.object, where.object);
	EXPECT_INT(extent.space, a.space);
	if (!where.object)
		return "-";
	EXPECT_INT(extent.start, where.map_start);
	EXPECT_INT(extent.end, where.map_end);
	EXPECT_INT(ip + extent.delta, where.foff);
	snprintf(text, sizeof(text), "%s %llx", hd_strtab_get(w->names, hd_process_object(w->proc, where.object)->name),
		(unsigned long long)where.foff);
	return text;
}

static uint32_t space(struct world *w, uint64_t time)
{
	struct hd_process_context a;

	hd_process_at(w->proc, 10, 10, (struct hd_record_time){ time, 2000 }, &a);
	return a.space;
}

TEST(code_is_at_its_offset_in_the_dump_and_the_perf_map_is_around_it)
{
	struct world w;

	begin(&w);
	map(&w, 1, 0x1000, 0x1000, "//anon");
	load(&w, 2, 0x1100, 0x10, 0x40);
	load(&w, 2, 0x1110, 0x10, 0x80);
	hd_process_build(w.proc);
	EXPECT_STR(at(&w, 3, 0x10ff), "/tmp/perf-10.map 10ff");
	EXPECT_STR(at(&w, 3, 0x1100), "jit-10.dump 40");
	EXPECT_STR(at(&w, 3, 0x111f), "jit-10.dump 8f");
	EXPECT_STR(at(&w, 3, 0x1120), "/tmp/perf-10.map 1120");
	EXPECT_STR(at(&w, 1, 0x1100), "/tmp/perf-10.map 1100");
	end(&w);
}

TEST(code_put_where_other_code_was_has_replaced_it_from_its_time_on)
{
	struct world w;

	begin(&w);
	load(&w, 2, 0x1100, 0x10, 0x40);
	load(&w, 5, 0x1108, 0x10, 0x80);
	hd_process_build(w.proc);
	EXPECT_STR(at(&w, 4, 0x1108), "jit-10.dump 48");
	EXPECT_STR(at(&w, 5, 0x1107), "jit-10.dump 47");
	EXPECT_STR(at(&w, 5, 0x1108), "jit-10.dump 80");
	end(&w);
}

TEST(of_jit_code_with_the_same_time_the_last_record_hides_earlier_ones)
{
	struct world w;

	begin(&w);
	map(&w, 1, 0x1000, 0x1000, "/bin/a");
	for (uint64_t i = 0; i < 1000; i++)
		load(&w, 2, 0x2000 + 16 * i, 16, 0x10000 + 32 * i);
	load(&w, 2, 0x2008, 16, 0x40);
	load(&w, 2, 0x2000, 0, 0x50);
	hd_process_build(w.proc);
	EXPECT_STR(at(&w, 3, 0x1234), "/bin/a 234");
	EXPECT_STR(at(&w, 3, 0x2007), "jit-10.dump 10007");
	EXPECT_STR(at(&w, 3, 0x2008), "jit-10.dump 40");
	EXPECT_STR(at(&w, 3, 0x2018), "jit-10.dump 10028");
	EXPECT_STR(at(&w, 3, 0x2000 + 16 * 999), "jit-10.dump 17ce0");
	EXPECT(space(&w, 3) < 5);	/* fewer versions of the address space than functions */
	end(&w);
}

/*
 * A JIT makes its memory writable, then executable again.  In the recording this looks like a new
 * mapping each time.
 */
TEST(memory_without_a_file_that_is_mapped_over_code_leaves_it_there)
{
	struct world w;

	begin(&w);
	load(&w, 2, 0x1100, 0x10, 0x40);
	load(&w, 2, 0x1200, 0x10, 0x80);
	map(&w, 3, 0x1000, 0x208, "//anon");
	map(&w, 4, 0x1000, 0x208, "//anon");
	map(&w, 5, 0x1104, 4, "//anon");
	map(&w, 6, 0x1000, 0x208, "//anon");
	hd_process_build(w.proc);
	for (uint64_t t = 3; t < 7; t++) {
		EXPECT_STR(at(&w, t, 0x1000), "/tmp/perf-10.map 1000");
		EXPECT_STR(at(&w, t, 0x1100), "jit-10.dump 40");
		EXPECT_STR(at(&w, t, 0x1104), "jit-10.dump 44");
		EXPECT_STR(at(&w, t, 0x1110), "/tmp/perf-10.map 1110");
		EXPECT_STR(at(&w, t, 0x11ff), "/tmp/perf-10.map 11ff");
		EXPECT_STR(at(&w, t, 0x1200), "jit-10.dump 80");
		EXPECT_STR(at(&w, t, 0x120f), "jit-10.dump 8f");
		EXPECT_STR(at(&w, t, 0x1210), "-");
		EXPECT_INT(space(&w, t), space(&w, 3));		/* the same version of the space */
	}
	end(&w);
}

TEST(a_file_that_is_mapped_over_code_has_replaced_it)
{
	struct world w;

	begin(&w);
	load(&w, 2, 0x1100, 0x10, 0x40);
	map(&w, 3, 0x1000, 0x1000, "/lib/b");
	hd_process_build(w.proc);
	EXPECT_STR(at(&w, 3, 0x1100), "/lib/b 100");
	end(&w);
}

TEST(a_child_has_its_parents_code)
{
	struct world w;
	struct hd_process_location where;
	struct hd_process_context a;

	begin(&w);
	load(&w, 2, 0x1100, 0x10, 0x40);
	hd_process_add_fork(w.proc, (struct hd_record_time){ 3, 1 }, 20, 10, 20, 10);
	hd_process_build(w.proc);
	hd_process_at(w.proc, 20, 20, (struct hd_record_time){ 4, 1 }, &a);
	hd_process_find(w.proc, &a, 0x1104, 2, &where);
	EXPECT_INT(where.foff, 0x44);
	EXPECT_INT(hd_process_object(w.proc, where.object)->pid, 10);
	EXPECT_INT(hd_process_object(w.proc, where.object)->kind, HD_OBJ_JIT);
	end(&w);
}

TEST_MAIN(RUN(code_is_at_its_offset_in_the_dump_and_the_perf_map_is_around_it),
	  RUN(code_put_where_other_code_was_has_replaced_it_from_its_time_on),
	  RUN(of_jit_code_with_the_same_time_the_last_record_hides_earlier_ones),
	  RUN(memory_without_a_file_that_is_mapped_over_code_leaves_it_there),
	  RUN(a_file_that_is_mapped_over_code_has_replaced_it),
	  RUN(a_child_has_its_parents_code))
