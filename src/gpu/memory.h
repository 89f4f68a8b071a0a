/*
 * memory.h - device memory that is allocated: live, peak
 *
 * Blocks that are live are kept by address, at most HD_GPU_BLOCKS; with more the sizes that the frees carry are
 * believed.  A free of a block that was not seen to be allocated changes nothing and is counted.
 */
#ifndef HD_GPU_MEMORY_H
#define HD_GPU_MEMORY_H

#include "gpu/activity.h"

enum { HD_GPU_BLOCKS = 1 << 20 };

struct hd_gpu_blocks {
	struct hd_gpu_block *slots;	/* NULL before the first _add */
	size_t n, cap;
};

/* Add an ALLOC or FREE to the sums of its device. */
void hd_gpu_blocks_add(struct hd_gpu_blocks *b, struct hd_gpu_memory *m, const struct hd_gpu_activity *a);
void hd_gpu_blocks_release(struct hd_gpu_blocks *b);

#endif
