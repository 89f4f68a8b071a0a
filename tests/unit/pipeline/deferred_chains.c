/* deferred_chains.c - read user call chains that are in a record of their own after their samples */
#include "recording.h"

#include "base/mem.h"
#include "pipeline/deferred_chains.h"

#define DEFERRED(cookie) CHAIN(HD_CONTEXT_KERNEL, KERNEL_IP, HD_CONTEXT_DEFERRED, cookie)

static struct image begun(bool swap)
{
	struct image im = begin(swap, 0, FLAG(HD_ATTR_DEFER_CALLCHAIN));

	tasks(&im);
	return im;
}

static void in_kernel(struct image *im, int32_t tid, uint64_t cookie, uint64_t period)
{
	sample(im, (struct taken){ 1, KERNEL, KERNEL_IP, 10, tid, SECOND, 0, period, DEFERRED(cookie) });
}

static void user_chain_of(struct image *im, int32_t tid, uint64_t cookie, const uint64_t *ips, size_t n)
{
	size_t r = rec(im, HD_RT_CALLCHAIN_DEFERRED, USER);

	u64(im, cookie);
	u64(im, n);
	for (size_t i = 0; i < n; i++)
		u64(im, ips[i]);
	trailer(im, 10, tid, 2 * SECOND);
	end(im, r);
}

#define user_chain(im, tid, cookie, ...)                                                                               \
	user_chain_of((im), (tid), (cookie), (const uint64_t[]){ __VA_ARGS__ },                                        \
		sizeof((const uint64_t[]){ __VA_ARGS__ }) / 8)

static void expect_of(struct image *im, struct hd_pipeline_opts opts, const char *want)
{
	expect_folded(im, opts, 0, want);
	hd_buf_release(&im->b);
}

static void expect(struct image *im, const char *want)
{
	expect_of(im, (struct hd_pipeline_opts){ 0 }, want);
}

TEST(a_sample_gets_the_user_chain_that_comes_after_it_in_both_byte_orders)
{
	for (int swap = 0; swap < 2; swap++) {
		struct image im = begun(swap);

		in_kernel(&im, 10, 77, 5);
		user_chain(&im, 10, 77, 0x1210, 0x1120, 0x1010);
		expect(&im, "app;main;work;leaf;[unknown]_[k] 5\n");
	}
}

TEST(all_samples_since_the_thread_entered_the_kernel_get_it)
{
	struct image im = begun(false);

	in_kernel(&im, 10, 77, 5);
	in_kernel(&im, 11, 77, 1);
	in_kernel(&im, 10, 77, 6);
	user_chain(&im, 10, 77, 0x1110, 0x1010);
	user_chain(&im, 11, 77, 0x1010);
	expect(&im, "app;main;[unknown]_[k] 1\napp;main;work;[unknown]_[k] 11\n");
}

TEST(a_sample_taken_in_user_mode_waits_as_well)
{
	struct image im = begun(false);

	sample(&im, (struct taken){ 1, USER, 0x1210, 10, 10, SECOND, 0, 3, CHAIN(HD_CONTEXT_DEFERRED, 9) });
	user_chain(&im, 10, 9, 0x1210, 0x1120, 0x1010);
	expect(&im, "app;main;work;leaf 3\n");
}

TEST(the_record_may_stand_before_its_sample_and_more_than_once)
{
	struct image im = begun(false);

	user_chain(&im, 10, 77, 0x1110, 0x1010);
	user_chain(&im, 10, 77, 0x1110, 0x1010);
	in_kernel(&im, 10, 77, 5);
	user_chain(&im, 10, 77, 0x1110, 0x1010);
	in_kernel(&im, 10, 77, 6);
	expect(&im, "app;main;work;[unknown]_[k] 11\n");
}

TEST(the_records_own_context_marker_does_no_harm_and_an_empty_one_is_an_answer)
{
	struct image im = begun(false);

	in_kernel(&im, 10, 1, 5);
	in_kernel(&im, 10, 2, 7);
	user_chain(&im, 10, 1, HD_CONTEXT_USER, 0x1110, 0x1010);
	user_chain_of(&im, 10, 2, NULL, 0);
	expect(&im, "app;[unknown]_[k] 7\napp;main;work;[unknown]_[k] 5\n");
}

