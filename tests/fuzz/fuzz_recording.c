/*
 * fuzz_recording.c - read any bytes as a recording whose programs exist: unwinding, symbols, lines and inlined
 * functions
 *
 * The programs are those of fixtures/recordings, below a symbol root.  Run this in the top folder of the source. The
 * last byte of the input selects the options.  Invariants: read = kept + dropped, and one thread gives the same result
 * as two.
 */
#include "pipeline/pipeline.h"
#include "profile/folded.h"
#include "render/info.h"
#include "render/report.h"

#include <assert.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const programs[][2] = { { "calls", "calls" }, { "copies", "copies" }, { "family", "family" },
	{ "two-events", "pages" } };
static char root[] = "/tmp/hd-fuzz-rec.XXXXXX";

static char *path_of(const char *name)
{
	static char path[sizeof(root) + 32];

	snprintf(path, sizeof(path), "%s/%s", root, name);
	return path;
}

static void clean_up(void)
{
	char name[32];

	for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++) {
		snprintf(name, sizeof(name), "opt/hd/%s", programs[i][1]);
		unlink(path_of(name));
	}
	rmdir(path_of("opt/hd"));
	rmdir(path_of("opt"));
	rmdir(root);
}

static void copy(const char *from, const char *to)
{
	static char bytes[1 << 17];
	int in = open(from, O_RDONLY | O_CLOEXEC), out = open(to, O_WRONLY | O_CREAT | O_CLOEXEC, 0755);
	ssize_t n = in < 0 ? -1 : read(in, bytes, sizeof(bytes));

	if (n < 0 || out < 0 || write(out, bytes, (size_t)n) != n) {
		fprintf(stderr, "%s cannot be copied; run this in the top folder of the source\n", from);
		exit(1);
	}
	close(in);
	close(out);
}

static void set_up(void)
{
	char from[128], to[32];

	if (!mkdtemp(root) || mkdir(path_of("opt"), 0755) < 0 || mkdir(path_of("opt/hd"), 0755) < 0)
		abort();
	atexit(clean_up);
	for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++) {
		snprintf(from, sizeof(from), "fixtures/recordings/%s/symfs/opt/hd/%s", programs[i][0], programs[i][1]);
		snprintf(to, sizeof(to), "opt/hd/%s", programs[i][1]);
		copy(from, path_of(to));
	}
	setenv("HOME", "/proc/nonexistent", 1);
	unsetenv("DEBUGINFOD_URLS");
}

/* Return the output of `info`, a report and the folded text of the profile; the caller frees it. */
static char *told(const struct hd_profile *p, bool lines)
{
	struct hd_report_opts by = { .by = HD_BY_COMM | HD_BY_DSO | HD_BY_SYMBOL | (lines ? HD_BY_LINE : 0),
		.format = HD_FORMAT_JSON };
	struct hd_folded_opts o = { 0 };
	struct hd_buf text = { 0 };
	struct hd_outfile out;

	hd_info_json(&text, p);
	hd_report(&text, p, &by);
	for (uint32_t e = 0; e < p->nevents; e++) {
		hd_outfile_memory(&out);
		hd_folded_write(&out, p, e, &o);
		hd_buf_adds(&text, hd_buf_str(&out.pending));
		hd_outfile_discard(&out);
	}
	return hd_buf_take(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t ways = size ? data[size - 1] : 0;
	struct hd_pipeline_opts opts = { .keys = HD_KEY_COMM,
		.symfs = root,
		.lines = ways & 1,
		.no_inline = ways & 2,
		.no_stitch = ways & 4,
		.select = { .no_kernel = ways & 8, .strip_version = ways & 16 } };
	int fd = memfd_create("input", MFD_CLOEXEC);
	char path[40], *said[2] = { NULL, NULL };
	static bool ready;
	int rc[2];

	if (!ready)
		set_up();
	ready = true;
	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	for (unsigned int i = 0; i < 2; i++) {
		struct hd_err err = { 0 };
		struct hd_profile *p;
		uint64_t dropped = 0;

		opts.threads = i + 1;
		rc[i] = hd_pipeline_read(&p, path, &opts, &err);
		if (rc[i] < 0) {
			assert(err.msg[0]);
		} else {
			for (size_t k = 0; k < p->ndropped; k++)
				dropped += p->dropped[k].count;
			assert(p->read == p->kept + dropped);
			said[i] = told(p, opts.lines);
		}
		hd_profile_free(p);
	}
	assert(rc[0] == rc[1] && (rc[0] < 0 || !strcmp(said[0], said[1])));
	free(said[0]);
	free(said[1]);
	close(fd);
	return 0;
}
