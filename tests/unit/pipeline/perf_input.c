/*
 * perf_input.c - convert records to folded stacks: select the event of each sample, and count dropped samples by
 * reason
 */
#include "recording.h"

#include <limits.h>

#define WORDS(...) { .items = (const char *[]){ __VA_ARGS__ }, \
	.n = sizeof((const char *[]){ __VA_ARGS__ }) / sizeof(char *) }
#define SELECT(...) (struct hd_pipeline_opts){ .select = { __VA_ARGS__ } }

static const struct hd_pipeline_opts plain = { 0 };

static struct image recording(void)
{
	struct image im = side_band();

	five_samples(&im);
	return im;
}

/* Expect this folded text of the first event of the recording with a selection. */
static void expect_selected(struct hd_pipeline_opts opts, const char *want)
{
	struct image im = recording();

	expect_folded(&im, opts, 0, want);
	hd_buf_release(&im.b);
}

static uint64_t dropped(const struct hd_profile *p, const char *reason)
{
	for (size_t i = 0; i < p->ndropped; i++)
		if (!strcmp(p->dropped[i].reason, reason))
			return p->dropped[i].count;
	return 0;
}

static uint64_t logged(const struct hd_profile *p, const char *code)
{
	const struct hd_warning *w = hd_log_find(&p->log, code);

	return w ? w->count : 0;
}

/* ---- whole recordings ---- */

TEST(samples_become_stacks_by_event_thread_name_and_function)
{
	struct image im = recording();

	expect_folded(&im, plain, 0, "app;main;work 300\napp;main;work;[unknown]_[k] 400\ntool;[unknown] 800\n");
	expect_folded(&im, plain, 1, "app;main;work;leaf 1\n");
	hd_buf_release(&im.b);
}

TEST(the_recording_is_described)
{
	struct image im = recording();
	struct place at;
	struct hd_profile *p;
	const struct hd_recording *r;
	uint64_t samples = 0, maps = 0;

	lost(&im, 1, 40);
	lost(&im, 2, 2);
	lost(&im, 1, 100);
	at = place_of(&im);
	p = ingest(&at, plain);
	r = &p->recording;
	EXPECT_STR(r->path, at.path);
	EXPECT_STR(r->format, "perf.data");
	EXPECT_STR(r->mode, "pipe");
	EXPECT_STR(r->endian, "little");
	EXPECT_INT(r->bytes, im.b.len);
	EXPECT(!r->truncated && !r->compressed);
	EXPECT_INT(r->first_ns, 1 * SECOND);
	EXPECT_INT(r->last_ns, 5 * SECOND);
	for (size_t i = 0; i < r->nrecords; i++) {
		samples += r->records[i].type == PERF_RECORD_SAMPLE ? r->records[i].count : 0;
		maps += r->records[i].type == PERF_RECORD_MMAP ? r->records[i].count : 0;
	}
	EXPECT_INT(samples, 5);
	EXPECT_INT(maps, 2);
	EXPECT_STR(hd_profile_str(p, p->events[0].name), "cpu-clock");
	EXPECT_STR(hd_profile_str(p, p->events[0].unit), "ns");
	EXPECT_STR(hd_profile_str(p, p->events[1].name), "cycles");
	EXPECT_INT(p->events[0].lost, 140);
	EXPECT_INT(p->events[1].lost, 2);
	EXPECT_INT(r->lost, 142);
	EXPECT_INT(logged(p, "lost.events"), 142);
	EXPECT_INT(r->with_stack, 5);
	EXPECT_INT(r->root_reached, 4);
	EXPECT_INT(r->frames, 2 + 2 + 3 + 3 + 1);
	EXPECT_INT(r->unknown_frames, 2);
	hd_profile_free(p);
	place_release(&at);
	hd_buf_release(&im.b);
}

/*
 * Return a recording in which each event has a counter of losses, whose values `first` and `second` perf writes at the
 * end.
 */
static struct image counted(uint64_t first, uint64_t second)
{
	struct attr a = { .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CPU_CLOCK, .sample_type = FIELDS,
			  .read_format = HD_FORMAT_LOST, .flags = ID_ALL };
	uint64_t counters[] = { first, second };
	struct image im = pipe_image(false);

