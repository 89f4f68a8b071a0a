/*
 * read_ahead.c - a recording is read in one pass if possible; the results must be those of two passes
 *
 * If quiet_bytes is 1, the first pass ends at the first sample.  If it is ALL, the first pass reads the whole file, as
 * if nothing could be assumed about the rest of it.
 */
#include "recording.h"

#define ALL UINT64_MAX
#define ID 7		/* id of the only event of a file_image */

/*
 * Return the output for the recording as text, which the caller frees: stacks by thread name and pid, counts and times
 * of samples, events, counts of records, warnings.
 */
static char *answer(const struct image *data, uint64_t quiet_bytes, unsigned threads)
{
	struct image im = file_image(false,
		(struct attr){ .type = PERF_TYPE_SOFTWARE, .sample_type = FIELDS, .flags = ID_ALL }, &data->b, NULL, 0);
	struct place at = place_of(&im);
	struct hd_profile *p = ingest(&at,
		(struct hd_pipeline_opts){ .keys = HD_KEY_COMM, .quiet_bytes = quiet_bytes, .threads = threads });
	struct hd_buf text = { 0 };
	struct hd_outfile out;

	hd_outfile_memory(&out);
	hd_folded_write(&out, p, 0, &(struct hd_folded_opts){ .annotate_kernel = true, .annotate_inlined = true });
	hd_buf_add(&text, out.pending.data, out.pending.len);
	hd_buf_addf(&text, "read %llu kept %llu lost %llu from %llu to %llu\n", (unsigned long long)p->read,
		(unsigned long long)p->kept, (unsigned long long)p->recording.lost,
		(unsigned long long)p->recording.first_ns, (unsigned long long)p->recording.last_ns);
	for (size_t i = 0; i < p->nevents; i++)
		hd_buf_addf(&text, "event %s\n", hd_profile_str(p, p->events[i].name));
	for (size_t i = 0; i < p->recording.nrecords; i++)
		hd_buf_addf(&text, "%s %llu\n", p->recording.records[i].name,
			(unsigned long long)p->recording.records[i].count);
	for (size_t i = 0; i < p->log.n; i++)
		hd_buf_addf(&text, "%s %llu\n", p->log.items[i].code, (unsigned long long)p->log.items[i].count);
	hd_outfile_discard(&out);
	hd_profile_free(p);
	place_release(&at);
	hd_buf_release(&im.b);
	return hd_buf_take(&text);
}

static void expect_same(const struct image *data)
{
	char *whole = answer(data, ALL, 1), *once = answer(data, 1, 1), *beside = answer(data, 1, 2);

	EXPECT_STR(once, whole);
	EXPECT_STR(beside, whole);
	free(whole);
	free(once);
	free(beside);
}

static void expect_line(const struct image *data, const char *line)
{
	char *once = answer(data, 1, 1);

	if (!strstr(once, line))
		fail_msg("no '%s' in\n%s", line, once);
	free(once);
}

static struct image app(void)
{
	struct image im = { 0 };

	comm(&im, 10, 10, "app", 0);
	map(&im, 10, USER, 0x1000, 0x2000, 0, "//anon");
	return im;
}

static void user_sample(struct image *im, int32_t pid, uint64_t time_ns)
{
	sample(im, (struct taken){ ID, USER, 0x1110, pid, pid, time_ns, 0, 1, CHAIN(HD_CONTEXT_USER, 0x1110, 0x1010) });
}

TEST(a_recording_without_late_side_band_is_read_once)
{
	struct image im = app();

	for (uint64_t i = 1; i < 50; i++)
		user_sample(&im, 10, i * SECOND);
	expect_same(&im);
	expect_line(&im, "app;main;work 49\n");
	hd_buf_release(&im.b);
}

TEST(a_late_record_applies_to_later_samples)
{
	struct image im = app();

	user_sample(&im, 10, 1 * SECOND);
	user_sample(&im, 10, 2 * SECOND);
	comm(&im, 10, 10, "renamed", 3 * SECOND);
	user_sample(&im, 10, 4 * SECOND);
	forked(&im, 0, 30, 10, 5 * SECOND);
	user_sample(&im, 30, 6 * SECOND);
	expect_same(&im);
	expect_line(&im, "app;main;work 2\nrenamed;main;work 2\n");
	hd_buf_release(&im.b);
}

TEST(a_record_that_comes_too_late_applies_to_samples_before_it_in_the_file)
{
	struct image im = app();

	user_sample(&im, 10, 1 * SECOND);
	user_sample(&im, 10, 4 * SECOND);
	comm(&im, 10, 10, "renamed", 3 * SECOND);
	user_sample(&im, 10, 2 * SECOND);
	expect_same(&im);
	expect_line(&im, "app;main;work 2\nrenamed;main;work 1\n");
	hd_buf_release(&im.b);
}

