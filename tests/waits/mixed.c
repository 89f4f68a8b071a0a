/*
 * mixed.c - one thread that waits in two ways: for a semaphore, and in nanosleep
 *
 * Both threads run on one CPU.  The giver continues to run after it woke the first thread, so that thread queues for
 * the CPU after each semaphore wait.  It never queues after a sleep, because the giver is blocked by then.  The
 * wake-up of a semaphore is recorded, in the giver.  That of a timer is not, because the CPU is idle.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <time.h>

enum { NAPS = 18, NAP_NS = 10000000, GIFTS = 300 };

static sem_t wanted, given;
static volatile int stop;

static void pin(void)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(0, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

__attribute__((noinline)) static void wait_sleep(void)
{
	nanosleep(&(struct timespec){ 0, NAP_NS }, NULL);
	__asm__ volatile("");	/* prevent a tail call */
}

__attribute__((noinline)) static void wait_gift(void)
{
	sem_wait(&given);
	__asm__ volatile("");
}

static void *give(void *arg)
{
	pin();
	while (!stop) {
		sem_wait(&wanted);
		sem_post(&given);
		for (volatile int i = 0; i < 20000; i++)
			;
	}
	return arg;
}

int main(void)
{
	pthread_t giver;

	pin();
	sem_init(&wanted, 0, 0);
	sem_init(&given, 0, 0);
	if (pthread_create(&giver, NULL, give, NULL))
		return 1;
	for (int i = 0; i < NAPS; i++) {
		for (int k = 0; k < GIFTS; k++) {
			sem_post(&wanted);
			wait_gift();
		}
		wait_sleep();
	}
	stop = 1;
	sem_post(&wanted);
	pthread_join(giver, NULL);
	return 0;
}
