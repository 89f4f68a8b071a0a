/*
 * fuzz_bundle.c - read any bytes as a bundle or as a part of one
 *
 * The first byte selects the input: 's' a symbols section, in which words of the input are looked up; 'c' the code of
 * an object, which is expanded to a file; 'j' the results of jitdumps; any other byte a whole bundle, which is read as
 * a recording.
 *
 * Invariants: every error has a message, a second read of a bundle gives the same result, and lookups terminate.
 */
#include "base/mem.h"
#include "pipeline/pipeline.h"
#include "render/info.h"
#include "elf/code_excerpt.h"
#include "bundle/replay.h"
#include "bundle/replay_format.h"
#include "bundle/jitdumps.h"
#include "symbols/symbols.h"
#include "fuzz/input.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void whole(const uint8_t *data, size_t size)
{
	struct hd_pipeline_opts opts = { .lines = true, .threads = 1 };
	int fd = fuzz_memory_file(data, size), rc[2];
	struct hd_buf said[2] = { { 0 }, { 0 } };
	char path[40];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	for (int i = 0; i < 2; i++) {
		struct hd_err err = { 0 };
		struct hd_profile *p;

		rc[i] = hd_pipeline_read(&p, path, &opts, &err);
		if (rc[i] < 0)
			assert(err.msg[0] && (rc[i] == HD_EFORMAT || rc[i] == HD_EIO));
		else
			hd_info_json(&said[i], p);
		hd_profile_free(p);
	}
	assert(rc[0] == rc[1] && !strcmp(hd_buf_str(&said[0]), hd_buf_str(&said[1])));
	hd_buf_release(&said[0]);
	hd_buf_release(&said[1]);
	close(fd);
}

/* Make the key of an object from words of the input. */
static struct hd_symbols_key key_of(const uint8_t *data, size_t size, char path[32])
{
	struct hd_symbols_key key = { .kind = HD_OBJ_FILE, .path = path };
	size_t n = size < 31 ? size : 31;

	memcpy(path, data + size - n, n);
	path[n] = '\0';
	return key;
}

static int load(void *ctx, uint32_t n, struct hd_buf *out, struct hd_err *err)
{
	const struct hd_buf *code = ctx;

	(void)err;
	hd_buf_add(out, hd_buf_str(code), code->len < n ? code->len : n);
	return 0;
}

static void look_up(struct hd_symobj *o, const uint8_t *data, size_t size)
{
	struct hd_inline_hit hits[HD_INLINE_MAX];
	size_t sum = 0;

	sum += strlen(hd_object_source(o)) + strlen(hd_object_build_id(o)) +
		strlen(hd_object_problem(o) ? hd_object_problem(o) : "");
	for (size_t at = 0; at + 8 <= size; at++) {
		struct hd_symbol_hit hit;
		struct hd_line_hit line;
		uint64_t addr;

		memcpy(&addr, data + at, 8);
		hd_object_lookup(o, addr, &hit);
		hd_object_line(o, addr, &line);
		sum += (hit.linkage ? strlen(hit.linkage) : 0) + (line.file ? strlen(line.file) : 0);
		for (size_t n = hd_object_inlines(o, addr, hits, HD_INLINE_MAX); n; n--)
			sum += strlen(hits[n - 1].linkage) +
				(hits[n - 1].call_file ? strlen(hits[n - 1].call_file) : 0);
	}
	__asm__ volatile("" : : "r"(sum));	/* so that the compiler keeps all reads of strings */
}

static void symbols(const uint8_t *data, size_t size)
{
	struct hd_buf bytes = { 0 }, code = { 0 };
	struct hd_bundle_replay_code from = { load, &code };
	struct hd_bundle_replay *g;
	struct hd_log log = { 0 };
	struct hd_symbols *sy;
	char path[32];
	struct hd_symbols_key key = key_of(data, size, path);
	uint64_t lost;
	int fd;

	hd_buf_add(&bytes, data, size);
	hd_buf_add(&code, data, size);
	g = hd_bundle_replay_new(&bytes, &from, &lost);
	assert(!bytes.data && hd_bundle_replay_count(g) <= size / HD_REPLAY_HEAD_BYTES);
	sy = hd_symbols_over(hd_bundle_replay_source(g, false, &log));
	/* Look up paths that are words of the input. */
	for (size_t at = 0; at < size && at < 4096; at++) {
		struct hd_symobj *o;

		if (at && data[at - 1])
			continue;
		key.path = memchr(data + at, '\0', size - at) ? (const char *)data + at : path;
		o = hd_symbols_object(sy, &key);
		if (size < 4096 && (hd_object_quality(o) || *hd_object_source(o)))
			look_up(o, data, size);
		fd = hd_symbols_open_code(sy, &key, NULL);
		if (fd >= 0)
			close(fd);
	}
	hd_symbols_free(sy);
	hd_log_release(&log);
	hd_bundle_replay_free(g);
	hd_buf_release(&code);
}

static void code(const uint8_t *data, size_t size)
{
	struct hd_buf again = { 0 };
	struct hd_err err = { 0 };
	int fd = hd_code_excerpt_open(data, size, &err);

	if (fd < 0) {
		assert(err.msg[0]);
		return;
	}
	hd_code_excerpt_read(fd, &again, NULL);
	hd_buf_release(&again);
	close(fd);
}

static int no_file(void *ctx, const char *path, struct hd_err *err)
{
	(void)ctx;
	return hd_fail(err, HD_EFORMAT, "%s", path);
}

static void jitdumps(const uint8_t *data, size_t size)
{
	struct hd_jit_files files = { no_file, NULL };
	struct hd_buf bytes = { 0 };
	struct hd_jitdump_replay *g;
	enum hd_jit_fate fate;
	const char *why;
	uint64_t lost;

	hd_buf_add(&bytes, data, size);
	g = hd_jitdump_replay_new(&bytes, &files, &lost);
	assert(!bytes.data);
	for (size_t at = 0; at + 5 < size && at < 4096; at++) {
		int32_t pid;

		if (data[at] || !memchr(data + at + 1, 0, size - at - 1))
			continue;
		memcpy(&pid, data + 4, 4);
		if (hd_jitdump_replay_find(g, (const char *)data + at + 1, pid, &fate, &why))
			assert(fate <= HD_JIT_ABSENT && strlen(why) < size);
	}
	hd_jitdump_replay_free(g);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!size)
		return 0;
	switch (data[0]) {
	case 's':
		symbols(data + 1, size - 1);
		break;
	case 'j':
		jitdumps(data + 1, size - 1);
		break;
	case 'c':
		code(data + 1, size - 1);
		break;
	default:
		whole(data, size);	/* a bundle begins with a byte that selects no other kind */
	}
	return 0;
}
