/*
 * busy.c - tests of the sums over GPU activities: unions of intervals, the timeline, gaps, latency, live memory
 */
#include "test.h"

#include "gpu/busy.h"
#include "gpu/gaps.h"
#include "gpu/histogram.h"
#include "gpu/memory.h"

#include <stdlib.h>

enum { KERNEL = HD_GPU_LANE_COMPUTE | HD_GPU_LANE_WORK, NCCL = HD_GPU_LANE_COMPUTE | HD_GPU_LANE_COMM,
       SET = HD_GPU_LANE_COPY, HTOD = HD_GPU_LANE_COPY | HD_GPU_LANE_HOST_COPY };

struct op { unsigned lanes; int64_t start, end; };

static struct hd_gpu_busy sweep(const struct op *ops, size_t n, struct hd_gpu_sweep *s)
{
	struct hd_gpu_busy busy;
	int64_t since;

	hd_gpu_sweep_init(s);
	for (size_t i = 0; i < n; i++)
		hd_gpu_sweep_add(s, ops[i].lanes, ops[i].start, ops[i].end, &since);
	hd_gpu_sweep_end(s, &busy);
	return busy;
}

TEST(kernels_that_run_at_the_same_time_count_once)
{
	static const struct op ops[] = { { KERNEL, 100, 300 }, { KERNEL, 150, 200 }, { KERNEL, 250, 400 },
		{ KERNEL, 500, 500 }, { KERNEL, 600, 700 } };
	struct hd_gpu_sweep s;
	struct hd_gpu_busy b = sweep(ops, 5, &s);

	EXPECT(b.start_ns == 100 && b.end_ns == 700);
	EXPECT_INT(b.compute_ns, 300 + 100);
	EXPECT_INT(b.copy_ns, 0);
	EXPECT_INT(b.idle_ns, 200);
	hd_gpu_sweep_release(&s);
}

TEST(compute_and_copies_less_their_overlap_and_idle_time_are_the_window)
{
	static const struct op ops[] = {
		{ KERNEL, -50, 100 }, { HTOD, 0, 200 }, { NCCL, 150, 250 }, { SET, 240, 260 }, { KERNEL, 245, 246 },
		{ HTOD, 300, 310 },
	};
	struct hd_gpu_sweep s;
	struct hd_gpu_busy b = sweep(ops, 6, &s);

	EXPECT_INT(b.compute_ns, 150 + 100);
	EXPECT_INT(b.copy_ns, 200 + 20 + 10);
	EXPECT_INT(b.overlap_ns, 100 + 50 + 10);
	EXPECT_INT(b.idle_ns, 40);
	EXPECT_INT(b.compute_ns + b.copy_ns - b.overlap_ns + b.idle_ns, hd_gpu_window(&b));
	EXPECT_INT(b.host_copy_ns, 210);
	EXPECT_INT(b.host_copy_alone_ns, 50 + 10);
	EXPECT_INT(b.comm_ns, 100);
	EXPECT_INT(b.comm_alone_ns, 99);
	hd_gpu_sweep_release(&s);
}

/* Compute the same sums by visiting each nanosecond. */
TEST(random_intervals_sum_up_as_when_each_nanosecond_is_looked_at)
{
	enum { N = 60, END = 3000 };
	uint64_t x = 42;

	for (int round = 0; round < 50; round++) {
		struct op ops[N];
		uint64_t compute = 0, copy = 0, both = 0, idle = 0, in_buckets = 0;
		struct hd_gpu_sweep s;
		struct hd_gpu_busy b;
		int64_t at = 0;

		for (int i = 0; i < N; i++) {
			x = x * 6364136223846793005u + 1442695040888963407u;
			at += (int64_t)(x >> 40) % 40;
			ops[i] = (struct op){ x >> 63 ? KERNEL : HTOD, at, at + (int64_t)(x >> 20) % 60 };
		}
		b = sweep(ops, N, &s);
		for (int64_t t = b.start_ns; t < b.end_ns; t++) {
			bool c = false, m = false;

			for (int i = 0; i < N; i++)
				if (ops[i].start <= t && t < ops[i].end)
					*(ops[i].lanes == KERNEL ? &c : &m) = true;
			compute += c;
			copy += m;
			both += c && m;
			idle += !c && !m;
		}
		EXPECT_INT(b.compute_ns, compute);
		EXPECT_INT(b.copy_ns, copy);
		EXPECT_INT(b.overlap_ns, both);
		EXPECT_INT(b.idle_ns, idle);
		for (int i = 0; i < HD_GPU_BUCKETS; i++)
			in_buckets += s.buckets[i].compute_ns + s.buckets[i].copy_ns - s.buckets[i].overlap_ns;
		EXPECT_INT(in_buckets, compute + copy - both);
		hd_gpu_sweep_release(&s);
	}
}

