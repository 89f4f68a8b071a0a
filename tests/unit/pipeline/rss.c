/*
 * rss.c - compute the resident memory of processes from kmem:rss_stat
 */
#include "pipeline/rss.h"

#include "test.h"

enum { FILES, ANON, SWAP, SHARED };

static struct hd_rss_record records[32];
static size_t n;
static uint64_t now;

static void told(int32_t pid, uint32_t mm, bool own, uint8_t member, int64_t bytes)
{
	now++;
	records[n++] = (struct hd_rss_record){ .time_ns = now,
		.seq = now,
		.pid = pid,
		.mm = mm,
		.own = own,
		.member = member,
		.bytes = bytes };
}

static void ended(int32_t pid)
{
	now++;
	records[n++] = (struct hd_rss_record){ .time_ns = now, .seq = now, .pid = pid, .end = true };
}

static void begin(void)
{
	n = 0;
	now = 0;
}

/* Return the resident memory after the last record. */
static uint64_t sum(void)
{
	struct hd_rss rss;
	uint64_t bytes;

	hd_rss_sum(&rss, records, n);
	bytes = rss.n ? rss.steps[rss.n - 1].bytes : 0;
	hd_rss_release(&rss);
	return bytes;
}

TEST(resident_are_file_anonymous_and_shared_pages_not_those_swapped_out)
{
	begin();
	told(1, 70, true, FILES, 100);
	told(1, 70, true, ANON, 20);
	told(1, 70, true, SWAP, 5000);
	told(1, 70, true, SHARED, 3);
	EXPECT_INT(sum(), 123);
	told(1, 70, true, ANON, 10);
	EXPECT_INT(sum(), 113);
	told(1, 70, true, FILES, -4096);	/* the kernel's counts may be negative for a moment */
	EXPECT_INT(sum(), 13);
}

TEST(records_count_by_time_not_by_their_order)
{
	begin();
	told(1, 70, true, ANON, 10);
	told(1, 70, true, ANON, 20);
	records[0].time_ns = 9;
	EXPECT_INT(sum(), 10);
}

TEST(memory_that_a_child_inherits_counts_once)
{
	begin();
	told(1, 70, true, ANON, 1000);
	told(1, 71, false, ANON, 600);		/* the fork copies the address space */
	told(1, 71, false, ANON, 1000);
	EXPECT_INT(sum(), 1000);
	told(2, 71, true, FILES, 50);
	told(2, 71, true, ANON, 1400);
	EXPECT_INT(sum(), 1450);
	ended(2);
	EXPECT_INT(sum(), 1000);
}

TEST(a_child_has_all_of_it_once_its_parent_is_gone)
{
	begin();
	told(1, 70, true, ANON, 1000);
	told(1, 71, false, ANON, 1000);
	told(2, 71, true, FILES, 50);
	EXPECT_INT(sum(), 1050);
	ended(1);
	told(2, 71, true, FILES, 60);
	EXPECT_INT(sum(), 1060);
}

TEST(an_exec_begins_anew)
{
	begin();
	told(1, 70, true, ANON, 1000);
	told(1, 71, false, ANON, 1000);
	told(2, 71, true, ANON, 1010);
	told(2, 72, false, ANON, 4);		/* execve() prepares the stack of the new program */
	told(2, 72, true, FILES, 30);
	told(2, 71, false, ANON, 0);
	EXPECT_INT(sum(), 1034);
}

TEST(a_child_that_borrows_the_address_space_adds_nothing)
{
	begin();
	told(1, 70, true, ANON, 1000);
	told(2, 70, true, ANON, 1004);		/* vfork(): process 2 uses the address space of process 1 */
	EXPECT_INT(sum(), 1004);
	told(2, 72, false, ANON, 4);
	told(2, 72, true, FILES, 30);
	EXPECT_INT(sum(), 1038);
	ended(2);
	EXPECT_INT(sum(), 1004);
}

TEST(a_number_that_is_used_again_is_another_address_space)
{
	begin();
	told(1, 70, true, ANON, 1000);
	/* the process executed another program; address space 70 is emptied */
	told(1, 71, true, ANON, 500);
	told(1, 70, false, ANON, 0);
	EXPECT_INT(sum(), 500);
	told(1, 70, false, ANON, 500);		/* a fork: the copied address space has the number 70, too */
	told(2, 70, true, ANON, 700);
	EXPECT_INT(sum(), 700);
}

TEST(an_unrelated_process_whose_memory_was_reclaimed_is_not_counted)
{
	begin();
	told(1, 70, true, ANON, 1000);
	told(1, 99, false, ANON, 123456);
	EXPECT_INT(sum(), 1000);
}

TEST_MAIN(RUN(resident_are_file_anonymous_and_shared_pages_not_those_swapped_out),
	  RUN(records_count_by_time_not_by_their_order),
	  RUN(memory_that_a_child_inherits_counts_once),
	  RUN(a_child_has_all_of_it_once_its_parent_is_gone),
	  RUN(an_exec_begins_anew),
	  RUN(a_child_that_borrows_the_address_space_adds_nothing),
	  RUN(a_number_that_is_used_again_is_another_address_space),
	  RUN(an_unrelated_process_whose_memory_was_reclaimed_is_not_counted))
