/*
 * gaps.c - see gaps.h
 */
#include "gpu/gaps.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

void hd_gpu_recent_init(struct hd_gpu_recent *r, size_t room)
{
	*r = (struct hd_gpu_recent){ .items = hd_new_array(struct hd_gpu_interval, room), .room = room };
}

void hd_gpu_recent_release(struct hd_gpu_recent *r)
{
	free(r->items);
	*r = (struct hd_gpu_recent){ 0 };
}

void hd_gpu_recent_add(struct hd_gpu_recent *r, const struct hd_gpu_activity *a)
{
	r->items[r->at] = (struct hd_gpu_interval){ a->start_ns, a->end_ns, a->name, a->pid };
	r->at = (r->at + 1) % r->room;
	r->n += r->n < r->room;
}

/* Return the i-th of the intervals, the newest first. */
static const struct hd_gpu_interval *newest(const struct hd_gpu_recent *r, size_t i)
{
	return &r->items[(r->at + r->room - 1 - i) % r->room];
}

static uint64_t overlap(const struct hd_gpu_interval *i, int64_t from, int64_t to)
{
	int64_t a = i->start_ns > from ? i->start_ns : from, b = i->end_ns < to ? i->end_ns : to;

	return b > a ? (uint64_t)b - (uint64_t)a : 0;
}

/* ---- the calls of a gap ---- */

enum { NAMES = 64 };		/* distinct API functions in a gap; more are not counted */

struct cost { uint32_t name; uint64_t ns; };

static int by_cost(const void *va, const void *vb)
{
	const struct cost *a = va, *b = vb;

	if (a->ns != b->ns)
		return a->ns < b->ns ? 1 : -1;
	return a->name < b->name ? -1 : a->name > b->name;
}

static void find_calls(struct hd_gpu_gap *g, const struct hd_gpu_recent *calls, uint32_t pid)
{
	struct cost costs[NAMES];
	size_t n = 0;
	uint64_t length = (uint64_t)g->end_ns - (uint64_t)g->start_ns;

	for (size_t i = 0; i < calls->n; i++) {
		const struct hd_gpu_interval *c = newest(calls, i);
		uint64_t ns = overlap(c, g->start_ns, g->end_ns);
		size_t k = 0;

		if (!ns || (pid && c->pid && c->pid != pid))
			continue;
		while (k < n && costs[k].name != c->name)
			k++;
		if (k == NAMES)
			continue;
		if (k == n)
			costs[n++] = (struct cost){ c->name, 0 };
		/* Threads may call the same function at the same time.  So limit the sum to the length of the gap. */
		costs[k].ns = ns < length - costs[k].ns ? costs[k].ns + ns : length;
	}
	qsort(costs, n, sizeof(*costs), by_cost);
	for (size_t i = 0; i < n && i < HD_GPU_GAP_CALLS; i++) {
		g->call[i] = costs[i].name;
		g->call_ns[i] = costs[i].ns;
	}
}

/*
 * Find the innermost range of process `pid` (0: of any process) that covers more than half of the gap.  Of several
 * ranges, the one that began last is the innermost.
 */
static void find_range(struct hd_gpu_gap *g, const struct hd_gpu_recent *ranges, uint32_t pid)
{
	for (size_t i = 0; i < ranges->n && !g->range; i++) {
		const struct hd_gpu_interval *r = newest(ranges, i);

		if (pid && r->pid && r->pid != pid)
			continue;
		if (overlap(r, g->start_ns, g->end_ns) > ((uint64_t)g->end_ns - (uint64_t)g->start_ns) / 2)
			g->range = r->name;
	}
}

void hd_gpu_gap_add(struct hd_gpu_device *d, int64_t since, uint32_t before, const struct hd_gpu_activity *after,
		    const struct hd_gpu_recent *calls, const struct hd_gpu_recent *ranges)
{
	struct hd_gpu_gap g = {
		.start_ns = since, .end_ns = after->start_ns, .before = before, .after = after->name,
		.stack = after->stack,
	};
	uint64_t length = (uint64_t)g.end_ns - (uint64_t)since;
	size_t at = d->ngaps;

	d->all_gaps++;
	while (at && (uint64_t)d->gaps[at - 1].end_ns - (uint64_t)d->gaps[at - 1].start_ns < length)
		at--;
	if (at == HD_GPU_GAPS)
		return;
	find_calls(&g, calls, after->pid);
	find_range(&g, ranges, after->pid);
	d->ngaps += d->ngaps < HD_GPU_GAPS;
	memmove(&d->gaps[at + 1], &d->gaps[at], (d->ngaps - 1 - at) * sizeof(*d->gaps));
	d->gaps[at] = g;
}
