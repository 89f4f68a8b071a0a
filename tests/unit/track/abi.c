/*
 * abi.c - the structures and constants of hotdrift.h keep their layout, which is the same on x86-64 and aarch64
 *
 * A program that was compiled with an older hotdrift.h must work with a newer library: fields and constants are only
 * added at the end, and only to structures that begin with `size`.  If another change is intended, HD_TRACK_ABI and the
 * soname change, too.
 */
#include "test.h"

#include "hotdrift.h"

#include <string.h>

struct number {
	const char *name;
	size_t now, was;
};

#define STRUCT(type, bytes)		{ "sizeof(struct " #type ")", sizeof(struct type), bytes }
#define FIELD(type, field, offset)	{ #type "." #field, offsetof(struct type, field), offset }
#define VALUE(name, value)		{ #name, (size_t)(long)(name), (size_t)(long)(value) }

static const struct number layout[] = {
	STRUCT(hd_profiler_config, 32),
	FIELD(hd_profiler_config, size, 0), FIELD(hd_profiler_config, timeline_events, 8),
	FIELD(hd_profiler_config, names_max, 16), FIELD(hd_profiler_config, trace_ops, 24),
	STRUCT(hd_op, 112),
	FIELD(hd_op, name, 0), FIELD(hd_op, count, 8), FIELD(hd_op, open, 16), FIELD(hd_op, total_ns, 24),
	FIELD(hd_op, self_ns, 32), FIELD(hd_op, min_ns, 40), FIELD(hd_op, max_ns, 48), FIELD(hd_op, mean_ns, 56),
	FIELD(hd_op, flops, 64), FIELD(hd_op, bytes, 72), FIELD(hd_op, gflops_per_s, 80),
	FIELD(hd_op, gbytes_per_s, 88), FIELD(hd_op, threads, 96), FIELD(hd_op, busiest_thread_ns, 104),
	STRUCT(hd_alloc, 72),
	FIELD(hd_alloc, name, 0), FIELD(hd_alloc, blocks, 8), FIELD(hd_alloc, bytes, 16),
	FIELD(hd_alloc, live_blocks, 24), FIELD(hd_alloc, live_bytes, 32), FIELD(hd_alloc, peak_bytes, 40),
	FIELD(hd_alloc, peak_share_bytes, 48), FIELD(hd_alloc, oldest_ns, 56), FIELD(hd_alloc, mean_age_ns, 64),
	STRUCT(hd_alloc_sum, 40),
	FIELD(hd_alloc_sum, blocks, 0), FIELD(hd_alloc_sum, bytes, 8), FIELD(hd_alloc_sum, live_blocks, 16),
	FIELD(hd_alloc_sum, live_bytes, 24), FIELD(hd_alloc_sum, peak_bytes, 32),
	STRUCT(hd_event_arg, 24),
	FIELD(hd_event_arg, key, 0), FIELD(hd_event_arg, text, 8), FIELD(hd_event_arg, number, 16),
	STRUCT(hd_timeline_sum, 24),
	FIELD(hd_timeline_sum, events, 0), FIELD(hd_timeline_sum, kept, 8), FIELD(hd_timeline_sum, dropped, 16),
	STRUCT(hd_duration, 48),
	FIELD(hd_duration, name, 0), FIELD(hd_duration, count, 8), FIELD(hd_duration, total_ns, 16),
	FIELD(hd_duration, min_ns, 24), FIELD(hd_duration, max_ns, 32), FIELD(hd_duration, mean_ns, 40),
	STRUCT(hd_span_total, 96),
	FIELD(hd_span_total, name, 0), FIELD(hd_span_total, count, 8), FIELD(hd_span_total, open, 16),
	FIELD(hd_span_total, polls, 24), FIELD(hd_span_total, wakes, 32), FIELD(hd_span_total, self_wakes, 40),
	FIELD(hd_span_total, busy_ns, 48), FIELD(hd_span_total, idle_ns, 56), FIELD(hd_span_total, scheduled_ns, 64),
	FIELD(hd_span_total, longest_poll_ns, 72), FIELD(hd_span_total, longest_idle_ns, 80),
	FIELD(hd_span_total, threads, 88),
	STRUCT(hd_span_waker, 24),
	FIELD(hd_span_waker, name, 0), FIELD(hd_span_waker, waker, 8), FIELD(hd_span_waker, wakes, 16),
	STRUCT(hd_memory_snapshot, 48),
	FIELD(hd_memory_snapshot, timestamp_us, 0), FIELD(hd_memory_snapshot, rss_bytes, 8),
	FIELD(hd_memory_snapshot, peak_rss_bytes, 16), FIELD(hd_memory_snapshot, kv_cache_bytes, 24),
	FIELD(hd_memory_snapshot, activation_bytes, 32), FIELD(hd_memory_snapshot, temp_buffer_bytes, 40),
	STRUCT(hd_memory_kind, 24),
	FIELD(hd_memory_kind, peak_bytes, 0), FIELD(hd_memory_kind, mean_bytes, 8),
	FIELD(hd_memory_kind, total_bytes, 16),
	STRUCT(hd_memory_sum, 104),
	FIELD(hd_memory_sum, snapshots, 0), FIELD(hd_memory_sum, rss, 8), FIELD(hd_memory_sum, kv_cache, 32),
	FIELD(hd_memory_sum, activation, 56), FIELD(hd_memory_sum, temp_buffer, 80),
	STRUCT(hd_memory_scope, 64),
	FIELD(hd_memory_scope, private_, 0),
	STRUCT(hd_memory_scope_result, 48),
	FIELD(hd_memory_scope_result, method, 0), FIELD(hd_memory_scope_result, thread_allocated_bytes, 8),
	FIELD(hd_memory_scope_result, thread_freed_bytes, 16), FIELD(hd_memory_scope_result, allocated_bytes, 24),
	FIELD(hd_memory_scope_result, freed_bytes, 32), FIELD(hd_memory_scope_result, rss_delta_bytes, 40),
	STRUCT(hd_gpu_memory, 32),
	FIELD(hd_gpu_memory, used_bytes, 0), FIELD(hd_gpu_memory, free_bytes, 8),
	FIELD(hd_gpu_memory, total_bytes, 16), FIELD(hd_gpu_memory, delta_bytes, 24),
	STRUCT(hd_latency, 32),
	FIELD(hd_latency, sample_id, 0), FIELD(hd_latency, wall_time_us, 8), FIELD(hd_latency, kernel_time_us, 16),
	FIELD(hd_latency, seq_len, 24),
	STRUCT(hd_latency_timer, 32),
	FIELD(hd_latency_timer, private_, 0),
	STRUCT(hd_latency_stats, 104),
	FIELD(hd_latency_stats, n, 0), FIELD(hd_latency_stats, outliers, 8), FIELD(hd_latency_stats, mean, 16),
	FIELD(hd_latency_stats, std, 24), FIELD(hd_latency_stats, p50, 32), FIELD(hd_latency_stats, p95, 40),
	FIELD(hd_latency_stats, p99, 48), FIELD(hd_latency_stats, min, 56), FIELD(hd_latency_stats, max, 64),
	FIELD(hd_latency_stats, mean_lo, 72), FIELD(hd_latency_stats, mean_hi, 80),
	FIELD(hd_latency_stats, p95_lo, 88), FIELD(hd_latency_stats, p95_hi, 96),
	STRUCT(hd_watt_source, 40),
	FIELD(hd_watt_source, size, 0), FIELD(hd_watt_source, name, 8), FIELD(hd_watt_source, read_watts, 16),
	FIELD(hd_watt_source, read_joules, 24), FIELD(hd_watt_source, arg, 32),
	STRUCT(hd_power_total, 72),
	FIELD(hd_power_total, source, 0), FIELD(hd_power_total, domain, 8), FIELD(hd_power_total, joules, 16),
	FIELD(hd_power_total, mean_watts, 24), FIELD(hd_power_total, peak_watts, 32),
	FIELD(hd_power_total, duration_s, 40), FIELD(hd_power_total, n_samples, 48),
	FIELD(hd_power_total, failed, 56), FIELD(hd_power_total, counter, 64), FIELD(hd_power_total, added, 65),
	STRUCT(hd_sweep_row, 56),
	FIELD(hd_sweep_row, setting, 0), FIELD(hd_sweep_row, coherence_delta, 8),
	FIELD(hd_sweep_row, kv_cache_reduction, 16), FIELD(hd_sweep_row, peak_mem_reduction, 24),
	FIELD(hd_sweep_row, energy_reduction, 32), FIELD(hd_sweep_row, p95_latency_us, 40),
	FIELD(hd_sweep_row, accuracy, 48),
	STRUCT(hd_bottleneck_limits, 248),
	FIELD(hd_bottleneck_limits, size, 0), FIELD(hd_bottleneck_limits, slow_pct, 8),
	FIELD(hd_bottleneck_limits, calls, 40), FIELD(hd_bottleneck_limits, memory_pct, 72),
	FIELD(hd_bottleneck_limits, leak_pct, 104), FIELD(hd_bottleneck_limits, gflops_per_s, 136),
	FIELD(hd_bottleneck_limits, balance_share, 168), FIELD(hd_bottleneck_limits, imbalance, 200),
	FIELD(hd_bottleneck_limits, min_share_pct, 232), FIELD(hd_bottleneck_limits, machine_flops_per_byte, 240),
	STRUCT(hd_bottleneck, 416),
	FIELD(hd_bottleneck, kind, 0), FIELD(hd_bottleneck, severity, 4), FIELD(hd_bottleneck, name, 8),
	FIELD(hd_bottleneck, value, 16), FIELD(hd_bottleneck, limit, 24), FIELD(hd_bottleneck, evidence, 32),
	FIELD(hd_bottleneck, suggestion, 224),
	STRUCT(hd_machine_balance, 16),
	FIELD(hd_machine_balance, flops_per_s, 0), FIELD(hd_machine_balance, bytes_per_s, 8),
	STRUCT(hd_scope, 16),
	FIELD(hd_scope, p, 0), FIELD(hd_scope, name, 8),
};

