/*
 * faults.c - touch pages for the first time: PAGES in `touch_plainly`, half as many in `touch_by_memset`
 *
 * memset() is a library function that keeps no frame pointer.
 */
#include "site.h"

#include <string.h>
#include <sys/mman.h>

enum { PAGES = 40000, PAGE = 4096 };

static NI void touch_plainly(volatile char *p)
{
	for (long i = 0; i < PAGES; i++)
		p[i * PAGE] = 1;
}

static NI void touch_by_memset(char *p)
{
	memset(p, 1, (size_t)PAGES / 2 * PAGE);
	sink = p;
}

int main(void)
{
	size_t bytes = (size_t)PAGES * PAGE + (size_t)PAGES / 2 * PAGE;
	char *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	madvise(p, bytes, MADV_NOHUGEPAGE);
	touch_plainly(p);
	touch_by_memset(p + (size_t)PAGES * PAGE);
	return 0;
}
