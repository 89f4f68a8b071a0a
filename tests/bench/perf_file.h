/*
 * perf_file.h - read a perf.data whole, for the programs that make other recordings of it
 *
 * The functions end the program with a message if the input is not what they need.
 */
#ifndef TESTS_BENCH_PERF_FILE_H
#define TESTS_BENCH_PERF_FILE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef PROGRAM
#error "define PROGRAM, the name of the program in messages"
#endif

enum {
	HEADER = 104, FEATURE_BITS = 72,	/* size of the header, and offset of its features, in bytes */
	SAMPLE = 9,
	IP = 1 << 0, TID = 1 << 1, TIME = 1 << 2, IDENTIFIER = 1 << 16,
};

static inline _Noreturn void die(const char *what)
{
	fprintf(stderr, PROGRAM ": %s\n", what);
	exit(1);
}

static inline uint64_t get(const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static inline void put(uint8_t *p, uint64_t v) { memcpy(p, &v, sizeof(v)); }

static inline uint8_t *read_whole(const char *path, size_t *len)
{
	FILE *f = fopen(path, "rb");
	uint8_t *data;
	long n;

	if (!f || fseek(f, 0, SEEK_END) || (n = ftell(f)) < HEADER || fseek(f, 0, SEEK_SET))
		die("the input cannot be read");
	data = malloc((size_t)n);
	if (!data || fread(data, 1, (size_t)n, f) != (size_t)n)
		die("the input cannot be read");
	fclose(f);
	*len = (size_t)n;
	return data;
}

/* Return the size of the record at `at` in bytes, and set its type.  The records end at `end`. */
static inline size_t record_size(const uint8_t *at, const uint8_t *end, uint32_t *type)
{
	uint16_t size;

	if (end - at < 8)
		die("the last record is cut off");
	memcpy(type, at, 4);
	memcpy(&size, at + 6, 2);
	if (size < 8 || size > end - at)
		die("a record is longer than its section");
	return size;
}

#endif