	attr_record(&im, a, 1);
	a.type = PERF_TYPE_HARDWARE;
	a.config = PERF_COUNT_HW_CPU_CYCLES;
	attr_record(&im, a, 2);
	tasks(&im);
	five_samples(&im);
	lost(&im, 1, 100);	/* the record has the ID of the event that wrote next, whatever was lost */
	for (unsigned i = 0; i < 2; i++) {
		size_t r = rec(&im, PERF_RECORD_LOST_SAMPLES, 0);

		u64(&im, counters[i]);
		for (int word = 0; word < 3; word++)
			u64(&im, 0);	/* as perf writes it: without thread, time and CPU */
		u64(&im, i + 1);
		end(&im, r);
	}
	return im;
}

TEST(a_loss_counts_once_for_the_event_whose_counter_has_it)
{
	static const struct { uint64_t counters[2], lost[2]; } rows[] = {
		{ { 10, 90 }, { 10, 90 } }, { { 10, 97 }, { 10, 97 } },
		{ { 10, 0 }, { 100, 0 } },	/* a counter is 0, so the larger count of the LOST record is used */
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct image im = counted(rows[i].counters[0], rows[i].counters[1]);
		struct place at = place_of(&im);
		struct hd_profile *p = ingest(&at, plain);

		EXPECT_INT(p->events[0].lost, rows[i].lost[0]);
		EXPECT_INT(p->events[1].lost, rows[i].lost[1]);
		hd_profile_free(p);
		place_release(&at);
		hd_buf_release(&im.b);
	}
}

TEST(behind_main_may_stand_a_libc_without_symbols)
{
	struct image im = side_band();
	struct place at;
	struct hd_profile *p;

	/*
	 * The chains have main and an address without a symbol; another function and an address without a symbol; main
	 * and two such addresses.
	 */
	sample(&im,
		(struct taken){ 1, USER, 0x1010, 10, 10, 1 * SECOND, 0, 1, CHAIN(HD_CONTEXT_USER, 0x1010, 0x9000) });
	sample(&im,
		(struct taken){ 1, USER, 0x1110, 10, 10, 2 * SECOND, 0, 1, CHAIN(HD_CONTEXT_USER, 0x1110, 0x9000) });
	sample(&im,
		(struct taken){ 1, USER, 0x1010, 10, 10, 3 * SECOND, 0, 1,
			CHAIN(HD_CONTEXT_USER, 0x1010, 0x9000, 0x9100) });
	at = place_of(&im);
	p = ingest(&at, plain);
	EXPECT_INT(p->recording.with_stack, 3);
	EXPECT_INT(p->recording.root_reached, 1);
	/* No sample was taken in this libc, but it hides frames. */
	EXPECT_INT(p->recording.nobjects, 2);
	EXPECT_INT(p->recording.objects[0].unknown_frames, 0);
	EXPECT_INT(p->recording.objects[1].samples, 0);
	EXPECT_INT(p->recording.objects[1].unknown_frames, 4);
	EXPECT_INT(p->recording.unknown_frames, 4);
	hd_profile_free(p);
	place_release(&at);
	hd_buf_release(&im.b);
}

TEST(objects_are_listed_by_their_number_of_samples)
{
	struct image im = recording();
	struct place at = place_of(&im);
	struct hd_profile *p = ingest(&at, plain);
	const struct hd_recording *r = &p->recording;

	EXPECT_INT(r->nobjects, 3);
	EXPECT_STR(r->objects[0].name, "/tmp/perf-10.map");
	EXPECT_INT(r->objects[0].samples, 3);
	EXPECT_STR(r->objects[0].symbols, "symtab");
	EXPECT_STR(r->objects[1].name, "[kernel.kallsyms]");
	EXPECT(!r->objects[1].unknown);
	EXPECT_STR(r->objects[2].name, "[unknown]");
	EXPECT(r->objects[2].unknown);
	hd_profile_free(p);
	place_release(&at);
	hd_buf_release(&im.b);
}

