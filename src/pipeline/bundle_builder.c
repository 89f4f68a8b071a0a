/*
 * bundle_builder.c - see bundle_builder.h
 */
#include "pipeline/bundle_builder.h"

#include "base/mem.h"
#include "bundle/bundle.h"
#include "bundle/stack_bytes_used.h"
#include "bundle/host_context.h"
#include "pipeline/damage.h"
#include "pipeline/perf_input.h"
#include "bundle/jitdumps.h"
#include "bundle/record.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

/* The state while a bundle is written. */
struct bundling {
	const char *path;
	const struct hd_bundle_builder_opts *opts;
	struct hd_bundle_builder_stats *stats;
	int fd;				/* descriptor of the recording; -1: a folder */
	int64_t written_s;
	struct hd_bundle_record *remembered;
	struct hd_jitdump_record *jitdumps;
	struct hd_host_context circumstances;
	struct hd_stack_bytes_used marks;
	struct hd_bundle_writer *w;
};

/* ---- input ---- */

static int accept_recording(const char *head, size_t n, const char *path, struct hd_err *err)
{
	if (hd_bundle_is(head, n))
		return hd_fail(err, HD_EFORMAT, "%s: is a bundle already; copy it", path);
	if (!hd_perf_input_is(head, n))
		return hd_fail(err, HD_EFORMAT,
			"%s: is no recording of perf's (magic PERFILE2 at offset 0); only those need a bundle", path);
	return 0;
}

/*
 * Open the recording as b->fd, and check its format.  A pipe is copied to a temporary file.  If the recording is a
 * folder, b->fd stays -1 and nothing is checked.
 */
static int open_input(struct bundling *b, struct hd_err *err)
{
	char head[16];
	struct stat st;
	ssize_t n;
	int fd = hd_file_open(b->path, err), rc;

	if (fd < 0)
		return fd;
	if (fstat(fd, &st) < 0) {
		rc = hd_fail_errno(err, HD_EIO, errno, "%s: cannot tell what it is", b->path);
		close(fd);
		return rc;
	}
	b->written_s = S_ISDIR(st.st_mode) || S_ISREG(st.st_mode) ? st.st_mtime : time(NULL);
	if (S_ISDIR(st.st_mode)) {
		close(fd);
		return 0;
	}
	if (!S_ISREG(st.st_mode)) {
		b->fd = hd_file_spool(fd, b->path, accept_recording, err);
		close(fd);
		if (b->fd < 0)
			return b->fd;
	} else {
		b->fd = fd;
	}
	n = hd_file_pread(b->fd, head, sizeof(head), 0, b->path, err);
	return n < 0 ? (int)n : accept_recording(head, (size_t)n, b->path, err);
}

/*
 * Read the recording with everything enabled: inlined functions, source lines, unwinding.  The reader then stores every
 * lookup result that any command can need in the members of `from`, and the bundle is written from these.
 */
static int ask(struct bundling *b, struct hd_log *log, struct hd_err *err)
{
	const struct hd_bundle_builder_opts *o = b->opts;
	struct hd_pipeline_opts all = { .lines = true,
		.details = true,
		.symfs = o->symfs,
		.kallsyms = o->kallsyms,
		.guest_kallsyms = o->guest_kallsyms,
		.threads = o->threads };
	struct hd_perf_source from = {
		.path = b->path, .fd = b->fd, .remember = b->remembered, .jitdumps = b->jitdumps,
		.circumstances = &b->circumstances,
		.marks = o->whole_stacks ? NULL : &b->marks,
	};
	struct hd_profile *p = hd_profile_new();
	int rc = hd_perf_input_read(&p, &from, &all, err);

	if (rc >= 0 && o->strict)
		rc = hd_damage_check(&p->log, err);
	hd_log_add(log, &p->log);
	hd_profile_free(p);
	return rc;
}

/* ---- output ---- */

static int add_text(struct bundling *b, enum hd_bundle_type type, const char *name, const struct hd_buf *text,
	struct hd_err *err)
{
	int rc = hd_bundle_section(b->w, type, name, text->len, err);

	return rc < 0 ? rc : hd_bundle_add(b->w, hd_buf_str(text), text->len, err);
}

static int add_about(struct bundling *b, struct hd_err *err)
{
	const struct hd_host_context *c = &b->circumstances;
	struct hd_buf text = { 0 };
	struct utsname u;
	int rc;

	hd_buf_addf(&text, "hotdrift %s\n", HD_VERSION);
	if (uname(&u) == 0)
		hd_buf_addf(&text, "machine %s\n", u.machine);
	hd_buf_addf(&text, "stacks %s\n", b->opts->whole_stacks ? "whole" : "read");
	hd_buf_addf(&text, "written %lld\n", (long long)b->written_s);
	if (c->here)
		hd_buf_addf(&text, "namespaces %llu %llu\n", (unsigned long long)c->mnt_ns,
			(unsigned long long)c->pid_ns);
	if (c->guest_kernel)
		hd_buf_adds(&text, "guest-kernel mapped\n");
	rc = add_text(b, HD_BUNDLE_ABOUT, "", &text, err);
	hd_buf_release(&text);
	return rc;
}

static int add_symbols(struct bundling *b, struct hd_err *err)
{
	const struct hd_buf *code;
	struct hd_buf bytes = { 0 };
	int rc;

	hd_bundle_record_count(b->remembered, &b->stats->with_symbols, &b->stats->without_symbols);
	hd_bundle_record_write(b->remembered, &bytes);
	b->stats->symbol_bytes = bytes.len;
	rc = add_text(b, HD_BUNDLE_SYMBOLS, "", &bytes, err);
	hd_buf_release(&bytes);
	for (size_t i = 0; rc >= 0 && hd_bundle_record_code(b->remembered, i, &code); i++) {
		char name[24];

		snprintf(name, sizeof(name), "%zu", i);
		rc = add_text(b, HD_BUNDLE_CODE, name, code, err);
		b->stats->code_bytes += code->len;
		b->stats->codes++;
	}
	return rc;
}

