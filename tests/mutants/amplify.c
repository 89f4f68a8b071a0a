/*
 * amplify.c - write small inputs that unpack to much, for which a reader must not need much time or memory
 *
 * Each row of the table `kinds` is a kind of input.  It writes records until the packed recording has the wanted size,
 * or until the unpacked records are much larger than that.  The records of a kind fill one table of a reader: that of
 * call chains without common callers, addresses, names, mappings, threads or events.
 */
#include "mutants.h"

#include "../../src/preload/format.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

/*
 * Stop at this number of unpacked bytes, plus this number for each byte of the wanted size.  Readers that limit the
 * ratio allow about 1000.
 */
#define UNPACKED_LEAST	(UINT64_C(100) << 20)
#define UNPACKED_RATIO	1100
#define BASE		UINT64_C(0x400000)
#define CODE_BYTES	(UINT64_C(1) << 40)
enum { CODE = 0x1000 };			/* offset of the code in a program */
enum { WORDS_MAX = 8180, PACKED_RECORD = 60000, NAME_MAX_BYTES = 4000 };

struct stream {
	struct bytes packed;
	ZSTD_CCtx *ctx;
	uint64_t unpacked, time;
	uint64_t sample_type;
	size_t block;			/* unpacked bytes after which the compressor begins a new frame; 0: one frame */
	size_t in_block;
	struct rng r;
	uint8_t pending[PACKED_RECORD];
	size_t npending;
};

static void put_word(struct bytes *b, uint64_t v, unsigned int width)
{
	put(b, &v, width);		/* little-endian, like the machines on which the tests run */
}

static void end_record(struct stream *s)
{
	struct perf_event_header h = { 81, 0, (uint16_t)(sizeof(h) + s->npending) };

	if (!s->npending)
		return;
	put(&s->packed, &h, sizeof(h));
	put(&s->packed, s->pending, s->npending);
	s->npending = 0;
}

static void pack(struct stream *s, const void *p, size_t n, ZSTD_EndDirective how)
{
	ZSTD_inBuffer in = { p, n, 0 };
	size_t left;

	do {
		ZSTD_outBuffer out = { s->pending, sizeof(s->pending), s->npending };

		left = ZSTD_compressStream2(s->ctx, &out, &in, how);
		if (ZSTD_isError(left))
			die("cannot compress", "amplify");
		s->npending = out.pos;
		if (out.pos == out.size)
			end_record(s);
	} while (in.pos < in.size || (how != ZSTD_e_continue && left));
	s->unpacked += n;
	s->in_block += n;
	if (s->block && s->in_block >= s->block && how == ZSTD_e_continue) {
		s->in_block = 0;
		pack(s, NULL, 0, ZSTD_e_end);
		end_record(s);
	}
}

static void emit(struct stream *s, uint32_t type, unsigned int misc, const struct bytes *body)
{
	struct perf_event_header h = { type, (uint16_t)misc, (uint16_t)(sizeof(h) + body->n) };

	pack(s, &h, sizeof(h), ZSTD_e_continue);
	pack(s, body->p, body->n, ZSTD_e_continue);
}

static bool full(const struct stream *s, size_t bytes)
{
	return s->packed.n + s->npending >= bytes || s->unpacked >= UNPACKED_LEAST + UNPACKED_RATIO * (uint64_t)bytes;
}

static void map(struct stream *s, uint32_t pid, uint64_t addr, uint64_t len, const char *name)
{
	struct bytes b = { 0 };

	put_word(&b, pid, 4);
	put_word(&b, pid, 4);
	put_word(&b, addr, 8);
	put_word(&b, len, 8);
	put_word(&b, 0, 8);
	put(&b, name, strlen(name) + 1);
	fill(&b, (8 - b.n % 8) % 8);
	put_word(&b, pid, 4);
	put_word(&b, pid, 4);
	put_word(&b, ++s->time, 8);
	emit(s, PERF_RECORD_MMAP, PERF_RECORD_MISC_USER, &b);
	free(b.p);
}

