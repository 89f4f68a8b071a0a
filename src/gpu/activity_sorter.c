/*
 * activity_sorter.c - see activity_sorter.h
 */
#include "gpu/activity_sorter.h"

#include "base/file.h"
#include "base/mem.h"

#include <stdlib.h>
#include <unistd.h>

/* A sorted run of ROOM activities takes 29 MB; 10^8 activities make 382 sorted runs, whose read buffers take 11 MB. */
enum { ROOM = 1 << 18, READ_AHEAD = 256 };

/* later: the activity is not a launch, so it sorts after launches with the same start */
struct key { int64_t start_ns; uint32_t index; bool later; };

/* A sorted run: activities in the temporary file, by rising start, that are read back through a buffer. */
struct run {
	uint64_t at, left;		/* at: file offset of the next read, in bytes; left: activities not read yet */
	struct hd_gpu_activity *buffer;
	size_t n, next;			/* number of activities in `buffer`, and index of the next one to return */
};

struct hd_gpu_activity_sorter {
	const struct hd_gpu_sink *sink;
	const char *path;
	struct hd_gpu_activity *items;
	size_t n, cap;
	int fd;				/* the temporary file, -1: none yet */
	uint64_t end;			/* size of the temporary file in bytes */
	struct run *runs;
	size_t nruns, runs_cap;
	/* indexes of `runs` as a binary heap; the run with the earliest activity is on top */
	size_t *heap;
};

struct hd_gpu_activity_sorter *hd_gpu_activity_sorter_new(const struct hd_gpu_sink *sink, const char *path)
{
	struct hd_gpu_activity_sorter *o = hd_new(struct hd_gpu_activity_sorter);

	o->sink = sink;
	o->path = path;
	o->fd = -1;
	return o;
}

void hd_gpu_activity_sorter_free(struct hd_gpu_activity_sorter *o)
{
	if (!o)
		return;
	for (size_t i = 0; i < o->nruns; i++)
		free(o->runs[i].buffer);
	if (o->fd >= 0)
		close(o->fd);
	free(o->runs);
	free(o->heap);
	free(o->items);
	free(o);
}

/* ---- one run ---- */

static int by_key(const void *va, const void *vb)
{
	const struct key *a = va, *b = vb;

	if (a->start_ns != b->start_ns)
		return a->start_ns < b->start_ns ? -1 : 1;
	if (a->later != b->later)
		return a->later ? 1 : -1;
	return a->index < b->index ? -1 : a->index > b->index;
}

/* Return the sorted keys of the activities in memory.  The caller frees them. */
static struct key *sorted(const struct hd_gpu_activity_sorter *o)
{
	struct key *keys = hd_new_array(struct key, o->n + 1);

	for (size_t i = 0; i < o->n; i++)
		keys[i] = (struct key){ o->items[i].start_ns, (uint32_t)i, o->items[i].kind != HD_GPU_LAUNCH };
	if (o->n)
		qsort(keys, o->n, sizeof(*keys), by_key);
	return keys;
}

static int spill(struct hd_gpu_activity_sorter *o, struct hd_err *err)
{
	struct hd_gpu_activity *block = hd_new_array(struct hd_gpu_activity, READ_AHEAD);
	struct key *keys = sorted(o);
	int rc = 0;

	if (o->fd < 0)
		rc = o->fd = hd_file_temporary(o->path, err);
	if (rc >= 0) {
		HD_GROW(o->runs, o->nruns + 1, o->runs_cap);
		o->runs[o->nruns++] = (struct run){ .at = o->end, .left = o->n };
	}
	for (size_t i = 0, k = 0; rc >= 0 && i < o->n; i++) {
		block[k++] = o->items[keys[i].index];
		if (k < READ_AHEAD && i + 1 < o->n)
			continue;
		rc = hd_file_pwrite(o->fd, block, k * sizeof(*block), o->end, o->path, err);
		o->end += k * sizeof(*block);
		k = 0;
	}
	free(block);
	free(keys);
	o->n = 0;
	return rc < 0 ? rc : 0;
}

