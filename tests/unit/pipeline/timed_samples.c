/* timed_samples.c - keep samples with their times, for outputs that are ordered by time */
#include "recording.h"

#include "profile/timed_samples.h"

#define WORDS(...) { .items = (const char *[]){ __VA_ARGS__ }, \
	.n = sizeof((const char *[]){ __VA_ARGS__ }) / sizeof(char *) }

static const struct hd_pipeline_opts timed = { .timed = true };

/*
 * Return one line per sample: seconds, event, pid/tid, CPU, thread name, innermost function, weight.  The caller frees
 * the text.
 */
static char *listed(const struct hd_profile *p)
{
	struct hd_buf b = { 0 };

	for (size_t i = 0; i < p->timed->n; i++) {
		const struct hd_timed_sample *s = &p->timed->items[i];
		const struct hd_sample_row *row = &p->rows.items[s->row];
		bool unknown;

		hd_buf_addf(&b, "%llu %s %d/%d %d %s %s %llu\n", (unsigned long long)(s->time_ns / SECOND),
			hd_profile_str(p, p->events[row->event].name), row->pid, row->tid, (int)s->cpu,
			hd_profile_str(p, row->comm),
			hd_profile_frame_name(p, hd_stacks_frame(p->stacks, row->stack), &unknown),
			(unsigned long long)s->weight);
	}
	hd_buf_adds(&b, "");
	return hd_buf_take(&b);
}

/* Check that the samples of each row add up to the row, and that times ascend. */
static void expect_complete(const struct hd_profile *p)
{
	uint64_t *weight = hd_new_array(uint64_t, p->rows.n), *count = hd_new_array(uint64_t, p->rows.n), last = 0;

	EXPECT_INT(p->timed->n, p->kept);
	for (size_t i = 0; i < p->timed->n; i++) {
		const struct hd_timed_sample *s = &p->timed->items[i];

		EXPECT(s->row < p->rows.n);
		EXPECT(s->time_ns >= last);
		last = s->time_ns;
		weight[s->row] += s->weight;
		count[s->row]++;
	}
	for (size_t i = 0; i < p->rows.n; i++)
		EXPECT(weight[i] == p->rows.items[i].weight && count[i] == p->rows.items[i].count);
	free(weight);
	free(count);
}

/* Read the recording or bundle, check that it is complete, and return its list. */
static char *list_of(const char *path, const struct hd_pipeline_opts *opts)
{
	struct hd_err err = { 0 };
	struct hd_profile *p;
	char *list;

	if (hd_pipeline_read(&p, path, opts, &err) < 0)
		fail_msg("%s", err.msg);
	expect_sums(p);
	expect_complete(p);
	list = listed(p);
	hd_profile_free(p);
	return list;
}

/* Expect this list (NULL: any) of the image, with one thread and with three, and the same of its bundle. */
static void expect_list(struct image *im, struct hd_pipeline_opts opts, const char *want)
{
	struct place at = place_of(im);
	struct hd_bundle_builder_stats stats;
	struct hd_buf bundle;
	char *list, *again, *path;

	opts.symfs = at.dir;
	opts.threads = 1;
	list = list_of(at.path, &opts);
	if (want)
		EXPECT_STR(list, want);
	opts.threads = 3;
	again = list_of(at.path, &opts);
	EXPECT_STR(again, list);
	free(again);
	bundle = bundle_of(at.path, &opts, &stats);
	path = put_file(at.dir, "t.hdb", bundle.data, bundle.len);
	opts.symfs = NULL;
	again = list_of(path, &opts);
	EXPECT_STR(again, list);
	free(again);
	free(list);
	free(path);
	hd_buf_release(&bundle);
	place_release(&at);
	hd_buf_release(&im->b);
}

#define FIRST	"1 cpu-clock 10/10 0 app work 100\n"
#define SECOND_SAMPLE "2 cpu-clock 10/11 1 app work 200\n"
#define THIRD	"3 cycles 10/10 0 app leaf 1\n"
#define FOURTH	"4 cpu-clock 10/10 0 app [unknown] 400\n"
#define FIFTH	"5 cpu-clock 20/20 1 tool [unknown] 800\n"

