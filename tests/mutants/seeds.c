/*
 * seeds.c - small valid recordings, from which mutants are made
 *
 * Each row of the table of shapes makes one recording.  It defines the byte order, file or pipe mode,
 * compression, and the fields of the samples.  A recording has processes that fork, map, are renamed
 * and end, and about SAMPLES samples.  One in file mode also has header features.
 */
#include "mutants.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

enum { SAMPLES = 80, ID = 700, STACK = 256, BASE = 0x400000 };

struct shape {
	const char *name;
	bool big, pipe;
	unsigned int zstd;		/* type of the compressed records, 81 or 83; 0: not compressed */
	unsigned int nevents;
	uint64_t type, read_format;
};

#define COMMON (PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD)
#define IDS (COMMON | PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_CPU)
#define CHAINS (IDS | PERF_SAMPLE_CALLCHAIN)
#define STACKS (CHAINS | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER)
#define ALL (STACKS | PERF_SAMPLE_ADDR | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_RAW | \
	     PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_WEIGHT | PERF_SAMPLE_TRANSACTION | PERF_SAMPLE_PHYS_ADDR | \
	     PERF_SAMPLE_CGROUP)

static const struct shape shapes[] = {
	{ "file", false, false, 0, 1, COMMON, 0 },
	{ "file-big-endian", true, false, 0, 1, COMMON | PERF_SAMPLE_CALLCHAIN, 0 },
	{ "file-two-events", false, false, 0, 2, CHAINS, 0 },
	{ "file-group", false, false, 0, 2, IDS | PERF_SAMPLE_READ, PERF_FORMAT_GROUP | PERF_FORMAT_ID },
	{ "file-stacks", false, false, 0, 1, STACKS, 0 },
	{ "file-all-fields", false, false, 0, 3, ALL, 0 },
	{ "file-all-big-endian", true, false, 0, 2, ALL, 0 },
	{ "pipe", false, true, 0, 2, CHAINS, 0 },
	{ "pipe-big-endian", true, true, 0, 2, IDS, 0 },
	{ "pipe-all-fields", false, true, 0, 1, ALL, 0 },
	{ "zstd-file", false, false, 81, 1, CHAINS, 0 },
	{ "zstd-pipe", false, true, 81, 2, CHAINS, 0 },
	{ "zstd2-file", false, false, 83, 2, STACKS, 0 },
};

struct maker {
	const struct shape *shape;
	struct bytes data;		/* the records, also those that will be compressed */
	uint64_t time;
};

static void word(struct maker *m, struct bytes *b, uint64_t v, unsigned int width)
{
	uint8_t p[8];

	store(p, width, m->shape->big, v);
	put(b, p, width);
}

static void text(struct bytes *b, const char *s)	/* with zero bytes up to a multiple of eight */
{
	put(b, s, strlen(s) + 1);
	fill(b, (8 - b->n % 8) % 8);
}

static size_t begin(struct maker *m, struct bytes *b, uint32_t type, unsigned int misc)
{
	size_t at = b->n;

	word(m, b, type, 4);
	word(m, b, misc, 2);
	word(m, b, 0, 2);
	return at;
}

static void finish(struct maker *m, struct bytes *b, size_t at)
{
	store(b->p + at + 6, 2, m->shape->big, b->n - at);
}

/* Write the trailer that all records except samples have (sample_id), and finish the record that begins at `at`. */
static void side(struct maker *m, size_t at, uint32_t pid)
{
	word(m, &m->data, pid, 4);
	word(m, &m->data, pid, 4);
	word(m, &m->data, m->time += 1000, 8);
	if (m->shape->type & PERF_SAMPLE_ID)
		word(m, &m->data, ID, 8);
	if (m->shape->type & PERF_SAMPLE_STREAM_ID)
		word(m, &m->data, 9, 8);
	if (m->shape->type & PERF_SAMPLE_CPU)
		word(m, &m->data, 0, 8);
	if (m->shape->type & PERF_SAMPLE_IDENTIFIER)
		word(m, &m->data, ID, 8);
	finish(m, &m->data, at);
}

