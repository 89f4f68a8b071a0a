/*
 * fuzz_rss.c - sum records of kmem:rss_stat in any order, and read any bytes as patterns and as a recording
 *
 * Invariants: the times of the steps ascend; a list of patterns is split into words that are not empty.  The result of
 * reading the bytes as a recording is not checked.
 */
#include "base/file.h"
#include "profile/stack_classes.h"
#include "pipeline/rss.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { RECORD = 8, PIDS = 6, MOST = 1 << 14 };

static void sums(const uint8_t *data, size_t size)
{
	size_t n = size / RECORD < MOST ? size / RECORD : MOST;
	struct hd_rss_record *r = calloc(n + PIDS + 1, sizeof(*r));
	struct hd_rss rss = { 0 };

	for (size_t i = 0; i < n; i++) {
		const uint8_t *p = data + RECORD * i;

		r[i] = (struct hd_rss_record){
			.time_ns = p[7] < 0xf0 ? i + p[0] : p[0], .seq = i, .pid = 1 + p[1] % PIDS, .mm = p[2] % 9,
			.member = p[3] % 6,
			.own = p[4] & 1, .end = (p[4] & 0x1e) == 2,
			.bytes = (int64_t)((uint64_t)(p[5] | p[6] << 8) << (p[4] >> 2)) - (p[7] == 0x55 ? 1 << 20 : 0),
		};
	}
	hd_rss_sum(&rss, r, n);
	for (size_t i = 1; i < rss.n; i++)
		assert(rss.steps[i - 1].time_ns < rss.steps[i].time_ns);
	hd_rss_release(&rss);
	free(r);
}

static void reading(const uint8_t *data, size_t size)
{
	int fd = memfd_create("rss", MFD_CLOEXEC);
	struct hd_log log = { 0 };
	struct hd_err err;
	struct hd_rss rss = { 0 };
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (fd >= 0 && hd_file_write_all(fd, data, size) == 0)
		hd_rss_read(&rss, path, &log, &err);
	hd_rss_release(&rss);
	hd_log_release(&log);
	close(fd);
}

static void patterns(const uint8_t *data, size_t size)
{
	char *text = strndup((const char *)data, size), *pieces;
	struct hd_string_list words = { 0 };

	pieces = hd_stack_class_split(&words, text);
	for (size_t i = 0; i < words.n; i++)
		assert(words.items[i][0] && words.items[i] >= pieces && words.items[i] <= pieces + strlen(text));
	free(words.items);
	free(pieces);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	sums(data, size);
	patterns(data, size);
	if (size >= 8 && !memcmp(data, "PERFILE2", 8))
		reading(data, size);
	return 0;
}
