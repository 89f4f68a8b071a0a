/* counted_blocks.h - the allocations that are counted: exact.c, sampled.c and mmap_hooks.c */
#ifndef HD_PRELOAD_COUNTED_BLOCKS_H
#define HD_PRELOAD_COUNTED_BLOCKS_H

#include "preload/recorder.h"

#pragma GCC visibility push(hidden)

struct hd_thread;

/* ---- exact.c: every allocation; these allocate, free and count ---- */

void *hd_exact_malloc(size_t n);
void *hd_exact_calloc(size_t n, size_t size);
void *hd_exact_alloc(size_t n, size_t align, bool zero, const struct hd_regs *from);
void hd_exact_free(void *p);
void *hd_exact_realloc(void *p, size_t n, const struct hd_regs *from);
size_t hd_exact_usable(void *p);

/* ---- sampled.c: one allocation in many; these only count ---- */

void hd_sampled_begin(void);
/* Add to the header's `passed` the bytes that this thread allocated since its last sample. */
void hd_sampled_settle(struct hd_thread *t);
/* Count a block if it is a sample.  The caller has found that the countdown of the thread is used up. */
void hd_sampled_alloc(void *p, size_t n, const struct hd_regs *from);
/* Count the free of a block if the block is a sample. */
void hd_sampled_free(void *p);
/*
 * A table with the number of samples per hash of their address.  A count that has reached UINT8_MAX
 * is never changed.
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
