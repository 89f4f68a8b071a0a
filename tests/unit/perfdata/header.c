/* header.c - open a file: detect whether it is a recording, and read its byte order, events and features */
#include "synthetic_recording.h"

#define IP_TID (PERF_SAMPLE_IP | PERF_SAMPLE_TID)

static const struct attr cycles = { 0, 0, 1000, IP_TID, 0, ID_ALL, 0, 0, 0, 0 };

static struct image bytes(const void *p, size_t n)
{
	struct image im = { 0 };

	put(&im, p, n);
	return im;
}

TEST(a_file_of_another_kind_is_named_by_its_first_bytes)
{
	struct image im = bytes("{\"hello\":1}", 11);

	EXPECT_INT(open_image(&im), HD_EFORMAT);
	EXPECT_STR(im.err.msg, "t.data: not a perf.data file (starts with \"{\"hello\"\")");
	release(&im);
	im = bytes("\177ELF\2\1\1\0", 8);
	EXPECT_INT(open_image(&im), HD_EFORMAT);
	EXPECT_STR(im.err.msg, "t.data: not a perf.data file (starts with the bytes 7f 45 4c 46 02 01 01 00)");
	release(&im);
}

TEST(an_empty_file_says_so)
{
	struct image im = bytes("", 0);

	EXPECT_INT(open_image(&im), HD_EFORMAT);
	EXPECT_STR(im.err.msg, "t.data: not a perf.data file (it is empty)");
	release(&im);
}

TEST(a_header_that_is_cut_off_tells_where)
{
	struct image im = bytes("PERFILE2", 8);
	static const uint8_t file_header[] = { 'P', 'E', 'R', 'F', 'I', 'L', 'E', '2', 104, 0, 0, 0, 0, 0, 0, 0, 152 };

	EXPECT_INT(open_image(&im), HD_EFORMAT);
	EXPECT_STR(im.err.msg, "t.data: cut off inside its header, after 8 bytes");
	release(&im);
	im = bytes(file_header, sizeof(file_header));
	EXPECT_INT(open_image(&im), HD_EFORMAT);
	EXPECT_STR(im.err.msg, "t.data: cut off inside its header, after 17 bytes");
	release(&im);
}

TEST(a_header_of_an_impossible_size_is_refused)
{
	static const uint8_t header[104] = { 'P', 'E', 'R', 'F', 'I', 'L', 'E', '2', 80 };
	struct image im = bytes(header, sizeof(header));

	EXPECT_INT(open_image(&im), HD_EFORMAT);
	EXPECT_STR(im.err.msg, "t.data: header: a size of 80 bytes is impossible");
	release(&im);
}

TEST(sixteen_bytes_of_header_are_a_pipe)
{
	struct image im = pipe_image(false);

	EXPECT_INT(open_image(&im), 0);
	EXPECT(hd_perf_file(im.pf)->pipe);
	EXPECT_INT(walk(&im), 0);
	EXPECT(!hd_perf_file(im.pf)->truncated);
	release(&im);
}

