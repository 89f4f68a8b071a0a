/*
 * torture.c - do difficult things that programs do, and that must also work with the preloaded recorder
 *
 *   - allocations in constructors, destructors, exit handlers, TLS destructors and signal handlers, also on an
 *     alternate stack of minimal size
 *   - closing all descriptors, after which the recording has to grow
 *   - writes up to malloc_usable_size()
 *   - forks while threads allocate, and blocks that a parent allocates and its child frees
 *   - 16 KiB stacks with deep calls, and coroutines
 *   - allocations by the C library while it holds a thread's lock, and threads that are cancelled
 *   - a program that changes its environment, its folder and its name
 *   - functions that must not change errno
 *
 * It prints a digest of the results, which must be the same with and without the recorder.
 */
#include "site.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <ucontext.h>

enum { HANDLED = 200, FORKS = 40 };

SITE(in_constructor, malloc(111))
SITE(in_destructor, malloc(112))
SITE(in_exit_handler, malloc(113))
SITE(in_handler, malloc(114))
SITE(on_other_stack, malloc(115))
SITE(in_coroutine, malloc(116))
SITE(after_close, malloc(117))
SITE(in_usable, malloc(118))
SITE(at_depth, malloc(119))

/* Allocate from so many stacks that the recording must grow; the recorder opens its file for this. */
static NI void *descend(int n)
{
	return n ? descend(n - 1) : at_depth();
}
static NI void descend_by(int n)
{
	sink = n % 2 ? descend(n / 2) : descend(n / 2);
}

__attribute__((constructor)) static void begin(void) { in_constructor(); }
__attribute__((destructor)) static void end(void) { in_destructor(); }
static void at_exit(void) { in_exit_handler(); }

static volatile int handled;

static void on_signal(int sig)
{
	if (sig == SIGUSR1)
		in_handler();
	else
		on_other_stack();
	handled++;
}

/* The program may use every byte that malloc_usable_size() reports. */
static int usable(void)
{
	int ok = 1;

	for (size_t n = 0; n < 3000; n += 7) {
		char *p = malloc(n), *q;
		size_t size = malloc_usable_size(p);

		ok &= size >= n && malloc_usable_size(p) == size;
		memset(p, 0x5a, size);
		q = realloc(p, n * 3 + 100);
		for (size_t i = 0; i < n; i++)
			ok &= q[i] == 0x5a;
		size = malloc_usable_size(q);
		memset(q, 0xa5, size);
		free(q);
		p = memalign(256, n);
		ok &= ((uintptr_t)p & 255) == 0;
		memset(p, 1, malloc_usable_size(p));
		free(p);
		p = calloc(1, n + 1);
		for (size_t i = 0; i <= n; i++)
			ok &= p[i] == 0;
		free(p);
	}
	for (int i = 0; i < 10; i++)
		memset(in_usable(), 1, 118);
	return ok;
}

static NI int deep(int n)
{
	volatile char room[64];

	room[0] = (char)n;
	if (n)
		return deep(n - 1) + room[0] * 0;
	free(sink = malloc(33));
	return 1;
}

static void *small_stack(void *arg)
{
	char text[200];

	/* Most of the 16 KiB are used by the program itself. */
	deep(60);
	snprintf(text, sizeof(text), "%f", 1.5);
	free(strdup(text));
	return arg;
}

/* The C library allocates here while it holds the thread's lock. */
static void *ask_attributes(void *arg)
{
	pthread_attr_t attr;

	if (pthread_getattr_np(pthread_self(), &attr) == 0) {
		pthread_attr_destroy(&attr);
		(*(int *)arg)++;
	}
	return NULL;
}

static volatile int cancelled;
static void *be_cancelled(void *arg)
{
	while (!cancelled)
		;
	free(malloc(77));	/* malloc() and free() are no cancellation points */
	(*(int *)arg)++;
	pthread_testcancel();
	*(int *)arg = -1000;
	return NULL;
}

