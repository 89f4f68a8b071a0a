/*
 * bundled_recording.c - see bundled_recording.h
 */
#include "bundle/bundled_recording.h"

#include "base/mem.h"
#include "bundle/bundle.h"
#include "bundle/replay.h"
#include "bundle/jitdumps.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * Limits for the content of a section that is loaded into memory: RATIO_MAX times the stored size plus FREE_BYTES, and
 * at most MOST_BYTES.  Real symbols and code compress by a much smaller factor than RATIO_MAX.
 */
#define RATIO_MAX	64u
#define FREE_BYTES	(UINT64_C(16) << 20)
#define YEAR_10000	INT64_C(253402300800)	/* seconds since 1970; a time from then on counts as unknown */
#define MOST_BYTES	(UINT64_C(1) << 30)
enum {
	ABOUT_MAX = 64 << 10, PARTS_MAX = 4096,
	OPEN_MAX = 64,			/* maximum number of unpacked files that stay open */
};

struct hd_bundled_recording {
	struct hd_bundle *file;
	struct hd_log log;
	struct hd_bundle_replay *symbols;
	char *machine;
	int *fds;
	const char **names;		/* borrowed */
	size_t n, fds_cap, names_cap;
	uint64_t lost_codes;
	struct hd_err code_err;		/* error for the first code section that was lost */
	struct hd_jitdump_replay *jitdumps;
	struct hd_host_context host;
	int64_t written_s;
	uint64_t bytes;
	struct { const struct hd_bundle_section *of; int fd; } open[OPEN_MAX];
	size_t nopened;			/* number of files opened so far; if `open` is full, the oldest is replaced */
	bool lost_file;
	struct hd_err file_err;		/* error for the first lost file */
};

static uint64_t most(const struct hd_bundle_section *s)
{
	uint64_t n = FREE_BYTES + RATIO_MAX * s->stored;

	return n < MOST_BYTES ? n : MOST_BYTES;
}

/* Load the code section with index n.  The unwinder calls this while it holds its lock. */
static int load_code(void *ctx, uint32_t n, struct hd_buf *out, struct hd_err *err)
{
	struct hd_bundled_recording *b = ctx;
	const struct hd_bundle_section *s;
	char name[16];
	int rc;

	snprintf(name, sizeof(name), "%u", (unsigned)n);
	s = hd_bundle_find(b->file, HD_BUNDLE_CODE, name);
	if (s)
		rc = hd_bundle_load(b->file, s, most(s), out, err);
	else
		rc = hd_fail(err, HD_EFORMAT, "section CODE %s is missing", name);
	if (rc < 0 && !b->lost_codes++)
		b->code_err = *err;
	return rc;
}

static void open_symbols(struct hd_bundled_recording *b, const char *path)
{
	const struct hd_bundle_replay_code code = { load_code, b };
	const struct hd_bundle_section *s = hd_bundle_find(b->file, HD_BUNDLE_SYMBOLS, NULL);
	struct hd_err err = { .msg = "it has no section with symbols" };
	struct hd_buf bytes = { 0 };
	uint64_t lost;
	int rc = s ? hd_bundle_load(b->file, s, most(s), &bytes, &err) : HD_EFORMAT;

	b->symbols = hd_bundle_replay_new(&bytes, &code, &lost);
	if (rc < 0)
		hd_warn(&b->log, "lost.bundle-symbols", "copy the bundle again or recreate it",
			"%s: names are lost: %s", path, err.msg);
	else if (lost)
		hd_warn(&b->log, "lost.bundle-symbols", "recreate the bundle",
			"%s: the names of %llu objects cannot be read", path, (unsigned long long)lost);
}

/* ---- files of the recorded machine ---- */

static int lost_file(struct hd_bundled_recording *b, const struct hd_err *why)
{
	if (!b->lost_file)
		b->file_err = *why;
	b->lost_file = true;
	return why->code;
}

/* Unpack a stored file into a temporary file.  If the stored file is damaged, its readable part is used. */
static int unpack(struct hd_bundled_recording *b, const char *path, const struct hd_bundle_section **s,
	struct hd_err *err)
{
	uint64_t lost = 0;
	int fd;

	*s = hd_bundle_find(b->file, HD_BUNDLE_FILE, path);
	if (!*s) {
		hd_fail(err, HD_EFORMAT, "section FILE %s is missing", path);
		return lost_file(b, err);
	}
	if ((*s)->there > HD_JITDUMP_MAX) {
		hd_fail(err, HD_EFORMAT, "section FILE %s is too large", path);
		return lost_file(b, err);
	}
	fd = hd_bundle_spool(b->file, *s, &lost, err);
	if (fd < 0 || lost)
		lost_file(b, err);
	return fd;
}

