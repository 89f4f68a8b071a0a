/* TRACING_DATA: names and fields of tracepoints. */
#include "image.h"

#include "perfdata/tracepoint.h"

static const char format[] =
	"name: sched_switch\n"
	"ID: 316\n"
	"format:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n"
	"\n"
	"\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:1;\n"
	"\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n"
	"\tfield:__data_loc char[] path;\toffset:28;\tsize:4;\tsigned:1;\n"
	"\tfield:u64 runtime;\toffset:32;\tsize:8;\tsigned:0;\n"
	"\n"
	"print fmt: \"prev_comm=%s\", REC->prev_comm\n";

static void sized(struct image *im, const char *s)
{
	u64(im, strlen(s));
	put(im, s, strlen(s));
}

/* One system with one event, as `perf record -e sched:sched_switch` writes it. */
static struct image tracing_data(bool swap)
{
	struct image im = { .swap = swap };

	put(&im, "\x17\x08\x44tracing0.6", 14);
	put(&im, swap ? "\1\10" : "\0\10", 2);
	u32(&im, 4096);
	put(&im, "header_page", 12);
	sized(&im, "page");
	put(&im, "header_event", 13);
	sized(&im, "event");
	u32(&im, 0);
	u32(&im, 1);
	put(&im, "sched", 6);
	u32(&im, 1);
	sized(&im, format);
	return im;
}

/* Raw data of a sample. */
static struct image raw_data(bool swap)
{
	struct image im = { .swap = swap };

	u16(&im, 316);
	u16(&im, 0);
	u32(&im, 99);
	text(&im, "bash", 16);
	u32(&im, (uint32_t)-5);
	u32(&im, 6u << 16 | 40);	/* 6 bytes at 40 */
	u64(&im, UINT64_C(18446744073709551615));
	text(&im, "/tmp", 6);
	return im;
}

static const char *field(struct hd_tracepoints *tp, const struct image *raw, const char *name)
{
	static struct hd_buf out;

	hd_buf_release(&out);
	return hd_tracepoints_field(tp, 316, (const uint8_t *)raw->b.data, raw->b.len, name, &out) ?
	       hd_buf_str(&out) : NULL;
}

TEST(a_tracepoint_is_named_by_system_and_event)
{
	for (int swap = 0; swap < 2; swap++) {
		struct image im = tracing_data(swap);
		struct hd_tracepoints *tp;

		EXPECT_INT(hd_tracepoints_parse(&tp, (uint8_t *)im.b.data, im.b.len, &im.err), 0);
		EXPECT_INT(hd_tracepoints_count(tp), 1);
		EXPECT_STR(hd_tracepoints_name(tp, 316), "sched:sched_switch");
		EXPECT(!hd_tracepoints_name(tp, 317));
		hd_tracepoints_free(tp);
		release(&im);
	}
}

TEST(fields_are_text_numbers_signed_or_not_and_strings_in_place_or_behind)
{
	for (int swap = 0; swap < 2; swap++) {
		struct image im = tracing_data(swap), raw = raw_data(swap);
		struct hd_tracepoints *tp;

		EXPECT_INT(hd_tracepoints_parse(&tp, (uint8_t *)im.b.data, im.b.len, &im.err), 0);
		EXPECT_STR(field(tp, &raw, "common_pid"), "99");
		EXPECT_STR(field(tp, &raw, "prev_comm"), "bash");
		EXPECT_STR(field(tp, &raw, "prev_pid"), "-5");
		EXPECT_STR(field(tp, &raw, "path"), "/tmp");
		EXPECT_STR(field(tp, &raw, "runtime"), "18446744073709551615");
		EXPECT(!field(tp, &raw, "next_pid"));
		hd_tracepoints_free(tp);
		release(&im);
		release(&raw);
	}
}

TEST(a_field_outside_the_raw_data_is_no_field)
{
	struct image im = tracing_data(false), raw = raw_data(false);
	struct hd_tracepoints *tp;

	EXPECT_INT(hd_tracepoints_parse(&tp, (uint8_t *)im.b.data, im.b.len, &im.err), 0);
	raw.b.len = 44;			/* "path" ends at 46 */
	EXPECT(!field(tp, &raw, "path"));
	EXPECT(field(tp, &raw, "runtime"));
	raw.b.len = 39;
	EXPECT(!field(tp, &raw, "runtime"));
	EXPECT(field(tp, &raw, "prev_pid"));
	raw.b.len = 0;
	EXPECT(!field(tp, &raw, "common_pid"));
	hd_tracepoints_free(tp);
	release(&im);
	release(&raw);
}

TEST(data_cut_anywhere_keeps_what_came_before)
{
	struct image im = tracing_data(false);
	struct hd_tracepoints *tp;

	for (size_t n = 0; n < im.b.len; n++) {
		EXPECT_INT(hd_tracepoints_parse(&tp, (uint8_t *)im.b.data, n, &im.err), HD_EFORMAT);
		EXPECT_INT(hd_tracepoints_count(tp), 0);
		hd_tracepoints_free(tp);
	}
	EXPECT_STR(im.err.msg, "it is cut off after 0 events");
	release(&im);
}

TEST(the_name_reaches_the_attr_in_a_file_and_in_a_pipe)
{
	struct attr a = { .type = PERF_TYPE_TRACEPOINT, .config = 316, .sample_type = PERF_SAMPLE_IP };
	struct image td = tracing_data(false), round = { 0 }, im;
	size_t n, r;

	end(&round, rec(&round, HD_RT_FINISHED_ROUND, 0));
	im = file_image(false, a, &round.b, &(struct feature){ HD_FEAT_TRACING_DATA, &td.b }, 1);
	EXPECT_INT(open_image(&im), 0);
	EXPECT_STR(hd_perf_attrs(im.pf, &n)->name, "sched:sched_switch");
	EXPECT_INT(im.log.n, 0);
	release(&im);

	im = one_event(a);
	r = rec(&im, HD_RT_TRACING_DATA, 0);
	u32(&im, (uint32_t)td.b.len);
	end(&im, r);
	put(&im, td.b.data, td.b.len);
	text(&im, "", -td.b.len & 7);
	EXPECT_INT(open_image(&im), 0);
	walk(&im);
	EXPECT_STR(hd_perf_attrs(im.pf, &n)->name, "sched:sched_switch");
	EXPECT_INT(im.log.n, 0);
	release(&im);
	release(&td);
	release(&round);
}

TEST_MAIN(RUN(a_tracepoint_is_named_by_system_and_event),
	  RUN(fields_are_text_numbers_signed_or_not_and_strings_in_place_or_behind),
	  RUN(a_field_outside_the_raw_data_is_no_field),
	  RUN(data_cut_anywhere_keeps_what_came_before),
	  RUN(the_name_reaches_the_attr_in_a_file_and_in_a_pipe))
