/*
 * synthetic_heap.h - synthetic heap recordings, for the tests of heap/ and pipeline/heap_input.c
 *
 *     made_begin(&b, HD_HEAP_EXACT, 1)     write the header; made_end(&b, at, epoch) completes the one at offset `at`
 *     made_module(&b, 1, "/bin/x", 0x1000, 0x1000)
 *     made_nodes(&b, nodes, n)             the first node of the first block is unused
 *     made_counter(&b, (struct hd_heap_counter){ .node = 1, ... })
 *     h = made_read(&b, &log)
 */
#ifndef UNIT_HEAP_MADE_H
#define UNIT_HEAP_MADE_H

#include "base/buf.h"
#include "heap/heap.h"
#include "preload/format.h"

#include "test.h"

#include <string.h>

static inline void made_begin(struct hd_buf *b, uint32_t flags, uint64_t interval)
{
	struct hd_heap_header h = {
		.version = HD_HEAP_VERSION,
		.header_bytes = HD_HEAP_HEADER,
		.pid = 42,
		.ppid = 1,
		.interval = interval,
		.flags = flags,
		.counter_bytes = flags & HD_HEAP_EXACT ? sizeof(struct hd_heap_counter)
						       : sizeof(struct hd_heap_sampled),
		.comm = "app",
		.hostname = "elsewhere",
		.release = "1",
		.machine = "x86_64",
	};
	size_t at = b->len;

	memcpy(h.magic, HD_HEAP_MAGIC, 8);
	hd_buf_add(b, &h, sizeof(h));
	while (b->len < at + HD_HEAP_HEADER)
		hd_buf_addc(b, 0);
}

static inline void made_block(struct hd_buf *b, uint32_t type, uint32_t n, const void *p, size_t bytes)
{
	size_t whole = (sizeof(struct hd_heap_block) + bytes + HD_HEAP_ALIGN - 1) / HD_HEAP_ALIGN * HD_HEAP_ALIGN;
	struct hd_heap_block block = { .type = type, .bytes = (uint32_t)whole, .n = n };
	size_t end = b->len + whole;

	hd_buf_add(b, &block, sizeof(block));
	hd_buf_add(b, p, bytes);
	while (b->len < end)
		hd_buf_addc(b, 0);
}

static inline void made_module(struct hd_buf *b, uint32_t id, const char *path, uint64_t start, uint64_t len)
{
	struct { struct hd_heap_module m; struct hd_heap_segment s; char path[200]; } v = {
		{ .id = id, .nsegments = 1, .path_len = (uint32_t)strlen(path) }, { start, len, 0 }, "",
	};

	memcpy(v.path, path, strlen(path));
	made_block(b, HD_HEAP_MODULE_BLOCK, 0, &v, sizeof(v.m) + sizeof(v.s) + strlen(path));
}

static inline void made_nodes(struct hd_buf *b, const struct hd_heap_node *nodes, size_t n)
{
	made_block(b, HD_HEAP_NODES_BLOCK, 0, nodes, n * sizeof(*nodes));
}

static inline void made_counter(struct hd_buf *b, struct hd_heap_counter c)
{
	made_block(b, HD_HEAP_COUNTERS_BLOCK, 0, &c, sizeof(c));
}

/* Complete the header of the recording that begins at offset `at`. */
static inline void made_end(struct hd_buf *b, size_t at, uint32_t epoch)
{
	struct hd_heap_header h;

	memcpy(&h, b->data + at, sizeof(h));
	h.used = h.file_bytes = b->len - at;
	h.epoch = epoch;
	memcpy(b->data + at, &h, sizeof(h));
}

/* Read the first recording, which must be valid; the caller frees it. */
static inline struct hd_heap *made_read(const struct hd_buf *b, struct hd_log *log)
{
	struct hd_heap *h = NULL;
	struct hd_err err = { 0 };
	size_t at = 0;

	EXPECT_INT(hd_heap_next(&h, (const uint8_t *)b->data, b->len, &at, "t.heap", log, &err), 1);
	return h;
}

#endif