static void comm(struct maker *m, uint32_t pid, const char *name)
{
	size_t at = begin(m, &m->data, PERF_RECORD_COMM, 0);

	word(m, &m->data, pid, 4);
	word(m, &m->data, pid, 4);
	text(&m->data, name);
	side(m, at, pid);
}

static void map(struct maker *m, uint32_t pid, uint64_t addr, uint64_t len, const char *name, bool second)
{
	size_t at = begin(m, &m->data, second ? PERF_RECORD_MMAP2 : PERF_RECORD_MMAP, PERF_RECORD_MISC_USER);

	word(m, &m->data, pid, 4);
	word(m, &m->data, pid, 4);
	word(m, &m->data, addr, 8);
	word(m, &m->data, len, 8);
	word(m, &m->data, 0, 8);
	if (second) {
		word(m, &m->data, 8, 4);
		word(m, &m->data, 1, 4);
		word(m, &m->data, 77, 8);
		word(m, &m->data, 0, 8);
		word(m, &m->data, 5, 4);
		word(m, &m->data, 2, 4);
	}
	text(&m->data, name);
	side(m, at, pid);
}

static void task(struct maker *m, uint32_t type, uint32_t pid, uint32_t parent)
{
	size_t at = begin(m, &m->data, type, 0);

	word(m, &m->data, pid, 4);
	word(m, &m->data, parent, 4);
	word(m, &m->data, pid, 4);
	word(m, &m->data, parent, 4);
	word(m, &m->data, m->time, 8);
	side(m, at, pid);
}

static void sample(struct maker *m, unsigned int i, uint32_t pid)
{
	struct bytes *b = &m->data;
	uint64_t t = m->shape->type, id = ID + i % m->shape->nevents, ip = BASE + 16 * (i % 20);
	size_t at = begin(m, b, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);

	if (t & PERF_SAMPLE_IDENTIFIER)
		word(m, b, id, 8);
	word(m, b, ip, 8);
	word(m, b, pid, 4);
	word(m, b, pid, 4);
	word(m, b, m->time += 500, 8);
	if (t & PERF_SAMPLE_ADDR)
		word(m, b, 0x601000 + i, 8);
	if (t & PERF_SAMPLE_ID)
		word(m, b, id, 8);
	if (t & PERF_SAMPLE_STREAM_ID)
		word(m, b, 9, 8);
	if (t & PERF_SAMPLE_CPU)
		word(m, b, i % 4, 8);
	word(m, b, 1000 + i, 8);
	if (t & PERF_SAMPLE_READ) {
		word(m, b, m->shape->nevents, 8);
		for (unsigned int k = 0; k < m->shape->nevents; k++) {
			word(m, b, 100 * (i + 1) * (k + 1), 8);
			word(m, b, ID + k, 8);
		}
	}
	if (t & PERF_SAMPLE_CALLCHAIN) {
		word(m, b, 3 + i % 4, 8);
		word(m, b, PERF_CONTEXT_USER, 8);
		word(m, b, ip, 8);
		for (unsigned int k = 0; k <= i % 4; k++)
			word(m, b, BASE + 0x400 + 32 * k, 8);
	}
	if (t & PERF_SAMPLE_RAW) {
		word(m, b, 12, 4);
		fill(b, 12);
	}
	if (t & PERF_SAMPLE_BRANCH_STACK) {
		word(m, b, 2, 8);
		for (unsigned int k = 0; k < 2; k++) {
			word(m, b, ip - 8, 8);
			word(m, b, BASE + 64 * k, 8);
			word(m, b, 0, 8);
		}
	}
	if (t & PERF_SAMPLE_REGS_USER) {
		word(m, b, 2, 8);
		for (unsigned int k = 0; k < 3; k++)
			word(m, b, k == 2 ? ip : 0x7ffe0000, 8);
	}
	if (t & PERF_SAMPLE_STACK_USER) {
		word(m, b, STACK, 8);
		for (unsigned int k = 0; k < STACK / 8; k++)
			word(m, b, k % 3 ? k : BASE + 8 * k, 8);
		word(m, b, STACK, 8);
	}
	if (t & PERF_SAMPLE_WEIGHT)
		word(m, b, 30, 8);
	if (t & PERF_SAMPLE_TRANSACTION)
		word(m, b, 0, 8);
	if (t & PERF_SAMPLE_PHYS_ADDR)
		word(m, b, 0x1000, 8);
	if (t & PERF_SAMPLE_CGROUP)
		word(m, b, 1, 8);
	finish(m, b, at);
}

