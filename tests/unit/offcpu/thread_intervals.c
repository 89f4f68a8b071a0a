/*
 * thread_intervals.c - measure how long threads were off their CPUs and in system calls
 */
#include "test.h"

#include "offcpu/thread_intervals.h"

enum { MS = 1000000 };

static void add(struct hd_thread_intervals *s, uint64_t seq, enum hd_thread_event_kind kind, uint64_t ms, int tid,
	int other, bool runnable)
{
	hd_thread_intervals_add(s,
		&(struct hd_thread_event){ .time_ns = ms * MS,
			.seq = seq,
			.period = 1,
			.pid = 7,
			.tid = tid,
			.other = other,
			.kind = (uint8_t)kind,
			.runnable = runnable });
}

static void add_thinned(struct hd_thread_intervals *s, uint64_t seq, enum hd_thread_event_kind kind, uint64_t ms,
	int tid, int other, uint64_t period)
{
	hd_thread_intervals_add(s,
		&(struct hd_thread_event){ .time_ns = ms * MS,
			.seq = seq,
			.period = period,
			.pid = 7,
			.tid = tid,
			.other = other,
			.kind = (uint8_t)kind });
}

TEST(a_thread_is_blocked_until_it_is_woken_and_queued_until_it_runs)
{
	struct hd_thread_intervals *s = hd_thread_intervals_new();
	const struct hd_thread_interval *blocked, *woke;
	struct hd_thread_interval_weight share;
	int32_t pid, tid;

	add(s, 1, HD_THREAD_EVENT_SCHED_SWITCH, 10, 100, -1, false);
	add(s, 2, HD_THREAD_EVENT_SWITCH_OUT, 11, 100, -1, false);
	add(s, 3, HD_THREAD_EVENT_WAKEUP, 30, 200, 100, false);
	add(s, 4, HD_THREAD_EVENT_SWITCH_IN, 35, 100, -1, false);
	hd_thread_intervals_end(s);
	blocked = hd_thread_intervals_find(s, 1);
	EXPECT(blocked);
	EXPECT_INT(blocked->kind, HD_INTERVAL_BLOCKED);
	EXPECT(!blocked->open);
	share = hd_thread_intervals_weight(s, blocked);
	EXPECT_INT(share.ns, 20 * MS);
	EXPECT_INT(share.queued_ns, 5 * MS);
	hd_thread_intervals_thread(s, (uint32_t)blocked->other, &pid, &tid);
	EXPECT_INT(tid, 200);
	woke = hd_thread_intervals_find(s, 3);
	EXPECT(woke);
	EXPECT_INT(woke->kind, HD_INTERVAL_WAKEUP);
	EXPECT_INT(hd_thread_intervals_weight(s, woke).ns, 20 * MS);
	EXPECT(!hd_thread_intervals_find(s, 2));
	EXPECT(!hd_thread_intervals_find(s, 4));
	hd_thread_intervals_free(s);
}

TEST(a_switch_of_a_thread_that_is_off_already_is_counted)
{
	struct hd_thread_intervals *s = hd_thread_intervals_new();

	add(s, 1, HD_THREAD_EVENT_SCHED_SWITCH, 10, 100, -1, false);
	add(s, 2, HD_THREAD_EVENT_SCHED_SWITCH, 20, 100, -1, false);
	add(s, 3, HD_THREAD_EVENT_SCHED_SWITCH, 30, 200, -1, false);
	hd_thread_intervals_end(s);
	EXPECT_INT(hd_thread_intervals_stats(s)->repeated, 1);
	EXPECT_INT(hd_thread_intervals_stats(s)->switches, 2);
	hd_thread_intervals_free(s);
}

