/*
 * profiler.c - tests of the profilers of libhotdrift: operations, allocations by name, spans; threads, resets, fork()
 * and bad input
 */
#include "test.h"
#include "../tmpdir.h"

#include "hotdrift.h"

#include <math.h>
#include <pthread.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static struct hd_profiler *fresh(void)
{
	struct hd_profiler *p;

	EXPECT_INT(hd_profiler_new(&p, NULL), HD_TRACK_OK);
	return p;
}

static struct hd_op op_named(struct hd_profiler *p, const char *name)
{
	struct hd_op ops[64];
	int64_t n = hd_ops(p, HD_OPS_BY_TIME, ops, 64);

	EXPECT(n >= 0 && n <= 64);
	for (int64_t i = 0; i < n; i++)
		if (strcmp(ops[i].name, name) == 0)
			return ops[i];
	return (struct hd_op){ .name = NULL };
}

static void spin_us(uint64_t us)
{
	uint64_t until = hd_now_ns() + us * 1000;

	while (hd_now_ns() < until)
		;
}

/* ---- operations ---- */

TEST(nested_operations_have_self_and_total_time)
{
	struct hd_profiler *p = fresh();
	struct hd_op outer, inner;

	EXPECT_INT(hd_op_start(p, "outer"), HD_TRACK_OK);
	spin_us(300);
	for (int i = 0; i < 3; i++) {
		EXPECT_INT(hd_op_start(p, "inner"), HD_TRACK_OK);
		spin_us(200);
		EXPECT_INT(hd_op_stop(p, "inner"), HD_TRACK_OK);
	}
	EXPECT_INT(hd_op_stop(p, "outer"), HD_TRACK_OK);
	outer = op_named(p, "outer");
	inner = op_named(p, "inner");
	EXPECT_INT(outer.count, 1);
	EXPECT_INT(inner.count, 3);
	EXPECT(inner.min_ns >= 200000 && inner.min_ns <= inner.max_ns);
	EXPECT_INT(inner.self_ns, inner.total_ns);
	EXPECT_INT(outer.self_ns + inner.total_ns, outer.total_ns);
	EXPECT(outer.self_ns >= 300000);
	EXPECT(fabs(inner.mean_ns - (double)inner.total_ns / 3) < 1);
	EXPECT_INT(outer.threads, 1);
	EXPECT_INT(outer.busiest_thread_ns, outer.total_ns);
	EXPECT(isnan(outer.gflops_per_s));
	EXPECT_INT(hd_ops_unbalanced(p), 0);
	hd_profiler_free(p);
}

TEST(the_total_of_a_recursive_operation_counts_each_moment_once)
{
	struct hd_profiler *p = fresh();
	struct hd_op op;

	for (int i = 0; i < 5; i++)
		hd_op_start(p, "walk");
	spin_us(200);
	EXPECT_INT(op_named(p, "walk").open, 5);
	for (int i = 0; i < 5; i++)
		EXPECT_INT(hd_op_stop(p, "walk"), HD_TRACK_OK);
	op = op_named(p, "walk");
	EXPECT_INT(op.count, 5);
	EXPECT_INT(op.open, 0);
	EXPECT_INT(op.total_ns, op.max_ns);		/* the outermost call */
	EXPECT_INT(op.self_ns, op.total_ns);
	EXPECT(op.mean_ns * 5 > (double)op.total_ns);	/* the mean is over single calls, which are nested */
	hd_profiler_free(p);
}

TEST(a_stop_without_a_start_is_an_error_and_changes_nothing)
{
	struct hd_profiler *p = fresh();

	EXPECT_INT(hd_op_stop(p, "never"), HD_TRACK_ORDER);
	hd_op_start(p, "a");
	EXPECT_INT(hd_op_stop(p, "b"), HD_TRACK_ORDER);
	EXPECT_INT(hd_op_stop(p, "a"), HD_TRACK_OK);
	EXPECT_INT(hd_op_stop(p, "a"), HD_TRACK_ORDER);
	EXPECT_INT(hd_ops(p, HD_OPS_BY_TIME, NULL, 0), 1);
	hd_profiler_free(p);
}

