/*
 * ops_report.c - the totals of operations over all threads: hd_ops() and hd_ops_unbalanced() of hotdrift.h
 */
#include "track/ops_state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void add_cell(struct hd_op_sum *s, const struct hd_op_cell *c)
{
	uint64_t count = HD_OP_LOAD(c->count), total = HD_OP_LOAD(c->total_ns);

	if (!count && !HD_OP_LOAD(c->open))
		return;
	if (count && (!s->count || HD_OP_LOAD(c->min_ns) < s->min_ns))
		s->min_ns = HD_OP_LOAD(c->min_ns);
	s->count += count;
	s->open += HD_OP_LOAD(c->open);
	s->total_ns += total;
	s->self_ns += HD_OP_LOAD(c->self_ns);
	s->sum_ns += HD_OP_LOAD(c->sum_ns);
	if (HD_OP_LOAD(c->max_ns) > s->max_ns)
		s->max_ns = HD_OP_LOAD(c->max_ns);
	if (total > s->busiest_ns)
		s->busiest_ns = total;
	s->flops += HD_OP_LOAD(c->flops);
	s->bytes += HD_OP_LOAD(c->bytes);
	s->threads++;
}

void hd_op_sums_add_thread(struct hd_op_sum *sums, size_t n, struct hd_op_thread *t, uint64_t epoch)
{
	size_t ncells = atomic_load_explicit(&t->ncells, memory_order_acquire);

	if (atomic_load_explicit(&t->epoch, memory_order_acquire) != epoch)
		return;
	for (size_t i = 0; i < ncells; i++) {
		const struct hd_op_cell *c = &HD_OP_LOAD(t->chunks[i / HD_OP_CHUNK])[i % HD_OP_CHUNK];

		if (c->id < n)
			add_cell(&sums[c->id], c);
	}
}

static struct hd_op op_of(const char *name, const struct hd_op_sum *s)
{
	double total_s = (double)s->total_ns / 1e9;

	return (struct hd_op){
		.name = name, .count = s->count, .open = s->open, .total_ns = s->total_ns, .self_ns = s->self_ns,
		.min_ns = s->min_ns, .max_ns = s->max_ns,
		.mean_ns = s->count ? (double)s->sum_ns / (double)s->count : 0,
		.flops = s->flops, .bytes = s->bytes,
		.gflops_per_s = s->flops > 0 && total_s > 0 ? s->flops / total_s / 1e9 : NAN,
		.gbytes_per_s = s->bytes > 0 && total_s > 0 ? s->bytes / total_s / 1e9 : NAN,
		.threads = s->threads, .busiest_thread_ns = s->busiest_ns,
	};
}

static int larger_first(double a, double b)
{
	return a > b ? -1 : a < b;
}

static int compare_ops(const void *x, const void *y, void *order)
{
	const struct hd_op *a = x, *b = y;
	int c = 0;

	switch (*(const enum hd_op_order *)order) {
	case HD_OPS_BY_TIME: c = larger_first((double)a->total_ns, (double)b->total_ns); break;
	case HD_OPS_BY_CALLS: c = larger_first((double)a->count, (double)b->count); break;
	case HD_OPS_BY_FLOPS: c = larger_first(a->flops, b->flops); break;
	}
	return c ? c : strcmp(a->name, b->name);
}

/* Add up the totals of all threads.  The caller holds ops->lock. */
static int sum_threads(struct hd_ops_state *ops, struct hd_op **out, size_t *nout)
{
	size_t n = ops->names.n;
	struct hd_op_sum *sums = calloc(n + 1, sizeof(*sums));
	struct hd_op *rows = calloc(n + 1, sizeof(*rows));

	if (!sums || !rows) {
		free(sums);
		free(rows);
		return HD_TRACK_NOMEM;
	}
	if (ops->ngone)
		memcpy(sums, ops->gone, ops->ngone * sizeof(*sums));
	for (struct hd_op_thread *t = ops->threads; t; t = t->next)
		hd_op_sums_add_thread(sums, n, t, HD_OP_LOAD(ops->epoch));
	*nout = 0;
	for (size_t i = 0; i < n; i++)
		if (sums[i].count || sums[i].open)
			rows[(*nout)++] = op_of(ops->names.texts[i], &sums[i]);
	free(sums);
	*out = rows;
	return HD_TRACK_OK;
}

int64_t hd_ops(struct hd_profiler *p, enum hd_op_order order, struct hd_op *out, size_t cap)
{
	struct hd_ops_state *ops = hd_profiler_part(p, HD_PART_OPS);
	struct hd_op *rows;
	size_t n;
	int rc;

	if (!ops)
		return HD_TRACK_NOMEM;
	if ((unsigned)order > HD_OPS_BY_FLOPS || (cap && !out))
		return HD_TRACK_INVALID;
	pthread_mutex_lock(&ops->lock);
	rc = sum_threads(ops, &rows, &n);
	pthread_mutex_unlock(&ops->lock);
	if (rc < 0)
		return rc;
	qsort_r(rows, n, sizeof(*rows), compare_ops, &order);
	return hd_profiler_give_rows(out, cap, rows, n, sizeof(*rows));
}

uint64_t hd_ops_unbalanced(struct hd_profiler *p)
{
	struct hd_ops_state *ops = hd_profiler_part(p, HD_PART_OPS);
	uint64_t n;

	if (!ops)
		return 0;
	pthread_mutex_lock(&ops->lock);
	n = ops->unbalanced;
	for (struct hd_op_thread *t = ops->threads; t; t = t->next)
		if (HD_OP_LOAD(t->epoch) == HD_OP_LOAD(ops->epoch))
			n += HD_OP_LOAD(t->unbalanced);
	pthread_mutex_unlock(&ops->lock);
	return n;
}
