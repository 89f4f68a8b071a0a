/* sideband.c - parse records about processes and mappings, with and without the trailer of sample_id_all */
#include "synthetic_recording.h"

/* Trailer: TID, TIME, ID, CPU, IDENTIFIER. */
#define ALL_IDS (PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER)

static const struct attr plain = { .sample_type = ALL_IDS };
static const struct attr trailed = { .sample_type = ALL_IDS, .flags = ID_ALL };

static void trailer(struct image *im, uint64_t time_ns, uint64_t id)
{
	u32(im, 1);
	u32(im, 2);
	u64(im, time_ns);
	u64(im, id);
	u64(im, 0);
	u64(im, id);
}

static size_t mmap_start(struct image *im, uint32_t type, uint16_t misc)
{
	size_t r = rec(im, type, misc);

	u32(im, 10);
	u32(im, 11);
	u64(im, 0x400000);
	u64(im, 0x2000);
	u64(im, 0x1000);
	return r;
}

TEST(an_mmap_has_a_place_a_name_and_a_time_in_both_byte_orders)
{
	for (int swap = 0; swap < 2; swap++) {
		struct image im = pipe_image(swap);
		struct hd_mmap_event e;
		size_t r;

		attr_record(&im, trailed, 7);
		r = mmap_start(&im, PERF_RECORD_MMAP, PERF_RECORD_MISC_USER);
		text(&im, "/bin/sh", 16);
		trailer(&im, 1234, 7);
		end(&im, r);
		EXPECT_INT(open_image(&im), 0);
		find(&im, PERF_RECORD_MMAP);
		EXPECT_INT(hd_perf_parse_mmap(im.pf, &im.rec, &e, &im.err), 0);
		EXPECT_INT(e.when.time_ns, 1234);
		EXPECT_INT(e.when.seq, 1);
		EXPECT_INT(e.pid, 10);
		EXPECT_INT(e.tid, 11);
		EXPECT_INT(e.addr, 0x400000);
		EXPECT_INT(e.len, 0x2000);
		EXPECT_INT(e.pgoff, 0x1000);
		EXPECT_STR(e.name, "/bin/sh");
		EXPECT_INT(e.name_len, 7);
		EXPECT_INT(e.cpumode, PERF_RECORD_MISC_USER);
		EXPECT(e.executable);
		release(&im);
	}
}

TEST(without_sample_id_all_there_is_no_time)
{
	struct image im = one_event(plain);
	struct hd_mmap_event e;
	size_t r = mmap_start(&im, PERF_RECORD_MMAP, PERF_RECORD_MISC_MMAP_DATA);

	text(&im, "/dev/zero", 16);
	end(&im, r);
	EXPECT_INT(open_image(&im), 0);
	find(&im, PERF_RECORD_MMAP);
	EXPECT_INT(hd_perf_parse_mmap(im.pf, &im.rec, &e, &im.err), 0);
	EXPECT_INT(e.when.time_ns, 0);
	EXPECT(!e.executable);
	EXPECT_STR(e.name, "/dev/zero");
	EXPECT(hd_perf_file(im.pf)->has_time && !hd_perf_file(im.pf)->side_time);
	release(&im);
}

