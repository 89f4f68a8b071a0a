/* tracepoint.c - read the names and fields of tracepoints from TRACING_DATA */
#include "synthetic_recording.h"

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

/* Return tracing data with one system and one event, as `perf record -e sched:sched_switch` writes it. */
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

/* Return the raw data of a sample of sched_switch. */
static struct image raw_data(bool swap)
{
	struct image im = { .swap = swap };

	u16(&im, 316);
	u16(&im, 0);
	u32(&im, 99);
	text(&im, "bash", 16);
	u32(&im, (uint32_t)-5);
	u32(&im, 6u << 16 | 40);	/* a dynamic field: 6 bytes at offset 40 */
	u64(&im, UINT64_C(18446744073709551615));
	text(&im, "/tmp", 6);
	return im;
}

static const char *field(struct hd_tracepoints *tp, const struct image *raw, const char *name)
{
	const struct hd_tracefield *f = hd_tracepoints_find(tp, 316, name);
	struct hd_tracevalue v;
	static struct hd_buf out;

	hd_buf_release(&out);
	if (!f || !hd_tracefield_get(f, (const uint8_t *)raw->b.data, raw->b.len, &v))
		return NULL;
	hd_tracefield_text(f, &v, &out);
	return hd_buf_str(&out);
}

TEST(a_tracepoint_is_named_by_system_and_event)
{
	for (int swap = 0; swap < 2; swap++) {
		struct image im = tracing_data(swap);
		struct hd_tracepoints *tp;

		EXPECT_INT(hd_tracepoints_parse(&tp, (uint8_t *)im.b.data, im.b.len, &im.err), 0);
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
		EXPECT(!hd_tracepoints_name(tp, 316));
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

enum { SP_SPLIT = 32772, SP_SPLIT_END = 32773, SP_TRACING_DATA = 32777 };

/*
 * Read tracing data that is inside of the record, as simpleperf stores it.  cut: the record is so long that it is
 * divided into two records.
 */
static void expect_inside(uint32_t type, bool cut)
{
	struct attr a = { .type = PERF_TYPE_TRACEPOINT, .config = 316, .sample_type = PERF_SAMPLE_IP };
	struct image td = tracing_data(false), whole = { 0 }, im = one_event(a);
	struct hd_tracepoints *tp = NULL;
	size_t n, r, half = td.b.len / 2;

	r = rec(&whole, type, 0);
	u32(&whole, (uint32_t)td.b.len);
	put(&whole, td.b.data, td.b.len);
	end(&whole, r);
	if (cut) {
		r = rec(&im, SP_SPLIT, 0);
		put(&im, whole.b.data, half);
		end(&im, r);
		r = rec(&im, SP_SPLIT, 0);
		put(&im, whole.b.data + half, whole.b.len - half);
		end(&im, r);
		end(&im, rec(&im, SP_SPLIT_END, 0));
	} else {
		put(&im, whole.b.data, whole.b.len);
	}
	EXPECT_INT(open_image(&im), 0);
	walk(&im);
	EXPECT_STR(hd_perf_attrs(im.pf, &n)->name, "sched:sched_switch");
	EXPECT_INT(hd_tracepoints_open(&tp, im.pf, &im.err), 0);
	EXPECT(hd_tracepoints_find(tp, 316, "prev_comm"));
	EXPECT_INT(im.log.n, 0);
	hd_tracepoints_free(tp);
	release(&im);
	release(&td);
	release(&whole);
}

TEST(simpleperf_keeps_the_data_inside_of_its_record)
{
	expect_inside(HD_RT_TRACING_DATA, false);
	expect_inside(SP_TRACING_DATA, false);
	expect_inside(SP_TRACING_DATA, true);
	expect_inside(HD_RT_TRACING_DATA, true);
}

/*
 * Expect that the attr gets the name `name` if simpleperf's META_INFO has this text.  warning: a part of the expected
 * warning; "": not checked.
 */
static void expect_meta(struct attr a, const char *text, size_t len, const char *name, const char *warning)
{
	struct image meta = { 0 }, round = { 0 }, im;
	size_t n;

	put(&meta, text, len);
	end(&round, rec(&round, HD_RT_FINISHED_ROUND, 0));
	im = file_image(false, a, &round.b, &(struct feature){ HD_FEAT_SP_META_INFO, &meta.b }, 1);
	EXPECT_INT(open_image(&im), 0);
	EXPECT_STR(hd_perf_attrs(im.pf, &n)->name, name);
	EXPECT(strstr(warned(&im, "lost.feature"), warning));
	release(&im);
	release(&meta);
	release(&round);
}

#define META(a, text, name, warning) expect_meta(a, text, sizeof(text) - 1, name, warning)

TEST(simpleperfs_list_of_event_types_names_what_the_kernel_has_no_name_for)
{
	const struct attr tracepoint = { .type = PERF_TYPE_TRACEPOINT, .config = 47 }, etm = { .type = 8 },
			  cycles = { .config = 0 };
	static const char bad[] = "event_type_info\0sched:sched_switch,2,47";

	META(tracepoint, "arch\0arm64\0event_type_info\0cpu-cycles,0,0\nsched:sched_switch,2,47\0",
		"sched:sched_switch", "");
	META(etm, "event_type_info\0cs-etm,8,0\0", "cs-etm", "");
	/* perf's own name of a generic event is kept. */
	META(cycles, "event_type_info\0cpu-cycles,0,0\0", "cycles", "");
	META(tracepoint, "event_type_info\0sched:sched_switch,2,48\n,2,47\nx,2\nx\n,\n\n\0", "tracepoint-47", "");
	expect_meta(tracepoint, bad, sizeof(bad) - 1, "tracepoint-47", "its text is cut off");
}

TEST_MAIN(RUN(simpleperf_keeps_the_data_inside_of_its_record),
	  RUN(simpleperfs_list_of_event_types_names_what_the_kernel_has_no_name_for),
	  RUN(a_tracepoint_is_named_by_system_and_event),
	  RUN(fields_are_text_numbers_signed_or_not_and_strings_in_place_or_behind),
	  RUN(a_field_outside_the_raw_data_is_no_field),
	  RUN(data_cut_anywhere_keeps_what_came_before),
	  RUN(the_name_reaches_the_attr_in_a_file_and_in_a_pipe))
