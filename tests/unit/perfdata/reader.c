/* reader.c - read all records of a recording: sizes, payloads, damage; reading again gives the same records */
#include "synthetic_recording.h"

#include "base/file.h"

#include <sys/stat.h>

#define IP_TID (PERF_SAMPLE_IP | PERF_SAMPLE_TID)

static const struct attr cycles = { .sample_type = IP_TID, .period = 1000 };

static void comm(struct image *im, uint32_t pid, const char *name)
{
	size_t r = rec(im, PERF_RECORD_COMM, 0);

	u32(im, pid);
	u32(im, pid);
	text(im, name, 8);
	end(im, r);
}

static uint64_t count_of(struct image *im, uint32_t type)
{
	size_t n;
	const struct hd_record_count *c = hd_perf_record_counts(im->pf, &n);

	for (size_t i = 0; i < n; i++)
		if (c[i].type == type)
			return c[i].n;
	return 0;
}

TEST(records_come_in_file_order_with_their_place)
{
	struct image im = one_event(cycles);
	size_t first = im.b.len;

	comm(&im, 1, "a");
	comm(&im, 2, "b");
	EXPECT_INT(open_image(&im), 0);
	EXPECT_INT(next(&im), 1);
	EXPECT_INT(im.rec.kind, HD_REC_OTHER);		/* ATTR: processed internally and also returned */
	EXPECT_INT(im.rec.type, HD_RT_ATTR);
	EXPECT_INT(im.rec.off, 16);
	EXPECT_INT(next(&im), 1);
	EXPECT_INT(im.rec.kind, HD_REC_COMM);
	EXPECT_INT(im.rec.off, first);
	EXPECT_INT(im.rec.seq, 1);
	EXPECT_INT(im.rec.size, 24);
	EXPECT_INT(im.rec.data[0], 1);
	EXPECT_INT(next(&im), 1);
	EXPECT_INT(im.rec.off, first + 24);
	EXPECT_INT(next(&im), 0);
	EXPECT_INT(next(&im), 0);			/* the reader stays at the end */
	release(&im);
}

TEST(a_record_smaller_than_its_header_ends_the_walk_and_counts_the_rest)
{
	static const uint8_t bytes[] = {
		3, 0, 0, 0,  0, 0,  8, 0,	/* COMM with an empty body: the reader accepts it */
		3, 0, 0, 0,  0, 0,  6, 0,	/* COMM of size 6: invalid */
		9, 0, 0, 0,  0, 0,  8, 0,
	};
	struct image im = pipe_image(false);

	put(&im, bytes, sizeof(bytes));
	EXPECT_INT(open_image(&im), 0);
	EXPECT_INT(walk(&im), 1);
	EXPECT_STR(warned(&im, "lost.record-size"),
		   "t.data: COMM record at 0x18: size 6 is impossible; the walk ends here, 16 bytes are lost");
	EXPECT(hd_perf_file(im.pf)->truncated);
	EXPECT_INT(hd_perf_stats(im.pf)->lost_bytes, 16);
	release(&im);
}

TEST(a_record_that_is_cut_off_says_how_much_of_it_is_there)
{
	struct image im = pipe_image(false);

	comm(&im, 1, "a");
	comm(&im, 2, "b");
	im.b.len -= 5;
	EXPECT_INT(open_image(&im), 0);
	EXPECT_INT(walk(&im), 1);
	EXPECT_STR(warned(&im, "lost.cut-record"),
		   "t.data: cut off at 0x3b inside the COMM record at 0x28: 19 of its 24 bytes are there and lost");
	EXPECT(hd_perf_file(im.pf)->truncated);
	release(&im);
}

TEST(stray_bytes_behind_the_last_record_are_told)
{
	struct image im = pipe_image(false);

	comm(&im, 1, "a");
	put(&im, "\n", 1);
	EXPECT_INT(open_image(&im), 0);
	EXPECT_INT(walk(&im), 1);
	EXPECT_STR(warned(&im, "lost.stray-bytes"), "t.data: 1 stray bytes after the last record, at 0x28");
	EXPECT_INT(hd_perf_stats(im.pf)->lost_bytes, 1);
	release(&im);
}