TEST(the_record_and_the_sample_of_a_switch_are_no_repetition)
{
	struct hd_thread_intervals *s = hd_thread_intervals_new();

	add(s, 1, HD_THREAD_EVENT_SCHED_SWITCH, 10, 100, -1, false);
	add(s, 2, HD_THREAD_EVENT_SWITCH_OUT, 10, 100, -1, false);
	add(s, 3, HD_THREAD_EVENT_SWITCH_IN, 15, 100, -1, false);
	add(s, 4, HD_THREAD_EVENT_SWITCH_OUT, 20, 100, -1, false);
	add(s, 5, HD_THREAD_EVENT_SCHED_SWITCH, 20, 100, -1, false);
	hd_thread_intervals_end(s);
	EXPECT_INT(hd_thread_intervals_stats(s)->repeated, 0);
	hd_thread_intervals_free(s);
}

TEST(a_runnable_thread_that_leaves_is_preempted_not_blocked)
{
	struct hd_thread_intervals *s = hd_thread_intervals_new();
	struct hd_thread_interval_weight share;

	add(s, 1, HD_THREAD_EVENT_SCHED_SWITCH, 10, 100, -1, true);
	add(s, 2, HD_THREAD_EVENT_SWITCH_OUT, 10, 100, -1, true);
	add(s, 3, HD_THREAD_EVENT_WAKEUP, 11, 200, 100, false);	/* thread 100 does not wait: it is ignored */
	add(s, 4, HD_THREAD_EVENT_SWITCH_IN, 14, 100, -1, false);
	hd_thread_intervals_end(s);
	EXPECT_INT(hd_thread_intervals_find(s, 1)->kind, HD_INTERVAL_PREEMPTED);
	share = hd_thread_intervals_weight(s, hd_thread_intervals_find(s, 1));
	EXPECT_INT(share.ns, 4 * MS);
	EXPECT_INT(share.queued_ns, 0);
	EXPECT(!hd_thread_intervals_find(s, 3));
	EXPECT_INT(hd_thread_intervals_stats(s)->strays, 1);
	hd_thread_intervals_free(s);
}

TEST(a_stay_on_a_cpu_is_from_coming_back_to_leaving_again)
{
	struct hd_thread_intervals *s = hd_thread_intervals_new();

	add(s, 1, HD_THREAD_EVENT_SWITCH_OUT, 10, 100, -1, false);	/* its switch in was not recorded */
	add(s, 2, HD_THREAD_EVENT_SWITCH_IN, 12, 100, -1, false);
	add(s, 3, HD_THREAD_EVENT_SWITCH_OUT, 15, 100, -1, false);
	add(s, 4, HD_THREAD_EVENT_SWITCH_IN, 16, 100, -1, false);
	add(s, 5, HD_THREAD_EVENT_SCHED_SWITCH, 20, 100, -1, true);
	add(s, 6, HD_THREAD_EVENT_SWITCH_OUT, 20, 100, -1, true);
	hd_thread_intervals_end(s);
	EXPECT_INT(hd_thread_intervals_stats(s)->stays, 2);
	EXPECT_INT(hd_thread_intervals_stats(s)->stays_ns, 7 * MS);
	hd_thread_intervals_free(s);
}

TEST(without_records_of_switches_the_next_threads_sample_is_the_end)
{
	struct hd_thread_intervals *s = hd_thread_intervals_new();

	add(s, 1, HD_THREAD_EVENT_SCHED_SWITCH, 10, 100, -1, false);
	add(s, 2, HD_THREAD_EVENT_SCHED_SWITCH, 18, 300, -1, false);
	add(s, 2, HD_THREAD_EVENT_SWITCH_IN, 18, 100, -1, false);	/* the same switch as the record above */
	hd_thread_intervals_end(s);
	EXPECT_INT(hd_thread_intervals_find(s, 1)->ns, 8 * MS);
	EXPECT(!hd_thread_intervals_stats(s)->exact);
	hd_thread_intervals_free(s);
}