TEST(an_attr_reads_the_same_in_both_byte_orders)
{
	struct attr a = { 1, 2, 4000, PERF_SAMPLE_IP | PERF_SAMPLE_TIME, PERF_FORMAT_ID,
			  FLAG(HD_ATTR_FREQ) | FLAG(HD_ATTR_EXCLUDE_KERNEL) | FLAG(HD_ATTR_EXCLUDE_HV) |
			  FLAG(HD_ATTR_PRECISE + 1) | ID_ALL, 1u << 17, 0xff0fff, 0x3, 8192 };

	for (int swap = 0; swap < 2; swap++) {
		struct image im = file_image(swap, a, &(struct hd_buf){ 0 }, NULL, 0);
		const struct hd_perf_attr *got;
		size_t n;

		EXPECT_INT(open_image(&im), 0);
		got = hd_perf_attrs(im.pf, &n);
		EXPECT_INT(n, 1);
		EXPECT_INT(got->type, 1);
		EXPECT_INT(got->config, 2);
		EXPECT_INT(got->period_or_freq, 4000);
		EXPECT(got->freq && got->exclude_kernel && got->exclude_hv && got->sample_id_all);
		EXPECT(!got->exclude_user && !got->exclude_guest && !got->exclude_host);
		EXPECT_INT(got->precise, 2);
		EXPECT_INT(got->read_format, PERF_FORMAT_ID);
		EXPECT_INT(got->branch_type, 1u << 17);
		EXPECT_INT(got->regs_user, 0xff0fff);
		EXPECT_INT(got->regs_intr, 0x3);
		EXPECT_INT(got->stack_user, 8192);
		EXPECT_INT(got->nids, 1);
		EXPECT_INT(got->ids[0], 7);
		EXPECT_STR(got->name, "page-faults:upp");
		EXPECT_INT(hd_perf_file(im.pf)->swap, swap);
		EXPECT(hd_perf_file(im.pf)->has_time && hd_perf_file(im.pf)->side_time);
		release(&im);
	}
}

/* Old versions of perf write an attr of 64 bytes in an entry of 80 bytes; the missing fields are read as 0. */
TEST(a_short_attr_of_an_old_recording_is_read)
{
	struct image im = { 0 };
	const struct hd_perf_attr *got;
	size_t n;

	put(&im, "PERFFILE", 8);
	u64(&im, 72);			/* size of the header, which has no features yet */
	u64(&im, 80);
	u64(&im, 72);
	u64(&im, 80);
	u64(&im, 152);
	u64(&im, 0);
	u64(&im, 0);
	u64(&im, 0);
	u32(&im, 0);			/* cycles */
	u32(&im, 64);
	u64(&im, 0);
	u64(&im, 500);
	u64(&im, PERF_SAMPLE_IP);
	text(&im, "", 64 - 32);
	u64(&im, 0);
	u64(&im, 0);
	EXPECT_INT(open_image(&im), 0);
	got = hd_perf_attrs(im.pf, &n);
	EXPECT_INT(n, 1);
	EXPECT_STR(got->name, "cycles");
	EXPECT_INT(got->period_or_freq, 500);
	EXPECT_INT(got->regs_user, 0);
	release(&im);
}

TEST(attr_entries_that_hold_nothing_are_refused_with_their_place)
{
	struct image im = file_image(false, cycles, &(struct hd_buf){ 0 }, NULL, 0);

	memset(im.b.data + 24, 0xff, 8);	/* offset of the attrs, far outside of the file */
	EXPECT_INT(open_image(&im), HD_EFORMAT);
	EXPECT_STR(im.err.msg, "t.data: header: the attr section at 0xffffffffffffffff (152 bytes) holds no event");
	release(&im);
	im = file_image(false, cycles, &(struct hd_buf){ 0 }, NULL, 0);
	im.b.data[16] = 0;			/* an entry of 0 bytes */
	EXPECT_INT(open_image(&im), HD_EFORMAT);
	EXPECT_STR(im.err.msg, "t.data: header: invalid attr entry of 0 bytes");
	release(&im);
}

TEST(ids_outside_the_file_cost_only_the_ids)
{
	struct image im = file_image(false, cycles, &(struct hd_buf){ 0 }, NULL, 0);
	size_t n;

	memset(im.b.data + 248, 0x7f, 7);	/* size of the ids */
	EXPECT_INT(open_image(&im), 0);
	EXPECT_INT(hd_perf_attrs(im.pf, &n)->nids, 0);
	EXPECT_STR(warned(&im, "lost.attr-ids"),
		   "t.data: ids of event 0 at 0x100 (35887507618889599 bytes): they are outside the file");
	release(&im);
}

static void feature_text(struct image *im, const char *s)
{
	u32(im, 16);
	text(im, s, 16);
}