int hd_gpu_activity_sorter_add(struct hd_gpu_activity_sorter *o, const struct hd_gpu_activity *a, struct hd_err *err)
{
	int rc = o->n == ROOM ? spill(o, err) : 0;

	if (rc < 0)
		return rc;
	HD_GROW(o->items, o->n + 1, o->cap);
	o->items[o->n++] = *a;
	return 0;
}

/* ---- merging ---- */

/* Make the next activity of a sorted run available.  Returns 1, 0 if the run has ended, or < 0 on errors. */
static int refill(struct hd_gpu_activity_sorter *o, struct run *r, struct hd_err *err)
{
	size_t n = r->left < READ_AHEAD ? (size_t)r->left : READ_AHEAD;
	ssize_t got;

	if (r->next < r->n)
		return 1;
	if (!n)
		return 0;
	if (!r->buffer)
		r->buffer = hd_new_array(struct hd_gpu_activity, READ_AHEAD);
	got = hd_file_pread(o->fd, r->buffer, n * sizeof(*r->buffer), r->at, o->path, err);
	if (got < 0)
		return (int)got;
	if ((size_t)got != n * sizeof(*r->buffer))
		return hd_fail(err, HD_EIO, "%s: its temporary file became shorter while it was read", o->path);
	r->at += (uint64_t)got;
	r->left -= n;
	r->n = n;
	r->next = 0;
	return 1;
}

/*
 * Return true if the next activity of sorted run a goes before that of sorted run b.  If they are equal in order, the
 * run with the lower number goes first.
 */
static bool goes_before(const struct hd_gpu_activity_sorter *o, size_t a, size_t b)
{
	const struct hd_gpu_activity *x = &o->runs[a].buffer[o->runs[a].next], *y = &o->runs[b].buffer[o->runs[b].next];

	return hd_gpu_activity_before(x, y) || (a < b && !hd_gpu_activity_before(y, x));
}

static void sink_down(struct hd_gpu_activity_sorter *o, size_t n, size_t i)
{
	for (;;) {
		size_t least = i, run;

		for (size_t child = 2 * i + 1; child <= 2 * i + 2 && child < n; child++)
			if (goes_before(o, o->heap[child], o->heap[least]))
				least = child;
		if (least == i)
			return;
		run = o->heap[i];
		o->heap[i] = o->heap[least];
		o->heap[least] = run;
		i = least;
	}
}

static int merge(struct hd_gpu_activity_sorter *o, struct hd_err *err)
{
	size_t n = 0;
	int rc;

	o->heap = hd_new_array(size_t, o->nruns);
	for (; n < o->nruns; n++) {
		o->heap[n] = n;
		rc = refill(o, &o->runs[n], err);	/* no run is empty */
		if (rc < 0)
			return rc;
	}
	for (size_t i = n; i-- > 0;)
		sink_down(o, n, i);
	while (n) {
		struct run *r = &o->runs[o->heap[0]];

		rc = o->sink->activity(o->sink->context, &r->buffer[r->next++], err);
		if (rc >= 0)
			rc = refill(o, r, err);
		if (rc < 0)
			return rc;
		if (!rc)
			o->heap[0] = o->heap[--n];
		sink_down(o, n, 0);
	}
	return 0;
}

int hd_gpu_activity_sorter_end(struct hd_gpu_activity_sorter *o, struct hd_err *err)
{
	struct key *keys;
	int rc = 0;

	if (o->nruns) {
		rc = o->n ? spill(o, err) : 0;
		free(o->items);
		o->items = NULL;
		o->cap = 0;
		return rc < 0 ? rc : merge(o, err);
	}
	keys = sorted(o);
	for (size_t i = 0; rc >= 0 && i < o->n; i++)
		rc = o->sink->activity(o->sink->context, &o->items[keys[i].index], err);
	free(keys);
	return rc < 0 ? rc : 0;
}