TEST(without_symbols_nothing_is_opened_and_everything_is_counted)
{
	struct image im = recording();

	expect_folded(&im, (struct hd_pipeline_opts){ .no_symbols = true }, 0,
		      "app;[unknown];[unknown] 300\napp;[unknown];[unknown];[unknown]_[k] 400\ntool;[unknown] 800\n");
	hd_buf_release(&im.b);
}

TEST(samples_with_different_values_of_a_requested_key_are_different_rows)
{
	struct image im = recording();
	struct place at = place_of(&im);
	static const struct { unsigned keys; size_t rows; } cases[] = {
		{ 0, 4 }, { HD_KEY_PID, 4 }, { HD_KEY_TID, 5 }, { HD_KEY_CPU, 5 },
		{ HD_KEY_COMM | HD_KEY_PID | HD_KEY_TID | HD_KEY_CPU, 5 },
	};

	for (size_t i = 0; i < HD_COUNT(cases); i++) {
		struct hd_profile *p = ingest(&at, (struct hd_pipeline_opts){ .keys = cases[i].keys });
		const struct hd_sample_row *row = &p->rows.items[0];

		EXPECT_INT(p->rows.n, cases[i].rows);
		EXPECT_INT(row->pid, cases[i].keys & HD_KEY_PID ? 10 : 0);
		EXPECT_STR(hd_profile_str(p, row->comm), cases[i].keys & HD_KEY_COMM ? "app" : "");
		hd_profile_free(p);
	}
	place_release(&at);
	hd_buf_release(&im.b);
}

/* ---- the selection ---- */

TEST(samples_are_selected_by_who_ran_them_where_and_when)
{
	static const char app[] = "app;main;work 300\napp;main;work;[unknown]_[k] 400\n";

	expect_selected(SELECT(.pid = WORDS("10")), app);
	expect_selected(SELECT(.pid = WORDS("10", "20")),
		"app;main;work 300\napp;main;work;[unknown]_[k] 400\ntool;[unknown] 800\n");
	expect_selected(SELECT(.tid = WORDS("11")), "app;main;work 200\n");
	expect_selected(SELECT(.cpu = WORDS("1")), "app;main;work 200\ntool;[unknown] 800\n");
	expect_selected(SELECT(.comm = WORDS("tool")), "tool;[unknown] 800\n");
	expect_selected(SELECT(.comm = WORDS("app")), app);
	expect_selected(SELECT(.time = "2,4"), "app;main;work 200\napp;main;work;[unknown]_[k] 400\n");
	expect_selected(SELECT(.time = "2.000000001,"), "app;main;work;[unknown]_[k] 400\ntool;[unknown] 800\n");
	expect_selected(SELECT(.time = ",0.999999999"), "");
	expect_selected(SELECT(.pid = WORDS("10"), .cpu = WORDS("1"), .time = "3,"), "");
	expect_selected(SELECT(.pid = WORDS("4294967286")), "");	/* 4294967286 is not parsed as the pid -10 */
}

TEST(samples_are_selected_by_event)
{
	struct image im = recording();

	/* The first event of the profile is the first one that was selected. */
	expect_folded(&im, SELECT(.event = WORDS("cycles")), 0, "app;main;work;leaf 1\n");
	expect_folded(&im, SELECT(.event = WORDS("cpu-clock")), 0,
		"app;main;work 300\napp;main;work;[unknown]_[k] 400\ntool;[unknown] 800\n");
	expect_folded(&im, SELECT(.event = WORDS("cpu-clock")), 1, "");
	hd_buf_release(&im.b);
}

TEST(samples_are_selected_by_the_object_and_the_function_they_were_taken_in)
{
	expect_selected(SELECT(.symbol = WORDS("work")), "app;main;work 300\n");
	/* main is a caller of the sample, not its place */
	expect_selected(SELECT(.symbol = WORDS("main")), "");
	expect_selected(SELECT(.symbol = WORDS("[unknown]")), "app;main;work;[unknown]_[k] 400\ntool;[unknown] 800\n");
	expect_selected(SELECT(.dso = WORDS("perf-10.map")), "app;main;work 300\n");
	expect_selected(SELECT(.dso = WORDS("[kernel.kallsyms]")), "app;main;work;[unknown]_[k] 400\n");
	expect_selected(SELECT(.dso = WORDS("[unknown]")), "tool;[unknown] 800\n");
	expect_selected(SELECT(.dso = WORDS("[kernel.kallsyms]"), .symbol = WORDS("work")), "");
}

