/* recorder_memory.h - memory, the lock and a stack for the recorder, without malloc */
#ifndef HD_PRELOAD_RECORDER_MEMORY_H
#define HD_PRELOAD_RECORDER_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

#pragma GCC visibility push(hidden)

enum { HD_HUGE = 2 * 1024 * 1024 };	/* bytes of a huge page */

void hd_recorder_mem_begin(void);
/* Return zeroed memory that is never freed, aligned to 16 bytes; NULL if there is none.  The caller holds the lock. */
void *hd_recorder_mem_take(size_t bytes);
/* Return zeroed whole pages, or NULL.  Needs no lock. */
void *hd_recorder_mem_map(size_t bytes);
/*
 * Map `bytes` of memory, a multiple of HD_HUGE, aligned so that hd_recorder_mem_make_huge() works.  The kernel uses no
 * huge pages for it until that call.  Returns NULL if there is no memory.
 */
void *hd_recorder_mem_map_huge(size_t bytes);
/* Replace the pages of this memory by huge pages now.  Returns false if the kernel cannot do that. */
bool hd_recorder_mem_make_huge(void *p, size_t bytes);
void hd_recorder_mem_unmap(void *p, size_t bytes);
/* Let the kernel back pages with memory now, because all of them will be written soon. */
void hd_recorder_mem_fill(void *p, size_t bytes);

/*
 * Take the lock of all tables of the recorder; hd_recorder_unlock() releases it and sets errno to its value before
 * hd_recorder_lock().  The lock is not recursive.
 */
void hd_recorder_lock(void);
void hd_recorder_unlock(void);

/*
 * Run fn(arg) on the recorder's stack, because the program's stack may be small.  If there is no memory for the
 * recorder's stack, run it on the program's stack.  The caller holds the lock.
 */
void hd_on_stack(void (*fn)(void *), void *arg);

#pragma GCC visibility pop

#endif
