/*
 * cut.c - shorten the stack copies of a perf.data to BYTES, as `--call-graph dwarf,BYTES` would have recorded them
 *
 * usage: cut BYTES IN OUT
 *
 * IN must be a file as perf of this machine writes it: file mode, one layout of samples, and only weight and data
 * source after the stack copy.  Other files are rejected.
 */
#define _GNU_SOURCE
#define PROGRAM "cut"
#include "perf_file.h"

enum {
	ADDR = 1 << 3, READ = 1 << 4, CALLCHAIN = 1 << 5, ID = 1 << 6, CPU = 1 << 7,
	PERIOD = 1 << 8, STREAM = 1 << 9, RAW = 1 << 10, BRANCH = 1 << 11, REGS = 1 << 12, STACK = 1 << 13,
	WEIGHT = 1 << 14, DATA_SRC = 1 << 15,
	ONE_WORD = IDENTIFIER | IP | TID | TIME | ADDR | ID | STREAM | CPU | PERIOD,
};

/* Return the offset of the word with the size of the stack copy, in a sample of `size` bytes. */
static size_t stack_at(const uint8_t *rec, size_t size, uint64_t type, uint64_t regs)
{
	size_t at = 8 + 8 * (size_t)__builtin_popcountll(type & ONE_WORD);

	if (type & CALLCHAIN) {
		if (at + 8 > size || get(rec + at) > (size - at) / 8)
			die("a call chain is too long");
		at += 8 + 8 * (size_t)get(rec + at);
	}
	if (at + 8 > size)
		die("a sample is too short");
	at += get(rec + at) ? 8 + 8 * (size_t)__builtin_popcountll(regs) : 8;
	if (at + 8 > size || get(rec + at) > size - at - 8)
		die("a stack copy is too long");
	return at;
}

/*
 * Copy the sample `rec` to `to`, with its stack copy cut to `limit` bytes.  `to` may overlap with `rec` if it is not
 * after it.  at: the offset that stack_at() returned; tail: bytes after the stack copy.  Returns the new size of the
 * sample.
 */
static size_t cut_sample(uint8_t *to, const uint8_t *rec, size_t size, size_t at, size_t tail, uint64_t limit)
{
	uint64_t copied = get(rec + at), used, keep = copied < limit ? copied : limit;
	uint16_t new_size;

	if (!copied) {
		memmove(to, rec, size);
		return size;
	}
	if (at + 16 + copied + tail != size)
		die("a sample has more behind its stack copy");
	used = get(rec + at + 8 + copied);
	memmove(to, rec, at);
	put(to + at, keep);
	memmove(to + at + 8, rec + at + 8, keep);
	put(to + at + 8 + keep, used < keep ? used : keep);
	memmove(to + at + 16 + keep, rec + size - tail, tail);
	new_size = (uint16_t)(at + 16 + keep + tail);
	memcpy(to + 6, &new_size, sizeof(new_size));
	return new_size;
}

int main(int argc, char **argv)
{
	uint64_t limit, attr, type, regs, data, end, features = 0;
	size_t len, out, sections, tail;
	uint8_t *p;
	FILE *f;

	if (argc != 4)
		return 2;
	limit = strtoull(argv[1], NULL, 10) & ~7ull;
	p = read_whole(argv[2], &len);
	if (memcmp(p, "PERFILE2", 8) || get(p + 8) != HEADER)
		die("this is no perf.data file of this machine");
	attr = get(p + 24);
	data = get(p + 40);
	end = data + get(p + 48);
	if (get(p + 16) < 112 || attr > len - 112 || get(p + 32) < get(p + 16) || data > len || end > len || end < data)
		die("a section is outside of the file");
	type = get(p + attr + 24);
	regs = get(p + attr + 80);
	if (!(type & STACK) || !(type & REGS) || (type & (READ | RAW | BRANCH)) || type >> 17)
		die("samples have another layout");
	tail = 8 * (size_t)__builtin_popcountll(type & (WEIGHT | DATA_SRC));
	for (uint64_t a = attr; a + get(p + 16) <= attr + get(p + 32) && a + 112 <= len; a += get(p + 16)) {
		uint32_t bytes = (uint32_t)limit;

		if (get(p + a + 24) == type)
			memcpy(p + a + 88, &bytes, sizeof(bytes));
	}
	out = data;
	for (uint64_t at = data; at + 8 <= end; ) {
		uint32_t kind;
		size_t size = record_size(p + at, p + end, &kind);

		if (kind == SAMPLE) {
			out += cut_sample(p + out, p + at, size, stack_at(p + at, size, type, regs), tail, limit);
		} else {
			memmove(p + out, p + at, size);
			out += size;
		}
		at += size;
	}
	/*
	 * The data is followed by the table of the feature sections, which has absolute offsets, and by these sections.
	 */
	for (size_t i = FEATURE_BITS; i < HEADER; i += 8)
		features += (uint64_t)__builtin_popcountll(get(p + i));
	if (features * 16 > len - end)
		die("the table of features is cut off");
	put(p + 48, out - data);
	sections = out;
	memmove(p + out, p + end, len - end);
	for (uint64_t i = 0; i < features; i++)
		put(p + sections + 16 * i, get(p + sections + 16 * i) - (end - out));
	f = fopen(argv[3], "wb");
	if (!f || fwrite(p, 1, out + (len - end), f) != out + (len - end) || fclose(f))
		die("the output cannot be written");
	free(p);
	return 0;
}
