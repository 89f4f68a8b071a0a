/*
 * track.c - measure the CPU time of a pair of hd_op_start() and hd_op_stop() as a multiple of two clock_gettime() calls
 *
 * `make bench-track` runs it.  Each of ROUNDS rounds measures both in turn, so that a slow phase of the machine affects
 * both, and each thread computes its median ratio; the program prints the largest.  The goals are 2 for one thread, and
 * 4 for eight threads that run at once and record the same three names.  Exit status 1: a goal is missed.
 */
#include "hotdrift.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ROUNDS = 15, PAIRS = 200000, THREADS_MAX = 64 };

static const char *const names[] = { "parse", "validate", "store" };

static double cpu_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double two_clocks(void)
{
	struct timespec t;
	double begin = cpu_s();

	for (int i = 0; i < PAIRS; i++) {
		clock_gettime(CLOCK_MONOTONIC, &t);
		clock_gettime(CLOCK_MONOTONIC, &t);
	}
	return cpu_s() - begin;
}

static double pairs(void)
{
	double begin = cpu_s();

	for (int i = 0; i < PAIRS; i++) {
		hd_op_start(HD_GLOBAL, names[i % 3]);
		hd_op_stop(HD_GLOBAL, names[i % 3]);
	}
	return cpu_s() - begin;
}

static int compare(const void *x, const void *y)
{
	double a = *(const double *)x, b = *(const double *)y;

	return a > b ? 1 : a < b ? -1 : 0;
}

static void *measure(void *out)
{
	double ratio[ROUNDS];

	pairs();
	for (int i = 0; i < ROUNDS; i++) {
		double clocks = two_clocks();

		ratio[i] = pairs() / clocks;
	}
	qsort(ratio, ROUNDS, sizeof(*ratio), compare);
	*(double *)out = ratio[ROUNDS / 2];
	return NULL;
}

/* Return the largest median ratio of the threads. */
static double run(int threads)
{
	pthread_t t[THREADS_MAX];
	double ratio[THREADS_MAX], worst = 0;

	for (int i = 0; i < threads; i++)
		if (pthread_create(&t[i], NULL, measure, &ratio[i]) != 0)
			exit(6);
	for (int i = 0; i < threads; i++) {
		pthread_join(t[i], NULL);
		if (ratio[i] > worst)
			worst = ratio[i];
	}
	return worst;
}

int main(void)
{
	static const struct { int threads; double goal; } goals[] = { { 1, 2 }, { 8, 4 } };
	int missed = 0;

	for (size_t i = 0; i < sizeof(goals) / sizeof(*goals); i++) {
		double ratio = run(goals[i].threads);

		printf("start and stop / two clock_gettime, %d threads  %.2f  goal %.0f  %s\n", goals[i].threads, ratio,
			goals[i].goal, ratio <= goals[i].goal ? "reached" : "MISSED");
		missed += ratio > goals[i].goal;
	}
	return missed ? 1 : 0;
}
