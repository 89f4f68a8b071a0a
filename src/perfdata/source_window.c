/*
 * source_window.c - refill the window over a source
 *
 * A window starts with a record and contains at least all of it.  Its data is either read (copied) or mapped:
 *
 *     all of the data is used                     read
 *     record bodies are skipped and large         map: skipped bytes are not loaded
 *     record bodies are skipped and small         read: nearly every cache line is used, and page faults of a
 *                                                 mapping take longer than the copy
 *     large stack copies, one or two threads      read: one thread unwinds, and it would wait for memory as long as a
 *                                                 copy takes
 *     large stack copies, more threads            map: the unwinder needs some words of each copy, and the threads
 *                                                 share the waiting for memory
 *
 * On some virtual machines a page fault takes ten times as long as the copy of a page.  hd_perf_try_mapping() measures
 * that, and everything is read there.
 */
#include "perfdata/perf_state.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/mapped_file.h"
#include "base/mem.h"

#include <stdlib.h>
#include <sys/stat.h>

enum { WIN_BYTES = 1 << 18 };
/*
 * SIGHT_BYTES: size of a mapped window.  LARGE_BYTES: mapping is used for samples of at least this size; SKIPPED_BYTES:
 * the same for a walk that skips their bodies.
 */
enum { SIGHT_BYTES = 1 << 19, LARGE_BYTES = 1 << 12, SKIPPED_BYTES = 1 << 11 };

/*
 * For hd_perf_try_mapping().  TRIAL_BYTES: size of the part of the file that is mapped and read; TRIAL_STEP: distance
 * of the mapped bytes that are touched; TRIAL_FILE: smaller files are not worth a trial.
 */
enum { TRIAL_BYTES = 1 << 18, TRIAL_STEP = 1 << 13, TRIAL_FILE = 1 << 22, TRIALS = 2 };

void hd_perf_map_large_samples(struct hd_perf *pf, bool on)
{
	pf->look = on;
}

void hd_perf_try_mapping(struct hd_perf *pf)
{
	const struct hd_record_source *src = &pf->sources[0];
	struct hd_mapped_file *map;
	uint64_t mapped = UINT64_MAX, read = UINT64_MAX;
	uint8_t *copy;
	struct hd_err err;

	if (src->end - src->start < TRIAL_FILE)
		return;
	map = hd_mapped_file_new(TRIAL_BYTES);
	copy = hd_zalloc(1, TRIAL_BYTES);
	for (int i = 0; map && i < TRIALS; i++) {
		uint64_t begin = hd_monotonic_ns(), between;
		const volatile uint8_t *bytes = hd_mapped_file_view(map, src->fd, src->start, TRIAL_BYTES);

		for (size_t at = 0; bytes && at < TRIAL_BYTES; at += TRIAL_STEP)
			(void)bytes[at];
		between = hd_monotonic_ns();
		mapped = between - begin < mapped ? between - begin : mapped;
		if (hd_file_pread(src->fd, copy, TRIAL_BYTES, src->start, src->path, &err) < 0)
			break;		/* the walk will report it */
		between = hd_monotonic_ns() - between;
		read = between < read ? between : read;
	}
	pf->never_map = mapped > read;
	hd_mapped_file_free(map);
	free(copy);
}

void hd_perf_warn_torn(struct hd_perf *pf)
{
	bool torn = pf->sights.torn || (pf->win && pf->win->file && hd_mapped_file_torn(pf->win->file));

	if (!torn || pf->torn)
		return;
	pf->torn = true;
	pf->file.truncated = true;
	hd_warn(pf->log, "lost.torn", "",
		"%s: it got shorter while it was read, or the disk could not give all of it: what was missing was "
		"taken as zeros; copy it and read the copy",
		pf->file.path);
}

/* Return how many of the n bytes at `pos` exist.  The file may have been truncated since it was opened. */
static size_t there(const struct hd_record_source *src, uint64_t pos, size_t n)
{
	struct stat st;
	uint64_t end = src->end;

	if (fstat(src->fd, &st))
		return 0;
	if ((uint64_t)st.st_size < end)
		end = (uint64_t)st.st_size;
	if (end <= pos)
		return 0;
	return end - pos < n ? (size_t)(end - pos) : n;
}

/*
 * Map the next window into memory.  Returns false if that is impossible or slower than reading; the caller then reads.
 */
static bool look(struct hd_perf *pf, const struct hd_record_source *src)
{
	struct hd_window *w = pf->win;
	/* a walk that skips bodies maps the first window, because the size of the samples is not known yet */
	bool small = pf->bodiless ? pf->sample_bytes && pf->sample_bytes < SKIPPED_BYTES
				  : pf->sample_bytes < LARGE_BYTES;
	size_t n;

	if (small || pf->never_map || (!pf->bodiless && !pf->look))
		return false;
	n = there(src, pf->pos, SIGHT_BYTES);
	if (!n)
		return false;
	if (!w || !w->file || w->holds > 1) {
		pf->sights.size = SIGHT_BYTES;
		pf->sights.mapped = true;
		w = hd_window_pool_take(&pf->sights);
		if (!w)
			return false;
		hd_window_drop(pf->win);
		pf->win = w;
	}
	pf->win_len = 0;
	pf->bytes = hd_mapped_file_view(w->file, src->fd, pf->pos, n);
	if (!pf->bytes)
		return false;
	pf->win_off = pf->pos;
	pf->win_len = n;
	return true;
}

int hd_perf_fill_window(struct hd_perf *pf, struct hd_err *err)
{
	const struct hd_record_source *src = &pf->sources[pf->source];
	uint64_t left = src->end - pf->pos;
	size_t keep = 0, from = 0, want = left < WIN_BYTES ? (size_t)left : WIN_BYTES;
	ssize_t n;

	if (look(pf, src))
		return 0;
	if (!pf->win || pf->win->file) {
		hd_window_drop(pf->win);
		pf->windows.size = WIN_BYTES;
		pf->win = hd_window_pool_take(&pf->windows);
		pf->win_len = 0;
	}
	if (pf->pos >= pf->win_off && pf->pos - pf->win_off < pf->win_len) {
		from = (size_t)(pf->pos - pf->win_off);
		keep = pf->win_len - from;
	}
	hd_window_move(&pf->win, from, keep);
	pf->bytes = pf->win->bytes;
	pf->win_off = pf->pos;
	pf->win_len = keep;
	if (want <= keep)
		return 0;
	n = hd_file_pread(src->fd, pf->win->bytes + keep, want - keep, pf->pos + keep, src->path, err);
	if (n < 0)
		return (int)n;
	pf->win_len += (size_t)n;
	return 0;
}
