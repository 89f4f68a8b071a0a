/*
 * library_report.c - find the bottlenecks of a profiler and write its reports, through include/hotdrift.h
 */
#include "test.h"
#include "../tmpdir.h"

#include "base/json.h"
#include "hotdrift.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct hd_profiler *profiler(void)
{
	struct hd_profiler *p = NULL;

	EXPECT_INT(hd_profiler_new(&p, NULL), HD_TRACK_OK);
	return p;
}

static void spin(uint64_t ns)
{
	uint64_t end = hd_now_ns() + ns;

	while (hd_now_ns() < end)
		continue;
}

static const struct hd_bottleneck *find(const struct hd_bottleneck *b, int64_t n, enum hd_bottleneck_kind kind,
					const char *name)
{
	for (int64_t i = 0; i < n; i++)
		if (b[i].kind == kind && !strcmp(b[i].name, name))
			return &b[i];
	return NULL;
}

TEST(nothing_recorded_is_no_bottleneck_and_every_form_is_complete)
{
	struct hd_profiler *p = profiler();
	struct hd_bottleneck b[4];

	EXPECT_INT(hd_bottlenecks(p, NULL, b, 4), 0);
	for (int form = HD_REPORT_TEXT; form <= HD_REPORT_HTML; form++) {
		char *text = NULL;

		EXPECT_INT(hd_report_string(p, (enum hd_report_form)form, &text), HD_TRACK_OK);
		EXPECT(strlen(text) > 40);
		free(text);
	}
	hd_profiler_free(p);
}

TEST(the_only_operation_takes_all_of_the_time)
{
	struct hd_profiler *p = profiler();
	struct hd_bottleneck b[4];

	hd_op_start(p, "slow");
	spin(1000);
	hd_op_stop(p, "slow");
	EXPECT_INT(hd_bottlenecks(p, NULL, b, 4), 1);
	EXPECT(b[0].kind == HD_SLOW_OPERATION && b[0].severity == HD_SEVERITY_CRITICAL && b[0].value == 100);
	hd_profiler_free(p);
}

TEST(many_calls_and_the_largest_leak_are_found)
{
	struct hd_profiler *p = profiler();
	struct hd_bottleneck b[32];
	int blocks[3];
	int64_t n;

	hd_op_start(p, "fast");
	hd_op_stop(p, "fast");
	for (int i = 0; i < 10001; i++) {
		hd_op_start(p, "tiny");
		hd_op_stop(p, "tiny");
	}
	hd_record_alloc(p, "cache", &blocks[0], 600);
	hd_record_alloc(p, "freed", &blocks[1], 400);
	hd_record_free(p, &blocks[1]);
	n = hd_bottlenecks(p, NULL, b, 32);
	EXPECT(find(b, n, HD_HIGH_CALL_COUNT, "tiny") && !find(b, n, HD_HIGH_CALL_COUNT, "fast"));
	EXPECT(find(b, n, HD_LEAK, "cache") && !find(b, n, HD_LEAK, "freed"));
	EXPECT(find(b, n, HD_LEAK, "cache")->value == 60 && find(b, n, HD_LEAK, "cache")->limit == 5);
	EXPECT(find(b, n, HD_MEMORY_HOTSPOT, "cache")->severity == HD_SEVERITY_MEDIUM);
	/* A smaller array receives the first results, but the returned number is that of all results. */
	EXPECT_INT(hd_bottlenecks(p, NULL, b, 1), n);
	hd_profiler_free(p);
}

TEST(limits_are_those_of_the_caller)
{
	struct hd_bottleneck_limits limits;
	struct hd_profiler *p = profiler();
	struct hd_bottleneck b[8];

	hd_op_start(p, "it");
	spin(1000);
	hd_op_stop_work(p, "it", 1e15, 1e15);
	hd_bottleneck_limits(&limits);
	EXPECT_INT(limits.size, sizeof(limits));
	limits.slow_pct[0] = INFINITY;
	limits.calls[0] = 0;
	limits.machine_flops_per_byte = 2;
	EXPECT_INT(hd_bottlenecks(p, &limits, b, 8), 2);
	EXPECT(find(b, 2, HD_HIGH_CALL_COUNT, "it") && find(b, 2, HD_MEMORY_BOUND, "it")->value == 0.5);
	limits.size = 1;
	EXPECT_INT(hd_bottlenecks(p, &limits, b, 8), HD_TRACK_INVALID);
	EXPECT_INT(hd_bottlenecks(p, NULL, NULL, 8), HD_TRACK_INVALID);
	hd_profiler_free(p);
}

static void *work(void *arg)
{
	struct hd_profiler **p = arg;

	hd_op_start(p[0], "shared");
	spin(p[1] ? 20000000 : 1000);
	hd_op_stop(p[0], "shared");
	return NULL;
}

