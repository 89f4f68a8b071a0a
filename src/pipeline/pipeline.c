/*
 * pipeline.c - see pipeline.h
 */
#include "pipeline/pipeline.h"

#include "base/file.h"
#include "base/mem.h"
#include "bundle/bundle.h"
#include "heap/heap.h"
#include "bundle/bundled_recording.h"
#include "pipeline/damage.h"
#include "pipeline/folded_input.h"
#include "pipeline/gpu_input.h"
#include "pipeline/heap_input.h"
#include "pipeline/perf_input.h"
#include "pipeline/selector.h"

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

static int bundle(struct hd_profile **p, int fd, const char *path, const struct hd_pipeline_opts *opts,
	struct hd_err *err)
{
	struct hd_bundled_recording *b = NULL;
	int rc = hd_bundled_recording_open(&b, fcntl(fd, F_DUPFD_CLOEXEC, 3), path, err);

	if (rc < 0)
		return rc;
	rc = hd_perf_input_read(p, &(struct hd_perf_source){ .path = path, .fd = -1, .bundled = b }, opts, err);
	if (opts->symfs || opts->kallsyms || opts->guest_kallsyms)
		hd_warn(&(*p)->log, "bundle.own-symbols", "omit it, or pass it when the bundle is made",
			"%s: is a bundle and has its own symbols: %s changes nothing", path,
			opts->symfs              ? "--symfs"
				: opts->kallsyms ? "--kallsyms"
						 : "--guest-kallsyms");
	(*p)->recording.written_s = hd_bundled_recording_written(b);
	hd_bundled_recording_close(b);
	return rc;
}

enum kind { PERF_DATA, BUNDLE, HEAP, FOLDED, GPU };	/* GPU and above: readers of GPU captures */

/* Return the enum kind of a file that begins with these n bytes; if n < SNIFF, they are all of the file. */

static int kind_of(const char *head, size_t n, const char *path, struct hd_err *err)
{
	if (hd_perf_input_is(head, n))
		return PERF_DATA;
	if (hd_bundle_is(head, n))
		return BUNDLE;
	if (hd_heap_is(head, n))
		return HEAP;
	if (hd_gpu_input_kind(head, n) >= 0)
		return GPU + hd_gpu_input_kind(head, n);
	if (hd_folded_input_is(head, n, n < SNIFF))
		return FOLDED;
	if (!n)
		return hd_fail(err, HD_EFORMAT, "%s: is empty; nothing was recorded into it", path);
	return hd_fail(err, HD_EFORMAT, "%s: is neither perf.data (magic PERFILE2 at offset 0) nor a bundle nor a heap "
		       "recording nor a GPU capture nor folded stacks (`frame;frame COUNT` lines)", path);
}

static int read_as(enum kind kind, struct hd_profile **p, int fd, const char *path, const struct hd_pipeline_opts *opts,
	struct hd_err *err)
{
	if (kind >= GPU)
		return hd_gpu_input_read(p, (int)(kind - GPU), fd, path, opts, err);
	switch (kind) {
	case BUNDLE:	return bundle(p, fd, path, opts, err);
	case HEAP:	return hd_heap_input_read(*p, fd, path, opts, err);
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

int hd_pipeline_read(struct hd_profile **out, const char *path, const struct hd_pipeline_opts *opts, struct hd_err *err)
{
	struct hd_profile *p;
	struct hd_selector s;
	int rc;

	p = hd_profile_new();
	p->keys = opts->keys;
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
	*out = p;	/* on failure, too: its log has the warnings so far */
	return rc;
}