static void comm(struct stream *s, uint32_t pid, uint32_t tid, const char *name)
{
	struct bytes b = { 0 };

	put_word(&b, pid, 4);
	put_word(&b, tid, 4);
	put(&b, name, strlen(name) + 1);
	fill(&b, (8 - b.n % 8) % 8);
	put_word(&b, pid, 4);
	put_word(&b, tid, 4);
	put_word(&b, ++s->time, 8);
	emit(s, PERF_RECORD_COMM, 0, &b);
	free(b.p);
}

static void sample_in(struct stream *s, uint64_t context, uint32_t pid, uint32_t tid, const uint64_t *chain, size_t n)
{
	struct bytes b = { 0 };

	put_word(&b, chain[0], 8);
	put_word(&b, pid, 4);
	put_word(&b, tid, 4);
	put_word(&b, s->time += 1000, 8);
	put_word(&b, 1, 8);
	put_word(&b, n + 1, 8);
	put_word(&b, context, 8);
	put(&b, chain, 8 * n);
	emit(s, PERF_RECORD_SAMPLE, context == PERF_CONTEXT_KERNEL ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER,
		&b);
	free(b.p);
}

static void sample(struct stream *s, uint32_t pid, uint32_t tid, const uint64_t *chain, size_t n)
{
	sample_in(s, PERF_CONTEXT_USER, pid, tid, chain, n);
}

static void kernel_symbol(struct stream *s, uint64_t addr, uint32_t len, size_t name_bytes)
{
	struct bytes b = { 0 };

	put_word(&b, addr, 8);
	put_word(&b, len, 4);
	put_word(&b, 1, 4);		/* type: a BPF program */
	fill(&b, name_bytes);
	memset(b.p + 16, 'k', name_bytes - 8);
	for (int i = 0; i < 16; i++)
		b.p[16 + i] = "0123456789abcdef"[addr >> 4 * i & 15];
	put_word(&b, 10, 4);
	put_word(&b, 10, 4);
	put_word(&b, ++s->time, 8);
	emit(s, PERF_RECORD_KSYMBOL, 0, &b);
	free(b.p);
}

static void long_name(char name[NAME_MAX_BYTES + 1], uint64_t i)
{
	memset(name, 'n', NAME_MAX_BYTES);
	name[snprintf(name, 32, "/x/%llu", (unsigned long long)i)] = '-';
	name[NAME_MAX_BYTES] = '\0';
}

/* ---- the kinds ---- */

/* Chains whose outermost caller differs, so that all stacks differ. */
static void chains(struct stream *s, size_t bytes)
{
	static uint64_t chain[WORDS_MAX];

	map(s, 10, BASE, CODE_BYTES, "//anon");
	for (size_t i = 0; i < WORDS_MAX; i++)
		chain[i] = BASE + 16 * (i % 61);
	for (uint64_t i = 0; !full(s, bytes); i++) {
		chain[WORDS_MAX - 1] = BASE + 4096 + 16 * i;
		sample(s, 10, 10, chain, WORDS_MAX);
	}
}

/* Chains as in chains(), but of 100 addresses, so that there are many samples as well. */
static void short_chains(struct stream *s, size_t bytes)
{
	uint64_t chain[100];

	map(s, 10, BASE, CODE_BYTES, "//anon");
	for (size_t i = 0; i < 100; i++)
		chain[i] = BASE + 16 * (i % 61);
	for (uint64_t i = 0; !full(s, bytes); i++) {
		chain[99] = BASE + 4096 + 16 * i;
		sample(s, 10, 10, chain, 100);
	}
}

/* 40 different stacks that repeat: they add nothing to the tables, but every address is looked up. */
static void same_chains(struct stream *s, size_t bytes)
{
	static uint64_t chain[WORDS_MAX];

	map(s, 10, BASE, CODE_BYTES, "//anon");
	for (size_t i = 0; i < WORDS_MAX; i++)
		chain[i] = BASE + 4096 * i;
	for (uint64_t i = 0; !full(s, bytes); i++) {
		chain[WORDS_MAX - 1] = BASE + 4096 * (i % 40);
		sample(s, 10, 10, chain, WORDS_MAX);
	}
}