static const struct number constants[] = {
	VALUE(HD_TRACK_OK, 0), VALUE(HD_TRACK_NOMEM, -1), VALUE(HD_TRACK_NONE, -2), VALUE(HD_TRACK_FULL, -3),
	VALUE(HD_TRACK_INVALID, -4), VALUE(HD_TRACK_ORDER, -5), VALUE(HD_TRACK_IO, -6),
	VALUE(HD_TRACK_UNSUPPORTED, -7), VALUE(HD_OPS_BY_TIME, 0), VALUE(HD_OPS_BY_CALLS, 1),
	VALUE(HD_OPS_BY_FLOPS, 2), VALUE(HD_EVENT_BEGIN, 0), VALUE(HD_EVENT_END, 1), VALUE(HD_EVENT_INSTANT, 2),
	VALUE(HD_EVENT_ALLOC, 3), VALUE(HD_EVENT_FREE, 4), VALUE(HD_EVENT_CUSTOM, 5), VALUE(HD_TIMELINE_CHROME, 0),
	VALUE(HD_TIMELINE_PERFETTO, 1), VALUE(HD_MEMORY_HEAP_LIBRARY, 0), VALUE(HD_MEMORY_MALLOC_STATISTICS, 1),
	VALUE(HD_LATENCY_WALL, 0), VALUE(HD_LATENCY_KERNEL, 1), VALUE(HD_LATENCY_SEQ_LEN, 2), VALUE(HD_FLOAT_RYU, 0),
	VALUE(HD_FLOAT_ZMIJ, 1), VALUE(HD_SLOW_OPERATION, 0), VALUE(HD_HIGH_CALL_COUNT, 1),
	VALUE(HD_MEMORY_HOTSPOT, 2), VALUE(HD_LEAK, 3), VALUE(HD_LOW_THROUGHPUT, 4), VALUE(HD_MEMORY_BOUND, 5),
	VALUE(HD_LOAD_IMBALANCE, 6), VALUE(HD_SEVERITY_LOW, 0), VALUE(HD_SEVERITY_MEDIUM, 1),
	VALUE(HD_SEVERITY_HIGH, 2), VALUE(HD_SEVERITY_CRITICAL, 3), VALUE(HD_REPORT_TEXT, 0),
	VALUE(HD_REPORT_JSON, 1), VALUE(HD_REPORT_MARKDOWN, 2), VALUE(HD_REPORT_HTML, 3), VALUE(HD_NAME_BYTES, 128),
	VALUE(HD_EVENT_ARGS, 4), VALUE(HD_DIGEST_TEXT, 65),
};

