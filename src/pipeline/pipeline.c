/*
 * pipeline.c - see pipeline.h
 */
#include "pipeline/pipeline.h"

#include "base/file.h"
#include "base/gunzip.h"
#include "base/mem.h"
#include "bundle/bundle.h"
#include "heap/heap.h"
#include "bundle/bundled_recording.h"
#include "pipeline/callgrind_input.h"
#include "pipeline/damage.h"
#include "pipeline/flame_input.h"
#include "pipeline/folded_input.h"
#include "pipeline/gpu_input.h"
#include "pipeline/heap_input.h"
#include "pipeline/perf_input.h"
#include "pipeline/perf_script_input.h"
#include "pipeline/pprof_input.h"
#include "pipeline/selector.h"
#include "pipeline/speedscope_input.h"
#include "symbols/symbol_access.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SNIFF = HD_FILE_HEAD };

/* Read a perf.data file from fd, which stays open, or with fd -1 the folder at `path`. */
static int recording(struct hd_profile **p, int fd, const char *path, const struct hd_pipeline_opts *opts,
	struct hd_err *err)
{
	return hd_perf_input_read(p, &(struct hd_perf_source){ .path = path, .fd = fd }, opts, err);
}

/* A lease of symbols that come from a bundle, which must stay open as long as the lease. */
struct bundle_lease {
	struct hd_bundled_recording *b;
	struct hd_symbol_lease symbols;
};

static void end_bundle_lease(void *arg)
{
	struct bundle_lease *lease = arg;

	hd_symbol_lease_end(&lease->symbols);
	hd_bundled_recording_close(lease->b);
	free(lease);
}

/* Close the bundle, or move it to the lease of the caller if there is one. */
static void end_bundle(struct hd_bundled_recording *b, struct hd_symbol_lease *lease)
{
	struct bundle_lease *both;

	if (!lease || !lease->end) {
		hd_bundled_recording_close(b);
		return;
	}
	both = hd_new(struct bundle_lease);
	*both = (struct bundle_lease){ b, *lease };
	*lease = (struct hd_symbol_lease){ end_bundle_lease, both };
}

static int bundle(struct hd_profile **p, int fd, const char *path, const struct hd_pipeline_opts *opts,
	struct hd_err *err)
{
	struct hd_bundled_recording *b = NULL;
	int rc = hd_bundled_recording_open(&b, fcntl(fd, F_DUPFD_CLOEXEC, 3), path, err);

	if (rc < 0)
		return rc;
	rc = hd_perf_input_read(p, &(struct hd_perf_source){ .path = path, .fd = -1, .bundled = b }, opts, err);
	/* Annotations read the code below --symfs. */
	if ((opts->symfs && !opts->symbol_user) || opts->kallsyms || opts->guest_kallsyms)
		hd_warn(&(*p)->log, "bundle.own-symbols", "omit it, or pass it when the bundle is made",
			"%s: is a bundle and has its own symbols: %s changes nothing", path,
			opts->kallsyms                 ? "--kallsyms"
				: opts->guest_kallsyms ? "--guest-kallsyms"
						       : "--symfs");
	(*p)->recording.written_s = hd_bundled_recording_written(b);
	end_bundle(b, opts->symbol_user ? opts->symbol_user->lease : NULL);
	return rc;
}

/* GPU + i: the format of reader i in gpu_input.c */
enum kind { PERF_DATA, BUNDLE, HEAP, PPROF, SPEEDSCOPE, CALLGRIND, PERF_SCRIPT, FOLDED, FLAME, GPU };

static int packed_kind(const char *head, size_t n);

/* Return true if the text begins like a JSON object or an array of objects; it is then not folded text. */
static bool is_json(const char *head, size_t n)
{
	static const char blanks[] = " \t\r\n";
	size_t at = 0;
	char first;

	while (at < n && strchr(blanks, head[at]) && head[at])
		at++;
	if (at == n || (head[at] != '{' && head[at] != '['))
		return false;
	first = head[at++];
	while (at < n && strchr(blanks, head[at]) && head[at])
		at++;
	return at < n && head[at] == (first == '{' ? '"' : '{');
}

/* Return the enum kind of a file that begins with these n bytes, or -1.  If n < SNIFF, they count as the whole file. */
static int content_kind(const char *head, size_t n)
{
	if (hd_perf_input_is(head, n))
		return PERF_DATA;
	if (hd_bundle_is(head, n))
		return BUNDLE;
	if (hd_heap_is(head, n))
		return HEAP;
	if (hd_gpu_input_kind(head, n) >= 0)
		return GPU + hd_gpu_input_kind(head, n);
	if (hd_gunzip_is(head, n))
		return packed_kind(head, n);
	if (hd_pprof_input_is(head, n))
		return PPROF;
	if (hd_speedscope_input_is(head, n))
		return SPEEDSCOPE;
	if (hd_callgrind_input_is(head, n))
		return CALLGRIND;
	if (hd_perf_script_input_is(head, n))
		return PERF_SCRIPT;
	if (hd_flame_input_is(head, n))
		return FLAME;
	if (is_json(head, n))
		return -1;
	return hd_folded_input_is(head, n, n < SNIFF) ? FOLDED : -1;
}

/* As content_kind(), for what a gzipped file contains.  Return -1 if it was gzipped twice. */
static int unpacked_kind(const char *head, size_t n)
{
	char *text = hd_alloc(SNIFF);
	size_t len = hd_gunzip_head(head, n, text, SNIFF);
	int kind = hd_gunzip_is(text, len) ? -1 : content_kind(text, len);

	free(text);
	return kind;
}