TEST(without_the_kernel_a_sample_counts_at_its_innermost_user_frame)
{
	struct image im = recording();

	sample(&im,
		(struct taken){ 1, KERNEL, KERNEL_IP, 20, 20, 6 * SECOND, 0, 1600,
			CHAIN(HD_CONTEXT_KERNEL, KERNEL_IP) });
	expect_folded(&im, SELECT(.no_kernel = true), 0, "app;main;work 700\ntool;[unknown] 800\n");
	expect_folded(&im, SELECT(.no_kernel = true, .symbol = WORDS("work")), 0, "app;main;work 700\n");
	hd_buf_release(&im.b);
}

TEST(addresses_after_the_kernels_mapping_belong_to_it_if_its_symbols_cover_them)
{
	static const char names[] =
		"ffffffff81000000 T _text\n"
		"ffffffff81000000 T _stext\n"
		"ffffffff81000010 T do_work\n"
		"ffffffff81000400 T _etext\n"
		"ffffffff83783b00 T start_kernel\n"
		"ffffffff83783c00 T after_it\n"
		"ffffffff83784000 B _end\n";
	struct image im = recording();
	struct place at;
	struct hd_profile *p;
	char *list, text[256] = "";
	uint32_t known = 0, bare = 0;

	/*
	 * The kernel mapping ends at 0xffffffff82000000.  The second address is after this end, and the third is in no
	 * symbol.
	 */
	sample(&im, (struct taken){ 1, KERNEL, KERNEL_IP, 20, 20, 6 * SECOND, 0, 10,
				    CHAIN(HD_CONTEXT_KERNEL, KERNEL_IP, 0xffffffff83783b40u, 0xfffffffff0000000u) });
	at = place_of(&im);
	list = put_file(at.dir, "kallsyms", names, sizeof(names) - 1);
	p = ingest(&at, (struct hd_pipeline_opts){ .kallsyms = list, .select = { .tid = WORDS("20") } });
	for (size_t i = 0; i < p->rows.n; i++) {
		for (hd_stack_id s = p->rows.items[i].stack; p->rows.items[i].weight == 10 && s.v;
			s = hd_stacks_caller(p->stacks, s)) {
			const struct hd_profile_symbol
				*y = &p->symbols[p->frames[hd_stacks_frame(p->stacks, s).v].symbol];

			strcat(strcat(text, y->unresolved ? "?" : hd_profile_str(p, y->name)), " ");
			known += y->object != 0 && p->objects[y->object].kernel;
			bare += !strcmp(hd_profile_str(p, p->objects[y->object].name), "[kernel]");
		}
	}
	EXPECT_STR(text, "do_work start_kernel ? ");
	EXPECT_INT(known, 3);
	EXPECT_INT(bare, 1);
	free(list);
	hd_profile_free(p);
	place_release(&at);
	hd_buf_release(&im.b);
}

TEST(an_event_that_was_not_recorded_is_reported_with_a_list_of_the_others)
{
	struct hd_pipeline_opts opts = SELECT(.event = WORDS("instructions"));
	struct image im = recording();
	struct place at = place_of(&im);
	struct hd_profile *p = NULL;
	struct hd_err err = { 0 };

	EXPECT_INT(hd_pipeline_read(&p, at.path, &opts, &err), HD_EFORMAT);
	EXPECT(strstr(err.msg, "has no event 'instructions'; it has cpu-clock, cycles") != NULL);
	hd_profile_free(p);
	place_release(&at);
	hd_buf_release(&im.b);
}

TEST(a_sample_may_count_1_instead_of_its_period)
{
	struct image im = recording();
	struct place at = place_of(&im);
	struct hd_profile *p = ingest(&at, SELECT(.weight = HD_WEIGHT_SAMPLES));

	EXPECT_STR(hd_profile_str(p, p->events[0].unit), "samples");
	EXPECT_INT(p->events[0].weight, 4);
	hd_profile_free(p);
	place_release(&at);
	expect_folded(&im, SELECT(.weight = HD_WEIGHT_SAMPLES), 0,
		"app;main;work 2\napp;main;work;[unknown]_[k] 1\ntool;[unknown] 1\n");
	hd_buf_release(&im.b);
}