/* perf record --tail-synthesize writes such recordings */
TEST(tasks_recorded_at_the_end_without_a_time_apply_to_all_samples)
{
	struct image im = { 0 };

	user_sample(&im, 10, 1 * SECOND);
	comm(&im, 10, 10, "app", 0);
	map(&im, 10, USER, 0x1000, 0x2000, 0, "//anon");
	expect_same(&im);
	expect_line(&im, "app;main;work 1\n");
	hd_buf_release(&im.b);
}

TEST(a_mapping_that_cannot_be_read_is_said_once)
{
	struct image im = app();
	size_t r;

	user_sample(&im, 10, 1 * SECOND);
	for (uint64_t i = 2; i < 6; i++) {
		r = rec(&im, i & 1 ? PERF_RECORD_MMAP : PERF_RECORD_EXIT, USER);
		u32(&im, 10);
		end(&im, r);
		user_sample(&im, 10, i * SECOND);
	}
	expect_same(&im);
	expect_line(&im, "lost.side-band 4\n");
	hd_buf_release(&im.b);
}

/* Add an EVENT_UPDATE record with the name of an event. */
static void event_name(struct image *im, uint64_t id, const char *name)
{
	size_t r = rec(im, 78, 0);

	u64(im, 2);
	u64(im, id);
	text(im, name, 8);
	end(im, r);
}

TEST(records_that_tell_of_the_recording_itself_are_heeded_wherever_they_stand)
{
	struct image im = app();

	user_sample(&im, 10, 1 * SECOND);
	attr_record(&im, (struct attr){ .type = PERF_TYPE_HARDWARE, .sample_type = FIELDS, .flags = ID_ALL }, 8);
	event_name(&im, 8, "mine");
	sample(&im, (struct taken){ 8, USER, 0x1110, 10, 10, 2 * SECOND, 0, 1, NO_CHAIN });
	user_sample(&im, 10, 3 * SECOND);
	expect_same(&im);
	expect_line(&im, "kept 3 ");
	hd_buf_release(&im.b);
}

TEST(a_name_of_an_event_before_the_samples_does_not_prolong_the_first_walk)
{
	struct image im = app();

	event_name(&im, ID, "first");
	for (uint64_t i = 1; i < 50; i++)
		user_sample(&im, 10, i * SECOND);
	expect_same(&im);
	expect_line(&im, "event first\n");
	event_name(&im, ID, "second");
	expect_same(&im);
	expect_line(&im, "event second\n");
	hd_buf_release(&im.b);
}

/* ---- random recordings ---- */

static void mapped(struct image *im, int32_t pid, uint16_t misc, uint64_t addr, const char *name, uint64_t time_ns)
{
	size_t r = rec(im, PERF_RECORD_MMAP, misc);

	u32(im, (uint32_t)pid);
	u32(im, (uint32_t)pid);
	u64(im, addr);
	u64(im, 0x1000);
	u64(im, 0);
	text(im, name, 8);
	trailer(im, pid, pid, time_ns);
	end(im, r);
}

static uint64_t draw(uint64_t *r, uint64_t n)
{
	*r += 0x9e3779b97f4a7c15u;
	return ((*r ^ *r >> 29) * 0xbf58476d1ce4e5b9u >> 33) % n;
}

/* Times ascend, with some steps back, as in a file in which the buffer of one CPU follows that of another. */
TEST(a_thousand_recordings_of_any_records_have_the_same_answers_both_ways)
{
	for (uint64_t seed = 1; seed <= 1000; seed++) {
		uint64_t r = seed * 7919, back = draw(&r, 3) ? 1 : 1 + draw(&r, 100);
		struct image im = app();

		for (uint64_t i = 1; i < 60; i++) {
			uint64_t time_ns = (100 + 10 * i - draw(&r, back) * draw(&r, 10)) * 1000000;
			int32_t pid = 10 + (int32_t)draw(&r, 3), other = 10 + (int32_t)draw(&r, 4);
			char name[16];

			switch (draw(&r, 16)) {
			case 0:
				snprintf(name, sizeof(name), "c%d", (int)draw(&r, 5));
				comm(&im, pid, pid, name, time_ns);
				break;
			case 1:
				forked(&im, 0, other, pid, time_ns);
				break;
			case 2:
				mapped(&im, pid, USER, 0x1000 * (1 + draw(&r, 2)), draw(&r, 2) ? "//anon" : "/data",
					time_ns);
				break;
			case 3:
				mapped(&im, pid, USER | PERF_RECORD_MISC_MMAP_DATA, 0x1000 * (1 + draw(&r, 9)),
					"[heap]", time_ns);
				break;
			case 4:
				lost(&im, ID, 1 + draw(&r, 3));
				break;
			default:
				user_sample(&im, pid, time_ns);
			}
		}
		expect_same(&im);
		hd_buf_release(&im.b);
	}
}