TEST(a_user_chain_that_never_arrives_is_missing_and_counted)
{
	struct image im = begun(false);
	const struct hd_warning *w;
	struct hd_profile *p;
	struct place at;

	in_kernel(&im, 10, 77, 5);
	in_kernel(&im, 11, 77, 6);
	in_kernel(&im, 11, 78, 7);
	user_chain(&im, 10, 78, 0x1010);
	user_chain(&im, 11, 78, 0x1010);
	at = place_of(&im);
	p = ingest(&at, (struct hd_pipeline_opts){ 0 });
	EXPECT_INT(p->kept, 3);
	EXPECT_INT(p->recording.with_stack, 1);
	w = hd_log_find(&p->log, "lost.deferred-chain");
	EXPECT(w && w->count == 2);
	hd_profile_free(p);
	expect(&im, "app;[unknown]_[k] 11\napp;main;[unknown]_[k] 7\n");
	place_release(&at);
}

TEST(a_record_whose_addresses_do_not_fit_is_reported)
{
	struct image im = begun(false);
	struct hd_profile *p;
	struct place at;
	size_t r = rec(&im, HD_RT_CALLCHAIN_DEFERRED, USER);

	u64(&im, 77);
	u64(&im, UINT64_MAX / 8);
	trailer(&im, 10, 10, SECOND);
	end(&im, r);
	at = place_of(&im);
	p = ingest(&at, (struct hd_pipeline_opts){ 0 });
	EXPECT(hd_log_find(&p->log, "lost.record-body") != NULL);
	hd_profile_free(p);
	place_release(&at);
	hd_buf_release(&im.b);
}

TEST(samples_that_are_not_selected_do_not_wait)
{
	struct image im = begun(false);

	in_kernel(&im, 10, 77, 5);
	in_kernel(&im, 11, 77, 6);
	user_chain(&im, 11, 77, 0x1010);
	expect_of(&im, (struct hd_pipeline_opts){ .select.tid = { .items = (const char *[]){ "11" }, .n = 1 } },
		"app;main;[unknown]_[k] 6\n");
}

/* The second event has copied stacks, so samples are counted by other threads and pass through a queue. */
TEST(the_number_of_threads_cannot_be_seen)
{
	for (unsigned threads = 1; threads < 5; threads++) {
		struct image im = begin(false, 0, FLAG(HD_ATTR_DEFER_CALLCHAIN));

		attr_record(&im,
			(struct attr){ .type = PERF_TYPE_SOFTWARE,
				.config = PERF_COUNT_SW_TASK_CLOCK,
				.flags = ID_ALL,
				.regs_user = 0xff0fff,
				.stack_user = 8192,
				.sample_type = FIELDS | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER },
			3);
		tasks(&im);
		for (uint64_t i = 0; i < 3000; i++) {
			in_kernel(&im, 10 + (int)(i & 1), i / 10, 1);
			if (i % 10 == 5)
				user_chain(&im, 10 + (int)(i & 1), i / 10, 0x1110, 0x1010);
		}
		expect_of(&im, (struct hd_pipeline_opts){ .threads = threads },
			"app;[unknown]_[k] 1500\napp;main;work;[unknown]_[k] 1500\n");
	}
}

/* ---- the store of waiting samples ---- */

/*
 * Add a sample of thread `tid` whose record contains only its chain, which waits for the user chain with this cookie.
 */
static void hold(struct hd_deferred_chains *d, int32_t tid, uint64_t cookie, uint64_t ip)
{
	uint64_t body[] = { HD_CONTEXT_KERNEL, ip, HD_CONTEXT_DEFERRED, cookie };
	struct hd_queued_sample q = { .rec = { .size = 8 + sizeof(body), .data = (const uint8_t *)body } };

	q.s.tid = tid;
	q.s.ip = ip;
	q.s.chain = q.rec.data;
	q.s.nchain = HD_COUNT(body);
	hd_deferred_chains_hold(d, &q);
}

static void came(struct hd_deferred_chains *d, int32_t tid, uint64_t cookie)
{
	uint64_t ips[] = { 0x1110, 0x1010 };
	struct hd_sample s = { .tid = tid, .id = cookie, .chain = (const uint8_t *)ips, .nchain = HD_COUNT(ips) };

	hd_deferred_chains_arrive(d, &s);
}

/* Take the next complete sample.  Return its ip, and the length of its chain in *words; both are 0 if there is none. */
static uint64_t take(struct hd_deferred_chains *d, uint32_t *words)
{
	const struct hd_queued_sample *q = hd_deferred_chains_take(d);

	*words = q ? q->s.nchain : 0;
	return q ? q->s.ip : 0;
}

