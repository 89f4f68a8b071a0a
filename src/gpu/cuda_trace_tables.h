/*
 * cuda_trace_tables.h - the first walk through a trace: all records except the activities
 *
 * The walk translates the ids of the trace to ids of the dict, which the second walk (cuda_trace_activities.c) uses.
 */
#ifndef HD_GPU_CUDA_TRACE_TABLES_H
#define HD_GPU_CUDA_TRACE_TABLES_H

#include "gpu/cuda_trace_blocks.h"

/*
 * A stack of the file: `at` is the index of its first address in hd_cuda_trace_reader.addresses, depth its number of
 * frames, modules the number of MODULE records before it.
 */
struct hd_cuda_trace_stack { size_t at; uint32_t depth, modules; };

struct hd_cuda_trace_ids { uint32_t *v; size_t n, cap; };

enum { HD_CUDA_TRACE_CBIDS = 1024 };	/* number of API functions per CUPTI domain whose names are cached */

struct hd_cuda_trace_reader {
	struct hd_cuda_trace_walk w;
	const struct hd_gpu_sink *sink;
	const struct hd_cuda_trace_lookup *lookup;
	struct hd_cuda_trace_info info;
	int64_t cupti_ahead_ns;		/* CUPTI's clock minus CLOCK_MONOTONIC */
	struct hd_cuda_trace_ids name, full, stack;	/* id of the trace -> id of the dict */
	struct hd_cuda_trace_stack *raw;
	size_t nraw, raw_cap;
	uint64_t *addresses;
	size_t naddresses, addresses_cap;
	uint32_t modules, gap;
	struct hd_cuda_lost lost;
	bool ended;
	uint32_t call[3][HD_CUDA_TRACE_CBIDS];	/* [domain][function id of CUPTI]: dict id of the function's name */
	uint64_t bad, bad_at;		/* number of damaged records, and the file offset at which the first one ends */
	uint64_t untimed;
};

/* Count a damaged record: a length in it is invalid, or its id is not in order.  Returns false. */
bool hd_cuda_trace_bad(struct hd_cuda_trace_reader *r);
/* Translate an id of the trace to the id in the dict; returns 0 if the trace's id is unknown. */
uint32_t hd_cuda_trace_id(const struct hd_cuda_trace_ids *ids, uint32_t id);
/* Do the first walk.  r->w must be at the first block.  Returns 0 or HD_EIO. */
int hd_cuda_trace_read_tables(struct hd_cuda_trace_reader *r, struct hd_err *err);

#endif