TEST(samples_that_were_not_selected_are_counted)
{
	struct image im = recording();
	struct place at = place_of(&im);
	const struct { struct hd_selection select; uint64_t kept; } cases[] = {
		{ { .pid = WORDS("20") }, 1 }, { { .event = WORDS("cycles") }, 1 }, { { .symbol = WORDS("leaf") }, 1 },
		{ { .time = "1,3" }, 3 }, { { .comm = WORDS("app") }, 4 }, { { .dso = WORDS("none") }, 0 },
	};

	for (size_t i = 0; i < HD_COUNT(cases); i++) {
		struct hd_profile *p = ingest(&at, (struct hd_pipeline_opts){ .select = cases[i].select });

		EXPECT_INT(p->read, 5);
		EXPECT_INT(p->kept, cases[i].kept);
		EXPECT_INT(dropped(p, "not selected"), 5 - cases[i].kept);
		hd_profile_free(p);
	}
	place_release(&at);
	hd_buf_release(&im.b);
}

/* ---- names and maps through time ---- */

TEST(a_sample_has_the_name_that_its_thread_had_then_wherever_the_record_stands)
{
	struct image im = side_band();

	/* the record precedes the samples, but is valid only from its time on */
	comm(&im, 10, 10, "renamed", 3 * SECOND);
	five_samples(&im);
	expect_folded(&im, plain, 0, "app;main;work 300\nrenamed;main;work;[unknown]_[k] 400\ntool;[unknown] 800\n");
	hd_buf_release(&im.b);
}

TEST(a_forked_process_has_its_parents_maps_and_one_that_ran_before_only_its_own)
{
	struct image im = side_band();

	forked(&im, 0, 30, 10, 0);
	forked(&im, 1 << 13, 40, 10, 0);
	sample(&im,
		(struct taken){ 1, USER, 0x1110, 30, 30, 1 * SECOND, 0, 1, CHAIN(HD_CONTEXT_USER, 0x1110, 0x1010) });
	sample(&im,
		(struct taken){ 1, USER, 0x1110, 40, 40, 1 * SECOND, 0, 2, CHAIN(HD_CONTEXT_USER, 0x1110, 0x1010) });
	expect_folded(&im, plain, 0, "app;[unknown];[unknown] 2\napp;main;work 1\n");
	hd_buf_release(&im.b);
}

/* ---- damage ---- */

TEST(a_sample_of_an_id_that_no_event_has_is_dropped_and_said_so)
{
	struct image im = recording();
	struct place at;
	struct hd_profile *p;

	sample(&im, (struct taken){ 77, USER, 0x1110, 10, 10, 6 * SECOND, 0, 1000, NO_CHAIN });
	at = place_of(&im);
	p = ingest(&at, plain);
	EXPECT_INT(p->read, 6);
	EXPECT_INT(p->kept, 5);
	EXPECT_INT(dropped(p, "lost.sample-id"), 1);
	EXPECT_INT(logged(p, "lost.sample-id"), 1);
	hd_profile_free(p);
	place_release(&at);
	hd_buf_release(&im.b);
}

TEST(a_sample_whose_counts_lie_is_dropped_and_the_others_stay)
{
	struct image im = side_band();
	struct place at;
	struct hd_profile *p;
	size_t from = im.b.len;
	uint64_t much = UINT64_MAX / 8;

	sample(&im, (struct taken){ 1, USER, 0x1110, 10, 10, 6 * SECOND, 0, 1000, CHAIN(HD_CONTEXT_USER, 0x1110) });
	memcpy(im.b.data + from + 8 + 48, &much, 8);	/* the length of the chain */
	five_samples(&im);
	at = place_of(&im);
	p = ingest(&at, plain);
	EXPECT_INT(p->read, 6);
	EXPECT_INT(p->kept, 5);
	EXPECT_INT(dropped(p, "lost.sample-cut"), 1);
	EXPECT_INT(logged(p, "lost.sample-cut"), 1);
	EXPECT_INT(p->events[0].weight, 1500);
	hd_profile_free(p);
	place_release(&at);
	hd_buf_release(&im.b);
}

