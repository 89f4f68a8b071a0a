/*
 * recording_info.c - tests of what `info` reports about a recording besides its samples: branches, and traces inside
 * of samples
 */
#include "recording.h"

enum { BRANCH_FIELDS = FIELDS | PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_AUX };

/* Append the flags of a branch.  They are a C bit field, which begins with the top bit on a big-endian machine. */
static void flags(struct image *im, bool mispredicted, bool predicted)
{
	u64(im,
		im->swap ? (uint64_t)mispredicted << 63 | (uint64_t)predicted << 62
			 : (uint64_t)mispredicted | (uint64_t)predicted << 1);
}

/*
 * Return a recording with branches.  If `more` has the bits of hw_index and counters, a word precedes the branches, and
 * one word for each branch follows them.  told: the branches have flags of their prediction.
 */
static struct image branches(bool swap, uint64_t more, bool told)
{
	struct image im = pipe_image(swap);

	attr_record(&im, (struct attr){ .type = PERF_TYPE_HARDWARE, .sample_type = BRANCH_FIELDS, .flags = ID_ALL,
					.branch_type = PERF_SAMPLE_BRANCH_ANY | more }, 1);
	comm(&im, 10, 10, "app", 0);
	for (int i = 0; i < 3; i++) {
		size_t r = rec(&im, PERF_RECORD_SAMPLE, USER);

		u64(&im, 1);
		u64(&im, 0x1110);
		u32(&im, 10);
		u32(&im, 10);
		u64(&im, SECOND);
		u64(&im, 0);
		u64(&im, 1);
		u64(&im, 0);
		u64(&im, 4);
		if (more & HD_BRANCH_HW_INDEX)
			u64(&im, 7);
		for (int k = 0; k < 4; k++) {
			u64(&im, 0x1000);
			u64(&im, 0x1100);
			flags(&im, told && k == 2, told && k != 2);
		}
		if (more & HD_BRANCH_COUNTERS)
			text(&im, "", 4 * 8);
		u64(&im, 5);
		text(&im, "trace", 5);
		end(&im, r);
	}
	return im;
}

static void expect_branches(struct image *im, bool details, uint64_t n, uint64_t mispredicted, uint64_t predicted,
	uint64_t trace)
{
	struct place at = place_of(im);
	struct hd_profile *p = ingest(&at, (struct hd_pipeline_opts){ .details = details });

	EXPECT_INT(p->kept, 3);
	EXPECT_INT(p->recording.branches, n);
	EXPECT_INT(p->recording.mispredicted, mispredicted);
	EXPECT_INT(p->recording.predicted, predicted);
	EXPECT_INT(p->recording.trace_bytes, trace);
	EXPECT(!hd_log_find(&p->log, "lost.hardware-trace") == !trace);
	hd_profile_free(p);
	place_release(&at);
	hd_buf_release(&im->b);
}

TEST(branches_are_counted_with_how_they_were_predicted_in_both_byte_orders)
{
	for (int swap = 0; swap < 2; swap++) {
		struct image im = branches(swap, 0, true);

		expect_branches(&im, true, 12, 3, 9, 15);
	}
}

TEST(an_index_before_records_and_counters_after_them_change_nothing)
{
	for (unsigned more = 1; more < 8; more++) {
		struct image im = branches(more & 4,
			(more & 1 ? HD_BRANCH_HW_INDEX : 0) | (more & 2 ? HD_BRANCH_COUNTERS : 0), true);

		expect_branches(&im, true, 12, 3, 9, 15);
	}
}

TEST(a_processor_that_reports_no_prediction_has_none)
{
	struct image im = branches(false, 0, false);

	expect_branches(&im, true, 12, 0, 0, 15);
}

TEST(branches_are_not_counted_without_details)
{
	struct image im = branches(false, 0, true);

	expect_branches(&im, false, 0, 0, 0, 0);
}

TEST(a_trace_that_is_not_decoded_is_reported_with_its_kind_and_advice)
{
	struct image im = side_band();
	const struct hd_warning *w;
	struct hd_profile *p;
	struct place at;
	size_t r;

	five_samples(&im);
	r = rec(&im, HD_RT_AUXTRACE_INFO, 0);
	u64(&im, 1);
	end(&im, r);
	r = rec(&im, HD_RT_AUXTRACE, 0);
	u64(&im, 24);
	text(&im, "", 32);
	end(&im, r);
	text(&im, "", 24);
	at = place_of(&im);
	p = ingest(&at, (struct hd_pipeline_opts){ 0 });
	EXPECT_INT(p->kept, 5);
	EXPECT_STR(p->recording.trace_kind, "Intel PT");
	w = hd_log_find(&p->log, "lost.hardware-trace");
	EXPECT(w && strstr(w->text, ": 24 bytes of hardware trace (Intel PT) were not decoded") &&
		strstr(w->fix, "perf inject --itrace"));
	hd_profile_free(p);
	place_release(&at);
	hd_buf_release(&im.b);
}

TEST_MAIN(RUN(branches_are_counted_with_how_they_were_predicted_in_both_byte_orders),
	  RUN(an_index_before_records_and_counters_after_them_change_nothing),
	  RUN(a_processor_that_reports_no_prediction_has_none),
	  RUN(branches_are_not_counted_without_details),
	  RUN(a_trace_that_is_not_decoded_is_reported_with_its_kind_and_advice))
