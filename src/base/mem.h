/*
 * mem.h - allocate memory without ever returning NULL
 *
 * If an allocation fails, the program prints one line to stderr and exits with status 6.  Products of
 * sizes are checked for overflow.  Code that runs in other processes (track/, preload/, inject/) must not
 * use this.
 */
#ifndef HD_BASE_MEM_H
#define HD_BASE_MEM_H

#include <stddef.h>

/*
 * Configure the allocator so that large blocks are returned to the system when they are freed.  By default it keeps
 * more and more of them.  main() must call this before it starts the first thread.
 */
void hd_mem_begin(void);

/*
 * Print "out of memory in WHAT" and end the program, like the functions below.  Used when a library reports a failed
 * allocation.
 */
_Noreturn void hd_out_of_memory(const char *what);

void *hd_alloc(size_t size);				/* uninitialised */
void *hd_zalloc(size_t n, size_t size);			/* zeroed array */
void *hd_realloc(void *p, size_t n, size_t size);	/* n * size bytes */
char *hd_strdup(const char *s);
char *hd_strndup(const char *s, size_t n);		/* n bytes and a NUL */

#define hd_new(type)		((type *)hd_zalloc(1, sizeof(type)))
#define hd_new_array(type, n)	((type *)hd_zalloc((n), sizeof(type)))

/*
 * Make room for `need` elements in a dynamic array with `*cap` allocated elements; grows by half.  Use it through
 * HD_GROW.
 */
void *hd_grow(void *p, size_t need, size_t *cap, size_t size);
static inline void *hd_grow_if_full(void *p, size_t need, size_t *cap, size_t size)	/* fast path */
{
	return need <= *cap ? p : hd_grow(p, need, cap, size);
}
#define HD_GROW(p, need, cap)	((p) = hd_grow_if_full((p), (need), &(cap), sizeof(*(p))))

#define HD_COUNT(a)		(sizeof(a) / sizeof((a)[0]))

#endif