TEST(a_thread_that_does_all_the_work_is_an_imbalance)
{
	struct hd_profiler *p = profiler(), *busy[2] = { p, p }, *idle[2] = { p, NULL };
	const struct hd_bottleneck *found;
	struct hd_bottleneck b[8];
	pthread_t threads[4];
	int64_t n;

	for (int i = 0; i < 4; i++)
		EXPECT_INT(pthread_create(&threads[i], NULL, work, i ? idle : busy), 0);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	/*
	 * An idle thread may wait for a processor while it is measured, so the test accepts a value far below the
	 * expected 4.
	 */
	n = hd_bottlenecks(p, NULL, b, 8);
	found = find(b, n, HD_LOAD_IMBALANCE, "shared");
	if (!found)
		SKIP("the machine is too busy");
	EXPECT(found->value > 1.5 && found->value <= 4);
	hd_profiler_free(p);
}

TEST(the_json_has_all_sections_and_what_was_recorded)
{
	static const char *const sections[] = { "bottlenecks", "operations", "allocations", "memory", "latency",
		"power", "spans", "durations" };
	struct hd_profiler *p = profiler();
	struct hd_latency sample = { .sample_id = 1, .wall_time_us = 5, .kernel_time_us = 4, .seq_len = 16 };
	struct hd_json_doc *doc;
	const struct hd_json *root, *op;
	struct hd_err err;
	char *text;
	size_t len;
	int block;

	hd_op_start(p, "a\"<b>\xff");
	hd_op_stop_work(p, "a\"<b>\xff", 10, 20);
	hd_record_alloc(p, "block", &block, 100);
	hd_memory_snap(p, 1, 2, 3, NULL);
	hd_latency_add(p, &sample);
	hd_power_use_constant(p, 10);
	hd_power_sample(p);
	hd_power_sample(p);
	hd_event(p, HD_EVENT_BEGIN, "phase", NULL, 0);
	hd_event(p, HD_EVENT_END, "phase", NULL, 0);
	EXPECT_INT(hd_report_string(p, HD_REPORT_JSON, &text), HD_TRACK_OK);
	EXPECT_INT(hd_json_parse(&doc, text, strlen(text), "report", &err), 0);
	root = hd_json_root(doc);
	for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]); i++)
		EXPECT_INT(hd_json_kind(hd_json_get(root, sections[i])), HD_JSON_ARRAY);
	EXPECT_INT(hd_json_kind(hd_json_get(root, "timeline")), HD_JSON_OBJECT);
	op = hd_json_at(hd_json_get(root, "operations"), 0);
	EXPECT_STR(hd_json_string(hd_json_get(op, "name"), &len), "a\"<b>\\xff");
	EXPECT_STR(hd_json_number(hd_json_get(op, "count")), "1");
	EXPECT_STR(hd_json_number(hd_json_get(op, "bytes")), "20");
	EXPECT_INT(hd_json_count(hd_json_get(root, "memory")), 4);
	EXPECT_INT(hd_json_count(hd_json_get(root, "latency")), 3);
	EXPECT_INT(hd_json_count(hd_json_get(root, "power")), 1);
	hd_json_free(doc);
	free(text);
	hd_profiler_free(p);
}

TEST(a_report_replaces_a_file_as_a_whole_or_not_at_all)
{
	struct hd_profiler *p = profiler();
	char *dir = tmpdir(), path[512], under[600], text[32];
	FILE *f;

	snprintf(path, sizeof(path), "%s/report.txt", dir);
	EXPECT_INT(hd_report_write(p, path, HD_REPORT_TEXT), HD_TRACK_OK);
	f = fopen(path, "r");
	EXPECT(f && fgets(text, sizeof(text), f) && !strncmp(text, "libhotdrift report of ", 22));
	fclose(f);
	snprintf(under, sizeof(under), "%s/absent/report.txt", dir);
	EXPECT_INT(hd_report_write(p, under, HD_REPORT_TEXT), HD_TRACK_IO);
	EXPECT_INT(errno, ENOENT);
	EXPECT_INT(hd_report_write(p, "", HD_REPORT_TEXT), HD_TRACK_INVALID);
	EXPECT_INT(hd_report_write(p, path, (enum hd_report_form)9), HD_TRACK_INVALID);
	EXPECT_INT(hd_report_string(p, HD_REPORT_JSON, NULL), HD_TRACK_INVALID);
	tmpdir_remove(dir);
	hd_profiler_free(p);
}

TEST_MAIN(RUN(nothing_recorded_is_no_bottleneck_and_every_form_is_complete),
	  RUN(the_only_operation_takes_all_of_the_time), RUN(many_calls_and_the_largest_leak_are_found),
	  RUN(limits_are_those_of_the_caller),
	  RUN(a_thread_that_does_all_the_work_is_an_imbalance), RUN(the_json_has_all_sections_and_what_was_recorded),
	  RUN(a_report_replaces_a_file_as_a_whole_or_not_at_all))
