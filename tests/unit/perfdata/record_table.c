/* record_table.c - read records that only describe the recording: their names, sizes and contents */
#include "synthetic_recording.h"

enum { TRAILER = PERF_SAMPLE_TID | PERF_SAMPLE_TIME };

static void trailer(struct image *im, uint32_t type)
{
	if (type >= HD_RT_USER_FIRST)
		return;
	u32(im, 10);
	u32(im, 10);
	u64(im, 1000);
}

/*
 * A number in the body of a record, at this offset and with this width in bytes.  All other bytes are 0.  A width of 0
 * ends a list.
 */
struct number {
	uint8_t at, width;
	uint64_t value;
};

struct known {
	uint32_t type;
	const char *name;
	uint16_t misc;
	size_t bytes;			/* size of its fields */
	struct number numbers[3];
	bool any;			/* the record may be shorter */
};

static const struct known kinds[] = {
	{ PERF_RECORD_THROTTLE, "THROTTLE", 0, 24, { { 0 } }, false },
	{ PERF_RECORD_UNTHROTTLE, "UNTHROTTLE", 0, 24, { { 0 } }, false },
	{ PERF_RECORD_READ, "READ", 0, 16, { { 0 } }, false },
	{ PERF_RECORD_AUX, "AUX", 0, 24, { { 0 } }, false },
	{ PERF_RECORD_ITRACE_START, "ITRACE_START", 0, 8, { { 0 } }, false },
	{ PERF_RECORD_LOST, "LOST", 0, 16, { { 0 } }, false },
	{ PERF_RECORD_LOST_SAMPLES, "LOST_SAMPLES", 0, 8, { { 0 } }, false },
	{ PERF_RECORD_SWITCH, "SWITCH", 0, 0, { { 0 } }, true },
	{ PERF_RECORD_SWITCH_CPU_WIDE, "SWITCH_CPU_WIDE", 0, 8, { { 0 } }, false },
	{ PERF_RECORD_BPF_EVENT, "BPF_EVENT", 0, 16, { { 0 } }, false },
	{ PERF_RECORD_CGROUP, "CGROUP", 0, 8, { { 0 } }, false },
	{ PERF_RECORD_TEXT_POKE, "TEXT_POKE", 0, 12 + 5 + 3, { { 8, 2, 5 }, { 10, 2, 3 } }, false },
	{ PERF_RECORD_AUX_OUTPUT_HW_ID, "AUX_OUTPUT_HW_ID", 0, 8, { { 0 } }, false },
	{ HD_RT_CALLCHAIN_DEFERRED, "CALLCHAIN_DEFERRED", 0, 16 + 24, { { 8, 8, 3 } }, false },
	{ HD_RT_ID_INDEX, "ID_INDEX", 0, 8 + 2 * 32, { { 0, 8, 2 } }, false },
	{ HD_RT_AUXTRACE_INFO, "AUXTRACE_INFO", 0, 8, { { 0 } }, false },
	{ HD_RT_AUXTRACE, "AUXTRACE", 0, 40, { { 0 } }, false },
	{ HD_RT_THREAD_MAP, "THREAD_MAP", 0, 8 + 2 * 24, { { 0, 8, 2 } }, false },
	{ HD_RT_CPU_MAP, "CPU_MAP", 0, 4 + 2 * 2, { { 2, 2, 2 } }, false },
	{ HD_RT_CPU_MAP, "CPU_MAP", 0, 6 + 2 * 4, { { 0, 2, 1 }, { 2, 2, 2 }, { 4, 2, 4 } }, false },
	{ HD_RT_CPU_MAP, "CPU_MAP", 0, 10 + 2 * 8, { { 0, 2, 1 }, { 2, 2, 2 }, { 4, 2, 8 } }, false },
	{ HD_RT_CPU_MAP, "CPU_MAP", 0, 8, { { 0, 2, 2 } }, false },
	{ HD_RT_STAT_CONFIG, "STAT_CONFIG", 0, 8 + 2 * 16, { { 0, 8, 2 } }, false },
	{ HD_RT_STAT, "STAT", 0, 40, { { 0 } }, false },
	{ HD_RT_STAT_ROUND, "STAT_ROUND", 0, 16, { { 0 } }, false },
	{ HD_RT_EVENT_UPDATE, "EVENT_UPDATE", 0, 16, { { 0 } }, false },
	{ HD_RT_TIME_CONV, "TIME_CONV", 0, 24, { { 0 } }, false },
	{ HD_RT_FINISHED_INIT, "FINISHED_INIT", 0, 0, { { 0 } }, true },
	{ HD_RT_FINISHED_ROUND, "FINISHED_ROUND", 0, 0, { { 0 } }, true },
	{ HD_RT_BPF_METADATA, "BPF_METADATA", 0, 520, { { 0 } }, false },
	{ HD_RT_SCHEDSTAT_CPU, "SCHEDSTAT_CPU", 0, 16, { { 0 } }, false },
	{ HD_RT_SCHEDSTAT_DOMAIN, "SCHEDSTAT_DOMAIN", 0, 16, { { 0 } }, false },
};