/* 30 long stacks that repeat.  Their addresses are random, so the nodes do not fit into a processor's cache. */
static void scattered_chains(struct stream *s, size_t bytes)
{
	enum { STACKS = 30 };
	static uint64_t chain[STACKS][WORDS_MAX];

	map(s, 10, BASE, CODE_BYTES, "//anon");
	for (size_t k = 0; k < STACKS; k++)
		for (size_t i = 0; i < WORDS_MAX; i++)
			chain[k][i] = BASE + 16 * below(&s->r, 20000);
	for (uint64_t i = 0; !full(s, bytes); i++)
		sample(s, 10, 10, chain[i % STACKS], WORDS_MAX);
}

/* Each address occurs only once. */
static void addresses(struct stream *s, size_t bytes)
{
	static uint64_t chain[WORDS_MAX];

	map(s, 10, BASE, CODE_BYTES, "//anon");
	for (uint64_t i = 0; !full(s, bytes); i++) {
		for (uint64_t k = 0; k < 500; k++)
			chain[k] = BASE + 500 * i + k;
		sample(s, 10, 10, chain, 500);
	}
}

/* Equal addresses in processes that each map another file there. */
static void objects(struct stream *s, size_t bytes)
{
	uint64_t chain[200];
	char name[64];

	for (size_t i = 0; i < 200; i++)
		chain[i] = BASE + 64 * i;
	for (uint32_t i = 0; !full(s, bytes); i++) {
		snprintf(name, sizeof(name), "/opt/%u", i);
		map(s, 10 + i, BASE, CODE_BYTES, name);
		sample(s, 10 + i, 10 + i, chain, 200);
	}
}

static void mappings(struct stream *s, size_t bytes)
{
	const uint64_t chain[] = { BASE };
	char name[64];

	for (uint32_t i = 0; !full(s, bytes); i++) {
		snprintf(name, sizeof(name), "/opt/%u", i);
		map(s, 10, BASE, 4096, name);
	}
	sample(s, 10, 10, chain, 1);
}

/* Many mappings of one page in one process: each one creates a new version of a large address space. */
static void ranges(struct stream *s, size_t bytes)
{
	const uint64_t chain[] = { BASE };

	for (uint32_t i = 0; !full(s, bytes); i++)
		map(s, 10, BASE + 4096 * (uint64_t)(i * 7919 % 1000003), 4096, "/opt/app");
	sample(s, 10, 10, chain, 1);
}

/* Processes with one mapping and one sample each. */
static void processes(struct stream *s, size_t bytes)
{
	const uint64_t chain[] = { BASE + 16, BASE + 32 };

	for (uint32_t i = 0; !full(s, bytes); i++) {
		map(s, 10 + i, BASE, 4096, "/opt/app");
		sample(s, 10 + i, 10 + i, chain, 2);
	}
}

static void names(struct stream *s, size_t bytes)
{
	const uint64_t chain[] = { BASE + 16 };
	char name[NAME_MAX_BYTES + 1];

	for (uint32_t i = 0; !full(s, bytes); i++) {
		long_name(name, i);
		map(s, 10, BASE, 4096, name);
		sample(s, 10, 10, chain, 1);
	}
}

/* Deep stacks in a file with a long name, so that the output is long. */
static void deep_names(struct stream *s, size_t bytes)
{
	static uint64_t chain[WORDS_MAX];
	char name[NAME_MAX_BYTES + 1];

	long_name(name, 1);
	map(s, 10, BASE, CODE_BYTES, name);
	for (uint64_t i = 0; !full(s, bytes); i++) {
		for (uint64_t k = 0; k < 1000; k++)
			chain[k] = BASE + 64 * (k + i);
		sample(s, 10, 10, chain, 1000);
	}
}

/* Deep stacks of kernel functions, whose names are long and come from KSYMBOL records. */
static void long_symbols(struct stream *s, size_t bytes)
{
	const uint64_t kernel = UINT64_C(0xffffffffc0000000);
	static uint64_t chain[WORDS_MAX];

	for (uint64_t i = 0; i < 8; i++)
		kernel_symbol(s, kernel + 4096 * i, 4096, 60000);
	for (uint64_t i = 0; !full(s, bytes); i++) {
		for (uint64_t k = 0; k < WORDS_MAX; k++)
			chain[k] = kernel + 4096 * (k < 20 ? i >> k & 1 : k % 8) + 16;
		sample_in(s, PERF_CONTEXT_KERNEL, 10, 10, chain, WORDS_MAX);
	}
}

