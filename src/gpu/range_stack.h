/*
 * range_stack.h - which ranges of a thread enclose an API call: a launch stack for captures without call chains
 *
 *     thread 7:  [aten::linear  [aten::addmm  cudaLaunchKernel ]  ]
 *     stack:     aten::linear;aten::addmm;cudaLaunchKernel
 *
 * Ranges and calls arrive by rising start.  A range encloses each call and range that starts in it.  If two ranges
 * start at the same time, the longer one encloses the other.  At most HD_GPU_RANGE_DEPTH ranges of a thread are nested;
 * deeper ones are skipped.  When the dict has HD_GPU_RANGE_NODES nodes, no further ones are added: stacks then
 * lack their innermost frames.
 */
#ifndef HD_GPU_RANGE_STACK_H
#define HD_GPU_RANGE_STACK_H

#include "gpu/activity.h"

enum { HD_GPU_RANGE_DEPTH = 256, HD_GPU_RANGE_NODES = 1 << 20 };

struct hd_gpu_range_stack;

struct hd_gpu_range_stack *hd_gpu_range_stack_new(struct hd_gpu_dict *dict);	/* dict is borrowed */
void hd_gpu_range_stack_free(struct hd_gpu_range_stack *e);		/* accepts NULL */
void hd_gpu_range_stack_add(struct hd_gpu_range_stack *e, const struct hd_gpu_activity *range);
/* Return the dict node of an API call.  Its callers are the ranges around the call. */
uint32_t hd_gpu_range_stack_of_call(struct hd_gpu_range_stack *e, const struct hd_gpu_activity *call);

#endif