TEST(a_data_section_longer_than_the_file_is_read_as_far_as_it_goes)
{
	struct image data = { 0 }, im;

	comm(&data, 1, "a");
	comm(&data, 2, "b");
	im = file_image(false, cycles, &data.b, NULL, 0);
	im.b.len -= 24;
	EXPECT_INT(open_image(&im), 0);
	EXPECT_INT(walk(&im), 1);
	EXPECT_STR(warned(&im, "lost.data-cut"),
		"t.data: cut off at 0x120: of 48 bytes of data and the header features "
		"after them, 24 bytes are lost");
	EXPECT(hd_perf_file(im.pf)->truncated);
	release(&im);
	hd_buf_release(&data.b);
}

TEST(an_unfinished_recording_is_read_to_the_end_of_the_file)
{
	struct image data = { 0 }, im;

	comm(&data, 1, "a");
	im = file_image(false, cycles, &data.b, NULL, 0);
	memset(im.b.data + 48, 0, 8);		/* perf writes the size of the data at the end */
	EXPECT_INT(open_image(&im), 0);
	EXPECT_INT(walk(&im), 1);
	EXPECT(hd_log_find(&im.log, "lost.unfinished"));
	EXPECT(hd_perf_file(im.pf)->truncated);
	release(&im);
	hd_buf_release(&data.b);
}

TEST(types_are_counted_and_unknown_ones_are_told)
{
	struct image im = pipe_image(false);
	size_t n;

	comm(&im, 1, "a");
	end(&im, rec(&im, HD_RT_FINISHED_ROUND, 0));
	end(&im, rec(&im, 100, 0));
	end(&im, rec(&im, 100, 0));
	end(&im, rec(&im, 32769, 0));		/* simpleperf's SP_KERNEL_SYMBOL: known, but not needed */
	end(&im, rec(&im, 0xfffffff0, 0));
	EXPECT_INT(open_image(&im), 0);
	EXPECT_INT(walk(&im), 6);
	EXPECT_INT(count_of(&im, PERF_RECORD_COMM), 1);
	EXPECT_INT(count_of(&im, HD_RT_FINISHED_ROUND), 1);
	EXPECT_INT(count_of(&im, 100), 2);
	EXPECT_INT(count_of(&im, 32769), 1);
	EXPECT_INT(count_of(&im, 0xfffffff0), 1);
	hd_perf_record_counts(im.pf, &n);
	EXPECT_INT(n, 5);
	EXPECT_INT(hd_perf_stats(im.pf)->records, 6);
	EXPECT_INT(hd_perf_stats(im.pf)->unknown_records, 3);
	EXPECT_INT(hd_perf_stats(im.pf)->finished_rounds, 1);
	EXPECT_INT(hd_log_find(&im.log, "lost.unknown-record")->count, 3);
	EXPECT_STR(warned(&im, "lost.unknown-record"),
		   "t.data: record of type 100 at 0x30 (8 bytes): unknown type, skipped");
	EXPECT_STR(hd_record_type_name(10), "MMAP2");
	EXPECT(!hd_record_type_name(100));
	release(&im);
}

TEST(the_payload_behind_auxtrace_is_skipped)
{
	struct image im = pipe_image(false);
	size_t r = rec(&im, HD_RT_AUXTRACE, 0);

	u64(&im, 100);
	text(&im, "", 32);
	end(&im, r);
	text(&im, "junk", 100);
	comm(&im, 1, "a");
	EXPECT_INT(open_image(&im), 0);
	EXPECT_INT(walk(&im), 2);
	EXPECT_INT(count_of(&im, PERF_RECORD_COMM), 1);
	EXPECT_INT(hd_perf_stats(im.pf)->aux_bytes, 100);
	EXPECT_INT(im.log.n, 0);
	release(&im);
}

TEST(a_payload_longer_than_the_file_ends_the_walk)
{
	struct image im = pipe_image(false);
	size_t r = rec(&im, HD_RT_AUXTRACE, 0);

	u64(&im, UINT64_C(0x4000000000000000));
	text(&im, "", 32);
	end(&im, r);
	EXPECT_INT(open_image(&im), 0);
	EXPECT_INT(walk(&im), 1);
	EXPECT_STR(warned(&im, "lost.cut-record"),
		"t.data: cut off at 0x40 inside the data of the AUXTRACE record at 0x10: "
		"4611686018427387904 of 4611686018427387904 bytes are lost");
	EXPECT(hd_perf_file(im.pf)->truncated);
	release(&im);
}