static void threads(struct stream *s, size_t bytes)
{
	const uint64_t chain[] = { BASE + 16, BASE + 32 };
	char name[16];

	map(s, 10, BASE, 4096, "/opt/app");
	for (uint32_t i = 0; !full(s, bytes); i++) {
		snprintf(name, sizeof(name), "t%u", i);
		comm(s, 10, 11 + i, name);
		sample(s, 10, 11 + i, chain, 2);
	}
}

/* The same deep stack in many threads, each with a name of its own, which becomes a root in the output. */
static void deep_threads(struct stream *s, size_t bytes)
{
	static uint64_t chain[WORDS_MAX];
	char name[16];

	map(s, 10, BASE, CODE_BYTES, "//anon");
	for (size_t i = 0; i < WORDS_MAX; i++)
		chain[i] = BASE + 16 * (i % 61);
	for (uint32_t i = 0; !full(s, bytes); i++) {
		snprintf(name, sizeof(name), "t%u", i);
		comm(s, 10, 11 + i, name);
		sample(s, 10, 11 + i, chain, WORDS_MAX);
	}
}

/* Many zstd frames of about 512 unpacked bytes. */
static void tiny_frames(struct stream *s, size_t bytes)
{
	uint64_t chain[120];

	s->block = 512;
	map(s, 10, BASE, CODE_BYTES, "//anon");
	for (uint64_t i = 0; !full(s, bytes); i++) {
		for (uint64_t k = 0; k < 120; k++)
			chain[k] = BASE + 16 * (k % 3) + 4096 * i;
		sample(s, 10, 10, chain, 120);
	}
}

/* ---- header and attrs of the recording ---- */

static void attr(struct bytes *b, uint64_t config, uint64_t type)
{
	size_t at = b->n;

	put_word(b, 1, 4);
	put_word(b, 112, 4);
	put_word(b, config, 8);
	put_word(b, 4000, 8);
	put_word(b, type, 8);
	fill(b, 8);
	fill(b, 8);
	b->p[at + 42] = 1 << 2;			/* sample_id_all */
	fill(b, at + 112 - b->n);
}

static void recording(struct bytes *b, const struct bytes *records, size_t nattrs, uint64_t type)
{
	uint64_t attrs_at = 104, data_at = attrs_at + 128 * nattrs;

	put(b, "PERFILE2", 8);
	put_word(b, 104, 8);
	put_word(b, 128, 8);
	put_word(b, attrs_at, 8);
	put_word(b, 128 * nattrs, 8);
	put_word(b, data_at, 8);
	put_word(b, records->n, 8);
	fill(b, 48);
	for (size_t i = 0; i < nattrs; i++) {
		attr(b, i, type);
		fill(b, 16);
	}
	put(b, records->p, records->n);
}

/* Make a recording of as many events as fit into half of `bytes`, with as many samples, which have no event ID. */
static void make_events(struct bytes *b, size_t bytes)
{
	struct bytes records = { 0 };
	struct perf_event_header h = { PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, 40 };

	for (uint64_t i = 0; i < bytes / 2 / 128; i++) {
		put(&records, &h, sizeof(h));
		put_word(&records, BASE, 8);
		put_word(&records, 10, 4);
		put_word(&records, 10, 4);
		put_word(&records, 1000 * (i + 1), 8);
		put_word(&records, 1, 8);
	}
	recording(b, &records, bytes / 2 / 128,
		PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD);
	free(records.p);
}

static void heap_block(struct bytes *b, uint32_t type, uint32_t n, const void *p, size_t bytes)
{
	struct hd_heap_block h = { .type = type, .bytes = (uint32_t)(sizeof(h) + bytes), .n = n };

	put(b, &h, sizeof(h));
	put(b, p, bytes);
}

