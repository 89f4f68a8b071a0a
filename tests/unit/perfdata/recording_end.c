/*
 * recording_end.c - detect whether a recording is complete: finished rounds, and the EXIT of the command that perf
 * started.
 */
#include "synthetic_recording.h"

enum { PID = 50, TASK = 13, ENABLE_ON_EXEC = 12 };

static const struct attr started = {
	.sample_type = PERF_SAMPLE_IP, .period = 1, .flags = FLAG(TASK) | FLAG(ENABLE_ON_EXEC),
};

static void bare(struct image *im, uint32_t type)
{
	size_t r = rec(im, type, PERF_RECORD_MISC_USER);

	if (type == PERF_RECORD_SAMPLE)
		u64(im, 0x1000);
	end(im, r);
}

static void threads(struct image *im, uint64_t n)
{
	size_t r = rec(im, HD_RT_THREAD_MAP, 0);

	u64(im, n);
	for (uint64_t i = 0; i < n; i++) {
		u64(im, PID + i);
		text(im, "perf", 16);
	}
	end(im, r);
}

static void exited(struct image *im, uint32_t pid, uint32_t tid)
{
	size_t r = rec(im, PERF_RECORD_EXIT, 0);

	u32(im, pid);
	u32(im, 1);
	u32(im, tid);
	u32(im, 1);
	u64(im, 0);
	end(im, r);
}

static const struct hd_perf_stats *stats(struct image *im)
{
	EXPECT_INT(open_image(im), 0);
	walk(im);
	return hd_perf_stats(im->pf);
}

TEST(samples_after_the_last_round_are_missing_their_tail_when_earlier_rounds_were_finished)
{
	struct image im = one_event(started);

	bare(&im, PERF_RECORD_SAMPLE);
	bare(&im, HD_RT_FINISHED_ROUND);
	bare(&im, PERF_RECORD_SAMPLE);
	EXPECT(stats(&im)->tail_lost);
	EXPECT_STR(warned(&im, "lost.tail"),
		"t.data: its last records are missing: earlier rounds end in a FINISHED_ROUND record, the last one "
		"does not");
	EXPECT(hd_perf_file(im.pf)->truncated);
	release(&im);
}

TEST(a_last_round_may_be_followed_by_what_perf_writes_at_the_end)
{
	struct image im = one_event(started);

	bare(&im, PERF_RECORD_SAMPLE);
	bare(&im, HD_RT_FINISHED_ROUND);
	bare(&im, PERF_RECORD_SWITCH);
	bare(&im, HD_RT_FINISHED_ROUND);
	exited(&im, PID, PID);
	threads(&im, 0);
	EXPECT(!stats(&im)->tail_lost);
	release(&im);
}

TEST(recordings_without_rounds_and_sorted_ones_say_nothing_of_their_end)
{
	struct image none = one_event(started), sorted = one_event(started);

	bare(&none, PERF_RECORD_SAMPLE);
	EXPECT(!stats(&none)->tail_lost);
	release(&none);
	bare(&sorted, HD_RT_FINISHED_ROUND);
	bare(&sorted, HD_RT_FINISHED_ROUND);
	bare(&sorted, PERF_RECORD_SAMPLE);
	EXPECT(!stats(&sorted)->tail_lost);
	release(&sorted);
}

/*
 * Return what is known of the end of the command, for a recording with these flags and n threads in its THREAD_MAP, in
 * which the thread exit_tid of the process exit_pid ended (0: none ended).
 */
static enum hd_command_exit exit_of(uint64_t flags, uint64_t n, uint32_t exit_pid, uint32_t exit_tid)
{
	struct attr a = { .sample_type = PERF_SAMPLE_IP, .period = 1, .flags = flags };
	struct image im = one_event(a);
	enum hd_command_exit e;

	threads(&im, n);
	bare(&im, PERF_RECORD_SAMPLE);
	if (exit_pid)
		exited(&im, exit_pid, exit_tid);
	e = stats(&im)->command_exit;
	/* A missing EXIT alone does not set tail_lost, because only the caller knows why the recording ended. */
	EXPECT(!hd_perf_stats(im.pf)->tail_lost);
	release(&im);
	return e;
}

TEST(the_exit_of_the_command_that_perf_started_is_looked_for)
{
	EXPECT_INT(exit_of(started.flags, 1, PID, PID), HD_EXIT_RECORDED);
	EXPECT_INT(exit_of(started.flags, 1, 0, 0), HD_EXIT_MISSING);
	EXPECT_INT(exit_of(started.flags, 1, PID, PID + 1), HD_EXIT_MISSING);
	EXPECT_INT(exit_of(started.flags, 1, PID + 7, PID + 7), HD_EXIT_MISSING);
}

TEST(but_not_of_processes_that_ran_before_and_not_without_task_records)
{
	EXPECT_INT(exit_of(FLAG(TASK), 1, 0, 0), HD_EXIT_NOT_EXPECTED);
	EXPECT_INT(exit_of(FLAG(ENABLE_ON_EXEC), 1, 0, 0), HD_EXIT_NOT_EXPECTED);
	EXPECT_INT(exit_of(started.flags, 2, 0, 0), HD_EXIT_NOT_EXPECTED);
	EXPECT_INT(exit_of(started.flags, 0, 0, 0), HD_EXIT_NOT_EXPECTED);
}

TEST_MAIN(RUN(samples_after_the_last_round_are_missing_their_tail_when_earlier_rounds_were_finished),
	  RUN(a_last_round_may_be_followed_by_what_perf_writes_at_the_end),
	  RUN(recordings_without_rounds_and_sorted_ones_say_nothing_of_their_end),
	  RUN(the_exit_of_the_command_that_perf_started_is_looked_for),
	  RUN(but_not_of_processes_that_ran_before_and_not_without_task_records))
