/* tasks.c - find the name of a thread and the mappings of its process at any time */
#include "process_test.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static struct hd_record_time when(struct world *w, uint64_t time)
{
	return (struct hd_record_time){ time, ++w->seq };
}

static void map(struct world *w, uint64_t time, int32_t pid, int32_t tid, uint64_t addr, uint64_t len, const char *name)
{
	hd_process_add_mmap(w->proc, &(struct hd_process_mmap){
		.when = when(w, time), .pid = pid, .tid = tid, .addr = addr, .len = len,
		.name = name, .name_len = strlen(name), .cpumode = 2, .executable = true,
	});
}

static void comm(struct world *w, uint64_t time, int32_t pid, int32_t tid, const char *name)
{
	hd_process_add_comm(w->proc, when(w, time), pid, tid, name, strlen(name), false);
}

static void exec(struct world *w, uint64_t time, int32_t pid, const char *name)
{
	hd_process_add_comm(w->proc, when(w, time), pid, pid, name, strlen(name), true);
}

static void fork_at(struct world *w, uint64_t time, int32_t ppid, int32_t ptid, int32_t pid, int32_t tid)
{
	hd_process_add_fork(w->proc, when(w, time), pid, ppid, tid, ptid);
}

/* Return the comm and the object at ip, such as "sh /bin/sh"; "-" if there is no object. */
static const char *at(struct world *w, uint64_t time, int32_t pid, int32_t tid, uint64_t ip)
{
	static char text[128];
	struct hd_process_location where;
	struct hd_process_context a;

	hd_process_at(w->proc, pid, tid, (struct hd_record_time){ time, 1000000 }, &a);
	hd_process_find(w->proc, &a, ip, 2, &where);
	snprintf(text, sizeof(text), "%s %s", hd_strtab_get(w->names, hd_process_comm(w->proc, &a, tid)),
		 where.object ? hd_strtab_get(w->names, hd_process_object(w->proc, where.object)->name) : "-");
	return text;
}

TEST(a_thread_without_any_record_is_named_by_its_tid)
{
	struct world w;

	begin(&w);
	hd_process_build(w.proc);
	EXPECT_STR(at(&w, 5, 10, 11, 0x1000), ":11 -");
	EXPECT_STR(at(&w, 5, -1, -1, 0x1000), ":-1 -");
	EXPECT_STR(at(&w, 5, 0, 0, 0x1000), "swapper -");
	end(&w);
}

TEST(a_comm_holds_from_its_time_until_the_next_one)
{
	struct world w;

	begin(&w);
	comm(&w, 10, 1, 1, "first");
	comm(&w, 20, 1, 1, "second ");
	comm(&w, 30, 1, 1, "a comm longer than fifteen bytes");
	hd_process_build(w.proc);
	EXPECT_STR(at(&w, 9, 1, 1, 0), ":1 -");
	EXPECT_STR(at(&w, 10, 1, 1, 0), "first -");
	EXPECT_STR(at(&w, 19, 1, 1, 0), "first -");
	EXPECT_STR(at(&w, 20, 1, 1, 0), "second  -");
	EXPECT_STR(at(&w, 999, 1, 1, 0), "a comm longer than fifteen bytes -");
	EXPECT_STR(at(&w, 15, 1, 1, 0), "first -");		/* an earlier time than before */
	EXPECT_STR(at(&w, 3, 1, 1, 0), ":1 -");
	end(&w);
}

TEST(a_comm_outlives_the_exit)
{
	struct world w;

	begin(&w);
	comm(&w, 10, 1, 1, "sh");
	map(&w, 11, 1, 1, 0x1000, 0x1000, "/bin/sh");
	hd_process_add_exit(w.proc, when(&w, 20), 1, 1);
	hd_process_build(w.proc);
	EXPECT_STR(at(&w, 25, 1, 1, 0x1000), "sh /bin/sh");
	end(&w);
}

