/* decompress.c - decompress zstd records, whose chunks are one stream that may be divided anywhere */
#include "synthetic_recording.h"

#include <zstd.h>

static const struct attr cycles = { .sample_type = PERF_SAMPLE_IP, .period = 1 };

/* Return n COMM records with the pids 0, 1, 2, ... */
static struct hd_buf comms(unsigned int n)
{
	struct image im = { 0 };

	for (unsigned int i = 0; i < n; i++) {
		size_t r = rec(&im, PERF_RECORD_COMM, 0);

		u32(&im, i);
		u32(&im, i);
		text(&im, "comm", 8);
		end(&im, r);
	}
	return im.b;
}

/*
 * Return n COMM records of many sizes.  The bytes of their names repeat 1 to 2,000,000 bytes later; some do not
 * repeat.  So a zstd block refers to bytes of the previous block, to older bytes of the window, or to none.
 */
static struct hd_buf mixed(unsigned int n)
{
	struct image im = { 0 };
	uint64_t x = 1;

	for (unsigned int i = 0; i < n; i++) {
		size_t r = rec(&im, PERF_RECORD_COMM, 0), size = 8 + (i * 7919u) % 5000 / 8 * 8;

		if (i % 61 == 7)
			size = 60000;
		u32(&im, i);
		u32(&im, i);
		while (size) {
			size_t some = 1 + (x >> 20) % 300, back = 1 + (x >> 32) % (i % 3 ? 520000 : 2000000);

			x = x * 6364136223846793005u + 1442695040888963407u;
			some = some < size ? some : size;
			for (size_t k = 0; k < some; k++) {
				size_t len = im.b.len;
				char c = (x >> 60) && back <= len ? im.b.data[len - back] : (char)(x >> (8 + k % 40));

				hd_buf_addc(&im.b, c);
			}
			size -= some;
		}
		end(&im, r);
	}
	return im.b;
}

/* Compress plain[from, to) as the next chunk of the stream, which is flushed as perf does. */
static struct hd_buf chunk(ZSTD_CCtx *c, const struct hd_buf *plain, size_t from, size_t to)
{
	struct hd_buf out = { 0 };
	ZSTD_inBuffer in = { plain->data + from, to - from, 0 };
	ZSTD_outBuffer o = { hd_buf_reserve(&out, 60000), 60000, 0 };

	EXPECT(!ZSTD_isError(ZSTD_compressStream2(c, &o, &in, ZSTD_e_flush)));
	EXPECT_INT(in.pos, in.size);
	out.len = o.pos;
	return out;
}

/* Compress all of `plain` as one frame.  sum: the frame has a checksum; told: it declares the size of its content. */
static void frame(struct hd_buf *out, const struct hd_buf *plain, int window_log, int level, bool sum, bool told)
{
	ZSTD_CCtx *c = ZSTD_createCCtx();
	ZSTD_inBuffer in = { plain->data, plain->len, 0 };
	ZSTD_outBuffer o = { hd_buf_reserve(out, ZSTD_compressBound(plain->len)), ZSTD_compressBound(plain->len), 0 };

	EXPECT(!ZSTD_isError(ZSTD_CCtx_setParameter(c, ZSTD_c_compressionLevel, level)));
	EXPECT(!ZSTD_isError(ZSTD_CCtx_setParameter(c, ZSTD_c_windowLog, window_log)));
	EXPECT(!ZSTD_isError(ZSTD_CCtx_setParameter(c, ZSTD_c_checksumFlag, sum)));
	if (told)
		EXPECT(!ZSTD_isError(ZSTD_CCtx_setPledgedSrcSize(c, plain->len)));
	else	/* a frame from a single last call would contain its size */
		EXPECT(!ZSTD_isError(
			ZSTD_compressStream2(c, &o, &(ZSTD_inBuffer){ plain->data, 0, 0 }, ZSTD_e_continue)));
	EXPECT_INT(ZSTD_compressStream2(c, &o, &in, ZSTD_e_end), 0);
	out->len += o.pos;
	ZSTD_freeCCtx(c);
}

static void compressed(struct image *im, uint32_t type, const struct hd_buf *z)
{
	size_t r = rec(im, type, 0);

	if (type == HD_RT_COMPRESSED2)
		u64(im, z->len);
	put(im, z->data, z->len);
	if (type == HD_RT_COMPRESSED2)
		text(im, "", 7);
	end(im, r);
}