TEST(moments_of_several_processors_are_put_into_the_order_of_time)
{
	struct hd_thread_intervals *s = hd_thread_intervals_new();

	/* The buffer of one CPU, then that of another one with earlier times; then a round ends. */
	add(s, 1, HD_THREAD_EVENT_SWITCH_IN, 20, 100, -1, false);
	add(s, 2, HD_THREAD_EVENT_SCHED_SWITCH, 30, 100, -1, false);
	add(s, 3, HD_THREAD_EVENT_SCHED_SWITCH, 5, 100, -1, false);
	hd_thread_intervals_finish_round(s);
	add(s, 4, HD_THREAD_EVENT_SWITCH_IN, 44, 100, -1, false);
	hd_thread_intervals_finish_round(s);
	hd_thread_intervals_end(s);
	EXPECT_INT(hd_thread_intervals_find(s, 3)->ns, 15 * MS);
	EXPECT_INT(hd_thread_intervals_find(s, 2)->ns, 14 * MS);
	hd_thread_intervals_free(s);
}

TEST(a_round_does_not_take_what_the_next_round_may_precede)
{
	struct hd_thread_intervals *s = hd_thread_intervals_new();

	add(s, 1, HD_THREAD_EVENT_SCHED_SWITCH, 10, 100, -1, false);
	add(s, 2, HD_THREAD_EVENT_SWITCH_IN, 40, 100, -1, false);
	hd_thread_intervals_finish_round(s);
	add(s, 3, HD_THREAD_EVENT_WAKEUP, 25, 200, 100, false);	/* written late by another CPU */
	hd_thread_intervals_finish_round(s);
	hd_thread_intervals_end(s);
	EXPECT_INT(hd_thread_intervals_find(s, 1)->ns, 15 * MS);
	EXPECT_INT(hd_thread_intervals_find(s, 1)->queued_ns, 15 * MS);
	hd_thread_intervals_free(s);
}

TEST(thinned_samples_add_up_to_what_all_switches_say)
{
	struct hd_thread_intervals *s = hd_thread_intervals_new();
	uint64_t sum = 0, at = 0, truth = 0;

	/* A hundred waits of 1, 2, ... 100 ms; every seventh has a sample. */
	for (uint64_t i = 1; i <= 100; i++) {
		if (i % 7 == 0)
			add_thinned(s, 1000 + i, HD_THREAD_EVENT_SCHED_SWITCH, at, 100, -1, 7);
		add(s, 2000 + i, HD_THREAD_EVENT_SWITCH_OUT, at, 100, -1, false);
		at += i;
		truth += i;
		add(s, 3000 + i, HD_THREAD_EVENT_SWITCH_IN, at, 100, -1, false);
		at += 1;
	}
	hd_thread_intervals_end(s);
	EXPECT(hd_thread_intervals_stats(s)->thinned);
	EXPECT_INT(hd_thread_intervals_stats(s)->switches, 100);
	EXPECT_INT(hd_thread_intervals_stats(s)->stacks, 14);
	for (uint64_t i = 7; i <= 100; i += 7) {
		struct hd_thread_interval_weight share = hd_thread_intervals_weight(s,
			hd_thread_intervals_find(s, 1000 + i));

		/*
		 * Each sample is scaled by the same factor: the sampled 7 + 14 + ... + 98 = 735 ms represent 5050 ms.
		 */
		EXPECT(share.ns + 1 >= i * MS * 5050 / 735 && share.ns <= i * MS * 5050 / 735 + 1);
		sum += share.ns + share.queued_ns;
	}
	EXPECT_INT(sum, truth * MS);
	hd_thread_intervals_free(s);
}

/*
 * A thread queues after futex waits, whose wake-ups are recorded, and after sleeps, whose wake-ups
 * (by a timer) never are.
 */