static int add_jitdump(struct bundling *b, size_t i, const char *path, uint64_t bytes, struct hd_err *err)
{
	uint8_t *piece = hd_alloc(HD_BUNDLE_PIECE);
	int rc = hd_bundle_section(b->w, HD_BUNDLE_FILE, path, bytes, err);

	for (uint64_t off = 0; off < bytes && rc >= 0; off += HD_BUNDLE_PIECE) {
		size_t n = bytes - off < HD_BUNDLE_PIECE ? (size_t)(bytes - off) : HD_BUNDLE_PIECE;

		hd_jitdump_record_copy(b->jitdumps, i, off, piece, n);
		rc = hd_bundle_add(b->w, piece, n, err);
	}
	b->stats->jitdumps++;
	free(piece);
	return rc;
}

static int add_jitdumps(struct bundling *b, struct hd_err *err)
{
	struct hd_buf fates = { 0 };
	const char *path;
	uint64_t bytes;
	int rc;

	hd_jitdump_record_write(b->jitdumps, &fates);
	rc = add_text(b, HD_BUNDLE_JITDUMPS, "", &fates, err);
	hd_buf_release(&fates);
	for (size_t i = 0; rc >= 0 && hd_jitdump_record_file(b->jitdumps, i, &path, &bytes); i++)
		rc = add_jitdump(b, i, path, bytes, err);
	return rc;
}

/* Write one file of the recording.  Unused bytes of stack copies are replaced by zeros. */
static int add_file(struct bundling *b, uint32_t part, const char *name, int fd, uint64_t bytes, struct hd_err *err)
{
	uint8_t *piece = hd_alloc(HD_BUNDLE_PIECE);
	struct hd_stack_bytes_used_cursor at = { 0 };
	int rc = hd_bundle_section(b->w, HD_BUNDLE_RECORDING, name, bytes, err);

	for (uint64_t off = 0; off < bytes && rc >= 0; off += HD_BUNDLE_PIECE) {
		size_t n = bytes - off < HD_BUNDLE_PIECE ? (size_t)(bytes - off) : HD_BUNDLE_PIECE;
		ssize_t got = hd_file_pread(fd, piece, n, off, b->path, err);

		if (got < 0) {
			rc = (int)got;
		} else if ((size_t)got < n) {
			rc = hd_fail(err, HD_EIO, "%s: it got shorter while it was read", b->path);
		} else {
			hd_stack_bytes_used_wipe(&b->marks, &at, part, off, piece, n);
			rc = hd_bundle_add(b->w, piece, n, err);
		}
	}
	b->stats->recording_bytes += bytes;
	free(piece);
	return rc;
}

static int add_folder(struct bundling *b, struct hd_err *err)
{
	struct hd_log unread = { 0 };
	struct hd_perf *pf;
	const char *path;
	uint64_t bytes;
	int fd, rc = hd_perf_open(&pf, b->path, &unread, err);

	for (size_t i = 0; rc >= 0 && hd_perf_nth_file(pf, i, &fd, &path, &bytes); i++)
		rc = add_file(b, (uint32_t)i, strrchr(path, '/') + 1, fd, bytes, err);
	hd_perf_close(pf);
	hd_log_release(&unread);
	return rc;
}

static int write_all(struct bundling *b, struct hd_outfile *out, struct hd_err *err)
{
	struct stat st = { 0 };
	int rc;

	b->w = hd_bundle_begin(out);
	rc = add_about(b, err);
	if (rc >= 0)
		rc = add_symbols(b, err);
	if (rc >= 0)
		rc = add_jitdumps(b, err);
	/*
	 * The recording is written last.  If the bundle is truncated, only the end of the recording is lost, and the
	 * samples before it still have their symbols.
	 */
	if (rc >= 0 && b->fd < 0)
		rc = add_folder(b, err);
	else if (rc >= 0 && fstat(b->fd, &st) < 0)
		rc = hd_fail_errno(err, HD_EIO, errno, "%s: cannot tell its size", b->path);
	else if (rc >= 0)
		rc = add_file(b, 0, "", b->fd, (uint64_t)st.st_size, err);
	if (rc >= 0)
		return hd_bundle_end(b->w, err);
	hd_bundle_abandon(b->w);
	return rc;
}

int hd_bundle_builder_run(struct hd_outfile *out, const char *path, const struct hd_bundle_builder_opts *opts,
		     struct hd_bundle_builder_stats *stats, struct hd_log *log, struct hd_err *err)
{
	struct bundling b = { .path = path, .opts = opts, .stats = stats, .fd = -1 };
	int rc = open_input(&b, err);

	*stats = (struct hd_bundle_builder_stats){ 0 };
	b.remembered = hd_bundle_record_new();
	b.jitdumps = hd_jitdump_record_new();
	if (rc >= 0)
		rc = ask(&b, log, err);
	if (rc >= 0)
		rc = write_all(&b, out, err);
	stats->wiped_bytes = b.marks.wiped;
	hd_stack_bytes_used_release(&b.marks);
	hd_bundle_record_free(b.remembered);
	hd_jitdump_record_free(b.jitdumps);
	if (b.fd >= 0)
		close(b.fd);
	return rc;
}