TEST(features_become_text)
{
	for (int swap = 0; swap < 2; swap++) {
		struct image host = { .swap = swap }, cpus = { .swap = swap }, mem = { .swap = swap };
		struct image cmd = { .swap = swap }, when = { .swap = swap }, clock = { .swap = swap };
		const struct hd_perf_header *h;
		struct image im;

		feature_text(&host, "box");
		u32(&cpus, 8);
		u32(&cpus, 6);
		u64(&mem, 4096);
		u32(&cmd, 2);
		feature_text(&cmd, "perf");
		feature_text(&cmd, "record");
		u64(&when, 100);
		u64(&when, 200);
		u32(&clock, 1);
		u32(&clock, 1);
		u64(&clock, UINT64_C(2000000005));
		u64(&clock, UINT64_C(1000000007));
		im = file_image(swap, cycles, &(struct hd_buf){ 0 }, (struct feature[]){
			{ HD_FEAT_HOSTNAME, &host.b }, { HD_FEAT_NRCPUS, &cpus.b }, { HD_FEAT_TOTAL_MEM, &mem.b },
			{ HD_FEAT_CMDLINE, &cmd.b }, { HD_FEAT_SAMPLE_TIME, &when.b }, { HD_FEAT_CLOCK_DATA, &clock.b },
			{ 200, &host.b },	/* a feature of hiperf, which is skipped */
		}, 7);
		/* Without data the recording is incomplete, so its features are ignored. */
		EXPECT_INT(open_image(&im), 0);
		EXPECT(!hd_perf_header(im.pf)->hostname);
		release(&im);

		im = (struct image){ .swap = swap };
		end(&im, rec(&im, HD_RT_FINISHED_ROUND, 0));
		struct hd_buf data = im.b;
		im = file_image(swap, cycles, &data, (struct feature[]){
			{ HD_FEAT_HOSTNAME, &host.b }, { HD_FEAT_NRCPUS, &cpus.b }, { HD_FEAT_TOTAL_MEM, &mem.b },
			{ HD_FEAT_CMDLINE, &cmd.b }, { HD_FEAT_SAMPLE_TIME, &when.b }, { HD_FEAT_CLOCK_DATA, &clock.b },
			{ 200, &host.b },
		}, 7);
		EXPECT_INT(open_image(&im), 0);
		h = hd_perf_header(im.pf);
		EXPECT_STR(h->hostname, "box");
		EXPECT_INT(h->nrcpus_avail, 8);
		EXPECT_INT(h->nrcpus_online, 6);
		EXPECT_INT(h->total_mem_kib, 4096);
		EXPECT_INT(h->ncmdline, 2);
		EXPECT_STR(h->cmdline[0], "perf");
		EXPECT_STR(h->cmdline[1], "record");
		EXPECT_INT(h->sample_time_first_ns, 100);
		EXPECT_INT(h->sample_time_last_ns, 200);
		EXPECT_STR(h->clock_data, "monotonic 1.000000007 = realtime 2.000000005");
		EXPECT_INT(im.log.n, 0);
		release(&im);
		hd_buf_release(&data);
		hd_buf_release(&host.b);
		hd_buf_release(&cpus.b);
		hd_buf_release(&mem.b);
		hd_buf_release(&cmd.b);
		hd_buf_release(&when.b);
		hd_buf_release(&clock.b);
	}
}

static struct image with_feature(unsigned int bit, const struct hd_buf *section)
{
	struct image round = { 0 }, im;

	end(&round, rec(&round, HD_RT_FINISHED_ROUND, 0));
	im = file_image(false, cycles, &round.b, &(struct feature){ bit, section }, 1);
	hd_buf_release(&round.b);
	return im;
}