static void attr(struct maker *m, struct bytes *b, unsigned int i)
{
	size_t at = b->n;

	word(m, b, 1, 4);
	word(m, b, 112, 4);
	word(m, b, i, 8);
	word(m, b, 4000, 8);
	word(m, b, m->shape->type, 8);
	word(m, b, m->shape->read_format, 8);
	fill(b, 8);
	b->p[at + 42] = m->shape->big ? 1 << 5
				      /* sample_id_all; a big-endian machine fills a byte from the top bit */
				      : 1 << 2;
	fill(b, 24);
	word(m, b, m->shape->type & PERF_SAMPLE_BRANCH_STACK ? 8 : 0, 8);
	word(m, b, 1 << 6 | 1 << 7 | 1 << 8, 8);		/* BP, SP, IP */
	word(m, b, STACK, 4);
	fill(b, at + 112 - b->n);
}

static void records(struct maker *m)
{
	struct bytes *b = &m->data;

	comm(m, 10, "first");
	map(m, 10, BASE, 0x2000, "/opt/app", true);
	map(m, 10, 0x7f0000000000, 0x1000, "/opt/lib.so", false);
	for (unsigned int i = 0; i < SAMPLES; i++) {
		if (i == 20) {
			task(m, PERF_RECORD_FORK, 11, 10);
			comm(m, 11, "second");
		}
		if (i == 40)
			map(m, 11, BASE, 0x1000, "/opt/other", true);
		if (i == 60)
			task(m, PERF_RECORD_EXIT, 11, 10);
		if (i % 25 == 24)
			finish(m, b, begin(m, b, 68, 0));
		sample(m, i, i < 20 || i >= 60 ? 10 : 10 + i % 2);
	}
	finish(m, b, begin(m, b, 68, 0));
}

/* Replace the records by about six compressed records.  The cuts between them need not be at the end of a record. */
static void compress(struct maker *m)
{
	struct bytes plain = m->data;
	ZSTD_CCtx *ctx = ZSTD_createCCtx();
	size_t chunk = plain.n / 6 + 5;

	m->data = (struct bytes){ 0 };
	for (size_t pos = 0; pos < plain.n; pos += chunk) {
		static uint8_t space[1 << 16];
		ZSTD_inBuffer in = { plain.p + pos, plain.n - pos < chunk ? plain.n - pos : chunk, 0 };
		ZSTD_outBuffer out = { space, sizeof(space), 0 };
		size_t at = begin(m, &m->data, m->shape->zstd, 0);

		if (ZSTD_compressStream2(ctx, &out, &in, ZSTD_e_flush))
			die("a chunk does not fit", m->shape->name);
		if (m->shape->zstd == 83)
			word(m, &m->data, out.pos, 8);
		put(&m->data, space, out.pos);
		if (m->shape->zstd == 83)
			fill(&m->data, (8 - m->data.n % 8) % 8);
		finish(m, &m->data, at);
	}
	ZSTD_freeCCtx(ctx);
	free(plain.p);
}

struct feature {
	unsigned int bit;
	struct bytes body;
};

static void string(struct maker *m, struct bytes *b, const char *s)
{
	size_t n = (strlen(s) + 8) & ~(size_t)7;

	word(m, b, n, 4);
	put(b, s, strlen(s));
	fill(b, n - strlen(s));
}

/* Write the feature COMPRESSED: version, type (1: zstd), level, ratio, size of the mmap buffers. */
static void compressed(struct maker *m, struct feature *f)
{
	const uint32_t words[] = { 1, 1, 1, 3, 528384 };

	f->bit = 27;
	for (size_t i = 0; i < 5; i++)
		word(m, &f->body, words[i], 4);
}

