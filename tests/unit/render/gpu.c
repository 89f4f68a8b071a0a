/*
 * gpu.c - write the tables, lines, JSON and timeline of a GPU capture
 */
#include "test.h"

#include "base/mem.h"
#include "render/gpu.h"
#include "render/gpu_timeline.h"

#include <stdlib.h>
#include <string.h>

/*
 * Return a capture of one device: a kernel for the first half of 1 ms, then a gap of 250 us with a call in it, then a
 * copy for the last quarter.
 */
static struct hd_profile *capture(void)
{
	struct hd_profile *p = hd_profile_new();
	struct hd_gpu *g = p->gpu = hd_new(struct hd_gpu);
	struct hd_gpu_device *d;

	g->source = "nsys";
	g->version = hd_strdup("3.16.1");
	g->clock = "session start";
	g->devices = d = hd_new_array(struct hd_gpu_device, 1);
	g->ndevices = 1;
	d->name = hd_profile_name(p, "Made-up <GPU>");
	d->total_bytes = 1 << 30;
	d->active = (struct hd_gpu_busy){ 1000, 1001000, 500000, 250000, 0, 250000, 250000, 250000, 0, 0 };
	d->kernels = (struct hd_gpu_sum){ 1, 500000 };
	d->copies[HD_GPU_HTOD] = (struct hd_gpu_copies){ 1, 250000, 250000000, 1, 250000, 1, 250000 };
	d->copies[HD_GPU_DTOH] = (struct hd_gpu_copies){ .count = 2, .ns = 10 };
	d->memory = (struct hd_gpu_memory_use){ true, 4096, 1 << 20, 2000, -4096, 3, 4, 0 };
	d->gaps[0] = (struct hd_gpu_gap){ .start_ns = 501000, .end_ns = 751000, .before = hd_profile_name(p, "gemm&"),
					  .after = hd_profile_name(p, "[copy HtoD]"),
					  .call = { hd_profile_name(p, "cudaMalloc") }, .call_ns = { 200000 } };
	d->ngaps = d->all_gaps = 1;
	d->longest = hd_new_array(struct hd_gpu_span, 1);
	d->longest[0] = (struct hd_gpu_span){ 1000, 501000, hd_profile_name(p, "gemm&"), 7, 0 };
	d->nlongest = 1;
	d->timeline_ns = 1000;
	d->bucket_ns = 250000;
	d->buckets = hd_new_array(struct hd_gpu_bucket, 4);
	d->buckets[0].compute_ns = d->buckets[1].compute_ns = d->buckets[3].copy_ns = 250000;
	d->nbuckets = 4;
	g->joinable = 3;
	g->joined = 2;
	g->latency = (struct hd_gpu_latency){ 2, 0, 5000.4, 5000, 6000, 6100 };
	g->findings = hd_new_array(struct hd_gpu_finding, 1);
	g->findings[0] = (struct hd_gpu_finding){ "gpu.pageable", 0, hd_strdup("GPU 0: copies use pageable memory"),
		hd_strdup("use cudaHostAlloc") };
	g->nfindings = g->findings_cap = 1;
	return p;
}

static char *table_text(const struct hd_profile *p, const char *title)
{
	struct hd_buf b = { 0 };

	for (size_t i = 0; i < hd_gpu_ntables; i++) {
		struct hd_table t;

		if (strcmp(hd_gpu_tables[i].title, title) != 0)
			continue;
		hd_table_init(&t, hd_gpu_tables[i].columns, hd_gpu_tables[i].ncolumns);
		hd_gpu_tables[i].fill(&t, p);
		hd_table_text(&b, &t, "");
		hd_table_release(&t);
	}
	return b.data;
}

static void expect_table(const char *title, const char *want)
{
	struct hd_profile *p = capture();
	char *got = table_text(p, title);

	EXPECT_STR(got, want);
	free(got);
	hd_profile_free(p);
}

TEST(shares_are_of_the_window_that_the_row_names_and_an_unknown_window_has_no_row)
{
	expect_table("Devices",
		"device           window                    length  compute    copy  overlap    idle  communication  "
		"host copies alone\n"
		"0 Made-up <GPU>  first to last operation  1.00 ms   50.00%  25.00%    0.00%  25.00%          0.00%    "
		"         25.00%\n");
}

TEST(a_copy_without_a_size_has_no_rate)
{
	expect_table("Operations",
		     "device  operation  count    time    bytes      GB/s  pageable\n"
		     "     0  kernels        1  500 µs                             \n"
		     "     0  copy HtoD      1  250 µs  238 MiB  1000.000         1\n"
		     "     0  copy DtoH      2   10 ns      n/a       n/a         0\n");
}

