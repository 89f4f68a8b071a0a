/*
 * bottleneck_report.c - report the bottlenecks of synthetic profiles: threads, heap events, and events that are not
 * judged
 */
#include "test.h"

#include "base/mem.h"
#include "render/bottleneck_report.h"

#include <string.h>

static struct hd_profile *profile(const char *format, unsigned keys)
{
	struct hd_profile *p = hd_profile_new();

	p->recording.format = format;
	p->keys = keys;
	return p;
}

/* Add `count` samples of the symbol `name` in one thread, with this weight in all; the event has the unit `unit`. */
static void add(struct hd_profile *p, const char *event, const char *unit, const char *name, int32_t pid, int32_t tid,
		uint64_t count, uint64_t weight)
{
	uint32_t object = hd_profile_add_object(p, "app", "", false);
	struct hd_frame frame = { .symbol = hd_profile_add_named_symbol(p, object, name, false) };
	hd_frame_id id = hd_profile_add_frame(p, &frame);
	struct hd_sample_row row = { .stack = hd_stacks_add(p->stacks, (hd_stack_id){ 0 }, id), .self = id,
		.event = hd_profile_add_event(p, event, unit), .pid = pid, .tid = tid, .count = count,
		.weight = weight };

	hd_profile_add_sample(p, &row);
}

static bool reports(struct hd_profile *p, const char *text)
{
	struct hd_buf out = { 0 };
	bool found;

	hd_bottleneck_report(&out, p, HD_FORMAT_TEXT, 0, false);
	found = strstr(hd_buf_str(&out), text) != NULL;
	hd_buf_release(&out);
	return found;
}

static struct hd_profile *four_threads(uint64_t busiest, uint64_t others)
{
	struct hd_profile *p = profile("perf.data", HD_KEY_PID | HD_KEY_TID);

	add(p, "cycles", "cycles", "work", 1, 1, busiest, busiest * 1000);
	for (int tid = 2; tid <= 4; tid++)
		add(p, "cycles", "cycles", "work", 1, tid, others, others * 1000);
	return p;
}

TEST(a_symbol_that_one_thread_executes_most_is_an_imbalance)
{
	struct hd_profile *p = four_threads(700, 100);

	EXPECT(reports(p, "its busiest thread has 700,000 cycles, 2.80 times the mean of its 4 threads"));
	EXPECT(reports(p, "medium    load-imbalance"));
	hd_profile_free(p);
}

TEST(threads_with_few_samples_or_equal_work_are_no_imbalance)
{
	struct hd_profile *few = four_threads(70, 5), *equal = four_threads(250, 250);

	EXPECT(!reports(few, "load-imbalance  cycles"));
	EXPECT(!reports(equal, "load-imbalance  cycles"));
	EXPECT(reports(few, "load-imbalance: symbols with fewer than 100 samples"));
	hd_profile_free(few);
	hd_profile_free(equal);
}

TEST(threads_of_several_processes_are_not_compared)
{
	struct hd_profile *p = four_threads(700, 100);

	add(p, "cycles", "cycles", "work", 2, 9, 100, 100000);
	EXPECT(!reports(p, "load-imbalance  cycles"));
	hd_profile_free(p);
}

TEST(a_heap_recording_has_a_hotspot_and_a_leak)
{
	struct hd_profile *p = profile("heap", 0);

	p->recording.heap_interval = 1;
	add(p, "allocated", "bytes", "cache", 0, 0, 1, 1000);
	add(p, "peak", "bytes", "cache", 0, 0, 1, 500);
	add(p, "leaked", "bytes", "cache", 0, 0, 1, 300);
	EXPECT(reports(p, "held 500 B of the 500 B that were live at the peak, 100.0 %"));
	EXPECT(reports(p, "300 B are not freed, 30.0 % of all allocated bytes"));
	EXPECT(reports(p, "a heap recording has allocations only"));
	hd_profile_free(p);
}

TEST(an_event_that_is_no_time_and_input_without_threads_are_said)
{
	struct hd_profile *p = profile("folded", 0);

	add(p, "page-faults", "events", "touch", 0, 0, 5, 5);
	EXPECT(reports(p, "no bottleneck"));
	EXPECT(reports(p, "slow-operation: the unit of the event is not a time, page-faults"));
	EXPECT(reports(p, "load-imbalance: the input does not have the thread of each sample"));
	hd_profile_free(p);
}

TEST_MAIN(RUN(a_symbol_that_one_thread_executes_most_is_an_imbalance),
	  RUN(threads_with_few_samples_or_equal_work_are_no_imbalance),
	  RUN(threads_of_several_processes_are_not_compared), RUN(a_heap_recording_has_a_hotspot_and_a_leak),
	  RUN(an_event_that_is_no_time_and_input_without_threads_are_said))