TEST(the_timeline_doubles_its_buckets_until_they_suffice)
{
	static const struct op ops[] = { { KERNEL, 0, 1000 }, { HTOD, 500, 1500 },
		{ KERNEL, (int64_t)1 << 62, ((int64_t)1 << 62) + 7 } };
	struct hd_gpu_sweep s;
	struct hd_gpu_busy b = sweep(ops, 3, &s);
	uint64_t last = (hd_gpu_window(&b) - 1) >> s.shift;

	EXPECT(last < HD_GPU_BUCKETS && last >= HD_GPU_BUCKETS / 2);
	EXPECT_INT(s.buckets[0].compute_ns, 1000);
	EXPECT_INT(s.buckets[0].copy_ns, 1000);
	EXPECT_INT(s.buckets[0].overlap_ns, 500);
	EXPECT_INT(s.buckets[last].compute_ns, 7);
	hd_gpu_sweep_release(&s);
}

TEST(times_at_both_ends_of_the_clock_do_not_overflow)
{
	static const struct op ops[] = { { KERNEL, INT64_MIN, INT64_MIN + 1 }, { KERNEL, INT64_MAX - 1, INT64_MAX } };
	struct hd_gpu_sweep s;
	struct hd_gpu_busy b = sweep(ops, 2, &s);

	EXPECT_INT(b.compute_ns, 2);
	EXPECT(b.idle_ns == UINT64_MAX - 2);
	hd_gpu_sweep_release(&s);
}

TEST(no_operation_has_no_window)
{
	struct hd_gpu_sweep s;
	struct hd_gpu_busy b = sweep(NULL, 0, &s);

	EXPECT_INT(hd_gpu_window(&b), 0);
	EXPECT(hd_gpu_percent(5, &b) == 0);
	hd_gpu_sweep_release(&s);
}

/* ---- gaps ---- */

static struct hd_gpu_activity call(uint32_t name, uint32_t pid, int64_t start, int64_t end)
{
	return (struct hd_gpu_activity){ .kind = HD_GPU_LAUNCH,
		.name = name,
		.pid = pid,
		.start_ns = start,
		.end_ns = end };
}

TEST(a_gap_names_the_calls_of_its_process_that_ran_in_it)
{
	struct hd_gpu_device d = { 0 };
	struct hd_gpu_recent calls, ranges;
	struct hd_gpu_activity list[] = { call(1, 9, 0, 150), call(2, 9, 110, 180), call(2, 9, 185, 500),
		call(3, 8, 100, 200) };
	struct hd_gpu_activity outer = call(10, 9, 0, 900), inner = call(11, 9, 105, 190), after = call(7, 9, 200, 300);

	hd_gpu_recent_init(&calls, 8);
	hd_gpu_recent_init(&ranges, 8);
	for (int i = 0; i < 4; i++)
		hd_gpu_recent_add(&calls, &list[i]);
	hd_gpu_recent_add(&ranges, &outer);
	hd_gpu_recent_add(&ranges, &inner);
	hd_gpu_gap_add(&d, 100, 6, &after, &calls, &ranges);
	EXPECT_INT(d.ngaps, 1);
	EXPECT(d.gaps[0].before == 6 && d.gaps[0].after == 7 && d.gaps[0].range == 11);
	EXPECT(d.gaps[0].call[0] == 2 && d.gaps[0].call_ns[0] == 70 + 15);
	EXPECT(d.gaps[0].call[1] == 1 && d.gaps[0].call_ns[1] == 50);
	EXPECT_INT(d.gaps[0].call[2], 0);	/* call 3 belongs to another process */
	hd_gpu_recent_release(&calls);
	hd_gpu_recent_release(&ranges);
}

TEST(the_longest_gaps_are_kept_longest_first)
{
	struct hd_gpu_device d = { 0 };
	struct hd_gpu_recent none = { 0 };

	for (int64_t i = 0; i < 100; i++) {
		struct hd_gpu_activity after = { .start_ns = 1000 * i + 1 + i * 37 % 100 };

		hd_gpu_gap_add(&d, 1000 * i, 1, &after, &none, &none);
	}
	EXPECT_INT(d.all_gaps, 100);
	EXPECT_INT(d.ngaps, HD_GPU_GAPS);
	for (size_t i = 0; i < HD_GPU_GAPS; i++)
		EXPECT_INT(d.gaps[i].end_ns - d.gaps[i].start_ns, 100 - i);
}

