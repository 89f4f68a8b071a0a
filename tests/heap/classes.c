/*
 * classes.c - allocate blocks of three classes, and print the bytes of each class at several pauses
 *
 * `kv_append` allocates and keeps, `forward` allocates and frees, and both call `scratch`.  A thread frees blocks of
 * the main thread; a forked child allocates blocks, and exits.  Each phase begins with a block that is larger than what
 * a thread allocates between two readings of the clock, so that no part of the phase is counted in the previous tick.
 *
 *     TRUTH at T_US kv_cache=BYTES activation=BYTES temp_buffer=BYTES
 *
 * T_US is a time of CLOCK_REALTIME in us.  The program allocates nothing in the 50 ms after it.
 */
#include "site.h"

#include <pthread.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

enum { BIG = 40000, MOST = 4000 };
enum { KV, ACT, TEMP, CLASSES };

static long live[CLASSES];
static void *kv[MOST], *act[MOST], *temp[MOST];

NI void *kv_append(size_t n) { live[KV] += (long)n; void *p = malloc(n); sink = p; return p; }
NI void *forward(size_t n) { live[ACT] += (long)n; void *p = calloc(1, n); sink = p; return p; }
NI void *scratch(size_t n) { live[TEMP] += (long)n; void *p = malloc(n); sink = p; return p; }
/* Their blocks are of the class temp_buffer, because the innermost function that a rule names decides. */
NI void *forward_scratch(size_t n) { void *p = scratch(n); sink = p; return p; }
NI void *kv_append_scratch(size_t n) { void *p = forward_scratch(n); sink = p; return p; }

static void pause_here(void)
{
	struct timespec t, ms50 = { 0, 50000000 };
	char line[200];
	int n;

	clock_gettime(CLOCK_REALTIME, &t);
	n = snprintf(line, sizeof(line), "TRUTH at %ld kv_cache=%ld activation=%ld temp_buffer=%ld\n",
		t.tv_sec * 1000000 + t.tv_nsec / 1000, live[KV], live[ACT], live[TEMP]);
	if (write(9, line, (size_t)n) != n)
		_exit(3);
	nanosleep(&ms50, NULL);
}

static void release(void **blocks, int from, int to, int class, size_t n)
{
	for (int i = from; i < to; i++, live[class] -= (long)n)
		free(blocks[i]);
}

static void *elsewhere(void *arg)
{
	(void)arg;
	release(kv, 0, 50, KV, BIG);
	for (int i = 200; i < 300; i++)
		kv[i] = kv_append(BIG);
	return NULL;
}

int main(void)
{
	pthread_t thread;
	pid_t child;
	int status;

	for (int i = 0; i < 200; i++)
		kv[i] = kv_append(BIG);
	pause_here();
	act[0] = forward(BIG);
	for (int i = 1; i < 3000; i++)
		act[i] = forward(100);
	pause_here();
	temp[0] = scratch(BIG);
	for (int i = 1; i < 1000; i++)
		temp[i] = i % 3 ? forward_scratch(700) : kv_append_scratch(700);
	pause_here();
	release(temp, 0, 1, TEMP, BIG);
	release(temp, 1, 1000, TEMP, 700);
	pause_here();
	pthread_create(&thread, NULL, elsewhere, NULL);
	pthread_join(thread, NULL);
	pause_here();
	/* Memory that is allocated and freed within one tick is invisible. */
	for (int i = 0; i < 100000; i++) {
		free(scratch(BIG));
		live[TEMP] -= BIG;
	}
	pause_here();
	child = fork();
	if (!child) {
		for (int i = 0; i < 100; i++)
			kv[i] = kv_append(BIG);
		pause_here();
		exit(0);
	}
	waitpid(child, &status, 0);
	pause_here();
	release(act, 0, 1, ACT, BIG);
	release(act, 1, 3000, ACT, 100);
	pause_here();
	return status;
}
