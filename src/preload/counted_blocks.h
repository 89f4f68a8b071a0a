/* counted_blocks.h - count allocations: the functions of exact.c, sampled.c and mmap_hooks.c */
#ifndef HD_PRELOAD_COUNTED_BLOCKS_H
#define HD_PRELOAD_COUNTED_BLOCKS_H

#include "preload/recorder.h"

#pragma GCC visibility push(hidden)

struct hd_thread;

/*
 * ---- exact.c: if every allocation is counted, these functions allocate or free, and count ----
 *
 * p is not NULL.  The alignment 0 is the allocator's default.
 */

void *hd_exact_malloc(size_t n);
void *hd_exact_calloc(size_t n, size_t size);
void *hd_exact_alloc(size_t n, size_t align, bool zero, const struct hd_regs *from);
void hd_exact_free(void *p);
void *hd_exact_realloc(void *p, size_t n, const struct hd_regs *from);
size_t hd_exact_usable(void *p);

/* ---- sampled.c: if one allocation in many is counted, these functions count; they do not allocate or free ---- */

void hd_sampled_begin(void);
/*
 * Add the bytes that thread `t`, the calling one, has allocated since it last added any, at a sample or in an earlier
 * call, to hd_heap_header.passed (format.h).
 */
void hd_sampled_settle(struct hd_thread *t);
/*
 * Count the allocation of block `p` with n bytes.  The caller has found that the thread's countdown to the next sample
 * is over, so this block is usually a sample.  p is NULL if the allocation has failed; then only the distance to the
 * next sample is drawn.
 */
void hd_sampled_alloc(void *p, size_t n, const struct hd_regs *from);
/*
 * Count the free of a block if the block is a sample.  may_be_temporary: count the block as temporary if this thread
 * has allocated nothing since.  realloc() passes false, because it replaces the block by another one.
 */
void hd_sampled_free(void *p, bool may_be_temporary);
/*
 * A filter for the table of samples.  The index is a hash of an address (hd_sampled_filter_slot()), the value is the
 * number of sampled blocks with this hash.  A value that has reached UINT8_MAX never changes again.
 */
enum { HD_SAMPLED_FILTER_BITS = 14 };
extern uint8_t hd_sampled_filter[];
static inline unsigned hd_sampled_filter_slot(const void *p)
{
	return ((uint32_t)(uintptr_t)p * 0x9e3779b1u) >> (32 - HD_SAMPLED_FILTER_BITS);
}

/* ---- mmap_hooks.c ---- */

void hd_maps_begin(void);

#pragma GCC visibility pop

#endif
