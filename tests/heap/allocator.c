/*
 * allocator.c - a small allocator that is preloaded after the recorder, with properties that break a careless recorder
 *
 *     -DSTARTS   It starts as mimalloc 3 does: its constructor maps a list of its pages, and the allocator then
 *                forgets each page that it handed out before.  The recorder's mmap() must therefore not allocate.
 *     -DLACKS    It has neither malloc_usable_size() nor memalign(), and glibc's functions of these names cannot read
 *                its blocks: where glibc has the size of a chunk, this allocator has an impossible one.
 *
 * In either case its strdup() does not call malloc().  It is not thread-safe, and it never reuses a block.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define EXPORT __attribute__((visibility("default")))

enum { PAGE = 1 << 26, PAGES = 1024 };

struct block { size_t usable, odd; };	/* before each block */

static char **pages;		/* in the order of their allocation; NULL ends the list */
static char *page;		/* the page from which blocks are allocated */
static size_t used;

static void *map(size_t n)
{
	void *p = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (p == MAP_FAILED)
		abort();
	return p;
}

static void start(void)
{
	char **list = map(PAGES * sizeof(*list));

	pages = list;
}

static void add_page(void)
{
	size_t n = 0;

	if (!pages)
		start();
	while (pages[n])
		n++;
	if (n == PAGES - 1)
		abort();
	page = map(PAGE);
	pages[n] = page;
	used = 0;
}

static struct block *block_of(void *p)
{
	for (char **at = pages; at && *at; at++)
		if ((uintptr_t)p - (uintptr_t)*at < PAGE)
			return (struct block *)p - 1;
	abort();		/* the block is in no known page */
}

static void *take(size_t n, size_t align)
{
	size_t at, room = n < 16 ? 16 : (n + 15) & ~(size_t)15;
	struct block *b;

	if (n > PAGE / 2 || align > PAGE / 4) {
		errno = ENOMEM;
		return NULL;
	}
	if (!page)
		add_page();
	at = (used + sizeof(*b) + align - 1) / align * align;
	if (at + room > PAGE) {
		add_page();
		at = align > sizeof(*b) ? align : sizeof(*b);
	}
	used = at + room;
	b = (struct block *)(page + at) - 1;
	b->usable = room;
	b->odd = (size_t)1 << 46;
	return page + at;
}

EXPORT void *malloc(size_t n) { return take(n, 16); }

EXPORT void *calloc(size_t n, size_t size)
{
	size_t all;

	if (__builtin_mul_overflow(n, size, &all)) {
		errno = ENOMEM;
		return NULL;
	}
	return take(all, 16);	/* new pages are zeroed */
}

EXPORT void free(void *p)
{
	if (p)
		memset(p, 0xdd, block_of(p)->usable);
}

EXPORT void *realloc(void *p, size_t n)
{
	void *q = take(n, 16);

	if (!p || !q)
		return q;
	memcpy(q, p, n < block_of(p)->usable ? n : block_of(p)->usable);
	free(p);
	return q;
}

EXPORT int posix_memalign(void **p, size_t align, size_t n)
{
	void *q;

	if (!align || (align & (align - 1)) || align % sizeof(void *))
		return EINVAL;
	q = take(n, align < 16 ? 16 : align);
	if (!q)
		return ENOMEM;
	*p = q;
	return 0;
}

EXPORT void *aligned_alloc(size_t align, size_t n) { return take(n, align < 16 ? 16 : align); }
EXPORT void *valloc(size_t n) { return take(n, 4096); }
EXPORT void *pvalloc(size_t n) { return take((n + 4095) & ~(size_t)4095, 4096); }

EXPORT char *strdup(const char *s)
{
	size_t n = strlen(s) + 1;
	char *p = take(n, 16);

	return p ? memcpy(p, s, n) : NULL;
}

#ifndef LACKS
EXPORT void *memalign(size_t align, size_t n) { return take(n, align < 16 ? 16 : align); }
EXPORT size_t malloc_usable_size(void *p) { return p ? block_of(p)->usable : 0; }
#endif

#ifdef STARTS
__attribute__((constructor)) static void begin(void) { start(); }
#endif