/* ---- latency ---- */

TEST(percentiles_are_exact_to_one_sixty_fourth)
{
	struct hd_gpu_histogram h = { 0 };

	EXPECT_INT(hd_gpu_histogram_percentile(&h, 50), 0);
	for (uint64_t i = 1; i <= 100000; i++)
		hd_gpu_histogram_add(&h, i * 1000);
	for (int p = 1; p < 100; p++) {
		uint64_t found = hd_gpu_histogram_percentile(&h, p), exact = (uint64_t)p * 1000000;

		EXPECT(found >= exact && found <= exact + exact / 64);
	}
	EXPECT_INT(hd_gpu_histogram_percentile(&h, 100), 100000000);
	EXPECT_INT(h.max_ns, 100000000);
	hd_gpu_histogram_release(&h);
}

TEST(small_and_huge_durations_have_a_step)
{
	struct hd_gpu_histogram h = { 0 };

	hd_gpu_histogram_add(&h, 0);
	hd_gpu_histogram_add(&h, 63);
	hd_gpu_histogram_add(&h, UINT64_MAX);
	EXPECT_INT(hd_gpu_histogram_percentile(&h, 1), 0);
	EXPECT_INT(hd_gpu_histogram_percentile(&h, 50), 63);
	EXPECT(hd_gpu_histogram_percentile(&h, 99) == UINT64_MAX);
	hd_gpu_histogram_release(&h);
}

/* ---- memory ---- */

static void move(struct hd_gpu_blocks *b, struct hd_gpu_memory_use *m, int kind, uint64_t address, uint64_t bytes)
{
	hd_gpu_blocks_add(b, m,
		&(struct hd_gpu_activity){ .kind = (uint8_t)kind,
			.address = address,
			.bytes = bytes,
			.sized = true,
			.start_ns = (int64_t)bytes });
}

TEST(the_peak_is_the_most_that_was_live_at_once)
{
	struct hd_gpu_blocks b = { 0 };
	struct hd_gpu_memory_use m = { 0 };

	move(&b, &m, HD_GPU_ALLOC, 1, 100);
	move(&b, &m, HD_GPU_ALLOC, 2, 50);
	move(&b, &m, HD_GPU_FREE, 1, 0);	/* a free reports no size; it is known from the address */
	move(&b, &m, HD_GPU_FREE, 3, 1000);	/* the block was allocated before the capture began */
	move(&b, &m, HD_GPU_ALLOC, 4, 90);
	EXPECT(m.known);
	EXPECT_INT(m.peak_bytes, 150);
	EXPECT_INT(m.peak_ns, 50);
	EXPECT_INT(m.used_bytes, 140);
	EXPECT_INT(m.unmatched_frees, 1);
	move(&b, &m, HD_GPU_ALLOC, 4, 10);	/* the free of block 4 is missing */
	EXPECT_INT(m.used_bytes, 60);
	hd_gpu_blocks_release(&b);
}

TEST(any_order_of_frees_finds_every_block)
{
	enum { N = 3000 };
	struct hd_gpu_blocks b = { 0 };
	struct hd_gpu_memory_use m = { 0 };

	for (uint64_t i = 0; i < N; i++)
		move(&b, &m, HD_GPU_ALLOC, 4096 * i, i + 1);
	EXPECT_INT(m.used_bytes, N * (N + 1) / 2);
	for (uint64_t i = 0; i < N; i++)
		move(&b, &m, HD_GPU_FREE, 4096 * (i * 1009 % N), 0);
	EXPECT_INT(m.used_bytes, 0);
	EXPECT_INT(m.unmatched_frees, 0);
	EXPECT_INT(b.n, 0);
	hd_gpu_blocks_release(&b);
}

TEST_MAIN(
	RUN(kernels_that_run_at_the_same_time_count_once),
	RUN(compute_and_copies_less_their_overlap_and_idle_time_are_the_window),
	RUN(random_intervals_sum_up_as_when_each_nanosecond_is_looked_at),
	RUN(the_timeline_doubles_its_buckets_until_they_suffice),
	RUN(times_at_both_ends_of_the_clock_do_not_overflow),
	RUN(no_operation_has_no_window),
	RUN(a_gap_names_the_calls_of_its_process_that_ran_in_it),
	RUN(the_longest_gaps_are_kept_longest_first),
	RUN(percentiles_are_exact_to_one_sixty_fourth),
	RUN(small_and_huge_durations_have_a_step),
	RUN(the_peak_is_the_most_that_was_live_at_once),
	RUN(any_order_of_frees_finds_every_block),
)