TEST(an_mmap2_has_inode_and_protection_or_a_build_id)
{
	struct image im = one_event(plain);
	struct hd_mmap_event e;
	size_t r = mmap_start(&im, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER);

	u32(&im, 8);
	u32(&im, 1);
	u64(&im, 99);
	u64(&im, 3);
	u32(&im, 5);			/* PROT_READ | PROT_EXEC */
	u32(&im, 2);
	text(&im, "/bin/sh", 8);
	end(&im, r);
	r = mmap_start(&im, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER | PERF_RECORD_MISC_MMAP_BUILD_ID);
	text(&im, "\x14", 4);
	text(&im, "\1\2\3\4\5\6\7\10\11\12\13\14\15\16\17\20\21\22\23\24", 20);
	u32(&im, 1);			/* PROT_READ */
	u32(&im, 2);
	text(&im, "/bin/sh", 8);
	end(&im, r);
	EXPECT_INT(open_image(&im), 0);
	find(&im, PERF_RECORD_MMAP2);
	EXPECT_INT(hd_perf_parse_mmap(im.pf, &im.rec, &e, &im.err), 0);
	EXPECT_INT(e.maj, 8);
	EXPECT_INT(e.ino, 99);
	EXPECT_INT(e.ino_generation, 3);
	EXPECT_INT(e.prot, 5);
	EXPECT_INT(e.flags, 2);
	EXPECT(e.executable);
	EXPECT_INT(e.build_id.len, 0);
	find(&im, PERF_RECORD_MMAP2);
	EXPECT_INT(hd_perf_parse_mmap(im.pf, &im.rec, &e, &im.err), 0);
	EXPECT_INT(e.build_id.len, 20);
	EXPECT_INT(e.build_id.bytes[19], 20);
	EXPECT_INT(e.ino, 0);
	EXPECT(!e.executable);
	release(&im);
}

/* The kernel announces a build-id by mistake if another recorder at the same time asked for build-ids. */
TEST(device_and_inode_in_place_of_an_announced_build_id_are_read)
{
	/* The low byte of the device's major number is where the length of a build-id would be. */
	static const struct { uint32_t maj, min; uint64_t ino, generation; bool asked; size_t len; } cases[] = {
		{ 254, 1, 0x5125f, 0, false, 0 }, { 254, 1, 0x5125f, 0, true, 0 },
		{ 0, 41, 99, 0, true, 0 },
		{ 8, 1, 99, 7, true, 0 },	/* after a build-id of 8 bytes, zeros would follow, not a generation */
		{ 8, 1, 99, 0, false, 0 }, { 8, 1, 99, 0, true, 8 },
		{ 259, 1, 99, 0, true, 0 },	/* the second byte is not zero */
		{ 20, 1, 99, 7, false, 20 },
		{ 8, 0xfffff, 99, 0, false, 0 }, { 8, 0x100000, 99, 0, false, 8 },	/* minor numbers have 20 bits */
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct attr a = { .sample_type = ALL_IDS, .flags = cases[i].asked ? FLAG(HD_ATTR_BUILD_ID) : 0 };
		struct image im = one_event(a);
		struct hd_mmap_event e;
		size_t r = mmap_start(&im, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER | PERF_RECORD_MISC_MMAP_BUILD_ID);

		u32(&im, cases[i].maj);
		u32(&im, cases[i].min);
		u64(&im, cases[i].ino);
		u64(&im, cases[i].generation);
		u32(&im, 5);			/* PROT_READ | PROT_EXEC */
		u32(&im, 2);
		text(&im, "/bin/sh", 8);
		end(&im, r);
		EXPECT_INT(open_image(&im), 0);
		find(&im, PERF_RECORD_MMAP2);
		EXPECT_INT(hd_perf_parse_mmap(im.pf, &im.rec, &e, &im.err), 0);
		EXPECT_INT(e.build_id.len, cases[i].len);
		EXPECT_INT(e.ino, cases[i].len ? 0 : cases[i].ino);
		EXPECT_INT(e.maj, cases[i].len ? 0 : cases[i].maj);
		EXPECT_INT(e.prot, 5);
		EXPECT_STR(e.name, "/bin/sh");
		release(&im);
	}
}

TEST(a_name_without_a_nul_ends_where_the_trailer_starts)
{
	struct image im = one_event(trailed);
	struct hd_comm_event e;
	size_t r = rec(&im, PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC);

	u32(&im, 10);
	u32(&im, 11);
	put(&im, "sixteen bytes!!!", 16);
	trailer(&im, 5, 7);
	end(&im, r);
	EXPECT_INT(open_image(&im), 0);
	find(&im, PERF_RECORD_COMM);
	EXPECT_INT(hd_perf_parse_comm(im.pf, &im.rec, &e, &im.err), 0);
	EXPECT_STR(e.comm, "sixteen bytes!!!");
	EXPECT_INT(e.comm_len, 16);
	EXPECT(e.exec);
	EXPECT_INT(e.pid, 10);
	EXPECT_INT(e.tid, 11);
	EXPECT_INT(e.when.time_ns, 5);
	release(&im);
}