TEST(without_the_option_no_sample_is_kept)
{
	struct image im = side_band();
	struct place at;
	struct hd_profile *p;

	five_samples(&im);
	at = place_of(&im);
	p = ingest(&at, (struct hd_pipeline_opts){ 0 });
	EXPECT(p->timed == NULL);
	EXPECT_INT(p->keys, 0);
	hd_profile_free(p);
	place_release(&at);
	hd_buf_release(&im.b);
}

TEST(samples_have_time_thread_cpu_event_and_stack)
{
	struct image im = side_band();

	five_samples(&im);
	expect_list(&im, timed, FIRST SECOND_SAMPLE THIRD FOURTH FIFTH);
}

TEST(the_order_is_that_of_time_and_then_that_of_the_file)
{
	static const struct { int32_t tid; uint64_t seconds; } order[] = {
		{ 10, 7 }, { 11, 8 }, { 11, 3 }, { 10, 3 }, { 10, 9 }, { 11, 1 }, { 10, 8 },
	};
	struct image im = side_band();

	for (size_t i = 0; i < HD_COUNT(order); i++)
		sample(&im, (struct taken){ 1, USER, 0x1110, 10, order[i].tid, order[i].seconds * SECOND, 0, i + 1,
					    CHAIN(HD_CONTEXT_USER, 0x1110, 0x1010) });
	expect_list(&im, timed,
		"1 cpu-clock 10/11 0 app work 6\n" "3 cpu-clock 10/11 0 app work 3\n"
		"3 cpu-clock 10/10 0 app work 4\n" "7 cpu-clock 10/10 0 app work 1\n"
		"8 cpu-clock 10/11 0 app work 2\n" "8 cpu-clock 10/10 0 app work 7\n"
		"9 cpu-clock 10/10 0 app work 5\n");
}

TEST(the_selection_holds_for_each_sample)
{
	const struct { struct hd_selection select; const char *want; } cases[] = {
		{ { .event = WORDS("cycles") }, THIRD },
		{ { .tid = WORDS("11") }, SECOND_SAMPLE },
		{ { .time = "2,4" }, SECOND_SAMPLE THIRD FOURTH },
		{ { .comm = WORDS("tool") }, FIFTH },
		{ { .symbol = WORDS("work") }, FIRST SECOND_SAMPLE },
		{ { .filter = "cpu == 1" }, SECOND_SAMPLE FIFTH },
		{ { .weight = HD_WEIGHT_SAMPLES, .cpu = WORDS("1") },
			"2 cpu-clock 10/11 1 app work 1\n" "5 cpu-clock 20/20 1 tool [unknown] 1\n" },
		{ { .no_kernel = true, .time = "4,4" }, "4 cpu-clock 10/10 0 app work 400\n" },
		{ { .tid = WORDS("77") }, "" },
	};

	for (size_t i = 0; i < HD_COUNT(cases); i++) {
		struct image im = side_band();

		five_samples(&im);
		expect_list(&im, (struct hd_pipeline_opts){ .timed = true, .select = cases[i].select }, cases[i].want);
	}
}

TEST(samples_without_times_keep_the_order_of_the_file)
{
	struct image im = pipe_image(false);
	struct attr a = { .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CPU_CLOCK,
			  .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_PERIOD };
	struct place at;
	struct hd_profile *p;

	attr_record(&im, a, 0);
	for (uint64_t i = 1; i <= 3; i++) {
		size_t r = rec(&im, PERF_RECORD_SAMPLE, USER);

		u64(&im, 0x1000);
		u32(&im, 10);
		u32(&im, (uint32_t)(20 - i));
		u64(&im, i);
		end(&im, r);
	}
	at = place_of(&im);
	p = ingest(&at, timed);
	expect_complete(p);
	EXPECT(!p->timed->has_times);
	EXPECT_INT(p->timed->n, 3);
	for (uint64_t i = 0; i < 3; i++) {
		EXPECT_INT(p->timed->items[i].weight, i + 1);
		EXPECT(p->timed->items[i].cpu == UINT32_MAX);
	}
	hd_profile_free(p);
	place_release(&at);
	hd_buf_release(&im.b);
}

