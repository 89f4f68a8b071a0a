/*
 * sampling_quality.c - measure how evenly events were sampled: throttling, and the time during which events had a
 * counter
 */
#include "synthetic_recording.h"

enum { BOTH = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING };

static struct image two_events(bool swap, uint64_t sample_type, uint64_t read_format)
{
	struct image im = pipe_image(swap);
	struct attr a = { .type = PERF_TYPE_SOFTWARE,
		.sample_type = PERF_SAMPLE_IDENTIFIER | sample_type,
		.read_format = read_format,
		.flags = ID_ALL };

	attr_record(&im, a, 1);
	attr_record(&im, a, 2);
	return im;
}

static void throttle(struct image *im, uint32_t type, uint64_t time_ns, uint64_t id, uint64_t stream)
{
	size_t r = rec(im, type, 0);

	u64(im, time_ns);
	u64(im, id);
	u64(im, stream);
	u64(im, id);		/* trailer */
	end(im, r);
}

#define BEGIN PERF_RECORD_THROTTLE
#define ENDED PERF_RECORD_UNTHROTTLE

static void told(struct image *im, struct hd_perf_sampling of[2], uint64_t end_ns)
{
	EXPECT_INT(open_image(im), 0);
	walk(im);
	EXPECT_INT(hd_perf_rewind(im->pf, &im->err), 0);
	walk(im);		/* a second walk must not count the same records again */
	hd_perf_sampling(im->pf, of, end_ns);
}

TEST(throttling_is_counted_by_event_and_its_time_by_counter)
{
	for (int swap = 0; swap < 2; swap++) {
		struct image im = two_events(swap, 0, 0);
		struct hd_perf_sampling of[2];

		throttle(&im, BEGIN, 1000, 1, 11);
		throttle(&im, BEGIN, 1500, 1, 12);	/* the same event on another CPU */
		throttle(&im, ENDED, 2000, 1, 11);
		throttle(&im, ENDED, 1600, 1, 12);
		throttle(&im, BEGIN, 3000, 1, 11);
		throttle(&im, ENDED, 3010, 1, 11);
		throttle(&im, BEGIN, 5000, 2, 13);
		told(&im, of, 0);
		EXPECT_INT(of[0].throttled, 3);
		EXPECT_INT(of[0].unthrottled, 3);
		EXPECT_INT(of[0].silent_ns, 1000 + 100 + 10);
		EXPECT_INT(of[0].silent_counters, 2);
		EXPECT(of[0].first_ns == 1000 && of[0].last_ns == 3010);
		EXPECT(of[1].throttled == 1 && of[1].unthrottled == 0 && of[1].silent_ns == 0);
		hd_perf_sampling(im.pf, of, 9000);	/* event 1 stayed throttled until the end, 9000 */
		EXPECT_INT(of[1].silent_ns, 4000);
		EXPECT_INT(im.log.n, 0);
		release(&im);
	}
}

TEST(an_end_without_a_beginning_and_a_beginning_twice_take_no_time)
{
	struct image im = two_events(false, 0, 0);
	struct hd_perf_sampling of[2];

	throttle(&im, ENDED, 1000, 1, 11);
	throttle(&im, BEGIN, 2000, 1, 11);
	throttle(&im, BEGIN, 2500, 1, 11);
	throttle(&im, ENDED, 3000, 1, 11);
	throttle(&im, BEGIN, 5000, 1, 11);
	throttle(&im, ENDED, 4000, 1, 11);	/* time runs backwards */
	throttle(&im, BEGIN, 6000, 99, 99);	/* a stream that no event has */
	told(&im, of, 9000);
	EXPECT(of[0].throttled == 3 && of[0].unthrottled == 3);
	EXPECT_INT(of[0].silent_ns, 1000);
	EXPECT_INT(hd_perf_stats(im.pf)->throttled, 4);
	release(&im);
}

TEST(of_a_counter_the_times_that_are_told_last_count)
{
	for (int swap = 0; swap < 2; swap++) {
		struct image im = two_events(swap, PERF_SAMPLE_READ, BOTH | PERF_FORMAT_ID);
		struct hd_perf_sampling of[2];
		struct hd_sample s;

		for (uint64_t i = 1; i <= 3; i++) {
			size_t r = rec(&im, PERF_RECORD_SAMPLE, 0);

			u64(&im, 2);
			u64(&im, 10 * i);	/* value, enabled, running, id */
			u64(&im, 1000 * i);
			u64(&im, 250 * i);
			u64(&im, 2);
			end(&im, r);
		}
		EXPECT_INT(open_image(&im), 0);
		while (next(&im) > 0) {
			if (im.rec.type != PERF_RECORD_SAMPLE)
				continue;
			EXPECT_INT(hd_perf_parse_sample(im.pf, &im.rec, &s, &im.err), 0);
			hd_perf_note_sample_times(im.pf, &s);
		}
		hd_perf_sampling(im.pf, of, 0);
		EXPECT(of[0].enabled_ns == 0 && of[1].enabled_ns == 3000 && of[1].running_ns == 750);
		release(&im);
	}
}

