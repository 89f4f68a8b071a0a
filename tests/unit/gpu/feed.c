/* feed.c - check and name activities, join them with their API calls, sum them up, and derive findings from the sums */
#include "test.h"

#include "base/mem.h"
#include "gpu/feed.h"
#include "gpu/correlation.h"
#include "gpu/bottlenecks.h"
#include "gpu/summary.h"

#include <stdlib.h>
#include <string.h>

struct world {
	struct hd_profile *p;
	struct hd_gpu_dict dict;
	struct hd_gpu_capture capture;
	struct hd_gpu_feed *feed;
	struct hd_gpu_activity last;	/* last activity that the callback received */
	size_t n;
};

static int keep(void *context, const struct hd_gpu_activity *a, struct hd_err *err)
{
	struct world *w = context;

	(void)err;
	w->last = *a;
	w->n++;
	return 0;
}

static void begin(struct world *w)
{
	*w = (struct world){ .p = hd_profile_new() };
	hd_gpu_dict_init(&w->dict, w->p->names);
	w->capture.has_device_tables = true;
	w->feed = hd_gpu_feed_new(&w->dict, &w->capture, &w->p->log, keep, w);
}

static void add(struct world *w, struct hd_gpu_activity a)
{
	const struct hd_gpu_sink *sink = hd_gpu_feed_sink(w->feed, false);

	EXPECT_INT(sink->activity(sink->context, &a, NULL), 0);
}

static void end(struct world *w)
{
	w->p->gpu = hd_gpu_feed_end(w->feed);
	hd_gpu_bottlenecks_add(w->p, &w->capture);
}

static void release(struct world *w)
{
	hd_gpu_feed_free(w->feed);
	hd_gpu_dict_release(&w->dict);
	hd_gpu_capture_release(&w->capture);
	hd_profile_free(w->p);
}

static const struct hd_gpu_finding *found(const struct world *w, const char *code)
{
	for (size_t i = 0; i < w->p->gpu->nfindings; i++)
		if (!strcmp(w->p->gpu->findings[i].code, code))
			return &w->p->gpu->findings[i];
	return NULL;
}

static void kernel(struct world *w, const char *name, int64_t start, int64_t length)
{
	add(w,
		(struct hd_gpu_activity){ .kind = HD_GPU_KERNEL,
			.start_ns = start,
			.end_ns = start + length,
			.name = hd_profile_name(w->p, name) });
}

static void copy(struct world *w, enum hd_gpu_copy kind, enum hd_gpu_memory_kind from, int64_t start, int64_t length,
	int64_t bytes)
{
	add(w,
		(struct hd_gpu_activity){ .kind = HD_GPU_COPY,
			.copy = (uint8_t)kind,
			.from = (uint8_t)from,
			.to = HD_GPU_DEVICE_MEMORY,
			.start_ns = start,
			.end_ns = start + length,
			.sized = bytes >= 0,
			.bytes = bytes >= 0 ? (uint64_t)bytes : 0 });
}

/* ---- joining ---- */

TEST(an_operation_finds_its_call_by_process_and_correlation)
{
	struct world w;

	begin(&w);
	add(&w,
		(struct hd_gpu_activity){ .kind = HD_GPU_LAUNCH,
			.start_ns = 10,
			.end_ns = 12,
			.pid = 1,
			.tid = 5,
			.correlation = 7,
			.stack = 3,
			.name = hd_profile_name(w.p, "cudaLaunchKernel") });
	add(&w,
		(struct hd_gpu_activity){ .kind = HD_GPU_KERNEL,
			.start_ns = 40,
			.end_ns = 50,
			.pid = 1,
			.correlation = 7 });
	EXPECT(w.last.joined && w.last.launch_ns == 10 && w.last.tid == 5 && w.last.stack == 3);
	add(&w,
		(struct hd_gpu_activity){ .kind = HD_GPU_KERNEL,
			.start_ns = 60,
			.end_ns = 70,
			.pid = 1,
			.correlation = 7 });
	EXPECT(w.last.joined);		/* all kernels of a graph have the correlation of its launch */
	add(&w,
		(struct hd_gpu_activity){ .kind = HD_GPU_KERNEL,
			.start_ns = 80,
			.end_ns = 90,
			.pid = 2,
			.correlation = 7 });
	EXPECT(!w.last.joined);
	add(&w, (struct hd_gpu_activity){ .kind = HD_GPU_KERNEL, .start_ns = 90, .end_ns = 99, .pid = 1 });
	EXPECT(!w.last.joined);
	end(&w);
	EXPECT_INT(w.p->gpu->joinable, 4);
	EXPECT_INT(w.p->gpu->joined, 2);
	EXPECT_INT(w.p->gpu->with_stack, 2);
	EXPECT_INT(w.p->gpu->latency.count, 2);
	EXPECT(w.p->gpu->latency.mean_ns == 40.0);
	EXPECT_INT(w.p->gpu->latency.max_ns, 50);
	release(&w);
}

