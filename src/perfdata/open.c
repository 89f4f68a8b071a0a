/* open.c - open and close the files of a recording */
#include "perfdata/embedded_files.h"
#include "perfdata/perf_state.h"

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static struct hd_record_source *add_source(struct hd_perf *pf, int fd, const char *path)
{
	struct hd_record_source *src;

	pf->sources = hd_realloc(pf->sources, pf->nsources + 1, sizeof(*pf->sources));
	src = &pf->sources[pf->nsources++];
	*src = (struct hd_record_source){ .fd = fd, .path = hd_strdup(path) };
	return src;
}

static int64_t ns_of(int64_t s, int64_t ns)
{
	return s > INT64_MAX / 1000000000 - 1 || s < 0 ? 0 : s * 1000000000 + ns;
}

/*
 * Set the times of creation and of the last write.  If there are several files, these are the creation time of the
 * first file and the latest write to any of them.
 */
static void note_times(struct hd_perf *pf, int fd, const struct stat *st)
{
	int64_t written = ns_of(st->st_mtim.tv_sec, st->st_mtim.tv_nsec);
	struct statx sx;

	if (written > pf->file.written_ns)
		pf->file.written_ns = written;
	pf->file.written_s = pf->file.written_ns / 1000000000;
	if (!pf->file.created_ns && statx(fd, "", AT_EMPTY_PATH, STATX_BTIME, &sx) == 0 && sx.stx_mask & STATX_BTIME)
		pf->file.created_ns = ns_of(sx.stx_btime.tv_sec, sx.stx_btime.tv_nsec);
}

/*
 * Add fd to the files that records are read from.  A regular file is read directly; anything else is first copied to a
 * temporary file.
 */
static int open_source(struct hd_perf *pf, int fd, const char *path, struct hd_err *err)
{
	struct hd_record_source *src = add_source(pf, fd, path);
	struct stat st;

	if (fstat(fd, &st) < 0)
		return hd_fail_errno(err, HD_EIO, errno, "%s: cannot stat", path);
	if (S_ISDIR(st.st_mode))
		return hd_fail(err, HD_EFORMAT, "%s: it is a directory", path);
	if (!S_ISREG(st.st_mode)) {
		struct timespec now = { 0 };
		int spooled;

		clock_gettime(CLOCK_REALTIME, &now);
		pf->file.created_ns = ns_of(now.tv_sec, now.tv_nsec);
		pf->file.spooled = true;
		spooled = hd_file_spool(fd, path, hd_perf_accept, err);

		if (spooled < 0)
			return spooled;
		close(fd);
		src->fd = spooled;
		if (fstat(src->fd, &st) < 0)
			return hd_fail_errno(err, HD_EIO, errno, "%s: cannot stat its temporary copy", path);
	}
	note_times(pf, src->fd, &st);
	src->bytes = (uint64_t)st.st_size;
	src->end = src->bytes;
	pf->file.bytes += src->bytes;
	return 0;
}

static struct hd_perf *new_perf(const char *path, struct hd_log *log)
{
	struct hd_perf *pf = hd_new(struct hd_perf);

	pf->log = log;
	pf->file.path = hd_strdup(path);
	return pf;
}

int hd_perf_open_fd(struct hd_perf **out, int fd, const char *path, struct hd_log *log, struct hd_err *err)
{
	struct hd_perf *pf = new_perf(path, log);
	int rc;

	*out = NULL;
	rc = open_source(pf, fd, path, err);
	if (rc < 0)
		goto out;
	rc = hd_perf_read_header(pf, err);
	if (rc < 0)
		goto out;
	rc = hd_perf_rewind(pf, err);
	if (rc < 0)
		goto out;
	*out = pf;
	pf = NULL;
out:
	hd_perf_close(pf);
	return rc;
}

/* ---- the directory format: DIR/data is a whole recording, DIR/data.N contain more records */

static int by_number(const void *a, const void *b)
{
	unsigned int x = *(const unsigned int *)a, y = *(const unsigned int *)b;

	return (x > y) - (x < y);
}