TEST(a_feature_with_an_impossible_count_is_named_and_skipped)
{
	struct image cmd = { 0 }, im;

	u32(&cmd, 0x7fffffff);
	feature_text(&cmd, "perf");
	im = with_feature(HD_FEAT_CMDLINE, &cmd.b);
	EXPECT_INT(open_image(&im), 0);
	EXPECT_INT(hd_perf_header(im.pf)->ncmdline, 0);
	EXPECT_STR(warned(&im, "lost.feature"),
		   "t.data: header feature CMDLINE at 0x120 (24 bytes): 2147483647 arguments do not fit in it");
	release(&im);
	hd_buf_release(&cmd.b);
}

TEST(a_feature_too_short_for_a_length_is_no_empty_text)
{
	struct image host = { 0 }, im;

	u16(&host, 3);
	im = with_feature(HD_FEAT_HOSTNAME, &host.b);
	EXPECT_INT(open_image(&im), 0);
	EXPECT(!hd_perf_header(im.pf)->hostname);
	EXPECT_STR(warned(&im, "lost.feature"),
		"t.data: header feature HOSTNAME at 0x120 (2 bytes): its text is cut off");
	release(&im);
	hd_buf_release(&host.b);
}

TEST(a_text_feature_of_no_bytes_is_not_known_and_no_damage)
{
	struct hd_buf nothing = { 0 };
	struct image im = with_feature(HD_FEAT_CPUDESC, &nothing);

	EXPECT_INT(open_image(&im), 0);
	EXPECT(!hd_perf_header(im.pf)->cpudesc);
	EXPECT_INT(im.log.n, 0);
	release(&im);
}

TEST(a_feature_outside_the_file_is_named_and_skipped)
{
	struct image host = { 0 }, im;

	feature_text(&host, "box");
	im = with_feature(HD_FEAT_HOSTNAME, &host.b);
	im.b.data[DATA_AT + 8 + 7] = 0x40;	/* the offset's top byte */
	EXPECT_INT(open_image(&im), 0);
	EXPECT_STR(warned(&im, "lost.feature"),
		   "t.data: header feature HOSTNAME at 0x4000000000000120 (20 bytes): it lies outside the file");
	release(&im);
	hd_buf_release(&host.b);
}

TEST(a_feature_table_that_is_cut_off_counts_its_rows)
{
	struct image host = { 0 }, im;

	feature_text(&host, "box");
	im = with_feature(HD_FEAT_HOSTNAME, &host.b);
	im.b.len = DATA_AT + 8 + 10;
	EXPECT_INT(open_image(&im), 0);
	EXPECT_STR(warned(&im, "lost.feature"), "t.data: the table of header features at 0x110 has 0 of 1 rows");
	release(&im);
	hd_buf_release(&host.b);
}

TEST(hiperf_writes_the_command_line_as_one_string)
{
	struct image cmd = { 0 }, im;

	feature_text(&cmd, "hiperf record");
	im = with_feature(HD_FEAT_CMDLINE, &cmd.b);
	EXPECT_INT(open_image(&im), 0);
	EXPECT_INT(hd_perf_header(im.pf)->ncmdline, 1);
	EXPECT_STR(hd_perf_header(im.pf)->cmdline[0], "hiperf record");
	release(&im);
	hd_buf_release(&cmd.b);
}

TEST(event_desc_names_the_event_and_the_name_is_not_made)
{
	struct image desc = { 0 }, im;
	size_t n;

	u32(&desc, 1);
	u32(&desc, 136);
	put_attr(&desc, cycles);
	u32(&desc, 1);
	feature_text(&desc, "cpu_core/cycles/");
	u64(&desc, 7);
	im = with_feature(HD_FEAT_EVENT_DESC, &desc.b);
	EXPECT_INT(open_image(&im), 0);
	EXPECT_STR(hd_perf_attrs(im.pf, &n)->name, "cpu_core/cycles/");
	EXPECT(!hd_perf_attrs(im.pf, &n)->name_made);
	release(&im);
	hd_buf_release(&desc.b);
}