TEST(an_outer_stop_ends_inner_operations_and_counts_them)
{
	struct hd_profiler *p = fresh();

	hd_op_start(p, "outer");
	hd_op_start(p, "forgotten");
	hd_op_start(p, "too");
	EXPECT_INT(hd_op_stop(p, "outer"), HD_TRACK_OK);
	EXPECT_INT(op_named(p, "forgotten").count, 1);
	EXPECT_INT(op_named(p, "forgotten").open, 0);
	EXPECT_INT(hd_ops_unbalanced(p), 2);
	hd_profiler_free(p);
}

TEST(work_becomes_throughput_by_the_time_of_the_operation)
{
	struct hd_profiler *p = fresh();
	struct hd_op op;

	hd_op_start(p, "gemm");
	spin_us(500);
	EXPECT_INT(hd_op_stop_work(p, "gemm", 4e6, 1e6), HD_TRACK_OK);
	op = op_named(p, "gemm");
	EXPECT(fabs(op.gflops_per_s - 4e6 / (double)op.total_ns) < 1e-9);
	EXPECT(fabs(op.gbytes_per_s - 1e6 / (double)op.total_ns) < 1e-9);
	hd_op_start(p, "gemm");
	EXPECT_INT(hd_op_stop_work(p, "gemm", NAN, 0), HD_TRACK_INVALID);
	EXPECT_INT(hd_op_stop_work(p, "gemm", -1, 0), HD_TRACK_INVALID);
	EXPECT_INT(hd_op_stop_work(p, "gemm", INFINITY, 0), HD_TRACK_INVALID);
	EXPECT_INT(hd_op_stop(p, "gemm"), HD_TRACK_OK);
	hd_profiler_free(p);
}

TEST(operations_are_ordered_by_time_calls_or_flops_and_then_by_name)
{
	struct hd_profiler *p = fresh();
	struct hd_op ops[2];

	for (int i = 0; i < 3; i++) {
		hd_op_start(p, "b");
		hd_op_stop(p, "b");
		hd_op_start(p, "a");
		hd_op_stop(p, "a");
	}
	hd_op_start(p, "slow");
	spin_us(2000);
	hd_op_stop_work(p, "slow", 5, 0);
	EXPECT_INT(hd_ops(p, HD_OPS_BY_TIME, ops, 2), 3);
	EXPECT_STR(ops[0].name, "slow");
	EXPECT_INT(hd_ops(p, HD_OPS_BY_CALLS, ops, 2), 3);
	EXPECT_STR(ops[0].name, "a");
	EXPECT_STR(ops[1].name, "b");
	EXPECT_INT(hd_ops(p, HD_OPS_BY_FLOPS, ops, 2), 3);
	EXPECT_STR(ops[0].name, "slow");
	EXPECT_STR(ops[1].name, "a");
	EXPECT_INT(hd_ops(p, (enum hd_op_order)7, ops, 2), HD_TRACK_INVALID);
	hd_profiler_free(p);
}

TEST(a_reused_buffer_is_looked_up_by_its_text)
{
	struct hd_profiler *p = fresh();
	char name[8];

	for (int i = 0; i < 20; i++) {
		snprintf(name, sizeof(name), "op%d", i % 4);
		EXPECT_INT(hd_op_start(p, name), HD_TRACK_OK);
		EXPECT_INT(hd_op_stop(p, name), HD_TRACK_OK);
	}
	EXPECT_INT(hd_ops(p, HD_OPS_BY_TIME, NULL, 0), 4);
	EXPECT_INT(op_named(p, "op3").count, 5);
	hd_profiler_free(p);
}