/* List the numbers N of the files data.N in ascending order.  The caller frees *parts, also after an error. */
static int list_parts(const char *dir, unsigned int **parts, size_t *n, struct hd_err *err)
{
	DIR *d = opendir(dir);
	struct dirent *e;
	size_t cap = 0;

	*parts = NULL;
	*n = 0;
	if (!d)
		return hd_fail_errno(err, HD_EIO, errno, "%s: cannot open the directory", dir);
	while ((e = readdir(d))) {
		unsigned int number;
		char back[32];

		if (sscanf(e->d_name, "data.%9u", &number) != 1)
			continue;
		snprintf(back, sizeof(back), "data.%u", number);
		if (strcmp(back, e->d_name))
			continue;
		HD_GROW(*parts, *n + 1, cap);
		(*parts)[(*n)++] = number;
	}
	closedir(d);
	if (*n)
		qsort(*parts, *n, sizeof(**parts), by_number);
	return 0;
}

/* Open the regular file `name` in the directory `dir`.  Return a descriptor, or < 0. */
static int open_in_dir(const char *dir, const char *name, struct hd_err *err)
{
	size_t n = strlen(dir) + strlen(name) + 2;
	char *path = hd_alloc(n);
	struct stat st;
	int rc;

	snprintf(path, n, "%s/%s", dir, name);
	if (stat(path, &st) < 0)
		rc = hd_fail_errno(err, HD_EFORMAT, errno, "%s: not a perf.data directory: no %s", dir, path);
	else if (!S_ISREG(st.st_mode))
		rc = hd_fail(err, HD_EFORMAT, "%s: it is no regular file", path);
	else
		rc = hd_file_open(path, err);
	free(path);
	return rc;
}

int hd_perf_open_files(struct hd_perf **out, const char *dir, const int *fds, const char *const *names, size_t n,
		       struct hd_log *log, struct hd_err *err)
{
	struct hd_perf *pf = new_perf(dir, log);
	struct hd_buf path = { 0 };
	size_t i;
	int rc = n ? 0 : hd_fail(err, HD_EFORMAT, "%s: a folder without files", dir);

	*out = NULL;
	pf->file.dir = true;
	for (i = 0; i < n && rc >= 0; i++) {
		hd_buf_reset(&path);
		hd_buf_addf(&path, "%s/%s", dir, names[i]);
		rc = open_source(pf, fds[i], path.data, err);
		if (rc >= 0 && !i)
			rc = hd_perf_read_header(pf, err);
	}
	for (; i < n; i++)
		close(fds[i]);
	hd_buf_release(&path);
	if (rc >= 0)
		rc = hd_perf_rewind(pf, err);
	if (rc >= 0)
		*out = pf;
	else
		hd_perf_close(pf);
	return rc;
}

static int open_dir(struct hd_perf **out, const char *dir, struct hd_log *log, struct hd_err *err)
{
	unsigned int *parts = NULL;
	size_t n = 0, nfds = 0;
	const char **names;
	char (*texts)[32];
	int *fds, rc;

	rc = open_in_dir(dir, "data", err);
	if (rc < 0)
		return rc;
	fds = hd_new_array(int, 1);
	fds[nfds++] = rc;
	rc = list_parts(dir, &parts, &n, err);
	fds = hd_realloc(fds, n + 1, sizeof(*fds));
	names = hd_new_array(const char *, n + 1);
	texts = hd_zalloc(n + 1, sizeof(*texts));
	names[0] = "data";
	for (size_t i = 0; rc >= 0 && i < n; i++) {
		names[i + 1] = texts[i];
		snprintf(texts[i], sizeof(texts[i]), "data.%u", parts[i]);
		rc = open_in_dir(dir, texts[i], err);
		if (rc >= 0)
			fds[nfds++] = rc;
	}
	if (rc >= 0)
		rc = hd_perf_open_files(out, dir, fds, names, nfds, log, err);
	else
		while (nfds)
			close(fds[--nfds]);
	free(fds);
	free(names);
	free(texts);
	free(parts);
	return rc;
}

int hd_perf_open(struct hd_perf **out, const char *path, struct hd_log *log, struct hd_err *err)
{
	struct stat st;
	int fd;

	*out = NULL;
	if (strcmp(path, "-") && stat(path, &st) == 0 && S_ISDIR(st.st_mode))
		return open_dir(out, path, log, err);
	fd = hd_file_open(path, err);
	return fd < 0 ? fd : hd_perf_open_fd(out, fd, path, log, err);
}