TEST(a_side_band_record_that_is_cut_costs_nothing_but_itself)
{
	struct image im = side_band();
	struct place at;
	struct hd_profile *p;
	size_t r = rec(&im, PERF_RECORD_COMM, 0);

	u32(&im, 10);
	end(&im, r);
	five_samples(&im);
	at = place_of(&im);
	p = ingest(&at, plain);
	EXPECT_INT(p->kept, 5);
	EXPECT_INT(logged(p, "lost.side-band"), 1);
	hd_profile_free(p);
	place_release(&at);
	hd_buf_release(&im.b);
}

TEST(a_chain_with_garbage_in_it_keeps_its_inner_part_and_is_counted)
{
	struct image im = side_band();
	struct place at;
	struct hd_profile *p;

	for (int i = 0; i < 3; i++)
		sample(&im, (struct taken){ 1, USER, 0x1210, 10, 10, SECOND, 0, 5,
					    CHAIN(HD_CONTEXT_USER, 0x1210, 0x1120, (uint64_t)-7, 0x1010) });
	at = place_of(&im);
	p = ingest(&at, plain);
	EXPECT_INT(p->kept, 3);
	EXPECT_INT(logged(p, "lost.chain"), 3);
	hd_profile_free(p);
	place_release(&at);
	expect_folded(&im, plain, 0, "app;work;leaf 15\n");
	hd_buf_release(&im.b);
}

TEST(callers_where_nothing_is_mapped_are_one_and_sampled_addresses_are_not)
{
	struct image im = side_band();
	struct place at;
	struct hd_profile *p;
	size_t nowhere = 0, addresses = 0;

	for (uint64_t i = 0; i < 100; i++)
		sample(&im,
			(struct taken){ 1, USER, 0x1210, 10, 10, SECOND, 0, 5,
				CHAIN(HD_CONTEXT_USER, 0x1210, 0x700000 + 16 * i, 0x1010) });
	for (uint64_t i = 0; i < 3; i++)
		sample(&im,
			(struct taken){ 1, USER, 0x800000 + i, 10, 10, SECOND, 0, 5,
				CHAIN(HD_CONTEXT_USER, 0x800000 + i) });
	at = place_of(&im);
	p = ingest(&at, plain);
	for (size_t i = 1; i < p->nsymbols; i++) {
		nowhere += p->symbols[i].unresolved && p->symbols[i].no_address;
		addresses += p->symbols[i].unresolved && !p->symbols[i].no_address;
	}
	EXPECT_INT(nowhere, 1);
	EXPECT_INT(addresses, 3);
	EXPECT_INT(hd_stacks_count(p->stacks), 1 + 3 + 3); /* the empty stack, main;[unknown];leaf, three addresses */
	EXPECT_INT(p->recording.unknown_frames, 100 + 3);
	hd_profile_free(p);
	place_release(&at);
	hd_buf_release(&im.b);
}

TEST(weights_that_would_not_fit_64_bits_are_dropped_before_they_wrap)
{
	struct image im = side_band();
	struct place at;
	struct hd_profile *p;
	static const uint64_t periods[] = { UINT64_MAX - 10, 6, 5, 4 };

	for (size_t i = 0; i < HD_COUNT(periods); i++)
		sample(&im, (struct taken){ 1, USER, 0x1110, 10, 10, SECOND, 0, periods[i], NO_CHAIN });
	at = place_of(&im);
	p = ingest(&at, plain);
	EXPECT(p->events[0].weight == UINT64_MAX);
	EXPECT_INT(p->kept, 3);
	EXPECT_INT(dropped(p, "lost.weight"), 1);
	EXPECT_INT(logged(p, "lost.weight"), 1);
	hd_profile_free(p);
	p = ingest(&at, SELECT(.weight = HD_WEIGHT_SAMPLES));
	EXPECT_INT(p->kept, 4);
	hd_profile_free(p);
	place_release(&at);
	hd_buf_release(&im.b);
}