static void build_id_row(struct image *im, uint16_t misc, uint8_t len, const char *name)
{
	size_t r = rec(im, HD_RT_BUILD_ID, misc);

	u32(im, (uint32_t)-1);
	text(im, "\xab\xcd\xef\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d", 20);
	put(im, &len, 1);
	text(im, "", 3);
	text(im, name, 16);
	end(im, r);
}

TEST(the_build_id_table_is_read_row_by_row)
{
	struct image rows = { 0 }, im;
	const struct hd_perf_build_id *got;
	size_t n;

	build_id_row(&rows, 1, 0, "[kernel]");
	build_id_row(&rows, 2 | HD_MISC_BUILD_ID_SIZE, 8, "/bin/sh");
	im = with_feature(HD_FEAT_BUILD_ID, &rows.b);
	EXPECT_INT(open_image(&im), 0);
	got = hd_perf_build_ids(im.pf, &n);
	EXPECT_INT(n, 2);
	EXPECT_STR(got[0].name, "[kernel]");
	EXPECT_INT(got[0].pid, -1);
	EXPECT_INT(got[0].id.len, 16);		/* 20 bytes, of which the last four are 0 */
	EXPECT_MEM(got[0].id.bytes, "\xab\xcd\xef\x01", 4);
	EXPECT_STR(got[1].name, "/bin/sh");
	EXPECT_INT(got[1].id.len, 8);
	EXPECT_INT(got[1].misc & PERF_RECORD_MISC_CPUMODE_MASK, PERF_RECORD_MISC_USER);
	release(&im);
	hd_buf_release(&rows.b);
}

TEST(a_table_of_event_types_names_old_recordings)
{
	struct image im = pipe_image(false);
	const struct hd_perf_attr *a;
	size_t n, r;

	/* The first two attrs and event types all have config 0, so each attr gets the name that matches its type. */
	attr_record(&im, (struct attr){ .type = 0, .sample_type = IP_TID }, 1);
	attr_record(&im, (struct attr){ .type = 1, .sample_type = IP_TID }, 2);
	attr_record(&im, (struct attr){ .type = 4, .config = 0x1c2, .sample_type = IP_TID }, 3);
	r = rec(&im, HD_RT_EVENT_TYPE, 0);
	u64(&im, 0);
	text(&im, "cpu-clock", 64);
	end(&im, r);
	r = rec(&im, HD_RT_EVENT_TYPE, 0);
	u64(&im, 0);
	text(&im, "cycles", 64);
	end(&im, r);
	r = rec(&im, HD_RT_EVENT_TYPE, 0);
	u64(&im, 0x1c2);
	text(&im, "uops_retired", 64);
	end(&im, r);
	EXPECT_INT(open_image(&im), 0);
	walk(&im);
	a = hd_perf_attrs(im.pf, &n);
	EXPECT_INT(n, 3);
	EXPECT_STR(a[0].name, "cycles");
	EXPECT_STR(a[1].name, "cpu-clock");
	EXPECT_STR(a[2].name, "uops_retired");
	release(&im);
}

