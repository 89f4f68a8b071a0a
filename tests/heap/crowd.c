/*
 * crowd.c - start 200 threads that allocate once and stay alive.  While they are alive, the resident
 * memory in KiB is written to descriptor 9.
 */
#include "site.h"

#include <pthread.h>

enum { THREADS = 200 };

static pthread_barrier_t at_once;

SITE(one, malloc(100))

static void *work(void *arg)
{
	one();
	pthread_barrier_wait(&at_once);
	pthread_barrier_wait(&at_once);
	return arg;
}

static long resident_kib(void)
{
	FILE *f = fopen("/proc/self/statm", "r");
	long pages = 0;

	if (!f || fscanf(f, "%*d %ld", &pages) != 1)
		abort();
	fclose(f);
	return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

int main(void)
{
	pthread_t threads[THREADS];

	pthread_barrier_init(&at_once, NULL, THREADS + 1);
	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, work, NULL))
			abort();
	pthread_barrier_wait(&at_once);
	dprintf(9, "RESIDENT %ld\n", resident_kib());
	pthread_barrier_wait(&at_once);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
