/*
 * bottlenecks.c - find bottlenecks in the operations and allocations that a profiler recorded, by the rules of
 * bottleneck_rules.h
 */
#include "track/bottleneck_rules.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct rows {
	struct hd_cost_row *costs;
	struct hd_memory_row *memory;
	struct hd_bottleneck_input in;
};

static void release(struct rows *r)
{
	free(r->costs);
	free(r->memory);
}

static struct hd_cost_row cost_of(const struct hd_op *op)
{
	return (struct hd_cost_row){
		.name = op->name, .self = (double)op->self_ns, .total = (double)op->total_ns,
		.calls = (double)op->count, .flops = op->flops, .bytes = op->bytes, .threads = op->threads,
		.all_threads = (double)op->total_ns, .busiest = (double)op->busiest_thread_ns,
	};
}

static int take_costs(struct rows *r, struct hd_profiler *p)
{
	int64_t n = hd_ops(p, HD_OPS_BY_TIME, NULL, 0), got;
	struct hd_op *ops;

	if (n <= 0)
		return (int)n;
	ops = calloc((size_t)n, sizeof(*ops));
	r->costs = calloc((size_t)n, sizeof(*r->costs));
	got = ops && r->costs ? hd_ops(p, HD_OPS_BY_TIME, ops, (size_t)n) : HD_TRACK_NOMEM;
	if (got > n)
		got = n;		/* another thread added names meanwhile */
	for (int64_t i = 0; i < got; i++)
		r->costs[i] = cost_of(&ops[i]);
	free(ops);
	r->in.costs = r->costs;
	r->in.ncosts = got > 0 ? (size_t)got : 0;
	return got < 0 ? (int)got : HD_TRACK_OK;
}

static struct hd_memory_row memory_of(const struct hd_alloc *a)
{
	return (struct hd_memory_row){
		.name = a->name, .at_peak = (double)a->peak_share_bytes, .live = (double)a->live_bytes,
		.live_blocks = (double)a->live_blocks, .oldest_ns = (double)a->oldest_ns,
	};
}

static int take_memory(struct rows *r, struct hd_profiler *p)
{
	int64_t n = hd_allocs(p, NULL, 0), got;
	struct hd_alloc_sum sum = { 0 };
	struct hd_alloc *allocs;

	if (n <= 0)
		return (int)n;
	allocs = calloc((size_t)n, sizeof(*allocs));
	r->memory = calloc((size_t)n, sizeof(*r->memory));
	got = allocs && r->memory ? hd_allocs(p, allocs, (size_t)n) : HD_TRACK_NOMEM;
	if (got > n)
		got = n;
	for (int64_t i = 0; i < got; i++)
		r->memory[i] = memory_of(&allocs[i]);
	free(allocs);
	hd_alloc_sum(p, &sum);
	r->in.memory = r->memory;
	r->in.nmemory = got > 0 ? (size_t)got : 0;
	r->in.peak = (double)sum.peak_bytes;
	r->in.allocated = (double)sum.bytes;
	return got < 0 ? (int)got : HD_TRACK_OK;
}

static double measured_balance(void)
{
	struct hd_machine_balance b;

	return hd_machine_balance(&b) >= 0 ? b.flops_per_s / b.bytes_per_s : NAN;
}

int64_t hd_bottlenecks(struct hd_profiler *p, const struct hd_bottleneck_limits *limits, struct hd_bottleneck *out,
		       size_t cap)
{
	struct hd_bottleneck_limits use;
	struct hd_bottleneck_found *found = NULL;
	struct rows r = { 0 };
	int64_t n;

	hd_bottleneck_limits(&use);
	if ((cap && !out) || (limits && limits->size < sizeof(use)))
		return HD_TRACK_INVALID;
	if (limits)
		memcpy(&use, limits, sizeof(use));
	n = take_costs(&r, p);
	if (n >= 0)
		n = take_memory(&r, p);
	if (n >= 0) {
		r.in.flops_per_byte = use.machine_flops_per_byte;
		if (isnan(r.in.flops_per_byte) && hd_bottleneck_rules_need_balance(&r.in, &use))
			r.in.flops_per_byte = measured_balance();
		n = hd_bottleneck_rules_judge(&found, &r.in, &use);
	}
	for (size_t i = 0; n > 0 && i < cap && i < (size_t)n; i++)
		hd_bottleneck_rules_describe(&out[i], &r.in, &use, &found[i]);
	free(found);
	release(&r);
	return n;
}