/* Expect records with pids 0, 1, 2, ... n - 1 in order. */
static void expect_comms(struct image *im, unsigned int n)
{
	struct hd_comm_event e;

	for (unsigned int i = 0; i < n; i++) {
		find(im, PERF_RECORD_COMM);
		EXPECT(im->rec.inside);
		EXPECT_INT(hd_perf_parse_comm(im->pf, &im->rec, &e, &im->err), 0);
		EXPECT_INT(e.pid, i);
		EXPECT_STR(e.comm, "comm");
	}
	EXPECT_INT(walk(im), 0);
}

TEST(a_record_split_over_two_chunks_is_put_together)
{
	static const uint32_t types[] = { HD_RT_COMPRESSED, HD_RT_COMPRESSED2 };

	for (int t = 0; t < 2; t++) {
		struct image im = one_event(cycles);
		struct hd_buf plain = comms(3), a, b;
		ZSTD_CCtx *c = ZSTD_createCCtx();
		size_t first = im.b.len;

		a = chunk(c, &plain, 0, 37);
		b = chunk(c, &plain, 37, plain.len);
		compressed(&im, types[t], &a);
		compressed(&im, types[t], &b);
		EXPECT_INT(open_image(&im), 0);
		for (int i = 0; i < 2; i++) {
			expect_comms(&im, 3);
			EXPECT_INT(hd_perf_rewind(im.pf, &im.err), 0);
		}
		EXPECT_INT(im.rec.off, first + 8 + (t ? 15 : 0) + a.len);
		EXPECT(hd_perf_file(im.pf)->compressed);
		EXPECT_INT(hd_perf_stats(im.pf)->zstd_bytes_out, plain.len);
		EXPECT_INT(hd_perf_stats(im.pf)->zstd_bytes_in, a.len + b.len);
		EXPECT_INT(im.log.n, 0);
		ZSTD_freeCCtx(c);
		hd_buf_release(&a);
		hd_buf_release(&b);
		hd_buf_release(&plain);
		release(&im);
	}
}

TEST(more_than_the_buffer_holds_comes_out_of_one_chunk)
{
	enum { N = 100000 };
	struct image im = one_event(cycles);
	struct hd_buf plain = comms(N), z;
	ZSTD_CCtx *c = ZSTD_createCCtx();
	size_t half = plain.len / 2 + 3;

	for (size_t at = 0; at < plain.len; at += half / 4) {
		z = chunk(c, &plain, at, at + half / 4 < plain.len ? at + half / 4 : plain.len);
		compressed(&im, HD_RT_COMPRESSED, &z);
		hd_buf_release(&z);
	}
	EXPECT_INT(open_image(&im), 0);
	expect_comms(&im, N);
	EXPECT_INT(hd_perf_stats(im.pf)->zstd_bytes_out, plain.len);
	ZSTD_freeCCtx(c);
	hd_buf_release(&plain);
	release(&im);
}

/*
 * Expect the records of `plain`, byte by byte, also if the returned records are kept and read at the end.  tail: the
 * expected message about a missing end, or "" for none.
 */
static void expect_plain(struct image *im, const struct hd_buf *plain, const char *tail)
{
	static struct hd_record seen[4000];
	static struct hd_window *held[4000];

	for (int hold = 0; hold < 2; hold++) {
		size_t at = 0, n = 0;

		while (hd_perf_next(im->pf, &im->rec, &im->err) > 0) {
			if (!im->rec.inside)
				continue;
			EXPECT(n < 4000 && at + im->rec.size <= plain->len);
			EXPECT(!memcmp(im->rec.data, plain->data + at + 8, im->rec.size - 8));
			at += im->rec.size;
			seen[n] = im->rec;
			if (hold)
				held[n++] = hd_perf_hold(im->pf);
		}
		EXPECT_INT(at, plain->len);
		at = 0;
		for (size_t i = 0; i < n; i++) {
			EXPECT(!memcmp(seen[i].data, plain->data + at + 8, seen[i].size - 8));
			at += seen[i].size;
			hd_perf_drop(held[i]);
		}
		EXPECT_INT(hd_perf_rewind(im->pf, &im->err), 0);
	}
	EXPECT_STR(warned(im, "lost.tail"), tail);
	EXPECT_INT(im->log.n, *tail ? 1 : 0);
}

