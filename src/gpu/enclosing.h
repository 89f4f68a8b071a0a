/*
 * enclosing.h - which ranges of a thread enclose an API call: a launch stack for captures without call chains
 *
 *     thread 7:  [aten::linear  [aten::addmm  cudaLaunchKernel ]  ]
 *     stack:     aten::linear;aten::addmm;cudaLaunchKernel
 *
 * Ranges and calls arrive by rising start.  A range encloses each call and range that starts in it.  If two ranges
 * start at the same time, the longer one encloses the other.  At most HD_GPU_ENCLOSING ranges of a thread are nested;
 * deeper ones are skipped.  When the dict has HD_GPU_ENCLOSING_NODES nodes, no further ones are added: stacks then
 * lack their innermost frames.
 */
#ifndef HD_GPU_ENCLOSING_H
#define HD_GPU_ENCLOSING_H

#include "gpu/activity.h"

enum { HD_GPU_ENCLOSING = 256, HD_GPU_ENCLOSING_NODES = 1 << 20 };

struct hd_gpu_enclosing;

struct hd_gpu_enclosing *hd_gpu_enclosing_new(struct hd_gpu_dict *dict);	/* dict is borrowed */
void hd_gpu_enclosing_free(struct hd_gpu_enclosing *e);		/* accepts NULL */
void hd_gpu_enclosing_add(struct hd_gpu_enclosing *e, const struct hd_gpu_activity *range);
/* Return the dict node of the call, with the ranges around it as its callers. */
uint32_t hd_gpu_enclosing_stack(struct hd_gpu_enclosing *e, const struct hd_gpu_activity *call);

#endif
