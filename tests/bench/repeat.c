/*
 * repeat.c - make a large perf.data of a small one by repeating its samples at later times
 *
 * usage: repeat COPIES IN OUT      write plain records
 *        repeat -z COPIES IN OUT   write the records inside COMPRESSED records, as `perf record -z` does
 *
 * Each copy of the samples begins after the end of the previous one.  All other records are written once, and EXIT
 * records last, so that every process exists during all copies.  IN must be a file as perf of this machine writes it:
 * file mode, not compressed, with one layout of samples that have a time.  Other files are rejected.
 */
#define _GNU_SOURCE
#define PROGRAM "repeat"
#include "perf_file.h"

#include <stdbool.h>
#include <zstd.h>

enum {
	FEATURE_COMPRESSED = 27,
	EXIT = 4, ROUND = 68, COMPRESSED = 81,
	PORTION = 256 * 1024,	/* bytes of records in a COMPRESSED record */
};

static struct {
	FILE *file;
	uint64_t at;		/* bytes written */
	ZSTD_CCtx *zstd;	/* NULL: plain records */
	size_t held;
	uint8_t portion[PORTION];
} out;

static void write_bytes(const void *p, size_t n)
{
	if (fwrite(p, 1, n, out.file) != n)
		die("the output cannot be written");
	out.at += n;
}

/* Compress `n` bytes of records into one frame.  If the frame is too long for a record, compress each half instead. */
static void write_compressed(const uint8_t *p, size_t n)
{
	static uint8_t rec[PORTION + 64 * 1024];
	uint16_t size;
	size_t got = ZSTD_compressCCtx(out.zstd, rec + 8, sizeof(rec) - 8, p, n, 1);
	uint32_t type = COMPRESSED;

	if (ZSTD_isError(got))
		die("libzstd cannot compress a portion");
	if (got > UINT16_MAX - 8) {
		write_compressed(p, n / 2);
		write_compressed(p + n / 2, n - n / 2);
		return;
	}
	size = (uint16_t)(8 + got);
	memcpy(rec, &type, 4);
	memset(rec + 4, 0, 2);
	memcpy(rec + 6, &size, 2);
	write_bytes(rec, size);
}

static void flush_portion(void)
{
	if (out.held)
		write_compressed(out.portion, out.held);
	out.held = 0;
}

static void write_record(const uint8_t *rec, size_t size)
{
	if (!out.zstd) {
		write_bytes(rec, size);
		return;
	}
	if (size > PORTION - out.held)
		flush_portion();
	memcpy(out.portion + out.held, rec, size);
	out.held += size;
}

/* The bytes from p up to `end`, which consist of records. */
struct records { uint8_t *p, *end; };

/* Return the time from the first to the last sample, in ns, plus one. */
static uint64_t span(const struct records *r, size_t time_at)
{
	uint64_t first = UINT64_MAX, last = 0;
	uint32_t kind;
	size_t size;

	for (uint8_t *at = r->p; at < r->end; at += size) {
		size = record_size(at, r->end, &kind);
		if (kind == COMPRESSED)
			die("the input is compressed");
		if (kind != SAMPLE)
			continue;
		if (size < time_at + 8)
			die("a sample is too short");
		if (get(at + time_at) < first)
			first = get(at + time_at);
		if (get(at + time_at) > last)
			last = get(at + time_at);
	}
	if (first > last)
		die("there is no sample");
	return last - first + 1;
}

static void write_copy(const struct records *r, size_t time_at, uint64_t later, bool others)
{
	uint32_t kind;
	size_t size;

	for (uint8_t *at = r->p; at < r->end; at += size) {
		size = record_size(at, r->end, &kind);
		if (kind == SAMPLE)
			put(at + time_at, get(at + time_at) + later);
		if (kind == SAMPLE || kind == ROUND || (others && kind != EXIT))
			write_record(at, size);
	}
}

