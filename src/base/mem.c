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

/* Print the line with write() and end the program.  A stream of stdio may allocate memory, so none is used. */
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

_Noreturn void hd_out_of_memory(const char *what)
{
	char line[96];

	end(line, snprintf(line, sizeof(line), "hotdrift: error: out of memory in %.40s\n", what));
}

enum { HUGE_PAGE = 2 << 20 };

/*
 * Large blocks are usually filled completely.  Faulting them in with 4 KiB pages takes longer than filling them, so
 * request 2 MiB pages.  This has no effect if the system does not support them.
 */
static void ask_huge(uintptr_t from, uintptr_t to)
{
	if (from < to)
		madvise((void *)from, to - from, MADV_HUGEPAGE);
}

/*
 * Allocate a block that is aligned to huge pages.  If its size is little below a multiple of the huge page size, it is
 * rounded up to this multiple.
 */
static void *alloc_large(size_t size)
{
	size_t more = -size & (HUGE_PAGE - 1);
	void *p;

	if (size > PTRDIFF_MAX)
		return NULL;
	if (more <= size / 8)
		size += more;
	if (posix_memalign(&p, HUGE_PAGE, size))
		return NULL;
	ask_huge((uintptr_t)p, ((uintptr_t)p + size) & -(uintptr_t)HUGE_PAGE);
	return p;
}

static uintptr_t page_of(uintptr_t at)
{
	return at & -(uintptr_t)sysconf(_SC_PAGESIZE);
}

/*
 * Allocate a large block of zeros.  Fresh pages are zero.  A reused block becomes zero when its pages are returned to
 * the system, so only the bytes after its last whole page are cleared.
 */
static void *zalloc_large(size_t size)
{
	char *p = alloc_large(size);
	size_t pages = page_of(size);

	if (!p)
		return NULL;
	if (madvise(p, pages, MADV_DONTNEED))
		pages = 0;
	memset(p + pages, 0, size - pages);
	return p;
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
	size_t bytes;
	void *p;

	if (__builtin_mul_overflow(n, size, &bytes))
		out_of_memory(SIZE_MAX);
	p = bytes < HUGE_PAGE ? calloc(1, bytes ? bytes : 1) : zalloc_large(bytes);
	if (!p)
		out_of_memory(bytes);
	return p;
}

/*
 * The kernel can grow a block by moving its pages without a copy, but only if the whole mapping has the same madvise()
 * settings.  So huge pages are requested for the whole block, and not only for the complete huge pages in it, as
 * alloc_large() does.  Otherwise the block would consist of several mappings and the allocator would copy it.
 */
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
	if (bytes >= HUGE_PAGE)
		ask_huge(page_of((uintptr_t)p), (uintptr_t)p + bytes);
	return p;
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