/* Expect the records of `plain` if its compressed form z is divided into chunks of `step` bytes. */
static void expect_cut(const struct hd_buf *z, size_t step, const struct hd_buf *plain)
{
	struct image im = one_event(cycles);

	for (size_t at = 0; at < z->len; at += step)
		compressed(&im, HD_RT_COMPRESSED,
			&(struct hd_buf){ .data = z->data + at, .len = step < z->len - at ? step : z->len - at });
	EXPECT_INT(open_image(&im), 0);
	expect_plain(&im, plain, "");
	release(&im);
}

TEST(frames_of_any_window_are_read_however_chunks_cut_them)
{
	static const int window_logs[] = { 10, 15, 17, 18, 19, 20, 21, 22, 24 };
	static const size_t steps[] = { 65000, 60001, 7777 };
	struct hd_buf plain = mixed(2000);

	EXPECT(plain.len > 5 << 20);
	for (size_t i = 0; i < sizeof(window_logs) / sizeof(window_logs[0]); i++) {
		struct hd_buf z = { 0 };

		frame(&z, &plain, window_logs[i], 5, i % 2, false);
		EXPECT(z.len < plain.len / 3 * 2);
		for (size_t k = 0; k < 3; k++)
			expect_cut(&z, steps[k], &plain);
		hd_buf_release(&z);
	}
	hd_buf_release(&plain);
}

TEST(so_are_frames_of_all_kinds_behind_one_another)
{
	static const size_t steps[] = { 65000, 999, 13, 1 };
	struct hd_buf one = mixed(40), noise = { 0 }, plain = { 0 }, z = { 0 };
	uint64_t x = 1;

	/* 3 records that do not compress */
	for (int i = 0; i < 3; i++) {
		hd_buf_add(&noise, "\3\0\0\0\0\0\0\xf0", 8);
		for (int k = 8; k < 0xf000; k++) {
			x = x * 6364136223846793005u + 1442695040888963407u;
			hd_buf_addc(&noise, (char)(x >> 56));
		}
	}
	for (int i = 0; i < 24; i++) {
		static const int window_logs[] = { 19, 23, 11, 21 };
		const struct hd_buf *of = i % 5 == 4 ? &noise : &one;

		if (i % 3 == 1)
			hd_buf_add(&z, "\x5f\x2a\x4d\x18\3\0\0\0abc", 11);
		frame(&z, of, window_logs[i % 4], i % 7 == 6 ? 19 : 1, i & 1, i % 4 == 2);
		hd_buf_add(&plain, of->data, of->len);
	}
	for (size_t k = 0; k < 4; k++)
		expect_cut(&z, steps[k], &plain);
	hd_buf_release(&one);
	hd_buf_release(&noise);
	hd_buf_release(&plain);
	hd_buf_release(&z);
}

TEST(what_is_stored_as_it_is_is_read_as_far_as_it_goes)
{
	/* no content size, a window of 512 KiB; a block of 100,000 bytes that are not compressed */
	struct hd_buf z = { 0 }, plain = { 0 };
	struct image im = one_event(cycles);

	hd_buf_add(&z, "\x28\xb5\x2f\xfd\0\x48\0\x35\x0c", 9);
	for (int i = 0; i < 600; i++)
		hd_buf_add(&plain, "\3\0\0\0\0\0\x18\0\1\0\0\0\1\0\0\0name\0\0\0", 24);
	hd_buf_add(&z, plain.data, plain.len);
	compressed(&im, HD_RT_COMPRESSED, &z);
	EXPECT_INT(open_image(&im), 0);
	expect_plain(&im, &plain, "t.data: its last records are missing: the compressed data ends inside a block");
	release(&im);
	hd_buf_release(&z);
	hd_buf_release(&plain);
}

