/*
 * storm.c - two threads on one CPU that pass a byte back and forth: 2 blocking reads per round
 *
 *     ./storm [ROUNDS [WORK]]		defaults: 50000 and 0
 *
 * Each time a thread gets the byte, it runs a loop of WORK turns.  At the end the program prints `STORM ROUNDS OFF_NS`:
 * the time in ns that the two threads were off the CPU, added up.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static int there[2], back[2], rounds = 50000, work;
static uint64_t off;

static uint64_t now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static __attribute__((noinline)) void take(int fd)
{
	char c;

	if (read(fd, &c, 1) != 1)
		abort();
}

static __attribute__((noinline)) void give(int fd)
{
	for (volatile int i = 0; i < work; i++)
		;
	if (write(fd, "x", 1) != 1)
		abort();
}

static void pin(void)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(0, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

static void *answer(void *arg)
{
	uint64_t wall = now(CLOCK_MONOTONIC), cpu = now(CLOCK_THREAD_CPUTIME_ID);

	pin();
	for (int i = 0; i < rounds; i++) {
		take(there[0]);
		give(back[1]);
	}
	cpu = now(CLOCK_THREAD_CPUTIME_ID) - cpu;
	off = now(CLOCK_MONOTONIC) - wall - cpu;	/* read after the join */
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t other;
	uint64_t wall, cpu;

	if (argc > 1)
		rounds = atoi(argv[1]);
	if (argc > 2)
		work = atoi(argv[2]);
	if (pipe(there) || pipe(back))
		return 1;
	pin();
	wall = now(CLOCK_MONOTONIC);
	cpu = now(CLOCK_THREAD_CPUTIME_ID);
	if (pthread_create(&other, NULL, answer, NULL))
		return 1;
	for (int i = 0; i < rounds; i++) {
		give(there[1]);
		take(back[0]);
	}
	pthread_join(other, NULL);
	cpu = now(CLOCK_THREAD_CPUTIME_ID) - cpu;
	printf("STORM %d %llu\n", rounds, (unsigned long long)(off + now(CLOCK_MONOTONIC) - wall - cpu));
	return 0;
}