/* Make a heap recording with one deep stack.  Its innermost function has as many callees with allocations as fit. */
static void make_heap(struct bytes *b, size_t bytes)
{
	const size_t leaves = bytes / (sizeof(struct hd_heap_node) + sizeof(struct hd_heap_counter));
	struct hd_heap_header head = {
		.magic = HD_HEAP_MAGIC, .version = HD_HEAP_VERSION, .header_bytes = HD_HEAP_HEADER, .pid = 10,
		.interval = 1,
		.flags = HD_HEAP_EXACT | HD_HEAP_ENDED, .counter_bytes = sizeof(struct hd_heap_counter), .comm = "app",
	};
	/*
	 * The module covers the code of the program that run-mutants.sh builds, which has a function every
	 * 16 bytes.
	 */
	const struct { struct hd_heap_module m; struct hd_heap_segment s; char path[16]; } module = {
		{ .id = 1, .nsegments = 1, .path_len = 8 }, { BASE, CODE_BYTES, 0 }, "/opt/app",
	};
	struct hd_heap_node *nodes = calloc(HD_HEAP_DEPTH + leaves, sizeof(*nodes));
	struct hd_heap_counter *counters = calloc(leaves + 1, sizeof(*counters));

	if (!nodes || !counters)
		die("no memory", "heap");
	for (uint32_t i = 1; i < HD_HEAP_DEPTH; i++)
		nodes[i] = (struct hd_heap_node){ i - 1, 1, BASE + CODE + 16 * i + 8 };
	for (uint32_t i = 0; i < leaves; i++) {
		nodes[HD_HEAP_DEPTH + i] = (struct hd_heap_node){ HD_HEAP_DEPTH - 1, 1, BASE + CODE + 16 * i + 8 };
		counters[i] = (struct hd_heap_counter){ .node = HD_HEAP_DEPTH + i, .n = 1, .bytes = 16 };
	}
	put(b, &head, sizeof(head));
	fill(b, HD_HEAP_HEADER - sizeof(head));
	heap_block(b, HD_HEAP_MODULE_BLOCK, 0, &module, sizeof(module));
	heap_block(b, HD_HEAP_NODES_BLOCK, 0, nodes, (HD_HEAP_DEPTH + leaves) * sizeof(*nodes));
	heap_block(b, HD_HEAP_COUNTERS_BLOCK, 0, counters, (leaves + leaves % 2) * sizeof(*counters));
	head.used = b->n;
	memcpy(b->p, &head, sizeof(head));
	free(nodes);
	free(counters);
}

static const struct amplifier {
	const char *name;
	void (*make)(struct stream *, size_t);
} kinds[] = {
	{ "chains", chains }, { "short-chains", short_chains }, { "same-chains", same_chains },
	{ "scattered-chains", scattered_chains },
	{ "addresses", addresses }, { "ranges", ranges },
	{ "objects", objects }, { "mappings", mappings }, { "processes", processes }, { "names", names },
	{ "deep-names", deep_names },
	{ "long-symbols", long_symbols },
	{ "threads", threads }, { "deep-threads", deep_threads }, { "tiny-frames", tiny_frames },
};
enum { KINDS = sizeof(kinds) / sizeof(kinds[0]) };

static void make_packed(struct bytes *b, const struct amplifier *kind, size_t bytes)
{
	struct stream *s = calloc(1, sizeof(*s));

	if (!s)
		die("no memory", kind->name);
	s->ctx = ZSTD_createCCtx();
	s->r.state = 1;
	ZSTD_CCtx_setParameter(s->ctx, ZSTD_c_compressionLevel, 5);
	ZSTD_CCtx_setParameter(s->ctx, ZSTD_c_windowLog, 23);
	kind->make(s, bytes);
	pack(s, NULL, 0, ZSTD_e_end);
	end_record(s);
	recording(b, &s->packed, 1,
		PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN);
	ZSTD_freeCCtx(s->ctx);
	free(s->packed.p);
	free(s);
}

const char *make_amplifier(struct bytes *b, unsigned int i, size_t bytes)
{
	if (i < KINDS) {
		make_packed(b, &kinds[i], bytes);
		return kinds[i].name;
	}
	if (i > KINDS + 1)
		return NULL;
	(i == KINDS ? make_events : make_heap)(b, bytes);
	return i == KINDS ? "events" : "heap";
}
