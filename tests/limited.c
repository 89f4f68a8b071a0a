/*
 * limited.c - run a command under limits, and write the time and memory that it used
 *
 *     limited [-c SECONDS] [-v MIB] [-w SECONDS] COMMAND [ARGUMENT...]
 *
 * -c is the limit of CPU time (default 10 s), -v that of address space (default 2048 MiB; 0: no limit), -w that of
 * wall-clock time (default 600 s).  If LIMITED_OUT is set, one line is appended to this file:
 *
 *     STATUS CPU_MS PEAK_KIB       STATUS as in a shell: 128 + n for signal n
 *
 * The exit status is STATUS.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static long number(const char *s)
{
	char *end;
	long v = strtol(s, &end, 10);

	if (*end || v < 0) {
		fprintf(stderr, "limited: error: '%s' is not a number\n", s);
		exit(2);
	}
	return v;
}

static void limit(int what, unsigned long soft, unsigned long hard)
{
	struct rlimit r = { soft, hard };

	if (setrlimit(what, &r) < 0)
		perror("limited: setrlimit");
}

int main(int argc, char **argv)
{
	unsigned long cpu = 10, space = 2048;
	unsigned int wall = 600;
	int opt, status, code;
	struct rusage use;
	const char *to;
	pid_t pid;

	while ((opt = getopt(argc, argv, "+c:v:w:")) != -1) {
		if (opt == 'c')
			cpu = (unsigned long)number(optarg);
		else if (opt == 'v')
			space = (unsigned long)number(optarg);
		else if (opt == 'w')
			wall = (unsigned int)number(optarg);
		else
			return 2;
	}
	if (optind == argc) {
		fprintf(stderr, "usage: limited [-c SECONDS] [-v MIB] [-w SECONDS] COMMAND [ARGUMENT...]\n");
		return 2;
	}
	pid = fork();
	if (pid < 0) {
		perror("limited: fork");
		return 2;
	}
	if (!pid) {
		limit(RLIMIT_CPU, cpu, cpu + 1);
		limit(RLIMIT_CORE, 0, 0);
		if (space)
			limit(RLIMIT_AS, space << 20, space << 20);
		alarm(wall);		/* the alarm survives exec */
		execvp(argv[optind], argv + optind);
		perror(argv[optind]);
		_exit(127);
	}
	while (wait4(pid, &status, 0, &use) < 0)
		;
	code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
	to = getenv("LIMITED_OUT");
	if (to) {
		int fd = open(to, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
		long ms = (use.ru_utime.tv_sec + use.ru_stime.tv_sec) * 1000L +
			(use.ru_utime.tv_usec + use.ru_stime.tv_usec) / 1000;

		if (fd < 0 || dprintf(fd, "%d %ld %ld\n", code, ms, use.ru_maxrss) < 0)
			perror("limited: LIMITED_OUT");
	}
	return code;
}