TEST(foff_is_counted_from_where_the_mapping_began_even_in_a_piece_of_it)
{
	struct world w;
	struct hd_process_location where;
	struct hd_process_context a;

	begin(&w);
	hd_process_add_mmap(w.proc, &(struct hd_process_mmap){
		.when = when(&w, 1), .pid = 1, .tid = 1, .addr = 0x10000, .len = 0x8000, .pgoff = 0x3000,
		.name = "/bin/sh", .name_len = 7, .cpumode = 2, .executable = true,
	});
	map(&w, 2, 1, 1, 0x12000, 0x1000, "/lib/x.so");
	hd_process_build(w.proc);
	hd_process_at(w.proc, 1, 1, (struct hd_record_time){ 5, 0 }, &a);
	hd_process_find(w.proc, &a, 0x11234, 2, &where);
	EXPECT_INT(where.foff, 0x4234);
	EXPECT_INT(where.map_start, 0x10000);
	EXPECT_INT(where.map_end, 0x12000);
	hd_process_find(w.proc, &a, 0x14234, 2, &where);
	EXPECT_INT(where.foff, 0x7234);
	EXPECT_INT(where.map_start, 0x13000);
	EXPECT_INT(where.map_end, 0x18000);
	hd_process_find(w.proc, &a, 0x12010, 2, &where);
	EXPECT_INT(where.foff, 0x10);
	end(&w);
}

TEST(data_mapped_over_code_has_replaced_it)
{
	struct world w;

	begin(&w);
	map(&w, 1, 1, 1, 0x1000, 0x3000, "/bin/sh");
	hd_process_add_mmap(w.proc, &(struct hd_process_mmap){
		.when = when(&w, 2), .pid = 1, .tid = 1, .addr = 0x2000, .len = 0x1000,
		.name = "/data", .name_len = 5, .cpumode = 2, .executable = false,
	});
	hd_process_build(w.proc);
	EXPECT_STR(at(&w, 1, 1, 1, 0x2000), ":1 /bin/sh");
	EXPECT_STR(at(&w, 2, 1, 1, 0x2000), ":1 /data");
	EXPECT_STR(at(&w, 2, 1, 1, 0x3000), ":1 /bin/sh");
	end(&w);
}

TEST(a_mapping_without_a_length_changes_nothing_and_one_past_the_end_of_memory_ends_there)
{
	struct world w;

	begin(&w);
	map(&w, 1, 1, 1, 0x1000, 0x3000, "/bin/sh");
	map(&w, 2, 1, 1, 0x2000, 0, "/empty");
	map(&w, 3, 1, 1, UINT64_MAX - 0xfff, UINT64_MAX, "/high");
	hd_process_build(w.proc);
	EXPECT_STR(at(&w, 9, 1, 1, 0x2000), ":1 /bin/sh");
	EXPECT_STR(at(&w, 9, 1, 1, UINT64_MAX - 1), ":1 /high");
	EXPECT_STR(at(&w, 9, 1, 1, 0), ":1 -");
	end(&w);
}

TEST(threads_share_what_their_process_maps)
{
	struct world w;

	begin(&w);
	comm(&w, 1, 10, 10, "server");
	fork_at(&w, 2, 10, 10, 10, 11);
	map(&w, 3, 10, 11, 0x1000, 0x1000, "/bin/server");	/* mapped by the thread, after the fork */
	map(&w, 4, 10, 10, 0x2000, 0x1000, "/lib/late.so");
	hd_process_build(w.proc);
	EXPECT_STR(at(&w, 5, 10, 10, 0x1000), "server /bin/server");
	EXPECT_STR(at(&w, 5, 10, 11, 0x2000), "server /lib/late.so");
	EXPECT_STR(at(&w, 5, 10, 12, 0x2000), ":12 /lib/late.so");	/* a thread without any record */
	end(&w);
}

TEST(a_thread_has_its_parents_comm_until_it_gets_its_own)
{
	struct world w;

	begin(&w);
	comm(&w, 1, 10, 10, "server");
	fork_at(&w, 2, 10, 10, 10, 11);
	comm(&w, 3, 10, 11, "worker");
	fork_at(&w, 4, 10, 11, 10, 12);
	comm(&w, 5, 10, 10, "renamed");
	fork_at(&w, 6, 77, 77, 78, 78);				/* the parent has no other record */
	fork_at(&w, 7, 0, 0, 79, 79);
	hd_process_build(w.proc);
	EXPECT_STR(at(&w, 2, 10, 11, 0), "server -");
	EXPECT_STR(at(&w, 9, 10, 11, 0), "worker -");
	EXPECT_STR(at(&w, 9, 10, 12, 0), "worker -");
	EXPECT_STR(at(&w, 9, 78, 78, 0), ":78 -");
	EXPECT_STR(at(&w, 9, 79, 79, 0), "swapper -");
	end(&w);
}

