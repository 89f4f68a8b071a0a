/*
 * busy.c - a program whose recordings are large, in every mode: it allocates, switches, calls and touches memory
 *
 *     ./busy [SECONDS]
 *
 * The threads run for SECONDS (default 30).  They allocate blocks of many sizes from many places, pass a byte back and
 * forth, make system calls of which half fail, map, touch and unmap pages, and compute below deep stacks.  At the end
 * the program prints one line with the numbers of blocks, rounds of the byte, calls, pages and computed sums.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { BLOCKS = 4096, PAGES = 256, DEPTH = 60, PAGE = 4096 };

static atomic_bool over;
static int there[2], back[2];
static unsigned long blocks, rounds, calls, pages, sums;

/* Eight call sites, so that there is more than one stack. */
#define PLACE(n)                                                                                                       \
	static __attribute__((noinline)) void *place_##n(size_t size)                                                  \
	{                                                                                                              \
		void *p = malloc(size + n);                                                                            \
		return memset(p, n, 1);                                                                                \
	}
PLACE(1) PLACE(2) PLACE(3) PLACE(4) PLACE(5) PLACE(6) PLACE(7) PLACE(8)

static void *allocate(void *arg)
{
	static void *(*const places[])(
		size_t) = { place_1, place_2, place_3, place_4, place_5, place_6, place_7, place_8 };
	static void *held[BLOCKS];
	uint32_t x = 1;

	for (; !over; blocks++) {
		x = x * 1664525u + 1013904223u;
		free(held[x >> 20]);
		held[x >> 20] = places[x >> 17 & 7]((size_t)16 << (x >> 14 & 7));
	}
	return arg;
}

static __attribute__((noinline)) bool take(int fd)
{
	char c;

	return read(fd, &c, 1) == 1;
}

static void give(int fd)
{
	if (write(fd, "x", 1) != 1)
		over = true;
}

static void *answer(void *arg)
{
	while (take(there[0]))		/* until ask() closes it */
		give(back[1]);
	return arg;
}

static void *ask(void *arg)
{
	for (; !over; rounds++) {
		give(there[1]);
		if (!take(back[0]))
			break;
	}
	close(there[1]);
	return arg;
}

static void *call(void *arg)
{
	for (; !over; calls += 2) {
		if (open("/nowhere/at/all", O_RDONLY) >= 0 || getppid() < 0)
			over = true;
	}
	return arg;
}

static void *touch(void *arg)
{
	for (; !over; pages += PAGES) {
		char *at = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (at == MAP_FAILED)
			break;
		for (int i = 0; i < PAGES; i++)
			at[i * PAGE] = 1;
		munmap(at, PAGES * PAGE);
	}
	return arg;
}

static __attribute__((noinline)) unsigned long deep(int depth, unsigned long x)
{
	volatile char frame[64] = { 0 };

	if (!depth)
		for (int i = 0; i < 20000; i++)
			x = x * 6364136223846793005u + 1442695040888963407u;
	else
		x = deep(depth - 1, x) + (unsigned long)frame[0];
	return x;
}

static void *add(void *arg)
{
	unsigned long x = 1;

	for (; !over; sums++)
		x = deep((int)(sums % DEPTH), x);
	return x ? arg : NULL;
}

int main(int argc, char **argv)
{
	static void *(*const all[])(void *) = { allocate, answer, ask, call, touch, add };
	pthread_t threads[sizeof(all) / sizeof(*all)];
	struct timespec wait = { .tv_sec = argc > 1 ? atoi(argv[1]) : 30 };

	if (pipe(there) || pipe(back))
		return 1;
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		if (pthread_create(&threads[i], NULL, all[i], NULL))
			return 1;
	nanosleep(&wait, NULL);
	over = true;
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		pthread_join(threads[i], NULL);
	printf("%lu blocks, %lu rounds, %lu calls, %lu pages, %lu sums\n", blocks, rounds, calls, pages, sums);
	return 0;
}