enum {
	MANY = 2000,		/* samples: more than the queue between two threads holds at once */
	COUNTED = FIELDS | PERF_SAMPLE_READ | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER,
	COUNTER = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING | PERF_FORMAT_ID,
	INHERIT = FLAG(1),
};

/* Append the value of a counter that was enabled for this many ns and ran half of the time. */
static void counter(struct image *im, uint64_t enabled_ns)
{
	u64(im, enabled_ns);
	u64(im, enabled_ns);
	u64(im, enabled_ns / 2);
	u64(im, ID);
}

/* Append a sample with the value of its counter and without a stack copy. */
static void counted_sample(struct image *im, int32_t tid, uint64_t enabled_ns)
{
	size_t r = rec(im, PERF_RECORD_SAMPLE, USER);

	u64(im, ID);
	u64(im, 0x1110);
	u32(im, 10);
	u32(im, (uint32_t)tid);
	u64(im, SECOND + enabled_ns);
	u32(im, 0);
	u32(im, 0);
	u64(im, 1);
	counter(im, enabled_ns);
	u64(im, 0);		/* frames */
	u64(im, PERF_SAMPLE_REGS_ABI_NONE);
	u64(im, 0);		/* bytes of stack */
	end(im, r);
}

/* Append a READ record, which the kernel writes at the end of a thread. */
static void counter_read(struct image *im, int32_t tid, uint64_t enabled_ns)
{
	size_t r = rec(im, PERF_RECORD_READ, 0);

	u32(im, 10);
	u32(im, (uint32_t)tid);
	counter(im, enabled_ns);
	trailer(im, 10, tid, SECOND + enabled_ns);
	end(im, r);
}

static void expect_times(const struct image *data, uint64_t quiet_bytes, unsigned threads, uint64_t enabled_ns)
{
	struct image im = file_image(false,
		(struct attr){ .type = PERF_TYPE_SOFTWARE, .sample_type = COUNTED, .read_format = COUNTER,
			.flags = ID_ALL | INHERIT, .regs_user = 1, .stack_user = 8 },
		&data->b, NULL, 0);
	struct place at = place_of(&im);
	struct hd_profile *p = ingest(&at, (struct hd_pipeline_opts){ .quiet_bytes = quiet_bytes, .threads = threads });

	EXPECT_INT(p->log.n, 0);
	EXPECT_INT(p->kept, MANY);
	EXPECT_INT(p->events[0].rate.enabled_ns, enabled_ns);
	EXPECT_INT(p->events[0].rate.running_ns, enabled_ns / 2);
	hd_profile_free(p);
	place_release(&at);
	hd_buf_release(&im.b);
}

/*
 * The first pass reads the READ records before the samples that precede them in the file.  If it ends early, one thread
 * reads them while another thread adds samples.
 */
TEST(times_of_counters_in_samples_and_in_read_records_give_the_last_ones)
{
	struct image im = app();
	uint64_t sum = 0;

	for (uint64_t i = 1; i <= MANY; i++) {
		int32_t tid = 10 + (int32_t)i % 4;

		counted_sample(&im, tid, 1000 * i);
		if (i > MANY - 4)
			sum += 1000 * i + 500;
		if (i % 100 < 4 || i > MANY - 4)
			counter_read(&im, tid, 1000 * i + 500);
	}
	expect_times(&im, ALL, 1, sum);
	expect_times(&im, 1, 1, sum);
	expect_times(&im, ALL, 2, sum);
	expect_times(&im, 1, 2, sum);
	hd_buf_release(&im.b);
}

TEST_MAIN(RUN(a_recording_without_late_side_band_is_read_once),
	  RUN(a_late_record_applies_to_later_samples),
	  RUN(a_record_that_comes_too_late_applies_to_samples_before_it_in_the_file),
	  RUN(tasks_recorded_at_the_end_without_a_time_apply_to_all_samples),
	  RUN(a_mapping_that_cannot_be_read_is_said_once),
	  RUN(a_name_of_an_event_before_the_samples_does_not_prolong_the_first_walk),
	  RUN(records_that_tell_of_the_recording_itself_are_heeded_wherever_they_stand),
	  RUN(times_of_counters_in_samples_and_in_read_records_give_the_last_ones),
	  RUN(a_thousand_recordings_of_any_records_have_the_same_answers_both_ways))
