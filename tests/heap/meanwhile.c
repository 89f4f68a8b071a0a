/*
 * meanwhile.c - while one thread moves a mapping with mremap(), another one maps the addresses that become free
 *
 *     -DBEHIND   a library that is preloaded after the recorder: its mremap() moves the mapping as the kernel does, and
 *                another thread maps a page at the old address before it returns
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "site.h"

#include <pthread.h>
#include <sys/mman.h>

enum { PAGE = 4096 };

#ifdef BEHIND
#include <sys/syscall.h>

#define EXPORT __attribute__((visibility("default")))

NI void *meanwhile(void *at)
{
	sink = mmap(at, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	return sink;
}

EXPORT void *mremap(void *addr, size_t was, size_t n, int flags, ...)
{
	void *p = (void *)syscall(SYS_mremap, addr, was, n, (long)flags, NULL);
	pthread_t t;

	if (p != MAP_FAILED && p != addr && pthread_create(&t, NULL, meanwhile, addr) == 0)
		pthread_join(t, NULL);
	return p;
}
#else
static void *there;
SITE(small, mmap(NULL, 2 * PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))
SITE(grown, mremap(there, 2 * PAGE, 50 * PAGE, MREMAP_MAYMOVE))

int main(void)
{
	there = small();
	/* The page above is taken, so that the mapping moves. */
	mmap((char *)there + 2 * PAGE, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	if (grown() == there)
		return 9;
	truth("leaked", "small", 0, 0);
	truth("leaked", "meanwhile", 1, PAGE);
	return 0;
}
#endif