TEST(a_wait_without_a_recorded_wake_up_is_blocked_however_others_queued)
{
	struct hd_thread_intervals *s = hd_thread_intervals_new();
	struct hd_thread_interval_weight share;

	add_thinned(s, 1, HD_THREAD_EVENT_SCHED_SWITCH, 0, 100, -1, 2);
	add(s, 2, HD_THREAD_EVENT_SWITCH_OUT, 0, 100, -1, false);
	add(s, 3, HD_THREAD_EVENT_SWITCH_IN, 10, 100, -1, false);
	add(s, 4, HD_THREAD_EVENT_SWITCH_OUT, 20, 100, -1, false);
	add_thinned(s, 5, HD_THREAD_EVENT_WAKEUP, 21, 200, 100, 2);
	add(s, 6, HD_THREAD_EVENT_SWITCH_IN, 30, 100, -1, false);
	hd_thread_intervals_end(s);
	share = hd_thread_intervals_weight(s, hd_thread_intervals_find(s, 1));
	EXPECT_INT(share.ns, 20 * MS);		/* its own 10 ms, and the 10 ms of the span without a sample */
	EXPECT_INT(share.queued_ns, 0);
	/* Whether a wake-up was recorded is known of each interval, also of those without a sample. */
	EXPECT_INT(hd_thread_intervals_stats(s)->blocked_ns, 20 * MS);
	EXPECT_INT(hd_thread_intervals_stats(s)->unseen_ns, 10 * MS);
	hd_thread_intervals_free(s);
}

/*
 * The only sample of a thread is a wait of 6 ms, after which the thread is queued for 4 ms.  A sleep of 180 ms has no
 * sample and no wake-up.  It is in the exact time that the sample gets, but was not spent waiting for a CPU.
 */
TEST(a_sleep_without_a_sample_is_not_queued_however_the_sampled_wait_was)
{
	struct hd_thread_intervals *s = hd_thread_intervals_new();
	struct hd_thread_interval_weight share;

	add_thinned(s, 1, HD_THREAD_EVENT_SCHED_SWITCH, 0, 100, -1, 20);
	add(s, 2, HD_THREAD_EVENT_SWITCH_OUT, 0, 100, -1, false);
	add(s, 3, HD_THREAD_EVENT_WAKEUP, 6, 200, 100, false);
	add(s, 4, HD_THREAD_EVENT_SWITCH_IN, 10, 100, -1, false);
	add(s, 5, HD_THREAD_EVENT_SWITCH_OUT, 20, 100, -1, false);
	add(s, 6, HD_THREAD_EVENT_SWITCH_IN, 200, 100, -1, false);
	hd_thread_intervals_end(s);
	share = hd_thread_intervals_weight(s, hd_thread_intervals_find(s, 1));
	EXPECT_INT(share.ns, 186 * MS);
	EXPECT_INT(share.queued_ns, 4 * MS);
	EXPECT_INT(hd_thread_intervals_stats(s)->blocked_ns, 190 * MS);
	EXPECT_INT(hd_thread_intervals_stats(s)->unseen_ns, 180 * MS);
	hd_thread_intervals_free(s);
}

/* Two sampled waits are queued for 1 ms and 3 ms, and one without a sample, whose wake-up was recorded, for 8 ms. */
TEST(queued_time_without_a_sample_is_divided_among_the_samples_that_were_queued)
{
	static const uint64_t queued[] = { 1, 8, 3 };
	struct hd_thread_intervals *s = hd_thread_intervals_new();
	struct hd_thread_interval_weight share[2];

	for (uint64_t i = 0; i < 3; i++) {
		if (i != 1)
			add_thinned(s, 10 * i, HD_THREAD_EVENT_SCHED_SWITCH, 100 * i, 100, -1, 2);
		add(s, 10 * i + 1, HD_THREAD_EVENT_SWITCH_OUT, 100 * i, 100, -1, false);
		add(s, 10 * i + 2, HD_THREAD_EVENT_WAKEUP, 100 * i + 20, 200, 100, false);
		add(s, 10 * i + 3, HD_THREAD_EVENT_SWITCH_IN, 100 * i + 20 + queued[i], 100, -1, false);
	}
	hd_thread_intervals_end(s);
	for (uint64_t i = 0; i < 2; i++)
		share[i] = hd_thread_intervals_weight(s, hd_thread_intervals_find(s, 20 * i));
	EXPECT_INT(share[0].queued_ns, 3 * MS);
	EXPECT_INT(share[1].queued_ns, 9 * MS);
	EXPECT_INT(share[0].ns + share[1].ns, 60 * MS);
	hd_thread_intervals_free(s);
}