static void write_exits(const struct records *r)
{
	uint32_t kind;
	size_t size;

	for (uint8_t *at = r->p; at < r->end; at += size) {
		size = record_size(at, r->end, &kind);
		if (kind == EXIT)
			write_record(at, size);
	}
}

/* Write the table of the features and their sections, with the section of COMPRESSED if the records are compressed. */
static void write_features(uint8_t *p, size_t len, uint64_t end)
{
	/* version, zstd, level, ratio, bytes of a mmap */
	static const uint32_t compressed[5] = { 1, 1, 1, 1, PORTION };
	uint64_t features = 0, moved, before = 0, table, sections;
	uint8_t entry[16];

	for (int bit = 0; bit < 256; bit++) {
		if (!(p[FEATURE_BITS + bit / 8] >> bit % 8 & 1))
			continue;
		features++;
		before += bit < FEATURE_COMPRESSED;
	}
	if (features * 16 > len - end)
		die("the table of features is cut off");
	table = out.at;
	sections = table + features * 16 + (out.zstd ? 16 : 0);
	moved = sections - (end + features * 16);
	for (uint64_t i = 0; i <= features; i++) {
		if (out.zstd && i == before) {
			put(entry, sections + (len - end - features * 16));
			put(entry + 8, sizeof(compressed));
			write_bytes(entry, sizeof(entry));
		}
		if (i < features) {
			put(entry, get(p + end + 16 * i) + moved);
			put(entry + 8, get(p + end + 16 * i + 8));
			write_bytes(entry, sizeof(entry));
		}
	}
	write_bytes(p + end + features * 16, len - end - features * 16);
	if (out.zstd) {
		write_bytes(compressed, sizeof(compressed));
		p[FEATURE_BITS + FEATURE_COMPRESSED / 8] |= 1 << FEATURE_COMPRESSED % 8;
	}
}

int main(int argc, char **argv)
{
	bool zstd = argc > 1 && !strcmp(argv[1], "-z");
	uint64_t attr, type, data, end, copies, later;
	struct records records;
	size_t len, time_at;
	uint8_t *p;

	argv += zstd;
	if (argc - zstd != 4)
		return 2;
	copies = strtoull(argv[1], NULL, 10);
	p = read_whole(argv[2], &len);
	if (memcmp(p, "PERFILE2", 8) || get(p + 8) != HEADER)
		die("this is no perf.data file of this machine");
	attr = get(p + 24);
	data = get(p + 40);
	end = data + get(p + 48);
	if (get(p + 16) < 112 || attr > len - 112 || data > len || end > len || end < data)
		die("a section is outside of the file");
	type = get(p + attr + 24);
	for (uint64_t a = attr; a + get(p + 16) <= attr + get(p + 32) && a + 112 <= len; a += get(p + 16))
		if (get(p + a + 24) != type)
			die("the events have different layouts of samples");
	if (!(type & TIME))
		die("the samples have no time");
	if (p[FEATURE_BITS + FEATURE_COMPRESSED / 8] >> FEATURE_COMPRESSED % 8 & 1)
		die("the input is compressed");
	time_at = 8 + 8 * (size_t)__builtin_popcountll(type & (IDENTIFIER | IP | TID));
	records = (struct records){ p + data, p + end };
	later = span(&records, time_at);
	out.file = fopen(argv[3], "wb");
	out.zstd = zstd ? ZSTD_createCCtx() : NULL;
	if (!out.file || (zstd && !out.zstd))
		die("the output cannot be written");
	write_bytes(p, data);
	for (uint64_t i = 0; i < copies; i++)
		write_copy(&records, time_at, i ? later : 0, i == 0);
	write_exits(&records);
	flush_portion();
	put(p + 48, out.at - data);
	write_features(p, len, end);
	if (fseek(out.file, 0, SEEK_SET) || fwrite(p, 1, data, out.file) != data || fclose(out.file))
		die("the output cannot be written");
	ZSTD_freeCCtx(out.zstd);
	free(p);
	return 0;
}
