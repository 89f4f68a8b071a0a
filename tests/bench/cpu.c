/*
 * cpu.c - run a command, and append the line "cpu_seconds wall_seconds max_rss_kib status" to a file
 *
 * usage: cpu FILE LIMIT COMMAND [ARG...]
 *
 * CPU time is the user and system time of the command and all its descendants.  The program adopts orphans, such as
 * the helpers of perf, and waits for them.  Memory is that of the largest single process.  After LIMIT seconds of
 * wall-clock time (0: no limit), the program kills the command's process group and writes the values up to then.
 *
 * The status is `ok` if the command exited with 0, `limit` if it was killed, or else `failed`.  The program itself
 * exits with 0 if it has written the line.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile pid_t group;
static volatile sig_atomic_t late;

static void on_alarm(int sig)
{
	(void)sig;
	late = 1;
	kill(-group, SIGKILL);
}

static double seconds(struct timeval t)
{
	return (double)t.tv_sec + 1e-6 * (double)t.tv_usec;
}

int main(int argc, char **argv)
{
	struct sigaction act = { .sa_handler = on_alarm, .sa_flags = SA_RESTART };
	struct timespec a, b;
	struct rusage u;
	int status = 0;
	FILE *f;

	if (argc < 4)
		return 2;
	prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	clock_gettime(CLOCK_MONOTONIC, &a);
	group = fork();
	if (group < 0)
		return 6;
	setpgid(group, group);		/* called in the parent and in the child, because either may run first */
	if (!group) {
		execvp(argv[3], argv + 3);
		_exit(127);
	}
	sigaction(SIGALRM, &act, NULL);
	alarm((unsigned)atoi(argv[2]));
	waitpid(group, &status, 0);
	clock_gettime(CLOCK_MONOTONIC, &b);
	while (wait(NULL) > 0)
		;
	getrusage(RUSAGE_CHILDREN, &u);
	f = fopen(argv[1], "a");
	if (!f)
		return 6;
	fprintf(f, "%.6f %.6f %ld %s\n", seconds(u.ru_utime) + seconds(u.ru_stime),
		(double)(b.tv_sec - a.tv_sec) + 1e-9 * (double)(b.tv_nsec - a.tv_nsec), u.ru_maxrss,
		late ? "limit" : WIFEXITED(status) && WEXITSTATUS(status) == 0 ? "ok" : "failed");
	return fclose(f) ? 6 : 0;
}