TEST(the_table_of_calls_does_not_grow_and_forgets_the_oldest)
{
	struct hd_gpu_correlation *m = hd_gpu_correlation_new();
	struct hd_gpu_activity a = { 0 };
	int lost = 0;

	for (uint64_t i = 1; i <= HD_GPU_CALLS + 100; i++)
		hd_gpu_correlation_add(m, &(struct hd_gpu_activity){ .correlation = i, .start_ns = (int64_t)i });
	for (uint64_t i = 1; i <= HD_GPU_CALLS + 100; i++) {
		a = (struct hd_gpu_activity){ .correlation = i };
		hd_gpu_correlation_lookup(m, &a);
		EXPECT(a.joined || i < 200);
		EXPECT_INT(a.launch_ns, a.joined ? i : 0);
		lost += !a.joined;
	}
	EXPECT(lost >= 100 && lost <= 104);
	/* Adding the same key many times needs no more memory. */
	for (int64_t i = 0; i < 2 * HD_GPU_CALLS; i++)
		hd_gpu_correlation_add(m,
			&(struct hd_gpu_activity){ .correlation = 500, .start_ns = 10 * i, .end_ns = 10 * i + 1 });
	a = (struct hd_gpu_activity){ .correlation = 501 };
	hd_gpu_correlation_lookup(m, &a);
	EXPECT(a.joined);
	a = (struct hd_gpu_activity){ .correlation = 500 };
	hd_gpu_correlation_lookup(m, &a);
	EXPECT_INT(a.launch_ns, 10 * (2 * HD_GPU_CALLS - 1));
	hd_gpu_correlation_free(m);
}

TEST(of_nested_calls_with_one_correlation_the_outer_one_counts)
{
	struct hd_gpu_correlation *m = hd_gpu_correlation_new();
	struct hd_gpu_activity a = { .correlation = 4 };

	hd_gpu_correlation_add(m, &(struct hd_gpu_activity){ .correlation = 4, .start_ns = 10, .end_ns = 30 });
	hd_gpu_correlation_add(m, &(struct hd_gpu_activity){ .correlation = 4, .start_ns = 15, .end_ns = 20 });
	hd_gpu_correlation_lookup(m, &a);
	EXPECT_INT(a.launch_ns, 10);
	hd_gpu_correlation_free(m);
}

/* ---- checks and names ---- */

TEST(an_activity_that_ends_before_it_starts_is_counted_and_left_out)
{
	struct world w;

	begin(&w);
	add(&w, (struct hd_gpu_activity){ .kind = HD_GPU_KERNEL, .start_ns = 50, .end_ns = 40 });
	EXPECT_INT(w.n, 0);
	end(&w);
	EXPECT_INT(w.p->gpu->invalid, 1);
	EXPECT_INT(w.p->gpu->kernels.count, 0);
	EXPECT(hd_log_find(&w.p->log, "lost.gpu-time") != NULL);
	release(&w);
}

TEST(what_the_recorder_lost_is_a_warning)
{
	struct world w;

	begin(&w);
	w.capture.dropped = 12;
	end(&w);
	EXPECT_INT(w.p->gpu->dropped, 12);
	EXPECT_INT(hd_log_find(&w.p->log, "lost.gpu-records")->count, 12);
	release(&w);
}

TEST(calls_that_wait_are_synchronisations_where_the_reader_has_none)
{
	struct world w;

	begin(&w);
	add(&w,
		(struct hd_gpu_activity){ .kind = HD_GPU_LAUNCH,
			.start_ns = 0,
			.end_ns = 30,
			.name = hd_profile_name(w.p, "cudaStreamSynchronize") });
	add(&w,
		(struct hd_gpu_activity){ .kind = HD_GPU_LAUNCH,
			.start_ns = 40,
			.end_ns = 50,
			.name = hd_profile_name(w.p, "cudaDeviceSynchronize") });
	add(&w,
		(struct hd_gpu_activity){ .kind = HD_GPU_LAUNCH,
			.start_ns = 60,
			.end_ns = 90,
			.name = hd_profile_name(w.p, "cudaLaunchKernel") });
	EXPECT_INT(w.n, 5);
	end(&w);
	EXPECT_INT(w.p->gpu->syncs[HD_GPU_SYNC_STREAM].ns, 30);
	EXPECT_INT(w.p->gpu->syncs[HD_GPU_SYNC_CONTEXT].ns, 10);
	EXPECT_INT(w.p->gpu->api.count, 3);
	EXPECT_STR(hd_profile_str(w.p, w.p->gpu->calls[0].name), "cudaLaunchKernel");
	release(&w);
}