TEST(tracing_data_lies_behind_its_record_padded_to_8_or_inside_it)
{
	for (int inside = 0; inside < 2; inside++) {
		struct image im = pipe_image(false);
		size_t r = rec(&im, HD_RT_TRACING_DATA, 0);

		u32(&im, 13);
		if (inside)
			text(&im, "junk", 16);
		end(&im, r);
		if (!inside)
			text(&im, "junk", 16);
		comm(&im, 1, "a");
		EXPECT_INT(open_image(&im), 0);
		EXPECT_INT(walk(&im), 2);
		EXPECT_INT(count_of(&im, PERF_RECORD_COMM), 1);
		release(&im);
	}
}

TEST(every_walk_gives_the_same_and_only_the_first_one_speaks)
{
	struct image im = one_event(cycles);
	size_t n;
	int first;

	comm(&im, 1, "a");
	end(&im, rec(&im, 100, 0));
	put(&im, "xx", 2);
	EXPECT_INT(open_image(&im), 0);
	/* If a walk stops early, the next walk does not count the same records again. */
	EXPECT_INT(next(&im), 1);
	EXPECT_INT(next(&im), 1);
	EXPECT_INT(hd_perf_rewind(im.pf, &im.err), 0);
	first = walk(&im);
	for (int i = 0; i < 3; i++) {
		EXPECT_INT(hd_perf_rewind(im.pf, &im.err), 0);
		EXPECT_INT(walk(&im), first);
	}
	hd_perf_attrs(im.pf, &n);
	EXPECT_INT(n, 1);
	EXPECT_INT(hd_perf_stats(im.pf)->records, 3);
	EXPECT_INT(hd_perf_stats(im.pf)->lost_bytes, 2);
	EXPECT_INT(hd_log_find(&im.log, "lost.stray-bytes")->count, 1);
	EXPECT_INT(hd_log_find(&im.log, "lost.unknown-record")->count, 1);
	release(&im);
}

/* The recording is larger than the window, and the sizes of its records put one across every border of windows. */
TEST(records_across_the_borders_of_the_window_are_whole)
{
	struct image im = one_event(cycles);
	uint64_t sum = 0, want = 0;
	uint32_t size = 9;

	for (uint32_t i = 0; i < 400; i++) {
		size_t r = rec(&im, PERF_RECORD_COMM, 0);

		size = (size * 7919u + i) % 65000u;
		u32(&im, i);
		u32(&im, i);
		for (uint32_t k = 0; k < size; k++)
			hd_buf_addc(&im.b, (char)(i + k));
		want += i + (uint8_t)(i + size - 1);
		end(&im, r);
	}
	EXPECT(im.b.len > 5u << 20);
	EXPECT_INT(open_image(&im), 0);
	while (next(&im) > 0)
		if (im.rec.kind == HD_REC_COMM) {
			uint32_t pid;

			memcpy(&pid, im.rec.data, 4);
			sum += pid + im.rec.data[im.rec.size - 9];
		}
	EXPECT_INT(sum, want);
	EXPECT_INT(count_of(&im, PERF_RECORD_COMM), 400);
	EXPECT_INT(im.log.n, 0);
	release(&im);
}

/*
 * Return a recording of n samples with 4 to 60,003 bytes of raw data each, and a COMM record after each third sample.
 */
static struct image large_samples(int n)
{
	struct image im = one_event((struct attr){ .sample_type = IP_TID | PERF_SAMPLE_RAW, .period = 1 });

	for (int i = 0; i < n; i++) {
		uint32_t raw = 4 + (uint32_t)i * 7919 % 60000;
		size_t r = rec(&im, PERF_RECORD_SAMPLE, 0);

		u64(&im, (uint64_t)i);
		u64(&im, 0);
		u32(&im, raw);
		text(&im, "", raw);
		end(&im, r);
		if (i % 3 == 2)
			comm(&im, (uint32_t)i, "c");
	}
	return im;
}

