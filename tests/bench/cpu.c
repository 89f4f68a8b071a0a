/*
 * cpu.c - run a command, append "cpu_seconds wall_seconds max_rss_kib" to a file
 *
 * usage: cpu FILE COMMAND [ARG...]; exits as the command does.  CPU time is user
 * and system of the command and all its descendants: orphans (perf leaves
 * helpers behind) are taken in and waited for.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double seconds(struct timeval t)
{
	return (double)t.tv_sec + 1e-6 * (double)t.tv_usec;
}

int main(int argc, char **argv)
{
	struct timespec a, b;
	struct rusage u;
	int status = 0;
	pid_t child;
	FILE *f;

	if (argc < 3)
		return 2;
	prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	clock_gettime(CLOCK_MONOTONIC, &a);
	child = fork();
	if (child < 0)
		return 6;
	if (!child) {
		execvp(argv[2], argv + 2);
		_exit(127);
	}
	waitpid(child, &status, 0);
	clock_gettime(CLOCK_MONOTONIC, &b);
	while (wait(NULL) > 0)
		;
	getrusage(RUSAGE_CHILDREN, &u);
	f = fopen(argv[1], "a");
	if (!f)
		return 6;
	fprintf(f, "%.6f %.6f %ld\n", seconds(u.ru_utime) + seconds(u.ru_stime),
		(double)(b.tv_sec - a.tv_sec) + 1e-9 * (double)(b.tv_nsec - a.tv_nsec), u.ru_maxrss);
	fclose(f);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