static size_t features(struct maker *m, struct feature *f)
{
	static const struct { unsigned int bit; const char *text; } strings[] = {
		{ 3, "machine" }, { 4, "6.1.0" }, { 5, "6.1.1" }, { 6, "x86_64" }, { 8, "A Processor" },
		{ 9, "Vendor,6,1,1" },
	};
	size_t n = 0;

	for (size_t i = 0; i < sizeof(strings) / sizeof(strings[0]); i++) {
		if (strings[i].bit == 8) {
			f[n] = (struct feature){ .bit = 7 };
			word(m, &f[n].body, 4, 4);
			word(m, &f[n++].body, 4, 4);
		}
		f[n] = (struct feature){ .bit = strings[i].bit };
		string(m, &f[n++].body, strings[i].text);
	}
	f[n] = (struct feature){ .bit = 11 };
	word(m, &f[n].body, 3, 4);
	string(m, &f[n].body, "perf");
	string(m, &f[n].body, "record");
	string(m, &f[n++].body, "app");
	f[n] = (struct feature){ .bit = 12 };
	word(m, &f[n].body, m->shape->nevents, 4);
	word(m, &f[n].body, 112, 4);
	for (unsigned int i = 0; i < m->shape->nevents; i++) {
		char name[32];

		snprintf(name, sizeof(name), "event-%u", i);
		attr(m, &f[n].body, i);
		word(m, &f[n].body, 1, 4);
		string(m, &f[n].body, name);
		word(m, &f[n].body, ID + i, 8);
	}
	n++;
	if (m->shape->zstd)
		compressed(m, &f[n++]);
	return n;
}

static void make_file(struct maker *m, struct bytes *b)
{
	struct feature f[16] = { 0 };
	size_t nf = features(m, f), nevents = m->shape->nevents;
	uint64_t attrs_at = 104 + 8 * nevents, data_at = attrs_at + 128 * nevents, at = data_at + m->data.n + 16 * nf;
	uint64_t bits = 0;

	for (size_t i = 0; i < nf; i++)
		bits |= UINT64_C(1) << f[i].bit;
	put(b, m->shape->big ? "2ELIFREP" : "PERFILE2", 8);
	word(m, b, 104, 8);
	word(m, b, 128, 8);
	word(m, b, attrs_at, 8);
	word(m, b, 128 * nevents, 8);
	word(m, b, data_at, 8);
	word(m, b, m->data.n, 8);
	fill(b, 16);
	word(m, b, bits, 8);
	fill(b, 24);
	for (size_t i = 0; i < nevents; i++)
		word(m, b, ID + i, 8);
	for (unsigned int i = 0; i < nevents; i++) {
		attr(m, b, i);
		word(m, b, 104 + 8 * (uint64_t)i, 8);
		word(m, b, 8, 8);
	}
	put(b, m->data.p, m->data.n);
	for (size_t i = 0; i < nf; i++) {
		word(m, b, at, 8);
		word(m, b, f[i].body.n, 8);
		at += f[i].body.n;
	}
	for (size_t i = 0; i < nf; i++) {
		put(b, f[i].body.p, f[i].body.n);
		free(f[i].body.p);
	}
}

static void make_pipe(struct maker *m, struct bytes *b)
{
	struct feature f[16] = { 0 };
	size_t nf = features(m, f), at;

	put(b, m->shape->big ? "2ELIFREP" : "PERFILE2", 8);
	word(m, b, 16, 8);
	for (unsigned int i = 0; i < m->shape->nevents; i++) {
		at = begin(m, b, 64, 0);
		attr(m, b, i);
		word(m, b, ID + i, 8);
		finish(m, b, at);
	}
	for (size_t i = 0; i < nf; i++) {
		at = begin(m, b, 80, 0);
		word(m, b, f[i].bit, 8);
		put(b, f[i].body.p, f[i].body.n);
		finish(m, b, at);
		free(f[i].body.p);
	}
	put(b, m->data.p, m->data.n);
}

const char *make_seed(struct bytes *b, unsigned int i)
{
	struct maker m = { .time = UINT64_C(1000000000) };

	if (i >= sizeof(shapes) / sizeof(shapes[0]))
		return NULL;
	m.shape = &shapes[i];
	records(&m);
	if (m.shape->zstd)
		compress(&m);
	if (m.shape->pipe)
		make_pipe(&m, b);
	else
		make_file(&m, b);
	free(m.data.p);
	return m.shape->name;
}
