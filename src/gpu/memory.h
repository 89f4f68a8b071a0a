/*
 * memory.h - live and peak device memory, from allocations and frees
 *
 * Live blocks are stored by process, device and address, at most HD_GPU_BLOCKS.  When this table is full, further
 * blocks are not stored; their frees are counted with the size that the free event reports.  Any other free of a block
 * that is not stored does not change the live bytes; it is counted as unmatched.
 */
#ifndef HD_GPU_MEMORY_H
#define HD_GPU_MEMORY_H

#include "gpu/activity.h"

enum { HD_GPU_BLOCKS = 1 << 20 };

struct hd_gpu_blocks {
	struct hd_gpu_block *slots;	/* NULL before the first _add */
	size_t n, cap;
};

/* Add an ALLOC or FREE to `m`, the sums of its device. */
void hd_gpu_blocks_add(struct hd_gpu_blocks *b, struct hd_gpu_memory_use *m, const struct hd_gpu_activity *a);
void hd_gpu_blocks_release(struct hd_gpu_blocks *b);

#endif
