/*
 * mem.c - see mem.h
 */
#include "base/mem.h"

#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* stdio may want to allocate; write() does not. */
static _Noreturn void end(const char *line, int n)
{
	if (write(STDERR_FILENO, line, (size_t)n) < 0)
		_exit(6);
	_exit(6);
}

static _Noreturn void out_of_memory(size_t size)
{
	char line[96];

	end(line, snprintf(line, sizeof(line), "hotdrift: error: out of memory (asked for %zu bytes)\n", size));
}

_Noreturn void hd_no_memory(const char *what)
{
	char line[96];

	end(line, snprintf(line, sizeof(line), "hotdrift: error: out of memory in %.40s\n", what));
}

enum { HUGE_PAGE = 2 << 20 };

/*
 * What is large is mostly filled, and a page at a time that takes longer than to fill it: ask for pages of 2 MiB,
 * as many as are whole inside of it.  Where the system has none of them nothing changes.
 */
static void *in_huge_pages(void *p, size_t size)
{
	uintptr_t from = ((uintptr_t)p + HUGE_PAGE - 1) & -(uintptr_t)HUGE_PAGE;
	uintptr_t to = ((uintptr_t)p + size) & -(uintptr_t)HUGE_PAGE;

	if (from < to)
		madvise((void *)from, to - from, MADV_HUGEPAGE);
	return p;
}

/* On a border of them, and up to one where that is near. */
static void *alloc_large(size_t size)
{
	size_t more = -size & (HUGE_PAGE - 1);
	void *p;

	if (size > PTRDIFF_MAX)
		return NULL;
	if (more <= size / 8)
		size += more;
	return posix_memalign(&p, HUGE_PAGE, size) ? NULL : in_huge_pages(p, size);
}

void hd_mem_begin(void)
{
	mallopt(M_MMAP_THRESHOLD, HUGE_PAGE);
}

void *hd_alloc(size_t size)
{
	void *p = size < HUGE_PAGE ? malloc(size ? size : 1) : alloc_large(size);

	if (!p)
		out_of_memory(size);
	return p;
}

void *hd_zalloc(size_t n, size_t size)
{
	void *p = calloc(n ? n : 1, size ? size : 1);

	if (!p)
		out_of_memory(n * size);
	return n * size < HUGE_PAGE ? p : in_huge_pages(p, n * size);
}

void *hd_realloc(void *p, size_t n, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(n, size, &bytes))
		out_of_memory(SIZE_MAX);
	if (!p)
		return hd_alloc(bytes);
	p = realloc(p, bytes ? bytes : 1);
	if (!p)
		out_of_memory(bytes);
	return bytes < HUGE_PAGE ? p : in_huge_pages(p, bytes);
}

char *hd_strndup(const char *s, size_t n)
{
	char *p = hd_alloc(n + 1);

	memcpy(p, s, n);
	p[n] = '\0';
	return p;
}

char *hd_strdup(const char *s)
{
	return hd_strndup(s, strlen(s));
}

void *hd_grow(void *p, size_t need, size_t *cap, size_t size)
{
	size_t want = *cap;

	if (need <= want)
		return p;
	want += want / 2;
	if (want < need)
		want = need;
	if (want < 8)
		want = 8;
	p = hd_realloc(p, want, size);
	*cap = want;
	return p;
}