TEST(a_walk_without_bodies_gives_every_record_at_its_place)
{
	struct image im = large_samples(270);
	uint64_t offs[400], types[400];
	int n = 0, bodiless = 0;

	EXPECT_INT(open_image(&im), 0);
	while (next(&im) > 0) {
		EXPECT(n < 400);
		offs[n] = im.rec.off;
		types[n++] = im.rec.type;
	}
	EXPECT_INT(hd_perf_rewind_bodiless(im.pf, &im.err), 0);
	for (int i = 0; i < n; i++) {
		EXPECT_INT(next(&im), 1);
		EXPECT_INT(im.rec.off, offs[i]);
		EXPECT_INT(im.rec.type, types[i]);
		EXPECT_INT(im.rec.seq, i);
		if (im.rec.kind == HD_REC_SAMPLE)
			bodiless += !im.rec.data;
		else
			EXPECT(im.rec.data != NULL);
		if (im.rec.kind == HD_REC_COMM) {
			struct hd_comm_event e;

			EXPECT_INT(hd_perf_parse_comm(im.pf, &im.rec, &e, &im.err), 0);
			EXPECT_STR(e.comm, "c");
		}
	}
	EXPECT_INT(next(&im), 0);
	EXPECT(bodiless > 0);
	EXPECT_INT(hd_perf_rewind(im.pf, &im.err), 0);
	find(&im, PERF_RECORD_SAMPLE);
	EXPECT(im.rec.data != NULL);
	release(&im);
}

/*
 * Walk without bodies and skip samples up to the next multiple of `step`.  Expect only records of a whole walk, and
 * that no records except samples are missing.
 */
static void skip_and_compare(uint64_t step)
{
	struct image im = one_event((struct attr){ .sample_type = IP_TID, .period = 1 });
	uint64_t offs[4000], types[4000], n = 0, samples = 0, last = 0;

	for (int i = 0; i < 3900; i++) {
		size_t r = rec(&im, i % 97 == 5 ? PERF_RECORD_LOST : PERF_RECORD_SAMPLE, 0);

		u64(&im, (uint64_t)i);
		u64(&im, 0);
		end(&im, r);
	}
	EXPECT_INT(open_image(&im), 0);
	while (next(&im) > 0) {
		offs[n] = im.rec.off;
		types[n++] = im.rec.type;
		samples += im.rec.kind == HD_REC_SAMPLE;
	}
	hd_perf_close(im.pf);
	EXPECT_INT(open_image(&im), 0);
	EXPECT_INT(hd_perf_rewind_bodiless(im.pf, &im.err), 0);
	while (next(&im) > 0) {
		uint64_t seq = im.rec.seq;

		EXPECT_INT(im.rec.off, offs[seq]);
		EXPECT_INT(im.rec.type, types[seq]);
		for (uint64_t i = last + 1; i < seq; i++)
			EXPECT(types[i] == PERF_RECORD_SAMPLE && offs[i] / step == offs[last] / step);
		last = seq;
		hd_perf_skip_samples(im.pf, im.rec.off / step * step + step);
	}
	EXPECT_INT(hd_perf_stats(im.pf)->records, n);
	EXPECT_INT(count_of(&im, PERF_RECORD_SAMPLE), samples);
	release(&im);
}

TEST(samples_that_a_walk_skips_count_as_returned)
{
	skip_and_compare(1 << 30);
	skip_and_compare(1000);
	skip_and_compare(24);
}

TEST(a_walk_without_bodies_finds_the_same_damage)
{
	struct image im = large_samples(50);

	im.b.len -= 100;
	EXPECT_INT(open_image(&im), 0);
	EXPECT_INT(hd_perf_rewind_bodiless(im.pf, &im.err), 0);
	walk(&im);
	EXPECT(hd_perf_file(im.pf)->truncated);
	EXPECT(strstr(warned(&im, "lost.cut-record"), "are there and lost") != NULL);
	release(&im);
}

/* The file is mapped: pages that disappear must not end the program. */
TEST(a_file_that_gets_shorter_during_a_walk_without_bodies_is_told)
{
	struct image im = large_samples(270);
	int fd;

	EXPECT_INT(open_image(&im), 0);
	EXPECT_INT(hd_perf_rewind_bodiless(im.pf, &im.err), 0);
	EXPECT_INT(next(&im), 1);
	EXPECT(hd_perf_nth_file(im.pf, 0, &fd, &(const char *){ NULL }, &(uint64_t){ 0 }));
	EXPECT(ftruncate(fd, 50000) == 0);
	walk(&im);
	EXPECT(hd_perf_file(im.pf)->truncated);
	EXPECT(strstr(warned(&im, "lost.torn"),
		       "it got shorter while it was read, or the disk could not give all of it") != NULL);
	EXPECT(strstr(warned(&im, "lost.record-size"), "size 0 is impossible") != NULL);
	release(&im);
}

