/*
 * waits.c - threads that wait for known reasons and measure how long
 *
 *     cc -O2 -g -pthread waits.c -o waits && ./waits [ROUNDS]
 *
 * Each thread has a name, waits for one reason, and waits in a function with a name of its own:
 *
 *     sleeper  sleep      nanosleep           reader   pipe    a byte of a pipe, written by `giver`
 *     locker   futex      a condition         poller   epoll   an eventfd
 *     server   socket     a socket pair       parent   child   a child process
 *
 * `giver` wakes them in turn, from one function per thread.  `burner` and `racer` share one CPU and never wait: they
 * are preempted.  A thread's time off the CPU is the elapsed time minus its CPU time.  At the end the program prints
 * the true values, one line per thread:
 *
 *     TRUTH thread reason function OFF_NS ROUNDS MOST_NS
 *
 * A thread can also lose the CPU before it has its name, and after its last look at the clock.  OFF_NS is its time off
 * the CPU between these times; MOST_NS is an upper bound: its time off the CPU from its first look at the
 * clock until it was joined.
 *
 * The stacks of the threads are touched before they start.  Otherwise a page fault of a thread would wait for the
 * thread that maps the next stack, and a busy machine can take the CPU from that one meanwhile.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int rounds = 40;
static int pipe_fd[2], socket_fd[2], start_fd[2], event_fd;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int tickets;
static volatile int stop;

#define NOINLINE __attribute__((noinline))
static void need(int ok, const char *what)
{
	if (!ok) {
		perror(what);
		exit(1);
	}
}

static uint64_t now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static NOINLINE void nap(long us)
{
	struct timespec t = { us / 1000000, us % 1000000 * 1000 };

	while (nanosleep(&t, &t) && errno == EINTR)
		;
}

/* ---- the functions in which the threads wait; the volatile access prevents a tail call ---- */

static NOINLINE void wait_sleep(void) { nap(5000); *(volatile int *)&stop; }
static NOINLINE void wait_pipe(void) { char c; need(read(pipe_fd[0], &c, 1) == 1, "read"); }
static NOINLINE void wait_socket(void) { char c; need(recv(socket_fd[0], &c, 1, 0) == 1, "recv"); }
static NOINLINE void wait_futex(void)
{
	pthread_mutex_lock(&lock);
	while (!tickets)
		pthread_cond_wait(&changed, &lock);
	tickets--;
	pthread_mutex_unlock(&lock);
}
static NOINLINE void wait_epoll(void)
{
	static int poll_fd = -1;
	struct epoll_event e = { .events = EPOLLIN };
	uint64_t v;

	if (poll_fd < 0) {
		poll_fd = epoll_create1(0);
		need(!epoll_ctl(poll_fd, EPOLL_CTL_ADD, event_fd, &e), "epoll_ctl");
	}
	need(epoll_wait(poll_fd, &e, 1, -1) == 1 && read(event_fd, &v, 8) == 8, "epoll_wait");
}
/* One of the processes that fork_children() made sleeps and ends. */
static NOINLINE void wait_child(void)
{
	need(write(start_fd[1], "x", 1) == 1, "write");
	need(waitpid(-1, NULL, 0) > 0, "waitpid");
}

/* ---- the functions that wake them ---- */

static NOINLINE void wake_pipe(void) { need(write(pipe_fd[1], "x", 1) == 1, "write"); }
static NOINLINE void wake_socket(void) { need(send(socket_fd[1], "x", 1, 0) == 1, "send"); }
static NOINLINE void wake_epoll(void) { uint64_t one = 1; need(write(event_fd, &one, 8) == 8, "write"); }
static NOINLINE void wake_futex(void)
{
	pthread_mutex_lock(&lock);
	tickets++;
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&lock);
}

struct job {
	const char *name, *reason, *function;
	void (*wait)(void);
	int share;		/* the thread waits in one of `share` rounds */
	uint64_t off_ns, most_ns;
	int done;
	uint64_t begun, wall, cpu;
};

static void begin(struct job *j)
{
	j->begun = now(CLOCK_MONOTONIC);
	prctl(PR_SET_NAME, j->name);
	j->cpu = now(CLOCK_THREAD_CPUTIME_ID);
	j->wall = now(CLOCK_MONOTONIC);
}

static void end(struct job *j)
{
	j->wall = now(CLOCK_MONOTONIC) - j->wall;
	j->cpu = now(CLOCK_THREAD_CPUTIME_ID) - j->cpu;
	j->off_ns = j->wall - j->cpu;
}

static void join(pthread_t thread, struct job *j)
{
	pthread_join(thread, NULL);
	j->most_ns = now(CLOCK_MONOTONIC) - j->begun - j->cpu;
}