TEST(garbage_costs_its_chunk_and_the_rest_of_its_stream)
{
	struct image im = one_event(cycles);
	struct hd_buf plain = comms(2), good, junk = { 0 };
	ZSTD_CCtx *c = ZSTD_createCCtx();
	size_t at = im.b.len, r;

	hd_buf_adds(&junk, "this is no zstd");
	good = chunk(c, &plain, 0, plain.len);
	compressed(&im, HD_RT_COMPRESSED, &junk);
	compressed(&im, HD_RT_COMPRESSED, &junk);
	compressed(&im, HD_RT_COMPRESSED, &good);	/* this record starts a new stream */
	r = rec(&im, HD_RT_FINISHED_ROUND, 0);
	end(&im, r);
	EXPECT_INT(open_image(&im), 0);
	EXPECT_INT(walk(&im), 1 + 2 + 1);
	char want[200];

	snprintf(want, sizeof(want),
		"t.data: COMPRESSED record at 0x%zx: zstd: Unknown frame descriptor; the rest of it is lost", at);
	EXPECT_STR(warned(&im, "lost.decompress"), want);
	EXPECT_INT(hd_log_find(&im.log, "lost.decompress")->count, 2);
	EXPECT(hd_perf_file(im.pf)->truncated);
	ZSTD_freeCCtx(c);
	hd_buf_release(&good);
	hd_buf_release(&junk);
	hd_buf_release(&plain);
	release(&im);
}

TEST(what_came_out_before_the_damage_counts)
{
	struct image im = one_event(cycles);
	struct hd_buf plain = comms(3), z;
	ZSTD_CCtx *c = ZSTD_createCCtx();

	z = chunk(c, &plain, 0, plain.len);
	hd_buf_adds(&z, "\7and no block of type 3");
	compressed(&im, HD_RT_COMPRESSED, &z);
	EXPECT_INT(open_image(&im), 0);
	for (int i = 0; i < 2; i++) {
		expect_comms(&im, 3);
		EXPECT_INT(hd_perf_rewind(im.pf, &im.err), 0);
	}
	EXPECT(strstr(warned(&im, "lost.decompress"), "; the rest of it is lost"));
	EXPECT_INT(hd_log_find(&im.log, "lost.decompress")->count, 1);
	ZSTD_freeCCtx(c);
	hd_buf_release(&z);
	hd_buf_release(&plain);
	release(&im);
}

TEST(what_is_held_stays_as_it_is_when_a_stream_begins_anew)
{
	struct image im = one_event(cycles);
	struct hd_buf plain = comms(2), other = mixed(3), z, again = { 0 };
	ZSTD_CCtx *c = ZSTD_createCCtx();
	struct hd_comm_event e;
	struct hd_window *held;
	struct hd_record rec;

	z = chunk(c, &plain, 0, plain.len);
	hd_buf_adds(&z, "\7and no block of type 3");
	frame(&again, &other, 19, 1, false, false);
	compressed(&im, HD_RT_COMPRESSED, &z);
	compressed(&im, HD_RT_COMPRESSED, &again);
	EXPECT_INT(open_image(&im), 0);
	find(&im, PERF_RECORD_COMM);
	find(&im, PERF_RECORD_COMM);
	rec = im.rec;
	held = hd_perf_hold(im.pf);
	EXPECT_INT(walk(&im), 3);
	EXPECT_INT(hd_perf_parse_comm(im.pf, &rec, &e, &im.err), 0);
	EXPECT_INT(e.pid, 1);
	EXPECT_STR(e.comm, "comm");
	EXPECT(warned(&im, "lost.decompress"));
	hd_perf_drop(held);
	ZSTD_freeCCtx(c);
	hd_buf_release(&plain);
	hd_buf_release(&other);
	hd_buf_release(&z);
	hd_buf_release(&again);
	release(&im);
}

/* perf record -z loses what its compressor still holds.  The records of the blocks before are complete. */
TEST(a_stream_that_stops_inside_a_block_has_lost_its_tail)
{
	for (size_t cut = 1; cut <= 40; cut++) {
		struct image im = one_event(cycles);
		struct hd_buf plain = comms(2000), whole, last;
		size_t half = 1000 * (plain.len / 2000);
		ZSTD_CCtx *c = ZSTD_createCCtx();

		whole = chunk(c, &plain, 0, half);
		last = chunk(c, &plain, half, plain.len);
		EXPECT(last.len > 40);
		last.len -= cut;
		compressed(&im, HD_RT_COMPRESSED, &whole);
		compressed(&im, HD_RT_COMPRESSED, &last);
		EXPECT_INT(open_image(&im), 0);
		EXPECT_INT(walk(&im), 1 + 1000);
		EXPECT_STR(warned(&im, "lost.tail"),
			"t.data: its last records are missing: the compressed data ends inside a block");
		EXPECT(hd_perf_stats(im.pf)->tail_lost);
		EXPECT(hd_perf_file(im.pf)->truncated);
		ZSTD_freeCCtx(c);
		hd_buf_release(&whole);
		hd_buf_release(&last);
		hd_buf_release(&plain);
		release(&im);
	}
}