/*
 * As unpacked_kind(), but return -1 also if the reader of the format cannot decompress it.  hd_gpu_input_kind() detects
 * the only packed GPU capture that has such a reader.
 */
static int packed_kind(const char *head, size_t n)
{
	int kind = unpacked_kind(head, n);

	return kind >= PPROF && kind < FLAME ? kind : -1;
}

static int kind_of(const char *head, size_t n, const char *path, struct hd_err *err)
{
	const char *dot = strrchr(path, '.');
	int kind = content_kind(head, n);

	if (kind >= 0)
		return kind;
	if (hd_gunzip_is(head, n) && unpacked_kind(head, n) >= 0)
		return hd_fail(err, HD_EFORMAT, "%s: is compressed with gzip, which hotdrift does not read in this "
			       "format; decompress it first, with gunzip", path);
	if (!n)
		return hd_fail(err, HD_EFORMAT, "%s: is empty; nothing was recorded into it", path);
	if (is_json(head, n))
		return hd_fail(err, HD_EFORMAT, "%s: is JSON in a form that hotdrift does not read; it reads "
			       "speedscope files, and traces of the PyTorch profiler", path);
	if (dot && !strcmp(dot, ".csv"))
		return hd_fail(err, HD_EFORMAT, "%s: is no profile, and its first line is not the header of a CSV file "
			       "of hotdrift; --series NAME=FILE of 'add' stores the columns of any CSV file", path);
	return hd_fail(err, HD_EFORMAT, "%s: is neither perf.data (magic PERFILE2 at offset 0) nor a bundle nor a heap "
		       "recording nor a GPU capture nor a profile of pprof, speedscope, callgrind or perf script nor "
		       "folded stacks (`frame;frame COUNT` lines)", path);
}

static int read_as(enum kind kind, struct hd_profile **p, int fd, const char *path, const struct hd_pipeline_opts *opts,
	struct hd_err *err)
{
	if (kind >= GPU)
		return hd_gpu_input_read(p, (int)(kind - GPU), fd, path, opts, err);
	switch (kind) {
	case BUNDLE:	return bundle(p, fd, path, opts, err);
	case HEAP:	return hd_heap_input_read(*p, fd, path, opts, err);
	case PPROF:	return hd_pprof_input_read(*p, fd, path, opts, err);
	case SPEEDSCOPE:
		return hd_speedscope_input_read(*p, fd, path, opts, err);
	case CALLGRIND:
		return hd_callgrind_input_read(*p, fd, path, opts, err);
	case PERF_SCRIPT:
		return hd_perf_script_input_read(*p, fd, path, opts, err);
	case FLAME:	return hd_flame_input_read(*p, fd, path, opts, err);
	case FOLDED:	return hd_folded_input_read(*p, fd, path, opts, err);
	case PERF_DATA:
	default:	return recording(p, fd, path, opts, err);
	}
}

static int ingest(struct hd_profile **p, const char *path, const struct hd_pipeline_opts *opts, struct hd_err *err)
{
	char *head;
	struct stat st;
	ssize_t n;
	int fd, rc;

	fd = hd_file_open(path, err);
	if (fd < 0)
		return fd;
	if (fstat(fd, &st) == 0 && S_ISDIR(st.st_mode)) {
		close(fd);
		return recording(p, -1, path, opts, err);
	}
	if (!S_ISREG(st.st_mode)) {
		int spooled = hd_file_spool(fd, path, kind_of, err);

		close(fd);
		if (spooled < 0)
			return spooled;
		fd = spooled;
	}
	head = hd_alloc(SNIFF);
	n = hd_file_pread(fd, head, SNIFF, 0, path, err);
	rc = n < 0 ? (int)n : kind_of(head, (size_t)n, path, err);
	free(head);
	if (rc >= 0)
		rc = read_as((enum kind)rc, p, fd, path, opts, err);
	close(fd);
	return rc;
}

int hd_pipeline_spool_stdin(struct hd_err *err)
{
	struct stat st;
	int fd, rc = 0;

	if (fstat(STDIN_FILENO, &st) < 0 || !(S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode)))
		return 0;
	fd = hd_file_spool(STDIN_FILENO, "-", kind_of, err);
	if (fd < 0)
		return fd;
	if (dup2(fd, STDIN_FILENO) < 0)
		rc = hd_fail_errno(err, HD_EIO, errno, "-: cannot replace standard input");
	close(fd);
	return rc;
}

unsigned hd_pipeline_keys(const struct hd_pipeline_opts *opts)
{
	return opts->keys | (opts->timed ? HD_TIMED_KEYS : 0);
}

int hd_pipeline_read(struct hd_profile **out, const char *path, const struct hd_pipeline_opts *opts, struct hd_err *err)
{
	struct hd_profile *p;
	struct hd_selector s;
	int rc;

	p = hd_profile_new();
	p->keys = hd_pipeline_keys(opts);
	rc = hd_selector_init(&s, &opts->select, err);	/* report an invalid selection before anything is read */
	if (rc >= 0) {
		hd_selector_release(&s);
		rc = ingest(&p, path, opts, err);
	}
	if (rc >= 0) {
		free(p->recording.path);
		p->recording.path = hd_strdup(path);
	}
	if (opts->strict && rc >= 0)
		rc = hd_damage_check(&p->log, err);
	*out = p;	/* return the profile on failure, too: its log has the warnings so far */
	return rc;
}