TEST(the_times_of_a_group_are_those_of_each_member)
{
	struct image im = two_events(false, PERF_SAMPLE_READ, BOTH | PERF_FORMAT_ID | PERF_FORMAT_GROUP);
	struct hd_perf_sampling of[2];
	struct hd_sample s;
	size_t r = rec(&im, PERF_RECORD_SAMPLE, 0);

	u64(&im, 1);
	u64(&im, 2);		/* members */
	u64(&im, 800);
	u64(&im, 700);
	u64(&im, 5), u64(&im, 1);
	u64(&im, 6), u64(&im, 2);
	end(&im, r);
	EXPECT_INT(open_image(&im), 0);
	find(&im, PERF_RECORD_SAMPLE);
	EXPECT_INT(hd_perf_parse_sample(im.pf, &im.rec, &s, &im.err), 0);
	hd_perf_note_sample_times(im.pf, &s);
	hd_perf_sampling(im.pf, of, 0);
	for (int i = 0; i < 2; i++)
		EXPECT(of[i].enabled_ns == 800 && of[i].running_ns == 700);
	release(&im);
}

TEST(counters_read_at_the_end_of_threads_and_by_perf_stat_are_summed)
{
	struct image im = two_events(false, PERF_SAMPLE_TID, BOTH | PERF_FORMAT_ID);
	struct hd_perf_sampling of[2];

	for (uint32_t tid = 10; tid < 12; tid++) {
		size_t r = rec(&im, PERF_RECORD_READ, 0);

		u32(&im, 10), u32(&im, tid);
		u64(&im, 77), u64(&im, 500), u64(&im, 400), u64(&im, 1);
		u32(&im, 10), u32(&im, tid), u64(&im, 1);	/* trailer */
		end(&im, r);
	}
	for (uint32_t cpu = 0; cpu < 2; cpu++) {
		size_t r = rec(&im, HD_RT_STAT, 0);

		u64(&im, 2);
		u32(&im, cpu), u32(&im, 0);
		u64(&im, 77), u64(&im, 90),
			/* a running time above the enabled time counts as the enabled time */
			u64(&im, cpu ? 1000 : 30);
		end(&im, r);
	}
	told(&im, of, 0);
	EXPECT(of[0].enabled_ns == 1000 && of[0].running_ns == 800);
	EXPECT(of[1].enabled_ns == 180 && of[1].running_ns == 120);
	release(&im);
}

/*
 * perf opens an inherited counter for each CPU.  The thread ran on two CPUs, but on one at a time, so the running
 * times of both counters add up to the time for which they were enabled.
 */
TEST(a_counter_of_another_cpu_than_the_thread_ran_on_was_not_shared)
{
	struct image im = pipe_image(false);
	struct attr a = { .type = PERF_TYPE_SOFTWARE,
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID,
		.read_format = BOTH | PERF_FORMAT_ID,
		.flags = ID_ALL };
	struct hd_perf_sampling of[2];
	size_t r = rec(&im, HD_RT_ATTR, 0);

	put_attr(&im, a);
	u64(&im, 1), u64(&im, 2);
	end(&im, r);
	for (uint64_t cpu = 0; cpu < 2; cpu++) {
		r = rec(&im, PERF_RECORD_READ, 0);
		u32(&im, 10), u32(&im, 10);
		u64(&im, 77), u64(&im, 1000), u64(&im, cpu ? 300 : 700), u64(&im, 1 + cpu);
		u32(&im, 10), u32(&im, 10), u64(&im, 1 + cpu);
		end(&im, r);
	}
	told(&im, of, 0);
	EXPECT(of[0].enabled_ns == 1000 && of[0].running_ns == 1000);
	release(&im);
}

TEST_MAIN(
	RUN(throttling_is_counted_by_event_and_its_time_by_counter),
	RUN(an_end_without_a_beginning_and_a_beginning_twice_take_no_time),
	RUN(of_a_counter_the_times_that_are_told_last_count),
	RUN(the_times_of_a_group_are_those_of_each_member),
	RUN(a_counter_of_another_cpu_than_the_thread_ran_on_was_not_shared),
	RUN(counters_read_at_the_end_of_threads_and_by_perf_stat_are_summed),
)