TEST(data_that_ends_inside_a_record_says_how_much_is_lost)
{
	struct image im = one_event(cycles);
	struct hd_buf plain = comms(2), z;
	ZSTD_CCtx *c = ZSTD_createCCtx();

	z = chunk(c, &plain, 0, plain.len - 5);
	compressed(&im, HD_RT_COMPRESSED, &z);
	EXPECT_INT(open_image(&im), 0);
	EXPECT_INT(walk(&im), 2);
	EXPECT_STR(warned(&im, "lost.cut-record"),
		"t.data: the compressed data ends inside a record, 19 bytes are lost");
	EXPECT(!hd_perf_stats(im.pf)->tail_lost);
	EXPECT(hd_perf_file(im.pf)->truncated);
	ZSTD_freeCCtx(c);
	hd_buf_release(&z);
	hd_buf_release(&plain);
	release(&im);
}

TEST(stray_bytes_after_a_cut_compressed_record_are_lost_once)
{
	struct image im = one_event(cycles);
	struct hd_buf plain = comms(2), z;
	ZSTD_CCtx *c = ZSTD_createCCtx();

	z = chunk(c, &plain, 0, plain.len - 5);
	compressed(&im, HD_RT_COMPRESSED, &z);
	put(&im, "\n\n\n", 3);
	EXPECT_INT(open_image(&im), 0);
	EXPECT_INT(walk(&im), 2);
	EXPECT(strstr(warned(&im, "lost.stray-bytes"), "3 stray bytes after the last record") != NULL);
	EXPECT_STR(warned(&im, "lost.cut-record"),
		"t.data: the compressed data ends inside a record, 19 bytes are lost");
	EXPECT_INT(hd_perf_stats(im.pf)->lost_bytes, 3 + 19);
	EXPECT(hd_perf_file(im.pf)->truncated);
	ZSTD_freeCCtx(c);
	hd_buf_release(&z);
	hd_buf_release(&plain);
	release(&im);
}

/* Return 256 MiB of records of an unknown type, with 32 KiB of zeros each, compressed. */
static struct hd_buf bomb(void)
{
	static char mib[1 << 20];
	struct hd_buf out = { 0 };
	ZSTD_CCtx *c = ZSTD_createCCtx();
	ZSTD_outBuffer o = { hd_buf_reserve(&out, 60000), 60000, 0 };

	for (size_t at = 0; at < sizeof(mib); at += 32768)
		memcpy(mib + at, "\x64\0\0\0\0\0\0\x80", 8);
	for (int i = 0; i < 256; i++) {
		ZSTD_inBuffer in = { mib, sizeof(mib), 0 };

		ZSTD_compressStream2(c, &o, &in, i < 255 ? ZSTD_e_continue : ZSTD_e_flush);
		EXPECT_INT(in.pos, in.size);
	}
	out.len = o.pos;
	ZSTD_freeCCtx(c);
	return out;
}

TEST(a_bomb_is_defused)
{
	struct image im = one_event(cycles);
	struct hd_buf z = bomb();

	EXPECT(z.len < 60000);
	compressed(&im, HD_RT_COMPRESSED, &z);
	EXPECT_INT(open_image(&im), 0);
	EXPECT(walk(&im) > 500);
	EXPECT(strstr(warned(&im, "lost.decompress"), "bytes that are no samples"));
	EXPECT(hd_perf_stats(im.pf)->zstd_bytes_out < (UINT64_C(33) << 20) + 64 * z.len);
	hd_buf_release(&z);
	release(&im);
}

/*
 * Read a frame of n equal records of 8 bytes.  Returns how many of them were read, and the compressed size in *packed.
 */