TEST(a_fork_starts_with_what_its_parent_had_mapped_then)
{
	struct world w;

	begin(&w);
	comm(&w, 1, 10, 10, "sh");
	map(&w, 2, 10, 10, 0x1000, 0x1000, "/bin/sh");
	fork_at(&w, 3, 10, 10, 20, 20);
	map(&w, 4, 10, 10, 0x2000, 0x1000, "/lib/parent.so");
	map(&w, 5, 20, 20, 0x3000, 0x1000, "/lib/child.so");
	hd_process_build(w.proc);
	EXPECT_STR(at(&w, 9, 20, 20, 0x1000), "sh /bin/sh");
	EXPECT_STR(at(&w, 9, 20, 20, 0x2000), "sh -");
	EXPECT_STR(at(&w, 9, 20, 20, 0x3000), "sh /lib/child.so");
	EXPECT_STR(at(&w, 9, 10, 10, 0x3000), "sh -");
	end(&w);
}

TEST(a_fork_shares_its_parents_space_until_one_of_them_maps)
{
	struct world w;
	struct hd_process_context parent, child, later;

	begin(&w);
	map(&w, 1, 10, 10, 0x1000, 0x1000, "/bin/sh");
	fork_at(&w, 2, 10, 10, 20, 20);
	map(&w, 3, 20, 20, 0x3000, 0x1000, "/lib/child.so");
	map(&w, 4, 20, 20, 0x3000, 0x1000, "/lib/child.so");	/* a repeated record */
	hd_process_build(w.proc);
	hd_process_at(w.proc, 10, 10, (struct hd_record_time){ 2, 99 }, &parent);
	hd_process_at(w.proc, 20, 20, (struct hd_record_time){ 2, 99 }, &child);
	EXPECT_INT(parent.space, child.space);
	hd_process_at(w.proc, 20, 20, (struct hd_record_time){ 3, 99 }, &child);
	EXPECT(parent.space != child.space);
	hd_process_at(w.proc, 20, 20, (struct hd_record_time){ 4, 99 }, &later);
	EXPECT_INT(later.space, child.space);
	end(&w);
}

TEST(a_fork_that_perf_made_up_for_a_running_task_copies_no_mappings)
{
	struct world w;

	begin(&w);
	comm(&w, 0, 1, 1, "init");
	map(&w, 0, 1, 1, 0x1000, 0x1000, "/sbin/init");
	hd_process_add_fork_running(w.proc, when(&w, 0), 20, 1, 20, 1);
	hd_process_add_fork_running(w.proc, when(&w, 0), 20, 20, 21, 20);
	map(&w, 0, 20, 20, 0x2000, 0x1000, "/bin/sh");
	hd_process_build(w.proc);
	EXPECT_STR(at(&w, 1, 20, 20, 0x1000), "init -");
	EXPECT_STR(at(&w, 1, 20, 21, 0x2000), "init /bin/sh");
	end(&w);
}

TEST(an_exec_keeps_the_old_image_until_the_new_one_maps_over_it)
{
	struct world w;

	begin(&w);
	comm(&w, 1, 10, 10, "sh");
	map(&w, 2, 10, 10, 0x1000, 0x1000, "/bin/sh");
	map(&w, 2, 10, 10, 0x8000, 0x1000, "/lib/libc");
	fork_at(&w, 3, 10, 10, 20, 20);
	exec(&w, 4, 20, "make");
	map(&w, 5, 20, 20, 0x1000, 0x1000, "/bin/make");
	comm(&w, 6, 20, 20, "renamed");
	hd_process_build(w.proc);
	EXPECT_STR(at(&w, 3, 20, 20, 0x1000), "sh /bin/sh");
	EXPECT_STR(at(&w, 4, 20, 20, 0x8000), "make /lib/libc");		/* mapped before execve() */
	EXPECT_STR(at(&w, 9, 20, 20, 0x1000), "renamed /bin/make");
	EXPECT_STR(at(&w, 9, 10, 10, 0x1000), "sh /bin/sh");
	end(&w);
}

