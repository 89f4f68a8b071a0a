/* family.c - a program with a process tree: it forks, renames threads, and executes another program */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile unsigned long sink;

__attribute__((noinline)) static void burn(double seconds)
{
	struct timespec t;
	double start, now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	start = (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
	do {
		unsigned long x = sink;

		for (unsigned long i = 0; i < 100000; i++)
			x = x * 6364136223846793005ul + i;
		sink = x;
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
		now = (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
	} while (now - start < seconds);
}

__attribute__((noinline)) static void child_work(double s) { burn(s); sink++; }
__attribute__((noinline)) static void grandchild_work(double s) { burn(s); sink++; }

static void *thread_work(void *arg)
{
	prctl(PR_SET_NAME, (const char *)arg);
	burn(0.1);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t a, b;

	if (argc > 1 && !strcmp(argv[1], "leaf")) {
		burn(0.15);
		return 0;
	}
	pthread_create(&a, NULL, thread_work, (void *)"first thread");
	pthread_create(&b, NULL, thread_work, (void *)"second");
	if (!fork()) {
		child_work(0.15);
		if (!fork()) {
			prctl(PR_SET_NAME, "grandchild");
			grandchild_work(0.15);
			execl(argv[0], "renamed", "leaf", (char *)NULL);
			_exit(1);
		}
		wait(NULL);
		_exit(0);
	}
	burn(0.15);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	wait(NULL);
	return 0;
}