/* hiperf stores each chain once and refers to it by a number, so the chain of a sample is not inside of its record. */
TEST(a_chain_that_lies_elsewhere_is_not_looked_for_in_the_record)
{
	uint64_t elsewhere[] = { HD_CONTEXT_KERNEL, 0x7777, HD_CONTEXT_DEFERRED, 5 }, body[] = { 1, 2 };
	struct hd_queued_sample q = { .rec = { .size = 8 + sizeof(body), .data = (const uint8_t *)body } };
	struct hd_deferred_chains *d = hd_deferred_chains_new(2);
	const struct hd_queued_sample *got;

	q.s.tid = 1;
	q.s.chain = (const uint8_t *)elsewhere;
	q.s.raw = (const uint8_t *)&body[1];
	q.s.nchain = HD_COUNT(elsewhere);
	hd_deferred_chains_hold(d, &q);
	came(d, 1, 5);
	got = hd_deferred_chains_take(d);
	EXPECT(got && got->s.nchain == 5);
	EXPECT(hd_sample_chain_ip(&got->s, 1) == 0x7777 && hd_sample_chain_ip(&got->s, 3) == 0x1110);
	EXPECT(got->s.raw != q.s.raw && hd_sample_word(&got->s, got->s.raw) == 2);
	hd_deferred_chains_free(d);
}

TEST(the_sample_that_waited_longest_is_given_up_when_there_is_no_more_room)
{
	struct hd_deferred_chains *d = hd_deferred_chains_new(3);
	uint32_t n;

	for (uint64_t i = 1; i <= 3; i++) {
		hold(d, 1, i, 100 + i);
		EXPECT_INT(take(d, &n), 0);
	}
	hold(d, 1, 4, 104);
	EXPECT_INT(take(d, &n), 101);
	EXPECT_INT(n, 4);
	EXPECT_INT(take(d, &n), 0);
	EXPECT_INT(hd_deferred_chains_lost(d), 1);
	came(d, 1, 3);
	EXPECT_INT(take(d, &n), 103);
	EXPECT_INT(n, 5);
	EXPECT_INT(take(d, &n), 0);
	hd_deferred_chains_end(d);
	EXPECT_INT(take(d, &n), 102);
	EXPECT_INT(take(d, &n), 104);
	EXPECT_INT(take(d, &n), 0);
	EXPECT_INT(hd_deferred_chains_lost(d), 3);
	hd_deferred_chains_free(d);
}

TEST(a_record_is_kept_until_newer_ones_take_its_room)
{
	struct hd_deferred_chains *d = hd_deferred_chains_new(2);
	uint32_t n;

	for (uint64_t i = 1; i <= 3; i++) {
		came(d, 1, i);
		EXPECT_INT(take(d, &n), 0);
	}
	hold(d, 1, 3, 103);
	EXPECT_INT(take(d, &n), 103);
	EXPECT_INT(n, 5);
	hold(d, 1, 1, 101);
	EXPECT_INT(take(d, &n), 0);
	hd_deferred_chains_end(d);
	EXPECT_INT(take(d, &n), 101);
	EXPECT_INT(n, 4);
	hd_deferred_chains_free(d);
}

TEST(a_long_recording_goes_round_the_shelves_many_times)
{
	struct hd_deferred_chains *d = hd_deferred_chains_new(7);
	uint64_t complete = 0, all = 0, ip;
	uint32_t n;

	for (uint64_t i = 0; i < 5000; i++) {
		if (i % 5)
			hold(d, (int32_t)(i % 3), i / 4, 1 + i);
		while ((ip = take(d, &n))) {
			all++;
			complete += n == 5;
		}
		if (i % 7)
			came(d, (int32_t)(i % 3), i / 4 - i % 2);
		while ((ip = take(d, &n))) {
			all++;
			complete += n == 5;
		}
	}
	hd_deferred_chains_end(d);
	while ((ip = take(d, &n)))
		all++;
	EXPECT_INT(all, 4000);
	EXPECT_INT(all, complete + hd_deferred_chains_lost(d));
	EXPECT(complete > 1000);
	hd_deferred_chains_free(d);
}

TEST_MAIN(RUN(a_sample_gets_the_user_chain_that_comes_after_it_in_both_byte_orders),
	  RUN(all_samples_since_the_thread_entered_the_kernel_get_it),
	  RUN(a_sample_taken_in_user_mode_waits_as_well),
	  RUN(the_record_may_stand_before_its_sample_and_more_than_once),
	  RUN(the_records_own_context_marker_does_no_harm_and_an_empty_one_is_an_answer),
	  RUN(a_user_chain_that_never_arrives_is_missing_and_counted),
	  RUN(a_record_whose_addresses_do_not_fit_is_reported),
	  RUN(samples_that_are_not_selected_do_not_wait),
	  RUN(the_number_of_threads_cannot_be_seen),
	  RUN(a_chain_that_lies_elsewhere_is_not_looked_for_in_the_record),
	  RUN(the_sample_that_waited_longest_is_given_up_when_there_is_no_more_room),
	  RUN(a_record_is_kept_until_newer_ones_take_its_room),
	  RUN(a_long_recording_goes_round_the_shelves_many_times))