TEST(a_comm_may_be_longer_than_15_bytes_and_end_in_a_blank)
{
	struct image im = one_event(plain);
	struct hd_comm_event e;
	size_t r = rec(&im, PERF_RECORD_COMM, 0);

	u32(&im, 10);
	u32(&im, 11);
	text(&im, "a name of twenty-five c ", 32);
	end(&im, r);
	EXPECT_INT(open_image(&im), 0);
	find(&im, PERF_RECORD_COMM);
	EXPECT_INT(hd_perf_parse_comm(im.pf, &im.rec, &e, &im.err), 0);
	EXPECT_STR(e.comm, "a name of twenty-five c ");
	EXPECT(!e.exec);
	release(&im);
}

TEST(fork_and_exit_tell_child_and_parent)
{
	struct image im = one_event(trailed);
	struct hd_fork_event e;

	for (int i = 0; i < 2; i++) {
		size_t r = rec(&im, i ? PERF_RECORD_EXIT : PERF_RECORD_FORK, 0);

		u32(&im, 10);
		u32(&im, 1);
		u32(&im, 11);
		u32(&im, 2);
		u64(&im, 99);		/* the time in the body of the record; perf sorts by the time in the trailer */
		trailer(&im, 100, 7);
		end(&im, r);
	}
	EXPECT_INT(open_image(&im), 0);
	for (int i = 0; i < 2; i++) {
		find(&im, i ? PERF_RECORD_EXIT : PERF_RECORD_FORK);
		EXPECT_INT(im.rec.kind, i ? HD_REC_EXIT : HD_REC_FORK);
		EXPECT_INT(hd_perf_parse_fork(im.pf, &im.rec, &e, &im.err), 0);
		EXPECT_INT(e.pid, 10);
		EXPECT_INT(e.ppid, 1);
		EXPECT_INT(e.tid, 11);
		EXPECT_INT(e.ptid, 2);
		EXPECT_INT(e.exit, i);
		EXPECT_INT(e.when.time_ns, 100);
	}
	release(&im);
}

TEST(a_ksymbol_is_an_address_a_length_and_a_name)
{
	struct image im = one_event(trailed);
	struct hd_ksymbol_event e;
	size_t r = rec(&im, PERF_RECORD_KSYMBOL, 0);

	u64(&im, UINT64_C(0xffffffffc0000000));
	u32(&im, 200);
	u16(&im, 1);
	u16(&im, 1);
	text(&im, "bpf_prog_x", 16);
	trailer(&im, 3, 7);
	end(&im, r);
	EXPECT_INT(open_image(&im), 0);
	find(&im, PERF_RECORD_KSYMBOL);
	EXPECT_INT(hd_perf_parse_ksymbol(im.pf, &im.rec, &e, &im.err), 0);
	EXPECT(e.addr == UINT64_C(0xffffffffc0000000));
	EXPECT_INT(e.len, 200);
	EXPECT_INT(e.ksym_type, 1);
	EXPECT_INT(e.flags, 1);
	EXPECT_STR(e.name, "bpf_prog_x");
	EXPECT_INT(e.when.time_ns, 3);
	release(&im);
}

