/*
 * mem.h - allocation that does not return NULL
 *
 * An allocation failure ends the program with one line on stderr and exit
 * status 6.  Sizes are multiplied with an overflow check.  Nothing here is
 * used by code that lives in other people's processes (track/, preload/).
 */
#ifndef HD_BASE_MEM_H
#define HD_BASE_MEM_H

#include <stddef.h>

/*
 * For a main program, before its first thread: what is large is the system's
 * again when it is freed.  By default the allocator keeps ever more of it.
 */
void hd_mem_begin(void);

/* The same end for memory that a library did not get: "out of memory in WHAT". */
_Noreturn void hd_out_of_memory(const char *what);

void *hd_alloc(size_t size);				/* uninitialised */
void *hd_zalloc(size_t n, size_t size);			/* zeroed array */
void *hd_realloc(void *p, size_t n, size_t size);	/* n * size bytes */
char *hd_strdup(const char *s);
char *hd_strndup(const char *s, size_t n);		/* n bytes and a NUL */

#define hd_new(type)		((type *)hd_zalloc(1, sizeof(type)))
#define hd_new_array(type, n)	((type *)hd_zalloc((n), sizeof(type)))

/*
 * Make room for one more element in a dynamic array of `n` used and `*cap`
 * allocated elements; grows by half again.  Use through HD_GROW.
 */
void *hd_grow(void *p, size_t need, size_t *cap, size_t size);
static inline void *hd_grow_if_full(void *p, size_t need, size_t *cap, size_t size)	/* there mostly is */
{
	return need <= *cap ? p : hd_grow(p, need, cap, size);
}
#define HD_GROW(p, need, cap)	((p) = hd_grow_if_full((p), (need), &(cap), sizeof(*(p))))

#define HD_COUNT(a)		(sizeof(a) / sizeof((a)[0]))

#endif