TEST(copies_are_named_by_their_direction_and_a_size_may_be_unknown)
{
	struct world w;
	const struct hd_gpu_copies *c;

	begin(&w);
	copy(&w, HD_GPU_HTOD, HD_GPU_PAGEABLE, 0, 100, 200);
	EXPECT_STR(hd_profile_str(w.p, w.last.name), "[copy HtoD]");
	copy(&w, HD_GPU_HTOD, HD_GPU_PINNED, 100, 100, 600);
	copy(&w, HD_GPU_DTOD, HD_GPU_DEVICE_MEMORY, 200, 100, -1);
	add(&w, (struct hd_gpu_activity){ .kind = HD_GPU_COPY, .copy = 200, .start_ns = 300, .end_ns = 301 });
	EXPECT_STR(hd_profile_str(w.p, w.last.name), "[copy unknown]");
	end(&w);
	c = w.p->gpu->devices[0].copies;
	EXPECT_INT(c[HD_GPU_HTOD].bytes, 800);
	EXPECT(hd_gpu_gbps(&c[HD_GPU_HTOD]) == 4.0);
	EXPECT_INT(c[HD_GPU_HTOD].pageable, 1);
	EXPECT(hd_gpu_gbps(&c[HD_GPU_DTOD]) < 0);
	release(&w);
}

TEST(more_devices_than_can_be_kept_are_a_loss)
{
	struct world w;

	begin(&w);
	for (uint32_t i = 0; i < HD_GPU_DEVICES_MAX + 3; i++)
		add(&w,
			(struct hd_gpu_activity){ .kind = HD_GPU_KERNEL,
				.start_ns = i,
				.end_ns = i + 1,
				.device = 1000 - i });
	end(&w);
	EXPECT_INT(w.p->gpu->ndevices, HD_GPU_DEVICES_MAX);
	EXPECT(w.p->gpu->devices[0].id < w.p->gpu->devices[1].id);
	EXPECT_INT(hd_log_find(&w.p->log, "lost.gpu-device")->count, 3);
	release(&w);
}

TEST(the_longest_operations_are_kept_by_rising_start)
{
	struct world w;
	const struct hd_gpu_device *d;

	begin(&w);
	for (int64_t i = 0; i < 2000; i++)
		kernel(&w, "k", 10000 * i, 1 + i * 7919 % 2000);
	end(&w);
	d = &w.p->gpu->devices[0];
	EXPECT_INT(d->nlongest, HD_GPU_LONGEST);
	for (size_t i = 0; i < d->nlongest; i++) {
		EXPECT(d->longest[i].end_ns - d->longest[i].start_ns > 2000 - HD_GPU_LONGEST);
		EXPECT(!i || d->longest[i].start_ns > d->longest[i - 1].start_ns);
	}
	release(&w);
}

TEST(the_session_is_longer_than_the_activity_in_it)
{
	struct world w;
	const struct hd_gpu_busy *s;

	begin(&w);
	w.capture.session_end_ns = 1000;
	kernel(&w, "k", 100, 300);
	kernel(&w, "k", 500, 100);
	end(&w);
	s = &w.p->gpu->devices[0].session;
	EXPECT(s->start_ns == 0 && s->end_ns == 1000);
	EXPECT_INT(s->compute_ns, 400);
	EXPECT_INT(s->idle_ns, 600);
	release(&w);
}

/* ---- findings ---- */

TEST(an_idle_device_is_cpu_bound_and_its_largest_gap_names_the_call)
{
	struct world w;

	begin(&w);
	kernel(&w, "first", 0, 100);
	add(&w,
		(struct hd_gpu_activity){ .kind = HD_GPU_LAUNCH,
			.start_ns = 200,
			.end_ns = 5200,
			.name = hd_profile_name(w.p, "cudaMalloc") });
	kernel(&w, "second", 10000, 100);
	end(&w);
	EXPECT_STR(found(&w, "gpu.cpu-bound")->text,
		"GPU 0 is idle for 98.02 % of 10.1 µs: the host does not keep it busy; in its largest gap "
		"(9.9 µs, before second) cudaMalloc ran for 5 µs");
	EXPECT(!found(&w, "gpu.compute-bound"));
	release(&w);
}