TEST(namespaces_are_found_by_their_place)
{
	struct image im = one_event(plain);
	struct hd_namespaces_event e;
	size_t r = rec(&im, PERF_RECORD_NAMESPACES, 0);

	u32(&im, 10);
	u32(&im, 11);
	u64(&im, 7);
	for (uint64_t i = 0; i < 7; i++) {
		u64(&im, 3);
		u64(&im, 1000 + i);
	}
	end(&im, r);
	r = rec(&im, PERF_RECORD_NAMESPACES, 0);
	u32(&im, 10);
	u32(&im, 11);
	u64(&im, UINT64_C(1) << 60);
	end(&im, r);
	EXPECT_INT(open_image(&im), 0);
	find(&im, PERF_RECORD_NAMESPACES);
	EXPECT_INT(hd_perf_parse_namespaces(im.pf, &im.rec, &e, &im.err), 0);
	EXPECT_INT(e.pid_ino, 1003);
	EXPECT_INT(e.user_ino, 1004);
	EXPECT_INT(e.mnt_ino, 1005);
	find(&im, PERF_RECORD_NAMESPACES);
	EXPECT_INT(hd_perf_parse_namespaces(im.pf, &im.rec, &e, &im.err), HD_EFORMAT);
	release(&im);
}

TEST(a_cgroup_has_an_id_and_a_path_in_both_byte_orders)
{
	for (int swap = 0; swap < 2; swap++) {
		struct image im = pipe_image(swap);
		struct hd_cgroup_event e;
		size_t r;

		attr_record(&im, plain, 0);
		r = rec(&im, PERF_RECORD_CGROUP, 0);
		u64(&im, 4711);
		text(&im, "/a.slice", 16);
		end(&im, r);
		r = rec(&im, PERF_RECORD_CGROUP, 0);
		u32(&im, 1);
		end(&im, r);
		EXPECT_INT(open_image(&im), 0);
		find(&im, PERF_RECORD_CGROUP);
		EXPECT_INT(im.rec.kind, HD_REC_CGROUP);
		EXPECT_INT(hd_perf_parse_cgroup(im.pf, &im.rec, &e, &im.err), 0);
		EXPECT_INT(e.id, 4711);
		EXPECT_INT(e.path_len, 8);
		EXPECT_STR(e.path, "/a.slice");
		find(&im, PERF_RECORD_CGROUP);
		EXPECT_INT(hd_perf_parse_cgroup(im.pf, &im.rec, &e, &im.err), HD_EFORMAT);
		release(&im);
	}
}

TEST(lost_events_belong_to_the_attr_of_their_id)
{
	struct image im = pipe_image(false);
	struct hd_lost lost;
	size_t r;

	attr_record(&im, trailed, 7);
	attr_record(&im, trailed, 8);
	r = rec(&im, PERF_RECORD_LOST, 0);
	u64(&im, 8);
	u64(&im, 33);
	trailer(&im, 3, 8);
	end(&im, r);
	r = rec(&im, PERF_RECORD_LOST_SAMPLES, 0);
	u64(&im, 44);
	trailer(&im, 3, 8);
	end(&im, r);
	r = rec(&im, PERF_RECORD_LOST_SAMPLES, 0);
	u64(&im, 55);
	trailer(&im, 3, 0);
	end(&im, r);
	EXPECT_INT(open_image(&im), 0);
	find(&im, PERF_RECORD_LOST);
	EXPECT_INT(hd_perf_parse_lost(im.pf, &im.rec, &lost, &im.err), 0);
	EXPECT_INT(lost.count, 33);
	EXPECT_INT(lost.attr, 1);
	find(&im, PERF_RECORD_LOST_SAMPLES);
	EXPECT_INT(hd_perf_parse_lost(im.pf, &im.rec, &lost, &im.err), 0);
	EXPECT_INT(lost.count, 44);
	EXPECT_INT(lost.attr, 1);
	find(&im, PERF_RECORD_LOST_SAMPLES);
	EXPECT_INT(hd_perf_parse_lost(im.pf, &im.rec, &lost, &im.err), 0);
	EXPECT_INT(lost.count, 55);
	EXPECT(lost.attr == UINT32_MAX);
	release(&im);
}

/*
 * Return a recording with a LOST record of 33 events, a LOST_SAMPLES record of 5 samples, and one with the event's own
 * counter of losses.
 */
