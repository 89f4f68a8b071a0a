/* threads.c - start threads that allocate at once, free each other's blocks, have minimal stacks, and end */
#include "site.h"

#include <limits.h>
#include <pthread.h>

enum { THREADS = 8, ROUNDS = 20000, RING = 256, SHORT = 300 };

static void *_Atomic ring[RING];

SITE(in_ring, malloc(100))
SITE(thread_leak, malloc(500))
SITE(thread_key, malloc(70))
SITE(short_leak, malloc(321))

static pthread_key_t key;

static void *work(void *arg)
{
	unsigned x = (unsigned)(size_t)arg * 2654435761u + 1;

	pthread_setspecific(key, thread_key());
	for (int i = 0; i < ROUNDS; i++) {
		x = x * 1664525 + 1013904223;
		free(__atomic_exchange_n(&ring[x >> 24], in_ring(), __ATOMIC_ACQ_REL));
		if (i % 100 == 0)
			thread_leak();
	}
	return NULL;
}

static void *once(void *arg)
{
	short_leak();
	return arg;
}

/* A TLS destructor: it frees a block after the thread's own work, and allocates one that another destructor frees. */
static void at_thread_end(void *p)
{
	free(p);
	free(thread_key());
}

int main(void)
{
	pthread_t t[THREADS], s;
	pthread_attr_t small;

	pthread_key_create(&key, at_thread_end);
	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, PTHREAD_STACK_MIN);
	for (size_t i = 0; i < THREADS; i++)
		if (pthread_create(&t[i], i % 2 ? &small : NULL, work, (void *)i))
			return 3;
	for (size_t i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	for (int i = 0; i < SHORT; i++) {
		if (pthread_create(&s, &small, once, NULL))
			return 4;
		pthread_join(s, NULL);
	}
	for (int i = 0; i < RING; i++)
		free(ring[i]);
	truth("allocated", "in_ring", THREADS * ROUNDS, 100ul * THREADS * ROUNDS);
	truth("leaked", "in_ring", 0, 0);
	truth("leaked", "thread_leak", THREADS * ROUNDS / 100, 5ul * THREADS * ROUNDS);
	truth("leaked", "thread_key", 0, 0);
	truth("allocated", "thread_key", 2 * THREADS, 140 * THREADS);
	truth("leaked", "short_leak", SHORT, 321ul * SHORT);
	return 0;
}
