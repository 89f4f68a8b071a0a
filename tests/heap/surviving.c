/*
 * surviving.c - test that the recorder raises no signal if the recording is limited in size, or is truncated
 *
 *     surviving BYTES 0    set a file size limit of BYTES
 *     surviving 0 1        truncate the recording while the program runs
 *
 * Then the program allocates from many stacks, so that the recording grows: no SIGXFSZ may arrive.  With a limit, the
 * program exceeds it in a file of its own, which must cause one SIGXFSZ.  It ends with _exit(7).
 */
#include "site.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>

SITE(kept, malloc(100))
SITE(passing, malloc(40))

static volatile int signals;

static void count(int sig)
{
	(void)sig;
	signals++;
}

/* Allocate from 2^n stacks. */
static NI void many(int n)
{
	if (!n) {
		kept();
		free(passing());
		return;
	}
	many(n - 1);
	sink = NULL;
	many(n - 1);
	sink = NULL;
}

static void truncate_recording(void)
{
	char path[4200];

	if (!getenv("HOTDRIFT_HEAP"))
		return;
	snprintf(path, sizeof(path), "%s.%d", getenv("HOTDRIFT_HEAP"), (int)getpid());
	if (truncate(path, 0))
		_exit(1);
}

int main(int argc, char **argv)
{
	struct rlimit limit;

	if (argc < 3)
		return 2;
	signal(SIGXFSZ, count);
	if (atol(argv[1]) &&
		(getrlimit(RLIMIT_FSIZE, &limit) ||
			(limit.rlim_cur = (rlim_t)atol(argv[1]), setrlimit(RLIMIT_FSIZE, &limit))))
		return 3;
	many(6);
	if (atoi(argv[2]))
		truncate_recording();
	many(12);
	if (signals)
		return 4;
	if (atol(argv[1])) {
		int fd = open("surviving.tmp", O_WRONLY | O_CREAT | O_TRUNC, 0600);

		if (fd < 0 || ftruncate(fd, atol(argv[1]) + 1) == 0 || signals != 1)
			return 5;
	}
	truth("leaked", "kept", 64 + 4096, (64 + 4096) * 100);
	truth("allocated", "passing", 64 + 4096, (64 + 4096) * 40);
	_exit(7);
}
