/* sampling_rate.c - find out how the events of a recording were sampled, and the effective number of samples */
#include "recording.h"

#include "history/run_from_profile.h"

#include <math.h>

static struct image asked(uint64_t first, uint64_t first_flags, uint64_t second, uint64_t second_flags, uint64_t config)
{
	struct image im = pipe_image(false);
	struct attr a = { .type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_type = FIELDS,
		.flags = ID_ALL | first_flags,
		.period = first };

	attr_record(&im, a, 1);
	a.config = config;
	a.period = second;
	a.flags = ID_ALL | second_flags;
	attr_record(&im, a, 2);
	tasks(&im);
	return im;
}

static void throttle(struct image *im, uint32_t type, uint64_t time_ns, uint64_t id)
{
	size_t r = rec(im, type, 0);

	u64(im, time_ns);
	u64(im, id);
	u64(im, id);
	trailer(im, 10, 10, time_ns);
	end(im, r);
}

static void samples(struct image *im, uint64_t id)
{
	for (uint64_t t = 1; t <= 5; t++)
		sample(im, (struct taken){ id, USER, 0x1210, 10, 10, t * SECOND, 0, 1, NO_CHAIN });
}

static struct hd_profile *profile_of(struct image *im)
{
	struct hd_profile *p = NULL;
	struct hd_err err = { 0 };
	int fd = memfd_create("image", MFD_CLOEXEC), rc;
	char path[64];

	EXPECT(write(fd, im->b.data, im->b.len) == (ssize_t)im->b.len);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	rc = hd_pipeline_read(&p, path, &(struct hd_pipeline_opts){ .no_symbols = true, .squares = true }, &err);
	if (rc < 0)
		print_message("%s\n", err.msg);
	EXPECT_INT(rc, 0);
	close(fd);
	hd_buf_release(&im->b);
	return p;
}

TEST(a_frequency_is_distinguished_from_a_fixed_period)
{
	struct image im = asked(999, FLAG(HD_ATTR_FREQ), 4000, 0, PERF_COUNT_SW_PAGE_FAULTS);
	struct hd_buf text = { 0 };
	struct hd_profile *p;

	samples(&im, 1);
	samples(&im, 2);
	p = profile_of(&im);
	EXPECT_INT(p->nevents, 2);
	EXPECT(p->events[0].rate.frequency_hz == 999 && p->events[0].rate.period == 0);
	EXPECT(p->events[1].rate.frequency_hz == 0 && p->events[1].rate.period == 4000);
	EXPECT(p->events[0].rate.recorded && p->events[0].rate.throttled == 0 && p->events[0].rate.enabled_ns == 0);
	hd_rate_text(&text, &p->events[0].rate);
	hd_buf_adds(&text, "; ");
	hd_rate_text(&text, &p->events[1].rate);
	EXPECT_STR(text.data, "999 Hz; period 4000");
	hd_buf_release(&text);
	hd_profile_free(p);
}

TEST(two_attrs_of_one_event_with_different_settings_report_none)
{
	struct image im = asked(999, FLAG(HD_ATTR_FREQ), 99, FLAG(HD_ATTR_FREQ), PERF_COUNT_SW_CPU_CLOCK);
	struct hd_profile *p;

	samples(&im, 1);
	p = profile_of(&im);
	EXPECT_INT(p->nevents, 1);
	EXPECT(p->events[0].rate.frequency_hz == 0 && p->events[0].rate.period == 0 && p->events[0].rate.recorded);
	hd_profile_free(p);
}

TEST(the_part_of_the_time_without_samples_is_that_of_the_counters_that_were_throttled)
{
	struct image im = asked(1000, 0, 4000, 0, PERF_COUNT_SW_PAGE_FAULTS);
	struct hd_buf text = { 0 };
	struct hd_profile *p;

	samples(&im, 1);
	throttle(&im, PERF_RECORD_THROTTLE, 2 * SECOND, 1);
	throttle(&im, PERF_RECORD_UNTHROTTLE, 3 * SECOND, 1);
	samples(&im, 2);
	p = profile_of(&im);
	EXPECT(p->events[0].rate.throttled == 1 && p->events[0].rate.unthrottled == 1);
	EXPECT(p->events[0].rate.silent == 0.25);
	EXPECT(p->events[1].rate.throttled == 0 && p->events[1].rate.silent == 0);
	hd_rate_text(&text, &p->events[0].rate);
	EXPECT_STR(text.data, "period 1000, throttled 1 time (25.00 % of the time)");
	hd_buf_release(&text);
	hd_profile_free(p);
}

/* In a recording by frequency, the kernel adjusts the period all the time. */
TEST(samples_of_varying_periods_count_as_fewer_of_equal_ones)
{
	static const uint64_t periods[] = { 1000, 1000, 4000, 250, 10000 };
	struct image im = asked(999, FLAG(HD_ATTR_FREQ), 4000, 0, PERF_COUNT_SW_PAGE_FAULTS);
	struct hd_run run = { 0 };
	struct hd_run_profile_arrays parts;
	double sum = 0, squares = 0;
	struct hd_profile *p;

	for (size_t i = 0; i < 5; i++) {
		sample(&im,
			(struct taken){ 1, USER, i % 2 ? 0x1210 : 0x1110, 10, 10, (i + 1) * SECOND, 0, periods[i],
				NO_CHAIN });
		sum += (double)periods[i];
		squares += (double)periods[i] * (double)periods[i];
	}
	samples(&im, 2);
	p = profile_of(&im);
	hd_run_from_profile(&run, &parts, p, false);
	EXPECT(fabs(run.events[0].effective - sum * sum / squares) < 1e-9);
	EXPECT(run.events[0].effective > 2 && run.events[0].effective < 3);
	EXPECT(run.events[1].effective == 5);	/* with equal weights, all samples are effective */
	hd_run_profile_arrays_release(&parts);
	hd_profile_free(p);
}

TEST_MAIN(
	RUN(a_frequency_is_distinguished_from_a_fixed_period),
	RUN(two_attrs_of_one_event_with_different_settings_report_none),
	RUN(samples_of_varying_periods_count_as_fewer_of_equal_ones),
	RUN(the_part_of_the_time_without_samples_is_that_of_the_counters_that_were_throttled),
)