int hd_perf_reopen(struct hd_perf **out, const struct hd_perf *pf, struct hd_log *log, struct hd_err *err)
{
	size_t n = pf->nsources, have = 0;
	const char **names;
	int *fds, rc = 0;

	*out = NULL;
	fds = hd_new_array(int, n);
	names = hd_new_array(const char *, n);
	for (; have < n && rc >= 0; have++) {
		const char *slash = strrchr(pf->sources[have].path, '/');

		names[have] = slash ? slash + 1 : pf->sources[have].path;
		fds[have] = fcntl(pf->sources[have].fd, F_DUPFD_CLOEXEC, 3);
		if (fds[have] < 0) {
			rc = hd_fail_errno(err, HD_EIO, errno, "%s: cannot be read once more", pf->file.path);
			break;
		}
	}
	if (rc < 0)
		while (have)
			close(fds[--have]);
	else if (pf->file.dir)
		rc = hd_perf_open_files(out, pf->file.path, fds, names, n, log, err);
	else
		rc = hd_perf_open_fd(out, fds[0], pf->file.path, log, err);
	if (rc >= 0)
		(*out)->never_map = pf->never_map;
	free(fds);
	free(names);
	return rc;
}

bool hd_perf_nth_file(const struct hd_perf *pf, size_t i, int *fd, const char **path, uint64_t *bytes)
{
	if (i >= pf->nsources)
		return false;
	*fd = pf->sources[i].fd;
	*path = pf->sources[i].path;
	*bytes = pf->sources[i].bytes;
	return true;
}

void hd_perf_close(struct hd_perf *pf)
{
	if (!pf)
		return;
	hd_window_drop(pf->win);
	hd_perf_warn_torn(pf);
	for (size_t i = 0; i < pf->nsources; i++) {
		if (pf->sources[i].fd >= 0)
			close(pf->sources[i].fd);
		free(pf->sources[i].path);
	}
	for (size_t i = 0; i < pf->nattrs; i++) {
		free(pf->attrs[i].ids);
		free(pf->attrs[i].name);
	}
	for (size_t i = 0; i < pf->head.ncmdline; i++)
		free(pf->head.cmdline[i]);
	for (size_t i = 0; i < pf->nbuild_ids; i++)
		free(pf->build_ids[i].name);
	for (size_t i = 0; i < pf->nevent_types; i++)
		free(pf->event_types[i].name);
	hd_buf_release(&pf->tracing);
	free(pf->head.hostname);
	free(pf->head.os_release);
	free(pf->head.version);
	free(pf->head.arch);
	free(pf->head.cpudesc);
	free(pf->head.cpuid);
	free(pf->head.cmdline);
	free(pf->head.clock_data);
	free(pf->file.path);
	free(pf->sources);
	free(pf->attrs);
	free(pf->layouts);
	free(pf->build_ids);
	free(pf->event_types);
	hd_window_pool_release(&pf->windows);
	hd_window_pool_release(&pf->sights);
	free(pf->odd);
	free(pf->counts);
	free(pf->group_last);
	free(pf->silences);
	free(pf->times);
	free(pf->values);
	free(pf->name);
	hd_map_release(&pf->ids);
	hd_map_release(&pf->odd_index);
	hd_map_release(&pf->group_index);
	hd_map_release(&pf->silence_index);
	hd_map_release(&pf->times_index);
	hd_map_release(&pf->thread_index);
	hd_decompressor_free(pf->unzip);
	hd_embedded_symbols_free(pf);
	free(pf);
}

struct hd_log *hd_perf_set_log(struct hd_perf *pf, struct hd_log *log)
{
	struct hd_log *was = pf->log;

	pf->log = log;
	return was;
}

const struct hd_perf_file *hd_perf_file(const struct hd_perf *pf)
{
	return &pf->file;
}

const struct hd_perf_header *hd_perf_header(const struct hd_perf *pf)
{
	return &pf->head;
}

const struct hd_perf_attr *hd_perf_attrs(const struct hd_perf *pf, size_t *n)
{
	*n = pf->nattrs;
	return pf->attrs;
}

const struct hd_perf_build_id *hd_perf_build_ids(const struct hd_perf *pf, size_t *n)
{
	*n = pf->nbuild_ids;
	return pf->build_ids;
}

const struct hd_perf_stats *hd_perf_stats(const struct hd_perf *pf)
{
	return &pf->stats;
}