static size_t walk_alike(const char *record, size_t n, size_t *packed)
{
	struct image im = one_event(cycles);
	struct hd_buf plain = { 0 }, z;
	ZSTD_CCtx *c = ZSTD_createCCtx();
	size_t seen;

	for (size_t i = 0; i < n; i++)
		hd_buf_add(&plain, record, 8);
	z = chunk(c, &plain, 0, plain.len);
	compressed(&im, HD_RT_COMPRESSED, &z);
	EXPECT_INT(open_image(&im), 0);
	seen = (size_t)walk(&im);
	*packed = z.len;
	ZSTD_freeCCtx(c);
	hd_buf_release(&z);
	hd_buf_release(&plain);
	release(&im);
	return seen;
}

TEST(four_times_as_many_context_switches_are_read)
{
	size_t packed, others = walk_alike("\x64\0\0\0\0\0\x08\0", 1500000, &packed),
		       switches = walk_alike("\x0e\0\0\0\0\0\x08\0", 1500000, &packed);

	EXPECT(others <= 262144 + packed / 4 + 65536);
	EXPECT(switches >= 4 * 262144 && switches <= 4 * 262144 + packed + 65536);
}

TEST(so_is_one_of_many_small_records)
{
	struct image im = one_event(cycles);
	struct hd_buf plain = { 0 }, z;
	ZSTD_CCtx *c = ZSTD_createCCtx();

	for (int i = 0; i < 600000; i++)
		hd_buf_add(&plain, "\x64\0\0\0\0\0\x08\0", 8);
	z = chunk(c, &plain, 0, plain.len);
	compressed(&im, HD_RT_COMPRESSED, &z);
	EXPECT_INT(open_image(&im), 0);
	/* 65536: the records that were decoded together with the last one */
	EXPECT((size_t)walk(&im) <= 262144 + z.len / 4 + 65536);
	EXPECT(strstr(warned(&im, "lost.decompress"), "records"));
	ZSTD_freeCCtx(c);
	hd_buf_release(&z);
	hd_buf_release(&plain);
	release(&im);
}

TEST(a_compressed2_length_beyond_its_record_is_told)
{
	struct image im = one_event(cycles);
	size_t r = rec(&im, HD_RT_COMPRESSED2, 0);

	u64(&im, 9);
	text(&im, "", 8);
	end(&im, r);
	EXPECT_INT(open_image(&im), 0);
	EXPECT_INT(walk(&im), 1);
	EXPECT(strstr(warned(&im, "lost.decompress"), "its data is longer than the record"));
	release(&im);
}

TEST(an_impossible_size_inside_ends_the_chunk)
{
	struct image im = one_event(cycles);
	struct hd_buf plain = { 0 }, z;
	ZSTD_CCtx *c = ZSTD_createCCtx();

	hd_buf_add(&plain, "\3\0\0\0\0\0\7\0\0\0\0\0\0\0\0\0", 16);
	z = chunk(c, &plain, 0, plain.len);
	compressed(&im, HD_RT_COMPRESSED, &z);
	EXPECT_INT(open_image(&im), 0);
	EXPECT_INT(walk(&im), 1);
	EXPECT(strstr(warned(&im, "lost.decompress"), "a record of size 7 is impossible"));
	ZSTD_freeCCtx(c);
	hd_buf_release(&plain);
	hd_buf_release(&z);
	release(&im);
}

TEST_MAIN(RUN(a_record_split_over_two_chunks_is_put_together),
	  RUN(more_than_the_buffer_holds_comes_out_of_one_chunk),
	  RUN(frames_of_any_window_are_read_however_chunks_cut_them),
	  RUN(so_are_frames_of_all_kinds_behind_one_another),
	  RUN(what_is_stored_as_it_is_is_read_as_far_as_it_goes),
	  RUN(garbage_costs_its_chunk_and_the_rest_of_its_stream),
	  RUN(what_came_out_before_the_damage_counts),
	  RUN(what_is_held_stays_as_it_is_when_a_stream_begins_anew),
	  RUN(a_stream_that_stops_inside_a_block_has_lost_its_tail),
	  RUN(data_that_ends_inside_a_record_says_how_much_is_lost),
	  RUN(stray_bytes_after_a_cut_compressed_record_are_lost_once),
	  RUN(a_bomb_is_defused), RUN(so_is_one_of_many_small_records),
	  RUN(four_times_as_many_context_switches_are_read),
	  RUN(a_compressed2_length_beyond_its_record_is_told),
	  RUN(an_impossible_size_inside_ends_the_chunk))