static unsigned compare(const struct number *n, size_t count)
{
	unsigned differ = 0;

	for (size_t i = 0; i < count; i++)
		if (n[i].now != n[i].was) {
			print_message("%s: %zu, was %zu\n", n[i].name, n[i].now, n[i].was);
			differ++;
		}
	return differ;
}

TEST(sizes_and_offsets_of_structures_are_unchanged)
{
	if (sizeof(void *) != 8)
		SKIP("the table is for 64-bit machines");
	EXPECT_INT(compare(layout, sizeof(layout) / sizeof(layout[0])), 0);
}

TEST(constants_are_unchanged)
{
	EXPECT_INT(HD_TRACK_ABI, 1);
	EXPECT_INT(compare(constants, sizeof(constants) / sizeof(constants[0])), 0);
}

TEST(each_status_has_a_sentence)
{
	for (int status = HD_TRACK_UNSUPPORTED; status <= HD_TRACK_OK; status++)
		EXPECT(strlen(hd_track_status_text(status)) > 6);
	EXPECT_STR(hd_track_status_text(HD_TRACK_UNSUPPORTED - 1), "unknown status");
	EXPECT_STR(hd_track_status_text(-2147483647 - 1), "unknown status");
}

TEST_MAIN(RUN(sizes_and_offsets_of_structures_are_unchanged),
	  RUN(constants_are_unchanged),
	  RUN(each_status_has_a_sentence))