static struct image losses(uint64_t read_format, uint64_t counter)
{
	struct image im = one_event(
		(struct attr){ .sample_type = ALL_IDS, .read_format = read_format, .flags = ID_ALL });
	uint64_t counts[] = { 33, 5, counter }, times[] = { 3, 4, 0 };
	size_t r;

	for (int i = 0; i < 3; i++) {
		r = rec(&im, i ? PERF_RECORD_LOST_SAMPLES : PERF_RECORD_LOST, 0);
		if (!i)
			u64(&im, 7);
		u64(&im, counts[i]);
		trailer(&im, times[i], 7);
		end(&im, r);
	}
	return im;
}

TEST(a_counter_of_losses_reports_only_what_no_record_of_a_full_buffer_did)
{
	static const struct {
		uint64_t format, counter;
		unsigned long long events, samples;
	} rows[] = {
		{ HD_FORMAT_LOST, 33, 33, 5 },	/* the counter has the losses of the LOST record */
		{ HD_FORMAT_LOST, 40, 40, 5 },	/* the counter has 7 losses after the last LOST record */
		{ HD_FORMAT_LOST, 20, 33, 5 },	/* the counters of other events are missing */
		{ 0, 33, 33, 38 },		/* no counter of losses: the kernel wrote all of them */
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct image im = losses(rows[i].format, rows[i].counter);

		EXPECT_INT(open_image(&im), 0);
		walk(&im);
		EXPECT_INT(hd_log_find(&im.log, "lost.events")->count, rows[i].events);
		EXPECT_INT(hd_log_find(&im.log, "lost.samples")->count, rows[i].samples);
		EXPECT_INT(hd_perf_stats(im.pf)->lost_events, 33);
		EXPECT_INT(hd_perf_stats(im.pf)->lost_samples, 5 + rows[i].counter);
		release(&im);
	}
}


TEST(the_trailer_is_read_as_its_own_event_lays_it_out)
{
	struct attr other = { .sample_type = PERF_SAMPLE_TIME | PERF_SAMPLE_IDENTIFIER, .flags = ID_ALL };
	struct image im = pipe_image(false);
	struct hd_comm_event e;
	size_t r;

	attr_record(&im, trailed, 7);
	attr_record(&im, other, 8);
	r = rec(&im, PERF_RECORD_COMM, 0);
	u32(&im, 10);
	u32(&im, 11);
	put(&im, "eight by", 8);
	u64(&im, 77);
	u64(&im, 8);
	end(&im, r);
	EXPECT_INT(open_image(&im), 0);
	find(&im, PERF_RECORD_COMM);
	EXPECT_INT(hd_perf_parse_comm(im.pf, &im.rec, &e, &im.err), 0);
	EXPECT_STR(e.comm, "eight by");
	EXPECT_INT(e.when.time_ns, 77);
	release(&im);
}

TEST(a_body_that_is_too_short_is_told_for_every_kind)
{
	static const uint32_t types[] = { PERF_RECORD_MMAP, PERF_RECORD_MMAP2, PERF_RECORD_COMM, PERF_RECORD_FORK,
					  PERF_RECORD_EXIT, PERF_RECORD_KSYMBOL, PERF_RECORD_NAMESPACES };

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		struct image im = one_event(trailed);
		size_t at = im.b.len, r = rec(&im, types[i], 0);
		char want[128];
		struct hd_mmap_event m;
		struct hd_comm_event c;
		struct hd_fork_event f;
		struct hd_ksymbol_event k;
		struct hd_namespaces_event n;
		int rc = 0;

		u32(&im, 1);
		end(&im, r);
		EXPECT_INT(open_image(&im), 0);
		find(&im, types[i]);
		switch (im.rec.kind) {
		case HD_REC_MMAP: rc = hd_perf_parse_mmap(im.pf, &im.rec, &m, &im.err); break;
		case HD_REC_COMM: rc = hd_perf_parse_comm(im.pf, &im.rec, &c, &im.err); break;
		case HD_REC_FORK:
		case HD_REC_EXIT: rc = hd_perf_parse_fork(im.pf, &im.rec, &f, &im.err); break;
		case HD_REC_KSYMBOL: rc = hd_perf_parse_ksymbol(im.pf, &im.rec, &k, &im.err); break;
		default: rc = hd_perf_parse_namespaces(im.pf, &im.rec, &n, &im.err); break;
		}
		EXPECT_INT(rc, HD_EFORMAT);
		snprintf(want, sizeof(want), "t.data: %s record at 0x%zx: 12 bytes are too few for its fields",
			 hd_record_type_name(types[i]), at);
		EXPECT_STR(im.err.msg, want);
		release(&im);
	}
}