static void *run(void *arg)
{
	struct job *j = arg;

	begin(j);
	for (j->done = 0; j->done < rounds / j->share; j->done++)
		j->wait();
	end(j);
	return NULL;
}

static void *give(void *arg)
{
	(void)arg;
	prctl(PR_SET_NAME, "giver");
	for (int i = 0; i < rounds; i++) {
		nap(3000);
		wake_pipe();
		nap(1000);
		wake_socket();
		wake_futex();
		nap(2000);
		wake_epoll();
	}
	return NULL;
}

/*
 * Make n processes with the name `child`.  Each waits for a byte, sleeps and ends.  They are made before the threads
 * start, because a new process has the name of the thread that forks.  If a thread changed its name to fork, its time
 * off the CPU in fork() would be part of its measurement, but not of what hotdrift reports under its name.
 */
static void fork_children(int n)
{
	need(!prctl(PR_SET_NAME, "child"), "prctl");
	for (int i = 0; i < n; i++) {
		pid_t pid = fork();
		char c;

		need(pid >= 0, "fork");
		if (pid)
			continue;
		close(start_fd[1]);	/* so that read() returns if the parent has died */
		if (read(start_fd[0], &c, 1) == 1)
			nap(8000);
		_exit(0);
	}
	need(!prctl(PR_SET_NAME, "waits"), "prctl");
}

static void pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);	/* if the machine does not allow this, they run on two CPUs */
}

static NOINLINE void spin(void)
{
	for (volatile int i = 0; i < 1000; i++)
		;
}

static void *burn(void *arg)
{
	struct job *j = arg;

	begin(j);
	pin(0);
	while (!stop)
		spin();
	end(j);
	return NULL;
}

static pthread_t start(void *(*function)(void *), void *arg)
{
	enum { STACK = 1 << 18, THREADS = 9 };
	static char stacks[THREADS][STACK] __attribute__((aligned(4096)));
	static int n;
	pthread_attr_t attr;
	pthread_t thread;

	need(n < THREADS && !pthread_attr_init(&attr), "pthread_attr_init");
	memset(stacks[n], 1, STACK);
	need(!pthread_attr_setstack(&attr, stacks[n++], STACK), "pthread_attr_setstack");
	need(!pthread_create(&thread, &attr, function, arg), "pthread_create");
	pthread_attr_destroy(&attr);
	return thread;
}

int main(int argc, char **argv)
{
	static struct job jobs[] = {	/* in the order in which they end */
		{ "parent", "child", "wait_child", wait_child, .share = 4 },
		{ "sleeper", "sleep", "wait_sleep", wait_sleep, .share = 1 },
		{ "reader", "pipe", "wait_pipe", wait_pipe, .share = 1 },
		{ "server", "socket", "wait_socket", wait_socket, .share = 1 },
		{ "locker", "futex", "wait_futex", wait_futex, .share = 1 },
		{ "poller", "epoll", "wait_epoll", wait_epoll, .share = 1 },
		{ "burner", "preempted", "spin", NULL, .share = 1 }, { "racer", "preempted", "spin", NULL, .share = 1 },
	};
	enum { JOBS = sizeof(jobs) / sizeof(jobs[0]) };
	pthread_t threads[JOBS], giver;

	for (int i = 0; i < 8; i++)
		free(strdup(memset(calloc(1, 1 << 18), 'x',
			(1 << 18) - 1))); /* large blocks, because the memory mode does not record small programs */
	if (argc > 1)
		rounds = atoi(argv[1]);
	need(!pipe(pipe_fd) && !socketpair(AF_UNIX, SOCK_STREAM, 0, socket_fd) && !pipe(start_fd), "pipe");
	event_fd = eventfd(0, EFD_SEMAPHORE);
	need(event_fd >= 0, "eventfd");
	for (int i = 0; i < JOBS; i++)
		if (jobs[i].wait == wait_child)
			fork_children(rounds / jobs[i].share);
	for (int i = 0; i < JOBS; i++)
		threads[i] = start(jobs[i].wait ? run : burn, &jobs[i]);
	giver = start(give, NULL);
	for (int i = 0; i < JOBS; i++) {
		if (!jobs[i].wait)
			stop = 1;
		join(threads[i], &jobs[i]);
	}
	pthread_join(giver, NULL);
	for (int i = 0; i < JOBS; i++)
		printf("TRUTH %s %s %s %llu %d %llu\n", jobs[i].name, jobs[i].reason, jobs[i].function,
			(unsigned long long)jobs[i].off_ns, jobs[i].done, (unsigned long long)jobs[i].most_ns);
	return 0;
}