TEST(names_are_made_from_the_attr_when_nothing_tells_them)
{
	static const struct { struct attr a; const char *name, *unit;
	} want[] = {
		{ { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }, "cycles", "cycles" },
		/* events of the two kinds of cores of a hybrid machine, which must stay separate */
		{ { 0, UINT64_C(4) << 32, 0, 0, 0, 0, 0, 0, 0, 0 }, "pmu4/cycles/", "cycles" },
		{ { 0, UINT64_C(10) << 32, 0, 0, 0, FLAG(HD_ATTR_EXCLUDE_KERNEL) | FLAG(HD_ATTR_EXCLUDE_HV), 0, 0, 0,
			  0 },
			"pmu10/cycles/u", "cycles" },
		{ { 3, UINT64_C(10) << 32 | 0x10002, 0, 0, 0, 0, 0, 0, 0, 0 }, "pmu10/LLC-load-misses/", "events" },
		{ { 0, 1, 0, 0, 0, FLAG(HD_ATTR_EXCLUDE_KERNEL) | FLAG(HD_ATTR_EXCLUDE_HV), 0, 0, 0, 0 },
			"instructions:u", "instructions" },
		{ { 1, 0, 0, 0, 0, FLAG(HD_ATTR_EXCLUDE_USER) | FLAG(HD_ATTR_EXCLUDE_HV), 0, 0, 0, 0 }, "cpu-clock:k",
			"ns" },
		{ { 1, 9, 0, 0, 0, FLAG(HD_ATTR_EXCLUDE_HOST), 0, 0, 0, 0 }, "dummy:G", "events" },
		{ { 3, 0x10002, 0, 0, 0, 0, 0, 0, 0, 0 }, "LLC-load-misses", "events" },
		{ { 3, 0x00100, 0, 0, 0, 0, 0, 0, 0, 0 }, "L1-dcache-stores", "events" },
		{ { 3, 0x00203, 0, 0, 0, 0, 0, 0, 0, 0 }, "dTLB-prefetches", "events" },
		{ { 4, 0x1c2, 0, 0, 0, FLAG(HD_ATTR_PRECISE), 0, 0, 0, 0 }, "r1c2:p", "events" },
		{ { 2, 47, 0, 0, 0, 0, 0, 0, 0, 0 }, "tracepoint-47", "events" },
		{ { 5, 0, 0, 0, 0, 0, 0, 0, 0, 0 }, "mem:0x0", "events" },
		{ { 8, 0x4000, 0, 0, 0, 0, 0, 0, 0, 0 }, "type8-config0x4000", "events" },
		{ { 0, 77, 0, 0, 0, 0, 0, 0, 0, 0 }, "type0-config0x4d", "events" },
	};

	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		struct image im = one_event(want[i].a);
		size_t n;

		EXPECT_INT(open_image(&im), 0);
		walk(&im);
		EXPECT_STR(hd_perf_attrs(im.pf, &n)->name, want[i].name);
		EXPECT_STR(hd_perf_attrs(im.pf, &n)->unit, want[i].unit);
		EXPECT(hd_perf_attrs(im.pf, &n)->name_made);
		release(&im);
	}
}

TEST(an_attr_says_which_clock_its_times_are_of)
{
	for (int swap = 0; swap < 2; swap++) {
		struct attr a = { .sample_type = PERF_SAMPLE_TIME };
		struct image im = pipe_image(swap);
		const struct hd_perf_attr *got;
		size_t n;

		attr_record_clock(&im, a, 0, 1);
		attr_record(&im, a, 0);
		EXPECT_INT(open_image(&im), 0);
		while (hd_perf_next(im.pf, &im.rec, &im.err) > 0)
			;
		got = hd_perf_attrs(im.pf, &n);
		EXPECT_INT(n, 2);
		EXPECT(got[0].use_clockid && got[0].clockid == 1);
		EXPECT(!got[1].use_clockid);
		release(&im);
	}
}