TEST(a_file_cut_off_anywhere_is_read_as_far_as_it_goes)
{
	struct image im = recording();
	size_t whole = im.b.len, most = 0;

	for (size_t n = 0; n < whole; n += n < 400 ? 5 : 13) {
		struct hd_pipeline_opts opts = { .no_symbols = true }, strict = { .no_symbols = true, .strict = true };
		struct hd_profile *p;
		struct hd_err err;
		struct place at;
		int rc;

		im.b.len = n;
		at = place_of(&im);
		rc = hd_pipeline_read(&p, at.path, &opts, &err);
		EXPECT(rc == 0 || rc == HD_EFORMAT);
		if (rc == 0) {
			bool damaged = p->log.n > 0;

			for (size_t i = 0; i < p->log.n; i++)
				EXPECT(!strncmp(p->log.items[i].code, "lost.", 5));
			EXPECT(damaged || !p->recording.truncated);
			expect_sums(p);
			EXPECT(p->kept >= most);	/* if less is cut off, at least as many samples are read */
			most = p->kept;
			hd_profile_free(p);
			/*
			 * A recording from a pipe that is cut between two records looks complete,
			 * because nothing contains its length.
			 */
			rc = hd_pipeline_read(&p, at.path, &strict, &err);
			EXPECT_INT(rc, damaged ? HD_EFORMAT : 0);
			EXPECT(!damaged || strstr(err.msg, " (--strict)"));
		}
		hd_profile_free(p);
		place_release(&at);
	}
	EXPECT_INT(most, 4);
	hd_buf_release(&im.b);
}

TEST(a_file_mode_recording_that_was_never_finished_is_reported)
{
	struct image data = { 0 }, im;
	struct place at;
	struct hd_profile *p;
	struct hd_pipeline_opts strict = { .strict = true };
	struct hd_err err;
	uint64_t zero = 0;

	sample(&data, (struct taken){ 7, USER, 0x1110, 10, 10, SECOND, 0, 5, NO_CHAIN });
	sample(&data, (struct taken){ 7, USER, 0x1110, 10, 10, SECOND, 0, 6, NO_CHAIN });
	im = file_image(false, (struct attr){ .type = PERF_TYPE_SOFTWARE, .sample_type = FIELDS, .flags = ID_ALL },
		&data.b, NULL, 0);
	memcpy(im.b.data + 48, &zero, 8);	/* the size of the data, which perf writes at the end */
	at = place_of(&im);
	p = ingest(&at, plain);
	EXPECT_INT(p->kept, 2);
	EXPECT_INT(p->events[0].weight, 11);
	EXPECT(p->recording.truncated);
	EXPECT_STR(p->recording.mode, "file");
	EXPECT_INT(logged(p, "lost.unfinished"), 1);
	hd_profile_free(p);
	EXPECT_INT(hd_pipeline_read(&p, at.path, &strict, &err), HD_EFORMAT);
	hd_profile_free(p);
	place_release(&at);
	hd_buf_release(&data.b);
	hd_buf_release(&im.b);
}

/* ---- groups, and large recordings ---- */

TEST(a_sample_of_a_group_counts_for_every_counter_that_increased)
{
	enum { GROUP = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_READ };
	static const uint64_t values[][2] = { { 100, 5 }, { 300, 5 },
		{ 300, 5 } }; /* cumulated cycles and faults of each sample */
	struct attr a = {
		.type = PERF_TYPE_HARDWARE, .sample_type = GROUP, .read_format = PERF_FORMAT_ID | PERF_FORMAT_GROUP,
	};
	struct image im = pipe_image(false);
	struct place at;
	struct hd_profile *p;

	attr_record(&im, a, 1);
	a.type = PERF_TYPE_SOFTWARE;
	a.config = PERF_COUNT_SW_PAGE_FAULTS;
	attr_record(&im, a, 2);
	for (size_t i = 0; i < HD_COUNT(values); i++) {
		size_t r = rec(&im, PERF_RECORD_SAMPLE, USER);

		u64(&im, 1);
		u64(&im, 0x1110);
		u32(&im, 10);
		u32(&im, 10);
		u64(&im, 2);
		for (uint64_t k = 0; k < 2; k++) {
			u64(&im, values[i][k]);
			u64(&im, k + 1);
		}
		end(&im, r);
	}
	at = place_of(&im);
	p = ingest(&at, plain);
	EXPECT_INT(p->events[0].samples, 2);
	EXPECT_INT(p->events[0].weight, 300);
	EXPECT_INT(p->events[1].samples, 1);
	EXPECT_INT(p->events[1].weight, 5);
	EXPECT_INT(dropped(p, "counter did not move"), 1);
	hd_profile_free(p);
	place_release(&at);
	hd_buf_release(&im.b);
}

