/*
 * bundled.c - see bundled.h
 */
#include "ingest/bundled.h"

#include "base/mem.h"
#include "bundle/bundle.h"
#include "symbols/given.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* In memory: what symbols and code compress to is far less. */
#define RATIO_MAX	64u
#define FREE_BYTES	(UINT64_C(16) << 20)
#define MOST_BYTES	(UINT64_C(1) << 30)
enum { ABOUT_MAX = 64 << 10, PARTS_MAX = 4096 };

struct hd_bundled {
	struct hd_bundle *file;
	struct hd_log log;
	struct hd_given *given;
	char *machine;
	int *fds;
	const char **names;		/* borrowed */
	size_t n, fds_cap, names_cap;
	uint64_t lost_codes;
	struct hd_err code_err;		/* of the first */
};

static uint64_t most(const struct hd_bundle_section *s)
{
	uint64_t n = FREE_BYTES + RATIO_MAX * s->stored;

	return n < MOST_BYTES ? n : MOST_BYTES;
}

/* Asked for under the lock of who unwinds. */
static int load_code(void *ctx, uint32_t n, struct hd_buf *out, struct hd_err *err)
{
	struct hd_bundled *b = ctx;
	const struct hd_bundle_section *s;
	char name[16];
	int rc;

	snprintf(name, sizeof(name), "%u", (unsigned)n);
	s = hd_bundle_find(b->file, HD_BUNDLE_CODE, name);
	if (s)
		rc = hd_bundle_load(b->file, s, most(s), out, err);
	else
		rc = hd_fail(err, HD_EFORMAT, "section CODE %s is not there", name);
	if (rc < 0 && !b->lost_codes++)
		b->code_err = *err;
	return rc;
}

static void open_symbols(struct hd_bundled *b, const char *path)
{
	const struct hd_given_code code = { load_code, b };
	const struct hd_bundle_section *s = hd_bundle_find(b->file, HD_BUNDLE_SYMBOLS, NULL);
	struct hd_err err = { .msg = "it has no section with symbols" };
	struct hd_buf bytes = { 0 };
	uint64_t lost;
	int rc = s ? hd_bundle_load(b->file, s, most(s), &bytes, &err) : HD_EFORMAT;

	b->given = hd_given_new(&bytes, &code, &lost);
	if (rc < 0)
		hd_warn(&b->log, "lost.bundle-symbols", "copy it once more, or make it anew", "%s: names are lost: %s", path, err.msg);
	else if (lost)
		hd_warn(&b->log, "lost.bundle-symbols", "make the bundle anew", "%s: the names of %llu objects cannot be read", path,
			(unsigned long long)lost);
}

static void read_about(struct hd_bundled *b)
{
	const struct hd_bundle_section *s = hd_bundle_find(b->file, HD_BUNDLE_ABOUT, NULL);
	static const char key[] = "machine ";
	struct hd_buf text = { 0 };

	if (s && hd_bundle_load(b->file, s, ABOUT_MAX, &text, NULL) >= 0) {
		for (const char *line = hd_buf_str(&text); *line && !b->machine; line += strspn(line, "\n")) {
			if (!strncmp(line, key, sizeof(key) - 1))
				b->machine = hd_strndup(line + sizeof(key) - 1, strcspn(line, "\n") - (sizeof(key) - 1));
			line += strcspn(line, "\n");
		}
	}
	hd_buf_release(&text);
}

static int open_recording(struct hd_bundled *b, const char *path, struct hd_err *err)
{
	for (size_t i = 0; i < hd_bundle_count(b->file); i++) {
		const struct hd_bundle_section *s = hd_bundle_get(b->file, i);
		struct hd_err why = { .msg = "" };
		uint64_t lost;
		int fd;

		if (s->type != HD_BUNDLE_RECORDING)
			continue;
		if (b->n == PARTS_MAX || strchr(s->name, '/'))
			return hd_fail(err, HD_EFORMAT, "%s: the section at 0x%llx is no part of a recording", path, (unsigned long long)s->at);
		fd = hd_bundle_spool(b->file, s, &lost, &why);
		if (fd < 0) {
			*err = why;
			return fd;
		}
		if (lost)
			hd_warn_n(&b->log, "lost.bundle-recording", lost, "copy it once more, or make it anew",
				  "%s; bytes of its recording are lost", why.msg);
		HD_GROW(b->fds, b->n + 1, b->fds_cap);
		HD_GROW(b->names, b->n + 1, b->names_cap);
		b->fds[b->n] = fd;
		b->names[b->n++] = s->name;
	}
	return b->n ? 0 : hd_fail(err, HD_EFORMAT, "%s: the bundle has no recording in it; copy it once more, or make it anew", path);
}

int hd_bundled_open(struct hd_bundled **out, int fd, const char *path, struct hd_err *err)
{
	struct hd_bundled *b = hd_new(struct hd_bundled);
	int rc = hd_bundle_open(&b->file, fd, path, &b->log, err);

	*out = NULL;
	if (rc >= 0)
		rc = open_recording(b, path, err);
	if (rc < 0) {
		hd_bundled_close(b);
		return rc;
	}
	read_about(b);
	open_symbols(b, path);
	*out = b;
	return 0;
}

void hd_bundled_close(struct hd_bundled *b)
{
	if (!b)
		return;
	while (b->n)
		close(b->fds[--b->n]);
	free(b->fds);
	free(b->names);
	hd_given_free(b->given);
	hd_bundle_close(b->file);
	hd_log_release(&b->log);
	free(b->machine);
	free(b);
}

const struct hd_log *hd_bundled_log(const struct hd_bundled *b)
{
	return &b->log;
}

void hd_bundled_tell_code(const struct hd_bundled *b, struct hd_log *log)
{
	if (b->lost_codes)
		hd_warn_n(log, "lost.bundle-code", b->lost_codes, "copy it once more, or make it anew",
			  "stacks through an object end early: %s", b->code_err.msg);
}

int hd_bundled_perf(struct hd_perf **pf, const struct hd_bundled *b, const char *path, struct hd_log *log, struct hd_err *err)
{
	int *fds = hd_new_array(int, b->n), rc = 0;
	size_t n = 0;

	for (; n < b->n && rc >= 0; n++) {
		fds[n] = fcntl(b->fds[n], F_DUPFD_CLOEXEC, 3);
		if (fds[n] < 0) {
			rc = hd_fail_errno(err, HD_EIO, errno, "%s: cannot be read once more", path);
			break;
		}
	}
	if (rc < 0)
		while (n)
			close(fds[--n]);
	else if (*b->names[0])		/* the parts of a folder have names */
		rc = hd_perf_open_parts(pf, path, fds, b->names, n, log, err);
	else {
		while (n > 1)
			close(fds[--n]);
		rc = hd_perf_open_fd(pf, fds[0], path, log, err);
	}
	free(fds);
	return rc;
}

struct hd_given *hd_bundled_symbols(const struct hd_bundled *b)
{
	return b->given;
}

const char *hd_bundled_machine(const struct hd_bundled *b)
{
	return b->machine;
}