TEST(the_choice_between_mapping_and_reading_changes_no_record)
{
	struct image im = large_samples(270);
	int n = 0, again = 0;

	EXPECT_INT(open_image(&im), 0);
	while (next(&im) > 0)
		n++;
	hd_perf_try_mapping(im.pf);
	EXPECT_INT(hd_perf_rewind_bodiless(im.pf, &im.err), 0);
	while (next(&im) > 0)
		again++;
	EXPECT_INT(again, n);
	EXPECT(n >= 270 + 270 / 3);
	EXPECT_INT(im.log.n, 0);
	release(&im);
}

static void hold_all(bool look)
{
	struct image im = large_samples(270);
	struct hd_window *held[400];
	struct hd_record recs[400];
	int n = 0, windows = 1;

	EXPECT_INT(open_image(&im), 0);
	hd_perf_map_large_samples(im.pf, look);
	while (next(&im) > 0) {
		EXPECT(n < 400);
		recs[n] = im.rec;
		held[n++] = hd_perf_hold(im.pf);
		windows += n > 1 && held[n - 1] != held[n - 2];
	}
	EXPECT(windows > 2);
	for (int i = 0; i < n; i++) {
		struct hd_sample s;
		struct hd_comm_event e;

		if (recs[i].kind == HD_REC_SAMPLE) {
			EXPECT_INT(hd_perf_parse_sample(im.pf, &recs[i], &s, &im.err), 0);
			EXPECT_INT(s.raw_bytes, 4 + s.ip * 7919 % 60000);
		} else if (recs[i].kind == HD_REC_COMM) {
			EXPECT_INT(hd_perf_parse_comm(im.pf, &recs[i], &e, &im.err), 0);
			EXPECT_STR(e.comm, "c");
		}
		hd_perf_drop(held[i]);
	}
	EXPECT_INT(im.log.n, 0);
	release(&im);
}

TEST(records_of_a_window_that_is_held_stay_as_they_are)
{
	hold_all(false);
}

TEST(so_do_those_that_are_looked_at_in_the_file)
{
	hold_all(true);
}

/*
 * The file is truncated after a sample was returned.  The sample can still be read, as zeros, and the loss is reported
 * at the end.
 */
TEST(a_file_that_gets_shorter_under_a_window_that_is_held_is_told_at_the_end)
{
	struct image im = large_samples(270);
	struct hd_window *held;
	struct hd_sample s;
	int fd, n = 0;

	EXPECT_INT(open_image(&im), 0);
	hd_perf_map_large_samples(im.pf, true);
	while (n++ < 250)
		EXPECT_INT(next(&im), 1);
	find(&im, PERF_RECORD_SAMPLE);
	held = hd_perf_hold(im.pf);
	EXPECT(hd_perf_nth_file(im.pf, 0, &fd, &(const char *){ NULL }, &(uint64_t){ 0 }));
	EXPECT(ftruncate(fd, 4096) == 0);
	(void)hd_perf_parse_sample(im.pf, &im.rec, &s, &im.err);
	EXPECT_INT(im.rec.data[im.rec.size / 2], 0);
	hd_perf_drop(held);
	hd_perf_close(im.pf);
	im.pf = NULL;
	EXPECT(strstr(warned(&im, "lost.torn"), "taken as zeros") != NULL);
	release(&im);
}

TEST(lost_and_throttle_records_are_summed_up)
{
	struct image im = one_event(cycles);
	size_t r;

	for (int i = 0; i < 2; i++) {
		r = rec(&im, PERF_RECORD_LOST, 0);
		u64(&im, 0);
		u64(&im, 10);
		end(&im, r);
		r = rec(&im, PERF_RECORD_THROTTLE, 0);
		text(&im, "", 24);
		end(&im, r);
	}
	r = rec(&im, PERF_RECORD_LOST_SAMPLES, 0);
	u64(&im, 5);
	end(&im, r);
	EXPECT_INT(open_image(&im), 0);
	walk(&im);
	EXPECT_INT(hd_perf_stats(im.pf)->lost_events, 20);
	EXPECT_INT(hd_perf_stats(im.pf)->lost_samples, 5);
	EXPECT_INT(hd_perf_stats(im.pf)->throttled, 2);
	EXPECT_INT(hd_perf_stats(im.pf)->unthrottled, 0);
	EXPECT_INT(hd_log_find(&im.log, "lost.events")->count, 20);
	EXPECT_INT(hd_log_find(&im.log, "lost.samples")->count, 5);
	release(&im);
}