TEST(chains_that_outgrow_their_bound_are_resolved_in_between_and_nothing_changes)
{
	enum { SAMPLES = 1200, DEPTH = 900 };	/* more than a million different nodes */
	struct image im = side_band();
	uint64_t *chain = hd_new_array(uint64_t, DEPTH);

	for (uint64_t i = 0; i < SAMPLES; i++) {
		for (uint64_t k = 0; k < DEPTH; k++)
			chain[k] = (k ? 0x1001 : 0x1100) + (k == DEPTH - 1 ? i / 255 : i % 255);
		chain[DEPTH / 2] = 0x1101 + i % 97;
		sample(&im, (struct taken){ 1, USER, chain[0], 10, 10, SECOND, 0, i, .chain = chain, .n = DEPTH });
	}
	five_samples(&im);
	{
		struct place at = place_of(&im);
		struct hd_profile *p = ingest(&at, plain);

		EXPECT_INT(p->kept, SAMPLES + 5);
		EXPECT_INT(p->events[0].weight, SAMPLES * (SAMPLES - 1) / 2 + 1500);
		/* There are three functions for all addresses, so the deep chains become one stack. */
		EXPECT_INT(p->rows.n, 4 + 1);
		EXPECT(hd_stacks_count(p->stacks) < DEPTH + 20);
		hd_profile_free(p);
		place_release(&at);
	}
	free(chain);
	hd_buf_release(&im.b);
}

TEST_MAIN(RUN(samples_become_stacks_by_event_thread_name_and_function),
	  RUN(the_recording_is_described), RUN(a_loss_counts_once_for_the_event_whose_counter_has_it),
	  RUN(behind_main_may_stand_a_libc_without_symbols),
	  RUN(objects_are_listed_by_their_number_of_samples),
	  RUN(without_symbols_nothing_is_opened_and_everything_is_counted),
	  RUN(samples_with_different_values_of_a_requested_key_are_different_rows),
	  RUN(samples_are_selected_by_who_ran_them_where_and_when),
	  RUN(samples_are_selected_by_event),
	  RUN(samples_are_selected_by_the_object_and_the_function_they_were_taken_in),
	  RUN(without_the_kernel_a_sample_counts_at_its_innermost_user_frame),
	  RUN(addresses_after_the_kernels_mapping_belong_to_it_if_its_symbols_cover_them),
	  RUN(an_event_that_was_not_recorded_is_reported_with_a_list_of_the_others),
	  RUN(a_sample_may_count_1_instead_of_its_period),
	  RUN(samples_that_were_not_selected_are_counted),
	  RUN(a_sample_has_the_name_that_its_thread_had_then_wherever_the_record_stands),
	  RUN(a_forked_process_has_its_parents_maps_and_one_that_ran_before_only_its_own),
	  RUN(a_sample_of_an_id_that_no_event_has_is_dropped_and_said_so),
	  RUN(a_sample_whose_counts_lie_is_dropped_and_the_others_stay),
	  RUN(a_side_band_record_that_is_cut_costs_nothing_but_itself),
	  RUN(a_chain_with_garbage_in_it_keeps_its_inner_part_and_is_counted),
	  RUN(callers_where_nothing_is_mapped_are_one_and_sampled_addresses_are_not),
	  RUN(weights_that_would_not_fit_64_bits_are_dropped_before_they_wrap),
	  RUN(a_file_cut_off_anywhere_is_read_as_far_as_it_goes),
	  RUN(a_file_mode_recording_that_was_never_finished_is_reported),
	  RUN(a_sample_of_a_group_counts_for_every_counter_that_increased),
	  RUN(chains_that_outgrow_their_bound_are_resolved_in_between_and_nothing_changes))