/* Append the record, with the first `bytes` bytes of its body. */
static void put_known(struct image *im, const struct known *k, size_t bytes)
{
	size_t r = rec(im, k->type, k->misc), body = im->b.len;

	text(im, "", bytes);
	for (size_t i = 0; i < 3 && k->numbers[i].width; i++) {
		struct image part = { .swap = im->swap };
		const struct number *n = &k->numbers[i];

		if (n->width == 2)
			u16(&part, (uint16_t)n->value);
		else if (n->width == 4)
			u32(&part, (uint32_t)n->value);
		else
			u64(&part, n->value);
		if (n->at + (size_t)n->width <= bytes)
			memcpy(im->b.data + body + n->at, part.b.data, n->width);
		hd_buf_release(&part.b);
	}
	trailer(im, k->type);
	end(im, r);
}

static struct image traced(bool swap)
{
	struct image im = pipe_image(swap);

	attr_record(&im, (struct attr){ .type = PERF_TYPE_SOFTWARE, .sample_type = TRAILER, .flags = ID_ALL }, 0);
	return im;
}

TEST(each_kind_has_a_name_and_is_counted_and_a_byte_less_than_its_fields_take_is_told)
{
	for (int swap = 0; swap < 2; swap++) {
		for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
			const struct known *k = &kinds[i];
			char want[64];

			for (size_t less = 0; less < (k->any ? 1 : 2); less++) {
				struct image im = traced(swap);
				const struct hd_record_count *counts;
				size_t n;

				put_known(&im, k, k->bytes - less);
				EXPECT_INT(open_image(&im), 0);
				EXPECT_INT(walk(&im), 2);
				EXPECT_STR(hd_record_type_name(k->type), k->name);
				counts = hd_perf_record_counts(im.pf, &n);
				EXPECT_INT(n, 2);
				EXPECT_INT(counts[k->type < HD_RT_ATTR ? 0 : 1].type, k->type);
				snprintf(want, sizeof(want), "t.data: %s record at 0xa0 (", k->name);
				if (less)
					EXPECT(strstr(warned(&im, "lost.record-body"), want) ==
						warned(&im, "lost.record-body"));
				else
					EXPECT_INT(im.log.n, 0);
				release(&im);
			}
		}
	}
}

TEST(the_trailer_of_a_record_is_none_of_its_fields)
{
	struct image im = pipe_image(false);
	size_t r;

	attr_record(&im, (struct attr){ .type = PERF_TYPE_SOFTWARE, .sample_type = TRAILER, .flags = ID_ALL }, 0);
	r = rec(&im, PERF_RECORD_AUX, 0);
	text(&im, "", 8 + 16);
	end(&im, r);
	EXPECT_INT(open_image(&im), 0);
	EXPECT_INT(walk(&im), 2);
	EXPECT_STR(warned(&im, "lost.record-body"), "t.data: AUX record at 0xa0 (32 bytes): too few for its fields");
	release(&im);
}

