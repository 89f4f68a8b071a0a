/*
 * fuzz_features.c - read any bytes as the contents of header features
 *
 * Bit 0 of the first byte selects the byte order.  Then each feature has one byte for its number, two bytes for the
 * length of its contents, and the contents.  The target makes two recordings of the features: a file with sections,
 * and pipe output with records.  Invariant: both describe the same machine.
 */
#include "perfdata/perfdata.h"

#include "base/buf.h"
#include "fuzz/input.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Feature numbers are below 32: above that, a 32-bit big-endian header has another order of bits. */
enum { FEATURES = 32, ATTR_BYTES = 112, ENTRY = 128 };

struct feature {
	const uint8_t *p;
	size_t n;
	bool there;
};

static void number(struct hd_buf *b, uint64_t v, unsigned int width, bool big)
{
	uint8_t p[8];

	for (unsigned int i = 0; i < width; i++)
		p[i] = (uint8_t)(v >> 8 * (big ? width - 1 - i : i));
	hd_buf_add(b, p, width);
}

static void zeros(struct hd_buf *b, size_t n)
{
	memset(hd_buf_reserve(b, n), 0, n);
	b->len += n;
}

static void attr(struct hd_buf *b, bool big)
{
	number(b, 1, 4, big);
	number(b, ATTR_BYTES, 4, big);
	zeros(b, 16);
	number(b, 1, 8, big);
	zeros(b, ATTR_BYTES - 32);
}

static void make_file(struct hd_buf *b, const struct feature *f, bool big)
{
	uint64_t bits = 0, data_at = 104 + ENTRY, at = data_at + 8, n = 0;

	for (unsigned int i = 0; i < FEATURES; i++) {
		bits |= (uint64_t)f[i].there << i;
		n += f[i].there;
	}
	at += 16 * n;
	hd_buf_add(b, big ? "2ELIFREP" : "PERFILE2", 8);
	number(b, 104, 8, big);
	number(b, ENTRY, 8, big);
	number(b, 104, 8, big);
	number(b, ENTRY, 8, big);
	number(b, data_at, 8, big);
	number(b, 8, 8, big);
	zeros(b, 16);
	number(b, bits, 8, big);
	zeros(b, 24);
	attr(b, big);
	zeros(b, 16);
	number(b, 68, 4, big);		/* PERF_RECORD_FINISHED_ROUND */
	number(b, 8 << (big ? 0 : 16), 4, big);
	for (unsigned int i = 0; i < FEATURES; i++) {
		if (!f[i].there)
			continue;
		number(b, at, 8, big);
		number(b, f[i].n, 8, big);
		at += f[i].n;
	}
	for (unsigned int i = 0; i < FEATURES; i++)
		hd_buf_add(b, f[i].p, f[i].n);
}

static void make_pipe(struct hd_buf *b, const struct feature *f, bool big)
{
	hd_buf_add(b, big ? "2ELIFREP" : "PERFILE2", 8);
	number(b, 16, 8, big);
	number(b, 64, 4, big);
	number(b, 0, 2, big);
	number(b, 8 + ATTR_BYTES, 2, big);
	attr(b, big);
	for (unsigned int i = 0; i < FEATURES; i++) {
		if (!f[i].there)
			continue;
		number(b, 80, 4, big);
		number(b, 0, 2, big);
		number(b, 16 + f[i].n, 2, big);
		number(b, i, 8, big);
		hd_buf_add(b, f[i].p, f[i].n);
	}
}

static struct hd_perf *walk(const struct hd_buf *b, struct hd_log *log)
{
	int fd = fuzz_memory_file(b->data, b->len);
	struct hd_record rec;
	struct hd_perf *pf;
	struct hd_err err;

	if (hd_perf_open_fd(&pf, fd, "input", log, &err) < 0)
		abort();
	while (hd_perf_next(pf, &rec, &err) > 0)
		;
	return pf;
}

static void same(const char *a, const char *b)
{
	if ((!a || !b) ? a != b : strcmp(a, b) != 0)
		abort();
}

static void compare(const struct hd_perf *a, const struct hd_perf *b)
{
	const struct hd_perf_header *x = hd_perf_header(a), *y = hd_perf_header(b);
	const struct hd_perf_attr *xa, *ya;
	size_t nx, ny;

	same(x->hostname, y->hostname);
	same(x->os_release, y->os_release);
	same(x->version, y->version);
	same(x->arch, y->arch);
	same(x->cpudesc, y->cpudesc);
	same(x->cpuid, y->cpuid);
	same(x->clock_data, y->clock_data);
	if (x->ncmdline != y->ncmdline || x->nrcpus_online != y->nrcpus_online || x->total_mem_kib != y->total_mem_kib)
		abort();
	for (size_t i = 0; i < x->ncmdline; i++)
		same(x->cmdline[i], y->cmdline[i]);
	hd_perf_build_ids(a, &nx);
	hd_perf_build_ids(b, &ny);
	xa = hd_perf_attrs(a, &nx);
	ya = hd_perf_attrs(b, &ny);
	if (nx != 1 || ny != 1)
		abort();
	same(xa->name, ya->name);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct feature f[FEATURES] = { { 0 } };
	struct hd_buf file = { 0 }, stream = { 0 };
	struct hd_log log = { 0 };
	struct hd_perf *a, *b;
	bool big = size && data[0] & 1;

	for (size_t at = 1; size > at && size - at >= 3;) {
		unsigned int bit = data[at] % FEATURES;
		size_t n = (size_t)data[at + 1] << 8 | data[at + 2];

		at += 3;
		n = n > size - at ? size - at : n;
		n = n > 60000 ? 60000 : n;
		/*
		 * Skip TRACING_DATA, which has its own record type and its own fuzz target.  Skip features without
		 * contents, because in a pipe an empty record says only that the feature exists.
		 */
		if (bit != 1 && n)
			f[bit] = (struct feature){ data + at, n, true };
		at += n;
	}
	make_file(&file, f, big);
	make_pipe(&stream, f, big);
	a = walk(&file, &log);
	b = walk(&stream, &log);
	compare(a, b);
	hd_perf_close(a);
	hd_perf_close(b);
	hd_buf_release(&file);
	hd_buf_release(&stream);
	hd_log_release(&log);
	return 0;
}
