/* zstd records: one stream over all chunks, cut anywhere. */
#include "image.h"

#include <zstd.h>

static const struct attr cycles = { .sample_type = PERF_SAMPLE_IP, .period = 1 };

/* n COMM records with pid 0, 1, 2, ... */
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

/* Compress plain[from, to) into one more chunk of the stream, flushed as perf does. */
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

/* pids 0, 1, 2, ... n - 1 in order. */
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
	compressed(&im, HD_RT_COMPRESSED, &good);	/* starts a stream of its own */
	r = rec(&im, HD_RT_FINISHED_ROUND, 0);
	end(&im, r);
	EXPECT_INT(open_image(&im), 0);
	EXPECT_INT(walk(&im), 1 + 2 + 1);
	char want[200];

	snprintf(want, sizeof(want), "t.data: COMPRESSED record at 0x%zx: zstd: Unknown frame descriptor; the rest of it is lost", at);
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

TEST(data_that_ends_inside_a_record_says_how_much_is_lost)
{
	struct image im = one_event(cycles);
	struct hd_buf plain = comms(2), z;
	ZSTD_CCtx *c = ZSTD_createCCtx();

	z = chunk(c, &plain, 0, plain.len - 5);
	compressed(&im, HD_RT_COMPRESSED, &z);
	EXPECT_INT(open_image(&im), 0);
	EXPECT_INT(walk(&im), 2);
	EXPECT_STR(warned(&im, "lost.cut-record"), "t.data: the compressed data ends inside a record, 19 bytes are lost");
	EXPECT(hd_perf_file(im.pf)->truncated);
	ZSTD_freeCCtx(c);
	hd_buf_release(&z);
	hd_buf_release(&plain);
	release(&im);
}

/* 256 MiB of records of no known type, 32 KiB of zeros each. */
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

/* A frame of n records of 8 bytes. */
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
	size_t packed, others = walk_alike("\x64\0\0\0\0\0\x08\0", 1500000, &packed), switches = walk_alike("\x0e\0\0\0\0\0\x08\0", 1500000, &packed);

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
	EXPECT((size_t)walk(&im) <= 262144 + z.len / 4 + 65536);	/* what was decoded together with the last one */
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
	  RUN(garbage_costs_its_chunk_and_the_rest_of_its_stream),
	  RUN(what_came_out_before_the_damage_counts),
	  RUN(data_that_ends_inside_a_record_says_how_much_is_lost),
	  RUN(a_bomb_is_defused), RUN(so_is_one_of_many_small_records), RUN(four_times_as_many_context_switches_are_read),
	  RUN(a_compressed2_length_beyond_its_record_is_told),
	  RUN(an_impossible_size_inside_ends_the_chunk))