TEST(a_count_that_does_not_fit_in_its_record_is_told)
{
	struct image im = pipe_image(false);
	size_t r = rec(&im, HD_RT_THREAD_MAP, 0);

	u64(&im, UINT64_C(0x100000000));
	text(&im, "", 16);
	end(&im, r);
	EXPECT_INT(open_image(&im), 0);
	EXPECT_INT(walk(&im), 1);
	EXPECT_STR(warned(&im, "lost.record-body"),
		   "t.data: THREAD_MAP record at 0x10 (32 bytes): 4294967296 entries of 24 bytes do not fit in it");
	release(&im);
}

TEST(pipe_records_become_header_names_and_build_ids)
{
	struct image im = pipe_image(false);
	const struct hd_perf_attr *a;
	size_t r, n;

	attr_record(&im, cycles, 11);
	attr_record(&im, cycles, 12);
	r = rec(&im, HD_RT_EVENT_UPDATE, 0);
	u64(&im, HD_UPDATE_NAME);
	u64(&im, 12);
	text(&im, "cpu_atom/cycles/", 24);
	end(&im, r);
	r = rec(&im, HD_RT_FEATURE, 0);
	u64(&im, HD_FEAT_HOSTNAME);
	u32(&im, 4);
	text(&im, "box", 4);
	end(&im, r);
	r = rec(&im, HD_RT_FEATURE, 0);		/* perf 6 writes the number 32 after the last feature */
	u64(&im, 32);
	end(&im, r);
	r = rec(&im, HD_RT_BUILD_ID, 2);
	u32(&im, 5);
	text(&im, "\1\2\3\4\5\6\7\10\11\12\13\14\15\16\17\20\21\22\23\24", 24);
	text(&im, "/bin/sh", 8);
	end(&im, r);
	EXPECT_INT(open_image(&im), 0);
	walk(&im);
	a = hd_perf_attrs(im.pf, &n);
	EXPECT_INT(n, 2);
	EXPECT_STR(a[0].name, "cycles");
	EXPECT_STR(a[1].name, "cpu_atom/cycles/");
	EXPECT_INT(a[1].ids[0], 12);
	EXPECT_STR(hd_perf_header(im.pf)->hostname, "box");
	EXPECT_STR(hd_perf_build_ids(im.pf, &n)->name, "/bin/sh");
	EXPECT_INT(n, 1);
	EXPECT_INT(hd_perf_build_ids(im.pf, &n)->id.len, 20);
	EXPECT_INT(im.log.n, 0);
	release(&im);
}

static void write_file(const char *dir, const char *name, const struct hd_buf *b)
{
	struct hd_buf path = { 0 };
	FILE *f;

	hd_buf_addf(&path, "%s/%s", dir, name);
	f = fopen(path.data, "wb");
	EXPECT(f && fwrite(b->data, 1, b->len, f) == b->len);
	fclose(f);
	hd_buf_release(&path);
}