TEST(a_counter_read_at_the_end_is_as_wide_as_its_event_says)
{
	uint64_t formats = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING | PERF_FORMAT_ID |
		HD_FORMAT_LOST;

	for (size_t words = 4; words < 6; words++) {
		struct image im = pipe_image(words & 1);
		size_t r;

		attr_record(&im,
			(struct attr){ .type = PERF_TYPE_SOFTWARE,
				.sample_type = TRAILER,
				.read_format = formats,
				.flags = ID_ALL },
			0);
		r = rec(&im, PERF_RECORD_READ, 0);
		u32(&im, 10);
		u32(&im, 11);
		for (size_t i = 0; i < words; i++)
			u64(&im, i);
		trailer(&im, PERF_RECORD_READ);
		end(&im, r);
		EXPECT_INT(open_image(&im), 0);
		EXPECT_INT(walk(&im), 2);
		EXPECT_INT(im.log.n, words < 5);
		release(&im);
	}
}

TEST(context_switches_are_counted_where_a_task_is_left)
{
	struct image im = traced(false);
	static const struct { uint32_t type; uint16_t misc; } rows[] = {
		{ PERF_RECORD_SWITCH, PERF_RECORD_MISC_SWITCH_OUT },
		{ PERF_RECORD_SWITCH, 0 },
		{ PERF_RECORD_SWITCH, PERF_RECORD_MISC_SWITCH_OUT | PERF_RECORD_MISC_SWITCH_OUT_PREEMPT },
		{ PERF_RECORD_SWITCH_CPU_WIDE, 0 },
		{ PERF_RECORD_SWITCH_CPU_WIDE, PERF_RECORD_MISC_SWITCH_OUT },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		put_known(&im, &(struct known){ .type = rows[i].type, .misc = rows[i].misc },
			rows[i].type == PERF_RECORD_SWITCH ? 0 : 8);
	EXPECT_INT(open_image(&im), 0);
	walk(&im);
	EXPECT_INT(hd_perf_stats(im.pf)->switches, 3);
	EXPECT_INT(hd_perf_stats(im.pf)->preempted, 1);
	release(&im);
}

TEST(a_part_of_a_trace_that_was_lost_while_recording_is_told_with_why)
{
	static const struct { uint64_t flags; const char *why; } rows[] = {
		{ PERF_AUX_FLAG_TRUNCATED, "its buffer was full" }, { PERF_AUX_FLAG_PARTIAL, "it has gaps" },
		{ PERF_AUX_FLAG_COLLISION, "two samples of it collided" }, { PERF_AUX_FLAG_OVERWRITE, NULL },
		{ 0x100, NULL },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct image im = traced(i & 1);
		char want[160];

		put_known(&im, &(struct known){ .type = PERF_RECORD_AUX, .numbers = { { 16, 8, rows[i].flags } } }, 24);
		EXPECT_INT(open_image(&im), 0);
		walk(&im);
		snprintf(want, sizeof(want),
			"t.data: AUX record at 0xa0: a part of the hardware trace was lost while recording: %s",
			rows[i].why);
		EXPECT_STR(warned(&im, "lost.aux"), rows[i].why ? want : "");
		release(&im);
	}
}

TEST(an_error_of_decoding_is_told_in_its_own_words)
{
	for (uint32_t format = 0; format < 3; format++) {
		struct image im = traced(format & 1);
		size_t r = rec(&im, HD_RT_AUXTRACE_ERROR, 0);

		for (int i = 0; i < 5; i++)
			u32(&im, 1);
		u32(&im, format);
		u64(&im, 0x1000);
		if (format)
			u64(&im, 99);
		text(&im, "Overflow packet", 64);
		end(&im, r);
		EXPECT_INT(open_image(&im), 0);
		walk(&im);
		EXPECT_STR(warned(&im, "lost.aux"),
			"t.data: AUXTRACE_ERROR record at 0xa0: a part of the hardware trace could not be decoded: "
			"Overflow packet");
		release(&im);
	}
}

TEST(a_trace_is_told_by_the_hardware_that_made_it)
{
	static const struct { uint32_t type; const char *kind; } rows[] = {
		{ 1, "Intel PT" }, { 2, "Intel BTS" }, { 3, "ARM CoreSight ETM" }, { 4, "ARM SPE" },
		{ 5, "s390 CPU-MF" }, { 0, "" }, { 99, "" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct image im = traced(i & 1);
		const char *kind;

		put_known(&im, &(struct known){ .type = HD_RT_AUXTRACE_INFO, .numbers = { { 0, 4, rows[i].type } } },
			8);
		EXPECT_INT(open_image(&im), 0);
		walk(&im);
		kind = hd_perf_stats(im.pf)->aux_kind;
		EXPECT_STR(kind ? kind : "", rows[i].kind);
		release(&im);
	}
}

TEST(bpf_programs_are_counted_as_they_come_and_go)
{
	struct image im = traced(false);
	static const uint16_t what[] = { PERF_BPF_EVENT_PROG_LOAD, PERF_BPF_EVENT_PROG_LOAD, PERF_BPF_EVENT_PROG_UNLOAD,
		7 };

	for (size_t i = 0; i < sizeof(what) / sizeof(what[0]); i++)
		put_known(&im, &(struct known){ .type = PERF_RECORD_BPF_EVENT, .numbers = { { 0, 2, what[i] } } }, 16);
	EXPECT_INT(open_image(&im), 0);
	walk(&im);
	EXPECT_INT(hd_perf_stats(im.pf)->bpf_loaded, 2);
	EXPECT_INT(hd_perf_stats(im.pf)->bpf_unloaded, 1);
	release(&im);
}

TEST(samples_that_a_filter_took_out_are_not_lost)
{
	for (int bpf = 0; bpf < 2; bpf++) {
		struct image im = traced(false);

		put_known(&im,
			&(struct known){ .type = PERF_RECORD_LOST_SAMPLES,
				.misc = bpf ? HD_MISC_LOST_SAMPLES_BPF : 0,
				.numbers = { { 0, 8, 5 } } },
			8);
		EXPECT_INT(open_image(&im), 0);
		walk(&im);
		EXPECT_INT(hd_perf_stats(im.pf)->lost_samples, bpf ? 0 : 5);
		EXPECT_INT(hd_perf_stats(im.pf)->filtered_samples, bpf ? 5 : 0);
		EXPECT_INT(im.log.n, !bpf);
		release(&im);
	}
}

TEST(a_list_of_bpf_programs_or_their_types_that_is_cut_off_is_told)
{
	for (size_t cut = 0; cut < 2; cut++) {
		struct image programs = { 0 }, types = { 0 }, data = { 0 }, im;

		end(&data, rec(&data, HD_RT_FINISHED_ROUND, 0));
		u32(&programs, 1);
		u32(&programs, 8);
		u32(&programs, 4);
		u64(&programs, 0);
		text(&programs, "", 12 - cut);
		u32(&types, 1);
		u32(&types, 77);
		u32(&types, 16);
		text(&types, "", 16 - cut);
		im = file_image(false, (struct attr){ .sample_type = TRAILER }, &data.b,
			(struct feature[]){ { HD_FEAT_BPF_PROG_INFO, &programs.b }, { HD_FEAT_BPF_BTF, &types.b } }, 2);
		EXPECT_INT(open_image(&im), 0);
		if (cut)
			EXPECT_INT(hd_log_find(&im.log, "lost.feature")->count, 2);
		else
			EXPECT_INT(im.log.n, 0);
		release(&im);
		hd_buf_release(&programs.b);
		hd_buf_release(&types.b);
		hd_buf_release(&data.b);
	}
}

TEST_MAIN(RUN(each_kind_has_a_name_and_is_counted_and_a_byte_less_than_its_fields_take_is_told),
	  RUN(the_trailer_of_a_record_is_none_of_its_fields),
	  RUN(a_counter_read_at_the_end_is_as_wide_as_its_event_says),
	  RUN(context_switches_are_counted_where_a_task_is_left),
	  RUN(a_part_of_a_trace_that_was_lost_while_recording_is_told_with_why),
	  RUN(an_error_of_decoding_is_told_in_its_own_words),
	  RUN(a_trace_is_told_by_the_hardware_that_made_it),
	  RUN(bpf_programs_are_counted_as_they_come_and_go),
	  RUN(samples_that_a_filter_took_out_are_not_lost),
	  RUN(a_list_of_bpf_programs_or_their_types_that_is_cut_off_is_told))
