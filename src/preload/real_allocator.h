/*
 * real_allocator.h - the allocator of the program, which the hooks call
 *
 * The functions are found with dlsym(RTLD_NEXT).  dlsym() may allocate.  Such allocations get blocks of the array
 * hd_boot, because the allocator is not known yet.
 */
#ifndef HD_PRELOAD_REAL_ALLOCATOR_H
#define HD_PRELOAD_REAL_ALLOCATOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#pragma GCC visibility push(hidden)

struct hd_real_allocator {
	void *(*malloc)(size_t);
	void *(*calloc)(size_t, size_t);
	void *(*realloc)(void *, size_t);
	void *(*memalign)(size_t, size_t);
	void *(*aligned_alloc)(size_t, size_t);
	int (*posix_memalign)(void **, size_t, size_t);
	void *(*valloc)(size_t);
	void *(*pvalloc)(size_t);
	void (*free)(void *);
	size_t (*usable)(void *);
	int (*dlclose)(void *);
	void *(*mmap)(void *, size_t, int, int, int, off_t);
	int (*munmap)(void *, size_t);
	void *(*mremap)(void *, size_t, size_t, int, ...);
};
extern struct hd_real_allocator hd_real_allocator;	/* valid from the first call of the process */

/* The functions that the fast paths of malloc_hooks.c call: those of the allocator, or those of exact.c. */
struct hd_next_allocator {
	void *(*malloc)(size_t);
	void *(*calloc)(size_t, size_t);
	void (*free)(void *);
};
extern struct hd_next_allocator hd_next_allocator;

/* The memory of blocks that were allocated before the allocator was found.  These blocks are never freed. */
enum { HD_BOOT_BYTES = 64 * 1024 };
extern char hd_boot[HD_BOOT_BYTES];
static inline bool hd_is_boot(const void *p) { return (uintptr_t)p - (uintptr_t)hd_boot < HD_BOOT_BYTES; }
size_t hd_boot_size(const void *p);
/* Mark NULL and all boot blocks in hd_sampled_filter permanently, so that free() of them takes the slow path. */
void hd_boot_mark(void);

void hd_real_allocator_find(void);
/* Look up the allocator's functions on the first call.  Returns false for a call from within this lookup. */
bool hd_real_allocator_is_found(void);
/* Return true if the allocator is glibc's on x86-64, which stores the size of a block right before it. */
bool hd_real_allocator_has_plain_sizes(void);
/*
 * Return true if the functions that the recorder uses on blocks come from one object, so that a block can be marked by
 * a trailer.
 */
bool hd_real_allocator_is_whole(void);

#pragma GCC visibility pop

#endif
