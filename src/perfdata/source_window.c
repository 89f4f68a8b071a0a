/*
 * source_window.c - refill the window over a source
 *
 * A window contains a whole record of any size, from its start.  Reading is fastest if the data is used completely.  A
 * walk that skips bodies maps the file instead.  With large copies of stacks, the unwinder needs only some words.  One
 * thread would wait for memory as long as a copy takes; if other threads unwind, they share this waiting, so mapping is
 * faster.
 */
#include "perfdata/perf_state.h"

#include "base/file.h"
#include "base/mapped_file.h"

#include <sys/stat.h>

enum { WIN_BYTES = 1 << 18 };
/* Size of a mapped window, and the least size of samples for which mapping is used. */
enum { SIGHT_BYTES = 1 << 19, LARGE_BYTES = 1 << 12 };

void hd_perf_map_large_samples(struct hd_perf *pf, bool on)
{
	pf->look = on;
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

/* Return how many of the n bytes at pos the file still has: it may have been truncated. */
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

/* Map the next window if that is possible and faster; returns false if it must be read. */
static bool look(struct hd_perf *pf, const struct hd_record_source *src)
{
	struct hd_window *w = pf->win;
	size_t n;

	if (!pf->bodiless && (!pf->look || pf->sample_bytes < LARGE_BYTES))
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