TEST(a_pid_used_again_is_a_new_process)
{
	struct world w;

	begin(&w);
	comm(&w, 1, 1, 1, "init");
	comm(&w, 1, 10, 10, "old");
	map(&w, 2, 10, 10, 0x1000, 0x1000, "/bin/old");
	fork_at(&w, 2, 10, 10, 10, 11);
	hd_process_add_exit(w.proc, when(&w, 3), 10, 11);
	hd_process_add_exit(w.proc, when(&w, 3), 10, 10);
	fork_at(&w, 4, 1, 1, 10, 10);
	fork_at(&w, 5, 1, 1, 11, 11);				/* the tid of a thread becomes the pid of a process */
	map(&w, 6, 10, 10, 0x1000, 0x1000, "/bin/new");
	hd_process_build(w.proc);
	EXPECT_STR(at(&w, 3, 10, 10, 0x1000), "old /bin/old");
	EXPECT_STR(at(&w, 3, 10, 11, 0x1000), "old /bin/old");
	EXPECT_STR(at(&w, 4, 10, 10, 0x1000), "init -");
	EXPECT_STR(at(&w, 6, 10, 10, 0x1000), "init /bin/new");
	EXPECT_STR(at(&w, 6, 11, 11, 0x1000), "init -");
	end(&w);
}

TEST(a_tid_seen_in_another_process_without_a_fork_has_that_processs_mappings)
{
	struct world w;

	begin(&w);
	comm(&w, 1, 10, 10, "a");
	map(&w, 1, 10, 10, 0x1000, 0x1000, "/bin/a");
	map(&w, 2, 20, 20, 0x1000, 0x1000, "/bin/b");
	fork_at(&w, 3, 10, 10, 10, 15);
	hd_process_build(w.proc);
	EXPECT_STR(at(&w, 4, 10, 15, 0x1000), "a /bin/a");
	EXPECT_STR(at(&w, 4, 20, 15, 0x1000), "a /bin/b");	/* the last known comm */
	end(&w);
}

TEST(a_record_that_makes_a_task_its_own_parent_is_ignored)
{
	struct world w;

	begin(&w);
	comm(&w, 1, 10, 10, "a");
	map(&w, 1, 10, 10, 0x1000, 0x1000, "/bin/a");
	fork_at(&w, 2, 10, 10, 10, 10);
	fork_at(&w, 3, 10, 11, 10, 10);
	hd_process_build(w.proc);
	EXPECT_STR(at(&w, 9, 10, 10, 0x1000), "a /bin/a");
	end(&w);
}

TEST_MAIN(RUN(a_thread_without_any_record_is_named_by_its_tid),
	  RUN(a_comm_holds_from_its_time_until_the_next_one),
	  RUN(a_comm_outlives_the_exit),
	  RUN(foff_is_counted_from_where_the_mapping_began_even_in_a_piece_of_it),
	  RUN(data_mapped_over_code_has_replaced_it),
	  RUN(a_mapping_without_a_length_changes_nothing_and_one_past_the_end_of_memory_ends_there),
	  RUN(threads_share_what_their_process_maps),
	  RUN(a_thread_has_its_parents_comm_until_it_gets_its_own),
	  RUN(a_fork_starts_with_what_its_parent_had_mapped_then),
	  RUN(a_fork_shares_its_parents_space_until_one_of_them_maps),
	  RUN(a_fork_that_perf_made_up_for_a_running_task_copies_no_mappings),
	  RUN(an_exec_keeps_the_old_image_until_the_new_one_maps_over_it),
	  RUN(a_pid_used_again_is_a_new_process),
	  RUN(a_tid_seen_in_another_process_without_a_fork_has_that_processs_mappings),
	  RUN(a_record_that_makes_a_task_its_own_parent_is_ignored))
