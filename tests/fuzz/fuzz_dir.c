/*
 * fuzz_dir.c - read any bytes as a recording in a folder: `data` and its parts `data.0`, `data.1`
 *
 * The first four bytes are two numbers, which select the offsets at which the rest is divided into the three files.
 * Invariants: opening the folder again gives the same number of records, and it is not less than that of `data` alone.
 */
#include "perfdata/perfdata.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { RECORDS_MAX = 100000 };

static char root[] = "/tmp/hd-fuzz-dir.XXXXXX";
static const char *const names[] = { "data", "data.0", "data.1" };

static char *path_of(const char *name)
{
	static char path[sizeof(root) + 16];

	snprintf(path, sizeof(path), "%s/%s", root, name);
	return path;
}

static void clean_up(void)
{
	for (int i = 0; i < 3; i++)
		unlink(path_of(names[i]));
	rmdir(root);
}

static void set_up(void)
{
	static bool done;

	if (done)
		return;
	done = true;
	if (!mkdtemp(root))
		abort();
	atexit(clean_up);
}

static void save(const char *name, const uint8_t *p, size_t n)
{
	int fd = open(path_of(name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	if (fd < 0 || write(fd, p, n) != (ssize_t)n)
		abort();
	close(fd);
}

/* Return the number of records; UINT64_MAX if the recording cannot be opened. */
static uint64_t walk(const char *path, struct hd_log *log)
{
	struct hd_perf *pf;
	struct hd_record rec;
	struct hd_sample s;
	struct hd_err err = { 0 };
	uint64_t n = 0;

	if (hd_perf_open(&pf, path, log, &err) < 0) {
		if (!err.msg[0])
			abort();
		return UINT64_MAX;
	}
	while (n < RECORDS_MAX && hd_perf_next(pf, &rec, &err) > 0) {
		if (rec.size < 8)
			abort();
		if (rec.kind == HD_REC_SAMPLE)
			hd_perf_parse_sample(pf, &rec, &s, &err);
		n++;
	}
	hd_perf_close(pf);
	return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct hd_log log = { 0 };
	uint64_t all, again, first;
	size_t a, b;

	if (size < 4)
		return 0;
	set_up();
	a = (data[0] | (size_t)data[1] << 8) % (size - 3);
	b = a + (data[2] | (size_t)data[3] << 8) % (size - 3 - a);
	data += 4;
	size -= 4;
	save("data", data, a);
	save("data.0", data + a, (b > size ? size : b) - a);
	save("data.1", data + (b > size ? size : b), size - (b > size ? size : b));
	all = walk(root, &log);
	again = walk(root, &log);
	first = walk(path_of("data"), &log);
	if (all != again || (all == UINT64_MAX) != (first == UINT64_MAX) || (all != UINT64_MAX && first > all))
		abort();
	hd_log_release(&log);
	return 0;
}