TEST(threads_without_a_single_sample_are_listed)
{
	struct hd_thread_intervals *s = hd_thread_intervals_new();
	const struct hd_unsampled_interval *rest;
	size_t n;

	add(s, 1, HD_THREAD_EVENT_SWITCH_OUT, 0, 100, -1, false);
	add(s, 2, HD_THREAD_EVENT_SWITCH_IN, 8, 100, -1, false);
	add(s, 3, HD_THREAD_EVENT_SWITCH_OUT, 9, 100, -1, true);
	add(s, 4, HD_THREAD_EVENT_SWITCH_IN, 10, 100, -1, false);
	hd_thread_intervals_end(s);
	rest = hd_thread_intervals_unsampled(s, &n);
	EXPECT_INT(n, 2);
	EXPECT_INT(rest[0].kind, HD_INTERVAL_BLOCKED);
	EXPECT_INT(rest[0].ns, 8 * MS);
	EXPECT_INT(rest[0].pid, 7);
	EXPECT_INT(rest[1].kind, HD_INTERVAL_PREEMPTED);
	EXPECT_INT(rest[1].ns, 1 * MS);
	hd_thread_intervals_free(s);
}

TEST(an_interval_without_an_end_ends_with_the_recording_and_is_counted)
{
	struct hd_thread_intervals *s = hd_thread_intervals_new();

	add(s, 1, HD_THREAD_EVENT_SCHED_SWITCH, 10, 100, -1, false);
	add(s, 2, HD_THREAD_EVENT_SYS_ENTER, 12, 200, 202, false);
	add(s, 3, HD_THREAD_EVENT_SCHED_SWITCH, 50, 300, -1, true);
	hd_thread_intervals_end(s);
	EXPECT_INT(hd_thread_intervals_find(s, 1)->ns, 40 * MS);
	EXPECT(hd_thread_intervals_find(s, 1)->open);
	EXPECT_INT(hd_thread_intervals_find(s, 2)->ns, 38 * MS);
	EXPECT(hd_thread_intervals_find(s, 2)->open);
	EXPECT_INT(hd_thread_intervals_stats(s)->open, 3);
	hd_thread_intervals_free(s);
}

TEST(a_thread_that_ends_waits_for_nothing)
{
	struct hd_thread_intervals *s = hd_thread_intervals_new();

	add(s, 1, HD_THREAD_EVENT_SYS_ENTER, 1, 100, 60, false);	/* exit does not return */
	add(s, 2, HD_THREAD_EVENT_EXIT, 2, 100, -1, false);
	add(s, 3, HD_THREAD_EVENT_SWITCH_OUT, 3, 100, -1, false);		/* the thread does not run again */
	add(s, 4, HD_THREAD_EVENT_SCHED_SWITCH, 4, 100, -1, false);
	add(s, 5, HD_THREAD_EVENT_SWITCH_IN, 90, 100, -1, false);		/* a new thread with the same tid */
	add(s, 6, HD_THREAD_EVENT_SCHED_SWITCH, 91, 100, -1, false);
	add(s, 7, HD_THREAD_EVENT_SWITCH_IN, 95, 100, -1, false);
	hd_thread_intervals_end(s);
	EXPECT(!hd_thread_intervals_find(s, 1));
	EXPECT(!hd_thread_intervals_find(s, 4));
	EXPECT_INT(hd_thread_intervals_find(s, 6)->ns, 4 * MS);
	EXPECT_INT(hd_thread_intervals_stats(s)->switches, 1);
	EXPECT_INT(hd_thread_intervals_stats(s)->open, 0);
	hd_thread_intervals_free(s);
}