TEST(copies_from_the_host_that_nothing_hides_are_the_bottleneck_and_pageable_memory_is_named)
{
	struct world w;

	begin(&w);
	kernel(&w, "k", 0, 300);
	copy(&w, HD_GPU_HTOD, HD_GPU_PAGEABLE, 100, 700, 1400);
	copy(&w, HD_GPU_DTOD, HD_GPU_DEVICE_MEMORY, 800, 200, 400);
	end(&w);
	EXPECT_STR(found(&w, "gpu.copy-bound")->text,
		"GPU 0 copies from or to the host for 50.00 % of 1 µs while no kernel runs; HtoD 2 GB/s; "
		"DtoD 2 GB/s (on the device, not counted); 100 % of the copy time uses pageable memory");
	EXPECT(found(&w, "gpu.pageable"));
	release(&w);
}

TEST(copies_on_the_device_are_no_transfer_bottleneck)
{
	struct world w;

	begin(&w);
	kernel(&w, "k", 0, 20);
	copy(&w, HD_GPU_DTOD, HD_GPU_DEVICE_MEMORY, 20, 980, 400);
	end(&w);
	EXPECT(!found(&w, "gpu.copy-bound"));
	EXPECT(found(&w, "gpu.none"));
	release(&w);
}

TEST(collectives_are_communication_and_no_work)
{
	struct world w;

	begin(&w);
	kernel(&w, "ncclDevKernel_AllReduce_Sum_f32_RING_LL(x)", 0, 600);
	kernel(&w, "gemm", 500, 500);
	end(&w);
	EXPECT_INT(w.p->gpu->devices[0].comm.count, 1);
	EXPECT_INT(w.p->gpu->devices[0].active.comm_alone_ns, 500);
	EXPECT(found(&w, "gpu.communication") && !found(&w, "gpu.compute-bound"));
	EXPECT(hd_gpu_is_communication("void ncclKernel_x") && hd_gpu_is_communication("rcclGenericKernel") &&
		!hd_gpu_is_communication("my_nccl"));
	release(&w);
}

TEST(a_busy_device_is_compute_bound)
{
	struct world w;

	begin(&w);
	kernel(&w, "k", 0, 900);
	kernel(&w, "k", 950, 50);
	end(&w);
	EXPECT_INT(w.p->gpu->nfindings, 1);
	EXPECT_STR(w.p->gpu->findings[0].code, "gpu.compute-bound");
	release(&w);
}

TEST(an_empty_window_and_an_absent_table_abstain)
{
	struct world w;

	begin(&w);
	kernel(&w, "k", 5, 0);
	end(&w);
	EXPECT_STR(w.p->gpu->findings[0].code, "gpu.none");
	EXPECT_INT(w.p->gpu->nfindings, 1);
	release(&w);
	begin(&w);
	end(&w);
	EXPECT_STR(w.p->gpu->findings[0].code, "gpu.none");
	EXPECT(w.p->gpu->findings[0].device == HD_GPU_NO_DEVICE);
	release(&w);
}

TEST_MAIN(
	RUN(an_operation_finds_its_call_by_process_and_correlation),
	RUN(the_table_of_calls_does_not_grow_and_forgets_the_oldest),
	RUN(of_nested_calls_with_one_correlation_the_outer_one_counts),
	RUN(an_activity_that_ends_before_it_starts_is_counted_and_left_out),
	RUN(what_the_recorder_lost_is_a_warning),
	RUN(calls_that_wait_are_synchronisations_where_the_reader_has_none),
	RUN(copies_are_named_by_their_direction_and_a_size_may_be_unknown),
	RUN(more_devices_than_can_be_kept_are_a_loss),
	RUN(the_longest_operations_are_kept_by_rising_start),
	RUN(the_session_is_longer_than_the_activity_in_it),
	RUN(an_idle_device_is_cpu_bound_and_its_largest_gap_names_the_call),
	RUN(copies_from_the_host_that_nothing_hides_are_the_bottleneck_and_pageable_memory_is_named),
	RUN(copies_on_the_device_are_no_transfer_bottleneck),
	RUN(collectives_are_communication_and_no_work),
	RUN(a_busy_device_is_compute_bound),
	RUN(an_empty_window_and_an_absent_table_abstain),
)
