/* maps.c - call mmap, munmap for pieces, mremap, and map over another mapping; also from several threads */
#include "site.h"

#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

enum { PAGE = 4096, THREADS = 4, ROUNDS = 500 };

static NI void *pages(void *at, size_t n, int flags)
{
	void *p = mmap(at, n * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);

	if (p == MAP_FAILED)
		exit(9);
	return p;
}

SITE(kept, mmap(NULL, 1000 * PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))
SITE(given_back, pages(NULL, 10, 0))
SITE(in_pieces, pages(NULL, 30, 0))
SITE(covered, pages(NULL, 20, 0))
SITE(not_whole, mmap(NULL, 5 * PAGE - 100, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))
static void *there;
SITE(over_it, pages((char *)there + 5 * PAGE, 3, MAP_FIXED))
SITE(small, pages(NULL, 2, 0))
SITE(grown, mremap(there, 2 * PAGE, 50 * PAGE, MREMAP_MAYMOVE))
SITE(of_thread, pages(NULL, 1, 0))

static void *work(void *arg)
{
	for (int i = 0; i < ROUNDS; i++) {
		void *p = of_thread();

		if (i % 5)
			munmap(p, PAGE);
	}
	return arg;
}

int main(void)
{
	pthread_t t[THREADS];
	char *p;

	kept();
	for (int i = 0; i < 100; i++)
		munmap(given_back(), 10 * PAGE);
	p = in_pieces();
	munmap(p + 10 * PAGE, 5 * PAGE);
	munmap(p, PAGE);
	munmap(p + 29 * PAGE, PAGE);
	p = in_pieces();
	munmap(p + PAGE, PAGE);
	munmap(p, 30 * PAGE);		/* unmaps the piece before the hole, the hole, and 28 pages after it */
	there = covered();
	over_it();
	not_whole();
	there = small();
	p = grown();
	memset(p, 1, 50 * PAGE);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&t[i], NULL, work, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	if (munmap((void *)1, PAGE) == 0 || munmap(p, 0) == 0 ||
		mmap(NULL, 0, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED)
		return 8;
	truth("leaked", "kept", 1, 1000 * PAGE);
	truth("leaked", "given_back", 0, 0);
	truth("allocated", "given_back", 100, 1000 * PAGE);
	truth("leaked", "in_pieces", 1, 23 * PAGE);
	truth("allocated", "in_pieces", 2, 60 * PAGE);
	truth("leaked", "covered", 1, 17 * PAGE);
	truth("leaked", "over_it", 1, 3 * PAGE);
	truth("leaked", "not_whole", 1, 5 * PAGE);
	truth("leaked", "small", 0, 0);
	truth("leaked", "grown", 1, 50 * PAGE);
	truth("allocated", "of_thread", THREADS * ROUNDS, THREADS * ROUNDS * PAGE);
	truth("leaked", "of_thread", THREADS * ROUNDS / 5, THREADS * ROUNDS / 5 * PAGE);
	return 0;
}
