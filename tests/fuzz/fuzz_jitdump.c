/*
 * fuzz_jitdump.c - read any bytes as a jitdump.  Invariant: after its code is zeroed, as in a bundle, a jitdump gives
 * the same results.
 */
#include "base/buf.h"
#include "symbols/jitdump.h"
#include "bundle/jitdumps.h"
#include "symbols/jit_lines.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(struct hd_jitdump *d, size_t size)
{
	struct hd_log log = { 0 };
	struct hd_jit_lines *lines = hd_jit_lines_new(d, &log);

	if (d->nloads > size / 57 || d->nevents > size / 57 || d->names.len > size || !d->damaged != !d->damage ||
		d->damaged > size / 16 + 1)
		abort();
	for (size_t i = 0; i < d->nloads; i++) {
		const struct hd_jit_load *l = &d->loads[i];
		struct hd_line_hit hit = { 0 };

		/*
		 * The code of each load is inside the file and after that of the previous load.  Its line and unwind
		 * information is inside the file.
		 */
		if (l->off + l->size > size || (i && l[-1].off + l[-1].size > l->off) ||
			l->name + strlen(hd_jitdump_name(d, l)) >= d->names.len)
			abort();
		if (l->lines + l->lines_bytes > size || l->unwind + l->unwind_bytes > size)
			abort();
		if (!l->size)
			continue;
		if (hd_jitdump_find(d, l->off) != l || hd_jitdump_find(d, l->off + l->size - 1) != l ||
			hd_jitdump_find(d, l->off + l->size) == l)
			abort();
		hd_jit_lines_find(lines, l->off + l->size - 1, &hit);
		if (hit.file && strlen(hit.file) > size)
			abort();
	}
	for (size_t i = 0; i < d->nevents; i++) {
		const struct hd_jit_event *e = &d->events[i];

		if (e->load >= d->nloads || !e->size || e->size > d->loads[e->load].size || e->addr + e->size < e->addr)
			abort();
	}
	hd_jit_lines_free(lines);
	hd_log_release(&log);
}

/* Check that the dump `d` can be read back after its code was replaced by zeros.  This is what a bundle stores. */
static void keep(const struct hd_jitdump *d, int fd, const struct hd_jit_ranges *parts, const uint8_t *data,
	size_t size)
{
	struct hd_jitdump_record *k = hd_jitdump_record_new();
	char *bytes = malloc(size);
	struct hd_jitdump *again;
	FILE *f = tmpfile();

	if (!bytes || !f || parts->bytes != size)
		abort();
	hd_jitdump_record_found(k, "dump", 1, fd, parts);
	hd_jitdump_record_copy(k, 0, 0, bytes, size);
	for (size_t i = 0; i < d->nloads; i++)
		for (uint64_t at = d->loads[i].off; at < d->loads[i].off + d->loads[i].size; at++)
			if (bytes[at])
				abort();
	if (fwrite(bytes, 1, size, f) != size || fflush(f) ||
		hd_jitdump_read(&again, fileno(f), "dump", NULL, NULL) < 0)
		abort();
	if (again->nloads != d->nloads || again->nevents != d->nevents || again->names.len != d->names.len ||
		again->damaged != d->damaged || again->damaged_at != d->damaged_at || again->damage != d->damage ||
		again->line_shift != d->line_shift ||
		(d->names.len && memcmp(again->names.data, d->names.data, d->names.len)))
		abort();
	for (size_t i = 0; i < d->nloads; i++) {
		const struct hd_jit_load *a = &d->loads[i], *b = &again->loads[i];

		if (a->off != b->off || a->size != b->size || a->addr != b->addr || a->lines != b->lines ||
			a->lines_bytes != b->lines_bytes || a->unwind != b->unwind ||
			a->unwind_bytes != b->unwind_bytes || a->name != b->name ||
			memcmp(bytes + a->lines, data + a->lines, a->lines_bytes) ||
			memcmp(bytes + a->unwind, data + a->unwind, a->unwind_bytes))
			abort();
	}
	for (size_t i = 0; i < d->nevents; i++) {
		const struct hd_jit_event *a = &d->events[i], *b = &again->events[i];

		if (a->time != b->time || a->addr != b->addr || a->size != b->size || a->load != b->load)
			abort();
	}
	hd_jitdump_free(again);
	hd_jitdump_record_free(k);
	free(bytes);
	fclose(f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *tmp = getenv("TMPDIR");
	struct hd_jit_ranges parts = { 0 };
	struct hd_jitdump *d;
	char path[4096];
	int fd;

	snprintf(path, sizeof(path), "%s/hd-jitdump.XXXXXX", tmp && *tmp == '/' ? tmp : "/tmp");
	fd = mkstemp(path);
	if (fd < 0)
		return 0;
	if (write(fd, data, size) == (ssize_t)size && hd_jitdump_read(&d, fd, "dump", &parts, NULL) >= 0) {
		hd_jitdump_locate(d, fd, NULL, path, NULL);
		check(d, size);
		keep(d, fd, &parts, data, size);
		hd_jitdump_free(d);
	}
	free(parts.v);
	unlink(path);
	close(fd);
	return 0;
}