TEST(a_directory_is_its_data_and_then_the_numbered_parts)
{
	struct image data = { 0 }, part = { 0 }, late = { 0 }, junk = { 0 }, im;
	char dir[] = "/tmp/hd-perfdata-XXXXXX", cmd[80];
	struct hd_comm_event e;

	EXPECT(mkdtemp(dir));
	comm(&data, 1, "main");
	im = file_image(false, cycles, &data.b, NULL, 0);
	write_file(dir, "data", &im.b);
	comm(&part, 2, "two");
	write_file(dir, "data.2", &part.b);
	comm(&late, 10, "ten");
	write_file(dir, "data.10", &late.b);
	put(&junk, "junk", 4);
	write_file(dir, "data.old", &junk.b);
	EXPECT_INT(hd_perf_open(&im.pf, dir, &im.log, &im.err), 0);
	EXPECT(hd_perf_file(im.pf)->dir);
	for (int i = 0; i < 2; i++) {
		static const int pids[] = { 1, 2, 10 };

		for (int k = 0; k < 3; k++) {
			EXPECT_INT(next(&im), 1);
			EXPECT_INT(hd_perf_parse_comm(im.pf, &im.rec, &e, &im.err), 0);
			EXPECT_INT(e.pid, pids[k]);
			EXPECT_INT(im.rec.seq, k);
		}
		EXPECT_INT(next(&im), 0);
		EXPECT_INT(hd_perf_rewind(im.pf, &im.err), 0);
	}
	EXPECT_INT(im.log.n, 0);
	release(&im);
	hd_buf_release(&data.b);
	hd_buf_release(&part.b);
	hd_buf_release(&late.b);
	hd_buf_release(&junk.b);
	snprintf(cmd, sizeof(cmd), "rm -r %s", dir);
	EXPECT_INT(system(cmd), 0);
}

TEST(a_directory_without_data_is_no_recording)
{
	char dir[] = "/tmp/hd-perfdata-XXXXXX", want[128];
	struct image im = { 0 };

	EXPECT(mkdtemp(dir));
	EXPECT_INT(hd_perf_open(&im.pf, dir, &im.log, &im.err), HD_EFORMAT);
	snprintf(want, sizeof(want), "%s: not a perf.data directory: no %s/data: No such file or directory", dir, dir);
	EXPECT_STR(im.err.msg, want);
	release(&im);
	rmdir(dir);
}

TEST(what_comes_through_a_pipe_is_spooled_and_can_be_walked_again)
{
	struct image im = one_event(cycles);
	int fds[2];

	comm(&im, 1, "a");
	EXPECT_INT(pipe(fds), 0);
	EXPECT(write(fds[1], im.b.data, im.b.len) == (ssize_t)im.b.len);
	close(fds[1]);
	EXPECT_INT(hd_perf_open_fd(&im.pf, fds[0], "<stdin>", &im.log, &im.err), 0);
	EXPECT_INT(walk(&im), 2);
	EXPECT_INT(hd_perf_rewind(im.pf, &im.err), 0);
	EXPECT_INT(walk(&im), 2);
	EXPECT_INT(hd_perf_file(im.pf)->bytes, im.b.len);
	release(&im);
}

TEST_MAIN(RUN(records_come_in_file_order_with_their_place),
	  RUN(a_record_smaller_than_its_header_ends_the_walk_and_counts_the_rest),
	  RUN(a_record_that_is_cut_off_says_how_much_of_it_is_there),
	  RUN(stray_bytes_behind_the_last_record_are_told),
	  RUN(a_data_section_longer_than_the_file_is_read_as_far_as_it_goes),
	  RUN(an_unfinished_recording_is_read_to_the_end_of_the_file),
	  RUN(types_are_counted_and_unknown_ones_are_told),
	  RUN(the_payload_behind_auxtrace_is_skipped),
	  RUN(a_payload_longer_than_the_file_ends_the_walk),
	  RUN(tracing_data_lies_behind_its_record_padded_to_8_or_inside_it),
	  RUN(every_walk_gives_the_same_and_only_the_first_one_speaks),
	  RUN(records_across_the_borders_of_the_window_are_whole),
	  RUN(a_walk_without_bodies_gives_every_record_at_its_place),
	  RUN(samples_that_a_walk_skips_count_as_returned),
	  RUN(a_walk_without_bodies_finds_the_same_damage),
	  RUN(a_file_that_gets_shorter_during_a_walk_without_bodies_is_told),
	  RUN(records_of_a_window_that_is_held_stay_as_they_are),
	  RUN(so_do_those_that_are_looked_at_in_the_file),
	  RUN(the_choice_between_mapping_and_reading_changes_no_record),
	  RUN(a_file_that_gets_shorter_under_a_window_that_is_held_is_told_at_the_end),
	  RUN(lost_and_throttle_records_are_summed_up),
	  RUN(a_count_that_does_not_fit_in_its_record_is_told),
	  RUN(pipe_records_become_header_names_and_build_ids),
	  RUN(a_directory_is_its_data_and_then_the_numbered_parts),
	  RUN(a_directory_without_data_is_no_recording),
	  RUN(what_comes_through_a_pipe_is_spooled_and_can_be_walked_again))