static int open_file(void *ctx, const char *path, struct hd_err *err)
{
	struct hd_bundled_recording *b = ctx;
	const struct hd_bundle_section *s;
	int fd = -1;

	for (size_t i = 0; i < OPEN_MAX && i < b->nopened && fd < 0; i++)
		if (!strcmp(b->open[i].of->name, path))
			fd = b->open[i].fd;
	if (fd < 0) {
		size_t at = b->nopened % OPEN_MAX;

		fd = unpack(b, path, &s, err);
		if (fd < 0)
			return fd;
		if (b->nopened >= OPEN_MAX)
			close(b->open[at].fd);
		b->open[at].of = s;
		b->open[at].fd = fd;
		b->nopened++;
	}
	fd = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	if (fd < 0) {
		hd_fail_errno(err, HD_EIO, errno, "%s: cannot be reopened", path);
		return lost_file(b, err);
	}
	return fd;
}

static void open_jitdumps(struct hd_bundled_recording *b, const char *path)
{
	const struct hd_jit_files files = { open_file, b };
	const struct hd_bundle_section *s = hd_bundle_find(b->file, HD_BUNDLE_JITDUMPS, NULL);
	struct hd_buf bytes = { 0 };
	struct hd_err err = { 0 };
	uint64_t lost = 0;

	if (s && hd_bundle_load(b->file, s, most(s), &bytes, &err) < 0)
		hd_warn(&b->log, "lost.bundle-file", "copy the bundle again or recreate it",
			"%s: names of code made at run time are lost: %s", path, err.msg);
	b->jitdumps = hd_jitdump_replay_new(&bytes, &files, &lost);
	if (lost && !err.code)
		hd_warn(&b->log, "lost.bundle-file", "recreate the bundle",
			"%s: the entries of %llu jitdumps cannot be read", path, (unsigned long long)lost);
}

/* ---- opening ---- */

/* Return the VALUE of the line "KEY VALUE" in `text`; NULL if there is no such line.  The caller frees it. */
static char *value_of(const char *text, const char *key)
{
	size_t n = strlen(key);

	for (const char *line = text; *line; line += strspn(line, "\n")) {
		if (!strncmp(line, key, n) && line[n] == ' ')
			return hd_strndup(line + n + 1, strcspn(line, "\n") - (n + 1));
		line += strcspn(line, "\n");
	}
	return NULL;
}

static void read_about(struct hd_bundled_recording *b)
{
	const struct hd_bundle_section *s = hd_bundle_find(b->file, HD_BUNDLE_ABOUT, NULL);
	struct hd_host_context *c = &b->host;
	struct hd_buf text = { 0 };

	if (s && hd_bundle_load(b->file, s, ABOUT_MAX, &text, NULL) >= 0) {
		char *namespaces = value_of(hd_buf_str(&text), "namespaces"),
		     *guest = value_of(hd_buf_str(&text), "guest-kernel"), *end;
		char *written = value_of(hd_buf_str(&text), "written");

		b->machine = value_of(hd_buf_str(&text), "machine");
		b->written_s = written ? strtoll(written, NULL, 10) : 0;
		if (b->written_s < 0 || b->written_s >= YEAR_10000)
			b->written_s = 0;
		c->guest_kernel = guest && !strcmp(guest, "mapped");
		if (namespaces) {
			c->mnt_ns = strtoull(namespaces, &end, 10);
			c->pid_ns = strtoull(end, NULL, 10);
			c->here = true;
		}
		free(namespaces);
		free(guest);
		free(written);
	}
	hd_buf_release(&text);
}