TEST(a_processors_counter_becomes_a_time_as_the_record_says)
{
	for (int swap = 0; swap < 2; swap++) {
		struct image im = pipe_image(swap);
		struct hd_time_conv c;
		size_t r;

		attr_record(&im, plain, 0);
		r = rec(&im, HD_RT_TIME_CONV, 0);
		u64(&im, 4);		/* shift */
		u64(&im, 24);		/* mult: 3 ns in two ticks */
		u64(&im, 1000);		/* zero */
		end(&im, r);
		EXPECT_INT(open_image(&im), 0);
		find(&im, HD_RT_TIME_CONV);
		EXPECT(hd_perf_is_time_conv(&im.rec));
		EXPECT_INT(hd_perf_parse_time_conv(im.pf, &im.rec, &c, &im.err), 0);
		EXPECT_INT(hd_time_of_counter(&c, 0), 1000);
		EXPECT_INT(hd_time_of_counter(&c, 21), 1031);
		EXPECT_INT(hd_time_of_counter(&c, 1u << 20), 1000 + 3 * (1u << 19));
		release(&im);
	}
}

TEST(a_conversion_that_converts_nothing_is_refused)
{
	struct image im = pipe_image(false);
	struct hd_time_conv c;
	size_t r;

	attr_record(&im, plain, 0);
	r = rec(&im, HD_RT_TIME_CONV, 0);
	u64(&im, 64);
	u64(&im, 24);
	u64(&im, 1000);
	end(&im, r);
	EXPECT_INT(open_image(&im), 0);
	find(&im, HD_RT_TIME_CONV);
	EXPECT_INT(hd_perf_parse_time_conv(im.pf, &im.rec, &c, &im.err), HD_EFORMAT);
	EXPECT(strstr(im.err.msg, "a shift of 64 and a factor of 24 are not a valid conversion"));
	release(&im);
}

TEST_MAIN(RUN(an_mmap_has_a_place_a_name_and_a_time_in_both_byte_orders),
	  RUN(without_sample_id_all_there_is_no_time),
	  RUN(an_mmap2_has_inode_and_protection_or_a_build_id),
	  RUN(device_and_inode_in_place_of_an_announced_build_id_are_read),
	  RUN(a_name_without_a_nul_ends_where_the_trailer_starts),
	  RUN(a_comm_may_be_longer_than_15_bytes_and_end_in_a_blank),
	  RUN(fork_and_exit_tell_child_and_parent),
	  RUN(a_ksymbol_is_an_address_a_length_and_a_name),
	  RUN(namespaces_are_found_by_their_place),
	  RUN(a_cgroup_has_an_id_and_a_path_in_both_byte_orders),
	  RUN(lost_events_belong_to_the_attr_of_their_id),
	  RUN(a_counter_of_losses_reports_only_what_no_record_of_a_full_buffer_did),
	  RUN(the_trailer_is_read_as_its_own_event_lays_it_out),
	  RUN(a_processors_counter_becomes_a_time_as_the_record_says),
	  RUN(a_conversion_that_converts_nothing_is_refused),
	  RUN(a_body_that_is_too_short_is_told_for_every_kind))