TEST(a_system_call_lasts_until_it_returns_with_its_error)
{
	struct hd_thread_intervals *s = hd_thread_intervals_new();
	const struct hd_thread_interval *call;

	/* the return from a call that began before the recording */
	add(s, 1, HD_THREAD_EVENT_SYS_EXIT, 1, 100, 0, false);
	add(s, 2, HD_THREAD_EVENT_SYS_ENTER, 2, 100, 257, false);
	add(s, 3, HD_THREAD_EVENT_SYS_ENTER, 3, 200, 0, false);
	add(s, 4, HD_THREAD_EVENT_SYS_EXIT, 5, 200, 0, false);
	add(s, 5, HD_THREAD_EVENT_SYS_EXIT, 9, 100, 2, false);
	hd_thread_intervals_end(s);
	call = hd_thread_intervals_find(s, 2);
	EXPECT_INT(call->kind, HD_INTERVAL_SYSCALL);
	EXPECT_INT(call->other, 257);
	EXPECT_INT(call->error, 2);
	EXPECT_INT(call->ns, 7 * MS);
	EXPECT_INT(hd_thread_intervals_find(s, 3)->ns, 2 * MS);
	EXPECT_INT(hd_thread_intervals_find(s, 3)->error, 0);
	EXPECT_INT(hd_thread_intervals_stats(s)->strays, 1);
	hd_thread_intervals_free(s);
}

TEST(time_that_runs_backwards_is_no_time)
{
	struct hd_thread_intervals *s = hd_thread_intervals_new();

	add(s, 1, HD_THREAD_EVENT_SCHED_SWITCH, 100, 100, -1, false);
	hd_thread_intervals_finish_round(s);
	hd_thread_intervals_finish_round(s);
	/* this event is older than events that were already processed */
	add(s, 2, HD_THREAD_EVENT_SWITCH_IN, 10, 100, -1, false);
	hd_thread_intervals_end(s);
	EXPECT_INT(hd_thread_intervals_find(s, 1)->ns, 0);
	hd_thread_intervals_free(s);
}

TEST(an_empty_recording_has_no_spans)
{
	struct hd_thread_intervals *s = hd_thread_intervals_new();
	size_t n;

	hd_thread_intervals_finish_round(s);
	hd_thread_intervals_end(s);
	EXPECT(!hd_thread_intervals_find(s, 0));
	hd_thread_intervals_unsampled(s, &n);
	EXPECT_INT(n, 0);
	hd_thread_intervals_free(s);
	hd_thread_intervals_free(NULL);
}

TEST_MAIN(RUN(a_thread_is_blocked_until_it_is_woken_and_queued_until_it_runs),
	  RUN(a_switch_of_a_thread_that_is_off_already_is_counted),
	  RUN(the_record_and_the_sample_of_a_switch_are_no_repetition),
	  RUN(a_runnable_thread_that_leaves_is_preempted_not_blocked),
	  RUN(a_stay_on_a_cpu_is_from_coming_back_to_leaving_again),
	  RUN(without_records_of_switches_the_next_threads_sample_is_the_end),
	  RUN(moments_of_several_processors_are_put_into_the_order_of_time),
	  RUN(a_round_does_not_take_what_the_next_round_may_precede),
	  RUN(thinned_samples_add_up_to_what_all_switches_say),
	  RUN(a_wait_without_a_recorded_wake_up_is_blocked_however_others_queued),
	  RUN(a_sleep_without_a_sample_is_not_queued_however_the_sampled_wait_was),
	  RUN(queued_time_without_a_sample_is_divided_among_the_samples_that_were_queued),
	  RUN(threads_without_a_single_sample_are_listed),
	  RUN(an_interval_without_an_end_ends_with_the_recording_and_is_counted),
	  RUN(a_thread_that_ends_waits_for_nothing),
	  RUN(a_system_call_lasts_until_it_returns_with_its_error),
	  RUN(time_that_runs_backwards_is_no_time),
	  RUN(an_empty_recording_has_no_spans))