static int open_recording(struct hd_bundled_recording *b, const char *path, struct hd_err *err)
{
	for (size_t i = 0; i < hd_bundle_count(b->file); i++) {
		const struct hd_bundle_section *s = hd_bundle_get(b->file, i);
		struct hd_err why = { .msg = "" };
		uint64_t lost;
		int fd;

		if (s->type != HD_BUNDLE_RECORDING)
			continue;
		if (b->n == PARTS_MAX || strchr(s->name, '/'))
			return hd_fail(err, HD_EFORMAT, "%s: the section at 0x%llx is not part of a recording", path,
				(unsigned long long)s->at);
		fd = hd_bundle_spool(b->file, s, &lost, &why);
		if (fd < 0) {
			*err = why;
			return fd;
		}
		if (lost)
			hd_warn_n(&b->log, "lost.bundle-recording", lost, "copy the bundle again or recreate it",
				  "%s; bytes of its recording are lost", why.msg);
		HD_GROW(b->fds, b->n + 1, b->fds_cap);
		HD_GROW(b->names, b->n + 1, b->names_cap);
		b->fds[b->n] = fd;
		b->names[b->n++] = s->name;
	}
	return b->n ? 0
		    : hd_fail(err, HD_EFORMAT,
			      "%s: the bundle contains no recording; copy the bundle again or recreate it", path);
}

int hd_bundled_recording_open(struct hd_bundled_recording **out, int fd, const char *path, struct hd_err *err)
{
	struct hd_bundled_recording *b = hd_new(struct hd_bundled_recording);
	struct stat st;
	int rc;

	b->bytes = fstat(fd, &st) == 0 ? (uint64_t)st.st_size : 0;
	rc = hd_bundle_open(&b->file, fd, path, &b->log, err);

	*out = NULL;
	if (rc >= 0)
		rc = open_recording(b, path, err);
	if (rc < 0) {
		hd_bundled_recording_close(b);
		return rc;
	}
	read_about(b);
	open_symbols(b, path);
	open_jitdumps(b, path);
	*out = b;
	return 0;
}

uint64_t hd_bundled_recording_bytes(const struct hd_bundled_recording *b)
{
	return b->bytes;
}

void hd_bundled_recording_close(struct hd_bundled_recording *b)
{
	if (!b)
		return;
	while (b->n)
		close(b->fds[--b->n]);
	for (size_t i = 0; i < OPEN_MAX && i < b->nopened; i++)
		close(b->open[i].fd);
	free(b->fds);
	free(b->names);
	hd_jitdump_replay_free(b->jitdumps);
	hd_bundle_replay_free(b->symbols);
	hd_bundle_close(b->file);
	hd_log_release(&b->log);
	free(b->machine);
	free(b);
}

const struct hd_log *hd_bundled_recording_log(const struct hd_bundled_recording *b)
{
	return &b->log;
}

void hd_bundled_recording_warn_lookups(const struct hd_bundled_recording *b, struct hd_log *log)
{
	if (b->lost_codes)
		hd_warn_n(log, "lost.bundle-code", b->lost_codes, "copy the bundle again or recreate it",
			  "stacks through an object end early: %s", b->code_err.msg);
	if (b->lost_file)
		hd_warn(log, "lost.bundle-file", "copy the bundle again or recreate it",
			"names of code made at run time, and stacks through it, are lost: %s", b->file_err.msg);
}

int hd_bundled_recording_perf(struct hd_perf **pf, const struct hd_bundled_recording *b, const char *path,
	struct hd_log *log, struct hd_err *err)
{
	int *fds = hd_new_array(int, b->n), rc = 0;
	size_t n = 0;

	for (; n < b->n && rc >= 0; n++) {
		fds[n] = fcntl(b->fds[n], F_DUPFD_CLOEXEC, 3);
		if (fds[n] < 0) {
			rc = hd_fail_errno(err, HD_EIO, errno, "%s: cannot be reopened", path);
			break;
		}
	}
	if (rc < 0)
		while (n)
			close(fds[--n]);
	else if (*b->names[0])		/* the recording is a folder: only its files have names */
		rc = hd_perf_open_files(pf, path, fds, b->names, n, log, err);
	else {
		while (n > 1)
			close(fds[--n]);
		rc = hd_perf_open_fd(pf, fds[0], path, log, err);
	}
	free(fds);
	return rc;
}

struct hd_symbol_source hd_bundled_recording_symbols(const struct hd_bundled_recording *b, bool no_call_files,
	struct hd_log *log)
{
	return hd_bundle_replay_source(b->symbols, no_call_files, log);
}

struct hd_jitdump_source hd_bundled_recording_jitdumps(const struct hd_bundled_recording *b)
{
	return hd_jitdump_replay_source(b->jitdumps);
}

struct hd_host_context hd_bundled_recording_host_context(const struct hd_bundled_recording *b)
{
	return b->host;
}

int64_t hd_bundled_recording_written(const struct hd_bundled_recording *b)
{
	return b->written_s;
}

const char *hd_bundled_recording_machine(const struct hd_bundled_recording *b)
{
	return b->machine;
}