TEST(long_and_empty_names_and_too_many_names)
{
	struct hd_profiler_config config = { .size = sizeof(config), .names_max = 3 };
	struct hd_profiler *p;
	char name[300];

	EXPECT_INT(hd_profiler_new(&p, &config), HD_TRACK_OK);
	memset(name, 'x', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	EXPECT_INT(hd_op_start(p, name), HD_TRACK_OK);
	EXPECT_INT(hd_op_stop(p, name), HD_TRACK_OK);
	name[HD_NAME_BYTES - 1] = '\0';
	EXPECT_INT(op_named(p, name).count, 1);
	EXPECT_INT(hd_op_start(p, ""), HD_TRACK_INVALID);
	EXPECT_INT(hd_op_start(p, NULL), HD_TRACK_INVALID);
	EXPECT_INT(hd_op_start(p, "second"), HD_TRACK_OK);
	EXPECT_INT(hd_op_start(p, "third"), HD_TRACK_OK);
	EXPECT_INT(hd_op_start(p, "fourth"), HD_TRACK_FULL);
	EXPECT_INT(hd_op_stop(p, "fourth"), HD_TRACK_FULL);
	EXPECT_INT(hd_op_stop(p, "third"), HD_TRACK_OK);
	hd_profiler_free(p);
}

TEST(two_thousand_names_keep_their_counts)
{
	struct hd_profiler *p = fresh();
	struct hd_op *ops = test_calloc(2000, sizeof(*ops));
	char name[16];

	for (int round = 0; round < 3; round++) {
		for (int i = 0; i < 2000; i++) {
			snprintf(name, sizeof(name), "op-%d", i);
			EXPECT_INT(hd_op_start(p, name), HD_TRACK_OK);
			EXPECT_INT(hd_op_stop(p, name), HD_TRACK_OK);
		}
	}
	EXPECT_INT(hd_ops(p, HD_OPS_BY_CALLS, ops, 2000), 2000);
	for (int i = 0; i < 2000; i++)
		EXPECT_INT(ops[i].count, 3);
	test_free(ops);
	hd_profiler_free(p);
}

struct job {
	struct hd_profiler *p;
	int calls;
};

static void *calls(void *arg)
{
	struct job *job = arg;

	for (int i = 0; i < job->calls; i++) {
		hd_op_start(job->p, "work");
		hd_op_start(job->p, i % 2 ? "odd" : "even");
		hd_op_stop(job->p, i % 2 ? "odd" : "even");
		hd_op_stop_work(job->p, "work", 1, 2);
	}
	return NULL;
}

TEST(totals_of_threads_are_kept_after_they_exit)
{
	struct hd_profiler *p = fresh();
	struct job job = { p, 1000 };
	struct hd_op work;

	for (int round = 0; round < 5; round++) {
		pthread_t t[8];

		for (int i = 0; i < 8; i++)
			EXPECT_INT(pthread_create(&t[i], NULL, calls, &job), 0);
		hd_ops(p, HD_OPS_BY_TIME, NULL, 0);	/* reads while the threads write */
		for (int i = 0; i < 8; i++)
			pthread_join(t[i], NULL);
	}
	work = op_named(p, "work");
	EXPECT_INT(work.count, 40000);
	EXPECT_INT(work.threads, 40);
	EXPECT(work.flops == 40000 && work.bytes == 80000);
	EXPECT(work.busiest_thread_ns > 0 && work.busiest_thread_ns < work.total_ns);
	EXPECT_INT(op_named(p, "odd").count + op_named(p, "even").count, 40000);
	hd_profiler_free(p);
}

static void *leaves_open(void *p)
{
	hd_op_start(p, "left");
	hd_op_start(p, "left");
	return NULL;
}

TEST(operations_that_a_thread_left_open_are_counted_as_unbalanced)
{
	struct hd_profiler *p = fresh();
	pthread_t t;

	EXPECT_INT(pthread_create(&t, NULL, leaves_open, p), 0);
	pthread_join(t, NULL);
	EXPECT_INT(hd_ops_unbalanced(p), 2);
	EXPECT_INT(op_named(p, "left").open, 0);
	hd_profiler_free(p);
}

TEST(a_reset_forgets_totals_and_open_operations_go_on)
{
	struct hd_profiler *p = fresh();
	struct hd_op op;

	hd_op_start(p, "a");
	spin_us(1000);
	hd_op_start(p, "b");
	hd_op_stop(p, "b");
	EXPECT_INT(hd_profiler_reset(p), HD_TRACK_OK);
	EXPECT_INT(hd_ops(p, HD_OPS_BY_TIME, NULL, 0), 0);
	EXPECT_INT(hd_op_stop(p, "a"), HD_TRACK_OK);
	op = op_named(p, "a");
	EXPECT_INT(op.count, 1);
	EXPECT_INT(op_named(p, "b").count, 0);
	EXPECT_INT(hd_ops_unbalanced(p), 0);
	/* The operation ends in the first call after the reset. */
	hd_op_start(p, "a");
	hd_profiler_reset(p);
	EXPECT_INT(hd_op_stop(p, "a"), HD_TRACK_OK);
	op = op_named(p, "a");
	EXPECT_INT(op.count, 1);
	EXPECT(op.total_ns < 60000000000u && op.max_ns < 60000000000u);
	hd_profiler_free(p);
}

TEST(many_profilers_are_used_and_freed_by_one_thread)
{
	for (int i = 0; i < 100; i++) {
		struct hd_profiler *a = fresh(), *b = fresh();

		hd_op_start(a, "x");
		hd_op_start(b, "x");
		hd_op_stop(b, "x");
		hd_op_stop(a, "x");
		EXPECT_INT(op_named(a, "x").count, 1);
		EXPECT_INT(op_named(b, "x").count, 1);
		hd_profiler_free(a);
		hd_profiler_free(b);
	}
}

static void *calls_until_stopped(void *stop)
{
	while (!__atomic_load_n((int *)stop, __ATOMIC_RELAXED)) {
		hd_op_start(HD_GLOBAL, "busy");
		hd_op_stop(HD_GLOBAL, "busy");
		hd_event(HD_GLOBAL, HD_EVENT_INSTANT, "tick", NULL, 0);
	}
	return NULL;
}

TEST(a_child_after_fork_goes_on_recording)
{
	int stop = 0, status;
	pthread_t t[2];

	hd_profiler_reset(HD_GLOBAL);
	for (int i = 0; i < 2; i++)
		EXPECT_INT(pthread_create(&t[i], NULL, calls_until_stopped, &stop), 0);
	for (int i = 0; i < 20; i++) {
		pid_t pid = fork();

		if (pid == 0) {
			struct hd_timeline_sum sum;
			bool fine = hd_op_start(HD_GLOBAL, "child") == HD_TRACK_OK &&
				    hd_event(HD_GLOBAL, HD_EVENT_INSTANT, "child", NULL, 0) == HD_TRACK_OK &&
				    hd_op_stop(HD_GLOBAL, "child") == HD_TRACK_OK &&
				    hd_timeline_sum(HD_GLOBAL, &sum) == HD_TRACK_OK;

			_exit(fine ? 0 : 1);
		}
		EXPECT(pid > 0);
		EXPECT_INT(waitpid(pid, &status, 0), pid);
		EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	}
	__atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	EXPECT(op_named(HD_GLOBAL, "busy").count > 0);
	EXPECT_INT(op_named(HD_GLOBAL, "child").count, 0);
	hd_profiler_reset(HD_GLOBAL);
}

static int square(int x)
{
	HD_SCOPE("square");
	return x * x;
}

TEST(a_scope_ends_with_its_block_and_a_timed_call_reports_milliseconds)
{
	double elapsed_ms = -1;
	int nine = 0;

	hd_profiler_reset(HD_GLOBAL);
	HD_TIME_CALL(HD_GLOBAL, "call", elapsed_ms, nine = square(3));
	EXPECT_INT(nine, 9);
	EXPECT(elapsed_ms >= 0 && elapsed_ms < 60000);
	EXPECT_INT(op_named(HD_GLOBAL, "square").count, 1);
	EXPECT_INT(op_named(HD_GLOBAL, "square").open, 0);
	EXPECT_INT(op_named(HD_GLOBAL, "call").count, 1);
	hd_profiler_reset(HD_GLOBAL);
}

TEST(a_configuration_may_be_shorter_but_must_have_a_size)
{
	struct hd_profiler_config config = { .size = 0 };
	struct hd_profiler *p;

	EXPECT_INT(hd_profiler_new(&p, &config), HD_TRACK_INVALID);
	EXPECT(p == NULL);
	config.size = sizeof(size_t);
	config.names_max = 1;		/* ignored, because it is beyond `size` */
	EXPECT_INT(hd_profiler_new(&p, &config), HD_TRACK_OK);
	EXPECT_INT(hd_op_start(p, "a"), HD_TRACK_OK);
	EXPECT_INT(hd_op_start(p, "b"), HD_TRACK_OK);
	hd_profiler_free(p);
	EXPECT_INT(hd_profiler_new(NULL, NULL), HD_TRACK_INVALID);
	hd_profiler_free(NULL);
}

TEST(each_status_has_a_sentence)
{
	for (int s = HD_TRACK_OK; s >= HD_TRACK_UNSUPPORTED; s--)
		EXPECT(strlen(hd_track_status_text(s)) > 5);
	EXPECT_STR(hd_track_status_text(-1000), "unknown status");
	EXPECT_STR(hd_track_status_text(7), "success");
}

/* ---- allocations ---- */

TEST(allocations_have_current_peak_and_leaks_by_name)
{
	struct hd_profiler *p = fresh();
	struct hd_alloc a[3];
	struct hd_alloc_sum sum;
	char blocks[4];

	EXPECT_INT(hd_record_alloc(p, "cache", &blocks[0], 1000), HD_TRACK_OK);
	EXPECT_INT(hd_record_alloc(p, "temp", &blocks[1], 5000), HD_TRACK_OK);	/* now the sum is at its peak */
	EXPECT_INT(hd_record_free(p, &blocks[1]), HD_TRACK_OK);
	EXPECT_INT(hd_record_alloc(p, "cache", &blocks[2], 2500), HD_TRACK_OK);
	EXPECT_INT(hd_record_alloc(p, "temp", NULL, 10), HD_TRACK_OK);
	EXPECT_INT(hd_allocs(p, a, 3), 2);
	EXPECT_STR(a[0].name, "cache");
	EXPECT_INT(a[0].blocks, 2);
	EXPECT_INT(a[0].live_bytes, 3500);
	EXPECT_INT(a[0].peak_bytes, 3500);
	EXPECT_INT(a[0].peak_share_bytes, 1000);
	EXPECT(a[0].oldest_ns >= a[0].mean_age_ns && a[0].oldest_ns > 0);
	EXPECT_STR(a[1].name, "temp");
	EXPECT_INT(a[1].live_blocks, 1);
	EXPECT_INT(a[1].bytes, 5010);
	EXPECT_INT(a[1].peak_share_bytes, 5000);
	EXPECT_INT(hd_alloc_sum(p, &sum), HD_TRACK_OK);
	EXPECT_INT(sum.peak_bytes, 6000);
	EXPECT_INT(sum.live_bytes, 3510);
	EXPECT_INT(sum.blocks, 4);
	hd_profiler_free(p);
}

TEST(an_address_that_is_recorded_twice_counts_as_freed_in_between)
{
	struct hd_profiler *p = fresh();
	struct hd_alloc_sum sum;
	char block;

	hd_record_alloc(p, "a", &block, 10);
	hd_record_alloc(p, "b", &block, 30);
	hd_alloc_sum(p, &sum);
	EXPECT_INT(sum.live_bytes, 30);
	EXPECT_INT(sum.live_blocks, 1);
	EXPECT_INT(hd_record_free(p, &block), HD_TRACK_OK);
	EXPECT_INT(hd_record_free(p, &block), HD_TRACK_ORDER);
	EXPECT_INT(hd_record_alloc(p, "a", &block, UINT64_MAX), HD_TRACK_INVALID);
	hd_profiler_free(p);
}

TEST(the_sums_equal_those_of_a_plain_model_over_many_blocks)
{
	enum { BLOCKS = 3000, STEPS = 60000 };
	struct hd_profiler *p = fresh();
	uint64_t *bytes = test_calloc(BLOCKS, sizeof(*bytes)), live = 0, peak = 0, at_peak = 0, even = 0;
	uint32_t seed = 1;
	struct hd_alloc_sum sum;
	struct hd_alloc a[2];

	for (int i = 0; i < STEPS; i++) {
		size_t b = (seed = seed * 1664525u + 1013904223u) >> 8;

		b %= BLOCKS;
		if (bytes[b]) {
			EXPECT_INT(hd_record_free(p, (const void *)(b * 64)), HD_TRACK_OK);
			live -= bytes[b];
			even -= b % 2 ? 0 : bytes[b];
			bytes[b] = 0;
		} else {
			bytes[b] = 1 + (seed >> 20);
			EXPECT_INT(hd_record_alloc(p, b % 2 ? "odd" : "even", (const void *)(b * 64), bytes[b]),
				HD_TRACK_OK);
			live += bytes[b];
			even += b % 2 ? 0 : bytes[b];
			if (live > peak) {
				peak = live;
				at_peak = even;
			}
		}
	}
	EXPECT_INT(hd_alloc_sum(p, &sum), HD_TRACK_OK);
	EXPECT_INT(sum.live_bytes, live);
	EXPECT_INT(sum.peak_bytes, peak);
	EXPECT_INT(hd_allocs(p, a, 2), 2);
	EXPECT_INT(a[strcmp(a[0].name, "even") ? 1 : 0].peak_share_bytes, at_peak);
	EXPECT_INT(a[0].peak_share_bytes + a[1].peak_share_bytes, peak);
	test_free(bytes);
	hd_profiler_free(p);
}

/* ---- spans ---- */

static void *polls(void *arg)
{
	struct { struct hd_profiler *p; hd_span_id id; } *a = arg;

	hd_span_enter(a->p, a->id);
	spin_us(300);
	hd_span_leave(a->p, a->id);
	return NULL;
}

TEST(a_span_that_runs_on_two_threads_has_busy_idle_and_scheduled_time)
{
	struct { struct hd_profiler *p; hd_span_id id; } a = { .p = fresh() };
	struct hd_span_total t;
	struct hd_span_waker w[2];
	hd_span_id timer;
	pthread_t thread;

	EXPECT_INT(hd_span_begin(a.p, "timer", 0, &timer), HD_TRACK_OK);
	EXPECT_INT(hd_span_begin(a.p, "request", timer, &a.id), HD_TRACK_OK);
	polls(&a);
	EXPECT_INT(hd_span_wake(a.p, a.id, timer), HD_TRACK_OK);
	spin_us(200);
	EXPECT_INT(pthread_create(&thread, NULL, polls, &a), 0);
	pthread_join(thread, NULL);
	EXPECT_INT(hd_span_wake(a.p, a.id, a.id), HD_TRACK_OK);
	EXPECT_INT(hd_span_end(a.p, a.id), HD_TRACK_OK);
	EXPECT_INT(hd_span_totals(a.p, &t, 1), 2);
	EXPECT_STR(t.name, "request");
	EXPECT_INT(t.count, 1);
	EXPECT_INT(t.open, 0);
	EXPECT_INT(t.polls, 2);
	EXPECT_INT(t.wakes, 2);
	EXPECT_INT(t.self_wakes, 1);
	EXPECT_INT(t.threads, 2);
	EXPECT(t.busy_ns >= 600000 && t.longest_poll_ns >= 300000);
	EXPECT(t.scheduled_ns >= 200000 && t.idle_ns >= t.scheduled_ns);
	EXPECT_INT(hd_span_wakers(a.p, w, 2), 2);
	EXPECT_STR(w[0].name, "request");
	EXPECT_STR(w[0].waker, "request");
	EXPECT_STR(w[1].waker, "timer");
	hd_profiler_free(a.p);
}

TEST(a_poll_that_goes_on_over_a_reset_counts_with_its_thread)
{
	struct hd_profiler *p = fresh();
	struct hd_span_total t;
	hd_span_id id;

	EXPECT_INT(hd_span_begin(p, "a", 0, &id), HD_TRACK_OK);
	EXPECT_INT(hd_span_enter(p, id), HD_TRACK_OK);
	EXPECT_INT(hd_profiler_reset(p), HD_TRACK_OK);
	spin_us(10);
	EXPECT_INT(hd_span_leave(p, id), HD_TRACK_OK);
	EXPECT_INT(hd_span_totals(p, &t, 1), 1);
	EXPECT(t.polls == 1 && t.threads == 1 && t.busy_ns > 0);
	hd_profiler_reset(p);			/* now the span waits */
	EXPECT_INT(hd_span_totals(p, &t, 1), 1);
	EXPECT(t.count == 1 && t.polls == 0 && t.threads == 0 && t.busy_ns == 0);
	hd_profiler_free(p);
}

TEST(calls_of_spans_in_the_wrong_order_are_refused)
{
	struct hd_profiler *p = fresh();
	hd_span_id id;

	EXPECT_INT(hd_span_enter(p, 1), HD_TRACK_ORDER);
	EXPECT_INT(hd_span_begin(p, "a", 0, &id), HD_TRACK_OK);
	EXPECT_INT(hd_span_leave(p, id), HD_TRACK_ORDER);
	EXPECT_INT(hd_span_enter(p, id), HD_TRACK_OK);
	EXPECT_INT(hd_span_enter(p, id), HD_TRACK_ORDER);
	EXPECT_INT(hd_span_end(p, id), HD_TRACK_OK);		/* ends the poll, too */
	EXPECT_INT(hd_span_end(p, id), HD_TRACK_ORDER);
	EXPECT_INT(hd_span_wake(p, id, 0), HD_TRACK_ORDER);
	EXPECT_INT(hd_span_begin(p, "", 0, &id), HD_TRACK_INVALID);
	EXPECT_INT(id, 0);
	EXPECT_INT(hd_span_begin(p, "a", 0, NULL), HD_TRACK_INVALID);
	hd_profiler_free(p);
}

TEST(polls_are_written_as_csv_and_dropped_ones_are_reported)
{
	struct hd_profiler_config config = { .size = sizeof(config), .timeline_events = 2 };
	char *dir = tmpdir(), *path = in_dir(dir, "spans.csv"), line[256];
	struct hd_profiler *p;
	hd_span_id id;
	FILE *f;

	EXPECT_INT(hd_profiler_new(&p, &config), HD_TRACK_OK);
	EXPECT_INT(hd_span_begin(p, "a \"b\"", 0, &id), HD_TRACK_OK);
	for (int i = 0; i < 3; i++) {
		EXPECT_INT(hd_spans_write_csv(p, path), HD_TRACK_OK);
		EXPECT_INT(hd_span_enter(p, id), HD_TRACK_OK);
		EXPECT_INT(hd_span_leave(p, id), HD_TRACK_OK);
	}
	EXPECT_INT(hd_spans_write_csv(p, path), HD_TRACK_FULL);
	f = fopen(path, "r");
	EXPECT(f && fgets(line, sizeof(line), f));
	EXPECT_STR(line, "t_ns,duration_ns,pid,tid,span,parent,name\n");
	for (int i = 0; i < 2; i++) {
		EXPECT(fgets(line, sizeof(line), f));
		EXPECT(strstr(line, ",1,0,\"a \"\"b\"\"\"\n"));
	}
	EXPECT(!fgets(line, sizeof(line), f));
	fclose(f);
	free(path);
	tmpdir_remove(dir);
	hd_profiler_free(p);
}

TEST_MAIN(RUN(nested_operations_have_self_and_total_time),
	  RUN(the_total_of_a_recursive_operation_counts_each_moment_once),
	  RUN(a_stop_without_a_start_is_an_error_and_changes_nothing),
	  RUN(an_outer_stop_ends_inner_operations_and_counts_them),
	  RUN(work_becomes_throughput_by_the_time_of_the_operation),
	  RUN(operations_are_ordered_by_time_calls_or_flops_and_then_by_name),
	  RUN(a_reused_buffer_is_looked_up_by_its_text), RUN(long_and_empty_names_and_too_many_names),
	  RUN(two_thousand_names_keep_their_counts), RUN(totals_of_threads_are_kept_after_they_exit),
	  RUN(operations_that_a_thread_left_open_are_counted_as_unbalanced),
	  RUN(a_reset_forgets_totals_and_open_operations_go_on), RUN(many_profilers_are_used_and_freed_by_one_thread),
	  RUN(a_child_after_fork_goes_on_recording),
	  RUN(a_scope_ends_with_its_block_and_a_timed_call_reports_milliseconds),
	  RUN(a_configuration_may_be_shorter_but_must_have_a_size), RUN(each_status_has_a_sentence),
	  RUN(allocations_have_current_peak_and_leaks_by_name),
	  RUN(an_address_that_is_recorded_twice_counts_as_freed_in_between),
	  RUN(the_sums_equal_those_of_a_plain_model_over_many_blocks),
	  RUN(a_span_that_runs_on_two_threads_has_busy_idle_and_scheduled_time),
	  RUN(a_poll_that_goes_on_over_a_reset_counts_with_its_thread),
	  RUN(calls_of_spans_in_the_wrong_order_are_refused),
	  RUN(polls_are_written_as_csv_and_dropped_ones_are_reported))