/* Use stack sizes that no earlier thread had, so that the C library cannot reuse a stack. */
static int first_allocations(void)
{
	pthread_attr_t attr;
	pthread_t t;
	int good = 0;

	pthread_attr_init(&attr);
	for (size_t i = 1; i <= 10; i++) {
		pthread_attr_setstacksize(&attr, i << 20);
		pthread_create(&t, &attr, ask_attributes, &good);
		pthread_join(t, NULL);
		pthread_attr_setstacksize(&attr, (i << 20) + 65536);
		cancelled = 0;
		pthread_create(&t, &attr, be_cancelled, &good);
		pthread_cancel(t);
		cancelled = 1;
		pthread_join(t, NULL);
	}
	pthread_attr_destroy(&attr);
	return good;
}

static volatile int stop;
static void *allocate(void *arg)
{
	while (!stop) {
		void *p = malloc(100), *q = malloc(1000);

		free(p);
		free(q);
	}
	return arg;
}

static ucontext_t back, there;
static void coroutine(void)
{
	for (int i = 0; i < 50; i++) {
		in_coroutine();
		swapcontext(&there, &back);
	}
}

static void coroutines(void)
{
	char *stack = malloc(65536);

	getcontext(&there);
	there.uc_stack.ss_sp = stack;
	there.uc_stack.ss_size = 65536;
	there.uc_link = &back;
	makecontext(&there, coroutine, 0);
	for (int i = 0; i < 50; i++)
		swapcontext(&back, &there);
	free(stack);
}

static int forks(void)
{
	pthread_t t[3];
	int good = 0, status;

	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, allocate, NULL);
	for (int i = 0; i < FORKS; i++) {
		pid_t pid = fork();

		if (!pid) {
			for (int k = 0; k < 100; k++)
				free(malloc(200));
			_exit(11);
		}
		if (waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 11)
			good++;
	}
	stop = 1;
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	return good;
}

static int errno_is_kept(void)
{
	int ok = 1;

	for (int i = 0; i < 5000; i++) {
		errno = 77;
		free(malloc((size_t)i));
		ok &= errno == 77;
	}
	return ok;
}

static void truths(void)
{
	truth("leaked", "in_constructor", 1, 111);
	truth("leaked", "in_destructor", 1, 112);
	truth("leaked", "in_exit_handler", 1, 113);
	truth("leaked", "in_handler", HANDLED, HANDLED * 114);
	truth("leaked", "on_other_stack", HANDLED, HANDLED * 115);
	truth("leaked", "in_coroutine", 50, 50 * 116);
	truth("leaked", "after_close", 3000, 3000 * 117);
	truth("leaked", "in_usable", 10, 1180);
	truth("leaked", "at_depth", 900, 900 * 119);
	truth("leaked", "small_stack", 0, 0);
}

int main(void)
{
	struct sigaction sa = { .sa_handler = on_signal }, other = { .sa_handler = on_signal, .sa_flags = SA_ONSTACK };
	stack_t alt = { .ss_sp = malloc(16384), .ss_size = 16384 };
	int out = dup(1), files = 0, first, ok;
	pthread_attr_t small;
	pthread_t t;
	char line[200];

	truths();
	atexit(at_exit);
	sigaction(SIGUSR1, &sa, NULL);
	sigaltstack(&alt, NULL);
	sigaction(SIGUSR2, &other, NULL);
	for (int i = 0; i < HANDLED; i++) {
		raise(SIGUSR1);
		raise(SIGUSR2);
	}
	ok = usable();
	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, PTHREAD_STACK_MIN);
	for (int i = 0; i < 20; i++) {
		pthread_create(&t, &small, small_stack, NULL);
		pthread_join(t, NULL);
	}
	first = first_allocations();
	coroutines();
	/*
	 * The recorder keeps no descriptor open: the next one has the number that it would have
	 * without the recorder.
	 */
	for (int fd = 0; fd < 256; fd++)
		files += fcntl(fd, F_GETFD) >= 0;
	for (int fd = 3; fd < 1024; fd++)
		if (fd != out)
			close(fd);
	clearenv();
	if (chdir("/"))
		return 9;
	prctl(PR_SET_NAME, "other");
	for (int i = 0; i < 3000; i++)
		after_close();
	for (int i = 0; i < 900; i++)
		descend_by(i);
	snprintf(line, sizeof(line), "usable %d handled %d first %d files %d forks %d errno %d\n", ok, handled, first,
		files, forks(), errno_is_kept());
	if (write(out, line, strlen(line)) < 0)
		return 8;
	return 23;
}
