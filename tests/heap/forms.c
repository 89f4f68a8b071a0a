/* forms.c - call every allocation function of C, and leak a known number of blocks and bytes from each */
#include "site.h"

#include <malloc.h>
#include <stdint.h>
#include <string.h>

static NI void *moved(size_t from, size_t to)
{
	void *p = malloc(from);

	p = realloc(p, to);
	sink = p;
	return p;
}

static NI void *posix(void)
{
	void *p = NULL;

	if (posix_memalign(&p, 128, 333))
		_exit(3);
	sink = p;
	return p;
}

static NI char *line(void)
{
	char *text = NULL;

	if (asprintf(&text, "%0500d", 7) != 500)
		_exit(3);
	sink = text;
	return text;
}

SITE(by_malloc, malloc(48))
SITE(by_malloc_of_nothing, malloc(0))
SITE(by_calloc, calloc(10, 100))
SITE(by_realloc_of_nothing, realloc(NULL, 77))
SITE(by_realloc_up, moved(100, 50000))
SITE(by_realloc_down, moved(5000, 10))
SITE(by_reallocarray, reallocarray(malloc(5), 50, 30))
SITE(by_memalign, memalign(64, 1001))
SITE(by_aligned_alloc, aligned_alloc(256, 1024))
SITE(by_posix_memalign, posix())
SITE(by_valloc, valloc(5000))
SITE(by_pvalloc, pvalloc(5000))
SITE(by_strdup, strdup("exactly thirty-one bytes, and 0"))
SITE(by_asprintf, line())
SITE(by_large, malloc(3000000))
SITE(by_map, malloc(300000))

static NI void *deep(int n)
{
	void *p = n ? deep(n - 1) : malloc(2000);

	__asm__ volatile("" : "+r"(p));
	return p;
}
SITE(by_recursion, deep(37))
SITE(by_deep_recursion, deep(2000))

NI void fails(void)
{
	void *volatile p;
	volatile size_t huge = (size_t)PTRDIFF_MAX - 100, wraps = SIZE_MAX / 2;
	char *keep = malloc(100);

	p = malloc(huge);
	if (p || malloc(SIZE_MAX - 1 + (huge & 1)) || calloc(wraps, 4) || calloc(huge, 1))
		_exit(4);
	strcpy(keep, "kept");
	if (realloc(keep, huge) || reallocarray(keep, wraps, 3) || strcmp(keep, "kept"))
		_exit(5);
	if (posix_memalign((void **)&p, 3, 10) != 22 || posix_memalign((void **)&p, 64, huge) != 12)
		_exit(6);
	free(keep);
}

NI void freed(void)
{
	for (int i = 0; i < 1000; i++)
		free(sink = malloc((size_t)i * 7));
}

int main(void)
{
	static const struct { void *(*call)(void); const char *name; unsigned times; unsigned long size; } t[] = {
		{ by_malloc, "by_malloc", 1000, 48 }, { by_malloc_of_nothing, "by_malloc_of_nothing", 10, 0 },
		{ by_calloc, "by_calloc", 40, 1000 }, { by_realloc_of_nothing, "by_realloc_of_nothing", 9, 77 },
		{ by_realloc_up, "by_realloc_up", 11, 50000 }, { by_realloc_down, "by_realloc_down", 12, 10 },
		{ by_reallocarray, "by_reallocarray", 13, 1500 }, { by_memalign, "by_memalign", 14, 1001 },
		{ by_aligned_alloc, "by_aligned_alloc", 15, 1024 }, { by_posix_memalign, "by_posix_memalign", 16, 333 },
		{ by_valloc, "by_valloc", 3, 5000 }, { by_pvalloc, "by_pvalloc", 4, 8192 },
		{ by_strdup, "by_strdup", 100, 32 }, { by_large, "by_large", 3, 3000000 },
		{ by_map, "by_map", 5, 300000 }, { by_recursion, "by_recursion", 50, 2000 },
		{ by_deep_recursion, "by_deep_recursion", 0, 0 },
	};

	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		for (unsigned k = 0; k < t[i].times; k++)
			t[i].call();
		if (t[i].times)
			truth("leaked", t[i].name, t[i].times, t[i].times * t[i].size);
	}
	/* asprintf() may shrink its block after it has allocated it. */
	for (int i = 0; i < 6; i++)
		by_asprintf();
	truth("leaked", "by_asprintf", 6, 6 * 501);
	/* the stack is deeper than the limit: it is recorded without its outer frames */
	by_deep_recursion();
	fails();
	freed();
	truth("allocated", "freed", 1000, 999 * 1000 / 2 * 7);
	truth("temporary", "freed", 1000, 999 * 1000 / 2 * 7);
	truth("leaked", "freed", 0, 0);
	truth("leaked", "fails", 0, 0);
	return 7;
}