TEST(the_list_of_pmus_names_events_of_their_types_and_a_name_told_otherwise_stays)
{
	for (int swap = 0; swap < 2; swap++) {
		struct image im = pipe_image(swap);
		size_t r;

		attr_record(&im,
			(struct attr){ .type = 8,
				.config = 0x4000,
				.flags = FLAG(HD_ATTR_EXCLUDE_KERNEL) | FLAG(HD_ATTR_EXCLUDE_HV) },
			1);
		attr_record(&im, (struct attr){ .type = 8, .config = 0x300e601 }, 2);
		attr_record(&im, (struct attr){ .type = PERF_TYPE_RAW, .config = 0x1a8 }, 3);
		attr_record(&im, (struct attr){ .type = 9, .config = 1 }, 4);
		r = rec(&im, HD_RT_EVENT_UPDATE, 0);
		u64(&im, HD_UPDATE_NAME);
		u64(&im, 2);
		text(&im, "mine", 8);
		end(&im, r);
		attr_record(&im, (struct attr){ .type = 0, .config = UINT64_C(4) << 32 }, 5);
		r = rec(&im, HD_RT_FEATURE, 0);
		u64(&im, HD_FEAT_PMU_MAPPINGS);
		u32(&im, 2);
		u32(&im, 4);
		u32(&im, 8);
		text(&im, "cpu", 8);
		u32(&im, 8);
		u32(&im, 8);
		text(&im, "cs_etm", 8);
		end(&im, r);
		EXPECT_INT(open_image(&im), 0);
		walk(&im);
		EXPECT_STR(hd_perf_attrs(im.pf, &(size_t){ 0 })[0].name, "cs_etm/config=0x4000/u");
		EXPECT_STR(hd_perf_attrs(im.pf, &(size_t){ 0 })[1].name, "mine");
		EXPECT_STR(hd_perf_attrs(im.pf, &(size_t){ 0 })[2].name, "r1a8");
		EXPECT_STR(hd_perf_attrs(im.pf, &(size_t){ 0 })[3].name, "type9-config0x1");
		EXPECT_STR(hd_perf_attrs(im.pf, &(size_t){ 0 })[4].name, "cpu/cycles/");
		EXPECT_INT(im.log.n, 0);
		release(&im);
	}
}

TEST(a_list_of_pmus_that_is_cut_off_is_told)
{
	struct image pmus = { 0 }, data = { 0 }, im;

	end(&data, rec(&data, HD_RT_FINISHED_ROUND, 0));
	u32(&pmus, 2);
	u32(&pmus, 8);
	u32(&pmus, 100);
	im = file_image(false, (struct attr){ .type = 8 }, &data.b,
		(struct feature[]){ { HD_FEAT_PMU_MAPPINGS, &pmus.b } }, 1);
	EXPECT_INT(open_image(&im), 0);
	EXPECT(strstr(warned(&im, "lost.feature"), "PMU 0 of 2 is cut off"));
	release(&im);
	hd_buf_release(&pmus.b);
	hd_buf_release(&data.b);
}

TEST_MAIN(RUN(an_attr_says_which_clock_its_times_are_of),
	  RUN(a_file_of_another_kind_is_named_by_its_first_bytes),
	  RUN(an_empty_file_says_so),
	  RUN(a_header_that_is_cut_off_tells_where),
	  RUN(a_header_of_an_impossible_size_is_refused),
	  RUN(sixteen_bytes_of_header_are_a_pipe),
	  RUN(an_attr_reads_the_same_in_both_byte_orders),
	  RUN(a_short_attr_of_an_old_recording_is_read),
	  RUN(attr_entries_that_hold_nothing_are_refused_with_their_place),
	  RUN(ids_outside_the_file_cost_only_the_ids),
	  RUN(features_become_text),
	  RUN(a_feature_with_an_impossible_count_is_named_and_skipped),
	  RUN(a_feature_too_short_for_a_length_is_no_empty_text),
	  RUN(a_text_feature_of_no_bytes_is_not_known_and_no_damage),
	  RUN(a_feature_outside_the_file_is_named_and_skipped),
	  RUN(a_feature_table_that_is_cut_off_counts_its_rows),
	  RUN(hiperf_writes_the_command_line_as_one_string),
	  RUN(event_desc_names_the_event_and_the_name_is_not_made),
	  RUN(the_build_id_table_is_read_row_by_row),
	  RUN(a_table_of_event_types_names_old_recordings),
	  RUN(names_are_made_from_the_attr_when_nothing_tells_them),
	  RUN(the_list_of_pmus_names_events_of_their_types_and_a_name_told_otherwise_stays),
	  RUN(a_list_of_pmus_that_is_cut_off_is_told))