TEST(memory_is_free_total_less_peak_and_a_change_has_a_sign)
{
	expect_table("Device memory",
		"device  used at the end      peak  peak at  free at the peak     total     change  allocations  "
		"frees\n"
		"     0         4.00 KiB  1.00 MiB  1.00 µs         1,023 MiB  1.00 GiB  -4.00 KiB            3      "
		"4\n");
}

TEST(a_gap_names_what_ran_on_the_cpu)
{
	expect_table("Longest gaps of a device",
		     "device  length  after  before       on the CPU meanwhile\n"
		     "     0  250 µs  gemm&  [copy HtoD]  cudaMalloc 200 µs\n");
}

TEST(lines_tell_the_source_the_join_the_latency_and_the_findings)
{
	struct hd_profile *p = capture();
	struct hd_buf b = { 0 };

	hd_gpu_info_text(&b, p);
	EXPECT_STR(b.data, "gpu         nsys 3.16.1, 1 device; time 0 is session start\n"
			   "launches    2 of 3 operations have their API call, 0 its CPU stack\n"
			   "            launch to start: mean 5.00 µs, p50 5.00 µs, p95 6.00 µs, max 6.10 µs\n"
			   "findings    GPU 0: copies use pageable memory; use cudaHostAlloc (gpu.pageable)\n");
	hd_buf_release(&b);
	hd_profile_free(p);
}

TEST(json_has_null_for_what_the_capture_does_not_know)
{
	struct hd_profile *p = capture();
	struct hd_buf b = { 0 };
	struct hd_jsonw w = hd_jsonw_to(&b);

	hd_jsonw_open(&w, NULL, '{');
	hd_gpu_json(&w, p);
	hd_jsonw_close(&w, '}');
	EXPECT(strstr(b.data,
		"\"kind\": \"HtoD\", \"count\": 1, \"ns\": 250000, \"bytes\": 250000000, \"gbps\": 1000.000, "
		"\"pageable\": 1"));
	EXPECT(strstr(b.data,
		"\"kind\": \"DtoH\", \"count\": 2, \"ns\": 10, \"bytes\": null, \"gbps\": null, \"pageable\": 0"));
	EXPECT(strstr(b.data, "\"window\": \"active\""));
	EXPECT(!strstr(b.data, "\"window\": \"session\""));
	hd_buf_release(&b);
	hd_profile_free(p);
}

TEST(the_timeline_draws_the_busy_part_of_each_bucket_and_escapes_names)
{
	struct hd_profile *p = capture();
	struct hd_buf b = { 0 };

	EXPECT(hd_gpu_timeline_has(p));
	hd_gpu_timeline_fragment(&b, p);
	/* The plot is 1100 wide: the kernel has the full height for half of it, then nothing. */
	EXPECT(strstr(b.data,
		"<path class=\"hd-kernel\" d=\"M84.00 102.00H84.00V58.00H634.00V102.00H1184.00V102.00Z\"/>"));
	/* The copy fills the last quarter. */
	EXPECT(strstr(b.data,
		"<path class=\"hd-copy\" d=\"M84.00 129.00H84.00V129.00H909.00V107.00H1184.00V129.00Z\"/>"));
	EXPECT(strstr(b.data, "GPU 0 Made-up &lt;GPU&gt;"));
	EXPECT(strstr(b.data, "gemm&amp;"));
	EXPECT(strstr(b.data, "idle for 250 µs after gemm&amp;\non the CPU: cudaMalloc 200 µs"));
	EXPECT(!strstr(b.data, "gemm&\n"));
	hd_buf_release(&b);
	hd_profile_free(p);
}

TEST(a_capture_without_operations_has_no_timeline)
{
	struct hd_profile *p = capture();
	struct hd_buf b = { 0 };

	p->gpu->devices[0].active = (struct hd_gpu_busy){ 0 };
	EXPECT(!hd_gpu_timeline_has(p));
	hd_gpu_timeline_fragment(&b, p);
	EXPECT(b.len == 0);
	hd_profile_free(p);
	p = hd_profile_new();
	EXPECT(!hd_gpu_timeline_has(p));
	hd_profile_free(p);
}

TEST_MAIN(RUN(shares_are_of_the_window_that_the_row_names_and_an_unknown_window_has_no_row),
	  RUN(a_copy_without_a_size_has_no_rate),
	  RUN(memory_is_free_total_less_peak_and_a_change_has_a_sign),
	  RUN(a_gap_names_what_ran_on_the_cpu),
	  RUN(lines_tell_the_source_the_join_the_latency_and_the_findings),
	  RUN(json_has_null_for_what_the_capture_does_not_know),
	  RUN(the_timeline_draws_the_busy_part_of_each_bucket_and_escapes_names),
	  RUN(a_capture_without_operations_has_no_timeline))
