/*
 * range_stack.c - see range_stack.h
 */
#include "gpu/range_stack.h"

#include "base/map.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

struct range {
	int64_t start_ns, end_ns;
	uint32_t name;
	/* node of this range in `dict`; 0: the nodes of this range and of the ranges inside it do not exist yet */
	uint32_t node;
};

struct thread {
	struct range *open;		/* the ranges that have not ended yet, outermost first */
	size_t n, cap;
};

struct hd_gpu_range_stack {
	struct hd_gpu_dict *dict;
	struct hd_map by_id;		/* pid and tid -> index of threads */
	struct thread *threads;
	size_t nthreads, threads_cap;
};

struct hd_gpu_range_stack *hd_gpu_range_stack_new(struct hd_gpu_dict *dict)
{
	struct hd_gpu_range_stack *e = hd_new(struct hd_gpu_range_stack);

	e->dict = dict;
	return e;
}

void hd_gpu_range_stack_free(struct hd_gpu_range_stack *e)
{
	if (!e)
		return;
	for (size_t i = 0; i < e->nthreads; i++)
		free(e->threads[i].open);
	free(e->threads);
	hd_map_release(&e->by_id);
	free(e);
}

static struct thread *thread_of(struct hd_gpu_range_stack *e, const struct hd_gpu_activity *a)
{
	uint64_t key = (uint64_t)a->pid << 32 | a->tid;
	uint32_t i = hd_map_get(&e->by_id, key);

	if (i == HD_MAP_NONE) {
		i = (uint32_t)e->nthreads;
		hd_map_put(&e->by_id, key, i);
		HD_GROW(e->threads, e->nthreads + 1, e->threads_cap);
		e->threads[e->nthreads++] = (struct thread){ 0 };
	}
	return &e->threads[i];
}

/*
 * Remove the ranges that ended before `a` starts.  A range that ends at the start of `a` encloses `a` only if `a` has
 * no duration.
 */
static void close_ranges(struct thread *t, const struct hd_gpu_activity *a)
{
	while (t->n) {
		int64_t end = t->open[t->n - 1].end_ns;

		if (end > a->start_ns || (end == a->start_ns && a->end_ns == a->start_ns))
			break;
		t->n--;
	}
}

void hd_gpu_range_stack_add(struct hd_gpu_range_stack *e, const struct hd_gpu_activity *range)
{
	struct thread *t = thread_of(e, range);
	size_t at;

	close_ranges(t, range);
	if (t->n == HD_GPU_RANGE_DEPTH)
		return;
	at = t->n;
	while (at && t->open[at - 1].start_ns == range->start_ns && t->open[at - 1].end_ns < range->end_ns)
		at--;
	HD_GROW(t->open, t->n + 1, t->cap);
	memmove(&t->open[at + 1], &t->open[at], (t->n - at) * sizeof(*t->open));
	t->open[at] = (struct range){ range->start_ns, range->end_ns, range->name, 0 };
	t->n++;
	for (size_t i = at; i < t->n; i++)
		t->open[i].node = 0;
}

static uint32_t extend(struct hd_gpu_range_stack *e, uint32_t caller, uint32_t name)
{
	if (e->dict->nnodes >= HD_GPU_RANGE_NODES)
		return caller;
	return hd_gpu_dict_stack(e->dict, caller, &(struct hd_gpu_frame){ .name = name });
}

uint32_t hd_gpu_range_stack_of_call(struct hd_gpu_range_stack *e, const struct hd_gpu_activity *call)
{
	struct thread *t = thread_of(e, call);
	uint32_t node = 0;

	close_ranges(t, call);
	for (size_t i = 0; i < t->n; i++) {
		if (!t->open[i].node)
			t->open[i].node = extend(e, node, t->open[i].name);
		node = t->open[i].node;
	}
	return extend(e, node, call->name);
}