/* With so many different sums, they are moved to the profile several times while the recording is read (budget.c). */
TEST(samples_of_a_recording_with_many_sums_find_their_rows)
{
	enum { THREADS = 150000 };
	struct image im = side_band();

	for (uint32_t i = 0; i < THREADS; i++)
		sample(&im, (struct taken){ 1, USER, 0x1110, 10, (int32_t)(1000 + (i * 7919u) % THREADS),
					    (1 + (i ^ 5)) * SECOND, 0, i, CHAIN(HD_CONTEXT_USER, 0x1110, 0x1010) });
	expect_list(&im, (struct hd_pipeline_opts){ .timed = true, .select.symbol = WORDS("work", "main") }, NULL);
}

TEST(too_many_samples_are_an_error_with_a_remedy)
{
	struct image im = side_band();
	struct place at;
	struct hd_profile *p;
	struct hd_err err = { 0 };

	five_samples(&im);
	at = place_of(&im);
	EXPECT(hd_pipeline_read(&p, at.path, &(struct hd_pipeline_opts){ .timed = true, .timed_most = 5 }, &err) >= 0);
	EXPECT_INT(p->timed->n, 5);
	hd_profile_free(p);
	EXPECT_INT(hd_pipeline_read(&p, at.path, &(struct hd_pipeline_opts){ .timed = true, .timed_most = 4 }, &err),
		HD_EFORMAT);
	EXPECT(strstr(err.msg, "has more than 4 samples") && strstr(err.msg, "--time A,B, --event or --tid"));
	hd_profile_free(p);
	place_release(&at);
	hd_buf_release(&im.b);
}

/* The samples of folded text have neither times nor CPUs. */
TEST(ordered_samples_of_folded_text_have_no_cpu_and_are_not_lost)
{
	char *dir = tmpdir(), *path = put_file(dir, "f.txt", "a;b 3\na;c 4\n", 12);
	struct hd_pipeline_opts opts = { .ordered = true, .timed_most = 2, .keys = HD_KEY_CPU };
	struct hd_err err = { 0 };
	struct hd_profile *p;

	EXPECT(hd_pipeline_read(&p, path, &opts, &err) >= 0);
	EXPECT_INT(p->timed->n, 2);
	EXPECT(p->timed->items[0].cpu == UINT32_MAX && p->rows.items[0].cpu == UINT32_MAX);
	EXPECT(!p->timed->has_times);
	hd_profile_free(p);
	opts.timed_most = 1;
	EXPECT_INT(hd_pipeline_read(&p, path, &opts, &err), HD_EFORMAT);
	EXPECT(strstr(err.msg, "has more than 1 samples; select a part: --comm, --event or --symbol"));
	hd_profile_free(p);
	free(path);
	tmpdir_remove(dir);
}

TEST(dropped_samples_do_not_count_for_whether_there_are_times)
{
	struct hd_timed_samples *t = hd_timed_samples_new();

	hd_timed_samples_add(t, &(struct hd_timed_sample){ .row = 0 });
	hd_timed_samples_add(t, &(struct hd_timed_sample){ .time_ns = 5, .row = 1 });
	hd_timed_samples_place(t, (uint32_t[]){ 0, HD_TIMED_DROPPED });
	hd_timed_samples_sort(t);
	EXPECT_INT(t->n, 1);
	EXPECT(!t->has_times);
	hd_timed_samples_free(t);
}

TEST(inputs_without_samples_in_time_have_none)
{
	char *dir = tmpdir(), *path = put_file(dir, "f.txt", "a;b 3\n", 6);
	struct hd_err err = { 0 };
	struct hd_profile *p;

	EXPECT(hd_pipeline_read(&p, path, &timed, &err) >= 0);
	EXPECT(p->timed == NULL);
	hd_profile_free(p);
	free(path);
	tmpdir_remove(dir);
}

TEST_MAIN(RUN(without_the_option_no_sample_is_kept),
	RUN(samples_have_time_thread_cpu_event_and_stack),
	RUN(the_order_is_that_of_time_and_then_that_of_the_file),
	RUN(the_selection_holds_for_each_sample),
	RUN(samples_without_times_keep_the_order_of_the_file),
	RUN(samples_of_a_recording_with_many_sums_find_their_rows),
	RUN(too_many_samples_are_an_error_with_a_remedy),
	RUN(ordered_samples_of_folded_text_have_no_cpu_and_are_not_lost),
	RUN(dropped_samples_do_not_count_for_whether_there_are_times),
	RUN(inputs_without_samples_in_time_have_none))
